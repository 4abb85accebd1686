"""Reported confidences from combined scores: calibrated, or as shares of all."""

from __future__ import annotations

import numpy as np

from app.domain.confidence import Chance
from app.scoring.columns.bm25 import lacking_words
from app.scoring.columns.column_answer import Floats, Places
from app.scoring.combiners import Combiner, combiner_for
from app.scoring.index.layout import Layout
from app.scoring.index.scores import Scores
from app.scoring.index.search import Search
from app.scoring.index.within import best_of_labels, within_for
from app.scoring.shares import SHARED, Shares
from app.settings.model import Settings

Scale = Chance | Shares


def combined(scores: Scores, settings: Settings) -> Floats:
    """Compute the ranking value of each live slot, in [0, 1], by its kind's combination."""
    if len(scores.layout.slots) == 0:
        return np.zeros(0)
    for_memory, for_power = combiner_for(settings, power=False), combiner_for(settings, power=True)
    found = for_memory.combine(scores.by_slot, settings)
    if for_power is not for_memory:
        found = np.where(scores.layout.is_power, for_power.combine(scores.by_slot, settings), found)
    values: Floats = np.clip(np.nan_to_num(found, nan=0.0), 0.0, 1.0)
    return values


def confidences(scores: Scores, settings: Settings) -> Floats:
    """Compute one confidence in [0, 1] per live slot."""
    values, layout = combined(scores, settings), scores.layout
    for power, places in ((False, layout.memory_places), (True, layout.power_places)):
        if not len(places):
            continue
        is_shared = combiner_for(settings, power=power).is_shared
        best = best_of_groups(layout.groups[places], values[places]) if is_shared else None
        scale = scale_for(scores, settings, power=power, best=best)
        if scale is not None:
            within = None if power else within_for(scores, settings, scale, values)
            values = values.copy()
            values[places] = as_chances(scale, values[places])
            if within is not None:
                values[within.places] = within.chances
    return values


def scale_for(scores: Scores, settings: Settings, *, power: bool, best: Floats | None = None) -> Scale | None:
    """Return the calibration or shares of this kind; None for confidences as combined.

    None without the query's vector. `best` are the SHARED best combined values, one per group, if known.
    """
    combiner = combiner_for(settings, power=power)
    if "semantic" not in scores.by_slot:
        return None
    if not combiner.is_shared:
        return _chance(scores, settings, power) if combiner.is_calibrated else None
    logit = settings.learned.of(power=power, has_regression="regression" in scores.by_slot)
    known = {} if scores.quick is None else scores.quick.shares
    if best is None and (power, logit) in known:
        return known[power, logit]
    if best is None:
        best = _best_of_groups(scores, settings, combiner, power)
    lacking = lacking_words(scores.query.words) if power else 0.0
    shares = known[power, logit] = Shares.of(logit, best[:SHARED].tolist(), scores.readings.get(power), lacking)
    return shares


def _best_of_groups(scores: Scores, settings: Settings, combiner: Combiner, power: bool) -> Floats:
    """Return the SHARED best combined values, one per group, with bounds where available."""
    layout = scores.layout
    own, others = layout.memory_places, layout.power_places
    if power:
        own, others = others, own
    if scores.quick is not None and not power:
        return best_of_labels(scores, settings)[1]
    if scores.quick is not None:
        return Search(scores.quick, combiner, settings, power, layout.groups).best(others, SHARED)[1]
    every = combined(scores, settings)
    return best_of_groups(layout.groups[own], every[own])


def best_of_groups(groups: Places, values: Floats) -> Floats:
    """Return the SHARED largest of the groups' best values, largest first."""
    most = np.zeros(int(groups.max(initial=0)) + 1)
    np.maximum.at(most, groups, values)
    found: Floats = np.sort(most)[::-1][:SHARED]
    return found


def _chance(scores: Scores, settings: Settings, power: bool) -> Chance:
    calibration, layout = settings.calibration, scores.layout
    chance = calibration.powers if power else calibration.memories
    if not chance.crowd:
        return chance
    return chance.among(_answers(layout, layout.power_places if power else layout.memory_places))


def _answers(layout: Layout, places: Places) -> int:
    """Count the answers of these live slots; one label is one answer."""
    return int(np.count_nonzero(np.bincount(layout.groups[places])))


def as_chances(scale: Scale | None, values: Floats) -> Floats:
    """Map combined values to reported confidences."""
    # One by one, as in a match's explanation: numpy's exponential may differ in the last digit.
    return values if scale is None else np.fromiter(map(scale, values.tolist()), np.float64, len(values))
