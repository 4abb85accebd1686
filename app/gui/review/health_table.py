"""The table of what one finding is about: as many rows as there are, made into words when they are looked at."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QTableView

from app.display.review import health
from app.domain.health import Concerned, HealthFinding
from app.gui.kit.fields import plain_tip
from app.gui.kit.tables.rows import pick_whole_rows
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_WHERE = QModelIndex()
_DISPLAY, _ALIGN = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole
_READ, _TIP = Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight

_ROW, _VALUE = 28, 96
_SHARES = (0.28, 0.44, 0.28)


class ConcernedModel(QAbstractTableModel):
    """The things that the shown finding is about, in the columns that say something of them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.finding: HealthFinding | None = None
        self.columns: list[int] = []
        self._heads: tuple[str, ...] = ()

    def show_finding(self, finding: HealthFinding | None) -> None:
        """Show what this is about; None for nothing."""
        self.beginResetModel()
        self.finding = finding
        self._heads = ()
        if finding is not None and finding.concerned:
            heads = health.heads(finding)
            self._heads = (heads.name, heads.about, heads.rival, heads.value)
        self.columns = [column for column, head in enumerate(self._heads) if head]
        self.endResetModel()

    def concerned(self, row: int) -> Concerned | None:
        """What stands in a row."""
        finding = self.finding
        return finding.concerned[row] if finding is not None and 0 <= row < len(finding.concerned) else None

    def rowCount(self, parent: Index = _WHERE) -> int:
        return 0 if parent.isValid() or self.finding is None else len(self.finding.concerned)

    def columnCount(self, parent: Index = _WHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        one = self.concerned(index.row()) if index.isValid() else None
        if one is None or self.finding is None:
            return None
        column = self.columns[index.column()]
        if role == _ALIGN:
            return _RIGHT if column == 3 else _LEFT
        if role not in (_DISPLAY, _READ, _TIP):
            return None
        text = health.cells(self.finding, one)[column]
        if role == _TIP:
            return plain_tip(text[:600])
        return f"{self._heads[column]}: {text}" if role == _READ else text

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        if role == _ALIGN:
            return _RIGHT if self.columns[section] == 3 else _LEFT
        return self._heads[self.columns[section]] if role == _DISPLAY else None


class ConcernedTable(QTableView):
    """Walked with the arrow keys; Enter or a double click asks for the thing in the row."""

    entered = Signal(Concerned)
    picked = Signal()  # another row

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.things = ConcernedModel(self)
        self.setModel(self.things)
        self.setAccessibleName(name)
        pick_whole_rows(self)
        self.selectionModel().currentRowChanged.connect(lambda *_: self.picked.emit())
        self.doubleClicked.connect(lambda index: self._enter(index.row()))
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="findings")

    def show_finding(self, finding: HealthFinding | None) -> None:
        """Show what a finding is about, the first of it picked."""
        self.things.show_finding(finding)
        self._fit()
        if self.things.rowCount():
            self.setCurrentIndex(self.things.index(0, 0))
        self.scrollToTop()
        self.picked.emit()

    @property
    def chosen(self) -> Concerned | None:
        """The thing in the picked row."""
        return self.things.concerned(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Looking through a hundred thousand rows would stop the window."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _enter(self, row: int) -> None:
        one = self.things.concerned(row)
        if one is not None:
            self.entered.emit(one)

    def _fit(self) -> None:
        """Texts share the room that numbers leave."""
        columns = self.things.columns
        value = self.theme.px(_VALUE) if 3 in columns else 0
        texts = [column for column in columns if column < 3]
        whole = sum(_SHARES[column] for column in texts) or 1.0
        room = max(0, self.viewport().width() - value)
        for section, column in enumerate(columns):
            self.setColumnWidth(section, value if column == 3 else int(room * _SHARES[column] / whole))
