"""The stages of one query as bars on one time axis, and the LLM's time on an axis of its own."""

from __future__ import annotations

import bisect
import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from app.display import numbers, words
from app.display.scope.bins import PERCENTILES, Durations, axis_end, percentile, ticks
from app.domain.inspection import KEYWORD_STAGE, LEXICAL_STAGE, LLM_STAGE, PAINT_STAGE, Trace
from app.domain.llm import LlmOutcome, LlmReport

FLOOR_BUDGET_MS = 10.0
"""What the floor has: 000 gives it to the keywords, which run at once (S7.1). Ours holds the lexical scores as well."""

FLOOR_STAGES = (KEYWORD_STAGE, LEXICAL_STAGE)
"""The stages that the budget is for; what comes after them has none of its own."""

LLM_BUDGET_MS = 200.0
"""What the LLM has where the settings say nothing else (000)."""

LLM_AXIS = 4.0
"""How many budgets the LLM's axis usually holds: 0 to 800 ms for 200."""

_OUTCOMES: dict[LlmOutcome, str] = {
    LlmOutcome.UNREACHABLE: "unreachable",
    LlmOutcome.MODEL_MISSING: "model missing",
    LlmOutcome.COLD: "loading",
    LlmOutcome.ASKING: "asked",
    LlmOutcome.ANSWERED: "in time",
    LlmOutcome.LOW_CONFIDENCE: "in time, too unsure",
    LlmOutcome.TIMED_OUT: "no answer yet",
    LlmOutcome.LATE: "answered late",
    LlmOutcome.SUPERSEDED: "superseded",
    LlmOutcome.FAILED: "failed",
    LlmOutcome.UNREADABLE: "unreadable",
}


@dataclass(frozen=True, slots=True)
class StageBar:
    """One stage: from where to where on the axis, its time as a number, and what came of it if not all went well.

    `rests`: the engine worked nothing out meanwhile, since the window painted.
    """

    name: str
    start: float
    end: float
    text: str
    outcome: str
    rests: bool = False


@dataclass(frozen=True, slots=True)
class LlmBar:
    """The LLM's time on an axis from 0 to `axis` ms: solid until `solid`, hatched from there to `end`.

    Both are 0 where nothing was asked, or nothing is known yet.
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
    """All stages but the LLM's, on an axis from 0 to `axis` ms; the LLM's below; the typing pause in words.

    `floor` counts the bars at the top that the budget of 10 ms is for.
    """

    bars: tuple[StageBar, ...]
    axis: float
    ticks: tuple[float, ...]
    settled: float
    settled_text: str
    llm: LlmBar | None = None
    pause_text: str = ""
    floor: int = 0
    first_text: str = ""
    """When the first answer was there, which the budget is for."""


def waterfall(trace: Trace) -> Waterfall:
    """The stages in order."""
    stages = [stage for stage in trace.stages if stage.name != LLM_STAGE]
    floor = next((n for n, stage in enumerate(stages) if stage.name not in FLOOR_STAGES), len(stages))
    bars = tuple(
        StageBar(
            words.stage(stage.name),
            stage.start_ms,
            stage.start_ms + stage.ms,
            words.say("{ms} ms", ms=numbers.milliseconds(stage.ms)),
            "" if stage.outcome == "ok" else stage.outcome.replace("_", " "),
            stage.name == PAINT_STAGE,
        )
        for stage in stages
    )
    settled = max((bar.end for bar in bars), default=0.0)
    axis = axis_end(max(settled, FLOOR_BUDGET_MS))
    text = words.say("settled {ms} ms", ms=numbers.milliseconds(settled))
    first = max((bar.end for bar in bars[:floor]), default=0.0)
    first_text = words.say("first answer {ms} ms", ms=numbers.milliseconds(first, (FLOOR_BUDGET_MS,))) if floor else ""
    is_on = trace.llm is not None and trace.llm.outcome is not LlmOutcome.OFF
    llm = llm_bar(trace.llm) if trace.llm is not None and is_on else None
    return Waterfall(bars, axis, ticks(axis), settled, text, llm, _pause(trace.llm) if is_on else "", floor, first_text)


def llm_bar(report: LlmReport) -> LlmBar:
    """The LLM's bar; a request that was given up is hatched to the end, because nobody knows how long it will take."""
    budget = report.budget_ms or LLM_BUDGET_MS
    took = report.ms or 0.0
    axis = axis_end(max(took, budget), LLM_AXIS * budget)
    given_up = report.outcome is LlmOutcome.TIMED_OUT
    text = words.say("{ms} ms", ms=numbers.milliseconds(took, (budget,))) if report.ms is not None else numbers.ABSENT
    if given_up:
        text = words.say(">{ms} ms", ms=numbers.milliseconds(budget))
    return LlmBar(
        min(took, budget),
        axis if given_up else max(took, 0.0),
        axis,
        budget,
        text,
        words.say("0 to {ms} ms", ms=f"{axis:g}"),
        words.say("{ms} ms budget", ms=f"{budget:g}"),
        words.say(_OUTCOMES.get(report.outcome, "")),
    )


