"""The four decisions on a query (type, memory, power, route): outcomes and reasons (S9.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from app.detect.surfacing import Cut, Injected, Limits, injected, is_silent
from app.display import numbers, words
from app.display.scope.arithmetic import reason_of
from app.display.scope.intent import NO_QUERY, no_type_reason
from app.display.scope.match_rows import NO_POWERS, MatchRow, is_safe_choice, level_of, limits_of
from app.display.scope.merging import limits as type_limits
from app.display.scope.surfacing import coverage_sentence, has_type
from app.display.words import Level
from app.domain.inspection import REFUSED, Decision, Inspection, Resolution
from app.domain.intent import DetectionSource
from app.domain.language import plural
from app.domain.library import Kind, Memory, Power
from app.domain.llm import LlmOutcome
from app.domain.match import Band, Match, Tier
from app.domain.running import ActivationBlocker, activation_blocker

if TYPE_CHECKING:
    from app.settings.model import Settings


class Help(StrEnum):
    """Suggested action after a verdict; surfaces know how to perform it."""

    WHY_NOT = "why not"
    TEACH = "teach"
    APPROVE = "approve"
    COMMAND = "command"
    LEAST_ANSWER = "least answer"
    LEAST_FOUND = "least found"
    LEAST_OF_LABEL = "least of label"
    LEAST_ACTIVATED = "least activated"
    LEAST_SURFACED = "least surfaced"
    LEAST_CONFIDENCE = "least confidence"
    LEAST_CERTAIN = "least certain"
    CONNECT_LLM = "connect llm"


HELP_WORDS: Mapping[Help, str] = {
    **dict.fromkeys(Help, "Change threshold"),
    Help.WHY_NOT: "Expected something else?",
    Help.TEACH: "Teach…",
    Help.APPROVE: "Approve…",
    Help.COMMAND: "Add a command",
    Help.CONNECT_LLM: "Connect an LLM",
}


class Outcome(StrEnum):
    NONE = "none"
    """No match, or no decision."""
    DETECTED = "detected"
    INJECTED = "injected"
    WITHHELD = "withheld"
    """Found, but not injected."""
    ACTIVATED = "activated"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_COMMAND = "needs_command"
    MULTIPLE_MATCHES = "multiple_matches"
    WEAK_MATCHES = "weak_matches"
    ROUTED = "routed"
    FALLBACK = "fallback"


OUTCOME_WORDS: Mapping[Outcome, str] = {
    Outcome.NONE: "none",
    Outcome.DETECTED: "",
    Outcome.INJECTED: "would be injected",
    Outcome.WITHHELD: "not injected",
    Outcome.ACTIVATED: "would be activated",
    Outcome.NEEDS_APPROVAL: "not approved",
    Outcome.NEEDS_COMMAND: "has no command to start",
    Outcome.MULTIPLE_MATCHES: "offered, not activated",
    Outcome.WEAK_MATCHES: "weak match",
    Outcome.ROUTED: "",
    Outcome.FALLBACK: "fallback",
}


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision: its name ("": none), confidence in [0, 1] (None if unscored), and outcome.

    `reason` is a sentence. `provisional` is why the decision may still change by itself; "" if it is final.
    """

    name: str
    confidence: float | None
    outcome: Outcome
    reason: str
    provisional: str = ""
    match: Match | None = None
    limits: tuple[float, ...] = ()
    help: tuple[Help, ...] = ()

    @property
    def is_found(self) -> bool:
        return bool(self.name) and self.outcome is not Outcome.NONE


Decisions = Mapping[Decision, Decided]


def decisions(inspection: Inspection, settings: Settings) -> Decisions:
    """Return each decision on a query under these settings, with its reason."""
    return {
        Decision.TYPE: _type(inspection, settings),
        Decision.MEMORY: _memory(inspection, settings),
        Decision.POWER: _power(inspection, settings),
        Decision.ROUTE: _route(inspection),
    }


def _type(inspection: Inspection, settings: Settings) -> Decided:
    intent, provisional = inspection.intent, inspection.provisional.get(Decision.TYPE, "")
    limits = type_limits(settings)
    if intent is None or not has_type(inspection, settings):
        confidence = intent.confidence if intent else 0.0 if inspection.detection.enabled else None
        return Decided("", confidence, Outcome.NONE, no_type_reason(inspection, settings), provisional, limits=limits)
    reason = words.SOURCES[intent.source]
    if intent.keywords:
        quoted = ", ".join(f"“{word}”" for word in intent.keywords)
        reason += f"; matched keywords: {quoted}" if intent.source is DetectionSource.LEARNED else f": {quoted}"
    return Decided(intent.type.value, intent.confidence, Outcome.DETECTED, f"{reason}.", provisional, limits=limits)


