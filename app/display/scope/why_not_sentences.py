"""What an explanation says in sentences: where an expected answer was lost, by how much, and what to know beside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.detect.surfacing import Cut
from app.display import numbers, words
from app.display.scope.side_by_side import combination_word
from app.domain.intent import Rule, RulePurpose
from app.domain.language import numeral, say, small, thousands
from app.domain.library import Answer, Memory, Power
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
    TypeStanding,
    Unknown,
    Unwanted,
    WhyNot,
)

NOTES: Mapping[Note, str] = {
    Note.LLM_MAY_DIFFER: say("The LLM is not asked here; where it answers in time it may decide otherwise."),
    Note.NOT_FOUND: say(
        "The team's servers do not find it for this query, so it is not among the answers; here it was scored all the "
        "same."
    ),
    Note.NO_CASES: say("There are no cases, so what else a change would do is not counted."),
}

_MOST_QUOTED = 48
_UNBROKEN = re.compile(r"\S{16}(?=\S{8})")
_QUOTED = re.compile(r"([“„«])([^“”„«»]+)([”“»])")

_MISSING: Mapping[str, str] = {
    "intent": say("No label “{name}” is taught."),
    "memory": say("No memory “{name}” is taught."),
    "power": say("No power “{name}” is taught."),
    "route": say("No route “{name}” is known."),
}


def note_words(notes: Iterable[Note]) -> str:
    """All notes in sentences; "" for none."""
    return " ".join(say(NOTES[note]) for note in notes)


def sentence(found: WhyNot) -> str:
    """Where it was lost, and by how much."""
    match found.standing:
        case Unknown():
            return say(_MISSING[found.expected.kind], name=found.expected.name)
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
    """A sentence with what is quoted in it cut where it is long, for where there is little room."""
    return _QUOTED.sub(lambda found: f"{found[1]}{cut(found[2])}{found[3]}", said)


def cut(name: str) -> str:
    """A name as far as there is room for it in a sentence."""
    return name if len(name) <= _MOST_QUOTED else f"{name[: _MOST_QUOTED - 1].rstrip()}…"


def with_break_points(text: str) -> str:
    """The text with places where it may be wrapped, also within words that are longer than a line may be."""
    return _UNBROKEN.sub(lambda found: f"{found[0]}\N{ZERO WIDTH SPACE}", text)


def distinct_scores(one: float, other: float) -> tuple[str, str]:
    """Two confidences as the scope shows them, never the same for values that differ."""
    middle = () if one == other else ((one + other) / 2,)
    return numbers.score(one, middle), numbers.score(other, middle)


# ---- what the index ranks


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
    """Both names, and both confidences so that they can be told apart."""
    own, other = distinct_scores(found.expected_confidence or 0.0, found.winner_confidence or 0.0)
    return {"mine": stand.name, "theirs": found.winner_name or "", "own": own, "other": other}


def _won(found: WhyNot, stand: RankedStanding) -> str:
    own, other = found.expected_confidence or 0.0, found.winner_confidence
    if other is None or found.winner_name is None:
        return say("“{mine}” comes first, with {own}.", mine=stand.name, own=numbers.score(own))
    return say(
        "“{mine}” comes first, with {own}, {lead} ahead of “{theirs}”.",
        mine=stand.name,
        own=numbers.score(own),
        lead=numbers.score(own - other),
        theirs=found.winner_name,
    )


def _below(found: WhyNot, stand: RankedStanding) -> str:
    confidence = found.expected_confidence or 0.0
    if confidence <= 0.0:
        return say("“{mine}” scores nothing for this query, and neither does anything else.", mine=stand.name)
    own, line = numbers.score(confidence, (stand.line,)), numeral(f"{stand.line:g}")
    if stand.own_line:
        return say(
            "“{mine}” is the best, but {own} is below its own threshold {line}.", mine=stand.name, own=own, line=line
        )
    said = (
        say("“{mine}” is the best, but {own} is below the {line} that it takes to be activated.")
        if stand.is_power
        else say("“{mine}” is the best, but {own} is below the {line} that it takes for an answer.")
    )
    return say(said, mine=stand.name, own=own, line=line)


def _too_near(found: WhyNot, stand: RankedStanding) -> str:
    values = _values(found, stand)
    if found.expected_rank == 1:
        return say(
            "“{mine}” is the best with {own}, but “{theirs}” with {other} is within the margin of {margin}.",
            margin=numeral(f"{stand.margin:g}"),
            **values,
        )
    if found.stage is LostAt.RANKING:
        return say(
            "“{mine}” is as good as the best, but only place {rank} and not among those that are named.",
            mine=stand.name,
            rank=found.expected_rank,
        )
    if not stand.is_power:
        said = say("“{mine}” is level with “{theirs}”, which comes first as it was taught before: both have {own}.")
    elif found.expected_confidence == found.winner_confidence:
        said = say("“{mine}” with {own} is level with “{theirs}” with {other}, so neither is chosen.")
    else:
        said = say("“{mine}” with {own} is within the margin of “{theirs}” with {other}, so neither is chosen.")
    return say(said, **values)


def _behind(found: WhyNot, stand: RankedStanding) -> str:
    rank = found.expected_rank
    if rank is None:
        said = say(
            "“{mine}” scores nothing and is not among the {listed} that are listed; “{theirs}” "
            "comes first with {other}."
        )
    elif rank > stand.listed:
        said = say(
            "“{mine}” is in place {rank} with {own} and is not among the {listed} that are "
            "listed; “{theirs}” comes first with {other}."
        )
    else:
        said = say("“{mine}” is in place {rank} with {own}; “{theirs}” comes first with {other}.")
    place = "" if rank is None else thousands(rank)
    first = say(said, rank=place, listed=stand.listed, **_values(found, stand))
    return " ".join(filter(None, (first, _deciding(stand))))


def _deciding(stand: RankedStanding) -> str:
    """Which scorer puts the winner ahead, or that a scorer would have decided otherwise."""
    leads = ", ".join(
        say("{scorer} (by {lead})", scorer=small(words.scorer(name).title), lead=numbers.score(by))
        for name, by in stand.ahead
    )
    decides = say("What decides is {leads} through “{phrase}”.", leads=leads, phrase=stand.through) if leads else ""
    if not stand.combination:
        return decides
    other = say("It leads by other scores, but {combination} does not count them so.", combination=stand.combination)
    return f"{decides} {other}".strip()


def _set_aside(stand: NotScoredStanding) -> str:
    match stand.why:
        case NotScoredReason.BINNED:
            first = say("“{name}” is in the bin, so it is not scored.", name=stand.name)
        case NotScoredReason.UNSUCCESSFUL:
            first = say(
                "“{name}” has a success score of {success}, below the min_score of {least}, so it is not scored.",
                name=stand.name,
                success=numbers.fixed(stand.success or 0.0, 2),
                least=numeral(f"{stand.least or 0.0:g}"),
            )
        case _:
            first = say("“{name}” is switched off, so it is not scored.", name=stand.name)
    if stand.would is None:
        return first
    if stand.place is None:
        return f"{first} {say('Otherwise it would score {own}.', own=numbers.score(stand.would))}"
    would = say(
        "Otherwise it would be in place {place} with {own}.",
        place=thousands(stand.place),
        own=numbers.score(stand.would),
    )
    return f"{first} {would}"


def _unwanted(found: WhyNot, stand: Unwanted) -> str:
    if not stand.name:
        return say("Nothing scores for this query, so nothing is answered.")
    own, line = numbers.score(found.winner_confidence or 0.0, (stand.line,)), numeral(f"{stand.line:g}")
    values = {"name": stand.name, "own": own, "line": line}
    if found.stage is None:
        return say("Nothing is answered: “{name}” comes first with {own}, below the {line} that it takes.", **values)
    if stand.own_line:
        said = say("“{name}” is answered with {own}, not below its own threshold {line}, through “{phrase}”.")
    else:
        said = say("“{name}” is answered with {own}, not below the {line} that it takes, through “{phrase}”.")
    return say(said, phrase=stand.through, **values)


# ---- types and routes


def _type(found: WhyNot, stand: TypeStanding) -> str:
    name = stand.name
    match found.stage:
        case None:
            by = _quoted(stand.cues) if stand.cues else say("what is learned from examples")
            return say("“{name}” is the type, by {cues}.", name=name, cues=by)
        case LostAt.SWITCHED_OFF:
            return say("No type is detected at all: search_intent.enabled is off.")
        case LostAt.TOPICS:
            return say("The query holds no topic, and search_intent.require_topics wants one.")
        case LostAt.EXAMPLES:
            said = say("What is learned from examples says “{winner}”", winner=found.winner_name)
            return f"{said}{say(', as for “{example}”.', example=stand.example) if stand.example else '.'}"
        case LostAt.NO_RULE if stand.held_back:
            said = say("The rule “{rule}” is held back by its “unless”.", rule=stand.held_back)
            return f"{said} {_picked(found, stand)}"
        case LostAt.NO_RULE:
            return f"{say('No rule for “{name}” matches this query.', name=name)} {_picked(found, stand)}"
        case _:
            return _outweighed(found, stand)


def _picked(found: WhyNot, stand: TypeStanding) -> str:
    if found.winner_name is None:
        return say("Nothing is detected.")
    return say("Detected is “{winner}” by {cues}.", winner=found.winner_name, cues=_quoted(stand.winner_cues))


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
        return say(
            "Rules for “{name}” match ({cues}), but {policy} picks “{winner}” by {others}, which comes first in the "
            "fixed order.",
            **values,
        )
    mine, theirs = numbers.fixed(evidence.expected or 0.0, 2), numbers.fixed(evidence.winner or 0.0, 2)
    return say(
        "Rules for “{name}” match ({cues}), but {policy} picks “{winner}” by {others}: {theirs} against {mine}.",
        mine=mine,
        theirs=theirs,
        **values,
    )


def _route(found: WhyNot, stand: RouteStanding) -> str:
    because = " ".join(stand.reasons)
    match found.stage:
        case None:
            return say("“{route}” is the route. {because}", route=stand.goes_to, because=because)
        case LostAt.RULES | LostAt.EXAMPLES | LostAt.CACHE:
            return say("The query goes to “{route}”. {because}", route=stand.goes_to, because=because)
        case LostAt.THRESHOLD:
            said = say("{because} So nothing was sure, and the query goes to “{route}”.")
            return say(said, route=stand.goes_to, because=because)
        case _:
            return say("{because} So the query goes to “{route}”.", route=stand.goes_to, because=because)


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(say("“{phrase}”", phrase=text) for text in texts)


# --------------------------------------------------------------------------------------------------------------------
# What each change of an explanation is called, for the window and the terminal

_REWRITES: Mapping[str, str] = {
    "trigger.remove": say("Take “{phrase}” away from {theirs}"),
    "trigger.move": say("Move “{phrase}” from {theirs} to {mine}"),
    "memory.relabel": say("Give “{phrase}” the label “{after}” instead of “{before}”"),
    "memory.pause": say("Pause {theirs}, whose only trigger misleads"),
    "label.threshold": say("Lower the threshold of its label from {before} to {after}"),
    "label.raise": say("Raise the threshold of “{name}” from {before} to {after}"),
    "label.give": say("Give “{name}” a threshold of {after}"),
    "enable": say("Enable {mine}"),
    "enable.teach": say("Enable {mine} and teach it “{phrase}”"),
}

_RULES: Mapping[str, str] = {
    "rule.enable": say("Switch on the rule “{rule}”"),
    "rule.disable": say("Switch off the rule “{rule}”, which found “{phrase}”"),
    "rule.unless": say("Let nothing hold back the rule “{rule}”"),
    "rule.weight": say("Let the rule “{rule}” weigh {after} instead of {before}"),
}


def change_words(change: Change) -> str:
    """What is to be done, without a full stop."""
    match change.act:
        case ChangeSettings() as chosen:
            return _settings(change, chosen)
        case AddTrigger(answer, text):
            if isinstance(answer, Power):
                return say("Teach “{phrase}” as one more example of {mine}", phrase=text, mine=_called(answer))
            return say("Teach “{phrase}” as one more trigger of {mine}", phrase=text, mine=_called(answer))
        case Rewrite():
            return say(_REWRITES[change.key], **_named(change))
        case RestoreItems():
            return say("Put “{name}” back", name=change.about[0].name)
        case TeachRoute(case, rules):
            return _teaching(case.text, case.expected[0], rules)
        case StoreRules((rule, *_)):
            return _rule(change, rule)
        case _:
            raise AssertionError("rules that are stored are some")


def _settings(change: Change, chosen: ChangeSettings) -> str:
    match chosen.point:
        case ("preset", name):
            return say("Take the preset “{name}”", name=name)
        case ("power_combination", name):
            title = combination_word(name)
            return say("Combine the scores of powers by “{title}” (power_combination {name})", title=title, name=name)
        case (_, name):
            title = combination_word(name)
            return say("Combine the scores by “{title}” (combination {name})", title=title, name=name)
        case None:
            moved = (
                say("{setting} from {before} to {after}", setting=one.name, before=one.before, after=one.after)
                for one in change.moved
            )
            return say("Set {settings}", settings=say(" and ").join(moved))


def _named(change: Change) -> dict[str, str]:
    """What the words of a change of answers may name."""
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
    """The answer as a person knows it, a label's memory with both."""
    if isinstance(answer, Memory) and answer.intent is not None and answer.id is None:
        return say("“{name}” ({label})", name=answer.name, label=answer.intent)
    return say("“{name}”", name=answer.name)


