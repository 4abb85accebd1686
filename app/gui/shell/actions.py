"""ACTIONS: everything that can be done in the window as a row; keys, palette and the page of keys are made from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from app.display import words
from app.display.system.help_pages import ABOUT, topic_of
from app.gui.kit.action import Action, Group
from app.gui.kit.toast import UNDO
from app.gui.scope.offers import ADD_TRIGGER, COPY, MARK_NONE, MARK_RIGHT, MARK_WRONG, TEACH, TEACH_TYPE
from app.gui.shell.pages import HELP
from app.gui.shell.window import Window

if TYPE_CHECKING:
    from app.gui.shell.desktop.desktop import Desktop
    from app.gui.shell.desktop.remedy_actions import RemedyActions
    from app.gui.shell.undo_redo import UndoRedo


class ActionWindow(Window, Protocol):
    """The window as the rows know it: a protocol of it with the parts that do what they say."""

    stepping: UndoRedo
    mending: RemedyActions
    desktop: Desktop


def _with_answer(window: ActionWindow) -> str:
    if not window.is_scope_open:
        return words.say("Open the scope to teach or mark the answer that is selected there.")
    if window.scope.comparing.is_open:
        return words.say("Close the comparison to teach or mark the answer that is selected behind it.")
    if window.scope.asking_why.is_open:
        return words.say("Go back with Esc to teach or mark the answer that is selected behind this.")
    return window.scope.teaching.refusal()


def _with_query(window: ActionWindow) -> str:
    if not window.is_scope_open:
        return words.say("Open the scope to teach the type of the query there.")
    return window.scope.teaching.type_refusal()


def _with_inspection(window: ActionWindow) -> str:
    return window.scope.copying.refusal()


def _help_here(window: ActionWindow) -> None:
    here = next(key for key, page in window.pages.items() if page is window.page)
    if here == HELP:
        window.open_page(window.page.came_from or "scope")
    else:
        _read(window, topic_of(here))
        window.page.came_from = here


def _read(window: ActionWindow, topic: str) -> None:
    window.open_page(HELP)
    window.page.go_to(topic)


def _always(window: ActionWindow) -> str:
    return ""


class Row(NamedTuple):
    """An action in words, with what it does in a window, and why that cannot be done now."""

    action: Action
    act: Callable[[ActionWindow], object]
    refusal: Callable[[ActionWindow], str] = _always


def _row(
    key: str,
    text: str,
    group: Group,
    act: Callable[[ActionWindow], object],
    shortcuts: tuple[str, ...] = (),
    icon: str = "",
    refusal: Callable[[ActionWindow], str] = _always,
) -> Row:
    return Row(Action(key, text, group, shortcuts=shortcuts, icon=icon), act, refusal)


_ROWS: tuple[Row, ...] = (
    _row("query", "Go to the query", Group.QUERY, lambda w: w.focus_query(), ("Ctrl+L", "Escape"), "search"),
    _row("palette", "Find an action, a setting or a preset", Group.QUERY, lambda w: w.open_palette(), ("Ctrl+K",)),
    Row(TEACH, lambda w: w.teach()),
    Row(
        Action(
            "seed",
            "Add the sample library",
            Group.LIBRARY,
            icon="memory",
            also=("seed", "example", "demo", "try"),
        ),
        lambda w: w.worker.add_seed_library(),
    ),
    _row("teach_new", "Teach a new memory", Group.TEACH, lambda w: w.scope.teaching.open_new(), icon="plus"),
    Row(ADD_TRIGGER, lambda w: w.scope.teaching.add_trigger(), _with_answer),
    Row(TEACH_TYPE, lambda w: w.scope.teaching.ask_type(), _with_query),
    Row(MARK_RIGHT, lambda w: w.scope.teaching.mark(fits=True), _with_answer),
    Row(MARK_NONE, lambda w: w.scope.teaching.mark_none()),
    Row(MARK_WRONG, lambda w: w.scope.teaching.mark(fits=False), _with_answer),
    Row(UNDO, lambda w: w.stepping.undo()),
    _row("redo", "Redo what was undone", Group.TEACH, lambda w: w.stepping.redo(), ("Ctrl+Shift+Z",), "redo"),
    Row(COPY, lambda w: w.scope.copying.ask_how(), _with_inspection),
    _row(
        "copy_text",
        "Copy the inspection as text",
        Group.COPY,
        lambda w: w.scope.copying.copy("text"),
        icon="copy",
        refusal=_with_inspection,
    ),
    _row(
        "copy_markdown",
        "Copy the inspection as Markdown",
        Group.COPY,
        lambda w: w.scope.copying.copy("markdown"),
        icon="copy",
        refusal=_with_inspection,
    ),
    _row(
        "copy_json",
        "Copy the inspection as JSON",
        Group.COPY,
        lambda w: w.scope.copying.copy("json"),
        icon="copy",
        refusal=_with_inspection,
    ),
    _row(
        "import",
        "Import a file",
        Group.FILES,
        lambda w: w.importing.choose_file(),
        ("Ctrl+O",),
        "inbox",
        refusal=lambda w: w.importing.refusal(),
    ),
    _row(
        "import_left_out",
        "Show the lines that the last import left out",
        Group.FILES,
        lambda w: w.importing.show_left_out(),
        icon="inbox",
        refusal=lambda w: w.importing.left_out_refusal(),
    ),
    _row(
        "clear_recent",
        "Clear the list of recent files",
        Group.FILES,
        lambda w: w.desktop.recent.clear(),
        icon="clock",
        refusal=lambda w: w.desktop.recent.clear_refusal(),
    ),
    _row(
        "profiles",
        "Open another profile …",
        Group.FILES,
        lambda w: w.desktop.profiles.choose(),
        icon="database",
        refusal=lambda w: w.desktop.profiles.refusal(),
    ),
    _row(
        "profile_folder",
        "Open the profile’s folder",
        Group.FILES,
        lambda w: w.mending.open_folder(),
        icon="database",
        refusal=lambda w: w.mending.folder_refusal(),
    ),
    _row(
        "log",
        "Show the log",
        Group.FILES,
        lambda w: w.mending.show_log(),
        icon="copy",
        refusal=lambda w: w.mending.log_refusal(),
    ),
    _row("report", "Write a report of what went wrong", Group.FILES, lambda w: w.mending.report(), icon="copy"),
    _row("export_memories", "Export the memories", Group.FILES, lambda w: w.importing.export("memories")),
    _row("export_powers", "Export the powers", Group.FILES, lambda w: w.importing.export("powers")),
    _row("export_rules", "Export the rules", Group.FILES, lambda w: w.importing.export("rules")),
    _row("export_cases", "Export the cases", Group.FILES, lambda w: w.importing.export("cases")),
    _row("quit", "Close the window", Group.FILES, lambda w: w.window().close(), ("Ctrl+Q",)),
    _row(
        "save_library",
        "Save the library to a folder of text files",
        Group.FILES,
        lambda w: w.foldering.save_to(),
        refusal=lambda w: w.foldering.refusal(),
    ),
    _row(
        "link_folder",
        "Link the library to a folder",
        Group.FILES,
        lambda w: w.foldering.link(),
        refusal=lambda w: w.foldering.refusal(),
    ),
    _row(
        "compare_folder",
        "Show what differs between the library and its folder",
        Group.FILES,
        lambda w: w.foldering.compare(),
        refusal=lambda w: w.foldering.linked_refusal(),
    ),
    _row(
        "save_linked",
        "Save the library to the linked folder",
        Group.FILES,
        lambda w: w.foldering.save_to_linked(),
        refusal=lambda w: w.foldering.linked_refusal(),
    ),
    _row(
        "unlink_folder",
        "Link the library to no folder any more",
        Group.FILES,
        lambda w: w.foldering.unlink(),
        refusal=lambda w: w.foldering.linked_refusal(),
    ),
    _row(
        "start_power",
        "Start this power",
        Group.LIBRARY,
        lambda w: w.starting.start(),
        ("F5",),
        "power",
        refusal=lambda w: w.starting.start_refusal(),
    ),
    _row(
        "stop_power",
        "Stop this power",
        Group.LIBRARY,
        lambda w: w.starting.stop(),
        ("Shift+F5",),
        refusal=lambda w: w.starting.stop_refusal(),
    ),
    _row(
        "stop_all_powers",
        "Stop all powers",
        Group.LIBRARY,
        lambda w: w.starting.stop_all(),
        refusal=lambda w: w.starting.all_refusal(),
    ),
    _row(
        "approve_power",
        "Approve this power without starting it",
        Group.LIBRARY,
        lambda w: w.starting.approve(),
        refusal=lambda w: w.starting.approve_refusal(),
    ),
    _row("help_here", "Help for this page, or back from it", Group.PAGES, _help_here, ("Shift+F1",), "help"),
    _row("about", "About Intentscope", Group.PAGES, lambda w: _read(w, ABOUT), icon="help"),
    _row("next_pane", "Go to the next pane", Group.PANES, lambda w: w.next_stop(1), ("F6",)),
    _row("previous_pane", "Go to the previous pane", Group.PANES, lambda w: w.next_stop(-1), ("Shift+F6",)),
    _row("recommended", "Preset: Recommended", Group.PRESETS, lambda w: w.choose("preset", "recommended")),
    _row("as_documented", "Preset: As documented", Group.PRESETS, lambda w: w.choose("preset", "as_documented")),
)
"""Pages follow from PAGES, settings from the settings; what lies on a page is the page's to add."""

ACTIONS: tuple[Action, ...] = tuple(row.action for row in _ROWS)
"""The rows in words; `actions` says what they do in a window."""


def actions(window: ActionWindow) -> list[Action]:
    """All rows as they are done in this window."""
    return [row.action.bound(partial(row.act, window), partial(row.refusal, window)) for row in _ROWS]


def action(key: str) -> Action:
    """A row of ACTIONS by its key; KeyError if there is none."""
    return {row.key: row for row in ACTIONS}[key]
