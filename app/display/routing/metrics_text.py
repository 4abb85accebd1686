"""What the log of routes comes to, as lines for the terminal and as a document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from app.display import numbers
from app.display.routing.targets import method_name, target_rows
from app.domain.language import say, say_n, thousands
from app.evaluation.routing import RoutingMetrics, Share, Totals

Document = dict[str, Any]


def metrics_lines(found: RoutingMetrics, *, has_stores: bool = False) -> list[str]:
    """001's dashboard: measures, with their targets and alarms where there are stores, times and shares."""
    lines = [say_n(found.count, "{n} decision", "{n} decisions")]
    rows = target_rows(found)
    wide = max(len(row.name) for row in rows)
    for row in rows:
        stand = f"  {row.target:18} {row.word}" if has_stores else ""
        lines.append(f"  {row.name:{wide}} {row.value:>9}{stand}")
    if found.marked.labelled:
        share = numbers.percent(found.marked.right, found.marked.labelled)
        lines.append(
            say_n(
                found.marked.labelled,
                "  Right, of {n} marked after the decision: {share}",
                "  Right, of {n} marked after their decision: {share}",
                share=share,
            )
        )
    lines += [say("Alarm: {sentence}", sentence=alert.sentence) for alert in found.alerts if has_stores]
    return lines + share_lines(found)


def share_lines(found: RoutingMetrics) -> list[str]:
    """How many went which way, how many of those rightly, and how long it took."""
    by_method = {method_name(name): share for name, share in found.by_method.items()}
    wide = min(_WIDEST, max([_NARROWEST, *map(len, (*by_method, *found.by_intent))]))
    lines = _shares(say("By method"), by_method, wide) + _shares(say("By route"), found.by_intent, wide)
    if found.times:
        lines.append(say("Milliseconds (P50, P90, P95, P99)"))
        times = ((method_name(name), (t.p50, t.p90, t.p95, t.p99)) for name, t in found.times.items())
        lines += [f"  {name:{wide}} {' '.join(f'{ms:9.2f}' for ms in of_method)}" for name, of_method in times]
    return lines


_NARROWEST, _WIDEST = 20, 48
"""How wide names are written, at least and at most; longer ones are cut."""


def _shares(title: str, shares: Mapping[str, Share], wide: int) -> list[str]:
    rows = []
    for name, share in shares.items():
        right = numbers.percent(share.right, share.labelled) if share.labelled else numbers.ABSENT
        cut = name if len(name) <= wide else f"{name[: wide - 1]}…"
        rows.append(f"  {cut:{wide}} {thousands(share.count):>7}  {right:>7}")
    return [title, *rows] if rows else []


def metrics_document(found: RoutingMetrics) -> Document:
    """The measures of routing as a JSON document."""
    return {
        "n": found.count,
        "rule_hits": found.rule_hits,
        "fallbacks": found.fallbacks,
        "degraded": found.degraded,
        "cache_hits": found.cache_hits,
        "llm_errors": found.llm_errors,
        "accuracy": found.accuracy,
        "cost": found.cost,
        "cost_per_query": found.cost_per_query,
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
