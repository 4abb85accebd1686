"""Which candidates are the best of all? Those that scoring each of them exactly would give."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Answer, Kind
from app.domain.scope.resolution import BestScores
from app.scoring.columns.column_answer import Floats, Places
from app.scoring.combiners import combiner_for
from app.scoring.index.layout import Layout
from app.scoring.index.scales import Scale, as_chances, scale_for
from app.scoring.index.scores import Scores
from app.scoring.index.search import NOTHING, Search
from app.scoring.shares import SHARED, Shares
from app.settings.model import Settings


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
    scales: Mapping[bool, Scale | None] = field(default_factory=dict)
    """By whether it is for powers, what tells the confidences; without one as they were combined."""

    others: Mapping[int, int] | None = None
    """How many other memories stand under the label of each ranked one; None where each memory is its own answer."""

    best_scores: BestScores | None = None
    """What the best powers score, where their confidences are shares."""

    @property
    def any_power(self) -> float | None:
        """The chance that any power is right; None where confidences of powers are no shares of one whole."""
        scale = self.scales.get(True)
        return scale.any if isinstance(scale, Shares) else None


def rank(scores: Scores, settings: Settings, count: int, *, by_label: bool = False) -> Ranking:
    """The `count` best memories and powers: those that scoring every candidate exactly would give.

    `by_label` takes the memories of one label for one answer (S1.3), which the best of them, as it scores by itself,
    stands for.
    """
    assert scores.quick is not None, "only the index's own scores are ranked"
    quick, layout = scores.quick, scores.layout
    found, scales = {False: NOTHING, True: NOTHING}, dict[bool, Scale | None]()
    memories, powers = layout.memory_places, layout.power_places
    for power, own, others in ((False, memories, powers), (True, powers, memories)):
        if len(own):
            labels = layout.groups if by_label and not power else None
            combiner, most = combiner_for(settings, power=power), count
            tells = combiner.is_shared and (by_label or power or not layout.is_grouped)
            if tells:  # who are best of all are the best of their labels, which share the whole
                most = max(count, SHARED)
            places, combined = Search(quick, combiner, settings, power, labels).best(others, most)
            scales[power] = scale_for(scores, settings, power=power, best=combined if tells else None)
            found[power] = places[:count], as_chances(scales[power], combined[:count])
    confidence_of = {
        place: value
        for places, values in found.values()
        for place, value in zip(places.tolist(), values.tolist(), strict=True)
    }
    same_label = _of_same_label(layout, found[False][0]) if by_label else None
    best_scores = scores.best_of_powers if isinstance(scales.get(True), Shares) else None
    return Ranking(found[False][0], found[True][0], confidence_of, scales, same_label, best_scores)


def _of_same_label(layout: Layout, places: Places) -> Mapping[int, int]:
    """How many other live slots share the label of each of these places."""
    sizes = np.bincount(layout.groups)
    return dict(zip(places.tolist(), (sizes[layout.groups[places]] - 1).tolist(), strict=True))


# --------------------------------------------------------------------------------------------------------------------
# What the index knows an answer by, and when two versions of one score alike

AnswerKey = tuple[Kind, int]
"""What the index knows an answer by: its kind and the store's key."""


def key_of(answer: Answer) -> AnswerKey:
    """ValueError for an answer that was never stored."""
    if answer.key is None:
        raise ValueError(f"“{answer.name}” has no key yet")
    return answer.kind, answer.key


def group_of(answer: Answer) -> Hashable:
    """What the answers have in common that share a centroid: a label, or a single answer's key."""
    label = answer.answer_label
    return key_of(answer) if label is None else label


def score_alike(present: Answer, other: Answer) -> bool:
    """Whether two versions of one answer have the same triggers, group and keywords; a paused one has none of them."""
    if other.paused or present.triggers != other.triggers or group_of(present) != group_of(other):
        return False
    return present.kind is Kind.MEMORY or (present.name, present.keywords) == (other.name, other.keywords)
