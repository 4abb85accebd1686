"""Remedies of faults: retry, open the folder, show the settings file or log; the report of a bug."""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextOption
from PySide6.QtWidgets import QCheckBox, QDialog, QFileDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app import files
from app.gui.kit import pane_parts
from app.gui.kit.controls import button, text_box
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.theme import Theme, styled
from app.gui.shell.report_box import LOG, BlackBox, BugTrace
from app.logs import HIDDEN, without

if TYPE_CHECKING:
    from app.domain.inspection import Inspection
    from app.domain.library import MoveProgress
    from app.gui.kit.page import CoreState
    from app.gui.shell.page_stack import Window
    from app.settings.model import Settings

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
        self.window.status_line.show_bug("")
        dialog = ReportDialog(self.window.theme, self._compose, self.window.window())
        self.dialog = dialog
        dialog.destroyed.connect(self._forget)
        dialog.show()

    def _compose(self, with_queries: bool) -> str:
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


# ---- Dialog of the report: to read, copy or save it


class ReportDialog(QDialog):
    """Opened by the user only. `compose` returns the text, with or without queries."""

    def __init__(self, theme: Theme, compose: Callable[[bool], str], parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self._compose = theme, compose
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Report")
        self.resize(theme.px(640), theme.px(560))
        self.about = QLabel(
            "Read it before you give it to anyone. Nothing is sent, and secrets in settings are left out."
        )
        self.about.setWordWrap(True)
        self.field = styled(text_box("Text of the report", read_only=True), role="mono")
        self.field.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.with_queries = QCheckBox("Include my queries")
        self.with_queries.toggled.connect(self.renew)
        self.fault = FaultLine(theme)
        self.copied = styled(QLabel(), role="caption")
        buttons = fill(
            QHBoxLayout(),
            (self.copied, 1),
            button("Copy", primary=True, press=self.copy),
            button("Save…", press=self._ask_where),
            button("Close", press=self.close),
        )
        column = spaced(QVBoxLayout(self), theme.px(10), *(theme.px(16),) * 4)
        fill(column, self.about, self.field, self.with_queries, self.fault, buttons)
        styled(self.about, role="caption")
        self.renew()
        self.field.setFocus()

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    def renew(self) -> None:
        """Compose the text again, with or without queries."""
        self.field.setPlainText(self._compose(self.with_queries.isChecked()))
        self.copied.setText("")

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self.copied.setText("Copied.")

    def save(self, file: Path) -> None:
        """Write the text to a file; errors are shown in the dialog."""
        try:
            files.write(file, self.text.encode("utf-8", "replace"), waits=False)
        except OSError as error:
            self.fault.show_fault(f"{file} cannot be written: {files.why_unwritten(error)}.")
        else:
            self.fault.show_fault("")
            self.copied.setTextFormat(Qt.TextFormat.PlainText)
            self.copied.setText(f"Saved as {file.name}.")

    def _ask_where(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the report", str(Path.home() / "intentscope-report.txt"))
        if name:
            self.save(Path(name))


# ---- Report text for reading before sharing: no secrets, queries only on request


PACKAGES = ("intentscope", "PySide6-Essentials", "numpy", "onnxruntime", "SQLAlchemy", "rapidfuzz", "pydantic")
LOG_LINES = 60
SECRET = re.compile(r"(key|token|secret|password|credential)s?$", re.IGNORECASE)
"""Last word of the key of a setting with a secret."""
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class ReportContext:
    """Input of a report: fault, traces, log lines, screen."""

    what: str = ""
    bugs: tuple[BugTrace, ...] = ()
    last_crash: str = ""
    log: tuple[str, ...] = ()
    screen: str = ""


def report_text(
    happening: ReportContext, core_state: CoreState | None, queries: Sequence[str], *, with_queries: bool
) -> str:
    """Compose the report. Without `with_queries` the queries are redacted everywhere."""
    import platform  # slow to load

    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    parts = {
        f"Intentscope report, {now}": [happening.what] if happening.what else [],
        "Versions": versions(),
        "System": [platform.platform(), f"Python {sys.version.split()[0]}", happening.screen],
        "State": _state(core_state),
        "Settings that differ from their defaults": _settings(core_state),
        "Trace": [bug.whole if with_queries else bug.private for bug in happening.bugs],
        "How the previous run ended": [happening.last_crash] if happening.last_crash else [],
        "Latest lines of the log": list(happening.log[-LOG_LINES:]),
    }
    if with_queries and queries:
        parts["My queries"] = list(queries)
    text = "\n\n".join("\n".join((title, "-" * len(title), *filter(None, lines))) for title, lines in parts.items())
    text = _IN_ADDRESS.sub(f"{HIDDEN}@", text).replace(str(Path.home()), "~")
    return (text if with_queries else without(text, queries, "(query hidden)")) + "\n"


def versions() -> list[str]:
    """Return the versions of the program and of its libraries."""
    from importlib.metadata import PackageNotFoundError, version  # slow to load

    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package}: not installed")
    return found


def _state(core_state: CoreState | None) -> list[str]:
    if core_state is None:
        return ["The library was not open yet."]
    status = core_state.status
    return [
        f"Encoder: {status.encoder}, {status.encoder_state}, {status.embedded} of {status.to_embed} triggers embedded",
        f"LLM: {status.llm.outcome} {status.llm.model}".rstrip(),
        "Library: " + ", ".join(f"{count} {what}" for what, count in status.counts.items()),
        *(f"Fault of the {part}: {sentence}" for part, sentence in status.faults.items()),
    ]


def _settings(core_state: CoreState | None) -> list[str]:
    if core_state is None:
        return []
    return list(_differing(core_state.settings, core_state.origins)) or ["None."]


def _differing(settings: Settings, origins: Mapping[str, str]) -> Iterable[str]:
    from app.settings.model import keys, value_of

    for key in keys():
        origin = origins.get(key, "default")
        if origin != "default":
            value = HIDDEN if SECRET.search(key) else value_of(settings, key)
            yield f"{key} = {value!r} ({origin})"
