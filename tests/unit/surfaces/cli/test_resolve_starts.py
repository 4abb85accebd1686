"""Tests of `resolve` on the terminal: starts approved powers, reports, and ends them (S5.5)."""

import asyncio
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.detect.resolve import resolve
from app.domain.errors import KnownError
from app.domain.inspection import Detection, Inspection, Phase, Trace
from app.domain.library import Power, Tool
from app.domain.match import Match, Query
from app.domain.running import Activation, ToolSchema
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.surfaces.cli.output import Printer
from app.surfaces.cli.terminal import answer
from tests.golden import written

POSTGRES = Power("postgres", "PostgreSQL", ("postgres",), tools=(Tool("stored", "as it was"),), key=1)
MYSQL = Power("mysql", "MySQL", ("mysql",), key=2)
CONFIDENCES: Mapping[str, tuple[float, float]] = {
    "run postgres": (0.9, 0.4),
    "my database": (0.6, 0.5),
    "rocket": (0, 0),
}
ASKED = "uvx postgres-mcp\nwith DATABASE_URI"
FAILING = "a query that cannot be answered"
RUNS = Activation(POSTGRES, True, (ToolSchema("fresh", "from the server"), ToolSchema("bare")), ms=12.0)
REFUSED = Activation(POSTGRES, False, reason="postgres is not approved.", needs_approval=ASKED)


class Gates:
    """Gateway that returns a given result, and records the requests."""

    def __init__(self, outcome: Activation | KnownError) -> None:
        self.outcome = outcome
        self.asked: list[str] = []

    async def activate(self, name: str) -> Activation:
        self.asked.append(name)
        if isinstance(self.outcome, KnownError):
            raise self.outcome
        return self.outcome

    def begin_turn(self) -> None:
        self.asked.append("turn")

    async def stop_all(self) -> None:
        self.asked.append("stop")


class Bench:
    """Minimal workbench for the commands; an inspection is made from CONFIDENCES."""

    settings = Settings()
    answer_each = Workbench.answer_each

    def __init__(self, outcome: Activation | KnownError = RUNS) -> None:
        self.gateway = Gates(outcome)

    async def settle(self, text: str, *, late: bool, route: bool) -> Inspection:
        if text == FAILING:
            raise KnownError("The library is gone.")
        scores = {"semantic": 0.5, "keyword": 0.0}
        values = zip((POSTGRES, MYSQL), CONFIDENCES.get(text, (0.0, 0.0)), strict=True)
        found = tuple(Match(power, value, scores, (), power.name) for power, value in values)
        resolution = None if text == "" else resolve(text, found, [POSTGRES, MYSQL], self.settings)
        nothing = Detection(None, "evidence")
        return Inspection(Query.of(text), Phase.MERGED, nothing, None, found, resolution, Trace(()))


def _answered(bench: Bench, *queries: str, verb: str = "resolve", as_json: bool = True, start: bool = True) -> str:
    out = io.StringIO()
    work: Any = bench
    asyncio.run(answer(work, verb, queries, Printer(out, as_json=as_json), start=start))
    return out.getvalue()


GOLDEN = Path(__file__).with_name("resolve_starts.txt")
"""Reviewed pages and documents; `GOLDEN.write_text(read(), "utf-8")` writes them again."""
GONE = KnownError("No power is named “postgres”.")
ANSWERS: dict[str, tuple[Activation | KnownError, tuple[str, ...], str, bool]] = {
    "started": (RUNS, ("run postgres",), "resolve", True),
    "not approved": (REFUSED, ("run postgres",), "resolve", True),
    "without tools": (Activation(POSTGRES, True), ("run postgres",), "resolve", True),
    "gone meanwhile": (GONE, ("run postgres", "rocket"), "resolve", True),
    "several": (RUNS, ("my database",), "resolve", True),
    "not asked to start": (RUNS, ("run postgres",), "inspect", False),
}


def told(name: str) -> Iterator[str]:
    """Yield what the gateway was asked, the page, and the documents."""
    outcome, queries, verb, start = ANSWERS[name]
    bench, other = Bench(outcome), Bench(outcome)
    documents = [json.loads(line) for line in _answered(bench, *queries, start=start).splitlines()]
    yield f"asked: {' '.join(bench.gateway.asked) or 'nothing'}"
    yield _answered(other, *queries, verb=verb, as_json=False, start=start)
    assert other.gateway.asked == bench.gateway.asked
    yield from (json.dumps(document, ensure_ascii=False) for document in documents)


def read() -> str:
    return written({name: told(name) for name in ANSWERS})


def test_that_pages_and_documents_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize("query", ["my database", "rocket", ""])
def test_that_nothing_is_started_below_activation(query: str) -> None:
    bench = Bench()
    _answered(bench, query)
    _answered(bench, query, as_json=False)
    assert bench.gateway.asked == ["turn", "stop"] * 2


def test_that_what_runs_is_stopped_even_when_an_answer_fails() -> None:
    bench = Bench()
    with pytest.raises(KnownError):
        _answered(bench, "run postgres", FAILING)
    assert bench.gateway.asked == ["turn", "postgres", "stop"]
