"""Item delegates: cells, placeholders and list lines; a list of rows with two lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from app.display.words import Level
from app.gui.kit.canvas import RIGHT, Canvas
from app.gui.kit.controls import single_shot
from app.gui.kit.fields import handle_escape
from app.gui.kit.tables.rows import ROW_ROLE, Index, PagedModel, show_painted_rows
from app.gui.kit.theme import Face, Theme, styled
from app.gui.kit.tokens import ROUTE_TOKENS

_SELECTED = QStyle.StateFlag.State_Selected.value
_FOCUSED = QStyle.StateFlag.State_HasFocus.value

_PAD, _EDGE = 8, 16
"""Padding of a text, and space beside the first and the last column."""

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
        theme.follow(self._apply_theme)

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
            right = left + wide - (self._edge if place == model.edge_column else self._pad)
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
        line.setAccessibleName(self._model.columns[index.column()].title)
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


HIGH = 50
_SIDE, _ASIDE, _ICON, _GAP = 16.0, 112.0, 24.0, 12.0


@dataclass(frozen=True, slots=True)
class TwoLineRow:
    """Two lines with a word at the right of each, and the glyph of a band or tier.

    An icon and a word in its colour may stand before the first.
    """

    above: str
    below: str
    aside: str = ""
    level: Level | None = None
    aside_below: str = ""
    icon: str = ""
    word: str = ""
    shade: str = "text"


class _TwoLineDelegate(RowDelegate):
    """Paints a two-line row, or a placeholder if it is not loaded."""

    ruled = True

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        if isinstance(row := index.data(ROW_ROLE), TwoLineRow):
            self._write(canvas, row)
        else:
            for y, share in ((14, 0.6), (32, 0.4)):
                canvas.fill(QRectF(_SIDE, y, share * (canvas.width - 2 * _SIDE), 7), "sunken", 3.5)

    def _write(self, canvas: Canvas, row: TwoLineRow) -> None:
        face, left, right = self.theme.face, _SIDE, canvas.width - _SIDE

        def end(text: str, y: float, token: str, weight: int) -> float:
            """Draw the text at the right of a line; return the end of the line."""
            room = QRectF(right - _ASIDE, y, _ASIDE, 18)
            return right - (canvas.text(room, text, face(12, weight), token, RIGHT) + _GAP if text else 0)

        above, below = end(row.aside, 6, "text", 500), end(row.aside_below, 26, "text_2", 400)
        if row.level is not None:
            above -= 7
            canvas.level(row.level, above, 9)
            above -= _GAP
        if row.icon:
            canvas.icon(row.icon, left, 8, 16, row.shade)
            left += _ICON
        x = left
        if row.word:
            x += canvas.text(QRectF(left, 5, above - left, 20), row.word, face(12, 600), row.shade) + 8
        canvas.text(QRectF(x, 5, above - x, 20), row.above, face(13, 600))
        canvas.text(QRectF(left, 26, below - left, 18), row.below, face(12), "text_2")


_ARROWS = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right"}


class TwoLineList(QTableView):
    """Single-selection list with two-line rows; letters are emitted instead of searched.

    `seen` has the range in view. With `can_leave` Escape leaves the list instead of returning to the query.
    """

    picked = Signal()
    entered = Signal()
    left = Signal()  # Escape
    typed = Signal(str)  # a letter, in lower case; left or right
    seen = Signal(int, int)  # from the first row to before the last

    def __init__(self, theme: Theme, name: str, model: QAbstractItemModel, *, can_leave: bool = False) -> None:
        super().__init__()
        self.theme, self._can_leave = theme, can_leave
        self.setModel(model)
        self.setItemDelegate(_TwoLineDelegate(theme, HIGH, self))
        self.setAccessibleName(name)
        show_painted_rows(self)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._range_timer = single_shot(self, 0, self._emit_range)
        self.verticalScrollBar().valueChanged.connect(lambda _: self._range_timer.start())
        for changed in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(lambda *_: self._range_timer.start())
        self.selectionModel().currentRowChanged.connect(lambda *_: self.picked.emit())
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(theme.px(HIGH))
        styled(self, role="lines")

    @property
    def place(self) -> int:
        """Index of the current row; -1 for none."""
        return self.currentIndex().row()

    def go_to(self, place: int) -> None:
        """Make a row current, or the nearest one."""
        last = self.model().rowCount() - 1
        if last >= 0:
            self.setCurrentIndex(self.model().index(max(0, min(place, last)), 0))

    def _emit_range(self) -> None:
        first = self.rowAt(0)
        if first >= 0:
            last = self.rowAt(self.viewport().height() - 1)
            self.seen.emit(first, (last if last >= 0 else self.model().rowCount() - 1) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnWidth(0, self.viewport().width())
        self._range_timer.start()

    def event(self, event: QEvent) -> bool:
        return (self._can_leave and handle_escape(event, self.left.emit)) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif plain and event.text().isalpha():
            self.typed.emit(event.text().lower())
        elif plain and event.key() in _ARROWS:
            self.typed.emit(_ARROWS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def moveCursor(self, action: QTableView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        # Home and End go to the first and last row, as in a list; Qt's go along the row.
        ends = {QTableView.CursorAction.MoveHome: 0, QTableView.CursorAction.MoveEnd: self.model().rowCount() - 1}
        return self.model().index(ends[action], 0) if action in ends else super().moveCursor(action, modifiers)

    def keyboardSearch(self, search: str) -> None:
        """Disable the search: letters are actions here."""
