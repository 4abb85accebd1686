"""Metrics page: session counts and latencies, use by assistants, Prometheus endpoint."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPolygonF, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.display.scope.timing import FLOOR_BUDGET_MS, KEPT, Durations, ticks
from app.display.system.metrics import (
    MetricsSnapshot,
    endpoint_sentence,
    metrics_snapshot,
    metrics_tables,
    source_name,
    usage_tables,
)
from app.display.system.settings import FIXED
from app.domain.errors import StoreError
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button
from app.gui.kit.document import WIDEST, DocumentView, tables_html
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.drawing.chart import plot_widget, style_plot, two_axes
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.histogram import Histogram
from app.gui.kit.layouts import fill, keep_least_heights, orient_box, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.theme import Theme, Themed
from app.settings.refusals import ORIGINS

if TYPE_CHECKING:
    from app.services.workbench import Workbench


PORT = "metrics.port"
OFFERED_PORT = 9464
"""Suggested port; the usual one of exporters."""
POLL_MS = 1_000
_LEFT = 400
_GLYPHS = {
    "keyword": ("disc", "bar"),
    "learned": ("diamond", "success"),
    "hybrid": ("square", "accent"),
    "llm": ("wedge", "bar_over"),
}


_DIAMOND = ((0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0))


class SourceLegend(Sheet):
    """Legend of the marks in the latency plot."""

    budget_ms = 200.0

    def compose(self, canvas: Canvas) -> float:
        face = self.theme.face
        x = 0.0
        for source, (glyph, token) in _GLYPHS.items():
            if glyph == "wedge":
                canvas.triangle(x + 5, 5, token)
            elif glyph == "diamond":
                canvas.painter.setPen(Qt.PenStyle.NoPen)
                canvas.painter.setBrush(self.theme.color(token))
                canvas.painter.drawPolygon(QPolygonF([QPointF(x + 5 + a, 8 + b) for a, b in _DIAMOND]))
            else:
                canvas.fill(QRectF(x + 1, 4, 8, 8), token, 4 if glyph == "disc" else 0)
            x += 15 + canvas.text(QRectF(x + 15, 0, 90, 17), source_name(source), face(11), "text_2") + 16
        canvas.line(x, 8, x + 14, 8, "danger", 1.6)
        words = f"{FLOOR_BUDGET_MS:g} and {self.budget_ms:g} ms budgets"
        canvas.text(QRectF(x + 20, 0, 200, 17), words, face(11, 600), "danger")
        return 18


class MetricsPage(Page):
    """Refreshes once a second, while visible."""

    side_by_side_from = 860

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Latency")
        self.worker = worker
        self.found: MetricsSnapshot | None = None
        self.plot: LatencyPlot | None = None
        self.sheet = DocumentView(theme, "Counts and times", widest=WIDEST)
        self.keys = SourceLegend(theme, "Marks of the sources")
        self.keys.setFixedHeight(theme.px(20))
        self.title = QLabel("How long the LLM took")
        self.histogram = Histogram(theme, self.title, self.title.text())
        self.histogram.log = True
        self.histogram.axis_chosen.connect(self._on_axis)
        self.to_scope = button("Go to the scope", primary=True, press=lambda: self.action_requested.emit("query"))
        self.empty = EmptyState(
            theme, "chart", "Nothing was measured yet", "Type a query on the scope (Ctrl+1).", self.to_scope
        )
        self.fault = FaultLine(theme)
        self.served = WrappedLabel(role="caption")
        self.serve = button("", press=self._change_port)
        self.timer = QTimer(self, interval=POLL_MS)
        self._job = Job(worker, self)
        self.timer.timeout.connect(self._measure)
        self._arrange()
        worker.choice_refused.connect(self._on_refused, Qt.ConnectionType.QueuedConnection)
        self.body.setVisible(False)

    def _arrange(self) -> None:
        px = self.theme.px
        self.pictures = fill(spaced(QVBoxLayout(), 0, px(16), 0, px(16), px(8)), self.keys)
        self.plot_place = QVBoxLayout()
        self.pictures.addLayout(self.plot_place, 3)
        self.right = QWidget()
        right = spaced(QVBoxLayout(self.right))
        self.latency_head = PaneHeader(self.theme, "Latency by source")
        fill(right, self.latency_head, (self.pictures, 3))
        below = fill(spaced(QVBoxLayout(), 0, px(16), 0, px(16), px(8)), self.histogram)
        right.addLayout(below, 2)
        self.body = QWidget()
        across = self._across = spaced(QHBoxLayout(self.body))
        across.addWidget(self.sheet)
        across.addSpacing(1)
        across.addWidget(self.right, 1)
        foot = spaced(QHBoxLayout(), px(8), px(16), px(8), px(16), px(8))
        self.served.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        fill(foot, (self.served, 1), self.serve)
        whole = spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0)
        head = PaneHeader(self.theme, "Latency")
        head.set_more("How long the answers of this session took, by what decided them.")
        fill(whole, head, self.fault, (self.body, 1), (self.empty, 1), foot)

    def focus_stops(self) -> list[QWidget]:
        return [self.to_scope if self.body.isHidden() else self.sheet, self.serve]

    # ---- display

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        port = core_state.settings.metrics.port
        fault = core_state.status.faults.get("metrics", "")
        fixed = core_state.origins.get(PORT) in FIXED
        self.fault.show_fault(fault)
        self.served.setText(endpoint_sentence(0 if fault else port))
        self.serve.setText("Stop serving" if port else f"Serve on port {OFFERED_PORT}")
        self.serve.setEnabled(not fixed)
        self.serve.setToolTip(
            f"{PORT} is set by {ORIGINS[core_state.origins[PORT]]}."
            if fixed
            else f"Changes the setting {PORT}; loopback only"
        )
        if self.found is not None:
            self.show_measures(self.found)

    def show_measures(self, found: MetricsSnapshot) -> None:
        """Show a copy of the metrics."""
        self.found = found
        if self.core_state is None or not self.isVisible():
            return
        had_keyboard = self.to_scope.hasFocus()
        self.body.setVisible(not found.is_empty)
        if had_keyboard and not found.is_empty:
            self.enter()  # before it is hidden: the next widget is the button that opens a port
        self.empty.setVisible(found.is_empty)
        if found.is_empty:
            return
        budget = float(self.core_state.settings.search_intent.llm_timeout_ms)
        own = () if found.is_idle else metrics_tables(found, budget)
        self.sheet.show_html(tables_html((*own, *usage_tables(found.use))))
        self.keys.budget_ms = budget
        self.latency_head.set_more(f"ms, the latest {len(found.in_order)} in their order, log axis")
        self._draw(found, budget)

    def _draw(self, found: MetricsSnapshot, budget: float) -> None:
        if self.plot is None:
            self.plot = LatencyPlot(self.theme, "Latency by source")
            self.plot_place.addWidget(self.plot)
        self.plot.show_detections(found.in_order, (FLOOR_BUDGET_MS, budget))
        durations = Durations()
        for ms in found.llm_ms[-KEPT:]:
            durations.add(ms)
        self.histogram.show_durations(durations, budget, (budget,))
        self.histogram.setVisible(bool(found.llm_ms))

    # ---- while visible

    def showEvent(self, event: QShowEvent) -> None:
        self._measure()
        self.timer.start()

    def _measure(self) -> None:
        async def look(bench: Workbench) -> MetricsSnapshot:
            with suppress(StoreError):  # the status reports it
                return metrics_snapshot(bench.metrics, await bench.usage.totals())
            return metrics_snapshot(bench.metrics)

        self._job.do(look, self.show_measures, ignore)

    def hideEvent(self, event: QHideEvent) -> None:
        self.timer.stop()

    def hairlines(self) -> Iterator[QRect]:
        if self.body.isVisible():
            right = self.right.geometry().translated(self.body.pos())
            high, wide = (1, right.width()) if self.is_narrow else (right.height(), 1)
            yield QRect(right.x() - (wide == 1), right.y() - (high == 1), wide, high)
        yield QRect(0, self.body.y() - 1, self.width(), 1)
        yield QRect(0, self.serve.y() - self.theme.px(8), self.width(), 1)

    def lay_panes(self, flipped: bool) -> None:
        keep_least_heights(self.theme, {self.sheet: 200, self.right: 420}, narrow=self.is_narrow, within=0)
        orient_box(self.theme, self._across, self.sheet, _LEFT - 1, narrow=self.is_narrow)

    def _on_axis(self, log: bool) -> None:
        self.histogram.log = log
        if self.found is not None:
            self.show_measures(self.found)

    def _change_port(self) -> None:
        port = self.core_state.settings.metrics.port if self.core_state is not None else 0
        self.worker.choose(PORT, "0" if port else str(OFFERED_PORT))

    def _on_refused(self, key: str, sentence: str) -> None:
        if key == PORT and self.isVisible():
            self.fault.show_fault(sentence)


MARKS: dict[str, tuple[str, str]] = {
    "keyword": ("o", "bar"),
    "learned": ("d", "success"),
    "hybrid": ("s", "accent"),
    "llm": ("t1", "bar_over"),
}
"""Symbol and colour of each source; others get a cross."""
_OTHER = ("x", "text_2")
_STEPS = (1.0, 2.0, 5.0)
_FEWEST = 20
"""Minimum length of the axis in detections, so that the first ones do not move."""


class LatencyPlot(Themed):
    """Latency on a logarithmic axis, detection numbers below, budgets as lines."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme)
        self.setAccessibleName(name)
        self._shown: tuple[Sequence[tuple[str, float]], tuple[float, ...]] | None = None
        self._plot = plot_widget(self, name)
        self._view = self._plot.addViewBox(0, 1, enableMenu=False, enableMouse=False)
        self._axes = two_axes(self._plot, self._view)
        self._clouds = {source: self._cloud(mark) for source, (mark, _) in MARKS.items()}
        self._lines: list[pg.InfiniteLine] = []
        self._none = QLabel("No times yet", alignment=Qt.AlignmentFlag.AlignCenter)
        layout = spaced(QVBoxLayout(self), None)
        fill(layout, self._plot, self._none)
        # An empty axis is never shown.
        self._plot.hide()
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def show_detections(self, detections: Sequence[tuple[str, float]], budgets: tuple[float, ...]) -> None:
        """Draw source and ms of each detection; no effect if they are already drawn."""
        if (detections, budgets) == self._shown or not detections:
            return
        self._shown = (detections, budgets)
        self._none.hide()
        self._plot.show()
        heights = [math.log10(max(ms, 0.01)) for _, ms in detections]
        for source in {source for source, _ in detections} - self._clouds.keys():
            self._clouds[source] = self._cloud(_OTHER[0])
        for source, cloud in self._clouds.items():
            token = MARKS.get(source, _OTHER)[1]
            places = [place for place, (name, _) in enumerate(detections) if name == source]
            cloud.setBrush(self.theme.color(token))
            cloud.setPen(self.theme.color("surface"))
            cloud.setSize(self.theme.px(8))
            cloud.setData([place + 1 for place in places], [heights[place] for place in places])
        self._lay_axes(heights, [math.log10(budget) for budget in budgets])
        self._draw_budgets(budgets)

    def _lay_axes(self, heights: Sequence[float], budgets: Sequence[float]) -> None:
        """Set axes that include every detection and every budget."""
        low = math.floor(min(*heights, *(budget - 0.1 for budget in budgets)) * 2) / 2
        high = max(low + 1, math.ceil(max(*heights, *(budget + 0.1 for budget in budgets)) * 2) / 2)
        end = max(_FEWEST, len(heights))
        self._view.setXRange(0, end, padding=0.02)
        self._view.setYRange(low, high, padding=0.02)
        marks = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in _STEPS]
        shown = [(math.log10(mark), f"{mark:g}") for mark in marks if low <= math.log10(mark) <= high]
        self._axes["left"].setTicks([shown])
        self._axes["bottom"].setTicks([[(mark, f"{mark:g}") for mark in ticks(end)]])

    def _cloud(self, mark: str) -> pg.ScatterPlotItem:
        cloud = pg.ScatterPlotItem(symbol=mark)
        self._view.addItem(cloud)
        return cloud

    def _draw_budgets(self, budgets: tuple[float, ...]) -> None:
        for line in self._lines:
            self._view.removeItem(line)
        pen = pg.mkPen(self.theme.color("danger"), width=1.6)
        self._lines = [pg.InfiniteLine(pos=math.log10(budget), angle=0, pen=pen) for budget in budgets]
        for line in self._lines:
            self._view.addItem(line)

    def _apply_theme(self) -> None:
        style_plot(self.theme, self._plot, self._axes.values())
        shown, self._shown = self._shown, None
        if shown is not None:
            self.show_detections(*shown)
