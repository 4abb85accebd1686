"""The list of what was found in a look at the health: how a finding is read out and painted."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display.review import health
from app.display.review.health import FindingRow
from app.domain.health import Gravity
from app.gui.pages.findings_list import Findings
from app.gui.pen import RIGHT, Pen

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
