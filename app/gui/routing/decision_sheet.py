"""Drawing of one routing decision: outcome and path on one sheet, evidence on another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen, QPolygonF

from app.display.routing.path import ExampleRow, RouteView, Stop
from app.domain.match import Tier
from app.domain.route import StepOutcome
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.tokens import ROUTE_TOKENS

_PAD, _GAP = 16.0, 26.0
_LEAST = 160.0
"""Minimum width of a stop, in units; on narrower sheets stops wrap into several rows."""
_WIDE_FROM = 860.0
"""Minimum width for two columns of evidence, in units."""
_LINE = 20.0
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
    return f"{stop.why} {stop.ms} ms." if stop.ms else stop.why


class ViewSheet(Sheet):
    """Template method: draws its last view by the subclass's `compose_view`."""

    shown: RouteView | None = None

    def show_view(self, shown: RouteView | None) -> None:
        """Draw this view, unless it is already drawn."""
        if shown != self.shown:
            self.shown = shown
            self.update()

    def compose(self, canvas: Canvas) -> float:
        return 0.0 if self.shown is None else self.compose_view(canvas, self.shown)

    @abstractmethod
    def compose_view(self, canvas: Canvas, shown: RouteView) -> float:
        """Draw this view; return its height in units."""

    def draw_color(self, canvas: Canvas, shown: RouteView, label: str, x: float, y: float, size: float) -> float:
        """Draw a square in a route's colour before its name; return its width."""
        if (color := shown.colors.get(label)) is None:
            return 0.0
        canvas.fill(QRectF(x, y, size, size), ROUTE_TOKENS[color], 2)
        return size + 6


class RouteSheet(ViewSheet):
    """Outcome as a headline and three sentences, and the path below."""

    def compose_view(self, canvas: Canvas, shown: RouteView) -> float:
        face, wide = self.theme.face, canvas.width - 2 * _PAD
        at = _PAD + self.draw_color(canvas, shown, shown.intent, _PAD, 14, 12)
        by = f", {shown.by}" if shown.confidence else "fallback"
        runs = [(shown.intent, face(18, 650), "text")]
        runs += [(" to ", face(13), "text_2"), (shown.stores, face(18, 650), "text")] if shown.stores else []
        runs.append((f"  {shown.confidence}", face(18, 650), "text"))
        runs.append((by if shown.is_final else f"{by}, so far", face(13), "text_2"))
        canvas.runs(at, 8, 24, runs, wide - (at - _PAD))
        y = 36.0
        for place, sentence in enumerate(shown.sentences):
            token = "text_2" if place == len(shown.sentences) - 1 else "text"
            y += canvas.paragraph(QRectF(_PAD, y, wide, 80), sentence, face(13), token, lines=3) + 2
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
                self._box(canvas, stop, QRectF(x, y, room, high))
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
        self._tip(canvas, [QPointF(end, y), QPointF(end - 7, y - 4.5), QPointF(end - 7, y + 4.5)])

    def _tip(self, canvas: Canvas, points: list[QPointF]) -> None:
        canvas.painter.setPen(Qt.PenStyle.NoPen)
        canvas.painter.setBrush(self.theme.color("accent"))
        canvas.painter.drawPolygon(QPolygonF(points))


