"""Routing dashboard since a day: alerts, metrics with targets and trends, latencies, shares."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display.library.tables import Choice, Column, Facet
from app.display.review.history import AGES
from app.display.routing.metrics import FLATLINE_ADVICE, FLATLINE_TITLE, Dashboard, Measure, TargetState, dashboard
from app.display.routing.rows import log_filter
from app.display.routing.simulation import rollout_table
from app.domain.language import plural
from app.domain.route import RouteFilter
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, button, single_shot
from app.gui.kit.document import DocumentView, icon_html, span, tables_html
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.filter_bar import FacetChip
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.services.workbench import Workbench

_PAD, _HEAD, _ROW, _PLOT = 16, 48, 28, 240
_WIDE_FROM, _WIDEST = 860, 840
"""Minimum width for the curve beside the table, and maximum width of the tables below, in units."""

_TONES: Mapping[TargetState, str] = {
    TargetState.MET: "success",
    TargetState.MISSED: "warning",
    TargetState.ALARM: "danger",
    TargetState.NO_DATA: "text_2",
}

MEASURE_COLUMNS: tuple[Column[Measure], ...] = (
    Column("name", "Measure", lambda one: one.name, 190),
    Column("value", "Value", lambda one: one.value, 84, is_number=True),
    Column("target", "Target", lambda one: one.target, 110, is_number=True),
    Column("state", "State", lambda one: one.word, 70, tone=lambda one: _TONES[one.state]),
    Column("note", "Detail", lambda one: one.note, 200, is_quiet=True),
)


def _alarms_html(shown: Dashboard) -> str:
    """Return the alerts of the dashboard, and how to read its curves."""
    alerts = "".join(_alert_html("warning", 14, span(sentence)) for sentence in shown.alerts)
    if shown.flatlines:
        lines = "".join(span(line, "body strong", "p") for line in shown.flatlines)
        title = span(FLATLINE_TITLE, "danger title", "p")
        alerts = _alert_html("danger", 20, f"{title}{lines}{span(FLATLINE_ADVICE)}") + alerts
    return alerts + span(shown.legend, "small text_2", "p")


def _alert_html(token: str, size: int, said: str) -> str:
    icon = f'<td class="alert {token}_soft">{icon_html("warning", token, size)}</td>'
    text = f'<td width="100%" class="alert {token}_soft">{said}</td>'
    return f'<table width="100%" cellspacing="0"><tr>{icon}{text}</tr></table>'


# ---- Measures and the curve of the current one


class MeasuresPart(QWidget):
    """Table of the measures beside the curve of the current one, or above it if narrow."""

    def __init__(self, theme: Theme) -> None:
        from app.gui.kit.drawing.chart import LinesPlot  # heavy, so imported when needed

        super().__init__()
        self.theme = theme
        self.table = Grid(theme, "Measures", MEASURE_COLUMNS)
        self.title, self.empty = styled(QLabel(), role="title"), WrappedLabel(role="note")
        self.title.setContentsMargins(theme.px(_PAD), 0, 0, 0)
        self.empty.setContentsMargins(theme.px(_PAD), 0, theme.px(_PAD), 0)
        self.plot = LinesPlot(theme, "Curve of the measure")
        side = QWidget()
        fill(spaced(QVBoxLayout(side), theme.px(4), 0, theme.px(8), 0, 0), self.title, self.empty, (self.plot, 99), 1)
        self.plot.setMinimumHeight(theme.px(_PLOT))
        self._row = fill(QBoxLayout(QBoxLayout.Direction.LeftToRight, self), (self.table, 3), (side, 2))
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setAlignment(self.table, Qt.AlignmentFlag.AlignTop)
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.table.picked.connect(self._show_current)

    def show_measures(self, rows: Sequence[Measure]) -> None:
        """Show these measures; the current one stays."""
        policy = self.plot.sizePolicy()
        policy.setRetainSizeWhenHidden(any(not one.is_empty for one in rows))  # the tables below stay in place
        self.plot.setSizePolicy(policy)
        self.table.show_rows(rows, self.table.current_key or 0)
        self.table.setFixedHeight(self.theme.px(_HEAD + _ROW * len(rows)))

    def _show_current(self) -> None:
        if (one := self.table.current) is not None:
            self.title.setText(f"{one.name}, over time")
            self.empty.show_text("No curve yet: too few periods have a value." if one.is_empty else "")
            self.plot.setVisible(not one.is_empty)
            self.plot.setAccessibleName(self.title.text())
            self.plot.show_chart(one.chart)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)


# ---- Dashboard since a chosen day


_NEWS_AFTER_MS = 1_500
MOST_LIVE = 20_000
"""Limit of decisions up to which the dashboard refreshes by itself."""


async def _summarized(wanted: RouteFilter, bench: Workbench) -> Dashboard:
    rollout, settings = bench.routing.rollout, bench.settings
    found, sides = await bench.routing.log.metrics(wanted), await rollout.metrics()
    has_stores, use = settings.route.has_any_store, await bench.usage.totals()
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
        self.measures: MeasuresPart | None = None
        self.tables = DocumentView(theme, "By method, by route, and over time", is_whole=True, widest=_WIDEST)
        self.area = scrolled(self._body(), "Measures, targets and alarms")
        self.empty = EmptyState(theme, "chart", "", "")
        self._news = single_shot(self, _NEWS_AFTER_MS, self.refresh)
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
        self._column = fill(spaced(QVBoxLayout(made), self.theme.px(8)), self.sheet, self.tables, 1)
        return made

    def focus_stops(self) -> list[QWidget]:
        chips = [self.since, self.intent]
        if self.stack.currentWidget() is self.empty or self.measures is None:
            return list(chips)
        return [self.measures.table, *chips]

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
        self.count.show_text(plural(shown.n, "{n} decision", "{n} decisions"))
        self.stack.setCurrentIndex(0 if shown.n else 1)
        if not shown.n:
            self._show_empty_hint()
        else:
            if self.measures is None:
                self.measures = MeasuresPart(self.theme)
                self._column.insertWidget(1, self.measures)
            self.tables.show_html(tables_html(shown.tables))
            self.measures.show_measures(shown.measures)
        self.sheet.show_html(_alarms_html(shown))
        if self._is_stale:
            self._begin_wait()
        self.loaded.emit(shown)

    def _show_empty_hint(self) -> None:
        if self.since.value is None and self.intent.value is None:
            self.empty.set_text(
                "No decision yet", "Every settled query of the window, the command line and MCP adds one."
            )
        else:
            self.empty.set_text("No such decision", "Choose a longer time above, or all routes.")
