"""Overview of one memory: revisions, cases that expect it, neighbours, and accesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.domain.case import Case, Task
from app.domain.filters import CaseFilter
from app.domain.journal import Revision, ThingKind
from app.domain.library import Dated, Kind, Memory
from app.domain.review.history import LoggedAccess
from app.ports.store import Cases, Library
from app.scoring.index.trigger_index import TriggerIndex
from app.services.core import Core

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory, and the cosine (0 to 1) of its nearest trigger with the centroid in question."""

    memory: Memory
    similarity: float


def centroid_of(index: TriggerIndex, key: int) -> NDArray[np.float32] | None:
    """Return the unit mean of a memory's trigger vectors; None without vectors."""
    answer = index.answer((Kind.MEMORY, key))
    if answer is None:
        return None
    rows = [row for text in answer.triggers for row in index.exact.rows(text)[:1] if index.semantic.known[row]]
    return unit_mean([index.semantic.vectors[row] for row in rows])


def unit_mean(vectors: Sequence[NDArray[np.float32]]) -> NDArray[np.float32] | None:
    """Return the unit mean of vectors of one shape; None for none, or a zero mean."""
    if not vectors:
        return None
    mean: NDArray[np.float32] = np.mean(np.stack(list(vectors)), axis=0, dtype=np.float32)
    length = float(np.linalg.norm(mean))
    if length == 0.0:
        return None
    unit: NDArray[np.float32] = np.divide(mean, np.float32(length))
    return unit


def neighbours(index: TriggerIndex, key: int, centroid: NDArray[np.float32], most: int = 6) -> list[Neighbour]:
    """Return the memories nearest to the one of this key, nearest first, in one pass."""
    layout = index.layout()
    if len(layout.slots) == 0:
        return []
    column = np.clip(index.semantic.vectors @ centroid, 0.0, 1.0)
    column[~index.semantic.known] = np.nan
    best = np.array(layout.best(column), np.float32)
    best[layout.power_places] = np.nan
    order = _top(best, min(most + 1, len(best)))
    found = []
    for place in order.tolist():
        answer = index.candidate(int(layout.slots[place])).answer
        if isinstance(answer, Memory) and answer.key != key and not np.isnan(best[place]):
            found.append(Neighbour(answer, float(best[place])))
    return found[:most]


def _top(best: NDArray[np.float32], most: int) -> NDArray[np.intp]:
    filled = -np.nan_to_num(best, nan=-1.0)
    some = np.argpartition(filled, most - 1)[:most]
    return some[np.argsort(filled[some], kind="stable")]


# --------------------------------------------------------------------------------------------------------------------
# Everything about one memory: content, history, cases that expect it, neighbours

MOST_CASES = 200
MOST_ACCESSES = 50


@dataclass(frozen=True, slots=True)
class MemoryOverview:
    """Overview of a memory: dates, revisions (newest first), cases, neighbours (nearest first).

    `has_meaning` is False without vectors, such as while the encoder loads.
    """

    dated: Dated[Memory]
    revisions: Sequence[Revision] = ()
    cases: Sequence[Case] = ()
    near: Sequence[Neighbour] = ()
    has_meaning: bool = False
    accesses: Sequence[LoggedAccess] = ()
    """Accesses by assistants, newest first."""

    @property
    def memory(self) -> Memory:
        return self.dated.item


async def read_memory_overview(core: Core, key: int) -> MemoryOverview | None:
    """Read the overview of a memory by key; None if it is gone; raises StoreError."""
    found = await core.in_store(lambda library: _stored(library, key))
    if found is None:
        return None
    dated, revisions, cases, accesses = found
    engine = core.engine
    centroid = centroid_of(engine.index, key)
    if centroid is None and engine.encoder is not None:
        provenance, texts = engine.encoder.provenance, list(dated.item.triggers)
        kept = await core.in_store(lambda library: library.embeddings(provenance, texts))
        centroid = unit_mean(list(kept.values()))
    near = [] if centroid is None else neighbours(engine.index, key, centroid)
    return MemoryOverview(dated, revisions, cases, near, centroid is not None, accesses)


Stored = tuple[Dated[Memory], list[Revision], list[Case], list[LoggedAccess]]


def _stored(library: Library, key: int) -> Stored | None:
    found = library.memories_by_key([key])
    if not found:
        return None
    memory = found[0].item
    cases = _expecting(library, Task.MEMORY, memory.name)
    if memory.answer_label is not None:
        cases += _expecting(library, Task.INTENT, memory.answer_label)
    accesses = library.accesses_of(key, MOST_ACCESSES)
    return found[0], library.history(ThingKind.MEMORY, key), cases[:MOST_CASES], accesses


def _expecting(library: Cases, task: Task, answer: str) -> list[Case]:
    if answer.isascii() and answer.isprintable() and not set(answer) & {'"', "\\"}:
        keys = library.find_cases(CaseFilter(text=answer, task=task))
        candidates = [dated.item for dated in library.cases_by_key(keys)]
    else:  # such a name may be stored in escaped form
        candidates = library.cases(task)
    return [case for case in candidates if answer in case.expected]
