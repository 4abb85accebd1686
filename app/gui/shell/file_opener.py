"""Opening of files and folders: their queue, and recent ones in the palette."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.files import write_state
from app.gui.kit.page import Action, Group

if TYPE_CHECKING:
    from app.gui.shell.page_stack import Window
    from app.services.workbench import Workbench


FILE, FORMAT, MOST = "recent.json", 1, 8
_LARGEST, _LONGEST = 65_536, 4_096


def read(file: Path) -> list[Path]:
    """Read the stored paths, latest first; none without a file, or if it is damaged."""
    try:
        with file.open(encoding="utf-8") as stream:
            found = json.loads(stream.read(_LARGEST))
        names = found["paths"] if found["format"] == FORMAT else []
        good = [name for name in names if isinstance(name, str) and 0 < len(name) <= _LONGEST and "\0" not in name]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [Path(name) for name in dict.fromkeys(good)][:MOST]


def write(paths: Sequence[Path], file: Path) -> None:
    """Store the paths atomically; a read-only profile keeps its list."""
    write_state(file, {"format": FORMAT, "paths": [str(path) for path in paths]})


def with_latest(path: Path, paths: Sequence[Path]) -> list[Path]:
    return [path, *(known for known in paths if known != path)][:MOST]


class RecentFiles(QObject):
    """Recent files of one window, read and written on the engine's thread.

    A read-only profile stays unchanged.
    """

    _arrived = Signal(Sequence)

    def __init__(self, window: Window, profile: Path | None, opening: FileOpener) -> None:
        super().__init__(window.window())
        self._window, self._opening = window, opening
        self._file = None if profile is None else profile / FILE
        self.paths: list[Path] = []
        self._arrived.connect(self._take, Qt.ConnectionType.QueuedConnection)
        window.import_actions.finished.connect(self.note)
        window.folder_actions.used.connect(self.note)

    def load(self) -> None:
        if (file := self._file) is not None:

            async def read_paths(bench: Workbench) -> list[Path]:
                return read(file)

            self._window.worker.do(read_paths, self._arrived.emit, lambda _: None)

    def note(self, path: Path | None, _: str = "") -> None:
        if path is not None:  # otherwise nothing was imported
            self.paths = with_latest(path, self.paths)
            self._store()

    def clear(self) -> None:
        self.paths = []
        self._store()
        self._window.toast.show_message("The list of recent files is cleared.")

    def clear_refusal(self) -> str:
        """Return why there is nothing to clear; "" if there is."""
        return "" if self.paths else "No recent files."

    def action_rows(self) -> list[Action]:
        """Return actions that open each path; equal names are distinguished by their folders."""
        names = [path.name for path in self.paths]
        return [
            Action(
                f"recent:{place}",
                f"Open again: {path.name}"
                if names.count(path.name) == 1
                else f"Open again: {path.name} (in {_home(path.parent)})",
                Group.FILES,
                partial(self._opening.add, [path]),
                icon="clock",
            )
            for place, path in enumerate(self.paths)
        ]

    def _take(self, paths: list[Path]) -> None:
        for path in reversed([*self.paths, *(path for path in paths if path not in self.paths)]):
            self.paths = with_latest(path, self.paths)

    def _store(self) -> None:
        paths, file = list(self.paths), self._file
        if file is None:
            return

        async def store(bench: Workbench) -> None:
            write(paths, file)

        self._window.worker.do(store, lambda _: None, lambda _: None)


def _home(folder: Path) -> str:
    """Return a folder with the home folder as ~."""
    home = Path.home()
    return f"~/{folder.relative_to(home).as_posix()}".removesuffix("/.") if folder.is_relative_to(home) else str(folder)


# ---- Files and library folders passed to the window: opened one by one, each in its dialog.


LIBRARY_FILE = "library.toml"
"""File that marks a folder as a library."""


class FileOpener(QObject):
    """Queue of one window. The next one opens when no dialog, import or export is active."""

    _found = Signal(Path, str)  # path, kind

    def __init__(self, window: Window) -> None:
        super().__init__(window.window())
        self._window = window
        self._waiting: deque[Path] = deque()
        self._is_looking = False
        self._found.connect(self._open, Qt.ConnectionType.QueuedConnection)
        for freed in (window.import_actions.freed, window.folder_actions.freed):
            freed.connect(self._go_on, Qt.ConnectionType.QueuedConnection)

    @property
    def waiting(self) -> tuple[Path, ...]:
        """Paths still to be opened."""
        return tuple(self._waiting)

    def add(self, paths: Iterable[Path]) -> None:
        """Open these paths as soon as possible."""
        self._waiting.extend(paths)
        self._go_on()

    def go_on(self) -> None:
        """Start with the queue: the library is open."""
        if self._waiting:
            QTimer.singleShot(0, self, self._go_on)

    def _go_on(self) -> None:
        window = self._window
        is_busy = (
            window.import_actions.is_busy or window.folder_actions.dialog is not None or window.folder_actions.is_busy
        )
        if not self._waiting or self._is_looking or is_busy or window.core_state is None:
            return
        self._is_looking = True
        path = self._waiting.popleft()

        async def read_kind(bench: Workbench) -> str:
            return path_kind(path)

        window.worker.do(read_kind, lambda kind: self._found.emit(path, kind), lambda _: self._found.emit(path, "file"))

    def _open(self, path: Path, kind: str) -> None:
        self._is_looking = False
        if kind == "library":
            self._window.folder_actions.compare(path.parent if path.name == LIBRARY_FILE else path)
            return
        if kind == "file":
            self._window.import_actions.preview(path)
            return
        lines = {
            "folder": "{0} is no library: there is no library.toml in it. Give the files in it one by one.",
            "gone": "{0} is not there any more. It may lie on a drive that is not connected.",
        }[kind]
        self._window.toast.show_message(lines.format(path), bad=True)
        self._go_on()


def path_kind(path: Path) -> str:
    """Return "library" (its folder, or marker file), "folder", "file" or "gone"."""
    if path.is_dir():
        return "library" if (path / LIBRARY_FILE).is_file() else "folder"
    if path.name == LIBRARY_FILE and path.is_file():
        return "library"
    return "file" if path.exists() else "gone"
