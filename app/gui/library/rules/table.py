"""Table of rules: arrows move, Space switches, dragging or Alt with arrows reorders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QMimeData, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.display import numbers
from app.display.library.rules import (
    CONFIDENCE,
    HEADS,
    LABEL,
    MATCHES,
    NUMBERS,
    ON,
    PACK,
    PATTERN,
    PURPOSE,
    UNLESS,
    WEIGHT,
    RuleRow,
    readable,
)
from app.gui.kit.tables.rows import Index, RowsModel, pick_whole_rows
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_ROW = 28
_WIDTHS = {0: 44, 1: 112, 3: 96, 4: 62, 5: 88, 6: 66, 7: 76, 8: 124}
_PATTERN_LEAST, _LABEL_LEAST = 300, 84
_GIVE_WAY = (UNLESS, PURPOSE, CONFIDENCE, WEIGHT)
"""Columns hidden if the pattern has too little space, in this order; the editor shows them."""
_PACK_FROM = 900
"""Minimum width in units for the column of packs."""
_MIME = "application/x-intentscope-rule"


class RulesModel(RowsModel[RuleRow]):
    """Model with a row per rule; a drop is emitted with `dropped` and shown once it is stored."""

    dropped = Signal(str, int)  # id, row that it is dropped before

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(HEADS, NUMBERS, parent)
        self.theme = theme

    def show_rules(self, rows: Sequence[RuleRow]) -> None:
        """Show these rows; with the same rules, the current cell stays."""
        self.show_rows(rows, anew=[row.id for row in rows] != [row.id for row in self.rows])

    def text(self, row: RuleRow, column: int) -> str:
        text = row.cells[column]
        if column == ON:
            return "✓" if row.enabled else ""
        if column == LABEL and row.is_unsaved:
            return f"• {text}"
        if column in (PATTERN, UNLESS):
            return readable(text)
        return f"⚠ {text}" if column == MATCHES and row.hints else text

    def spoken(self, row: RuleRow, column: int) -> str:
        text = "none" if row.cells[column] in ("", numbers.ABSENT) else row.cells[column]
        return f"{row.read}, {HEADS[column]}: {text}"

    def tip(self, row: RuleRow, column: int) -> str:
        return "\n".join((row.id, *row.hints, row.cells[PATTERN]))  # a long pattern is cut

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role in (Qt.ItemDataRole.ForegroundRole, Qt.ItemDataRole.FontRole):
            row, column, is_font = self.rows[index.row()], index.column(), role == Qt.ItemDataRole.FontRole
            if is_font:
                return self.theme.font(12, 650) if row.is_unsaved and column == LABEL else None
            is_muted = not row.enabled or row.cells[column] in ("0", numbers.ABSENT)
            tone = "warning" if row.enabled and row.hints and column == MATCHES else "text_2" if is_muted else ""
            return self.theme.color(tone) if tone else None
        return super().data(index, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags | Qt.ItemFlag.ItemIsDropEnabled

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(_MIME, self.rows[indexes[0].row()].id.encode())
        return data

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        if data.hasFormat(_MIME):
            before = row if row >= 0 else parent.row() if parent.isValid() else len(self.rows)
            self.dropped.emit(data.data(_MIME).toStdString(), before)
        return False  # the view would remove the row; rows are reloaded once the order is stored


class RulesTable(QTableView):
    """Table of rules; Tab leaves it."""

    picked = Signal(str)  # id
    switched = Signal(str)
    moved = Signal(str, int)  # id, number of places
    deleted = Signal(str)
    entered_row = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self._packs = True
        self.rules = RulesModel(theme, self)
        self.setModel(self.rules)
        self.setAccessibleName(name)
        pick_whole_rows(self)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDragDropOverwriteMode(False)
        head = self.horizontalHeader()
        head.setMinimumSectionSize(20)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(PATTERN, QHeaderView.ResizeMode.Stretch)
        self.clicked.connect(self._on_click)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="rules")
        theme.changed.connect(self._size_columns)
        self._size_columns()

    @property
    def current_id(self) -> str:
        """Id of the selected rule; "" for none."""
        row = self.currentIndex().row()
        return self.rules.rows[row].id if 0 <= row < len(self.rules.rows) else ""

    def show_rows(self, rows: Sequence[RuleRow], selected: str) -> None:
        """Show these rows and keep one of them selected, without a signal."""
        column = max(0, self.currentIndex().column())
        held = self.selectionModel().blockSignals(True)
        self.rules.show_rules(rows)
        place = next((n for n, row in enumerate(rows) if row.id == selected), -1)
        if place >= 0 and self.current_id != selected:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self.rules.index(place, column), flags)
            self.updateGeometries()  # the scroll bar does not know the new rows yet
            self.scrollTo(self.rules.index(place, column))
            self.viewport().update()  # the view got no signal
        self.selectionModel().blockSignals(held)
        if self.hasFocus() and not selected:
            self._begin()  # the focus came before the rows

    def show_packs(self, on: bool) -> None:
        """Show the column of packs, if there is space."""
        self._packs = on
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = self.theme.px
        self.setColumnHidden(PACK, not self._packs or self.width() < px(_PACK_FROM))
        shown = [column for column in _WIDTHS if column != PACK or not self.isColumnHidden(PACK)]
        for column in _GIVE_WAY:
            is_tight = self.viewport().width() - px(sum(_WIDTHS[each] for each in shown)) < px(_PATTERN_LEAST)
            self.setColumnHidden(column, is_tight)
            if is_tight:
                shown.remove(column)
        rest = self.viewport().width() - px(sum(_WIDTHS[each] for each in shown))
        label = px(_WIDTHS[LABEL]) - max(0, px(_PATTERN_LEAST) - rest)
        self.setColumnWidth(LABEL, max(px(_LABEL_LEAST), label))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, name = Qt.Key(event.key()), self.current_id
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key, 0)
        if by and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            if name:
                self.moved.emit(name, by)
        elif key == Qt.Key.Key_Space and name:
            self.switched.emit(name)
        elif key == Qt.Key.Key_Delete and name:
            self.deleted.emit(name)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and name:
            self.entered_row.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._begin()

    def _begin(self) -> None:
        """Select the first rule if none is, so that the focus is visible."""
        if not self.currentIndex().isValid() and self.rules.rows:
            self.selectRow(0)

    def _on_click(self, index: QModelIndex) -> None:
        if index.column() == ON:
            self.switched.emit(self.rules.rows[index.row()].id)

    def _on_current(self, now: QModelIndex, before: QModelIndex) -> None:
        if now.isValid():
            self.picked.emit(self.rules.rows[now.row()].id)

    def _size_columns(self) -> None:
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, self.theme.px(width))
