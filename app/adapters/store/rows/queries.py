"""Rows of past queries for search and sorting, with decisions and compressed traces."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection, text

import app
from app.adapters.store.connections import KEYS_AT_ONCE, array, chunks, keyed
from app.adapters.store.damage import decoding, expect, halved
from app.adapters.store.entries import drop_undone
from app.adapters.store.journal import STEP_COLUMNS, step_of
from app.adapters.store.rows import usage
from app.domain.documents import fields_of
from app.domain.history import Doubt, HistoryCounts, HistoryEntry, HistoryFilter, HistoryOrder, Judgement, Source
from app.domain.journal import Edit, Step, Written
from app.domain.match import without_lone_surrogates as clean
from db.schema import digest

IN_FORCE = (
    "(SELECT d.decision FROM decisions d WHERE d.query_id = q.id "
    "AND d.step_id NOT IN (SELECT id FROM steps WHERE undone > 0) ORDER BY d.step_id DESC LIMIT 1)"
)
"""SQL of the latest decision in force; NULL without one."""

IN_DOUBT = f"q.doubts != '' AND q.text IS NOT NULL AND {IN_FORCE} IS NULL"
SETTLED = (
    "q.doubts IN ('weak', 'weak tied') AND q.text IN (SELECT c.text FROM cases c "
    "WHERE c.task IN ('memory', 'intent', 'power') GROUP BY 1 HAVING max(c.expected || c.unwanted != '[][]') = 0)"
)
"""SQL condition for an undelivered query whose cases expect no answer, so that they pass."""

WAITS = (
    f"{IN_DOUBT} AND NOT ({SETTLED}) AND NOT EXISTS (SELECT 1 FROM queries o WHERE o.digest = q.digest "
    f"AND o.id != q.id AND (o.at, o.id) > (q.at, q.id) AND {IN_DOUBT.replace('q.', 'o.')})"
)
"""SQL condition for the inbox: no settled query, and of a text from several sources only the latest."""

COLUMNS = (
    "q.id, q.digest, q.at, q.source, q.text, q.type, q.confidence, q.kind, q.answer, q.answer_confidence, q.status, "
    f"q.settled_ms, q.doubts, {IN_FORCE}, q.times, (SELECT count(DISTINCT i.memory_id) FROM injections i "
    "WHERE i.query_id = q.id AND i.at = q.at AND i.cut IS NULL)"
)

WIDTH = 16  # columns in COLUMNS

ORDERS: Mapping[HistoryOrder, str] = {
    HistoryOrder.AT: "q.at",
    HistoryOrder.TEXT: "q.sought",
    HistoryOrder.TYPE: "q.type",
    HistoryOrder.CONFIDENCE: "q.confidence",
    HistoryOrder.ANSWER: "q.answer COLLATE NOCASE",
    HistoryOrder.ANSWER_CONFIDENCE: "q.answer_confidence",
    HistoryOrder.SETTLED: "q.settled_ms",
}

ALWAYS_THERE = frozenset({HistoryOrder.AT, HistoryOrder.CONFIDENCE, HistoryOrder.ANSWER_CONFIDENCE})

VALUES = (
    "digest source text sought at times type confidence kind answer answer_confidence status settled_ms doubts".split()
)

LATEST = ("text", "sought", "at", "type", "confidence", "kind", "answer", "answer_confidence", "status", "settled_ms")

NOTE = (
    f"INSERT INTO queries ({', '.join(VALUES)}) VALUES ({', '.join(f':{name}' for name in VALUES)}) "
    "ON CONFLICT (digest, source) DO UPDATE SET "
    "times = times + excluded.times, doubts = excluded.doubts, "
    f"{', '.join(f'{name} = excluded.{name}' for name in LATEST)}"
)

WRITTEN_AT_ONCE = 500


def note(connection: Connection, queries: Iterable[HistoryEntry]) -> list[int]:
    """Store queries with traces, replacing earlier ones; return their keys, in order."""
    keys: list[int] = []
    for chunk in chunks(queries, WRITTEN_AT_ONCE):
        rows = [_row(connection, query) for query in chunk]
        connection.execute(text(NOTE), rows)
        held = _keys_of(connection, [row["digest"] for row in rows])
        mine = [held[row["digest"], row["source"]] for row in rows]
        put(connection, dict(zip(mine, chunk, strict=True)))
        usage.add_accesses(connection, zip(mine, chunk, strict=True))
        keys += mine
    return keys


def find(
    connection: Connection, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, descending: bool = False
) -> list[int]:
    """Return the keys of matching queries, in order; missing values last in both directions."""
    conditions, values = _conditions(wanted)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    way = "DESC" if descending else "ASC"
    nulls = "" if order in ALWAYS_THERE else " NULLS LAST"
    rows = connection.exec_driver_sql(
        f"SELECT q.id FROM queries q {where} ORDER BY {ORDERS[order]} {way}{nulls}, q.id {way}", tuple(values)
    )
    return [key for (key,) in rows]


def by_key(connection: Connection, keys: Sequence[int]) -> tuple[list[HistoryEntry], list[int]]:
    """Return the queries of these keys in order, without traces, and the damaged keys."""
    return _read(connection, keys, f"{COLUMNS} FROM queries q")


def traced(connection: Connection, keys: Sequence[int]) -> tuple[list[HistoryEntry], list[int]]:
    """Return the queries of these keys with traces, and the damaged keys."""
    return _read(
        connection, keys, f"{COLUMNS}, t.version, t.document FROM queries q LEFT JOIN traces t ON t.query_id = q.id"
    )


def _read(connection: Connection, keys: Sequence[int], columns: str) -> tuple[list[HistoryEntry], list[int]]:
    found: dict[int | None, HistoryEntry] = {}
    damaged: list[int] = []

    def read(some: Sequence[int] | None) -> list[HistoryEntry]:
        wanted = array(chunk if some is None else some)
        with decoding("queries"):
            rows = connection.exec_driver_sql(
                f"SELECT {columns} WHERE q.id IN (SELECT value FROM json_each(?))", (wanted,)
            )
            return [_query(row[:WIDTH], *row[WIDTH:]) for row in rows]

    for chunk in chunks(keys, KEYS_AT_ONCE):
        some, bad = halved(read, lambda: chunk)  # noqa: B023 - called before the next chunk
        found |= {query.key: query for query in some}
        damaged += bad
    return [found[key] for key in keys if key in found], damaged


def of_texts(connection: Connection, texts: Iterable[str]) -> list[int]:
    """Return the keys of the queries with one of these texts, from any source."""
    return sorted(_keys_of(connection, [keyed(connection, digest(clean(each))) for each in texts]).values())


def decide(connection: Connection, edit: Edit | int, keys: Iterable[int], decision: Judgement) -> Written | None:
    """Decide queries in a new step or a step in force; None if none is stored."""
    there = [query.key for query in by_key(connection, list(keys))[0]]
    if not there:
        return None
    step = _step(connection, edit, len(there))
    if step is None:
        return None
    for chunk in chunks((key for key in there if key is not None), KEYS_AT_ONCE):
        connection.exec_driver_sql(
            "INSERT OR REPLACE INTO decisions (decision, step_id, query_id) SELECT ?, ?, value FROM json_each(?)",
            (decision.value, step.id, array(chunk)),
        )
    return Written(step)


def add_doubts(connection: Connection, key: int, doubts: Iterable[Doubt]) -> None:
    """Add doubts to a query, if it is stored."""
    held = connection.exec_driver_sql("SELECT doubts FROM queries WHERE id = ?", (key,)).scalar()
    if held is not None:
        together = {*_doubts(held), *doubts}
        connection.exec_driver_sql("UPDATE queries SET doubts = ? WHERE id = ?", (_words(together), key))


def count(connection: Connection) -> HistoryCounts:
    """Count the stored queries, those in the inbox, and by doubt."""
    kept = connection.exec_driver_sql("SELECT count(*) FROM queries").scalar_one()
    waiting, by_doubt = 0, dict.fromkeys(Doubt, 0)
    rows = f"SELECT CAST(q.doubts AS BLOB), count(*) FROM queries q WHERE {WAITS} GROUP BY 1"
    for words, n in connection.exec_driver_sql(rows):
        waiting += n
        for doubt in set(Doubt).intersection(words.decode(errors="replace").split()):  # damaged doubts are ignored
            by_doubt[Doubt(doubt)] += n
    return HistoryCounts(kept, waiting, by_doubt)


# ---- Rows


def _row(connection: Connection, query: HistoryEntry) -> dict[str, Any]:
    asked = None if query.text is None else clean(query.text)
    assert asked is not None or query.digest, "what has no text is known by its digest"
    return {
        "digest": keyed(connection, query.digest if asked is None else digest(asked)),
        "source": query.source.value,
        "text": asked,
        "sought": None if asked is None else asked.casefold(),
        **fields_of(query, "at", "times", "type", "confidence", "kind", "answer_confidence", "status", "settled_ms"),
        "answer": None if query.answer is None else clean(query.answer),
        "doubts": _words(query.doubts),
    }


def _keys_of(connection: Connection, digests: Iterable[bytes]) -> dict[tuple[bytes, str], int]:
    """Return the keys of the queries with one of these digests, by digest and source."""
    found: dict[tuple[bytes, str], int] = {}
    for chunk in chunks(digests):
        marks = ", ".join("?" * len(chunk))
        rows = connection.exec_driver_sql(
            f"SELECT digest, source, id FROM queries WHERE digest IN ({marks})", tuple(chunk)
        )
        found |= {(mark, source): key for mark, source, key in rows}
    return found


def _query(row: Sequence[Any], version: int | None = None, document: bytes | None = None) -> HistoryEntry:
    key, mark, at, source, asked, type_, confidence, kind, answer, answer_confidence, status, settled = row[:12]
    doubts, decision, times, injected = row[12:]
    expect((asked, type_, kind, answer, status), (confidence, answer_confidence, settled, times, version))
    if None in (confidence, answer_confidence, times) or not isinstance(mark, bytes):
        raise TypeError(key)
    query = HistoryEntry(
        at=str(at)[:19],
        source=Source(source),
        text=asked,
        type=type_,
        confidence=confidence,
        kind=kind,
        answer=answer,
        answer_confidence=answer_confidence,
        status=status,
        settled_ms=settled,
        doubts=_doubts(doubts),
        decision=None if decision is None else Judgement(decision),
        times=times,
        injected=injected,
        trace=None if document is None else unpacked(document),
        key=key,
        digest=mark,
    )
    return query if version is None else replace(query, trace_version=version)


def _words(doubts: Iterable[Doubt]) -> str:
    held = set(doubts)
    return " ".join(doubt.value for doubt in Doubt if doubt in held)


def _doubts(words: str) -> tuple[Doubt, ...]:
    return tuple(Doubt(word) for word in words.split())


# ---- Conditions


def _conditions(wanted: HistoryFilter) -> tuple[list[str], list[Any]]:
    conditions: list[str] = []
    values: list[Any] = []
    for word in clean(wanted.words).casefold().split():
        conditions.append("instr(q.sought, ?) > 0")
        values.append(word)
    for column, allowed in (
        ("q.source", [source.value for source in wanted.sources]),
        (IN_FORCE, [decision.value for decision in wanted.decisions]),
        ("coalesce(q.type, '')", list(wanted.types)),
    ):
        if allowed:
            conditions.append(f"{column} IN ({', '.join('?' * len(allowed))})")
            values += allowed
    if wanted.doubts:
        conditions.append(f"({' OR '.join(['instr(q.doubts, ?) > 0'] * len(wanted.doubts))})")
        values += [doubt.value for doubt in wanted.doubts]
    if wanted.waiting:
        conditions.append(WAITS)
    if wanted.since:
        conditions.append("q.at >= ?")
        values.append(wanted.since)
    return conditions, values


def _step(connection: Connection, edit: Edit | int, number: int) -> Step | None:
    """Return the step of this number, if in force, or a new one."""
    if isinstance(edit, int):
        where, values = "s.id = ? AND s.undone = 0", (edit,)
    else:
        drop_undone(connection, shared=False)
        made = connection.exec_driver_sql(
            "INSERT INTO steps (verb, subject, count, source) VALUES (?, ?, ?, ?) RETURNING id",
            (edit.verb, edit.subject, number, edit.source),
        ).scalar_one()
        where, values = "s.id = ?", (made,)
    row = connection.exec_driver_sql(f"SELECT {STEP_COLUMNS} FROM steps s WHERE {where}", values).first()
    return None if row is None else step_of(row)


# ---- Traces of past queries, compressed.


SAMPLE = (
    b'[{"id":"troubleshoot.","label":"comparison","span":[0,1],"text":"explanation","evidence":1.0,"held_back":false}],'
    b'"merge":[{"step":"confidence","operation":"sum","operands":{"base":0.5},"result":0.6}],"llm":{"outcome":"off",'
    b'"mode":null,"ms":null,"late":null,"distribution":null,"answer":null,"sentence":"","model":"","budget_ms":0.0,'
    b'"pause_ms":0.0,"would_be":null,"detail":null}},"absent":{},"combination":{"memory":"balanced","power":"balanced"},'
    b'"counts":{"memory":0,"power":0,"trigger":0},"notes":[],"settings":{},"floor":{"type":"howto","confidence":0.6},'
    b'"first_key":1,"stages":[{"name":"keywords","ms":0.0,"outcome":"ok","start_ms":0.0},{"name":"lexical","ms":0.0,'
    b'"name":"embed query","name":"semantic","name":"combine","name":"resolve","name":"route",'
    b'"resolution":{"status":"weak_matches","matches":[],"message":"Found weak matches. Please clarify or rephrase."},'
    b'"route":{"intent":"","databases":[],"confidence":0.0,"method":"rule","rule_confidence":0.0,"reasoning":""},'
    b'{"intent":{"type":"location","confidence":0.0,"source":"hybrid","keywords":[],"topics":[]},"matches":['
    b'"best_trigger":{"fuzzy":"","token_overlap":"","semantic":"","keyword":""},"arithmetic":[{"step":"mean",'
    b'"operation":"mean","operands":{"semantic":0.5,"centroid":0.5},"result":0.5},{"step":"confidence","operation":"max",'
    b'"operands":{"exact":0.0,"mean":0.5},"result":0.5}]},{"kind":"power","id":"","name":"","confidence":0.5,'
    b'"tier":"not_found","tier":"multiple_matches","winner":["keyword"],"kind":"memory","band":"high","band":"medium",'
    b'"band":"low","band":"fallback","winner":["semantic","centroid"],"trigger":"","scores":{"exact":0.0,"fuzzy":0.0,'
    b'"token_overlap":0.0,"semantic":0.0,"centroid":0.0,"keyword":null},"lead":0.0,"intent":null},'
)
"""Compression dictionary of the first traces; it must never change."""

SHAPES_FILE = Path(app.__file__).parents[1] / "resources" / "traces" / "sample-2.txt"
SHAPES_NUMBER = bytes.fromhex("db8102d0")
"""Number of the second compression dictionary, which zlib writes at NUMBERED.

