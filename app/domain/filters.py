"""What people look for in the library: filters, orders, and edits of many memories at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from app.domain.case import Task
from app.domain.confidence import checked_confidence
from app.domain.library import Memory


class MemoryOrder(StrEnum):
    """What memories can be sorted by."""

    KEY = "key"
    TRIGGER = "trigger"
    ID = "id"
    LABEL = "label"
    RESPONSE = "response"
    NAMESPACE = "namespace"
    TAGS = "tags"
    SUCCESS = "success"
    USAGE = "usage"
    PAUSED = "paused"
    SOURCE = "source"
    CREATED = "created"
    UPDATED = "updated"


class CaseOrder(StrEnum):
    """What cases can be sorted by."""

    KEY = "key"
    TEXT = "text"
    TASK = "task"
    EXPECTED = "expected"


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories; None and the empty text ask for nothing.

    `text` is any number of words, each of which begins a word somewhere in triggers, id, label, tags or response;
    `namespace`, `label`, `tag` and `source` are whole; ranges include their ends; times are UTC like "2026-11-22", and
    a range of times ends just before the time that it names.
    """

    text: str = ""
    namespace: str | None = None
    label: str | None = None
    tag: str | None = None
    source: str | None = None
    success: tuple[float, float] | None = None
    usage: tuple[int, int] | None = None
    created_from: str | None = None
    created_to: str | None = None
    updated_from: str | None = None
    updated_to: str | None = None
    paused: bool | None = None


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Which cases: those whose text or answers hold this text in any case of letters, and those of a task."""

    text: str = ""
    task: Task | None = None


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """One change for many memories; None leaves a thing as it is, the empty label takes the label away."""

    namespace: str | None = None
    label: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    paused: bool | None = None
    success: float | None = None

    def __post_init__(self) -> None:
        if self.success is not None:
            checked_confidence(self.success)

    def applied(self, memory: Memory) -> Memory:
        """The memory as the edit leaves it; equal to it where there is nothing to change."""
        kept = tuple(tag for tag in memory.tags if tag not in self.remove_tags)
        added = tuple(tag for tag in dict.fromkeys(self.add_tags) if tag not in kept)
        return replace(
            memory,
            namespace=memory.namespace if self.namespace is None else self.namespace,
            intent=memory.intent if self.label is None else self.label or None,
            tags=(*kept, *added),
            paused=memory.paused if self.paused is None else self.paused,
            success=memory.success if self.success is None else self.success,
        )


def touched(edit: MemoryEdit, memories: list[Memory]) -> list[Memory]:
    """Those that the edit changes, as it leaves them."""
    changed: Callable[[Memory], Memory] = edit.applied
    pairs = ((memory, changed(memory)) for memory in memories)
    return [after for before, after in pairs if after != before]
