"""Where the panels lie: nested splitters with the sizes of the design, and what gives way when room goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.gui.panels import PANELS, Area
from app.gui.panels.panel import Panel
from app.gui.theme import Theme

_WIDTHS: dict[Area, tuple[int, int]] = {Area.LEFT: (280, 440), Area.CENTER: (560, 16_000), Area.RIGHT: (288, 520)}
_NARROW = {Area.LEFT: 296, Area.RIGHT: 300, Area.BELOW_LEFT: 452}
_WIDE = {Area.LEFT: 384, Area.RIGHT: 424, Area.BELOW_LEFT: 600}
_TIMING = (160, 360)
_ABOVE_FROM = 340
"""With less height than this above, the timing shrinks first, then the panels that only add to another one go."""


class Layout(QWidget):
    """The page: three columns over two. Sizes start as designed and stay where a person drags them."""

    def __init__(self, theme: Theme, panels: Mapping[str, Panel]) -> None:
        super().__init__()
        self.theme = theme
        self._dragged: set[QSplitter] = set()
        self._yielding = [panels[row.key] for row in PANELS if not row.stretch]
        columns = {area: self._column([panels[row.key] for row in PANELS if row.area is area], area) for area in Area}
        self.above = self._splitter(Qt.Orientation.Horizontal, columns, (Area.LEFT, Area.CENTER, Area.RIGHT))
        self.below = self._splitter(Qt.Orientation.Horizontal, columns, (Area.BELOW_LEFT, Area.BELOW_RIGHT))
        self.below.setMinimumHeight(_TIMING[0])
        self.below.setMaximumHeight(theme.px(_TIMING[1]))
        self.whole = QSplitter(Qt.Orientation.Vertical)
        for part in (self.above, self.below):
            self.whole.addWidget(part)
        self.above.setMinimumHeight(240)
        self._finish(self.whole)
        self.whole.setStretchFactor(0, 1)
        self.whole.setStretchFactor(1, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        px, width, height = self.theme.px, self.width(), self.height()
        share = max(0.0, min(1.0, (width / self.theme.scale - 1232) / 640))
        size = {area: px(_NARROW[area] + share * (_WIDE[area] - _NARROW[area])) for area in _NARROW}
        timing = max(_TIMING[0], min(px(200 + 44 * share), height - px(_ABOVE_FROM)))
        for panel in self._yielding:
            panel.setVisible(height - timing >= px(_ABOVE_FROM))
        if self.above not in self._dragged:
            rest = width - size[Area.LEFT] - size[Area.RIGHT] - 2
            self.above.setSizes([size[Area.LEFT], rest, size[Area.RIGHT]])
        if self.below not in self._dragged:
            self.below.setSizes([size[Area.BELOW_LEFT], width - size[Area.BELOW_LEFT] - 1])
        if self.whole not in self._dragged:
            self.whole.setSizes([height - timing - 1, timing])

    def _column(self, panels: Sequence[Panel], area: Area) -> QWidget:
        stretches = {row.key: row.stretch for row in PANELS if row.area is area}
        column = QWidget()
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for panel, stretch in zip(panels, stretches.values(), strict=True):
            layout.addWidget(panel, 1 if stretch else 0)
        if area in _WIDTHS:
            least, most = _WIDTHS[area]
            column.setMinimumWidth(least)  # not scaled: with large text panes scroll, the window does not
            column.setMaximumWidth(self.theme.px(most))
        return column

    def _splitter(self, direction: Qt.Orientation, columns: Mapping[Area, QWidget], areas: Sequence[Area]) -> QSplitter:
        splitter = QSplitter(direction)
        for area in areas:
            splitter.addWidget(columns[area])
            splitter.setStretchFactor(splitter.count() - 1, 1 if area in (Area.CENTER, Area.BELOW_RIGHT) else 0)
        self._finish(splitter)
        return splitter

    def _finish(self, splitter: QSplitter) -> None:
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(1)
        splitter.splitterMoved.connect(lambda: self._dragged.add(splitter))
