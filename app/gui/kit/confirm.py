"""A question before many things are deleted: a sentence with the number, a verb, and a way out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.gui.kit.controls import button
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme


class Confirm(QDialog):
    """Esc and Cancel do nothing; Cancel has the focus, so that Enter alone deletes nothing."""

    def __init__(self, theme: Theme, title: str, question: str, verb: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setModal(True)
        self.setFixedWidth(theme.px(480))
        self.question = Said(question, role="lead")
        self.verb = button(verb, primary=True, press=self.accept)
        self.cancel = button(self.tr("Cancel"), press=self.reject)
        self.verb.setAutoDefault(False)
        self.cancel.setDefault(True)
        foot = QHBoxLayout()
        foot.setSpacing(theme.px(8))
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.verb)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(20), theme.px(20), theme.px(20), theme.px(16))
        column.setSpacing(theme.px(16))
        column.addWidget(self.question)
        column.addLayout(foot)
        self.cancel.setFocus()


def ask(dialog: Confirm, act: Callable[[], object]) -> Confirm:
    """Open a question, and act if it is answered with its verb."""
    dialog.accepted.connect(act)
    dialog.open()
    return dialog
