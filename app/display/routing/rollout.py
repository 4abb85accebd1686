"""Rollout in words and rows: share of the candidate, both sides' metrics, rollback reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.display import numbers
from app.display.library.tables import short_time
from app.display.routing.metrics import metrics_document, share_text
from app.display.routing.path import dollars
from app.display.system.metrics import Row, Table
from app.domain.language import plural
from app.evaluation.reports.tier_report import table
from app.evaluation.routing import RoutingMetrics
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
    """Make the table of both sides' metrics since the start; a note if it has ended."""
    sides = (found.today, found.then)

    def row(name: str, written: Any) -> Row:
        return Row(name, tuple(written(side) for side in sides))

    def part(name: str) -> Any:
        return lambda side: _share(getattr(side, name))

    rows = (
        row("Decisions", lambda side: numbers.count(side.count)),
        row("Decided by rules", part("rule_hits")),
        row("Decided by the LLM", part("fallbacks")),
        row("Right, of those with a case", part("accuracy")),
        row("LLM failures", part("llm_errors")),
        row("P95, ms", _p95),
        row("Cost of a query", _dollars),
        row("Alarms", lambda side: numbers.count(len(side.alerts))),
    )
    few = plural(
        LEAST,
        "From {n} decision of the candidate on an alarm that today's do not raise, too, ends the roll-out.",
        "From {n} decisions of the candidate on an alarm that today's do not raise, too, ends the roll-out.",
    )
    heads = ("Today", "Candidate")
    if not state.share:
        return Table(f"The last roll-out, ended: {found.candidate}", heads, rows)
    return Table(f"Roll-out: {found.candidate}", heads, rows, few)


def _share(value: float | None) -> str:
    return numbers.ABSENT if value is None else share_text(value)


def _p95(side: RoutingMetrics) -> str:
    return numbers.milliseconds(side.times["all"].p95) if side.count else numbers.ABSENT


def _dollars(side: RoutingMetrics) -> str:
    return numbers.ABSENT if side.cost_per_query is None else dollars(side.cost_per_query)


@dataclass(frozen=True, slots=True)
class RolloutView:
    """Rollout's state, and both sides' metrics, if there was a rollout."""

    state: RolloutState
    table: Table | None

    @property
    def sentence(self) -> str:
        return rollout_sentence(self.state)


def rollout_view(state: RolloutState, found: RolloutMetrics | None) -> RolloutView:
    return RolloutView(state, None if found is None else rollout_table(found, state))


def rollout_lines(state: RolloutState, found: RolloutMetrics | None) -> list[str]:
    """Format the state, and both sides, for the command line."""
    lines = [rollout_sentence(state)]
    if found is None:
        return lines
    remark = rollout_table(found, state).remark
    return [*lines, "", *rollout_table_lines(found, state), *(["", remark] if remark else [])]


def rollout_table_lines(found: RolloutMetrics | None, state: RolloutState) -> list[str]:
    """Format both sides; empty without a rollout."""
    if found is None:
        return []
    shown = rollout_table(found, state)
    return [shown.title, *table([("", *shown.heads), *((row.what, *row.cells) for row in shown.rows)])]


def rollout_state_document(state: RolloutState) -> Mapping[str, Any] | None:
    """Make the document of the state beside a decision; None without a rollout."""
    if not (state.share or state.back or state.hindrance):
        return None
    back = state.back
    return {
        "share": state.share,
        "candidate": state.candidate,
        "since": state.since,
        "hindrance": state.hindrance or None,
        "back": None if back is None else {"at": back.at, "candidate": back.candidate, "why": back.why},
    }


def rollout_document(state: RolloutState, found: RolloutMetrics | None) -> dict[str, Any]:
    """Make the document of the state and both sides."""
    sides = None if found is None else {"today": metrics_document(found.today), "then": metrics_document(found.then)}
    return {
        "rollout": rollout_state_document(state),
        "of": None if found is None else found.candidate,
        "metrics": sides,
    }
