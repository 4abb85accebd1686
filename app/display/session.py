"""The times of a session in words and numbers: a row per stage for a table, a line per run for a file."""

from __future__ import annotations

import bisect
import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from app.display import numbers, words
from app.display.bins import PERCENTILES, Durations, percentile

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
