"""Health findings in words: sentence, advice, and the button and page of the remedy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from app.detect.reach import Why
from app.display import numbers, words
from app.domain.health import Area, Basis, FindingKind, HealthFinding, Severity
from app.domain.language import capitalized, percents, quantity
from app.domain.llm import LlmOutcome
from app.domain.match import BAND_WORDS, TIER_WORDS, Band, Tier

SEVERITIES: Mapping[Severity, str] = {Severity.FAULT: "Fault", Severity.WARNING: "Warning", Severity.NOTE: "Note"}

AREAS: Mapping[Area, str] = {
    Area.DUPLICATES: "Duplicates and conflicts",
    Area.CONFUSED: "Confused intents",
    Area.REACH: "Out of reach",
    Area.RULES: "Rules",
    Area.FLAT: "Never changing",
    Area.MEMORIES: "Memories",
    Area.VECTORS: "Vectors",
    Area.POWERS: "Powers",
}

KNOWN_BY: Mapping[Basis, str] = {
    Basis.FORMULA: "Certain: it follows from the formulas and the settings.",
    Basis.LIBRARY: "Certain: the whole library was checked.",
    Basis.CASES: "Seen in the labelled cases.",
    Basis.HISTORY: "Seen in the queries so far; other queries may differ.",
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """Button of a remedy: label, page, and place on it ("": the affected item)."""

    word: str
    page: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class FindingWords:
    """Words of one kind of finding: title, sentence, advice, and the button and page of the remedy.

    In a sentence [1 case is|{n} cases are] depends on the number of affected items. `rival` heads their second names,
    "" if it is one that ranked first; `value` is the heading of their numbers, and how these are written.
    """

    title: str
    sentence: str | Callable[[HealthFinding], str]
    advice: str
    remedy: Remedy
    rival: str = ""
    value: tuple[str, Callable[[float], str]] = ("Confidence", numbers.rough_chance)


def title(finding: HealthFinding) -> str:
    return WORDS[finding.kind].title.format(name=_name(finding), rival=finding.figures.get("rival", ""))


def sentence(finding: HealthFinding) -> str:
    said, is_single = WORDS[finding.kind].sentence, len(finding.subjects) == 1
    if callable(said):
        return said(finding)
    numbered = re.sub(r"\[(.*?)\|(.*?)\]", lambda forms: forms[1 if is_single else 2], said)
    return numbered.format(**figures_of(finding))


def advice(finding: HealthFinding) -> str:
    if finding.kind is FindingKind.NOT_DELIVERED and not finding.place:
        return "No threshold withholds most of these: approve their powers, or see under Why not what does."
    return WORDS[finding.kind].advice.format(**figures_of(finding))


def remedy(finding: HealthFinding) -> Remedy:
    own = WORDS[finding.kind].remedy
    if finding.kind in (FindingKind.TIER_DEAD, FindingKind.BAND_DEAD):
        return replace(own, place=_setting_of(finding))
    if finding.kind is FindingKind.CONFUSED:
        return replace(own, place=str(finding.figures["name"]))
    return replace(own, place=finding.place or own.place)


def _setting_of(finding: HealthFinding) -> str:
    """Return the setting that decides where an unreachable level begins."""
    if finding.figures.get("why") == Why.TIED.value:
        return "tiers.ambiguity_margin"
    if finding.figures.get("why") == Why.SWALLOWED.value:
        return "fallback_threshold"
    keys: dict[str, str] = {
        Tier.ACTIVATED.value: "tiers.high",
        Tier.MULTIPLE_MATCHES.value: "tiers.medium",
        Tier.WEAK_MATCHES.value: "tiers.weak",
        Tier.NOT_FOUND.value: "tiers.weak",
        Band.HIGH.value: "bands.high",
        Band.MEDIUM.value: "bands.medium",
        Band.LOW.value: "bands.medium",
        Band.FALLBACK.value: "fallback_threshold",
    }
    return keys[str(finding.figures["name"])]


# ---- figures


def figures_of(finding: HealthFinding) -> dict[str, str]:
    figures = finding.figures.items()
    shares = {name: value for name, value in figures if isinstance(value, float)}
    chances = {name: numbers.chance(value, shares.values()) for name, value in shares.items()}
    others = {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in figures}
    return {**others, **chances, "n": f"{len(finding.subjects):,}", "name": _name(finding)}


def _name(finding: HealthFinding) -> str:
    name = str(finding.figures.get("name", ""))
    levels = {**{tier.value: word for tier, word in TIER_WORDS.items()}, **{b.value: w for b, w in BAND_WORDS.items()}}
    return levels.get(name, name)


# ---- sentences


def _level(finding: HealthFinding) -> str:
    """Return why no confidence falls into a tier, a band or a surfacing row."""
    at = figures_of(finding)
    match Why(str(finding.figures["why"])):
        case Why.EMPTY:
            return f"It would begin at {at['least']}, which is where it ends."
        case Why.SWALLOWED if finding.kind is FindingKind.ROW_DEAD:
            return f"It is for types below {at['below']}, and nothing is injected below {at['most']}."
        case Why.SWALLOWED:
            return f"It ends at {at['below']}, and nothing below {at['most']} is found."
        case Why.TIED:
            return f"No lead can exceed {at['most']}, and a second power within {at['margin']} ties with it."
        case Why.TOO_HIGH:
            return f"It begins at {at['least']}, and no confidence can exceed {at['most']}."
        case Why.BETWEEN:
            reached = f"a confidence is {at['most']} at most, or {at['next']} and more"
            return f"It lies from {at['least']} to {at['below']}; {reached}."


def _nothing_surfaces(finding: HealthFinding) -> str:
    if finding.figures.get("tokens") == 0:
        return "The budget is 0 tokens, so no memory fits into it."
    at = figures_of(finding)
    return f"Injection begins at {at['threshold']}, and no type can reach more than {at['most']}."


def _flat(finding: HealthFinding) -> str:
    figures = figures_of(finding)
    queries, value = f"the last {figures['count']} queries", figures["value"]
    if finding.kind is FindingKind.TYPE_FLAT and not finding.figures["value"]:
        return f"In none of {queries} a type was detected."
    if finding.kind is FindingKind.TYPE_FLAT:
        return f"{capitalized(queries)} all were {words.type_word(value)}."
    if finding.figures.get("what") == "answer_confidence":
        return f"The first answers of {queries} all have the confidence {value}."
    if not finding.figures["value"]:
        return f"None of {queries} had an answer."
    return f"“{value}” came first in all of {queries}."


def _silent(finding: HealthFinding) -> str:
    figures = figures_of(finding)
    outcome = figures["outcome"]
    said = words.LLM[LlmOutcome(outcome)].word if outcome in set(LlmOutcome) else outcome
    mostly = f"mostly: {said.lower()}, {figures['times']} times"
    return f"It was asked {figures['asked']} times and never answered within {figures['budget']} ms; {mostly}."


def _confused(finding: HealthFinding) -> str:
    figures = finding.figures
    name, rival, lost, taken = figures["name"], figures["rival"], int(figures["lost"]), int(figures["taken"])
    other = f", and {quantity(taken, 'case')} of {rival} got {name}" if taken else ""
    return f"{quantity(lost, 'case')} of {name} got {rival}{other}."


def _not_delivered(finding: HealthFinding) -> str:
    losses = Counter(one.rival for one in finding.subjects).most_common()
    lost = ", ".join(f"{count:,} {words}" for words, count in losses)
    return f"The expected answer comes first, but fails: {lost}."


# ---- table of kinds


def _whole(value: float) -> str:
    return f"{int(value):,}"


def _setting(place: str = "") -> Remedy:
    return Remedy("Open the setting", "settings", place)


MEMORY, RULE = Remedy("Open the memory", "memories"), Remedy("Open the rule", "rules")
POWER, HISTORY = Remedy("Open the power", "powers"), Remedy("Open the history", "history")
LEAD, SUCCESS = ("Ahead by", numbers.points_gained), ("Success", numbers.rough_chance)

WORDS: Mapping[FindingKind, FindingWords] = {
    FindingKind.CONFUSED: FindingWords(
        "Confused: {name} and {rival}",
        _confused,
        "Move triggers that belong to the other, teach more of each, or merge the two intents.",
        Remedy("Open the intent", "intents"),
        rival="Got",
    ),
    FindingKind.NOT_DELIVERED: FindingWords(
        "Found, but not delivered",
        _not_delivered,
        "Sweep the threshold on the page Evaluate, or teach triggers like these queries.",
        Remedy("Open Evaluate", "evaluate"),
        rival="Why",
    ),
    FindingKind.TIER_DEAD: FindingWords(
        "Tier never reached: {name}",
        _level,
        "Set another threshold, or take another combination.",
        _setting(),
    ),
    FindingKind.BAND_DEAD: FindingWords(
        "Band never reached: {name}",
        _level,
        "Set another threshold, or take another combination.",
        _setting(),
    ),
    FindingKind.ROW_DEAD: FindingWords(
        "Never reached: “at most {name} memories”",
        _level,
        "Lower the type threshold if fewer memories are better than none.",
        _setting("search_intent.surfacing_threshold"),
    ),
    FindingKind.NOTHING_SURFACES: FindingWords(
        "Nothing is ever injected",
        _nothing_surfaces,
        "Lower the type threshold.",
        _setting("search_intent.surfacing_threshold"),
    ),
    FindingKind.CASCADE_STEP_DEAD: FindingWords(
        "Step of the cascade never taken: {name}",
        "The cascade takes a {name} score from {least} on, and none can exceed {most}.",
        "Lower the threshold of that step.",
        _setting("thresholds.keyword"),
    ),
    FindingKind.TYPE_MUTE: FindingWords(
        "Types that nothing detects",
        "[1 type has|{n} types have] no rule that is on, and no LLM is asked.",
        "Switch a rule of the type on, or write one.",
        Remedy("Open the rules", "rules"),
    ),
    FindingKind.ROUTE_UNSURE: FindingWords(
        "Routes that rules never decide",
        "Rules decide from {threshold} on; the surest [rule|rules] of [1 route stays|{n} routes stay] below.",
        "Nothing, where the examples or the LLM decide for these; else lower the threshold.",
        _setting("route.threshold"),
    ),
    FindingKind.RULE_BROKEN: FindingWords(
        "Rules with a broken pattern",
        "The [pattern|patterns] of [1 rule|{n} rules] cannot be used, so [it is|they are] left out.",
        "Mend the pattern; the editor says where it breaks.",
        RULE,
    ),
    FindingKind.RULE_SHADOWED: FindingWords(
        "Rules that are shadowed",
        "Wherever [1 rule matches,|{n} rules match,] a rule of an earlier type does, too, and decides.",
        "Make the earlier rule narrower, or let the evidence decide.",
        RULE,
    ),
    FindingKind.RULE_DUPLICATE: FindingWords(
        "Rules that say the same",
        "[1 rule finds|{n} rules find] just what an earlier one finds.",
        "Switch one of the two off.",
        RULE,
    ),
    FindingKind.RULE_BROAD: FindingWords(
        "Rules that are too broad",
        "[1 rule fires|{n} rules fire] on a quarter or more of all texts, so that [it says|they say] little of any.",
        "Make the pattern narrower, or switch the rule off; each line says which cases would fail.",
        RULE,
        value=("Fires on", lambda value: percents(value, 0)),
    ),
    FindingKind.RULE_NEVER: FindingWords(
        "Rules that never fire",
        "[1 rule matches|{n} rules match] none of {texts} known texts: cases, triggers and examples.",
        "Nothing, if such queries will come; else try the pattern on a text that it should find.",
        RULE,
    ),
    FindingKind.RULE_SILENT: FindingWords(
        "Rules that no query needs",
        "[1 rule|{n} rules] fired on none of the last {queries} different queries.",
        "Switch off what is not needed; each line shows the effect on the cases.",
        RULE,
    ),
    FindingKind.TYPE_FLAT: FindingWords(
        "Detection never changes",
        _flat,
        "Check whether these queries really are alike.",
        HISTORY,
    ),
    FindingKind.CONFIDENCE_FLAT: FindingWords(
        "The type’s confidence never changes",
        "The types of the last {count} queries all have the confidence {value}.",
        "Check whether a rule’s own confidence hides the differences.",
        HISTORY,
    ),
    FindingKind.ANSWER_FLAT: FindingWords(
        "Answers never change",
        _flat,
        "Check whether these queries really are alike.",
        HISTORY,
    ),
    FindingKind.ROUTE_FLAT: FindingWords(
        "Routing never changes",
        "{sentence}",
        "See the log of decisions.",
        Remedy("Open the log", "route", "log"),
    ),
    FindingKind.LLM_NEVER: FindingWords(
        "The LLM never answers in time",
        _silent,
        "Try the connection, take a smaller model, or give it more time.",
        Remedy("Connect the LLM", "settings", "llm"),
    ),
    FindingKind.ENCODER_ABSENT: FindingWords(
        "Nothing is scored by meaning",
        "{sentence}",
        "Choose an encoder that can be loaded.",
        _setting("encoder.name"),
    ),
    FindingKind.TRIGGER_TAKEN: FindingWords(
        "Own words give another answer",
        "[1 memory loses its|{n} memories lose their] own words to another answer that scores as high.",
        "Keep the trigger under one of the two answers.",
        MEMORY,
        value=LEAD,
    ),
    FindingKind.MEMORY_BELOW: FindingWords(
        "Below the answer threshold",
        "[1 memory is|{n} memories are] never found: [its|their] own words score below {threshold} or [its "
        "intent's threshold|their intent's] by {combination}.",
        "Take another combination, or lower the threshold.",
        _setting("combination"),
    ),
    FindingKind.MEANING_ELSEWHERE: FindingWords(
        "Won word for word only",
        "[1 memory comes|{n} memories come] first word for word only: by meaning [another answer is|others "
        "are] nearer (of {asked} triggers asked).",
        "Check whether the trigger belongs to that answer; if so, teach more like it.",
        MEMORY,
        value=LEAD,
    ),
    FindingKind.PASSED_OVER: FindingWords(
        "Often near, never first",
        "[1 answer|{n} answers] often came near in the last {queries} queries, but never first.",
        "Teach such a query, or let the answer go.",
        HISTORY,
        value=("Times near", _whole),
    ),
    FindingKind.NEVER_SURFACED: FindingWords(
        "Asked for, never injected",
        "[1 answer|{n} answers] often came first in the last {queries} queries, but [was|were] never injected.",
        "Teach such queries, or lower search_intent.certain_confidence: at {least}, {fixes} of them would "
        "be injected, {others} with another answer, {breaks} with one that is marked wrong.",
        _setting("search_intent.certain_confidence"),
        value=("Times first", _whole),
    ),
    FindingKind.MEMORY_HIDDEN: FindingWords(
        "Hidden behind a duplicate",
        "[1 memory is|{n} memories are] always outranked by another one with the same answer and the same words.",
        "Merge the two.",
        MEMORY,
        value=LEAD,
    ),
    FindingKind.BELOW_MIN_SCORE: FindingWords(
        "Below the minimum success score",
        "[1 memory is|{n} memories are] left out: [its|their] success [score is|scores are] below {least}.",
        "Lower the minimum success score, or delete them.",
        _setting("min_score"),
        value=SUCCESS,
    ),
    FindingKind.MEMORY_PAUSED: FindingWords(
        "Paused memories",
        "[1 memory is|{n} memories are] paused and [answers|answer] nothing.",
        "Nothing, if this is intended; otherwise resume or delete them.",
        MEMORY,
        value=SUCCESS,
    ),
    FindingKind.CONTRADICTION: FindingWords(
        "Memories that contradict each other",
        "[1 memory has|{n} memories have] the trigger of another one of [its|their] intent, or nearly, but "
        "another response.",
        "Delete one, or name it under “Replaces” of the valid one.",
        MEMORY,
        rival="Contradicts",
    ),
    FindingKind.MEMORY_LAPSED: FindingWords(
        "Memories that are not valid",
        "[1 memory is|{n} memories are] not injected: [it is|they are] not valid now, or [another one "
        "replaces it.|others replace them.]",
        "Nothing, if this is intended; otherwise change the time, or what replaces it.",
        MEMORY,
        rival="Why",
    ),
    FindingKind.LABEL_THIN: FindingWords(
        "Intents with a single trigger",
        "[1|{n}] of {labels} answers [has|have] an intent with a single trigger.",
        "Teach one or two more triggers in other words.",
        MEMORY,
        value=("Triggers", _whole),
    ),
    FindingKind.VECTOR_MISSING: FindingWords(
        "Triggers without a vector",
        "[1 trigger has|{n} triggers have] no vector, so meaning does not count for [it.|them.]",
        "Compute the vectors.",
        Remedy("Make the vectors", "retry", "encoder"),
    ),
    FindingKind.VECTOR_FOREIGN: FindingWords(
        "Vectors of other encoders",
        "{vectors} stored vectors are of another encoder than {encoder} and are not used.",
        "Nothing: they are used again when that encoder is chosen.",
        _setting("encoder.name"),
        value=("Vectors", _whole),
    ),
    FindingKind.ROUTES_UNLEARNED: FindingWords(
        "Route examples are not learned",
        "{sentence}",
        "Teach route examples as cases.",
        Remedy("Open the cases", "cases"),
    ),
    FindingKind.KEYWORD_CROWDED: FindingWords(
        "Keywords that decide nothing",
        "[1 keyword is|{n} keywords are] shared by more than {named} powers, which score the same for it.",
        "Take the keyword from all but those that it stands for.",
        Remedy("Open the powers", "powers"),
    ),
    FindingKind.POWER_NAME_ONLY: FindingWords(
        "Powers found by name only",
        "[1 power has|{n} powers have] no description, keyword, tool or example: only [its name finds "
        "it.|their names find them.]",
        "Start it once, which adds the tools of its server, or describe it.",
        POWER,
    ),
    FindingKind.POWER_UNAPPROVED: FindingWords(
        "Powers awaiting approval",
        "[1 power is|{n} powers are] in use and not approved yet: [it is|they are] found, but not started.",
        "Review what would be started and approve it, or pause the power.",
        POWER,
    ),
    FindingKind.POWER_FAILED: FindingWords(
        "Powers that did not start",
        "The last [start|starts] of [1 power|{n} powers] failed.",
        "See the log of its server.",
        POWER,
    ),
}
"""Every kind of finding in words."""
