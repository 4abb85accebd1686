"""Sweep: one setting over several values on the same cases, and the best value (S7.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.evaluation.comparison import Comparison
from app.evaluation.delivery import grade
from app.evaluation.evaluation import Evaluation

LOW_IS_GOOD = frozenset({"ece"})
"""Metrics for which lower is better."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """Value of a setting, and its comparison with today's; `is_today` if it is today's value."""

    value: str
    comparison: Comparison
    is_today: bool = False

    @property
    def right(self) -> int:
        """Number of cases delivered exactly as expected, or once their power is approved."""
        return sum(grade(answered) > 0 for answered in self.comparison.after.answered)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Values of one setting, in order, each compared with `today` on the same cases.

    `refused` values conflict with other settings and were not tried.
    """

    key: str
    today: Evaluation
    rows: tuple[SweepRow, ...]
    refused: tuple[str, ...] = ()

    @property
    def tried(self) -> int:
        """Number of values tried other than today's, for the significance test."""
        return sum(not row.is_today for row in self.rows)

    @property
    def best(self) -> SweepRow | None:
        """Value with the most right answers; None if nothing was tried.

        Ties: the one that breaks the fewest cases, then today's, then the first, or for numbers the middle one.
        """
        if not self.rows:
            return None
        right = [row.right for row in self.rows]
        level = [row for row, n in zip(self.rows, right, strict=True) if n == max(right)]
        least = min(row.comparison.broken for row in level)
        level = [row for row in level if row.comparison.broken == least]
        is_number = numeric([row.value for row in level]) is not None
        return next((row for row in level if row.is_today), level[(len(level) - 1) // 2 if is_number else 0])

    @property
    def is_better(self) -> bool:
        """True if the best value is significantly better than today's, given the number tried."""
        best = self.best
        return best is not None and best.comparison.net > 0 and best.comparison.is_more_than_chance(self.tried)

    def best_of(self, metric: str) -> frozenset[str]:
        """Return the values at which a metric is best; empty if undefined or equal for all.

        Values without a single right answer do not count.
        """
        some = [row for row in self.rows if row.right]
        known = [(row.value, value) for row in some if (value := row.comparison.after.metrics[metric]) is not None]
        if len({value for _, value in known}) < 2:
            return frozenset()
        ends = [value for _, value in known]
        top = min(ends) if metric in LOW_IS_GOOD else max(ends)
        return frozenset(name for name, value in known if value == top)


def steps(start: float, stop: float, step: float) -> tuple[float, ...]:
    """Return the numbers from `start` to `stop`, inclusive, without rounding noise.

    Raises ValueError if the step is 0 or has the wrong sign.
    """
    if not all(map(math.isfinite, (start, stop, step))) or step == 0 or (stop - start) / step < 0:
        raise ValueError("the step leads away from the end")
    count = math.floor((stop - start) / step + 1e-9) + 1
    digits = 12 - math.ceil(math.log10(max(abs(start), abs(stop), abs(step))))
    return tuple(round(start + place * step, digits) + 0.0 for place in range(count))  # + 0.0 avoids -0.0


def numeric(values: Sequence[str]) -> tuple[float, ...] | None:
    """Convert the values to numbers; None if one is not a finite number."""
    try:
        found = tuple(float(value) for value in values)
    except ValueError:
        return None
    return found if all(map(math.isfinite, found)) else None
