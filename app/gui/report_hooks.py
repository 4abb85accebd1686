"""Where bugs come out: exceptions that nobody caught, on any thread, and the warnings of Qt; all into the log."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QMessageLogContext, QtMsgType, qInstallMessageHandler

Tell = Callable[[BaseException], None]

log = logging.getLogger(__name__)
of_qt = logging.getLogger("qt")

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.DEBUG,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def catch_bugs(tell: Tell) -> Callable[[], None]:
    """Log what nobody caught and tell of it, instead of ending the loop; the way back. Ctrl+C ends the program."""
    before = sys.excepthook, threading.excepthook, sys.unraisablehook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.quit()
            return
        log.error("A bug in Intentscope", exc_info=(kind, error, trace))
        tell(error)

    def thread_hook(arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            hook(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def unraisable_hook(unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_value is not None:
            hook(unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback)

    def restore() -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = before

    sys.excepthook, threading.excepthook, sys.unraisablehook = hook, thread_hook, unraisable_hook
    return restore


def log_qt() -> Callable[[], None]:
    """Send what Qt has to say to the log; the way back."""

    def take(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        of_qt.log(_LEVELS.get(kind, logging.WARNING), "%s: %s", context.category or "default", message)

    before = qInstallMessageHandler(take)

    def restore() -> None:
        qInstallMessageHandler(before)

    return restore
