"""The ruler from 0 to 1: the final confidence as a bar, floor and LLM as wedges, the surfacing threshold as a line."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from app.display import words
from app.display.scope.intent import IntentCard, Mark
from app.gui.pen import Pen
from app.gui.theme import Face, Theme

HEIGHT = 43.0
_GAP, _WEDGE = 6.0, 5.0


@dataclass(frozen=True, slots=True)
class _Label:
    """A text that wants to end (or begin) at a place, and where it came to stand."""

    text: str
    width: float
    x: float


def draw_ruler(pen: Pen, theme: Theme, card: IntentCard, left: float, y: float, width: float) -> float:
    """Draw it from `y` down; where it ends."""
    _wedges(pen, theme, card.marks, left, y, width)
    pen.bar(QRectF(left, y + 16, width, 9), card.value, theme.tokens.accent)
    if card.threshold is not None:
        x = left + width * card.threshold.value
        pen.line(x, y + 14, x, y + 39, "text", 1.2, dashes=(3, 2))
    _below(pen, theme, card, left, y + 27, width)
    return y + HEIGHT


def _wedges(pen: Pen, theme: Theme, marks: tuple[Mark, ...], left: float, y: float, width: float) -> None:
    font = theme.face(11, 500)
    ordered = sorted(marks, key=lambda mark: mark.value)
    texts = [f"{mark.word} {mark.text}" for mark in ordered]
    labels = _placed([(text, left + width * mark.value) for text, mark in zip(texts, ordered, strict=True)], font)
    shift = min((label.x for label in labels), default=left)
    end = max((label.x + label.width for label in labels), default=left)
    by = max(0.0, left - shift) - max(0.0, end - (left + width))
    for label, mark in zip(labels, ordered, strict=True):
        pen.text(QRectF(label.x + by, y, label.width + 2, 16), label.text, font)
        pen.triangle(left + width * mark.value, y + 13, "text", down=True, hollow=not mark.counts, size=_WEDGE)


def _placed(wanted: list[tuple[str, float]], font: Face) -> list[_Label]:
    """One or two labels: the lower one before its wedge, the higher one before its own if that is free, else after."""
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


def _below(pen: Pen, theme: Theme, card: IntentCard, left: float, y: float, width: float) -> None:
    """The final value near the bar's end, the threshold beside its line: wherever neither lies on the other."""
    bold, plain = theme.face(11, 600), theme.face(11)
    final, token = words.say("Final {confidence}", confidence=card.confidence), "accent" if card.found else "text_2"
    wide, end = bold.width(final), left + width * card.value
    most = left + width - wide
    at_end = max(left, min(end - wide, most))
    if card.threshold is None:
        pen.text(QRectF(at_end, y, wide + 2, 16), final, bold, token)
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
                    pen.text(QRectF(x, y, wide + 2, 16), final, bold, token)
                    pen.text(QRectF(start, y, room + 2, 16), text, plain, "text_2")
                    return
    pen.text(QRectF(finals[0] if finals else at_end, y, wide + 2, 16), final, bold, token)
    pen.written.append(full)
