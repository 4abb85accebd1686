"""List of rows with two lines, for lists beside what is selected in them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QTableView

from app.display.words import Level
from app.gui.kit.controls import single_shot
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.fields import handle_escape
from app.gui.kit.tables.delegates import RowDelegate
from app.gui.kit.tables.rows import ROW_ROLE, Index, show_painted_rows
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

HIGH = 50
_EDGE, _ASIDE, _ICON, _GAP = 16.0, 112.0, 24.0, 12.0


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
                canvas.fill(QRectF(_EDGE, y, share * (canvas.width - 2 * _EDGE), 7), "sunken", 3.5)

    def _write(self, canvas: Canvas, row: TwoLineRow) -> None:
        face, left, right = self.theme.face, _EDGE, canvas.width - _EDGE

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
