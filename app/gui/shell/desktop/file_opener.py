"""Files and library folders that were given to the window: opened one after another, each in its dialog."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

if TYPE_CHECKING:
    from app.gui.shell.window import Window
    from app.services.workbench import Workbench

LIBRARY_FILE = "library.toml"
"""What a folder must hold to be a library."""


class FileOpener(QObject):
    """One window's queue. The next is opened when nothing is open, read or written any more."""

    _found = Signal(Path, str)  # path, what it is

    def __init__(self, window: Window) -> None:
        super().__init__(window.window())
        self._window = window
        self._waiting: deque[Path] = deque()
        self._is_looking = False
        self._found.connect(self._open, Qt.ConnectionType.QueuedConnection)
        for freed in (window.importing.freed, window.foldering.freed):
            freed.connect(self._go_on, Qt.ConnectionType.QueuedConnection)

    @property
    def waiting(self) -> tuple[Path, ...]:
        """What is still to be opened."""
        return tuple(self._waiting)

    def add(self, paths: Iterable[Path]) -> None:
        """Open these as soon as that can be."""
        self._waiting.extend(paths)
        self._go_on()

    def go_on(self) -> None:
        """The library is open: begin, if anything waits."""
        if self._waiting:
            QTimer.singleShot(0, self, self._go_on)

    def _go_on(self) -> None:
        window = self._window
        is_busy = window.importing.is_busy or window.foldering.dialog is not None or window.foldering.is_busy
        if not self._waiting or self._is_looking or is_busy or window.core_state is None:
            return
        self._is_looking = True
        path = self._waiting.popleft()

        async def look(bench: Workbench) -> str:
            return what_is(path)

        window.worker.do(look, lambda kind: self._found.emit(path, kind), lambda _: self._found.emit(path, "file"))

    def _open(self, path: Path, kind: str) -> None:
        self._is_looking = False
        if kind == "library":
            self._window.foldering.compare(path.parent if path.name == LIBRARY_FILE else path)
            return
        if kind == "file":
            self._window.importing.look(path)
            return
        lines = {
            "folder": self.tr("{0} is no library: there is no library.toml in it. Give the files in it one by one."),
            "gone": self.tr("{0} is not there any more. It may lie on a drive that is not connected."),
        }[kind]
        self._window.toast.tell(lines.format(path), bad=True)
        self._go_on()


def what_is(path: Path) -> str:
    """ "library" (its folder, or the file that marks it), "folder", "file" or "gone"."""
    if path.is_dir():
        return "library" if (path / LIBRARY_FILE).is_file() else "folder"
    if path.name == LIBRARY_FILE and path.is_file():
        return "library"
    return "file" if path.exists() else "gone"
