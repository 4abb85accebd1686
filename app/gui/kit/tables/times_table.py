"""The session's times as a table: what the histograms draw, for those who read or listen."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.display import numbers, words
from app.display.scope.timing import HEADS, SessionRow
from app.gui.kit.tables.rows import NOWHERE, Index, RowsModel, pick_whole_rows
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_ROW = 28
_DISPLAY, _ALIGN = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TimesModel(RowsModel[SessionRow]):
    """A row per stage; each cell is read with the name of its column."""

    def show_rows(self, rows: tuple[SessionRow, ...]) -> None:
        """Show these; cells that stay keep the keyboard where it is."""
        if (old := self.replace_rows(rows)) != rows[: len(old)]:
            self.dataChanged.emit(self.index(0, 0), self.index(len(old) - 1, len(HEADS) - 1))

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(HEADS)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role == _ALIGN and index.isValid():
            return _RIGHT if index.column() else _LEFT
        return super().data(index, role)

    def text(self, row: SessionRow, column: int) -> str:
        return row.cells[column - 1] if column else row.stage

    def spoken(self, row: SessionRow, column: int) -> str:
        text = self.text(row, column)
        said = words.say("none") if text == numbers.ABSENT else text
        return f"{row.stage}, {words.say(HEADS[column])}: {said}" if column else said

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _DISPLAY:
            return words.say(HEADS[section])
        if role == _ALIGN:
            return _RIGHT if section else _LEFT
        return None


class TimesTable(QTableView):
    """The table, walked with the arrow keys; Tab leaves it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.times = TimesModel(self)
        self.setModel(self.times)
        self.setAccessibleName(name)
        pick_whole_rows(self)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="times")
