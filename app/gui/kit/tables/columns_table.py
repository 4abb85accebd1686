"""What each column of a table holds: its heading, its first cells, and a field to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHeaderView, QTableWidget, QTableWidgetItem

from app.display import words
from app.gui.kit.fields import plain_tip
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.services.engine.adapters import Mapped

if TYPE_CHECKING:
    from app.services.engine.adapters import TableHead

FIELDS = {
    "text": "Text", "triggers": "Further triggers", "intent": "Label", "response": "Response",
    "namespace": "Namespace", "tags": "Tags", "id": "Id", "success": "Success", "usage": "Used", "paused": "Paused",
    "name": "Name", "description": "Description", "keywords": "Keywords", "examples": "Examples",
    "steering": "Steering", "tools": "Tools", "command": "Command", "args": "Arguments", "env": "Environment",
    "url": "Address", "label": "Label", "pattern": "Pattern", "unless": "Unless", "pack": "Pack",
    "position": "Place", "weight": "Weight", "confidence": "Confidence", "purpose": "Purpose", "enabled": "Enabled",
    "expected": "Expected", "unwanted": "Unwanted", "task": "Task", "duplicates": "Duplicates (memories)",
    "acceptable": "Acceptable (powers)", "type": "Type", "route": "Route",
}  # fmt: skip
_ROW, _ROWS, _FIELD, _HEADING = 34, 5, 170, 150


class ColumnsTable(QTableWidget):
    """One row for each heading."""

    mapped = Signal(Mapped)

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, 3)
        self.theme = theme
        self._head: TableHead | None = None
        self.kind = ""
        self.setAccessibleName(self.tr("What the columns hold"))
        self.setHorizontalHeaderLabels([self.tr("Heading"), self.tr("First rows"), self.tr("Holds")])
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        head = self.horizontalHeader()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(0, theme.px(_HEADING))
        self.setColumnWidth(2, theme.px(_FIELD))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard goes from choice to choice
        styled(self, role="dialog")
        self.setVisible(False)

    def show_head(self, head: TableHead, mapped: Mapped) -> None:
        """Show headings and cells, each with the field that is chosen."""
        self._head, self.kind = head, mapped.kind
        self.setRowCount(len(head.headings))
        for place, heading in enumerate(head.headings):
            cells = [row[place] for row in head.rows if place < len(row) and row[place].strip()]
            for column, text in enumerate((heading, " · ".join(cells))):
                item = QTableWidgetItem(" ".join(text.split()))
                item.setToolTip(plain_tip(text))
                self.setItem(place, column, item)
            self.setCellWidget(place, 2, self._choice(heading, head.fields[mapped.kind], mapped.columns.get(heading)))
        rows = min(_ROWS, len(head.headings))
        self.setFixedHeight(self.theme.px(_ROW) * rows + self.horizontalHeader().sizeHint().height() + 4)
        self.setVisible(True)

    def show_kind(self, kind: str) -> None:
        """Begin anew with what the headings say if the lines are of this kind."""
        from app.services.engine.adapters import Mapped

        if self._head is not None:
            knownt = dict(zip(self._head.headings, self._head.meant[kind], strict=True))
            self.show_head(self._head, Mapped(kind, knownt))

    def columns(self) -> dict[str, str] | None:
        """The field of each heading, "" for none; None if there is no table."""
        if self._head is None:
            return None
        return {heading: str(self.choice(place).currentData()) for place, heading in enumerate(self._head.headings)}

    def choice(self, row: int) -> QComboBox:
        """The field of one heading."""
        found = self.cellWidget(row, 2)
        assert isinstance(found, QComboBox)
        return found

    def _choice(self, heading: str, fields: tuple[str, ...], chosen: str | None) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(self.tr("What {0} holds").format(heading))
        box.addItem(self.tr("Leave out"), "")
        for field in fields:
            box.addItem(words.say(FIELDS[field]), field)
        box.setCurrentIndex(max(0, box.findData(chosen or "")))
        box.activated.connect(lambda _: self._told())
        return box

    def _told(self) -> None:
        from app.services.engine.adapters import Mapped

        self.mapped.emit(Mapped(self.kind, self.columns() or {}))
