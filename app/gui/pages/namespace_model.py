"""The matrix of weights as a model: a row for each namespace, a column for each type of intent."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.display import words
from app.display.library.namespaces import TYPES, NamespaceRow, WeightCell
from app.domain.intent import IntentType
from app.gui.tips import plain_tip

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
_TIP, _READ = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole

NAME, COUNT, FIRST = 0, 1, 2
"""The columns: the name, how many memories, and from FIRST on the types."""


class NamespaceModel(QAbstractTableModel):
    """The rows as a model; what is typed is told, and shown when it has become so."""

    weight_typed = Signal(str, str)  # key, text
    renamed = Signal(str, str)  # old and new name

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[NamespaceRow, ...] = ()
        self.type_: IntentType | None = None
        self._shortened: tuple[str, ...] = ()
        self.typed: tuple[str, int, str] | None = None
        """Namespace, column and text of what was typed last, until it is known what became of it."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The words above the columns."""
        return words.say("Namespace"), words.say("Memories"), *(words.type_word(type_) for type_ in TYPES)

    def shorten(self, titles: tuple[str, ...]) -> None:
        """Show these words above the columns, as far as there is room for each."""
        if titles != self._shortened:
            self._shortened = titles
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(titles) - 1)

    def show_rows(self, rows: tuple[NamespaceRow, ...]) -> None:
        """Show these; where the namespaces are the same, whoever is editing one goes on."""
        if [row.name for row in rows] != [row.name for row in self.rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows != self.rows:
            self.rows, self.typed = rows, None
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, self.columnCount() - 1))

    def cell(self, index: Index) -> WeightCell | None:
        """The weight at a place; None in the columns of names and counts."""
        if not index.isValid() or index.column() < FIRST:
            return None
        return self.rows[index.row()].cells[index.column() - FIRST]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else FIRST + len(TYPES)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        cell = self.cell(index)
        may = index.column() == NAME if cell is None else not cell.fixed
        return flags | Qt.ItemFlag.ItemIsEditable if may else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (self._shortened or self.titles)[section]
        if orientation is Qt.Orientation.Horizontal and role in (_TIP, _READ):
            return self.titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section == NAME:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, cell = self.rows[index.row()], self.cell(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            if cell is not None:
                return cell.text
            return row.name if index.column() == NAME else row.counted
        if role == Qt.ItemDataRole.ToolTipRole and cell is not None:
            return plain_tip(cell.tip)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return cell.said if cell is not None else self.data(index)
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        text, cell = str(value).strip(), self.cell(index)
        self.typed = self.rows[index.row()].name, index.column(), text
        if cell is None:
            if text != self.rows[index.row()].name:
                self.renamed.emit(self.rows[index.row()].name, text)
        elif text.replace(",", ".") != cell.text:
            self.weight_typed.emit(cell.key, text.replace(",", "."))
        return False
