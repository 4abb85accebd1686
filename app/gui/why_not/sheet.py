"""The verdict, drawn: the stage that lost it, and expected against winner, one line for each scorer."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.display.scope.why_not import KIND_ICONS, GapRow, Verdict
from app.gui.pen import LEFT, RIGHT, Pen
from app.gui.sheet import Sheet
from app.gui.theme import Theme
from app.scoring.scorers import SCORERS

_PAD, _ROW, _HEAD, _LAST = 16.0, 38.0, 44.0, 30.0
_TITLE, _TITLE_TIGHT, _GAP, _BETWEEN = 142.0, 26.0, 70.0, 18.0
_LEAST_VALUE, _MOST_VALUE = 88.0, 300.0
_BADGE = 15.0
_MOST_LINES = 6


class VerdictSheet(Sheet):
    """Shows one verdict; it takes as much height as that needs."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self.shown: Verdict | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_verdict(self, shown: Verdict | None) -> None:
        """Draw this from now on."""
        if shown != self.shown:
            self.shown = shown
            self.update()

    def compose(self, pen: Pen) -> float:
        shown = self.shown
        if shown is None:
            return 10.0
        face, wide = self.theme.face, pen.width - 2 * _PAD
        y = 14.0
        pen.icon("check" if shown.won else "cross", _PAD, y + 3, 16, "success" if shown.won else "danger")
        pen.text(QRectF(_PAD + 24, y, wide - 24, 22), shown.headline, face(15, 650))
        y += 26
        y += pen.paragraph(QRectF(_PAD, y, wide, 400), shown.sentence, face(13), lines=_MOST_LINES) + 10
        if shown.rows:
            y = self._table(pen, shown, y)
        if shown.nearest:
            y += pen.paragraph(QRectF(_PAD, y, wide, 200), shown.nearest, face(12), "text_2", lines=_MOST_LINES) + 6
        return y + 10

    def _table(self, pen: Pen, shown: Verdict, y: float) -> float:
        columns = _columns(pen.width, bool(shown.winner))
        self._head(pen, shown, y, columns)
        y += _HEAD
        for row in shown.rows:
            pen.line(_PAD, y - 0.5, pen.width - _PAD, y - 0.5)
            self._row(pen, row, y, columns)
            y += _ROW
        if shown.ranks[0]:
            pen.line(_PAD, y - 0.5, pen.width - _PAD, y - 0.5)
            pen.text(QRectF(_PAD, y, _TITLE, _LAST), self.tr("Rank"), self.theme.face(12))
            for (x, wide), rank in zip(columns, shown.ranks, strict=False):
                pen.text(QRectF(x, y, wide, _LAST), rank, self.theme.face(13, mono=True), "text_2", LEFT)
            y += _LAST
        return y + 12

    def _head(self, pen: Pen, shown: Verdict, y: float, columns: list[tuple[float, float]]) -> None:
        quiet, name = self.theme.face(11, 500), self.theme.face(13, 600)
        words = (self.tr("Expected"), shown.beside)
        for (x, wide), word, said in zip(columns, words, (shown.expected, shown.winner), strict=False):
            pen.text(QRectF(x, y, wide, 16), word, quiet, "text_2")
            inset = 0.0
            if word == words[0]:
                pen.icon(KIND_ICONS.get(shown.kind, "label"), x, y + 20, 14)
                inset = 20.0
            pen.text(QRectF(x + inset, y + 16, wide - inset, 22), said, name)
        if len(columns) > 1:
            pen.text(QRectF(pen.width - _PAD - _GAP, y, _GAP, 16), self.tr("Difference"), quiet, "text_2", RIGHT)

    def _row(self, pen: Pen, row: GapRow, y: float, columns: list[tuple[float, float]]) -> None:
        face, total = self.theme.face, not row.scorer
        tight = columns[0][0] < _PAD + _TITLE
        is_known = row.scorer in SCORERS
        if is_known:
            pen.badge(row.scorer, _PAD, y + 11, _BADGE, named=not tight)
        if not (tight and is_known):
            inset = 22.0 if is_known else 0.0
            room = columns[0][0] - _PAD - inset - 6
            pen.text(QRectF(_PAD + inset, y + 8, room, 21), row.title, face(12, 650 if total else 400))
        tokens = self.theme.tokens
        shade = tokens.accent if total else tokens.scorer(row.scorer) if is_known else tokens.bar
        values = ((row.expected, row.expected_text), (row.winner, row.winner_text))
        most = max((value for value, _ in values if value), default=None)
        end = max(1.0, most or 0.0)  # evidence goes beyond 1
        for (x, wide), (value, text) in zip(columns, values, strict=False):
            leads = value is not None and value == most
            font = face(14 if total else 12, 700 if total or leads else 400, mono=True)
            pen.text(QRectF(x, y + 3, wide, 19), text, font, "text" if total or leads else "text_2", LEFT)
            pen.bar(QRectF(x, y + 25, wide, 6), None if value is None else value / end, shade)
        if row.gap and len(columns) > 1:
            pen.text(
                QRectF(pen.width - _PAD - _GAP, y + 7, _GAP, 22),
                row.gap,
                face(13, 700 if total else 600, mono=True),
                "text",
                RIGHT,
            )


def _columns(width: float, both: bool) -> list[tuple[float, float]]:
    """Where the values of the expected answer begin and how wide they are, then those of the winner if there is one;
    without room for the scorers' names their initials stay."""
    free = width - 2 * _PAD - _BETWEEN * 2 - _GAP if both else width - 2 * _PAD - _BETWEEN
    number = 2 if both else 1
    title = _TITLE if (free - _TITLE) / number >= _LEAST_VALUE else _TITLE_TIGHT
    wide = float(int(min(_MOST_VALUE, max(40.0, (free - title) / number - _BETWEEN / 2))))
    first = _PAD + title
    return [(first, wide), (first + wide + _BETWEEN, wide)][:number]
