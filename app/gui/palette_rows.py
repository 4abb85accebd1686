"""The rows of the palette: a model of actions, and how one of them is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.gui.action import Action
from app.gui.pen import Pen
from app.gui.theme import Theme

HIGH = 34
_PAD, _TEXT, _CAP, _GAP = 16, 44, 20, 12
_ROOT = QModelIndex()
_Index = QModelIndex | QPersistentModelIndex


class PaletteModel(QAbstractListModel):
    """The actions that are listed, best first; `refusals` says of some why they cannot be done now, by key."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[Action] = ()
        self.refusals: Mapping[str, str] = {}

    def show_rows(self, rows: Sequence[Action], refusals: Mapping[str, str]) -> None:
        """List these from now on."""
        self.beginResetModel()
        self.rows, self.refusals = rows, refusals
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        return ", ".join(filter(None, (row.name, *row.keys, self.refusals.get(row.key, ""))))


class PaletteRow(QStyledItemDelegate):
    """Icon and name at the left; at the right the keys, what it belongs to, or why it cannot be done now."""

    def __init__(self, theme: Theme, model: PaletteModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme, self._model = theme, model

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(self.theme.px(200), self.theme.px(HIGH))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = self._model.rows[index.row()]
        refusal = self._model.refusals.get(row.key, "")
        place, scale = option.rect, self.theme.scale
        painter.save()
        painter.translate(place.topLeft())
        pen = Pen(painter, self.theme, place.width())
        if option.state & QStyle.StateFlag.State_Selected:
            pen.fill(QRectF(6, 1, place.width() / scale - 12, HIGH - 2), "selection", 6)
        token = "text_2" if refusal else "text"
        if row.icon:
            pen.icon(row.icon, _PAD, (HIGH - 16) / 2, 16, token)
        left = self._right(pen, row, refusal)
        pen.text(QRectF(_TEXT, 0, left - _TEXT, HIGH), row.name, self.theme.face(13), token)
        painter.restore()

    def _right(self, pen: Pen, row: Action, refusal: str) -> float:
        """What stands at the right, and where the name has to end."""
        end = draw_caps(pen, row.keys[:1], pen.width - _PAD, 0, HIGH)
        quiet = refusal or ("" if row.keys else row.group_name)
        if not quiet:
            return end - _GAP
        face = self.theme.face(11)
        name = self.theme.face(13).width(row.name)
        room = end - _GAP - _TEXT - name - _GAP
        wide = min(face.width(quiet), room)
        if wide < min(60, face.width(quiet)):
            return end - _GAP
        pen.text(QRectF(end - (_GAP if row.keys else 0) - wide, 0, wide, HIGH), quiet, face, "text_2")
        return end - _GAP - wide - _GAP


def draw_caps(pen: Pen, keys: Sequence[str], right: float, top: float, high: float) -> float:
    """Shortcuts as caps, ending at a place; where the first begins."""
    face = pen.theme.face(11, 600)
    for key in reversed(keys):
        wide = face.width(key) + 12
        cap = QRectF(right - wide, top + (high - _CAP) / 2, wide, _CAP)
        pen.fill(cap, "sunken", 4)
        pen.text(cap.translated(6, 0), key, face, "text")
        right -= wide + 6
    return right + 6 if keys else right
