"""ENTRIES and PAGES, the window's map as rows; the stack of pages, their tabs, and Window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import shiboken6
from PySide6.QtCore import QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QTabBar, QWidget

from app.gui.kit.page import Frame, Page, Shell

if TYPE_CHECKING:
    from app.gui.bridge.engine_thread import Worker
    from app.gui.kit.theme import Theme
    from app.gui.kit.toast import Toast
    from app.gui.library.folder import FolderActions
    from app.gui.library.import_actions import ImportActions
    from app.gui.powers.start_dialog import PowerStarter
    from app.gui.scope.page import ScopePage
    from app.gui.shell.status_line import StatusLine


class PageStack(QStackedWidget):
    """Pages, created on first visit; all but the scope are in a scroll frame."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Page] = {}
        self._frames: dict[str, Frame] = {}

    @property
    def page(self) -> Page:
        shown = self.currentWidget()
        return next(page for key, page in self.pages.items() if self._frames.get(key, page) is shown)

    def add(self, key: str, page: Page) -> None:
        self.pages[key] = page
        if key != SCOPE:
            self._frames[key] = Frame(page)
        self.addWidget(self._frames.get(key, page))

    def is_open(self, key: str) -> bool:
        """Check if the page of this key is shown."""
        return self.currentWidget() is self._frames.get(key, self.pages.get(key))

    def open(self, key: str) -> None:
        self.setCurrentWidget(self._frames.get(key, self.pages[key]))

    def next_focus_stop(self, by: int, more: Sequence[QWidget]) -> None:
        """Focus the next or previous stop of the open page; `more` follow the page's."""
        focus_stops = [stop for stop in (*self.page.focus_stops(), *more) if stop.isVisible() and stop.isEnabled()]
        if not focus_stops:
            return
        focus = QApplication.focusWidget()
        here = next(
            (n for n, stop in enumerate(focus_stops) if stop is focus or (focus and stop.isAncestorOf(focus))), 0
        )
        stop = focus_stops[(here + by) % len(focus_stops)]
        stop.activateWindow()  # a floating pane is a separate window
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        if isinstance(frame := self.currentWidget(), Frame):
            frame.ensureWidgetVisible(stop)


# ---- Keyboard focus: kept on a visible widget of the open page


class Keyboard(QObject):
    """Returns the focus to the open page when the focused widget is hidden.

    Qt would give it to the next widget in the window, mostly the rail, or leave it on one that was never shown.
    """

    def __init__(self, window: QWidget, stack: PageStack) -> None:
        super().__init__(window)
        self._window, self._stack = window, stack
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._bring_back)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_moved)

    def _on_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        """Track the focus: Qt moves it from hidden widgets, the user from visible ones."""
        if not shiboken6.isValid(self._stack):  # the widget is destroyed with the window
            return
        page = self._stack.page
        was_hidden = old is not None and page.isAncestorOf(old) and not old.isVisible()
        if was_hidden and new is not None and new.window() is self._window and not page.isAncestorOf(new):
            self._soon.start()

    def note_painted(self) -> None:
        """Check a focus that was set before anything was shown: its widget may be hidden."""
        focus = QApplication.focusWidget()
        if focus is not None and not focus.isVisible() and focus.window() is self._window:
            self._soon.start()

    def _bring_back(self) -> None:
        page, focus = self._stack.page, QApplication.focusWidget()
        if self._window.isActiveWindow() and not (focus is not None and page.isAncestorOf(focus) and focus.isVisible()):
            page.enter()


# ---- Tabs of pages that share a rail entry.


class PageTabs(QTabBar):
    """Tabs of the open entry's pages; hidden for a single page."""

    page_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pages")
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setAccessibleName("Pages of this entry")
        self._rows: tuple[PageRow, ...] = ()
        self.currentChanged.connect(self._on_changed)
        self.hide()

    @property
    def keys(self) -> list[str]:
        return [row.key for row in self._rows]

    def show_page(self, page: str, entry: str) -> None:
        with QSignalBlocker(self):
            if self._rows != (rows := pages_of(entry)):
                while self.count():
                    self.removeTab(0)
                self._rows = rows
                for row in rows:
                    self.addTab(row.title)
            self.setCurrentIndex(self.keys.index(page))
        self.setVisible(len(self._rows) > 1)

    def step(self, by: int) -> None:
        """Open the next or previous page of the entry, cyclically."""
        if self._rows:
            self.setCurrentIndex((self.currentIndex() + by) % len(self._rows))

    def _on_changed(self, place: int) -> None:
        if 0 <= place < len(self._rows):
            self.page_requested.emit(self._rows[place].key)


# ---- ENTRIES and PAGES: rows for rail, tabs and keys; pages are created on first visit.


