"""The words of the product: what types, bands, tiers, scorers, stages and states are called on screen."""

from __future__ import annotations

from app.domain import language
from app.domain.intent import DetectionSource, IntentType
from app.domain.library import Kind
from app.domain.match import Band, Tier
from app.scoring.scorers import SCORERS, Scorer

say, say_n = language.say, language.say_n

TYPES: dict[IntentType, str] = {
    IntentType.HOWTO: "How-to",
    IntentType.TROUBLESHOOT: "Troubleshoot",
    IntentType.LOCATION: "Location",
    IntentType.EXPLANATION: "Explanation",
    IntentType.COMPARISON: "Comparison",
    IntentType.GENERAL: "General",
}

BANDS: dict[Band, str] = {
    Band.HIGH: "High",
    Band.MEDIUM: "Medium",
    Band.LOW: "Low",
    Band.FALLBACK: "Not found",
}

TIERS: dict[Tier, str] = {
    Tier.ACTIVATED: "Would be activated",
    Tier.MULTIPLE_MATCHES: "Multiple matches",
    Tier.WEAK_MATCHES: "Weak matches",
    Tier.NOT_FOUND: "Not found",
}

SHORT_TIERS: dict[Tier, str] = {
    Tier.ACTIVATED: "Activates",
    Tier.MULTIPLE_MATCHES: "Multiple",
    Tier.WEAK_MATCHES: "Weak",
    Tier.NOT_FOUND: "Not found",
}

KINDS: dict[Kind, str] = {Kind.MEMORY: "Memory", Kind.POWER: "Power"}

SOURCES: dict[DetectionSource, str] = {
    DetectionSource.KEYWORD: "From keywords",
    DetectionSource.LEARNED: "From what is learned",
    DetectionSource.LLM: "From the LLM",
    DetectionSource.HYBRID: "From keywords and the LLM",
}

POLICIES: dict[str, str] = {"evidence": "Evidence", "priority": "Priority"}

MERGES: dict[str, str] = {"adr": "as decided", "shipped": "as built"}
"""The merge policies: what the source's decision record says of keywords and LLM, and what its program does."""

STAGES: dict[str, str] = {
    "keywords": "Keywords",
    "detect": "Keywords",
    "lexical": "Lexical",
    "learned": "Learned types",
    "paint": "Painting",
    "embed query": "Embed query",
    "semantic": "Semantic",
    "combine": "Combine",
    "resolve": "Resolve",
    "route": "Route",
    "route llm": "Route by the LLM",
    "merge": "Merge",
    "llm": "LLM",
}


def scorer(key: str) -> Scorer:
    """The row of a scorer; one that is not in the table gets its words from its key."""
    name = key.replace("_", " ").capitalize()
    return SCORERS.get(key) or Scorer(key, name, name[:1], name)


def stage(name: str) -> str:
    """The name of a timed step as people read it."""
    return say(STAGES.get(name, name.replace("_", " ").capitalize()))


def type_word(kind: IntentType | str) -> str:
    """The name of a search-intent type as people read it."""
    known = IntentType(kind) if kind in IntentType.__members__.values() else None
    return say(TYPES[known]) if known else str(kind)


def policy(name: str) -> str:
    """The name of a selection policy as people read it."""
    return say(POLICIES.get(name, name.capitalize()))


def merge_policy(name: str) -> str:
    """The name of a merge policy as people read it."""
    return say(MERGES.get(name, name))
