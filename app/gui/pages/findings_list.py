"""A list of findings, whatever was found: a model over as many as there are, the ground of a row, and the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.gui.pen import Pen
from app.gui.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

ROW_ROLE = int(Qt.ItemDataRole.UserRole)

Found = TypeVar("Found")
RowT = TypeVar("RowT")


class FindingsModel(QAbstractListModel, Generic[Found, RowT]):
    """The findings as they are shown; the words of a row are made when somebody looks at it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Sequence[Found] = ()

    def show_findings(self, found: Sequence[Found]) -> None:
        """Show these instead."""
        self.beginResetModel()
        self.found = found
        self.endResetModel()

    def row_of(self, finding: Found) -> RowT:
        """A finding in words."""
        raise NotImplementedError

    def title_of(self, row: RowT) -> str:
        """What a row is called."""
        raise NotImplementedError

    def read_out(self, row: RowT) -> str:
        """All that a row shows, for who has it read out."""
        raise NotImplementedError

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.found)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.found):
            return None
        if role not in (ROW_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.row_of(self.found[index.row()])
        if role == ROW_ROLE:
            return row
        return self.title_of(row) if role == Qt.ItemDataRole.DisplayRole else self.read_out(row)


class FindingsPainter(QStyledItemDelegate, Generic[RowT]):
    """Paints the ground of a row, and the mark of the one that is selected; `write` adds what the row says."""

    high = 50.0
    """How high a row is, in units."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme

    def write(self, pen: Pen, row: RowT) -> None:
        """Write a row, from its upper left corner."""
        raise NotImplementedError

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.theme.px(200), self.theme.px(self.high))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if row is None:
            return
        rect, on = option.rect, bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(rect, self.theme.color("selection" if on else "surface"))
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, self.theme.color("border"))
        painter.translate(rect.topLeft())
        pen = Pen(painter, self.theme, rect.width())
        if on:
            pen.fill(QRectF(0, 0, 3, self.high), "accent")
        self.write(pen, row)
        painter.restore()


class FindingsView(QListView):
    """The list."""

    def __init__(self, theme: Theme, model: QAbstractListModel, painter: QStyledItemDelegate) -> None:
        super().__init__()
        self.setModel(model)
        painter.setParent(self)
        self.setItemDelegate(painter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        theme.changed.connect(self.viewport().update)
