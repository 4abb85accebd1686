"""What joins a prompt's context: the memories that it surfaces, the better the more time there is."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import BinaryIO

from app.display.visible import visible
from app.domain.errors import KnownError
from app.domain.inspection import Phase
from app.domain.match import Query
from app.services.core import EncoderState
from app.services.workbench import Workbench
from app.settings.model import Settings, SettingsError
from app.surfaces.hook.budget import Answer, Budget
from app.surfaces.mcp.reception import until_scored

MOST_INPUT_BYTES = 2**20
"""A longer input is not read to its end; of a prompt the first 2,000 characters are scored."""

BY_WORDS = "the prompt was answered by its words alone, without meaning"
NO_LLM = "the prompt was answered without the LLM"

LEARNING_SECONDS = 0.5
"""What was learned before is there in less; the budget is for the answer."""


class PromptError(KnownError):
    """What came on stdin is no prompt of a hook."""


def prompt_of(stream: BinaryIO) -> str:
    """The prompt in the JSON that an assistant gives its hook; PromptError if there is none."""
    try:
        given = json.loads(stream.read(MOST_INPUT_BYTES))
    except (ValueError, RecursionError):
        raise PromptError("The hook takes the JSON of an assistant's prompt on stdin; this is none.") from None
    prompt = given.get("prompt") if isinstance(given, dict) else None
    if not isinstance(prompt, str):
        raise PromptError("The hook's input has no field “prompt” with a text.")
    return prompt


def add_context(
    answer: Answer, budget: Budget, make_workbench: Callable[[], Workbench], settings: Callable[[], Settings]
) -> None:
    """Fill the answer as far as the budget goes; what hinders is reported on stderr, and the answer stays as it is."""
    try:
        budget.last(settings().serve.hook_budget_ms)
        prompt = prompt_of(sys.stdin.buffer)
        if not Query.of(prompt).is_empty:
            asyncio.run(_fill(answer, make_workbench(), budget, prompt))
    except (KnownError, SettingsError) as error:
        print(f"intentscope: {visible(str(error))}", file=sys.stderr)


async def _fill(answer: Answer, workbench: Workbench, budget: Budget, prompt: str) -> None:
    """Make the answer better step by step: by the words, then by meaning, then with what the LLM says, if there is one.

    Nothing is kept of the prompt.
    """
    await workbench.open(watch=False)
    workbench.library  # noqa: B018  (StoreError if it could not be opened)
    budget.last(workbench.settings.serve.hook_budget_ms)
    if workbench.status().encoder_state is EncoderState.LOADING:
        answer.context = (await workbench.surface(await workbench.settle_as(prompt, {}))).text
        answer.lacks = BY_WORDS
        await until_scored(workbench, _tell_nobody, LEARNING_SECONDS)
    async for inspection in workbench.inspect(prompt, typing=False):
        answer.context = (await workbench.surface(inspection)).text
        answer.lacks = BY_WORDS if inspection.phase is Phase.FLOOR else NO_LLM
    answer.lacks = ""
    if workbench.status().encoder_state is EncoderState.FAILED:
        print(f"intentscope: {BY_WORDS}: {visible(workbench.status().faults.get('encoder', ''))}", file=sys.stderr)


async def _tell_nobody(done: float, total: float | None, sentence: str) -> None: ...
