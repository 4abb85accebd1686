"""Charts of an evaluation as lines and bars with colour tokens, without their drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.display import numbers
from app.evaluation.evaluation import Evaluation
from app.evaluation.metrics import Bin, reliability
from app.evaluation.reports.curves import HISTOGRAM_BINS, confidence_histogram, cuts, retrieval

_MARKS = (0.0, 0.25, 0.5, 0.75, 1.0)

_UPPER = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Axis marks if a curve lies wholly in the upper half: only that is shown."""

CONFIDENCE_AXIS = "confidence of the first answer"

_FEW = 24
"""Maximum number of points of a line whose points are marked."""


@dataclass(frozen=True, slots=True)
class Series:
    """Line of a chart: name, points, colour token, dash, and whether its points are marked."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    token: str
    dash: str = "solid"
    is_marked: bool = True


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines on two axes, each with its ends and marks.

    `at` are labelled positions on the x axis. `across_words` and `up_words` replace the numbers at the marks. `band` is
    the good range of y values, `alarms` labelled y values beyond it. A NaN point leaves a gap.
    """

    series: tuple[Series, ...]
    across: tuple[float, float]
    up: tuple[float, float]
    across_marks: tuple[float, ...]
    up_marks: tuple[float, ...]
    at: tuple[tuple[float, str], ...] = ()
    across_words: tuple[str, ...] = ()
    up_words: tuple[str, ...] = ()
    band: tuple[float, float] | None = None
    alarms: tuple[tuple[float, str], ...] = ()
    across_name: str = ""
    up_name: str = ""
    """Titles of the axes."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Numbers of right (upward) and wrong (downward) answers per bin of confidence from 0 to 1.

    Both have one scale. `at` is the threshold with its label.
    """

    right: tuple[int, ...]
    wrong: tuple[int, ...]
    at: tuple[float, str]

    @property
    def words(self) -> tuple[str, str]:
        """Labels of the legend, for both halves."""
        return (
            f"✓ first answer right: {numbers.count(sum(self.right))}",
            f"✗ first answer wrong: {numbers.count(sum(self.wrong))}",
        )

    @property
    def up_marks(self) -> tuple[tuple[float, str], ...]:
        """Marks of the axis of counts: 0, and the largest bin of each half."""
        ends = ((max(self.right), 1), (max(self.wrong), -1))
        return ((0.0, "0"), *((float(side * most), numbers.count(most)) for most, side in ends if most))


def reliability_chart(before: Evaluation, after: Evaluation | None, then: str = "") -> Chart | None:
    """Return the reliability curves of one evaluation or two; `then` names the second."""
    now = _curve("today", reliability(before.answered), "accent", "solid")
    others = [] if after is None else [_curve(then or "then", reliability(after.answered), "text", "dash")]
    if not now.xs:
        return None
    others = [one for one in others if (one.xs, one.ys) != (now.xs, now.ys)]
    even = Series("as expected", (0.0, 1.0), (0.0, 1.0), "text_2", "dot", is_marked=False)
    chart = Chart((even, now, *others), (0.0, 1.0), (0.0, 1.0), _MARKS, _MARKS)
    return _named(chart, CONFIDENCE_AXIS, "share of right answers")


def _curve(name: str, bins: Sequence[Bin], token: str, dash: str) -> Series:
    return Series(name, tuple(one.confidence for one in bins), tuple(one.right for one in bins), token, dash)


def confidence_bars(evaluation: Evaluation) -> Bars | None:
    """Return the confidences of right and wrong top answers; None without a labelled case."""
    found = confidence_histogram(evaluation.answered)
    if not sum(found.right) + sum(found.wrong):
        return None
    line = evaluation.threshold
    return Bars(found.right, found.wrong, (line, f"no match below {line:g}"))


def bin_edges() -> tuple[tuple[float, float], ...]:
    """Return the range of each bin."""
    return tuple((place / HISTOGRAM_BINS, (place + 1) / HISTOGRAM_BINS) for place in range(HISTOGRAM_BINS))


def coverage_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
    """Return precision (y) over coverage (x), highest confidence first; None without an answer."""
    lines = [
        (tuple(cut.coverage for cut in found), tuple(cut.precision for cut in found))
        for found in (cuts(one.answered) for one in (before, after) if one is not None)
    ]
    at = next((cut.coverage for cut in reversed(cuts(before.answered)) if cut.threshold >= before.threshold), None)
    words = f"answered from {before.threshold:g} on"
    chart = _shares("precision by coverage", lines, () if at is None else ((at, words),))
    return _named(chart, "share of cases answered", "precision")


def precision_recall_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
    """Return precision (y) over recall (x); None without an answer."""
    lines = [
        (tuple(cut.recall for cut in found), tuple(cut.precision for cut in found))
        for found in (cuts(one.answered) for one in (before, after) if one is not None)
    ]
    return _named(_shares("precision by recall", lines), "recall", "precision")


def retrieval_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
    """Return recall over ranking depth (x, not to scale); None if no case expects an answer."""
    found = [retrieval(one.answered) for one in (before, after) if one is not None]
    depths = [str(depth) for depth, _ in found[0]]
    places = tuple(map(float, range(len(depths))))
    chart = _shares("found among the first", [(places, tuple(share for _, share in one)) for one in found])
    if chart is None:
        return None
    chart = replace(chart, across=(0.0, places[-1]), across_marks=places, across_words=tuple(depths))
    return _named(chart, "rank down to which answers count", "share of cases with a right one")


def _named(chart: Chart | None, across: str, up: str) -> Chart | None:
    return None if chart is None else replace(chart, across_name=across, up_name=up)


_Line = tuple[tuple[float, ...], tuple[float, ...]]


def _shares(name: str, lines: Sequence[_Line], at: tuple[tuple[float, str], ...] = ()) -> Chart | None:
    """Return today's line, and the earlier one if it differs; None without data."""
    now, *then = lines
    if not now[0]:
        return None
    looks = [(name, "accent", "solid")]
    if then and then[0] != now:
        looks = [(f"{name}, today", "accent", "solid"), ("then", "text", "dash")]
    few = len(now[0]) <= _FEW
    series = tuple(
        Series(word, *line, token, dash, is_marked=few) for (word, token, dash), line in zip(looks, lines, strict=False)
    )
    is_high = all(y >= _UPPER[0] for one in series for y in one.ys)
    marks = _UPPER if is_high else _MARKS
    return Chart(series, (0.0, 1.0), (marks[0], 1.0), _MARKS, marks, at)
