"""Which candidates are the best? Told by bounds, and by the exact scores of the few whose bound reaches that high."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.domain.confidence import Chance
from app.domain.library import Answer, Kind
from app.scoring.columns.column_answer import SLACK, Floats, Places, Singles
from app.scoring.combiners import Combiner, combiner_for
from app.scoring.index.layout import Layout
from app.scoring.index.scores import Quick, Scores
from app.settings.model import Settings

FIRST, TIMES = 32, 16
"""So many candidates are scored exactly at first, and so many times more in each further round."""

_SETTLED = np.float32(0.0)
"""The bound of a candidate that was scored, that is not to be ranked, or that scores 0."""

_STRETCH = 64

_NOTHING: tuple[Places, Floats] = np.zeros(0, np.intp), np.zeros(0)


def confidences(scores: Scores, settings: Settings) -> Floats:
    """One confidence in [0, 1] per live slot; memories and powers each by their combination."""
    if len(scores.layout.slots) == 0:
        return np.zeros(0)
    for_memory, for_power = combiner_for(settings, power=False), combiner_for(settings, power=True)
    combined = for_memory.combine(scores.by_slot, settings)
    if for_power is not for_memory:
        combined = np.where(scores.layout.is_power, for_power.combine(scores.by_slot, settings), combined)
    values: Floats = np.clip(np.nan_to_num(combined, nan=0.0), 0.0, 1.0)
    for power, places in ((False, scores.layout.memory_places), (True, scores.layout.power_places)):
        chance = chance_for(scores, settings, power=power)
        if chance is not None and len(places):
            values = values.copy()
            values[places] = as_told(chance, values[places])
    return values


def chance_for(scores: Scores, settings: Settings, *, power: bool) -> Chance | None:
    """The scale by which the confidences of this kind are told; None where they are told as they are combined, as
    without the query's vector, of which no scale knows anything."""
    if not combiner_for(settings, power=power).is_calibrated or "semantic" not in scores.by_slot:
        return None
    calibration, layout = settings.calibration, scores.layout
    chance = calibration.powers if power else calibration.memories
    if not chance.crowd:
        return chance
    return chance.among(_answers(layout, layout.power_places if power else layout.memory_places))


def _answers(layout: Layout, places: Places) -> int:
    """How many answers these live slots are: those of one label are one."""
    return int(np.count_nonzero(np.bincount(layout.groups[places])))


def as_told(chance: Chance | None, values: Floats) -> Floats:
    """The confidences that people see for the combined ones."""
    # One by one, as the account of a match has it: an array's own exponential may differ in the last digit.
    return values if chance is None else np.fromiter(map(chance, values.tolist()), np.float64, len(values))


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
    chances: Mapping[bool, Chance | None] = field(default_factory=dict)
    """By whether it is for powers, the scale by which the confidences are told; without one as they were combined."""

    others: Mapping[int, int] | None = None
    """How many other memories stand under the label of each ranked one; None where each memory is its own answer."""


def rank(scores: Scores, settings: Settings, count: int, *, by_label: bool = False) -> Ranking:
    """The `count` best memories and powers: those that scoring every candidate exactly would give.

    `by_label` takes the memories of one label for one answer (S1.3), which the best of them, as it scores by itself,
    stands for.
    """
    assert scores.quick is not None, "only the index's own scores are ranked"
    quick, layout = scores.quick, scores.layout
    found, chances = {False: _NOTHING, True: _NOTHING}, dict[bool, Chance | None]()
    memories, powers = layout.memory_places, layout.power_places
    for power, own, others in ((False, memories, powers), (True, powers, memories)):
        if len(own):
            labels = layout.groups if by_label and not power else None
            search = _Search(quick, combiner_for(settings, power=power), settings, power, labels)
            places, combined = search.best(others, count)
            chances[power] = chance_for(scores, settings, power=power)
            found[power] = places, as_told(chances[power], combined)
    confidence_of = {
        place: value
        for places, values in found.values()
        for place, value in zip(places.tolist(), values.tolist(), strict=True)
    }
    same_label = _of_same_label(layout, found[False][0]) if by_label else None
    return Ranking(found[False][0], found[True][0], confidence_of, chances, same_label)


def _of_same_label(layout: Layout, places: Places) -> Mapping[int, int]:
    """How many other live slots share the label of each of these places."""
    sizes = np.bincount(layout.groups)
    return dict(zip(places.tolist(), (sizes[layout.groups[places]] - 1).tolist(), strict=True))


