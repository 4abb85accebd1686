"""Routing dashboard since a day: alerts, metrics with targets and trends, latencies, shares."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.display.library.tables import Choice, Facet
from app.display.review.history import AGES
from app.display.routing.dashboard import Dashboard, dashboard, flatline_advice, flatline_title
from app.display.routing.metrics import TargetState, Tile
from app.display.routing.rows import log_filter
from app.display.routing.simulation import rollout_table
from app.domain.match import Tier
from app.domain.route import RouteFilter
from app.evaluation.routing import PERCENTILES
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, SegmentedControl, button
from app.gui.kit.document import WIDEST, DocumentView, icon_html, span, tables_html
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Ruled, Sheet, scrolled
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.filter_bar import FacetChip
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.display.evaluation.diagnostics import Chart
    from app.services.workbench import Workbench

_PAD = 16.0
_HEAD, _TILE = 70.0, 212
"""Height of a tile's figure, and of a tile."""

_LEAST = 340
"""Minimum width of a tile, in units."""

_GLYPHS: Mapping[TargetState, tuple[Tier | None, str]] = {
    TargetState.MET: (Tier.ACTIVATED, "success"),
    TargetState.MISSED: (Tier.WEAK_MATCHES, "warning"),
    TargetState.ALARM: (None, "danger"),
    TargetState.NO_DATA: (Tier.NOT_FOUND, "text_2"),
}
"""Icon and colour token of a state."""


def _alarms_html(shown: Dashboard) -> str:
    """Return the alerts of the dashboard, and how to read its curves."""
    alerts = "".join(_alert_html("warning", 14, span(sentence)) for sentence in shown.alerts)
    if shown.flatlines:
        lines = "".join(span(line, "body strong", "p") for line in shown.flatlines)
        title = span(flatline_title(shown), "danger title", "p")
        alerts = _alert_html("danger", 20, f"{title}{lines}{span(flatline_advice())}") + alerts
    return alerts + span(shown.legend, "small text_2", "p")


def _alert_html(token: str, size: int, said: str) -> str:
    icon = f'<td class="alert {token}_soft">{icon_html("warning", token, size)}</td>'
    text = f'<td width="100%" class="alert {token}_soft">{said}</td>'
    return f'<table width="100%" cellspacing="0"><tr>{icon}{text}</tr></table>'


# ---- Tile of a metric: value and target, and the curve over time.


class TileHead(Sheet):
    """Name and state, value and target, and the formula of a metric."""

    shown: Tile | None = None
    is_judged = False

    def compose(self, canvas: Canvas) -> float:
        if self.shown is None:
            return _HEAD
        face, row, right = self.theme.face, self.shown.row, canvas.width - _PAD
        word = face(12, 600).width(row.word) if self.is_judged else 0.0
        canvas.text(QRectF(_PAD, 6, right - _PAD - word - 30, 18), row.name, face(12, 600), "text_2")
        value = face(20, 400 if row.state is TargetState.NO_DATA else 700, mono=True)
        wide = canvas.text(QRectF(_PAD, 25, right - _PAD, 26), row.value, value)
        if self.is_judged:
            canvas.text(QRectF(_PAD + wide + 10, 30, right - _PAD - wide - 10, 18), row.target, face(12), "text_2")
            sign, token = _GLYPHS[row.state]
            if sign is not None:
                canvas.level(sign, right - word - 20, 9)
            else:
                canvas.icon("warning", right - word - 21, 8, 14, token)
            canvas.text(QRectF(right - word - 2, 6, word + 2, 18), row.word, face(12, 600), token, RIGHT)
        if self.shown.is_empty:
            canvas.paragraph(QRectF(_PAD, 54, right - _PAD, 80), self.shown.note, face(12), "text_2", lines=4)
        else:
            canvas.text(QRectF(_PAD, 51, right - _PAD, 16), self.shown.note, face(11), "text_2")
        return _HEAD


