"""Line charts and histograms. Import it late: pyqtgraph is slow to load."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.display import numbers
from app.display.evaluation.diagnostics import CONFIDENCE_AXIS, Bars, Chart, Series, bin_edges
from app.display.scope.timing import Bins
from app.gui.kit.canvas import Canvas
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.sheet import Sheet
from app.gui.kit.theme import Theme, Themed


def plot_widget(parent: QWidget, name: str) -> pg.GraphicsLayoutWidget:
    """Make an empty plot widget without a frame, which takes no keys."""
    made = pg.GraphicsLayoutWidget(parent)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(name)
    made.setFrameShape(made.Shape.NoFrame)
    policy = QSizePolicy.Policy  # its size hint is the size that it once had
    made.setSizePolicy(policy.Expanding, policy.Ignored)
    made.ci.setContentsMargins(0, 0, 0, 0)
    made.ci.setSpacing(0)
    return made


def add_axes(sheet: pg.GraphicsLayoutWidget, view: pg.ViewBox, sides: Iterable[str]) -> dict[str, pg.AxisItem]:
    """Add axes at the left of a view or below it, by `left` and `bottom`."""
    axes = {side: pg.AxisItem(side) for side in sides}
    axes["bottom"].setStyle(hideOverlappingLabels=False)  # otherwise the last mark has no label if it is wide
    for side, axis in axes.items():
        sheet.addItem(axis, *((0, 0) if side == "left" else (1, 1)))
        axis.linkToView(view)
    return axes


def style_plot(theme: Theme, sheet: pg.GraphicsLayoutWidget, axes: Iterable[pg.AxisItem]) -> None:
    """Apply the theme's colours and fonts to a plot and its axes."""
    sheet.setBackground(theme.color("surface"))
    for axis in axes:
        axis.setPen(theme.color("border_strong"))
        axis.setTextPen(theme.color("text_2"))
        axis.setTickFont(theme.font(11, mono=True))
        axis.setStyle(tickLength=-3, tickTextOffset=4)


def title_axes(theme: Theme, axes: Mapping[str, pg.AxisItem], across: str, up: str) -> None:
    for axis, title in ((axes["bottom"], across), (axes["left"], up)):
        axis.enableAutoSIPrefix(False)
        axis.setLabel(title, color=theme.color("text_2").name())
        axis.label.setFont(theme.font(11))
        axis.showLabel(bool(title))


def place_line(theme: Theme, at: float, word: str, height: float) -> pg.InfiniteLine:
    """Add a dashed vertical line at a value, labelled at this share of the height."""
    pen = pg.mkPen(theme.color("border_strong"), width=1, style=Qt.PenStyle.DashLine)
    anchors = [(0.0, 0.5), (0.0, 0.5)] if at < 0.5 else [(1.0, 0.5), (1.0, 0.5)]
    options = {"position": height, "color": theme.color("text_2"), "movable": False, "anchors": anchors}
    line = pg.InfiniteLine(pos=at, angle=90, pen=pen, label=word, labelOpts=options)
    line.label.setFont(theme.font(11))
    return line


Shown = TypeVar("Shown")


class Plot(Themed, Generic[Shown]):
    """Template method: axes, below a legend if there is one; a subclass draws its content.

    Screen readers read the tables beside it, or the legend, instead.
    """

    sides: tuple[str, ...] = ("left", "bottom")
    """Sides with an axis."""

    def __init__(self, theme: Theme, name: str, keys: Sheet | None = None) -> None:
        super().__init__(theme)
        self.setAccessibleName(name)
        self._shown: Shown | None = None
        self._plot = plot_widget(self, name)
        self._view = self._plot.addViewBox(0, 1, enableMenu=False, enableMouse=False)
        self._axes = add_axes(self._plot, self._view, self.sides)
        self._lines: list[pg.InfiniteLine] = []
        if keys is None:
            fill(spaced(QVBoxLayout(self)), self._plot)
        else:
            fill(spaced(QVBoxLayout(self), theme.px(2), theme.px(16), 0, theme.px(16), 0), keys, (self._plot, 1))
        theme.follow(self._apply_theme)

    @abstractmethod
    def draw(self, shown: Shown) -> None:
        """Draw this content."""

    def show_content(self, shown: Shown) -> None:
        """Draw a content in a later event; no effect if it is already drawn."""
        if shown != self._shown:
            self._shown = shown
            QTimer.singleShot(0, self, self._draw)

    def _draw(self) -> None:
        if self._shown is not None:
            self.draw(self._shown)

    def _show_lines(self, lines: Iterable[pg.InfiniteLine]) -> None:
        """Replace the lines across the plot."""
        for line in self._lines:
            self._view.removeItem(line)
        self._lines = list(lines)
        for line in self._lines:
            self._view.addItem(line)

    def _bar_items(self, count: int) -> list[pg.BarGraphItem]:
        items = [pg.BarGraphItem(x0=[], width=1, height=[]) for _ in range(count)]
        for item in items:
            self._view.addItem(item)
        return items

    def _apply_theme(self) -> None:
        style_plot(self.theme, self._plot, self._axes.values())
        shown, self._shown = self._shown, None
        if shown is not None:
            self.show_content(shown)


