"""Duplicate and near-duplicate triggers, and the answers that hold them (S7.3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.confidence import checked_confidence
from app.domain.library import Answer
from app.domain.review.health import Area, Effect, Evidence, Severity


@dataclass(frozen=True, slots=True)
class SimilarityThresholds:
    """Thresholds of near duplicates, by spelling and by meaning, in [0, 1].

    Measured on the 14,972 triggers of 150 labels of CLINC150: 1,546 pairs of one label and 37 of two labels reach
    0.90 by spelling; 3,029 and 8 reach 0.95 by meaning. At 0.85 by meaning there are 30,139 and 321, mostly plain
    paraphrases.
    """

    spelling: float
    meaning: float

    def __post_init__(self) -> None:
        checked_confidence(self.spelling)
        checked_confidence(self.meaning)


class DuplicateKind(StrEnum):
    """Kinds of findings, most urgent first."""

    CONFLICT = "conflict"
    NEAR_CONFLICT = "near_conflict"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"

    @property
    def severity(self) -> Severity:
        return _SEVERITIES[self]

    @property
    def is_near(self) -> bool:
        return self in (DuplicateKind.NEAR_CONFLICT, DuplicateKind.NEAR_DUPLICATE)


_SEVERITIES = dict(zip(DuplicateKind, (Severity.FAULT, Severity.WARNING, Severity.NOTE, Severity.NOTE), strict=True))


@dataclass(frozen=True, slots=True)
class TriggerUse:
    """Trigger of an answer; `meant` is the answer's identity: a label, a response, or a power."""

    answer: Answer
    trigger: str
    meant: str


@dataclass(frozen=True, slots=True)
class DuplicateFinding:
    """Two or more uses of one trigger, or two near duplicates with their scores.

    `meaning` is None where a trigger has no vector. The most used holding comes first.
    """

    likeness: DuplicateKind
    holdings: tuple[TriggerUse, ...]
    spelling: float = 1.0
    meaning: float | None = None

    @property
    def severity(self) -> Severity:
        return self.likeness.severity

    area = Area.DUPLICATES
    is_general = is_shipped = False

    def effect(self, evidence: Evidence) -> Effect:
        """Return the wrong cases and queries between the answers with the trigger.

        There are none if these are one answer.
        """
        return evidence.between({holding.answer.answer_label or holding.answer.name for holding in self.holdings})


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Trigger of another answer that equals or nearly equals the typed text, with its scores."""

    answer: Answer
    trigger: str
    spelling: float
    meaning: float | None
    is_same: bool
