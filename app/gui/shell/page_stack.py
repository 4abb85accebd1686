"""ENTRIES and PAGES, the map of the window as rows; the stack of pages, created on first visit, and their tabs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QTabBar, QWidget

from app.gui.kit.page import Frame, Page

if TYPE_CHECKING:
    from app.gui.bridge.engine_thread import Worker
    from app.gui.kit.theme.theme import Theme


class PageStack(QStackedWidget):
    """The pages; all but the scope are in a frame that scrolls them as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Page] = {}
        self._frames: dict[str, Frame] = {}

    @property
    def page(self) -> Page:
        """The page that is open."""
        shown = self.currentWidget()
        return next(page for key, page in self.pages.items() if self._frames.get(key, page) is shown)

    def add(self, key: str, page: Page) -> None:
        """Take up a page that was just made."""
        self.pages[key] = page
        if key != SCOPE:
            self._frames[key] = Frame(page)
        self.addWidget(self._frames.get(key, page))

    def is_open(self, key: str) -> bool:
        """Whether the page of this key is the one that is shown."""
        return self.currentWidget() is self._frames.get(key, self.pages.get(key))

    def open(self, key: str) -> None:
        """Show a page that was added."""
        self.setCurrentWidget(self._frames.get(key, self.pages[key]))

    def next_focus_stop(self, by: int, more: Sequence[QWidget]) -> None:
        """Go to the next place of the open page where the keyboard stops, or back; `more` follow those of the page."""
        focus_stops = [stop for stop in (*self.page.focus_stops(), *more) if stop.isVisible() and stop.isEnabled()]
        focus = QApplication.focusWidget()
        here = next(
            (n for n, stop in enumerate(focus_stops) if stop is focus or (focus and stop.isAncestorOf(focus))), 0
        )
        stop = focus_stops[(here + by) % len(focus_stops)]
        stop.activateWindow()  # a pane that floats is a window of its own
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        if isinstance(frame := self.currentWidget(), Frame):
            frame.ensureWidgetVisible(stop)


# --------------------------------------------------------------------------------------------------------------------
# Where the keyboard is: on something that can be seen of the open page, also once that page shows other things


class Keyboard(QObject):
    """Returns the focus to the open page when the focused widget is hidden.

    Qt hands it to whatever comes next in the window, mostly the rail, and leaves it where it is if that was never seen.
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
        if not shiboken6.isValid(self._stack):  # what had it goes with the window
            return
        page = self._stack.page
        was_hidden = old is not None and page.isAncestorOf(old) and not old.isVisible()
        if was_hidden and new is not None and new.window() is self._window and not page.isAncestorOf(new):
            self._soon.start()

    def note_painted(self) -> None:
        """What was given the keyboard before there was anything to show may still be hidden."""
        focus = QApplication.focusWidget()
        if focus is not None and not focus.isVisible() and focus.window() is self._window:
            self._soon.start()

    def _bring_back(self) -> None:
        page, focus = self._stack.page, QApplication.focusWidget()
        if self._window.isActiveWindow() and not (focus is not None and page.isAncestorOf(focus) and focus.isVisible()):
            page.enter()


# ---- The tabs above a page that shares its entry of the rail with others.


class PageTabs(QTabBar):
    """One tab a page of the open entry; hidden where the entry has one page alone."""

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
        """The pages of the open entry."""
        return [row.key for row in self._rows]

    def show_page(self, page: str, entry: str) -> None:
        """Show the tabs of an entry, that of this page as the open one."""
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
        """Open the next page of the entry, or the one before; the last is followed by the first."""
        if self._rows:
            self.setCurrentIndex((self.currentIndex() + by) % len(self._rows))

    def _on_changed(self, place: int) -> None:
        if 0 <= place < len(self._rows):
            self.page_requested.emit(self._rows[place].key)


# ---- ENTRIES and PAGES: the map of the window as rows; rail, tabs and keys are made from it, a page on the first
# visit.


SCOPE, SETTINGS, HELP = "scope", "settings", "help"


@dataclass(frozen=True, slots=True)
class Entry:
    """A place in the side bar: its pages are those that name it, as tabs where there are several. `at_foot`: it stands
    at the lower end."""

    key: str
    title: str
    icon: str
    at_foot: bool = False


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page: key, name in its tab and in the palette, entry of the rail, icon, shortcut, class as `module:Class`. The
    module is imported with the first visit, or beforehand while nobody types."""

    key: str
    title: str
    entry: str
    icon: str
    shortcut: str
    place: str

    @property
    def module(self) -> str:
        return self.place.partition(":")[0]

    def make(self, theme: Theme, worker: Worker) -> Page:
        made: Page = getattr(import_module(self.module), self.place.partition(":")[2])(theme, worker)
        return made


