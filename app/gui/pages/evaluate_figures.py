"""The figures of an evaluation as tables, and below them how far confidences keep what they promise, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.display.evaluation.figures import Shown
from app.gui.pages.tables import TablesSheet
from app.gui.sheet import scrolled
from app.gui.theme import Theme

if TYPE_CHECKING:
    from app.gui.chart import LinesPlot

_WIDE, _CHART, _LEAST = 400, 216, 420
_ANY = 16_777_215
"""Qt's word for as wide as it likes."""


class FiguresPart(QWidget):
    """Stands at the left; where the window is narrow, below the rest."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.plot: LinesPlot | None = None
        self.tables = TablesSheet(theme, self.tr("Figures"))
        self.area = scrolled(self.tables, self.tr("Figures"))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, theme.px(8))
        self._column.setSpacing(theme.px(10))
        self._column.addWidget(self.area, 1)

    def show_figures(self, shown: Shown) -> None:
        """Show these."""
        self.tables.shown = shown.tables
        self.tables.update()
        if shown.chart is not None and self.plot is None:
            from app.gui.chart import LinesPlot  # heavy, and wanted only now

            self.plot = LinesPlot(self.theme, self.tr("Reliability: right answers against confidence"))
            self.plot.setFixedHeight(self.theme.px(_CHART))
            self._column.addWidget(self.plot)
        if self.plot is not None:
            self.plot.setVisible(shown.chart is not None)
            if shown.chart is not None:
                self.plot.show_chart(shown.chart)

    def stand_beside(self, *, on: bool) -> None:
        """Whether there is something at the right."""
        self.setMinimumWidth(self.theme.px(_WIDE) if on else 0)
        self.setMaximumWidth(self.theme.px(_WIDE) if on else _ANY)
        self.setMinimumHeight(0 if on else self.theme.px(_LEAST))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.plot is not None and self.plot.isVisible():
            y = self.plot.y() - self.theme.px(6)
            QPainter(self).fillRect(0, y, self.width(), 1, self.theme.color("border"))
