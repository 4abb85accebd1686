"""Action, a command as a row; and PLACE_KEYS, keys that one widget handles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtGui import QKeySequence

Act = Callable[[], object]

Refusal = Callable[[], str]
"""Returns why an action is not possible now, in a sentence; "" if it is."""


class Group(StrEnum):
    """Group of an action, titled and ordered as on the page of keys."""

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
    """Return "": the action is always possible."""
    return ""


def no_op() -> None:
    """Do nothing: callback of an unbound action."""


@dataclass(frozen=True, slots=True)
class Action:
    """Command: key, text, callback, shortcuts in Qt's spelling, icon, button label and refusal.

    Pages contribute actions with `Page.action_rows`, the window adds its own. `also` are further search words of the
    palette. An action with a `word` has a button in the query bar, or under the selected answer. A row without a
    callback gets one by `bound`.
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
        """Return the row with its callback and refusal."""
        return replace(self, act=act, refusal=refusal)

    @property
    def name(self) -> str:
        return self.text

    @property
    def group_name(self) -> str:
        return self.group

    @property
    def keys(self) -> tuple[str, ...]:
        """Shortcuts as displayed by the desktop."""
        return tuple(native(shortcut) for shortcut in self.shortcuts)

    @property
    def tip(self) -> str:
        """Tooltip: text and first shortcut."""
        return f"{self.name} ({self.keys[0]})" if self.shortcuts else self.name


def native(shortcut: str) -> str:
    """Return a shortcut as displayed by the desktop."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


# ---- PLACE_KEYS: keys that one widget handles, for the page of keys.


@dataclass(frozen=True, slots=True)
class PlaceKeys:
    """Keys that one widget handles itself, for the page of keys."""

    text: str
    group: Group
    shortcuts: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.text

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys as displayed by the desktop."""
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
    PlaceKeys("Choose the other answer of a duplicate, in the list of findings", Group.LIBRARY, ("Left", "Right")),
    PlaceKeys("Keep the chosen, merge, different, delete, next, in that list", Group.LIBRARY, tuple("KMDXN")),
    PlaceKeys("Teach, right, wrong, none, skip, next, in the inbox", Group.TEACH, tuple("TRWOSN")),
    PlaceKeys("Explain why the query in front was not answered as expected, in the inbox", Group.TEACH, ("E",)),
    PlaceKeys("Choose in the inbox which answer gets the query", Group.TEACH, tuple("123456789")),
    PlaceKeys("Call the tool whose arguments are filled in, on the powers page", Group.LIBRARY, ("Ctrl+Enter",)),
    PlaceKeys("Go back or forward in the help", Group.PAGES, ("Alt+Left", "Alt+Right")),
    PlaceKeys("Choose the right route by its number", Group.TEACH, tuple("123456789")),
    PlaceKeys("Ask the selected past query in the scope", Group.LIBRARY, ("Enter",)),
)
