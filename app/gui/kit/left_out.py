"""The lines of a file that were left out, by number and with the reason: as a list, and as a dialog of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.display import words
from app.gui.kit.controls import button
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.library import Problem

_WIDE, _LIST_HIGH = 620, 132


class ProblemList(QPlainTextEdit):
    """The lines that are left out, by number, to be read and copied."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFixedHeight(theme.px(_LIST_HIGH))
        self.setAccessibleName(self.tr("Lines that are left out"))

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """List these."""
        from app.display.library.importing import problem_lines

        self.setPlainText(problem_lines(problems))


class LeftOutDialog(QDialog):
    """The lines that the last import left out."""

    def __init__(self, theme: Theme, name: str, problems: Sequence[Problem], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme.px
        self.setWindowTitle(self.tr("Lines that were left out"))
        self.setModal(True)
        self.setFixedWidth(px(_WIDE))
        lead = QLabel(
            words.say_n(
                len(problems), "{n} line of {file} was left out.", "{n} lines of {file} were left out.", file=name
            )
        )
        lead.setTextFormat(Qt.TextFormat.PlainText)
        listed = ProblemList(theme)
        listed.show_problems(problems)
        close = button(self.tr("Close"), press=self.accept)
        close.setDefault(True)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(px(20), px(20), px(20), px(16))
        layout.setSpacing(px(12))
        layout.addWidget(lead)
        layout.addWidget(listed)
        layout.addLayout(foot)
