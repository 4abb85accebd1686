"""What to do about each finding of a look at the health: one sentence, one button, and where it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.detect.reach import Why
from app.display import words
from app.display.review.health_words import figures_of
from app.domain.health import HealthFinding, Sign
from app.domain.match import Band, Tier


@dataclass(frozen=True, slots=True)
class Remedy:
    """The one thing to do: the word of its button, and the page it goes to with what is called so there."""

    word: str
    page: str
    place: str = ""


def advice(finding: HealthFinding) -> str:
    """What to do about it, in a sentence."""
    return words.say(ADVICE[finding.sign], **figures_of(finding))


def remedy(finding: HealthFinding) -> Remedy | None:
    """Where that is done; None where nothing can be done in the window."""
    row = REMEDIES.get(finding.sign)
    if row is None:
        return None
    word, page, place = row
    if finding.sign in (Sign.TIER_DEAD, Sign.BAND_DEAD):
        place = _setting(finding)
    return Remedy(words.say(word), page, place)


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


ADVICE: Mapping[Sign, str] = {
    Sign.TIER_DEAD: "Set another threshold, or take another combination.",
    Sign.BAND_DEAD: "Set another threshold, or take another combination.",
    Sign.ROW_DEAD: "Lower the surfacing threshold if fewer memories are better than none.",
    Sign.NOTHING_SURFACES: "Lower the surfacing threshold.",
    Sign.CASCADE_STEP_DEAD: "Lower the threshold of that step.",
    Sign.TYPE_MUTE: "Switch a rule of the type on, or write one.",
    Sign.ROUTE_UNSURE: "Nothing, where taught examples or the LLM decide for these; else lower the threshold.",
    Sign.RULE_BROKEN: "Mend the pattern; the editor says where it breaks.",
    Sign.RULE_SHADOWED: "Make the earlier rule narrower, or let the evidence decide.",
    Sign.RULE_DUPLICATE: "Switch one of the two off.",
    Sign.RULE_NEVER: "Nothing, if such queries are to come; else try the pattern on a text that it should find.",
    Sign.TYPE_FLAT: "Look whether these queries really are alike.",
    Sign.CONFIDENCE_FLAT: "Look whether a rule’s own confidence hides what differs.",
    Sign.ANSWER_FLAT: "Look whether these queries really are alike.",
    Sign.ROUTE_FLAT: "Look at the log of decisions.",
    Sign.LLM_NEVER: "Try the connection, take a smaller model, or give it more time.",
    Sign.ENCODER_ABSENT: "Choose an encoder that can be loaded.",
    Sign.TRIGGER_TAKEN: "Keep the trigger under one of the two answers.",
    Sign.MEMORY_BELOW: "Take another combination, or lower the threshold.",
    Sign.MEANING_ELSEWHERE: "Look whether the trigger stands under the right answer; if so, teach more like it.",
    Sign.PASSED_OVER: "Teach such a query, or let the answer go.",
    Sign.MEMORY_HIDDEN: "Merge the two.",
    Sign.BELOW_MIN_SCORE: "Lower the least success score, or delete them.",
    Sign.MEMORY_PAUSED: "Nothing, if that is meant; else resume or delete them.",
    Sign.LABEL_THIN: "Teach one or two more triggers in other words.",
    Sign.VECTOR_MISSING: "Have the vectors made.",
    Sign.VECTOR_FOREIGN: "Nothing: they are used again when that encoder is chosen.",
    Sign.ROUTES_UNLEARNED: "Teach route examples as cases.",
    Sign.KEYWORD_CROWDED: "Take the keyword from all but those that it stands for.",
    Sign.POWER_UNAPPROVED: "Look at what would be started, and say yes to it, or pause the power.",
    Sign.POWER_FAILED: "Look at what its server said.",
}

REMEDIES: Mapping[Sign, tuple[str, str, str]] = {
    Sign.TIER_DEAD: ("Open the setting", "settings", ""),
    Sign.BAND_DEAD: ("Open the setting", "settings", ""),
    Sign.ROW_DEAD: ("Open the setting", "settings", "search_intent.surfacing_threshold"),
    Sign.NOTHING_SURFACES: ("Open the setting", "settings", "search_intent.surfacing_threshold"),
    Sign.CASCADE_STEP_DEAD: ("Open the setting", "settings", "thresholds.keyword"),
    Sign.TYPE_MUTE: ("Go to the rules", "rules", ""),
    Sign.ROUTE_UNSURE: ("Open the setting", "settings", "route.threshold"),
    Sign.RULE_BROKEN: ("Go to the rule", "rules", ""),
    Sign.RULE_SHADOWED: ("Go to the rule", "rules", ""),
    Sign.RULE_DUPLICATE: ("Go to the rule", "rules", ""),
    Sign.RULE_NEVER: ("Go to the rule", "rules", ""),
    Sign.TYPE_FLAT: ("Go to the history", "history", ""),
    Sign.CONFIDENCE_FLAT: ("Go to the history", "history", ""),
    Sign.ANSWER_FLAT: ("Go to the history", "history", ""),
    Sign.ROUTE_FLAT: ("Go to the log", "route", "log"),
    Sign.LLM_NEVER: ("Go to the connection", "connection", ""),
    Sign.ENCODER_ABSENT: ("Open the setting", "settings", "encoder.name"),
    Sign.TRIGGER_TAKEN: ("Go to the memory", "memories", ""),
    Sign.MEMORY_BELOW: ("Open the setting", "settings", "combination"),
    Sign.MEANING_ELSEWHERE: ("Go to the memory", "memories", ""),
    Sign.PASSED_OVER: ("Go to the history", "history", ""),
    Sign.MEMORY_HIDDEN: ("Go to the memory", "memories", ""),
    Sign.BELOW_MIN_SCORE: ("Open the setting", "settings", "min_score"),
    Sign.MEMORY_PAUSED: ("Go to the memory", "memories", ""),
    Sign.LABEL_THIN: ("Go to the memory", "memories", ""),
    Sign.VECTOR_MISSING: ("Make the vectors", "retry", "encoder"),
    Sign.VECTOR_FOREIGN: ("Open the setting", "settings", "encoder.name"),
    Sign.ROUTES_UNLEARNED: ("Go to the cases", "cases", ""),
    Sign.KEYWORD_CROWDED: ("Go to the powers", "powers", ""),
    Sign.POWER_UNAPPROVED: ("Go to the power", "powers", ""),
    Sign.POWER_FAILED: ("Go to the power", "powers", ""),
}
"""The word of the button, the page, and what is called so there; where that is empty, the chosen thing is meant."""
