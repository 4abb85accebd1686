"""ACTIONS: the window's commands as rows, for shortcuts, palette and menu."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from app.display.library.tables import short_time
from app.display.system.help_pages import ABOUT, topic_of
from app.gui.kit.controls import PRIMARY_KEY, entered_line, primary_button
from app.gui.kit.page import Action, Group
from app.gui.kit.toast import UNDO
from app.gui.scope.actions import ADD_TRIGGER, COPY, MARK_NONE, MARK_RIGHT, MARK_WRONG, TEACH, TEACH_TYPE
from app.gui.shell.page_stack import HELP, SCOPE, Window

if TYPE_CHECKING:
    from app.domain.journal import Step
    from app.gui.kit.page import CoreState
    from app.gui.shell.desktop import Desktop
    from app.gui.shell.page_stack import PageRow
    from app.gui.shell.remedy_actions import RemedyActions


class ActionWindow(Window, Protocol):
    """Window as used by the rows."""

    undo_redo: UndoRedo
    remedies: RemedyActions
    desktop: Desktop


def _with_answer(window: ActionWindow) -> str:
    if not window.is_scope_open:
        return "Open the scope to teach or mark the answer that is selected there."
    if window.scope.compare_actions.is_open:
        return "Close the comparison to teach or mark the answer that is selected behind it."
    if window.scope.why_not_actions.is_open:
        return "Go back with Esc to teach or mark the answer that is selected behind this."
    return window.scope.teach_actions.refusal()


def _with_query(window: ActionWindow) -> str:
    if not window.is_scope_open:
        return "Open the scope to teach the type of the query there."
    return window.scope.teach_actions.type_refusal()


def _with_inspection(window: ActionWindow) -> str:
    return window.scope.copy_actions.refusal()


def _may_link(window: ActionWindow) -> str:
    return window.folder_actions.refusal()


def _with_link(window: ActionWindow) -> str:
    return window.folder_actions.linked_refusal()


def _teach(window: ActionWindow) -> None:
    window.open_page(SCOPE)
    window.scope.teach_actions.open_dialog()


def _open_page_help(window: ActionWindow) -> None:
    here = next(key for key, page in window.pages.items() if page is window.page)
    if here == HELP:
        window.open_page(window.page.previous_page or SCOPE)
    else:
        _read(window, topic_of(here))
        window.page.previous_page = here


def _read(window: ActionWindow, topic: str) -> None:
    window.open_page(HELP)
    window.page.go_to(topic)


def _press_primary(window: ActionWindow) -> None:
    if line := entered_line(window.page):
        press = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
        QCoreApplication.sendEvent(line, press)
    elif button := primary_button(window.page):
        button.click()


def _primary_refusal(window: ActionWindow) -> str:
    can_press = entered_line(window.page) or primary_button(window.page)
    return "" if can_press else "No main button can be pressed here now."


def _always(window: ActionWindow) -> str:
    return ""


Act = Callable[[ActionWindow], object]


class ActionRow(NamedTuple):
    """An action, its callback on a window, and its refusal."""

    action: Action
    act: Act
    refusal: Callable[[ActionWindow], str] = _always


def _row(
    key: str,
    text: str,
    group: Group,
    act: Act,
    shortcuts: tuple[str, ...] = (),
    icon: str = "",
    refusal: Callable[[ActionWindow], str] = _always,
    also: tuple[str, ...] = (),
) -> ActionRow:
    return ActionRow(Action(key, text, group, shortcuts=shortcuts, icon=icon, also=also), act, refusal)


_FORMATS: tuple[tuple[str, str, Act], ...] = (
    ("text", "text", lambda w: w.scope.copy_actions.copy("text")),
    ("markdown", "Markdown", lambda w: w.scope.copy_actions.copy("markdown")),
    ("json", "JSON", lambda w: w.scope.copy_actions.copy("json")),
)
_OF_FOLDERS: tuple[tuple[str, str, Act, Callable[[ActionWindow], str]], ...] = (
    ("link_folder", "Link the library to a folder…", lambda w: w.folder_actions.link(), _may_link),
    (
        "compare_folder",
        "Show the differences between the library and its folder",
        lambda w: w.folder_actions.compare(),
        _with_link,
    ),
    ("save_linked", "Save the library to the linked folder", lambda w: w.folder_actions.save_to_linked(), _with_link),
    ("unlink_folder", "Unlink the library from its folder", lambda w: w.folder_actions.unlink(), _with_link),
)
_ROWS: tuple[ActionRow, ...] = (
    _row("query", "Go to the query", Group.QUERY, lambda w: w.open_page(SCOPE), ("Ctrl+L", "Escape"), "search"),
    _row("palette", "Find an action, a setting or a preset", Group.QUERY, lambda w: w.open_palette(), ("Ctrl+K",)),
    ActionRow(TEACH, _teach),
    _row(
        "seed",
        "Add the sample library",
        Group.LIBRARY,
        lambda w: w.worker.add_seed_library(),
        icon="memory",
        also=("seed", "example", "demo", "try"),
    ),
    _row("teach_new", "Teach a new memory…", Group.TEACH, lambda w: w.scope.teach_actions.open_new(), icon="plus"),
    ActionRow(ADD_TRIGGER, lambda w: w.scope.teach_actions.add_trigger(), _with_answer),
    ActionRow(TEACH_TYPE, lambda w: w.scope.teach_actions.ask_type(), _with_query),
    ActionRow(MARK_RIGHT, lambda w: w.scope.teach_actions.mark(fits=True), _with_answer),
    ActionRow(MARK_NONE, lambda w: w.scope.teach_actions.mark_none()),
    ActionRow(MARK_WRONG, lambda w: w.scope.teach_actions.mark(fits=False), _with_answer),
    ActionRow(UNDO, lambda w: w.undo_redo.undo()),
    _row("redo", "Redo what was undone", Group.TEACH, lambda w: w.undo_redo.redo(), ("Ctrl+Shift+Z",), "redo"),
    ActionRow(COPY, lambda w: w.scope.copy_actions.ask_how(), _with_inspection),
    *(
        _row(f"copy_{key}", f"Copy the inspection as {name}", Group.COPY, act, icon="copy", refusal=_with_inspection)
        for key, name, act in _FORMATS
    ),
    _row(
        "import",
        "Import a file…",
        Group.FILES,
        lambda w: w.import_actions.choose_file(),
        ("Ctrl+O",),
        "inbox",
        refusal=lambda w: w.import_actions.refusal(),
    ),
    _row(
        "import_left_out",
        "Show the lines skipped by the last import",
        Group.FILES,
        lambda w: w.import_actions.show_left_out(),
        icon="inbox",
        refusal=lambda w: w.import_actions.left_out_refusal(),
    ),
    _row(
        "clear_recent",
        "Clear the list of recent files",
        Group.FILES,
        lambda w: w.desktop.recent_files.clear(),
        icon="clock",
        refusal=lambda w: w.desktop.recent_files.clear_refusal(),
    ),
    _row(
        "profiles",
        "Open another profile…",
        Group.FILES,
        lambda w: w.desktop.profiles.choose(),
        icon="database",
        refusal=lambda w: w.desktop.profiles.refusal(),
    ),
    _row(
        "profile_folder",
        "Open the profile’s folder",
        Group.FILES,
        lambda w: w.remedies.open_folder(),
        icon="database",
        refusal=lambda w: w.remedies.folder_refusal(),
    ),
    _row(
        "log",
        "Show the log",
        Group.FILES,
        lambda w: w.remedies.show_log(),
        icon="copy",
        refusal=lambda w: w.remedies.log_refusal(),
    ),
    _row("report", "Create a diagnostic report…", Group.FILES, lambda w: w.remedies.report(), icon="copy"),
    _row("export_memories", "Export the memories…", Group.FILES, lambda w: w.import_actions.export("memories")),
    _row("export_powers", "Export the powers…", Group.FILES, lambda w: w.import_actions.export("powers")),
    _row("export_rules", "Export the rules…", Group.FILES, lambda w: w.import_actions.export("rules")),
    _row("export_cases", "Export the cases…", Group.FILES, lambda w: w.import_actions.export("cases")),
    _row("quit", "Close the window", Group.FILES, lambda w: w.window().close(), ("Ctrl+Q",)),
    _row(
        "save_library",
        "Save the library to a folder of text files…",
        Group.FILES,
        lambda w: w.folder_actions.save_to(),
        refusal=_may_link,
        also=("backup",),
    ),
    *(_row(key, text, Group.FILES, act, refusal=refusal) for key, text, act, refusal in _OF_FOLDERS),
    _row(
        "start_power",
        "Start this power",
        Group.LIBRARY,
        lambda w: w.power_starter.start(),
        ("F5",),
        "power",
        refusal=lambda w: w.power_starter.start_refusal(),
    ),
    _row(
        "stop_power",
        "Stop this power",
        Group.LIBRARY,
        lambda w: w.power_starter.stop(),
        ("Shift+F5",),
        refusal=lambda w: w.power_starter.stop_refusal(),
    ),
    _row(
        "stop_all_powers",
        "Stop all powers",
        Group.LIBRARY,
        lambda w: w.power_starter.stop_all(),
        refusal=lambda w: w.power_starter.all_refusal(),
    ),
    _row(
        "approve_power",
        "Approve this power without starting it",
        Group.LIBRARY,
        lambda w: w.power_starter.approve(),
        refusal=lambda w: w.power_starter.approve_refusal(),
    ),
    _row(
        "primary",
        "Press the main button of the page",
        Group.PAGES,
        _press_primary,
        (PRIMARY_KEY, "Ctrl+Enter"),
        refusal=_primary_refusal,
    ),
    _row("help_here", "Help for this page, or back from it", Group.PAGES, _open_page_help, ("Shift+F1",), "help"),
    _row(
        "keys",
        "Show all keys",
        Group.PAGES,
        lambda w: _read(w, "keys"),
        ("F1",),
        "keyboard",
        also=("keyboard", "shortcuts", "hotkeys"),
    ),
    _row("about", "About Intentscope", Group.PAGES, lambda w: _read(w, ABOUT), icon="help"),
    _row("next_pane", "Go to the next pane", Group.PANES, lambda w: w.next_focus_stop(1), ("F6",)),
    _row("previous_pane", "Go to the previous pane", Group.PANES, lambda w: w.next_focus_stop(-1), ("Shift+F6",)),
    _row("recommended", "Preset: Recommended", Group.PRESETS, lambda w: w.worker.choose("preset", "recommended")),
    _row("as_documented", "Preset: As documented", Group.PRESETS, lambda w: w.worker.choose("preset", "as_documented")),
)
"""Page actions are made from PAGES, setting actions from the settings; pages add their own."""

ACTIONS: tuple[Action, ...] = tuple(row.action for row in _ROWS)
"""Unbound rows; `actions` binds them to a window."""


def actions(window: ActionWindow) -> list[Action]:
    return [row.action.bound(partial(row.act, window), partial(row.refusal, window)) for row in _ROWS]


def action(key: str) -> Action:
    """Return a row of ACTIONS by its key; raises KeyError."""
    return {row.key: row for row in ACTIONS}[key]


# ---- Actions derived from other tables: one per page, one per setting.


ZOOM_STEP = 0.1
"""Change of the text size per key press, as a fraction."""


def page_actions(pages: Sequence[PageRow], open_page: Callable[[str], object]) -> list[Action]:
    return [
        Action(
            f"page:{row.key}",
            f"Page: {row.title}",
            Group.PAGES,
            partial(open_page, row.key),
            (row.shortcut,),
            row.icon,
            also=row.also,
        )
        for row in pages
    ]


@dataclass(frozen=True, slots=True)
class ViewCommands:
    open_menu: Callable[[], object]
    step_tab: Callable[[int], object]
    open_place: Callable[[str, str], object]
    choose: Callable[[str, str], object]
    zoom: Callable[[float | None], object]


_PLACES = (
    ("duplicates", "Show duplicates and conflicts", "findings", "duplicates", "Ctrl+6", "duplicates"),
    ("namespaces", "Show the weights of namespaces", "context", "weights", "Ctrl+8", "namespaces"),
    ("llm", "Connect an LLM", "settings", "llm", "Ctrl+Shift+L", "plug"),
)
"""Places on pages: action key, name, page, place, shortcut and icon."""


def view_actions(view: ViewCommands) -> list[Action]:
    """Return actions of menu, tabs, bin and steps, theme and zoom."""
    library, pages, look = Group.LIBRARY, Group.PAGES, Group.SETTINGS
    themes = (("system", "Theme: system"), ("light", "Theme: light"), ("dark", "Theme: dark"))
    return [
        Action("menu", "Open the menu", pages, view.open_menu, ("F10",), "menu"),
        Action("next_tab", "Go to the next tab", pages, partial(view.step_tab, 1), ("Ctrl+Tab", "Ctrl+PgDown")),
        Action(
            "previous_tab", "Go to the tab before", pages, partial(view.step_tab, -1), ("Ctrl+Shift+Tab", "Ctrl+PgUp")
        ),
        Action("steps", "Show the last steps, and undo them", library, partial(view.open_place, "memories", "steps")),
        *(
            Action(key, text, pages, partial(view.open_place, page, place), (shortcut,), icon)
            for key, text, page, place, shortcut, icon in _PLACES
        ),
        Action("bin", "Open the bin", library, partial(view.open_place, "memories", "bin"), icon="trash"),
        *(Action(f"theme_{key}", text, look, partial(view.choose, "theme", key)) for key, text in themes),
        Action(
            "zoom_in",
            "Zoom in: larger texts",
            look,
            partial(view.zoom, ZOOM_STEP),
            ("Ctrl++", "Ctrl+="),
            also=("text size", "bigger"),
        ),
        Action(
            "zoom_out",
            "Zoom out: smaller texts",
            look,
            partial(view.zoom, -ZOOM_STEP),
            ("Ctrl+-",),
            also=("text size",),
        ),
        Action("zoom_reset", "Reset zoom", look, partial(view.zoom, None), ("Ctrl+Shift+0",)),
    ]


def setting_actions(core_state: CoreState, open_setting: Callable[[str], object]) -> list[Action]:
    from app.display.system.settings import also_called, setting_sections  # imported once the window is shown

    sections = setting_sections(core_state.settings, core_state.origins)
    titles = Counter(row.title for section in sections for row in section.rows)
    one, many = "Setting: {title}", "Setting: {title} ({section})"
    return [
        Action(
            f"setting:{row.key}",
            (one if titles[row.title] == 1 else many).format(title=row.title, section=section.title),
            Group.SETTINGS,
            partial(open_setting, row.key),
            icon="settings",
            also=also_called(row),
        )
        for section in sections
        for row in section.rows
    ]


# ---- Undo and redo from any page: the page's own, any step, or only settings steps.


class UndoRedo(QObject):
    """Undo and redo of the window, for keys and the toast's button."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.window())
        self._window, self._worker = window, window.worker
        window.toast.undo_requested.connect(self._worker.undo)
        self._worker.undo_questioned.connect(self._question, Qt.ConnectionType.QueuedConnection)

    def undo(self) -> None:
        """Undo the last step; on pages that show no steps only settings, or what a toast offers."""
        page, toast = self._window.page, self._window.toast
        if page.no_undo_reason and not (toast.isVisible() and toast.offers_undo):
            self._worker.undo(no_undo_reason=page.no_undo_reason)
        elif not page.undo():
            self._worker.undo()

    def _question(self, step: Step) -> None:
        question = f"The last step ({short_time(step.at)}, from {step.source}): {step.sentence}. Undo all of it?"
        self._window.page.confirm("Undo", question, "Undo", partial(self._worker.undo, step.id))

    def redo(self) -> None:
        """Redo the last undone step; on pages that show no steps only settings."""
        self._worker.redo(self._window.page.no_undo_reason)
