"""Keeping something in a file of a person's choice: the dialog lets the window live, the writing has its own thread."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal
from PySide6.QtWidgets import QFileDialog, QWidget


class FileSaver(QObject):
    """Asks where to, writes, and tells in a sentence how it went. One dialog at a time."""

    notified = Signal(str, bool)  # a sentence, if it is bad news
    _written = Signal(str, str)  # file name, what went wrong

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.dialog: QFileDialog | None = None
        self._written.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def ask(self, title: str, name: str, kind: str, make: Callable[[], bytes]) -> None:
        """Let a file be chosen, `name` to begin with; `kind` is a filter such as "CSV (*.csv)".

        `make` gives what is written; it is called on the thread that writes.
        """
        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        dialog = QFileDialog(self._window, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(kind)
        dialog.setDefaultSuffix(Path(name).suffix[1:])
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda chosen: self.write(Path(chosen), make))
        dialog.finished.connect(self._closed)
        self.dialog = dialog
        dialog.open()

    def write(self, path: Path, make: Callable[[], bytes]) -> None:
        """Write to a file, whole or not at all; returns at once."""

        def run() -> None:
            try:
                write_whole(path, make())
            except OSError as error:
                self._written.emit(path.name, error.strerror or str(error))
            else:
                self._written.emit(path.name, "")

        QThreadPool.globalInstance().start(QRunnable.create(run))

    def _closed(self) -> None:
        self.dialog = None

    def _tell(self, name: str, wrong: str) -> None:
        if wrong:
            sentence = self.tr("{0} was not written: {1}. Choose another place.").format(name, wrong)
            self.notified.emit(sentence, True)
        else:
            self.notified.emit(self.tr("Written to {0}.").format(name), False)


PRIVATE = 0o600


def write_whole(path: Path, content: bytes, *, waits: bool = True, mode: int = 0o666) -> None:
    """Put the content in place of the file at once, so that a full disk or a power cut leaves the old one; OSError.

    With `waits` it returns once the disk has it, which the threads of window and engine have no time for. What goes
    into the profile is its owner's alone, by the `mode` PRIVATE.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as stream:
            stream.write(content)
            if waits:
                stream.flush()
                os.fsync(stream.fileno())
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
