"""Evaluation: all answered cases of a task, and their metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.case import Task
from app.domain.confidence import Chance
from app.domain.match import Band, Tier
from app.evaluation.answers import Answered
from app.evaluation.metrics import measured
from app.evaluation.occupancy import Confusion, bands, confusion, tiers
from app.evaluation.tier_quality import SearchTimes, TierQuality, TokenCost, tier_quality
from app.scoring.combiners import COMBINERS
from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Answered cases, metrics (None where one does not apply), and distributions.

    `combination` names the combiner or, for types, the selection policy; `bands` is empty for powers, `tiers` for
    everything else, both for types. `threshold` is the rejection of S8.5. `tier_quality` is for powers only, as are
    `times` and `tokens`, on request.
    """

    task: Task
    combination: str
    threshold: float
    answered: tuple[Answered, ...]
    metrics: Mapping[str, float | None]
    bands: Mapping[Band, int]
    tiers: Mapping[Tier, int]
    confusion: Confusion
    tier_quality: TierQuality | None = None
    times: SearchTimes | None = None
    tokens: TokenCost | None = None
    chance: Chance | None = None
    """Calibration of the confidences, if calibrated."""


def threshold_of(task: Task, settings: Settings, own: float | None = None) -> float:
    """Return the minimum top confidence of a match (S8.5); 0 for routes, always answered (S6.3).

    `own` is the threshold of the best answer's label.
    """
    if task is Task.ROUTE:
        return 0.0
    if task is Task.POWER:
        return settings.tiers.weak
    return settings.fallback_threshold if own is None or not settings.label_thresholds else own


def judged(task: Task, combination: str, answers: Sequence[Answered], settings: Settings) -> Evaluation:
    """Compute everything that is reported about these answers."""
    return Evaluation(
        task=task,
        combination=combination,
        threshold=threshold_of(task, settings),
        answered=tuple(answers),
        metrics=measured(answers),
        bands=bands(answers, settings) if task in (Task.INTENT, Task.MEMORY) else {},
        tiers=tiers(answers) if task is Task.POWER else {},
        confusion=confusion(answers, task),
        tier_quality=tier_quality(answers, settings) if task is Task.POWER else None,
        chance=_chance(task, combination, settings),
    )


def _chance(task: Task, combination: str, settings: Settings) -> Chance | None:
    if combination not in COMBINERS or not COMBINERS[combination].is_calibrated:
        return None
    return settings.calibration.powers if task is Task.POWER else settings.calibration.memories
