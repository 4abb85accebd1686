"""Sweeps: settings and values to sweep for a task; results as lines, verdict and chart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.display import numbers
from app.display.evaluation.comparison import (
    NO_MATCH_RIGHT,
    metric_values,
    p_text,
    sweep_chance_sentence,
    sweep_verdict,
)
from app.display.evaluation.diagnostics import Chart, Series
from app.display.evaluation.results import METRIC_TITLES, EvaluationView, comparison_view, figure_text
from app.display.library.tables import Column, column_lines
from app.display.scope.timing import ticks
from app.display.system.settings import Editor, SettingRow, is_share, setting_sections, setting_title
from app.domain.case import Task
from app.evaluation.answers import Delivery, deliveries
from app.evaluation.comparison import Sweep, SweepRow, numeric, steps
from app.evaluation.evaluation import Evaluation
from app.scoring.combiners import only_reader
from app.settings.layers import from_pairs
from app.settings.model import ALIASES, Settings, SettingsError


@dataclass(frozen=True, slots=True)
class SweepLine:
    """Row of a sweep: a value, its metrics by name, and its numbers of fixed and broken cases."""

    value: str
    figures: Mapping[str, float | None]
    stars: frozenset[str]
    fixed: int
    broken: int
    p: float
    is_today: bool
    is_best: bool


@dataclass(frozen=True, slots=True)
class SweepView:
    """View model of a sweep; `best` is the index of the best line, `columns` has the keys of those shown."""

    sweep: Sweep
    verdict: str
    significance: str
    lines: tuple[SweepLine, ...]
    columns: frozenset[str]
    best: int
    chart: Chart | None


def sweep_view(sweep: Sweep) -> SweepView:
    """Return the view of a sweep: a line per value, the verdict, a chart of numeric values."""
    best = sweep.best
    stars = {name: sweep.best_of(name) for name in sweep.today.metrics}
    lines = tuple(_sweep_line(row, stars, is_best=row is best) for row in sweep.rows)
    place = next((place for place, line in enumerate(lines) if line.is_best), 0)
    found = {name for line in lines for name, value in line.figures.items() if value or name in METRIC_TITLES}
    columns = frozenset(one.key for one in SWEEP_COLUMNS if one.key not in _TITLES or one.key in found)
    sentences = sweep_verdict(sweep), sweep_chance_sentence(sweep)
    return SweepView(sweep, *sentences, lines, columns, place, _sweep_chart(sweep, lines))


def value_view(shown: SweepView, place: int) -> EvaluationView:
    row, sweep = shown.sweep.rows[place], shown.sweep
    return comparison_view(row.comparison, {} if row.is_today else {sweep.key: row.value}, sweep.tried)


_CURVES = (("delivered", "accent", "solid"), ("top1", "bar", "dash"), (NO_MATCH_RIGHT, "text_2", "dot"))


def _sweep_chart(sweep: Sweep, lines: Sequence[SweepLine]) -> Chart | None:
    """Return the chart of figures over the values; None for text values, or only one."""
    found = numeric([line.value for line in lines])
    if found is None or len(set(found)) < 2:
        return None
    xs = [x * (100 if is_share(sweep.key) else 1) for x in found]
    order = sorted(range(len(xs)), key=lambda place: xs[place])
    series = []
    for name, token, dash in _CURVES:
        points = [(xs[n], 100 * value) for n in order if (value := lines[n].figures.get(name)) is not None]
        if points:
            along, values = zip(*points, strict=True)
            series.append(Series(METRIC_TITLES[name], along, values, token, dash))
    ys = [y for one in series for y in one.ys]
    at = [(xs[n], "best") for n, line in enumerate(lines) if line.is_best]
    at += [(xs[n], "current") for n, line in enumerate(lines) if line.is_today and not line.is_best]
    low, high = _ends(min(ys), max(ys))
    up = tuple(low + mark for mark in ticks(high - low, 4))
    across = (min(xs), max(xs))
    right = tuple(min(xs) + mark for mark in ticks(max(xs) - min(xs), 5))
    name = f"{setting_title(sweep.key)}{', in %' * is_share(sweep.key)}"
    return Chart(tuple(series), across, (low, high), right, up, tuple(at), across_name=name, up_name="cases, in %")


def _ends(low: float, high: float) -> tuple[float, float]:
    """Return round ends of an axis around all percentages, at least 5 apart."""
    step = next((step for step in (5, 10) if high - low <= 4 * step), 25)
    least, most = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return least * step, max(most, least + 1) * step


def _sweep_line(row: SweepRow, stars: Mapping[str, frozenset[str]], *, is_best: bool) -> SweepLine:
    found, comparison = _figures(row.comparison.after), row.comparison
    marked = frozenset(name for name, values in stars.items() if row.value in values)
    turned = (comparison.fixed, comparison.broken, comparison.p)
    return SweepLine(row.value, found, marked, *turned, row.is_today, is_best)


def _figures(evaluation: Evaluation) -> dict[str, float | None]:
    """Return the metrics that apply, and the numbers of cases that fail by their delivery."""
    counts = deliveries(evaluation.answered)
    return {**metric_values(evaluation), **{one.value: counts[one] for one in _FAILED}}


def _cell(name: str) -> Callable[[SweepLine], str]:
    def cell(line: SweepLine) -> str:
        value = line.figures.get(name)
        text = figure_text(name, value) if name in METRIC_TITLES else numbers.count(int(value or 0))
        return f"{text}*" if name in line.stars else text

    return cell


def _mark(line: SweepLine) -> str:
    return ", ".join(["best"] * line.is_best + ["current"] * line.is_today)


_FAILED = (Delivery.WRONG, Delivery.MISSING, Delivery.UNEXPECTED)
_TITLES: Mapping[str, str] = {**METRIC_TITLES, **{one.value: one.words.capitalize() for one in _FAILED}}
_LEADING = (NO_MATCH_RIGHT, "tier_accuracy", "activated", "wrongly_activated")
_FIRST = tuple(dict.fromkeys(("delivered", *(one.value for one in _FAILED), *_LEADING, *METRIC_TITLES)))
"""Figures in the order of a sweep's columns, starting with those that decide the best value."""

