"""History table: rows are loaded in view, a glyph beside the confidence shows the level."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.display.review.history import PAST_COLUMNS, level_of
from app.domain.review.history import HistoryEntry, HistoryOrder
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.tables.delegates import CellDelegate
from app.gui.kit.tables.rows import Index
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme
from app.settings.model import Settings

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
