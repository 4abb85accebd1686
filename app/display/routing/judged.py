"""What labelled queries say of routes and stores, as lines and as a document."""

from __future__ import annotations

from typing import Any

from app.display import numbers
from app.display.scope.timing import percentile
from app.domain.language import say, say_n
from app.services.routing.judged import StoresJudged


def judged_lines(found: StoresJudged) -> list[str]:
    """How often the routed answer was right, beside what any store had; then a line a store."""
    done = found.done
    lines = [
        say_n(done, "{n} labelled query", "{n} labelled queries"),
        say("  routed answer: right first {first}, among its hits {among}; any store had it in {anywhere}",
            first=numbers.percent(found.first, done), among=numbers.percent(found.among, done),
            anywhere=numbers.percent(found.anywhere, done)),
    ]  # fmt: skip
    if found.strange:
        lines.append(
            say_n(
                found.strange,
                "  {n} expects nothing that is taught here; see --task",
                "  {n} expect nothing that is taught here; see --task",
            )
        )
    heads = (say("store"), say("routed"), say("first"), say("among"), "P50 ms", "P95 ms", say("recall"), say("failed"))
    lines.append("  {:11} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}  {}".format(*heads, say("answered by")))
    for one in found.scores:
        times = [numbers.fixed(percentile(one.ms, share)) for share in (50, 95)] if one.ms else [numbers.ABSENT] * 2
        shares = [numbers.percent(count, done) for count in (one.first, one.among)]
        recall = numbers.ABSENT if one.recall is None else numbers.fixed(one.recall)
        cells = (one.store, one.routed, *shares, *times, recall, one.faults, one.by)
        lines.append("  {:11} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}  {}".format(*cells))
    return lines


def judged_document(found: StoresJudged) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "n": found.done,
        "routed": {"first": found.first, "among": found.among},
        "anywhere": found.anywhere,
        "strange": found.strange,
        "stores": [
            {
                "store": one.store,
                "by": one.by,
                "answered": one.answered,
                "routed": one.routed,
                "first": one.first,
                "among": one.among,
                "p50_ms": percentile(one.ms, 50) if one.ms else None,
                "p95_ms": percentile(one.ms, 95) if one.ms else None,
                "recall": one.recall,
                "failed": one.faults,
            }
            for one in found.scores
        ],
    }