The dictionary holds the texts of the shipped route examples and sample traces. It must never change: a third one
needs another file and number.
"""

NUMBERED = slice(2, 6)


def put(connection: Connection, queries: Mapping[int, HistoryEntry]) -> None:
    """Store each query's latest trace; delete that of a query without one."""
    kept = [
        (key, query.trace_version, _pressed(orjson.dumps(query.trace)))
        for key, query in queries.items()
        if query.trace is not None
    ]
    bare = array(key for key, query in queries.items() if query.trace is None)
    connection.exec_driver_sql("DELETE FROM traces WHERE query_id IN (SELECT value FROM json_each(?))", (bare,))
    if kept:
        connection.exec_driver_sql("INSERT OR REPLACE INTO traces (query_id, version, document) VALUES (?, ?, ?)", kept)


def unpacked(document: bytes) -> Any:
    """Decompress the trace of a query; None if damaged."""
    try:
        return orjson.loads(_unpressed(document))
    except (zlib.error, ValueError, TypeError):
        return None


PRESSED_AT_ONCE = 200
"""Number of traces recompressed per transaction, about a tenth of a second."""


def compress_traces(connection: Connection, after: int = 0) -> int | None:
    """Recompress up to PRESSED_AT_ONCE traces with the first dictionary, after this query.

    Returns the query to continue after, None at the end. Unreadable traces are unchanged.
    """
    old = connection.exec_driver_sql(
        f"SELECT query_id, document FROM traces WHERE query_id > ? AND substr(document, {NUMBERED.start + 1}, "
        f"{NUMBERED.stop - NUMBERED.start}) != ? ORDER BY query_id LIMIT ?",
        (after, SHAPES_NUMBER, PRESSED_AT_ONCE),
    ).all()
    anew: list[tuple[bytes, int]] = []
    for key, document in old:
        with suppress(zlib.error, TypeError):
            anew.append((_pressed(_unpressed(document)), key))
    if anew:
        connection.exec_driver_sql("UPDATE traces SET document = ? WHERE query_id = ?", anew)
    return old[-1][0] if old else None


def _pressed(content: bytes) -> bytes:
    press = zlib.compressobj(zdict=_shapes())
    return press.compress(content) + press.flush()


def _unpressed(document: bytes) -> bytes:
    return zlib.decompressobj(zdict=_shapes() if document[NUMBERED] == SHAPES_NUMBER else SAMPLE).decompress(document)


@cache
def _shapes() -> bytes:
    return SHAPES_FILE.read_bytes()
