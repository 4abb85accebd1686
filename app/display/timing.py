"""The stages of one query as bars on one time axis."""

from __future__ import annotations

from dataclasses import dataclass

from app.display import numbers, words
from app.display.bins import axis_end, ticks
from app.domain.inspection import Trace

KEYSTROKE_BUDGET_MS = 10.0
LLM_BUDGET_MS = 200.0


@dataclass(frozen=True, slots=True)
class StageBar:
    """One stage: from where to where on the axis, its time as a number, and what came of it if not all went well."""

    name: str
    start: float
    end: float
    text: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Waterfall:
    """All stages but the LLM's, on an axis from 0 to `axis` ms."""

    bars: tuple[StageBar, ...]
    axis: float
    ticks: tuple[float, ...]
    settled: float
    settled_text: str


def waterfall(trace: Trace) -> Waterfall:
    """The stages in order."""
    stages = [stage for stage in trace.stages if stage.name != "llm"]
    bars = tuple(
        StageBar(
            words.stage(stage.name),
            stage.start_ms,
            stage.start_ms + stage.ms,
            words.say("{ms} ms", ms=numbers.milliseconds(stage.ms)),
            "" if stage.outcome == "ok" else stage.outcome.replace("_", " "),
        )
        for stage in stages
    )
    settled = max((bar.end for bar in bars), default=0.0)
    axis = axis_end(max(settled, KEYSTROKE_BUDGET_MS))
    text = words.say("settled {ms} ms", ms=numbers.milliseconds(settled, (KEYSTROKE_BUDGET_MS,)))
    return Waterfall(bars, axis, ticks(axis), settled, text)
