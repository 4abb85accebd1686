"""Tests of stores on labelled queries: correctness of the routed store, and of the others."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from app.display.routing.stores import store_evaluation_lines, store_evaluation_sentence
from app.domain.case import Case, Task
from app.domain.datastore import Document
from app.domain.errors import DataStoreGoneError, FormatError
from app.domain.library import Line, Problem
from app.ports.datastore import StoreQuery
from app.services.routing.store_evaluation import StoreEvaluation, evaluate_stores, right_ids
from app.services.workbench import Workbench
from app.surfaces.cli.output import Printer
from app.surfaces.cli.routes import judge
from tests.build import some
from tests.unit.services.routing.test_stores import HYBRID_QUERY, RELATED, on_server

CASES = [
    Case(HYBRID_QUERY, ("signing",), Task.MEMORY),
    Case(RELATED, ("soup",), Task.MEMORY),
    Case("memories with the label fix-signing", ("fix-signing",), Task.INTENT),
    Case("memories with the tag ci", ("nobody",), Task.MEMORY),
]


async def last(bench: Workbench) -> StoreEvaluation:
    found = [step async for step in evaluate_stores(bench.stores, CASES)]
    assert [(step.done, step.whole) for step in found] == [(n, len(CASES)) for n in range(len(CASES) + 1)]
    return found[-1]


async def test_that_each_store_is_judged_beside_the_routed_answer() -> None:
    async with on_server() as (bench, _, _):
        async for _ in bench.stores.fill("postgresql"):
            pass
        found = await last(bench)
        assert (found.strange, found.among, found.anywhere) == (1, 3, 3)
        by_store = {one.store: one for one in found.scores}
        assert list(by_store) == ["neo4j", "graphiti", "qdrant", "postgresql"]
        assert sum(one.routed for one in found.scores) == len(CASES)
        assert all(list(one.ms) == sorted(one.ms) and len(one.ms) == len(CASES) for one in found.scores)
        assert (by_store["postgresql"].by, by_store["postgresql"].recall) == ("postgresql", 1.0)
        assert by_store["qdrant"].recall is None


async def test_that_a_failing_store_is_counted_and_lowers_its_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_server() as (bench, server, _):
        async for _ in bench.stores.fill("postgresql"):
            pass
        server.drop(["memory:ci-red"])
        recall = some((await last(bench)).scores[-1].recall)
        assert 0.0 < recall < 1.0

        def gone(query: StoreQuery) -> Any:
            raise DataStoreGoneError("Nobody answers.")

        monkeypatch.setattr(server, "search", gone)
        score = (await last(bench)).scores[-1]
        assert (score.faults, score.among, score.ms, score.recall) == (len(CASES), 0, (), None)


def test_that_the_right_answers_are_known_by_name_and_label() -> None:
    memory = Document("memory:git", "git", (), {"kind": ("memory",), "label": ("vcs",)})
    power = Document("power:git", "git", (), {"kind": ("power",)})
    both = [memory, power]
    assert right_ids(Case("q", ("git",), Task.MEMORY), both) == {memory.id}
    assert right_ids(Case("q", ("git",), Task.POWER), both) == {power.id}
    assert right_ids(Case("q", ("vcs", "x"), Task.INTENT), both) == {memory.id}
    assert right_ids(Case("q", ("x",), Task.POWER), both) == frozenset()


async def test_that_the_terminal_tells_it_in_a_table_and_as_a_document() -> None:
    async with on_server() as (bench, _, _):
        lines: list[Line[Case] | Problem] = [Line(n, case) for n, case in enumerate(CASES, 1)]
        out = io.StringIO()
        await judge(bench, lines, Printer(out, as_json=True))
        told = json.loads(out.getvalue())
        assert (told["n"], told["strange"], told["stores"][0]["store"]) == (4, 1, "neo4j")
        found = await last(bench)
        assert store_evaluation_sentence(StoreEvaluation(0, 9)) == "Judging: 0 of 9"
        shown = store_evaluation_lines(found)
        assert shown[0] == (
            "4 labelled queries. Routed answer: right first in 0 %, among its hits in 50.0 %; "
            "any store had it in 75.0 %. 1 expects nothing that is taught here."
        )
        assert len(shown) == 2 + 4
        with pytest.raises(FormatError, match="no case"):
            await judge(bench, [Line(1, Case("q", ("graph",), Task.ROUTE))], Printer(out))
