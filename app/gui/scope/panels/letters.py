"""Legend of the scorers' letters, as a popup over the matches."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtWidgets import QWidget

from app.display import words
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme
from app.scoring.scorers import SCORERS

_ROW, _PAD, _NAMES = 24.0, 12.0, 100.0
_WIDE = 660


class LettersLegend(Sheet):
    """One row per scorer: letter, name and summary. Closed by Esc or a click."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "Letters of the scorers", parent)
        self.setWindowFlags(Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        wide = min(theme.px(_WIDE), parent.window().width())
        self.setFixedSize(wide, theme.px(2 * _PAD + _ROW * len(SCORERS)))

    def open_over(self, place: QWidget) -> None:
        """Open at the upper left corner of a widget."""
        self.move(place.mapToGlobal(QPoint(0, 0)))
        self.show()

    def compose(self, canvas: Canvas) -> float:
        high = 2 * _PAD + _ROW * len(SCORERS)
        canvas.fill(QRectF(0, 0, canvas.width, high), "border_strong")
        canvas.fill(QRectF(1, 1, canvas.width - 2, high - 2), "raised")
        for place, key in enumerate(SCORERS):
            y, shown = _PAD + _ROW * place, words.scorer(key)
            canvas.badge(key, _PAD, y + (_ROW - 15) / 2)
            canvas.text(QRectF(_PAD + 24, y, _NAMES, _ROW), shown.title, self.theme.face(12, 600))
            left = _PAD + 24 + _NAMES
            canvas.text(QRectF(left, y, canvas.width - left - _PAD, _ROW), shown.summary, self.theme.face(12), "text_2")
        return high
