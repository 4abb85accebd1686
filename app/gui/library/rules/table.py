"""Table of rules: Space or a click switches, dragging or Alt with arrows reorders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMimeData, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView

from app.display.library.rules import RULE_COLUMNS, RuleRow
from app.gui.kit.fields import plain_tip
from app.gui.kit.tables.rows import Index, PagedModel
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme

_MIME = "application/x-intentscope-rule"
_ON = [column.key for column in RULE_COLUMNS].index("on")


class RulesModel(PagedModel[RuleRow]):
    """Model with a row per rule; a drop is emitted with `dropped` and shown once it is stored."""

    dropped = Signal(str, int)  # id, row that it is dropped before

    @property
    def ids(self) -> list[str]:
        """Ids of the shown rules, in order."""
        return [row.id for place in range(len(self.keys)) if (row := self.row_at(place)) is not None]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index.row()) if index.isValid() else None
        if row is not None and role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join((row.id, *row.hints, row.draft.pattern)))
        said = super().data(index, role)
        if row is not None and role == Qt.ItemDataRole.AccessibleTextRole and index.column() == _ON:
            said = f"On: {'on' if row.draft.enabled else 'off'}"
        return f"{row.read}, {said}" if row is not None and role == Qt.ItemDataRole.AccessibleTextRole else said

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags | Qt.ItemFlag.ItemIsDropEnabled

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(_MIME, self.ids[indexes[0].row()].encode())
        return data

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        if data.hasFormat(_MIME):
            before = row if row >= 0 else parent.row() if parent.isValid() else len(self.keys)
            self.dropped.emit(data.data(_MIME).toStdString(), before)
        return False  # the view would remove the row; rows are reloaded once the order is stored


class RulesTable(LibraryTable):
    """Table of rules in their order; one is selected."""

    model_class = RulesModel

    switched = Signal(str)  # id
    moved = Signal(str, int)  # id, number of places

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, RULE_COLUMNS, "rules")
        assert isinstance(self.paged, RulesModel)
        self.rules = self.paged
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDragDropOverwriteMode(False)
        self.clicked.connect(self._on_click)

    @property
    def current_id(self) -> str:
        """Id of the selected rule; "" for none."""
        row = self.rules.row_at(self.currentIndex().row())
        return "" if row is None else row.id

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, name = Qt.Key(event.key()), self.current_id
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key, 0)
        if by and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            if name:
                self.moved.emit(name, by)
        elif key == Qt.Key.Key_Space and name:
            self.switched.emit(name)
        else:
            super().keyPressEvent(event)

    def _on_click(self, index: QModelIndex) -> None:
        if index.column() == _ON:
            self.switched.emit(self.rules.ids[index.row()])
