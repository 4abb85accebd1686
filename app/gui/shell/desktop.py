"""Desktop integration: files, profiles, notices, notifications of tasks, newer versions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QHBoxLayout

from app.gui.kit import icons
from app.gui.kit.controls import button
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.sheet import Ruled
from app.gui.kit.theme import Theme
from app.gui.shell.file_opener import FileOpener, RecentFiles
from app.gui.shell.profiles import Profiles

if TYPE_CHECKING:
    from PySide6.QtWidgets import QSystemTrayIcon

    from app.gui.kit.page import CoreState
    from app.gui.shell.page_stack import Window
    from app.gui.shell.remedy_actions import Places, TakeNotices
    from app.services.workbench import Workbench


class Desktop(QObject):
    """Integration of one window, created after everything that it listens to."""

    def __init__(self, window: Window, places: Places, strip: AnnouncementStrip) -> None:
        super().__init__(window.window())
        self.announcements = Announcements(window, places.take_notices, strip)
        self.file_opener = FileOpener(window)
        self.recent_files = RecentFiles(window, places.profile, self.file_opener)
        self.profiles = Profiles(window, places)
        self.notices = Notices(window)
        self.updates = Updates(window, places.profile)
        self._is_known = False

    def show_core_state(self, core_state: CoreState) -> None:
        """Show a new snapshot; the first one starts what waits for an open library."""
        self.notices.show_core_state(core_state)
        self.updates.show_core_state(core_state)
        if not self._is_known:
            self._is_known = True
            self.recent_files.load()
            self.file_opener.go_on()


# ---- Notification when a long task ends unseen; otherwise an alert of the window.


LONG_SECONDS = 3.0
"""Minimum time of embedding in seconds to count as a task."""

SHOWN_MS = 10_000
UNMARKED = str.maketrans({"<": "\u2039", ">": "\u203a"})
"""Characters instead of those of markup, which desktops read in notifications."""


class Notices(QObject):
    """Desktop notifications of one window. `say` shows one; False if unsupported."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.window())
        self._window = window
        self._is_wanted = True
        self._begun: float | None = None
        self._tray: QSystemTrayIcon | None = None
        self._going = QTimer(self, singleShot=True)
        self._going.timeout.connect(self._hide)
        self.say = self._show_notification
        window.import_actions.finished.connect(lambda _, sentence: self.task_finished(sentence))
        window.folder_actions.finished.connect(self.task_finished)

    def show_core_state(self, core_state: CoreState) -> None:
        """Notify when a long embedding ends."""
        status = core_state.status
        self._is_wanted = core_state.settings.notify.when_done
        if status.embedded < status.to_embed:
            self._begun = monotonic() if self._begun is None else self._begun
            return
        begun, self._begun = self._begun, None
        is_own_task = begun is not None and monotonic() - begun >= LONG_SECONDS
        if is_own_task and not status.put_off and not self._window.import_actions.name:
            self.task_finished("All triggers have their vectors.")

    def task_finished(self, sentence: str) -> None:
        """Show a notification, unless the window is active or notifications are off."""
        is_seen = QGuiApplication.applicationState() is Qt.ApplicationState.ApplicationActive
        if not sentence or is_seen or not self._is_wanted:
            return
        if not self.say(sentence.translate(UNMARKED)):
            QApplication.alert(self._window.window())

    def _show_notification(self, sentence: str) -> bool:
        from PySide6.QtWidgets import QSystemTrayIcon

        if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
            return False
        if self._tray is None:
            self._tray = QSystemTrayIcon(self)
            self._tray.messageClicked.connect(self._bring_to_front)
            self._tray.activated.connect(self._bring_to_front)
        picture = icons.icon("scope", self._window.theme.tokens.accent)
        self._tray.setIcon(picture)
        self._tray.setToolTip(self._window.window().windowTitle())
        self._tray.show()
        self._tray.showMessage(self._window.window().windowTitle(), sentence, picture, SHOWN_MS)
        self._going.start(SHOWN_MS)
        return True

    def _hide(self) -> None:
        if self._tray is not None:
            self._tray.hide()

    def _bring_to_front(self) -> None:
        self._hide()
        self._window.window().raise_()
        self._window.window().activateWindow()


class AnnouncementStrip(Ruled):
    """Notices, one per line; hidden without any, and after “Got it”."""

    ground = "warning_soft"
    mark = "warning"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.text = WrappedLabel()
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.read = button("Got it", press=lambda: self.show_sentences(()))
        row = spaced(QHBoxLayout(self), theme.px(8), theme.px(16), theme.px(6), theme.px(12), theme.px(6))
        fill(row, (self.text, 1), self.read)
        self.setVisible(False)

    def show_sentences(self, sentences: Sequence[str]) -> None:
        text = "\n".join(sentences)
        self.text.show_text(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))


class Announcements(QObject):
    """Fetches the notices once the library is open, and shows them."""

    _taken = Signal(list)

    def __init__(self, window: Window, take: TakeNotices | None, strip: AnnouncementStrip) -> None:
        super().__init__(window.window())
        self._worker = window.worker
        self._taken.connect(strip.show_sentences, Qt.ConnectionType.QueuedConnection)
        if take is not None:
            self._take = take
            window.worker.opened.connect(self._ask, Qt.ConnectionType.QueuedConnection)

    def _ask(self) -> None:
        async def act(_: Workbench) -> list[str]:
            import asyncio  # after the first paint

            return list(await asyncio.to_thread(self._take))

        self._worker.do(act, self._taken.emit, lambda _: None)


AskVersion = Callable[[str], Awaitable[str]]
"""Requests the newest version from an address; "" if unknown."""

FILE = "updates.json"
LOOK_AGAIN_MS = 3_600_000


class Updates(QObject):
    """Version check of one window. Off without `updates.url`; at most one request a day.

    Only a notice is shown; nothing is downloaded.
    """

    _arrived = Signal(str)

    def __init__(self, window: Window, profile: Path | None) -> None:
        super().__init__(window.window())
        self._window = window
        self._file = None if profile is None else profile / FILE
        self._url = ""
        self.ask: AskVersion | None = None
        self._again = QTimer(self, interval=LOOK_AGAIN_MS)
        self._again.timeout.connect(self.ask_version)
        self._arrived.connect(window.status_line.show_update, Qt.ConnectionType.QueuedConnection)

    def show_core_state(self, core_state: CoreState) -> None:
        """Start or stop the check when the address changes."""
        if core_state.settings.updates.url == self._url:
            return
        self._url = core_state.settings.updates.url
        if self._url:
            self._again.start()
            self.ask_version()
        else:
            self._again.stop()
            self._window.status_line.show_update("")

    def ask_version(self) -> None:
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