ENTRIES: tuple[Entry, ...] = (
    Entry(SCOPE, "Scope", "scope"),
    Entry("library", "Library", "memory"),
    Entry("quality", "Quality", "check"),
    Entry("review", "Review", "inbox"),
    Entry("assistants", "Assistants", "plug"),
    Entry("routing", "Routing", "route"),
    Entry(SETTINGS, "Settings", "settings", at_foot=True),
    Entry(HELP, "Help", "help", at_foot=True),
)

PAGES: tuple[PageRow, ...] = (
    PageRow(SCOPE, "Scope", SCOPE, "scope", "Ctrl+1", "app.gui.scope.page:ScopePage"),
    PageRow("intents", "Intents", "library", "label", "Ctrl+Shift+I", "app.gui.library.intents.page:IntentsPage"),
    PageRow("memories", "Memories", "library", "memory", "Ctrl+2", "app.gui.library.memories.page:MemoriesPage"),
    PageRow("powers", "Powers", "library", "power", "Ctrl+3", "app.gui.powers.page:PowersPage"),
    PageRow("rules", "Rules", "library", "rules", "Ctrl+4", "app.gui.library.rules.page:RulesPage"),
    PageRow("cases", "Cases", "quality", "check", "Ctrl+5", "app.gui.library.cases.page:CasesPage"),
    PageRow("evaluate", "Evaluate", "quality", "evaluate", "Ctrl+Shift+E", "app.gui.evaluation.page:EvaluatePage"),
    PageRow("health", "Findings", "quality", "health", "Ctrl+H", "app.gui.review.health:HealthPage"),
    PageRow("duplicates", "Duplicates", "quality", "duplicates", "Ctrl+6", "app.gui.library.duplicates:DuplicatesPage"),
    PageRow("metrics", "Latency", "quality", "chart", "Ctrl+0", "app.gui.system.metrics:MetricsPage"),
    PageRow("inbox", "Inbox", "review", "inbox", "Ctrl+I", "app.gui.review.inbox.page:InboxPage"),
    PageRow("history", "History", "review", "history", "Ctrl+Shift+H", "app.gui.review.history.page:HistoryPage"),
    PageRow("assistants", "Connect", "assistants", "plug", "Ctrl+Shift+A", "app.gui.review.assistants:AssistantsPage"),
    PageRow("context", "Context", "assistants", "context", "Ctrl+7", "app.gui.scope.context:ContextPage"),
    PageRow(
        "namespaces", "Namespaces", "assistants", "namespaces", "Ctrl+8", "app.gui.library.namespaces:NamespacesPage"
    ),
    PageRow("route", "Routing", "routing", "route", "Ctrl+Shift+R", "app.gui.routing.page:RoutePage"),
    PageRow(SETTINGS, "Settings", SETTINGS, "settings", "Ctrl+9", "app.gui.system.settings.page:SettingsPage"),
    PageRow("connection", "LLM", SETTINGS, "plug", "Ctrl+Shift+L", "app.gui.system.llm_connection:ConnectionPage"),
    PageRow(HELP, "Help", HELP, "help", "Ctrl+F1", "app.gui.system.help.page:HelpPage"),
    PageRow("keys", "Keys", HELP, "keyboard", "F1", "app.gui.system.help.keys:KeysPage"),
)
"""In the order of the side bar. Pages other than the scope are imported when they are made: the window starts without
them."""


def pages_of(entry: str) -> tuple[PageRow, ...]:
    """The pages of an entry of the rail, in the order of their tabs."""
    return tuple(row for row in PAGES if row.entry == entry)


def entry_of(page: str) -> str:
    """The entry of the rail that a page belongs to; KeyError if there is no such page."""
    return {row.key: row.entry for row in PAGES}[page]
