"""Drawing of one routing decision: outcome and path."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen, QPolygonF

from app.display.routing.path import RouteView, Stop
from app.domain.match import Tier
from app.domain.route import StepOutcome
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.tokens import ROUTE_TOKENS

_PAD, _GAP = 16.0, 26.0
_LEAST = 160.0
"""Minimum width of a stop, in units; on narrower sheets stops wrap into several rows."""
_LOW = 36.0
"""Height of a stop with neither route nor reason, in units."""
_MOST_LINES = 7

_GLYPHS: dict[StepOutcome, Tier] = {
    StepOutcome.DECIDED: Tier.ACTIVATED,
    StepOutcome.UNSURE: Tier.WEAK_MATCHES,
    StepOutcome.NOTHING: Tier.NOT_FOUND,
}
_ICONS: dict[StepOutcome, tuple[str, str]] = {
    StepOutcome.FAILED: ("cross", "danger"),
    StepOutcome.WAITING: ("loading", "text_2"),
    StepOutcome.SKIPPED: ("ring", "text_2"),
}


def _why(stop: Stop) -> str:
    """Return the reason of a stop, and how long it took."""
    return f"{stop.why} {stop.ms}\N{NO-BREAK SPACE}ms.".lstrip() if stop.ms else stop.why


class RouteSheet(Sheet):
    """Outcome as a headline and two sentences, and the path below."""

    shown: RouteView | None = None

    def show_view(self, shown: RouteView | None) -> None:
        """Draw this view, unless it is already drawn."""
        if shown != self.shown:
            self.shown = shown
            self.update()

    def compose(self, canvas: Canvas) -> float:
        shown = self.shown
        if shown is None:
            return 0.0
        face, wide, at = self.theme.face, canvas.width - 2 * _PAD, _PAD
        if shown.color:
            canvas.fill(QRectF(at, 14, 12, 12), ROUTE_TOKENS[shown.color], 2)
            at += 18
        token = "text" if shown.confidence else "text_2"
        runs = [(shown.intent, face(18, 650), token)]
        runs += [(" to ", face(13), "text_2"), (shown.stores, face(18, 650), token)] if shown.stores else []
        runs.append((f"  {shown.confidence}", face(18, 650), "text"))
        by = f", {shown.by}" if shown.confidence else shown.by
        runs.append((by if shown.is_final else f"{by}, so far", face(13), "text_2"))
        canvas.runs(at, 8, 24, runs, wide - (at - _PAD))
        y = 36.0
        for place, sentence in enumerate(shown.sentences):
            quiet = place == len(shown.sentences) - 1
            box = QRectF(_PAD, y, wide, 80)
            y += canvas.paragraph(box, sentence, face(13), "text_2" if quiet else "text", lines=3) + 2
        return self._path(canvas, shown, y + 10)

    # ---- path

    def _path(self, canvas: Canvas, shown: RouteView, y: float) -> float:
        """Draw the stops side by side, in as many rows as needed."""
        wide = canvas.width - 2 * _PAD
        count = max(1, min(len(shown.stops), int((wide + _GAP) // (_LEAST + _GAP))))
        room = (wide - (count - 1) * _GAP) / count
        for begin in range(0, len(shown.stops), count):
            row = shown.stops[begin : begin + count]
            high = max(self._stop_height(canvas, stop, room) for stop in row)
            for place, stop in enumerate(row):
                x = _PAD + place * (room + _GAP)
                if begin + place:
                    self._draw_connector(canvas, stop, max(2.0, x - _GAP + 4), y + 18, x - 4)
                self._box(canvas, stop, QRectF(x, y, room, high if stop.why or stop.label else _LOW))
            y += high + 12
        return y

    def _stop_head(self, stop: Stop, room: float) -> tuple[bool, float]:
        """Return if the outcome has to stand below the name, and the height of both, for a box of this width."""
        face = self.theme.face
        fits = face(13, 600).width(stop.name) + face(12, 600).width(stop.word) + 9 <= room - 44
        under = not (fits or stop.confidence)
        return under, 50.0 if under or stop.label or stop.confidence else 30.0

    def _stop_height(self, canvas: Canvas, stop: Stop, room: float) -> float:
        why = canvas.wrapped_height(_why(stop), room - 24, self.theme.face(11), _MOST_LINES)
        return self._stop_head(stop, room)[1] + why + 10

    def _box(self, canvas: Canvas, stop: Stop, box: QRectF) -> None:
        face = self.theme.face
        self._frame(canvas, stop, box)
        x, right = box.x() + 12, box.right() - 12
        self._mark(canvas, stop, x, box.y() + 11)
        token = "text" if stop.is_passed else "text_2"
        wide = face(12, 600).width(stop.word) + 1
        under, head = self._stop_head(stop, box.width())
        room = right - x - 20 - (0 if under else wide + 8)
        name = canvas.text(QRectF(x + 20, box.y() + 8, room, 18), stop.name, face(13, 600), token)
        beside = QRectF(max(x + 28 + name, right - wide), box.y() + 8, wide, 18)
        at = QRectF(right - wide, box.y() + 29, wide, 18) if under else beside
        canvas.text(at, stop.word, face(12, 600), "accent" if stop.decides else token)
        room = right - x - (wide if under else face(12, 600, mono=True).width(stop.confidence)) - 8
        canvas.text(QRectF(x, box.y() + 29, room, 18), stop.label, face(12), token)
        number = QRectF(right - 80, box.y() + 29, 80, 18)
        canvas.text(number, stop.confidence, face(12, 600, mono=True), token, RIGHT)
        why = QRectF(x, box.y() + head, right - x, 200)
        canvas.paragraph(why, _why(stop), face(11), token if stop.decides else "text_2", lines=_MOST_LINES)

    def _frame(self, canvas: Canvas, stop: Stop, box: QRectF) -> None:
        """Draw a stop's frame: filled if it decided, an edge if passed, otherwise dashed."""
        if not canvas.shows(box.y(), box.height()):
            return
        painter = canvas.painter
        if stop.decides:
            canvas.fill(box, "accent_soft", 6)
        edge = QPen(self.theme.color("accent" if stop.decides else "border_strong" if stop.is_passed else "border"))
        edge.setWidthF(2.0 if stop.decides else 1.0)
        if not stop.is_passed:
            edge.setColor(self.theme.color("border_strong"))
            edge.setDashPattern([3, 4])
        painter.setPen(edge)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inset = 1.0 if stop.decides else 0.5
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 6, 6)

    def _mark(self, canvas: Canvas, stop: Stop, x: float, y: float) -> None:
        if (glyph := _GLYPHS.get(stop.outcome)) is not None:
            if canvas.shows(y, 13):
                canvas.level(glyph, x, y)
        else:
            icon, token = _ICONS[stop.outcome]
            canvas.icon(icon, x, y, 13, token)

    def _draw_connector(self, canvas: Canvas, stop: Stop, x: float, y: float, end: float) -> None:
        """Draw the connector to a stop: an arrow if the query got there, otherwise a dashed line."""
        if not stop.is_passed:
            canvas.line(x, y, end, y, "border_strong", 1.0, dashes=(3, 4))
            return
        canvas.line(x, y, end - 5, y, "accent", 2.0)
        canvas.painter.setPen(Qt.PenStyle.NoPen)
        canvas.painter.setBrush(self.theme.color("accent"))
        canvas.painter.drawPolygon(QPolygonF([QPointF(end, y), QPointF(end - 7, y - 4.5), QPointF(end - 7, y + 4.5)]))
