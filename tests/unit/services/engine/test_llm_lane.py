"""Tests of LLM requests: budget, cancellation, failures (S4.5 to S4.8)."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any

import pytest

from app.adapters.local.machine import SystemClock
from app.domain.intent import IntentType
from app.domain.llm import ChoiceAnswer, LlmAnswer, LlmOutcome, LlmReport, Option
from app.ports.llm import (
    LlmColdError,
    LlmDisconnectedError,
    LlmError,
    LlmModelMissingError,
    LlmState,
    LlmUnreachableError,
    LlmUnreadableError,
)
from app.services.engine.llm_lane import LlmLane, choose
from app.services.engine.metrics import EngineMetrics
from app.services.engine.query_runner import answering
from app.settings.model import Settings, SettingsSources, layer
from tests.fakes import ScriptedLlm

ANSWER = LlmAnswer(IntentType.TROUBLESHOOT, 0.91, "json", ("build",))


def settings(budget_ms: int = 60_000, **values: object) -> Settings:
    dotted = {key.replace("__", "."): value for key, value in values.items()}
    return layer(SettingsSources(command_line={"search_intent.llm_timeout_ms": budget_ms, **dotted})).values


@asynccontextmanager
async def on_lane(
    client: ScriptedLlm | None, *, warm: bool = True, metrics: EngineMetrics | None = None
) -> AsyncGenerator[tuple[LlmLane, EngineMetrics], None]:
    """Open a lane, close it, and check that no task is left."""
    metrics = metrics or EngineMetrics()
    lane = LlmLane(client, SystemClock(), metrics)
    if warm:
        lane.start()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    yield lane, metrics
    await lane.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def outcomes(
    client: ScriptedLlm | None, *, warm: bool = True, noted: EngineMetrics | None = None, **chosen: Any
) -> list[LlmReport]:
    async with on_lane(client, warm=warm, metrics=noted) as (lane, _):
        return [report async for report in lane.reports("q", settings(**chosen), 0.0)]


def words(reports: list[LlmReport]) -> list[str]:
    return [report.outcome.value for report in reports]


async def test_that_an_answer_in_time_is_told_with_its_time() -> None:
    client = ScriptedLlm(ANSWER)
    told = await outcomes(client)
    assert words(told) == ["asking", "answered"]
    assert told[-1].answer == ANSWER
    assert told[-1].ms is not None
    assert told[-1].budget_ms == 60_000
    assert client.asked == ["q"]
    assert client.closed


async def test_that_a_late_answer_is_kept_after_the_time_out() -> None:
    told = await outcomes(ScriptedLlm(ANSWER, seconds=0.12), budget_ms=50)
    assert words(told) == ["asking", "timed_out", "late"]
    assert told[1].answer is None
    assert told[2].answer == ANSWER
    assert (told[2].ms or 0.0) >= 120.0


class SlowLoop(ScriptedLlm):
    """LLM whose answer is there when checked, but after its budget, as the loop was busy."""

    async def classify(self, query: str) -> LlmAnswer:
        sleep(0.08)  # noqa: ASYNC251 - so that the loop is busy
        return await super().classify(query)

    async def choose(self, query: str, options: Sequence[Option]) -> ChoiceAnswer:
        sleep(0.08)  # noqa: ASYNC251
        return ChoiceAnswer(options[0].name, 0.9, "json")


async def test_that_an_answer_after_the_budget_is_late_even_if_it_is_there_first() -> None:
    metrics = EngineMetrics()
    told = await outcomes(SlowLoop(ANSWER), noted=metrics, budget_ms=50)
    assert words(told) == ["asking", "timed_out", "late"]
    assert all(report.ms is not None and report.ms > report.budget_ms for report in told[1:])
    assert (metrics.outcomes["answered"], metrics.llm_timeouts["budget"], metrics.llm_orphaned) == (0, 1, 0)


async def test_that_a_choice_after_the_budget_is_timed_out_even_if_it_is_there_first() -> None:
    async with on_lane(SlowLoop(ANSWER)) as (lane, metrics):
        options = [Option("a"), Option("b")]
        found = await choose(lane, "q", "label", options, settings(50))
        assert (found.outcome, found.answer) == (LlmOutcome.TIMED_OUT, None)
        assert (found.ms or 0.0) > (found.budget_ms or 0.0)
        assert metrics.llm_completed["timeout"] == 1


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (LlmUnreachableError("x."), "unreachable"),
        (LlmModelMissingError("x."), "model_missing"),
        (LlmColdError("x."), "cold"),
        (LlmError("x."), "failed"),
        (LlmUnreadableError("x."), "unreadable"),
    ],
)
async def test_that_each_failure_has_its_own_word_and_sentence(error: LlmError, word: str) -> None:
    told = await outcomes(ScriptedLlm(error))
    assert words(told) == ["asking", word]
    assert told[-1].sentence == "x."


@pytest.mark.logs("asking the LLM failed")
async def test_that_a_bug_in_a_client_fails_the_answer_and_not_the_query() -> None:
    told = await outcomes(ScriptedLlm(ZeroDivisionError("oops")))
    assert words(told) == ["asking", "failed"]
    assert "ZeroDivisionError" in told[-1].sentence


async def test_that_a_low_confidence_is_an_outcome_of_its_own() -> None:
    told = await outcomes(ScriptedLlm(ANSWER), search_intent__min_confidence=0.95)
    assert words(told) == ["asking", "low_confidence"]
    assert told[-1].answer == ANSWER


async def test_that_nothing_is_asked_where_the_llm_is_off_or_absent() -> None:
    client = ScriptedLlm(ANSWER)
    assert words(await outcomes(client, search_intent__use_llm=False)) == ["off"]
    assert words(await outcomes(client, search_intent__enabled=False)) == ["off"]
    assert words(await outcomes(None)) == ["off"]
    assert client.asked == []


@pytest.mark.parametrize("outcome", [LlmOutcome.UNREACHABLE, LlmOutcome.MODEL_MISSING, LlmOutcome.COLD])
async def test_that_a_client_that_is_not_ready_is_not_asked(outcome: LlmOutcome) -> None:
    client = ScriptedLlm(ANSWER)
    client.next_state = LlmState(outcome, "why", "m")
    told = await outcomes(client)
    assert words(told) == [outcome.value]
    assert told[0].sentence == "why"
    assert client.asked == []


async def test_that_a_model_unloaded_meanwhile_is_cold_and_no_time_out() -> None:
    client = ScriptedLlm(ANSWER, seconds=0.2)
    told: list[LlmReport] = []
    async with on_lane(client) as (lane, metrics):
        lane._loaded_at = -1e9  # the server's last report is old
        client.loaded = False
        told.extend([report async for report in lane.reports("q", settings(50), 0.0)])
        assert metrics.llm_timeouts == {"cold": 1}
    assert words(told) == ["asking", "cold", "late"]


async def test_that_closing_the_reports_cancels_the_request() -> None:
    client = ScriptedLlm(ANSWER, seconds=5.0)
    async with on_lane(client) as (lane, metrics):
        reports = lane.reports("q", settings(), 0.0)
        await anext(reports)
        await asyncio.sleep(0)
        await reports.aclose()
        assert client.cancelled == ["q"]
        assert metrics.llm_completed == {"cancelled": 1}


async def test_that_no_more_than_so_many_run_at_once_and_orphans_are_counted() -> None:
    client = ScriptedLlm(ANSWER, seconds=5.0)
    async with on_lane(client) as (lane, metrics):
        open_ = []
        for name in "abc":
            reports = lane.reports(name, settings(50), 0.0)
            open_.append(reports)
            assert words([await anext(reports), await anext(reports)]) == ["asking", "timed_out"]
        assert client.cancelled == ["a"]
        assert metrics.llm_orphaned == 2
        for reports in open_:
            await reports.aclose()
        assert metrics.llm_orphaned == 0
    assert metrics.llm_started == 3


async def test_that_the_typing_pause_comes_before_the_request_and_its_budget() -> None:
    asked_at: list[float] = []

    class Watched(ScriptedLlm):
        async def classify(self, query: str) -> LlmAnswer:
            asked_at.append(monotonic())
            return await super().classify(query)

    client = Watched(ANSWER)
    async with on_lane(client) as (lane, _):
        begun = monotonic()
        told = [report async for report in lane.reports("q", settings(), 40.0)]
        passed_ms = (monotonic() - begun) * 1000.0
        assert told[0].pause_ms == 40.0
        assert asked_at[0] - begun >= 0.039
        assert told[-1].outcome is LlmOutcome.ANSWERED
        assert (told[-1].ms or 0.0) <= passed_ms - 39.0


async def test_that_details_follow_outside_the_budget_where_they_are_wanted() -> None:
    client = ScriptedLlm(LlmAnswer(IntentType.HOWTO, 0.8, "one_token"))
    told = await outcomes(client, llm__details=True)
    assert words(told) == ["asking", "answered", "answered"]
    assert told[-1].detail is not None
    assert told[-1].detail.topics == ("described",)


async def test_that_a_change_of_state_is_told_once() -> None:
    client = ScriptedLlm(ANSWER)
    told: list[str] = []
    async with on_lane(client, warm=False) as (lane, _):
        lane.state_changed.subscribe(lambda _: told.append("changed"))
        lane.start()
        for _ in range(50):
            await asyncio.sleep(0)
    assert told == ["changed"]


@pytest.mark.parametrize(
    ("error", "status"), [(LlmDisconnectedError("x."), "disconnected"), (LlmUnreadableError("x."), "error")]
)
async def test_that_a_broken_connection_is_counted_apart_from_other_errors(error: LlmError, status: str) -> None:
    metrics = EngineMetrics()
    assert words(await outcomes(ScriptedLlm(error), noted=metrics))[0] == "asking"
    assert metrics.llm_completed == {status: 1}


async def test_that_a_wait_for_the_llm_that_ends_before_it_begins_is_no_warning() -> None:
    encoder: Any = SimpleNamespace(ready=asyncio.Event(), progress=(0, 0))
    async with on_lane(None) as (lane, _):
        waiting = asyncio.create_task(answering(encoder, lane, None))
        await asyncio.sleep(0)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert waiting.cancelled()
        gc.collect()
