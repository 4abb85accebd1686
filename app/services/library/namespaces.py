"""Namespaces: count, add, rename, remove."""

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
"""The longest name of a namespace, in characters."""

FIXED = ("environment", "command line")
"""Origins of settings that override a choice in the profile."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A namespace's old and new name, and how many memories were moved."""

    old: str
    new: str
    moved: int


async def count_namespaces(core: Core) -> Mapping[str, int]:
    """How many memories are in each namespace that has any; StoreError."""
    facets = await core.in_store(lambda library: library.facets())
    return dict(facets["namespace"])


async def add_namespace(core: Core, name: str) -> str:
    """Add an empty namespace; its name as it is kept. KnownError if that is none, or is known."""
    name = checked_name(name)
    if name in core.settings.namespaces.all or name in await count_namespaces(core):
        raise KnownError(f"The namespace “{name}” already exists.")
    await core.choose_all({MORE: ", ".join((*core.settings.namespaces.own, name))})
    return name


async def remove_namespace(core: Core, name: str) -> None:
    """Remove an empty namespace that a person added, with its weights; KnownError if it is not that."""
    if name in NAMESPACES:
        raise KnownError(f"“{name}” belongs to the program and cannot be removed.")
    if count := (await count_namespaces(core)).get(name, 0):
        held = "a memory" if count == 1 else f"{count:,} memories"
        raise KnownError(f"“{name}” holds {held}; rename it to move them first.")
    await core.choose_all({**_without(core, name), **_own_weights(core, name)})


async def rename_namespace(core: Core, journal: Journal, old: str, new: str) -> Renamed:
    """Move all memories of a namespace into another as one step of the journal; KnownError, StoreError.

    One that did not exist takes over the weights. The old one keeps its own as long as an undo may bring its memories
    back: it goes at once only if there were none, and otherwise when it is removed.
    """
    new = checked_name(new)
    if new == old:
        return Renamed(old, new, 0)
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
    # What the environment or the command line says stays as it is said there.
    await core.choose_all({key: value for key, value in changes.items() if core.origins.get(key) not in FIXED})
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


def _without(core: Core, name: str) -> dict[str, str | None]:
    own = core.settings.namespaces.own
    left = ", ".join(other for other in own if other != name)
    return {MORE: left or None} if name in own else {}


def _own_weights(core: Core, name: str) -> dict[str, str | None]:
    """The weights that were chosen for a namespace here, to be forgotten."""
    chosen = (weight_key(type_, name) for type_ in IntentType)
    return {key: None for key in chosen if core.origins.get(key) == "here"}
