"""Arithmetic of the intent's confidence, by one policy or by two side by side."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from app.display.scope.intent import IntentCard, Policies, PolicyRow, RulerMark
from app.display.scope.merging import MergeRow
from app.display.scope.surfacing import Surfacing, TableRow
from app.display.words import about
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.theme.fonts import Face
from app.gui.kit.theme.theme import Theme

PAD = 16.0
_ROW = 19.0
_COLUMN = 66.0


def draw_arithmetic(canvas: Canvas, theme: Theme, rows: tuple[MergeRow, ...], confidence: str, y: float) -> float:
    """Draw one policy: source, operation and value per row, and the sum; return the lower end.

    The operations start in one fixed column, if there is space.
    """
    right = canvas.width - PAD
    what = theme.face(12, 450)
    column = PAD + max(what.width("LLM timed out") + 2, *(what.width(row.what) for row in rows)) + 10
    for row in rows:
        y = _row(canvas, theme, row, y, column)
    _rule(canvas, right, y + 2)
    canvas.text(QRectF(PAD, y + 5, 120, 18), "Confidence", theme.face(12, 600))
    canvas.text(QRectF(right - 90, y + 5, 90, 18), confidence, theme.face(12, 700, mono=True), "text", RIGHT)
    return y + 24


def _row(canvas: Canvas, theme: Theme, row: MergeRow, y: float, column: float) -> float:
    number, right = theme.face(12, mono=True), canvas.width - PAD
    small = theme.face(11, mono=True) if row.adds else theme.face(11)
    value = number.width(row.value)
    what = theme.face(12, 450)
    named = what.width(row.what)
    after, end = PAD + named + 10, right - value - 8
    left = column if column + small.width(row.how) <= end else after
    canvas.text(QRectF(PAD, y, right - PAD, 18), row.what, what)
    reach = what.width("Cues") - named + small.width(row.reach) if row.reach else 0.0
    beside = max(small.width(row.how), reach) <= end - after
    if beside and row.how:
        canvas.text(QRectF(left, y, end - left, 18), row.how, small, "text_2")
    canvas.text(QRectF(right - value - 2, y, value + 2, 18), row.value, number, "text", RIGHT)
    if beside:
        return y + _ROW
    return y + _ROW - 2 + canvas.paragraph(QRectF(PAD, y + 17, right - PAD, 60), row.how, small, "text_2") + 2


def _rule(canvas: Canvas, right: float, y: float) -> None:
    """Draw a line above a sum, aligned to one row of pixels."""
    y = round(y) - 0.5
    canvas.line(PAD, y, right, y, "text_2")


def draw_policies(canvas: Canvas, theme: Theme, table: Policies, y: float) -> float:
    """Draw two policies in columns, with the first difference marked; return the lower end."""
    right, face = canvas.width - PAD, theme.face
    edges = [right - _COLUMN * (len(table.names) - 1 - place) for place in range(len(table.names))]
    canvas.text(QRectF(PAD, y, 120, 18), "Merge policy", face(11, 600), "text_2")
    for place, (name, edge) in enumerate(zip(table.names, edges, strict=True)):
        used = place == table.used
        canvas.text(QRectF(edge - _COLUMN, y, _COLUMN, 18), name, face(12, 700 if used else 400), _shade(used), RIGHT)
        canvas.explain(QRectF(edge - _COLUMN, y, _COLUMN, 18), about(table.keys[place]))
    y += 20
    for row in table.rows:
        y = _policy_row(canvas, theme, row, table, edges, y)
    _rule(canvas, right, y + 2)
    canvas.text(QRectF(PAD, y + 5, 120, 18), "Confidence", face(12, 600))
    for place, (text, edge) in enumerate(zip(table.confidences, edges, strict=True)):
        number = face(12, 700 if place == table.used else 400, mono=True)
        canvas.text(QRectF(edge - _COLUMN, y + 5, _COLUMN, 18), text, number, _shade(place == table.used), RIGHT)
    y += 26
    if len(set(table.types)) > 1:
        y = _draw_sentences(canvas, theme, table.names, table.types, y)
    if table.topics:
        y = _draw_sentences(canvas, theme, table.names, table.topics, y)
    return y + canvas.paragraph(QRectF(PAD, y, right - PAD, 40), table.sentence, face(12), "text_2", lines=2) + 2


def _policy_row(canvas: Canvas, theme: Theme, row: PolicyRow, table: Policies, edges: list[float], y: float) -> float:
    face, right = theme.face, canvas.width - PAD
    left = PAD
    if row.parts:
        canvas.fill(QRectF(PAD - 6, y - 1, right - PAD + 12, 20), "accent_soft", 4)
    room = edges[0] - _COLUMN + 14 - left
    canvas.text(
        QRectF(left, y, room, 18), row.what, face(12, 600 if row.parts else 450), "accent" if row.parts else "text"
    )
    for place, (value, edge) in enumerate(zip(row.values, edges, strict=True)):
        shade = "accent" if row.parts else _shade(place == table.used)
        canvas.text(QRectF(edge - _COLUMN, y, _COLUMN, 18), value or "–", face(12, mono=True), shade, RIGHT)
    y += _ROW
    if row.how:
        return y + canvas.paragraph(QRectF(left, y - 2, right - left, 40), row.how, face(11), "text_2", lines=2)
    return _draw_sentences(canvas, theme, table.names, row.hows, y - 1)


def _draw_sentences(canvas: Canvas, theme: Theme, names: tuple[str, ...], texts: tuple[str, ...], y: float) -> float:
    """Draw the sentence of each policy; return the lower end."""
    for name, text in zip(names, texts, strict=True):
        if text:
            runs = [(f"{name}  ", theme.face(11, 600), "text_2"), (text, theme.face(11), "text_2")]
            canvas.runs(PAD, y, 16, runs, canvas.width - 2 * PAD)
            y += 16
    return y + 2


def _shade(used: bool) -> str:
    return "text" if used else "text_2"


# ---- Ruler from 0 to 1: the confidence as a bar, floor and LLM as wedges, the threshold as a line

HEIGHT = 43.0
_GAP, _WEDGE = 6.0, 5.0


@dataclass(frozen=True, slots=True)
class _Label:
    """Text with its wanted end (or start), and where it was placed."""

    text: str
    width: float
    x: float


def draw_ruler(canvas: Canvas, theme: Theme, card: IntentCard, left: float, y: float, width: float) -> float:
    """Draw the ruler; return its lower end."""
    _wedges(canvas, theme, card.marks, left, y, width)
    canvas.bar(QRectF(left, y + 16, width, 9), card.value, theme.tokens.accent)
    if card.threshold is not None:
        x = left + width * card.threshold.value
        canvas.line(x, y + 14, x, y + 39, "text", 1.2, dashes=(3, 2))
    _below(canvas, theme, card, left, y + 27, width)
    return y + HEIGHT


def _wedges(canvas: Canvas, theme: Theme, marks: tuple[RulerMark, ...], left: float, y: float, width: float) -> None:
    font = theme.face(11, 500)
    ordered = sorted(marks, key=lambda mark: mark.value)
    texts = [f"{mark.word} {mark.text}" for mark in ordered]
    labels = _placed([(text, left + width * mark.value) for text, mark in zip(texts, ordered, strict=True)], font)
    shift = min((label.x for label in labels), default=left)
    end = max((label.x + label.width for label in labels), default=left)
    by = max(0.0, left - shift) - max(0.0, end - (left + width))
    for label, mark in zip(labels, ordered, strict=True):
        canvas.text(QRectF(label.x + by, y, label.width + 2, 16), label.text, font)
        canvas.triangle(left + width * mark.value, y + 13, "text", down=True, hollow=not mark.counts, size=_WEDGE)


def _placed(wanted: list[tuple[str, float]], font: Face) -> list[_Label]:
    """Place one or two labels before their wedges, the second after it if there is no space."""
    placed: list[_Label] = []
    for text, x in wanted:
        width = font.width(text)
        start = x - 8 - width
        if placed and start < wanted[0][1] + 8:
            start = x + 8
        placed.append(_Label(text, width, start))
    if len(placed) > 1 and placed[1].x + placed[1].width - placed[0].x > 0 and wanted[1][1] - wanted[0][1] < 1:
        return [placed[0], _Label(placed[1].text, placed[1].width, wanted[1][1] + 8)]
    return placed


def _below(canvas: Canvas, theme: Theme, card: IntentCard, left: float, y: float, width: float) -> None:
    """Draw the value near the bar's end and the threshold beside its line, without overlap."""
    bold, plain = theme.face(11, 600), theme.face(11)
    final, token = f"Final {card.confidence}", "accent" if card.found else "text_2"
    wide, end = bold.width(final), left + width * card.value
    most = left + width - wide
    at_end = max(left, min(end - wide, most))
    if card.threshold is None:
        canvas.text(QRectF(at_end, y, wide + 2, 16), final, bold, token)
        return
    line = left + width * card.threshold.value
    full = f"{card.threshold.word} {card.threshold.text}"
    finals = [x for x in (at_end, line + _GAP, line - _GAP - wide) if left <= x <= most and not x < line < x + wide]
    finals.sort(key=lambda x: abs(x - at_end))
    for x in finals:
        for text in (full, card.threshold.text):
            room = plain.width(text)
            for start in (line + _GAP, line - _GAP - room):
                inside = left - 0.5 <= start and start + room <= left + width + 0.5
                if inside and (start >= x + wide + 4 or start + room + 4 <= x):
                    canvas.text(QRectF(x, y, wide + 2, 16), final, bold, token)
                    canvas.text(QRectF(start, y, room + 2, 16), text, plain, "text_2")
                    return
    canvas.text(QRectF(finals[0] if finals else at_end, y, wide + 2, 16), final, bold, token)
    canvas.written.append(full)


