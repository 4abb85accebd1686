"""Model, delegate and header of paired matches: the answer, and the columns of two sides."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF

from app.display import words
from app.display.scope.matches.rows import Cell
from app.display.scope.side_by_side import PairRow, RankedRow, SideBySide
from app.domain.library import Kind
from app.gui.kit.drawing.canvas import LEFT, LEVEL_COLORS, RIGHT, Canvas
from app.gui.kit.tables.delegates import RowDelegate
from app.gui.kit.tables.rows import NOWHERE, ROW_ROLE, Index, RowsModel
from app.gui.kit.theme.theme import Theme, Themed

ROW_HEIGHT = 44
HEAD_HEIGHT = 27
_LEAST_CELL, _MOST_CELL = 43.0, 92.0
_RANK, _LAST = 38.0, 104.0
_RANK_TIGHT, _LAST_TIGHT, _ANSWER_TIGHT = 26.0, 82.0, 150.0
_LEAST_ANSWER, _MOST_ANSWER = 200.0, 380.0
_GUTTER = 6.0
_NAME_X = 38.0


@dataclass(frozen=True, slots=True)
class ColumnWidths:
    """Widths of the columns, in units: the answer, and on each side rank, one score, confidence."""

    answer: float
    rank: float
    cell: float
    last: float

    @classmethod
    def of(cls, width: float, scorers: int) -> ColumnWidths:
        """Return the columns for a width; with little space without scores.

        Before that, rank and confidence become narrower, and so does the answer.
        """
        easy = min(_MOST_ANSWER, max(_LEAST_ANSWER, (width - 2 * (_RANK + _LAST)) * 0.28))
        for rank, last, answer in ((_RANK, _LAST, easy), (_RANK_TIGHT, _LAST_TIGHT, _ANSWER_TIGHT)):
            rest = width - 2 * (rank + last)
            cell = min(_MOST_CELL, float((rest - answer) // (2 * scorers)))
            if cell >= _LEAST_CELL:
                break
        else:
            side = max(_RANK + 70, (width - _LEAST_ANSWER) / 2)
            return cls(width - 2 * side, _RANK, 0.0, side - _RANK)
        return cls(width - 2 * (rank + cell * scorers + last), rank, cell, last)


def diamond(canvas: Canvas, x: float, y: float, *, first: bool) -> None:
    """Draw the mark of a difference, 9 wide and high: filled for the first, otherwise hollow."""
    shape = QPolygonF([QPointF(x + 4.5, y), QPointF(x + 9, y + 4.5), QPointF(x + 4.5, y + 9), QPointF(x, y + 4.5)])
    color = canvas.theme.color("warning")
    canvas.painter.setPen(color)
    canvas.painter.setBrush(color if first else canvas.theme.color("surface"))
    canvas.painter.drawPolygon(shape)


class PairDelegate(RowDelegate):
    """Paints the cells of paired rows."""

    wide, ruled, marked = 50, True, False

    def __init__(self, theme: Theme, model: PairsModel, parent: QObject | None = None) -> None:
        super().__init__(theme, ROW_HEIGHT, parent)
        self.model = model

    def color_of(self, index: Index, on: bool) -> str:
        return "selection" if on else "warning_soft" if index.data(ROW_ROLE).is_first else "surface"

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        row = index.data(ROW_ROLE)
        if index.column() == 0:
            self._answer(canvas, row, on)
        else:
            self._part(canvas, row, index.column(), on or row.is_first)

    def _answer(self, canvas: Canvas, row: PairRow, on: bool) -> None:
        face = self.theme.face
        if on or row.is_first:
            canvas.fill(QRectF(0, 0, 3, ROW_HEIGHT), "accent" if on else "warning")
        canvas.icon("memory" if row.kind is Kind.MEMORY else "power", 15, 6, 15)
        room = canvas.width - _NAME_X - 10
        canvas.text(QRectF(_NAME_X, 3, room, 20), row.name, face(13, 600))
        if not row.differs:
            canvas.text(QRectF(_NAME_X, 22, room, 18), "the same", face(11), "text_2")
            return
        diamond(canvas, _NAME_X, 26, first=row.is_first)
        change = f"{row.change} " if row.change else ""
        runs = [(change, face(11, 600, mono=True), "text"), (row.differs, face(11), "text_2")]
        if row.is_first:
            runs.insert(0, ("First differs here ", face(11, 650), "warning"))
        canvas.runs(_NAME_X + 14, 22, 18, runs, room - 14)

    def _part(self, canvas: Canvas, row: PairRow, column: int, tinted: bool) -> None:
        side, part = self.model.place_of(column)
        placed = row.sides[side]
        if part == 0:
            canvas.line(0.5, 0, 0.5, ROW_HEIGHT)
        if placed is None:
            self._gap(canvas, side, part)
        elif part == 0:
            canvas.text(
                QRectF(0, 3, canvas.width - 10, 20), str(placed.rank), self.theme.face(13, mono=True), "text_2", RIGHT
            )
        else:
            cell = self.model.cell(placed, part)
            if cell is not None:
                self._score(canvas, cell, tinted)
            elif self.model.is_confidence(part):
                self._confidence(canvas, placed)

    def _gap(self, canvas: Canvas, side: int, part: int) -> None:
        """Draw hatching over a missing side, with the word for it in the confidence column."""
        last = self.model.per_side - 1
        left, right = (10.0 if part == 0 else -1.0), canvas.width - 14 if part == last else canvas.width + 1
        if part == last:
            word = "not listed"
            canvas.text(QRectF(0, 12, canvas.width - 14, 20), word, self.theme.face(11, 500), "text_2", RIGHT)
        else:
            canvas.painter.save()
            canvas.painter.setClipRect(QRectF(0, 0, canvas.width, ROW_HEIGHT))
            canvas.hatch(QRectF(left, 18, right - left, 8), radius=0)
            canvas.painter.restore()

    def _score(self, canvas: Canvas, cell: Cell, tinted: bool) -> None:
        width = canvas.width - 2 * _GUTTER
        font = self.theme.face(12, 700 if cell.decides else 400, mono=True)
        canvas.text(
            QRectF(_GUTTER, 4, width + _GUTTER, 19), cell.text, font, "text" if cell.decides else "text_2", LEFT
        )
        track = "surface" if tinted else "sunken"
        canvas.bar(QRectF(_GUTTER, 26, width, 6), cell.value, self.theme.tokens.scorer(cell.scorer), track)
        if cell.decides and cell.value is not None:
            canvas.triangle(_GUTTER + width * cell.value, 34)

    def _confidence(self, canvas: Canvas, placed: RankedRow) -> None:
        row, face = placed.row, self.theme.face
        canvas.text(QRectF(0, 2, canvas.width - 14, 20), row.confidence, face(14, 700, mono=True), "text", RIGHT)
        if row.level is not None:
            font = face(11, 500)
            wide = font.width(row.level_word)
            if wide > canvas.width - 34:  # the glyph alone, if the word does not fit
                canvas.level(row.level, canvas.width - 14 - 13, 25)
                return
            canvas.level(row.level, canvas.width - 14 - wide - 17, 25)
            canvas.text(
                QRectF(canvas.width - 14 - wide, 22, wide + 2, 18), row.level_word, font, LEVEL_COLORS[row.level]
            )


class PairHead(Themed):
    """Header above the rows: titles of each side's columns."""

    def __init__(self, theme: Theme, scorers: tuple[str, ...]) -> None:
        super().__init__(theme)
        self.scorers: tuple[str, ...] = ()
        self.setFixedHeight(theme.px(HEAD_HEIGHT))
        self.setAccessibleName("Columns")
        self.show_scorers(scorers)

    def show_scorers(self, scorers: tuple[str, ...]) -> None:
        self.scorers = scorers
        self.update()
        self.setToolTip("\n".join(f"{words.scorer(key).title}: {words.scorer(key).summary}" for key in scorers))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        canvas = Canvas(painter, self.theme, self.width())
        face, grid = self.theme.face(11, 500), ColumnWidths.of(canvas.width, len(self.scorers))
        canvas.text(QRectF(_NAME_X, 0, grid.answer - _NAME_X, 26), "Answer", face, "text_2")
        x = grid.answer
        for _ in range(2):
            canvas.line(x + 0.5, 0, x + 0.5, HEAD_HEIGHT)
            canvas.text(QRectF(x, 0, grid.rank - 8, 26), "#", face, "text_2", RIGHT)
            x += grid.rank
            for key in self.scorers if grid.cell else ():
                canvas.badge(key, x + _GUTTER, 5.5)
                if grid.cell >= 80:
                    canvas.text(
                        QRectF(x + _GUTTER + 20, 0, grid.cell - 26, 26), words.scorer(key).title, face, "text_2"
                    )
                x += grid.cell
            canvas.text(QRectF(x - 20, 0, grid.last + 6, 26), "Confidence", face, "text_2", RIGHT)
            x += grid.last
        canvas.line(0, HEAD_HEIGHT - 0.5, canvas.width, HEAD_HEIGHT - 0.5)


