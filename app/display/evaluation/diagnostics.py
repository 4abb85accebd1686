"""Diagnostics of one evaluation: scores per label, confusion matrix, charts and CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.display import numbers
from app.display.library.cases import NO_MATCH_TEXT
from app.display.library.tables import Column, number_column
from app.domain.case import Task
from app.domain.language import quantity
from app.evaluation.answers import Answered
from app.evaluation.curves import (
    HISTOGRAM_BINS,
    CutoffResult,
    LabelScore,
    confidence_histogram,
    cuts,
    label_scores,
    retrieval,
)
from app.evaluation.distribution import NO_MATCH, pairs
from app.evaluation.evaluation import Bin, Evaluation, reliability_groups

CASES, LABELS, CONFUSION = "cases", "labels", "confusion"
CONFIDENCE, RETRIEVAL, METRICS = "confidence", "retrieval", "metrics"

VIEWS: Mapping[str, str] = {
    CASES: "Cases",
    LABELS: "Labels",
    CONFUSION: "Confusion",
    CONFIDENCE: "Confidence",
    RETRIEVAL: "Retrieval",
    METRICS: "Metrics",
}
"""Views of an evaluation with their labels."""

Label = str | None
"""A label, or None for no match."""


@dataclass(frozen=True, slots=True)
class CaseSelection:
    """Selection of cases by expected and by given labels; None stands for any label."""

    expected: frozenset[Label] | None
    given: frozenset[Label] | None
    words: str

    def matches(self, answered: Answered) -> bool:
        """Check if a case belongs to the selection; one with only unwanted answers never does."""
        if answered.unwanted:
            return False
        is_expected = self.expected is None or answered.expected_name in self.expected
        return is_expected and (self.given is None or answered.predicted in self.given)


def label_word(label: Label) -> str:
    """Return the name of a label on screen."""
    return NO_MATCH_TEXT if label is None else label


def cases_of_label(label: Label) -> CaseSelection:
    return CaseSelection(frozenset({label}), None, f"Expected: {label_word(label)}")


# ---- confusion matrix


@dataclass(frozen=True, slots=True)
class ConfusionGrid:
    """Expected labels (rows) by given labels (columns); if `folded`, the last group is the rest."""

    labels: tuple[frozenset[Label], ...]
    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    folded: int

    def selection(self, row: int, column: int) -> CaseSelection:
        said = f"Expected: {self.names[row]}; given: {self.names[column]}"
        return CaseSelection(self.labels[row], self.labels[column], said)

    def is_right(self, row: int, column: int) -> bool:
        """Check if a cell has right answers only; the last group may have both."""
        return row == column and len(self.labels[row]) == 1

    def accessible_text(self, row: int, column: int) -> str:
        """Format a cell as a sentence, for screen readers."""
        count = numbers.count(self.counts[row][column])
        return f"{self.selection(row, column).words}: {count}"


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Counts by (expected, given) label; `labels` are sorted by their mistakes, most first."""

    counts: Mapping[tuple[Label, Label], int]
    labels: tuple[Label, ...]

    def grid(self, most: int) -> ConfusionGrid:
        """Return a grid of at most `most` rows (at least 2); the best labels share the last."""
        most = max(2, most)
        own = self.labels if len(self.labels) <= most else self.labels[: most - 1]
        rest = frozenset(self.labels[len(own) :])
        groups = [frozenset({label}) for label in own] + ([rest] if rest else [])
        names = [label_word(label) for label in own]
        if rest:
            names.append(f"{numbers.count(len(rest))} others")
        places = {label: place for place, group in enumerate(groups) for label in group}
        cells = [[0] * len(groups) for _ in groups]
        for (expected, given), count in self.counts.items():
            cells[places[expected]][places[given]] += count
        return ConfusionGrid(tuple(groups), tuple(names), tuple(map(tuple, cells)), len(rest))


def confusion_matrix(answers: Sequence[Answered]) -> ConfusionMatrix | None:
    """Return the confusion matrix of these answers; None without a labelled case."""
    counts = pairs(answers)
    mistakes: Counter[Label] = Counter()
    for (expected, given), count in counts.items():
        for label in (expected, given):
            mistakes[label] += count if expected != given else 0
    labels = sorted(mistakes, key=lambda label: (-mistakes[label], label or ""))
    return ConfusionMatrix(counts, tuple(labels)) if labels else None


# ---- scores per label


def suggested_thresholds(shown: Diagnostics, current: LabelScore | None) -> tuple[tuple[str, dict[str, float]], ...]:
    """Return the suggested thresholds that can be set: of the current label, and of all labels."""
    every, found = shown.suggested, list[tuple[str, dict[str, float]]]()
    if current is not None and current.label in every:
        name, own = current.label, every[current.label]
        found.append((f"“{name}” from {numbers.chance(own)} on", {name: own}))
    if every:
        found.append((f"{'All ' * (len(every) > 1)}{quantity(len(every), 'intent')} with a best threshold", every))
    return tuple(found)


