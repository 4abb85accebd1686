"""Session metrics for the metrics page, and the use of memories and powers by assistants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.display import numbers, words
from app.display.scope.timing import FLOOR_BUDGET_MS, FLOOR_STAGES, percentile
from app.domain.history import USAGE_COUNTERS, UsageCounter, UsageTotals
from app.domain.inspection import LLM_STAGES
from app.domain.intent import DetectionSource
from app.domain.language import plural
from app.domain.llm import LlmOutcome
from app.services.engine.metrics import LLM_STATUSES, NO_TYPE, EngineMetrics

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
MARKS: Mapping[str, tuple[str, str, str]] = {
    DetectionSource.KEYWORD.value: ("o", "bar", "●"),
    DetectionSource.LEARNED.value: ("s", "success", "■"),
    DetectionSource.HYBRID.value: ("d", "accent", "◆"),
    DetectionSource.LLM.value: ("t1", "bar_over", "▲"),
}
"""Symbol of each source in the plot, its colour, and the same symbol as a character."""
OTHER = ("x", "text_2", "×")
_PERCENTILES, _HEADS = (50, 95), ("Half within", "95 % within")
_TWENTY = 20
"""Number of answers from which on the slowest is beyond the 95th percentile."""
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
    stage_ms: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    use: UsageTotals = NO_USE
    """Use by assistants, not limited to this session."""

    @property
    def is_idle(self) -> bool:
        """True if nothing was measured in this session."""
        return not (self.started or self.in_order or any(self.outcomes.values()))


@dataclass(frozen=True, slots=True)
class Row:
    """Table line: name and numbers; a zero is muted."""

    what: str
    cells: tuple[str, ...]
    is_quiet: bool = False
    color: str = ""
    """Colour of the named route, or a token; "" for none."""
    mark: str = "■"
    """Mark in that colour before the name."""
    bar: float | None = None
    """Share that a bar shows, in [0, 1]; None for no bar."""
    aside: str = ""
    """Muted text below the name."""


@dataclass(frozen=True, slots=True)
class Table:
    """Titled table: headings, lines, and a remark on how the numbers add up."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    remark: str = ""
    is_even: bool = False
    """True if the last column is no more important than the others."""


def table_lines(tables: Iterable[Table]) -> list[str]:
    """Format tables for the terminal, below each other."""
    lines = []
    for table in tables:
        cells = [(table.title, *table.heads), *((f"  {row.what}", *row.cells) for row in table.rows)]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        asides = ("", *(row.aside for row in table.rows))
        for (name, *rest), aside in zip(cells if table.rows else [(table.title,)], asides, strict=True):
            lines.append("  ".join((name.ljust(wide[0]), *map(str.rjust, rest, wide[1:]), aside)).rstrip())
        lines += [f"  {table.remark}"] if table.remark else []
    return lines


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
        {name: tuple(s * 1000.0 for s in found.latest) for name, found in measures.stages.items()},
        use,
    )


def metrics_tables(found: MetricsSnapshot, budget_ms: float) -> tuple[Table, ...]:
    """Return the tables of the page; those about the LLM once it was asked."""
    asked = (_requests(found, budget_ms), _outcomes(found)) if found.started else ()
    return (*((_stages(found),) if found.stage_ms else ()), _sources(found), *asked)


def latency_sentence(found: MetricsSnapshot, budget_ms: float) -> str:
    """Return the speed of answers, the slowest stage, and how often the LLM was in time."""
    ordered = sorted(ms for _, ms in found.in_order)
    said = []
    if ordered:
        half, most = (numbers.milliseconds(percentile(ordered, share)) for share in (50, 95))
        end = f"95 % within {most} ms" if len(ordered) >= _TWENTY else f"the slowest within {most} ms"
        said.append(
            f"Half of the latest {numbers.count(len(ordered))} answers, typing included, were complete within "
            f"{half} ms, {end}."
            if len(ordered) > 1
            else f"The answer was complete after {half} ms."
        )
    if shares := _stage_shares(found):
        longest = max(shares, key=shares.__getitem__)
        llm = " without the LLM" if found.started else ""
        said.append(f"{words.stage(longest)} took {numbers.chance(shares[longest])} of the time{llm}.")
    if found.started:
        in_time, judged = found.completed.get("success", 0), _judged(found)
        said.append(f"The LLM answered {in_time} of {judged} requests within {budget_ms:g} ms.")
    return " ".join(said)


def _stage_shares(found: MetricsSnapshot) -> dict[str, float]:
    """Return each stage's share of the time of all but those of the LLM."""
    sums = {name: sum(ms) for name, ms in found.stage_ms.items() if name not in LLM_STAGES}
    whole = sum(sums.values())
    return {name: ms / whole for name, ms in sums.items()} if whole else {}


