"""Remedies of faults: retry, open the folder, show the settings file or log, report a bug."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.gui.kit import pane_parts
from app.gui.kit.pane_parts import FaultLine
from app.gui.shell.desktop.report_box import LOG, BlackBox

if TYPE_CHECKING:
    from app.domain.library import MoveProgress
    from app.domain.scope.inspection import Inspection
    from app.gui.shell.desktop.report_dialog import ReportDialog
    from app.gui.shell.page_stack import Window

REMEMBERED_QUERIES = 100

TakeNotices = Callable[[], Sequence[str]]
"""Returns one-time notices and deletes them; callable on any thread."""


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of this run: profile, settings file and other profiles; None if not given.

    `join` moves a profile's library to a team's server, by folder, address and password (or ""): it blocks, reports
    progress, is cancelled by an exception in that callback, and raises KnownError. `take_notices` returns one-time
    notices.
    """

    profile: Path | None = None
    settings: Path | None = None
    profiles: Path | None = None
    join: Callable[[Path, str, str, MoveProgress], object] | None = None
    take_notices: TakeNotices | None = None

    def profile_name(self, name: str) -> str:
        """Return the profile's distinguishing name: among the program's profiles, else the path."""
        if self.profile is None or self.profiles is None:
            return name
        folder = self.profile.absolute()
        if folder.parent == self.profiles.parent:
            return name
        home = Path(QDir.homePath())
        if folder.is_relative_to(home):
            return f"~{os.sep}{folder.relative_to(home)}"
        return str(folder)


NOWHERE = Places()


class RemedyActions(QObject):
    """Handles the fault lines of the window, which hide once their fault is gone."""

    def __init__(self, window: Window, places: Places, box: BlackBox) -> None:
        super().__init__(window.window())
        self.window, self.places, self.box = window, places, box
        self.dialog: ReportDialog | None = None
        self._what = ""
        self.queries: deque[str] = deque(maxlen=REMEMBERED_QUERIES)
        self._acts: Mapping[str, Callable[[], None]] = {
            pane_parts.RETRY_STORE: lambda: window.worker.retry("store"),
            pane_parts.RETRY_ENCODER: lambda: window.worker.retry("encoder"),
            pane_parts.OPEN_FOLDER: self.open_folder,
            pane_parts.SHOW_SETTINGS: self.show_settings_file,
            pane_parts.REPORT: self.report,
            pane_parts.LIMIT: lambda: window.scope.page_requested.emit("settings", "search_intent.llm_timeout_ms"),
        }
        window.status_line.remedy_requested.connect(self.mend)
        window.worker.inspected.connect(self._remember)
        gui = QGuiApplication.instance()
        if isinstance(gui, QGuiApplication):
            gui.applicationStateChanged.connect(self._on_state)

    def watch(self, page: QWidget) -> None:
        """Handle the remedies of a page's fault lines."""
        for line in page.findChildren(FaultLine):
            line.remedy_requested.connect(self.mend)

    def mend(self, remedy: str) -> None:
        self._acts[remedy]()

    def open_folder(self) -> None:
        """Show the profile's folder, or its nearest existing parent, in the file browser."""
        folder = self.places.profile
        if folder is not None:
            self._open(next(path for path in (folder, *folder.parents) if path.is_dir()))

    def show_log(self) -> None:
        if self.log is not None:
            self._open(self.log)

    def log_refusal(self) -> str:
        """Return why there is no log to show; "" if there is one."""
        return "" if self.log is not None else "Nothing was written to the log yet."

    @property
    def log(self) -> Path | None:
        folder = self.box.folder
        return folder / LOG if folder is not None and (folder / LOG).is_file() else None

    def folder_refusal(self) -> str:
        """Return why there is no folder to open; "" if there is one."""
        return "" if self.places.profile is not None else "This window has no profile."

    def show_settings_file(self) -> None:
        if self.places.settings is not None:
            self._open(self.places.settings)

    def report_bug(self, error: BaseException) -> None:
        self.box.record_bug(error)
        self._what = f"Something went wrong inside Intentscope: {type(error).__name__}"
        self.window.status_line.show_bug(self._what)

    def report_last_crash(self) -> None:
        """Offer a report if the previous run crashed."""
        if self.box.last_crash:
            self._what = "Intentscope did not close in good order the last time."
            self.window.status_line.show_bug(self._what)

    def report(self) -> None:
        """Open the report, and clear the status line's offer."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        from app.gui.shell.desktop.report_dialog import ReportDialog

        self.window.status_line.show_bug("")
        dialog = ReportDialog(self.window.theme, self._compose, self.window.window())
        self.dialog = dialog
        dialog.destroyed.connect(self._forget)
        dialog.show()

    def _compose(self, with_queries: bool) -> str:
        from app.gui.shell.desktop.report_dialog import ReportContext, report_text

        screen = self.window.window().screen()
        size = screen.size()
        happening = ReportContext(
            self._what,
            tuple(self.box.bugs),
            self.box.last_crash,
            tuple(self.box.tail.lines),
            f"{QGuiApplication.platformName()}, {size.width()} x {size.height()} at {screen.devicePixelRatio():g}, "
            f"text {self.window.theme.scale:g}",
        )
        return report_text(happening, self.window.core_state, tuple(self.queries), with_queries=with_queries)

    def _open(self, path: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self.window.toast.show_message(f"No program opens {path}.", bad=True)

    def _remember(self, _generation: int, inspection: Inspection) -> None:
        text = inspection.query.text
        if self.queries and (text.startswith(self.queries[-1]) or self.queries[-1].startswith(text)):
            self.queries.pop()  # the same query, still being typed
        self.queries.append(text)

    def _on_state(self, state: Qt.ApplicationState) -> None:
        """Retry when the window becomes active: the fault may be fixed."""
        core_state = self.window.core_state
        if (
            state is Qt.ApplicationState.ApplicationActive
            and core_state is not None
            and "store" in core_state.status.in_folder
        ):
            self.window.worker.retry("store")

    def _forget(self) -> None:
        self.dialog = None
