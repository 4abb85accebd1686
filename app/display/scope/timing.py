"""Stages of one query on a time axis; durations of a session as bins and percentiles."""

from __future__ import annotations

import bisect
import csv
import io
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.display import numbers, words
from app.domain.inspection import KEYWORD_STAGE, LEXICAL_STAGE, LLM_STAGE, PAINT_STAGE, Trace
from app.domain.llm import LlmOutcome, LlmReport

FLOOR_BUDGET_MS = 10.0
"""Budget of the first answer in ms: 000's for the keywords (S7.1), with lexical scores."""

FLOOR_STAGES = (KEYWORD_STAGE, LEXICAL_STAGE)
"""Stages that the budget covers; later stages have none."""

LLM_BUDGET_MS = 200.0
"""Default budget of the LLM in ms (000)."""

LLM_AXIS = 4.0
"""Usual length of the LLM's axis in budgets: 0 to 800 ms for 200."""


@dataclass(frozen=True, slots=True)
class StageBar:
    """One stage: span on the axis, time as text, and its outcome unless normal.

    `rests` marks a gap in which the engine waited for the window to paint.
    """

    name: str
    start: float
    end: float
    text: str
    outcome: str
    rests: bool = False


@dataclass(frozen=True, slots=True)
class LlmBar:
    """LLM's time on an axis from 0 to `axis` ms: solid until `solid`, hatched until `end`.

    Both are 0 if nothing was requested or is known yet.
    """

    solid: float
    end: float
    axis: float
    budget: float
    text: str
    scale_text: str
    budget_text: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Stages without the LLM on an axis from 0 to `axis` ms; the LLM's bar; the typing pause.

    `floor` is the number of first bars that the budget of 10 ms covers.
    """

    bars: tuple[StageBar, ...]
    axis: float
    ticks: tuple[float, ...]
    settled: float
    settled_text: str
    llm: LlmBar | None = None
    pause_text: str = ""
    floor: int = 0
    scorers_text: str = ""
    """Time of each scorer, longest first."""


def scorers_text(trace: Trace) -> str:
    """Return the time of each scorer, longest first; "" if none ran."""
    ordered = sorted(trace.scorers.items(), key=lambda one: -one[1])
    parts = [f"{words.scorer(name).title} {numbers.milliseconds(ms)}" for name, ms in ordered]
    return f"Scorers, ms: {', '.join(parts)}" if parts else ""


def waterfall(trace: Trace) -> Waterfall:
    """Lay out the stages in order."""
    stages = [stage for stage in trace.stages if stage.name != LLM_STAGE]
    floor = next((n for n, stage in enumerate(stages) if stage.name not in FLOOR_STAGES), len(stages))
    bars = tuple(
        StageBar(
            words.stage(stage.name),
            stage.start_ms,
            stage.start_ms + stage.ms,
            f"{numbers.milliseconds(stage.ms)} ms",
            "" if stage.outcome == "ok" else stage.outcome.replace("_", " "),
            stage.name == PAINT_STAGE,
        )
        for stage in stages
    )
    settled = max((bar.end for bar in bars), default=0.0)
    axis = axis_end(max(settled, FLOOR_BUDGET_MS))
    text = f"settled {numbers.milliseconds(settled)} ms"
    is_on = trace.llm is not None and trace.llm.outcome is not LlmOutcome.OFF
    llm = llm_bar(trace.llm) if trace.llm is not None and is_on else None
    pause = _pause(trace.llm) if is_on else ""
    return Waterfall(bars, axis, ticks(axis), settled, text, llm, pause, floor, scorers_text(trace))


def llm_bar(report: LlmReport) -> LlmBar:
    """Make the LLM's bar; a timed-out request is hatched to the end of the axis."""
    budget = report.budget_ms or LLM_BUDGET_MS
    took = report.ms or 0.0
    axis = axis_end(max(took, budget), LLM_AXIS * budget)
    given_up = report.outcome is LlmOutcome.TIMED_OUT
    text = f"{numbers.milliseconds(took, (budget,))} ms" if report.ms is not None else numbers.ABSENT
    if given_up:
        text = f">{numbers.milliseconds(budget)} ms"
    return LlmBar(
        min(took, budget),
        axis if given_up else max(took, 0.0),
        axis,
        budget,
        text,
        f"0 to {axis:g} ms",
        f"{budget:g} ms budget",
        words.LLM[report.outcome].timing,
    )