SWEEP_COLUMNS: tuple[Column[SweepLine], ...] = (
    Column("value", "Value", lambda line: line.value, 90),
    Column("mark", "", _mark, 104, yields=len(_FIRST) + 2),
    Column("fixed", "Fixed", lambda line: numbers.count(line.fixed), 66, is_number=True, yields=len(_FIRST) + 1),
    Column("broken", "Broken", lambda line: numbers.count(line.broken), 70, is_number=True, yields=len(_FIRST)),
    Column("p", "Chance", lambda line: "" if line.is_today else p_text(line.p), 104, is_number=True, yields=1),
    *(
        Column(
            name,
            _TITLES[name],
            _cell(name),
            26 + 6 * max(9, len(_TITLES[name])),
            is_number=True,
            yields=len(_FIRST) - place if place else 0,
        )
        for place, name in enumerate(_FIRST)
    ),
)


def sweep_lines(sweep: Sweep) -> list[str]:
    """Return a line for each value, by the names that gates use, then the verdict."""
    shown = sweep_view(sweep)
    now = SweepLine("current", _figures(sweep.today), frozenset(), 0, 0, 1.0, is_today=True, is_best=False)
    columns = [replace(one, title=one.key) for one in SWEEP_COLUMNS if one.key in shown.columns]
    legend = "* best of its column; best: the most cases delivered as expected, now or once approved"
    lines = column_lines(columns, [now, *shown.lines])
    return [f"Sweep of {sweep.key}", *lines, legend, "", f"{shown.verdict} {shown.significance}".strip()]


# ---- Values of a setting: parsing, and defaults.

ALL = "all"
"""Keyword for every choice, or for the whole range of a number."""

MOST = 200
"""Limit of the values that are parsed from one line."""

_COUNTED = 1e9
"""Limit above which an error message omits the number of values."""

_DUST = 1e-9

_PARTS = 20
"""Number of steps over a range without a given step."""


def default_values(row: SettingRow) -> str:
    """Return the default values of a sweep; "" if there are none."""
    if row.editor in (Editor.SWITCH, Editor.CHOICE):
        return ALL
    if row.low is None or row.high is None:
        return ""
    step = (row.high - row.low) / _PARTS
    return f"{row.low:.10g}:{row.high:.10g}:{max(1, round(step)) if row.is_whole else step:.10g}"


def can_sweep(row: SettingRow) -> bool:
    """Check if a setting has several values to try, which a text has not."""
    return row.editor is not Editor.TEXT


def parse_values(row: SettingRow, text: str) -> tuple[str, ...]:
    """Parse values: a list separated by commas, numbers also as FROM:TO:STEP, or `all`.

    Raises ValueError with a sentence for anything else, and for more than `MOST`.
    """
    if not can_sweep(row):
        raise ValueError(f"“{row.key}” is a text, of which there is nothing to sweep.")
    text = text.strip()
    if text == ALL or not text:
        text = ",".join(_choices(row)) or default_values(row)
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise ValueError(f"“{row.key}” has no end: write its values as 1,2,5 or as 0:10:1.")
    found = [value for part in parts for value in _read(row, part)]
    values = tuple(dict.fromkeys(found))
    if len(values) > MOST:
        raise _TooManyError(len(values))
    return values


