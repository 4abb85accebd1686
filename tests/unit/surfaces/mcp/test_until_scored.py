"""Tests that the first answer to an assistant waits for learned weights."""

from __future__ import annotations

import asyncio

from app.services.core import EncoderState
from app.surfaces.mcp.assistant_workbench import until_scored


class Learning:
    """Workbench whose encoder is ready immediately and whose weights follow later."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    class _Status:
        encoder_state, encoder, embedded, to_embed = EncoderState.READY, "x", 1, 1

    def status(self) -> _Status:
        return self._Status()

    async def ready(self) -> None:
        await asyncio.Event().wait()  # an LLM that never reports its state

    async def examples_trained(self) -> None:
        await asyncio.sleep(0)
        self.steps.append("learned")


async def _tell(done: float, total: float | None, sentence: str) -> None: ...


def test_that_the_first_answer_waits_for_what_is_learned_and_not_for_the_llm() -> None:
    bench = Learning()
    asyncio.run(until_scored(bench, _tell))  # type: ignore[arg-type]
    assert bench.steps == ["learned"]


def test_that_a_fit_without_end_is_waited_for_no_longer_than_said_and_then_given_up() -> None:
    bench, gone = Learning(), []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            gone.append("given up")
            raise

    bench.examples_trained = endless  # type: ignore[method-assign]
    asyncio.run(until_scored(bench, _tell, 0.01))  # type: ignore[arg-type]
    assert gone == ["given up"]
