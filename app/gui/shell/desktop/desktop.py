"""How the window behaves on a desktop: files it is given, files of late, other profiles, notices, newer versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.gui.shell.desktop.file_opener import FileOpener
from app.gui.shell.desktop.notices import Notices
from app.gui.shell.desktop.profiles import Profiles
from app.gui.shell.desktop.recent import Recent
from app.gui.shell.updates import Updates

if TYPE_CHECKING:
    from app.gui.kit.page import CoreState
    from app.gui.shell.desktop.remedy_actions import Places
    from app.gui.shell.window import Window


class Desktop(QObject):
    """One window's, made once all that it listens to is there."""

    def __init__(self, window: Window, places: Places) -> None:
        super().__init__(window.window())
        self.opening: FileOpener = FileOpener(window)
        self.recent: Recent = Recent(window, places.profile, self.opening)
        self.profiles: Profiles = Profiles(window, places)
        self.notices: Notices = Notices(window)
        self.updates: Updates = Updates(window, places.profile)
        self._is_known = False

    def show_core_state(self, core_state: CoreState) -> None:
        """Take note of how the workbench stands; what waits for an open library begins with the first."""
        self.notices.show_core_state(core_state)
        self.updates.show_core_state(core_state)
        if not self._is_known:
            self._is_known = True
            self.recent.load()
            self.opening.go_on()
