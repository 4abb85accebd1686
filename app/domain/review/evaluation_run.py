"""A stored evaluation run: its settings and the outcome of each case, without the texts of the cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.case import Task
from app.domain.confidence import checked_confidence


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """One evaluation: `at` in seconds since 1970, where its cases came from ("" for the profile), what they came to,
    and what that rested on.

    `settings` are those that answers depend on, by their dotted keys; `digests` say what was taught, `step` is the
    newest step of the journal then, `versions` are those of program and encoder. `key` is None until it is kept.
    """

    at: float
    task: Task
    source: str
    cases: int
    right: int
    combination: str
    threshold: float
    metrics: Mapping[str, float | None]
    settings: Mapping[str, str]
    digests: Mapping[str, int]
    versions: Mapping[str, str]
    step: int
    key: int | None = None


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What one case came to: the best answer and its confidence in [0, 1], whether it was rejected, and the place of
    the first right one, from 1.

    `shared` is the chance that any answer is right, where confidences are shares. `scores` are those of the best answer
    by scorer; `cues` name what else spoke for it: rules that fired, or how a route was found.
    """

    text: str
    top: str | None
    confidence: float
    rejected: bool
    rank: int | None
    shared: float | None = None
    tier: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    cues: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)