def _memory(inspection: Inspection, settings: Settings) -> Decided:
    provisional = inspection.provisional.get(Decision.MEMORY, "")
    first, best = next(iter(inspection.memories), None), inspection.memory
    if best is None:
        sentence = "No memory is in use: the library has none, or all are paused."
        if settings.min_score:
            sentence = f"{sentence[:-1]} or have less success than {numbers.score(settings.min_score)}."
        if inspection.query.is_empty:
            sentence = NO_QUERY
        return Decided("", None, Outcome.NONE, sentence, provisional, help=(Help.TEACH,))
    limits, nearer = limits_of(best, settings), _nearer_lapsed(inspection, best, settings)
    if best.lapse is not None:
        return Decided("", best.confidence, Outcome.NONE, nearer, provisional, best, limits, (Help.TEACH,))
    if not best.is_found:
        helps = (Help.TEACH, Help.WHY_NOT, Help.LEAST_ANSWER)
        if best.threshold is not None:
            helps = (Help.LEAST_OF_LABEL, Help.WHY_NOT, Help.TEACH)
        sentence = " ".join(filter(None, (_nearest(best, limits), nearer)))
        return Decided("", best.confidence, Outcome.NONE, sentence, provisional, best, limits, helps)
    outcome, sentence, more = _injected(inspection, best, settings)
    ahead = reason_of(inspection, best).sentence
    if first is not None and first.answer.answer_label != best.answer.answer_label:
        less = numbers.rough_chance(first.compared, (best.compared,))
        ahead = f"{words.named(first.answer)} has {less}, less than that intent."
    reason = " ".join(filter(None, (sentence, ahead, nearer)))
    offered = (*more[:1], Help.WHY_NOT, *more[1:])
    return Decided(best.answer.name, best.confidence, outcome, reason, provisional, best, limits, offered)


def _nearer_lapsed(inspection: Inspection, best: Match, settings: Settings) -> str:
    """Return a sentence on a nearer memory outside its validity; "" if none is nearer."""
    lapsed = next((one for one in inspection.memories if one.lapse is not None), None)
    if lapsed is None or lapsed.lapse is None or (lapsed is not best and lapsed.confidence <= best.confidence):
        return ""
    if lapsed.confidence < limits_of(lapsed, settings)[0]:
        return "" if lapsed is not best else _nearest(lapsed, limits_of(lapsed, settings))
    return f"{words.answer(lapsed.answer.name)} is passed over: it is {lapsed.lapse.words}."


def _nearest(best: Match, limits: tuple[float, ...]) -> str:
    """Return the best answer of a list that is below the threshold, and by how much."""
    shown, needed = numbers.rough_chance(best.confidence, limits), numbers.chance(limits[0], (best.compared,))
    if not best.confidence or numbers.rough_chance(max(best.confidence, best.label_chance or 0.0), limits) == "<1 %":
        return f"No {words.KINDS[best.kind].lower()} fits the query."
    if best.label_chance not in (None, best.confidence):
        shown += f", its intent with {numbers.rough_chance(best.label_chance, limits)}"
    own = "its own threshold of " if best.threshold is not None else ""
    return f"The nearest is {words.answer(best.answer.name)} with {shown}; {own}{needed} is needed."


def _injected(inspection: Inspection, best: Match, settings: Settings) -> tuple[Outcome, str, tuple[Help, ...]]:
    """Return if an assistant would get the memory (S4.12), why not, and suggested actions."""
    found, limits = injected_of(inspection, settings), Limits.of(settings)
    is_enough = bool(found.matches) or best.compared >= limits.least(limits.row(inspection.intent))
    if isinstance(best.answer, Memory) and is_silent(best.answer) and is_enough:
        return Outcome.WITHHELD, "It has no response to inject.", ()
    if any(one.answer is best.answer for one in found.matches):
        told = [coverage_words(found, settings)] if len(found.matches) > 1 else []
        own, intent = (numbers.rough_chance(one) for one in (best.confidence, best.compared))
        return Outcome.INJECTED, " ".join([f"Its intent has {intent}."] * (own != intent) + told), ()
    return Outcome.WITHHELD, *_why_out(inspection, best, found, settings)


