"""One setting over several values: what each comes to on the same cases, and which is best (S7.5); pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.evaluation.comparison import Comparison
from app.evaluation.evaluation import Evaluation

LOW_IS_GOOD = frozenset({"ece"})
"""The metrics of which the smallest value is the best."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One value as the settings take it, and how it does against today's; `is_today` where it is today's own."""

    value: str
    comparison: Comparison
    is_today: bool = False

    @property
    def right(self) -> int:
        """How many cases are correct, or correctly rejected."""
        return sum(answered.is_right for answered in self.comparison.after.answered)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The values of one setting in the order in which they were tried, all against `today` on the same cases.

    Those that the other settings do not go with are `refused`, and were not tried.
    """

    key: str
    today: Evaluation
    rows: tuple[SweepRow, ...]
    refused: tuple[str, ...] = ()

    @property
    def tried(self) -> int:
        """How many values were tried that are not today's: so often chance had its chance."""
        return sum(not row.is_today for row in self.rows)

    @property
    def best(self) -> SweepRow | None:
        """The value with the most right answers; of several the one that turns the fewest cases wrong, then today's,
        then the first, or of numbers the one in the middle. None where nothing was tried."""
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
        """Whether the best value is better than today's by more than chance says, so many having been tried."""
        best = self.best
        return best is not None and best.comparison.net > 0 and best.comparison.is_more_than_chance(self.tried)

    def best_of(self, metric: str) -> frozenset[str]:
        """The values at which a metric is best; none where it does not apply, or where all are alike. What answers
        nothing rightly is best at nothing: that it is never wrong about itself helps nobody."""
        some = [row for row in self.rows if row.right]
        known = [(row.value, value) for row in some if (value := row.comparison.after.metrics[metric]) is not None]
        if len({value for _, value in known}) < 2:
            return frozenset()
        ends = [value for _, value in known]
        top = min(ends) if metric in LOW_IS_GOOD else max(ends)
        return frozenset(name for name, value in known if value == top)


def steps(start: float, stop: float, step: float) -> tuple[float, ...]:
    """The numbers from `start` to `stop`, both included where the steps meet it, without the dust of binary fractions;
    ValueError for a step that leads nowhere."""
    if not all(map(math.isfinite, (start, stop, step))) or step == 0 or (stop - start) / step < 0:
        raise ValueError("the step leads away from the end")
    count = math.floor((stop - start) / step + 1e-9) + 1
    digits = 12 - math.ceil(math.log10(max(abs(start), abs(stop), abs(step))))
    return tuple(round(start + place * step, digits) + 0.0 for place in range(count))  # + 0.0: there is no minus zero


def numeric(values: Sequence[str]) -> tuple[float, ...] | None:
    """The values as numbers, where all of them are some."""
    try:
        found = tuple(float(value) for value in values)
    except ValueError:
        return None
    return found if all(map(math.isfinite, found)) else None
