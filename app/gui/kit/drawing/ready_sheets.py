"""Sheets for common content: an annotated text, a diff, tables of numbers."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display.library.memory_details import DiffMark, DiffSpan, FieldDiff
from app.display.review.trace import TracePart, TraceRow
from app.display.system.metrics import Table
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.fonts import Face
from app.gui.kit.theme.tokens import ROUTE_TOKENS

_PAD, _LINE, _GAP = 16.0, 20.0, 14.0
_NUMBER, _GLYPH = 64.0, 19.0
_MOST_LINES = 40


class PartsSheet(Sheet):
    """A text, a line below it, then its parts; texts wrap up to a maximum of lines."""

    text = ""
    below = ""
    parts: tuple[TracePart, ...] = ()

    def show_parts(self, text: str, below: str, parts: tuple[TracePart, ...]) -> None:
        """Draw a text, the line below it, and its parts."""
        self.text, self.below, self.parts = text, below, parts
        self.update()

    def compose(self, canvas: Canvas) -> float:
        face, y = self.theme.face, 4.0
        wide = canvas.width - 2 * _PAD
        if self.text:
            y += canvas.paragraph(QRectF(_PAD, y, wide, 1200), self.text, face(15, 600), lines=_MOST_LINES) + 2
        if self.below:
            y += canvas.paragraph(QRectF(_PAD, y, wide, 60), self.below, face(12), "text_2") + 4
        for part in self.parts:
            y += _GAP
            canvas.text(QRectF(_PAD, y, wide, _LINE), part.title, face(11, 600), "text_2")
            y += _LINE
            for row in part.rows:
                y = self._row(canvas, row, y)
        return y + 16

    def _row(self, canvas: Canvas, row: TraceRow, y: float) -> float:
        face, wide = self.theme.face, canvas.width - 2 * _PAD
        if row.is_sum:
            canvas.text(QRectF(_PAD, y, wide, _LINE), row.quiet, face(12), "text_2")
            y += _LINE - 2
            rect = QRectF(_PAD, y, wide, 200)
            return y + max(_LINE - 2, canvas.paragraph(rect, row.said, face(12, mono=True), lines=_MOST_LINES) + 2)
        x, right = _PAD, canvas.width - _PAD
        if row.level is not None:
            canvas.level(row.level, x, y + 4)
            x += _GLYPH
        if row.value:
            right -= max(
                _NUMBER,
                8 + canvas.text(QRectF(right - 120, y, 120, _LINE), row.value, face(12, mono=True), align=RIGHT),
            )
        if not row.quiet:
            if self._fits(row.said, right - x):
                canvas.text(QRectF(x, y, right - x, _LINE), row.said, face(12))
                return y + _LINE
            return y + canvas.paragraph(QRectF(x, y + 2, right - x, 200), row.said, face(12), lines=_MOST_LINES) + 4
        quiet = min(face(12).width(row.quiet), 0.5 * (right - x))
        if row.said:
            taken = canvas.text(QRectF(x, y, right - x - quiet - 10, _LINE), row.said, face(12))
            x += taken + 10
        canvas.text(QRectF(x, y, right - x, _LINE), row.quiet, face(12), "text_2")
        return y + _LINE

    def _fits(self, text: str, width: float) -> bool:
        return "\n" not in text and self.theme.face(12).width(text) <= width


# ---- Diff by field: removed words struck through, new ones underlined.


_DIFF_LINE, _DIFF_PAD = 19.0, 16.0
_TOKENS = {DiffMark.SAME: "text", DiffMark.GONE: "danger", DiffMark.NEW: "success"}
_SOFT = {DiffMark.GONE: "danger_soft", DiffMark.NEW: "success_soft"}
_MOST_DIFF_LINES = 400


class DiffSheet(Sheet):
    """Diff of two states; words wrap, marks differ by shape, then colour."""

    shown: tuple[FieldDiff, ...] = ()

    def show_differences(self, differences: tuple[FieldDiff, ...]) -> None:
        """Draw these differences."""
        self.shown = differences
        text = "\n".join(f"{one.title}: {one.sentence}" for one in differences)
        self.setAccessibleDescription(text[:4_000])
        self.update()

    def compose(self, canvas: Canvas) -> float:
        y = 4.0
        face = self.theme.face
        if not self.shown:
            canvas.text(
                QRectF(_DIFF_PAD, y, canvas.width - 2 * _DIFF_PAD, _DIFF_LINE),
                "No differences.",
                face(12),
                "text_2",
            )
            return y + _DIFF_LINE + 8
        for difference in self.shown:
            canvas.text(
                QRectF(_DIFF_PAD, y, canvas.width - 2 * _DIFF_PAD, _DIFF_LINE),
                difference.title,
                face(11, 600),
                "text_2",
            )
            y += _DIFF_LINE
            for line in difference.lines[:_MOST_DIFF_LINES]:
                y = self._line(canvas, line, y)
            y += 8
        return y

    def _line(self, canvas: Canvas, pieces: tuple[DiffSpan, ...], y: float) -> float:
        x, right = _DIFF_PAD, canvas.width - _DIFF_PAD
        for piece in pieces:
            if piece.mark is DiffMark.NEW and x > _DIFF_PAD:
                x += 2
            for word in _cut(piece.text):
                wide = self._face(piece.mark).width(word)
                if x + wide > right and x > _DIFF_PAD:
                    x, y = _DIFF_PAD, y + _DIFF_LINE
                self._word(canvas, word.replace("\n", " "), piece.mark, QRectF(x, y, min(wide, right - x), _DIFF_LINE))
                x += wide
                if word.endswith("\n"):
                    x, y = _DIFF_PAD, y + _DIFF_LINE
        return y + _DIFF_LINE

    def _word(self, canvas: Canvas, word: str, mark: DiffMark, where: QRectF) -> None:
        if mark in _SOFT:
            canvas.fill(where.adjusted(0, 2, 0, -2), _SOFT[mark])
        canvas.text(where.adjusted(0, 0, 1, 0), word, self._face(mark), _TOKENS[mark])
        if mark is not DiffMark.SAME and word.strip():
            level = where.center().y() + 0.5 if mark is DiffMark.GONE else where.bottom() - 3.5
            canvas.line(where.left(), level, where.right(), level, _TOKENS[mark], 1.2)

    def _face(self, mark: DiffMark) -> Face:
        return self.theme.face(12, 600 if mark is DiffMark.NEW else 400)


def _cut(text: str) -> list[str]:
    """Split into words with the spaces after them."""
    words_: list[str] = []
    word = ""
    for letter in text:
        if word and word[-1].isspace() and not letter.isspace():
            words_.append(word)
            word = ""
        word += letter
    return [*words_, word] if word else words_


# ---- Tables of counts and times below each other: names left, numbers right.


_ROW, _COLUMN, _COLUMN_LEAST, _TABLE_PAD = 22.0, 62.0, 44.0, 16.0
_BETWEEN = 96.0
"""Maximum gap between the longest name and its numbers, so that rows can be followed."""
_TOP = 4.0
"""Offset that aligns the first title with a pane header's."""