LABEL_COLUMNS: tuple[Column[LabelScore], ...] = (
    Column("label", "Label", lambda one: label_word(one.label), 220, "label"),
    number_column("expected", "Cases", lambda one: one.expected, 64),
    number_column("given", "Given", lambda one: one.given, 64, yields=2),
    number_column("precision", "Precision", lambda one: one.precision, 82, numbers.chance),
    number_column("recall", "Recall", lambda one: one.recall, 72, numbers.chance),
    number_column("f1", "F1", lambda one: one.f1, 64, lambda f1: numbers.fixed(f1, 3)),
    number_column("threshold", "Best from", lambda one: one.threshold, 92, numbers.chance, yields=1),
)


# ---- everything, also as CSV


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """All data drawn of an evaluation, or of the later one of two; None for charts without data."""

    labels: tuple[LabelScore, ...]
    confusion: ConfusionMatrix | None
    confidence: Bars | None
    coverage: Chart | None
    retrieval: Chart | None
    precision_recall: Chart | None
    are_labels: bool = False
    """True if the names are labels of memories, which can have their own thresholds."""

    @property
    def suggested(self) -> dict[str, float]:
        """Best threshold by label, where the cases determine one."""
        if not self.are_labels:
            return {}
        return {one.label: one.threshold for one in self.labels if one.label and one.threshold is not None}


def diagnostics_of(before: Evaluation, after: Evaluation | None = None) -> Diagnostics:
    """Return the diagnostics of an evaluation; with the curves of both if two are compared."""
    now = before if after is None else after
    return Diagnostics(
        labels=label_scores(now.answered),
        confusion=confusion_matrix(now.answered),
        confidence=confidence_bars(now),
        coverage=coverage_chart(before, after),
        retrieval=retrieval_chart(before, after),
        precision_recall=precision_recall_chart(before, after),
        are_labels=now.task is Task.INTENT,
    )


def diagnostics_csv(shown: Diagnostics, view: str) -> str:
    """Return the numbers of one view as CSV, with the same column names in every language."""
    rows = _ROWS[view](shown)
    text = io.StringIO()
    csv.writer(text).writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue()


def _label_rows(shown: Diagnostics) -> Iterable[Sequence[object]]:
    yield "label", "cases", "given", "right", "precision", "recall", "f1", "threshold"
    for one in shown.labels:
        figures = one.precision, one.recall, one.f1, one.threshold
        yield one.label or NO_MATCH, one.expected, one.given, one.right, *figures


def _confusion_rows(shown: Diagnostics) -> Iterable[Sequence[object]]:
    yield "expected", "given", "cases"
    counts = {} if shown.confusion is None else shown.confusion.counts
    for (expected, given), count in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0]))):
        yield expected or NO_MATCH, given or NO_MATCH, count


def _confidence_rows(shown: Diagnostics) -> Iterable[Sequence[object]]:
    yield "from", "to", "right", "wrong"
    if shown.confidence is not None:
        for (low, high), right, wrong in zip(bin_edges(), shown.confidence.right, shown.confidence.wrong, strict=True):
            yield low, high, right, wrong
    yield ()
    yield from _curve_rows("coverage", "precision", shown.coverage)


def _retrieval_rows(shown: Diagnostics) -> Iterable[Sequence[object]]:
    chart = shown.retrieval
    yield "curve", "among_first", "recall"
    if chart is not None:
        for one in chart.series:
            yield from ((one.name, depth, share) for depth, share in zip(chart.across_words, one.ys, strict=True))
    yield ()
    yield from _curve_rows("recall", "precision", shown.precision_recall)


def _curve_rows(across: str, up: str, chart: Chart | None) -> Iterable[Sequence[object]]:
    yield "curve", across, up
    for one in () if chart is None else chart.series:
        yield from ((one.name, x, y) for x, y in zip(one.xs, one.ys, strict=True))


_ROWS: Mapping[str, Callable[[Diagnostics], Iterable[Sequence[object]]]] = {
    LABELS: _label_rows,
    CONFUSION: _confusion_rows,
    CONFIDENCE: _confidence_rows,
    RETRIEVAL: _retrieval_rows,
}


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
    """Numbers of expected (upward) and other (downward) first answers per bin of confidence from 0 to 1.

    Both have one scale. `at` is the threshold with its label, if confidences decide about no match.
    """

    right: tuple[int, ...]
    wrong: tuple[int, ...]
    at: tuple[tuple[float, str], ...]

    @property
    def words(self) -> tuple[str, str]:
        """Labels of the legend, for both halves."""
        return (
            f"✓ first answer expected: {numbers.count(sum(self.right))}",
            f"✗ first answer not expected: {numbers.count(sum(self.wrong))}",
        )

    @property
    def up_marks(self) -> tuple[tuple[float, str], ...]:
        """Marks of the axis of counts: 0, and the largest bin of each half."""
        ends = ((max(self.right), 1), (max(self.wrong), -1))
        return ((0.0, "0"), *((float(side * most), numbers.count(most)) for most, side in ends if most))


