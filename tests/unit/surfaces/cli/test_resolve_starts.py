"""Tests of `resolve` on the terminal: starts approved powers, reports, and ends them (S5.5)."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from app.detect.resolve import resolve
from app.domain.errors import KnownError
from app.domain.library import Power, Tool
from app.domain.match import Match, Query
from app.domain.running import Activation, ToolSchema
from app.domain.scope.inspection import Detection, Inspection, Phase, Trace
from app.services.workbench import Workbench
from app.settings.model import Settings
from app.surfaces.cli.output import Printer
from app.surfaces.cli.terminal import answer

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


def test_that_an_activated_power_is_started_and_tells_the_tools_of_its_server() -> None:
    bench = Bench()
    found = json.loads(_answered(bench, "run postgres"))
    assert (found["status"], found["started"], found["reason"]) == ("activated", True, None)
    assert [tool["name"] for tool in found["tools"]] == ["fresh", "bare"]
    assert bench.gateway.asked == ["turn", "postgres", "stop"]


def test_that_people_read_what_was_started() -> None:
    page = _answered(Bench(), "run postgres", as_json=False)
    assert "Powers: Activated. postgres 90 %, 50 points ahead of mysql" in page
    told = "  Its tools now:\n    fresh: from the server\n    bare\n"
    assert f"  Started; it is stopped when this command ends.\n{told}" in page
    assert "Nothing starts while you type" not in page


def test_that_what_is_not_approved_is_not_started_and_says_so() -> None:
    found = json.loads(_answered(Bench(REFUSED), "run postgres"))
    assert (found["status"], found["started"]) == ("activated", False)
    assert found["reason"] == "postgres is not approved."
    assert found["needs_approval"] == ASKED
    assert [tool["name"] for tool in found["tools"]] == ["stored"]
    page = _answered(Bench(REFUSED), "run postgres", as_json=False)
    asked = "  “intentscope approve postgres” asks for approval of:\n    uvx postgres-mcp\n    with DATABASE_URI\n"
    stored = "  Its tools as they are stored; none can be called now:\n    stored: as it was\n"
    assert f"  Not started. postgres is not approved.\n{asked}{stored}" in page


def test_that_a_server_without_tools_is_told_as_such() -> None:
    page = _answered(Bench(Activation(POSTGRES, True)), "run postgres", as_json=False)
    assert "ends.\n  No tools are known.\n" in page


def test_that_a_power_that_is_gone_meanwhile_is_a_reason_and_no_end() -> None:
    bench = Bench(KnownError("No power is named “postgres”."))
    first, second = map(json.loads, _answered(bench, "run postgres", "rocket").splitlines())
    assert (first["started"], first["reason"]) == (False, "No power is named “postgres”.")
    assert second["status"] == "not_found"
    assert bench.gateway.asked == ["turn", "postgres", "turn", "stop"]


@pytest.mark.parametrize("query", ["my database", "rocket", ""])
def test_that_nothing_is_started_below_activation(query: str) -> None:
    bench = Bench()
    _answered(bench, query)
    _answered(bench, query, as_json=False)
    assert bench.gateway.asked == ["turn", "stop"] * 2


def test_that_nothing_is_started_unless_it_is_asked_for() -> None:
    bench = Bench()
    found = json.loads(_answered(bench, "run postgres", start=False))
    assert found["started"] is False
    assert found["reason"]
    _answered(bench, "run postgres", verb="inspect", as_json=False, start=False)
    assert bench.gateway.asked == []


def test_that_what_runs_is_stopped_even_when_an_answer_fails() -> None:
    bench = Bench()
    with pytest.raises(KnownError):
        _answered(bench, "run postgres", FAILING)
    assert bench.gateway.asked == ["turn", "postgres", "stop"]


def test_that_people_read_what_is_on_offer() -> None:
    page = _answered(Bench(), "my database", as_json=False)
    assert "  postgres 60 % semantic: PostgreSQL\n  mysql 50 % semantic: MySQL\n" in page
