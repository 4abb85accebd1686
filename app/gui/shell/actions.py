"""ACTIONS: everything that can be done in the window as a row; keys, palette and the page of keys are made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.display import words
from app.display.system.help_pages import ABOUT, topic_of
from app.gui.shell.action import Action, Group

if TYPE_CHECKING:
    from app.gui.shell.main_window import MainWindow

HELP = "help"
"""The page of help."""


def _with_answer(window: MainWindow) -> str:
    if not window.is_scope_open:
        return words.say("Open the scope to teach or mark the answer that is selected there.")
    if window.scope.comparing.is_open:
        return words.say("Close the comparison to teach or mark the answer that is selected behind it.")
    if window.scope.asking_why.is_open:
        return words.say("Go back with Esc to teach or mark the answer that is selected behind this.")
    return window.scope.teaching.refusal()


def _with_inspection(window: MainWindow) -> str:
    return window.scope.copying.refusal()


def _help_here(window: MainWindow) -> None:
    here = next(key for key, page in window.pages.items() if page is window.page)
    if here == HELP:
        window.open_page(window.page.came_from or "scope")
    else:
        _read(window, topic_of(here))
        window.page.came_from = here


def _read(window: MainWindow, topic: str) -> None:
    window.open_page(HELP)
    window.page.go_to(topic)


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
        under_answer=True,
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
        under_answer=True,
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
        under_answer=True,
    ),
    Action("undo", "Undo the last step", Group.TEACH, lambda w: w.stepping.undo(), ("Ctrl+Z",), "undo"),
    Action("redo", "Redo what was undone", Group.TEACH, lambda w: w.stepping.redo(), ("Ctrl+Shift+Z",), "redo"),
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
    Action(
        "clear_recent",
        "Clear the list of recent files",
        Group.FILES,
        lambda w: w.desktop.recent.clear(),
        icon="clock",
        refusal=lambda w: w.desktop.recent.clear_refusal(),
    ),
    Action(
        "profiles",
        "Open another profile …",
        Group.FILES,
        lambda w: w.desktop.profiles.choose(),
        icon="database",
        refusal=lambda w: w.desktop.profiles.refusal(),
    ),
    Action(
        "profile_folder",
        "Open the profile’s folder",
        Group.FILES,
        lambda w: w.mending.open_folder(),
        icon="database",
        refusal=lambda w: w.mending.folder_refusal(),
    ),
    Action(
        "log",
        "Show the log",
        Group.FILES,
        lambda w: w.mending.show_log(),
        icon="copy",
        refusal=lambda w: w.mending.log_refusal(),
    ),
    Action("report", "Write a report of what went wrong", Group.FILES, lambda w: w.mending.report(), icon="copy"),
    Action("export_memories", "Export the memories", Group.FILES, lambda w: w.importing.export("memories")),
    Action("export_powers", "Export the powers", Group.FILES, lambda w: w.importing.export("powers")),
    Action("export_rules", "Export the rules", Group.FILES, lambda w: w.importing.export("rules")),
    Action("export_cases", "Export the cases", Group.FILES, lambda w: w.importing.export("cases")),
    Action("quit", "Close the window", Group.FILES, lambda w: w.close(), ("Ctrl+Q",)),
    Action(
        "save_library",
        "Save the library to a folder of text files",
        Group.FILES,
        lambda w: w.foldering.save_to(),
        refusal=lambda w: w.foldering.refusal(),
    ),
    Action(
        "link_folder",
        "Link the library to a folder",
        Group.FILES,
        lambda w: w.foldering.link(),
        refusal=lambda w: w.foldering.refusal(),
    ),
    Action(
        "compare_folder",
        "Show what differs between the library and its folder",
        Group.FILES,
        lambda w: w.foldering.compare(),
        refusal=lambda w: w.foldering.linked_refusal(),
    ),
    Action(
        "save_linked",
        "Save the library to the linked folder",
        Group.FILES,
        lambda w: w.foldering.save_to_linked(),
        refusal=lambda w: w.foldering.linked_refusal(),
    ),
    Action(
        "unlink_folder",
        "Link the library to no folder any more",
        Group.FILES,
        lambda w: w.foldering.unlink(),
        refusal=lambda w: w.foldering.linked_refusal(),
    ),
    Action(
        "start_power",
        "Start this power",
        Group.LIBRARY,
        lambda w: w.starting.start(),
        ("F5",),
        "power",
        refusal=lambda w: w.starting.start_refusal(),
    ),
    Action(
        "stop_power",
        "Stop this power",
        Group.LIBRARY,
        lambda w: w.starting.stop(),
        ("Shift+F5",),
        refusal=lambda w: w.starting.stop_refusal(),
    ),
    Action(
        "stop_all_powers",
        "Stop all powers",
        Group.LIBRARY,
        lambda w: w.starting.stop_all(),
        refusal=lambda w: w.starting.all_refusal(),
    ),
    Action(
        "approve_power",
        "Approve this power without starting it",
        Group.LIBRARY,
        lambda w: w.starting.approve(),
        refusal=lambda w: w.starting.approve_refusal(),
    ),
    Action("help_here", "Help for this page, or back from it", Group.PAGES, _help_here, ("Shift+F1",), "help"),
    Action("about", "About Intentscope", Group.PAGES, lambda w: _read(w, ABOUT), icon="help"),
    Action("next_pane", "Go to the next pane", Group.PANES, lambda w: w.next_stop(1), ("F6",)),
    Action("previous_pane", "Go to the previous pane", Group.PANES, lambda w: w.next_stop(-1), ("Shift+F6",)),
    Action("recommended", "Preset: Recommended", Group.PRESETS, lambda w: w.choose("preset", "recommended")),
    Action("as_documented", "Preset: As documented", Group.PRESETS, lambda w: w.choose("preset", "as_documented")),
)
"""Pages follow from PAGES, settings from the settings; what lies on a page is the page's to add."""


def action(key: str) -> Action:
    """A row of ACTIONS by its key; KeyError if there is none."""
    return {row.key: row for row in ACTIONS}[key]