# ---- Line charts with axis titles

_DASHES = {"solid": Qt.PenStyle.SolidLine, "dash": Qt.PenStyle.DashLine, "dot": Qt.PenStyle.DotLine}
_GAPS = {"solid": None, "dash": (6.0, 3.0), "dot": (2.0, 3.0)}
_SYMBOLS = {"solid": "o", "dash": "s", "dot": "t1"}
_ROW = 18.0


class LinesLegend(Sheet):
    """Legend: the name of each line with a sample, wrapped into rows."""

    series: tuple[Series, ...] = ()

    def compose(self, canvas: Canvas) -> float:
        x, y, face = 0.0, 0.0, self.theme.face(11)
        for one in self.series:
            wide = 28 + face.width(one.name)
            if x and x + wide > canvas.width:
                x, y = 0.0, y + _ROW
            canvas.line(x, y + 9, x + 22, y + 9, one.token, 1.8, dashes=_GAPS[one.dash])
            canvas.text(QRectF(x + 28, y, wide, 18), one.name, face, "text_2")
            x += wide + 16
        high = y + _ROW + 2
        self.setFixedHeight(self.theme.px(high))
        return high


class LinesPlot(Plot[Chart]):
    """Line chart with labelled places, a normal range and alarms."""

    def __init__(self, theme: Theme, name: str) -> None:
        self.keys = LinesLegend(theme, name)
        self.keys.setFixedHeight(theme.px(_ROW))
        super().__init__(theme, name, self.keys)
        self._curves: list[pg.PlotDataItem] = []
        self._alarms: list[pg.InfiniteLine] = []
        self._band = pg.BarGraphItem(x0=[], width=1, height=[])
        self._band.setZValue(-10)
        self._view.addItem(self._band, ignoreBounds=True)

    def show_content(self, shown: Chart) -> None:
        self.keys.series = shown.series
        self.keys.setVisible(any(one.name for one in shown.series))
        self.keys.update()
        super().show_content(shown)

    def draw(self, shown: Chart) -> None:
        self._show_lines(place_line(self.theme, at, word, 0.06 + 0.14 * n) for n, (at, word) in enumerate(shown.at))
        self._draw_levels(shown)
        while len(self._curves) < len(shown.series):
            self._curves.append(pg.PlotDataItem(antialias=True))
            self._view.addItem(self._curves[-1])
        for place, curve in enumerate(self._curves):
            curve.setVisible(place < len(shown.series))
            if place < len(shown.series):
                self._show_series(curve, shown.series[place])
        self._view.setXRange(*shown.across, padding=0.05)  # half of a wide last mark
        self._view.setYRange(*shown.up, padding=0.04)
        for axis, marks, words in (
            ("bottom", shown.across_marks, shown.across_words),
            ("left", shown.up_marks, shown.up_words),
        ):
            named = words or [numbers.minus(f"{mark:.4g}") for mark in marks]
            self._axes[axis].setTicks([list(zip(marks, named, strict=True))])
        title_axes(self.theme, self._axes, shown.across_name, shown.up_name)

    def _draw_levels(self, chart: Chart) -> None:
        """Draw the normal range as a band, and alarms as labelled dashed lines."""
        low, high = chart.band or (0.0, 0.0)
        left, right = chart.across
        wide = 2.0 * (right - left)
        color = self.theme.color("sunken")
        self._band.setOpts(x0=[left - wide / 2], width=2.0 * wide, y0=low, height=[high - low], brush=color, pen=None)
        while len(self._alarms) < len(chart.alarms):
            self._alarms.append(pg.InfiniteLine(angle=0, label="", labelOpts={"position": 0.02, "movable": False}))
            self._view.addItem(self._alarms[-1], ignoreBounds=True)
        color = self.theme.color("danger")
        for place, line in enumerate(self._alarms):
            line.setVisible(place < len(chart.alarms))
            if place < len(chart.alarms):
                at, word = chart.alarms[place]
                line.setPos(at)
                line.setPen(pg.mkPen(color, width=1.2, style=Qt.PenStyle.DashLine))
                line.label.setFormat(word)
                line.label.setColor(color)
                line.label.setFont(self.theme.font(11))
                # The label is on the side of the line with more space.
                line.label.anchors = [(0.0, 1.0 if at < sum(chart.up) / 2 else 0.0)] * 2
                line.label.updatePosition()

    def _show_series(self, curve: pg.PlotDataItem, one: Series) -> None:
        color = self.theme.color(one.token)
        curve.setData(
            list(one.xs),
            list(one.ys),
            connect="finite",
            pen=pg.mkPen(color, width=1.8 if one.is_marked else 1.2, style=_DASHES[one.dash]),
            symbol=_SYMBOLS[one.dash] if one.is_marked else None,
            symbolSize=self.theme.px(6),
            symbolBrush=color,
            symbolPen=None,
        )


