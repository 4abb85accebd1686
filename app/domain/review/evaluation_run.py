"""Stored evaluation: its settings and the outcome of each case, without the cases' texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.case import Delivered, Task
from app.domain.confidence import checked_confidence


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """Stored evaluation: its time, source, counts, metrics and conditions.

    `at` is in seconds since 1970; `source` is the file of its cases, "" for the profile. `settings` holds the
    dotted keys that affect answers, `digests` identify the library, `step` is the newest step of the journal,
    `versions` those of program and encoder. `key` is None until it is stored.
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
    """Outcome of one case: best answer, confidence in [0, 1], rank of the first right one.

    `shared` is the probability that any answer is right, where confidences are shares. `scores` are those of the
    best answer by scorer; `cues` is other evidence: rules that matched, or how a route was found.
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
    delivered: Delivered | None = None
    """Delivery of the query.

    None for tasks without one, and in runs of older versions.
    """

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)
