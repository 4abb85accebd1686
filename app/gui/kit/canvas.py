"""Canvas of panes: text, icons, bars, badges and glyphs in design units."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from app.display import numbers
from app.display.words import Level
from app.domain.match import Band, Tier
from app.domain.running import ActivationBlocker
from app.gui.kit import icons
from app.gui.kit.theme import Face, Theme, color
from app.scoring.scorers import SCORERS

LINE, _STEP = 0.8, 4.0
"""Width and distance of hatching lines, in units."""


@lru_cache(maxsize=128)
def hatched(width: float, height: float, radius: float) -> QPainterPath:
    """Return the path of a hatched rectangle at the origin: outline and clipped diagonals."""
    path = QPainterPath()
    path.addRoundedRect(QRectF(0.5, 0.5, width - 1, height - 1), radius, radius)
    left, right, top, bottom = 0.5, width - 0.5, 0.5, height - 0.5
    x = -height
    while x < width:  # each from (x, height) up to (x + height, 0)
        start, end = max(x + height - bottom, left), min(x + height - top, right)
        if start < end:
            path.moveTo(start, x + height - start)
            path.lineTo(end, x + height - end)
        x += _STEP
    return path


@lru_cache(maxsize=128)
def hatching(width: float, height: float, radius: float, shade: str, fine: float) -> QPixmap:
    """Return a hatched rectangle as a pixmap, with `fine` pixels per unit."""
    picture = QPixmap(ceil(width * fine) + 1, ceil(height * fine) + 1)
    picture.fill(Qt.GlobalColor.transparent)
    picture.setDevicePixelRatio(fine)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(shade), LINE))
    painter.drawPath(hatched(width, height, radius))
    painter.end()
    return picture


_AT_RIGHT = int(Qt.AlignmentFlag.AlignRight)
_IN_CENTER = int(Qt.AlignmentFlag.AlignHCenter)

Run = tuple[str, Face, str]
"""Run of text: text, font, colour token."""

Place = tuple[str, QRectF]
"""Piece of text, and its rectangle."""

_ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
LEFT = int(Qt.AlignmentFlag.AlignLeft | _ONE_LINE)
RIGHT = int(Qt.AlignmentFlag.AlignRight | _ONE_LINE)
_WRAPPED = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
CENTER = int(Qt.AlignmentFlag.AlignHCenter | _ONE_LINE)

_SAME_LINE, _TOUCHING = 4.0, 1.0
_EVERYWHERE = (-1e9, 1e9)
_ALIGNED = 0.02
"""Tolerance in pixels for alignment with whole pixels."""

_OVERHANG = 6.0
"""Distance in units by which a drawing may exceed its place."""

LEVEL_COLORS: dict[Level, str] = {
    Tier.ACTIVATED: "level_best",
    Tier.MULTIPLE_MATCHES: "level_good",
    Tier.WEAK_MATCHES: "level_weak",
    Tier.NOT_FOUND: "level_none",
    ActivationBlocker.COMMAND: "warning",
    ActivationBlocker.APPROVAL: "warning",
    Band.HIGH: "level_best",
    Band.MEDIUM: "level_good",
    Band.LOW: "level_weak",
    Band.FALLBACK: "level_none",
}
_STEPS = {Band.HIGH: 3, Band.MEDIUM: 2, Band.LOW: 1, Band.FALLBACK: 0}


class Canvas:
    """QPainter scaled so that 13 units are one text height; records texts for screen readers."""

    def __init__(self, painter: QPainter, theme: Theme, width: float) -> None:
        self.painter, self.theme = painter, theme
        self.width = width / theme.scale
        self.keeps = True
        """True if texts are recorded; rows read by a model need not be."""
        self._shown = _EVERYWHERE
        self._ratio = painter.device().devicePixelRatio()
        self.written: list[str] = []
        self.places: dict[int, list[Place]] | None = None
        """Texts and places of each recorded line, by number; None without a screen reader."""
        self._reach = (-1e9, 0.0)
        self.cut: list[tuple[QRectF, str]] = []
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(theme.scale, theme.scale)

    def show_only(self, top: float, bottom: float) -> None:
        """Clip to a vertical range: texts outside are recorded, but not drawn."""
        self._shown = (top - _OVERHANG, bottom + _OVERHANG)

    def shows(self, y: float, height: float) -> bool:
        return y <= self._shown[1] and y + height >= self._shown[0]

    def explain(self, rect: QRectF, what: str) -> None:
        """Add a tooltip to a place, after an elided text there."""
        if what:
            self.cut.append((QRectF(rect), what))

    def text(self, rect: QRectF, text: str, font: Face, token: str = "text", align: int = LEFT) -> float:
        """Draw one elided line into a rectangle; return its width."""
        whole = text
        if not text.isprintable():
            text = text.replace("\n", " ").replace("\0", "\N{SYMBOL FOR NULL}")
        text = text[:2000]
        width = font.width(text)
        if width > rect.width() + 0.5:
            self.cut.append((QRectF(rect), text))
            text = font.cut(text, rect.width())
            width = min(font.width(text), rect.width())
        x, y, high = rect.x(), rect.y(), rect.height()
        if align & _AT_RIGHT:
            x = rect.right() - width
        elif align & _IN_CENTER:
            x += (rect.width() - width) / 2
        if self.keeps:
            self._note(whole, y + high / 2, x, x + width)
            self._place(whole, QRectF(x, y, width, high))
        if self.shows(y, high):
            self.painter.setFont(font)
            self.painter.setPen(self.theme.color(token))
            self.painter.drawStaticText(QPointF(x, y + (high - font.high) / 2), font.ready(text))
        return width

    def aside(self, text: str) -> None:
        """Add to the current line, for screen readers, what is shown by shape or weight."""
        if self.written:
            self.written[-1] += f" {text}"

    def _note(self, text: str, y: float, start: float, end: float) -> None:
        """Record a text: pieces at one height make a line, touching ones a word."""
        sentence = "absent" if text == numbers.ABSENT else text
        height, reach = self._reach
        if self.written and abs(y - height) < _SAME_LINE:
            self.written[-1] += sentence if abs(start - reach) < _TOUCHING else f" {sentence}"
        else:
            self.written.append(sentence)
        self._reach = (y, end)

    def _place(self, text: str, rect: QRectF) -> None:
        if self.places is None or not self.written:
            return
        line = self.places.setdefault(len(self.written) - 1, [])
        if line and abs(line[-1][1].right() - rect.x()) < _TOUCHING:
            before, place = line.pop()
            text, rect = f"{before}{text}", place.united(rect)
        line.append((text, rect))

    def runs(self, x: float, y: float, height: float, runs: Iterable[Run], width: float) -> float:
        """Draw runs of different fonts and colours on one line; return the end."""
        end = x + width
        for text, font, token in runs:
            if x >= end - 1:
                break
            x += self.text(QRectF(x, y, end - x, height), text, font, token)
        return x

    def wrapped_height(self, text: str, width: float, font: Face, lines: int = 3) -> float:
        """Return the height of a paragraph of this width, of at most `lines` lines."""
        text = numbers.unbroken(text[:4000])
        return min(font.wrapped(text, width, _WRAPPED), font.wrapped("\n".join("x" * lines), width, _WRAPPED))

    def paragraph(self, rect: QRectF, text: str, font: Face, token: str = "text", lines: int = 3) -> float:
        """Draw wrapped text, elided after `lines` lines; return its height."""
        self.written.append(text)
        self._place(text, rect)
        self._reach = (-1e9, 0.0)
        text = numbers.unbroken(text[:4000])
        needed = font.wrapped(text, rect.width(), _WRAPPED)
        height = self.wrapped_height(text, rect.width(), font, lines)
        if needed > height:
            self.cut.append((QRectF(rect.x(), rect.y(), rect.width(), height), text))
            if self.shows(rect.y(), height):
                text = font.cropped(text, rect.width(), _WRAPPED, height)
        if self.shows(rect.y(), height):
            self.painter.save()
            self.painter.setClipRect(QRectF(rect.x(), rect.y(), rect.width(), height))
            self.painter.setFont(font)
            self.painter.setPen(self.theme.color(token))
            self.painter.drawText(QRectF(rect.x(), rect.y(), rect.width(), needed + 2), _WRAPPED, text)
            self.painter.restore()
        return height

    def icon(self, name: str, x: float, y: float, size: float, token: str = "text_2") -> None:
        """Draw an icon with its upper left corner at a place."""
        if not self.shows(y, size):
            return
        shade: str = getattr(self.theme.tokens, token)
        if all(self._is_whole(length) for length in (x, y, size)):
            picture = icons.pixmap(name, shade, round(size), self.theme.scale * self._ratio)
            self.painter.drawPixmap(QPointF(x, y), picture)
        else:
            icons.drawing(name, shade).render(self.painter, QRectF(QPointF(x, y), QSizeF(size, size)))

    def fill(self, rect: QRectF, shade: str | QColor, radius: float = 0.0) -> None:
        """Fill a rounded rectangle; in high contrast a soft fill is an outline."""
        if not self.shows(rect.y(), rect.height()):
            return
        outline = self.theme.outline(shade) if isinstance(shade, str) else None
        if outline is not None:
            rect = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        self.painter.setPen(QPen(self.theme.color(outline), 1) if outline else Qt.PenStyle.NoPen)
        self.painter.setBrush(self.theme.color(shade) if isinstance(shade, str) else shade)
        if radius:
            self.painter.drawRoundedRect(rect, radius, radius)
        else:
            self.painter.drawRect(rect)

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        token: str = "border",
        width: float = 1.0,
        *,
        dashes: tuple[float, ...] | None = None,
    ) -> None:
        pen = QPen(self.theme.color(token), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if dashes:
            pen.setDashPattern([part / width for part in dashes])
        self.painter.setPen(pen)
        self.painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))

    def bar(self, rect: QRectF, value: float | None, shade: str, track: str | None = "sunken") -> None:
        """Draw a bar on its track from 0 to 1; None is hatched, zero is the bare track."""
        if value is None:
            self.hatch(rect)
            return
        if track:
            self.fill(rect, track, 2)
        if value > 0.0:
            self.fill(
                QRectF(rect.x(), rect.y(), max(1.5, rect.width() * min(value, 1.0)), rect.height()), color(shade), 2
            )

    def hatch(self, rect: QRectF, radius: float = 2.0) -> None:
        """Draw the mark for absent values: an outline with diagonal lines."""
        if not self.shows(rect.y(), rect.height()):
            return
        painter, shade = self.painter, self.theme.color("border_strong")
        if self._is_whole(rect.x()) and self._is_whole(rect.y()):
            # On whole pixels a cached picture looks the same, and is drawn much faster.
            fine = self.theme.scale * self._ratio
            painter.drawPixmap(rect.topLeft(), hatching(rect.width(), rect.height(), radius, shade.name(), fine))
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(shade, LINE))
        painter.translate(rect.topLeft())
        painter.drawPath(hatched(rect.width(), rect.height(), radius))
        painter.translate(-rect.topLeft())

    def _is_whole(self, units: float) -> bool:
        """Check if a length in units is a whole number of pixels."""
        pixels = units * self.theme.scale * self._ratio
        return abs(pixels - round(pixels)) < _ALIGNED

    def triangle(self, x: float, y: float, token: str = "text") -> None:
        """Draw a triangle with its tip at a place."""
        shape = QPolygonF([QPointF(x, y), QPointF(x - 4.0, y + 5.5), QPointF(x + 4.0, y + 5.5)])
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(self.theme.color(token))
        self.painter.drawPolygon(shape)

    def badge(self, scorer: str, x: float, y: float, size: float = 15.0) -> None:
        """Draw a scorer's initial on its colour; it is not read, as the name stands beside it."""
        if not self.shows(y, size):
            return
        self.fill(QRectF(x, y, size, size), color(self.theme.tokens.scorer(scorer)), 4)
        row = SCORERS.get(scorer)
        initial = row.initial if row else scorer[:1].upper()
        self.painter.setFont(self.theme.face(11, 700))
        self.painter.setPen(self.theme.color("surface"))
        self.painter.drawText(QRectF(x, y, size, size), CENTER, initial)

    def press(self, word: str, rect: QRectF, token: str) -> None:
        """Draw a button with a word, with the frame and corners of the others."""
        self.fill(rect, "border_strong", 6)
        self.fill(rect.adjusted(1, 1, -1, -1), "surface", 5)
        self.text(rect, word, self.theme.face(12, 600), token, CENTER)

    def level(self, level: Level, x: float, y: float) -> None:
        """Draw the glyph of a band (three steps), a tier or what a power lacks (discs and rings)."""
        shade = self.theme.color(LEVEL_COLORS[level])
        if isinstance(level, Band):
            self._steps(_STEPS[level], x, y, shade)
        else:
            self._disc(level, x, y, shade)

    def _steps(self, filled: int, x: float, y: float, shade: QColor) -> None:
        self.painter.setPen(QPen(shade, 1))
        for index, height in enumerate((5.0, 8.0, 11.0)):
            self.painter.setBrush(shade if index < filled else Qt.BrushStyle.NoBrush)
            self.painter.drawRoundedRect(QRectF(x + 0.5 + index * 4.4, y + 11.5 - height, 3.2, height), 1.4, 1.4)

    def _disc(self, tier: Tier | ActivationBlocker, x: float, y: float, shade: QColor) -> None:
        painter = self.painter
        painter.setPen(QPen(shade, 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if tier is Tier.ACTIVATED:
            painter.setBrush(shade)
            painter.drawEllipse(QRectF(x + 1, y + 1, 10.5, 10.5))
            painter.setPen(QPen(self.theme.color("surface"), 1.5))
            painter.drawPolyline(
                QPolygonF([QPointF(x + 3.6, y + 6.4), QPointF(x + 5.5, y + 8.3), QPointF(x + 9, y + 4)])
            )
        elif tier is Tier.MULTIPLE_MATCHES:
            painter.drawEllipse(QRectF(x + 4.5, y + 2, 8.4, 8.4))
            painter.setBrush(shade)
            painter.drawEllipse(QRectF(x, y + 2, 8.4, 8.4))
        else:
            painter.drawEllipse(QRectF(x + 1.2, y + 1.2, 10, 10))
            if isinstance(tier, ActivationBlocker):  # an exclamation mark
                painter.drawLine(QPointF(x + 6.2, y + 3.6), QPointF(x + 6.2, y + 6.6))
                painter.drawPoint(QPointF(x + 6.2, y + 8.8))
            elif tier is Tier.WEAK_MATCHES:
                painter.setBrush(shade)
                painter.drawEllipse(QRectF(x + 4.9, y + 4.9, 2.6, 2.6))
            else:
                painter.drawLine(QPointF(x + 2.9, y + 9.6), QPointF(x + 9.6, y + 2.9))
