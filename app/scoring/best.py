"""Which candidates are the best? Told by bounds, and by the exact scores of the few whose bound reaches that high."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.scoring.asked import SLACK, Floats, Places, Singles
from app.scoring.combiners import Combiner, combiner_for
from app.scoring.scores import Quick, Scores
from app.settings import Settings

FIRST, TIMES = 32, 8
"""So many candidates are scored exactly at first, and so many times more in each further round."""

_SETTLED = np.float32(0.0)
"""The bound of a candidate that was scored, that is not to be ranked, or that scores 0."""


def confidences(scores: Scores, settings: Settings) -> Floats:
    """One confidence in [0, 1] per live slot; memories and powers each by their combination."""
    if len(scores.layout.slots) == 0:
        return np.zeros(0)
    for_memory, for_power = combiner_for(settings, power=False), combiner_for(settings, power=True)
    combined = for_memory.combine(scores.by_slot, settings)
    if for_power is not for_memory:
        combined = np.where(scores.layout.is_power, for_power.combine(scores.by_slot, settings), combined)
    return np.clip(np.nan_to_num(combined, nan=0.0), 0.0, 1.0)


def best(values: Floats, count: int) -> NDArray[np.intp]:
    """The places of the `count` largest values, best first; equal ones in the order of their places."""
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    threshold = -np.partition(-values, count - 1)[count - 1]
    places = np.flatnonzero(values >= threshold)
    chosen: NDArray[np.intp] = places[np.argsort(-values[places], kind="stable")][:count]
    return chosen


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best candidates of each kind, best first: places in the arrays of live slots, and their confidences."""

    memories: NDArray[np.intp]
    powers: NDArray[np.intp]
    confidences: Mapping[int, float]


def rank(scores: Scores, settings: Settings, count: int) -> Ranking:
    """The `count` best memories and powers: those that scoring every candidate exactly would give."""
    assert scores.quick is not None, "only the index's own scores are ranked"
    quick, is_power = scores.quick, scores.layout.is_power
    powers, none = np.flatnonzero(is_power), (np.zeros(0, np.intp), np.zeros(0))
    memories, values = none
    if len(powers) < len(is_power):
        memories, values = _best_of(quick, combiner_for(settings, power=False), settings, powers, count)
    confidence_of = dict(zip(memories.tolist(), values.tolist(), strict=True))
    if len(powers):
        others = np.flatnonzero(~is_power)
        powers, values = _best_of(quick, combiner_for(settings, power=True), settings, others, count)
        confidence_of |= zip(powers.tolist(), values.tolist(), strict=True)
    return Ranking(memories, powers, confidence_of)


def _best_of(quick: Quick, combiner: Combiner, settings: Settings, others: Places, count: int) -> tuple[Places, Floats]:
    """The places and confidences of the `count` best but for `others`, best first."""
    bound = np.array(combiner.above(quick.above, settings), np.float32)
    if not (lowest := bound.min()) > _SETTLED:
        np.fmax(bound, _SETTLED, out=bound)
    places = np.zeros(0, np.intp) if lowest > _SETTLED else _first_without(bound, others, count)
    values = np.zeros(len(places))
    bound[others] = _SETTLED
    size, least = max(FIRST, count), 0.0
    while len(fresh := _open(bound, least, size)):
        bound[fresh] = _SETTLED
        if least > 0.0 and "semantic" in quick.above:
            nearly = combiner.above(quick.nearly(fresh), settings)
            fresh = fresh[np.fmax(nearly, _SETTLED) >= least - 2 * SLACK]
        exact = combiner.combine(quick.at(fresh).by_slot, settings)
        places = np.concatenate([places, fresh])
        values = np.concatenate([values, np.minimum(np.fmax(exact, 0.0), 1.0)])
        order = np.lexsort((places, -values))[:count]
        places, values = places[order], values[order]
        least = float(values[-1]) if len(values) == count else 0.0
        size *= TIMES
    return places, values


def _first_without(bound: Singles, others: Places, count: int) -> Places:
    """The first places that can only score 0; where they rank at all, they rank in this order."""
    is_none = bound <= _SETTLED
    is_none[others] = False
    chosen: Places = np.flatnonzero(is_none)[:count]
    return chosen


def _open(bound: Singles, least: float, size: int) -> Places:
    """At most `size` places whose bound reaches `least`, those with the largest bounds."""
    places: Places
    if least <= 0.0 and len(bound) > size:
        places = np.argpartition(bound, len(bound) - size)[len(bound) - size :]
        return places[bound[places] > _SETTLED]
    places = np.flatnonzero(bound >= np.float32(least - 2 * SLACK) if least > 2 * SLACK else bound > _SETTLED)
    if len(places) > size:
        places = places[np.argpartition(bound[places], len(places) - size)[len(places) - size :]]
    return places