class MeasureTile(QWidget):
    """One metric with its trend; the plot is created with the tile, as pyqtgraph is heavy."""

    def __init__(self, theme: Theme, name: str) -> None:
        from app.gui.kit.drawing.chart import LinesPlot  # heavy, so imported when needed

        super().__init__()
        self.head = TileHead(theme, name)
        self.head.setFixedHeight(theme.px(_HEAD))
        self.plot = LinesPlot(theme, f"{name} over time")
        self.setFixedHeight(theme.px(_TILE))
        fill(spaced(QVBoxLayout(self), 0, 0, 0, 0, theme.px(8)), self.head, (self.plot, 1))

    def show_tile(self, tile: Tile, *, is_judged: bool) -> None:
        self.head.shown, self.head.is_judged = tile, is_judged
        self.head.setFixedHeight(self.height() if tile.is_empty else self.head.theme.px(_HEAD))
        self.head.update()
        self.plot.setVisible(not tile.is_empty)
        self.plot.show_chart(tile.chart)


class TimesPart(QWidget):
    """Latencies by method over time, at the chosen percentile."""

    def __init__(self, theme: Theme) -> None:
        from app.gui.kit.drawing.chart import LinesPlot  # heavy, so imported when needed

        super().__init__()
        self._charts: Mapping[int, Chart] = {}
        title = "Times by method, ms"
        self.segments = SegmentedControl(theme, "Percentile", [(str(one), f"P{one}") for one in PERCENTILES])
        self.segments.set_current("90")
        self.segments.chosen.connect(self._choose)
        self.plot = LinesPlot(theme, title)
        px = theme.px
        row = spaced(QHBoxLayout(), None, px(16), px(6), px(16), px(6))
        fill(row, (styled(QLabel(title), role="title"), 1), self.segments)
        self.setFixedHeight(px(_TILE))
        fill(spaced(QVBoxLayout(self), 0, 0, 0, 0, px(8)), row, (self.plot, 1))

    def show_charts(self, charts: Mapping[int, Chart]) -> None:
        self._charts = charts
        self._choose(self.segments.current)

    def _choose(self, key: str) -> None:
        self.segments.set_current(key)
        if (chart := self._charts.get(int(key))) is not None:
            self.plot.show_chart(chart)