def _why_out(inspection: Inspection, best: Match, found: Injected, settings: Settings) -> tuple[str, tuple[Help, ...]]:
    intent, limits = inspection.intent, Limits.of(settings)
    row, least = limits.row(intent), limits.threshold
    if found.cuts.get(id(best.answer)) is Cut.BUDGET:
        return f"Not injected: with it there would be more than {numbers.count(limits.tokens)} tokens.", ()
    if found.matches:
        return f"Not injected: others come first. {coverage_words(found, settings)}".rstrip(), ()
    chance = best.confidence if best.label_chance is None else best.label_chance
    of = "" if chance == best.confidence else "its intent has "
    shown = numbers.rough_chance(chance, limits_of(best, settings))
    if row is not None:
        sentence = f"Not injected: {of}{shown}, and {numbers.chance(limits.confidence)} is needed."
        return sentence, (Help.LEAST_CONFIDENCE,)
    certain = numbers.chance(limits.certain)
    so = f", so it needs {certain}; {of or 'the memory has '}{shown}" if limits.certain else ""
    is_off = inspection.trace.llm is None or inspection.trace.llm.outcome is LlmOutcome.OFF
    llm = (Help.CONNECT_LLM,) if is_off else ()
    if intent is None or not has_type(inspection, settings):
        return f"Not injected: no type is detected{so}.", (Help.LEAST_CERTAIN, *llm) if so else llm
    type_has = f"Not injected: the type {words.type_word(intent.type)} has "
    type_has += numbers.chance(intent.confidence, type_limits(settings))
    needed = numbers.chance(least)
    end = f"below {needed}{so}." if so else f"and {needed} is needed."
    return f"{type_has}, {end}", (Help.LEAST_SURFACED, *llm)


_newest: list[tuple[Inspection, Settings, Injected]] = []


def injected_of(inspection: Inspection, settings: Settings) -> Injected:
    """Return the memories that an assistant would get (S4.12), computed once for each answer."""
    for answer, under, found in _newest[-1:]:
        if answer is inspection and under is settings:
            return found
    found = injected(inspection, settings)
    _newest[:] = [(inspection, settings, found)]
    return found


def coverage_words(found: Injected, settings: Settings) -> str:
    """Return the reached and the wanted coverage; "" where coverage does not decide."""
    return coverage_sentence(len(found.matches), found.covered, settings.search_intent.surfacing_coverage)


def with_outcomes(rows: Sequence[MatchRow], inspection: Inspection, settings: Settings) -> tuple[MatchRow, ...]:
    """Say of each found memory if it would be injected, and of the others that they are not offered."""
    inside = {id(one.answer) for one in injected_of(inspection, settings).matches}
    last = next((one for one in reversed(inspection.matches) if id(one.answer) in inside), None)

    def marked(row: MatchRow) -> MatchRow:
        if id(row.match.answer) in inside:
            return replace(row, outcome="Would be injected", is_injected=True, ends_injected=row.match is last)
        if row.kind is Kind.MEMORY and row.is_found:
            return replace(row, outcome="Not injected", level_word="Not injected", level=Band.FALLBACK)
        return row if row.shows_outcome else replace(row, outcome=row.level_word)

    return tuple(map(marked, rows))


_OF_TIER: Mapping[Tier, Outcome] = {
    Tier.ACTIVATED: Outcome.ACTIVATED,
    Tier.MULTIPLE_MATCHES: Outcome.MULTIPLE_MATCHES,
    Tier.WEAK_MATCHES: Outcome.WEAK_MATCHES,
    Tier.NOT_FOUND: Outcome.NONE,
}
_OF_LACK: Mapping[ActivationBlocker, tuple[Outcome, Help]] = {
    ActivationBlocker.COMMAND: (Outcome.NEEDS_COMMAND, Help.COMMAND),
    ActivationBlocker.APPROVAL: (Outcome.NEEDS_APPROVAL, Help.APPROVE),
}