# ---- Surfacing by an intent: the sentence, and the table with the current and unreachable rows (S4.12)

_PAD = 16.0
_LEAST = 62.0


def draw_surfacing(canvas: Canvas, theme: Theme, shown: Surfacing, y: float) -> float:
    """Draw the surfacing; return its lower end."""
    face, right = theme.face, canvas.width - _PAD
    used = canvas.text(QRectF(_PAD, y, right - _PAD, 16), "Injection", face(11, 600), "text_2")
    canvas.explain(QRectF(_PAD, y, used, 16), about("injected"))
    rest = QRectF(_PAD + used + 8, y, right - _PAD - used - 8, 16)
    canvas.text(rest, f"from {shown.threshold} on", face(11), "text_2", RIGHT)
    y += 18
    # Space for the longest sentence is reserved, so that no answer moves the table.
    lines = 1 if face(12).width(shown.longest) <= right - _PAD else 2
    high = canvas.paragraph(QRectF(_PAD, y, right - _PAD, 60), shown.sentence, face(12), "text", lines=3)
    y += max(high, lines * face(12).measure.lineSpacing()) + 3
    for row in shown.rows:
        _surfacing_row(canvas, theme, row, y)
        y += _ROW
    return y


def _surfacing_row(canvas: Canvas, theme: Theme, row: TableRow, y: float) -> None:
    """Draw a row: the current one bold with a wedge, an unreachable one hatched, with reason."""
    face, right = theme.face, canvas.width - _PAD
    token = "text" if row.holds else "text_2"
    weight = 700 if row.holds else 400
    if row.holds:
        canvas.triangle(_PAD + 4, y + 7)
    elif row.dead:
        canvas.hatch(QRectF(_PAD, y + 5, 9, 9))
    canvas.text(QRectF(_PAD + 18, y, _LEAST, _ROW), f"≥ {row.least}", face(12, weight, mono=True), token)
    if row.holds:
        canvas.aside("(in force)")
    elif row.dead:
        canvas.aside("(dead)")
    x = _PAD + 18 + _LEAST + 6
    x += canvas.text(QRectF(x, y, right - x, _ROW), row.count, face(12, 600 if row.holds else 400), token) + 10
    if row.note:
        canvas.text(QRectF(x, y, right - x, _ROW), row.note, face(11), "text_2", RIGHT)
