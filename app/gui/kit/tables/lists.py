"""Lists for any number of rows: plain lines with a quieter word at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

from app.gui.kit.fields import plain_tip
from app.gui.kit.tables.delegates import ASIDE, LineDelegate
from app.gui.kit.tables.rows import Index, ListModel
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

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
