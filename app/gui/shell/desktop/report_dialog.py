"""The report in a window of its own: read it, choose if your queries go along, copy or save it. Nothing is sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QCheckBox, QDialog, QFileDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.gui.kit.controls import button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.file_saver import write_whole
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

FILE_NAME = "intentscope-report.txt"


class ReportDialog(QDialog):
    """Opened by a person, never by itself. `compose` gives the text, with queries or without."""

    def __init__(self, theme: Theme, compose: Callable[[bool], str], parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self._compose = theme, compose
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Report"))
        self.resize(theme.px(640), theme.px(560))
        self.about = QLabel(
            self.tr("Read it before you give it to anyone. Nothing is sent, and secrets in settings are left out.")
        )
        self.about.setWordWrap(True)
        self.field = QPlainTextEdit()
        self.field.setReadOnly(True)
        self.field.setTabChangesFocus(True)
        self.field.setAccessibleName(self.tr("Text of the report"))
        self.field.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.with_queries = QCheckBox(self.tr("Include my queries"))
        self.with_queries.toggled.connect(self.renew)
        self.fault = FaultLine(theme)
        self.copied = QLabel()
        buttons = QHBoxLayout()
        buttons.addWidget(self.copied, 1)
        for made in (
            button(self.tr("Copy"), primary=True, press=self.copy),
            button(self.tr("Save…"), press=self._ask_where),
            button(self.tr("Close"), press=self.close),
        ):
            buttons.addWidget(made)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.px(16),) * 4)
        column.setSpacing(theme.px(10))
        for widget in (self.about, self.field, self.with_queries, self.fault):
            column.addWidget(widget)
        column.addLayout(buttons)
        styled(self.about, role="caption")
        styled(self.copied, role="caption")
        styled(self.field, role="mono")
        self.renew()
        self.field.setFocus()

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    def renew(self) -> None:
        """Write the text anew, with queries or without."""
        self.field.setPlainText(self._compose(self.with_queries.isChecked()))
        self.copied.setText("")

    def copy(self) -> None:
        """Copy what is shown."""
        QGuiApplication.clipboard().setText(self.text)
        self.copied.setText(self.tr("Copied."))

    def save(self, file: Path) -> None:
        """Write what is shown to a file; a fault of the disk is reported here."""
        try:
            write_whole(file, self.text.encode("utf-8", "replace"), waits=False)
        except OSError as error:
            self.fault.tell(self.tr("{0} cannot be written: {1}.").format(file, error.strerror or error))
        else:
            self.fault.tell("")
            self.copied.setText(self.tr("Saved as {0}.").format(file.name))

    def _ask_where(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save the report"), str(Path.home() / FILE_NAME))
        if name:
            self.save(Path(name))
