"""One thing that can be done: its words, its keys, what it does, and why it cannot be done now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtGui import QKeySequence

from app.display import words

Act = Callable[[], object]

Refusal = Callable[[], str]
"""Why a thing cannot be done now, in a sentence; "" if it can."""


class Group(StrEnum):
    """What an action is about, in the words and the order of the page of keys."""

    QUERY = "Query"
    TEACH = "Teach"
    LIBRARY = "Library"
    FILES = "Files"
    COPY = "Copy"
    PANES = "Panes"
    PAGES = "Pages"
    PRESETS = "Presets"
    SETTINGS = "Settings"


def always() -> str:
    """Refuse nothing."""
    return ""


def nothing() -> None:
    """What a row does that is words alone, until its owner says what it does."""


@dataclass(frozen=True, slots=True)
class Action:
    """A row: its key, its words, what it does, its shortcuts in Qt's spelling, its icon, a button's word, its refusal.

    A page, and through it what lies on it, contributes rows with `Page.offers`; the window adds its own to them. `also`
    are words by which the palette finds it, beside its name. A row with a word has a button in the query bar, or under
    the selected answer that it is about. A row of a table may be words alone; whoever can do it says how by `bound`.
    """

    key: str
    text: str
    group: Group
    act: Act = nothing
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    word: str = ""
    refusal: Refusal = always
    also: tuple[str, ...] = ()
    under_answer: bool = False

    def bound(self, act: Act, refusal: Refusal = always) -> Action:
        """The row with what it does, and why it cannot be done now."""
        return replace(self, act=act, refusal=refusal)

    @property
    def name(self) -> str:
        """What it does, in the user's language."""
        return words.say(self.text)

    @property
    def group_name(self) -> str:
        """What it is about, in the user's language."""
        return words.say(self.group)

    @property
    def keys(self) -> tuple[str, ...]:
        """The shortcuts as the desktop writes them."""
        return tuple(native(shortcut) for shortcut in self.shortcuts)

    @property
    def tip(self) -> str:
        """What it does, with its first key."""
        return f"{self.name} ({self.keys[0]})" if self.shortcuts else self.name


def native(shortcut: str) -> str:
    """A shortcut as the desktop writes it."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
