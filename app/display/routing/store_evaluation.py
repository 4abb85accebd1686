"""Evaluation of routes and stores on labelled queries, as lines and a document."""

from __future__ import annotations

from typing import Any

from app.display import numbers
from app.display.routing.stores import StoreColumn, StoreRunView
from app.display.scope.timing import percentile
from app.domain.documents import fields_of
from app.domain.language import plural
from app.services.routing.store_evaluation import StoreEvaluation, StoreScore


def store_evaluation_lines(found: StoreEvaluation) -> list[str]:
    """Format the accuracy of the routed answer, the best possible one, and each store's."""
    done = found.done
    lines = [
        plural(done, "{n} labelled query", "{n} labelled queries"),
        (f"  routed answer: right first {numbers.percent(found.first, done)}, among its hits "
f"{numbers.percent(found.among, done)}; any store had it in "
f"{numbers.percent(found.anywhere, done)}"),
    ]  # fmt: skip
    if found.strange:
        lines.append(
            plural(
                found.strange,
                "  {n} expects nothing that is taught here; see --task",
                "  {n} expect nothing that is taught here; see --task",
            )
        )
    heads = ("store", "routed", "first", "among", "P50 ms", "P95 ms", "recall", "failed")
    lines.append("  {:11} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}  {}".format(*heads, "answered by"))
    for one in found.scores:
        times = [numbers.fixed(percentile(one.ms, share)) for share in (50, 95)] if one.ms else [numbers.ABSENT] * 2
        shares = [numbers.percent(count, done) for count in (one.first, one.among)]
        recall = numbers.ABSENT if one.recall is None else numbers.fixed(one.recall)
        cells = (one.store, one.routed, *shares, *times, recall, one.faults, one.by)
        lines.append("  {:11} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7}  {}".format(*cells))
    return lines


def store_evaluation_view(found: StoreEvaluation) -> StoreRunView:
    """Return the progress or result: a column for the routed answer, and one per store."""
    done = found.done
    if done < found.whole:
        sentence = f"Judging: {numbers.count(done)} of {numbers.count(found.whole)}"
    else:
        sentence = plural(done, "{n} labelled query", "{n} labelled queries")
    if found.strange:
        sentence += ". " + plural(
            found.strange, "{n} expects nothing that is taught here.", "{n} expect nothing that is taught here."
        )
    whole = f"{_right(found.first, found.among, done)} Any store had it in {numbers.percent(found.anywhere, done)}."
    answer = StoreColumn("Answer", "", "of the routed stores", "", True, note=whole)
    return StoreRunView(sentence, (), (answer, *(_column(one, done) for one in found.scores)) if done else ())


def _right(first: int, among: int, done: int) -> str:
    return f"Right first in {numbers.percent(first, done)}, among its hits in {numbers.percent(among, done)}."


def _column(one: StoreScore, done: int) -> StoreColumn:
    notes = [_right(one.first, one.among, done), plural(one.routed, "Routed {n} time.", "Routed {n} times.")]
    if one.ms:
        notes.append(f"P95 {numbers.fixed(percentile(one.ms, 95))} ms.")
    if one.recall is not None:
        notes.append(f"Recall against an exact search {numbers.fixed(one.recall)}.")
    if one.faults:
        notes.append(plural(one.faults, "Failed {n} time.", "Failed {n} times."))
    ms = numbers.fixed(percentile(one.ms, 50)) if one.ms else ""
    return StoreColumn(one.store, "", f"answered by {one.by}", ms, False, note=" ".join(notes))


def store_evaluation_document(found: StoreEvaluation) -> dict[str, Any]:
    return {
        "n": found.done,
        "routed": {"first": found.first, "among": found.among},
        "anywhere": found.anywhere,
        "strange": found.strange,
        "stores": [
            {
                **fields_of(one, "store", "by", "answered", "routed", "first", "among"),
                "p50_ms": percentile(one.ms, 50) if one.ms else None,
                "p95_ms": percentile(one.ms, 95) if one.ms else None,
                "recall": one.recall,
                "failed": one.faults,
            }
            for one in found.scores
        ],
    }
