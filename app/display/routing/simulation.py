"""Simulation of two routers, and rollout of one, in words, rows and a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.display import numbers, words
from app.display.evaluation.comparison import chance_sentence, changes_text, comparison_document, turned_sentence
from app.display.library.tables import Column, short_time
from app.display.routing.metrics import metrics_document, share_text
from app.display.routing.path import STAGES, dollars
from app.display.scope.match_rows import method_word
from app.display.system.metrics import Row, Table, table_lines
from app.domain.documents import fields_of
from app.domain.inspection import METHODS, RouteDecision
from app.domain.language import capitalized, plural, quantity
from app.domain.route import RouteMethod, RouteStage, StepOutcome
from app.evaluation.comparison import interval
from app.evaluation.routing import RoutingMetrics, Share
from app.services.evaluation.evaluate import Flip
from app.services.evaluation.simulator import Change, Simulation
from app.services.routing.rollout import LEAST, RolloutMetrics, RolloutState


def time_text(at: float) -> str:
    return short_time(datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S"))


def rollout_sentence(state: RolloutState) -> str:
    """Return the rollout's state, or why there is none."""
    if state.hindrance:
        return f"No query goes by the candidate. {state.hindrance}"
    if state.share:
        since = "" if state.since is None else f", since {time_text(state.since)}"
        return f"{state.share} of 100 queries go by {state.candidate}{since}."
    return rollback_sentence(state) or "Nothing is rolled out."


def rollback_sentence(state: RolloutState) -> str:
    """Return when and why the router rolled back by itself; "" if it did not."""
    if state.back is None:
        return ""
    return f"The roll-out of {state.back.candidate} went back by itself, {time_text(state.back.at)}: {state.back.why}"


def rollout_table(found: RolloutMetrics, state: RolloutState) -> Table:
    """Make the table of both sides' metrics since the start; a note if it goes on."""
    sides = (found.today, found.then)
    measured: Mapping[str, Callable[[RoutingMetrics], str]] = {
        "Decisions": lambda side: numbers.count(side.count),
        "Decided by rules": lambda side: _share(side.rule_hits),
        "Decided by the LLM": lambda side: _share(side.fallbacks),
        "Right, of those with a case": lambda side: _share(side.accuracy),
        "LLM failures": lambda side: _share(side.llm_errors),
        "P95, ms": lambda side: numbers.milliseconds(side.times["all"].p95) if side.count else numbers.ABSENT,
        "Cost of a query": lambda side: numbers.ABSENT if side.cost_per_query is None else dollars(side.cost_per_query),
        "Alarms": lambda side: numbers.count(len(side.alerts)),
    }
    rows = tuple(Row(name, tuple(map(written, sides))) for name, written in measured.items())
    title = f"Roll-out: {found.candidate}" if state.share else f"The last roll-out, ended: {found.candidate}"
    few = f"After {LEAST} decisions of the candidate, an alarm that the current settings do not raise ends it."
    return Table(title, ("Current", "Candidate"), rows, few if state.share else "")


def _share(value: float | None) -> str:
    return numbers.ABSENT if value is None else share_text(value)


def rollout_lines(state: RolloutState, found: RolloutMetrics | None) -> list[str]:
    """Format the state, and both sides, for the command line."""
    return [rollout_sentence(state), *(table_lines([rollout_table(found, state)]) if found is not None else ())]


def rollout_state_document(state: RolloutState) -> Mapping[str, Any] | None:
    """Make the document of the state beside a decision; None without a rollout."""
    if not (state.share or state.back or state.hindrance):
        return None
    back = state.back
    return {
        **fields_of(state, "share", "candidate", "since"),
        "hindrance": state.hindrance or None,
        "back": None if back is None else {"at": back.at, "candidate": back.candidate, "why": back.why},
    }


def rollout_document(state: RolloutState, found: RolloutMetrics | None) -> dict[str, Any]:
    sides = None if found is None else {"today": metrics_document(found.today), "then": metrics_document(found.then)}
    return {
        "rollout": rollout_state_document(state),
        "of": None if found is None else found.candidate,
        "metrics": sides,
    }


SHOWN_FLIPS = 20
"""Maximum number of flips on the command line."""

SHOWN_UNKNOWN = 5
"""Maximum number of named unknown labels."""


def change_words(change: Change) -> str:
    """Format the other configuration as typed."""
    parts = [changes_text(change.settings)] if change.settings else []
    if change.fails:
        parts.append(f"the LLM fails {100.0 * change.fails:g} % of the time")
    return ", ".join(parts) or "nothing"


def simulation_table(found: Simulation, change: Change) -> Table:
    sides = before, after = found.before.metrics, found.after.metrics
    bounds = map(_interval, sides)
    between = (numbers.ABSENT if one is None else f"{100 * one[0]:.0f}–{100 * one[1]:.0f} %" for one in bounds)
    rows = [
        Row(
            "Right, of those with a case",
            (*(_share(one.accuracy) for one in sides), _points(before.accuracy, after.accuracy)),
        ),
        Row("… with 95 % between", (*between, "")),
    ]
    for method in RouteMethod:
        counts = [each.by_method.get(method.value, Share(0, 0, 0)).count for each in sides]
        shares = (numbers.percent(count, before.count) for count in counts)
        gain = _points(*(count / before.count if before.count else None for count in counts))
        if any(counts):
            rows.append(Row(capitalized(METHODS[method]), (*shares, gain)))
    others: Mapping[str, Callable[[RoutingMetrics], str]] = {
        "P50, ms": lambda one: numbers.milliseconds(one.times["all"].p50),
        "P95, ms": lambda one: numbers.milliseconds(one.times["all"].p95),
        "Cost": lambda one: dollars(one.cost),
        "Cost of a query": lambda one: dollars(one.cost_per_query or 0.0),
        "LLM failures": lambda one: _share(one.llm_errors),
        "Alarms": lambda one: numbers.count(len(one.alerts)),
    }
    rows += [Row(name, (*map(written, sides), "")) for name, written in others.items()]
    rows = [row for row in rows if not {*row.cells[:2]} <= {numbers.ABSENT, "$0", "0"}]
    title = quantity(before.count, "query", "queries")
    return Table(title, ("Current", "Changed", "±, points"), tuple(rows), f"Changed: {change_words(change)}.")


