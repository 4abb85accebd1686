"""Desktop integration: files to open, profiles, notifications of long tasks, newer versions."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.gui.kit.theme import icons
from app.gui.shell.desktop.announcements import Announcements, AnnouncementStrip
from app.gui.shell.desktop.file_opener import FileOpener, RecentFiles
from app.gui.shell.desktop.profiles import Profiles
from app.gui.shell.desktop.updates import Updates

if TYPE_CHECKING:
    from PySide6.QtWidgets import QSystemTrayIcon

    from app.gui.kit.page import CoreState
    from app.gui.shell.desktop.remedy_actions import Places
    from app.gui.shell.window import Window


class Desktop(QObject):
    """Integration of one window, created after everything that it listens to."""

    def __init__(self, window: Window, places: Places, strip: AnnouncementStrip) -> None:
        super().__init__(window.window())
        self.announcements: Announcements = Announcements(window, places.take_notices, strip)
        self.file_opener: FileOpener = FileOpener(window)
        self.recent_files: RecentFiles = RecentFiles(window, places.profile, self.file_opener)
        self.profiles: Profiles = Profiles(window, places)
        self.notices: Notices = Notices(window)
        self.updates: Updates = Updates(window, places.profile)
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
        self.say = self._say
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
        if not self.say(sentence):
            QApplication.alert(self._window.window())

    def _say(self, sentence: str) -> bool:
        from PySide6.QtWidgets import QSystemTrayIcon

        if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
            return False
        if self._tray is None:
            self._tray = QSystemTrayIcon(self)
            self._tray.messageClicked.connect(self._come_to_front)
            self._tray.activated.connect(self._come_to_front)
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

    def _come_to_front(self) -> None:
        self._hide()
        self._window.window().raise_()
        self._window.window().activateWindow()
