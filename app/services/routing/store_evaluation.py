"""Evaluation of stores: whether routing leads to the right answer, over labelled queries."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass

from app.domain.case import Case, Task
from app.domain.datastore import KIND, Document
from app.domain.errors import KnownError
from app.domain.library import Kind
from app.services.core import Core
from app.services.routing.stores import StoreReply, Stores


@dataclass(frozen=True, slots=True)
class StoreScore:
    """Results of one store over all cases.

    Counts: queries answered, queries routed to it, right document first, right document among its hits, faults. `ms`
    are the latencies in ascending order. `recall` is the mean share of the exact search's hits that it found; None for
    the exact search itself and for graph queries.
    """

    store: str
    by: str
    answered: int
    routed: int
    first: int
    among: int
    ms: tuple[float, ...]
    faults: int
    recall: float | None


@dataclass(frozen=True, slots=True)
class StoreEvaluation:
    """Progress and result: how often the routed answer had a right document first, or at all.

    `anywhere` counts cases with a right document in any store; `strange` ones have no right document in the library.
    """

    done: int
    whole: int
    first: int = 0
    among: int = 0
    anywhere: int = 0
    scores: tuple[StoreScore, ...] = ()
    strange: int = 0


@dataclass(frozen=True, slots=True)
class _Asked:
    right: frozenset[str]
    hits: tuple[str, ...]
    replies: tuple[StoreReply, ...]


async def evaluate_stores(stores: Stores, cases: Sequence[Case]) -> AsyncGenerator[StoreEvaluation, None]:
    """Query every store with cases, without an LLM; raises DataStoreError, KnownError."""
    documents = await stores.filled()
    asked: list[_Asked] = []
    yield StoreEvaluation(0, len(cases))
    for case in cases:
        run = await stores.answered(case.text)
        asked.append(_Asked(right_ids(case, documents), tuple(hit.id for hit in run.hits), run.replies))
        yield _summed(asked, len(cases))


def can_be_evaluated(case: Case) -> bool:
    """Check if a store can contain what the case expects."""
    return case.task in {Task.MEMORY, Task.POWER, Task.INTENT} and bool(case.expected)


async def evaluate_stores_on_cases(core: Core, stores: Stores) -> AsyncGenerator[StoreEvaluation, None]:
    """Evaluate the stores on the library's cases; raises KnownError if none can be evaluated."""
    cases = [case for case in await core.in_store(lambda library: library.cases()) if can_be_evaluated(case)]
    if not cases:
        raise KnownError("No case in the library expects a memory, a power or an intent.")
    async for found in evaluate_stores(stores, cases):
        yield found


def right_ids(case: Case, documents: Iterable[Document]) -> frozenset[str]:
    """Return the ids of a case's right documents, by name or label."""
    wanted = set(case.expected)
    if case.task is Task.INTENT:
        return frozenset(one.id for one in documents if wanted.intersection(one.fields.get("label", ())))
    kind = Kind.POWER if case.task is Task.POWER else None
    return frozenset(
        one.id
        for one in documents
        if wanted & {one.name, one.id.partition(":")[2]}
        and (kind is None) != (Kind.POWER.value in one.fields.get(KIND, ()))
    )


def _summed(asked: Sequence[_Asked], whole: int) -> StoreEvaluation:
    by_store: dict[str, list[tuple[_Asked, StoreReply]]] = {}
    for one in asked:
        for reply in one.replies:
            by_store.setdefault(reply.store, []).append((one, reply))
    return StoreEvaluation(
        len(asked),
        whole,
        sum(_is_first(one.hits, one.right) for one in asked),
        sum(not one.right.isdisjoint(one.hits) for one in asked),
        sum(any(not one.right.isdisjoint(_ids(reply)) for reply in one.replies) for one in asked),
        tuple(_score(store, pairs) for store, pairs in by_store.items()),
        sum(not one.right for one in asked),
    )


def _score(store: str, pairs: Sequence[tuple[_Asked, StoreReply]]) -> StoreScore:
    replies = [reply for _, reply in pairs]
    exact = [(set(_ids(reply)), reply.exact) for reply in replies if reply.exact]
    return StoreScore(
        store,
        replies[-1].by,
        sum(reply.answer is not None for reply in replies),
        sum(reply.is_routed for reply in replies),
        sum(_is_first(_ids(reply), one.right) for one, reply in pairs),
        sum(not one.right.isdisjoint(_ids(reply)) for one, reply in pairs),
        tuple(sorted(reply.answer.ms for reply in replies if reply.answer is not None)),
        sum(bool(reply.fault) for reply in replies),
        sum(len(found.intersection(wanted)) / len(wanted) for found, wanted in exact) / len(exact) if exact else None,
    )


def _ids(reply: StoreReply) -> tuple[str, ...]:
    return () if reply.answer is None else tuple(hit.id for hit in reply.answer.hits)


def _is_first(hits: Sequence[str], right: frozenset[str]) -> bool:
    return bool(hits) and hits[0] in right
