"""Gates: a condition on one metric, such as `top1>=0.8`, that a build may be made to depend on."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.evaluation.evaluation import Evaluation
from app.evaluation.metrics import METRICS

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}

_FORM = re.compile(r"\s*(\w+)\s*(>=|<=|>|<)\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class Gate:
    """A parsed gate: the metric's name, a row of COMPARISONS, and the bound."""

    metric: str
    comparison: str
    bound: float


def parse_gate(text: str) -> Gate:
    """A gate from METRIC>=X, or <=, >, <; ValueError with a sentence if it is none."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(f"“{text}” is not of the form METRIC>=X (or <=, >, <), such as top1>=0.8.")
    metric, comparison, bound = form.groups()
    if metric not in METRICS:
        raise ValueError(f"There is no metric “{metric}”; there are {', '.join(METRICS)}.")
    try:
        number = float(bound)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"“{bound}” in the gate “{text}” is not a number.")
    return Gate(metric, comparison, number)


def gate(evaluation: Evaluation, text: str) -> bool:
    """Whether the evaluation passes the gate; one on a metric that does not apply is not passed. ValueError as
    `parse_gate`."""
    parsed = parse_gate(text)
    value = evaluation.metrics[parsed.metric]
    return value is not None and COMPARISONS[parsed.comparison](value, parsed.bound)
