"""The list of what was found in a look at the health: how a finding is read out and painted."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal

from app.display import words
from app.display.review import health, health_words
from app.display.review.health import FindingRow
from app.display.visible import visible
from app.domain.health import Gravity, HealthFinding
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.tables.findings_list import Findings
from app.gui.kit.task_strip import TaskStrip
from app.gui.kit.theme.theme import Theme

_LEFT, _COUNT = 40.0, 64.0

SHADES = {Gravity.FAULT: "danger", Gravity.WARNING: "warning", Gravity.NOTE: "text_2"}
ICONS = {Gravity.FAULT: "cross", Gravity.WARNING: "warning", Gravity.NOTE: "label"}


def _read_out(row: FindingRow) -> str:
    return ", ".join(filter(None, (row.word, row.title, row.count, row.sentence)))


def _write(pen: Pen, row: FindingRow) -> None:
    """Glyph and word of how grave it is, the title, how many it is about; below, the sentence."""
    face, shade = pen.theme.face, SHADES[row.gravity]
    pen.icon(ICONS[row.gravity], 15, 10, 16, shade)
    room = pen.width - _LEFT - 14
    if row.count:
        pen.text(QRectF(pen.width - 14 - _COUNT, 7, _COUNT, 20), row.count, face(12, 600, mono=True), "text", RIGHT)
    x = _LEFT + pen.text(QRectF(_LEFT, 7, room - _COUNT, 20), row.word, face(12, 600), shade) + 8
    pen.text(QRectF(x, 7, _LEFT + room - _COUNT - x, 20), row.title, face(13, 600))
    pen.text(QRectF(_LEFT, 29, room, 19), row.sentence, face(12), "text_2")


UNHEALTHY = Findings(health.row, lambda row: row.title, _read_out, _write, high=56.0)
"""What does not go as one may think."""


# --------------------------------------------------------------------------------------------------------------------
# A look at the health: when the last one was, a button for the next, and how far the one under way is


class LookStrip(TaskStrip):
    """`asked` when a look is wanted, `stopped` when it is not any more."""

    asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar.setAccessibleName(self.tr("Progress of the look"))
        self.begin.setToolTip(self.tr("Look at everything that is taught and set, in the background"))
        self.begin.clicked.connect(self.asked)
        self.stop.setToolTip(self.tr("Break off the look"))
        self.name_look(again=False)
        self.row.setSpacing(theme.px(12))
        for widget in (self.begin, self.stop):
            self.row.addWidget(widget)
        self.row.addWidget(self.bar, 1)
        self.row.addWidget(self.note, 1)
        self.show_progress(None)

    def name_look(self, *, again: bool) -> None:
        """Name what the button begins: the first look, or another."""
        self.begin.setText(self.tr("Look again") if again else self.tr("Look"))


# --------------------------------------------------------------------------------------------------------------------
# One finding in full: how grave it is, what was found, from what that is known, and what to do

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
        y += pen.paragraph(QRectF(_INDENT, y, wide, 120), visible(health_words.advice(finding)), face(13), lines=4)
        return y + 10
