"""Requests to the LLM for a query: within a budget, cancelled when superseded (S4.5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from app.detect.prompts import RequestResult, request_result
from app.domain.llm import LlmAnswer, LlmChoice, LlmOutcome, LlmReport, Option
from app.ports.llm import LlmClient, LlmDisconnectedError, LlmError, LlmState
from app.services.engine.metrics import EngineMetrics
from app.services.events import Event
from app.settings.model import Settings
from app.settings.sections import LlmSettings

LATE_SECONDS = 30.0
"""Longest wait for an answer that missed its budget, in seconds."""

RETRY_SECONDS = 5.0
"""Delay of the next attempt after a failed warm-up, in seconds."""

CHECK_SECONDS = 2.0
"""Validity of the server's report that the model is loaded, in seconds."""

COMPLETED = {LlmOutcome.ANSWERED: "success", LlmOutcome.LOW_CONFIDENCE: "success", LlmOutcome.SUPERSEDED: "cancelled"}
"""Metric label of a request that ended in time (S4.15); every other outcome is an error."""

OFF = "LLM is off. Keywords and examples decide alone."
WENT_COLD = "The model was unloaded and is loading again. This is not a time-out."


def lacking(llm: LlmSettings) -> str:
    """Return why no LLM is set up, in a sentence."""
    if llm.url and not llm.model:
        return "No LLM is set up: it has an address, but no model."
    if llm.model and not llm.url:
        return "No LLM is set up: it has a model, but no address."
    return "No LLM is set up: it needs an address and a model."


def half_set(settings: Settings) -> tuple[str, ...]:
    """Return a sentence if the LLM that is wanted has an address or a model alone."""
    return (lacking(settings.llm),) if bool(settings.llm.url) != bool(settings.llm.model) else ()


