"""What each finding of a look at the health says, and what to do about it: a sentence, a button, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.detect.rules.reach import Why
from app.display import numbers, words
from app.display.scope.llm import PILLS
from app.domain.language import forms, say, say_n, small, thousands
from app.domain.llm import LlmOutcome
from app.domain.match import BAND_WORDS, TIER_WORDS, Band, Tier
from app.domain.review.health import Area, Basis, FindingKind, HealthFinding, Severity

SEVERITIES: Mapping[Severity, str] = {
    Severity.FAULT: say("Fault"),
    Severity.WARNING: say("Warning"),
    Severity.NOTE: say("Note"),
}

COUNTED: Mapping[Severity, tuple[str, str]] = {
    Severity.FAULT: forms("1 fault", "{n} faults"),
    Severity.WARNING: forms("1 warning", "{n} warnings"),
    Severity.NOTE: forms("1 note", "{n} notes"),
}

AREAS: Mapping[Area, str] = {
    Area.REACH: say("Out of reach"),
    Area.RULES: say("Rules"),
    Area.FLAT: say("Standing still"),
    Area.MEMORIES: say("Memories"),
    Area.VECTORS: say("Vectors"),
    Area.POWERS: say("Powers"),
}

KNOWN_BY: Mapping[Basis, str] = {
    Basis.FORMULA: say("Certain: it follows from the formulas and the settings."),
    Basis.LIBRARY: say("Certain: all that is taught was looked at."),
    Basis.HISTORY: say("Seen in what was asked so far; another query may show otherwise."),
}


def title(finding: HealthFinding) -> str:
    """What a finding is called, in a few words."""
    title_words = say(TITLES[finding.kind])
    return title_words.format(name=_name(finding)) if "{name}" in title_words else title_words


def sentence(finding: HealthFinding) -> str:
    """What was found, in a sentence or two."""
    words_of = SENTENCES[finding.kind]
    return words_of(finding) if callable(words_of) else say(words_of, **figures_of(finding))


# ---- figures


def figures_of(finding: HealthFinding) -> dict[str, str]:
    count = len(finding.subjects)
    numbers_shown = {
        name: value if isinstance(value, str) else _number(value) for name, value in finding.figures.items()
    }
    return {**numbers_shown, "n": thousands(count), "name": _name(finding)}


def _number(value: float) -> str:
    return thousands(value) if isinstance(value, int) else numbers.score(value)


def _name(finding: HealthFinding) -> str:
    name = str(finding.figures.get("name", ""))
    levels = {
        **{tier.value: word for tier, word in TIER_WORDS.items()},
        **{b.value: w for b, w in BAND_WORDS.items()},
    }
    return say(levels[name]) if name in levels else name


# ---- sentences


def _level(finding: HealthFinding) -> str:
    """Why no confidence falls into a tier, a band or a row of the surfacing table."""
    figures = figures_of(finding)
    match Why(str(finding.figures["why"])):
        case Why.EMPTY:
            return say("It would begin at {least}, which is where it ends.", **figures)
        case Why.SWALLOWED if finding.kind is FindingKind.ROW_DEAD:
            return say("It ends at {below}, and nothing is surfaced below {most}.", **figures)
        case Why.SWALLOWED:
            return say("It ends at {below}, and nothing below {most} is found.", **figures)
        case Why.TIED:
            return say("No lead can exceed {most}, and a second power within {margin} ties with it.", **figures)
        case Why.TOO_HIGH:
            return say("It begins at {least}, and no confidence can exceed {most}.", **figures)
        case Why.BETWEEN:
            why = say("It lies from {least} to {below}; a confidence is {most} at most, or {next} and more.")
            return say(why, **figures)


def _nothing_surfaces(finding: HealthFinding) -> str:
    figures = figures_of(finding)
    if finding.figures.get("tokens") == 0:
        return say("The budget is 0 tokens, so no memory fits into it.")
    return say("Surfacing begins at {threshold}, and no type can be surer than {most}.", **figures)


def _flat(finding: HealthFinding) -> str:
    figures = figures_of(finding)
    if finding.kind is FindingKind.TYPE_FLAT and not finding.figures["value"]:
        return say("In none of the last {count} queries a type was detected.", **figures)
    if finding.kind is FindingKind.TYPE_FLAT:
        return say("The last {count} queries all were {type}.", **figures, type=words.type_word(figures["value"]))
    if finding.figures.get("what") == "answer_confidence":
        return say("The first answers of the last {count} queries all have the confidence {value}.", **figures)
    if not finding.figures["value"]:
        return say("None of the last {count} queries had an answer.", **figures)
    return say("“{value}” came first in all of the last {count} queries.", **figures)


def _made_elsewhere(finding: HealthFinding) -> str:
    """A sentence that was made where it is known."""
    return str(finding.figures["sentence"])


def _silent(finding: HealthFinding) -> str:
    figures = figures_of(finding)
    outcome = figures.pop("outcome")
    if outcome in set(LlmOutcome):
        outcome = say(PILLS[LlmOutcome(outcome)][0])
    return say(
        "It was asked {asked} times and never answered within {budget} ms; mostly: {outcome}, {times} times.",
        **figures,
        outcome=small(outcome),
    )


def _crowded(finding: HealthFinding) -> str:
    count = len(finding.subjects)
    named = say_n(
        count,
        "1 keyword is declared by more than {named} powers.",
        "{n} keywords are declared by more than {named} powers.",
        named=finding.figures["named"],
    )
    return named + " " + say("A query with it gives all of them the same score, and three of them are named.")


Said = str | Callable[[HealthFinding], str]


def _n(counted: tuple[str, str]) -> Callable[[HealthFinding], str]:
    """A sentence that counts what is concerned; the other figures may stand in it, too."""

    def sentence_of(finding: HealthFinding) -> str:
        figures = {name: value for name, value in figures_of(finding).items() if name != "n"}
        return say_n(len(finding.subjects), *counted, **figures)

    return sentence_of


TITLES: Mapping[FindingKind, str] = {
    FindingKind.TIER_DEAD: say("Tier never reached: {name}"),
    FindingKind.BAND_DEAD: say("Band never reached: {name}"),
    FindingKind.ROW_DEAD: say("Surfacing row never reached: {name} memories"),
    FindingKind.NOTHING_SURFACES: say("Nothing is ever surfaced"),
    FindingKind.CASCADE_STEP_DEAD: say("Step of the cascade never taken: {name}"),
    FindingKind.TYPE_MUTE: say("Types that nothing detects"),
    FindingKind.ROUTE_UNSURE: say("Routes that rules never decide"),
    FindingKind.RULE_BROKEN: say("Rules with a broken pattern"),
    FindingKind.RULE_SHADOWED: say("Rules that are shadowed"),
    FindingKind.RULE_DUPLICATE: say("Rules that say the same"),
    FindingKind.RULE_NEVER: say("Rules that never fire"),
    FindingKind.RULE_BROAD: say("Rules that are too broad"),
    FindingKind.RULE_SILENT: say("Rules that nobody’s queries need"),
    FindingKind.TYPE_FLAT: say("Detection stands still"),
    FindingKind.CONFIDENCE_FLAT: say("The type’s confidence stands still"),
    FindingKind.ANSWER_FLAT: say("Answers stand still"),
    FindingKind.ROUTE_FLAT: say("Routing stands still"),
    FindingKind.LLM_NEVER: say("The LLM is never heard"),
    FindingKind.ENCODER_ABSENT: say("Nothing is scored by meaning"),
    FindingKind.TRIGGER_TAKEN: say("Own words give another answer"),
    FindingKind.MEMORY_BELOW: say("Below the least confidence"),
    FindingKind.MEANING_ELSEWHERE: say("Won word for word only"),
    FindingKind.PASSED_OVER: say("Often near, never first"),
    FindingKind.NEVER_SURFACED: say("Asked for, never surfaced"),
    FindingKind.MEMORY_HIDDEN: say("Behind a twin"),
    FindingKind.BELOW_MIN_SCORE: say("Below the least success score"),
    FindingKind.MEMORY_PAUSED: say("Paused memories"),
    FindingKind.LABEL_THIN: say("Labels with one trigger only"),
    FindingKind.VECTOR_MISSING: say("Triggers without a vector"),
    FindingKind.VECTOR_FOREIGN: say("Vectors of other encoders"),
    FindingKind.ROUTES_UNLEARNED: say("Route examples are not learned"),
    FindingKind.KEYWORD_CROWDED: say("Keywords that decide nothing"),
    FindingKind.POWER_UNAPPROVED: say("Powers that wait for a yes"),
    FindingKind.POWER_FAILED: say("Powers that did not start"),
}

SENTENCES: Mapping[FindingKind, Said] = {
    FindingKind.TIER_DEAD: _level,
    FindingKind.BAND_DEAD: _level,
    FindingKind.ROW_DEAD: _level,
    FindingKind.NOTHING_SURFACES: _nothing_surfaces,
    FindingKind.CASCADE_STEP_DEAD: say("The cascade takes a {name} score from {least} on, and none can exceed {most}."),
    FindingKind.TYPE_MUTE: _n(
        forms(
            "1 type has no rule that is on, and no LLM is asked.",
            "{n} types have no rule that is on, and no LLM is asked.",
        )
    ),
    FindingKind.ROUTE_UNSURE: _n(
        forms(
            "Rules decide from {threshold} on; the surest rule of 1 route stays below.",
            "Rules decide from {threshold} on; the surest rules of {n} routes stay below.",
        ),
    ),
    FindingKind.RULE_BROKEN: _n(
        forms(
            "The pattern of 1 rule cannot be used, so it is left out.",
            "The patterns of {n} rules cannot be used, so they are left out.",
        ),
    ),
    FindingKind.RULE_SHADOWED: _n(
        forms(
            "Wherever 1 rule matches, a rule of an earlier type does, too, and decides.",
            "Wherever {n} rules match, a rule of an earlier type does, too, and decides.",
        ),
    ),
    FindingKind.RULE_DUPLICATE: _n(
        forms("1 rule finds just what an earlier one finds.", "{n} rules find just what an earlier one finds.")
    ),
    FindingKind.RULE_NEVER: _n(
        forms(
            "1 rule matches none of {texts} known texts: cases and what is taught.",
            "{n} rules match none of {texts} known texts: cases and what is taught.",
        ),
    ),
    FindingKind.RULE_BROAD: _n(
        forms(
            "1 rule fires on a quarter or more of all texts, so that it says little of any.",
            "{n} rules fire on a quarter or more of all texts, so that they say little of any.",
        ),
    ),
    FindingKind.RULE_SILENT: _n(
        forms(
            "1 rule fired on none of the last {queries} different queries.",
            "{n} rules fired on none of the last {queries} different queries.",
        ),
    ),
    FindingKind.TYPE_FLAT: _flat,
    FindingKind.CONFIDENCE_FLAT: say("The types of the last {count} queries all have the confidence {value}."),
    FindingKind.ANSWER_FLAT: _flat,
    FindingKind.ROUTE_FLAT: _made_elsewhere,
    FindingKind.LLM_NEVER: _silent,
    FindingKind.ENCODER_ABSENT: _made_elsewhere,
    FindingKind.TRIGGER_TAKEN: _n(
        forms(
            "1 memory does not come first for its own words: another answer scores as high, and is told first.",
            "{n} memories do not come first for their own words: another answer scores as high, and is told first.",
        ),
    ),
    FindingKind.MEMORY_BELOW: _n(
        forms(
            "1 memory scores below {threshold}, or what its label takes, for its own words by {combination}, so it is "
            "never found.",
            "{n} memories score below {threshold}, or what their label takes, for their own words by {combination}, so "
            "they are never found.",
        ),
    ),
    FindingKind.MEANING_ELSEWHERE: _n(
        forms(
            "1 memory of all {asked} triggers that were asked lies nearer to another answer by "
            "meaning. It comes first if it is asked word for word, and most likely not in other "
            "words.",
            "{n} memories lie nearer to another answer by meaning, of {asked} triggers that were "
            "asked. They come first if they are asked word for word, and most likely not in other "
            "words.",
        ),
    ),
    FindingKind.PASSED_OVER: _n(
        forms(
            "In the last {queries} queries 1 answer came near again and again, and another one always came first.",
            "In the last {queries} queries {n} answers came near again and again, and another one always came first.",
        ),
    ),
    FindingKind.NEVER_SURFACED: _n(
        forms(
            "In the last {queries} queries 1 answer came first time and again, but never surely enough to be surfaced. "
            "With search_intent.certain_confidence at {least}, {fixes} of these queries would bring it up, {others} "
            "would bring up another answer, and {breaks} one that is marked wrong.",
            "In the last {queries} queries {n} answers came first time and again, but never surely enough to be "
            "surfaced. With search_intent.certain_confidence at {least}, {fixes} of these queries would bring them up, "
            "{others} would bring up another answer, and {breaks} one that is marked wrong.",
        ),
    ),
    FindingKind.MEMORY_HIDDEN: _n(
        forms(
            "1 memory always stands behind one of the same answer that holds the same words.",
            "{n} memories always stand behind one of the same answer that holds the same words.",
        ),
    ),
    FindingKind.BELOW_MIN_SCORE: _n(
        forms(
            "1 memory is left out: its success score is below {least}.",
            "{n} memories are left out: their success scores are below {least}.",
        ),
    ),
    FindingKind.MEMORY_PAUSED: _n(
        forms("1 memory is paused and answers nothing.", "{n} memories are paused and answer nothing.")
    ),
    FindingKind.LABEL_THIN: _n(
        forms(
            "1 of {labels} answers has a label with one trigger only.",
            "{n} of {labels} answers have a label with one trigger only.",
        ),
    ),
    FindingKind.VECTOR_MISSING: _n(
        forms(
            "1 trigger has no vector, so meaning does not count for it.",
            "{n} triggers have no vector, so meaning does not count for them.",
        ),
    ),
    FindingKind.VECTOR_FOREIGN: say(
        "{vectors} stored vectors are not of {encoder}, which answers. They are never compared to it."
    ),
    FindingKind.ROUTES_UNLEARNED: _made_elsewhere,
    FindingKind.KEYWORD_CROWDED: _crowded,
    FindingKind.POWER_UNAPPROVED: _n(
        forms(
            "1 power is in use, and nobody has said yes to its command or address: it is found, and not started.",
            "{n} powers are in use, and nobody has said yes to their command or address: they are "
            "found, and not started.",
        ),
    ),
    FindingKind.POWER_FAILED: _n(
        forms("The last start of 1 power failed.", "The last starts of {n} powers failed."),
    ),
}


# ---- What to do about each finding of a look at the health: one sentence, one button, and where it goes.


@dataclass(frozen=True, slots=True)
class Remedy:
    """The one thing to do: the word of its button, and the page it goes to with what is called so there."""

    word: str
    page: str
    place: str = ""


def advice(finding: HealthFinding) -> str:
    """What to do about it, in a sentence."""
    return say(ADVICE[finding.kind], **figures_of(finding))


def remedy(finding: HealthFinding) -> Remedy | None:
    """Where that is done; None where nothing can be done in the window."""
    row = REMEDIES.get(finding.kind)
    if row is None:
        return None
    word, page, place = row
    if finding.kind in (FindingKind.TIER_DEAD, FindingKind.BAND_DEAD):
        place = _setting(finding)
    return Remedy(say(word), page, place)


def _setting(finding: HealthFinding) -> str:
    """The setting that decides where a dead level begins."""
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
    FindingKind.TIER_DEAD: say("Set another threshold, or take another combination."),
    FindingKind.BAND_DEAD: say("Set another threshold, or take another combination."),
    FindingKind.ROW_DEAD: say("Lower the surfacing threshold if fewer memories are better than none."),
    FindingKind.NOTHING_SURFACES: say("Lower the surfacing threshold."),
    FindingKind.CASCADE_STEP_DEAD: say("Lower the threshold of that step."),
    FindingKind.TYPE_MUTE: say("Switch a rule of the type on, or write one."),
    FindingKind.ROUTE_UNSURE: say(
        "Nothing, where taught examples or the LLM decide for these; else lower the threshold."
    ),
    FindingKind.RULE_BROKEN: say("Mend the pattern; the editor says where it breaks."),
    FindingKind.RULE_SHADOWED: say("Make the earlier rule narrower, or let the evidence decide."),
    FindingKind.RULE_DUPLICATE: say("Switch one of the two off."),
    FindingKind.RULE_BROAD: say(
        "Make the pattern narrower, or switch the rule off; each line says what cases lose by that."
    ),
    FindingKind.RULE_SILENT: say("Switch off what nobody needs; each line says what that does to the cases."),
    FindingKind.RULE_NEVER: say(
        "Nothing, if such queries are to come; else try the pattern on a text that it should find."
    ),
    FindingKind.TYPE_FLAT: say("Look whether these queries really are alike."),
    FindingKind.CONFIDENCE_FLAT: say("Look whether a rule’s own confidence hides what differs."),
    FindingKind.ANSWER_FLAT: say("Look whether these queries really are alike."),
    FindingKind.ROUTE_FLAT: say("Look at the log of decisions."),
    FindingKind.LLM_NEVER: say("Try the connection, take a smaller model, or give it more time."),
    FindingKind.ENCODER_ABSENT: say("Choose an encoder that can be loaded."),
    FindingKind.TRIGGER_TAKEN: say("Keep the trigger under one of the two answers."),
    FindingKind.MEMORY_BELOW: say("Take another combination, or lower the threshold."),
    FindingKind.MEANING_ELSEWHERE: say(
        "Look whether the trigger stands under the right answer; if so, teach more like it."
    ),
    FindingKind.NEVER_SURFACED: say(
        "Lower the confidence from which a memory is surfaced by itself, or teach such queries."
    ),
    FindingKind.PASSED_OVER: say("Teach such a query, or let the answer go."),
    FindingKind.MEMORY_HIDDEN: say("Merge the two."),
    FindingKind.BELOW_MIN_SCORE: say("Lower the least success score, or delete them."),
    FindingKind.MEMORY_PAUSED: say("Nothing, if that is meant; else resume or delete them."),
    FindingKind.LABEL_THIN: say("Teach one or two more triggers in other words."),
    FindingKind.VECTOR_MISSING: say("Have the vectors made."),
    FindingKind.VECTOR_FOREIGN: say("Nothing: they are used again when that encoder is chosen."),
    FindingKind.ROUTES_UNLEARNED: say("Teach route examples as cases."),
    FindingKind.KEYWORD_CROWDED: say("Take the keyword from all but those that it stands for."),
    FindingKind.POWER_UNAPPROVED: say("Look at what would be started, and say yes to it, or pause the power."),
    FindingKind.POWER_FAILED: say("Look at what its server said."),
}

REMEDIES: Mapping[FindingKind, tuple[str, str, str]] = {
    FindingKind.TIER_DEAD: (say("Open the setting"), "settings", ""),
    FindingKind.BAND_DEAD: (say("Open the setting"), "settings", ""),
    FindingKind.ROW_DEAD: (say("Open the setting"), "settings", "search_intent.surfacing_threshold"),
    FindingKind.NOTHING_SURFACES: (say("Open the setting"), "settings", "search_intent.surfacing_threshold"),
    FindingKind.CASCADE_STEP_DEAD: (say("Open the setting"), "settings", "thresholds.keyword"),
    FindingKind.TYPE_MUTE: (say("Go to the rules"), "rules", ""),
    FindingKind.ROUTE_UNSURE: (say("Open the setting"), "settings", "route.threshold"),
    FindingKind.RULE_BROKEN: (say("Go to the rule"), "rules", ""),
    FindingKind.RULE_SHADOWED: (say("Go to the rule"), "rules", ""),
    FindingKind.RULE_DUPLICATE: (say("Go to the rule"), "rules", ""),
    FindingKind.RULE_NEVER: (say("Go to the rule"), "rules", ""),
    FindingKind.RULE_BROAD: (say("Go to the rule"), "rules", ""),
    FindingKind.RULE_SILENT: (say("Go to the rule"), "rules", ""),
    FindingKind.TYPE_FLAT: (say("Go to the history"), "history", ""),
    FindingKind.CONFIDENCE_FLAT: (say("Go to the history"), "history", ""),
    FindingKind.ANSWER_FLAT: (say("Go to the history"), "history", ""),
    FindingKind.ROUTE_FLAT: (say("Go to the log"), "route", "log"),
    FindingKind.LLM_NEVER: (say("Go to the connection"), "connection", ""),
    FindingKind.ENCODER_ABSENT: (say("Open the setting"), "settings", "encoder.name"),
    FindingKind.TRIGGER_TAKEN: (say("Go to the memory"), "memories", ""),
    FindingKind.MEMORY_BELOW: (say("Open the setting"), "settings", "combination"),
    FindingKind.MEANING_ELSEWHERE: (say("Go to the memory"), "memories", ""),
    FindingKind.PASSED_OVER: (say("Go to the history"), "history", ""),
    FindingKind.NEVER_SURFACED: (say("Open the setting"), "settings", "search_intent.certain_confidence"),
    FindingKind.MEMORY_HIDDEN: (say("Go to the memory"), "memories", ""),
    FindingKind.BELOW_MIN_SCORE: (say("Open the setting"), "settings", "min_score"),
    FindingKind.MEMORY_PAUSED: (say("Go to the memory"), "memories", ""),
    FindingKind.LABEL_THIN: (say("Go to the memory"), "memories", ""),
    FindingKind.VECTOR_MISSING: (say("Make the vectors"), "retry", "encoder"),
    FindingKind.VECTOR_FOREIGN: (say("Open the setting"), "settings", "encoder.name"),
    FindingKind.ROUTES_UNLEARNED: (say("Go to the cases"), "cases", ""),
    FindingKind.KEYWORD_CROWDED: (say("Go to the powers"), "powers", ""),
    FindingKind.POWER_UNAPPROVED: (say("Go to the power"), "powers", ""),
    FindingKind.POWER_FAILED: (say("Go to the power"), "powers", ""),
}
"""The word of the button, the page, and what is called so there; where that is empty, the chosen thing is meant."""
