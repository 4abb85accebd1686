"""Sentences of a why-not explanation: the losing stage, the gap, and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.detect.surfacing import Cut
from app.display import numbers, words
from app.display.scope.side_by_side import combination_word
from app.display.scope.surfacing import LAPSE_WORDS
from app.domain.case import Task
from app.domain.inspection import REFUSED
from app.domain.intent import Rule, RulePurpose
from app.domain.library import Answer, Memory, Power
from app.domain.running import ActivationBlocker
from app.domain.why_not import (
    AddTrigger,
    Change,
    ChangeSettings,
    Injection,
    LostAt,
    Note,
    NotScoredReason,
    RestoreItems,
    Rewrite,
    StoreRules,
    TeachRoute,
    TeachType,
    WhyNot,
)

NOTES: Mapping[Note, str] = {
    Note.LLM_MAY_DIFFER: "The LLM is not asked here; where it answers in time it may decide otherwise.",
    Note.NOT_FOUND: (
        "The team's server does not find it for this query, so it is not among the answers; here it was scored all the "
        "same."
    ),
    Note.REFIT: "Counted with the present learned weights; fitting them to what is taught may move other answers.",
    Note.NO_CASES: "There are no cases, so what else a change would do is not counted.",
}

_QUOTED = re.compile(r"([“„«])([^“”„«»]+)([”“»])")


def note_words(notes: Iterable[Note]) -> str:
    """Return all notes as sentences; "" for none."""
    return " ".join(NOTES[note] for note in notes)


def sentence(found: WhyNot) -> str:
    """Return the stage that lost the answer, and the gap."""
    match found.stage, found.task:
        case LostAt.NOT_TAUGHT, _:
            kind, name = found.expected.kind, found.expected.name
            return f"No memory has the intent “{name}”." if kind == "intent" else f"No {kind} is named “{name}”."
        case _ if found.expects_nothing:
            return _unwanted(found)
        case LostAt.SET_ASIDE, _:
            return _set_aside(found)
        case _, Task.TYPE:
            return _type(found)
        case _, Task.ROUTE:
            return _route(found)
        case None, _:
            return _won(found)
        case LostAt.THRESHOLD, _:
            return _below(found)
        case LostAt.AMBIGUITY | LostAt.RANKING, _:
            return _too_near(found)
    return _behind(found)


def shortened(said: str) -> str:
    """Cut long quoted parts of a sentence, where space is short."""
    return _QUOTED.sub(lambda found: f"{found[1]}{words.cut(found[2])}{found[3]}", said)


# ---- ranked answers


def _both(found: WhyNot) -> tuple[str, str]:
    """Format both confidences, differently unless they are equal."""
    one, other = found.expected_confidence or 0.0, found.winner_confidence or 0.0
    middle = () if one == other else ((one + other) / 2,)
    return numbers.rough_chance(one, middle), numbers.rough_chance(other, middle)


def _won(found: WhyNot) -> str:
    own, other = found.expected_confidence or 0.0, found.winner_confidence
    first = f"“{found.name}” comes first, with {numbers.rough_chance(own)}"
    if other is None or found.winner_name is None:
        return f"{first}."
    return f"{first}, {numbers.points_apart(own, other)} ahead of “{found.winner_name}”."


def _below(found: WhyNot) -> str:
    confidence, is_power = found.expected_confidence or 0.0, found.task is Task.POWER
    if found.is_negated:
        other = f"neither has any other {'power' if is_power else 'memory'}"
        return f"{_negated(found)}, so it has no chance, and {other}."
    if confidence <= 0.0:
        return f"“{found.name}” scores nothing for this query, and neither does anything else."
    own, line = (
        numbers.rough_chance(found.label_chance or confidence, (found.threshold,)),
        numbers.chance(found.threshold),
    )
    own += " for its intent" if found.label_chance else ""
    if found.is_own_threshold:
        return f"“{found.name}” is the best, but {own} is below its own threshold {line}."
    purpose = "activation" if is_power else "an answer"
    return f"“{found.name}” is the best, but {own} is below the {line} required for {purpose}."


def _too_near(found: WhyNot) -> str:
    mine, theirs, (own, other) = f"“{found.name}”", f"“{found.winner_name or ''}”", _both(found)
    if found.expected_rank == 1:
        margin = numbers.points(found.margin)
        return f"{mine} is the best with {own}, but {theirs} with {other} is within the margin of {margin}."
    if found.stage is LostAt.RANKING:
        return (
            f"{mine} is as good as the best, but only place {found.expected_rank} and not among those that are named."
        )
    if found.task is not Task.POWER:
        return f"{mine} is level with {theirs}, which comes first as it was taught before: both have {own}."
    near = "level with" if found.expected_confidence == found.winner_confidence else "within the margin of"
    return f"{mine} with {own} is {near} {theirs} with {other}, so neither is chosen."


def _behind(found: WhyNot) -> str:
    rank, (own, other) = found.expected_rank, _both(found)
    if found.injection is not None and found.injection.cut in LAPSE_WORDS:
        return f"“{found.name}” is passed over; “{found.winner_name or ''}” comes first with {other}."
    place = "scores nothing" if rank is None else f"is in place {rank:,} with {own}"
    if rank is None or rank > found.listed:
        place += f" and is not among the {found.listed} that are listed"
    first = f"“{found.name}” {place}; “{found.winner_name or ''}” comes first with {other}."
    return f"{first} {f'{_negated(found)}.' if found.is_negated else _deciding(found)}".strip()


def _negated(found: WhyNot) -> str:
    return f"The query says what is not wanted, and asks for nothing else that “{found.name}” fits"


def _deciding(found: WhyNot) -> str:
    """Return the scorer that puts the winner ahead, or scorers that would decide otherwise."""
    leads = " and ".join(words.scorer(name).title.lower() for name, _ in found.ahead)
    decides = f"The winner leads mostly by {leads}, through “{found.through}”." if leads else ""
    if not found.combination:
        return decides
    combined = combination_word(found.combination)
    other = f"Another combination of the scores would put it first, but “{combined}” is in force."
    return f"{decides} {other}".strip()


def _set_aside(found: WhyNot) -> str:
    because = "is switched off"
    if found.not_scored is NotScoredReason.BINNED:
        because = "is in the bin"
    elif found.not_scored is NotScoredReason.UNSUCCESSFUL:
        success = numbers.fixed(found.success or 0.0, 2)
        because = f"has a success score of {success}, below the min_score of {found.threshold:g}"
    first = f"“{found.name}” {because}, so it is not scored."
    if found.expected_confidence is None:
        return first
    would, rank = numbers.rough_chance(found.expected_confidence), found.rank_if_scored
    place = f"have {would}" if rank is None else f"be in place {rank:,} with {would}"
    return f"{first} Otherwise it would {place}."


def _unwanted(found: WhyNot) -> str:
    if found.winner_name is None:
        return REFUSED if found.is_negated else "Nothing scores for this query, so nothing is answered."
    name, line = f"“{found.winner_name}”", numbers.chance(found.threshold)
    own = numbers.rough_chance(found.winner_chance, (found.threshold,))
    is_by_any = found.label_chance is not None and found.task is Task.POWER
    any_power = f"the chance that any power is meant, {own},"
    if found.label_chance is not None and not is_by_any:
        own += " for its intent"
    if found.is_held_back:
        held = found.winner_injection
        why = _why_out(held, found.threshold) if held else f"{own} is not enough for that"
        return f"Nothing is injected: {name} comes first, but {why}."
    if found.has_won:
        nothing = f"No {found.expected.kind} fits" if found.unexpected else "Nothing is answered"
        if is_by_any:
            return f"{nothing}: {name} comes first, but {any_power} is below the required {line}."
        return f"{nothing}: {name} comes first with {own}, below the required {line}."
    least = f"its own threshold {line}" if found.is_own_threshold else f"the required {line}"
    if is_by_any:
        return f"{name} comes first, and {any_power} is not below {least}."
    return f"{name} is answered with {own}, not below {least}, through “{found.through}”."


# ---- types and routes


def _type(found: WhyNot) -> str:
    match found.stage:
        case None:
            return f"“{found.name}” is the type, by {_quoted(found.cues) or 'the learned score'}."
        case LostAt.SWITCHED_OFF:
            return "No type is detected at all: search_intent.enabled is off."
        case LostAt.TOPICS:
            return "The query holds no topic, and search_intent.require_topics requires one."
        case LostAt.EXAMPLES:
            example = f", as for “{found.through}”" if found.through else ""
            return f"The learned score says “{found.winner_name}”{example}."
        case LostAt.NO_RULE:
            first = f"No rule for “{found.name}” matches this query."
            if found.held_back:
                first = f"The rule “{found.held_back}” is overruled by its “unless”."
            if found.winner_name is None:
                return f"{first} Nothing is detected."
            return f"{first} Detected is “{found.winner_name}” by {_quoted(found.winner_cues)}."
    first = f"Rules for “{found.name}” match ({_quoted(found.cues)}), but {found.policy} picks “{found.winner_name}”"
    if found.policy == "priority":
        return f"{first} by {_quoted(found.winner_cues)}, which comes first in the fixed order."
    (evidence,) = found.gaps
    mine, theirs = numbers.fixed(evidence.expected or 0.0, 2), numbers.fixed(evidence.winner or 0.0, 2)
    return f"{first} by {_quoted(found.winner_cues)}: {theirs} against {mine}."


def _route(found: WhyNot) -> str:
    match found.stage:
        case None:
            return f"“{found.name}” is the route. {found.reasoning}"
        case LostAt.RULES | LostAt.EXAMPLES | LostAt.CACHE:
            return f"The query goes to “{found.winner_name}”. {found.reasoning}"
        case LostAt.THRESHOLD:
            return f"{found.reasoning} So nothing was sure, and the query goes to “{found.winner_name}”."
    return f"{found.reasoning} So the query goes to “{found.winner_name}”."


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


# --------------------------------------------------------------------------------------------------------------------
# Descriptions of the changes, for window and terminal

_REWRITES: Mapping[str, str] = {
    "trigger.remove": "Remove “{phrase}” from {theirs}",
    "trigger.move": "Move “{phrase}” from {theirs} to {mine}",
    "memory.relabel": "Change the intent of “{phrase}” from “{before}” to “{after}”",
    "memory.pause": "Pause {theirs}, whose only trigger misleads",
    "label.threshold": "Lower the threshold of its intent from {before} to {after}",
    "label.raise": "Raise the threshold of “{name}” from {before} to {after}",
    "label.give": "Give “{name}” a threshold of {after}",
    "enable": "Enable {mine}",
    "enable.teach": "Enable {mine} and teach it “{phrase}”",
}

_RULES: Mapping[str, str] = {
    "rule.enable": "Switch on the rule “{rule}”",
    "rule.disable": "Switch off the rule “{rule}”, which found “{phrase}”",
    "rule.unless": "Remove the “unless” of the rule “{rule}”",
    "rule.weight": "Let the rule “{rule}” weigh {after} instead of {before}",
}


def change_words(change: Change) -> str:
    """Describe the action, without a full stop."""
    match change.act:
        case ChangeSettings() as chosen:
            return _settings(change, chosen)
        case AddTrigger(answer, text):
            if isinstance(answer, Power):
                return f"Teach “{text}” as one more example of {_called(answer)}"
            return f"Teach “{text}” as one more trigger of {_called(answer)}"
        case Rewrite():
            return _REWRITES[change.key].format(**_named(change))
        case RestoreItems():
            return f"Put “{change.about[0].name}” back"
        case TeachRoute(case, rules):
            return _teaching(case.text, case.expected[0], rules)
        case TeachType(text, type_):
            return f"Teach “{text}” as a query of the type {words.type_word(type_)}"
        case StoreRules((rule, *_)):
            return _rule(change, rule)
        case _:
            raise AssertionError("rules that are stored are some")


def _settings(change: Change, chosen: ChangeSettings) -> str:
    if chosen.point is None:
        return f"Set {' and '.join(f'{one.name} from {one.before} to {one.after}' for one in change.moved)}"
    key, name = chosen.point
    if key == "preset":
        return f"Take the preset “{name}”"
    scores = "the scores of powers" if key == "power_combination" else "the scores"
    return f"Combine {scores} by “{combination_word(name)}” ({key} {name})"


def _named(change: Change) -> dict[str, str]:
    """Return the placeholders of a change's description."""
    moved = change.moved[0] if change.moved else None
    return {
        "phrase": change.text,
        "theirs": _called(change.about[0]),
        "mine": _called(change.about[-1]),
        "name": moved.name if moved else "",
        "before": moved.before if moved else "",
        "after": moved.after if moved else "",
    }


