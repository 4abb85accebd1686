"""001's routing metrics: each with its target, as terminal lines, and as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from app.display import numbers
from app.display.routing.path import dollars
from app.domain.documents import fields_of
from app.domain.language import percents, plural
from app.domain.review.route_alerts import RouteAlarm
from app.domain.route import RouteMethod
from app.domain.scope.resolution import METHODS
from app.evaluation.routing import RoutingMetrics, Share, Target, Totals

Document = dict[str, Any]


class TargetState(StrEnum):
    """State of a metric relative to its target."""

    MET = "met"
    MISSED = "missed"
    ALARM = "alarm"
    NO_DATA = "no data"


WORDS: Mapping[TargetState, str] = {
    TargetState.MET: "met",
    TargetState.MISSED: "missed",
    TargetState.ALARM: "alarm",
    TargetState.NO_DATA: "no data",
}


@dataclass(frozen=True, slots=True)
class TargetRow:
    """Metric: name, value, target, and state."""

    name: str
    value: str
    target: str
    state: TargetState

    @property
    def word(self) -> str:
        return WORDS[self.state]


NAMES: Mapping[str, str] = {
    "rule hits": "Decided by rules",
    "LLM fallbacks": "Decided by the LLM",
    "accuracy": "Right, of those with a case",
    "P90 in ms": "P90, ms",
    "cache hits": "Answered from the cache",
    "dollars a query": "Cost of a query",
    "LLM errors": "Failed questions to the LLM",
}
SHARES = frozenset({"rule hits", "LLM fallbacks", "accuracy", "cache hits", "LLM errors"})
ALARMS: Mapping[str, RouteAlarm] = {
    "rule hits": RouteAlarm.RULE_HITS,
    "LLM fallbacks": RouteAlarm.FALLBACKS,
    "accuracy": RouteAlarm.ACCURACY,
    "LLM errors": RouteAlarm.LLM_ERRORS,
}
"""Targets that also have an alarm."""


def target_rows(found: RoutingMetrics) -> tuple[TargetRow, ...]:
    """Return each metric with its target."""
    fire = {alert.name for alert in found.alerts}
    return tuple(_target(target, is_alarm=ALARMS.get(target.name) in fire) for target in found.targets)


def _target(target: Target, *, is_alarm: bool) -> TargetRow:
    state = TargetState.NO_DATA if target.is_met is None else TargetState.MET if target.is_met else TargetState.MISSED
    state = TargetState.ALARM if is_alarm else state
    value = numbers.ABSENT if target.value is None else _written(target, target.value)
    return TargetRow(NAMES.get(target.name, target.name), value, _bounds(target), state)


def _written(target: Target, value: float) -> str:
    if target.name in SHARES:
        limits = [bound for bound in (target.least, target.most) if bound is not None]
        return share_text(value, limits)
    if target.name.startswith("dollars"):
        return dollars(value)
    return numbers.milliseconds(value, [target.most] if target.most is not None else [])


def share_text(value: float, limits: list[float] | tuple[float, ...] = ()) -> str:
    """Format a share with one decimal, or more to stay on its side of a limit: "74.2 %"."""
    if value in (0.0, 1.0):
        return percents(value, 0)
    bounds = [0.0, 100.0, *(100.0 * limit for limit in limits)]
    written = (f"{100.0 * value:.{digits}f}" for digits in range(1, 8))
    shown = next((text for text in written if numbers.sides_kept(100.0 * value, text, bounds)), repr(value))
    return f"{shown} %"


def _bounds(target: Target) -> str:
    def written(bound: float) -> str:
        if target.name in SHARES:
            return f"{100.0 * bound:g} %"
        return dollars(bound) if target.name.startswith("dollars") else f"{bound:g}"

    if target.least is not None and target.most is not None:
        return f"{written(target.least)} to {written(target.most)}"
    if target.least is not None:
        return f"{written(target.least)} at least"
    return f"{written(target.most or 0.0)} at most"


def method_name(name: str) -> str:
    """Return the display name of a method; the name of all methods stays."""
    return METHODS[RouteMethod(name)] if name in set(RouteMethod) else name


def metrics_lines(found: RoutingMetrics, *, has_stores: bool = False) -> list[str]:
    """Format 001's dashboard: metrics (with stores also targets and alarms), times, shares."""
    lines = [plural(found.count, "{n} decision", "{n} decisions")]
    rows = target_rows(found)
    wide = max(len(row.name) for row in rows)
    for row in rows:
        stand = f"  {row.target:18} {row.word}" if has_stores else ""
        lines.append(f"  {row.name:{wide}} {row.value:>9}{stand}")
    if found.marked.labelled:
        share = numbers.percent(found.marked.right, found.marked.labelled)
        lines.append(
            plural(
                found.marked.labelled,
                "  Right, of {n} marked after the decision: {share}",
                "  Right, of {n} marked after their decision: {share}",
                share=share,
            )
        )
    lines += [f"Alarm: {alert.sentence}" for alert in found.alerts if has_stores]
    return lines + share_lines(found)


