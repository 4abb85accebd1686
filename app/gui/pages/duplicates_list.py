"""The list of findings: a model over as many as there are, and how a row of it looks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.display import duplicate_rows, numbers
from app.display.duplicate_rows import FindingRow
from app.domain.alike import Finding, Likeness
from app.gui.pen import RIGHT, Pen
from app.gui.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

ROW_ROLE = int(Qt.ItemDataRole.UserRole)

HIGH = 50
_SCORE = 62.0

SHADES = {
    Likeness.CONFLICT: "danger",
    Likeness.NEAR_CONFLICT: "warning",
    Likeness.DUPLICATE: "text_2",
    Likeness.NEAR_DUPLICATE: "text_2",
}
ICONS = {
    Likeness.CONFLICT: "warning",
    Likeness.NEAR_CONFLICT: "warning",
    Likeness.DUPLICATE: "copy",
    Likeness.NEAR_DUPLICATE: "copy",
}


class FindingsModel(QAbstractListModel):
    """The findings as they are shown; the words of a row are made when somebody looks at it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Sequence[Finding] = ()

    def show_findings(self, found: Sequence[Finding]) -> None:
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
        row = duplicate_rows.row(self.found[index.row()])
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.trigger
        scores = [self.tr("spelling {0}").format(row.spelling), self.tr("meaning {0}").format(row.meaning)]
        return ", ".join([row.word, f"“{row.trigger}”", row.answers, *(scores if row.spelling else ())])


class FindingPainter(QStyledItemDelegate):
    """Paints a row: the trigger, below it what it is and under which answers; the scores at the right."""

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
        face, shade = self.theme.face, SHADES[row.likeness]
        if on:
            pen.fill(QRectF(0, 0, 3, HIGH), "accent")
        pen.icon(ICONS[row.likeness], 15, 8, 15, shade)
        room = pen.width - 38 - 12 - (_SCORE if row.spelling else 0)
        pen.text(QRectF(38, 5, room, 20), row.trigger, face(13, 600))
        x = 38 + pen.text(QRectF(38, 25, room, 19), row.word, face(12, 600), shade) + 9
        pen.text(QRectF(x, 25, 38 + room - x, 19), row.answers, face(12), "text_2")
        if not row.spelling:
            return
        for scorer, score, y in (("fuzzy", row.spelling, 6.0), ("semantic", row.meaning, 26.0)):
            pen.badge(scorer, pen.width - 14 - _SCORE, y + 1, named=False)
            token = "text_2" if score == numbers.ABSENT else "text"
            place = QRectF(pen.width - 14 - _SCORE + 18, y, _SCORE - 18, 18)
            pen.text(place, score, face(12, 500, mono=True), token, RIGHT)


class FindingsView(QListView):
    """The list; letters do not search in it, they are told to the page."""

    typed = Signal(str)

    def __init__(self, theme: Theme, model: FindingsModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(FindingPainter(theme, self))
        self.setAccessibleName(self.tr("What was found, the most urgent first"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        theme.changed.connect(self.viewport().update)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held == Qt.KeyboardModifier.NoModifier
        capital = held == Qt.KeyboardModifier.ShiftModifier and event.text().isalpha()
        name = KEYS.get(Qt.Key(event.key())) if plain or capital else None
        if name is None:
            super().keyPressEvent(event)
        else:
            self.typed.emit(name)


KEYS = {
    Qt.Key.Key_K: "keep",
    Qt.Key.Key_M: "merge",
    Qt.Key.Key_D: "apart",
    Qt.Key.Key_X: "drop",
    Qt.Key.Key_N: "next",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
}
"""What the keys of the list do, in the words of the page's verbs."""
