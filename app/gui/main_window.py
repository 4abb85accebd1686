"""The window: the rail, the page that is open, the line at the bottom, and the keys that work everywhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.gui import icons
from app.gui.controls import FaultLine
from app.gui.moment import Moment
from app.gui.pages import PAGES, SCOPE
from app.gui.pages.page import Desk, Page
from app.gui.pages.scope import ScopePage
from app.gui.panels.panel import Panel
from app.gui.query_bar import QueryBar
from app.gui.rail import Rail
from app.gui.status_line import StatusLine
from app.gui.styles import style_sheet
from app.gui.theme import Mode, Theme
from app.gui.toast import Toast
from app.gui.worker import Worker

if TYPE_CHECKING:
    from app.services.status import Status
    from app.settings import Settings


class MainWindow(QWidget):
    """One window on one workbench. It opens with the scope; every other page is made when it is first asked for."""

    painted = Signal()
    bug_found = Signal(str)

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self.worker = theme, worker
        self.desk: Desk | None = None
        self._drawings = Path(mkdtemp(prefix="intentscope-"))
        finalize(self, rmtree, self._drawings, ignore_errors=True)
        self.setWindowTitle("Intentscope")
        room = QGuiApplication.primaryScreen().availableSize()
        self.resize(QSize(theme.px(1280), theme.px(800)).boundedTo(room))
        self.rail = Rail(theme, PAGES)
        self.stack = QStackedWidget()
        self.status_line = StatusLine(theme)
        self.toast = Toast(theme, self)
        self.pages: dict[str, Page] = {}
        self._arrange()
        self._connect()
        self._bind_keys()
        theme.changed.connect(self._dress)
        self._dress()
        self.open_page(SCOPE)

    # ---- building

    def _arrange(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.stack, 1)
        right.addWidget(self.status_line)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.rail)
        whole.addLayout(right, 1)

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self.rail.page_asked.connect(self.open_page)
        self.toast.undo_asked.connect(self.undo)
        self.worker.changed.connect(self._on_change, queued)
        self.bug_found.connect(self.tell_bug, queued)

    def _bind_keys(self) -> None:
        keys: dict[str, Callable[[], object]] = {
            "Ctrl+L": self.focus_query,
            "Escape": self.focus_query,
            "Ctrl+T": self.teach,
            "Ctrl+Shift+C": self.copy,
            "Ctrl+Z": self.undo,
            "F6": partial(self._next_stop, 1),
            "Shift+F6": partial(self._next_stop, -1),
        }
        keys |= {row.shortcut: partial(self.open_page, row.key) for row in PAGES}
        for sequence, act in keys.items():
            QShortcut(QKeySequence(sequence), self, act)

    # ---- pages

    def open_page(self, key: str) -> None:
        """Show a page, made now if it was never open."""
        page = self.pages.get(key) or self._make_page(key)
        self.rail.show_open(key)
        self.stack.setCurrentWidget(page)
        page.enter()

    def _make_page(self, key: str) -> Page:
        row = next(row for row in PAGES if row.key == key)
        page = self.pages[key] = row.make(self.theme, self.worker)
        page.told.connect(self._on_told)
        page.fault_told.connect(self.status_line.show_fault)
        if self.desk is not None:
            page.show_desk(self.desk)
        self.stack.addWidget(page)
        return page

    @property
    def page(self) -> Page:
        """The page that is open."""
        return next(page for page in self.pages.values() if page is self.stack.currentWidget())

    def _next_stop(self, by: int) -> None:
        stops = [stop for stop in self.page.stops() if stop.isVisible() and stop.isEnabled()]
        focus = QApplication.focusWidget()
        here = next((n for n, stop in enumerate(stops) if stop is focus or (focus and stop.isAncestorOf(focus))), 0)
        stops[(here + by) % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)

    # ---- the scope, in short

    @property
    def scope(self) -> ScopePage:
        """The first page."""
        page = self.pages[SCOPE]
        assert isinstance(page, ScopePage)
        return page

    @property
    def moment(self) -> Moment:
        return self.scope.moment

    @property
    def panels(self) -> dict[str, Panel]:
        return self.scope.panels

    @property
    def bar(self) -> QueryBar:
        return self.scope.bar

    @property
    def notice(self) -> FaultLine:
        return self.scope.notice

    def focus_query(self) -> None:
        """Go to the query line, from wherever one is."""
        self.open_page(SCOPE)

    def ask(self, text: str) -> None:
        """Put a text into the line as if it had been typed."""
        self.scope.ask(text)

    def teach(self) -> None:
        """Open the dialog with the query as trigger."""
        self.scope.teach()

    def copy(self) -> None:
        """Copy the answer as text."""
        self.scope.copy()

    def undo(self) -> None:
        """Take back the last teaching."""
        self.worker.undo()

    # ---- what comes back

    def _on_change(self, status: Status, settings: Settings, origins: Mapping[str, str]) -> None:
        self.desk = Desk(status, settings, origins)
        self.theme.set_mode(Mode(settings.theme))
        self.status_line.show_status(status)
        for page in self.pages.values():
            page.show_desk(self.desk)

    def _on_told(self, sentence: str, undo: bool, bad: bool) -> None:
        self.toast.tell(sentence, undo=undo, bad=bad)

    def tell_crash(self, error: Exception) -> None:
        """A bug of the engine goes where all bugs go."""
        sys.excepthook(type(error), error, error.__traceback__)

    def tell_bug(self, sentence: str) -> None:
        """Say in the status line that something went wrong that should not have."""
        self.status_line.show_fault(sentence)

    # ---- paint, looks, end

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.UpdateRequest:
            self.painted.emit()
            self.page.after_paint()
        return handled

    def _dress(self) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(self.theme.palette())
            app.setFont(self.theme.font())
        chevron = icons.write_drawing("chevron-down", self.theme.tokens.text_2, self._drawings)
        self.setStyleSheet(style_sheet(self.theme, chevron.as_posix()))
        self.setAutoFillBackground(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.toast.place()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.worker.close()
        super().closeEvent(event)
