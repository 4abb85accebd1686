"""Lists of lines; master and detail: filter bar, table, and pane of the selected row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.filters import SearchResult, View
from app.gui.kit.controls import EmptyState, button, menu_button
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import LOW_PANE, Stack, fill, keep_least_heights, orient_split, spaced, splitter
from app.gui.kit.tables import table_columns
from app.gui.kit.tables.delegates import ASIDE, LineDelegate
from app.gui.kit.tables.filter_bar import FilterBar
from app.gui.kit.tables.rows import FEW, Index, ListModel, following
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme, styled

_PAGE = 1280 - 48
"""Initial width of a page, in units: a splitter shares its space in proportion."""


@dataclass(frozen=True, slots=True)
class DetailLayout:
    """Detail pane and its sizes in units: width, and initial and minimum heights if stacked."""

    side: QWidget
    width: float = 344
    heights: tuple[float, float] = (300, 300)
    least: tuple[float, float] = (280, 300)
    stays_if_empty: bool = False


LEAST_LIST = 146
"""Minimum height of a list above its detail, in units: a header and four rows."""


class ListDetail(QWidget):
    """Master and detail: shows results, keeps the selection over searches, moves the focus.

    The owner searches and loads rows. `above` is placed above the search, `strips` below it. `no_fit` is shown if
    everything is filtered out; `places` may replace the table, too.
    """

    search_requested = Signal(bool)  # search again; True to start from the top, as for another search
    focus_lost = Signal()  # the focused widget was hidden

    def __init__(
        self,
        theme: Theme,
        table: LibraryTable,
        hint: str,
        no_fit: tuple[str, str],
        beside: DetailLayout | None = None,
        *,
        above: Sequence[QWidget] = (),
        strips: Sequence[QWidget] = (),
        places: Sequence[EmptyState] = (),
    ) -> None:
        super().__init__()
        self.theme, self.table, self._beside = theme, table, beside
        self._asked = View()
        self._sought: int | None = None
        self._scale = theme.scale
        self.view = menu_button("View", "Sort, and choose columns", table.fill_view_menu)
        self.bar = FilterBar(theme, hint, self.view)
        self.stack = Stack()
        self.no_fit = EmptyState(theme, "search", *no_fit, button("Show all", press=self.bar.clear_all))
        for place in (table, self.no_fit, *places):
            self.stack.addWidget(place)
        self.found_side = WrappingColumn((*above, self.bar, *strips), self.stack, theme.px(4))
        self.left = fill(Stack(), self.found_side)
        whole = spaced(QVBoxLayout(self), None)
        self.split = splitter(self.left, beside.side) if beside is not None else None
        whole.addWidget(self.split or self.left)
        self.lay(narrow=False, flipped=True)
        self.found_side.least_changed.connect(lambda: self.lay(flipped=False, **self._laid))
        self.bar.changed.connect(lambda: self.search_requested.emit(True))
        self.bar.left.connect(lambda: table.setFocus(Qt.FocusReason.OtherFocusReason))
        table.sorted_by.connect(lambda *_: self.search_requested.emit(False))
        table.typed.connect(self.bar.type_on)
        find = QShortcut(QKeySequence("Ctrl+F"), self, self.focus_search)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    # ---- layout

    def lay(self, *, narrow: bool, flipped: bool, within: int = 0) -> None:
        """Lay list and detail side by side, or stacked if `narrow`; see Page.lay_panes."""
        self._laid: dict[str, Any] = {"narrow": narrow, "within": within}
        if self.split is None or self._beside is None:
            return
        px, beside = self.theme.px, self._beside
        self.table.setMinimumHeight(px(LEAST_LIST) if narrow else 0)  # with large text the page scrolls instead
        least = dict(zip((self.left, beside.side), beside.least, strict=True))
        keep_least_heights(self.theme, least, narrow=narrow, within=within, least=LOW_PANE)
        if flipped or self._scale != self.theme.scale:  # the splitter keeps pixels
            self._scale = self.theme.scale
            first, second = beside.heights if narrow else (_PAGE - beside.width, beside.width)
            orient_split(self.split, (px(first), px(second)), narrow=narrow)

    def persist_in(self, folder: Path) -> None:
        """Persist columns, widths and order in the profile's folder."""
        self.table.persist_in(folder / table_columns.FILE)

    def focus_search(self) -> None:
        self.bar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.search.selectAll()

    def focus_stops(self) -> list[QWidget]:
        """Return the focus stops of the list: the table, if shown, and the search."""
        table: list[QWidget] = [self.table] if self.stack.currentWidget() is self.table else []
        return [*table, *([] if self.bar.isHidden() else [self.bar.search])]

    # ---- results

    def search_view(self, *, anew: bool = False) -> View:
        """Return the selected, current and top rows for a search; with `anew` from the top."""
        table = self.table
        selected, current = table.selected_keys, table.current_key
        if self._sought is not None:
            selected, current = [self._sought], self._sought
        self._asked = View(selected, current, None if anew else table.top_key)
        return self._asked

    def with_selection(self, found: SearchResult) -> SearchResult | None:
        """Return the result with the present selection; None if the search is repeated instead."""
        selected, current = self.table.selected_keys, self.table.current_key
        if self._sought is not None or (selected, current) == (self._asked.selected, self._asked.current):
            return found
        if len(selected) > FEW:
            self.search_requested.emit(False)
            return None
        return following(found, selected, current)

    def show_found(self, found: SearchResult) -> None:
        """Show a result and its count, and go to the wanted row, otherwise the first."""
        jump, self._sought = self._sought, None
        self.bar.show_count(len(found.keys), found.whole)
        self.table.show_found(found)
        if jump is not None and found.current is not None:
            self.table.pick(found.current)
        elif self.table.current_key is None and found.keys:
            self.table.pick(0)

    def show_place(self, empty: QWidget | None = None) -> None:
        """Show the table, or the empty state that explains its absence."""
        focus = QApplication.focusWidget()
        self.stack.setCurrentWidget(empty or self.table)
        if self._beside is not None and not self._beside.stays_if_empty:
            self._beside.side.setVisible(empty in (None, self.no_fit))
        if self.isVisible() and focus is not None and self.isAncestorOf(focus) and not focus.isVisible():
            self.focus_lost.emit()

    def go_to(self, key: int) -> None:
        """Select the row of this key, ignoring filters."""
        if key in self.table.paged.keys:
            self.table.pick(list(self.table.paged.keys).index(key))
            return
        self._sought = key
        self.bar.clear_all()


