"""Latency page: how fast answers are and what takes the time; use, and the Prometheus endpoint."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.display.scope.timing import KEPT, Durations, ticks
from app.display.system.metrics import (
    MARKS,
    OTHER,
    MetricsSnapshot,
    endpoint_sentence,
    latency_sentence,
    metrics_snapshot,
    metrics_tables,
    usage_tables,
)
from app.display.system.settings import FIXED
from app.domain.errors import StoreError
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job
from app.gui.kit.chart import Plot, title_axes
from app.gui.kit.controls import EmptyState, PaneHeader, button
from app.gui.kit.document import WIDEST, DocumentView, span, tables_html
from app.gui.kit.histogram import Histogram
from app.gui.kit.layouts import fill, keep_least_heights, orient_box, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import FaultLine, Section, WrappedLabel
from app.gui.kit.tables import table_columns
from app.gui.kit.theme import Theme
from app.settings.refusals import ORIGINS

if TYPE_CHECKING:
    from app.services.workbench import Workbench


PORT = "metrics.port"
OFFERED_PORT = 9464
"""Suggested port; the usual one of exporters."""
POLL_MS = 1_000
_LEFT, _MOST_PLOT = 360, 460


class MetricsPage(Page):
    """Refreshes once a second, while visible."""

    side_by_side_from = 860

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Latency")
        self.worker = worker
        self.found: MetricsSnapshot | None = None
        self.plot: LatencyPlot | None = None
        self.sheet = DocumentView(theme, "Counts and times", widest=WIDEST)
        self.use_sheet = DocumentView(theme, "Use by assistants", widest=WIDEST)
        self.use = Section(theme, "Use by assistants", self.use_sheet)
        self.sentence = WrappedLabel(role="verdict")
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

    def _arrange(self) -> None:
        px, pad = self.theme.px, self.theme.px(16)
        self.plot_place = QVBoxLayout()
        self.plot_head = PaneHeader(self.theme, "Each answer")
        self.right, self.body, self.foot = QWidget(), QWidget(), QWidget()
        pictures = spaced(QVBoxLayout(), px(8), pad, 0, pad, px(8))
        fill(pictures, (self.plot_place, 3), (self.histogram, 2), 0)  # the last where the plot is at its most
        fill(spaced(QVBoxLayout(self.right)), self.plot_head, (pictures, 1))
        self._across = fill(spaced(QHBoxLayout(self.body), 1), self.sheet, (self.right, 1))
        said = fill(spaced(QVBoxLayout(), 0, pad, px(2), pad, px(10)), self.sentence)
        foot = spaced(QHBoxLayout(self.foot), px(8), pad, px(8), pad, px(8))
        self.served.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        fill(foot, (self.served, 1), self.serve)
        head = PaneHeader(self.theme, "Latency")
        head.set_more("this session, in ms")
        parts = (head, said, self.fault, (self.body, 1), (self.empty, 1), self.use, self.foot)
        fill(spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0), *parts)
        for hidden in (self.sentence, self.body, self.use):
            hidden.setVisible(False)

    def persist_in(self, folder: Path) -> None:
        self.use.persist_in(folder / table_columns.FILE, "use")

    def focus_stops(self) -> list[QWidget]:
        return [self.to_scope if self.body.isHidden() else self.sheet, self.use.line, self.serve]

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
        budget = float(self.core_state.settings.search_intent.llm_timeout_ms)
        heading, *use = usage_tables(found.use) or (None,)
        self.use.setVisible(heading is not None)
        if heading is not None:
            self.use.line.show_summary(heading.title.removeprefix("Use, "))
            self.use_sheet.show_html(span(heading.remark, "text_2 below", "p") + tables_html(use))
        self.sentence.show_text(latency_sentence(found, budget))
        self.body.setVisible(not found.is_idle)
        if had_keyboard and not found.is_idle:
            self.enter()  # before it is hidden: the next widget is the button that opens a port
        self.empty.setVisible(found.is_idle)
        if not found.is_idle:
            self.sheet.show_html(tables_html(metrics_tables(found, budget)))
            self._draw(found, budget)
            self.lay_panes(flipped=False)

    def _draw(self, found: MetricsSnapshot, budget: float) -> None:
        if self.plot is None:
            self.plot = LatencyPlot(self.theme, "Each answer")
            self.plot.setMaximumHeight(self.theme.px(_MOST_PLOT))
            self.plot_place.addWidget(self.plot)
        if found.in_order:
            self.plot.show_content(found.in_order)
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
        yield QRect(0, self.foot.y(), self.width(), 1)

    def lay_panes(self, flipped: bool) -> None:
        text = self.sheet.document().size().height() / self.theme.scale
        keep_least_heights(self.theme, {self.sheet: text, self.right: 420}, narrow=self.is_narrow, within=0)
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


_STEPS = (1.0, 2.0, 5.0)


class LatencyPlot(Plot[Sequence[tuple[str, float]]]):
    """Time until each answer was complete (log axis, oldest first), marked by the type's source."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._clouds: dict[str, pg.ScatterPlotItem] = {}

    def draw(self, shown: Sequence[tuple[str, float]]) -> None:
        """Draw source and ms of each answer."""
        heights = [math.log10(max(ms, 0.01)) for _, ms in shown]
        for source in {source for source, _ in shown} | self._clouds.keys():
            symbol, token, _ = MARKS.get(source, OTHER)
            if source not in self._clouds:
                self._clouds[source] = pg.ScatterPlotItem(symbol=symbol)
                self._view.addItem(self._clouds[source])
            places = [place for place, (name, _) in enumerate(shown) if name == source]
            cloud = self._clouds[source]
            cloud.setBrush(self.theme.color(token))
            cloud.setPen(self.theme.color("surface"))
            cloud.setSize(self.theme.px(9))
            cloud.setData([place + 1 for place in places], [heights[place] for place in places])
        self._lay_axes(heights)

    def _lay_axes(self, heights: Sequence[float]) -> None:
        """Set axes that include every answer, at least a power of ten high."""
        low = math.floor(min(heights) * 2) / 2
        high = max(low + 1, math.ceil(max(heights) * 2) / 2)
        end = len(heights)
        self._view.setXRange(0.5, end + 0.5, padding=0.0)
        self._view.setYRange(low, high, padding=0.02)
        marks = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in _STEPS]
        shown = [(math.log10(mark), f"{mark:g}") for mark in marks if low <= math.log10(mark) <= high]
        self._axes["left"].setTicks([shown])
        self._axes["bottom"].setTicks([[(mark, f"{mark:g}") for mark in ticks(end) if mark == int(mark)]])
        title_axes(self.theme, self._axes, "answers, oldest first", "ms until complete (log)")
