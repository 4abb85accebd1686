"""Two configurations of the router side by side, in words, rows and a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers
from app.display.evaluation.comparison import chance_words, comparison_document, said, turned_words
from app.display.routing.measures import share
from app.display.routing.metrics_text import metrics_document
from app.display.routing.path import dollars
from app.display.routing.text import STAGES
from app.display.scope.matches.resolution import method_word
from app.display.system.measures import Row, Table
from app.domain.language import say, say_n
from app.domain.route import METHODS, RouteMethod
from app.domain.scope.resolution import RouteDecision
from app.evaluation.comparison import interval
from app.evaluation.reports.tier_report import table
from app.evaluation.routing import RoutingMetrics, Share
from app.services.evaluation.routing import Flip
from app.services.evaluation.simulation.simulator import Change, Simulation

SHOWN_FLIPS = 20
"""So many flips are listed on the command line."""


@dataclass(frozen=True, slots=True)
class FlipRow:
    """A query that goes another way: both ways, what became of it ("" where nobody says what is right), and why."""

    text: str
    before: str
    after: str
    became: str
    cause: str


def change_words(change: Change) -> str:
    """The other configuration as it is written."""
    parts = [said(change.settings)] if change.settings else []
    if change.fails:
        parts.append(say("the LLM fails {share} of the time", share=share(change.fails)))
    return ", ".join(parts) or say("the same settings")


def simulation_table(found: Simulation, change: Change) -> Table:
    """Every measure under both, and what the change adds."""
    before, after = found.before.metrics, found.after.metrics
    rows = [
        Row(say("Right, of those with a case"), (_right(before), _right(after), _gain(before.accuracy, after.accuracy)))
    ]
    for method in RouteMethod:
        counts = [each.by_method.get(method.value, Share(0, 0, 0)).count for each in (before, after)]
        shares = (numbers.percent(count, before.count) for count in counts)
        word = say("Decided by: {method}", method=say(METHODS[method]))
        rows.append(Row(word, (*shares, _added(counts[1] - counts[0])), not any(counts)))
    rows += [
        Row(say("P50, ms"), _two(before, after, lambda one: numbers.milliseconds(one.times["all"].p50))),
        Row(say("P95, ms"), _two(before, after, lambda one: numbers.milliseconds(one.times["all"].p95))),
        Row(say("Cost"), _two(before, after, lambda one: dollars(one.cost))),
        Row(say("Cost of a query"), _two(before, after, lambda one: dollars(one.cost_per_query or 0.0))),
        Row(say("LLM failures"), _two(before, after, _failures)),
        Row(say("Alarms"), _two(before, after, lambda one: numbers.count(len(one.alerts)))),
    ]
    title = say_n(before.count, "{n} query", "{n} queries")
    return Table(title, (say("Today"), say("Then"), say("Difference")), tuple(rows), change_words(change))


def _two(before: RoutingMetrics, after: RoutingMetrics, written: Any) -> tuple[str, str, str]:
    return written(before), written(after), ""


def _failures(found: RoutingMetrics) -> str:
    return numbers.ABSENT if found.llm_errors is None else share(found.llm_errors)


def _right(found: RoutingMetrics) -> str:
    """The share of right ones, and between which shares the true one lies with 95 %."""
    labelled = sum(one.labelled for one in found.by_method.values())
    if not labelled:
        return numbers.ABSENT
    right = sum(one.right for one in found.by_method.values())
    low, high = interval(right, labelled)
    return f"{share(right / labelled)} ({100 * low:.0f}–{100 * high:.0f} %)"


def _gain(before: float | None, after: float | None) -> str:
    """What is added to a share, in points."""
    if before is None or after is None or before == after:
        return ""
    return f"{'+' if after > before else ''}{numbers.fixed(100.0 * (after - before), 1)}"


def _added(count: int) -> str:
    return f"+{count:,}" if count > 0 else f"{numbers.MINUS}{-count:,}" if count else ""


def verdict(found: Simulation) -> str:
    """What the change does to these queries, and whether that is more than chance."""
    if not found.flips:
        return say("Every query goes the way it goes today.")
    count = say_n(len(found.flips), "{n} query goes another way.", "{n} queries go another way.")
    if found.comparison is None:
        return say("{count} Nobody says which way is right: no query has a case.", count=count)
    return f"{count} {turned_words(found.comparison)} {chance_words(found.comparison)}".strip()


def asked_words(found: Simulation) -> str:
    """How often the LLM was asked for this, and that nothing was asked twice; "" where it had no part in it."""
    if not any(one.llm_outcome for run in (found.before, found.after) for one in run.decisions):
        return ""
    return say_n(
        found.asked,
        "The LLM was asked {n} question; what it said before was not asked again.",
        "The LLM was asked {n} questions; what it said before was not asked again.",
    )


def cause(before: RouteDecision, after: RouteDecision) -> str:
    """The first stage that says something else, and what it says now."""
    for one, other in zip(before.steps, after.steps, strict=False):
        if (one.outcome, one.label) != (other.outcome, other.label):
            return f"{say(STAGES[other.stage])}: {other.sentence}"
    return ""


def flip_row(one: Flip) -> FlipRow:
    became = ""
    if one.was_right is not None and one.is_right is not None:
        became = {
            (False, True): say("now right"),
            (True, False): say("now wrong"),
            (True, True): say("still right"),
            (False, False): say("still wrong"),
        }[one.was_right, one.is_right]
    return FlipRow(one.case.text, _way(one.before), _way(one.after), became, cause(one.before, one.after))


def _way(decision: RouteDecision) -> str:
    return f"{decision.intent} ({method_word(decision)})"


# ---- for people on the command line


def simulation_lines(found: Simulation, change: Change) -> list[str]:
    """Both side by side, the verdict, and the flips with their causes."""
    shown = simulation_table(found, change)
    heads = ("", *shown.heads)
    lines = [
        say("{queries}, today and under {changes}", queries=shown.title, changes=shown.remark),
        *table([heads, *((row.what, *row.cells) for row in shown.rows)]),
        *(
            f"{when}: {alert.sentence}"
            for when, run in zip(shown.heads, (found.before, found.after), strict=False)
            for alert in run.metrics.alerts
        ),
        "",
        *filter(None, (verdict(found), asked_words(found))),
    ]
    for one in map(flip_row, found.flips[:SHOWN_FLIPS]):
        became = f" [{one.became}]" if one.became else ""
        lines += [f"  {one.before} → {one.after}{became}: {one.text}", f"      {one.cause}"]
    if len(found.flips) > SHOWN_FLIPS:
        lines.append(say("  and {n} more; --json has all", n=f"{len(found.flips) - SHOWN_FLIPS:,}"))
    return lines


# ---- as a document


def simulation_document(found: Simulation, change: Change) -> dict[str, Any]:
    """All of it, made of plain dicts, lists, strings, numbers and None."""
    return {
        "n": found.before.metrics.count,
        "against": dict(change.settings),
        "llm_fails": change.fails,
        "seed": change.seed,
        "asked": found.asked,
        "before": _run(found.before.metrics),
        "after": _run(found.after.metrics),
        "comparison": None if found.comparison is None else comparison_document(found.comparison, change.settings),
        "flips": [
            {
                "text": one.case.text,
                "expected": list(one.case.expected),
                "before": _side(one.before, one.was_right),
                "after": _side(one.after, one.is_right),
                "cause": cause(one.before, one.after),
            }
            for one in found.flips
        ],
    }


def _run(found: RoutingMetrics) -> Mapping[str, Any]:
    labelled = sum(one.labelled for one in found.by_method.values())
    right = sum(one.right for one in found.by_method.values())
    return {**metrics_document(found), "accuracy_interval": list(interval(right, labelled)) if labelled else None}


def _side(decision: RouteDecision, right: bool | None) -> Mapping[str, Any]:
    return {"intent": decision.intent, "method": decision.method, "right": right}


def flip_rows(found: Simulation) -> Sequence[FlipRow]:
    """Every query that goes another way: what turned wrong first, then what turned right."""
    rank = {(True, False): 0, (False, True): 1}
    return [
        flip_row(one)
        for one in sorted(found.flips, key=lambda one: rank.get((bool(one.was_right), bool(one.is_right)), 2))
    ]
