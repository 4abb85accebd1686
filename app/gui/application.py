"""The window's program: paint first, then start the engine, run the loop, and leave in good order."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication

from app.display import words
from app.gui.main_window import MainWindow
from app.gui.theme import Theme
from app.gui.worker import Worker

if TYPE_CHECKING:
    from app.services.workbench import Workbench

log = logging.getLogger(__name__)

SWITCH_SECONDS = 0.0005
"""How soon the engine's threads get their turn while the window draws; Python's own 5 ms would be half the budget."""


def run(make_workbench: Callable[[], Workbench], *, query: str | None = None, exit_after: float | None = None) -> int:
    """Open the window and stay until it is closed, or for so many seconds; the exit code.

    `make_workbench` is called on the engine's thread after the first paint, so it may import what is heavy.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    app = _application()
    window = make_window(make_workbench)
    restore = catch_bugs(window)
    window.painted.connect(lambda: _start_once(window))
    window.show()
    if query is not None:
        window.ask(query)
    if exit_after is not None:
        QTimer.singleShot(max(0, round(exit_after * 1000)), app, app.quit)
    try:
        return app.exec()
    finally:
        window.worker.close()
        restore()
        window.deleteLater()


def make_window(make_workbench: Callable[[], Workbench]) -> MainWindow:
    """The window with its theme and its worker, which is not started yet."""
    theme = Theme()
    worker = Worker(make_workbench)
    window = MainWindow(theme, worker)
    for owned in (theme, worker):
        owned.setParent(window)
    worker.crashed.connect(window.tell_crash)
    return window


def catch_bugs(window: MainWindow) -> Callable[[], None]:
    """Send what nobody caught to the log and the status line instead of ending the loop; the way back."""
    before, before_thread = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.quit()
            return
        log.error("A bug in Intentscope", exc_info=(kind, error, trace))
        window.bug_found.emit(window.tr("Something went wrong inside Intentscope: {0}").format(kind.__name__))

    def thread_hook(arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            hook(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def restore() -> None:
        sys.excepthook, threading.excepthook = before, before_thread

    sys.excepthook, threading.excepthook = hook, thread_hook
    return restore


def _application() -> QApplication:
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    app.setApplicationName("Intentscope")
    app.setDesktopFileName("intentscope")
    words.speak_with(translated)
    return app


def translated(text: str, count: int) -> str:
    """An English text in the language of the installed translation; itself where there is none."""
    if count < 0:
        return QCoreApplication.translate("display", text)
    said = QCoreApplication.translate("display", text.replace("{n}", "%n"), None, count)
    return said if said != text.replace("{n}", str(count)) else text


def _start_once(window: MainWindow) -> None:
    window.painted.disconnect()
    window.worker.start()