# ---- Expected answers upwards, others downwards, by confidence


_HALVES = (("success", 1.0), ("danger", -1.0))


class HalvesLegend(Sheet):
    """Legend of both halves: names with colour and side."""

    words: tuple[str, ...] = ()

    def compose(self, canvas: Canvas) -> float:
        face = self.theme.face(11)
        for row, (word, (token, side)) in enumerate(zip(self.words, _HALVES, strict=False)):
            y = row * _ROW
            canvas.fill(QRectF(0, y + (4 if side > 0 else 9), 10, 5), token)
            canvas.line(0, y + 9, 22, y + 9, "border_strong", 1.0)
            canvas.text(QRectF(28, y, canvas.width - 28, 18), word, face, "text_2")
        high = len(_HALVES) * _ROW + 2
        self.setFixedHeight(self.theme.px(high))
        return high


class HalvesPlot(Plot[Bars]):
    """Bar chart of two halves."""

    def __init__(self, theme: Theme, name: str) -> None:
        self.keys = HalvesLegend(theme, name)
        super().__init__(theme, name, self.keys)
        self._bars = self._bar_items(len(_HALVES))

    def show_content(self, shown: Bars) -> None:
        self.keys.words = shown.words
        self.keys.update()
        super().show_content(shown)

    def draw(self, shown: Bars) -> None:
        edges = bin_edges()
        wide = edges[0][1]
        for item, (token, side), counts in zip(self._bars, _HALVES, (shown.right, shown.wrong), strict=True):
            item.setOpts(
                x0=[low + wide * 0.04 for low, _ in edges],
                width=wide * 0.92,
                y0=0,
                height=[side * count for count in counts],
                brush=self.theme.color(token),
                pen=None,
            )
        pen = pg.mkPen(self.theme.color("border_strong"), width=1)
        marks = (place_line(self.theme, at, word, 0.96) for at, word in shown.at)
        self._show_lines((pg.InfiniteLine(pos=0, angle=0, pen=pen), *marks))
        self._view.setXRange(0.0, 1.0, padding=0.02)
        self._view.setYRange(-max(1, *shown.wrong), max(1, *shown.right), padding=0.06)
        self._axes["bottom"].setTicks([[(mark, f"{mark:.4g}") for mark in (0.0, 0.25, 0.5, 0.75, 1.0)]])
        self._axes["left"].setTicks([list(shown.up_marks)])
        title_axes(self.theme, self._axes, CONFIDENCE_AXIS, "cases")


# ---- Histogram of times with percentile and budget lines


_STYLES = {50: Qt.PenStyle.SolidLine, 90: Qt.PenStyle.DashLine, 95: Qt.PenStyle.DashDotLine, 99: Qt.PenStyle.DotLine}


class HistogramPlot(Plot[tuple[Bins, tuple[float, ...]]]):
    """Bars in two colours, a line per percentile, and the budgets within the axis."""

    sides = ("bottom",)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._bars = self._bar_items(2)

    def draw(self, shown: tuple[Bins, tuple[float, ...]]) -> None:
        bins, budgets = shown
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
        self._axes["bottom"].setTicks([list(bins.marks())])

    def _draw_lines(self, bins: Bins, budgets: tuple[float, ...]) -> None:
        text, danger = self.theme.color("text"), self.theme.color("danger")
        places = [bins.place(value) for value in budgets]
        wanted = [(place, pg.mkPen(danger, width=2)) for place in places if bins.low <= place <= bins.high]
        wanted += [
            (bins.place(value), pg.mkPen(text, width=1.6 if share == 50 else 1.2, style=_STYLES[share]))
            for share, value, _ in bins.percentiles
        ]
        self._show_lines(pg.InfiniteLine(pos=value, angle=90, pen=pen) for value, pen in wanted)

    def _apply_theme(self) -> None:
        super()._apply_theme()
        self._axes["bottom"].setStyle(tickTextOffset=3)
        self._axes["bottom"].setHeight(self.theme.px(18))
