"""Answers of data stores as columns, lines and documents: hits, evidence, times, queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers
from app.display.scope.timing import percentile
from app.domain.datastore import MAPPED, SHARED_CACHE, STAND_IN, Hit, Source, StoreMapping, suggested
from app.domain.documents import fields_of
from app.domain.language import plural
from app.domain.route import RouteIntent
from app.services.routing.store_evaluation import StoreEvaluation, StoreScore
from app.services.routing.stores import StoreReply, StoreRun, StoreState

ASKS: dict[RouteIntent, str] = {
    RouteIntent.GRAPH: "along links",
    RouteIntent.TEMPORAL: "along links at a time",
    RouteIntent.VECTOR: "by meaning",
    RouteIntent.HYBRID: "by fields, words and meaning",
}
"""Search method of each store, in words."""

WAITING = "waiting"
NOTHING_FOUND = "Nothing found."


@dataclass(frozen=True, slots=True)
class HitView:
    """Displayed hit: rank, name, score, evidence, and if it is in the routed answer."""

    place: str
    name: str
    score: str
    evidence: str
    is_answer: bool


@dataclass(frozen=True, slots=True)
class StoreColumn:
    """One store's answer: name, responder, search method, time, and hits."""

    store: str
    by: str
    way: str
    ms: str
    is_routed: bool
    hits: tuple[HitView, ...] = ()
    note: str = ""
    """Text shown without hits."""
    statement: str = ""


@dataclass(frozen=True, slots=True)
class StoreRunView:
    """Displayed run: heading, routed answer, then one column per store."""

    sentence: str
    answer: tuple[HitView, ...]
    columns: tuple[StoreColumn, ...]


def store_run_view(run: StoreRun) -> StoreRunView:
    """Make the columns of a run, in the order of stores; pending stores are marked."""
    answer = {hit.id for hit in run.hits}
    columns = {reply.store: _column(reply, answer) for reply in run.replies}
    for name in run.waiting:
        columns[name] = StoreColumn(name, "", "", "", name in run.decision.databases, note=WAITING)
    return StoreRunView(
        run_sentence(run), tuple(_shown(n, hit, answer) for n, hit in enumerate(run.hits, 1)), tuple(columns.values())
    )


def side_by_side(shown: StoreRunView) -> tuple[StoreColumn, ...]:
    """Return the stores' columns, after the merged answer if several stores were routed."""
    if sum(column.is_routed for column in shown.columns) < 2:
        return shown.columns
    note = "" if shown.answer else NOTHING_FOUND
    return (StoreColumn("Answer", "", "fused by reciprocal rank", "", True, shown.answer, note), *shown.columns)


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
    found, stores = plural(len(run.hits), "{n} hit", "{n} hits"), ", ".join(routed)
    if len(routed) > 1:
        told = f"{found} of {stores}, fused by reciprocal rank"
    else:
        told = f"{found} of {stores}"
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


def _column(reply: StoreReply, answer: set[str]) -> StoreColumn:
    found = reply.answer
    way = ASKS[reply.way]
    if found is None:
        return StoreColumn(reply.store, reply.by, way, "", reply.is_routed, note=reply.fault)
    if not found.is_exact:
        way = f"{way}, approximately"
    return StoreColumn(
        reply.store,
        reply.by,
        way,
        numbers.fixed(found.ms),
        reply.is_routed,
        tuple(_shown(n, hit, answer) for n, hit in enumerate(found.hits, 1)),
        "" if found.hits else NOTHING_FOUND,
        found.statement,
    )


def _shown(place: int, hit: Hit, answer: set[str]) -> HitView:
    return HitView(str(place), hit.name, numbers.fixed(hit.score), evidence(hit), hit.id in answer)


def origin_sentence(column: StoreColumn) -> str:
    """Return the responder for a store, and its search method."""
    if not column.by:
        return column.way
    return f"{column.by} in its place, {column.way}" if column.by != column.store else column.way


def run_lines(run: StoreRun) -> list[str]:
    """Format a run for the terminal: the routed answer, then each store with marked hits."""
    shown = store_run_view(run)
    lines = [shown.sentence]
    lines += [f"  {hit.place:>2}  {hit.score}  {hit.name}" for hit in shown.answer]
    if any(hit.is_answer for column in shown.columns for hit in column.hits):
        lines.append("With *: among the hits of the answer above.")
    for column in shown.columns:
        by = origin_sentence(column)
        timed = f"{column.store}: {by}, {column.ms} ms"
        lines.append(timed if column.ms else f"{column.store}: {by}")
        lines += [
            f"{'*' if hit.is_answer else ' ':>2} {hit.place:>2}  {hit.score}  {hit.name}  ({hit.evidence})"
            for hit in column.hits
        ]
        lines += [f"    {column.note}"] if column.note else []
    return lines


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
    """Check if a server is configured for this store."""
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
        return _cache_sentence(state)
    if not is_server(state):
        return f"not connected; the {state.by} store answers in its place"
    if state.mapped:
        return plural(
            state.others,
            "reads {n} document of “{source}”, and writes nothing there",
            "reads {n} documents of “{source}”, and writes nothing there",
            source=StoreMapping.of(state.mapped).source,
        )
    held = plural(state.held, "holds {n} document", "holds {n} documents")
    if state.late:
        told = plural(
            state.late, "{held}; {n} differs from the library", "{held}; {n} differ from the library", held=held
        )
    else:
        told = f"{held}, up to date"
    if state.is_unready:
        told = f"{told}; filling makes an index first"
    if not state.others:
        return told
    return plural(
        state.others,
        "{told}; {n} of another library beside them, which is left alone",
        "{told}; {n} of other libraries beside them, which are left alone",
        told=told,
    )


def stores_summary(states: Sequence[StoreState]) -> str:
    """Format the connected stores in a line, with their faults."""
    stores = [state for state in states if is_server(state) and state.store != SHARED_CACHE]
    names = ", ".join(state.store for state in stores if not state.fault)
    told = [f"{names} connected"] if names else []
    told += [f"{state.store}: {state.fault.rstrip('.')}" for state in states if state.fault]
    return "; ".join(told if stores else ["none connected; the embedded store answers in their place", *told])


def _cache_sentence(state: StoreState) -> str:
    if not is_server(state):
        return "not connected; the answers of the LLM that are kept here stand alone"
    return plural(
        state.held,
        "keeps {n} answer of the LLM, in front of those that are kept here",
        "keeps {n} answers of the LLM, in front of those that are kept here",
    )


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
    """Format each source with its columns, and the setting that reads it, for the terminal."""
    lines = []
    for source in sources:
        columns = (f"{name} ({kind})" if kind else name for name, kind in source.columns.items())
        lines += [f"{source.name}: {', '.join(columns)}", f"    {mapping_setting(store)}={suggested(source, store)}"]
    return lines or ["The server has no documents of others to read."]


def sources_document(store: str, sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Make the document of a server's sources."""
    return [
        {"name": one.name, "columns": dict(one.columns), "suggested": str(suggested(one, store))} for one in sources
    ]


def mapping_setting(store: str) -> str:
    """Return the setting that selects a server's sources."""
    return f"route.{store}_mapping"


# --------------------------------------------------------------------------------------------------------------------
# Evaluation of the stores


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
    return StoreRunView(sentence, (), (answer, *(_score_column(one, done) for one in found.scores)) if done else ())


def _right(first: int, among: int, done: int) -> str:
    return f"Right first in {numbers.percent(first, done)}, among its hits in {numbers.percent(among, done)}."


def _score_column(one: StoreScore, done: int) -> StoreColumn:
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