def share_lines(found: RoutingMetrics) -> list[str]:
    """Return the decisions by method and route, the right ones among them, and the times."""
    by_method = {method_name(name): share for name, share in found.by_method.items()}
    wide = min(_WIDEST, max([_NARROWEST, *map(len, (*by_method, *found.by_intent))]))
    lines = _shares("By method", by_method, wide) + _shares("By route", found.by_intent, wide)
    if found.times:
        lines.append("Milliseconds (P50, P90, P95, P99)")
        times = ((method_name(name), (t.p50, t.p90, t.p95, t.p99)) for name, t in found.times.items())
        lines += [f"  {name:{wide}} {' '.join(f'{ms:9.2f}' for ms in of_method)}" for name, of_method in times]
    return lines


_NARROWEST, _WIDEST = 20, 48
"""Minimum and maximum width of a name column; longer names are cut."""


def _shares(title: str, shares: Mapping[str, Share], wide: int) -> list[str]:
    rows = []
    for name, share in shares.items():
        right = numbers.percent(share.right, share.labelled) if share.labelled else numbers.ABSENT
        cut = name if len(name) <= wide else f"{name[: wide - 1]}…"
        rows.append(f"  {cut:{wide}} {f'{share.count:,}':>7}  {right:>7}")
    return [title, *rows] if rows else []


def metrics_document(found: RoutingMetrics) -> Document:
    """Make the document of the routing metrics."""
    return {
        "n": found.count,
        **fields_of(found, "rule_hits", "fallbacks", "degraded", "cache_hits", "llm_errors"),
        **fields_of(found, "accuracy", "cost", "cost_per_query"),
        "times": {
            name: {"n": t.count, "p50_ms": t.p50, "p90_ms": t.p90, "p95_ms": t.p95, "p99_ms": t.p99}
            for name, t in found.times.items()
        },
        "by_method": {name: share_document(share) for name, share in found.by_method.items()},
        "by_intent": {name: share_document(share) for name, share in found.by_intent.items()},
        "marked": share_document(found.marked),
        "over_time": [_moment(one, found.seconds) for one in found.over_time],
        "targets": [
            {"name": t.name, "value": t.value, "least": t.least, "most": t.most, "met": t.is_met} for t in found.targets
        ],
        "alerts": [{"name": one.name.value, "value": one.value, "sentence": one.sentence} for one in found.alerts],
    }


def _moment(one: Totals, seconds: float) -> Document:
    rates = {name.value: rate for name, rate in one.counts.rates.items()}
    whole = one.times["all"]
    times = {"p50_ms": whole.p50, "p90_ms": whole.p90, "p95_ms": whole.p95, "p99_ms": whole.p99}
    costs = {"cache_hits": one.cache_hits, "cost_per_query": one.cost_per_query}
    at = datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds")
    return {"from": at, "seconds": seconds, "n": one.counts.decisions, **rates, **costs, **times}


def share_document(share: Share) -> Document:
    return {"n": share.count, "labelled": share.labelled, "right": share.right, "accuracy": share.accuracy}
