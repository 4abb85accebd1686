"""Health findings in words: sentence, advice, and the button and page of the remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.detect.reach import Why
from app.display import numbers, words
from app.domain.language import capitalized, plural, quantity
from app.domain.llm import LlmOutcome
from app.domain.match import BAND_WORDS, TIER_WORDS, Band, Tier
from app.domain.review.health import Area, Basis, FindingKind, HealthFinding, Severity

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


def title(finding: HealthFinding) -> str:
    return TITLES[finding.kind].format(name=_name(finding), rival=finding.figures.get("rival", ""))


def sentence(finding: HealthFinding) -> str:
    words_of = SENTENCES[finding.kind]
    return words_of(finding) if callable(words_of) else words_of.format(**figures_of(finding))


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


def _given_sentence(finding: HealthFinding) -> str:
    """Return a sentence made by another module."""
    return str(finding.figures["sentence"])


def _silent(finding: HealthFinding) -> str:
    figures = figures_of(finding)
    outcome = figures["outcome"]
    said = words.LLM[LlmOutcome(outcome)].word if outcome in set(LlmOutcome) else outcome
    mostly = f"mostly: {said.lower()}, {figures['times']} times"
    return f"It was asked {figures['asked']} times and never answered within {figures['budget']} ms; {mostly}."


Said = str | Callable[[HealthFinding], str]


def _n(one: str, many: str) -> Callable[[HealthFinding], str]:
    """Return a sentence function that counts the affected items."""

    def sentence_of(finding: HealthFinding) -> str:
        figures = {name: value for name, value in figures_of(finding).items() if name != "n"}
        return plural(len(finding.subjects), one, many, **figures)

    return sentence_of


def _confused(finding: HealthFinding) -> str:
    figures = finding.figures
    lost, taken = int(figures["lost"]), int(figures["taken"])
    names = _names(finding)
    sentence = f"{quantity(lost, 'case')} of {names['name']} got {names['rival']}"
    other = f"{quantity(taken, 'case')} of {names['rival']} got {names['name']}"
    return f"{sentence}, and {other}." if taken else f"{sentence}."


def _not_delivered(finding: HealthFinding) -> str:
    losses = Counter(one.rival for one in finding.subjects).most_common()
    lost = ", ".join(f"{count:,} {words}" for words, count in losses)
    return f"The expected answer comes first, but fails: {lost}."


def _names(finding: HealthFinding) -> dict[str, str]:
    return {key: str(finding.figures[key]) for key in ("name", "rival")}


TITLES: Mapping[FindingKind, str] = {
    FindingKind.CONFUSED: "Confused: {name} and {rival}",
    FindingKind.NOT_DELIVERED: "Found, but not delivered",
    FindingKind.TIER_DEAD: "Tier never reached: {name}",
    FindingKind.BAND_DEAD: "Band never reached: {name}",
    FindingKind.ROW_DEAD: "Never reached: “at most {name} memories”",
    FindingKind.NOTHING_SURFACES: "Nothing is ever injected",
    FindingKind.CASCADE_STEP_DEAD: "Step of the cascade never taken: {name}",
    FindingKind.TYPE_MUTE: "Types that nothing detects",
    FindingKind.ROUTE_UNSURE: "Routes that rules never decide",
    FindingKind.RULE_BROKEN: "Rules with a broken pattern",
    FindingKind.RULE_SHADOWED: "Rules that are shadowed",
    FindingKind.RULE_DUPLICATE: "Rules that say the same",
    FindingKind.RULE_NEVER: "Rules that never fire",
    FindingKind.RULE_BROAD: "Rules that are too broad",
    FindingKind.RULE_SILENT: "Rules that no query needs",
    FindingKind.TYPE_FLAT: "Detection never changes",
    FindingKind.CONFIDENCE_FLAT: "The type’s confidence never changes",
    FindingKind.ANSWER_FLAT: "Answers never change",
    FindingKind.ROUTE_FLAT: "Routing never changes",
    FindingKind.LLM_NEVER: "The LLM never answers in time",
    FindingKind.ENCODER_ABSENT: "Nothing is scored by meaning",
    FindingKind.TRIGGER_TAKEN: "Own words give another answer",
    FindingKind.MEMORY_BELOW: "Below the answer threshold",
    FindingKind.MEANING_ELSEWHERE: "Won word for word only",
    FindingKind.PASSED_OVER: "Often near, never first",
    FindingKind.NEVER_SURFACED: "Asked for, never injected",
    FindingKind.MEMORY_HIDDEN: "Hidden behind a duplicate",
    FindingKind.BELOW_MIN_SCORE: "Below the minimum success score",
    FindingKind.MEMORY_PAUSED: "Paused memories",
    FindingKind.CONTRADICTION: "Memories that contradict each other",
    FindingKind.MEMORY_LAPSED: "Memories that are not valid",
    FindingKind.LABEL_THIN: "Intents with a single trigger",
    FindingKind.VECTOR_MISSING: "Triggers without a vector",
    FindingKind.VECTOR_FOREIGN: "Vectors of other encoders",
    FindingKind.ROUTES_UNLEARNED: "Route examples are not learned",
    FindingKind.KEYWORD_CROWDED: "Keywords that decide nothing",
    FindingKind.POWER_NAME_ONLY: "Powers found by name only",
    FindingKind.POWER_UNAPPROVED: "Powers awaiting approval",
    FindingKind.POWER_FAILED: "Powers that did not start",
}

SENTENCES: Mapping[FindingKind, Said] = {
    FindingKind.CONFUSED: _confused,
    FindingKind.NOT_DELIVERED: _not_delivered,
    FindingKind.TIER_DEAD: _level,
    FindingKind.BAND_DEAD: _level,
    FindingKind.ROW_DEAD: _level,
    FindingKind.NOTHING_SURFACES: _nothing_surfaces,
    FindingKind.CASCADE_STEP_DEAD: "The cascade takes a {name} score from {least} on, and none can exceed {most}.",
    FindingKind.TYPE_MUTE: _n(
        "1 type has no rule that is on, and no LLM is asked.", "{n} types have no rule that is on, and no LLM is asked."
    ),
    FindingKind.ROUTE_UNSURE: _n(
        "Rules decide from {threshold} on; the surest rule of 1 route stays below.",
        "Rules decide from {threshold} on; the surest rules of {n} routes stay below.",
    ),
    FindingKind.RULE_BROKEN: _n(
        "The pattern of 1 rule cannot be used, so it is left out.",
        "The patterns of {n} rules cannot be used, so they are left out.",
    ),
    FindingKind.RULE_SHADOWED: _n(
        "Wherever 1 rule matches, a rule of an earlier type does, too, and decides.",
        "Wherever {n} rules match, a rule of an earlier type does, too, and decides.",
    ),
    FindingKind.RULE_DUPLICATE: _n(
        "1 rule finds just what an earlier one finds.", "{n} rules find just what an earlier one finds."
    ),
    FindingKind.RULE_NEVER: _n(
        "1 rule matches none of {texts} known texts: cases, triggers and examples.",
        "{n} rules match none of {texts} known texts: cases, triggers and examples.",
    ),
    FindingKind.RULE_BROAD: _n(
        "1 rule fires on a quarter or more of all texts, so that it says little of any.",
        "{n} rules fire on a quarter or more of all texts, so that they say little of any.",
    ),
    FindingKind.RULE_SILENT: _n(
        "1 rule fired on none of the last {queries} different queries.",
        "{n} rules fired on none of the last {queries} different queries.",
    ),
    FindingKind.TYPE_FLAT: _flat,
    FindingKind.CONFIDENCE_FLAT: "The types of the last {count} queries all have the confidence {value}.",
    FindingKind.ANSWER_FLAT: _flat,
    FindingKind.ROUTE_FLAT: _given_sentence,
    FindingKind.LLM_NEVER: _silent,
    FindingKind.ENCODER_ABSENT: _given_sentence,
    FindingKind.TRIGGER_TAKEN: _n(
        "1 memory loses its own words to another answer that scores as high.",
        "{n} memories lose their own words to another answer that scores as high.",
    ),
    FindingKind.MEMORY_BELOW: _n(
        "1 memory is never found: its own words score below {threshold} or its intent's threshold by {combination}.",
        "{n} memories are never found: their own words score below {threshold} or their intent's by {combination}.",
    ),
    FindingKind.MEANING_ELSEWHERE: _n(
        "1 memory comes first word for word only: by meaning another answer is nearer (of {asked} triggers asked).",
        "{n} memories come first word for word only: by meaning others are nearer (of {asked} triggers asked).",
    ),
    FindingKind.PASSED_OVER: _n(
        "1 answer often came near in the last {queries} queries, but never first.",
        "{n} answers often came near in the last {queries} queries, but never first.",
    ),
    FindingKind.NEVER_SURFACED: _n(
        "1 answer often came first in the last {queries} queries, but was never injected.",
        "{n} answers often came first in the last {queries} queries, but were never injected.",
    ),
    FindingKind.MEMORY_HIDDEN: _n(
        "1 memory is always outranked by another one with the same answer and the same words.",
        "{n} memories are always outranked by another one with the same answer and the same words.",
    ),
    FindingKind.BELOW_MIN_SCORE: _n(
        "1 memory is left out: its success score is below {least}.",
        "{n} memories are left out: their success scores are below {least}.",
    ),
    FindingKind.MEMORY_PAUSED: _n(
        "1 memory is paused and answers nothing.", "{n} memories are paused and answer nothing."
    ),
    FindingKind.CONTRADICTION: _n(
        "1 memory has the trigger of another one of its intent, or nearly, but another response.",
        "{n} memories have the trigger of another one of their intent, or nearly, but another response.",
    ),
    FindingKind.MEMORY_LAPSED: _n(
        "1 memory is not injected: it is not valid now, or another one replaces it.",
        "{n} memories are not injected: they are not valid now, or others replace them.",
    ),
    FindingKind.LABEL_THIN: _n(
        "1 of {labels} answers has an intent with a single trigger.",
        "{n} of {labels} answers have an intent with a single trigger.",
    ),
    FindingKind.VECTOR_MISSING: _n(
        "1 trigger has no vector, so meaning does not count for it.",
        "{n} triggers have no vector, so meaning does not count for them.",
    ),
    FindingKind.VECTOR_FOREIGN: "{vectors} stored vectors are of another encoder than {encoder} and are not used.",
    FindingKind.ROUTES_UNLEARNED: _given_sentence,
    FindingKind.KEYWORD_CROWDED: _n(
        "1 keyword is shared by more than {named} powers, which score the same for it.",
        "{n} keywords are shared by more than {named} powers, which score the same for it.",
    ),
    FindingKind.POWER_NAME_ONLY: _n(
        "1 power has no description, keyword, tool or example: only its name finds it.",
        "{n} powers have no description, keyword, tool or example: only their names find them.",
    ),
    FindingKind.POWER_UNAPPROVED: _n(
        "1 power is in use and not approved yet: it is found, but not started.",
        "{n} powers are in use and not approved yet: they are found, but not started.",
    ),
    FindingKind.POWER_FAILED: _n("The last start of 1 power failed.", "The last starts of {n} powers failed."),
}


# ---- Advice on each finding: a sentence, a button, and its page.


@dataclass(frozen=True, slots=True)
class Remedy:
    """Button of a remedy: label, page, and the name of the place on it."""

    word: str
    page: str
    place: str = ""


def advice(finding: HealthFinding) -> str:
    if finding.kind is FindingKind.NOT_DELIVERED and not finding.place:
        return "No threshold withholds most of these: approve their powers, or see under Why not what does."
    return ADVICE[finding.kind].format(**figures_of(finding))


def remedy(finding: HealthFinding) -> Remedy | None:
    """Return the remedy's button and page; None if it is outside the window."""
    row = REMEDIES.get(finding.kind)
    if row is None:
        return None
    word, page, place = row
    place = finding.place or place
    if finding.kind in (FindingKind.TIER_DEAD, FindingKind.BAND_DEAD):
        place = _setting(finding)
    if finding.kind is FindingKind.CONFUSED:
        place = str(finding.figures["name"])
    return Remedy(word, page, place)


