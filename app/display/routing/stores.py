"""Answers of data stores as tables and documents: hits, evidence, times, queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers
from app.display.scope.match_rows import ADVICE
from app.display.scope.timing import percentile
from app.display.system.metrics import Row, Table, table_lines
from app.domain.datastore import MAPPED, SHARED_CACHE, STAND_IN, Hit, Source, StoreMapping, suggested
from app.domain.documents import fields_of
from app.domain.language import plural, quantity
from app.domain.route import RouteIntent
from app.services.routing.store_evaluation import StoreEvaluation
from app.services.routing.stores import StoreReply, StoreRun, StoreState

ASKS: dict[RouteIntent, str] = {
    RouteIntent.GRAPH: "along links",
    RouteIntent.TEMPORAL: "along links at a time",
    RouteIntent.VECTOR: "by meaning",
    RouteIntent.HYBRID: "by fields, words and meaning",
}
"""Search method of each store, in words."""


@dataclass(frozen=True, slots=True)
class StoreTable:
    """Answer of one store, or of all routed ones (`store` is ""), and the query that it ran."""

    store: str
    table: Table
    statement: str = ""


def run_tables(run: StoreRun) -> tuple[StoreTable, ...]:
    """Return the fused answer, the comparison, both only of several stores, then each store's."""
    answer = {hit.id for hit in run.hits}
    found = {reply.store: reply.answer.hits for reply in run.replies if reply.answer is not None}
    tables = []
    if sum(name in run.decision.databases for name in (*(reply.store for reply in run.replies), *run.waiting)) > 1:
        tables.append(StoreTable("", _hits_table("Answer, fused by reciprocal rank", run.hits, answer)))
    if len(found) > 1:
        tables.append(StoreTable("", _comparison(found, answer)))
    for reply in run.replies:
        routed = ", routed" if reply.is_routed else ""
        title = f"{reply.store}{routed}: {_origin(reply)}"
        if reply.answer is None:
            tables.append(StoreTable(reply.store, Table(title, (), (), reply.fault)))
            continue
        timed = _hits_table(f"{title}, {numbers.fixed(reply.answer.ms)} ms", reply.answer.hits, answer)
        tables.append(StoreTable(reply.store, timed, reply.answer.statement))
    return (*tables, *(StoreTable(name, Table(name, (), (), "waiting")) for name in run.waiting))


def _hits_table(title: str, hits: Sequence[Hit], answer: set[str]) -> Table:
    rows = (
        Row(f"{n}. {hit.name}", (numbers.fixed(hit.score),), hit.id not in answer, aside=evidence(hit))
        for n, hit in enumerate(hits, 1)
    )
    return Table(title, ("Score",), tuple(rows), "" if hits else "Nothing found.")


def _comparison(found: Mapping[str, Sequence[Hit]], answer: set[str]) -> Table:
    """Make the table of each hit's place in every store, the routed answer's hits first."""
    places = {store: {hit.id: f"{n}" for n, hit in enumerate(hits, 1)} for store, hits in found.items()}
    every = {hit.id: hit.name for hits in found.values() for hit in hits}
    rows = (
        Row(name, tuple(at.get(key, numbers.ABSENT) for at in places.values()), key not in answer)
        for key, name in sorted(every.items(), key=lambda pair: pair[0] not in answer)
    )
    return Table(
        "Place in each store", tuple(found), tuple(rows), "The hits of the routed answer come first.", is_even=True
    )


def run_sentence(run: StoreRun) -> str:
    done, whole = run.filled
    if done < whole:
        return filling_progress(done, whole)
    if not run.is_over:
        return f"Asking {', '.join(run.waiting)}" if run.waiting else ""
    routed = [reply.store for reply in run.replies if reply.is_routed and reply.answer is not None]
    silent = ", ".join(reply.store for reply in run.replies if reply.is_routed and reply.answer is None)
    if not routed:
        return f"No answer of {silent}"
    found, stores = quantity(len(run.hits), "hit"), ", ".join(routed)
    told = f"{found} of {stores}{', fused by reciprocal rank' * (len(routed) > 1)}"
    return f"{told}; no answer of {silent}" if silent else told


