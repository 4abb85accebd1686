"""Session metrics for the metrics page, and the use of memories and powers by assistants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.display import numbers
from app.display.scope.llm import PILLS
from app.display.scope.timing import percentile
from app.domain.intent import DetectionSource
from app.domain.language import plural
from app.domain.llm import LlmOutcome
from app.domain.review.usage import USAGE_COUNTERS, UsageCounter, UsageTotals
from app.services.engine.metrics import LLM_STATUSES, EngineMetrics

STATUSES: Mapping[str, str] = {
    "success": "Answered in time",
    "error": "Failed",
    "timeout": "Timed out",
    "disconnected": "Disconnected",
    "cancelled": "Cancelled",
}
REASONS: Mapping[str, str] = {"budget": "past the budget", "cold": "the model was loading"}
SOURCE_NAMES: Mapping[str, str] = {
    DetectionSource.KEYWORD.value: "Keywords",
    DetectionSource.LEARNED.value: "Learned",
    DetectionSource.LLM.value: "LLM",
    DetectionSource.HYBRID.value: "Hybrid",
}
NO_USE = UsageTotals(0)
_PERCENTILES = (50, 90, 95, 99)
_CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class MetricsSnapshot:
    """Copy of the metrics at one moment; durations in ms."""

    started: int = 0
    completed: Mapping[str, int] = field(default_factory=dict)
    timeouts: Mapping[str, int] = field(default_factory=dict)
    orphaned: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    llm_ms: tuple[float, ...] = ()
    source_ms: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    in_order: tuple[tuple[str, float], ...] = ()
    use: UsageTotals = NO_USE
    """Use by assistants, not limited to this session."""

    @property
    def is_idle(self) -> bool:
        """True if nothing was measured in this session."""
        return not (self.started or self.source_ms or any(self.outcomes.values()))

    @property
    def is_empty(self) -> bool:
        return self.is_idle and not self.use.counts


@dataclass(frozen=True, slots=True)
class Row:
    """Table line: name and numbers; a zero is muted."""

    what: str
    cells: tuple[str, ...]
    is_quiet: bool = False
    color: str = ""
    """Colour of the named route; "" for none."""


@dataclass(frozen=True, slots=True)
class Table:
    """Titled table: headings, lines, and a remark on how the numbers add up."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    remark: str = ""


def metrics_snapshot(measures: EngineMetrics, use: UsageTotals = NO_USE) -> MetricsSnapshot:
    """Copy the metrics; runs on the thread that writes them."""
    return MetricsSnapshot(
        measures.llm_started,
        dict(measures.llm_completed),
        dict(measures.llm_timeouts),
        measures.llm_orphaned,
        dict(measures.outcomes),
        tuple(seconds * 1000.0 for seconds in measures.llm_seconds.latest),
        {source: tuple(s * 1000.0 for s in found.latest) for source, found in measures.durations.items()},
        tuple((source, seconds * 1000.0) for source, seconds in measures.in_order),
        use,
    )


def metrics_tables(found: MetricsSnapshot, budget_ms: float) -> tuple[Table, ...]:
    """Return the tables of the page; those about the LLM once it was asked."""
    asked = (_requests(found, budget_ms), _statuses(found), _outcomes(found)) if found.started else ()
    return (_sources(found), *asked)


def _requests(found: MetricsSnapshot, budget_ms: float) -> Table:
    judged = sum(found.completed.values()) - found.completed.get(_CANCELLED, 0)
    in_time, late = found.completed.get("success", 0), found.completed.get("timeout", 0)
    reasons = [f"{count} {REASONS.get(reason, reason)}" for reason, count in sorted(found.timeouts.items()) if count]
    remark = f"Shares are of the {numbers.count(judged)} requests that ended and were not cancelled."
    if reasons:
        remark += " " + f"Timed out: {', '.join(reasons)}."
    within = f"Answered within {budget_ms:g} ms"
    return Table(
        "Requests to the LLM",
        ("count", "share"),
        (
            counted_row("Started", found.started),
            counted_row(within, in_time, judged),
            counted_row("Timed out", late, judged),
            counted_row("Orphaned now", found.orphaned),
        ),
        remark,
    )


def _statuses(found: MetricsSnapshot) -> Table:
    known = sorted(filter(found.completed.get, found.completed), key=[*LLM_STATUSES, *found.completed].index)
    total = sum(found.completed.values())
    rows = tuple(counted_row(STATUSES.get(name, name), found.completed[name], total) for name in known)
    return Table("How requests ended", ("count", "share"), rows)


def _outcomes(found: MetricsSnapshot) -> Table:
    shown = [outcome for outcome in LlmOutcome if found.outcomes.get(outcome.value)]
    total = sum(found.outcomes.values())
    rows = tuple(counted_row(PILLS[outcome][0], found.outcomes[outcome.value], total) for outcome in shown)
    remark = "" if rows else "No query has been put to the LLM yet."
    return Table("Outcomes as shown", ("count", "share"), rows, remark)


def _sources(found: MetricsSnapshot) -> Table:
    heads = ("count", *(f"P{share}" for share in _PERCENTILES))
    sources = sorted(found.source_ms, key=[*(source.value for source in DetectionSource), *found.source_ms].index)
    rows = [_times(source_name(source), found.source_ms[source]) for source in sources]
    if found.llm_ms:
        rows.append(_times("LLM alone", found.llm_ms))
    return Table("Type decided by, ms", heads, tuple(rows), "" if found.started else "The LLM was not asked.")


def source_name(source: str) -> str:
    """Return the display name of a detection source."""
    return SOURCE_NAMES.get(source, source.capitalize())


def _times(what: str, ms: Sequence[float]) -> Row:
    ordered = sorted(ms)
    found = (numbers.milliseconds(percentile(ordered, share)) for share in _PERCENTILES)
    return Row(what, (numbers.count(len(ms)), *found))


def counted_row(what: str, count: int, whole: int | None = None) -> Row:
    """Make a row of a count with its share of the total; zeros are muted."""
    share = "" if whole is None else numbers.percent(count, whole) if whole else numbers.ABSENT
    return Row(what, (numbers.count(count), share), is_quiet=count == 0)


def endpoint_sentence(port: int) -> str:
    """Return the Prometheus address, or that there is none."""
    if port:
        return f"Served for Prometheus at http://127.0.0.1:{port}/metrics."
    return "Not served for Prometheus. The port would be open on this machine only."


# --------------------------------------------------------------------------------------------------------------------
# Use by assistants


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
    rows = tuple(counted_row(OUTCOMES[outcome], found[use, outcome], whole) for outcome in _turn_lines(found, use))
    heads = ("count", "share") if whole is not None else ("count", "")
    return Table(NAMES[use], heads, rows, _remark(found) if use is UsageCounter.TURNS else "")


def _turn_lines(found: UsageTotals, use: UsageCounter) -> list[str]:
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