def _power(inspection: Inspection, settings: Settings) -> Decided:
    provisional = inspection.provisional.get(Decision.POWER, "")
    best, resolution = next(iter(inspection.powers), None), inspection.resolution
    if best is None or not isinstance(best.answer, Power):
        sentence = NO_QUERY if inspection.query.is_empty else NO_POWERS
        return Decided("", None, Outcome.NONE, sentence, provisional)
    limits, status = limits_of(best, settings), Tier.NOT_FOUND if resolution is None else resolution.status
    if resolution is None or status is Tier.NOT_FOUND:
        reason, outcome = _why_no_power(inspection, best, settings), Outcome.NONE
        helps: tuple[Help, ...] = (Help.TEACH, Help.WHY_NOT, Help.LEAST_FOUND)
        return Decided("", best.confidence, outcome, reason, provisional, best, limits, helps)
    reason, outcome, helps = reason_of(inspection, best).sentence, _OF_TIER[status], (Help.WHY_NOT,)
    if status is not Tier.ACTIVATED:
        reason, helps = f"{_why_offered(resolution, best, settings)}. {reason}", (Help.LEAST_ACTIVATED, *helps)
    elif (lack := activation_blocker(best.answer)) is not None:
        outcome, remedy = _OF_LACK[lack]
        helps = (remedy, *helps)
    return Decided(best.answer.name, best.confidence, outcome, reason, provisional, best, limits, helps)


def _why_no_power(inspection: Inspection, best: Match, settings: Settings) -> str:
    """Return why no power is found: the query refuses them, or a chance is too low."""
    resolution, weak = inspection.resolution, settings.tiers.weak
    if not best.confidence and REFUSED in inspection.notes:
        return REFUSED
    if resolution is None or resolution.chances is None or not best.confidence:
        return _nearest(best, limits_of(best, settings))
    nearest = f"{words.answer(best.answer.name)} with {numbers.rough_chance(best.confidence)}"
    any_power, needed = numbers.rough_chance(resolution.chances.related, (weak,)), numbers.chance(weak)
    return f"The nearest is {nearest}. The chance that any power fits is {any_power}; {needed} is needed."


def _why_offered(resolution: Resolution, best: Match, settings: Settings) -> str:
    """Return how many powers match, by which chance, and why none is activated."""
    count, chances, tiers = len(resolution.matches), resolution.chances, settings.tiers
    is_weak = resolution.status is Tier.WEAK_MATCHES
    one, many = ("It matches weakly", "{n} powers match weakly") if is_weak else ("It is offered", "{n} powers match")
    said = plural(count, one, many)
    if chances is not None and is_weak:
        said += f", as the chance that any power fits is {numbers.rough_chance(chances.related, (tiers.weak,))}"
    elif chances is not None:
        said += f", as the chance that one or several fit is {numbers.rough_chance(chances.served, (tiers.medium,))}"
    if resolution.tied:
        return f"{said}; they are too close to choose one"
    own, high = numbers.rough_chance(best.confidence, (tiers.high,)), numbers.chance(tiers.high, (best.confidence,))
    said += f"; {best.answer.name if count > 1 else 'it'}" + f" has {own}, and" * (chances is not None)
    return f"{said} needs {high} to be activated"


def _route(inspection: Inspection) -> Decided:
    route, provisional = inspection.route, inspection.provisional.get(Decision.ROUTE, "")
    if route is None:
        return Decided("", None, Outcome.NONE, "Routing is off, or nothing was asked.", provisional)
    outcome = Outcome.FALLBACK if is_safe_choice(route) else Outcome.ROUTED
    return Decided(route.intent, route.confidence, outcome, route.reasoning, provisional)


# ---- headline


@dataclass(frozen=True, slots=True)
class Verdict:
    """First lines of an answer: headline, response, and reasons of memory and power.

    `level` selects the glyph; `help` are suggested actions, the most useful first; `terms` are glossary entries;
    `match` is the answer, if found; `provisional` is why it may still change by itself, "" if it is final.
    """

    level: Level | None
    headline: str
    response: str
    reasons: tuple[str, ...]
    help: tuple[Help, ...] = ()
    terms: tuple[str, ...] = ()
    match: Match | None = None
    provisional: str = ""

    @property
    def why(self) -> str:
        """The reasons as one text."""
        return " ".join(self.reasons)