class LlmRequests:
    """One client, kept warm, with at most `llm_max_in_flight` requests in flight."""

    def __init__(self, client: LlmClient | None, now_ms: Callable[[], float], metrics: EngineMetrics) -> None:
        self.client = client
        self.state_changed = Event[LlmState]()
        self.now_ms = now_ms
        self.metrics = metrics
        self._running: list[asyncio.Task[LlmAnswer]] = []
        self._details: set[asyncio.Task[LlmAnswer]] = set()
        self._counted: set[asyncio.Task[LlmAnswer]] = set()
        """Requests whose end has been counted."""
        self._warming: asyncio.Task[None] | None = None
        self._loaded_at = 0.0
        self.known = asyncio.Event()
        """Set once it is known if the LLM can be asked."""
        if client is None:
            self.known.set()

    @property
    def state(self) -> LlmState:
        """Readiness of the LLM; OFF if none is set up."""
        return LlmState(LlmOutcome.OFF) if self.client is None else self.client.state

    # ---- warm-up

    def start(self) -> None:
        """Warm the model up in the background, and retry until that succeeds."""
        if self.client is not None and (self._warming is None or self._warming.done()):
            self._warming = asyncio.create_task(self._warm(self.client))

    async def _warm(self, client: LlmClient) -> None:
        while True:
            before = client.state
            try:
                state = await client.warm()
            finally:
                self.known.set()
            if state.is_ready:
                self._loaded_at = self.now_ms()
            if (state.outcome, state.sentence) != (before.outcome, before.sentence):
                self.state_changed.notify(self.state)
            if state.is_ready:
                return
            await asyncio.sleep(RETRY_SECONDS)

    async def _still_loaded(self, client: LlmClient) -> bool:
        """Ask the server if the model is loaded, at most every CHECK_SECONDS; silence counts as yes."""
        if self.now_ms() - self._loaded_at < CHECK_SECONDS * 1000.0:
            return True
        try:
            loaded = await client.is_loaded()
        except LlmError:
            return True
        if loaded:
            self._loaded_at = self.now_ms()
        return loaded

    async def close(self) -> None:
        """Cancel running requests and close the client."""
        tasks: list[asyncio.Task[Any]] = [*self._running, *self._details]
        if self._warming is not None:
            tasks.append(self._warming)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.client is not None:
            await self.client.close()

    # ---- requests

    def first_report(self, settings: Settings, pause_ms: float) -> LlmReport:
        """Return the report before a request: why there will be none, or that it is running."""
        budget = float(settings.search_intent.llm_timeout_ms)
        if not (settings.search_intent.use_llm and settings.search_intent.enabled):
            return LlmReport(LlmOutcome.OFF, OFF)
        if self.client is None:
            return LlmReport(LlmOutcome.OFF, f"{lacking(settings.llm)} Keywords and examples decide alone.")
        state = self.client.state
        outcome = LlmOutcome.ASKING if state.is_ready else state.outcome
        sentence = "" if state.is_ready else state.sentence
        return LlmReport(outcome, sentence, state.model, state.mode, budget_ms=budget, pause_ms=pause_ms)

    async def reports(self, query: str, settings: Settings, pause_ms: float) -> AsyncGenerator[LlmReport, None]:
        """Yield reports after the typing pause: asking, the outcome in the budget, a late answer.

        Closing the iterator cancels the request on the wire.
        """
        client, first = self.client, self.first_report(settings, pause_ms)
        if client is None or first.outcome is not LlmOutcome.ASKING:
            self.metrics.outcomes[first.outcome.value] += 1
            yield first
            return
        # Checked during the pause: during a request, a server lists a model that is still loading.
        loaded = asyncio.create_task(self._still_loaded(client))
        try:
            await asyncio.sleep(pause_ms / 1000.0)
            async with aclosing(self._report_request(client, query, settings, first, loaded)) as reports:
                async for report in reports:
                    yield report
        finally:
            loaded.cancel()
            await asyncio.gather(loaded, return_exceptions=True)

    async def _report_request(
        self, client: LlmClient, query: str, settings: Settings, first: LlmReport, loaded: asyncio.Task[bool]
    ) -> AsyncGenerator[LlmReport, None]:
        while len(self._running) >= settings.search_intent.llm_max_in_flight:  # cancel the oldest ones
            await self._ended(self._running[0])
        request = _Request(client, query, first, self.now_ms)
        self._running.append(request.task)
        self.metrics.llm_started += 1
        try:
            yield first
            await asyncio.wait({request.task}, timeout=settings.search_intent.llm_timeout_ms / 1000.0)
            # a busy event loop may see a late answer before it sees the time-out
            missed = not (request.task.done() and request.stopwatch.ms <= first.budget_ms)
            report = self._missed(request, loaded) if missed else self._in_time(request, settings)
            self.metrics.outcomes[report.outcome.value] += 1
            yield report
            if missed:
                yield await self._late(request, report)
            is_wanted = report.outcome is LlmOutcome.ANSWERED and settings.llm.details and report.mode != "json"
            if is_wanted and not missed and (detail := await self._detail(client, query)) is not None:
                yield replace(report, detail=detail)
        finally:
            await self._ended(request.task)

    async def _detail(self, client: LlmClient, query: str) -> LlmAnswer | None:
        """Request the slower answer with topics and reasoning; failures are ignored."""
        task = asyncio.create_task(client.describe(query))
        self._details.add(task)
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
            self._details.discard(task)
            await asyncio.gather(task, return_exceptions=True)
        return request_result(task).answer

    def _in_time(self, request: _Request, settings: Settings) -> LlmReport:
        report = request.report(settings.search_intent.min_confidence)
        broke = not request.task.cancelled() and isinstance(request.task.exception(), LlmDisconnectedError)
        self._count(request.task, "disconnected" if broke else COMPLETED.get(report.outcome, "error"))
        self.metrics.llm_seconds.add((report.ms or 0.0) / 1000.0)
        if report.outcome in (LlmOutcome.UNREACHABLE, LlmOutcome.MODEL_MISSING, LlmOutcome.COLD):
            self.start()
        return report

    def _missed(self, request: _Request, loaded: asyncio.Task[bool]) -> LlmReport:
        cold = loaded.done() and not loaded.cancelled() and not loaded.result()
        self.metrics.llm_timeouts["cold" if cold else "budget"] += 1
        self._count(request.task, "timeout")
        self.metrics.llm_orphaned += 1
        request.task.add_done_callback(self._no_orphan)
        return request.failed_report(LlmOutcome.COLD if cold else LlmOutcome.TIMED_OUT, WENT_COLD if cold else "")

    async def _late(self, request: _Request, given_up: LlmReport) -> LlmReport:
        await asyncio.wait({request.task}, timeout=LATE_SECONDS)
        if not request.task.done():
            return given_up
        report = request.report(0.0)
        if report.answer is None:
            return given_up
        self.metrics.llm_seconds.add((report.ms or 0.0) / 1000.0)
        self._loaded_at = self.now_ms()
        return replace(report, outcome=LlmOutcome.LATE)

    def _no_orphan(self, task: asyncio.Task[LlmAnswer]) -> None:
        self.metrics.llm_orphaned -= 1

    async def _ended(self, task: asyncio.Task[LlmAnswer]) -> None:
        if not task.done():
            self._count(task, "cancelled")
            self.metrics.outcomes[LlmOutcome.SUPERSEDED.value] += 1
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if task in self._running:
            self._running.remove(task)
        self._counted.discard(task)

    def _count(self, task: asyncio.Task[LlmAnswer], status: str) -> None:
        """Count the end of a request, once."""
        if task not in self._counted:
            self._counted.add(task)
            self.metrics.llm_completed[status] += 1


