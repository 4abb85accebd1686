"""A score taken apart, drawn: the words of query and trigger, what they have to do with each other, and the sum."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display import words
from app.display.scope.contributions import Contribution, Part, Word, Words
from app.domain.language import say, say_n
from app.gui.kit.drawing.pen import RIGHT, Pen, Run
from app.gui.kit.theme.fonts import Face
from app.gui.kit.theme.theme import Theme

PAD = 16.0
ROW = 18.0
_HEAD = 22.0
_UNDERLINE = 16.0
_BETWEEN = 8.0
"""Between one scorer and the next."""


def draw_contributions(pen: Pen, theme: Theme, parts: tuple[Contribution, ...], y: float) -> float:
    """One block per scorer from `y` down; where the last one ends."""
    for place, part in enumerate(parts):
        y = _contribution(pen, theme, part, y + (_BETWEEN if place else 0.0))
    return y


def _contribution(pen: Pen, theme: Theme, part: Contribution, y: float) -> float:
    face, room = theme.face, pen.width - 2 * PAD
    pen.badge(part.scorer, PAD, y + 2)
    pen.text(QRectF(PAD + 22, y, room - 80, ROW), words.scorer(part.scorer).title, face(12, 600))
    pen.text(QRectF(pen.width - PAD - 60, y, 60, ROW), part.score, face(12, 700, mono=True), "text", RIGHT)
    y += _HEAD
    for row in part.rows:
        y = _words(pen, theme, part.scorer, row, y) + 2
    if part.sentence:
        y += pen.paragraph(QRectF(PAD, y, room, 60), part.sentence, face(11), "text_2", lines=3) + 2
    if part.arithmetic:
        mono, total = face(11, mono=True), f"= {part.score}"
        runs: list[Run] = [(f"{part.arithmetic} ", mono, "text"), (total, face(11, 700, mono=True), "text")]
        if mono.width(part.arithmetic) + face(11, 700, mono=True).width(f" {total}") > room:
            y += pen.paragraph(QRectF(PAD, y, room, 60), f"{part.arithmetic} {total}", mono, "text", lines=3) + 2
        else:
            pen.runs(PAD, y, ROW, runs, room)
            y += ROW
    return y


def _words(pen: Pen, theme: Theme, scorer: str, row: Words, y: float) -> float:
    """The words after the row's title, wrapped; where the last line ends."""
    small, end = theme.face(11), pen.width - PAD
    x = PAD + pen.text(QRectF(PAD, y, end - PAD, ROW), row.title, small, "text_2") + 8
    for word in row.words:
        wide = min(_face(theme, word).width(word.text) + _note_width(theme, word), end - PAD)
        if x > PAD and x + wide > end:
            x, y = PAD, y + ROW + 1
        _word(pen, theme, scorer, word, x, y, wide)
        x += wide + 6
    if row.more:
        text = say_n(row.more, "and {n} more", "and {n} more")
        if x + small.width(text) > end:
            x, y = PAD, y + ROW + 1
        pen.text(QRectF(x, y, end - x, ROW), text, small, "text_2")
    return y + ROW


def _face(theme: Theme, word: Word) -> Face:
    return theme.face(12, 600 if word.part is Part.SAME else 400)


def _note_width(theme: Theme, word: Word) -> float:
    return theme.face(11, mono=True).width(word.note) + 3 if word.note else 0.0


def _word(pen: Pen, theme: Theme, scorer: str, word: Word, x: float, y: float, wide: float) -> None:
    """One word: what both have is underlined, what both nearly have is underlined with dashes."""
    font, note = _face(theme, word), _note_width(theme, word)
    reach = max(1.0, wide - note)
    pen.text(QRectF(x, y, reach + 0.6, ROW), word.text, font, "text_2" if word.part is Part.ALONE else "text")
    if word.part in _SAID:
        pen.aside(say(_SAID[word.part]))
    if word.part is not Part.ALONE:
        dashes = None if word.part is Part.SAME else (3.0, 2.0)
        pen.line(x, y + _UNDERLINE, x + reach, y + _UNDERLINE, scorer, 1.6, dashes=dashes)
    if word.note:
        pen.text(QRectF(x + reach + 3, y, note, ROW), word.note, theme.face(11, mono=True), "text_2")


_SAID: dict[Part, str] = {Part.SAME: say("(in both)"), Part.CLOSE: say("(nearly in both)")}
"""What form alone tells, for those who listen."""