SCOPE, SETTINGS, HELP = "scope", "settings", "help"


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """Rail entry; its pages name it, and become tabs if there are several.

    `at_foot`: at the lower end.
    """

    key: str
    title: str
    icon: str
    at_foot: bool = False


@dataclass(frozen=True, slots=True)
class PageRow:
    """Page: key, name, rail entry, icon, shortcut, and class as `module:Class`.

    The module is imported on the first visit, or before while the user is idle.
    """

    key: str
    title: str
    entry: str
    icon: str
    shortcut: str
    place: str
    also: tuple[str, ...] = ()
    """Other words of the palette for the page."""

    @property
    def module(self) -> str:
        return self.place.partition(":")[0]

    def make(self, theme: Theme, worker: Worker) -> Page:
        made: Page = getattr(import_module(self.module), self.place.partition(":")[2])(theme, worker)
        return made


ENTRIES: tuple[NavigationEntry, ...] = (
    NavigationEntry(SCOPE, "Scope", "scope"),
    NavigationEntry("library", "Library", "memory"),
    NavigationEntry("quality", "Quality", "check"),
    NavigationEntry("review", "Review", "inbox"),
    NavigationEntry("assistants", "Assistants", "plug"),
    NavigationEntry("routing", "Routing", "route"),
    NavigationEntry(SETTINGS, "Settings", "settings", at_foot=True),
    NavigationEntry(HELP, "Help", "help", at_foot=True),
)

PAGES: tuple[PageRow, ...] = (
    PageRow(SCOPE, "Scope", SCOPE, "scope", "Ctrl+1", "app.gui.scope.page:ScopePage"),
    PageRow("intents", "Intents", "library", "label", "Ctrl+Shift+I", "app.gui.library.intents:IntentsPage"),
    PageRow("memories", "Memories", "library", "memory", "Ctrl+2", "app.gui.library.memories:MemoriesPage"),
    PageRow("powers", "Powers", "library", "power", "Ctrl+3", "app.gui.powers.page:PowersPage"),
    PageRow("rules", "Rules", "library", "rules", "Ctrl+4", "app.gui.library.rules:RulesPage"),
    PageRow("cases", "Cases", "quality", "check", "Ctrl+5", "app.gui.library.cases:CasesPage"),
    PageRow("evaluate", "Evaluate", "quality", "evaluate", "Ctrl+Shift+E", "app.gui.evaluation.page:EvaluatePage"),
    PageRow("findings", "Findings", "quality", "health", "Ctrl+H", "app.gui.review.findings:FindingsPage"),
    PageRow("metrics", "Latency", "quality", "chart", "Ctrl+0", "app.gui.system.metrics:MetricsPage"),
    PageRow("inbox", "Inbox", "review", "inbox", "Ctrl+I", "app.gui.review.inbox_page:InboxPage"),
    PageRow("history", "History", "review", "history", "Ctrl+Shift+H", "app.gui.review.history_page:HistoryPage"),
    PageRow(
        "assistants",
        "Connect",
        "assistants",
        "plug",
        "Ctrl+Shift+A",
        "app.gui.review.assistants:AssistantsPage",
        ("hook", "assistant", "MCP", "Claude"),
    ),
    PageRow("context", "Context", "assistants", "context", "Ctrl+7", "app.gui.scope.context:ContextPage"),
    PageRow("route", "Routing", "routing", "route", "Ctrl+Shift+R", "app.gui.routing.page:RoutePage"),
    PageRow(SETTINGS, "Settings", SETTINGS, "settings", "Ctrl+9", "app.gui.system.settings_page:SettingsPage"),
    PageRow(HELP, "Help", HELP, "help", "Ctrl+F1", "app.gui.system.help_page:HelpPage"),
)
"""Pages in rail order. All but the scope are imported when created, so that startup is fast."""


def pages_of(entry: str) -> tuple[PageRow, ...]:
    """Return the pages of a rail entry, in the order of their tabs."""
    return tuple(row for row in PAGES if row.entry == entry)


def entry_of(page: str) -> str:
    """Return the rail entry of a page; raises KeyError."""
    return {row.key: row.entry for row in PAGES}[page]


# ---- Window: protocol of the main window for the shell's parts, so that none imports it.


class Window(Shell, Protocol):
    """Parts of the window that exist before the shell's parts, and all that they use."""

    pages: dict[str, Page]
    toast: Toast
    status_line: StatusLine
    import_actions: ImportActions
    folder_actions: FolderActions
    power_starter: PowerStarter

    @property
    def scope(self) -> ScopePage:
        """First page."""

    @property
    def is_scope_open(self) -> bool:
        """True if the first page is open."""

    def open_page(self, key: str) -> None:
        """Show a page, which is created on its first visit."""

    def next_focus_stop(self, by: int) -> None:
        """Focus the next or previous pane."""

    def open_palette(self) -> None:
        """Open the command palette."""

    def stop_job(self) -> None:
        """Cancel the task in the status line."""