def _pause(report: LlmReport | None) -> str:
    """Return the typing pause before the LLM request, if any."""
    if report is None or report.pause_ms <= 0.0:
        return ""
    if report.ms is None and report.outcome is not LlmOutcome.ASKING:
        return ""
    return f"Typing pause {report.pause_ms:g} ms, not counted"


# --------------------------------------------------------------------------------------------------------------------
# Session times as rows per stage for a table, and lines per run for a file

ON_SCREEN = "on screen"
"""Stage from the key press to the painted answer."""
FLOOR = "keywords and lexical"
"""Stage of keywords and lexical scores together."""

_TITLES = {ON_SCREEN: "Answer on screen", FLOOR: "Keywords + lexical"}
_FIRST = (ON_SCREEN, FLOOR)

HEADS = ("Stage", "Runs", "P50, ms", "P90, ms", "P95, ms", "P99, ms", "Longest, ms", "Budget, ms", "Over budget")
"""Column headings of a row."""

CSV_HEAD = ("stage", "run", "duration", "unit")
UNIT = "ms"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One stage: display name and cells, one per heading after the first."""

    stage: str
    cells: tuple[str, ...]


def stage_title(name: str) -> str:
    return _TITLES[name] if name in _TITLES else words.stage(name)


def session_rows(durations: Mapping[str, Durations], budgets: Mapping[str, float]) -> tuple[SessionRow, ...]:
    """Return a row per stage that ran: the answer first, then in order of appearance."""
    names = [name for name in _FIRST if name in durations]
    names += [name for name in durations if name not in _FIRST]
    return tuple(_row(name, durations[name], budgets.get(name)) for name in names if len(durations[name]))


def session_csv(durations: Mapping[str, Durations]) -> str:
    """Return every stored run as CSV: stage, run number, duration, unit; oldest first."""
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(CSV_HEAD)
    for name, kept in durations.items():
        lines.writerows((name, run, repr(ms), UNIT) for run, ms in enumerate(kept.in_order, 1))
    return text.getvalue()


def parse_stages(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def _row(name: str, kept: Durations, budget: float | None) -> SessionRow:
    ordered, limits = kept.sorted(), () if budget is None else (budget,)
    over = 0 if budget is None else len(ordered) - bisect.bisect_right(ordered, budget)
    return SessionRow(
        stage_title(name),
        (
            numbers.count(len(ordered)),
            *(numbers.milliseconds(percentile(ordered, share), limits) for share in PERCENTILES),
            numbers.milliseconds(ordered[-1], limits),
            numbers.ABSENT if budget is None else f"{budget:g}",
            numbers.ABSENT if budget is None else f"{numbers.count(over)} ({numbers.percent(over, len(ordered))})",
        ),
    )


# ---- Session durations as bins, percentiles and axes.


KEPT = 5_000
"""Number of durations stored per stage; older ones are dropped."""

PERCENTILES = (50, 90, 95, 99)

_IN_SIGHT = 5.0
"""Largest budget on a linear axis, as a multiple of the 99th percentile."""

LEAST_MS = 0.01
"""Minimum of a logarithmic axis, in ms."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Bars of equal width: left edges, counts, flags beyond the budget, percentiles.

    Places on the axis are ms, or with `log` decimal logarithms; percentiles are always ms.
    """

    lefts: tuple[float, ...]
    counts: tuple[int, ...]
    over: tuple[bool, ...]
    width: float
    percentiles: tuple[tuple[int, float, str], ...]
    low: float
    high: float
    log: bool = False

    def place(self, ms: float) -> float:
        """Return the place of a duration on the axis."""
        return math.log10(max(ms, LEAST_MS)) if self.log else ms

    def marks(self, wanted: int = 5) -> tuple[tuple[float, str], ...]:
        """Return round places on the axis with their labels."""
        if self.log:
            found = _round_between(10.0**self.low, 10.0**self.high, wanted)
        else:
            step = next_round_step((self.high - self.low) / wanted)
            found = [step * n for n in range(math.ceil(self.low / step), math.floor(self.high / step + 1e-9) + 1)]
        return tuple((self.place(ms), f"{ms:g}") for ms in found if self.low <= self.place(ms) <= self.high)


class Durations:
    """Durations of one stage in this session, in order and sorted."""

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
        """Remove a duration that was added before, if it is still stored."""
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
        """Stored durations, oldest first."""
        return tuple(self._recent)


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile of ascending durations; raises ValueError for none."""
    if not ordered:
        raise ValueError("nothing has no percentile")
    return ordered[max(0, math.ceil(share / 100.0 * len(ordered)) - 1)]


