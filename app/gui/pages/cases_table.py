"""The table of cases, edited in place; while answers are typed, names that there are complete them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QStringListModel, Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QStyleOptionViewItem, QWidget

from app.display.library.cases import CASE_COLUMNS, PARTS, CaseRow
from app.domain.case import Task
from app.gui.library.cells import Cells
from app.gui.library.table import LibraryTable
from app.gui.theme import Theme

_tickets = count(1)
_ANSWERS = frozenset({"expected", "unwanted"})


class Completion(QObject):
    """Completes the answer that is being typed in a line of several; the names are asked for and come later."""

    wanted = Signal(int, object, str)  # ticket, task, text

    def __init__(self, line: QLineEdit, task: Task) -> None:
        super().__init__(line)
        self._line, self.task, self.ticket = line, task, 0
        self._names = QStringListModel(self)
        self._completer = QCompleter(self._names, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(line)
        self._completer.activated.connect(self._take)
        if (popup := self._completer.popup()) is not None:
            popup.setAccessibleName(self.tr("Answers that there are"))
        line.textEdited.connect(self._ask)

    def show_names(self, ticket: int, names: Sequence[str]) -> None:
        """Offer these, if they are what was asked for last."""
        if ticket != self.ticket or not self._line.hasFocus():
            return
        typed = self._typed
        offered = [name for name in names if name != typed and PARTS not in name]
        self._names.setStringList(offered)
        if offered and typed:
            self._completer.complete()
        else:
            self._hide_names()

    def _hide_names(self) -> None:
        if (popup := self._completer.popup()) is not None:
            popup.hide()

    @property
    def _typed(self) -> str:
        return self._line.text()[: self._line.cursorPosition()].rpartition(PARTS)[2].strip()

    def _ask(self) -> None:
        self.ticket = next(_tickets)
        self.wanted.emit(self.ticket, self.task, self._typed)

    def _take(self, name: str) -> None:
        text, place = self._line.text(), self._line.cursorPosition()
        before, parted, _ = text[:place].rpartition(PARTS)
        begun = f"{before}{parted} " if parted else ""
        self._line.setText(f"{begun}{name}{text[place:]}")
        self._line.setCursorPosition(len(begun) + len(name))


class _CaseCells(Cells):
    """Lines whose answers are completed."""

    def __init__(self, table: CasesTable) -> None:
        super().__init__(table.theme, table.paged, table)
        self._table = table

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        line = super().createEditor(parent, option, index)
        row = self._table.paged.row_at(index.row())
        if isinstance(line, QLineEdit) and row is not None and CASE_COLUMNS[index.column()].key in _ANSWERS:
            self._table.complete(line, row.case.task)
        return line


class CasesTable(LibraryTable):
    """Rows are CaseRows; `names_wanted` asks for answers that complete what is typed."""

    names_wanted = Signal(int, object, str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, CASE_COLUMNS, "cases")
        self.completion: Completion | None = None
        self.setItemDelegate(_CaseCells(self))

    def complete(self, line: QLineEdit, task: Task) -> Completion:
        """Complete answers of a task in a line, until another line is completed."""
        made = self.completion = Completion(line, task)
        made.wanted.connect(self.names_wanted)
        line.destroyed.connect(self._forget)
        return made

    def show_names(self, ticket: int, names: Sequence[str]) -> None:
        """Offer names where they were asked for."""
        if self.completion is not None:
            self.completion.show_names(ticket, names)

    def _forget(self) -> None:
        self.completion = None

    @property
    def current_row(self) -> CaseRow | None:
        """The case under the keyboard, if it has come."""
        key = self.current_key
        row = None if key is None else self.paged.row_of(key)
        return row if isinstance(row, CaseRow) else None

    def show_outcomes(self) -> None:
        """Runs came to more: draw what is seen anew."""
        self.viewport().update()
