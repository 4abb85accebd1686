"""Bug report as text without secrets, and its dialog to read, copy or save it."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QCheckBox, QDialog, QFileDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app import files
from app.gui.kit.controls import button, text_box
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.logs import HIDDEN, without
from app.settings.model import keys, value_of

if TYPE_CHECKING:
    from app.gui.kit.page import CoreState
    from app.gui.shell.desktop.report_box import BugTrace
    from app.settings.model import Settings


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
            self.copied.setText(f"Saved as {file.name}.")

    def _ask_where(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the report", str(Path.home() / "intentscope-report.txt"))
        if name:
            self.save(Path(name))


# ---- Report text for reading before sharing: no secrets, queries only on request.


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
    for key in keys():
        origin = origins.get(key, "default")
        if origin != "default":
            value = HIDDEN if SECRET.search(key) else value_of(settings, key)
            yield f"{key} = {value!r} ({origin})"