# ---- Model: the answer, then rank, scores and confidence of each side.


class PairsModel(RowsModel[PairRow]):
    """One row per answer of either side. New rows replace old ones in place, without a reset."""

    def __init__(self, scorers: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__((), (), parent)
        self.scorers = scorers
        self.titles = ("", "")
        self.missing = ("", "")

    def show_scorers(self, scorers: tuple[str, ...]) -> None:
        self.beginResetModel()
        self.scorers = scorers
        self.endResetModel()

    def show_pairs(self, shown: SideBySide | None) -> None:
        """Show these rows and signal only those that differ."""
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
        """Number of columns of a side: rank, scores, confidence."""
        return len(self.scorers) + 2

    def place_of(self, column: int) -> tuple[int, int]:
        """Return the side of a column beyond the first (0 left, 1 right), and its index there."""
        return divmod(column - 1, self.per_side)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else 1 + 2 * self.per_side

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        if section == 0:
            return "Answer"
        side, part = self.place_of(section)
        return f"{self.titles[side]}: {self._part_title(part)}"

    def cell(self, placed: RankedRow, part: int) -> Cell | None:
        """Return the score of a side's column; None for rank, confidence and absent scores."""
        name = self.scorers[part - 1] if 1 <= part <= len(self.scorers) else ""
        return next((cell for cell in placed.row.cells if cell.scorer == name), None)

    def is_confidence(self, part: int) -> bool:
        """Check if a side's column is its last one."""
        return part > len(self.scorers)

    def _part_title(self, part: int) -> str:
        if part == 0:
            return "Rank"
        return words.scorer(self.scorers[part - 1]).title if part <= len(self.scorers) else "Confidence"

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
            return f"{words.KINDS[row.kind]} {row.name}, {difference(row)}"
        side, part = self.place_of(column)
        placed, title = row.sides[side], self.titles[side]
        if placed is None:
            return f"{title}: {self.missing[side]}"
        if part == 0:
            return f"{title}: rank {placed.rank}"
        cell = self.cell(placed, part)
        if cell is None and not self.is_confidence(part):
            return f"{title}: " + f"{self._part_title(part)} absent"
        if cell is None:
            return f"{title}: {placed.row.confidence}, {placed.row.level_word}"
        scorer = words.scorer(cell.scorer).title
        if cell.value is None:
            return f"{title}: " + f"{scorer} absent"
        return f"{title}: {scorer} {cell.text}" + (", " + "decides" if cell.decides else "")

    def tip(self, row: PairRow, column: int) -> str:
        return f"{row.name}\n{difference(row)}" if column == 0 else ""


def difference(row: PairRow) -> str:
    text = row.differs or "the same on both sides"
    if row.change:
        text += f" {row.change}"
    return f"first differs here: {text}" if row.is_first else text