class _TooManyError(ValueError):
    """Too many values to try at once; the message has their number if it is short."""

    def __init__(self, count: float) -> None:
        if count < _COUNTED:
            sentence = f"At most {MOST} values are tried at once, not {count:,.0f}."
        else:
            sentence = f"At most {MOST} values are tried at once; this range has far more."
        super().__init__(sentence)


def _choices(row: SettingRow) -> tuple[str, ...]:
    return ("true", "false") if row.editor is Editor.SWITCH else tuple(value for value, _ in row.choices)


def _read(row: SettingRow, part: str) -> tuple[str, ...]:
    known = _choices(row)
    if known:
        if part not in known:
            choices = ", ".join(known)
            raise ValueError(f"“{part}” is not a value of “{row.key}”; choose from {choices}.")
        return (part,)
    try:
        ends = [float(end) for end in part.split(":")]
        found = _range(ends)
    except _TooManyError:
        raise
    except (ValueError, OverflowError):
        sentence = f"“{part}” is neither a number nor a range such as 0:0.2:0.02."
        raise ValueError(sentence) from None
    if row.is_whole and any(value != int(value) for value in found):
        raise ValueError(f"“{row.key}” takes whole numbers, not {part}.")
    is_low = row.low is not None and min(found) < row.low
    if is_low or (row.high is not None and max(found) > row.high):
        raise ValueError(f"“{row.key}” takes {row.bounds}, not {part}.")
    return tuple(f"{value:.10g}" for value in found)


def _range(ends: list[float]) -> tuple[float, ...]:
    if len(ends) == 1:
        return steps(ends[0], ends[0], 1.0)
    start, stop, step = ends if len(ends) == 3 else (*ends, (ends[1] - ends[0]) / _PARTS)
    if step and (count := (stop - start) / step) > 100 * MOST:
        raise _TooManyError(math.floor(count + _DUST) + 1 if math.isfinite(count) else count)
    return steps(start, stop, step)


# ---- What can be compared and swept for a task: settings, presets and defaults.


SEVERAL = "several"
"""Choice of several settings at once."""

PRESET_WORDS: Mapping[str, str] = {
    "preset=recommended": "Preset “Recommended”",
    "preset=as_documented": "Preset “As documented”",
}

_RANKED = (
    "combination",
    "keep_better",
    "use_hybrid_retrieval",
    "fallback_threshold",
    "search_intent.surfacing_confidence",
    "search_intent.certain_confidence",
    "min_score",
    "thresholds.",
    "weights.",
)
_TOUCH: Mapping[Task, tuple[str, ...]] = {
    Task.INTENT: _RANKED,
    Task.MEMORY: _RANKED,
    Task.POWER: (
        "combination",
        "power_combination",
        "tiers.",
        "name_counts",
        "use_hybrid_retrieval",
        "thresholds.",
        "weights.",
    ),
    Task.ROUTE: ("route.threshold", "route.examples", "route.abstain"),
    Task.TYPE: ("search_intent.selection", "search_intent.require_topics", "fallback_threshold"),
}
"""Settings that a task's answers depend on; a final dot stands for a section."""


def rows_for(task: Task, settings: Settings, origins: Mapping[str, str]) -> list[SettingRow]:
    """Return the settings in force that a task's answers depend on, most relevant first."""
    known = {row.key: row for section in setting_sections(settings, origins) for row in section.rows}
    found = []
    for name in _TOUCH[task]:
        found += [row for key, row in known.items() if (key.startswith(name) if name.endswith(".") else key == name)]
    power = task is Task.POWER
    return [row for row in found if can_sweep(row) and only_reader(row.key, settings, power=power) is None]


def compare_choices(rows: Sequence[SettingRow], *, has_runs: bool = False) -> list[tuple[str, str]]:
    """Return what can be compared: presets, stored runs, single settings, several at once."""
    runs = [(KEPT_RUN, "A stored run")] if has_runs else []
    return [*PRESET_WORDS.items(), *runs, *((row.key, row.title) for row in rows), (SEVERAL, "Several settings…")]


def parse_changes(text: str) -> dict[str, str]:
    """Parse settings written as `KEY=VALUE; KEY=VALUE`; raises SettingsError if invalid."""
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise SettingsError("Write the changed settings, such as combination=max; fallback_threshold=0.4.")
    return {ALIASES.get(key, key): str(value) for key, value in from_pairs(parts).items()}


KEPT_RUN = "kept run"
"""Choice of a stored run."""
