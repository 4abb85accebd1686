"""Dialog of differences between library and folder: both sides, and a choice per conflict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QDialog, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

from app.gui.kit.controls import button
from app.gui.kit.dialogs import ProblemList
from app.gui.kit.document import DocumentView
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel, section
from app.gui.kit.tables.rows import Index, RowsModel
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.services.library.folder_sync import FolderComparison

if TYPE_CHECKING:
    from app.services.library.folder_diff import Choice, Difference


_LONGEST = 200
_ORDER = {"both": 0, "there": 1, "here": 2}
HEADS = ("Thing", "Name", "What happened", "Imported")
THING, NAME, HAPPENED, OUTCOME = range(4)


class DifferenceModel(RowsModel["Difference"]):
    """Differences of one comparison; `choices` has the resolutions of conflicts by identity."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(HEADS)
        self.theme = theme
        self.choices: dict[str, Choice] = {}

    def show_comparison(self, seen: FolderComparison) -> None:
        """Show this comparison; choices stay for items that are still in conflict."""
        rows = sorted(seen.diff.differences, key=lambda one: _ORDER[one.side])
        here = {one.identity for one in rows if one.side == "both"}
        self.choices = {identity: choice for identity, choice in self.choices.items() if identity in here}
        self.show_rows(rows, anew=True)

    @property
    def conflicts(self) -> list[Difference]:
        return [one for one in self.rows if one.side == "both"]

    @property
    def undecided(self) -> int:
        return len(self.conflicts) - len(self.choices)

    def choose(self, rows: list[int], choice: Choice) -> None:
        """Resolve the conflicts among these rows."""
        for row in rows:
            if self.rows[row].side == "both":
                self.choices[self.rows[row].identity] = choice
        if rows:
            self.announce(min(rows), max(rows))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role == Qt.ItemDataRole.ForegroundRole:
            one = self.rows[index.row()]
            is_open = one.side == "both" and one.identity not in self.choices
            if index.column() in (HAPPENED, OUTCOME) and is_open:
                return self.theme.color("warning")
            return self.theme.color("text_2") if index.column() in (THING, HAPPENED) or one.side == "here" else None
        return super().data(index, role)

    def tip(self, row: Difference, column: int) -> str:
        return self.text(row, column)

    def text(self, row: Difference, column: int) -> str:
        from app.display.library.folder import change_words, resolution_words

        if column == THING:
            return row.kind.capitalize()
        if column == NAME:
            return " ".join(row.name[:_LONGEST].split())
        return change_words(row) if column == HAPPENED else resolution_words(row, self.choices.get(row.identity))


# ---- Dialog: both sides of each item, and a choice for each conflict

_WIDE, _HIGH, _ROW = 920, 640, 28
_COLUMNS = {THING: 90, HAPPENED: 190, OUTCOME: 170}


