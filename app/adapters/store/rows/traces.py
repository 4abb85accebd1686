"""The traces of past queries, compressed."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import orjson
from sqlalchemy import Connection

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
"""What traces look like, for zlib to refer to; it can never be changed, as kept traces refer to it."""


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
    press = zlib.compressobj(zdict=SAMPLE)
    return press.compress(orjson.dumps(trace)) + press.flush()


def unpacked(document: bytes) -> Any:
    return orjson.loads(zlib.decompressobj(zdict=SAMPLE).decompress(document))
