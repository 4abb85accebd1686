"""Tests of the exact texts on stores' answers: columns, marks, evidence, waiting, failures."""

from __future__ import annotations

from dataclasses import replace

from app.display.routing.stores import (
    can_be_filled,
    run_document,
    run_lines,
    run_sentence,
    run_tables,
    source_lines,
    state_sentence,
    states_lines,
    stores_summary,
    untested,
)
from app.domain.datastore import WAYS, Hit, Source, StoreAnswer
from app.domain.route import RouteIntent
from app.domain.scope.resolution import RouteDecision
from app.services.routing.stores import StoreReply, StoreRun, StoreState
from app.settings.sections import STORE_ADDRESSES

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


def test_that_a_run_says_how_far_it_is_and_what_it_came_to() -> None:
    begun = StoreRun("q", DECISION, (500, 1200), waiting=("neo4j", "qdrant"))
    assert run_sentence(begun) == "Filling the store: 500 of 1,200 documents"
    assert run_sentence(replace(begun, filled=(1200, 1200))) == "Asking neo4j, qdrant"
    assert run_sentence(StoreRun("", DECISION)) == ""
    assert run_sentence(RUN) == "2 hits of neo4j"
    both = replace(RUN, replies=(GRAPH, replace(NONE, is_routed=True)), hits=(SIGNING,))
    assert run_sentence(both) == "1 hit of neo4j, graphiti, fused by reciprocal rank"
    gone = replace(GONE, is_routed=True)
    assert run_sentence(replace(RUN, replies=(GRAPH, gone))) == "2 hits of neo4j; no answer of postgresql"
    assert run_sentence(replace(RUN, replies=(gone, NONE), hits=())) == "No answer of postgresql"


def test_that_answers_are_compared_and_each_has_its_evidence() -> None:
    assert (
        "\n".join(["", *run_lines(RUN)])
        == """
2 hits of neo4j
Place in each store  neo4j  graphiti  qdrant
  signing                1         –       –
  red                    2         –       1
  The hits of the routed answer come first.
neo4j, routed: embedded in its place, along links, 1.250 ms  Score
  1. signing                                                 1.000  named in the query, or nearest to it
  2. red                                                     0.333  signing → tag:build → red
graphiti: embedded in its place, along links at a time, 2.000 ms
  Nothing found.
qdrant: by meaning, approximately, 0.500 ms  Score
  1. red                                     0.333  is red
postgresql: by fields, words and meaning
  The server is gone."""
    )


def test_that_several_routed_stores_have_one_answer_and_waiting_ones_a_place() -> None:
    routed = replace(
        RUN, decision=replace(DECISION, databases=("neo4j", "qdrant")), replies=(GRAPH,), waiting=("qdrant",)
    )
    shown = run_tables(routed)
    assert [one.table.title.partition(":")[0] for one in shown] == [
        "Answer, fused by reciprocal rank",
        "neo4j, routed",
        "qdrant",
    ]
    assert (shown[1].statement, shown[2].table.remark) == ("SELECT 1", "waiting")


def test_that_a_stores_state_tells_what_it_lacks_and_who_else_is_there() -> None:
    held = StoreState("postgresql", "postgresql", 3, others=1)
    told = "holds 3 documents, up to date; 1 of another library beside them, which is left alone"
    assert state_sentence(held) == told
    told = "holds 3 documents; 2 differ from the library; 5 of other libraries beside them, which are left alone"
    assert state_sentence(replace(held, late=2, others=5)) == told
    assert state_sentence(replace(held, others=0)) == "holds 3 documents, up to date"
    assert state_sentence(replace(held, fault="Gone.")) == "Gone."
    told = "holds 3 documents, up to date; filling makes an index first"
    assert state_sentence(replace(held, others=0, is_unready=True)) == told
    theirs = replace(held, others=2, mapped="docs; id=id; text=body")
    assert state_sentence(theirs) == "reads 2 documents of “docs”, and writes nothing there"
    assert [can_be_filled(each) for each in (held, theirs)] == [True, False]
    assert source_lines("postgresql", [Source("docs", {"id": "int", "body": "text", "vec": "vector(3)"})]) == [
        "docs: id (int), body (text), vec (vector(3))",
        "    route.postgresql_mapping=docs; id=id; text=body; vector=vec",
    ]


def test_that_each_server_says_what_was_never_tried() -> None:
    servers = [StoreState(name, name) for name in WAYS]
    assert all(untested(each).startswith("Not tested: ") for each in servers if each.store in STORE_ADDRESSES)
    assert untested(StoreState("qdrant", "embedded")) == ""
    lines = states_lines([StoreState("qdrant", "qdrant", 3), StoreState("neo4j", "embedded")])
    assert [line[:24] for line in lines] == [
        "qdrant      holds 3 docu",
        "            Not tested: ",
        "neo4j       not connecte",
    ]


def test_that_a_server_with_a_fault_is_not_called_connected() -> None:
    up, gone = StoreState("qdrant", "qdrant", 3), StoreState("neo4j", "neo4j", fault="Nobody answers.")
    none = "none connected; the embedded store answers in their place"
    assert stores_summary([StoreState("qdrant", "embedded")]) == none
    assert stores_summary([up, gone]) == "qdrant connected; neo4j: Nobody answers"
    assert stores_summary([gone]) == "neo4j: Nobody answers"
    assert stores_summary([replace(gone, store="redis", by="redis")]) == f"{none}; redis: Nobody answers"


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
