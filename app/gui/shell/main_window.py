"""Main window: navigation rail, open page, status line, and global shortcuts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QStyle, QVBoxLayout, QWidget

from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import history_watch
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action, CoreState, Page
from app.gui.kit.theme import LOOK_FILE, Appearance, Theme, ThemeApplier, write_appearance
from app.gui.kit.toast import Toast
from app.gui.library.folder import FolderActions
from app.gui.library.import_actions import ImportActions
from app.gui.powers.start_dialog import PowerStarter
from app.gui.scope.page import ScopePage
from app.gui.scope.query_line import QueryBar
from app.gui.shell.actions import UndoRedo, ViewCommands, actions, page_actions, setting_actions, view_actions
from app.gui.shell.desktop import AnnouncementStrip, Desktop
from app.gui.shell.menu import ClosePrompt, MenuButton, Rail, menu_bar
from app.gui.shell.page_stack import ENTRIES, PAGES, SCOPE, SETTINGS, Keyboard, PageStack, PageTabs, entry_of, pages_of
from app.gui.shell.palette import Palette
from app.gui.shell.remedy_actions import Places, RemedyActions
from app.gui.shell.report_box import BlackBox
from app.gui.shell.status_line import StatusLine

if TYPE_CHECKING:
    from app.services.status import Status
    from app.settings.model import Settings


WORDS_FROM = 1200.0
"""Minimum width of the window, in units, for labels in the rail."""


_FRAME = 16
"""Pixels of a window's edges on the screen, beside its title bar."""


