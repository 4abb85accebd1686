"""Best candidates by exact scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.domain.scope.inspection import BestScores
from app.scoring.columns.column import Floats, Places
from app.scoring.combiners import combiner_for
from app.scoring.index.layout import Layout
from app.scoring.index.scales import Scale, as_chances, scale_for, within_for
from app.scoring.index.scores import Scores
from app.scoring.index.search import NOTHING, Search
from app.scoring.shares import SHARED, Shares, Within
from app.settings.model import Settings


def best(values: Floats, count: int) -> NDArray[np.intp]:
    """Return the positions of the `count` largest values, best first, ties by position."""
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    threshold = -np.partition(-values, count - 1)[count - 1]
    places = np.flatnonzero(values >= threshold)
    chosen: NDArray[np.intp] = places[np.argsort(-values[places], kind="stable")][:count]
    return chosen


@dataclass(frozen=True, slots=True)
class Ranking:
    """Best candidates of each kind, best first: positions among live slots, and confidences."""

    memories: NDArray[np.intp]
    powers: NDArray[np.intp]
    confidences: Mapping[int, float]
    scales: Mapping[bool, Scale | None] = field(default_factory=dict)
    """Calibration or shares, by whether it is for powers; None: confidences as combined."""

    others: Mapping[int, int] | None = None
    """Number of other memories with the label of each ranked one.

    None if memories are not grouped.
    """

    best_scores: BestScores | None = None
    """Best scores of powers, where their confidences are shares."""

    within: Within | None = None
    """Division of labels among their memories; None if none compete, or if ranked by label."""

    @property
    def any_power(self) -> float | None:
        """Probability that any power is right; None where powers' confidences are not shares."""
        scale = self.scales.get(True)
        return scale.any if isinstance(scale, Shares) else None


def rank(scores: Scores, settings: Settings, count: int, *, by_label: bool = False) -> Ranking:
    """Rank the `count` best memories and powers, as by exact scores of all candidates.

    `by_label` treats the memories of one label as one answer (S1.3), represented by the best.
    """
    assert scores.quick is not None, "only the index's own scores are ranked"
    quick, layout = scores.quick, scores.layout
    found, scales = {False: NOTHING, True: NOTHING}, dict[bool, Scale | None]()
    memories, powers = layout.memory_places, layout.power_places
    within: Within | None = None
    for power, own, others in ((False, memories, powers), (True, powers, memories)):
        if len(own):
            labels = layout.groups if by_label and not power else None
            combiner = combiner_for(settings, power=power)
            tells = combiner.is_shared and (by_label or power or not layout.is_grouped)
            # Where `tells`, the best candidates include the best of their labels, which share the whole.
            most, apart = max(count, SHARED) if tells else count, None
            if not (tells or power):
                scales[power] = scale_for(scores, settings, power=power)
                within = within_for(scores, settings, scales[power])
                apart = None if within is None else within.places
            places, combined = Search(quick, combiner, settings, power, labels).best(others, most, apart)
            if power not in scales:
                scales[power] = scale_for(scores, settings, power=power, best=combined if tells else None)
            found[power] = places[:count], as_chances(scales[power], combined[:count])
            if not power and within is not None:
                found[power] = _merged(found[power], (within.places, within.chances), count)
    confidence_of = {
        place: value
        for places, values in found.values()
        for place, value in zip(places.tolist(), values.tolist(), strict=True)
    }
    same_label = _of_same_label(layout, found[False][0]) if by_label else None
    best_scores = scores.best_of_powers if isinstance(scales.get(True), Shares) else None
    return Ranking(found[False][0], found[True][0], confidence_of, scales, same_label, best_scores, within)


def _merged(one: tuple[Places, Floats], other: tuple[Places, Floats], count: int) -> tuple[Places, Floats]:
    """Return the `count` largest of both, best first, ties by position."""
    places, values = (np.concatenate(parts) for parts in zip(one, other, strict=True))
    order = np.lexsort((places, -values))[:count]
    return places[order], values[order]


def _of_same_label(layout: Layout, places: Places) -> Mapping[int, int]:
    """Count the other live slots with the label of each of these positions."""
    sizes = np.bincount(layout.groups)
    return dict(zip(places.tolist(), (sizes[layout.groups[places]] - 1).tolist(), strict=True))
