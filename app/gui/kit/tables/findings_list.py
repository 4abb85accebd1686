"""A list of findings, whatever was found: a model over as many as there are, the ground of a row, and the view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.tables.rows import ROW_ROLE
from app.gui.kit.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


FindingT = TypeVar("FindingT")
RowT = TypeVar("RowT")


@dataclass(frozen=True, slots=True)
class Findings(Generic[FindingT, RowT]):
    """A kind of findings: a finding in words, what its row is called, all that the row shows for who has it read out,
    what writes it from its upper left corner, and how high it is, in units."""

    row_of: Callable[[FindingT], RowT]
    title_of: Callable[[RowT], str]
    read_out: Callable[[RowT], str]
    write: Callable[[Canvas, RowT], None]
    high: float = 50.0


class FindingsModel(QAbstractListModel, Generic[FindingT, RowT]):
    """The findings as they are shown; the words of a row are made when somebody looks at it."""

    def __init__(self, kind: Findings[FindingT, RowT], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.found: Sequence[FindingT] = ()

    def show_findings(self, found: Sequence[FindingT]) -> None:
        """Show these instead."""
        self.beginResetModel()
        self.found = found
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
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


class FindingsPainter(QStyledItemDelegate):
    """Paints the ground of a row, what its kind writes on it, and the mark of the one that is selected."""

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
    """The list."""

    def __init__(self, theme: Theme, model: FindingsModel[Any, Any]) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(FindingsPainter(theme, model.kind, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
