"""The session's times as a table: what the histograms draw, for those who read or listen."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from app.display import numbers, words
from app.display.scope.timing import HEADS, SessionRow
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_ROW = 28
_WHERE = QModelIndex()
_DISPLAY, _ALIGN = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole
_READ = Qt.ItemDataRole.AccessibleTextRole
Index = QModelIndex | QPersistentModelIndex


class TimesModel(QAbstractTableModel):
    """A row per stage; each cell is read with the name of its column."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[SessionRow, ...] = ()

    def show_rows(self, rows: tuple[SessionRow, ...]) -> None:
        """Show these; cells that stay keep the keyboard where it is."""
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows != self.rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(HEADS) - 1))

    def rowCount(self, parent: Index = _WHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _WHERE) -> int:
        return 0 if parent.isValid() else len(HEADS)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        text = row.stage if column == 0 else row.cells[column - 1]
        if role == _DISPLAY:
            return text
        if role == _READ:
            said = words.say("none") if text == numbers.ABSENT else text
            return said if column == 0 else f"{row.stage}, {words.say(HEADS[column])}: {said}"
        if role == _ALIGN:
            return Qt.AlignmentFlag.AlignVCenter | (
                Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            )
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _DISPLAY:
            return words.say(HEADS[section])
        if role == _ALIGN and section == 0:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == _ALIGN:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class TimesTable(QTableView):
    """The table, walked with the arrow keys; Tab leaves it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.times = TimesModel(self)
        self.setModel(self.times)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionsClickable(False)
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="times")