class TilesPart(Ruled):
    """Tiles in as many columns as fit, created when there is data."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.tiles: dict[str, MeasureTile] = {}
        self.times: TimesPart | None = None
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(1)

    def show_dashboard(self, shown: Dashboard) -> None:
        if self.times is None:
            self.times = TimesPart(self.theme)
            self.tiles = {tile.row.name: MeasureTile(self.theme, tile.row.name) for tile in shown.tiles}
            self._arrange()
        for tile in shown.tiles:
            self.tiles[tile.row.name].show_tile(tile, is_judged=shown.is_judged)
        self.times.show_charts(shown.times)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Lay out the tiles; latencies take the rest of the last row, or their own row."""
        columns = max(1, min(3, self.width() // self.theme.px(_LEAST)))
        if columns == self._columns or self.times is None:
            return
        self._columns = columns
        for place, tile in enumerate(self.tiles.values()):
            self._grid.addWidget(tile, place // columns, place % columns)
        row, column = divmod(len(self.tiles), columns)
        if columns - column < 2:
            row, column = row + bool(column), 0
        self._grid.addWidget(self.times, row, column, 1, columns - column)
        for place in range(3):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)

    def hairlines(self) -> Iterator[QRect]:
        for tile in (*self.tiles.values(), *([] if self.times is None else [self.times])):
            place = tile.geometry()
            yield QRect(place.x(), place.y() - 1, place.width(), 1)
            yield QRect(place.x() - 1, place.y(), 1, place.height())


# ---- Dashboard since a chosen day


_NEWS_AFTER_MS = 1_500
MOST_LIVE = 20_000
"""Limit of decisions up to which the dashboard refreshes by itself."""


async def _summarized(wanted: RouteFilter, bench: Workbench) -> Dashboard:
    rollout, settings = bench.routing.rollout, bench.settings
    found, sides = await bench.routing.log.metrics(wanted), await rollout.metrics()
    has_stores, use = settings.route.are_stores_there, await bench.usage.totals()
    shown = dashboard(found, use, has_stores=has_stores, routes=settings.all_routes)
    return shown if sides is None else replace(shown, tables=(*shown.tables, rollout_table(sides, rollout.state)))


class RouteMetricsPart(QWidget):
    """Part that is computed on the engine's thread, and only while visible."""

    loaded = Signal(Dashboard)

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self._job = theme, Job(worker, self, self._on_refused)
        self.shown: Dashboard | None = None
        self._is_stale, self._is_asking = True, False
        ages = tuple(Choice(days, word) for days, word in AGES)
        self.since = FacetChip(theme, Facet("age", "Decided", ages))
        self.intent = FacetChip(theme, Facet("intent", "Route", ()))
        self.count = WrappedLabel(role="caption")
        self.again = button("Refresh", press=self.refresh)
        self.sheet = DocumentView(theme, "Alarms", is_whole=True)
        self.tiles = TilesPart(theme)
        self.tables = DocumentView(theme, "By method, by route, and over time", is_whole=True, widest=WIDEST)
        self.area = scrolled(self._body(), "Measures, targets and alarms")
        self.empty = EmptyState(theme, "chart", "", "")
        self._news = QTimer(self, singleShot=True, interval=_NEWS_AFTER_MS)
        self._news.timeout.connect(self.refresh)
        self._arrange()
        for chip in (self.since, self.intent):
            chip.changed.connect(self.refresh)

    def _arrange(self) -> None:
        px = self.theme.px
        top = fill(
            spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(8)),
            self.since,
            self.intent,
            (self.count, 1),
            self.again,
        )
        self.stack = fill(QStackedWidget(), self.area, self.empty)
        fill(spaced(QVBoxLayout(self)), top, (self.stack, 1))

    def _body(self) -> QWidget:
        made = QWidget()
        fill(spaced(QVBoxLayout(made)), self.sheet, self.tiles, self.tables, 1)
        return made

    def focus_stops(self) -> list[QWidget]:
        chips = [self.since, self.intent]
        if self.stack.currentWidget() is self.empty:
            return list(chips)
        return [self.area, *chips, *([] if self.tiles.times is None else [self.tiles.times.segments])]

    def note_news(self) -> None:
        """Note a new decision or a cleared log."""
        self._is_stale = True
        self._begin_wait()

    def _begin_wait(self) -> None:
        """Let a running request finish: repeated requests would never get an answer."""
        is_live = self.shown is None or self.shown.n <= MOST_LIVE
        if self.isVisible() and is_live and not self._is_asking and not self._news.isActive():
            self._news.start()

    def load(self) -> None:
        """Refresh a stale dashboard, as it becomes visible."""
        if self._is_stale and not self._is_asking:
            self.refresh()

    def refresh(self) -> None:
        """Compute the dashboard again."""
        self._news.stop()
        self._is_stale = not self.isVisible()
        if not self._is_stale:
            self._is_asking = True
            self.count.show_text("The log is being summarized.")
            chosen = {"age": self.since.value, "intent": self.intent.value}
            self._job.run(partial(_summarized, log_filter("", chosen, time.time())), self._on_dashboard_loaded)

    def _on_refused(self, sentence: str) -> None:
        self._is_asking = False
        self.count.show_text(sentence)

    def _on_dashboard_loaded(self, shown: Dashboard) -> None:
        self._is_asking = False
        self.shown = shown
        self.intent.show_facet(Facet("intent", "Route", tuple(Choice(one, one) for one in shown.intents)))
        self.count.show_text(shown.count)
        self.stack.setCurrentIndex(1 if shown.is_empty else 0)
        if shown.is_empty:
            self._tell_empty()
        else:
            self.tables.show_html(tables_html((*shown.tables, shown.moments)))
            self.tiles.show_dashboard(shown)
        self.sheet.show_html(_alarms_html(shown))
        if self._is_stale:
            self._begin_wait()
        self.loaded.emit(shown)

    def _tell_empty(self) -> None:
        if self.since.value is None and self.intent.value is None:
            self.empty.set_text(
                "No decision yet", "Every settled query of the window, the command line and MCP adds one."
            )
        else:
            self.empty.set_text("No such decision", "Choose a longer time above, or all routes.")
