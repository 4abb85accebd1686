"""Everything that is known of one memory: itself, its past, the cases that expect it, and what is near it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.case import Case, Task
from app.domain.filters import CaseFilter
from app.domain.journal import Revision, ThingKind
from app.domain.library import Memory
from app.ports.store import Dated, Library
from app.services.desks import WithEngine, WithStore
from app.services.neighbours import Neighbour, centroid_of, neighbours, unit_mean

MOST_CASES = 200


class Desk(WithEngine, WithStore, Protocol):
    """What a close look needs of the desk: the engine, and the store on its thread."""


@dataclass(frozen=True, slots=True)
class CloseLook:
    """One memory with its dates; its revisions, newest first; cases that expect it; memories near it, nearest first.

    `has_meaning` is False while it has no vectors, as where the encoder is still loading.
    """

    dated: Dated[Memory]
    revisions: Sequence[Revision] = ()
    cases: Sequence[Case] = ()
    near: Sequence[Neighbour] = ()
    has_meaning: bool = False

    @property
    def memory(self) -> Memory:
        return self.dated.item


async def look_closely(desk: Desk, key: int) -> CloseLook | None:
    """Look at the memory of a key; None if it is gone. StoreError."""
    found = await desk.in_store(lambda library: _stored(library, key))
    if found is None:
        return None
    dated, revisions, cases = found
    engine = desk.engine
    centroid = centroid_of(engine.index, key)
    if centroid is None and engine.encoder is not None:
        provenance, texts = engine.encoder.provenance, list(dated.item.triggers)
        kept = await desk.in_store(lambda library: library.embeddings(provenance, texts))
        centroid = unit_mean(list(kept.values()))
    near = [] if centroid is None else neighbours(engine.index, key, centroid)
    return CloseLook(dated, revisions, cases, near, centroid is not None)


def _stored(library: Library, key: int) -> tuple[Dated[Memory], list[Revision], list[Case]] | None:
    found = library.memories_by_key([key])
    if not found:
        return None
    memory = found[0].item
    cases = _expecting(library, Task.MEMORY, memory.name)
    if memory.answer_label is not None:
        cases += _expecting(library, Task.INTENT, memory.answer_label)
    return found[0], library.history(ThingKind.MEMORY, key), cases[:MOST_CASES]


def _expecting(library: Library, task: Task, answer: str) -> list[Case]:
    """The cases of a task that expect an answer of this name, exactly."""
    if answer.isascii() and answer.isprintable() and not set(answer) & {'"', "\\"}:
        keys = library.find_cases(CaseFilter(text=answer, task=task))
        candidates = [dated.item for dated in library.cases_by_key(keys)]
    else:  # such a name may be written in another way where it is stored
        candidates = library.cases(task)
    return [case for case in candidates if answer in case.expected]
