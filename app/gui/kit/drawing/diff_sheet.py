"""What differs between two states, drawn: field by field, gone words struck through, new ones underlined."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display import words
from app.display.library.memory_words import Difference, Mark, Piece
from app.gui.kit.drawing.pen import Pen
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.fonts import Face

_LINE, _PAD = 19.0, 16.0
_TOKENS = {Mark.SAME: "text", Mark.GONE: "danger", Mark.NEW: "success"}
_SOFT = {Mark.GONE: "danger_soft", Mark.NEW: "success_soft"}
_MOST_LINES = 400


class DiffSheet(Sheet):
    """Words wrap; a mark is a form first, and a colour second."""

    shown: tuple[Difference, ...] = ()

    def show_differences(self, differences: tuple[Difference, ...]) -> None:
        """Draw these from now on."""
        self.shown = differences
        said = "\n".join(f"{one.title}: {one.sentence}" for one in differences)
        self.setAccessibleDescription(said[:4_000])
        self.update()

    def compose(self, pen: Pen) -> float:
        y = 4.0
        face = self.theme.face
        if not self.shown:
            pen.text(QRectF(_PAD, y, pen.width - 2 * _PAD, _LINE), words.say("Nothing differs."), face(12), "text_2")
            return y + _LINE + 8
        for difference in self.shown:
            pen.text(QRectF(_PAD, y, pen.width - 2 * _PAD, _LINE), difference.title, face(11, 600), "text_2")
            y += _LINE
            for line in difference.lines[:_MOST_LINES]:
                y = self._line(pen, line, y)
            y += 8
        return y

    def _line(self, pen: Pen, pieces: tuple[Piece, ...], y: float) -> float:
        x, right = _PAD, pen.width - _PAD
        for piece in pieces:
            if piece.mark is Mark.NEW and x > _PAD:
                x += 2
            for word in _cut(piece.text):
                wide = self._face(piece.mark).width(word)
                if x + wide > right and x > _PAD:
                    x, y = _PAD, y + _LINE
                self._word(pen, word.replace("\n", " "), piece.mark, QRectF(x, y, min(wide, right - x), _LINE))
                x += wide
                if word.endswith("\n"):
                    x, y = _PAD, y + _LINE
        return y + _LINE

    def _word(self, pen: Pen, word: str, mark: Mark, where: QRectF) -> None:
        if mark in _SOFT:
            pen.fill(where.adjusted(0, 2, 0, -2), _SOFT[mark])
        pen.text(where.adjusted(0, 0, 1, 0), word, self._face(mark), _TOKENS[mark])
        if mark is not Mark.SAME and word.strip():
            level = where.center().y() + 0.5 if mark is Mark.GONE else where.bottom() - 3.5
            pen.line(where.left(), level, where.right(), level, _TOKENS[mark], 1.2)

    def _face(self, mark: Mark) -> Face:
        return self.theme.face(12, 600 if mark is Mark.NEW else 400)


def _cut(text: str) -> list[str]:
    """Words with the blanks behind them."""
    words_: list[str] = []
    word = ""
    for letter in text:
        if word and word[-1].isspace() and not letter.isspace():
            words_.append(word)
            word = ""
        word += letter
    return [*words_, word] if word else words_
