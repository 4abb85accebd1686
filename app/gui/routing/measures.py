"""How routing does since a chosen day, drawn: targets with their states, alarms, times and shares."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display.library.catalogue import Choice, Facet
from app.display.review.rows import AGES
from app.display.routing.measures import Dashboard, Day, State, TargetRow, flatline_advice, flatline_title, share
from app.display.routing.rows import log_filter
from app.domain.language import say, say_n
from app.domain.match import Tier
from app.gui.kit.controls import Empty, button
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.drawing.ready_sheets import TablesSheet
from app.gui.kit.drawing.sheet import Ruled, Sheet, scrolled
from app.gui.kit.pane_parts import Said
from app.gui.kit.tables.filter_bar import FacetChip
from app.gui.kit.theme.theme import Theme
from app.gui.routing.jobs import RouteJobs

_PAD, _ROW = 16.0, 26.0
_STATE, _NUMBER = 84.0, 92.0
_PLOT, _AXIS = 132.0, 44.0
_GLYPHS = {State.MET: Tier.ACTIVATED, State.MISSED: Tier.WEAK_MATCHES, State.NO_DATA: Tier.NOT_FOUND}
_TOKENS = {State.MET: "success", State.MISSED: "warning", State.NO_DATA: "text_2"}
_BAND_RULES, _BAND_LLM = (0.7, 0.8), (0.2, 0.3)
"""The targets of 001 for both lines."""


class MeasuresSheet(Sheet):
    """Draws the dashboard that it was given last."""

    shown: Dashboard | None = None

    def compose(self, pen: Pen) -> float:
        shown = self.shown
        if shown is None:
            return 0.0
        y = self._flatline(pen, shown, 4)
        for sentence in shown.alerts:
            y = self._alert(pen, sentence, y)
        y = self._targets(pen, shown, y + 4)
        return self._days(pen, shown.days, y + 14, judged=shown.is_judged) + 12

    # ---- alarms

    def _flatline(self, pen: Pen, shown: Dashboard, y: float) -> float:
        """The alarm in full: a filled field with an edge, so that nobody looks past it."""
        if not shown.flatlines:
            return y
        face, wide = self.theme.face, pen.width - 2 * _PAD
        lines, advice = shown.flatlines, flatline_advice()
        flags = int(Qt.TextFlag.TextWordWrap)
        heights = [face(13, 600).wrapped(line, wide - 54, flags) + 3 for line in lines]
        high = 40 + sum(heights) + face(12).wrapped(advice, wide - 54, flags) + 12
        pen.fill(QRectF(_PAD, y, wide, high), "danger_soft", 6)
        pen.fill(QRectF(_PAD, y, 4, high), "danger")
        pen.icon("warning", _PAD + 14, y + 11, 20, "danger")
        x, room = _PAD + 42, wide - 54
        pen.text(QRectF(x, y + 10, room, 22), flatline_title(shown), face(15, 650), "danger")
        at = y + 36
        for sentence, taken in zip(lines, heights, strict=True):
            pen.paragraph(QRectF(x, at, room, 200), sentence, face(13, 600), lines=6)
            at += taken
        pen.paragraph(QRectF(x, at + 2, room, 200), advice, face(12), lines=6)
        return y + high + 8

    def _alert(self, pen: Pen, sentence: str, y: float) -> float:
        face, wide = self.theme.face, pen.width - 2 * _PAD
        high = face(12, 500).wrapped(sentence, wide - 44, int(Qt.TextFlag.TextWordWrap)) + 12
        pen.fill(QRectF(_PAD, y, wide, high), "warning_soft", 4)
        pen.fill(QRectF(_PAD, y, 3, high), "warning")
        pen.icon("warning", _PAD + 12, y + 7, 14, "warning")
        pen.paragraph(QRectF(_PAD + 34, y + 6, wide - 44, 60), sentence, face(12, 500), lines=3)
        return y + high + 6

    # ---- targets

    def _targets(self, pen: Pen, shown: Dashboard, y: float) -> float:
        face, right = self.theme.face, pen.width - _PAD
        pen.text(QRectF(_PAD, y, 200, 18), say("Measure"), face(11, 600), "text_2")
        heads = ((say("State"), _STATE), (say("Target"), _NUMBER + 10), (say("Value"), _NUMBER))
        if not shown.is_judged:
            return self._values(pen, shown, y)
        x = right
        for place, (head, wide) in enumerate(heads):
            if place:
                pen.text(QRectF(x - wide, y, wide, 18), head, face(11, 600), "text_2", RIGHT)
            else:
                pen.text(QRectF(x - wide + 12, y, wide - 12, 18), head, face(11, 600), "text_2")
            x -= wide
        y += 22
        for row in shown.targets:
            y = self._target(pen, row, y)
        return y

    def _values(self, pen: Pen, shown: Dashboard, y: float) -> float:
        """The measures without targets: what a router comes to whose routes are advice."""
        face, right = self.theme.face, pen.width - _PAD
        pen.text(QRectF(right - _NUMBER, y, _NUMBER, 18), say("Value"), face(11, 600), "text_2", RIGHT)
        y += 22
        for row in shown.targets:
            pen.line(_PAD, y - 0.5, right, y - 0.5)
            pen.text(QRectF(_PAD, y + 4, right - _PAD - _NUMBER - 8, 18), row.name, face(12))
            number = face(13, 400 if row.state is State.NO_DATA else 700, mono=True)
            pen.text(QRectF(right - _NUMBER, y + 4, _NUMBER, 18), row.value, number, align=RIGHT)
            y += _ROW
        return y

    def _target(self, pen: Pen, row: TargetRow, y: float) -> float:
        face, right = self.theme.face, pen.width - _PAD
        pen.line(_PAD, y - 0.5, right, y - 0.5)
        middle = y + 4
        pen.text(QRectF(_PAD, middle, right - _PAD - _STATE - 2 * _NUMBER - 18, 18), row.name, face(12))
        token = _TOKENS[row.state]
        bold = 400 if row.state is State.NO_DATA else 700
        x = right - _STATE - _NUMBER - 10
        pen.text(QRectF(x - _NUMBER, middle, _NUMBER, 18), row.value, face(13, bold, mono=True), align=RIGHT)
        pen.text(QRectF(x, middle, _NUMBER + 10, 18), row.target, face(12), "text_2", RIGHT)
        if pen.shows(middle, 14):
            pen.level(_GLYPHS[row.state], right - _STATE + 12, middle + 3)
        pen.text(QRectF(right - _STATE + 30, middle, _STATE - 30, 18), row.word, face(12, 600), token)
        return y + _ROW

    # ---- day by day

    def _days(self, pen: Pen, days: tuple[Day, ...], y: float, *, judged: bool) -> float:
        if not days:
            return y
        face = self.theme.face
        pen.text(QRectF(_PAD, y, pen.width - 2 * _PAD, 18), say("Day by day"), face(12, 600))
        y += 22
        y = self._keys(pen, y, judged=judged)
        left, right, top = _PAD + _AXIS, pen.width - _PAD - 8, y + 4
        self._axis(pen, left, right, top, judged=judged)
        step = (right - left) / len(days)
        places = [left + step * (place + 0.5) for place in range(len(days))]
        rules = [QPointF(x, top + _PLOT * (1 - day.rules)) for x, day in zip(places, days, strict=True)]
        llm = [QPointF(x, top + _PLOT * (1 - day.llm)) for x, day in zip(places, days, strict=True)]
        if pen.shows(top, _PLOT):
            self._curve(pen, rules, "accent", dashed=False)
            self._curve(pen, llm, "bar_over", dashed=True)
        y = top + _PLOT + 6
        every = max(1, round(46 / step + 0.49))
        for place, (x, day) in enumerate(zip(places, days, strict=True)):
            if place % every == 0:
                pen.text(
                    QRectF(x - 23, y, 46, 14),
                    day.name,
                    face(11, mono=True),
                    "text_2",
                    int(Qt.AlignmentFlag.AlignHCenter),
                )
        y += 22
        return self._latest(pen, days, y)

    def _keys(self, pen: Pen, y: float, *, judged: bool) -> float:
        face, x = self.theme.face, _PAD
        rules, llm = say("Decided by rules"), say("Decided by the LLM")
        if judged:
            rules, llm = (
                say("Decided by rules; target 70 to 80 %"),
                say("Decided by the LLM; target 20 to 30 %"),
            )
        for name, token, dashed in ((rules, "accent", False), (llm, "bar_over", True)):
            self._curve(pen, [QPointF(x, y + 8), QPointF(x + 22, y + 8)], token, dashed=dashed)
            room = pen.text(QRectF(x + 30, y, pen.width - x - 30 - _PAD, 17), name, face(11), "text_2")
            x += 30 + room + 18
        return y + 20

    def _axis(self, pen: Pen, left: float, right: float, top: float, *, judged: bool) -> None:
        face = self.theme.face
        for low, high in (_BAND_RULES, _BAND_LLM) if judged else ():
            pen.fill(QRectF(left, top + _PLOT * (1 - high), right - left, _PLOT * (high - low)), "sunken")
        for mark in (0.0, 0.5, 1.0):
            at = top + _PLOT * (1 - mark)
            pen.line(left, at, right, at, "border")
            pen.text(QRectF(_PAD, at - 8, _AXIS - 6, 16), f"{mark * 100:g} %", face(11, mono=True), "text_2", RIGHT)

    def _curve(self, pen: Pen, points: list[QPointF], token: str, *, dashed: bool) -> None:
        painter, shade = pen.painter, self.theme.color(token)
        line = QPen(shade, 2.0)
        if dashed:
            line.setDashPattern([3, 2])
        painter.setPen(line)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade)
        for point in points:
            mark = QRectF(point.x() - 3, point.y() - 3, 6, 6)
            if dashed:
                painter.drawRect(mark)
            else:
                painter.drawEllipse(mark)

    def _latest(self, pen: Pen, days: tuple[Day, ...], y: float) -> float:
        """The shares of the last day as a sentence, which can be read aloud."""
        last = days[-1]
        said = say(
            "{day}: {n}, {rules} by rules, {llm} by the LLM.",
            day=last.name,
            n=say_n(last.count, "{n} decision", "{n} decisions"),
            rules=share(last.rules),
            llm=share(last.llm),
        )
        return y + pen.paragraph(QRectF(_PAD, y, pen.width - 2 * _PAD, 40), said, self.theme.face(11), "text_2")


# ---- What the log comes to since a day that a person chooses: targets, alarms, times and shares.


_WIDE_FROM = 960
_NEWS_AFTER_MS = 1_500
MOST_LIVE = 20_000
"""So many decisions are added up again by themselves; more take their time, so that is left to a person."""


class RouteMetricsPart(Ruled):
    """Reckoned on the engine's side, and only while it can be seen."""

    def __init__(self, theme: Theme, jobs: RouteJobs) -> None:
        super().__init__(theme)
        self.jobs = jobs
        self.shown: Dashboard | None = None
        self._is_stale, self._is_asking = True, False
        ages = tuple(Choice(days, say(word)) for days, word in AGES)
        self.since = FacetChip(theme, Facet("age", say("Decided"), ages))
        self.since.changed.connect(self.refresh)
        self.count = Said(role="caption")
        self.again = button(self.tr("Add up again"), press=self.refresh)
        self.sheet = MeasuresSheet(theme, self.tr("Targets and alarms"))
        self.area = scrolled(self.sheet, self.tr("Targets and alarms"))
        self.tables = TablesSheet(theme, self.tr("By method and by route"))
        self.right = scrolled(self.tables, self.tr("By method and by route"))
        self.empty = Empty(
            theme,
            "chart",
            self.tr("No route was decided yet"),
            self.tr("There is nothing to measure. Every query that rests on the scope is a decision."),
        )
        self._news = QTimer(self, singleShot=True, interval=_NEWS_AFTER_MS)
        self._news.timeout.connect(self.refresh)
        self._arrange()
        jobs.reckoned.connect(self._on_reckoned)
        jobs.refused.connect(self._on_refused, Qt.ConnectionType.QueuedConnection)

    def _arrange(self) -> None:
        px = self.theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), px(4), px(16), px(8))
        top.setSpacing(px(8))
        top.addWidget(self.since)
        top.addWidget(self.count, 1)
        top.addWidget(self.again)
        body = QWidget()
        across = self._across = QBoxLayout(QBoxLayout.Direction.LeftToRight, body)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(1)
        across.addWidget(self.area, 5)
        across.addWidget(self.right, 4)
        self.stack = QStackedWidget()
        self.stack.addWidget(body)
        self.stack.addWidget(self.empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addWidget(self.stack, 1)

    def stops(self) -> list[QWidget]:
        """Where the keyboard stops, in order."""
        is_empty = self.stack.currentWidget() is self.empty
        return [self.since] if is_empty else [self.area, self.right, self.since]

    def note_news(self) -> None:
        """Something was decided or cleared."""
        self._is_stale = True
        self._begin_wait()

    def _begin_wait(self) -> None:
        """What is under way is waited for: asked for again and again it would never come."""
        is_live = self.shown is None or self.shown.n <= MOST_LIVE
        if self.isVisible() and is_live and not self._is_asking and not self._news.isActive():
            self._news.start()

    def look(self) -> None:
        """It can be seen now: be up to date."""
        if self._is_stale and not self._is_asking:
            self.refresh()

    def refresh(self) -> None:
        """Have it added up anew."""
        self._news.stop()
        self._is_stale = not self.isVisible()
        if not self._is_stale:
            self._is_asking = True
            self.count.say(self.tr("The log is being added up."))
            self.jobs.reckon(log_filter("", {"age": self.since.value}, time.time()))

    def _on_refused(self, sentence: str) -> None:
        if self._is_asking:
            self._is_asking = False
            self.count.say(sentence)

    def _on_reckoned(self, shown: Dashboard) -> None:
        self._is_asking = False
        self.shown = self.sheet.shown = shown
        self.tables.shown = shown.tables
        self.count.say(shown.count)
        self.stack.setCurrentIndex(1 if shown.is_empty else 0)
        self.sheet.update()
        self.tables.update()
        if self._is_stale:
            self._begin_wait()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for two columns they stand below each other."""
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        self._across.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def hairlines(self) -> Iterator[QRect]:
        if self.stack.currentIndex() == 0:
            place = self.right.mapTo(self, self.right.rect().topLeft())
            if self._across.direction() is QBoxLayout.Direction.LeftToRight:
                yield QRect(place.x() - 1, place.y(), 1, self.right.height())
            else:
                yield QRect(place.x(), place.y() - 1, self.right.width(), 1)
