"""Use by assistants in recent days, as tables, lines and a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.display import numbers
from app.display.system.metrics import Table, counted_row
from app.domain.language import plural
from app.domain.review.usage import USAGE_COUNTERS, UsageCounter, UsageTotals

NAMES: Mapping[UsageCounter, str] = {
    UsageCounter.RESOLUTIONS: "Powers asked for",
    UsageCounter.POWERS: "Powers used",
    UsageCounter.TURNS: "Turns to the power that was used",
    UsageCounter.HOOKS: "Prompts",
    UsageCounter.MEMORIES: "Memories for prompts",
    UsageCounter.MARKS: "Answers marked",
    UsageCounter.ROUTE_CACHES: "Kept answers looked up for routes",
}
OUTCOMES: Mapping[str, str] = {
    "activated": "Activated",
    "multiple_matches": "Several matches",
    "weak_matches": "Weak matches",
    "not_found": "Not found",
    "started": "Started",
    "refused": "Not started",
    "called": "Tools called",
    "failed": "Calls that failed",
    "0": "None",
    "1": "One",
    "2": "Two",
    "3 or more": "Three or more",
    "injected": "Injected",
    "nothing": "Nothing helps",
    "late": "Not in time",
    "cut": "Left out",
    "right": "Right",
    "wrong": "Wrong",
    "redis hit": "Found in Redis",
    "redis miss": "Not in Redis",
    "redis gone": "Redis did not answer",
    "table hit": "Found in the table",
    "table miss": "Not in the table",
}
_NO_WHOLE = frozenset({UsageCounter.POWERS, UsageCounter.ROUTE_CACHES})
"""Counters that are no parts of a total: a power is started once and called often."""


def usage_tables(found: UsageTotals) -> tuple[Table, ...]:
    """Return the days, then a table per kind of use with shares; empty without counts."""
    if not found.counts:
        return ()
    remark = "Whatever session and program they were answered by: assistants over MCP, and prompt hooks."
    return (Table(span(found), (), (), remark), *(_table(found, use) for use in UsageCounter if found.total(use)))


def _table(found: UsageTotals, use: UsageCounter) -> Table:
    whole = None if use in _NO_WHOLE else found.total(use)
    rows = tuple(counted_row(OUTCOMES[outcome], found[use, outcome], whole) for outcome in _outcomes(found, use))
    heads = ("count", "share") if whole is not None else ("count", "")
    return Table(NAMES[use], heads, rows, _remark(found) if use is UsageCounter.TURNS else "")


def _outcomes(found: UsageTotals, use: UsageCounter) -> list[str]:
    """Return the outcomes of a counter; of caches only those that were used."""
    caches = {outcome.split()[0] for outcome in USAGE_COUNTERS[use] if found[use, outcome]}
    return [
        outcome
        for outcome in USAGE_COUNTERS[use]
        if use is not UsageCounter.ROUTE_CACHES or outcome.split()[0] in caches
    ]


def _remark(found: UsageTotals) -> str:
    mean = found.mean_turns
    return "" if mean is None else f"{numbers.fixed(mean)} on average; the first question is no turn."


def span(found: UsageTotals) -> str:
    """Return the counted days, in words."""
    if found.days == 1:
        return "Assistants, today"
    return plural(found.days, "Assistants, {n} day", "Assistants, the last {n} days")


def usage_lines(found: UsageTotals) -> list[str]:
    """Return all counts as lines for the terminal."""
    shown = usage_tables(found)
    if not shown:
        return [f"{span(found)}: nothing was counted."]
    wide = max(len(row.what) for table in shown for row in table.rows)
    lines = [span(found)]
    for table in shown[1:]:
        lines.append(f"  {table.title}")
        lines += [f"    {row.what:{wide}} {row.cells[0]:>9}  {row.cells[1]:>6}".rstrip() for row in table.rows]
        lines += [f"    {table.remark}"] if table.remark else []
    return lines


def usage_document(found: UsageTotals) -> dict[str, Any]:
    """Make the document of the counts."""
    counts = {use.value: {outcome: found[use, outcome] for outcome in USAGE_COUNTERS[use]} for use in UsageCounter}
    return {"days": found.days, **counts, "mean_turns": found.mean_turns}