def bins(ordered: Sequence[float], budget: float | None, wanted: int = 40, *, log: bool = False) -> Bins:
    """Bin ascending durations with an edge at the budget, which is inclusive.

    The last bar holds everything well above the 99th percentile, so that an outlier does not flatten the rest.
    """
    place: Callable[[float], float] = (lambda ms: math.log10(max(ms, LEAST_MS))) if log else float
    low, high = _ends(ordered, budget, log=log)
    width = next_round_step((high - low) / wanted)
    anchor = place(budget) if budget is not None else 0.0
    first = _bin(low, anchor, width)
    last = max(_bin(high, anchor, width), first)
    beyond = min(0, last + 1)  # first bar over the budget; adjacent to the others if that is far off the axis
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
    return Bins(lefts, tuple(counts), over, width, marks, lefts[0], anchor + (last + 1) * width, log)


def _ends(ordered: Sequence[float], budget: float | None, *, log: bool) -> tuple[float, float]:
    """Return the ends of the axis, far enough apart that one run does not fill it."""
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
    """Return numbers 1, 2 or 5 times a power of ten in a range, thinned out or evenly spaced."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found: list[float] = []
    for factors in ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
        found = [factor * 10.0**power for power in powers for factor in factors if low <= factor * 10.0**power <= high]
        if len(found) <= wanted + 2:
            break
    if len(found) >= 3:
        return found
    step = next_round_step((high - low) / wanted)
    return [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1) if n > 0]


def over_budget(ordered: Sequence[float], budget: float) -> tuple[str, str]:
    """Return the budget's name and the share above it: "10 ms budget", "16 of 412 over (3.9 %)"."""
    over, runs = len(ordered) - bisect.bisect_right(ordered, budget), len(ordered)
    return (f"{budget:g} ms budget", f"{over} of {runs} over ({numbers.percent(over, runs)})")


def next_round_step(width: float) -> float:
    """Return the next number 1, 2 or 5 times a power of ten, from the width up."""
    if width <= 0.0 or not math.isfinite(width):
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    for factor in (1.0, 2.0, 5.0, 10.0):
        if factor * power >= width * (1.0 - 1e-9):
            return factor * power
    return 10.0 * power


def axis_end(ms: float, usual: float = 12.0) -> float:
    """Return the end of a waterfall's axis: the usual one, or the next 1-2-5 step that fits."""
    return usual if ms <= usual else next_round_step(ms)


def ticks(end: float, wanted: int = 6) -> tuple[float, ...]:
    """Return round places from 0 to the end, about as many as wanted."""
    step = next_round_step(end / wanted)
    return tuple(round(index * step, 9) for index in range(math.floor(end / step + 1e-9) + 1))


def _bin(value: float, anchor: float, width: float) -> int:
    place = (value - anchor) / width
    nearest = round(place)
    if abs(place - nearest) < 1e-9:
        return nearest - 1
    return math.floor(place)
