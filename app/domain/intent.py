"""What a user wants: the six search-intent types, the rules for them, and a detected intent (document 000)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.confidence import checked_confidence


class IntentType(StrEnum):
    """The six types of 000, in the order of its fixed priority (S3.3)."""

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
"""Other names of the types (S1.1)."""


def intent_type(name: str) -> IntentType | None:
    """The type that a name or alias stands for, in any case; None for any other word."""
    word = name.strip().lower()
    if word in ALIASES:
        return ALIASES[word]
    return IntentType(word) if word in TYPE_NAMES else None


class DetectionSource(StrEnum):
    """Which part of the detector decided."""

    KEYWORD = "keyword"
    LEARNED = "learned"
    LLM = "llm"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class SearchIntent:
    """A detected intent: type, confidence in [0, 1], source, the matched cues as typed, and topics.

    `beside` says what the same cues or examples gave other types, in [0, 1] each.
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
        """What a type was given: its own the confidence, another what stands beside it."""
        return self.confidence if type_ is self.type else dict(self.beside).get(type_, 0.0)


# --------------------------------------------------------------------------------------------------------------------
# Keyword rules, which are data, and the places where they matched


class RulePurpose(StrEnum):
    """What the labels of a rule stand for."""

    SEARCH_INTENT = "search_intent"
    ROUTE = "route"


@dataclass(frozen=True, slots=True)
class Rule:
    """A keyword pattern with a label.

    `id` is unique and stable ("howto.how-do-i"); `pattern` is a regular expression in RE2 syntax, matched on whole
    words in any case; `unless` is a second one: where it is found anywhere in the text, the rule is held back.
    `weight` counts as evidence (S3.3); `confidence`, if set, is the rule's own (S3.5). `key` is the store's number and
    `version` that of the step that made the rule what it is; neither takes part in comparisons.
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
    """One rule that matched: where first (code points, end exclusive), its evidence, whether it was held back, and
    whether the text negates it wherever it stands. `further` are the other places where its cue stands."""

    rule: Rule
    span: tuple[int, int]
    text: str
    evidence: float
    held_back: bool = False
    negated: bool = False
    further: tuple[tuple[int, int], ...] = ()

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Every place, the one that counts first."""
        return (self.span, *self.further)
