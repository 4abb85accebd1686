"""The six search-intent types (document 000), keyword rules, and detected intents."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.confidence import checked_confidence


class IntentType(StrEnum):
    """The six types of 000, in the order of their fixed priority (S3.3)."""

    HOWTO = "howto"
    TROUBLESHOOT = "troubleshoot"
    LOCATION = "location"
    EXPLANATION = "explanation"
    COMPARISON = "comparison"
    GENERAL = "general"


TYPE_NAMES = frozenset(type_.value for type_ in IntentType)

ALIASES: dict[str, IntentType] = {
    "how_to": IntentType.HOWTO,
    "how-to": IntentType.HOWTO,
    "implementation": IntentType.HOWTO,
    "find": IntentType.LOCATION,
    "where": IntentType.LOCATION,
    "explain": IntentType.EXPLANATION,
    "what": IntentType.EXPLANATION,
    "compare": IntentType.COMPARISON,
    "vs": IntentType.COMPARISON,
    "debug": IntentType.TROUBLESHOOT,
    "error": IntentType.TROUBLESHOOT,
    "fix": IntentType.TROUBLESHOOT,
    "search": IntentType.GENERAL,
    "query": IntentType.GENERAL,
}
"""Aliases of the types (S1.1)."""


def intent_type(name: str) -> IntentType | None:
    """Return the type of a name or alias, ignoring case; None if unknown."""
    word = name.strip().lower()
    if word in ALIASES:
        return ALIASES[word]
    return IntentType(word) if word in TYPE_NAMES else None


class DetectionSource(StrEnum):
    """Part of the detector that decided."""

    KEYWORD = "keyword"
    LEARNED = "learned"
    LLM = "llm"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class SearchIntent:
    """Detected intent: type, confidence in [0, 1], source, matched cues as typed, and topics.

    `beside` holds the confidences of other types from the same cues or examples, each in [0, 1].
    """

    type: IntentType
    confidence: float
    source: DetectionSource
    keywords: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    beside: tuple[tuple[IntentType, float], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)

    def given(self, type_: IntentType) -> float:
        """Return the confidence of a type: the detected type's own, or one from `beside`."""
        return self.confidence if type_ is self.type else dict(self.beside).get(type_, 0.0)


# ---- Keyword rules and their matches


class RulePurpose(StrEnum):
    """Kind of label that a rule gives."""

    SEARCH_INTENT = "search_intent"
    ROUTE = "route"


@dataclass(frozen=True, slots=True)
class Rule:
    """Keyword pattern with a label.

    `id` is unique and stable ("howto.how-do-i"); `pattern` is a regular expression in RE2 syntax, matched on word
    borders, ignoring case; `unless` is a second pattern that suppresses the rule if it matches anywhere. `weight`
    counts as evidence (S3.3); `confidence`, if set, is the rule's own (S3.5). `key` is the row in the store,
    `version` the step that last changed the rule; neither is compared.
    """

    id: str
    label: str
    pattern: str
    pack: str
    position: int
    weight: float = 1.0
    confidence: float | None = None
    unless: str | None = None
    purpose: RulePurpose = RulePurpose.SEARCH_INTENT
    enabled: bool = True
    key: int | None = field(default=None, compare=False)
    version: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RuleHit:
    """Matched rule: span of the first match (code points, end exclusive) and its evidence.

    `held_back`: `unless` matched; `negated`: the text negates every match. `further` holds the spans of the other
    matches.
    """

    rule: Rule
    span: tuple[int, int]
    text: str
    evidence: float
    held_back: bool = False
    negated: bool = False
    further: tuple[tuple[int, int], ...] = ()

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Spans of all matches, the counted one first."""
        return (self.span, *self.further)
