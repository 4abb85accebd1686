"""Line that reports a fault, and REMEDIES, the action that it offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy

from app.gui.kit.controls import button
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme, Themed

if TYPE_CHECKING:
    from app.services.core import Status


_NARROW = 420


class FaultLine(Themed):
    """Coloured line with an icon, a sentence and an optional button; hidden without a fault."""

    remedy_requested = Signal(str)  # remedy, as passed to `show_fault`

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._remedy = ""
        self._across = layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        layout.setContentsMargins(theme.px(36), theme.px(6), theme.px(12), theme.px(6))
        layout.setSpacing(theme.px(4))
        self._sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.act = button("", link=True, press=lambda: self.remedy_requested.emit(self._remedy))
        self.act.setVisible(False)
        layout.addWidget(self._sentence, 1)
        layout.addWidget(self.act, 0, Qt.AlignmentFlag.AlignLeft)
        self.setVisible(False)
        styled(self._sentence, role="caption", shade="danger")

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def show_fault(self, sentence: str, remedy: str = "") -> None:
        """Show a sentence, and a button for a remedy; "" hides the line."""
        if sentence != self._sentence.text():
            self._sentence.setText(sentence)
            self.setAccessibleName(sentence)
            self.setVisible(bool(sentence))
        remedy = remedy if sentence else ""
        if remedy != self._remedy:
            self._remedy = remedy
            self.act.setText(title(remedy))
            self.act.setAccessibleDescription(sentence)
            self.act.setVisible(bool(remedy))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the button below the sentence in a narrow line."""
        narrow = self.width() < self.theme.px(_NARROW)
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if direction is not self._across.direction():
            self._across.setDirection(direction)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        danger = self.theme.color("danger")
        painter.fillRect(self.rect(), self.theme.color("danger_soft"))
        if self.theme.is_high_contrast:
            painter.setPen(QPen(danger, 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.fillRect(0, 0, self.theme.px(3), self.height(), danger)
        picture = icons.pixmap("warning", self.theme.tokens.danger, self.theme.px(15), self.devicePixelRatioF())
        painter.drawPixmap(self.theme.px(13), (self.height() - self.theme.px(15)) // 2, picture)


# ---- Remedies of faults: button labels, and the fault each one is for.


RETRY_STORE, RETRY_ENCODER = "retry store", "retry encoder"
OPEN_FOLDER, SHOW_SETTINGS, REPORT = "open folder", "show settings", "report"

TITLES: Mapping[str, str] = {
    RETRY_STORE: "Try again",
    RETRY_ENCODER: "Try again",
    OPEN_FOLDER: "Open folder",
    SHOW_SETTINGS: "Show settings file…",
    REPORT: "Report…",
}


def title(remedy: str) -> str:
    """Return the label of the button; "" for no remedy."""
    return TITLES[remedy] if remedy else ""


def remedy_for(part: str, status: Status | None) -> str:
    """Return the remedy for the fault of a status part; "" for none here."""
    if part == "store":
        return OPEN_FOLDER if status is not None and part in status.in_folder else RETRY_STORE
    if part == "settings" and status is not None and part in status.outside:
        return ""
    return {"changes": RETRY_STORE, "encoder": RETRY_ENCODER, "settings": SHOW_SETTINGS}.get(part, "")
