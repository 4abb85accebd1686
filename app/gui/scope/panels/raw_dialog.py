"""The raw prompt and the raw reply of the LLM, as plain text to read and to copy, in a dialog that stops nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.display.scope.llm import Raw, raw_about, raw_text
from app.domain.llm import LlmReport
from app.gui.kit.controls import button
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme


class RawDialog(QDialog):
    """Follows the lane: shows the last query that the LLM was asked and answered, until it is closed."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setModal(False)
        self.setWindowTitle(self.tr("Raw prompt and reply"))
        self.resize(theme.px(640), theme.px(560))
        self._raws: tuple[Raw, ...] = ()
        self._asked: tuple[str, LlmReport] | None = None
        self.query, self.about = self._label(), self._label()
        self.none = self._label()
        self.none.setText(self.tr("Nothing was kept: the LLM has not been asked, or its reply could not be read."))
        self._texts: list[tuple[QLabel, QPlainTextEdit]] = []
        self._body = QVBoxLayout()
        self._body.setSpacing(theme.px(4))
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        self.copy_button = button(self.tr("Copy all"), press=self.copy)
        buttons.addWidget(self.copy_button)
        buttons.addWidget(button(self.tr("Close"), press=self.close))
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.px(16),) * 4)
        column.setSpacing(theme.px(8))
        for label in (self.query, self.about, self.none):
            column.addWidget(label)
        column.addLayout(self._body, 1)
        column.addLayout(buttons)
        styled(self.query, role="heading")
        styled(self.about, role="caption")
        styled(self.none, role="caption")

    @property
    def text(self) -> str:
        """Everything that is shown, for the clipboard."""
        return "\n\n".join(f"{raw.title}:\n{raw.text}" for raw in self._raws)

    def show_report(self, query: str, report: LlmReport) -> None:
        """Show what was sent and what came back; a report that holds neither leaves the last one standing."""
        raws = raw_text(report)
        if not raws and self._raws:
            return
        self.query.setText(query[:300])
        self.about.setText(raw_about(report))
        self.none.setVisible(not raws)
        self.copy_button.setEnabled(bool(raws))
        if raws == self._raws:
            return
        self._raws = raws
        while len(self._texts) < len(raws):
            self._add()
        for place, (title, field) in enumerate(self._texts):
            raw = raws[place] if place < len(raws) else None
            title.setVisible(raw is not None)
            field.setVisible(raw is not None)
            if raw is not None:
                title.setText(raw.title)
                field.setAccessibleName(raw.title)
                field.setPlainText(raw.text)

    def copy(self) -> None:
        """Copy prompt and reply."""
        QGuiApplication.clipboard().setText(self.text)

    def _add(self) -> None:
        title, field = styled(self._label(), role="section"), styled(QPlainTextEdit(), role="mono")
        field.setReadOnly(True)
        field.setTabChangesFocus(True)
        field.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        field.setFont(self.theme.font(12, mono=True))
        self._texts.append((title, field))
        self._body.addWidget(title)
        self._body.addWidget(field, 1)

    def _label(self) -> QLabel:
        label = QLabel()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        return label