def _called(answer: Answer) -> str:
    """Return the answer's name; a label's memory gets both names."""
    if isinstance(answer, Memory) and answer.intent is not None and answer.id is None:
        return f"“{answer.name}” ({answer.intent})"
    return f"“{answer.name}”"


def _teaching(text: str, route: str, rules: tuple[Rule, ...]) -> str:
    taught, named = f"Teach “{text}” as a query for “{route}”", _quoted(rule.id for rule in rules)
    return f"{taught}, and switch off the rule{'s' * (len(rules) > 1)} {named}" if rules else taught


def _rule(change: Change, rule: Rule) -> str:
    if change.key != "rule.add":
        moved = change.moved[0] if change.moved else None
        before, after = (moved.before, moved.after) if moved else ("", "")
        return _RULES[change.key].format(rule=rule.id, phrase=change.text, before=before, after=after)
    added = f"Add a rule for “{rule.label}” that finds “{change.text}”"
    if rule.purpose is RulePurpose.ROUTE:
        return f"{added}, as sure as its others ({change.sure or 0.0:.2f})"
    return added if rule.weight == 1.0 else f"{added}, of weight {rule.weight:g}"


# ---- Injection of the expected memory, or why it would be left out.


def injection_words(injection: Injection | None, answered: float = 0.0) -> str:
    """Return if the memory would be injected, or why not; "" if not applicable.

    `answered` is the threshold of an answer.
    """
    if injection is None:
        return ""
    if injection.cut is None and injection.rank is not None:
        return f"It would be injected, as number {injection.rank}."
    said = f"It would not be injected: {_why_out(injection, answered)}."
    if injection.weight != 1.0 and injection.cut in (Cut.COUNT, Cut.COVERED, Cut.BUDGET):  # where the order decides
        of, times = f"Memories of its namespace “{injection.namespace}”", f"{injection.weight:g} times"
        said += f" {of} count {times} for this type of query."
    return said


