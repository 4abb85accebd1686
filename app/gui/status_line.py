"""The line at the bottom: the state of the encoder in words, what the library holds, the profile, and any fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.display import words
from app.gui.pen import RIGHT, Pen
from app.gui.theme import Theme

if TYPE_CHECKING:
    from app.services.status import Status


class StatusLine(QWidget):
    """Drawn, and read aloud as one sentence."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._status: Status | None = None
        self._fault = ""
        self.setFixedHeight(theme.px(26))
        theme.changed.connect(self.update)
        self._describe()

    @property
    def read(self) -> str:
        return self.accessibleName()

    def show_status(self, status: Status) -> None:
        if status != self._status:
            self._status = status
            self._describe()

    def show_fault(self, sentence: str) -> None:
        """Repeat a fault while it lasts; "" for none."""
        if sentence != self._fault:
            self._fault = sentence
            self._describe()

    @property
    def fault(self) -> str:
        """What went wrong, if anything lasts."""
        lasting = next(iter(self._status.faults.values()), "") if self._status else ""
        return self._fault or lasting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("bg"))
        pen = Pen(painter, self.theme, self.width())
        pen.line(0, 0.5, pen.width, 0.5)
        font = self.theme.face(11, 450)
        icon, token, sentence = self.encoder()
        right = self.library()
        wide = font.width(right) + 4
        end = pen.width - 16 - wide
        pen.icon(icon, 17, 6.5, 13, token)
        x = 36 + pen.text(QRectF(36, 1, end - 44, 25), sentence, font, "text_2") + 16
        fault = self.fault
        if fault and end - x > 60:
            pen.icon("warning", x, 6.5, 13, "danger")
            pen.text(QRectF(x + 19, 1, end - x - 27, 25), fault, font, "danger")
        pen.text(QRectF(end, 1, wide, 25), right, font, "text_2", RIGHT)

    def encoder(self) -> tuple[str, str, str]:
        """Icon, colour and sentence for the encoder's state."""
        status = self._status
        if status is None:
            return "loading", "text_2", self.tr("Opening the library")
        name = status.encoder
        if status.encoder_state == "failed":
            return "warning", "danger", self.tr("Encoder {0} failed; lexical scores decide").format(name)
        if status.encoder_state == "loading":
            text = self.tr("Encoder {0} is loading; the best lexical score decides for now").format(name)
            return "loading", "warning", text
        if status.embedded < status.to_embed:
            text = self.tr("Encoder {0} ready, {1} of {2} triggers embedded")
            return "loading", "warning", text.format(name, status.embedded, status.to_embed)
        return "check", "success", self.tr("Encoder {0} ready").format(name)

    def library(self) -> str:
        """What the library holds, and the profile."""
        status = self._status
        if status is None:
            return ""
        parts = [
            words.say_n(status.counts.get(key, 0), one, many)
            for key, one, many in (
                ("memories", "{n} memory", "{n} memories"),
                ("powers", "{n} power", "{n} powers"),
                ("rules", "{n} rule", "{n} rules"),
            )
            if key in status.counts
        ]
        return ", ".join(parts) + "     " + self.tr("Profile: {0}").format(status.profile)

    def _describe(self) -> None:
        self.setAccessibleName("; ".join(filter(None, (self.encoder()[2], self.fault, self.library()))))
        self.update()
