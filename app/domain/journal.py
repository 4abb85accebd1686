"""The journal: edits of the library as steps, and the revisions of each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.case import Case
from app.domain.intent import Rule
from app.domain.language import quantity
from app.domain.library import Memory, Power

Item = Memory | Power | Rule | Case
"""Item of the library that can be added, edited and deleted."""


class ItemKind(StrEnum):
    """Kinds of items; `plural` is also the table's name, and the word in `--kind`."""

    MEMORY = "memory"
    POWER = "power"
    RULE = "rule"
    CASE = "case"

    @property
    def plural(self) -> str:
        return "memories" if self is ItemKind.MEMORY else f"{self}s"


ItemKey = tuple[ItemKind, int]
"""Identity of an item in the journal: its kind and its store key, which is never reused."""

MUCH = 100
"""Number of items from which undoing a step of an earlier day needs a confirmation."""

BY_PLURAL = {kind.plural: kind for kind in ItemKind}

KINDS: dict[type[Item], ItemKind] = {
    Memory: ItemKind.MEMORY,
    Power: ItemKind.POWER,
    Rule: ItemKind.RULE,
    Case: ItemKind.CASE,
}


def kind_of(item: Item) -> ItemKind:
    return KINDS[type(item)]


def name_of(item: Item) -> str:
    """Return the display name of an item: a name, an id or its text."""
    match item:
        case Memory() | Power():
            return item.name
        case Rule():
            return item.id
        case Case():
            return item.text


def counted(kind: ItemKind, count: int) -> str:
    """Format a count of items: "1 memory", "2,000 memories"."""
    return f"{count:,} {kind if count == 1 else kind.plural}"


@dataclass(frozen=True, slots=True)
class Edit:
    """Edit to perform: a past-tense verb ("deleted"), its subject, and where it was started.

    `subject` may be empty if the count is enough; `source` is the window, the command line, or a file name.
    """

    verb: str
    subject: str = ""
    source: str = "window"


def choosing(changes: Mapping[str, str | None], source: str = "window") -> Edit:
    """Describe the edit that sets these settings, or resets all of them if every value is None."""
    pairs = [key if value is None else f"{key} to {value or 'empty'}" for key, value in changes.items()]
    if all(value is None for value in changes.values()):
        return Edit("reset", ", ".join(pairs), source)
    return Edit("set", " and ".join(pairs), source)


@dataclass(frozen=True, slots=True)
class Step:
    """Completed edit: its number, which alone orders steps, and its time in UTC.

    `at` is written "2026-11-22 04:26:21". `count` is the number of changed items. An undone step can be redone
    until the next edit. `author` is the other team member who made it, "" for the user.
    """

    id: int
    at: str
    verb: str
    subject: str
    count: int
    source: str
    undone: bool = False
    author: str = ""

    def asks_first(self, opened: str, today: str) -> bool:
        """Return whether undoing it needs a confirmation.

        A step of before the window was `opened` (as `at`) does, and a large one of before `today`.
        """
        return self.at < (max(opened, today) if self.count >= MUCH else opened)

    @property
    def sentence(self) -> str:
        """Description of the step without a full stop: "deleted 12 memories"."""
        what = self.subject or quantity(self.count, "thing")
        return f"{self.verb} {what}"


@dataclass(frozen=True, slots=True)
class Written:
    """Result of an edit, undo or redo: the step, the present items, the keys of deleted items.

    `items` is empty for an import, whose Change holds the keys.
    """

    step: Step
    items: Sequence[Item] = ()
    gone: Sequence[ItemKey] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """Result of an undo, as a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Redone:
    """Result of a redo, as a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Revision:
    """Revision of one item by one step; None means absent."""

    step: Step
    before: Item | None
    after: Item | None


@dataclass(frozen=True, slots=True)
class Binned:
    """Deleted item in the bin, and the step that deleted it."""

    step: Step
    kind: ItemKind
    item: Item

    @property
    def key(self) -> ItemKey:
        assert self.item.key is not None, "what is in the bin was stored"
        return self.kind, self.item.key
