"""Simulation: two configurations of the router side by side, in words, rows and a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers
from app.display.evaluation.comparison import chance_sentence, changes_text, comparison_document, turned_sentence
from app.display.library.tables import Column
from app.display.routing.metrics import metrics_document, share_text
from app.display.routing.path import STAGES, dollars
from app.display.scope.matches.resolution import method_word
from app.display.system.metrics import Row, Table
from app.domain.language import plural
from app.domain.route import RouteMethod, RouteStage, StepOutcome
from app.domain.scope.resolution import METHODS, RouteDecision
from app.evaluation.comparison import interval
from app.evaluation.reports.tier_report import table
from app.evaluation.routing import RoutingMetrics, Share
from app.services.evaluation.routing import Flip
from app.services.evaluation.simulator import Change, Simulation

SHOWN_FLIPS = 20
"""Maximum number of flips on the command line."""

SHOWN_UNKNOWN = 5
"""Maximum number of named unknown labels."""


@dataclass(frozen=True, slots=True)
class FlipRow:
    """Query with another route: both routes, change in correctness ("" if unlabelled), cause."""

    text: str
    before: str
    after: str
    became: str
    cause: str


def change_words(change: Change) -> str:
    """Format the other configuration as typed."""
    parts = [changes_text(change.settings)] if change.settings else []
    if change.fails:
        parts.append(f"the LLM fails {100.0 * change.fails:g} % of the time")
    return ", ".join(parts) or "the same settings"


def simulation_table(found: Simulation, change: Change) -> Table:
    """Make the table of every metric under both, with the differences."""
    before, after = found.before.metrics, found.after.metrics
    rows = [
        Row("Right, of those with a case", (_right(before), _right(after), _gain(before.accuracy, after.accuracy))),
        Row("… with 95 % between", _two(before, after, _between)),
    ]
    for method in RouteMethod:
        counts = [each.by_method.get(method.value, Share(0, 0, 0)).count for each in (before, after)]
        shares = (numbers.percent(count, before.count) for count in counts)
        gain = _gain(*(count / before.count if before.count else None for count in counts))
        rows.append(Row(METHODS[method], (*shares, gain), not any(counts)))
    rows += [
        Row("P50, ms", _two(before, after, lambda one: numbers.milliseconds(one.times["all"].p50))),
        Row("P95, ms", _two(before, after, lambda one: numbers.milliseconds(one.times["all"].p95))),
        Row("Cost", _two(before, after, lambda one: dollars(one.cost))),
        Row("Cost of a query", _two(before, after, lambda one: dollars(one.cost_per_query or 0.0))),
        Row("LLM failures", _two(before, after, _failures)),
        Row("Alarms", _two(before, after, lambda one: numbers.count(len(one.alerts)))),
    ]
    title = plural(before.count, "{n} query", "{n} queries")
    return Table(title, ("Today", "Then", "±, points"), tuple(rows), change_words(change))


def _two(before: RoutingMetrics, after: RoutingMetrics, written: Any) -> tuple[str, str, str]:
    return written(before), written(after), ""


def _failures(found: RoutingMetrics) -> str:
    return numbers.ABSENT if found.llm_errors is None else share_text(found.llm_errors)


def _right(found: RoutingMetrics) -> str:
    return numbers.ABSENT if found.accuracy is None else share_text(found.accuracy)


def _between(found: RoutingMetrics) -> str:
    """Return the 95 % confidence interval of the share."""
    bounds = _interval(found)
    return numbers.ABSENT if bounds is None else f"{100 * bounds[0]:.0f}–{100 * bounds[1]:.0f} %"


def _interval(found: RoutingMetrics) -> tuple[float, float] | None:
    labelled = sum(one.labelled for one in found.by_method.values())
    return interval(sum(one.right for one in found.by_method.values()), labelled) if labelled else None


def _gain(before: float | None, after: float | None) -> str:
    """Return the difference of shares, in percentage points."""
    if before is None or after is None or before == after:
        return ""
    return f"{'+' if after > before else ''}{numbers.fixed(100.0 * (after - before), 1)}"


def verdict(found: Simulation) -> str:
    """Return the effect on these queries, and if it is significant."""
    if not found.flips:
        return "Every query goes the way it goes today."
    count = plural(len(found.flips), "{n} query goes another way.", "{n} queries go another way.")
    if found.comparison is None:
        return f"{count} No query has a case, so the right way is unknown."
    return f"{count} {turned_sentence(found.comparison)} {chance_sentence(found.comparison)}".strip()


def unknown_routes_sentence(found: Simulation) -> str:
    """Return a sentence on cases with unknown routes, which are never right; "" if none."""
    names = ", ".join(f"“{name}”" for name in found.unknown[:SHOWN_UNKNOWN])
    if not names:
        return ""
    return plural(
        len(found.unknown),
        "No route has the name {names}, so nothing is right there: correct it in the cases.",
        "No route has the names {names}, so nothing is right there: correct them in the cases.",
        names=f"{names}, …" if len(found.unknown) > SHOWN_UNKNOWN else names,
    )


def llm_usage_sentence(found: Simulation) -> str:
    """Return the number of LLM requests; "" if the LLM was not involved."""
    if not any(one.llm_outcome for run in (found.before, found.after) for one in run.decisions):
        return ""
    return plural(
        found.asked,
        "The LLM was asked {n} question; what it said before was not asked again.",
        "The LLM was asked {n} questions; what it said before was not asked again.",
    )


def flip_cause(before: RouteDecision, after: RouteDecision) -> str:
    """Return the first stage that decides on one side and differs on the other.

    If both fall back, the first stage that differs.
    """
    both = zip(before.steps, after.steps, strict=False)
    changed = [(one, now) for one, now in both if (one.outcome, one.label) != (now.outcome, now.label)]
    found = [(one, now) for one, now in changed if now.stage is not RouteStage.FALLBACK]
    deciding = [now for one, now in found if StepOutcome.DECIDED in (one.outcome, now.outcome)]
    for now in deciding or [now for _, now in changed]:
        return f"{STAGES[now.stage]}: {now.sentence}"
    return ""


def flip_row(one: Flip) -> FlipRow:
    became = ""
    if one.was_right is not None and one.is_right is not None:
        became = {
            (False, True): "now right",
            (True, False): "now wrong",
            (True, True): "still right",
            (False, False): "still wrong",
        }[one.was_right, one.is_right]
    return FlipRow(one.case.text, _way(one.before), _way(one.after), became, flip_cause(one.before, one.after))


def _way(decision: RouteDecision) -> str:
    return f"{decision.intent} ({method_word(decision)})"


# ---- window: choices of the other side, and its result

TODAY = ""
"""Choice of the present configuration."""

OFF = "off"

RULES_CHOICES: Mapping[str, str] = {
    TODAY: "Rules as today",
    "0.85": "Rules from 0.85",
    "0.9": "Rules from 0.90",
    "0.95": "Rules from 0.95",
    OFF: "Without rules",
}
EXAMPLES_CHOICES: Mapping[str, str] = {TODAY: "Examples as today", OFF: "Without examples"}
LLM_CHOICES: Mapping[str, str] = {
    TODAY: "LLM as today",
    OFF: "Without LLM",
    "0.05": "LLM fails: 5 %",
    "0.2": "LLM fails: 20 %",
    "0.5": "LLM fails: 50 %",
    "1": "LLM fails always",
}


def chosen_change(rules: str, examples: str, llm: str) -> Change:
    """Make the other configuration from the keys of its choices."""
    settings = {"route.rules": "false"} if rules == OFF else {"route.threshold": rules} if rules else {}
    settings |= {"route.examples": "false"} if examples == OFF else {}
    settings |= {"route.use_llm": "false"} if llm == OFF else {}
    return Change(settings, fails=float(llm) if llm not in (TODAY, OFF) else 0.0)


FLIP_COLUMNS: tuple[Column[FlipRow], ...] = (
    Column("text", "Query", lambda row: row.text, 300),
    Column("before", "Today", lambda row: row.before, 216),
    Column("after", "Then", lambda row: row.after, 216),
    Column("became", "By a case", lambda row: row.became, 124),
    Column("cause", "Cause", lambda row: row.cause, 280, is_quiet=True),
)
"""Columns of queries with another route."""


@dataclass(frozen=True, slots=True)
class SimulationView:
    """View model of a simulation."""

    change: Change
    table: Table
    sentence: str
    flips: tuple[FlipRow, ...]


def simulation_view(found: Simulation, change: Change) -> SimulationView:
    """Make the view of a simulation, with every query that changes its route."""
    words = " ".join(filter(None, (verdict(found), unknown_routes_sentence(found), llm_usage_sentence(found))))
    return SimulationView(change, simulation_table(found, change), words, tuple(flip_rows(found)))


# ---- command line


def simulation_lines(found: Simulation, change: Change) -> list[str]:
    """Format both sides, the verdict, and the flips with their causes."""
    shown = simulation_table(found, change)
    heads = ("", *shown.heads)
    lines = [
        f"{shown.title}, today and under {shown.remark}",
        *table([heads, *((row.what, *row.cells) for row in shown.rows)]),
        *(
            f"{when}: {alert.sentence}"
            for when, run in zip(shown.heads, (found.before, found.after), strict=False)
            for alert in run.metrics.alerts
        ),
        "",
        *filter(None, (verdict(found), unknown_routes_sentence(found), llm_usage_sentence(found))),
    ]
    for one in map(flip_row, found.flips[:SHOWN_FLIPS]):
        became = f" [{one.became}]" if one.became else ""
        lines += [f"  {one.before} → {one.after}{became}: {one.text}", f"      {one.cause}"]
    if len(found.flips) > SHOWN_FLIPS:
        lines.append(f"  and {len(found.flips) - SHOWN_FLIPS:,} more; --json has all")
    return lines


# ---- document


def simulation_document(found: Simulation, change: Change) -> dict[str, Any]:
    return {
        "n": found.before.metrics.count,
        "against": dict(change.settings),
        "llm_fails": change.fails,
        "seed": change.seed,
        "asked": found.asked,
        "unknown": list(found.unknown),
        "before": _run(found.before.metrics),
        "after": _run(found.after.metrics),
        "comparison": None if found.comparison is None else comparison_document(found.comparison, change.settings),
        "flips": [
            {
                "text": one.case.text,
                "expected": list(one.case.expected),
                "before": _side(one.before, one.was_right),
                "after": _side(one.after, one.is_right),
                "cause": flip_cause(one.before, one.after),
            }
            for one in found.flips
        ],
    }


def _run(found: RoutingMetrics) -> Mapping[str, Any]:
    return {**metrics_document(found), "accuracy_interval": _interval(found)}


def _side(decision: RouteDecision, right: bool | None) -> Mapping[str, Any]:
    return {"intent": decision.intent, "method": decision.method, "right": right}


def flip_rows(found: Simulation) -> Sequence[FlipRow]:
    """Return every query that changes its route: newly wrong first, then newly right."""
    rank = {(True, False): 0, (False, True): 1}
    return [
        flip_row(one)
        for one in sorted(found.flips, key=lambda one: rank.get((bool(one.was_right), bool(one.is_right)), 2))
    ]
