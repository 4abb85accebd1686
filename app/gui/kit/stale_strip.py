"""Two hands on one thing: another program was faster, and a person says whose words stay."""

from __future__ import annotations

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.domain.errors import StaleError
from app.gui.kit.controls import button
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme


class StaleStrip(Ruled):
    """A sentence and two ways out; hidden while there is nothing to decide."""

    ground = "warning_soft"
    mark = "warning"

    theirs_kept = Signal(StaleError)  # `mine` is what a person had made of it
    mine_written = Signal(StaleError)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.error: StaleError | None = None
        self.sentence = Said(shade="warning")
        self.theirs = button(self.tr("Keep theirs"), press=self._keep_theirs)
        self.mine = button(self.tr("Write mine"), press=self._write_mine)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.theirs)
        row.addWidget(self.mine)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(16), theme.px(8), theme.px(16), theme.px(10))
        column.setSpacing(theme.px(6))
        column.addWidget(self.sentence)
        column.addLayout(row)
        self.setVisible(False)

    def ask(self, error: StaleError) -> None:
        """Ask which of the two stays; each tooltip says what becomes of the other."""
        self.error = error
        gone = error.present is None
        self.sentence.say(str(error))
        self.setAccessibleName(str(error))
        self.theirs.setToolTip(
            self.tr("Drop your edits; it stays deleted") if gone else self.tr("Drop your edits and show theirs")
        )
        self.mine.setToolTip(
            self.tr("Bring it back as you edited it") if gone else self.tr("Write your edits over theirs")
        )
        self.setVisible(True)
        self.theirs.setFocus()

    def drop(self) -> None:
        """There is nothing to decide any more."""
        self.error = None
        self.setVisible(False)

    def _keep_theirs(self) -> None:
        self._decide(self.theirs_kept)

    def _write_mine(self) -> None:
        self._decide(self.mine_written)

    def _decide(self, signal: SignalInstance) -> None:
        error = self.error
        self.drop()
        if error is not None:
            signal.emit(error)