class FolderDialog(QDialog):
    """Dialog that loads and saves only by its buttons."""

    load_requested = Signal(FolderComparison, Mapping)  # FolderComparison, choices by identity
    save_requested = Signal()
    look_requested = Signal()

    def __init__(self, theme: Theme, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.folder = theme, folder
        self.seen: FolderComparison | None = None
        self.setWindowTitle("Library and folder")
        self.setModal(True)
        room = parent.size() if parent is not None else None
        wide, high = theme.px(_WIDE), theme.px(_HIGH)
        self.resize(
            min(wide, room.width() - theme.px(40)) if room else wide, min(high, room.height()) if room else high
        )
        self.lead = WrappedLabel(role="lead")
        self.place = WrappedLabel(role="caption")
        self.place.show_text(str(folder))
        self.model = DifferenceModel(theme)
        self.table = self._make_table()
        self.faults = ProblemList(theme)
        self.sides = section("Struck through: here. Underlined: in the folder.")
        self.sheet = DocumentView(theme, "Differences")
        self.sheet.setMinimumHeight(theme.px(130))
        self.mine = button("Keep &mine", press=lambda: self._choose("mine", everywhere=False))
        self.theirs = button("Take the &folder’s", press=lambda: self._choose("theirs", everywhere=False))
        self.all_mine = button("All mine", link=True, press=lambda: self._choose("mine", everywhere=True))
        self.all_theirs = button("All the folder’s", link=True, press=lambda: self._choose("theirs", everywhere=True))
        self.save = button("Save to the folder", press=self._save)
        self.verb = button("Import", primary=True, press=self._load)
        self.again = button("Check again", press=self._compare)
        self._arrange()
        self.wait()

    def wait(self) -> None:
        """Show that the folder is being read."""
        self.seen = None
        self.lead.show_text("Reading the folder…")
        for one in (self.verb, self.save, self.faults):
            one.setEnabled(False)
        self.faults.hide()
        self._show_choices()

    def show_comparison(self, seen: FolderComparison) -> None:
        from app.display.library.folder import diff_summary

        self.seen = seen
        self.lead.show_text(diff_summary(seen))
        self.model.show_comparison(seen)
        self.faults.setVisible(bool(seen.faults))
        self.faults.setEnabled(bool(seen.faults))
        self.faults.setPlainText("\n".join(fault.sentence for fault in seen.faults))
        has_rows = bool(self.model.rows)
        for one in (self.table, self.sides, self.sheet):
            one.setVisible(has_rows)
        if has_rows:
            self.table.selectRow(0)
            self.table.setFocus()
        self._show_choices()

    def refuse(self, sentence: str) -> None:
        """Show why the folder cannot be read, or why an action failed."""
        self.lead.show_text(sentence)
        self._show_choices()

    # ---- widgets

    def _make_table(self) -> QTableView:
        table = styled(QTableView(), role="dialog")
        table.setModel(self.model)
        table.setAccessibleName("Differences")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(self.theme.px(_ROW))
        head = table.horizontalHeader()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setHighlightSections(False)
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column, wide in _COLUMNS.items():
            table.setColumnWidth(column, self.theme.px(wide))
        table.selectionModel().selectionChanged.connect(lambda *_: self._show_choices())
        table.selectionModel().currentRowChanged.connect(self._show_row)
        return table

    def _arrange(self) -> None:
        px = self.theme.px
        choosing = fill(spaced(QHBoxLayout(), px(8)), self.mine, self.theirs, 1, self.all_mine, self.all_theirs)
        close = button("Close", press=self.reject, auto=False)
        foot = fill(spaced(QHBoxLayout(), px(8)), self.again, 1, close, self.save, self.verb)
        self.verb.setDefault(True)
        column = spaced(QVBoxLayout(self), px(10), px(20), px(20), px(20), px(16))
        fill(column, self.lead, self.place, self.faults, (self.table, 3), choosing, self.sides, (self.sheet, 2), foot)

    # ---- user actions

    def _choose(self, side: str, *, everywhere: bool) -> None:
        from app.services.library.folder_diff import Choice

        selected = [index.row() for index in self.table.selectionModel().selectedRows()]
        self.model.choose(list(range(len(self.model.conflicts))) if everywhere else selected, Choice(side))
        self._show_choices()
        if not everywhere:
            self._go_to_undecided()

    def _go_to_undecided(self) -> None:
        for row, one in enumerate(self.model.conflicts):
            if one.identity not in self.model.choices:
                self.table.selectRow(row)
                break

    def _show_row(self, now: QModelIndex, _before: QModelIndex) -> None:
        from app.display.library.folder import item_diffs

        self.sheet.show_differences(item_diffs(self.model.rows[now.row()]) if now.isValid() else ())

    def _show_choices(self) -> None:
        selected = {index.row() for index in self.table.selectionModel().selectedRows()}
        conflicts, seen = self.model.conflicts if self.seen is not None else [], self.seen
        can_choose = any(row < len(conflicts) for row in selected)
        for one in (self.mine, self.theirs):
            one.setVisible(bool(conflicts))
            one.setEnabled(can_choose)
        for one in (self.all_mine, self.all_theirs):
            one.setVisible(bool(conflicts))
        comes = seen is not None and not seen.faults and any(one.side != "here" for one in self.model.rows)
        decided = bool(self.model.choices) or any(one.side == "there" for one in self.model.rows)
        self.verb.setEnabled(comes and decided)
        self.verb.setText("Import")
        left = self.model.undecided if seen is not None else 0
        self.verb.setToolTip(f"{left} undecided and left unchanged" if left else "")
        only_here = seen is not None and not seen.faults and not comes and bool(self.model.rows)
        self.save.setEnabled(only_here)

    def _load(self) -> None:
        if self.seen is not None:
            self.load_requested.emit(self.seen, dict(self.model.choices))

    def _save(self) -> None:
        self.save_requested.emit()

    def _compare(self) -> None:
        self.wait()
        self.look_requested.emit()