class EvidenceSheet(ViewSheet):
    """Evidence of the decision: matches of rules, vote of the examples, nearest examples."""

    def compose_view(self, canvas: Canvas, shown: RouteView) -> float:
        is_wide = canvas.width >= _WIDE_FROM
        half = round(canvas.width * 0.5) if is_wide else canvas.width
        wide = half - 2 * _PAD
        y = 6 + canvas.paragraph(QRectF(_PAD, 6, wide, 200), shown.reasoning, self.theme.face(12), lines=_MOST_LINES)
        below = self._facts(canvas, shown, _PAD, wide, self._rules(canvas, shown, _PAD, wide, y + 10) + 12)
        x, top = (half + _PAD, 6.0) if is_wide else (_PAD, below + 16)
        bottom = self._near(canvas, shown, x, wide, self._vote(canvas, shown, x, wide, top) + 12)
        return max(below, bottom) + 8

    def _facts(self, canvas: Canvas, shown: RouteView, x: float, wide: float, y: float) -> float:
        face = self.theme.face
        for name, value in shown.facts:
            canvas.text(QRectF(x, y, wide * 0.6, _LINE), name, face(12), "text_2")
            canvas.text(QRectF(x + wide * 0.4, y, wide * 0.6, _LINE), value, face(12, mono=True), align=RIGHT)
            y += _LINE
        return y

    def _title(self, canvas: Canvas, title: str, x: float, wide: float, y: float) -> float:
        canvas.text(QRectF(x, y, wide, 18), title, self.theme.face(11, 600), "text_2")
        return y + 22

    def _rules(self, canvas: Canvas, shown: RouteView, x: float, wide: float, y: float) -> float:
        face = self.theme.face
        y = self._title(canvas, "Rules, where they matched", x, wide, y)
        y = self._marked(canvas, shown, x, wide, y) + 6
        if shown.no_hits:
            canvas.text(QRectF(x, y, wide, _LINE), shown.no_hits, face(12), "text_2")
            return y + _LINE
        for hit in shown.hits:
            token = "text_2" if hit.is_held_back else "text"
            number = face(12, mono=not hit.is_held_back)
            room = number.width(hit.confidence) + 2
            canvas.text(QRectF(x + wide - room, y, room, 18), hit.confidence, number, token, RIGHT)
            runs = [(f"“{hit.text}”", face(12, 600), token), (f"  →  {hit.label}", face(12), token)]
            canvas.runs(x, y, 18, runs, wide - room - 10)
            about = f"{hit.rule} · {hit.where}"
            canvas.text(QRectF(x, y + 17, wide, 16), about, face(11), "text_2")
            y += 37
        return y

    def _marked(self, canvas: Canvas, shown: RouteView, x: float, wide: float, y: float) -> float:
        """Draw the query word by word; matches of rules are underlined, suppressed ones dotted."""
        face = self.theme.face(13)
        at, end = x, x + wide
        space = face.width(" ")
        for piece in shown.pieces:
            for place, word in enumerate(piece.text.split(" ")):
                if place:
                    if piece.is_hit and not piece.is_held_back and at > x:
                        canvas.fill(QRectF(at, y, space, 19), "accent_soft")
                    self._under(canvas, piece.is_hit, piece.is_held_back, at, at + space, y)
                    at += space
                if not word:
                    continue
                room = face.width(word)
                if at + room > end and at > x:
                    at, y = x, y + 24
                if piece.is_hit and not piece.is_held_back:
                    canvas.fill(QRectF(at, y, min(room, wide), 19), "accent_soft")
                room = canvas.text(QRectF(at, y, wide, 19), word, face)
                self._under(canvas, piece.is_hit, piece.is_held_back, at, at + room, y)
                at += room
        return y + 24

    def _under(self, canvas: Canvas, hit: bool, held: bool, x: float, end: float, y: float) -> None:
        if hit and canvas.shows(y, 22):
            dashes = (2.0, 2.0) if held else None
            canvas.line(x, y + 20, end, y + 20, "text_2" if held else "accent", 1.0 if held else 2.0, dashes=dashes)

    # ---- examples

    def _vote(self, canvas: Canvas, shown: RouteView, x: float, wide: float, y: float) -> float:
        face = self.theme.face
        y = self._title(canvas, "Vote of the taught examples", x, wide, y)
        if shown.no_vote:
            return y + canvas.paragraph(QRectF(x, y, wide, 80), shown.no_vote, face(12), "text_2", lines=4)
        name = min(170.0, wide * 0.4)
        for share in shown.shares:
            bold = 600 if share.is_first else 400
            at = self.draw_color(canvas, shown, share.label, x, y + 5, 9)
            canvas.text(QRectF(x + at, y, name - 8 - at, _LINE), share.label, face(12, bold))
            bar = QRectF(x + name, y + 6, wide - name - 62, 8)
            canvas.bar(bar, share.value, self.theme.tokens.accent if share.is_first else self.theme.tokens.bar)
            canvas.text(QRectF(x + wide - 56, y, 56, _LINE), share.text, face(12, bold, mono=True), align=RIGHT)
            y += 22
        y += 4
        for place, (line, number) in enumerate(shown.sums, 1):
            bold = 600 if place == len(shown.sums) else 400
            canvas.text(QRectF(x, y, wide - 90, _LINE), line, face(12, bold), "text" if bold == 600 else "text_2")
            canvas.text(QRectF(x + wide - 86, y, 86, _LINE), number, face(12, bold, mono=True), align=RIGHT)
            y += _LINE
        return y

    def _near(self, canvas: Canvas, shown: RouteView, x: float, wide: float, y: float) -> float:
        if not shown.near:
            return y
        y = self._title(canvas, "Nearest taught examples", x, wide, y)
        y = self._examples(canvas, shown.near, x, wide, y)
        if shown.supporting:
            title = f"Nearest of those for {shown.supporting[0].label}"
            y = self._title(canvas, title, x, wide, y + 8)
            y = self._examples(canvas, shown.supporting, x, wide, y)
        return y

    def _examples(self, canvas: Canvas, some: Sequence[ExampleRow], x: float, wide: float, y: float) -> float:
        """Draw examples with their routes below; the route that the vote chose is emphasised."""
        face = self.theme.face
        for one in some:
            canvas.text(QRectF(x, y, wide - 66, 18), one.text, face(12))
            canvas.text(QRectF(x + wide - 56, y, 56, 18), one.similarity, face(12, mono=True), align=RIGHT)
            label = (one.label, face(11, 600 if one.is_first else 400), "text" if one.is_first else "text_2")
            canvas.runs(x, y + 17, 16, [label, (f" · {one.origin}", face(11), "text_2")], wide - 66)
            y += 38
        return y