def filling_progress(done: int, whole: int) -> str:
    if done == whole:
        return "The store holds everything that is taught."
    return f"Filling the store: {done:,} of {whole:,} documents"


def evidence(hit: Hit) -> str:
    """Return why a hit was found: the path to it, or the nearest text."""
    if len(hit.path) > 1:
        return " → ".join(hit.path)
    return "named in the query, or nearest to it" if hit.path else hit.text


def _origin(reply: StoreReply) -> str:
    """Return the responder for a store, and its search method."""
    way = ASKS[reply.way]
    if reply.answer is not None and not reply.answer.is_exact:
        way = f"{way}, approximately"
    return way if reply.by in {"", reply.store} else f"{reply.by} in its place, {way}"


def run_lines(run: StoreRun) -> list[str]:
    return [run_sentence(run), *table_lines(one.table for one in run_tables(run))]


def run_document(run: StoreRun) -> dict[str, Any]:
    """Make the document of a run: routed answer, and each store's hits, time and native query."""
    return {
        "hits": [_hit(hit) for hit in run.hits],
        "stores": [
            {
                "store": reply.store,
                "by": reply.by or None,
                "way": reply.way.value,
                "routed": reply.is_routed,
                "ms": None if reply.answer is None else reply.answer.ms,
                "exact": None if reply.answer is None else reply.answer.is_exact,
                "hits": None if reply.answer is None else [_hit(hit) for hit in reply.answer.hits],
                "query": None if reply.answer is None else reply.answer.statement,
                "fault": reply.fault or None,
            }
            for reply in run.replies
        ],
    }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        **fields_of(hit, "id", "name", "score"),
        "text": hit.text or None,
        "path": list(hit.path),
        "since": hit.since or None,
    }


# ---- Stores


def fill_question(name: str, setup: str) -> str:
    """Return the question before writing to a server, above the statements."""
    rows = f"Memories and powers that changed are written to {name}, and what is gone is deleted there."
    return f"{rows} These statements are run first:" if setup else rows


def states_lines(states: Iterable[StoreState]) -> list[str]:
    """Return a line per store, and one per server with its untested features."""
    lines = []
    for state in states:
        lines.append(f"{state.store:11} {state_sentence(state)}")
        if note := untested(state):
            lines.append(f"{'':11} {note}")
    return lines


UNTESTED: dict[str, str] = {
    "neo4j": "Not tested: a real Neo4j server (ArcadeDB stood for it, by Bolt), clusters, TLS.",
    "graphiti": "Not tested: clusters and TLS of FalkorDB, Graphiti on Neo4j, and what its LLM would make of texts.",
    "qdrant": "Not tested: a real Qdrant server (Qdrant's client in memory stood for it), clusters, TLS.",
    "redis": "Not tested: Redis itself (Valkey stood for it, on a socket), clusters, TLS.",
    "postgresql": "Not tested: TLS, poolers, replicas, versions before 18.",
}
"""Untested features of the server behind a store."""


def untested(state: StoreState) -> str:
    """Return the untested features of a connected server; "" without one."""
    return UNTESTED[state.store] if is_server(state) and state.store in UNTESTED else ""


def is_server(state: StoreState) -> bool:
    return state.by not in {"", STAND_IN}


def can_be_filled(state: StoreState) -> bool:
    """Check if the store can be filled; a cache fills itself."""
    return is_server(state) and state.store != SHARED_CACHE and not state.mapped


def can_be_mapped(state: StoreState) -> bool:
    """Check if existing documents can be read there."""
    return is_server(state) and state.store in MAPPED


