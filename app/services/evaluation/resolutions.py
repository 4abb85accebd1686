"""Resolutions, as far as they depend on names and confidences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.detect.resolve import resolve
from app.domain.case import Task
from app.domain.library import Power
from app.domain.match import Match
from app.domain.scope.resolution import WEAK, BestScores, Resolution
from app.scoring.columns.exact import Floats
from app.scoring.combiners import are_shares
from app.scoring.index.ranking import best
from app.scoring.shares import SHARED
from app.settings.model import Settings


def shared_of(values: Floats, task: Task, settings: Settings, *, has_vector: bool) -> float | None:
    """Return the probability that any answer is right; None if confidences are no shares."""
    if task is Task.MEMORY or not are_shares(settings, power=task is Task.POWER, has_vector=has_vector):
        return None
    return min(1.0, float(np.sort(values)[-SHARED:].sum()))


def resolution_of(
    names: Sequence[str], values: Floats, settings: Settings, *, has_vector: bool, best_scores: BestScores | None
) -> Resolution:
    """Return the resolution from names, confidences and best scores (S5.1, S5.3)."""
    found = [bare_match(names[place], float(values[place])) for place in best(values, WEAK)]
    shared = shared_of(values, Task.POWER, settings, has_vector=has_vector)
    return resolve("", found, (), settings, shared=shared, best_scores=best_scores)


def bare_match(name: str, confidence: float) -> Match:
    """Make a minimal match: enough for a resolution's status and its number of powers."""
    return Match(Power(name), confidence, {}, (), name)
