"""A list of lines, walked by keys, of which one or several can be picked; a hundred thousand are no more than ten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

from app.gui.kit.fields import plain_tip
from app.gui.kit.tables.cells import ASIDE, Lines
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_WHERE = QModelIndex()


class LinesModel(QAbstractListModel):
    """Pairs of what a line says at the left and, quieter, at the right."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: Sequence[tuple[str, str]] = ()

    def show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        """Show these instead."""
        if lines != self.lines:
            self.beginResetModel()
            self.lines = lines
            self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _WHERE) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        said, aside = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return said
        if role == ASIDE:
            return aside
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{said}, {aside}" if aside else said
        return plain_tip(said[:600]) if role == Qt.ItemDataRole.ToolTipRole else None


class LineList(QListView):
    """Enter or a double click asks for the line; `picked` tells of another selection."""

    asked = Signal(int)
    picked = Signal()

    def __init__(self, theme: Theme, name: str, *, several: bool = False, edge: float = 16) -> None:
        super().__init__()
        self.theme = theme
        self.model_ = LinesModel(self)
        self.setModel(self.model_)
        self.setItemDelegate(Lines(theme, edge, self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
        self.doubleClicked.connect(lambda index: self.asked.emit(index.row()))
        self.selectionModel().selectionChanged.connect(lambda *_: self.picked.emit())
        styled(self, role="lines")

    def show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        """Show these instead; the first is current where there was none."""
        self.model_.show_lines(lines)
        self.updateGeometry()

    @property
    def places(self) -> list[int]:
        """Where the picked lines are, in order."""
        return sorted(
            place
            for part in self.selectionModel().selection().toList()
            for place in range(part.top(), part.bottom() + 1)
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.asked.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def pick(self, place: int) -> bool:
        """Make the line at this place the current one; whether there is one."""
        is_there = 0 <= place < self.model_.rowCount()
        if is_there:
            self.setCurrentIndex(self.model_.index(place, 0))
        return is_there

    def keyboardSearch(self, search: str) -> None:
        """Not through all lines: they may be many."""


class DigitList(LineList):
    """A list of which a digit picks a line; `written` tells of letters, which are for the field beside it."""

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