class _Search:
    """For the best of one kind by one combination, from the most promising candidates on; of those of one number
    among `labels`, one per live slot, for the best alone."""

    def __init__(
        self, quick: Quick, combiner: Combiner, settings: Settings, power: bool, labels: Places | None = None
    ) -> None:
        self._quick = quick
        self._combiner = combiner
        self._settings = settings
        self._labels = labels
        self._has_meaning = "semantic" in quick.above
        self._about = combiner.name, power, self._has_meaning, labels is not None
        self._bound: Singles = np.array(combiner.above(quick.above, settings), np.float32)

    def best(self, others: Places, count: int) -> tuple[Places, Floats]:
        """The places and confidences of the `count` best but for `others`, best first."""
        bound, places = self._bound, _NOTHING[0]
        if not bound.min() > _SETTLED:
            np.fmax(bound, _SETTLED, out=bound)
            places = self._first_without(others, count)
        values = np.zeros(len(places))
        if len(others):
            bound[others] = _SETTLED
        size, least = max(FIRST, count), 0.0
        fresh = self._first(size, count)
        if not len(fresh):
            fresh = _open(bound, least, size)
        while len(fresh):
            fresh, exact = self._scored(fresh, least)
            if len(places):
                fresh, exact = np.concatenate((places, fresh)), np.concatenate((values, exact))
            order = np.lexsort((fresh, -exact))
            if self._labels is not None:
                order = order[_firsts(self._labels[fresh[order]])]
                self._settle_lesser(fresh[order], exact[order])
            places, values = fresh[order[:count]], exact[order[:count]]
            least = float(values[-1]) if len(values) == count else 0.0
            size *= TIMES
            fresh = _open(bound, least, size)
        self._quick.leaders[self._about] = places
        return places, values

    def _first(self, size: int, count: int) -> Places:
        """Those that led for the query before, and those that promise most. They only tell where the last of the best
        may lie: whatever could still reach it is scored after them."""
        bound, fresh = self._bound, self._quick.leaders.get(self._about, _NOTHING[0])
        fresh = fresh[bound[fresh] > _SETTLED]
        bound[fresh] = _SETTLED
        if len(fresh) >= count and self._combiner.likely is None and "fuzzy" in self._quick.above.made:
            # Bounds of spelling are too loose to promise anything; who led will do well again.
            return fresh
        promising = bound
        if self._combiner.likely is not None:
            likely = np.fmax(self._combiner.likely(self._quick.above), _SETTLED)
            promising = np.minimum(likely, bound, out=likely)
        if self._labels is not None:
            promising = _one_of_each(self._labels, promising)
        return np.concatenate((fresh, _open(promising, 0.0, size)))

    def _first_without(self, others: Places, count: int) -> Places:
        """The first places that can only score 0; where they rank at all, they rank in this order."""
        is_none = self._bound <= _SETTLED
        is_none[others] = False
        places = is_none.nonzero()[0]
        if self._labels is None:
            return places[:count]
        first = np.full(int(self._labels.max()) + 1, -1)
        first[self._labels[places[::-1]]] = places[::-1]  # what is written last stays
        return np.sort(first[first >= 0])[:count]

    def _settle_lesser(self, places: Places, exact: Floats) -> None:
        """Settle whatever cannot reach the best of its own label that is known, one at each of these places."""
        labels = self._labels
        assert labels is not None, "asked only where labels are told apart"
        known = np.zeros(int(labels.max()) + 1, np.float32)
        known[labels[places]] = exact - 2 * SLACK
        self._bound[self._bound < known[labels]] = _SETTLED

    def _scored(self, fresh: Places, least: float) -> tuple[Places, Floats]:
        """Settle these places: those among them that may reach `least`, with their confidences."""
        combiner, settings = self._combiner, self._settings
        self._bound[fresh] = _SETTLED
        closely = self._quick.at(fresh)
        if least > 0.0 and self._has_meaning:
            nearly = combiner.above(self._quick.nearly(closely), settings)
            closely = closely.only(np.fmax(nearly, _SETTLED) >= least - 2 * SLACK)
        exact = np.fmax(combiner.combine(closely.by_slot, settings), 0.0)
        return closely.places, np.minimum(exact, 1.0)


def _one_of_each(labels: Places, promising: Singles) -> Singles:
    """What each promises, but for those whose label promises more elsewhere: so that the first to be scored are of
    many labels."""
    most = np.zeros(int(labels.max()) + 1, np.float32)
    np.maximum.at(most, labels, promising)
    return np.where(promising < most[labels], _SETTLED, promising)


def _firsts(numbers: Places) -> Places:
    """Where each number stands first, in their order."""
    firsts: Places = np.sort(np.unique(numbers, return_index=True)[1])
    return firsts


def _reached(bound: Singles, size: int) -> float:
    """What at least `size` bounds reach and not many more, 0 if there are not so many: told by the largest bound of
    each stretch of them."""
    stretch = min(len(bound) // (2 * size), _STRETCH)
    if stretch < 2:
        return 0.0
    whole = len(bound) // stretch
    largest = bound[: whole * stretch].reshape(whole, stretch).max(axis=1)
    largest.partition(whole - size)
    return float(largest[whole - size]) + 2 * SLACK


def _open(bound: Singles, least: float, size: int) -> Places:
    """At most `size` places whose bound reaches `least`, those with the largest bounds."""
    places: Places
    if least <= 0.0:
        least = _reached(bound, size)
    places = (bound >= np.float32(least - 2 * SLACK) if least > 2 * SLACK else bound > _SETTLED).nonzero()[0]
    if len(places) > size:
        places = places[bound[places].argpartition(len(places) - size)[len(places) - size :]]
    return places


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
