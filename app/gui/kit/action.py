"""Action: a command as a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtGui import QKeySequence

Act = Callable[[], object]

Refusal = Callable[[], str]
"""Returns why an action is not possible now, in a sentence; "" if it is."""


class Group(StrEnum):
    """Group of an action, titled and ordered as in the palette."""

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