def offer(menu: QMenu, *rows: QPushButton | tuple[str, Callable[[], object], bool]) -> None:
    """Add actions to a menu: text, callback, and True if enabled; or those of the buttons that are shown."""
    for row in rows:
        if not isinstance(row, QPushButton):
            text, act, is_enabled = row
            menu.addAction(text, act).setEnabled(is_enabled)
        elif not row.isHidden():
            offer(menu, (row.text(), row.click, row.isEnabled()))


class WrappingColumn(QWidget):
    """Widgets above a stack; as high as they need at the present width, where filters and texts may wrap."""

    least_changed = Signal()

    def __init__(self, above: Sequence[QWidget], below: QWidget, top: int) -> None:
        super().__init__()
        self._least = 0
        self._box = fill(spaced(QVBoxLayout(self), 0, 0, top, 0, 0), *above, (below, 1))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            before, box = self._least, self._box  # which has no height for a width while nothing in it wraps
            self._least = max(box.minimumHeightForWidth(self.width()), box.minimumSize().height())
            if before != self._least:
                self.least_changed.emit()
        return done

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, self._least))


Line = tuple[str, str]
"""Text at the left, and muted text at the right."""


class LineListModel(ListModel[Line]):
    """Lines, with their whole text as tooltip."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(lambda line: line[0], lambda line: ", ".join(filter(None, line)), parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role in (ASIDE, Qt.ItemDataRole.ToolTipRole):
            text, aside = self.rows[index.row()]
            return aside if role == ASIDE else plain_tip(text[:600])
        return super().data(index, role)


class LineList(QListView):
    """List of lines; Enter or a double click emits `opened`, another selection `picked`."""

    opened = Signal(int)
    picked = Signal()

    def __init__(self, theme: Theme, name: str, *, several: bool = False, edge: float = 16) -> None:
        super().__init__()
        self.theme = theme
        self.model_ = LineListModel(self)
        self.setModel(self.model_)
        self.setItemDelegate(LineDelegate(theme, edge, self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))
        self.selectionModel().selectionChanged.connect(lambda *_: self.picked.emit())
        styled(self, role="lines")

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Replace the lines; the first becomes current if none was."""
        self.model_.show_rows(lines)
        self.updateGeometry()

    @property
    def places(self) -> list[int]:
        """Indices of the selected lines, in order."""
        return sorted(
            place
            for part in self.selectionModel().selection().toList()
            for place in range(part.top(), part.bottom() + 1)
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def pick(self, place: int) -> bool:
        """Make the line at this index current; return True if it exists."""
        is_there = 0 <= place < self.model_.rowCount()
        if is_there:
            self.setCurrentIndex(self.model_.index(place, 0))
        return is_there

    def keyboardSearch(self, search: str) -> None:
        """Disable the search: there may be many lines."""


class DigitList(LineList):
    """List in which a digit selects a line; `written` has letters for the field beside it."""

    written = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if text.isascii() and text.isdigit():
            self.pick(int(text) - 1)
        elif plain and text.isprintable() and text.strip():
            self.written.emit(text)
        else:
            super().keyPressEvent(event)
