"""The list of what was found in a look at the health: a model over it, and how a row of it looks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.display import health
from app.display.health import FindingRow
from app.domain.health import Gravity, HealthFinding
from app.gui.pen import RIGHT, Pen
from app.gui.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

ROW_ROLE = int(Qt.ItemDataRole.UserRole)

HIGH = 56
_LEFT, _COUNT = 40.0, 64.0

SHADES = {Gravity.FAULT: "danger", Gravity.WARNING: "warning", Gravity.NOTE: "text_2"}
ICONS = {Gravity.FAULT: "cross", Gravity.WARNING: "warning", Gravity.NOTE: "label"}


class HealthModel(QAbstractListModel):
    """The findings as they are shown; the words of a row are made when somebody looks at it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Sequence[HealthFinding] = ()

    def show_findings(self, found: Sequence[HealthFinding]) -> None:
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
        row = health.row(self.found[index.row()])
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        return ", ".join(filter(None, (row.word, row.title, row.count, row.sentence)))


class HealthPainter(QStyledItemDelegate):
    """Paints a row: glyph and word of how grave it is, the title, how many it is about; below, the sentence."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.theme.px(200), self.theme.px(HIGH))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, FindingRow):
            return
        rect, on = option.rect, bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(rect, self.theme.color("selection" if on else "surface"))
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, self.theme.color("border"))
        painter.translate(rect.topLeft())
        self._write(Pen(painter, self.theme, rect.width()), row, on)
        painter.restore()

    def _write(self, pen: Pen, row: FindingRow, on: bool) -> None:
        face, shade = self.theme.face, SHADES[row.gravity]
        if on:
            pen.fill(QRectF(0, 0, 3, HIGH), "accent")
        pen.icon(ICONS[row.gravity], 15, 10, 16, shade)
        room = pen.width - _LEFT - 14
        if row.count:
            pen.text(QRectF(pen.width - 14 - _COUNT, 7, _COUNT, 20), row.count, face(12, 600, mono=True), "text", RIGHT)
        x = _LEFT + pen.text(QRectF(_LEFT, 7, room - _COUNT, 20), row.word, face(12, 600), shade) + 8
        pen.text(QRectF(x, 7, _LEFT + room - _COUNT - x, 20), row.title, face(13, 600))
        pen.text(QRectF(_LEFT, 29, room, 19), row.sentence, face(12), "text_2")


class HealthView(QListView):
    """The list."""

    def __init__(self, theme: Theme, model: HealthModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(HealthPainter(theme, self))
        self.setAccessibleName(self.tr("What was found, the gravest first"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        theme.changed.connect(self.viewport().update)
