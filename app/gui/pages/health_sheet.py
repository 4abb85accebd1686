"""One finding in full: how grave it is, what was found, from what that is known, and what to do."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display import words
from app.display.review import health, health_remedies, health_words
from app.display.visible import visible
from app.domain.health import HealthFinding
from app.gui.pages.health_list import ICONS, SHADES
from app.gui.pen import Pen
from app.gui.sheet import Sheet
from app.gui.theme import Theme

_PAD, _INDENT, _WIDEST = 16.0, 40.0, 720.0


class HealthSheet(Sheet):
    """Drawn top to bottom; what it is about stands in the table below it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._finding: HealthFinding | None = None

    def show_finding(self, finding: HealthFinding | None) -> None:
        """Show a finding; None for none."""
        self._finding = finding
        self.update()

    def compose(self, pen: Pen) -> float:
        finding = self._finding
        if finding is None:
            return 10
        row, face, shade = health.row(finding), self.theme.face, SHADES[finding.gravity]
        wide = min(pen.width - _INDENT - _PAD, _WIDEST)
        pen.icon(ICONS[finding.gravity], 15, 14, 18, shade)
        x = _INDENT + pen.text(QRectF(_INDENT, 12, wide, 22), row.word, face(13, 650), shade) + 10
        pen.text(QRectF(x, 12, _INDENT + wide - x, 22), row.title, face(15, 650))
        y = 42.0
        y += pen.paragraph(QRectF(_INDENT, y, wide, 200), row.sentence, face(13), lines=8) + 10
        known = words.say(health_words.KNOWN_BY[finding.known_by])
        y += pen.paragraph(QRectF(_INDENT, y, wide, 80), known, face(12), "text_2") + 12
        pen.text(QRectF(_INDENT, y, wide, 18), words.say("What to do"), face(11, 600), "text_2")
        y += 19
        y += pen.paragraph(QRectF(_INDENT, y, wide, 120), visible(health_remedies.advice(finding)), face(13), lines=4)
        return y + 10
