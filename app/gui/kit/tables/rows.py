"""Models of rows in memory, as a table or a list, and common settings of views."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.gui.kit.fields import plain_tip

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()

ROW_ROLE = int(Qt.ItemDataRole.UserRole)
"""Role of the row behind an index, for its delegate."""

_LONGEST_TIP = 600


class RowsModel(QAbstractTableModel, Generic[Row]):
    """Template method: a subclass defines text, spoken text and tooltip of cells.

    Rows change without a reset, so that focus, selection and scrolling stay.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()

    @abstractmethod
    def text(self, row: Row, column: int) -> str:
        """Return the displayed text of a cell."""

    @abstractmethod
    def spoken(self, row: Row, column: int) -> str:
        """Return the text of a cell for screen readers."""

    def tip(self, row: Row, column: int) -> str:
        """Return the tooltip of a cell; "" for none."""
        return ""

    def replace_rows(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Replace the rows; return the former ones at indices that still exist.

        The owner announces which of them differ.
        """
        old, kept = self.rows, min(len(rows), len(self.rows))
        if len(rows) > kept:
            self.beginInsertRows(NOWHERE, kept, len(rows) - 1)
            self.rows = old + tuple(rows[kept:])
            self.endInsertRows()
        elif len(old) > kept:
            self.beginRemoveRows(NOWHERE, kept, len(old) - 1)
            self.rows = old[:kept]
            self.endRemoveRows()
        self.rows = tuple(rows)
        return old[:kept]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column = self.rows[index.row()], index.column()
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(row, column)
        if role == Qt.ItemDataRole.ToolTipRole and (tip := self.tip(row, column)):
            return plain_tip(tip[:_LONGEST_TIP])
        return None


class ListModel(QAbstractListModel, Generic[Row]):
    """List of rows in memory, by the functions of their displayed and their spoken text."""

    def __init__(self, text: Callable[[Row], str], spoken: Callable[[Row], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = {
            int(Qt.ItemDataRole.DisplayRole): text,
            int(Qt.ItemDataRole.EditRole): text,
            int(Qt.ItemDataRole.AccessibleTextRole): spoken,
        }
        self.rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace the rows."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def add_rows(self, more: Sequence[Row]) -> None:
        """Add rows at the end."""
        if more:
            self.beginInsertRows(NOWHERE, len(self.rows), len(self.rows) + len(more) - 1)
            self.rows = (*self.rows, *more)
            self.endInsertRows()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        return self._texts[role](row) if role in self._texts else None


def pick_whole_rows(view: QTableView) -> None:
    """Select single rows, edit nothing, leave the table with Tab, and never scroll sideways."""
    view.setFrameShape(QTableView.Shape.NoFrame)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setSectionsClickable(False)
    view.horizontalHeader().setHighlightSections(False)


def show_painted_rows(view: QTableView) -> None:
    """Set up for rows painted by a delegate: no headers; the owner sets heights and widths."""
    pick_whole_rows(view)
    view.horizontalHeader().hide()
    view.horizontalHeader().setMinimumSectionSize(1)
    view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
