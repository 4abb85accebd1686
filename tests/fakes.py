"""Stand-ins for the outside, small enough to be obviously right."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from app.adapters.restating import restated_memory, restated_power
from app.domain.case import Case, Task
from app.domain.library import Memory, Power
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.query import without_lone_surrogates as clean
from app.domain.rule import Rule
from app.ports import Change, LlmError, LlmState, Provenance, StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.ports import Vectors

T = TypeVar("T")


class MemoryLibrary:
    """A Library in dictionaries: key to thing, gone with the process."""

    def __init__(self) -> None:
        self._memories: dict[int, Memory] = {}
        self._powers: dict[int, Power] = {}
        self._rules: dict[int, Rule] = {}
        self._cases: dict[int, Case] = {}
        self._embeddings: dict[tuple[Provenance, str], NDArray[np.float32]] = {}
        self._settings: dict[str, str] = {}
        self._given = 0

    def memories(self) -> list[Memory]:
        return [self._memories[key] for key in sorted(self._memories)]

    def powers(self) -> list[Power]:
        return list(self._powers.values())

    def rules(self) -> list[Rule]:
        return sorted(self._rules.values(), key=lambda rule: (rule.pack, rule.position))

    def cases(self, task: Task | None = None) -> list[Case]:
        return [case for case in self._cases.values() if task in (None, case.task)]

    def add_memories(self, memories: Iterable[Memory]) -> Change:
        def find(newcomer: Memory) -> int | None:
            if newcomer.id is not None:
                return next((key for key, held in self._memories.items() if held.id == newcomer.id), None)
            same = (newcomer.triggers[0], newcomer.intent)
            found = [key for key, held in self._memories.items() if (held.triggers[0], held.intent) == same]
            return min(found, key=lambda key: (self._memories[key].id is not None, key), default=None)

        incoming = [_clean_memory(memory) for memory in memories]
        return self._add(self._memories, incoming, find, restated_memory, lambda held, key: replace(held, key=key))

    def add_powers(self, powers: Iterable[Power]) -> Change:
        return self._add(
            self._powers,
            list(powers),
            self._by(self._powers, lambda power: power.name),
            restated_power,
            lambda held, key: replace(held, key=key),
        )

    def put_memory(self, memory: Memory) -> Memory:
        memory = _clean_memory(memory)
        if any(memory.id == held.id and memory.key != key for key, held in self._memories.items() if held.id):
            raise StoreError(f"Another memory has the id “{memory.id}” already: give this one a different id.")
        stored = memory if memory.key is not None else replace(memory, key=self._next_key())
        assert stored.key is not None
        self._given = max(self._given, stored.key)
        self._memories[stored.key] = stored
        return stored

    def remove_memory(self, key: int) -> None:
        self._memories.pop(key, None)

    def put_rules(self, rules: Iterable[Rule]) -> Change:
        find = self._by(self._rules, lambda rule: rule.id)
        return self._add(self._rules, list(rules), find, lambda _, new: new, lambda held, _: held)

    def add_cases(self, cases: Iterable[Case]) -> Change:
        return self._add(
            self._cases,
            [replace(case, text=clean(case.text), expected=tuple(map(clean, case.expected))) for case in cases],
            self._by(self._cases, lambda case: (case.task, case.text)),
            lambda held, new: replace(new, key=held.key),
            lambda held, key: replace(held, key=key),
        )

    def remove_cases(self, cases: Iterable[Case]) -> None:
        gone = {(case.task, clean(case.text)) for case in cases}
        self._cases = {key: case for key, case in self._cases.items() if (case.task, case.text) not in gone}

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        known = self._embeddings
        return {text: known[provenance, clean(text)] for text in texts if (provenance, clean(text)) in known}

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors) -> None:
        if vectors.shape != (len(texts), provenance.dimension):
            raise ValueError(f"an array of {vectors.shape} for {len(texts)} texts")
        for text, vector in zip(texts, vectors, strict=True):
            self._embeddings[provenance, clean(text)] = np.array(vector, dtype=np.float32)

    def setting_values(self) -> dict[str, str]:
        return dict(sorted(self._settings.items()))

    def put_setting(self, key: str, value: str | None) -> None:
        self._settings.pop(key, None)
        if value is not None:
            self._settings[key] = clean(value)

    def counts(self) -> Mapping[str, int]:
        return {
            "memories": len(self._memories),
            "powers": len(self._powers),
            "triggers": sum(len(memory.triggers) for memory in self._memories.values()),
            "rules": len(self._rules),
            "cases": len(self._cases),
            "embeddings": len(self._embeddings),
        }

    def data_version(self) -> int:
        return 1  # nobody else can write

    def close(self) -> None:
        pass

    def _next_key(self) -> int:
        self._given += 1
        return self._given

    def _by(self, held: dict[int, T], identity: Callable[[T], Hashable]) -> Callable[[T], int | None]:
        return lambda new: next((key for key, thing in held.items() if identity(thing) == identity(new)), None)

    def _add(
        self,
        held: dict[int, T],
        newcomers: list[T],
        find: Callable[[T], int | None],
        restated: Callable[[T, T], T],
        keyed: Callable[[T, int], T],
    ) -> Change:
        before = dict(held)
        unchanged = 0
        for newcomer in newcomers:
            key = find(newcomer)
            if key is None:
                key = self._next_key()
                held[key] = keyed(newcomer, key)
            elif (thing := restated(held[key], newcomer)) == held[key]:
                unchanged += 1
            else:
                held[key] = thing
        added = tuple(key for key in held if key not in before)
        updated = tuple(key for key, thing in before.items() if held[key] != thing)
        return Change(added, updated, unchanged)


def _clean_memory(memory: Memory) -> Memory:
    return replace(
        memory,
        triggers=tuple(map(clean, memory.triggers)),
        response=clean(memory.response),
        intent=None if memory.intent is None else clean(memory.intent),
        namespace=clean(memory.namespace),
        tags=tuple(map(clean, memory.tags)),
        id=None if memory.id is None else clean(memory.id),
    )


class ScriptedLlm:
    """An LlmClient that is ready at once and answers after a set time, or raises what it was told to."""

    def __init__(self, answer: LlmAnswer | LlmError | Exception, *, seconds: float = 0.0) -> None:
        self.answer = answer
        self.seconds = seconds
        self.state = LlmState(LlmOutcome.COLD, "The model is loading.", "scripted")
        self.next_state = LlmState(LlmOutcome.ANSWERED, "", "scripted", "json")
        self.loaded = True
        self.asked: list[str] = []
        self.cancelled: list[str] = []
        self.closed = False

    async def warm(self) -> LlmState:
        self.state = self.next_state
        return self.state

    async def is_loaded(self) -> bool:
        return self.loaded

    async def classify(self, query: str) -> LlmAnswer:
        self.asked.append(query)
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled.append(query)
            raise
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def describe(self, query: str) -> LlmAnswer:
        return replace(await self.classify(query), topics=("described",))

    async def close(self) -> None:
        self.closed = True