def state_sentence(state: StoreState) -> str:
    """Return the state of a store: responder, content, or fault."""
    if state.fault:
        return state.fault
    if state.store == SHARED_CACHE:
        if not is_server(state):
            return "not connected; the answers of the LLM that are kept here stand alone"
        return f"keeps {quantity(state.held, 'answer')} of the LLM, in front of those that are kept here"
    if not is_server(state):
        return f"not connected; the {state.by} store answers in its place"
    if state.mapped:
        source = StoreMapping.of(state.mapped).source
        return f"reads {quantity(state.others, 'document')} of “{source}”, and writes nothing there"
    held = f"holds {quantity(state.held, 'document')}"
    late = f"; {plural(state.late, '{n} differs', '{n} differ')} from the library"
    told = held + (late if state.late else ", up to date")
    if state.is_unready:
        told = f"{told}; filling makes an index first"
    if not state.others:
        return told
    library, are = ("another library", "is") if state.others == 1 else ("other libraries", "are")
    return f"{told}; {state.others:,} of {library} beside them, which {are} left alone"


def stores_summary(states: Sequence[StoreState]) -> str:
    """Format the connected stores in a line, with their faults."""
    stores = [state for state in states if is_server(state) and state.store != SHARED_CACHE]
    names = ", ".join(state.store for state in stores if not state.fault)
    told = [f"{names} connected"] if names else []
    told += [f"{state.store}: {state.fault.rstrip('.')}" for state in states if state.fault]
    return "; ".join(told if stores else [ADVICE.rstrip("."), *told])


def states_document(states: Iterable[StoreState]) -> list[dict[str, Any]]:
    return [
        {
            **fields_of(one, "store", "by", "held", "late"),
            "untested": untested(one) or None,
            "others": one.others,
            "mapped": one.mapped or None,
            "fault": one.fault or None,
        }
        for one in states
    ]


# ---- Existing documents on a server


PART_WORDS: dict[str, str] = {
    "source": "Table, collection or label",
    "id": "Id",
    "name": "Name",
    "text": "Text",
    "vector": "Vectors",
    "since": "Valid from",
    "until": "Valid to",
    "fields": "Filters",
}
"""Display names of the parts of a mapping."""


def source_lines(store: str, sources: Sequence[Source]) -> list[str]:
    lines = []
    for source in sources:
        columns = (f"{name} ({kind})" if kind else name for name, kind in source.columns.items())
        lines += [f"{source.name}: {', '.join(columns)}", f"    {mapping_setting(store)}={suggested(source, store)}"]
    return lines or ["The server has no documents of others to read."]


def sources_document(store: str, sources: Sequence[Source]) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "columns": dict(one.columns), "suggested": str(suggested(one, store))} for one in sources
    ]


def mapping_setting(store: str) -> str:
    """Return the setting that selects a server's sources."""
    return f"route.{store}_mapping"


# --------------------------------------------------------------------------------------------------------------------
# Evaluation of the stores


def store_evaluation_sentence(found: StoreEvaluation) -> str:
    """Return the progress, or the accuracy of the routed answer and the best possible one."""
    done = found.done
    if done < found.whole:
        return f"Judging: {numbers.count(done)} of {numbers.count(found.whole)}"
    first, among, anywhere = (numbers.percent(n, done) for n in (found.first, found.among, found.anywhere))
    said = [
        plural(done, "{n} labelled query.", "{n} labelled queries."),
        f"Routed answer: right first in {first}, among its hits in {among}; any store had it in {anywhere}.",
    ]
    if found.strange:
        said.append(f"{plural(found.strange, '{n} expects', '{n} expect')} nothing that is taught here.")
    return " ".join(said)


def store_evaluation_table(found: StoreEvaluation) -> Table:
    """Make the table of each store's accuracy, times and recall."""
    rows = []
    for one in found.scores:
        times = [numbers.fixed(percentile(one.ms, share)) if one.ms else numbers.ABSENT for share in (50, 95)]
        shares = [numbers.percent(count, found.done) for count in (one.first, one.among)]
        recall = numbers.ABSENT if one.recall is None else numbers.fixed(one.recall)
        cells = (numbers.count(one.routed), *shares, *times, recall, numbers.count(one.faults))
        rows.append(Row(one.store, cells, aside=f"answered by {one.by}"))
    heads = ("Routed", "Right first", "Among hits", "P50, ms", "P95, ms", "Recall", "Failed")
    return Table("Store", heads, tuple(rows), is_even=True)


def store_evaluation_lines(found: StoreEvaluation) -> list[str]:
    return [store_evaluation_sentence(found), *table_lines([store_evaluation_table(found)])]


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