def _interval(found: RoutingMetrics) -> tuple[float, float] | None:
    labelled = sum(one.labelled for one in found.by_method.values())
    return interval(sum(one.right for one in found.by_method.values()), labelled) if labelled else None


def _points(before: float | None, after: float | None) -> str:
    if before is None or after is None or before == after:
        return ""
    return f"{'+' if after > before else ''}{numbers.fixed(100.0 * (after - before), 1)}"


def verdict(found: Simulation) -> str:
    """Return the effect on these queries, and if it is significant."""
    if not found.flips:
        return "No query changes its route."
    count = plural(len(found.flips), "{n} query changes its route.", "{n} queries change their routes.")
    if found.comparison is None:
        return f"{count} No query has a case, so the right way is unknown."
    return f"{count} {turned_sentence(found.comparison)} {chance_sentence(found.comparison)}".strip()


def unknown_routes_sentence(found: Simulation) -> str:
    """Return a sentence on cases with unknown routes, which are never right; "" if none."""
    names = ", ".join(f"“{name}”" for name in found.unknown[:SHOWN_UNKNOWN])
    if not names:
        return ""
    more = ", …" * (len(found.unknown) > SHOWN_UNKNOWN)
    named, them = ("name", "it") if len(found.unknown) == 1 else ("names", "them")
    return f"No route has the {named} {names}{more}, so nothing is right there: correct {them} in the cases."


def llm_usage_sentence(found: Simulation) -> str:
    """Return the number of LLM requests; "" if the LLM was not involved."""
    if not any(one.llm_outcome for run in (found.before, found.after) for one in run.decisions):
        return ""
    return f"The LLM was asked {quantity(found.asked, 'question')}; what it said before was not asked again."


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


def _became(one: Flip) -> str:
    """Return the change in correctness; "" without a label."""
    if one.was_right is None or one.is_right is None:
        return ""
    return f"{'still' if one.was_right == one.is_right else 'now'} {'right' if one.is_right else 'wrong'}"


def _way(decision: RouteDecision) -> str:
    return f"{decision.intent} ({method_word(decision)})"


# ---- window: choices of the other side, and its result

TODAY = ""
"""Choice of the present configuration."""

OFF = "off"

RULES_CHOICES: Mapping[str, str] = {
    TODAY: "Current rules",
    "0.85": "Rules from 0.85",
    "0.9": "Rules from 0.90",
    "0.95": "Rules from 0.95",
    OFF: "Without rules",
}
EXAMPLES_CHOICES: Mapping[str, str] = {TODAY: "Current examples", OFF: "Without examples"}
LLM_CHOICES: Mapping[str, str] = {
    TODAY: "Current LLM",
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


FLIP_COLUMNS: tuple[Column[Flip], ...] = (
    Column("text", "Query", lambda one: one.case.text, 210),
    Column("before", "Current", lambda one: words.with_titles(_way(one.before)), 168),
    Column("after", "Then", lambda one: words.with_titles(_way(one.after)), 176),
    Column("became", "By a case", _became, 124),
    Column("cause", "Cause", lambda one: flip_cause(one.before, one.after), 280, is_quiet=True),
)
"""Columns of queries with another route."""


@dataclass(frozen=True, slots=True)
class SimulationView:
    """Both sides, the verdict, and every query that changes its route."""

    table: Table
    sentence: str
    flips: tuple[Flip, ...]


def simulation_view(found: Simulation, change: Change) -> SimulationView:
    """Make the view of a simulation; newly wrong queries come first, then newly right ones."""
    words = " ".join(filter(None, (verdict(found), unknown_routes_sentence(found), llm_usage_sentence(found))))
    rank = {"now wrong": 0, "now right": 1}
    flips = sorted(found.flips, key=lambda one: rank.get(_became(one), 2))
    return SimulationView(simulation_table(found, change), words, tuple(flips))


def simulation_lines(found: Simulation, change: Change) -> list[str]:
    """Format both sides, the verdict, and the flips with their causes, for the command line."""
    shown = simulation_view(found, change)
    sides = zip(shown.table.heads, (found.before, found.after), strict=False)
    alarms = (f"{when}: {alert.sentence}" for when, run in sides for alert in run.metrics.alerts)
    return [*table_lines([shown.table]), *alarms, "", shown.sentence, *flip_lines(shown.flips)]


def flip_lines(flips: Sequence[Flip]) -> list[str]:
    """Format the first flips, with their causes."""
    lines = []
    for one in flips[:SHOWN_FLIPS]:
        became = f" [{became}]" if (became := _became(one)) else ""
        lines += [f"  {_way(one.before)} → {_way(one.after)}{became}: {one.case.text}"]
        lines += [f"      {flip_cause(one.before, one.after)}"]
    more = len(flips) - SHOWN_FLIPS
    return [*lines, f"  and {more:,} more; --json has all"] if more > 0 else lines


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
