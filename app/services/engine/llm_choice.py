"""LLM choice among the engine's best answers: within its budget, cancellable, explained."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TypeVar

from app.domain.llm import Choice, ChoiceAnswer, LlmOutcome, Option
from app.domain.route import RouteAnswer
from app.ports.llm import LlmError
from app.services.engine.llm_lane import COMPLETED, LlmLane, Stopwatch
from app.settings.model import Settings

log = logging.getLogger(__name__)

Answer = TypeVar("Answer", ChoiceAnswer, RouteAnswer)

TOO_FEW = "There are no two answers to choose from."


async def choose(lane: LlmLane, query: str, of: str, offered: Sequence[Option], settings: Settings) -> Choice:
    """Ask the LLM to choose, within `llm_timeout_ms` from dispatch; never raises LlmError.

    Cancelling the task cancels the request on the wire.
    """
    names = tuple(option.name for option in offered)
    client, ready = lane.client, lane.first_report(settings, 0.0)
    if client is None or ready.outcome is not LlmOutcome.ASKING:
        return Choice(of, names, ready.outcome, ready.sentence)
    if len(names) < 2:
        return Choice(of, names, LlmOutcome.OFF, TOO_FEW)
    clock, metrics = lane.clock, lane.metrics
    task = asyncio.create_task(client.choose(query, offered))
    stopwatch = Stopwatch(task, clock)
    metrics.llm_started += 1
    status = "cancelled"
    try:
        await asyncio.wait({task}, timeout=settings.search_intent.llm_timeout_ms / 1000.0)
        ms = stopwatch.ms
        ended = task.done() and ms <= settings.search_intent.llm_timeout_ms
        outcome, answer, sentence = result_of(task, settings, ms)
        status = COMPLETED.get(outcome, "error") if ended else "timeout"
    finally:
        task.cancel()
        metrics.llm_completed[status] += 1
        await asyncio.gather(task, return_exceptions=True)
    metrics.outcomes[outcome.value] += 1
    error = None if not ended or task.cancelled() else task.exception()
    prompt, reply = _raw(answer, error)
    return Choice(
        of,
        names,
        outcome,
        sentence,
        answer.mode if answer is not None else ready.mode,
        ms,
        ready.budget_ms,
        answer,
        prompt=prompt,
        reply=reply,
    )


def result_of(task: asyncio.Task[Answer], settings: Settings, ms: float) -> tuple[LlmOutcome, Answer | None, str]:
    """Return outcome, answer (if any) and a sentence of an LLM task.

    The task has ended after `ms`, or its budget has.
    """
    budget = settings.search_intent.llm_timeout_ms
    if not task.done() or ms > budget:
        return LlmOutcome.TIMED_OUT, None, f"The LLM did not answer within {budget} ms."
    if task.cancelled():
        return LlmOutcome.SUPERSEDED, None, "A newer question took the LLM’s place."
    error = task.exception()
    if error is None:
        answer = task.result()
        low = answer.confidence < settings.search_intent.min_confidence
        return LlmOutcome.LOW_CONFIDENCE if low else LlmOutcome.ANSWERED, answer, ""
    if isinstance(error, LlmError):
        return error.outcome, None, str(error)
    log.error("asking the LLM failed", exc_info=error)
    return LlmOutcome.FAILED, None, f"Asking the LLM failed: {type(error).__name__}."


def _raw(answer: ChoiceAnswer | None, error: BaseException | None) -> tuple[str, str]:
    """Return prompt and reply verbatim, as far as they are known."""
    if answer is not None:
        return answer.prompt, answer.reply
    return (error.prompt, error.reply) if isinstance(error, LlmError) else ("", "")
