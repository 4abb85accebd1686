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
"""Maximum length of a namespace's name, in characters."""

FIXED = ("environment", "command line")
"""Origins of settings that override a choice in the profile."""


@dataclass(frozen=True, slots=True)
class Renamed:
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


async def rename_namespace(core: Core, journal: Journal, old: str, new: str) -> Renamed:
    """Move all memories of a namespace into another as one step; raises KnownError, StoreError.

    A new namespace takes over the weights. The old one keeps its weights as long as an undo may restore its memories:
    it is removed at once only if it was empty.
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
    # Values from the environment or command line stay.
    await core.choose_all({key: value for key, value in changes.items() if core.origins.get(key) not in FIXED})
    return Renamed(old, new, moved)


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
