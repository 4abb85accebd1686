"""A later start of the program comes in here: the window shows what was asked, and comes to the front."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Event, Lock
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from app.services.system.starts import Start

if TYPE_CHECKING:
    from app.gui.shell.main_window import MainWindow

Listen = Callable[[Callable[[Start], bool]], object]
"""Begins to take what other processes hand over."""

TAKE_SECONDS = 3.0
"""A window that is busy for longer leaves the later start to open a window of its own."""


class _Call:
    """One start on its way between two threads: either the window takes it, or who waits gives up, never both."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.done = Event()
        self._lock, self._is_decided = Lock(), False

    def decide(self) -> bool:
        """If nobody decided before."""
        with self._lock:
            before, self._is_decided = self._is_decided, True
        return not before


class Called(QObject):
    """One window's. Nothing of a start is trusted but its form, which was looked at where it came in."""

    _came = Signal(_Call)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._came.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def take(self, start: Start) -> bool:
        """Have the window show it, on any other thread; whether it did."""
        call = _Call(start)
        self._came.emit(call)
        return call.done.wait(TAKE_SECONDS) or not call.decide()

    def _show(self, call: _Call) -> None:
        if not call.decide():
            return
        call.done.set()
        window, start = self._window, call.start
        if start.activation:
            os.environ["XDG_ACTIVATION_TOKEN"] = start.activation  # Wayland lets nobody come to the front without
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
        window.desktop.opening.add(start.files)
