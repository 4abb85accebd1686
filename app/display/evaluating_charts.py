"""The pictures of an evaluation as lines on two axes: what confidence promises, and what a sweep's values come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.display import words
from app.evaluation.evaluation import Evaluation
from app.evaluation.metrics import Bin, reliability


@dataclass(frozen=True, slots=True)
class Series:
    """A line in a picture: its name, its points, the token of its colour, its dash, and if its points are marked."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    token: str
    dash: str = "solid"
    is_marked: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines on two axes, each with its ends and marks; `at` are places across, each with a word."""

    series: tuple[Series, ...]
    across: tuple[float, float]
    up: tuple[float, float]
    across_marks: tuple[float, ...]
    up_marks: tuple[float, ...]
    at: tuple[tuple[float, str], ...] = ()


def reliability_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
    now = _curve(words.say("today"), reliability(before.answered), "accent", "solid")
    then = [] if after is None else [_curve(words.say("then"), reliability(after.answered), "text", "dash")]
    if not now.xs:
        return None
    then = [one for one in then if (one.xs, one.ys) != (now.xs, now.ys)]
    even = Series(words.say("as promised"), (0.0, 1.0), (0.0, 1.0), "text_2", "dot", is_marked=False)
    marks = (0.0, 0.25, 0.5, 0.75, 1.0)
    return Chart((even, now, *then), (0.0, 1.0), (0.0, 1.0), marks, marks)


def _curve(name: str, bins: Sequence[Bin], token: str, dash: str) -> Series:
    return Series(name, tuple(one.confidence for one in bins), tuple(one.right for one in bins), token, dash)