def _pause(report: LlmReport | None) -> str:
    """The typing pause that came before the LLM was asked, if it was."""
    if report is None or report.pause_ms <= 0.0:
        return ""
    if report.ms is None and report.outcome is not LlmOutcome.ASKING:
        return ""
    return words.say("Typing pause {ms} ms, not counted", ms=f"{report.pause_ms:g}")


# --------------------------------------------------------------------------------------------------------------------
# The times of a session in words and numbers: a row per stage for a table, a line per run for a file

ON_SCREEN = "on screen"
"""From the key until its answer is painted."""
FLOOR = "keywords and lexical"
"""Both stages of the floor together."""

_TITLES = {ON_SCREEN: "Answer on screen", FLOOR: "Keywords + lexical"}
_FIRST = (ON_SCREEN, FLOOR)

HEADS = ("Stage", "Runs", "P50, ms", "P90, ms", "P99, ms", "Longest, ms", "Budget, ms", "Over budget")
"""What the cells of a row are, in order."""

CSV_HEAD = ("stage", "run", "duration", "unit")
UNIT = "ms"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One stage: its name as people read it, and its cells, as many as HEADS without the first."""

    stage: str
    cells: tuple[str, ...]


def stage_title(name: str) -> str:
    """What a stage is called on screen."""
    return words.say(_TITLES[name]) if name in _TITLES else words.stage(name)


def session_rows(durations: Mapping[str, Durations], budgets: Mapping[str, float]) -> tuple[SessionRow, ...]:
    """A row for each stage that ran: the answer first, then the others as they came."""
    names = [name for name in _FIRST if name in durations]
    names += [name for name in durations if name not in _FIRST]
    return tuple(_row(name, durations[name], budgets.get(name)) for name in names if len(durations[name]))


def session_csv(durations: Mapping[str, Durations]) -> str:
    """Every run that is remembered, oldest first within its stage: stage, number of the run, duration, unit."""
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(CSV_HEAD)
    for name, kept in durations.items():
        lines.writerows((name, run, repr(ms), UNIT) for run, ms in enumerate(kept.in_order, 1))
    return text.getvalue()


def parse_stages(text: str) -> frozenset[str]:
    """The stages that a setting lists, parted by commas."""
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def _row(name: str, kept: Durations, budget: float | None) -> SessionRow:
    ordered, limits = kept.sorted(), () if budget is None else (budget,)
    over = "" if budget is None else _over(len(ordered), len(ordered) - bisect.bisect_right(ordered, budget))
    return SessionRow(
        stage_title(name),
        (
            numbers.count(len(ordered)),
            *(numbers.milliseconds(percentile(ordered, share), limits) for share in PERCENTILES),
            numbers.milliseconds(ordered[-1], limits),
            numbers.ABSENT if budget is None else f"{budget:g}",
            over or numbers.ABSENT,
        ),
    )


def _over(runs: int, over: int) -> str:
    return f"{numbers.count(over)} ({numbers.percent(over, runs)})"
