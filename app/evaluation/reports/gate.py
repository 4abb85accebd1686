"""Gates: conditions on a metric or on a change, for builds, such as `broken<=0`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.evaluation.comparison import Comparison
from app.evaluation.evaluation import Evaluation
from app.evaluation.metrics import METRICS

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}

CHANGES: Mapping[str, Callable[[Comparison], float]] = {
    "fixed": lambda found: found.fixed,
    "broken": lambda found: found.broken,
    "net": lambda found: found.net,
    "p": lambda found: found.p,
}
"""Numbers of a change that a gate can test."""

AGAINST = "against."
"""Prefix of a metric of the compared settings instead of today's."""

_SHARE, _COUNT = (0.0, 1.0), (0.0, math.inf)
RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys((*METRICS, "p"), _SHARE),
    **dict.fromkeys(("fixed", "broken"), _COUNT),
    "net": (-math.inf, math.inf),
}
"""Possible range of each number, ends included."""

_FORM = re.compile(r"\s*([\w.]+)\s*(>=|<=|>|<)\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class Gate:
    """Parsed gate: the metric's name, a key of COMPARISONS, and the bound."""

    metric: str
    comparison: str
    bound: float

    @property
    def is_on_change(self) -> bool:
        """True if the gate needs a comparison."""
        return self.metric in CHANGES or self.metric.startswith(AGAINST)

    def holds(self, value: float | None) -> bool:
        """Return whether a value passes; None does not."""
        return value is not None and COMPARISONS[self.comparison](value, self.bound)


def parse_gate(text: str) -> Gate:
    """Parse METRIC>=X, or <=, >, <; raises ValueError with a sentence if invalid."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(f"“{text}” is not of the form METRIC>=X (or <=, >, <), such as top1>=0.8.")
    metric, comparison, bound = form.groups()
    if metric.removeprefix(AGAINST) not in METRICS and metric not in CHANGES:
        every = f"{', '.join(METRICS)}; of a change {', '.join(CHANGES)}, and {AGAINST}METRIC"
        raise ValueError(f"Unknown metric “{metric}”; choose one of {every}.")
    try:
        number = float(bound)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"“{bound}” in the gate “{text}” is not a number.")
    return _reachable(Gate(metric, comparison, number), text)


def _reachable(parsed: Gate, text: str) -> Gate:
    """Return the gate if some value can pass and some can fail; else ValueError."""
    low, high = RANGES[parsed.metric.removeprefix(AGAINST)]
    if low <= parsed.bound <= high and (parsed.holds(low) or parsed.holds(high)):
        return parsed
    within = f"from {low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"
    raise ValueError(f"The gate “{text}” tells nothing: {parsed.metric} is {within}.")


def gate(evaluation: Evaluation, text: str, change: Comparison | None = None) -> bool:
    """Return whether an evaluation, or its change, passes the gate.

    An undefined metric does not pass. Raises ValueError as `parse_gate`, and if the gate needs a change and there
    is none.
    """
    return parse_gate(text).holds(gated(evaluation, text, change))


def gated(evaluation: Evaluation, text: str, change: Comparison | None = None) -> float | None:
    """Return the number that a gate tests; None if undefined. Raises ValueError as `gate`."""
    parsed = parse_gate(text)
    if not parsed.is_on_change:
        return evaluation.metrics[parsed.metric]
    if change is None:
        raise ValueError(f"The gate “{text}” is on a change, and nothing is compared.")
    if parsed.metric in CHANGES:
        return CHANGES[parsed.metric](change)
    return change.after.metrics[parsed.metric.removeprefix(AGAINST)]
