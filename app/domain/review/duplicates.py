"""Duplicate and near-duplicate triggers: findings, and the answers that hold them (S7.3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.confidence import checked_confidence
from app.domain.library import Answer


@dataclass(frozen=True, slots=True)
class SimilarityThresholds:
    """The thresholds of near duplicates: by spelling, or by meaning.

    Measured on the 14,972 triggers of 150 labels of CLINC150: from 0.90 by spelling on, 1,546 pairs lie under one label
    and 37 under two, nearly all of them wordings that only one word tells apart; from 0.95 by meaning on, 3,029 and 8.
    At 0.85 the latter are 30,139 and 321, most of which are plain paraphrases.
    """

    spelling: float = 0.90
    meaning: float = 0.95

    def __post_init__(self) -> None:
        checked_confidence(self.spelling)
        checked_confidence(self.meaning)


class DuplicateKind(StrEnum):
    """The kinds of findings, the most urgent first."""

    CONFLICT = "conflict"
    NEAR_CONFLICT = "near_conflict"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"

    @property
    def is_near(self) -> bool:
        return self in (DuplicateKind.NEAR_CONFLICT, DuplicateKind.NEAR_DUPLICATE)

    @property
    def is_conflict(self) -> bool:
        return self in (DuplicateKind.CONFLICT, DuplicateKind.NEAR_CONFLICT)


@dataclass(frozen=True, slots=True)
class TriggerUse:
    """One trigger of one answer; `meant` is what both are told apart by: a label, a response, or a power."""

    answer: Answer
    trigger: str
    meant: str


@dataclass(frozen=True, slots=True)
class DuplicateFinding:
    """Two or more holdings of the same trigger, or two of nearly the same; the scores are those of the latter.

    `meaning` is None where a trigger has no vector. Of the holdings, the one that is used most comes first.
    """

    likeness: DuplicateKind
    holdings: tuple[TriggerUse, ...]
    spelling: float = 1.0
    meaning: float | None = None


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """A trigger of another answer that nearly or exactly equals the typed text; scores as of a query."""

    answer: Answer
    trigger: str
    spelling: float
    meaning: float | None
    is_same: bool
