"""A histogram of times with percentile and budget lines. Import it late: pyqtgraph is heavy."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.display.scope.timing import Bins
from app.gui.kit.drawing.chart import canvas, dress
from app.gui.kit.theme.theme import Theme

_STYLES = {50: Qt.PenStyle.SolidLine, 90: Qt.PenStyle.DashLine, 99: Qt.PenStyle.DotLine}


class HistogramPlot(QWidget):
    """Bars of two colours, three percentile lines, and the budgets that lie within the axis."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.setAccessibleName(name)
        self._shown: tuple[Bins, tuple[float, ...]] | None = None
        pg.setConfigOptions(antialias=False)
        self._plot = canvas(self, name)
        self._view = self._plot.addViewBox(0, 0, enableMenu=False, enableMouse=False)
        self._axis = pg.AxisItem("bottom")
        self._plot.addItem(self._axis, 1, 0)
        self._axis.linkToView(self._view)
        self._bars = [pg.BarGraphItem(x0=[], width=1, height=[]) for _ in range(2)]
        for item in self._bars:
            self._view.addItem(item)
        self._lines: list[pg.InfiniteLine] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        theme.changed.connect(self._dress)
        self._dress()

    def show_bins(self, bins: Bins, budgets: tuple[float, ...]) -> None:
        """Draw these bars; nothing happens if they are drawn already."""
        if (bins, budgets) == self._shown:
            return
        self._shown = (bins, budgets)
        gap = bins.width * 0.06
        for item, over, token in zip(self._bars, (False, True), ("bar", "bar_over"), strict=True):
            places = [n for n, is_over in enumerate(bins.over) if is_over is over]
            item.setOpts(
                x0=[bins.lefts[n] + gap / 2 for n in places],
                width=bins.width - gap,
                height=[bins.counts[n] for n in places],
                brush=self.theme.color(token),
                pen=None,
            )
        self._draw_lines(bins, budgets)
        self._view.setXRange(bins.low, bins.high, padding=0.01)
        self._view.setYRange(0, max(bins.counts) * 1.06, padding=0)
        self._axis.setTicks([list(bins.marks())])

    def _draw_lines(self, bins: Bins, budgets: tuple[float, ...]) -> None:
        for line in self._lines:
            self._view.removeItem(line)
        text, danger = self.theme.color("text"), self.theme.color("danger")
        places = [bins.place(value) for value in budgets]
        wanted = [(place, pg.mkPen(danger, width=2)) for place in places if bins.low <= place <= bins.high]
        wanted += [
            (bins.place(value), pg.mkPen(text, width=1.6 if share == 50 else 1.2, style=_STYLES[share]))
            for share, value, _ in bins.percentiles
        ]
        self._lines = [pg.InfiniteLine(pos=value, angle=90, pen=pen) for value, pen in wanted]
        for line in self._lines:
            self._view.addItem(line)

    def _dress(self) -> None:
        dress(self.theme, self._plot, [self._axis], 3)
        self._axis.setHeight(self.theme.px(18))
        shown, self._shown = self._shown, None
        if shown is not None:
            self.show_bins(*shown)
