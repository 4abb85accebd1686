"""Lists of any length: lines with muted text at the right, and painted findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.fields import plain_tip
from app.gui.kit.tables.delegates import ASIDE, LineDelegate
from app.gui.kit.tables.rows import NOWHERE, ROW_ROLE, Index
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

FindingT = TypeVar("FindingT")
RowT = TypeVar("RowT")


class LineListModel(QAbstractListModel):
    """Lines as pairs of texts: left, and muted at the right."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: Sequence[tuple[str, str]] = ()

    def show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        """Replace the lines."""
        if lines != self.lines:
            self.beginResetModel()
            self.lines = lines
            self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        text, aside = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == ASIDE:
            return aside
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{text}, {aside}" if aside else text
        return plain_tip(text[:600]) if role == Qt.ItemDataRole.ToolTipRole else None


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

    def show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        """Replace the lines; the first becomes current if none was."""
        self.model_.show_lines(lines)
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


# ---- Findings: each row painted by its kind


@dataclass(frozen=True, slots=True)
class Findings(Generic[FindingT, RowT]):
    """Display of a kind of finding: row, title, text for screen readers, painter and height.

    The painter starts at the upper left corner; the height is in units.
    """

    row_of: Callable[[FindingT], RowT]
    title_of: Callable[[RowT], str]
    read_out: Callable[[RowT], str]
    write: Callable[[Canvas, RowT], None]
    high: float = 50.0


class FindingsModel(QAbstractListModel, Generic[FindingT, RowT]):
    """Findings; the text of a row is made on demand."""

    def __init__(self, kind: Findings[FindingT, RowT], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.found: Sequence[FindingT] = ()

    def show_findings(self, found: Sequence[FindingT]) -> None:
        """Replace the findings."""
        self.beginResetModel()
        self.found = found
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.found)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.found):
            return None
        if role not in (ROW_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.kind.row_of(self.found[index.row()])
        if role == ROW_ROLE:
            return row
        return self.kind.title_of(row) if role == Qt.ItemDataRole.DisplayRole else self.kind.read_out(row)


class FindingDelegate(QStyledItemDelegate):
    """Paints a row: background, `Findings.write`, and the mark of the selected one."""

    def __init__(self, theme: Theme, kind: Findings[Any, Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.kind = kind

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.theme.px(200), self.theme.px(self.kind.high))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if row is None:
            return
        rect, on = option.rect, bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(rect, self.theme.color("selection" if on else "surface"))
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, self.theme.color("border"))
        painter.translate(rect.topLeft())
        canvas = Canvas(painter, self.theme, rect.width())
        if on:
            canvas.fill(QRectF(0, 0, 3, self.kind.high), "accent")
        self.kind.write(canvas, row)
        painter.restore()


class FindingsView(QListView):
    """List view of findings."""

    def __init__(self, theme: Theme, model: FindingsModel[Any, Any]) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(FindingDelegate(theme, model.kind, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
