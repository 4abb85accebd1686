"""The paired matches as Qt's item views see them: the answer, then rank, scores and confidence of each side."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt

from app.display import words
from app.display.scope.rows import Cell, level_word
from app.display.scope.side_by_side import PairRow, Placed, SideBySide
from app.domain.language import say
from app.gui.kit.tables.rows import NOWHERE, Index, RowsModel


class PairsModel(RowsModel[PairRow]):
    """One row per answer, whichever side lists it. New rows replace old ones in place, without a reset."""

    def __init__(self, scorers: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scorers = scorers
        self.titles = ("", "")
        self.missing = ("", "")

    def show_scorers(self, scorers: tuple[str, ...]) -> None:
        """Have a column on each side for each of these."""
        self.beginResetModel()
        self.scorers = scorers
        self.endResetModel()

    def show_pairs(self, shown: SideBySide | None) -> None:
        """Show these rows; only the ones that differ are announced."""
        rows = shown.rows if shown is not None else ()
        old = self.replace_rows(rows)
        again = shown is not None and (shown.titles, shown.missing) != (self.titles, self.missing)
        if shown is not None:
            self.titles, self.missing = shown.titles, shown.missing
        if again:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
        last = self.columnCount() - 1
        for place, (before, now) in enumerate(zip(old, rows, strict=False)):
            if again or before != now:
                self.dataChanged.emit(self.index(place, 0), self.index(place, last))

    @property
    def per_side(self) -> int:
        """How many columns a side has: rank, scores, confidence."""
        return len(self.scorers) + 2

    def place_of(self, column: int) -> tuple[int, int]:
        """Which side a column beyond the first belongs to (0 left, 1 right), and which of that side's it is."""
        return divmod(column - 1, self.per_side)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else 1 + 2 * self.per_side

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        if section == 0:
            return self.tr("Answer")
        side, part = self.place_of(section)
        return f"{self.titles[side]}: {self._part_title(part)}"

    def cell(self, placed: Placed, part: int) -> Cell | None:
        """The score that a side's column shows; None where it is the rank or the confidence, or was not asked there."""
        name = self.scorers[part - 1] if 1 <= part <= len(self.scorers) else ""
        return next((cell for cell in placed.row.cells if cell.scorer == name), None)

    def is_confidence(self, part: int) -> bool:
        """If a side's column is its last one."""
        return part > len(self.scorers)

    def _part_title(self, part: int) -> str:
        if part == 0:
            return self.tr("Rank")
        return words.scorer(self.scorers[part - 1]).title if part <= len(self.scorers) else self.tr("Confidence")

    def text(self, row: PairRow, column: int) -> str:
        if column == 0:
            return row.name
        side, part = self.place_of(column)
        placed = row.sides[side]
        if placed is None:
            return ""
        if part == 0:
            return str(placed.rank)
        cell = self.cell(placed, part)
        if cell is None:
            return placed.row.confidence if self.is_confidence(part) else ""
        return cell.text

    def spoken(self, row: PairRow, column: int) -> str:
        if column == 0:
            return f"{say(words.KINDS[row.kind])} {row.name}, {difference(row)}"
        side, part = self.place_of(column)
        placed, title = row.sides[side], self.titles[side]
        if placed is None:
            return f"{title}: {self.missing[side]}"
        if part == 0:
            return self.tr("{0}: rank {1}").format(title, placed.rank)
        cell = self.cell(placed, part)
        if cell is None and not self.is_confidence(part):
            return f"{title}: " + self.tr("{0} absent").format(self._part_title(part))
        if cell is None:
            return f"{title}: {placed.row.confidence}, {level_word(placed.row.level)}"
        scorer = words.scorer(cell.scorer).title
        if cell.value is None:
            return f"{title}: " + self.tr("{0} absent").format(scorer)
        return f"{title}: {scorer} {cell.text}" + (", " + self.tr("decides") if cell.decides else "")

    def tip(self, row: PairRow, column: int) -> str:
        return f"{row.name}\n{difference(row)}" if column == 0 else ""


def difference(row: PairRow) -> str:
    """What differs of a row, in words."""
    said = row.differs or say("the same on both sides")
    if row.change:
        said += f" {row.change}"
    return say("first differs here: {what}", what=said) if row.is_first else said
