"""What a person does with namespaces: count, add, rename and remove them, and weigh them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.errors import KnownError
from app.domain.filters import MemoryEdit, MemoryFilter
from app.domain.intent import IntentType
from app.domain.library import NAMESPACES
from app.services.core import Core
from app.services.library.journal import Journal
from app.settings.namespaces import default_weight, weight_key

MORE = "namespaces.more"
LONGEST = 100
"""So many characters a namespace's name may have."""

FIXED = ("environment", "command line")
"""Origins that win over a choice made at the desk."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A namespace's old and new name, and how many memories were moved."""

    old: str
    new: str
    moved: int


async def count_namespaces(desk: Core) -> Mapping[str, int]:
    """How many memories are in each namespace that has any; StoreError."""
    facets = await desk.in_store(lambda library: library.facets())
    return dict(facets["namespace"])


async def add_namespace(desk: Core, name: str) -> str:
    """Add an empty namespace; its name as it is kept. KnownError if that is none, or is known."""
    name = checked_name(name)
    if name in desk.settings.namespaces.all or name in await count_namespaces(desk):
        raise KnownError(f"There is a namespace “{name}” already.")
    await desk.choose_all({MORE: ", ".join((*desk.settings.namespaces.own, name))})
    return name


async def remove_namespace(desk: Core, name: str) -> None:
    """Remove an empty namespace that a person added, with its weights; KnownError if it is not that."""
    if name in NAMESPACES:
        raise KnownError(f"“{name}” belongs to the program and cannot be removed.")
    if count := (await count_namespaces(desk)).get(name, 0):
        held = "a memory" if count == 1 else f"{count:,} memories"
        raise KnownError(f"“{name}” holds {held}; rename it to move them first.")
    await desk.choose_all({**_without(desk, name), **_own_weights(desk, name)})


async def rename_namespace(desk: Core, journal: Journal, old: str, new: str) -> Renamed:
    """Move all memories of a namespace into another as one step of the journal; KnownError, StoreError.

    One that did not exist takes over the weights. The old one keeps its own as long as an undo may bring its memories
    back: it goes at once only if there were none, and otherwise when it is removed.
    """
    new = checked_name(new)
    if new == old:
        return Renamed(old, new, 0)
    counts = await count_namespaces(desk)
    is_new = new not in desk.settings.namespaces.all and new not in counts
    keys = await desk.in_store(lambda library: library.find_memories(MemoryFilter(namespace=old)))
    edit = MemoryEdit(namespace=new)
    moved = await journal.count_edited(keys, edit) if keys else 0
    if moved:
        await journal.edit_many(keys, edit)
    changes: dict[str, str | None] = {}
    if is_new:
        weights = desk.settings.namespaces
        for type_ in IntentType:
            if (weight := weights.weight(type_, old)) != default_weight(type_, new):
                changes[weight_key(type_, new)] = f"{weight:g}"
    if old not in NAMESPACES and not moved:
        changes |= {**_without(desk, old), **_own_weights(desk, old)}
    if is_new:
        names = [name for name in desk.settings.namespaces.own if moved or name != old]
        changes[MORE] = ", ".join((*names, new))
    # What the environment or the command line says stays as it is said there.
    await desk.choose_all({key: value for key, value in changes.items() if desk.origins.get(key) not in FIXED})
    return Renamed(old, new, moved)


def checked_name(name: str) -> str:
    """A name without needless white space; KnownError if it cannot be a namespace's."""
    name = " ".join(name.split())
    if not name:
        raise KnownError("A namespace needs a name.")
    if "," in name or "=" in name or not name.isprintable():
        raise KnownError("The name of a namespace holds no comma and no equals sign.")
    if len(name) > LONGEST:
        raise KnownError(f"The name of a namespace has at most {LONGEST} characters.")
    return name


def _without(desk: Core, name: str) -> dict[str, str | None]:
    own = desk.settings.namespaces.own
    left = ", ".join(other for other in own if other != name)
    return {MORE: left or None} if name in own else {}


def _own_weights(desk: Core, name: str) -> dict[str, str | None]:
    """The weights that were chosen for a namespace here, to be forgotten."""
    chosen = (weight_key(type_, name) for type_ in IntentType)
    return {key: None for key in chosen if desk.origins.get(key) == "here"}
