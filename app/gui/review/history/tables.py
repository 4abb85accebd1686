"""History as a table, and as lists with two-line rows; rows in view are loaded."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView

from app.display.review.history import PAST_COLUMNS, level_of
from app.domain.match import Band, Tier
from app.domain.review.history import HistoryEntry, HistoryOrder
from app.gui.kit.controls import single_shot
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.tables.delegates import CellDelegate, RowDelegate
from app.gui.kit.tables.rows import ROW_ROLE, Index, show_painted_rows
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.settings.model import Settings

HIGH = 50
_EDGE, _ASIDE = 16.0, 64.0


@dataclass(frozen=True, slots=True)
class TwoLineRow:
    """Texts of a row: two lines, a word at the right, and the glyph of a band or tier."""

    above: str
    below: str
    aside: str = ""
    level: Band | Tier | None = None


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
        face, room = self.theme.face, canvas.width - 2 * _EDGE
        beside = room - (_ASIDE if row.aside else 0)
        canvas.text(QRectF(_EDGE, 5, beside, 20), row.above, face(13, 600))
        canvas.text(QRectF(_EDGE, 26, room, 18), row.below, face(12), "text_2")
        if row.aside:
            right = canvas.width - _EDGE
            wide = canvas.text(QRectF(right - _ASIDE, 6, _ASIDE, 18), row.aside, face(12, 500), align=RIGHT)
            if row.level is not None:
                canvas.level(row.level, right - wide - 19, 9)


class TwoLineList(QTableView):
    """Single-selection list with two-line rows; letters are emitted instead of searched.

    `seen` has the range in view. With `can_leave` Escape leaves the list instead of returning to the query.
    """

    picked = Signal()
    entered = Signal()
    left = Signal()  # Escape
    typed = Signal(str)  # a letter, in lower case
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
        # Escape leaves this list; the window would return to the query.
        asks = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if asks and self._can_leave and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif event.key() == Qt.Key.Key_Escape and self._can_leave:
            self.left.emit()
        elif plain and event.text().isalpha():
            self.typed.emit(event.text().lower())
        else:
            super().keyPressEvent(event)

    def moveCursor(self, action: QTableView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        # Home and End go to the first and last row, as in a list; Qt's go along the row.
        ends = {QTableView.CursorAction.MoveHome: 0, QTableView.CursorAction.MoveEnd: self.model().rowCount() - 1}
        return self.model().index(ends[action], 0) if action in ends else super().moveCursor(action, modifiers)

    def keyboardSearch(self, search: str) -> None:
        """Disable the search: letters are actions here."""


# ---- History table: rows are loaded in view, a glyph beside the confidence shows the level.


_CONFIDENCE = next(place for place, column in enumerate(PAST_COLUMNS) if column.key == "confidence")
_GLYPH_AT = 10.0


class _ConfidenceDelegate(CellDelegate):
    """Paints the confidence with the glyph of its band or tier."""

    def __init__(self, table: HistoryTable) -> None:
        super().__init__(table.theme, table.paged, table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.column() != _CONFIDENCE:
            return
        row = self._table.paged.row_at(index.row())
        level = level_of(row, self._table.settings) if row is not None else None
        if level is not None:
            painter.save()
            painter.translate(option.rect.topLeft())
            canvas = Canvas(painter, self.theme, option.rect.width())
            canvas.level(level, _GLYPH_AT, (option.rect.height() / self.theme.scale - 12) / 2)
            painter.restore()


class HistoryTable(LibraryTable):
    """History table; newest first by default."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, PAST_COLUMNS, "history")
        self.settings: Settings | None = None
        self.setItemDelegate(_ConfidenceDelegate(self))
        self.order, self.descending = HistoryOrder.AT, True
        self._show_order()

    def show_settings(self, settings: Settings) -> None:
        """Use the thresholds of bands and tiers of these settings."""
        if settings is not self.settings:
            self.settings = settings
            self.viewport().update()

    @property
    def current_row(self) -> HistoryEntry | None:
        """Current query, if it is loaded."""
        key = self.current_key
        row = None if key is None else self.paged.row_of(key)
        return row if isinstance(row, HistoryEntry) else None
