"""One evaluation: every answered case of a task, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.case import Task
from app.domain.confidence import Chance
from app.domain.match import Band, Tier
from app.evaluation.answers import Answered
from app.evaluation.metrics import measured
from app.evaluation.occupancy import Confusion, bands, confusion, tiers
from app.evaluation.tier_quality import SearchTimes, TierQuality, tier_quality
from app.evaluation.token_cost import TokenCost
from app.scoring.combiners import COMBINERS
from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The cases as answered, the metrics (None where one does not apply), and where the answers fell.

    `combination` names the combiner or, for types, the selection policy; `bands` is empty for powers, which have
    tiers, and `tiers` for everything else; both are empty for types. `threshold` is the rejection of S8.5. Of powers
    alone there is `tier_quality`, and where they were asked for `times` and `tokens`.
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
    """The scale by which the confidences were told, if they were."""


def threshold_of(task: Task, settings: Settings, own: float | None = None) -> float:
    """Below this top confidence a case counts as "no match" (S8.5); a route is always answered (S6.3). `own` is the
    threshold that the label of the best answer carries."""
    if task is Task.ROUTE:
        return 0.0
    if task is Task.POWER:
        return settings.tiers.weak
    return settings.fallback_threshold if own is None or not settings.label_thresholds else own


def judged(task: Task, combination: str, answers: Sequence[Answered], settings: Settings) -> Evaluation:
    """Work out everything that is reported about these answers."""
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
