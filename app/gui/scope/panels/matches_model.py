"""The matches as Qt's item views see them: one row per answer that stays itself while its numbers change."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from PySide6.QtCore import QObject, Qt

from app.display import words
from app.display.scope.rows import Cell, MatchRow
from app.domain.language import say
from app.domain.library import Kind
from app.gui.kit.tables.rows import NOWHERE, Index, RowsModel


class MatchesModel(RowsModel[MatchRow]):
    """Answer, one column per scorer, confidence. New rows replace old ones in place, without a reset."""

    def __init__(self, scorers: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scorers = scorers

    def show_rows(self, rows: tuple[MatchRow, ...]) -> None:
        """Show these rows; only the cells that are drawn or read otherwise are announced."""
        differing = [self._differing(*pair) for pair in zip(self.replace_rows(rows), rows, strict=False)]
        for runs, group in groupby(enumerate(differing), key=itemgetter(1)):
            places = [place for place, _ in group]
            for first, last in runs:
                self.dataChanged.emit(self.index(places[0], first), self.index(places[-1], last))

    def _differing(self, old: MatchRow, new: MatchRow) -> tuple[tuple[int, int], ...]:
        """The first and last columns of each run of cells that are drawn otherwise."""
        if old == new:
            return ()
        runs: list[tuple[int, int]] = []
        for column, (before, now) in enumerate(zip(self._drawn(old), self._drawn(new), strict=True)):
            if before == now:
                continue
            if runs and runs[-1][1] == column - 1:
                runs[-1] = runs[-1][0], column
            else:
                runs.append((column, column))
        return tuple(runs)

    def _drawn(self, row: MatchRow) -> tuple[object, ...]:
        """What is drawn in each column."""
        answer = (row.key, row.kind, row.name, row.level, row.level_word, row.trigger, row.behind)
        return answer, *(row.cell(name) for name in self.scorers), (row.confidence, row.lead)

    def place_of(self, key: str) -> int:
        """The row of an answer; -1 if it is not shown."""
        return next((place for place, row in enumerate(self.rows) if row.key == key), -1)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.scorers) + 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        if section == 0:
            return self.tr("Answer")
        if section <= len(self.scorers):
            return words.scorer(self.scorers[section - 1]).title
        return self.tr("Confidence, lead")

    def text(self, row: MatchRow, column: int) -> str:
        if column == 0:
            return row.name
        if column <= len(self.scorers):
            cell = self._cell(row, column)
            return cell.text if cell else ""
        return row.confidence

    def spoken(self, row: MatchRow, column: int) -> str:
        if column == 0:
            kind = say(words.KINDS[row.kind])
            spoken = f"{kind} {row.name}, {row.level_word}, {row.confidence}, “{row.trigger}”"
            return f"{spoken}, {row.behind}" if row.more else spoken
        if column <= len(self.scorers):
            cell = self._cell(row, column)
            title = words.scorer(self.scorers[column - 1]).title
            if cell is None or cell.value is None or cell.stale:
                return self.tr("{0} absent").format(title)
            return f"{title} {cell.text}" + (", " + self.tr("decides") if cell.decides else "")
        return f"{row.confidence} {row.lead}"

    def tip(self, row: MatchRow, column: int) -> str:
        return "\n".join((row.name, row.trigger, row.more)[: 3 if row.more else 2]) if column == 0 else ""

    def _cell(self, row: MatchRow, column: int) -> Cell | None:
        return row.cell(self.scorers[column - 1])


def kind_counts(rows: tuple[MatchRow, ...]) -> dict[str, int]:
    """How many rows there are in all and of each kind, by the key of the filter."""
    return {"all": len(rows)} | {str(kind): sum(row.kind is kind for row in rows) for kind in Kind}