def unexpected_words(found: WhyNot) -> str:
    """Return what would be delivered beside the expected answer; "" for nothing."""
    if not found.unexpected:
        return ""
    names = ", ".join(f"“{words.cut(name)}”" for name in found.unexpected)
    if found.expects_nothing:
        return f"{names} would be delivered, so a case that expects nothing fails."
    return f"{names} would be delivered too, so a case that expects only “{words.cut(found.expected.name)}” fails."


def blocker_words(found: WhyNot) -> str:
    """Return why the expected power would not start; "" if nothing prevents it."""
    return "" if found.blocker is None else _BLOCKERS[found.blocker]


_BLOCKERS: Mapping[ActivationBlocker, str] = {
    ActivationBlocker.APPROVAL: "It is not approved, so it would not start. Approve it on Powers.",
    ActivationBlocker.COMMAND: "It has neither a command nor an address, so nothing would start. Add one on Powers.",
}


_OUT_ALWAYS: Mapping[str, str] = {
    Cut.PAUSED: "it is paused",
    Cut.SUCCESS: "its success score is below min_score",
    Cut.SILENT: "it has no response",
    **{cut: f"it is {said}" for cut, said in LAPSE_WORDS.items()},
}
"""Reasons why a memory is not injected for any query."""


def _why_out(injection: Injection, answered: float) -> str:
    if injection.cut is not None and injection.cut in _OUT_ALWAYS:
        return _OUT_ALWAYS[injection.cut]
    limits, least = (injection.least, answered), numbers.chance(min(injection.least, 1.0))
    own, of_label = numbers.rough_chance(injection.confidence, limits), injection.chance > injection.confidence
    near = numbers.rough_chance(max(injection.confidence, injection.chance), limits)
    has = f"its intent has {near}" if of_label else f"it has {near}"
    sure, wanted = injection.type_confidence, injection.type_least
    match injection.cut:
        case None:
            return "its confidence is too low for an answer"
        case Cut.THRESHOLD:
            type_has = f"the type has {numbers.chance(sure, (wanted,))}, below {numbers.chance(wanted)}"
            said = type_has if sure else "no type is detected"
            return said if injection.least > 1.0 else f"{said}, so it needs {least}; {has}"
        case Cut.CONFIDENCE:
            return f"{has}, and {least} is needed"
        case Cut.LABEL:
            return f"{has}, below its own threshold {least}"
        case Cut.COVERED:
            return f"the memories ahead of it are enough, and it has {own}"
        case Cut.COUNT:
            return f"number {injection.rank}, where {injection.most} are allowed"
    tokens, budget = numbers.count(injection.tokens), numbers.count(injection.budget)
    return f"with it there are {tokens} tokens, {budget} are allowed"