class Stopwatch:
    """Duration of a task, measured at its end even if its waiter is woken later."""

    def __init__(self, task: asyncio.Task[Any], now_ms: Callable[[], float]) -> None:
        self._now_ms, self._begun = now_ms, now_ms()
        self._ended: float | None = None
        task.add_done_callback(self._note_end)

    def _note_end(self, _: asyncio.Task[Any]) -> None:
        self._ended = self._now_ms()

    @property
    def ms(self) -> float:
        """Time in ms: so far, or in total once the task has ended."""
        return (self._now_ms() if self._ended is None else self._ended) - self._begun


class _Request:
    """One request in flight, and its reports."""

    def __init__(self, client: LlmClient, query: str, first: LlmReport, now_ms: Callable[[], float]) -> None:
        self._first = first
        self.task = asyncio.create_task(client.classify(query))
        self.stopwatch = Stopwatch(self.task, now_ms)

    def _report(self, found: RequestResult) -> LlmReport:
        first = self._first
        return LlmReport(
            found.outcome,
            found.sentence,
            first.model,
            found.answer.mode if found.answer else first.mode,
            self.stopwatch.ms,
            first.budget_ms,
            first.pause_ms,
            found.answer,
            prompt=found.prompt,
            reply=found.reply,
        )

    def report(self, least: float) -> LlmReport:
        """Report an ended request; an answer below `least` has low confidence."""
        return self._report(confident(request_result(self.task), least))

    def failed_report(self, outcome: LlmOutcome, sentence: str) -> LlmReport:
        return self._report(RequestResult(outcome, sentence=sentence))


TOO_FEW = "There are no two answers to choose from."


async def choose(llm: LlmRequests, query: str, of: str, offered: Sequence[Option], settings: Settings) -> LlmChoice:
    """Ask the LLM to choose, within `llm_timeout_ms` from dispatch; never raises LlmError.

    Cancelling the task cancels the request on the wire.
    """
    names = tuple(option.name for option in offered)
    client, ready = llm.client, llm.first_report(settings, 0.0)
    if client is None or ready.outcome is not LlmOutcome.ASKING:
        return LlmChoice(of, names, ready.outcome, ready.sentence)
    if len(names) < 2:
        return LlmChoice(of, names, LlmOutcome.OFF, TOO_FEW)
    now_ms, metrics = llm.now_ms, llm.metrics
    task = asyncio.create_task(client.choose(query, offered))
    stopwatch = Stopwatch(task, now_ms)
    metrics.llm_started += 1
    status = "cancelled"
    try:
        await asyncio.wait({task}, timeout=settings.search_intent.llm_timeout_ms / 1000.0)
        ms = stopwatch.ms
        ended = task.done() and ms <= settings.search_intent.llm_timeout_ms
        found = result_in_time(task, settings, ms)
        status = COMPLETED.get(found.outcome, "error") if ended else "timeout"
    finally:
        task.cancel()
        metrics.llm_completed[status] += 1
        await asyncio.gather(task, return_exceptions=True)
    metrics.outcomes[found.outcome.value] += 1
    return LlmChoice(
        of,
        names,
        found.outcome,
        found.sentence,
        found.answer.mode if found.answer is not None else ready.mode,
        ms,
        ready.budget_ms,
        found.answer,
        prompt=found.prompt,
        reply=found.reply,
    )


def result_in_time(task: asyncio.Task[LlmAnswer], settings: Settings, ms: float) -> RequestResult:
    """Return the result of a task that has ended after `ms`, or whose budget has."""
    budget = settings.search_intent.llm_timeout_ms
    if not task.done() or ms > budget:
        return RequestResult(LlmOutcome.TIMED_OUT, sentence=f"The LLM did not answer within {budget} ms.")
    return confident(request_result(task), settings.search_intent.min_confidence)


def confident(found: RequestResult, least: float) -> RequestResult:
    """Return the result; an answer below `least` has low confidence."""
    is_low = found.answer is not None and found.answer.confidence < least
    return replace(found, outcome=LlmOutcome.LOW_CONFIDENCE) if is_low else found
