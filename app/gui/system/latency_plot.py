"""Plot of detections over time with latency and source. Import it late: pyqtgraph is slow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.display.scope.timing import ticks
from app.gui.kit.drawing.chart import plot_widget, style_plot, two_axes
from app.gui.kit.theme.theme import Theme

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


class LatencyPlot(QWidget):
    """Latency on a logarithmic axis, detection numbers below, budgets as lines."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.setAccessibleName(name)
        self._shown: tuple[Sequence[tuple[str, float]], tuple[float, ...]] | None = None
        self._plot = plot_widget(self, name)
        self._view = self._plot.addViewBox(0, 1, enableMenu=False, enableMouse=False)
        self._axes = two_axes(self._plot, self._view)
        self._clouds = {source: self._cloud(mark) for source, (mark, _) in MARKS.items()}
        self._lines: list[pg.InfiniteLine] = []
        self._none = QLabel("No times yet")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        layout.addWidget(self._none)
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
