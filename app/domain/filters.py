"""Queries of the library: filters, sort orders, search results and bulk edits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from app.domain.case import Task
from app.domain.confidence import checked_confidence
from app.domain.library import Memory


class MemoryOrder(StrEnum):
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
    KEY = "key"
    TEXT = "text"
    TASK = "task"
    EXPECTED = "expected"


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Filter of memories; None, and "" as the text, match everything.

    Each word of `text` must start a word in triggers, id, label, tags or response. `namespace`, `label` ("": none),
    `tag` and `source` must be equal. Ranges include both ends. Times are UTC like "2026-11-22"; the end of a range of
    times is exclusive.
    """

    text: str = ""
    namespace: str | None = None
    label: str | None = None
    tag: str | None = None
    source: str | None = None
    success: tuple[float, float] | None = None
    usage: tuple[int, int] | None = None
    right: tuple[int, int] | None = None
    updated_from: str | None = None
    updated_to: str | None = None
    paused: bool | None = None


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Filter of cases: text in query or answers, ignoring case, and the task."""

    text: str = ""
    task: Task | None = None


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """Bulk edit of memories; None leaves a field unchanged, an empty label removes the label."""

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
        """Return the memory after the edit; equal to it if nothing changes."""
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
    """Return the memories that the edit changes, after the edit."""
    changed: Callable[[Memory], Memory] = edit.applied
    pairs = ((memory, changed(memory)) for memory in memories)
    return [after for before, after in pairs if after != before]


# ---- Query result: keys in order and one page of rows

PAGE = 60
"""Number of rows fetched with the keys; the view fetches others when it shows them."""

MOST_RANGES = 500
"""Maximum number of ranges in a selection that is restored after sorting."""


@dataclass(frozen=True, slots=True)
class View:
    """State of a list view: keys of the selected rows, the current row and the top row."""

    selected: Sequence[int] = ()
    current: int | None = None
    top: int | None = None


WHOLE = View()
"""View at the top of a list, with nothing selected."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Keys in order, their total, the rows of the first visible page, and the view's state.

    `selected` holds ranges (first, last) of positions; `current` and `top` are positions, None if the row is not
    among the keys.
    """

    keys: Sequence[int]
    whole: int
    rows: Mapping[int, Any] = field(default_factory=dict)
    selected: Sequence[tuple[int, int]] = ()
    current: int | None = None
    top: int | None = None


def places(keys: Sequence[int], kept: Collection[int]) -> list[tuple[int, int]]:
    """Return the positions of keys as inclusive ranges (first, last); empty if too many."""
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
    """Return the position of a key, None if absent."""
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
    """Combine keys, the rows of the first visible page, and the view's positions among them.

    `around` also fetches rows above the top of the view. Takes milliseconds for many keys.
    """
    top = place_of(keys, view.top)
    first = max(0, (top or 0) - PAGE // 2) if around else top or 0
    rows = rows_of(keys[first : first + (2 * PAGE if around else PAGE)])
    selected = places(keys, view.selected) if view.selected else ()
    return SearchResult(keys, whole, rows, selected, place_of(keys, view.current), top)
