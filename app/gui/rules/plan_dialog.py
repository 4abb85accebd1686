"""What a reset or an import of a pack would change, shown before it is done."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.display import words
from app.display.library.rules import plan_lines
from app.gui.controls import button
from app.gui.theme import Theme
from app.services.library.rules import PackPlan


class PlanDialog(QDialog):
    """Accepted if the person wants it done."""

    def __init__(self, theme: Theme, plan: PackPlan, *, is_reset: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plan, self.is_reset = plan, is_reset
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setMinimumWidth(theme.px(600))
        title = self.tr("Reset the pack “{0}”") if is_reset else self.tr("Import the pack “{0}”")
        self.setWindowTitle(title.format(plan.pack))
        n = len(plan.changes)
        said = words.say_n(n, "{n} rule changes. One undo takes it back.", "{n} rules change. One undo takes it back.")
        self.sentence = QLabel(said)
        self.sentence.setWordWrap(True)
        self.lines = QPlainTextEdit("\n".join(plan_lines(plan)))
        self.lines.setReadOnly(True)
        self.lines.setTabChangesFocus(True)
        self.lines.setAccessibleName(self.tr("What changes"))
        self.lines.setMinimumHeight(theme.px(180))
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        verb = self.tr("Reset") if is_reset else self.tr("Import")
        self.verb = button(verb, primary=True, press=self.accept)
        self.verb.setDefault(True)
        cancel = button(self.tr("Cancel"), press=self.reject)
        cancel.setAutoDefault(False)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.verb)
        column = QVBoxLayout(self)
        pad = theme.px(16)
        column.setContentsMargins(pad, pad, pad, pad)
        column.setSpacing(theme.px(12))
        column.addWidget(self.sentence)
        column.addWidget(self.lines, 1)
        column.addLayout(row)
        self.verb.setFocus()
