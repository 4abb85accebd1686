"""Test doubles of the ports, simple enough to be evidently correct."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from app.domain.llm import LlmAnswer, LlmOutcome, Option
from app.ports.llm import LlmError, LlmState
from tests.memory_library import MemoryLibrary

__all__ = ["Clock", "MemoryLibrary", "ScriptedLlm"]


class Clock:
    """Clock in seconds that the test sets; it starts in November 2026."""

    now = 1_795_305_600.0

    def __call__(self) -> float:
        return self.now


class ScriptedLlm:
    """LlmClient that is ready immediately, and answers after a set time or raises."""

    def __init__(self, answer: LlmAnswer | LlmError | Exception, *, seconds: float = 0.0) -> None:
        self.answer = answer
        self.seconds = seconds
        self.state = LlmState(LlmOutcome.COLD, "The model is loading.", "scripted")
        self.next_state = LlmState(LlmOutcome.ANSWERED, "", "scripted", "json")
        self.loaded = True
        self.asked: list[str] = []
        self.cancelled: list[str] = []
        self.closed = False
        self.warmed_routes = False
        self.route_answer: LlmAnswer | Exception = LlmAnswer("graph_traversal", 0.8, "json", reasoning="It says so.")

        self.choice: LlmAnswer | Exception = LlmAnswer("none", 0.9, "json")
        self.offered: list[list[str]] = []

    async def warm(self) -> LlmState:
        self.state = self.next_state
        return self.state

    async def is_loaded(self) -> bool:
        return self.loaded

    async def classify(self, query: str) -> LlmAnswer:
        return await self._answered(query, self.answer)

    async def describe(self, query: str) -> LlmAnswer:
        return replace(await self.classify(query), topics=("described",))

    async def warm_routes(self) -> None:
        self.warmed_routes = True

    async def route(self, query: str) -> LlmAnswer:
        return await self._answered(query, self.route_answer)

    async def choose(self, query: str, options: Sequence[Option]) -> LlmAnswer:
        self.offered.append([option.name for option in options])
        return await self._answered(query, self.choice)

    async def _answered(self, query: str, answer: LlmAnswer | Exception) -> LlmAnswer:
        self.asked.append(query)
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled.append(query)
            raise
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None:
        self.closed = True
