"""Columns of a table: sorting, widths and visibility, persistent over restarts."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QMenu, QTableView

from app.display.library.tables import Column
from app.files import write_state
from app.gui.kit.controls import single_shot
from app.gui.kit.tables.delegates import CellDelegate
from app.gui.kit.tables.rows import PagedModel
from app.gui.kit.theme import Theme, styled

_ROW, _BAR = 28, 8
_LEAST, _LEAST_FIRST, _LEAST_WIDE = 40, 160, 90
_FIRST, _SHARED = 320, 0.5
"""Width of the first column before other texts share the rest, and their share."""

_KEEP_AFTER_MS = 600


class ColumnTable(QTableView):
    """View of a paged model; `key` is the storage key of its columns."""

    sorted_by = Signal(str, bool)  # a column's `order`, True if descending

    model_class: type[PagedModel[Any]] = PagedModel

    wide = 0
    """Index of the column that gets the rest of the width; another than the first gets all of it."""

    def __init__(self, theme: Theme, name: str, columns: Sequence[Column[Any]], key: str) -> None:
        super().__init__()
        self.theme, self._key = theme, key
        self.paged: PagedModel[Any] = self.model_class(columns, self)
        self.order, self.descending = "", False
        self._file: Path | None = None
        self._fitting = False
        self._stretches = True
        self._asked: set[int] = set()
        """Columns that the user wants to see even if empty, or space is short."""
        self._left_out: set[int] = set()
        """Columns that are shown if there is space, and a text in them."""
        self.setModel(self.paged)
        self.paged.filled.connect(self.fit)
        self.setItemDelegate(CellDelegate(theme, self.paged, self))
        self.setAccessibleName(name)
        self._store_timer = single_shot(self, _KEEP_AFTER_MS, self.store)
        self._set_up_heads()
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="columns")
        for place, column in enumerate(columns):
            self.setColumnHidden(place, not column.is_shown)
            self.setColumnWidth(place, theme.px(column.width))

    def _set_up_heads(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setAccessibleName(f"Columns of {self.accessibleName()}")
        head.setHighlightSections(False)
        # A header checks row by row if its column is selected; with an empty selection it does not.
        head.setSelectionModel(QItemSelectionModel(self.paged, head))
        head.setSectionsClickable(True)
        head.setMinimumSectionSize(self.theme.px(_LEAST))
        head.sectionClicked.connect(self._on_head)
        head.sectionResized.connect(self._on_resized)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(lambda at: self.view_menu().popup(head.mapToGlobal(at)))

    # ---- sorting and columns

    def sort_by(self, order: str, *, descending: bool) -> None:
        """Show the sorted column, and request the order."""
        self.order, self.descending = order, descending
        self._show_order()
        self._store_timer.start()
        self.sorted_by.emit(order, descending)

    def _show_order(self) -> None:
        self.paged.show_order(self.order, self.descending)

    def _on_head(self, section: int) -> None:
        column = self.paged.columns[section]
        if column.order:
            self.sort_by(column.order, descending=column.order == self.order and not self.descending)
        else:
            self._show_order()

    def view_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_view_menu(menu)
        return menu

    def fill_view_menu(self, menu: QMenu) -> None:
        columns = self.paged.columns
        sorts = QMenu("Sort by", menu)
        for column in columns:
            if column.order:
                act = _check(sorts, column.title, column.order == self.order)
                act.triggered.connect(
                    lambda _=False, order=column.order: self.sort_by(order, descending=self.descending)
                )
        sorts.addSeparator()
        descending = _check(sorts, "Falling", self.descending)
        descending.triggered.connect(lambda on: self.sort_by(self.order, descending=on))
        if any(column.order for column in columns):
            menu.addMenu(sorts)
            menu.addSeparator()
        for place, column in enumerate(columns):
            act = _check(
                menu, column.title, not self.isColumnHidden(place) or place in self._left_out - self.paged.empty
            )
            act.setEnabled(place > 0)
            act.triggered.connect(lambda on, place=place: self.show_column(place, on))

    def show_column(self, place: int, on: bool) -> None:
        """Show or hide a column; one hidden for lack of space is shown anyway."""
        (self._asked.add if on else self._asked.discard)(place)
        self._left_out.discard(place)
        self.setColumnHidden(place, not on)
        if on and self.columnWidth(place) < self.theme.px(_LEAST):
            self.setColumnWidth(place, self.theme.px(self.paged.columns[place].width))
        self._store_timer.start()
        self.fit()

    def persist_in(self, file: Path) -> None:
        """Restore the state of this table from a file, and store its changes there."""
        self._file = file
        look = read(file, self._key)
        for place, column in enumerate(self.paged.columns):
            if column.key in look.shown:
                self.setColumnHidden(place, not look.shown[column.key] and place > 0)
            if column.key in look.widths:
                self._fitting = True
                self.setColumnWidth(place, self.theme.px(look.widths[column.key]))
                self._fitting = False
                self._stretches = False
        if look.order in {column.order for column in self.paged.columns if column.order}:
            self.order, self.descending = look.order, look.descending
            self._show_order()
        self.fit()

    def store(self) -> None:
        if self._file is None:
            return
        scale, columns = self.theme.scale, list(enumerate(self.paged.columns))
        widths = {
            column.key: round(self.columnWidth(place) / scale, 1)
            for place, column in columns
            if not self.isColumnHidden(place) and not self._stretches
        }
        shown = {column.key: not self.isColumnHidden(place) or place in self._left_out for place, column in columns}
        write(self._file, self._key, TableLook(widths, shown, self.order, self.descending))

    def show_columns(self, keys: Collection[str]) -> None:
        """Show these columns and no others, as far as there is space."""
        self._fitting = True
        self._left_out = set()
        for place, column in enumerate(self.paged.columns):
            self.setColumnHidden(place, column.key not in keys)
        self._fitting = False
        self.fit()

    def fit(self) -> None:
        """Give the `wide` column the rest of the width; other texts may shrink.

        No effect once the user has set a width.
        """
        self._leave_out()
        has_edge = self.viewport().width() + self.theme.px(_BAR) > self.width()  # otherwise the bar is the margin
        last = max((n for n in range(len(self.paged.columns)) if not self.isColumnHidden(n)), default=-1)
        self.paged.edge_column = last if has_edge else -1
        styled(self.horizontalHeader(), edge="true" if has_edge else "")
        if not self._stretches:
            return
        wide = 0 if self.isColumnHidden(self.wide) else self.wide
        shown = [(n, column) for n, column in enumerate(self.paged.columns) if n != wide and not self.isColumnHidden(n)]
        texts = {n for n, column in shown if not wide and not column.is_number and not column.is_quiet}
        room = self.viewport().width()
        widths = {n: self.theme.px(column.width + _BAR * (n == self.paged.edge_column)) for n, column in shown}
        spare = room - sum(widths.values()) - self.theme.px(_FIRST)
        if spare > 0 and not wide:
            texts = texts or {*widths}
        short = min(0, spare + self.theme.px(_FIRST - _LEAST_FIRST)) / max(1, sum(widths[n] for n in texts))
        self._fitting = True
        for n, least in widths.items():
            more = min(least, _SHARED * spare / len(texts)) if spare > 0 and texts else max(-0.5, short) * least
            self.setColumnWidth(n, round(least + more * (n in texts)))
        others = sum(self.columnWidth(n) for n, _ in shown)
        self.setColumnWidth(wide, max(self.theme.px(_LEAST_WIDE if wide else _LEAST_FIRST), room - others))
        self._fitting = False

    def _leave_out(self) -> None:
        """Hide empty columns, and others in order of `yields` if space is short, unless the user set widths."""
        px, columns = self.theme.px, self.paged.columns
        wanted = [n for n in range(1, len(columns)) if not self.isColumnHidden(n) or n in self._left_out]
        out = self.paged.empty.intersection(wanted) - self._asked
        there = [n for n in wanted if n not in out]
        missing = px(_BAR) + sum(px(columns[n].width) for n in (0, *there) if columns) - self.viewport().width()
        for n in sorted((n for n in there if columns[n].yields), key=lambda n: columns[n].yields):
            if missing > 0 and n not in self._asked and self._stretches:
                out.add(n)
                missing -= px(columns[n].width)
        if out != self._left_out:
            self._fitting = True
            for n in out ^ self._left_out:
                self.setColumnHidden(n, n in out)
            self._fitting = False
            self._left_out = out

    def _on_resized(self, section: int, old: int, new: int) -> None:
        if self._fitting or old == 0 or new == 0 or not self.isVisible():
            return
        self._stretches = False
        self._store_timer.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


def _check(menu: QMenu, text: str, on: bool) -> QAction:
    act = menu.addAction(text)
    act.setCheckable(True)
    act.setChecked(on)
    return act


# ---- Table layout, and the profile's file that stores it.


FILE = "tables.json"
FORMAT = 1
_WIDEST = 10_000


@dataclass(frozen=True, slots=True)
class TableLook:
    """Stored state of a table: column widths in units, visible and hidden columns, sorting."""

    widths: Mapping[str, float] = field(default_factory=dict)
    shown: Mapping[str, bool] = field(default_factory=dict)
    order: str = ""
    descending: bool = False


def read(file: Path, table: str) -> TableLook:
    """Read the stored state of a table; the default without one or with a damaged file."""
    try:
        kept = _read(file)["tables"][table]
        widths = {str(key): float(width) for key, width in kept["widths"].items() if 0 < float(width) <= _WIDEST}
        shown = {str(key): bool(on) for key, on in kept["shown"].items()}
        return TableLook(widths, shown, str(kept["order"]), bool(kept["falling"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return TableLook()


def write(file: Path, table: str, look: TableLook) -> None:
    """Store the state of one table beside the others; no effect in a read-only profile."""
    try:
        tables = dict(_read(file)["tables"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        tables = {}
    tables[table] = {
        "widths": dict(look.widths),
        "shown": dict(look.shown),
        "order": look.order,
        "falling": look.descending,
    }
    write_state(file, {"format": FORMAT, "tables": tables})


def _read(file: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if found["format"] != FORMAT:
        raise ValueError
    return found
