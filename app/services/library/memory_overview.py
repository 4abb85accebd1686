"""Overview of one memory: revisions, cases, neighbours, accesses; and all namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter, MemoryEdit, MemoryFilter
from app.domain.history import LoggedAccess
from app.domain.intent import IntentType
from app.domain.journal import ItemKind, Revision
from app.domain.library import NAMESPACES, Dated, Kind, Memory
from app.ports.store import Cases, Library
from app.scoring.index.trigger_index import TriggerIndex
from app.services.core import Core
from app.services.library.journal import Journal
from app.settings.routes import default_weight, weight_key

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


# ---- Everything about one memory: content, history, cases that expect it, neighbours

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
    return found[0], library.history(ItemKind.MEMORY, key), cases[:MOST_CASES], accesses


def _expecting(library: Cases, task: Task, answer: str) -> list[Case]:
    if answer.isascii() and answer.isprintable() and not set(answer) & {'"', "\\"}:
        keys = library.find_cases(CaseFilter(text=answer, task=task))
        candidates = [dated.item for dated in library.cases_by_key(keys)]
    else:  # such a name may be stored in escaped form
        candidates = library.cases(task)
    return [case for case in candidates if answer in case.expected]


# ---- Namespaces: count, add, rename, remove.


MORE = "namespaces.more"
LONGEST = 100
"""Maximum length of a namespace's name, in characters."""

FIXED = ("environment", "command line")
"""Origins of settings that override a choice in the profile."""


@dataclass(frozen=True, slots=True)
class RenamedNamespace:
    """A namespace's old and new name, and the number of moved memories."""

    old: str
    new: str
    moved: int


async def count_namespaces(core: Core) -> Mapping[str, int]:
    """Return the number of memories by namespace; raises StoreError."""
    facets = await core.in_store(lambda library: library.facets())
    return dict(facets["namespace"])


async def add_namespace(core: Core, name: str) -> str:
    """Add an empty namespace; return its stored name. Raises KnownError if invalid or taken."""
    name = checked_name(name)
    if name in core.settings.namespaces.all or name in await count_namespaces(core):
        raise KnownError(f"The namespace “{name}” already exists.")
    await core.choose_all({MORE: ", ".join((*core.settings.namespaces.own, name))})
    return name


async def remove_namespace(core: Core, name: str) -> None:
    """Remove an empty added namespace with its weights; raises KnownError for others."""
    if name in NAMESPACES:
        raise KnownError(f"“{name}” belongs to the program and cannot be removed.")
    if count := (await count_namespaces(core)).get(name, 0):
        held = "a memory" if count == 1 else f"{count:,} memories"
        raise KnownError(f"“{name}” holds {held}; rename it to move them first.")
    await core.choose_all({**_without(core, name), **_own_weights(core, name)})


async def rename_namespace(core: Core, journal: Journal, old: str, new: str) -> RenamedNamespace:
    """Move all memories of a namespace into another as one step; raises KnownError, StoreError.

    A new namespace takes over the weights. The old one keeps its weights as long as an undo may restore its memories:
    it is removed at once only if it was empty.
    """
    new = checked_name(new)
    if new == old:
        return RenamedNamespace(old, new, 0)
    counts = await count_namespaces(core)
    is_new = new not in core.settings.namespaces.all and new not in counts
    keys = await core.in_store(lambda library: library.find_memories(MemoryFilter(namespace=old)))
    edit = MemoryEdit(namespace=new)
    moved = await journal.count_edited(keys, edit) if keys else 0
    if moved:
        await journal.edit_many(keys, edit)
    changes: dict[str, str | None] = {}
    if is_new:
        weights = core.settings.namespaces
        for type_ in IntentType:
            if (weight := weights.weight(type_, old)) != default_weight(type_, new):
                changes[weight_key(type_, new)] = f"{weight:g}"
    if old not in NAMESPACES and not moved:
        changes |= {**_without(core, old), **_own_weights(core, old)}
    if is_new:
        names = [name for name in core.settings.namespaces.own if moved or name != old]
        changes[MORE] = ", ".join((*names, new))
    # Values from the environment or command line stay.
    await core.choose_all({key: value for key, value in changes.items() if core.origins.get(key) not in FIXED})
    return RenamedNamespace(old, new, moved)


def checked_name(name: str) -> str:
    """Return a name with normalised spaces; raises KnownError if invalid for a namespace."""
    name = " ".join(name.split())
    if not name:
        raise KnownError("A namespace needs a name.")
    if "," in name or "=" in name or not name.isprintable():
        raise KnownError("The name of a namespace holds no comma and no equals sign.")
    if len(name) > LONGEST:
        raise KnownError(f"The name of a namespace has at most {LONGEST} characters.")
    return name


def _without(core: Core, name: str) -> dict[str, str | None]:
    own = core.settings.namespaces.own
    left = ", ".join(other for other in own if other != name)
    return {MORE: left or None} if name in own else {}


def _own_weights(core: Core, name: str) -> dict[str, str | None]:
    """Return the removal of a namespace's own weights."""
    chosen = (weight_key(type_, name) for type_ in IntentType)
    return {key: None for key in chosen if core.origins.get(key) == "here"}
