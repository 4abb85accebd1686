"""Menu and side bar made from the rows of actions; confirmation of closing during a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, QSysInfo, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QMenu, QMenuBar, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.display.powers.running import running_words
from app.domain.history import HistoryCounts
from app.gui.kit import icons
from app.gui.kit.layouts import spaced
from app.gui.kit.page import Action, native
from app.gui.kit.theme import Theme, Themed, styled
from app.gui.shell.page_stack import NavigationEntry, entry_of, pages_of

if TYPE_CHECKING:
    from app.gui.kit.dialogs import ConfirmDialog
    from app.gui.shell.page_stack import Window


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
            offered = menu.addAction(row.text)
            if row.shortcuts:
                offered.setText(f"{row.text}\t{row.keys[0]}")  # displayed only: the window's shortcut handles the key
            why = row.refusal()
            offered.setEnabled(not why)
            offered.setToolTip(why)
            offered.triggered.connect(lambda _=False, row=row: do(row))


WIDE, NARROW = 168, 48
"""Widths in units: with labels, and with icons only."""

_LEAST_TARGET = 24
"""Minimum size of a click target, in pixels."""


class RailTool(QToolButton):
    """Button of the rail: an icon, with a label beside it while there is space."""

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__()
        self.theme, self.title = theme, title
        self.setText(title)
        styled(self, role="entry")
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(_LEAST_TARGET)  # not scaled: in a low window with large text the entries move closer

    def show_word(self, on: bool) -> None:
        """Show the label beside the icon, or the icon alone."""
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.setToolButtonStyle(beside if on else Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setText(f" {self.title}" if on else self.title)
        styled(self, words="true" if on else "false")

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(NARROW), self.theme.px(34))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(NARROW), _LEAST_TARGET)


class MenuButton(RailTool):
    """First button of the rail: opens the menu, whose sections are rebuilt each time."""

    def __init__(self, theme: Theme, action_rows: Offers, do: Callable[[Action], object]) -> None:
        super().__init__(theme, "Menu")
        self._action_rows, self._do = action_rows, do
        self.setToolTip("Menu  F10")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.sections = [menu.addMenu(section.title) for section in SECTIONS]
        menu.aboutToShow.connect(self.refresh)
        self.setMenu(menu)
        theme.follow(self._apply_theme)

    def refresh(self) -> None:
        """Rebuild the sections from the present actions."""
        action_rows = tuple(self._action_rows())
        for made, section in zip(self.sections, SECTIONS, strict=True):
            fill(made, section, action_rows, self._do)

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
            from app.gui.review.history_page import HistoryPage

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


_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class RailButton(RailTool):
    """Rail entry: icon and label, or icon with a tooltip; and a badge with a count."""

    def __init__(self, theme: Theme, entry: NavigationEntry) -> None:
        super().__init__(theme, entry.title)
        self.entry = entry
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setToolTip("\n".join(f"{row.title}  {native(row.shortcut)}" for row in pages_of(entry.key)))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._waiting = styled(QLabel(self), role="badge")
        self._waiting.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._waiting.setIndent(0)  # narrow enough to leave the icon in view
        self._waiting.hide()
        self.toggled.connect(self._on_toggled)
        theme.follow(self.apply_theme)

    @property
    def badge(self) -> str:
        """Displayed count of waiting items; "" for none."""
        return self._waiting.text()

    def show_badge(self, badge: str, said: str) -> None:
        """Show a count as a badge, and in the accessible name; "" for none."""
        if badge == self.badge and said == self.accessibleDescription():
            return
        self._waiting.setText(badge)
        self._waiting.setVisible(bool(badge))
        self.setAccessibleName(f"{self.title}, {said}" if badge else self.title)
        self.setAccessibleDescription(said if badge else "")
        self._place_badge()

    def show_word(self, on: bool) -> None:
        super().show_word(on)
        self._place_badge()

    def apply_theme(self) -> None:
        """Draw the icon in the present colours."""
        tokens = self.theme.tokens
        self.setIcon(icons.icon(self.entry.icon, tokens.accent if self.isChecked() else tokens.text_2))
        self.setIconSize(QSize(self.theme.px(18), self.theme.px(18)))

    def _on_toggled(self, on: bool) -> None:
        """Let Tab stop at the open entry alone; arrows go on from there."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if on else Qt.FocusPolicy.NoFocus)
        self.apply_theme()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):  # the latter after a change of text size
            self._place_badge()
        return super().event(event)

    def _place_badge(self) -> None:
        """Place the badge at the right end beside a label, otherwise at the icon's upper right."""
        size = self._waiting.sizeHint()
        is_wide = self.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        left = self.width() - size.width() - self.theme.px(8 if is_wide else 1)
        top = (self.height() - size.height()) // 2 if is_wide else 0
        self._waiting.setGeometry(left, top, size.width(), size.height())


class Rail(Themed):
    """Shows the open entry, and opens others by mouse, Tab and arrows, or shortcuts."""

    entry_requested = Signal(str)

    def __init__(self, theme: Theme, entries: Sequence[NavigationEntry], menu: MenuButton | None = None) -> None:
        super().__init__(theme)
        self.is_wide = False
        self.setAccessibleName("Pages")
        self.setObjectName("rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.buttons = {entry.key: RailButton(theme, entry) for entry in entries}
        self._column = spaced(QVBoxLayout(self), theme.px(1), 0, theme.px(6), 1, theme.px(6))
        self.menu = menu
        if menu is not None:
            self._column.addWidget(menu)
        for at_foot in (False, True):
            if at_foot:
                self._column.addStretch(1)
            for entry in entries:
                if entry.at_foot is at_foot:
                    self._column.addWidget(self.buttons[entry.key])
        for button in self.buttons.values():
            button.clicked.connect(lambda _checked=False, key=button.entry.key: self.entry_requested.emit(key))
        self.show_words(False)

    def show_words(self, on: bool) -> None:
        """Set the width for labels, or for icons only."""
        self.is_wide = on
        self.setFixedWidth(self.fitting)
        for button in self.buttons.values():
            button.show_word(on)
        if self.menu is not None:
            self.menu.show_word(on)

    @property
    def fitting(self) -> int:
        """Preferred width in pixels, at the present text size."""
        return self.theme.px(WIDE if self.is_wide else NARROW)

    def show_waiting(self, counts: HistoryCounts) -> None:
        from app.display.review.inbox import accessible_badge, badge  # imported when there is something to count

        self.buttons[entry_of("inbox")].show_badge(badge(counts.waiting), accessible_badge(counts.waiting))

    def show_running(self, count: int) -> None:
        """Show the number of running powers at the powers entry."""
        self.buttons[entry_of("powers")].show_badge(str(count) if count else "", running_words(count))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        buttons = list(self.buttons.values())
        here = next((place for place, button in enumerate(buttons) if button.hasFocus()), None)
        if step is None or here is None:
            super().keyPressEvent(event)
        else:
            buttons[(here + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
