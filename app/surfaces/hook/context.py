"""Context of a prompt: its surfaced memories, improved until the time is over."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import BinaryIO

from app.detect.surfacing import Surfaced
from app.display.words import visible
from app.domain.errors import KnownError
from app.domain.fits import FitPolicy
from app.domain.history import UsageCounter
from app.domain.inspection import Inspection, Phase
from app.domain.match import Query
from app.services.status import FIT, EncoderState
from app.services.workbench import Workbench
from app.settings.model import Settings, SettingsError
from app.surfaces.hook.budget import EVENT, START, Answer, Budget, event_in
from app.surfaces.hook.entry import MOST_INPUT_BYTES
from app.surfaces.mcp.assistant_workbench import until_scored

BY_WORDS = "the prompt was answered by its words alone, without meaning"

LEARNING_SECONDS = 0.5
"""Longest wait for stored fits, in seconds; the budget is for the answer."""


class PromptError(KnownError):
    """Stdin has no prompt of a hook."""


def prompt_of(stream: BinaryIO) -> str:
    """Return the prompt in an assistant's JSON input; raises PromptError if there is none."""
    read = stream.read(MOST_INPUT_BYTES)
    try:
        given = json.loads(read.decode(json.detect_encoding(read), "replace"), strict=False)
    except (ValueError, RecursionError):
        raise PromptError("The hook takes the JSON of an assistant's prompt on stdin; this is none.") from None
    prompt = given.get("prompt") if isinstance(given, dict) else None
    parts = [_text_of(part) for part in prompt] if isinstance(prompt, list) else [_text_of(prompt)]
    texts = [part for part in parts if part is not None]
    if not texts:
        named = (
            "" if (event := event_in(read)) == EVENT else f" It is of the event {event}; connect the hook to {EVENT}."
        )
        raise PromptError(f"The hook's input has no field “prompt” with a text.{named}")
    return "\n".join(texts)


def _text_of(part: object) -> str | None:
    """Return a text, or that of a content block; None for pictures and others."""
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def add_context(
    answer: Answer, budget: Budget, make_workbench: Callable[[], Workbench], settings: Callable[[], Settings]
) -> None:
    """Fill the answer within the budget; report errors on stderr and keep the answer so far."""
    try:
        serve = settings().serve
        budget.last(serve.hook_budget_ms)
        if not serve.keep_engine:
            answer.finish()
        if answer.event == START:
            return
        prompt = prompt_of(sys.stdin.buffer)
        if not Query.of(prompt).is_empty:
            asyncio.run(_fill(answer, make_workbench(), budget, prompt))
    except (KnownError, SettingsError) as error:
        print(f"intentscope: {in_words(error)}", file=sys.stderr)


def in_words(error: Exception) -> str:
    """Return the error's message, escaped for the terminal."""
    return visible(str(error))


async def _fill(answer: Answer, workbench: Workbench, budget: Budget, prompt: str) -> None:
    """Improve the answer step by step, until it is final or the time is over."""
    workbench.learning.policy = FitPolicy.NEVER
    await workbench.open(watch=False)
    workbench.library  # noqa: B018  (StoreError if it could not be opened)
    budget.last(workbench.settings.serve.hook_budget_ms)
    if not workbench.settings.serve.keep_engine:
        answer.finish()
    given: Context | None = None
    async with aclosing(contexts(workbench, prompt)) as better:
        async for given in better:
            answer.context, answer.lacks = given.text, given.lacks
    answer.give()
    if given is not None:  # the answer is out: the remaining time is for the log
        workbench.history.note_prompt(given.inspection, given.surfaced)
        await workbench.history.recorder.flush()
    if workbench.status().encoder_state is EncoderState.FAILED:
        print(f"intentscope: {BY_WORDS}: {visible(workbench.status().faults.get('encoder', ''))}", file=sys.stderr)
    if stale := workbench.status().notes.get(FIT):
        print(f"intentscope: {visible(stale)}", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Context:
    """Context of a prompt, and what it lacks ("" for nothing)."""

    inspection: Inspection
    surfaced: Surfaced
    lacks: str

    @property
    def text(self) -> str:
        return self.surfaced.text


async def contexts(workbench: Workbench, prompt: str) -> AsyncGenerator[Context, None]:
    """Yield the context: lexical, with vectors, with the LLM if set up; nothing is stored."""
    if Query.of(prompt).is_empty:
        return
    if workbench.status().encoder_state is EncoderState.LOADING:
        found = await workbench.settle_as(prompt, {})
        yield Context(found, await workbench.surface(found), BY_WORDS)
        await until_scored(workbench, _no_progress, LEARNING_SECONDS)
    last: Context | None = None
    async with aclosing(workbench.inspect(prompt, typing=False, route=False)) as answers:
        async for inspection in answers:
            lacks = BY_WORDS if inspection.phase is Phase.FLOOR else "the prompt was answered without the LLM"
            last = Context(inspection, await workbench.surface(inspection), lacks)
            if inspection.phase is Phase.MERGED and not inspection.absent and not inspection.is_choosing:
                break  # later LLM answers change nothing (S4.6)
            yield last
    if last is not None:
        inside = len(last.surfaced.inside)
        workbench.usage.count(UsageCounter.MEMORIES, "injected", inside)
        workbench.usage.count(UsageCounter.MEMORIES, "cut", len(last.surfaced.entries) - inside)
        yield replace(last, lacks="")


async def _no_progress(done: float, total: float | None, sentence: str) -> None: ...
