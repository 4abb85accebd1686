"""The traces of past queries, compressed."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection

import app
from app.adapters.store.chunks import array
from app.domain.history import PastQuery

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
"""What the first traces refer to; it can never be changed, as kept ones do."""

SHAPES_FILE = Path(app.__file__).parents[1] / "resources" / "traces" / "sample-2.txt"
SHAPES_NUMBER = bytes.fromhex("db8102d0")
"""The texts of the shipped route examples, then what traces look like: zlib refers to it instead of repeating it, and
writes its number into the document, where the NUMBERED bytes are. It can never be changed either: a third one would be
another file with another number."""

NUMBERED = slice(2, 6)


def put(connection: Connection, queries: Mapping[int, PastQuery]) -> None:
    """What each was answered with last is its trace; one that has none now keeps none."""
    kept = [
        (key, query.trace_version, _packed(query.trace)) for key, query in queries.items() if query.trace is not None
    ]
    bare = array(key for key, query in queries.items() if query.trace is None)
    connection.exec_driver_sql("DELETE FROM traces WHERE query_id IN (SELECT value FROM json_each(?))", (bare,))
    if kept:
        connection.exec_driver_sql("INSERT OR REPLACE INTO traces (query_id, version, document) VALUES (?, ?, ?)", kept)


def _packed(trace: Mapping[str, Any]) -> bytes:
    return _pressed(orjson.dumps(trace))


def unpacked(document: bytes) -> Any:
    """The trace of a query; None where it is damaged, as where none was kept."""
    try:
        return orjson.loads(_unpressed(document))
    except (zlib.error, ValueError, TypeError):
        return None


def press_anew(connection: Connection, after: int, most: int) -> int | None:
    """Press the next traces after this query that still refer to the first sample, so many at most; the query to go on
    after, None where there are no more. What cannot be read stays as it is."""
    old = connection.exec_driver_sql(
        f"SELECT query_id, document FROM traces WHERE query_id > ? AND substr(document, {NUMBERED.start + 1}, "
        f"{NUMBERED.stop - NUMBERED.start}) != ? ORDER BY query_id LIMIT ?",
        (after, SHAPES_NUMBER, most),
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
