"""The best of one kind by one combination: told by bounds, and by the exact scores of the few that reach that high."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column_answer import SLACK, Floats, Places, Singles
from app.scoring.combiners import Combiner
from app.scoring.index.scores import Quick
from app.settings.model import Settings

FIRST, TIMES = 32, 16
"""So many candidates are scored exactly at first, and so many times more in each further round."""

_SETTLED = np.float32(0.0)
"""The bound of a candidate that was scored, that is not to be ranked, or that scores 0."""

_STRETCH = 64

_SAMPLE = 2_048

_PARTS = 0.02, 0.1
"""In so large a part of all that promise most are the labels that do looked for, as long as it holds too few."""

NOTHING: tuple[Places, Floats] = np.zeros(0, np.intp), np.zeros(0)


class Search:
    """For the best of one kind by one combination, from the most promising candidates on; of those of one number
    among `labels`, one per live slot, for the best alone."""

    def __init__(
        self, quick: Quick, combiner: Combiner, settings: Settings, power: bool, labels: Places | None = None
    ) -> None:
        self._quick = quick
        self._combiner = combiner
        self._settings = settings
        self._labels = labels
        self._known = None if labels is None else np.zeros(int(labels.max(initial=0)) + 1, np.float32)
        """What the best of each label is known to reach, as far as it is."""
        self._has_meaning = "semantic" in quick.above
        self._about = combiner.name, power, self._has_meaning, labels is not None
        self._bound: Singles = self._bounds().copy()

    def _bounds(self) -> Singles:
        """A bound on the confidence of each live slot, worked out once for all searches under the same settings."""
        bounds, about, settings = self._quick.bounds, self._about[:2], self._settings
        if about not in bounds or bounds[about][0] is not settings:
            bounds[about] = settings, np.array(self._combiner.above(self._quick.above, settings), np.float32)
        return bounds[about][1]

    def best(self, others: Places, count: int) -> tuple[Places, Floats]:
        """The places and confidences of the `count` best but for `others`, best first."""
        bound, is_none = self._bound, None
        if not bound.min() > _SETTLED:
            np.fmax(bound, _SETTLED, out=bound)
            is_none = bound <= _SETTLED
            is_none[others] = False
        if len(others):
            bound[others] = _SETTLED
        size = max(FIRST, count)
        places, values, least = self._joined(NOTHING, self._before(), count)
        if least > 0.0:
            self._settle_lesser(places, values, least)
        fresh = _open(bound, least, size) if least > 0.0 else self._first(size, count)
        if not len(fresh):
            fresh = _open(bound, least, size)
        while len(fresh):
            places, values, least = self._joined((places, values), self._scored(fresh, least), count)
            self._settle_lesser(places, values, least)
            size *= TIMES
            fresh = _open(bound, least, size)
        if is_none is not None and not (len(places) == count and values[-1] > 0.0):
            places, values = self._with_none(places, values, is_none, count)
        self._quick.leaders[self._about] = places
        return places, values

    def _before(self) -> tuple[Places, Floats]:
        """What a search of other extent scored exactly by the same combination, settled here too."""
        known = self._quick.known.get(self._about[:2])
        if known is None or known[0] is not self._settings:
            return NOTHING
        places, values = (np.concatenate(part) for part in zip(*known[1], strict=True))
        self._bound[places] = _SETTLED
        return places, values

    def _joined(
        self, best: tuple[Places, Floats], fresh: tuple[Places, Floats], count: int
    ) -> tuple[Places, Floats, float]:
        """The `count` best of both, and what any other has to reach."""
        places, values = (np.concatenate(part) for part in zip(best, fresh, strict=True))
        order = np.lexsort((places, -values))
        if self._labels is not None:
            order = order[_firsts(self._labels[places[order]])]
        places, values = places[order[:count]], values[order[:count]]
        return places, values, float(values[-1]) if len(values) == count else 0.0

    def _first(self, size: int, count: int) -> Places:
        """Those that led for the query before, and those that promise most. They only tell where the last of the best
        may lie: whatever could still reach it is scored after them."""
        bound, fresh = self._bound, self._quick.leaders.get(self._about, NOTHING[0])
        fresh = fresh[bound[fresh] > _SETTLED]
        bound[fresh] = _SETTLED
        if len(fresh) >= count and self._combiner.likely is None and "fuzzy" in self._quick.above.made:
            # Bounds of spelling are too loose to promise anything; who led will do well again.
            return fresh
        promising = bound
        if self._combiner.likely is not None:
            likely = np.fmax(self._combiner.likely(self._quick.above), _SETTLED)
            promising = np.minimum(likely, bound, out=likely)
        most = _open(promising, 0.0, size) if self._labels is None else self._of_many(promising, size)
        return np.concatenate((fresh, most))

    def _of_many(self, promising: Singles, size: int) -> Places:
        """The place of each label that promises most, `size` of them: looked for among the few in a hundred of all that
        promise most, as told by a sample, then among more, and where that holds too few labels, among all."""
        sample = np.sort(promising[:: max(1, len(promising) // _SAMPLE)])
        few = (max(sample[int(len(sample) * (1.0 - share))], _SETTLED) for share in _PARTS)
        places = NOTHING[0]
        for least in (*few, _SETTLED):
            places = self._best_of_each(promising, least)
            if len(places) >= size:
                break
        if len(places) > size:
            places = places[promising[places].argpartition(len(places) - size)[len(places) - size :]]
        return places

    def _best_of_each(self, promising: Singles, above: np.float32) -> Places:
        """Among those that promise more than that, the places of those of which each label promises most."""
        assert self._labels is not None, "asked only where labels are told apart"
        places = (promising > above).nonzero()[0]
        own, numbers = promising[places], self._labels[places]
        most = np.zeros(int(numbers.max(initial=0)) + 1, np.float32)
        np.maximum.at(most, numbers, own)
        found: Places = places[own == most[numbers]]
        return found

    def _with_none(
        self, places: Places, values: Floats, is_none: NDArray[np.bool_], count: int
    ) -> tuple[Places, Floats]:
        """The best with those that can only score 0, of shape (live slots,), in the order of their places."""
        none = is_none.nonzero()[0]
        if self._labels is not None:
            first = np.full(int(self._labels.max()) + 1, -1)
            first[self._labels[none[::-1]]] = none[::-1]  # what is written last stays
            first[self._labels[places[values > 0.0]]] = -1
            none = np.sort(first[first >= 0])
        every, exact = np.concatenate((places, none[:count])), np.append(values, np.zeros(len(none[:count])))
        order = np.lexsort((every, -exact))
        if self._labels is not None:
            order = order[_firsts(self._labels[every[order]])]
        return every[order[:count]], exact[order[:count]]

    def _settle_lesser(self, places: Places, exact: Floats, least: float) -> None:
        """Settle whatever reaches `least` and not the best of its own label that is known, one at each of these
        places."""
        labels, bound, known = self._labels, self._bound, self._known
        if labels is None or known is None:
            return
        known[labels[places]] = exact - 2 * SLACK
        still = (bound >= np.float32(least - 2 * SLACK) if least > 2 * SLACK else bound > _SETTLED).nonzero()[0]
        bound[still[bound[still] < known[labels[still]]]] = _SETTLED

    def _scored(self, fresh: Places, least: float) -> tuple[Places, Floats]:
        """Settle these places: those among them that may reach `least`, with their confidences."""
        combiner, settings = self._combiner, self._settings
        self._bound[fresh] = _SETTLED
        closely = self._quick.at(fresh)
        if least > 0.0 and self._has_meaning:
            nearly = combiner.above(self._quick.nearly(closely), settings)
            closely = closely.only(np.fmax(nearly, _SETTLED) >= least - 2 * SLACK)
        exact = np.minimum(np.fmax(combiner.combine(closely.by_slot, settings), 0.0), 1.0)
        self._remember(closely.places, exact)
        return closely.places, exact

    def _remember(self, places: Places, exact: Floats) -> None:
        """Keep what was scored exactly for a search of other extent."""
        known, about = self._quick.known, self._about[:2]
        if about not in known or known[about][0] is not self._settings:
            known[about] = self._settings, []
        known[about][1].append((places, exact))


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
