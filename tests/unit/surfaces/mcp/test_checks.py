"""Tests of long assistant requests: progress, cancellation, undoable feedback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.library import Memory, Power, Transport
from app.services.workbench import Workbench
from app.surfaces.mcp import tools
from app.surfaces.mcp.assistant_workbench import AssistantWorkbench
from app.surfaces.mcp.schemas import EvaluateArguments, FeedbackArguments, WhyNotArguments
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk

QUERY = "how do I sign the build"


class Ready:
    """Assistant workbench whose workbench is open."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench

    async def opened(self) -> Workbench:
        return self.workbench

    async def ready(self, tell: object) -> Workbench:
        return self.workbench


def library() -> MemoryLibrary:
    return library_of(
        Memory((QUERY,), "By hand.", id="sign"),
        Memory(("make coffee",), "Never.", id="coffee"),
        Power("signer", keywords=("sign",), transport=Transport(command="start"), approved=True),
        Case(QUERY, ("sign",), Task.MEMORY),
        Case("make coffee", ("sign",), Task.MEMORY),
    )


@asynccontextmanager
async def on_a_desk() -> AsyncGenerator[tuple[AssistantWorkbench, Workbench], None]:
    async with desk(library) as workbench:
        yield cast("AssistantWorkbench", Ready(workbench)), workbench


async def test_that_labelled_queries_are_counted_and_those_that_are_wrong_are_shown() -> None:
    told: list[tuple[float, float | None]] = []

    async def tell(done: float, total: float | None, sentence: str) -> None:
        told.append((done, total))

    async with on_a_desk() as (assistants, _):
        found = await tools.evaluate(assistants, EvaluateArguments(task="memory"), tell)
        scored_text = {name: found[name] for name in ("n", "right", "delivered")}
        assert scored_text == {"n": 2, "right": 0, "delivered": 0.0}
        by_text = {wrong["text"]: wrong for wrong in found["wrong"]}
        coffee, signed = by_text["make coffee"], by_text[QUERY]
        assert (coffee["expected"], coffee["answered"], coffee["why"]) == (["sign"], "coffee", "")
        assert (signed["answered"], signed["why"]) == ("sign", "Unexpected beside it: “signer”.")
        assert list(told[-1]) == [2, 2]
        empty = await tools.evaluate(assistants, EvaluateArguments(task="intent"), tell)
        assert (empty["n"], empty["delivered"], empty["wrong"]) == (0, None, [])


async def test_that_what_was_expected_is_explained_and_nonsense_refused() -> None:
    async def tell(done: float, total: float | None, sentence: str) -> None: ...

    async with on_a_desk() as (assistants, _):
        found = await tools.why_not(assistants, WhyNotArguments(query=QUERY, expect="memory:coffee"), tell)
        assert (found["outcome"], found["by"]["winner"]) == ("lost", "sign")
        with pytest.raises(KnownError, match="KIND:NAME"):
            await tools.why_not(assistants, WhyNotArguments(query=QUERY, expect="coffee"), tell)


async def test_that_long_work_tells_how_far_it_is_and_ends_with_who_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "PROGRESS_SECONDS", 0.001)
    told: list[tuple[float, float | None]] = []
    ended: list[bool] = []

    heard = asyncio.Event()

    async def tell(done: float, total: float | None, sentence: str) -> None:
        told.append((done, total))
        heard.set()

    async def work(count: Callable[[int, int], None]) -> None:
        count(3, 7)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    asking = asyncio.create_task(tools._with_progress(work, tell))
    await heard.wait()
    asking.cancel()
    await asyncio.wait([asking])
    await asyncio.sleep(0)
    assert (told, ended) == ([(3, 7)], [True])


async def test_that_feedback_is_a_step_that_a_person_takes_back() -> None:
    async def tell(done: float, total: float | None, sentence: str) -> None: ...

    async with on_a_desk() as (assistants, workbench):
        said = FeedbackArguments(query="sign it", answer="memory:sign", right=False)
        before = workbench.library.memories()[0].success
        found = await tools.feedback(assistants, said, tell)
        assert found["success"] < before
        assert "sign it" in {case.text for case in workbench.library.cases()}
        await workbench.undo()
        assert workbench.library.memories()[0].success == before
        assert "sign it" not in {case.text for case in workbench.library.cases()}
        for answer in ("sign", "rule:sign", "memory:nobody", "power:sign"):
            with pytest.raises(KnownError):
                await tools.feedback(assistants, FeedbackArguments(query="x", answer=answer, right=True), tell)
