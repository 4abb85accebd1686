"""Dialog of differences between library and folder: both sides, and a choice per conflict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.display.library.folder import change_words, diff_summary, item_diffs, resolution_words
from app.display.library.tables import Column
from app.gui.kit.controls import button
from app.gui.kit.dialogs import ProblemList
from app.gui.kit.document import DocumentView
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel, section
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme import Theme, styled
from app.services.library.folder_sync import Difference, FolderComparison, Winner

_LONGEST = 200
_ORDER = {"both": 0, "there": 1, "here": 2}
_WIDE, _HIGH = 920, 640


class FolderDialog(QDialog):
    """Differences, and a choice for each conflict; loads and saves only by its buttons."""

    load_requested = Signal(FolderComparison, Mapping)  # FolderComparison, choices by identity
    save_requested = Signal()
    look_requested = Signal()

    def __init__(self, theme: Theme, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.folder = theme, folder
        self.seen: FolderComparison | None = None
        self.choices: dict[str, Winner] = {}
        """Resolutions of conflicts, by identity; they stay while the item is in conflict."""
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
        self.table = Grid(theme, "Differences", self._columns(), many=True, wide=1)
        self.table.picked.connect(self._on_picked)
        styled(self.table, role="dialog")
        self.faults = ProblemList(theme)
        self.sides = section("Struck through: here. Underlined: in the folder.")
        self.sheet = DocumentView(theme, "Differences")
        self.sheet.setMinimumHeight(theme.px(130))
        self.mine = button("Keep &mine", press=lambda: self._choose("mine", everywhere=False))
        self.theirs = button("Take the &folder’s", press=lambda: self._choose("theirs", everywhere=False))
        self.all_mine = button("All mine", link=True, press=lambda: self._choose("mine", everywhere=True))
        self.all_theirs = button("All the folder’s", link=True, press=lambda: self._choose("theirs", everywhere=True))
        self.save = button("Save to the folder", press=self.save_requested.emit)
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
        self.seen = seen
        self.lead.show_text(diff_summary(seen))
        rows = sorted(seen.diff.differences, key=lambda one: _ORDER[one.side])
        self.table.show_rows(rows, 0 if rows else None)
        here = {one.identity for one in self.conflicts}
        self.choices = {identity: choice for identity, choice in self.choices.items() if identity in here}
        self.faults.setVisible(bool(seen.faults))
        self.faults.setEnabled(bool(seen.faults))
        self.faults.setPlainText("\n".join(fault.sentence for fault in seen.faults))
        for one in (self.table, self.sides, self.sheet):
            one.setVisible(bool(rows))
        if rows:
            self.table.setFocus()
        self._show_choices()

    def refuse(self, sentence: str) -> None:
        """Show why the folder cannot be read, or why an action failed."""
        self.lead.show_text(sentence)
        self._show_choices()

    # ---- widgets

    def _columns(self) -> tuple[Column[Difference], ...]:
        def tone(one: Difference, otherwise: str) -> str:
            return "warning" if one.side == "both" and one.identity not in self.choices else otherwise

        def of_side(one: Difference) -> str:
            return "text_2" if one.side == "here" else "text"

        return (
            Column("thing", "Thing", lambda one: one.kind.capitalize(), 90, tone=lambda _: "text_2"),
            Column("name", "Name", lambda one: " ".join(one.name[:_LONGEST].split()), 200, tone=of_side),
            Column("happened", "What happened", change_words, 190, tone=lambda one: tone(one, "text_2")),
            Column(
                "outcome",
                "Imported",
                lambda one: resolution_words(one, self.choices.get(one.identity)),
                170,
                tone=lambda one: tone(one, of_side(one)),
            ),
        )

    @property
    def conflicts(self) -> list[Difference]:
        return [one for one in self.table.rows if one.side == "both"]

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
        chosen = self.conflicts if everywhere else [one for one in self.table.chosen if one.side == "both"]
        self.choices |= {one.identity: Winner(side) for one in chosen}
        self.table.viewport().update()
        self._show_choices()
        undecided = [place for place, one in enumerate(self.conflicts) if one.identity not in self.choices]
        if undecided and not everywhere:
            self.table.pick(undecided[0])

    def _on_picked(self) -> None:
        one: Difference | None = self.table.current
        self.sheet.show_differences(() if one is None else item_diffs(one))
        self._show_choices()

    def _show_choices(self) -> None:
        conflicts, seen = self.conflicts if self.seen is not None else [], self.seen
        can_choose = any(one.side == "both" for one in self.table.chosen)
        for one in (self.mine, self.theirs):
            one.setVisible(bool(conflicts))
            one.setEnabled(can_choose)
        for one in (self.all_mine, self.all_theirs):
            one.setVisible(bool(conflicts))
        comes = seen is not None and not seen.faults and any(one.side != "here" for one in self.table.rows)
        decided = bool(self.choices) or any(one.side == "there" for one in self.table.rows)
        self.verb.setEnabled(comes and decided)
        self.verb.setText("Import")
        left = len(conflicts) - len(self.choices) if seen is not None else 0
        self.verb.setToolTip(f"{left} undecided and left unchanged" if left else "")
        only_here = seen is not None and not seen.faults and not comes and bool(self.table.rows)
        self.save.setEnabled(only_here)

    def _load(self) -> None:
        if self.seen is not None:
            self.load_requested.emit(self.seen, dict(self.choices))

    def _compare(self) -> None:
        self.wait()
        self.look_requested.emit()
