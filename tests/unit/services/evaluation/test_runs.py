"""Tests of stored evaluations: changes since one of them, and their causes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from app.display.evaluation.runs import (
    cause_words,
    changes_since_document,
    changes_since_lines,
    changes_since_view,
    run_lines,
)
from app.domain.case import Case, CaseOutcome, Task
from app.domain.errors import KnownError
from app.domain.library import Memory
from app.evaluation.comparison import CaseChange, CauseKind
from app.services.evaluation.runs import SinceRun
from app.services.workbench import Workbench
from tests.build import library_of, some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk

CASES = (
    Case("will it rain", ("weather",), Task.INTENT),
    Case("will it rain today", ("weather",), Task.INTENT),
    Case("feed the cat", ("cat",), Task.INTENT),
    Case("zzz qqq", (), Task.INTENT),
)
MEMORIES = (Memory(("will it rain",), intent="weather"), Memory(("feed the cat",), intent="cat"))


def library() -> MemoryLibrary:
    return library_of(*MEMORIES)


@asynccontextmanager
async def on_desk(**settings: Any) -> AsyncGenerator[Workbench, None]:
    async with desk(library, combination="fuzzy", **settings) as bench:
        await bench.ready()
        yield bench


async def kept(bench: Workbench, task: Task = Task.INTENT, cases: tuple[Case, ...] = CASES) -> int:
    return some(await bench.runs.keep(await bench.evaluations.today(cases, task, accounts=True), "cases.jsonl"))


def kinds(found: SinceRun) -> list[CauseKind]:
    return [cause.kind for cause in found.causes.values()]


async def test_that_nothing_turns_where_nothing_changed_and_runs_are_listed() -> None:
    async with on_desk() as bench:
        first, second = await kept(bench), await kept(bench)
        found = await bench.runs.against(first, CASES, Task.INTENT)
        assert (found.comparison.turned, found.causes, found.settings, found.others) == ((), {}, {}, 0)
        before, after = found.comparison.before, found.comparison.after
        assert before.metrics["top1"] == after.metrics["top1"]
        assert before.metrics["recall10"] is None
        assert (await bench.runs.against(None, CASES, Task.INTENT)).run.key == second
        runs = await bench.runs.kept()
        assert [run.key for run in runs] == [second, first]
        assert (runs[0].cases, runs[0].source, runs[0].settings["combination"]) == (4, "cases.jsonl", "fuzzy")
        assert "cases.jsonl" in run_lines(runs)[1]
        assert run_lines([])
        assert "every case is answered as then" in changes_since_lines(found)[0]


async def test_that_the_setting_that_moved_an_answer_is_named() -> None:
    async with on_desk() as bench:
        key = await kept(bench)
        await bench.choose_all({"fallback_threshold": "0.99", "bands.high": "0.995", "matches": "5"})
        found = await bench.runs.against(key, CASES, Task.INTENT)
        assert set(found.settings) == {"fallback_threshold", "bands.high"}
        assert kinds(found) == [CauseKind.SETTING]
        (turned,) = found.comparison.turned
        assert turned.before.case.text == "will it rain today"
        told = changes_since_document(found)
        assert told["turned"]["broken"][0]["cause"]["name"] == "fallback_threshold"
        assert told["causes"] == [{"cause": "setting fallback_threshold (0.3, now 0.99)", "cases": 1}]
        assert any("fallback_threshold" in line for line in changes_since_lines(found))
        shown = changes_since_view(found)
        (line,) = shown.lists["broken"]
        assert (line.before.predicted, line.after and line.after.predicted) == (None, "weather")
        assert "fallback_threshold" in line.cause
        assert shown.tables[0].heads == ("then", "today", "change")


async def test_that_a_trigger_that_was_taught_since_is_named_and_one_that_is_gone() -> None:
    async with on_desk() as bench:
        key = await kept(bench)
        new = Memory(("will it rain today",), intent="forecast")
        await bench.curator.teach(new)
        found = await bench.runs.against(key, CASES, Task.INTENT)
        (cause,) = found.causes.values()
        assert (cause.kind, cause.name, cause.of) == (CauseKind.TRIGGER, "will it rain today", "forecast")
        assert cause_words(cause) == "“will it rain today” of forecast, taught or changed since"
        newest = await kept(bench)
        await bench.curator.undo()
        back = await bench.runs.against(newest, CASES, Task.INTENT)
        (cause,) = back.causes.values()
        assert (cause.kind, cause.name) == (CauseKind.GONE, "forecast")


async def test_that_what_cannot_be_compared_is_said_and_none_is_kept_where_none_is_wanted() -> None:
    async with on_desk() as bench:
        key = await kept(bench)
        for wanted, cases, task in (
            (key + 1, CASES, Task.INTENT),
            (key, CASES, Task.MEMORY),
            (None, CASES, Task.POWER),
            (key, (Case("new", ("weather",), Task.INTENT),), Task.INTENT),
        ):
            with pytest.raises(KnownError):
                await bench.runs.against(wanted, cases, task)
        more = await bench.runs.against(key, (*CASES, Case("new", ("weather",), Task.INTENT)), Task.INTENT)
        assert more.others == 1
        await bench.choose_all({"history.evaluations": "0"})
        assert await bench.runs.kept()
        assert await bench.runs.keep(await bench.evaluations.today(CASES, Task.INTENT)) is None
        assert await bench.runs.kept() == []


SPEAKING = Memory(("will it rain",), intent="weather", response="Look out of the window.")


def speaking_library() -> MemoryLibrary:
    return library_of(SPEAKING, Memory(("will it rain today",), intent="weather"))


async def test_that_what_is_delivered_then_is_set_beside_what_is_today_and_named_by_its_setting() -> None:
    async with desk(speaking_library, combination="fuzzy") as bench:
        await bench.ready()
        key = await kept(bench, cases=CASES[:1])
        assert (await bench.runs.kept())[0].right == 1
        await bench.choose("search_intent.certain_confidence", "0")
        found = await bench.runs.against(key, CASES[:1], Task.INTENT)
        (turned,) = found.comparison.of(CaseChange.BROKEN)
        assert turned.before.predicted == turned.after.predicted == "weather"
        (cause,) = found.causes.values()
        assert (cause.kind, cause.name) == (CauseKind.SETTING, "search_intent.certain_confidence")
        before, after = found.comparison.before.metrics["delivered"], found.comparison.after.metrics["delivered"]
        assert (before, after) == (1.0, 0.0)
        assert "weather, not injected" in "".join(changes_since_lines(found))


async def test_that_a_run_of_an_older_version_is_compared_by_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    library = speaking_library()
    outcomes = library.evaluation_runs.outcomes

    def without_delivery(key: int, texts: Iterable[str]) -> list[CaseOutcome]:
        return [replace(one, delivered=None) for one in outcomes(key, texts)]

    monkeypatch.setattr(library.evaluation_runs, "outcomes", without_delivery)
    async with desk(lambda: library, combination="fuzzy") as bench:
        await bench.ready()
        key = await kept(bench, cases=CASES[:1])
        await bench.choose("search_intent.certain_confidence", "0")
        found = await bench.runs.against(key, CASES[:1], Task.INTENT)
        assert found.comparison.turned == ()
        assert found.comparison.before.metrics["delivered"] is None
        assert found.comparison.after.metrics["delivered"] is not None  # a gate of today has its figure
        assert "delivered is not compared" in "".join(changes_since_lines(found))
