"""LibraryTable, a sortable table of many rows; and Grid, a small one of rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QMenu, QSizePolicy, QWidget

from app.display.library.tables import Column
from app.domain.filters import SearchResult
from app.gui.kit.controls import single_shot
from app.gui.kit.tables.rows import edit_again
from app.gui.kit.tables.table_columns import ColumnTable
from app.gui.kit.theme import Theme

_Flag = QItemSelectionModel.SelectionFlag
_EDITABLE = Qt.ItemFlag.ItemIsEditable


class LibraryTable(ColumnTable):
    """Emits selection, sorting and opening; the page shows the result."""

    picked = Signal()  # another selection or current row
    delete_requested = Signal()
    entered = Signal()  # Enter: go to the details
    edit_requested = Signal(str)  # F2 on a cell that is not edited in place: the key of its column
    typed = Signal(str)  # a letter for the search

    fill_row_menu: Callable[[QMenu], object] | None = None
    """Adds the actions on the selected rows to their context menu; None for no menu."""

    def __init__(self, theme: Theme, name: str, columns: Sequence[Column[Any]], key: str) -> None:
        super().__init__(theme, name, columns, key)
        edit, scroll = QAbstractItemView.EditTrigger, QAbstractItemView.ScrollMode.ScrollPerPixel
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(edit.DoubleClicked | edit.EditKeyPressed)
        self.setVerticalScrollMode(scroll)
        self.setHorizontalScrollMode(scroll)
        self._held: SearchResult | None = None
        self._look_timer = single_shot(self, 0, self._request_rows)
        self.verticalScrollBar().valueChanged.connect(lambda _: self._look_timer.start())
        self.selectionModel().selectionChanged.connect(lambda *_: self.picked.emit())
        self.selectionModel().currentRowChanged.connect(lambda *_: self.picked.emit())
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)

    # ---- selection

    @property
    def selected_count(self) -> int:
        return sum(part.height() for part in self.selectionModel().selection().toList())

    @property
    def selected_keys(self) -> list[int]:
        """Keys of the selected rows, in table order."""
        parts = sorted((part.top(), part.bottom()) for part in self.selectionModel().selection().toList())
        return [key for top, bottom in parts for key in self.paged.keys[top : bottom + 1]]

    @property
    def current_key(self) -> int | None:
        place = self.currentIndex().row()
        return self.paged.keys[place] if 0 <= place < len(self.paged.keys) else None

    @property
    def current_row(self) -> Any:
        """Current row; None without one, or if it is not loaded."""
        key = self.current_key
        return None if key is None else self.paged.row_of(key)

    @property
    def top_key(self) -> int | None:
        """Key at the top of the view, if it is scrolled."""
        place = self.rowAt(0)
        return self.paged.keys[place] if place > 0 else None

    def show_found(self, found: SearchResult) -> None:
        """Show a result; selection and scroll position stay where rows still exist.

        Delayed while a cell is edited: new rows would discard the typed text.
        """
        if self.state() is QAbstractItemView.State.EditingState:
            self._held = found
            return
        self._held = None
        column = max(0, self.currentIndex().column())
        selecting = self.selectionModel()
        selecting.blockSignals(True)
        self.paged.show_keys(found.keys, found.rows)
        selection = QItemSelection()
        last = len(self.paged.columns) - 1
        for first, end in found.selected:
            selection.select(self.paged.index(first, 0), self.paged.index(end, last))
        selecting.select(selection, _Flag.ClearAndSelect | _Flag.Rows)
        if found.current is not None:
            selecting.setCurrentIndex(self.paged.index(found.current, column), _Flag.NoUpdate)
        selecting.blockSignals(False)
        if found.top is not None:
            self.scrollTo(self.paged.index(found.top, 0), QAbstractItemView.ScrollHint.PositionAtTop)
        else:
            self.scrollToTop()
        self.viewport().update()
        self._look_timer.start()
        self.picked.emit()

    def show_keyboard(self) -> None:
        """Show a focus that arrived before the rows; selects nothing."""
        if self.hasFocus() and not self.currentIndex().isValid() and self.paged.keys:
            selecting = self.selectionModel()
            selecting.blockSignals(True)
            selecting.setCurrentIndex(self.paged.index(max(0, self.rowAt(0)), 0), _Flag.NoUpdate)
            selecting.blockSignals(False)
            self.viewport().update()

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        if self._held is not None and self.state() is not QAbstractItemView.State.EditingState:
            self.show_found(self._held)

    def pick(self, place: int) -> None:
        index = self.paged.index(place, max(0, self.currentIndex().column()))
        self.selectionModel().setCurrentIndex(index, _Flag.ClearAndSelect | _Flag.Rows)
        self.scrollTo(index)

    def type_again(self) -> None:
        """Reopen the cell with its last typed text, which could not be stored."""
        typed, self.paged.typed = self.paged.typed, None
        busy = self.state() is QAbstractItemView.State.EditingState or not self.isVisible()
        if typed is None or busy or typed[0] not in self.paged.keys:
            return
        column = [one.key for one in self.paged.columns].index(typed[1])
        self.pick(list(self.paged.keys).index(typed[0]))
        edit_again(self, self.paged.index(self.currentIndex().row(), column), typed[2])

    def _request_rows(self) -> None:
        first = self.rowAt(0)
        if first < 0:
            return
        last = self.rowAt(self.viewport().height() - 1)
        self.paged.show_range(first, (last if last >= 0 else len(self.paged.keys) - 1) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._look_timer.start()

    # ---- keys and mouse

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() is QAbstractItemView.State.EditingState
        if event.key() == Qt.Key.Key_Delete and not editing:
            self.delete_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not editing:
            self.entered.emit()
        elif event.key() == Qt.Key.Key_F2 and not self.paged.flags(here := self.currentIndex()) & _EDITABLE:
            if here.isValid():
                self.edit_requested.emit(self.paged.columns[here.column()].key)
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Pass letters to the search: scanning rows that are not loaded would block the window."""
        if search.strip():
            self.typed.emit(search)

    def _on_menu(self, at: QPoint) -> None:
        if self.fill_row_menu is None or not self.indexAt(at).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_row_menu(menu)
        menu.popup(self.viewport().mapToGlobal(at))

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        # Home and End go to the first and last row, as in a list; Qt's go along the row.
        ends = {QAbstractItemView.CursorAction.MoveHome: 0, QAbstractItemView.CursorAction.MoveEnd: -1}
        if action in ends and self.paged.keys:
            place = ends[action] % len(self.paged.keys)
            return self.paged.index(place, max(0, self.currentIndex().column()))
        return super().moveCursor(action, modifiers)