class MainWindow(QWidget):
    """One window on one workbench. Opens with the scope; other pages are created on first visit."""

    painted = Signal()
    bug_found = Signal(Exception)  # exception

    def __init__(self, theme: Theme, worker: Worker, places: Places, box: BlackBox) -> None:
        super().__init__()
        self.theme, self.worker = theme, worker
        self.core_state: CoreState | None = None
        self._look = theme.appearance
        self.setWindowTitle("Intentscope")
        title = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        room = QGuiApplication.primaryScreen().availableSize() - QSize(0, title + _FRAME)
        self.resize(QSize(theme.px(1280), theme.px(800)).boundedTo(room))
        self.rail = Rail(theme, ENTRIES, MenuButton(theme, lambda: self.action_rows, self.do))
        self.menu_bar = menu_bar(self, lambda: self.action_rows, self.do)
        self.tabs = PageTabs()
        self._last_of: dict[str, str] = {}
        self.stack = PageStack()
        self.pages = self.stack.pages
        self.status_line = StatusLine(theme)
        self.toast = Toast(theme, self.status_line)
        self.announcement_strip = AnnouncementStrip(theme)
        self.remedies = RemedyActions(self, places, box)
        self.folder_actions = FolderActions(self)
        self.undo_redo = UndoRedo(self)
        self.palette_box = Palette(theme, self)
        self._shortcuts: list[QShortcut] = []
        self._view = ViewCommands(self.open_menu, self.tabs.step, self.open_place, worker.choose, self.zoom)
        self._arrange()
        self._connect()
        self.theme_applier = ThemeApplier(self, theme)
        self.open_page(SCOPE)
        self.import_actions = ImportActions(self)
        self.close_prompt = ClosePrompt(self)
        self.desktop = Desktop(self, places, self.announcement_strip)
        self.power_starter = PowerStarter(self)
        self._connect_features()
        self.keyboard = Keyboard(self, self.stack)
        self.painted.connect(self.keyboard.note_painted)

    # ---- construction

    def _arrange(self) -> None:
        right = spaced(QVBoxLayout(), 0)
        fill(right, self.tabs, (self.stack, 1), self.announcement_strip, self.folder_actions.strip)
        foot = QWidget()
        fill(spaced(QHBoxLayout(foot), 0), self.toast, (self.status_line, 1, Qt.AlignmentFlag.AlignBottom))
        right.addWidget(foot)
        fill(spaced(QHBoxLayout(self)), self.rail, (right, 1))

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self.rail.entry_requested.connect(self.open_entry)
        self.tabs.page_requested.connect(self.open_page)
        history_watch(self.worker).counted.connect(self.rail.show_waiting)
        self.status_line.profile_requested.connect(lambda: self.act("profiles"))
        self.toast.focus_left.connect(self._enter_page)
        self.palette_box.chosen.connect(self.do)
        self.worker.changed.connect(self._on_change, queued)
        self.worker.chosen.connect(self._on_chosen, queued)
        self.theme.changed.connect(self._fit_rail)
        self.worker.inspected.connect(self.status_line.note)
        self.bug_found.connect(self.remedies.report_bug, queued)

    def _connect_features(self) -> None:
        self.status_line.stop_requested.connect(self.stop_job)
        self.power_starter.watch.changed.connect(self._count_running)
        self.import_actions.dropped.connect(self.desktop.file_opener.add)
        self.setAcceptDrops(True)
        for place in (self, self.bar.box.line.viewport()):
            place.installEventFilter(self.import_actions)

    # ---- Shell interface

    def notify(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        self.toast.show_message(sentence, undo=undo, bad=bad)

    def show_job(self, line: str, *, can_stop: bool = False) -> None:
        self.status_line.show_job(line, can_stop=can_stop)

    def note_stored(self) -> None:
        self.bar.box.line.leaves_undo = True

    def stop_job(self) -> None:
        (self.folder_actions if self.folder_actions.is_busy else self.import_actions).cancel()

    def _count_running(self) -> None:
        for place in (self.rail, self.status_line):
            place.show_running(self.power_starter.watch.count)

    # ---- actions

    @property
    def action_rows(self) -> tuple[Action, ...]:
        """All actions: rows of ACTIONS, one per page, and those of the pages."""
        added = (row for page in self.pages.values() for row in page.action_rows())
        return (*actions(self), *page_actions(PAGES, self.open_page), *view_actions(self._view), *added)

    def act(self, key: str) -> None:
        """Run the action of this key, or show its refusal; raises KeyError."""
        self.do({row.key: row for row in self.action_rows}[key])

    def do(self, row: Action) -> None:
        """Run an action, or show its refusal."""
        if why := row.refusal():
            self.toast.show_message(why, bad=True)
        else:
            row.act()

    def _bind_keys(self) -> None:
        action_rows = self.action_rows
        for shortcut in self._shortcuts:
            shortcut.setEnabled(False)  # deleted in a later event, and no key may have two owners
            shortcut.deleteLater()
        self._shortcuts = [
            QShortcut(QKeySequence(sequence), self, partial(self.act, row.key))
            for row in action_rows
            for sequence in row.shortcuts
        ]
        for page in self.pages.values():
            page.show_action_rows(action_rows)

    # ---- pages

    def open_page(self, key: str) -> None:
        page = self.pages.get(key) or self._make_page(key)
        if not self.stack.is_open(key):
            self.toast.leave_page()
        entry = entry_of(key)
        self._last_of[entry] = key
        self.rail.buttons[entry].setChecked(True)
        self.tabs.show_page(key, entry)
        self.stack.open(key)
        page.enter()

    def open_entry(self, entry: str) -> None:
        """Show the last open page of a rail entry, at first its first one."""
        self.open_page(self._last_of.get(entry, pages_of(entry)[0].key))

    def _make_page(self, key: str) -> Page:
        row = next(row for row in PAGES if row.key == key)
        page = row.make(self.theme, self.worker)
        page.notified.connect(lambda sentence, undo, bad: self.notify(sentence, undo=undo, bad=bad))
        page.fault_changed.connect(self.status_line.show_fault)
        page.task_finished.connect(self._on_task_finished)
        page.action_requested.connect(self.act)
        page.palette_requested.connect(self.open_palette)
        page.page_requested.connect(self.open_place)
        page.query_typed.connect(self.ask)
        page.action_rows_changed.connect(self._bind_keys)
        self.remedies.watch(page)
        if self.remedies.places.profile is not None:
            page.persist_in(self.remedies.places.profile)
        if self.core_state is not None:
            page.show_core_state(self.core_state)
        self.stack.add(key, page)
        self._bind_keys()
        return page

    def _enter_page(self) -> None:
        self.page.enter()

    @property
    def page(self) -> Page:
        return self.stack.page

    def next_focus_stop(self, by: int) -> None:
        """Focus the next or previous pane; a toast with undo is one of them."""
        self.stack.next_focus_stop(by, (self.toast.undo,))

    def _fit_rail(self) -> None:
        """Show labels in the rail if there is space, unless the user chose otherwise."""
        choice = "auto" if self.core_state is None else self.core_state.settings.rail
        on = self.width() / self.theme.scale >= WORDS_FROM if choice == "auto" else choice == "words"
        if on is not self.rail.is_wide or self.rail.width() != self.rail.fitting:
            self.rail.show_words(on)
            if (whole := self.layout()) is not None:
                whole.activate()  # at once: positions in a page depend on the new width

    # ---- shortcuts to the scope

    @property
    def is_scope_open(self) -> bool:
        return self.page is self.scope

    @property
    def scope(self) -> ScopePage:
        page = self.pages[SCOPE]
        assert isinstance(page, ScopePage)
        return page

    @property
    def bar(self) -> QueryBar:
        return self.scope.bar

    def ask(self, text: str) -> None:
        self.scope.ask(text)

    # ---- settings and palette

    def open_menu(self) -> None:
        if self.rail.menu is not None:
            self.rail.menu.showMenu()

    def zoom(self, by: float | None) -> None:
        """Change the text size by a step, within the setting's range; None resets it."""
        if self.core_state is not None:
            now = self.core_state.settings.text_scale
            wanted = None if by is None else f"{min(2.0, max(1.0, round(now + by, 2))):g}"
            self.worker.choose("text_scale", wanted)

    def open_place(self, key: str, place: str) -> None:
        self.open_page(key)
        if place:
            self.page.go_to(place)

    def open_palette(self, sought: str = "") -> None:
        """Open the command palette; recent actions come first."""
        rows = [row for row in self.action_rows if row.key != "palette"]
        rows += self.desktop.recent_files.action_rows()
        if self.core_state is not None:
            rows += setting_actions(self.core_state, partial(self.open_place, SETTINGS))
        refusals = {row.key: why for row in rows if (why := row.refusal())}
        self.palette_box.open_with(rows, refusals, sought)

    # ---- results

    def _on_chosen(self, key: str) -> None:
        """Hide a toast that offers to undo another step: the last one is this setting's."""
        from app.settings.model import LOOKS

        if key not in LOOKS and self.toast.offers_undo:
            self.toast.hide()

    def _on_change(self, status: Status, settings: Settings, origins: Mapping[str, str]) -> None:
        self.core_state = CoreState(status, settings, origins)
        appearance = Appearance.of(settings)
        self._store_appearance(appearance)
        self.theme.set_appearance(appearance)
        self._fit_rail()  # the choice may differ while the theme is the same
        self.status_line.show_status(status)
        self.folder_actions.strip.show_news(status.folder)
        self.setWindowTitle(self._title(status.profile))
        for page in self.pages.values():
            page.show_core_state(self.core_state)
        self.desktop.show_core_state(self.core_state)

    def _store_appearance(self, appearance: Appearance) -> None:
        """Store the colours for the first frame of the next run, on another thread."""
        look, profile = replace(appearance, text_scale=1.0), self.remedies.places.profile
        if profile is not None and look != self._look:
            self._look = look
            QThreadPool.globalInstance().start(partial(write_appearance, look, profile / LOOK_FILE))

    def _title(self, profile: str) -> str:
        name = self.remedies.places.profile_name(profile)
        return f"{name} – Intentscope" if name != "default" else "Intentscope"

    def _on_task_finished(self, sentence: str) -> None:
        self.desktop.notices.task_finished(sentence)

    def report_crash(self, error: Exception) -> None:
        """Report a bug of the engine like any other."""
        sys.excepthook(type(error), error, error.__traceback__)

    # ---- paint and close

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.UpdateRequest:
            self.painted.emit()
            self.page.after_paint()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_rail()
        if self.toast.isVisible():
            self.toast.fit()
        if self.palette_box.isVisible():
            self.palette_box.place()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.close_prompt.holds(event):
            return
        self.worker.close()
        super().closeEvent(event)
