"""Models of rows in memory and of rows loaded on demand; common settings of views."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QTableView

from app.display.library.tables import Column
from app.display.words import about
from app.domain.filters import SearchResult, place_of
from app.gui.kit.fields import plain_tip

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()

ROW_ROLE = int(Qt.ItemDataRole.UserRole)
"""Role of the row behind an index, for its delegate."""

_LONGEST_TIP = 600


class RowsModel(QAbstractTableModel, Generic[Row]):
    """Template method: a subclass defines headings, text, spoken text and tooltip of cells.

    Rows change without a reset, so that focus, selection and scrolling stay.
    """

    def __init__(self, heads: Sequence[str], numbers: Collection[int] = (), parent: QObject | None = None) -> None:
        """Use these headings; columns of numbers are aligned at the right."""
        super().__init__(parent)
        self.heads, self.numbers = heads, numbers
        self.rows: tuple[Row, ...] = ()

    @abstractmethod
    def text(self, row: Row, column: int) -> str:
        """Return the displayed text of a cell."""

    def spoken(self, row: Row, column: int) -> str:
        """Return the text of a cell for screen readers."""
        return f"{self.heads[column]}: {self.text(row, column)}"

    def tip(self, row: Row, column: int) -> str:
        """Return the tooltip of a cell; "" for none."""
        return ""

    def show_rows(self, rows: Sequence[Row], *, anew: bool = False) -> None:
        """Show these rows; reset the model if `anew`, otherwise signal only rows that differ."""
        if anew:
            self.beginResetModel()
            self.rows = tuple(rows)
            self.endResetModel()
            return
        for place, (before, now) in enumerate(zip(self.replace_rows(rows), rows, strict=False)):
            if before != now:
                self.announce(place, place)

    def announce(self, first: int, last: int) -> None:
        """Announce all cells of these rows as changed."""
        self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))

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

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.heads):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heads[section]
        return _side(section in self.numbers) if role == Qt.ItemDataRole.TextAlignmentRole else None

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
        return _side(column in self.numbers) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _side(is_number: bool) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class ListModel(QAbstractListModel, Generic[Row]):
    """List of rows in memory, by the functions of their displayed and their spoken text.

    A delegate gets what `drawn` makes of a row, by default the row itself.
    """

    def __init__(
        self,
        text: Callable[[Row], str],
        spoken: Callable[[Row], str],
        parent: QObject | None = None,
        drawn: Callable[[Row], object] = lambda row: row,
    ) -> None:
        super().__init__(parent)
        self._drawn = drawn
        self._texts = {
            int(Qt.ItemDataRole.DisplayRole): text,
            int(Qt.ItemDataRole.EditRole): text,
            int(Qt.ItemDataRole.AccessibleTextRole): spoken,
        }
        self.rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def add_rows(self, more: Sequence[Row]) -> None:
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
            return self._drawn(row)
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


def edit_again(view: QAbstractItemView, index: QModelIndex, text: str) -> None:
    """Reopen the editor of a cell with a text that could not be stored."""
    view.setCurrentIndex(index)
    view.edit(index)
    editor = view.indexWidget(index)
    if isinstance(editor, QLineEdit):
        editor.setText(text)
        editor.setModified(True)


def show_painted_rows(view: QTableView) -> None:
    """Set up for rows painted by a delegate: no headers; the owner sets heights and widths."""
    pick_whole_rows(view)
    view.horizontalHeader().hide()
    view.horizontalHeader().setMinimumSectionSize(1)
    view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


_DISPLAY, _ALIGN = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole
_READ, _TIP, _EDIT = Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.EditRole

MARGIN = 40
"""Number of rows loaded above and below the visible ones."""

KEPT_ROWS = 4_000
"""Limit of loaded rows; beyond it they are dropped when others arrive."""


_PLAIN = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
_EDITABLE = _PLAIN | Qt.ItemFlag.ItemIsEditable


class PagedModel(QAbstractTableModel, Generic[Row]):
    """Keys in order, and the loaded rows. One page is requested at a time, always the latest.

    Outdated rows are shown until new ones arrive, so that nothing flickers.
    """

    rows_requested = Signal(Sequence)  # list of keys whose rows are missing
    edited = Signal(int, str, str)  # key of a row, key of a column, typed text
    filled = Signal()  # a sparse column has its first text

    def __init__(self, columns: Sequence[Column[Row]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.empty = {n for n, column in enumerate(self.columns) if column.is_sparse}
        """Indices of the sparse columns in which no row had a text."""
        self.edge_column = -1
        """Index of the column at the edge of the page, which keeps the page's margin; -1 for none."""
        self.keys: Sequence[int] = ()
        self.order, self.descending = "", False
        self._rows: dict[int, Row] = {}
        self._fresh: set[int] = set()
        self._seen = (0, 0)
        self._is_asking = False
        self.typed: tuple[int, str, str] | None = None
        """Key, column and text of the last edit, until its result is known."""

    # ---- content

    def show_keys(self, keys: Sequence[int], rows: Mapping[int, Row]) -> None:
        """Replace the keys, in this order; all loaded rows but `rows` become outdated."""
        self.beginResetModel()
        self.keys = keys
        if len(self._rows) > KEPT_ROWS:
            self._rows = {}
        self._rows.update(rows)
        self._fresh = set(rows)
        self._is_asking = False
        self.endResetModel()
        self.note_filled(rows.values())

    def show_columns(self, columns: Sequence[Column[Row]]) -> None:
        """Replace the columns; the rows go."""
        self.beginResetModel()
        self.columns, self.keys, self._rows = tuple(columns), (), {}
        self.endResetModel()

    def show_order(self, order: str, descending: bool) -> None:
        self.order, self.descending = order, descending
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def take_rows(self, rows: Mapping[int, Row], asked: Sequence[int]) -> None:
        """Store the requested rows; keys without a row stay placeholders."""
        self._is_asking = False
        if len(self._rows) > KEPT_ROWS:
            first, last = self._seen
            kept = {*self.keys[first:last]}
            self._rows = {key: row for key, row in self._rows.items() if key in kept}
            self._fresh &= kept
        for key in asked:
            self._rows.pop(key, None)
        self._rows.update(rows)
        self.note_filled(rows.values())
        self._fresh.update(asked)
        first, last = self._seen
        if last > first:
            self.dataChanged.emit(self.index(first, 0), self.index(last - 1, len(self.columns) - 1))
        self.show_range(first, last)

    def put_row(self, key: int, row: Row, place: int) -> None:
        self._rows[key] = row
        self.note_filled((row,))
        self.dataChanged.emit(self.index(place, 0), self.index(place, len(self.columns) - 1))

    def note_filled(self, rows: Collection[Row] | None = None) -> None:
        """Show the sparse columns in which one of these rows, by default of all loaded ones, has a text."""
        before, rows = len(self.empty), self._rows.values() if rows is None else rows
        self.empty = {n for n in self.empty if not any(map(self.columns[n].cell, rows))}
        if len(self.empty) < before:
            self.filled.emit()

    def row_at(self, place: int) -> Row | None:
        """Return the row at an index, if it is loaded."""
        return self._rows.get(self.keys[place]) if 0 <= place < len(self.keys) else None

    def row_of(self, key: int) -> Row | None:
        """Return the row of a key, if it is loaded."""
        return self._rows.get(key)

    def show_range(self, first: int, last: int) -> None:
        """Request missing rows from `first` to before `last`, and some around them."""
        count = len(self.keys)
        self._seen = first, last = max(0, min(first, count)), max(0, min(last, count))
        if self._is_asking or all(key in self._fresh for key in self.keys[first:last]):
            return
        around = self.keys[max(0, first - MARGIN) : last + MARGIN]
        missing = [key for key in around if key not in self._fresh]
        if missing:
            self._is_asking = True
            self.rows_requested.emit(missing)

    # ---- QAbstractTableModel interface

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.keys)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        column = self.columns[index.column()]
        if role == _ALIGN:
            return _side(column.is_number)
        if role not in (_DISPLAY, _EDIT, _READ, _TIP):
            return None
        row = self.row_at(index.row())
        if row is None:
            return "being fetched" if role == _READ else None
        text = column.cell(row)
        if role == _READ:
            return f"{column.title}: {text or 'none'}"
        return plain_tip(text[:_LONGEST_TIP]) if role == _TIP else text

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        can_edit = self.columns[index.column()].can_edit and self.row_at(index.row()) is not None
        return _EDITABLE if can_edit else _PLAIN

    def setData(self, index: Index, value: Any, role: int = _EDIT) -> bool:
        """Request an edit; the row changes when it is stored."""
        row = self.row_at(index.row()) if index.isValid() and role == _EDIT else None
        if row is None or not isinstance(value, str):
            return False
        column = self.columns[index.column()]
        if value != column.cell(row):
            self.typed = self.keys[index.row()], column.key, value
            self.edited.emit(self.keys[index.row()], column.key, value)
        return False

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        is_sorted = bool(column.order) and column.order == self.order
        if role == _DISPLAY:
            return f"{column.title} {'▾' if self.descending else '▴'}" if is_sorted else column.title
        if role == _READ:
            how = "{0}, falling" if self.descending else "{0}, rising"
            return how.format(column.title) if is_sorted else column.title
        if role == _ALIGN:
            return _side(column.is_number)
        if role == _TIP and column.about:
            return plain_tip(about(column.about))
        return None


# ---- Result of a search, prepared on the engine's side

FEW = 20
"""Maximum number of keys found on the window's thread, faster than another search."""


def following(found: SearchResult, selected: Sequence[int], current: int | None) -> SearchResult:
    """Apply the present selection to a search result; few keys, found one by one."""
    here = sorted(place for key in selected if (place := place_of(found.keys, key)) is not None)
    return replace(found, selected=[(place, place) for place in here], current=place_of(found.keys, current))
