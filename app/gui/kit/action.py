"""Action, a command as a row: text, shortcuts, callback and refusal; and PLACE_KEYS, keys that one widget handles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtGui import QKeySequence

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


def never_refused() -> str:
    """The refusal of an action that can always be done: ""."""
    return ""


def no_op() -> None:
    """The callback of an action that is not bound yet."""


@dataclass(frozen=True, slots=True)
class Action:
    """A command: its key, its text, what it does, its shortcuts in Qt's spelling, icon, button word and refusal.

    Pages contribute theirs with `Page.action_rows`, the window adds its own. `also` are further words by which the
    palette finds it. One with a `word` has a button in the query bar, or under the selected answer that it is about. A
    row of a table may be text alone; whoever can do it says how by `bound`.
    """

    key: str
    text: str
    group: Group
    act: Act = no_op
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    word: str = ""
    refusal: Refusal = never_refused
    also: tuple[str, ...] = ()
    under_answer: bool = False

    def bound(self, act: Act, refusal: Refusal = never_refused) -> Action:
        """The row with what it does, and why it cannot be done now."""
        return replace(self, act=act, refusal=refusal)

    @property
    def name(self) -> str:
        """What it does, in the user's language."""
        return self.text

    @property
    def group_name(self) -> str:
        """What it is about, in the user's language."""
        return self.group

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


# ---- PLACE_KEYS: the keys that one widget answers itself, as rows for the page of keys.


@dataclass(frozen=True, slots=True)
class PlaceKeys:
    """Keys that one widget handles itself, for the page of keys."""

    text: str
    group: Group
    shortcuts: tuple[str, ...]

    @property
    def name(self) -> str:
        """What they do, in the user's language."""
        return self.text

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys as the desktop writes them."""
        return tuple(native(shortcut) for shortcut in self.shortcuts)


PLACE_KEYS: tuple[PlaceKeys, ...] = (
    PlaceKeys("Select the next or the previous match, from the query", Group.QUERY, ("Down", "Up")),
    PlaceKeys("Go to the selected answer, from the query", Group.QUERY, ("Enter",)),
    PlaceKeys("Find in the table that is open", Group.LIBRARY, ("Ctrl+F",)),
    PlaceKeys("Edit the cell or the line of a list", Group.LIBRARY, ("F2",)),
    PlaceKeys("Delete what is selected in a table", Group.LIBRARY, ("Del",)),
    PlaceKeys("Move a line of a list up or down", Group.LIBRARY, ("Alt+Up", "Alt+Down")),
    PlaceKeys("Save the rule that is being edited, on the rules page", Group.LIBRARY, ("Ctrl+S",)),
    PlaceKeys("Switch the selected rule or pack on or off", Group.LIBRARY, ("Space",)),
    PlaceKeys("Move the selected rule up or down in its pack", Group.LIBRARY, ("Alt+Up", "Alt+Down")),
    PlaceKeys("Choose the other answer, in the list of duplicates", Group.LIBRARY, ("Left", "Right")),
    PlaceKeys("Keep the chosen, merge, different, delete, next, in that list", Group.LIBRARY, tuple("KMDXN")),
    PlaceKeys("Teach, right, wrong, none, skip, next, in the inbox", Group.TEACH, tuple("TRWOSN")),
    PlaceKeys("Explain why the query in front was not answered as expected, in the inbox", Group.TEACH, ("E",)),
    PlaceKeys("Choose in the inbox which answer gets the query", Group.TEACH, tuple("123456789")),
    PlaceKeys("Call the tool whose arguments are filled in, on the powers page", Group.LIBRARY, ("Ctrl+Enter",)),
    PlaceKeys("Go back or forward in the help", Group.PAGES, ("Alt+Left", "Alt+Right")),
    PlaceKeys("Choose the right route by its number", Group.TEACH, tuple("123456789")),
    PlaceKeys("Ask the selected past query in the scope", Group.LIBRARY, ("Enter",)),
)