def _setting(finding: HealthFinding) -> str:
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


ADVICE: Mapping[FindingKind, str] = {
    FindingKind.NOT_DELIVERED: "Sweep the threshold on the page Evaluate, or teach triggers like these queries.",
    FindingKind.CONFUSED: "Move triggers that belong to the other, teach more of each, or merge the two intents.",
    FindingKind.TIER_DEAD: "Set another threshold, or take another combination.",
    FindingKind.BAND_DEAD: "Set another threshold, or take another combination.",
    FindingKind.ROW_DEAD: "Lower the type threshold if fewer memories are better than none.",
    FindingKind.NOTHING_SURFACES: "Lower the type threshold.",
    FindingKind.CASCADE_STEP_DEAD: "Lower the threshold of that step.",
    FindingKind.TYPE_MUTE: "Switch a rule of the type on, or write one.",
    FindingKind.ROUTE_UNSURE: "Nothing, where the examples or the LLM decide for these; else lower the threshold.",
    FindingKind.RULE_BROKEN: "Mend the pattern; the editor says where it breaks.",
    FindingKind.RULE_SHADOWED: "Make the earlier rule narrower, or let the evidence decide.",
    FindingKind.RULE_DUPLICATE: "Switch one of the two off.",
    FindingKind.RULE_BROAD: "Make the pattern narrower, or switch the rule off; each line says which cases would fail.",
    FindingKind.RULE_SILENT: "Switch off what is not needed; each line shows the effect on the cases.",
    FindingKind.RULE_NEVER: "Nothing, if such queries will come; else try the pattern on a text that it should find.",
    FindingKind.TYPE_FLAT: "Check whether these queries really are alike.",
    FindingKind.CONFIDENCE_FLAT: "Check whether a rule’s own confidence hides the differences.",
    FindingKind.ANSWER_FLAT: "Check whether these queries really are alike.",
    FindingKind.ROUTE_FLAT: "See the log of decisions.",
    FindingKind.LLM_NEVER: "Try the connection, take a smaller model, or give it more time.",
    FindingKind.ENCODER_ABSENT: "Choose an encoder that can be loaded.",
    FindingKind.TRIGGER_TAKEN: "Keep the trigger under one of the two answers.",
    FindingKind.MEMORY_BELOW: "Take another combination, or lower the threshold.",
    FindingKind.MEANING_ELSEWHERE: "Check whether the trigger belongs to that answer; if so, teach more like it.",
    FindingKind.NEVER_SURFACED: (
        "Teach such queries, or lower search_intent.certain_confidence: at {least}, {fixes} of them would be injected,"
        " {others} with another answer, {breaks} with one that is marked wrong."
    ),
    FindingKind.PASSED_OVER: "Teach such a query, or let the answer go.",
    FindingKind.MEMORY_HIDDEN: "Merge the two.",
    FindingKind.BELOW_MIN_SCORE: "Lower the minimum success score, or delete them.",
    FindingKind.MEMORY_PAUSED: "Nothing, if this is intended; otherwise resume or delete them.",
    FindingKind.CONTRADICTION: "Delete one, or name it under “Replaces” of the valid one.",
    FindingKind.MEMORY_LAPSED: "Nothing, if this is intended; otherwise change the time, or what replaces it.",
    FindingKind.LABEL_THIN: "Teach one or two more triggers in other words.",
    FindingKind.VECTOR_MISSING: "Compute the vectors.",
    FindingKind.VECTOR_FOREIGN: "Nothing: they are used again when that encoder is chosen.",
    FindingKind.ROUTES_UNLEARNED: "Teach route examples as cases.",
    FindingKind.KEYWORD_CROWDED: "Take the keyword from all but those that it stands for.",
    FindingKind.POWER_NAME_ONLY: "Start it once, which adds the tools of its server, or describe it.",
    FindingKind.POWER_UNAPPROVED: "Review what would be started and approve it, or pause the power.",
    FindingKind.POWER_FAILED: "See the log of its server.",
}

