"""Teaching by hand: new memories, more triggers, right and wrong; each step can be taken back (S7.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from app.domain.case import Case, Task
from app.domain.library import Answer, Memory, Power
from app.ports import KnownError, Library
from app.scoring.index import key_of
from app.services.inspect import Engine

STEP = 0.1
"""How far one mark moves a success score towards 1 or 0 (S7.2)."""

MOST_UNDONE = 200
"""So many steps can be taken back."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back, in a sentence."""

    sentence: str


class Desk(Protocol):
    """What curating needs of the desk: the engine, the store on its thread, and word that something has changed."""

    @property
    def engine(self) -> Engine: ...

    @property
    def writing(self) -> asyncio.Lock:
        """Held while something is changed."""
        ...

    async def in_store(self, call: Callable[[Library], Result]) -> Result: ...

    def score_with(self, answer: Answer) -> None: ...

    async def library_changed(self) -> None: ...


def right(success: float) -> float:
    """The success score after an answer was marked right."""
    return min(1.0, success + STEP * (1.0 - success))


def wrong(success: float) -> float:
    """The success score after an answer was marked wrong."""
    return max(0.0, success - STEP * success)


class Curator:
    """The verbs of one person, with what it takes to take each back."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._done: list[tuple[str, Callable[[], Awaitable[None]]]] = []

    async def teach(self, memory: Memory) -> Memory:
        """Store a new memory and answer with it at once; StoreError if it cannot be kept."""
        async with self._desk.writing:
            stored = await self._desk.in_store(lambda library: library.put_memory(memory))
            await self._score_with(stored)
            self._remember(f"“{stored.name}” is no longer taught.", lambda: self._forget(stored))
        return stored

    async def add_trigger(self, answer: Answer, text: str) -> Answer:
        """Teach a text as one more trigger of a memory, or example of a power; KnownError if it is one already."""
        async with self._desk.writing:
            current = self._current(answer)
            if text in current.triggers:
                raise KnownError(f"“{text}” is a trigger of {answer.name} already.")
            changed: Answer
            if isinstance(current, Power):
                changed = replace(current, examples=(*current.examples, text))
            else:
                changed = replace(current, triggers=(*current.triggers, text))
            await self._put(changed)
            self._remember(
                f"“{text}” is no longer a trigger of {answer.name}.", lambda: self._without_trigger(answer, text)
            )
        return changed

    async def mark(self, answer: Answer, query: str, *, fits: bool) -> Answer:
        """Say that an answer was right or wrong for a query: its success score moves; a right one becomes a case."""
        cases = [_case(answer, query)] if fits else []
        async with self._desk.writing:
            before = self._current(answer)
            changed = before
            if isinstance(before, Memory):
                moved = right(before.success) if fits else wrong(before.success)
                changed = replace(before, success=moved, usage=before.usage + fits)
                await self._put(changed)
            held = await self._desk.in_store(lambda library: _held(library, cases))
            await self._desk.in_store(lambda library: library.add_cases(cases))
            await self._desk.library_changed()

            async def take_back() -> None:
                if isinstance(before, Memory):
                    now = self._current(before)
                    if isinstance(now, Memory):
                        await self._put(replace(now, success=before.success, usage=before.usage))
                await self._desk.in_store(lambda library: _put_back(library, cases, held))
                await self._desk.library_changed()

            self._remember(f"{answer.name} is no longer marked for “{query}”.", take_back)
        return changed

    async def undo(self) -> Undone | None:
        """Take back the last step; None if there is none. A step that cannot be taken back now stays the last."""
        async with self._desk.writing:
            if not self._done:
                return None
            sentence, take_back = self._done.pop()
            try:
                await take_back()
            except KnownError:
                self._done.append((sentence, take_back))
                raise
            return Undone(sentence)

    # ---- how; `writing` is held

    def _current(self, answer: Answer) -> Answer:
        """The answer as it is now, which may be newer than what a person had on screen."""
        return self._desk.engine.index.answer(key_of(answer)) or answer

    def _remember(self, sentence: str, take_back: Callable[[], Awaitable[None]]) -> None:
        self._done.append((sentence, take_back))
        del self._done[:-MOST_UNDONE]

    async def _put(self, answer: Answer) -> None:
        """Store an answer, score with it, and give it the vectors that are known."""
        if isinstance(answer, Power):
            await self._desk.in_store(lambda library: library.add_powers([answer]))
            stored: Answer = answer
        else:
            stored = await self._desk.in_store(lambda library: library.put_memory(answer))
        await self._score_with(stored)

    async def _score_with(self, stored: Answer) -> None:
        self._desk.score_with(stored)
        await self._desk.library_changed()

    async def _without_trigger(self, answer: Answer, text: str) -> None:
        now = self._current(answer)
        if isinstance(now, Power):
            await self._put(replace(now, examples=tuple(kept for kept in now.examples if kept != text)))
        else:
            await self._put(replace(now, triggers=tuple(kept for kept in now.triggers if kept != text)))

    async def _forget(self, answer: Answer) -> None:
        kind, key = key_of(answer)
        await self._desk.in_store(lambda library: library.remove_memory(key))
        self._desk.engine.index.remove((kind, key))
        await self._desk.library_changed()


def _case(answer: Answer, query: str) -> Case:
    if isinstance(answer, Power):
        return Case(query, (answer.name,), Task.POWER)
    if answer.answer_label is not None:
        return Case(query, (answer.answer_label,), Task.INTENT)
    return Case(query, (answer.name,), Task.MEMORY)


def _held(library: Library, cases: list[Case]) -> list[Case]:
    """The stored cases that these would replace."""
    wanted = {(case.task, case.text) for case in cases}
    return [case for case in library.cases() if (case.task, case.text) in wanted]


def _put_back(library: Library, added: list[Case], before: list[Case]) -> None:
    library.remove_cases(added)
    library.add_cases(before)