class TablesSheet(Sheet):
    """Tables of numbers; zeros are muted."""

    shown: tuple[Table, ...] = ()

    def compose(self, canvas: Canvas) -> float:
        y = _TOP
        across = min(canvas.width, max(map(self._most, self.shown), default=0.0))
        for place, table in enumerate(self.shown):
            if place:
                canvas.line(_TABLE_PAD, y + 7.5, canvas.width - _TABLE_PAD, y + 7.5)
                y += 14
            y = self._table(canvas, table, y, across)
        return y + 16

    def _table(self, canvas: Canvas, table: Table, y: float, across: float) -> float:
        face, wide = self.theme.face, self._column(table, across)
        canvas.text(QRectF(_TABLE_PAD, y + 4, across - 2 * _TABLE_PAD, 18), table.title, face(12, 600))
        for place, head in enumerate(reversed(table.heads)):
            right = across - _TABLE_PAD - place * wide
            canvas.text(QRectF(right - wide, y + 4, wide, 18), head, face(11), "text_2", RIGHT)
        y += 25
        for row in table.rows:
            token = "text_2" if row.is_quiet else "text"
            columns, x = len(row.cells), _TABLE_PAD
            if row.color:
                canvas.fill(QRectF(x, y + 6, 9, 9), ROUTE_TOKENS[row.color], 2)
                x += 15
            canvas.text(QRectF(x, y, across - _TABLE_PAD - x - columns * wide, _ROW), row.what, face(12), token)
            for place, cell in enumerate(reversed(row.cells)):
                right = across - _TABLE_PAD - place * wide
                weight = 400 if row.is_quiet or place < columns - 1 else 600
                number = face(12, weight, mono=True)
                canvas.text(QRectF(right - wide, y, wide, _ROW), cell, number, token, RIGHT)
            y += _ROW
        if table.remark:
            y += 3 + canvas.paragraph(
                QRectF(_TABLE_PAD, y + 3, canvas.width - 2 * _TABLE_PAD, 80), table.remark, face(11), "text_2"
            )
        return y

    def _most(self, table: Table) -> float:
        """Return the width of a table with enough space."""
        return 2 * _TABLE_PAD + self._names(table) + _BETWEEN + len(table.heads) * self._wanted(table)

    def _names(self, table: Table) -> float:
        """Return the width of the title and the names."""
        face = self.theme.face
        named = (face(12).width(row.what) + (15 if row.color else 0) for row in table.rows)
        return max((face(12, 600).width(table.title), *named))

    def _wanted(self, table: Table) -> float:
        """Return the preferred width of a number column; wide headings and cells need more."""
        face, number = self.theme.face, self.theme.face(12, 600, mono=True)
        cells = {cell for row in table.rows for cell in row.cells}
        wide = (*(face(11).width(head) for head in table.heads), *map(number.width, cells))
        return max([_COLUMN, *(each + 8 for each in wide)])

    def _column(self, table: Table, across: float) -> float:
        """Return the width of a number column; less than preferred if names need the space."""
        room = across - 2 * _TABLE_PAD - self._names(table) - 6
        return max(_COLUMN_LEAST, min(self._wanted(table), room / max(1, len(table.heads))))