def _teaching(text: str, route: str, rules: tuple[Rule, ...]) -> str:
    taught = say("Teach “{phrase}” as a query for “{route}”", phrase=text, route=route)
    if not rules:
        return taught
    named = ", ".join(say("“{name}”", name=rule.id) for rule in rules)
    if len(rules) == 1:
        return say("{taught}, and switch off the rule {named}", taught=taught, named=named)
    return say("{taught}, and switch off the rules {named}", taught=taught, named=named)


def _rule(change: Change, rule: Rule) -> str:
    if change.key != "rule.add":
        moved = change.moved[0] if change.moved else None
        before, after = (moved.before, moved.after) if moved else ("", "")
        return say(_RULES[change.key], rule=rule.id, phrase=change.text, before=before, after=after)
    values = {"label": rule.label, "cue": change.text}
    if rule.purpose is RulePurpose.ROUTE:
        sure = numeral(f"{change.sure or 0.0:.2f}")
        return say("Add a rule for “{label}” that finds “{cue}”, as sure as its others ({sure})", sure=sure, **values)
    if rule.weight == 1.0:
        return say("Add a rule for “{label}” that finds “{cue}”", **values)
    return say(
        "Add a rule for “{label}” that finds “{cue}”, of weight {weight}",
        weight=numeral(f"{rule.weight:g}"),
        **values,
    )


