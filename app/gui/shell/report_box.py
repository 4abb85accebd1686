"""Black box: log and crash traces of this run and the last one, in the profile."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, TextIO

from PySide6.QtCore import QCoreApplication, QMessageLogContext, QtMsgType, qInstallMessageHandler

from app.logs import PrivateFormatter, private_trace

FOLDER, LOG = "log", "intentscope.log"
MOST_BYTES, KEPT_LOGS = 256 * 1024, 2
"""Limits of the log: three files of 256 kB each."""
TAIL_LINES, KEPT_BUGS, MOST_TRACE = 200, 3, 16_000

BREAKDOWNS = "app.breakdowns"
"""Logger of breakdowns, which name triggers: for the user's log only, never in a report."""

OURS = ("app", "db")
"""Loggers below warning level; other libraries' messages may contain addresses."""


class Tail(logging.Handler):
    """Latest lines of the log, in memory, so that a report needs no file."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: deque[str] = deque(maxlen=TAIL_LINES)
        self.setFormatter(PrivateFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != BREAKDOWNS:
            self.lines.extend(self.format(record).splitlines())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


class LogFile(RotatingFileHandler):
    """Rotating log with mode 0600; on a full disk lines are dropped, the tail has them."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, opener=_private)

    def handleError(self, record: logging.LogRecord) -> None:
        """Ignore errors: each line would print a trace to the terminal."""


class BugTrace(NamedTuple):
    """Trace of a bug, without and with exception messages, which may contain a query."""

    private: str
    whole: str


class BlackBox:
    """Log, traces of bugs, and the interpreter's trace when the process dies.

    An unwritable folder is no fault: only the files are missing.
    """

    def __init__(self, profile: Path | None) -> None:
        self.folder = None if profile is None else profile / FOLDER
        self.tail = Tail()
        self.bugs: deque[BugTrace] = deque(maxlen=KEPT_BUGS)
        self.last_crash = ""
        """Trace that the previous run left when it died; "" after a clean exit."""
        self._handlers: list[logging.Handler] = []
        self._crash: TextIO | None = None

    def open(self) -> None:
        """Start recording, and collect what an earlier run left.

        Warnings also go to the terminal, which is the system's log for programs started by a desktop.
        """
        logging.captureWarnings(capture=True)
        if sys.stderr is not None and not logging.getLogger().handlers:
            terminal = logging.StreamHandler()
            terminal.setLevel(logging.WARNING)
            terminal.setFormatter(PrivateFormatter())
            self._listen(terminal)
        for ours in OURS:
            if logging.getLogger(ours).getEffectiveLevel() > logging.INFO:
                logging.getLogger(ours).setLevel(logging.INFO)
        self._listen(self.tail)
        if self.folder is None:
            return
        with suppress(OSError):
            self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._take_up_crashes(self.folder)
            file = LogFile(self.folder / LOG, maxBytes=MOST_BYTES, backupCount=KEPT_LOGS, encoding="utf-8", delay=True)
            file.setLevel(logging.INFO)
            file.setFormatter(PrivateFormatter())
            self._listen(file)
            crash = self.folder / f"crash-{os.getpid()}.txt"
            self._crash = open(crash, "w", encoding="utf-8", opener=_private)  # noqa: SIM115 - until the end
            faulthandler.enable(self._crash)

    def close(self) -> None:
        """End cleanly: only the log remains."""
        logging.captureWarnings(capture=False)
        if self._crash is not None:
            faulthandler.disable()
            self._crash.close()
            with suppress(OSError):
                Path(self._crash.name).unlink()
            self._crash = None
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()
        self._handlers.clear()

    def record_bug(self, error: BaseException) -> None:
        whole = "".join(traceback.format_exception(error))
        self.bugs.append(BugTrace(private_trace(error)[-MOST_TRACE:], whole[-MOST_TRACE:]))

    def _listen(self, handler: logging.Handler) -> None:
        logging.getLogger().addHandler(handler)
        self._handlers.append(handler)

    def _take_up_crashes(self, folder: Path) -> None:
        """Read the traces of runs that died; an empty one may belong to a running program.

        Another window that starts at the same moment may collect some of them first.
        """
        newest = 0.0
        for left in folder.glob("crash-*.txt"):
            with suppress(FileNotFoundError):
                text, made = left.read_text("utf-8", "replace")[:MOST_TRACE], left.stat().st_mtime
                if text.strip() and made >= newest:
                    self.last_crash, newest = text, made
                if text.strip() or _is_over(left):
                    left.unlink()


def _is_over(crash: Path) -> bool:
    """Check if the run of this file has ended, such as a killed one without a trace."""
    number = crash.stem.rpartition("-")[2]
    if sys.platform == "win32" or not (number.isascii() and number.isdigit()):
        return False
    try:
        os.kill(int(number[:9]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


# ---- Bugs: uncaught exceptions on any thread, and Qt's warnings, all logged

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
    """Install hooks that log and report bugs instead of ending the loop; return the undo.

    Ctrl+C still ends the program.
    """
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
    """Send Qt's messages to the log; return a function that restores the former handler."""

    def take(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        of_qt.log(_LEVELS.get(kind, logging.WARNING), "%s: %s", context.category or "default", message)

    before = qInstallMessageHandler(take)

    def restore() -> None:
        qInstallMessageHandler(before)

    return restore
