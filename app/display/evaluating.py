"""An evaluation as the window shows it: tables of figures, pictures as lines, and lists of cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.display import numbers, words
from app.display.bins import ticks
from app.display.case_rows import TASK_WORDS
from app.display.catalogue import Column
from app.display.comparison import (
    NO_MATCH_RIGHT,
    TURNS,
    chance_words,
    expected,
    figure,
    figures,
    gain,
    given,
    p_words,
    sweep_chance_words,
    sweep_verdict,
    verdict,
)
from app.display.measures import Row, Table
from app.display.words import BANDS, TIERS
from app.domain.case import Task
from app.evaluation.answers import Answered
from app.evaluation.comparison import Comparison, Turn
from app.evaluation.evaluation import Evaluation
from app.evaluation.metrics import Bin, reliability
from app.evaluation.sweep import Sweep, SweepRow, numeric

FIGURES: Mapping[str, str] = {
    "top1": "Right answer first",
    "top3": "Among the first 3",
    "top5": "Among the first 5",
    "recall10": "Recall at 10",
    "mrr10": "Mean of 1 / rank",
    "accuracy": "Answered rightly",
    NO_MATCH_RIGHT: "Rightly unanswered",
    "macro_f1": "F1, mean of labels",
    "auroc": "AUROC of confidence",
    "ece": "Calibration error",
    "tier_accuracy": "Tier as meant",
    "activated": "Activated",
    "wrongly_activated": "Wrongly activated",
    "friction": "Turns at most",
}
"""Every figure with its name, in the order in which they are shown."""

WRONG, RIGHT = "wrong", "right"
"""The lists of an evaluation that is compared with nothing."""

LISTS: Mapping[str, str] = {WRONG: "Wrong", RIGHT: "Right", **{turn.value: word for turn, word in TURNS.items()}}
"""Every list of cases by its key, and its word."""

TEXT, EXPECTED, ANSWER, CONFIDENCE, THEN, THEN_CONFIDENCE = (
    "text",
    "expected",
    "answer",
    "confidence",
    "then",
    "then_of",
)
"""The columns of a list of cases, which it is also sorted by."""


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case in a list: its place among the cases, how it was answered, and how it would be, if that was tried."""

    place: int
    before: Answered
    after: Answered | None = None


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


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that is shown of one evaluation or comparison: what it comes to, and how sure that is; `changes` are
    the settings to apply, {} for none, and `is_better` says that they do more good than harm, by more than chance."""

    verdict: str
    more: str
    tables: tuple[Table, ...]
    chart: Chart | None
    lists: Mapping[str, tuple[CaseLine, ...]]
    changes: Mapping[str, str] = field(default_factory=dict)
    is_better: bool = False


@dataclass(frozen=True, slots=True)
class SweepLine:
    """A value in the table of a sweep, its figures by name, and what it turns."""

    value: str
    figures: Mapping[str, float | None]
    stars: frozenset[str]
    fixed: int
    broken: int
    p: float
    is_today: bool
    is_best: bool


@dataclass(frozen=True, slots=True)
class SweepShown:
    """Everything that is shown of a sweep; `best` is the place of the best value, `columns` the figures that apply."""

    sweep: Sweep
    verdict: str
    more: str
    lines: tuple[SweepLine, ...]
    columns: frozenset[str]
    best: int
    chart: Chart | None


# ---- what is shown


def today_shown(evaluation: Evaluation) -> Shown:
    """An evaluation of today: figures, reliability, and the cases by how they came out."""
    right = sum(answered.is_right for answered in evaluation.answered)
    whole = len(evaluation.answered)
    told = words.say_n(
        whole,
        "{right} of {n} case is answered rightly ({share}).",
        "{right} of {n} cases are answered rightly ({share}).",
        right=numbers.count(right),
        share=numbers.percent(right, whole),
    )
    lines = [CaseLine(place, answered) for place, answered in enumerate(evaluation.answered)]
    lists = {
        WRONG: tuple(line for line in lines if not line.before.is_right),
        RIGHT: tuple(line for line in lines if line.before.is_right),
    }
    return Shown(told, "", _tables(evaluation, None), _reliability_chart(evaluation, None), lists)


def comparison_shown(comparison: Comparison, changes: Mapping[str, str], tried: int = 1) -> Shown:
    """A comparison: both sets of figures, and the cases that turn; so many were tried on the same cases."""
    lists = {
        turn.value: tuple(CaseLine(one.place, one.before, one.after) for one in comparison.of(turn)) for turn in Turn
    }
    before, after = comparison.before, comparison.after
    told = verdict(comparison), chance_words(comparison, tried)
    is_better = comparison.net > 0 and comparison.is_more_than_chance(tried)
    return Shown(*told, _tables(before, after), _reliability_chart(before, after), lists, changes, is_better)


def sweep_shown(sweep: Sweep) -> SweepShown:
    """A sweep: a line for each value, the verdict, and a picture where the values are numbers."""
    best = sweep.best
    shown = {name for row in sweep.rows for name in figures(row.comparison.after)}
    stars = {name: sweep.best_of(name) for name in sweep.today.metrics}
    lines = tuple(_sweep_line(row, stars, is_best=row is best) for row in sweep.rows)
    place = next((place for place, line in enumerate(lines) if line.is_best), 0)
    told = sweep_verdict(sweep), sweep_chance_words(sweep)
    return SweepShown(sweep, *told, lines, frozenset(shown), place, _sweep_chart(sweep, lines))


def of_value(shown: SweepShown, place: int) -> Shown:
    """What one value of a sweep comes to."""
    row, sweep = shown.sweep.rows[place], shown.sweep
    return comparison_shown(row.comparison, {} if row.is_today else {sweep.key: row.value}, sweep.tried)


# ---- tables of figures


def _tables(before: Evaluation, after: Evaluation | None) -> tuple[Table, ...]:
    made = [_figures_table(before, after), _occupancy_table(before, after), _bins_table(after or before)]
    return tuple(table for table in made if table is not None)


def _heads(after: Evaluation | None, alone: str) -> tuple[str, ...]:
    if after is None:
        return (words.say(alone),)
    return words.say("today"), words.say("then"), words.say("change")


def _figures_table(before: Evaluation, after: Evaluation | None) -> Table:
    now, then = figures(before), {} if after is None else figures(after)
    rows = []
    for name, word in FIGURES.items():
        if name in now or name in then:
            one, other = now.get(name), then.get(name)
            cells = (figure(one),) if after is None else (figure(one), figure(other), gain(one, other))
            rows.append(Row(words.say(word), cells))
    task = words.say(TASK_WORDS[Task(before.task)])
    title = words.say_n(len(before.answered), "{task}, {n} case", "{task}, {n} cases", task=task)
    how = before.combination if after is None or after.combination == before.combination else ""
    remark = words.say("{how}; no match below {line}.", how=how, line=f"{before.threshold:g}") if how else ""
    return Table(title, _heads(after, "today"), tuple(rows), remark)


def _occupancy_table(before: Evaluation, after: Evaluation | None) -> Table | None:
    """How many cases fall into each band or tier."""
    names: Mapping[Any, str] = BANDS if before.bands else TIERS
    counts: Mapping[Any, int] = before.bands or before.tiers
    if not counts:
        return None
    then: Mapping[Any, int] = {} if after is None else after.bands or after.tiers
    rows = []
    for key, count in counts.items():
        cells: tuple[str, ...] = (numbers.count(count),)
        if after is not None:
            cells = (*cells, numbers.count(then[key]), _counted(then[key] - count))
        rows.append(Row(words.say(names[key]), cells, is_quiet=not count and not then.get(key)))
    title = words.say("Bands") if before.bands else words.say("Tiers")
    return Table(title, _heads(after, "cases"), tuple(rows))


def _counted(change: int) -> str:
    return f"+{change:,}" if change > 0 else numbers.minus(f"{change:,}")


def _bins_table(evaluation: Evaluation) -> Table | None:
    """Per bin of confidence what is expected and what came true."""
    rows = tuple(
        Row(
            words.say("{low} to {high}", low=f"{one.low:.2f}", high=f"{one.high:.2f}"),
            (numbers.count(one.count), _share(one.confidence), _share(one.right)),
        )
        for one in reliability(evaluation.answered)
    )
    if not rows:
        return None
    heads = (words.say("cases"), words.say("expected"), words.say("right"))
    remark = words.say("By confidence: how many right answers it promises, and how many came first.")
    return Table(words.say("Reliability"), heads, rows, remark)


def _share(value: float) -> str:
    return numbers.percent(round(value * 1e9), 1_000_000_000)


# ---- pictures


def _reliability_chart(before: Evaluation, after: Evaluation | None) -> Chart | None:
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


_CURVES = (("accuracy", "accent", "solid"), ("top1", "bar", "dash"), (NO_MATCH_RIGHT, "text_2", "dot"))


def _sweep_chart(sweep: Sweep, lines: Sequence[SweepLine]) -> Chart | None:
    """The figures over the values; None where these are no numbers, or only one."""
    xs = numeric([line.value for line in lines])
    if xs is None or len(set(xs)) < 2:
        return None
    order = sorted(range(len(xs)), key=lambda place: xs[place])
    series = []
    for name, token, dash in _CURVES:
        points = [(xs[n], value) for n in order if (value := lines[n].figures.get(name)) is not None]
        if points:
            along, values = zip(*points, strict=True)
            series.append(Series(words.say(FIGURES[name]), along, values, token, dash))
    ys = [y for one in series for y in one.ys]
    at = [(xs[n], words.say("best")) for n, line in enumerate(lines) if line.is_best]
    at += [(xs[n], words.say("today")) for n, line in enumerate(lines) if line.is_today and not line.is_best]
    low, high = _ends(min(ys), max(ys))
    up = tuple(low + mark for mark in ticks(high - low, 4))
    across = (min(xs), max(xs))
    return Chart(tuple(series), across, (low, high), _marks(*across), up, tuple(at))


def _ends(low: float, high: float) -> tuple[float, float]:
    """Round ends with all values between them, at least a twentieth apart."""
    step = next((step for step in (0.05, 0.1) if high - low <= 4 * step), 0.25)
    least, most = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return round(least * step, 6), round(max(most, least + 1) * step, 6)


def _marks(low: float, high: float) -> tuple[float, ...]:
    return tuple(low + mark for mark in ticks(high - low, 5))


# ---- lists of cases


def _score(answered: Answered | None) -> str:
    return "" if answered is None else numbers.score(answered.confidence)


CASE_COLUMNS: tuple[Column[CaseLine], ...] = (
    Column("text", "Query", lambda line: line.before.case.text, 260, TEXT),
    Column("expected", "Expected", lambda line: expected(line.before), 150, EXPECTED),
    Column("answer", "Today", lambda line: given(line.before), 150, ANSWER),
    Column("confidence", "Confidence", lambda line: _score(line.before), 88, CONFIDENCE, is_number=True),
    Column("then", "Then", lambda line: "" if line.after is None else given(line.after), 150, THEN),
    Column("then_of", "Confidence", lambda line: _score(line.after), 88, THEN_CONFIDENCE, is_number=True),
)

_KEYS: Mapping[str, Callable[[CaseLine], Any]] = {
    TEXT: lambda line: line.before.case.text.casefold(),
    EXPECTED: lambda line: expected(line.before).casefold(),
    ANSWER: lambda line: given(line.before).casefold(),
    CONFIDENCE: lambda line: line.before.confidence,
    THEN: lambda line: "" if line.after is None else given(line.after).casefold(),
    THEN_CONFIDENCE: lambda line: 0.0 if line.after is None else line.after.confidence,
}


def ordered(lines: Sequence[CaseLine], order: str, *, falling: bool) -> list[CaseLine]:
    """The lines sorted by one of the columns; what is level keeps the order of the cases."""
    return sorted(lines, key=_KEYS[order], reverse=falling) if order in _KEYS else list(lines)


# ---- the table of a sweep


def _sweep_line(row: SweepRow, stars: Mapping[str, frozenset[str]], *, is_best: bool) -> SweepLine:
    found, comparison = figures(row.comparison.after), row.comparison
    marked = frozenset(name for name, values in stars.items() if row.value in values)
    turned = (comparison.fixed, comparison.broken, comparison.p)
    return SweepLine(row.value, found, marked, *turned, row.is_today, is_best)


def _cell(name: str) -> Callable[[SweepLine], str]:
    def cell(line: SweepLine) -> str:
        told = figure(line.figures.get(name))
        return f"{told}*" if name in line.stars else told

    return cell


def _mark(line: SweepLine) -> str:
    marks = [words.say("best")] if line.is_best else []
    return ", ".join([*marks, words.say("today")] if line.is_today else marks)


_FIRST = tuple(dict.fromkeys(("accuracy", NO_MATCH_RIGHT, "tier_accuracy", "activated", "wrongly_activated", *FIGURES)))
"""The figures in the order of a sweep's columns: first what the best value is told by."""

SWEEP_COLUMNS: tuple[Column[SweepLine], ...] = (
    Column("value", "Value", lambda line: line.value, 90),
    Column("mark", "", _mark, 88),
    Column("fixed", "Turn right", lambda line: numbers.count(line.fixed), 78, is_number=True),
    Column("broken", "Turn wrong", lambda line: numbers.count(line.broken), 84, is_number=True),
    Column("p", "Chance", lambda line: "" if line.is_today else p_words(line.p), 84, is_number=True),
    *(Column(name, FIGURES[name], _cell(name), 26 + 6 * max(9, len(FIGURES[name])), is_number=True) for name in _FIRST),
)