# ---- Why the expected memory would not join an assistant's context, though it may be the answer.


def injection_words(injection: Injection | None) -> str:
    """Whether it would be injected, and if not, why; "" for what cannot be."""
    if injection is None:
        return ""
    if injection.cut is None and injection.rank is not None:
        return say("It would be injected, as number {rank}.", rank=injection.rank)
    said = say("It would not be injected: {why}.", why=_why_out(injection))
    if injection.weight != 1.0:
        said += " " + say("Its namespace counts {weight}-fold.", weight=numeral(f"{injection.weight:g}"))
    return said


def _why_out(injection: Injection) -> str:
    own, least = numbers.score(injection.confidence, (injection.least,)), numbers.score(injection.least)
    sure, wanted = injection.type_confidence, injection.type_least
    match injection.cut:
        case None:
            return say("too far from the query to be looked at")
        case Cut.PAUSED:
            return say("it is paused")
        case Cut.SUCCESS:
            return say("its success score is below min_score")
        case Cut.SILENT:
            return say("it has no response")
        case Cut.THRESHOLD:
            said = {"sure": numbers.score(sure, (wanted,)), "wanted": numbers.score(wanted)}
            if injection.least > 1.0:
                return say("the type reaches {sure}, {wanted} is needed", **said)
            return say("the type reaches {sure}, {wanted} is needed, or {least} of its own", least=least, **said)
        case Cut.CONFIDENCE:
            return say(
                "its confidence is {own}, {least} is needed (search_intent.surfacing_confidence)", own=own, least=least
            )
        case Cut.LABEL:
            return say("its confidence is {own}, below its own threshold {least}", own=own, least=least)
        case Cut.COUNT:
            return say("number {rank}, where {n} are allowed", rank=injection.rank, n=injection.most)
    tokens, budget = numbers.count(injection.tokens), numbers.count(injection.budget)
    return say("with it there are {tokens} tokens, {budget} are allowed", tokens=tokens, budget=budget)