def verdict(inspection: Inspection, settings: Settings) -> Verdict:
    """Return the decisions on a query in three lines: type, memory and power."""
    made = decisions(inspection, settings)
    memory, power = made[Decision.MEMORY], made[Decision.POWER]
    first = memory if memory.is_found or not power.is_found else power
    type_, said = made[Decision.TYPE], "No type"
    if type_.is_found and type_.confidence is not None:
        said = f"{words.type_word(type_.name)} {numbers.rough_chance(type_.confidence, type_.limits)}"
    answers = [_one_answer(made) for made in (memory, power) if made.is_found] or ["No answer"]
    headline = " · ".join(filter(None, (said, *answers)))
    provisional = next(filter(None, (memory.provisional, power.provisional)), "")
    if provisional:
        headline = f"Provisional: {headline}"
    response = _response(first.match) if first.is_found else "Nothing would be injected or activated."
    urgent = (one for one in power.help if one in (Help.APPROVE, Help.COMMAND))
    helps = dict.fromkeys((*urgent, *first.help, *(power.help if power.is_found else ())))
    terms = ("injected", "activated", "power", *(("approval",) if Help.APPROVE in helps else ()))
    delivered = power if memory.outcome is Outcome.WITHHELD and power.is_found else first
    level = None if delivered.match is None else level_of(delivered.match)
    if delivered.outcome is Outcome.WITHHELD:
        level = Band.FALLBACK  # High would contradict "not injected"
    shown = power.match if Help.APPROVE in helps or first is power else first.match
    about = shown if first.is_found else None
    return Verdict(level, headline, response, _why(made), tuple(helps), terms, about, provisional)


def notes_beside(inspection: Inspection, settings: Settings | None) -> list[str]:
    """Return the notes on a query that the reasons of its verdict do not state already."""
    said = verdict(inspection, settings).why if settings is not None and REFUSED in inspection.notes else ""
    return [note for note in inspection.notes if note not in said]


def _one_answer(made: Decided) -> str:
    assert made.confidence is not None, "what is found was scored"
    name = made.name if made.match is None else words.full_title(made.match.answer, _LONGEST)
    shown = f"{name} {numbers.rough_chance(made.confidence, made.limits)}"
    return ", ".join(filter(None, (shown, OUTCOME_WORDS[made.outcome])))


_LONGEST = 40
"""Maximum length of a name in the headline, so that all decisions are in view."""


def _why(made: Decisions) -> tuple[str, ...]:
    """Return the reasons of memory and power; of missing ones only if nothing is found."""
    both = ((Decision.MEMORY, "Memory"), (Decision.POWER, "Power"))
    found = [(title, made[one]) for one, title in both if made[one].is_found]
    shown = found or [(title, made[one]) for one, title in both if made[one].match is not None]
    if not shown:
        return (made[Decision.MEMORY].reason,)
    return tuple(f"{title}: {one.reason}" for title, one in shown)


def _response(best: Match | None) -> str:
    """Return what an assistant would get: a memory's response, or a power's purpose."""
    if best is None:
        return ""
    answer = best.answer
    if isinstance(answer, Memory):
        return " ".join(answer.response.split()) or "It has no response: an assistant would get nothing."
    description = " ".join(answer.summary.split())
    if description and description[-1] not in ".!?":
        description += "."
    tools = plural(len(answer.tools), "It has {n} tool.", "It has {n} tools.") if answer.tools else ""
    return " ".join(filter(None, (description, tools)))


def verdict_document(inspection: Inspection, settings: Settings) -> dict[str, dict[str, object]]:
    """`verdict`: one entry per decision; a missing name is null.

    The memory's entry has the names of all memories that would be injected, and the sum of their chances, null where
    coverage does not decide. The power's entry has the chances of the tiers, null if its tier depends on the confidence
    alone.
    """
    documents: dict[str, dict[str, object]] = {
        decision.value: {
            "name": made.name or None,
            "confidence": made.confidence,
            "outcome": made.outcome.value,
            "reason": made.reason,
            "provisional": bool(made.provisional),
        }
        for decision, made in decisions(inspection, settings).items()
    }
    chances = None if inspection.resolution is None else inspection.resolution.chances
    tiers = None if chances is None else {tier.value: chance for tier, chance in chances.by_tier.items()}
    documents[Decision.POWER.value]["tier_chances"] = tiers
    found = injected_of(inspection, settings)
    documents[Decision.MEMORY.value]["injected"] = [one.answer.name for one in found.matches]
    documents[Decision.MEMORY.value]["covered"] = found.covered
    return documents
