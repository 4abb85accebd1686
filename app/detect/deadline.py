"""What a finished request to the LLM came to: an answer, or an outcome with a sentence; never an exception."""

from __future__ import annotations

import asyncio
import logging

from app.domain.llm import LlmAnswer, LlmOutcome
from app.ports import LlmError

log = logging.getLogger(__name__)


def outcome_of(task: asyncio.Task[LlmAnswer]) -> tuple[LlmOutcome, LlmAnswer | None, str]:
    """The outcome of a task that is done. What no LlmError foresaw is logged with its trace and counts as failed."""
    if task.cancelled():
        return LlmOutcome.SUPERSEDED, None, "Cancelled by a newer query."
    error = task.exception()
    if error is None:
        return LlmOutcome.ANSWERED, task.result(), ""
    if isinstance(error, LlmError):
        return error.outcome, None, str(error)
    log.error("asking the LLM failed", exc_info=error)
    return LlmOutcome.FAILED, None, f"Asking the LLM failed: {type(error).__name__}."