REMEDIES: Mapping[FindingKind, tuple[str, str, str]] = {
    FindingKind.CONFUSED: ("Open the intent", "intents", ""),
    FindingKind.NOT_DELIVERED: ("Open Evaluate", "evaluate", ""),
    FindingKind.TIER_DEAD: ("Open the setting", "settings", ""),
    FindingKind.BAND_DEAD: ("Open the setting", "settings", ""),
    FindingKind.ROW_DEAD: ("Open the setting", "settings", "search_intent.surfacing_threshold"),
    FindingKind.NOTHING_SURFACES: ("Open the setting", "settings", "search_intent.surfacing_threshold"),
    FindingKind.CASCADE_STEP_DEAD: ("Open the setting", "settings", "thresholds.keyword"),
    FindingKind.TYPE_MUTE: ("Open the rules", "rules", ""),
    FindingKind.ROUTE_UNSURE: ("Open the setting", "settings", "route.threshold"),
    FindingKind.RULE_BROKEN: ("Open the rule", "rules", ""),
    FindingKind.RULE_SHADOWED: ("Open the rule", "rules", ""),
    FindingKind.RULE_DUPLICATE: ("Open the rule", "rules", ""),
    FindingKind.RULE_NEVER: ("Open the rule", "rules", ""),
    FindingKind.RULE_BROAD: ("Open the rule", "rules", ""),
    FindingKind.RULE_SILENT: ("Open the rule", "rules", ""),
    FindingKind.TYPE_FLAT: ("Open the history", "history", ""),
    FindingKind.CONFIDENCE_FLAT: ("Open the history", "history", ""),
    FindingKind.ANSWER_FLAT: ("Open the history", "history", ""),
    FindingKind.ROUTE_FLAT: ("Open the log", "route", "log"),
    FindingKind.LLM_NEVER: ("Connect the LLM", "settings", "llm"),
    FindingKind.ENCODER_ABSENT: ("Open the setting", "settings", "encoder.name"),
    FindingKind.TRIGGER_TAKEN: ("Open the memory", "memories", ""),
    FindingKind.MEMORY_BELOW: ("Open the setting", "settings", "combination"),
    FindingKind.MEANING_ELSEWHERE: ("Open the memory", "memories", ""),
    FindingKind.PASSED_OVER: ("Open the history", "history", ""),
    FindingKind.NEVER_SURFACED: ("Open the setting", "settings", "search_intent.certain_confidence"),
    FindingKind.MEMORY_HIDDEN: ("Open the memory", "memories", ""),
    FindingKind.BELOW_MIN_SCORE: ("Open the setting", "settings", "min_score"),
    FindingKind.MEMORY_PAUSED: ("Open the memory", "memories", ""),
    FindingKind.CONTRADICTION: ("Open the memory", "memories", ""),
    FindingKind.MEMORY_LAPSED: ("Open the memory", "memories", ""),
    FindingKind.LABEL_THIN: ("Open the memory", "memories", ""),
    FindingKind.VECTOR_MISSING: ("Make the vectors", "retry", "encoder"),
    FindingKind.VECTOR_FOREIGN: ("Open the setting", "settings", "encoder.name"),
    FindingKind.ROUTES_UNLEARNED: ("Open the cases", "cases", ""),
    FindingKind.KEYWORD_CROWDED: ("Open the powers", "powers", ""),
    FindingKind.POWER_NAME_ONLY: ("Open the power", "powers", ""),
    FindingKind.POWER_UNAPPROVED: ("Open the power", "powers", ""),
    FindingKind.POWER_FAILED: ("Open the power", "powers", ""),
}
"""Button label, page, and place on it ("": the affected item)."""
