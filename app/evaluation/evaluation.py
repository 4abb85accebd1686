"""One evaluation: every answered case of a task, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.case import Task
from app.domain.match import Band, Tier
from app.evaluation.answers import Answered
from app.evaluation.metrics import measured
from app.evaluation.occupancy import Confusion, bands, confusion, tiers
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The cases as answered, the metrics (None where one does not apply), and where the answers fell.

    `combination` names the combiner or, for types, the selection policy; `bands` is empty for powers, which have
    tiers, and `tiers` for everything else; both are empty for types. `threshold` is the rejection of S8.5.
    """

    task: Task
    combination: str
    threshold: float
    answered: tuple[Answered, ...]
    metrics: Mapping[str, float | None]
    bands: Mapping[Band, int]
    tiers: Mapping[Tier, int]
    confusion: Confusion


def threshold_of(task: Task, settings: Settings) -> float:
    """Below this top confidence a case counts as "no match" (S8.5)."""
    return settings.tiers.weak if task is Task.POWER else settings.fallback_threshold


def judged(task: Task, combination: str, answers: Sequence[Answered], settings: Settings) -> Evaluation:
    """Work out everything that is told about these answers."""
    return Evaluation(
        task=task,
        combination=combination,
        threshold=threshold_of(task, settings),
        answered=tuple(answers),
        metrics=measured(answers),
        bands=bands(answers, settings) if task in (Task.INTENT, Task.MEMORY) else {},
        tiers=tiers(answers) if task is Task.POWER else {},
        confusion=confusion(answers, task),
    )
