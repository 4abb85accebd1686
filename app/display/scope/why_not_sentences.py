"""Sentences of a why-not explanation: the losing stage, the gap, and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.detect.surfacing import Cut
from app.display import numbers, words
from app.display.scope.side_by_side import combination_word
from app.display.scope.surfacing import LAPSE_WORDS
from app.domain.intent import Rule, RulePurpose
from app.domain.library import Answer, Memory, Power
from app.domain.running import ActivationBlocker
from app.domain.scope.why_not import (
    AddTrigger,
    Change,
    ChangeSettings,
    Injection,
    LostAt,
    Note,
    NotScoredReason,
    NotScoredStanding,
    RankedStanding,
    RestoreItems,
    Rewrite,
    RouteStanding,
    StoreRules,
    TeachRoute,
    TeachType,
    TypeStanding,
    Unknown,
    Unwanted,
    WhyNot,
)

NOTES: Mapping[Note, str] = {
    Note.LLM_MAY_DIFFER: "The LLM is not asked here; where it answers in time it may decide otherwise.",
    Note.NOT_FOUND: (
        "The team's server does not find it for this query, so it is not among the answers; here it was scored all the "
        "same."
    ),
    Note.NO_CASES: "There are no cases, so what else a change would do is not counted.",
}

_MOST_QUOTED = 48
_QUOTED = re.compile(r"([“„«])([^“”„«»]+)([”“»])")

_MISSING: Mapping[str, str] = {
    "intent": "No memory has the intent “{name}”.",
    "memory": "No memory is named “{name}”.",
    "power": "No power is named “{name}”.",
    "route": "No route is named “{name}”.",
}


def note_words(notes: Iterable[Note]) -> str:
    """Return all notes as sentences; "" for none."""
    return " ".join(NOTES[note] for note in notes)


def sentence(found: WhyNot) -> str:
    """Return the stage that lost the answer, and the gap."""
    match found.standing:
        case Unknown():
            return _MISSING[found.expected.kind].format(name=found.expected.name)
        case Unwanted() as unwanted:
            return _unwanted(found, unwanted)
        case NotScoredStanding() as aside:
            return _set_aside(aside)
        case TypeStanding() as type_:
            return _type(found, type_)
        case RouteStanding() as route:
            return _route(found, route)
        case RankedStanding() as ranked:
            return _ranked(found, ranked)


def shortened(said: str) -> str:
    """Cut long quoted parts of a sentence, where space is short."""
    return _QUOTED.sub(lambda found: f"{found[1]}{cut(found[2])}{found[3]}", said)


def cut(name: str) -> str:
    """Cut a name to its maximum length in a sentence."""
    return name if len(name) <= _MOST_QUOTED else f"{name[: _MOST_QUOTED - 1].rstrip()}…"


def distinct_chances(one: float, other: float) -> tuple[str, str]:
    """Format two confidences, differently unless they are equal."""
    middle = () if one == other else ((one + other) / 2,)
    return numbers.chance(one, middle), numbers.chance(other, middle)


# ---- ranked answers


def _ranked(found: WhyNot, stand: RankedStanding) -> str:
    match found.stage:
        case None:
            return _won(found, stand)
        case LostAt.THRESHOLD:
            return _below(found, stand)
        case LostAt.AMBIGUITY | LostAt.RANKING:
            return _too_near(found, stand)
        case _:
            return _behind(found, stand)


def _values(found: WhyNot, stand: RankedStanding) -> dict[str, str]:
    """Return both names, and both confidences as distinct numbers."""
    own, other = distinct_chances(found.expected_confidence or 0.0, found.winner_confidence or 0.0)
    return {"mine": stand.name, "theirs": found.winner_name or "", "own": own, "other": other}


def _won(found: WhyNot, stand: RankedStanding) -> str:
    own, other = found.expected_confidence or 0.0, found.winner_confidence
    if other is None or found.winner_name is None:
        return f"“{stand.name}” comes first, with {numbers.chance(own)}."
    ahead = f"{numbers.points_apart(own, other)} ahead of “{found.winner_name}”"
    return f"“{stand.name}” comes first, with {numbers.chance(own)}, {ahead}."


def _below(found: WhyNot, stand: RankedStanding) -> str:
    confidence = found.expected_confidence or 0.0
    if confidence <= 0.0:
        if stand.is_negated:
            kind = "power" if stand.is_power else "memory"
            return f"{_negated(stand)}, so it has no chance, and neither has any other {kind}."
        return f"“{stand.name}” scores nothing for this query, and neither does anything else."
    own, line = numbers.chance(stand.label_chance or confidence, (stand.line,)), numbers.chance(stand.line)
    own += " for its intent" if stand.label_chance else ""
    if stand.own_line:
        return f"“{stand.name}” is the best, but {own} is below its own threshold {line}."
    said = (
        "“{mine}” is the best, but {own} is below the {line} required for activation."
        if stand.is_power
        else "“{mine}” is the best, but {own} is below the {line} required for an answer."
    )
    return said.format(mine=stand.name, own=own, line=line)


def _too_near(found: WhyNot, stand: RankedStanding) -> str:
    values = _values(found, stand)
    if found.expected_rank == 1:
        return "“{mine}” is the best with {own}, but “{theirs}” with {other} is within the margin of {margin}.".format(
            margin=numbers.points(stand.margin), **values
        )
    if found.stage is LostAt.RANKING:
        return (
            f"“{stand.name}” is as good as the best, but only place {found.expected_rank} and not "
            "among those that are named."
        )
    if not stand.is_power:
        said = "“{mine}” is level with “{theirs}”, which comes first as it was taught before: both have {own}."
    elif found.expected_confidence == found.winner_confidence:
        said = "“{mine}” with {own} is level with “{theirs}” with {other}, so neither is chosen."
    else:
        said = "“{mine}” with {own} is within the margin of “{theirs}” with {other}, so neither is chosen."
    return said.format(**values)


def _behind(found: WhyNot, stand: RankedStanding) -> str:
    rank = found.expected_rank
    if rank is None:
        said = (
            "“{mine}” scores nothing and is not among the {listed} that are listed; “{theirs}” "
            "comes first with {other}."
        )
    elif rank > stand.listed:
        said = (
            "“{mine}” is in place {rank} with {own} and is not among the {listed} that are "
            "listed; “{theirs}” comes first with {other}."
        )
    else:
        said = "“{mine}” is in place {rank} with {own}; “{theirs}” comes first with {other}."
    place = "" if rank is None else f"{rank:,}"
    first = said.format(rank=place, listed=stand.listed, **_values(found, stand))
    return " ".join(filter(None, (first, f"{_negated(stand)}." if stand.is_negated else _deciding(stand))))


def _negated(stand: RankedStanding) -> str:
    return f"The query says that “{stand.name}” is not wanted"


def _deciding(stand: RankedStanding) -> str:
    """Return the scorer that puts the winner ahead, or scorers that would decide otherwise."""
    leads = ", ".join(f"{words.scorer(name).title.lower()} (by {numbers.score(by)})" for name, by in stand.ahead)
    decides = f"What decides is {leads} through “{stand.through}”." if leads else ""
    if not stand.combination:
        return decides
    combined = combination_word(stand.combination)
    other = f"Another combination of the scores would put it first, but “{combined}” is in force."
    return f"{decides} {other}".strip()


def _set_aside(stand: NotScoredStanding) -> str:
    match stand.why:
        case NotScoredReason.BINNED:
            first = f"“{stand.name}” is in the bin, so it is not scored."
        case NotScoredReason.UNSUCCESSFUL:
            first = (
                f"“{stand.name}” has a success score of {numbers.fixed(stand.success or 0.0, 2)}, "
                f"below the min_score of {stand.least or 0.0:g}, so it is not scored."
            )
        case _:
            first = f"“{stand.name}” is switched off, so it is not scored."
    if stand.would is None:
        return first
    if stand.place is None:
        return f"{first} Otherwise it would have {numbers.chance(stand.would)}."
    would = f"Otherwise it would be in place {stand.place:,} with {numbers.chance(stand.would)}."
    return f"{first} {would}"


def _unwanted(found: WhyNot, stand: Unwanted) -> str:
    if not stand.name:
        return "Nothing scores for this query, so nothing is answered."
    own, line = numbers.chance(found.winner_confidence or 0.0, (stand.line,)), numbers.chance(stand.line)
    values = {"name": stand.name, "own": own, "line": line}
    if found.stage is None:
        return "Nothing is answered: “{name}” comes first with {own}, below the required {line}.".format(**values)
    if stand.own_line:
        said = "“{name}” is answered with {own}, not below its own threshold {line}, through “{phrase}”."
    else:
        said = "“{name}” is answered with {own}, not below the required {line}, through “{phrase}”."
    return said.format(phrase=stand.through, **values)


# ---- types and routes


def _type(found: WhyNot, stand: TypeStanding) -> str:
    name = stand.name
    match found.stage:
        case None:
            by = _quoted(stand.cues) if stand.cues else "the learned score"
            return f"“{name}” is the type, by {by}."
        case LostAt.SWITCHED_OFF:
            return "No type is detected at all: search_intent.enabled is off."
        case LostAt.TOPICS:
            return "The query holds no topic, and search_intent.require_topics requires one."
        case LostAt.EXAMPLES:
            said = f"The learned score says “{found.winner_name}”"
            return f"{said}{f', as for “{stand.example}”.' if stand.example else '.'}"
        case LostAt.NO_RULE if stand.held_back:
            said = f"The rule “{stand.held_back}” is overruled by its “unless”."
            return f"{said} {_picked(found, stand)}"
        case LostAt.NO_RULE:
            return f"No rule for “{name}” matches this query. {_picked(found, stand)}"
        case _:
            return _outweighed(found, stand)


def _picked(found: WhyNot, stand: TypeStanding) -> str:
    if found.winner_name is None:
        return "Nothing is detected."
    return f"Detected is “{found.winner_name}” by {_quoted(stand.winner_cues)}."


def _outweighed(found: WhyNot, stand: TypeStanding) -> str:
    (evidence,) = found.gaps
    values = {
        "name": stand.name,
        "cues": _quoted(stand.cues),
        "policy": stand.policy,
        "winner": found.winner_name,
        "others": _quoted(stand.winner_cues),
    }
    if stand.policy == "priority":
        return (
            "Rules for “{name}” match ({cues}), but {policy} picks “{winner}” by {others}, which comes first in the "
            "fixed order."
        ).format(**values)
    mine, theirs = numbers.fixed(evidence.expected or 0.0, 2), numbers.fixed(evidence.winner or 0.0, 2)
    return (
        "Rules for “{name}” match ({cues}), but {policy} picks “{winner}” by {others}: {theirs} against {mine}.".format(
            mine=mine, theirs=theirs, **values
        )
    )


def _route(found: WhyNot, stand: RouteStanding) -> str:
    because = " ".join(stand.reasons)
    match found.stage:
        case None:
            return f"“{stand.goes_to}” is the route. {because}"
        case LostAt.RULES | LostAt.EXAMPLES | LostAt.CACHE:
            return f"The query goes to “{stand.goes_to}”. {because}"
        case LostAt.THRESHOLD:
            said = "{because} So nothing was sure, and the query goes to “{route}”."
            return said.format(route=stand.goes_to, because=because)
        case _:
            return f"{because} So the query goes to “{stand.goes_to}”."


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
    match chosen.point:
        case ("preset", name):
            return f"Take the preset “{name}”"
        case ("power_combination", name):
            title = combination_word(name)
            return f"Combine the scores of powers by “{title}” (power_combination {name})"
        case (_, name):
            title = combination_word(name)
            return f"Combine the scores by “{title}” (combination {name})"
        case None:
            moved = (f"{one.name} from {one.before} to {one.after}" for one in change.moved)
            return f"Set {' and '.join(moved)}"


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
    taught = f"Teach “{text}” as a query for “{route}”"
    if not rules:
        return taught
    named = ", ".join(f"“{rule.id}”" for rule in rules)
    if len(rules) == 1:
        return f"{taught}, and switch off the rule {named}"
    return f"{taught}, and switch off the rules {named}"


def _rule(change: Change, rule: Rule) -> str:
    if change.key != "rule.add":
        moved = change.moved[0] if change.moved else None
        before, after = (moved.before, moved.after) if moved else ("", "")
        return _RULES[change.key].format(rule=rule.id, phrase=change.text, before=before, after=after)
    values = {"label": rule.label, "cue": change.text}
    if rule.purpose is RulePurpose.ROUTE:
        sure = f"{change.sure or 0.0:.2f}"
        return "Add a rule for “{label}” that finds “{cue}”, as sure as its others ({sure})".format(sure=sure, **values)
    if rule.weight == 1.0:
        return "Add a rule for “{label}” that finds “{cue}”".format(**values)
    return "Add a rule for “{label}” that finds “{cue}”, of weight {weight}".format(weight=f"{rule.weight:g}", **values)


# ---- Injection of the expected memory, or why it would be left out.


def injection_words(injection: Injection | None) -> str:
    """Return if the memory would be injected, or why not; "" if not applicable."""
    if injection is None:
        return ""
    if injection.cut is None and injection.rank is not None:
        return f"It would be injected, as number {injection.rank}."
    said = f"It would not be injected: {_why_out(injection)}."
    if injection.weight != 1.0:
        said += " " + f"Its namespace counts {injection.weight:g}-fold."
    return said


def unexpected_words(found: WhyNot) -> str:
    """Return what would be delivered beside the expected answer; "" for nothing."""
    if not found.unexpected:
        return ""
    names = ", ".join(f"“{cut(name)}”" for name in found.unexpected)
    return f"Delivered beside it: {names}. A case that expects only “{cut(found.expected.name)}” fails."


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


def _why_out(injection: Injection) -> str:
    if injection.cut is not None and injection.cut in _OUT_ALWAYS:
        return _OUT_ALWAYS[injection.cut]
    own, least = numbers.chance(injection.confidence, (injection.least,)), numbers.chance(min(injection.least, 1.0))
    of_label = injection.chance > injection.confidence
    near = numbers.chance(max(injection.confidence, injection.chance), (injection.least,))
    has = f"its intent has {near}" if of_label else f"it has {near}"
    sure, wanted = injection.type_confidence, injection.type_least
    match injection.cut:
        case None:
            return "too far from the query to be considered"
        case Cut.THRESHOLD:
            type_has = f"the type has {numbers.chance(sure, (wanted,))}, below {numbers.chance(wanted)}"
            said = type_has if sure else "no type is detected"
            return said if injection.least > 1.0 else f"{said}, so a confidence of {least} is needed; {has}"
        case Cut.CONFIDENCE:
            return f"{has}, and {least} is needed (search_intent.surfacing_confidence)"
        case Cut.LABEL:
            return f"{has}, below its own threshold {least}"
        case Cut.COVERED:
            return f"those before it cover what is wanted (it is {own}; search_intent.surfacing_coverage)"
        case Cut.COUNT:
            return f"number {injection.rank}, where {injection.most} are allowed"
    tokens, budget = numbers.count(injection.tokens), numbers.count(injection.budget)
    return f"with it there are {tokens} tokens, {budget} are allowed"
