"""The arithmetic of the intent's confidence: one policy's rows over a rule and a sum, or two policies side by side."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display import words
from app.display.scope.intent import Policies, PolicyRow
from app.display.scope.merging import Sum
from app.gui.pen import RIGHT, Pen
from app.gui.theme import Theme

PAD = 16.0
_ROW = 19.0
_COLUMN = 66.0


def draw_sums(pen: Pen, theme: Theme, rows: tuple[Sum, ...], confidence: str, y: float) -> float:
    """One policy: what, how and value of each row, the rule, the sum; where it ends.

    How it comes about begins in one column that no word of the LLM moves, where there is room for that.
    """
    right = pen.width - PAD
    what = theme.face(12, 450)
    column = PAD + max(what.width(words.say("LLM timed out")) + 2, *(what.width(row.what) for row in rows)) + 10
    for row in rows:
        y = _row(pen, theme, row, y, column)
    _rule(pen, right, y + 2)
    pen.text(QRectF(PAD, y + 5, 120, 18), words.say("Confidence"), theme.face(12, 600))
    pen.text(QRectF(right - 90, y + 5, 90, 18), confidence, theme.face(12, 700, mono=True), "text", RIGHT)
    return y + 24


def _row(pen: Pen, theme: Theme, row: Sum, y: float, column: float) -> float:
    number, right = theme.face(12, mono=True), pen.width - PAD
    small = theme.face(11, mono=True) if row.adds else theme.face(11)
    value = number.width(row.value)
    what = theme.face(12, 450)
    named = what.width(row.what)
    after, end = PAD + named + 10, right - value - 8
    left = column if column + small.width(row.how) <= end else after
    pen.text(QRectF(PAD, y, right - PAD, 18), row.what, what)
    reach = what.width(words.say("Floor")) - named + small.width(row.reach) if row.reach else 0.0
    beside = max(small.width(row.how), reach) <= end - after
    if beside and row.how:
        pen.text(QRectF(left, y, end - left, 18), row.how, small, "text_2")
    pen.text(QRectF(right - value - 2, y, value + 2, 18), row.value, number, "text", RIGHT)
    if beside:
        return y + _ROW
    return y + _ROW - 2 + pen.paragraph(QRectF(PAD, y + 17, right - PAD, 60), row.how, small, "text_2") + 2


def _rule(pen: Pen, right: float, y: float) -> None:
    """A line above a sum, on one row of pixels wherever a paragraph before it ended."""
    y = round(y) - 0.5
    pen.line(PAD, y, right, y, "text_2")


def draw_policies(pen: Pen, theme: Theme, table: Policies, y: float) -> float:
    """Two policies: their amounts in columns, what both do said once, the first difference marked; where it ends."""
    right, face = pen.width - PAD, theme.face
    edges = [right - _COLUMN * (len(table.names) - 1 - place) for place in range(len(table.names))]
    pen.text(QRectF(PAD, y, 120, 18), words.say("Merge policy"), face(11, 600), "text_2")
    for place, (name, edge) in enumerate(zip(table.names, edges, strict=True)):
        used = place == table.used
        pen.text(QRectF(edge - _COLUMN, y, _COLUMN, 18), name, face(12, 700 if used else 400), _shade(used), RIGHT)
    y += 20
    for row in table.rows:
        y = _policy_row(pen, theme, row, table, edges, y)
    _rule(pen, right, y + 2)
    pen.text(QRectF(PAD, y + 5, 120, 18), words.say("Confidence"), face(12, 600))
    for place, (text, edge) in enumerate(zip(table.confidences, edges, strict=True)):
        number = face(12, 700 if place == table.used else 400, mono=True)
        pen.text(QRectF(edge - _COLUMN, y + 5, _COLUMN, 18), text, number, _shade(place == table.used), RIGHT)
    y += 26
    if len(set(table.types)) > 1:
        y = _said(pen, theme, table.names, table.types, y)
    if table.topics:
        y = _said(pen, theme, table.names, table.topics, y)
    return y + pen.paragraph(QRectF(PAD, y, right - PAD, 40), table.sentence, face(12), "text_2", lines=2) + 2


def _policy_row(pen: Pen, theme: Theme, row: PolicyRow, table: Policies, edges: list[float], y: float) -> float:
    face, right = theme.face, pen.width - PAD
    left = PAD
    if row.parts:
        pen.fill(QRectF(PAD - 6, y - 1, right - PAD + 12, 20), "accent_soft", 4)
    room = edges[0] - _COLUMN + 14 - left
    pen.text(
        QRectF(left, y, room, 18), row.what, face(12, 600 if row.parts else 450), "accent" if row.parts else "text"
    )
    for place, (value, edge) in enumerate(zip(row.values, edges, strict=True)):
        shade = "accent" if row.parts else _shade(place == table.used)
        pen.text(QRectF(edge - _COLUMN, y, _COLUMN, 18), value or "–", face(12, mono=True), shade, RIGHT)
    y += _ROW
    if row.how:
        return y + pen.paragraph(QRectF(left, y - 2, right - left, 40), row.how, face(11), "text_2", lines=2)
    return _said(pen, theme, table.names, row.hows, y - 1)


def _said(pen: Pen, theme: Theme, names: tuple[str, ...], texts: tuple[str, ...], y: float) -> float:
    """What each policy says for itself, a line each."""
    for name, text in zip(names, texts, strict=True):
        if text:
            runs = [(f"{name}  ", theme.face(11, 600), "text_2"), (text, theme.face(11), "text_2")]
            pen.runs(PAD, y, 16, runs, pen.width - 2 * PAD)
            y += 16
    return y + 2


def _shade(used: bool) -> str:
    return "text" if used else "text_2"
