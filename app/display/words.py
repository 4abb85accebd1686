"""The words of the product: what types, bands, tiers, scorers, stages and states are called on screen."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.intent import DetectionSource, IntentType
from app.domain.library import Kind
from app.domain.match import Band, Tier
from app.scoring.scorers import SCORERS, Scorer

Translator = Callable[[str, int], str]
"""From an English text and a count (-1 for none) to the user's language."""

_translators: list[Translator] = []


def speak_with(translator: Translator) -> None:
    """Let all words from now on go through a translator; the window puts Qt's here."""
    _translators[:] = [translator]


def translate(text: str, count: int = -1) -> str:
    """The text in the user's language."""
    return _translators[0](text, count) if _translators else text


def say(text: str, **values: object) -> str:
    """A sentence in the user's language, its {places} filled."""
    said = translate(text)
    return said.format(**values) if values else said


def say_n(n: int, one: str, many: str, **values: object) -> str:
    """A sentence that counts: `many` holds {n}; a translation may know more plural forms than English."""
    said = translate(many, n)
    if said == many and n == 1:
        said = one
    return said.format(n=f"{n:,}", **values)


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
    return translate(STAGES.get(name, name.replace("_", " ").capitalize()))


def type_word(kind: IntentType | str) -> str:
    """The name of a search-intent type as people read it."""
    known = IntentType(kind) if kind in IntentType.__members__.values() else None
    return translate(TYPES[known]) if known else str(kind)


def policy(name: str) -> str:
    """The name of a selection policy as people read it."""
    return translate(POLICIES.get(name, name.capitalize()))


def merge_policy(name: str) -> str:
    """The name of a merge policy as people read it."""
    return translate(MERGES.get(name, name))
