"""GUI program: first paint, then the engine, the event loop, and later launches."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from app.gui.bridge.engine_thread import Worker
from app.gui.kit.theme import LOOK_FILE, Theme, read_appearance
from app.gui.scope import dock_layout
from app.gui.shell import page_stack
from app.gui.shell.main_window import MainWindow
from app.gui.shell.remedy_actions import NOWHERE, Places
from app.gui.shell.report_box import BlackBox, catch_bugs, log_qt
from app.services.system.start_requests import StartRequest

if TYPE_CHECKING:
    from app.gui.shell.desktop import AskVersion
    from app.services.workbench import Workbench


FETCH_AFTER_MS, IDLE_SECONDS = 1_500, 1.0
"""Delay in ms after the window is made, and idle time in s, before pages are preloaded."""

PLOT = "app.gui.kit.chart"
LATER = (
    "app.display.system.settings",
    "app.gui.library.import_dialog",
    "app.gui.scope.teach_actions",
    "app.gui.library.folder_dialog",
    "app.gui.shell.profiles",
)
"""Modules preloaded besides the pages' modules."""

SWITCH_SECONDS = 0.0005
"""Thread switch interval in s: Python's default of 5 ms would be half the budget."""


def run(
    make_workbench: Callable[[], Workbench],
    *,
    query: str | None = None,
    files: Sequence[Path] = (),
    exit_after: float | None = None,
    places: Places = NOWHERE,
    listen: Listen | None = None,
    newest_version: AskVersion | None = None,
) -> int:
    """Open the window and run until it is closed, or for `exit_after` s; return the exit code.

    `make_workbench` is called on the engine's thread after the first paint, so it may import slow modules; `listen`
    then, too, with the handler of other processes' launches. `files` are opened once the library is.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    box = BlackBox(places.profile)
    box.open()
    restore_qt = log_qt()
    app = _application()
    window = make_window(make_workbench, places, box)
    restore = catch_bugs(window.bug_found.emit)
    called = LaunchReceiver(window)
    window.desktop.updates.ask = newest_version
    window.painted.connect(lambda: _start_once(window, called, listen))
    window.remedies.report_last_crash()
    window.show()
    if query is not None:
        window.ask(query)
    window.desktop.file_opener.add(files)
    if exit_after is not None:
        QTimer.singleShot(max(0, round(exit_after * 1000)), app, app.quit)
    try:
        return app.exec()
    finally:
        window.worker.close()
        restore()
        window.deleteLater()
        restore_qt()
        box.close()


def make_window(
    make_workbench: Callable[[], Workbench], places: Places = NOWHERE, box: BlackBox | None = None
) -> MainWindow:
    """Make the window with its theme and its worker, which is not started."""
    theme = Theme()
    if places.profile is not None:
        theme.set_appearance(read_appearance(places.profile / LOOK_FILE))
    worker = Worker(make_workbench)
    window = MainWindow(theme, worker, places, box or BlackBox(None))
    if places.profile is not None:
        window.scope.panes.persist_in(places.profile / dock_layout.FILE)
    for owned in (theme, worker):
        owned.setParent(window)
    worker.crashed.connect(window.report_crash)
    QTimer.singleShot(FETCH_AFTER_MS, window, partial(_fetch_pages, window))
    return window


def _fetch_pages(window: MainWindow) -> None:
    """Import the modules of pages and plots while the user is idle."""
    line = window.bar.box.line
    names = (PLOT, *(row.module for row in page_stack.PAGES), *LATER)
    PagePreloader(names, lambda: perf_counter() - line.keyed_at > IDLE_SECONDS, window).start(BETWEEN_MS)


def _application() -> QApplication:
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    app.setApplicationName("Intentscope")
    app.setDesktopFileName("intentscope")
    QLocale.setDefault(QLocale(QLocale.Language.English))  # fields format numbers like the sentences around them
    return app


def _start_once(window: MainWindow, called: LaunchReceiver, listen: Listen | None) -> None:
    window.painted.disconnect()
    window.worker.start()
    if listen is not None:
        listen(called.take)


# ---- Later launches: the window shows their query or files, and comes to the front.


Listen = Callable[[Callable[[StartRequest], bool]], object]
"""Starts listening for other processes' launches."""

TAKE_SECONDS = 3.0
"""Time-out in seconds, after which the other process opens a window of its own."""


class _Launch:
    """One launch between two threads: either the window takes it, or the caller times out."""

    def __init__(self, start: StartRequest) -> None:
        self.start = start
        self.done = Event()
        self._lock, self._is_decided = Lock(), False

    def decide(self) -> bool:
        """Decide the launch; return False if the other side was first."""
        with self._lock:
            before, self._is_decided = self._is_decided, True
        return not before


class LaunchReceiver(QObject):
    """Receives later launches for one window; the sender has only validated their form."""

    _arrived = Signal(_Launch)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._arrived.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def take(self, start: StartRequest) -> bool:
        """Pass a launch to the window from another thread; return True if the window took it."""
        call = _Launch(start)
        self._arrived.emit(call)
        return call.done.wait(TAKE_SECONDS) or not call.decide()

    def _show(self, call: _Launch) -> None:
        if not call.decide():
            return
        call.done.set()
        window, start = self._window, call.start
        if start.activation:
            os.environ["XDG_ACTIVATION_TOKEN"] = start.activation  # Wayland raises no window without it
        if window.isMinimized():
            window.showNormal()
        window.raise_()
        window.activateWindow()
        front = QApplication.activeModalWidget()
        if front is not None:
            front.raise_()
            front.activateWindow()
        if start.query is not None:
            window.open_page("scope")
            window.ask(start.query)
        window.desktop.file_opener.add(start.files)


# ---- Modules of pages are preloaded, so that they open at once.


BETWEEN_MS = 50
"""Pause in ms between two modules, for the window and the engine."""

LATER_MS = 500
"""Wait in ms after a key before the next module."""


class PagePreloader(QTimer):
    """Imports these modules one by one whenever `is_idle`.

    They make types of Qt, which two threads must not do at the same time, so it is a timer of the window's thread.
    """

    def __init__(self, modules: Sequence[str], is_idle: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._modules, self._is_idle = iter(modules), is_idle
        self.timeout.connect(self._fetch)

    def _fetch(self) -> None:
        if not self._is_idle():
            self.setInterval(LATER_MS)
            return
        self.setInterval(BETWEEN_MS)
        name = next(self._modules, None)
        if name is None:
            self.stop()
        elif find_spec(name) is not None:
            importlib.import_module(name)
