"""Tests of the exact texts on stores' answers: columns, marks, evidence, waiting, failures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.display.routing.stores import (
    can_be_filled,
    run_document,
    run_lines,
    run_sentence,
    source_lines,
    state_sentence,
    states_lines,
    stores_summary,
    untested,
)
from app.domain.datastore import WAYS, Hit, Source, StoreAnswer
from app.domain.route import RouteIntent
from app.domain.scope.inspection import RouteDecision
from app.services.routing.stores import StoreReply, StoreRun, StoreState
from app.settings.sections import STORE_ADDRESSES

GOLDEN = Path(__file__).with_name("stores.txt")
"""Text of runs and states; write it again with `GOLDEN.write_text(read())`, and review the difference."""

DECISION = RouteDecision("graph_traversal", ("neo4j",), 0.95, "rule", 0.95, "A rule.")
SIGNING = Hit("memory:signing", "signing", 1.0, "signing fails", ("signing",), "2026-01-01 00:00:00")
RED = Hit("memory:red", "red", 1 / 3, "", ("signing", "tag:build", "red"))
GRAPH = StoreReply("neo4j", "embedded", RouteIntent.GRAPH, True, StoreAnswer((SIGNING, RED), 1.25, "SELECT 1"))
VECTOR = StoreReply(
    "qdrant", "qdrant", RouteIntent.VECTOR, False, StoreAnswer((replace(RED, path=(), text="is red"),), 0.5, "V", False)
)
GONE = StoreReply("postgresql", "", RouteIntent.HYBRID, False, fault="The server is gone.")
NONE = StoreReply("graphiti", "embedded", RouteIntent.TEMPORAL, False, StoreAnswer((), 2.0, "T"))
RUN = StoreRun("q", DECISION, replies=(GRAPH, NONE, VECTOR, GONE), hits=(SIGNING, RED))
HELD = StoreState("postgresql", "postgresql", 3, others=1)
MAPPED = replace(HELD, others=2, mapped="docs; id=id; text=body")


def read() -> str:
    begun = StoreRun("q", DECISION, (500, 1200), waiting=("neo4j", "qdrant"))
    gone = replace(GONE, is_routed=True)
    runs = (
        begun,
        replace(begun, filled=(1200, 1200)),
        StoreRun("", DECISION),
        replace(RUN, replies=(GRAPH, replace(NONE, is_routed=True)), hits=(SIGNING,)),
        replace(RUN, replies=(GRAPH, gone)),
        replace(RUN, replies=(gone, NONE), hits=()),
    )
    states = (
        HELD,
        replace(HELD, late=2, others=5),
        replace(HELD, others=0),
        replace(HELD, fault="Gone."),
        replace(HELD, others=0, is_unready=True),
        MAPPED,
    )
    up, lost = StoreState("qdrant", "qdrant", 3), StoreState("neo4j", "neo4j", fault="Nobody answers.")
    embedded = StoreState("qdrant", "embedded")
    several = ([embedded], [up, lost], [lost], [replace(lost, store="redis", by="redis")])
    lines = (
        *map(run_sentence, runs),
        *run_lines(RUN),
        *map(state_sentence, states),
        *source_lines("postgresql", [Source("docs", {"id": "int", "body": "text", "vec": "vector(3)"})]),
        *states_lines([up, StoreState("neo4j", "embedded")]),
        *map(stores_summary, several),
    )
    return "\n".join(lines) + "\n"


def test_that_runs_and_states_of_stores_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    assert [can_be_filled(each) for each in (HELD, MAPPED)] == [True, False]


def test_that_each_server_says_what_was_never_tried() -> None:
    servers = [StoreState(name, name) for name in WAYS]
    assert all(untested(each).startswith("Not tested: ") for each in servers if each.store in STORE_ADDRESSES)
    assert untested(StoreState("qdrant", "embedded")) == ""


def test_that_the_document_has_everything() -> None:
    found = run_document(RUN)
    assert [one["id"] for one in found["hits"]] == ["memory:signing", "memory:red"]
    assert found["stores"][0] == {
        "store": "neo4j",
        "by": "embedded",
        "way": "graph_traversal",
        "routed": True,
        "ms": 1.25,
        "exact": True,
        "hits": found["hits"],
        "query": "SELECT 1",
        "fault": None,
    }
    assert found["hits"][1] == {
        "id": "memory:red",
        "name": "red",
        "score": 1 / 3,
        "text": None,
        "path": ["signing", "tag:build", "red"],
        "since": None,
    }
    assert found["stores"][3]["hits"] is None
    assert found["stores"][3]["fault"] == "The server is gone."