def reliability_chart(before: Evaluation, after: Evaluation | None, then: str = "") -> Chart | None:
    """Return the reliability curves of one evaluation or two; `then` names the second."""
    now = _curve("current", reliability_groups(before.answered), "accent", "solid")
    others = [] if after is None else [_curve(then or "then", reliability_groups(after.answered), "text", "dash")]
    if not now.xs:
        return None
    others = [one for one in others if (one.xs, one.ys) != (now.xs, now.ys)]
    even = Series("ideal", (0.0, 1.0), (0.0, 1.0), "text_2", "dot", is_marked=False)
    chart = Chart((even, now, *others), (0.0, 1.0), (0.0, 1.0), _MARKS, _MARKS)
    return replace(chart, across_name=CONFIDENCE_AXIS, up_name="share that is the expected one")


def _curve(name: str, bins: Sequence[Bin], token: str, dash: str) -> Series:
    every = sorted({one.count for one in bins})
    sizes = "1 case" if every == [1] else f"{' or '.join(map(numbers.count, every))} cases"
    return Series(
        f"{name}, {sizes} a point", tuple(one.confidence for one in bins), tuple(one.right for one in bins), token, dash
    )


def confidence_bars(evaluation: Evaluation) -> Bars | None:
    """Return the confidences of expected and other first answers; None without a labelled case."""
    found = confidence_histogram(evaluation.answered)
    if not sum(found.right) + sum(found.wrong):
        return None
    line = evaluation.threshold
    at = () if evaluation.is_by_any else ((line, f"no match below {numbers.chance(line)}"),)
    return Bars(found.right, found.wrong, at)


def bin_edges() -> tuple[tuple[float, float], ...]:
    return tuple((place / HISTOGRAM_BINS, (place + 1) / HISTOGRAM_BINS) for place in range(HISTOGRAM_BINS))


def coverage_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
    """Return precision (y) over coverage (x), highest confidence first; None without an answer."""
    at = next((cut.coverage for cut in reversed(cuts(before.answered)) if cut.threshold >= before.threshold), None)
    words = f"answered from {numbers.chance(before.threshold)} on"
    marks = () if at is None or before.is_by_any else ((at, words),)
    lines = _precisions(before, after, lambda cut: cut.coverage)
    return _shares("precision by coverage", lines, "share of cases answered", "precision", marks)


def precision_recall_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
    """Return precision (y) over recall (x); None without an answer."""
    lines = _precisions(before, after, lambda cut: cut.recall)
    return _shares("precision by recall", lines, "recall", "precision")


def _precisions(before: Evaluation, after: Evaluation | None, across: Callable[[CutoffResult], float]) -> list[_Line]:
    """Return the line of precisions of each evaluation over another figure of the cut-offs."""
    found = (cuts(one.answered) for one in (before, after) if one is not None)
    return [(tuple(map(across, own)), tuple(cut.precision for cut in own)) for own in found]


def retrieval_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
    """Return recall over ranking depth (x, not to scale); None if no case expects an answer."""
    found = [retrieval(one.answered) for one in (before, after) if one is not None]
    depths = [str(depth) for depth, _ in found[0]]
    places = tuple(map(float, range(len(depths))))
    lines = [(places, tuple(share for _, share in one)) for one in found]
    titles = "rank down to which answers count", "share of cases with an expected one"
    if (chart := _shares("found among the first", lines, *titles)) is None:
        return None
    return replace(chart, across=(0.0, places[-1]), across_marks=places, across_words=tuple(depths))


_Line = tuple[tuple[float, ...], tuple[float, ...]]


def _shares(
    name: str, lines: Sequence[_Line], across: str, up: str, at: tuple[tuple[float, str], ...] = ()
) -> Chart | None:
    """Return a chart of today's line, and of the earlier one if it differs; None without data."""
    now, *then = lines
    if not now[0]:
        return None
    looks = [(name, "accent", "solid")]
    if then and then[0] != now:
        looks = [(f"{name}, current", "accent", "solid"), ("then", "text", "dash")]
    few = len(now[0]) <= _FEW
    series = tuple(
        Series(word, *line, token, dash, is_marked=few) for (word, token, dash), line in zip(looks, lines, strict=False)
    )
    is_high = all(y >= _UPPER[0] for one in series for y in one.ys)
    marks = _UPPER if is_high else _MARKS
    return Chart(series, (0.0, 1.0), (marks[0], 1.0), _MARKS, marks, at, across_name=across, up_name=up)
