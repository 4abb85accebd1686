"""What labelled queries say of routes and stores, as lines and as a document."""

from __future__ import annotations

from typing import Any

from app.display import numbers
from app.display.routing.stores import StoreColumn, StoreRunView
from app.display.scope.timing import percentile
from app.domain.language import say, say_n
from app.services.routing.store_evaluation import StoreEvaluation, StoreScore


def store_evaluation_lines(found: StoreEvaluation) -> list[str]:
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


def store_evaluation_view(found: StoreEvaluation) -> StoreRunView:
    """How far judging is, or what it comes to: a column for the routed answer, then one for each store."""
    done = found.done
    if done < found.whole:
        sentence = say("Judging: {done} of {whole}", done=numbers.count(done), whole=numbers.count(found.whole))
    else:
        sentence = say_n(done, "{n} labelled query", "{n} labelled queries")
    if found.strange:
        sentence += ". " + say_n(
            found.strange, "{n} expects nothing that is taught here.", "{n} expect nothing that is taught here."
        )
    whole = say(
        "{right} Any store had it in {anywhere}.",
        right=_right(found.first, found.among, done),
        anywhere=numbers.percent(found.anywhere, done),
    )
    answer = StoreColumn(say("Answer"), "", say("of the routed stores"), "", True, note=whole)
    return StoreRunView(sentence, (), (answer, *(_column(one, done) for one in found.scores)) if done else ())


def _right(first: int, among: int, done: int) -> str:
    return say(
        "Right first in {first}, among its hits in {among}.",
        first=numbers.percent(first, done),
        among=numbers.percent(among, done),
    )


def _column(one: StoreScore, done: int) -> StoreColumn:
    notes = [_right(one.first, one.among, done), say_n(one.routed, "Routed {n} time.", "Routed {n} times.")]
    if one.ms:
        notes.append(say("P95 {ms} ms.", ms=numbers.fixed(percentile(one.ms, 95))))
    if one.recall is not None:
        notes.append(say("Recall against an exact search {recall}.", recall=numbers.fixed(one.recall)))
    if one.faults:
        notes.append(say_n(one.faults, "Failed {n} time.", "Failed {n} times."))
    ms = numbers.fixed(percentile(one.ms, 50)) if one.ms else ""
    return StoreColumn(one.store, "", say("answered by {by}", by=one.by), ms, False, note=" ".join(notes))


def store_evaluation_document(found: StoreEvaluation) -> dict[str, Any]:
    """The evaluation of the stores as a JSON document."""
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
