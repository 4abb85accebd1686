"""What a finished request to the LLM came to: an answer, or an outcome with a sentence; never an exception."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from app.domain.llm import LlmAnswer, LlmOutcome
from app.ports.llm import LlmError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ended:
    """What a request came to: an answer or none, a sentence where one helps, and what was asked and said, raw."""

    outcome: LlmOutcome
    answer: LlmAnswer | None = None
    sentence: str = ""
    prompt: str = ""
    reply: str = ""


def ended(task: asyncio.Task[LlmAnswer]) -> Ended:
    """The outcome of a task that is done. What no LlmError foresaw is logged with its trace and counts as failed."""
    if task.cancelled():
        return Ended(LlmOutcome.SUPERSEDED, sentence="Cancelled by a newer query.")
    error = task.exception()
    if error is None:
        answer = task.result()
        return Ended(LlmOutcome.ANSWERED, answer, prompt=answer.prompt, reply=answer.reply)
    if isinstance(error, LlmError):
        return Ended(error.outcome, None, str(error), error.prompt, error.reply)
    log.error("asking the LLM failed", exc_info=error)
    return Ended(LlmOutcome.FAILED, sentence=f"Asking the LLM failed: {type(error).__name__}.")
