"""A pane told in one line: its numbers beside its title, as many as there is room for."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize

from app.gui.pen import Pen
from app.gui.sheet import Sheet

_GAP = 18.0


class NumbersLine(Sheet):
    """Short pieces beside each other, the most important first; one that does not fit whole is only read aloud."""

    pieces: tuple[str, ...] = ()

    def tell(self, pieces: tuple[str, ...]) -> None:
        """Show these pieces."""
        if pieces != self.pieces:
            self.pieces = pieces
            self.update()

    def compose(self, pen: Pen) -> float:
        x = 8.0
        for place, piece in enumerate(self.pieces):
            font = self.theme.face(12, 600 if place == 0 else 400, mono=True)
            wide = font.width(piece)
            if x + wide > pen.width and place:
                pen.written.append(piece)
                continue
            pen.text(QRectF(x, 0, pen.width - x, self.units_high), piece, font, "text" if place == 0 else "text_2")
            x += wide + _GAP
        return self.units_high

    @property
    def units_high(self) -> float:
        return self.height() / self.theme.scale

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(60), self.theme.px(24))
