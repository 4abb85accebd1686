"""What differs between a library and its folder, as rows, conflicts first; each conflict with its choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.display import words
from app.gui.theme import Theme
from app.gui.tips import plain_tip

if TYPE_CHECKING:
    from app.services.library.folder import Seen
    from app.services.library.folder_plan import Choice, Difference

_LONGEST = 200
_ORDER = {"both": 0, "there": 1, "here": 2}
HEADS = ("Thing", "Name", "What happened", "Taken in")
THING, NAME, HAPPENED, OUTCOME = range(4)
Index = QModelIndex | QPersistentModelIndex

_WHERE = QModelIndex()


class DifferenceModel(QAbstractTableModel):
    """The differences of one look; `choices` holds what a person has decided, by identity."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows: tuple[Difference, ...] = ()
        self.choices: dict[str, Choice] = {}

    def show_seen(self, seen: Seen) -> None:
        """Show these instead; choices stay with what is still in conflict."""
        self.beginResetModel()
        self.rows = tuple(sorted(seen.plan.differences, key=lambda one: _ORDER[one.side]))
        here = {one.identity for one in self.conflicts}
        self.choices = {identity: choice for identity, choice in self.choices.items() if identity in here}
        self.endResetModel()

    @property
    def conflicts(self) -> list[Difference]:
        return [one for one in self.rows if one.side == "both"]

    @property
    def undecided(self) -> int:
        return len(self.conflicts) - len(self.choices)

    def choose(self, rows: list[int], choice: Choice) -> None:
        """Decide the conflicts among these rows."""
        for row in rows:
            if self.rows[row].side == "both":
                self.choices[self.rows[row].identity] = choice
        if rows:
            self.dataChanged.emit(self.index(min(rows), 0), self.index(max(rows), len(HEADS) - 1))

    def rowCount(self, parent: Index = _WHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _WHERE) -> int:
        return 0 if parent.isValid() else len(HEADS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words.say(HEADS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        one = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(one, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._text(one, index.column()))
        if role == Qt.ItemDataRole.ForegroundRole:
            is_open = one.side == "both" and one.identity not in self.choices
            if index.column() in (HAPPENED, OUTCOME) and is_open:
                return self.theme.color("warning")
            if index.column() in (THING, HAPPENED) or one.side == "here":
                return self.theme.color("text_2")
        return None

    def _text(self, one: Difference, column: int) -> str:
        from app.display.library.folder import KINDS, outcome, what

        if column == THING:
            return words.say(KINDS[one.kind])
        if column == NAME:
            return " ".join(one.name[:_LONGEST].split())
        return what(one) if column == HAPPENED else outcome(one, self.choices.get(one.identity))
