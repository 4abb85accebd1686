"""The order of a query's memories before and after, drawn side by side with a line from place to place."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display import words
from app.display.scope.surfacing import Move
from app.gui.kit.drawing.marks import draw_move
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.drawing.sheet import Sheet

_PAD, _ROW, _TOP = 16.0, 36.0, 66.0
_BEFORE, _WAY, _RANK, _MOVE = 22.0, 46.0, 24.0, 36.0


class ReorderSheet(Sheet):
    """Each memory stands where it is now; a line leads there from where it was."""

    query = ""
    sentence = ""
    moves: tuple[Move, ...] = ()

    def compose(self, pen: Pen) -> float:
        face, wide = self.theme.face, pen.width - 2 * _PAD
        pen.text(QRectF(_PAD, 0, wide, 18), f"“{self.query}”", face(13, 600))
        pen.paragraph(QRectF(_PAD, 19, wide, 34), self.sentence, face(11), "text_2", lines=2)
        if not self.moves:
            pen.text(QRectF(_PAD, _TOP, wide, 18), words.say("No memory matches."), face(12), "text_2")
            return _TOP + 30
        self._lines(pen)
        for place, move in enumerate(self.moves):
            self._row(pen, move, _TOP + place * _ROW)
        return _TOP + len(self.moves) * _ROW + 12

    def _lines(self, pen: Pen) -> None:
        left = _PAD + _BEFORE
        for place, move in enumerate(self.moves):
            end = _TOP + place * _ROW + 12
            if move.way is None:
                continue
            # From below the last row where it was not among those shown.
            start = _TOP + min(place + move.way, len(self.moves) - 0.4) * _ROW + 12
            token, strength = _shade(move.way)
            pen.line(left, start, left + _WAY - 6, end, token, strength)

    def _row(self, pen: Pen, move: Move, y: float) -> None:
        face, number = self.theme.face, self.theme.face(12, mono=True)
        place = int(move.now)
        if place <= len(self.moves):
            pen.text(QRectF(_PAD, y + 3, _BEFORE - 6, 18), str(place), number, "text_2", RIGHT)
        left = _PAD + _BEFORE + _WAY
        weight = 650 if move.way else 400
        pen.text(QRectF(left, y + 3, _RANK - 8, 18), move.now, face(12, weight, mono=True), "text", RIGHT)
        if move.way is None:
            pen.text(QRectF(left + _RANK, y + 3, _MOVE, 18), words.say("new"), face(11, 600), "success")
        draw_move(pen, self.theme, move.way or 0, left + _RANK, y + 3)
        x = left + _RANK + _MOVE
        token = "text" if move.is_inside else "text_2"
        pen.text(QRectF(x, y + 1, pen.width - _PAD - x, 18), move.name, face(13, 600 if move.is_inside else 400), token)
        room = pen.width - _PAD - x
        wide = pen.text(QRectF(x, y + 17, room, 16), move.equation, face(11, mono=True), "text_2", RIGHT)
        pen.text(QRectF(x, y + 17, room - wide - 8, 16), move.about, face(11), "text_2")


def _shade(way: int) -> tuple[str, float]:
    if not way:
        return "border", 1.2
    return ("success", 2.0) if way > 0 else ("warning", 1.4)
