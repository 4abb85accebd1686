"""Search for the best of one kind by one combination, with bounds and few exact scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column import SLACK, Floats, Places, Singles
from app.scoring.combiners import Combiner
from app.scoring.index.scores import Quick
from app.settings.model import Settings

FIRST, TIMES = 32, 16
"""Number of candidates scored exactly at first, and factor of each further round."""

_SETTLED = np.float32(0.0)
"""Bound of a candidate that is scored, excluded, or scores 0."""

_STRETCH = 64

_SAMPLE = 2_048

_PARTS = 0.02, 0.1
"""Shares of the most promising candidates in which labels are searched first."""

NOTHING: tuple[Places, Floats] = np.zeros(0, np.intp), np.zeros(0)


class Search:
    """Search from the most promising candidates on; with `labels`, one best per label."""

    def __init__(
        self, quick: Quick, combiner: Combiner, settings: Settings, power: bool, labels: Places | None = None
    ) -> None:
        self._quick = quick
        self._combiner = combiner
        self._settings = settings
        self._labels = labels
        self._known = None if labels is None else np.zeros(int(labels.max(initial=0)) + 1, np.float32)
        """Lower bound on the best of each label."""
        self._has_meaning = "semantic" in quick.above
        self._about = combiner.name, power, self._has_meaning, labels is not None
        bounds, about = quick.bounds, self._about[:2]  # shared by searches with the same settings
        if about not in bounds or bounds[about][0] is not settings:
            bounds[about] = settings, np.array(combiner.above(quick.above, settings), np.float32)
        self._bound: Singles = bounds[about][1].copy()

    def best(self, others: Places, count: int, apart: Places | None = None) -> tuple[Places, Floats]:
        """Return positions and confidences of the `count` best except `others`, best first.

        `apart` are further exceptions, of the same kind.
        """
        bound, is_none = self._bound, None
        if not len(bound):
            return NOTHING
        if apart is not None:
            others = np.concatenate((others, apart))
        if not bound.min() > _SETTLED:
            np.fmax(bound, _SETTLED, out=bound)
            is_none = bound <= _SETTLED
            is_none[others] = False
        if len(others):
            bound[others] = _SETTLED
        size = max(FIRST, count)
        places, values, least = self._joined(NOTHING, self._before(apart), count)
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

    def _before(self, apart: Places | None) -> tuple[Places, Floats]:
        """Settle the exact scores of earlier searches with this combination.

        Returns all of them except those at `apart`.
        """
        known = self._quick.known.get(self._about[:2])
        if known is None or known[0] is not self._settings:
            return NOTHING
        places, values = (np.concatenate(part) for part in zip(*known[1], strict=True))
        self._bound[places] = _SETTLED
        if apart is not None:
            stay = ~np.isin(places, apart)
            return places[stay], values[stay]
        return places, values

    def _joined(
        self, best: tuple[Places, Floats], fresh: tuple[Places, Floats], count: int
    ) -> tuple[Places, Floats, float]:
        """Merge two results to the `count` best; return also the confidence to reach."""
        places, values = (np.concatenate(part) for part in zip(best, fresh, strict=True))
        order = np.lexsort((places, -values))
        if self._labels is not None:
            order = order[_firsts(self._labels[places[order]])]
        places, values = places[order[:count]], values[order[:count]]
        return places, values, float(values[-1]) if len(values) == count else 0.0

    def _first(self, size: int, count: int) -> Places:
        """Return the previous query's leaders and the most promising candidates.

        They only estimate the threshold; all candidates that may reach it are scored afterwards.
        """
        bound, fresh = self._bound, self._quick.leaders.get(self._about, NOTHING[0])
        fresh = fresh[bound[fresh] > _SETTLED]
        bound[fresh] = _SETTLED
        if len(fresh) >= count and self._combiner.likely is None and "fuzzy" in self._quick.above.made:
            # Fuzzy bounds are too loose to rank candidates; the previous leaders are better.
            return fresh
        promising = bound
        if self._combiner.likely is not None:
            likely = np.fmax(self._combiner.likely(self._quick.above), _SETTLED)
            promising = np.minimum(likely, bound, out=likely)
        most = _open(promising, 0.0, size) if self._labels is None else self._of_many(promising, size)
        return np.concatenate((fresh, most))

    def _of_many(self, promising: Singles, size: int) -> Places:
        """Return the most promising position of each of `size` labels.

        Searched among the top shares _PARTS by a sample, and if those hold too few labels, among all.
        """
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
        """Return each label's most promising position among those above a bound."""
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
        """Add candidates of score 0 to the best, ties by position.

        `is_none` has shape (live slots,).
        """
        none = is_none.nonzero()[0]
        if self._labels is not None:
            first = np.full(int(self._labels.max()) + 1, -1)
            first[self._labels[none[::-1]]] = none[::-1]  # the last write wins
            first[self._labels[places[values > 0.0]]] = -1
            none = np.sort(first[first >= 0])
        every, exact = np.concatenate((places, none[:count])), np.append(values, np.zeros(len(none[:count])))
        order = np.lexsort((every, -exact))
        if self._labels is not None:
            order = order[_firsts(self._labels[every[order]])]
        return every[order[:count]], exact[order[:count]]

    def _settle_lesser(self, places: Places, exact: Floats, least: float) -> None:
        """Settle candidates that may reach `least` but not the known best of their label."""
        labels, bound, known = self._labels, self._bound, self._known
        if labels is None or known is None:
            return
        known[labels[places]] = exact - 2 * SLACK
        still = (bound >= np.float32(least - 2 * SLACK) if least > 2 * SLACK else bound > _SETTLED).nonzero()[0]
        bound[still[bound[still] < known[labels[still]]]] = _SETTLED

    def _scored(self, fresh: Places, least: float) -> tuple[Places, Floats]:
        """Settle these positions; return those that may reach `least`, with confidences."""
        combiner, settings = self._combiner, self._settings
        self._bound[fresh] = _SETTLED
        closely = self._quick.at(fresh)
        if least > 0.0 and self._has_meaning:
            nearly = combiner.above(self._quick.nearly(closely), settings)
            closely = closely.only(np.fmax(nearly, _SETTLED) >= least - 2 * SLACK)
        exact = np.minimum(np.fmax(combiner.combine(closely.by_slot, settings), 0.0), 1.0)
        known, about = self._quick.known, self._about[:2]
        if about not in known or known[about][0] is not settings:
            known[about] = settings, []
        known[about][1].append((closely.places, exact))  # for other searches
        return closely.places, exact


def _firsts(numbers: Places) -> Places:
    """Return the first position of each number, in order."""
    firsts: Places = np.sort(np.unique(numbers, return_index=True)[1])
    return firsts


def _reached(bound: Singles, size: int) -> float:
    """Return a value that at least `size` bounds reach, and few more; 0 if there are fewer.

    Estimated by the largest bound of each stretch.
    """
    stretch = min(len(bound) // (2 * size), _STRETCH)
    if stretch < 2:
        return 0.0
    whole = len(bound) // stretch
    largest = bound[: whole * stretch].reshape(whole, stretch).max(axis=1)
    largest.partition(whole - size)
    return float(largest[whole - size]) + 2 * SLACK


def _open(bound: Singles, least: float, size: int) -> Places:
    """Return at most `size` positions whose bound reaches `least`, by largest bound."""
    places: Places
    if least <= 0.0:
        least = _reached(bound, size)
    places = (bound >= np.float32(least - 2 * SLACK) if least > 2 * SLACK else bound > _SETTLED).nonzero()[0]
    if len(places) > size:
        places = places[bound[places].argpartition(len(places) - size)[len(places) - size :]]
    return places
