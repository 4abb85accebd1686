"""From what a combination ranks by to the confidence that is reported: by a scale, or as a share of all."""

from __future__ import annotations

import numpy as np

from app.domain.confidence import Chance
from app.scoring.columns.column_answer import Floats, Places
from app.scoring.combiners import Combiner, combiner_for
from app.scoring.index.layout import Layout
from app.scoring.index.scores import Scores
from app.scoring.index.search import Search
from app.scoring.shares import SHARED, Shares
from app.settings.model import Settings

Scale = Chance | Shares


def combined(scores: Scores, settings: Settings) -> Floats:
    """What each live slot is ranked by, in [0, 1]; memories and powers each by their combination."""
    if len(scores.layout.slots) == 0:
        return np.zeros(0)
    for_memory, for_power = combiner_for(settings, power=False), combiner_for(settings, power=True)
    found = for_memory.combine(scores.by_slot, settings)
    if for_power is not for_memory:
        found = np.where(scores.layout.is_power, for_power.combine(scores.by_slot, settings), found)
    values: Floats = np.clip(np.nan_to_num(found, nan=0.0), 0.0, 1.0)
    return values


def confidences(scores: Scores, settings: Settings) -> Floats:
    """One confidence in [0, 1] per live slot."""
    values, layout = combined(scores, settings), scores.layout
    for power, places in ((False, layout.memory_places), (True, layout.power_places)):
        if not len(places):
            continue
        is_shared = combiner_for(settings, power=power).is_shared
        best = best_of_groups(layout.groups[places], values[places]) if is_shared else None
        scale = scale_for(scores, settings, power=power, best=best)
        if scale is not None:
            values = values.copy()
            values[places] = as_chances(scale, values[places])
    return values


def scale_for(scores: Scores, settings: Settings, *, power: bool, best: Floats | None = None) -> Scale | None:
    """What tells the confidences of this kind; None where they are told as they are combined, as without the query's
    vector, of which no scale knows anything. `best` are the SHARED best of what is combined, one of each group, where
    they are known."""
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
    shares = known[power, logit] = Shares.of(logit, best[:SHARED].tolist(), scores.readings.get(power))
    return shares


def _best_of_groups(scores: Scores, settings: Settings, combiner: Combiner, power: bool) -> Floats:
    """The SHARED best of what is combined, one of each group: by the quick way where there is one."""
    layout = scores.layout
    own, others = layout.memory_places, layout.power_places
    if power:
        own, others = others, own
    if scores.quick is not None:
        return Search(scores.quick, combiner, settings, power, layout.groups).best(others, SHARED)[1]
    every = combined(scores, settings)
    return best_of_groups(layout.groups[own], every[own])


def best_of_groups(groups: Places, values: Floats) -> Floats:
    """The SHARED largest among the best of each group, largest first; `groups` tells that of each value."""
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
    """How many answers these live slots are: those of one label are one."""
    return int(np.count_nonzero(np.bincount(layout.groups[places])))


def as_chances(scale: Scale | None, values: Floats) -> Floats:
    """The confidences that people see for the combined ones."""
    # One by one, as the account of a match has it: an array's own exponential may differ in the last digit.
    return values if scale is None else np.fromiter(map(scale, values.tolist()), np.float64, len(values))
