"""Notice of a newer version, if an address to check is set; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

if TYPE_CHECKING:
    from app.gui.kit.page import CoreState
    from app.gui.shell.window import Window
    from app.services.workbench import Workbench

AskVersion = Callable[[str], Awaitable[str]]
"""Requests the newest version from an address; "" if unknown."""

FILE = "updates.json"
LOOK_AGAIN_MS = 3_600_000


class Updates(QObject):
    """Version check of one window. Off without `updates.url`; at most one request a day."""

    _arrived = Signal(str)

    def __init__(self, window: Window, profile: Path | None) -> None:
        super().__init__(window.window())
        self._window = window
        self._file = None if profile is None else profile / FILE
        self._url = ""
        self.ask: AskVersion | None = None
        self._again = QTimer(self, interval=LOOK_AGAIN_MS)
        self._again.timeout.connect(self._check)
        self._arrived.connect(window.status_line.show_update, Qt.ConnectionType.QueuedConnection)

    def show_core_state(self, core_state: CoreState) -> None:
        """Start or stop the check when the address changes."""
        if core_state.settings.updates.url == self._url:
            return
        self._url = core_state.settings.updates.url
        if self._url:
            self._again.start()
            self._check()
        else:
            self._again.stop()
            self._window.status_line.show_update("")

    def _check(self) -> None:
        url, file, ask = self._url, self._file, self.ask
        if ask is None or file is None:
            return

        async def check(bench: Workbench) -> str:
            return await _newer(url, file, ask)

        self._window.worker.do(check, self._arrived.emit, lambda _: None)


async def _newer(url: str, file: Path, ask: AskVersion) -> str:
    from importlib.metadata import version

    from app.services.system.checkup import VersionCheck, is_due, newer, stored_version_check

    before = stored_version_check(_text(file))
    now = time()
    if before is None or is_due(before, url, now):
        # Stored before the request, so that a failing address is not asked again today.
        if not _store(file, VersionCheck(url, now).text()):
            return ""
        before = VersionCheck(url, now, await ask(url))
        _store(file, before.text())
    return newer(before.version, version("intentscope"))


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(65_536)
    except OSError:
        return ""


def _store(file: Path, text: str) -> bool:
    from app.files import write_private

    try:
        write_private(file, text.encode(), waits=False)
    except OSError:
        return False
    return True
