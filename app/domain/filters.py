"""Queries of the library: filters, sort orders, search results with their first page, and bulk edits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from app.domain.case import Task
from app.domain.confidence import checked_confidence
from app.domain.library import Memory


class MemoryOrder(StrEnum):
    """The sort orders of memories."""

    KEY = "key"
    NAME = "name"
    TRIGGER = "trigger"
    ID = "id"
    LABEL = "label"
    RESPONSE = "response"
    NAMESPACE = "namespace"
    TAGS = "tags"
    SUCCESS = "success"
    USAGE = "usage"
    RIGHT = "right"
    PAUSED = "paused"
    SOURCE = "source"
    CREATED = "created"
    UPDATED = "updated"


class CaseOrder(StrEnum):
    """The sort orders of cases."""

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
    right: tuple[int, int] | None = None
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
    """A bulk edit of memories; None leaves a field as it is, the empty label removes the label."""

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
    """The memories that the edit changes, after it."""
    changed: Callable[[Memory], Memory] = edit.applied
    pairs = ((memory, changed(memory)) for memory in memories)
    return [after for before, after in pairs if after != before]


# --------------------------------------------------------------------------------------------------------------------
# Query result: keys in order and one page of rows

PAGE = 60
"""So many rows are fetched with the keys; the others when they are looked at."""

MOST_RANGES = 500
"""A selection that lies in more pieces than this after another sorting is not kept."""


@dataclass(frozen=True, slots=True)
class View:
    """What of a list is selected, current and at the top just now: keys, whose places are asked for anew."""

    selected: Sequence[int] = ()
    current: int | None = None
    top: int | None = None


WHOLE = View()
"""A list seen from its beginning, with nothing selected."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Keys in order, how many there are in all, the rows of the first that will be seen, and where things are now.

    `selected` are ranges (first, last) of what was selected; `current` and `top` are the new places of the current row
    and of the one at the top of the view, None where they are not among the keys.
    """

    keys: Sequence[int]
    whole: int
    rows: Mapping[int, Any] = field(default_factory=dict)
    selected: Sequence[tuple[int, int]] = ()
    current: int | None = None
    top: int | None = None


def places(keys: Sequence[int], kept: Collection[int]) -> list[tuple[int, int]]:
    """Where these keys lie, as ranges of places (first, last), both included; nothing for too many ranges."""
    if len(kept) == len(keys) and keys and set(kept) == set(keys):
        return [(0, len(keys) - 1)]
    wanted = set(kept)
    found: list[tuple[int, int]] = []
    for place, key in enumerate(keys):
        if key not in wanted:
            continue
        if found and found[-1][1] == place - 1:
            found[-1] = (found[-1][0], place)
        else:
            found.append((place, place))
    return found if len(found) <= MOST_RANGES else []


def place_of(keys: Sequence[int], key: int | None) -> int | None:
    """Where one key lies."""
    try:
        return None if key is None else keys.index(key)
    except ValueError:
        return None


def search_result(
    keys: Sequence[int],
    whole: int,
    view: View,
    rows_of: Callable[[Sequence[int]], Mapping[int, Any]],
    *,
    around: bool = True,
) -> SearchResult:
    """The keys with the rows of the first page that is seen, and where the view's things are among the keys.

    With `around` also rows above the top of the view are fetched. May take milliseconds for many keys.
    """
    top = place_of(keys, view.top)
    first = max(0, (top or 0) - PAGE // 2) if around else top or 0
    rows = rows_of(keys[first : first + (2 * PAGE if around else PAGE)])
    selected = places(keys, view.selected) if view.selected else ()
    return SearchResult(keys, whole, rows, selected, place_of(keys, view.current), top)
