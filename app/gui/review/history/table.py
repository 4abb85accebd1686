"""The table of past queries: rows come when they are looked at, a glyph beside the confidence says how good it was."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.display.review.rows import PAST_COLUMNS, level_of
from app.domain.history import PastOrder, PastQuery
from app.gui.kit.drawing.pen import Pen
from app.gui.kit.tables.cells import Cells
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme
from app.settings.model import Settings

_CONFIDENCE = next(place for place, column in enumerate(PAST_COLUMNS) if column.key == "confidence")
_GLYPH_AT = 10.0


class _PastCells(Cells):
    """The confidence with the glyph of its band or tier."""

    def __init__(self, table: HistoryTable) -> None:
        super().__init__(table.theme, table.paged, table)
        self._table = table

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.column() != _CONFIDENCE:
            return
        row = self._table.paged.row_at(index.row())
        level = level_of(row, self._table.settings) if row is not None else None
        if level is not None:
            painter.save()
            painter.translate(option.rect.topLeft())
            pen = Pen(painter, self.theme, option.rect.width())
            pen.level(level, _GLYPH_AT, (option.rect.height() / self.theme.scale - 12) / 2)
            painter.restore()


class HistoryTable(LibraryTable):
    """Newest first, until a person sorts it otherwise."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, PAST_COLUMNS, "history")
        self.settings: Settings | None = None
        self.setItemDelegate(_PastCells(self))
        self.order, self.falling = PastOrder.AT, True
        self._show_order()

    def show_settings(self, settings: Settings) -> None:
        """Judge confidences by these."""
        if settings is not self.settings:
            self.settings = settings
            self.viewport().update()

    @property
    def current_row(self) -> PastQuery | None:
        """The query under the keyboard, if it has come."""
        key = self.current_key
        row = None if key is None else self.paged.row_of(key)
        return row if isinstance(row, PastQuery) else None
