"""A small table of rows that are at hand: tools, arguments, messages; only what is seen is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QAbstractItemView, QSizePolicy

from app.display.library.catalogue import Column
from app.domain.filters import SearchResult
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme

_LEAST, _LOW = 90, 58


class Grid(LibraryTable):
    """Keys are places. The last quiet column takes what the others leave; columns that say nothing are left out."""

    def __init__(self, theme: Theme, name: str, columns: Sequence[Column[Any]], *, many: bool = False) -> None:
        super().__init__(theme, name, columns, "")
        self.rows: Sequence[Any] = ()
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        if not many:
            self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.horizontalHeader().setSectionsClickable(False)
        self.setMinimumHeight(theme.px(_LOW))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # the page asks for no more room

    @property
    def current(self) -> Any:
        """The row that is picked, if any."""
        key = self.current_key
        return self.rows[key] if key is not None and key < len(self.rows) else None

    @property
    def chosen(self) -> list[Any]:
        """The rows that are selected, in their order."""
        return [self.rows[key] for key in self.selected_keys]

    def show_rows(self, rows: Sequence[Any], place: int | None = None) -> None:
        """Show these, with the one at a place picked."""
        self.rows = rows
        keys = range(len(rows))
        for number, column in enumerate(self.paged.columns):
            if number:
                self.setColumnHidden(number, not any(column.cell(row) for row in rows))
        selected = [] if place is None else [(place, place)]
        self.show_found(SearchResult(keys, len(rows), dict(enumerate(rows)), selected, place))
        self.fit()
        if place is not None:
            self.scrollTo(self.paged.index(place, 0))

    def fit(self) -> None:
        if not self._stretches:
            return
        columns = list(enumerate(self.paged.columns))
        wide = max((n for n, column in columns if column.is_quiet), default=len(columns) - 1)
        others = 0
        self._fitting = True
        for n, column in columns:
            if n != wide and not self.isColumnHidden(n):
                self.setColumnWidth(n, self.theme.px(column.width))
                others += self.columnWidth(n)
        self.setColumnWidth(wide, max(self.theme.px(_LEAST), self.viewport().width() - others))
        self._fitting = False
