"""The best of one kind by one combination: told by bounds, and by the exact scores of the few that reach that high."""

from __future__ import annotations

import numpy as np

from app.scoring.columns.column_answer import SLACK, Floats, Places, Singles
from app.scoring.combiners import Combiner
from app.scoring.index.scores import Quick
from app.settings.model import Settings

FIRST, TIMES = 32, 16
"""So many candidates are scored exactly at first, and so many times more in each further round."""

_SETTLED = np.float32(0.0)
"""The bound of a candidate that was scored, that is not to be ranked, or that scores 0."""

_STRETCH = 64

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
        bound, places = self._bound, NOTHING[0]
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
