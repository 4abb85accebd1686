"""Menu made from the rows of actions, and the confirmation before closing during a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, QSysInfo, Qt
from PySide6.QtGui import QCloseEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QSizePolicy, QToolButton, QWidget

from app.gui.kit.action import Action
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.gui.kit.dialogs import ConfirmDialog
    from app.gui.shell.window import Window


Offers = Callable[[], Iterable[Action]]
"""Returns all present actions."""


@dataclass(frozen=True, slots=True)
class Section:
    """Submenu: title and keys of its actions; "" is a separator."""

    title: str
    keys: tuple[str, ...]


SECTIONS: tuple[Section, ...] = (
    Section(
        "File",
        (
            "import",
            "",
            "export_memories",
            "export_powers",
            "export_rules",
            "export_cases",
            "",
            "save_library",
            "link_folder",
            "compare_folder",
            "",
            "quit",
        ),
    ),
    Section("Edit", ("undo", "redo", "", "steps", "bin", "", "teach")),
    Section("Profile", ("profiles", "profile_folder", "log", "report")),
    Section(
        "View",
        (
            "theme_system",
            "theme_light",
            "theme_dark",
            "",
            "zoom_in",
            "zoom_out",
            "zoom_reset",
            "",
            "panes_below",
            "panes_reset",
        ),
    ),
    Section("Help", ("help_here", "keys", "palette", "about")),
)


def fill(menu: QMenu, section: Section, action_rows: Iterable[Action], do: Callable[[Action], object]) -> None:
    """Fill a menu with a section's actions; refused ones are disabled, with the reason."""
    by_key = {row.key: row for row in action_rows}
    menu.clear()
    menu.setToolTipsVisible(True)
    for key in section.keys:
        if not key:
            menu.addSeparator()
        elif (row := by_key.get(key)) is not None:
            offered = menu.addAction(row.name)
            if row.shortcuts:
                keys = QKeySequence(row.shortcuts[0]).toString(QKeySequence.SequenceFormat.NativeText)
                offered.setText(f"{row.name}\t{keys}")  # displayed only: the window's shortcut handles the key
            why = row.refusal()
            offered.setEnabled(not why)
            offered.setToolTip(why)
            offered.triggered.connect(partial(_press, do, row))


def _press(do: Callable[[Action], object], row: Action, _checked: bool = False) -> None:
    do(row)


class MenuButton(QToolButton):
    """First button of the rail: opens the menu, whose sections are rebuilt each time."""

    def __init__(self, theme: Theme, action_rows: Offers, do: Callable[[Action], object]) -> None:
        super().__init__()
        self.theme, self._action_rows, self._do = theme, action_rows, do
        self.title = "Menu"
        styled(self, role="entry")
        self.setAccessibleName(self.title)
        self.setToolTip("Menu  F10")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(24)
        menu = QMenu(self)
        self.sections = [menu.addMenu(section.title) for section in SECTIONS]
        menu.aboutToShow.connect(self.refresh)
        self.setMenu(menu)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def refresh(self) -> None:
        """Rebuild the sections from the present actions."""
        action_rows = tuple(self._action_rows())
        for made, section in zip(self.sections, SECTIONS, strict=True):
            fill(made, section, action_rows, self._do)

    def show_word(self, on: bool) -> None:
        """Show the label beside the icon, or the icon alone."""
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.setToolButtonStyle(beside if on else Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setText(f" {self.title}" if on else self.title)
        styled(self, words="true" if on else "false")

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(48), self.theme.px(34))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(48), 24)

    def _apply_theme(self) -> None:
        self.setIcon(icons.icon("menu", self.theme.tokens.text_2))
        self.setIconSize(QSize(self.theme.px(18), self.theme.px(18)))


def menu_bar(parent: QWidget, action_rows: Offers, do: Callable[[Action], object]) -> QMenuBar | None:
    """Make the same sections in a global menu bar on macOS; None elsewhere."""
    if QSysInfo.productType() != "macos":
        return None
    bar = QMenuBar(parent)
    for section in SECTIONS:
        made = bar.addMenu(section.title)
        made.aboutToShow.connect(lambda made=made, section=section: fill(made, section, action_rows(), do))
    return bar


# ---- Confirmation before the window is closed during a task whose work would be lost.


class ClosePrompt(QObject):
    """Confirmation of one window; closes on an answer, or when no task is running."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.window())
        self._window = window
        self._is_sure = False
        self.dialog: ConfirmDialog | None = None
        window.import_actions.progressed.connect(self._update_prompt)
        window.import_actions.freed.connect(self._update_prompt)
        window.folder_actions.freed.connect(self._update_prompt)

    def holds(self, event: QCloseEvent) -> bool:
        """Keep the window open until the confirmation is answered; return True if so."""
        tasks = [] if self._is_sure else self.tasks()
        if not tasks:
            return False
        event.ignore()
        self._ask(tasks)
        return True

    def tasks(self) -> list[str]:
        """Return the running tasks that would be lost, a sentence or two each."""
        from app.display.library import importing

        window, found = self._window, []
        if window.import_actions.is_storing:
            taking = window.import_actions.taking
            found.append(
                importing.import_warning(taking.done, taking.total) if taking else importing.import_warning(0, 0)
            )
        if window.folder_actions.is_busy and window.folder_actions.dialog is None:
            found.append(importing.folder_warning())
        if "history" in window.pages:
            from app.gui.review.history.page import HistoryPage

            page = window.pages["history"]
            assert isinstance(page, HistoryPage)
            if page.replay.is_running:
                found.append(importing.replay_warning(page.replay.last))
            if page.log.name:
                found.append(importing.log_warning(page.log.last.read, page.log.last.of))
        return found

    def _ask(self, tasks: list[str]) -> None:
        from app.display.library.importing import stop_verb
        from app.gui.kit.dialogs import ConfirmDialog, ask

        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        title = "Close the window"
        question = ConfirmDialog(
            self._window.theme, title, "\n\n".join(tasks), stop_verb(len(tasks)), self._window.window()
        )
        question.cancel.setText("Keep the window open")
        self.dialog = ask(question, self._leave)
        self.dialog.finished.connect(self._close_dialog)

    def _leave(self) -> None:
        self._is_sure = True
        self._window.stop_job()
        self._window.window().close()

    def _close_dialog(self) -> None:
        self.dialog = None

    def _update_prompt(self) -> None:
        """Update the progress in the confirmation; close it when no task is left."""
        if self.dialog is None:
            return
        if tasks := self.tasks():
            self.dialog.question.show_text("\n\n".join(tasks))
        else:
            self.dialog.reject()
