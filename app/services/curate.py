"""Teaching by hand: new memories, more triggers, right and wrong; each step can be undone and redone (S7.2)."""

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
Act = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back, in a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Redone:
    """What a redo did again, in a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Taken:
    """One step of a person: how it is taken back and done again, and the sentence for each."""

    undone: str
    take_back: Act
    redone: str
    do_again: Act


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
        self._done: list[Taken] = []
        self._undone: list[Taken] = []

    async def teach(self, memory: Memory) -> Memory:
        """Store a new memory and answer with it at once; StoreError if it cannot be kept."""
        async with self._desk.writing:
            stored = await self._desk.in_store(lambda library: library.put_memory(memory))
            await self._score_with(stored)
            self._remember(
                Taken(
                    f"“{stored.name}” is no longer taught.",
                    lambda: self._forget(stored),
                    f"“{stored.name}” is taught again.",
                    lambda: self._put(stored),
                )
            )
        return stored

    async def add_trigger(self, answer: Answer, text: str) -> Answer:
        """Teach a text as one more trigger of a memory, or example of a power; KnownError if it is one already."""
        async with self._desk.writing:
            if text in self.current(answer).triggers:
                raise KnownError(f"“{text}” is a trigger of {answer.name} already.")
            changed = await self._with_trigger(answer, text)
            self._remember(
                Taken(
                    f"“{text}” is no longer a trigger of {answer.name}.",
                    lambda: self._without_trigger(answer, text),
                    f"“{text}” is a trigger of {answer.name} again.",
                    lambda: self._with_trigger(answer, text),
                )
            )
        return changed

    async def mark(self, answer: Answer, query: str, *, fits: bool) -> Answer:
        """Say that an answer was right or wrong for a query: its success score moves; a right one becomes a case.

        KnownError for a power marked wrong: it has no success score, and nobody said which answer would be right.
        """
        cases = [_case(answer, query)] if fits else []
        async with self._desk.writing:
            before = self.current(answer)
            changed = _marked(before, fits)
            held = await self._desk.in_store(lambda library: _held(library, cases))

            async def do_again() -> None:
                await self._set_success(changed)
                await self._desk.in_store(lambda library: library.add_cases(cases))
                await self._desk.library_changed()

            async def take_back() -> None:
                await self._set_success(before)
                await self._desk.in_store(lambda library: _put_back(library, cases, held))
                await self._desk.library_changed()

            await do_again()
            self._remember(
                Taken(
                    f"{answer.name} is no longer marked for “{query}”.",
                    take_back,
                    f"{answer.name} is marked for “{query}” again.",
                    do_again,
                )
            )
        return changed

    async def undo(self) -> Undone | None:
        """Take back the last step; None if there is none. A step that cannot be taken back now stays the last."""
        async with self._desk.writing:
            if not self._done:
                return None
            await self._done[-1].take_back()
            step = self._done.pop()
            self._undone.append(step)
            return Undone(step.undone)

    async def redo(self) -> Redone | None:
        """Do the step again that was taken back last; None if there is none, or a new step came since.

        A step that cannot be done again now stays the next.
        """
        async with self._desk.writing:
            if not self._undone:
                return None
            await self._undone[-1].do_again()
            step = self._undone.pop()
            self._done.append(step)
            return Redone(step.redone)

    def current(self, answer: Answer) -> Answer:
        """The answer as it is now, which may be newer than what a person had on screen."""
        return self._desk.engine.index.answer(key_of(answer)) or answer

    # ---- how; `writing` is held

    def _remember(self, step: Taken) -> None:
        self._done.append(step)
        self._undone.clear()
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

    async def _set_success(self, marked: Answer) -> None:
        """Give a memory the success score and the count of another state of it, and leave the rest as it is now."""
        now = self.current(marked)
        if isinstance(now, Memory) and isinstance(marked, Memory):
            await self._put(replace(now, success=marked.success, usage=marked.usage))

    async def _with_trigger(self, answer: Answer, text: str) -> Answer:
        now = self.current(answer)
        changed: Answer
        if isinstance(now, Power):
            changed = replace(now, examples=(*now.examples, text))
        else:
            changed = replace(now, triggers=(*now.triggers, text))
        await self._put(changed)
        return changed

    async def _without_trigger(self, answer: Answer, text: str) -> None:
        now = self.current(answer)
        if isinstance(now, Power):
            await self._put(replace(now, examples=tuple(kept for kept in now.examples if kept != text)))
        else:
            await self._put(replace(now, triggers=tuple(kept for kept in now.triggers if kept != text)))

    async def _forget(self, answer: Answer) -> None:
        kind, key = key_of(answer)
        await self._desk.in_store(lambda library: library.remove_memory(key))
        self._desk.engine.index.remove((kind, key))
        await self._desk.library_changed()


def _marked(answer: Answer, fits: bool) -> Answer:
    if isinstance(answer, Memory):
        moved = right(answer.success) if fits else wrong(answer.success)
        return replace(answer, success=moved, usage=answer.usage + fits)
    if not fits:
        raise KnownError(f"{answer.name} is a power: it has no success score that a wrong mark could lower.")
    return answer


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