def _stages(found: MetricsSnapshot) -> Table:
    shares, rows, remark = _stage_shares(found), [], ""
    for name in sorted(found.stage_ms, key=lambda name: -shares.get(name, 0.0)):
        row, share = _times(words.stage(name), found.stage_ms[name]), shares.get(name)
        rows.append(Row(row.what, (*row.cells[1:], numbers.ABSENT if share is None else numbers.chance(share))))
    if floor := list(map(sum, zip(*(found.stage_ms.get(name, ()) for name in FLOOR_STAGES), strict=False))):
        within = numbers.count(sum(ms <= FLOOR_BUDGET_MS for ms in floor))
        remark = f"{within} of {numbers.count(len(floor))} first answers within {FLOOR_BUDGET_MS:g} ms."
    return Table("Stage", (*_HEADS, "Share"), tuple(rows), remark)


def _judged(found: MetricsSnapshot) -> int:
    """Return the number of requests that ended and were not cancelled."""
    return sum(found.completed.values()) - found.completed.get(_CANCELLED, 0)


def _requests(found: MetricsSnapshot, budget_ms: float) -> Table:
    judged = _judged(found)
    titles, always = {**STATUSES, "success": f"Answered within {budget_ms:g} ms"}, ("success", "timeout")
    names = dict.fromkeys((*always, *LLM_STATUSES, *found.completed))
    rows = [
        counted_row(titles.get(name, name), count, None if name == _CANCELLED else judged)
        for name in names
        if (count := found.completed.get(name, 0)) or name in always
    ]
    reasons = [f"{count} {REASONS.get(reason, reason)}" for reason, count in sorted(found.timeouts.items()) if count]
    remark = f"Shares are of the {numbers.count(judged)} requests that ended and were not cancelled."
    if reasons:
        remark += f" Timed out: {', '.join(reasons)}."
    rows += [counted_row("Orphaned now", found.orphaned)] if found.orphaned else []
    return Table("Requests to the LLM", ("Count", "Share"), (counted_row("Started", found.started), *rows), remark)


def _outcomes(found: MetricsSnapshot) -> Table:
    shown = [outcome for outcome in LlmOutcome if found.outcomes.get(outcome.value)]
    total = sum(found.outcomes.values())
    rows = tuple(counted_row(words.LLM[outcome].word, found.outcomes[outcome.value], total) for outcome in shown)
    return Table("Outcomes as shown", ("Count", "Share"), rows)


def _sources(found: MetricsSnapshot) -> Table:
    heads = ("Count", *_HEADS)
    sources = sorted(found.source_ms, key=[*(source.value for source in DetectionSource), *found.source_ms].index)
    rows = [
        _times(SOURCE_NAMES.get(one, one.capitalize()), found.source_ms[one], *MARKS.get(one, OTHER)[1:])
        for one in sources
    ]
    if untyped := sum(source == NO_TYPE for source, _ in found.in_order):
        none = (numbers.ABSENT,) * len(_PERCENTILES)
        rows.append(Row("No type", (numbers.count(untyped), *none), color=OTHER[1], mark=OTHER[2]))
    if found.llm_ms:
        rows.append(_times("LLM alone", found.llm_ms))
    return Table("Type decided by", heads, tuple(rows), "" if found.started else "The LLM was not asked.")


def _times(what: str, ms: Sequence[float], color: str = "", mark: str = "") -> Row:
    ordered = sorted(ms)
    found = (numbers.milliseconds(percentile(ordered, share)) for share in _PERCENTILES)
    return Row(what, (numbers.count(len(ms)), *found), color=color, mark=mark)


def counted_row(what: str, count: int, whole: int | None = None) -> Row:
    """Make a row of a count with its share of the total; zeros are muted."""
    share = "" if whole is None else numbers.percent(count, whole) if whole else numbers.ABSENT
    return Row(what, (numbers.count(count), share), is_quiet=count == 0)


def endpoint_sentence(port: int) -> str:
    """Return the Prometheus address, or that there is none."""
    if port:
        return f"Served for Prometheus at http://127.0.0.1:{port}/metrics, on this machine only."
    return "Not served for Prometheus. A port would be open on this machine only."


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
    "multiple_matches": "Offered",
    "weak_matches": "Weak match",
    "not_found": "Not offered",
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
    "late": "Late",
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
    remark = "Counted over all sessions: what assistants asked, prompt hooks, and the cache of routes."
    return (Table(span(found), (), (), remark), *(_table(found, use) for use in UsageCounter if found.total(use)))


def _table(found: UsageTotals, use: UsageCounter) -> Table:
    whole = None if use in _NO_WHOLE else found.total(use)
    rows = tuple(counted_row(OUTCOMES[outcome], found[use, outcome], whole) for outcome in _turn_lines(found, use))
    heads = ("Count", "Share") if whole is not None else ("Count", "")
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
        return "Use, today"
    return plural(found.days, "Use, {n} day", "Use, the last {n} days")


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
