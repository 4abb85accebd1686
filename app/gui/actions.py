"""ACTIONS: everything that can be done in the window as a row; keys, palette and the page of keys are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from app.display import words

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

Act = Callable[["MainWindow"], object]
Refusal = Callable[["MainWindow"], str]
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


def always(window: MainWindow) -> str:
    """Refuse nothing."""
    return ""


def _with_answer(window: MainWindow) -> str:
    if not window.is_scope_open:
        return words.say("Open the scope to teach or mark the answer that is selected there.")
    if window.scope.comparing.is_open:
        return words.say("Close the comparison to teach or mark the answer that is selected behind it.")
    return window.scope.teaching.refusal()


def _with_inspection(window: MainWindow) -> str:
    return window.scope.copying.refusal()


@dataclass(frozen=True, slots=True)
class Action:
    """A row: its key, its words, what it does, its shortcuts in Qt's spelling, its icon, a button's word, its refusal.

    A page, and through it what lies on it, contributes rows with `Page.offers`; they are bound and shown like these.
    """

    key: str
    text: str
    group: Group
    act: Act
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    word: str = ""
    refusal: Refusal = always

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


@dataclass(frozen=True, slots=True)
class PlaceKeys:
    """Keys that one widget answers itself; the page of keys tells of them too."""

    text: str
    group: Group
    shortcuts: tuple[str, ...]

    @property
    def name(self) -> str:
        """What they do, in the user's language."""
        return words.say(self.text)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys as the desktop writes them."""
        return tuple(native(shortcut) for shortcut in self.shortcuts)


ACTIONS: tuple[Action, ...] = (
    Action("query", "Go to the query", Group.QUERY, lambda w: w.focus_query(), ("Ctrl+L", "Escape"), "search"),
    Action("palette", "Find an action, a setting or a preset", Group.QUERY, lambda w: w.open_palette(), ("Ctrl+K",)),
    Action("teach", "Teach the query as a memory", Group.TEACH, lambda w: w.teach(), ("Ctrl+T",), "plus", "Teach"),
    Action(
        "add_trigger",
        "Add the query as one more trigger of the selected answer",
        Group.TEACH,
        lambda w: w.scope.teaching.add_trigger(),
        ("Ctrl+Shift+T",),
        "add-trigger",
        "Add trigger",
        _with_answer,
    ),
    Action(
        "right",
        "Mark the selected answer right",
        Group.TEACH,
        lambda w: w.scope.teaching.mark(fits=True),
        ("Ctrl+Up",),
        "check",
        "Right",
        _with_answer,
    ),
    Action(
        "wrong",
        "Mark the selected answer wrong",
        Group.TEACH,
        lambda w: w.scope.teaching.mark(fits=False),
        ("Ctrl+Down",),
        "cross",
        "Wrong",
        _with_answer,
    ),
    Action("undo", "Undo the last step", Group.TEACH, lambda w: w.undo(), ("Ctrl+Z",), "undo"),
    Action("redo", "Redo what was undone", Group.TEACH, lambda w: w.redo(), ("Ctrl+Shift+Z",), "redo"),
    Action(
        "copy",
        "Copy the inspection as …",
        Group.COPY,
        lambda w: w.scope.copying.ask_how(),
        ("Ctrl+Shift+C",),
        "copy",
        "Copy",
        _with_inspection,
    ),
    Action(
        "copy_text",
        "Copy the inspection as text",
        Group.COPY,
        lambda w: w.scope.copying.copy("text"),
        icon="copy",
        refusal=_with_inspection,
    ),
    Action(
        "copy_markdown",
        "Copy the inspection as Markdown",
        Group.COPY,
        lambda w: w.scope.copying.copy("markdown"),
        icon="copy",
        refusal=_with_inspection,
    ),
    Action(
        "copy_json",
        "Copy the inspection as JSON",
        Group.COPY,
        lambda w: w.scope.copying.copy("json"),
        icon="copy",
        refusal=_with_inspection,
    ),
    Action(
        "import",
        "Import a file",
        Group.FILES,
        lambda w: w.importing.choose_file(),
        ("Ctrl+O",),
        "inbox",
        refusal=lambda w: w.importing.refusal(),
    ),
    Action(
        "import_left_out",
        "Show the lines that the last import left out",
        Group.FILES,
        lambda w: w.importing.show_left_out(),
        icon="inbox",
        refusal=lambda w: w.importing.left_out_refusal(),
    ),
    Action("export_memories", "Export the memories", Group.FILES, lambda w: w.importing.export("memories")),
    Action("export_powers", "Export the powers", Group.FILES, lambda w: w.importing.export("powers")),
    Action("export_rules", "Export the rules", Group.FILES, lambda w: w.importing.export("rules")),
    Action("export_cases", "Export the cases", Group.FILES, lambda w: w.importing.export("cases")),
    Action("quit", "Close the window", Group.FILES, lambda w: w.close(), ("Ctrl+Q",)),
    Action("next_pane", "Go to the next pane", Group.PANES, lambda w: w.next_stop(1), ("F6",)),
    Action("previous_pane", "Go to the previous pane", Group.PANES, lambda w: w.next_stop(-1), ("Shift+F6",)),
    Action("recommended", "Preset: Recommended", Group.PRESETS, lambda w: w.choose("preset", "recommended")),
    Action("as_documented", "Preset: As documented", Group.PRESETS, lambda w: w.choose("preset", "as_documented")),
)
"""Pages follow from PAGES, settings from the settings; what lies on a page is the page's to add."""

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
    PlaceKeys("Choose another of those side by side, in the list of duplicates", Group.LIBRARY, ("Left", "Right")),
    PlaceKeys("Keep the chosen, merge, different, delete, next, in that list", Group.LIBRARY, tuple("KMDXN")),
    PlaceKeys("Teach, right, wrong, skip, next, in the inbox", Group.TEACH, tuple("TRWSN")),
    PlaceKeys("Choose what to teach in the inbox: an answer, and confirm", Group.TEACH, ("1", "9", "Enter")),
    PlaceKeys("Ask the selected past query in the scope", Group.LIBRARY, ("Enter",)),
)


def native(shortcut: str) -> str:
    """A shortcut as the desktop writes it."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


def action(key: str) -> Action:
    """A row of ACTIONS by its key; KeyError if there is none."""
    return {row.key: row for row in ACTIONS}[key]
