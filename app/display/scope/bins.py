"""Durations of a session as bins, percentiles and axes."""

from __future__ import annotations

import bisect
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.display import numbers, words

KEPT = 5_000
"""How many durations a session remembers per stage; older ones fall out."""

PERCENTILES = (50, 90, 99)

_IN_SIGHT = 5.0
"""A budget so many times the 99th percentile is left off a linear axis, where all runs would be one bar."""

LEAST_MS = 0.01
"""A logarithmic axis begins no lower."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Bars of equal width: left edges, counts, and which lie beyond the budget; the axis and the percentiles.

    Places on the axis are ms, or with `log` their decimal logarithm; percentiles are always ms.
    """

    lefts: tuple[float, ...]
    counts: tuple[int, ...]
    over: tuple[bool, ...]
    width: float
    percentiles: tuple[tuple[int, float, str], ...]
    runs: int
    low: float
    high: float
    log: bool = False

    def place(self, ms: float) -> float:
        """Where a duration lies on the axis."""
        return math.log10(max(ms, LEAST_MS)) if self.log else ms

    def marks(self, wanted: int = 5) -> tuple[tuple[float, str], ...]:
        """Round places within the axis, and what is written there."""
        if self.log:
            found = _round_between(10.0**self.low, 10.0**self.high, wanted)
        else:
            step = step_of((self.high - self.low) / wanted)
            found = [step * n for n in range(math.ceil(self.low / step), math.floor(self.high / step + 1e-9) + 1)]
        return tuple((self.place(ms), f"{ms:g}") for ms in found if self.low <= self.place(ms) <= self.high)


class Durations:
    """The durations of one stage in this session, in the order they came and sorted."""

    def __init__(self, kept: int = KEPT) -> None:
        self._recent: deque[float] = deque(maxlen=kept)
        self._sorted: list[float] = []

    def __len__(self) -> int:
        return len(self._recent)

    def add(self, ms: float) -> None:
        if len(self._recent) == self._recent.maxlen:
            del self._sorted[bisect.bisect_left(self._sorted, self._recent[0])]
        self._recent.append(ms)
        bisect.insort(self._sorted, ms)

    def take_back(self, ms: float) -> None:
        """Forget one duration that was added before, if it is still remembered."""
        if ms in self._recent:
            self._recent.remove(ms)
            del self._sorted[bisect.bisect_left(self._sorted, ms)]

    def clear(self) -> None:
        self._recent.clear()
        self._sorted.clear()

    def sorted(self) -> Sequence[float]:
        return self._sorted

    @property
    def in_order(self) -> tuple[float, ...]:
        """Those remembered, oldest first."""
        return tuple(self._recent)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The nearest-rank percentile of durations in rising order; every percentile is one of them."""
    if not ordered:
        raise ValueError("nothing has no percentile")
    return ordered[max(0, math.ceil(share / 100.0 * len(ordered)) - 1)]


def bins(ordered: Sequence[float], budget: float | None, wanted: int = 40, *, log: bool = False) -> Bins:
    """Durations in rising order as bars whose edges fall on the budget; what equals the budget is within it.

    The last bar holds all that lies well beyond the 99th percentile, so that one outlier does not flatten the rest.
    """
    place: Callable[[float], float] = (lambda ms: math.log10(max(ms, LEAST_MS))) if log else float
    low, high = _ends(ordered, budget, log=log)
    width = step_of((high - low) / wanted)
    anchor = place(budget) if budget is not None else 0.0
    first = _bin(low, anchor, width)
    last = max(_bin(high, anchor, width), first)
    beyond = min(0, last + 1)  # the first bar over the budget; next to the others where that is far off the axis
    if budget is not None and ordered[-1] > budget:
        last = max(last, beyond)
    counts = [0] * (last - first + 1)
    for value in ordered:
        where = _bin(place(value), anchor, width)
        if budget is not None:
            where = max(where, beyond) if value > budget else min(where, beyond - 1)
        counts[max(0, min(where, last) - first)] += 1
    least = -math.inf if log else 0.0
    lefts = tuple(max(least, anchor + (first + index) * width) for index in range(len(counts)))
    over = tuple(budget is not None and first + index >= beyond for index in range(len(counts)))
    marks = tuple(
        (share, value, numbers.milliseconds(value, () if budget is None else (budget,)))
        for share in PERCENTILES
        for value in (percentile(ordered, share),)
    )
    return Bins(lefts, tuple(counts), over, width, marks, len(ordered), lefts[0], anchor + (last + 1) * width, log)


def _ends(ordered: Sequence[float], budget: float | None, *, log: bool) -> tuple[float, float]:
    """Where the axis begins and ends; never so near each other that one run fills it."""
    low = ordered[0] if budget is None else min(ordered[0], budget)
    last = percentile(ordered, 99)
    high = last * 1.1
    if budget is not None and (log or budget <= _IN_SIGHT * last):
        high = max(high, budget)
    if log:
        low, high = math.log10(max(low, LEAST_MS)), math.log10(max(high, LEAST_MS))
        missing = max(0.0, 0.6 - (high - low))
        return low - missing / 2, high + missing / 2
    missing = max(0.0, max(0.4 * high, 0.05) - (high - low))
    return max(0.0, low - missing / 2), high + missing / 2


def _round_between(low: float, high: float, wanted: int) -> list[float]:
    """Numbers of the form 1, 2 or 5 times a power of ten in a range; fewer where those crowd, even steps where few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found: list[float] = []
    for factors in ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
        found = [factor * 10.0**power for power in powers for factor in factors if low <= factor * 10.0**power <= high]
        if len(found) <= wanted + 2:
            break
    if len(found) >= 3:
        return found
    step = step_of((high - low) / wanted)
    return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1) if n > 0]


def over_budget(ordered: Sequence[float], budget: float) -> tuple[str, str]:
    """The budget's name, and how many of how many were over it: "10 ms budget", "16 of 412 over (3.9 %)"."""
    over = len(ordered) - bisect.bisect_right(ordered, budget)
    runs = len(ordered)
    return (
        words.say("{budget} ms budget", budget=f"{budget:g}"),
        words.say("{over} of {runs} over ({share})", over=over, runs=runs, share=numbers.percent(over, runs)),
    )


def step_of(width: float) -> float:
    """The next number of the form 1, 2 or 5 times a power of ten, from the width up."""
    if width <= 0.0 or not math.isfinite(width):
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    for factor in (1.0, 2.0, 5.0, 10.0):
        if factor * power >= width * (1.0 - 1e-9):
            return factor * power
    return 10.0 * power


def axis_end(ms: float, usual: float = 12.0) -> float:
    """Where a waterfall's axis ends: the usual place, else the next 1-2-5 step that holds everything."""
    return usual if ms <= usual else step_of(ms)


def ticks(end: float, wanted: int = 6) -> tuple[float, ...]:
    """Round places from 0 up to and with the end, about as many as wanted."""
    step = step_of(end / wanted)
    return tuple(round(index * step, 9) for index in range(math.floor(end / step + 1e-9) + 1))


def _bin(value: float, anchor: float, width: float) -> int:
    place = (value - anchor) / width
    nearest = round(place)
    if abs(place - nearest) < 1e-9:
        return nearest - 1
    return math.floor(place)