# ---- Small table of rows in memory: tools, arguments, messages.


_LOW = 58


class Grid(LibraryTable):
    """Table of rows in memory, with indices as keys.

    The column at the index `wide` stretches, by default the last muted one; empty columns are hidden.
    """

    def __init__(
        self, theme: Theme, name: str, columns: Sequence[Column[Any]], *, many: bool = False, wide: int | None = None
    ) -> None:
        super().__init__(theme, name, columns, "")
        self._wide = wide
        self.rows: Sequence[Any] = ()
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        if not many:
            self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.horizontalHeader().setSectionsClickable(False)
        self.setMinimumHeight(theme.px(_LOW))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # the page asks for no more space

    @property
    def current(self) -> Any:
        key = self.current_key
        return self.rows[key] if key is not None and key < len(self.rows) else None

    @property
    def chosen(self) -> list[Any]:
        """Selected rows, in order."""
        return [self.rows[key] for key in self.selected_keys]

    def show_rows(self, rows: Sequence[Any], place: int | None = None) -> None:
        self.rows = rows
        keys, columns = range(len(rows)), self.paged.columns
        last_quiet = max((n for n, column in enumerate(columns) if column.is_quiet), default=len(columns) - 1)
        self.wide = last_quiet if self._wide is None else self._wide
        for number, column in enumerate(columns):
            if number:
                self.setColumnHidden(number, not any(column.cell(row) for row in rows))
        selected = [] if place is None else [(place, place)]
        self.show_found(SearchResult(keys, len(rows), dict(enumerate(rows)), selected, place))
        self.fit()
        if place is not None:
            self.scrollTo(self.paged.index(place, 0))
