"""Item delegates: cells with texts, numbers and placeholders, and list lines."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.tables.rows import Index, PagedModel
from app.gui.kit.theme.fonts import Face
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.kit.theme.tokens import ROUTE_TOKENS

_SELECTED = QStyle.StateFlag.State_Selected.value
_FOCUSED = QStyle.StateFlag.State_HasFocus.value

_PAD, _EDGE = 8, 16
"""Padding of a text, and space before the first column."""

_LONGEST = 300
"""Maximum number of characters drawn in a cell."""


@lru_cache(maxsize=4_000)
def _elided(face: Face, text: str, width: int) -> str:
    if face.width(text) <= width:
        return text
    return face.measure.elidedText(text, Qt.TextElideMode.ElideRight, width)


class CellDelegate(QStyledItemDelegate):
    """Draws every cell itself, several times faster than a style, and edits in a line."""

    def __init__(self, theme: Theme, model: PagedModel[Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme, self._model = theme, model
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.theme.px(80), self.theme.px(28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        # Runs for every visible cell within a frame: no saving, scaling, or avoidable look-up.
        model, place = self._model, index.column()
        column, row = model.columns[place], model.row_at(index.row())
        theme, area, state = self.theme, option.rect, option.state.value
        left, top, wide, high = area.x(), area.y(), area.width(), area.height()
        if state & _SELECTED:
            painter.fillRect(area, theme.color("selection"))
            if place == 0:
                painter.fillRect(left, top, theme.px(3), high, theme.color("accent"))
        edge = self._edge if place == 0 else self._pad
        if row is None:
            self._paint_place(painter, QRectF(left + edge, top, wide - edge - self._pad, high), index.row() + place)
        else:
            right = left + wide - self._pad
            if column.aside is not None and (aside := column.aside(row)):
                quiet = self._aside
                right -= round(quiet.width(aside)) + self._pad
                painter.setPen(theme.color("text_2"))
                painter.setFont(quiet)
                at = QPointF(right + self._pad, top + (high - quiet.high) / 2)
                painter.drawStaticText(at, quiet.ready(aside))
            if column.mark is not None and (color := column.mark(row)):
                edge += self._paint_mark(painter, color, left + edge, top + high / 2)
            if text := column.cell(row):
                tone = "text_2" if column.is_quiet else "text" if column.tone is None else column.tone(row)
                painter.setPen(theme.color(tone))
                self._paint_text(painter, text, QRectF(left + edge, top, right - left - edge, high), column.is_number)
        if state & _FOCUSED:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), 1.5))
            painter.drawRect(QRectF(area).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_mark(self, painter: QPainter, color: str, x: int, middle: float) -> int:
        """Draw a small square in a route's colour; return the offset of the text."""
        size = self.theme.px(9)
        painter.fillRect(x, round(middle - size / 2), size, size, self.theme.color(ROUTE_TOKENS[color]))
        return size + self.theme.px(6)

    def _paint_text(self, painter: QPainter, text: str, room: QRectF, at_right: bool) -> None:
        face, text = self._text, text[:_LONGEST].replace("\n", " ")
        shown = _elided(face, text, int(room.width()))
        x = room.right() - face.width(shown) if at_right else room.left()
        painter.setFont(face)
        painter.drawStaticText(QPointF(x, room.top() + (room.height() - face.high) / 2), face.ready(shown))

    def _paint_place(self, painter: QPainter, room: QRectF, number: int) -> None:
        """Draw the placeholder of a row that is not loaded."""
        high = self.theme.px(8)
        share = (0.75, 0.5, 0.62)[number % 3]
        bar = QRectF(room.left(), room.center().y() - high / 2, max(6.0, room.width() * share), high)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color("sunken"))
        painter.drawRoundedRect(bar, high / 2, high / 2)

    def _apply_theme(self) -> None:
        theme = self.theme
        self._text, self._aside = Face(theme.font(12)), Face(theme.font(11))
        self._pad, self._edge = theme.px(_PAD), theme.px(_EDGE)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        line = QLineEdit(parent, frame=False)
        line.setAccessibleName(self._model.columns[index.column()].name)
        return styled(line, role="cell")

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        # Rows may be reloaded during typing; the typed text stays.
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Escape only ends the editing; the window would return to the query.
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)


class RowDelegate(QStyledItemDelegate):
    """Template method: fills a row of a list and marks the selected one; a subclass draws its content.

    `ground` is the colour of a row that is not selected, None for the view's; `ruled` draws a line below it.
    """

    wide = 200
    ground: str | None = "surface"
    ruled = False
    marked = True
    """True to draw an edge at the left of the selected row."""

    def __init__(self, theme: Theme, high: float, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme, self.high = theme, high

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        """Draw the content of a row; `on` if it is selected."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.theme.px(self.wide), self.theme.px(self.high))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        area, on = option.rect, bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if (color := self.color_of(index, on)) is not None:
            painter.fillRect(area, self.theme.color(color))
        if self.ruled:
            painter.fillRect(area.x(), area.bottom(), area.width(), 1, self.theme.color("border"))
        painter.translate(area.topLeft())
        canvas = Canvas(painter, self.theme, area.width())
        if on and self.marked:
            canvas.fill(QRectF(0, 0, 3, area.height() / self.theme.scale), "accent")
        self.draw(canvas, index, on=on)
        painter.restore()

    def color_of(self, index: Index, on: bool) -> str | None:
        """Return the colour that a row is filled with; None for the view's."""
        return "selection" if on else self.ground


ASIDE = Qt.ItemDataRole.UserRole
"""Role of the muted text of a LineList's line."""


class LineDelegate(RowDelegate):
    """Paints a line of a LineList: its text, and a muted one at the right."""

    wide, ground = 80, None

    def __init__(self, theme: Theme, edge: float, parent: QObject | None = None) -> None:
        super().__init__(theme, 28, parent)
        self._edge = edge

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        text, aside, face = str(index.data() or ""), str(index.data(ASIDE) or ""), self.theme.face
        edge, free, high = self._edge, canvas.width - 2 * self._edge, self.high
        room = max(free / 2, free - 12 - face(12).width(text[:_LONGEST]))  # a long aside leaves half to the text
        beside = QRectF(edge + free - room, 0, room, high)
        taken = canvas.text(beside, aside, face(11), "text_2", RIGHT) if aside else -12
        canvas.text(QRectF(edge, 0, free - 12 - taken, high), text[:_LONGEST], face(12))
