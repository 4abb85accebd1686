"""The figures of an evaluation as tables, and below them how far confidences keep what they promise, as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from app.display.evaluation.figures import FIGURES, Shown
from app.display.evaluation.sweep import SWEEP_COLUMNS, SweepShown
from app.domain.filters import SearchResult
from app.gui.evaluation.jobs import EvaluationJobs
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.drawing.tables_sheet import TablesSheet
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.gui.kit.drawing.chart import LinesPlot


_WIDE, _CHART, _LEAST = 400, 216, 420
_ANY = 16_777_215
"""Qt's word for as wide as it likes."""


class FiguresPart(Ruled):
    """Stands at the left; where the window is narrow, below the rest."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
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
            from app.gui.kit.drawing.chart import LinesPlot  # heavy, and wanted only now

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

    def hairlines(self) -> Iterator[QRect]:
        if self.plot is not None and self.plot.isVisible():
            yield QRect(0, self.plot.y() - self.theme.px(6), self.width(), 1)


# --------------------------------------------------------------------------------------------------------------------
# A sweep on the page of evaluation: a line for each value, a picture where the values are numbers

_PICTURE = 340


class SweepPart(QWidget):
    """What the picked value comes to comes by `picked`; it is hidden while nothing is swept."""

    picked = Signal(Shown)

    def __init__(self, theme: Theme, jobs: EvaluationJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self.shown: SweepShown | None = None
        self.plot: LinesPlot | None = None
        self._asked = -1
        self.table = LibraryTable(theme, self.tr("Values"), SWEEP_COLUMNS, "sweep")
        self.table.setMinimumHeight(theme.px(150))
        self._across = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._across.setContentsMargins(0, theme.px(4), 0, 0)
        self._across.setSpacing(theme.px(8))
        self._across.addWidget(self.table, 1)
        self.table.picked.connect(self._on_picked)
        jobs.valued.connect(self._on_valued)
        self.setVisible(False)

    @property
    def is_aside(self) -> bool:
        """Whether another value than the best is picked."""
        return self.shown is not None and self._asked not in (-1, self.shown.best)

    def show_sweep(self, shown: SweepShown | None) -> None:
        """Show a sweep and pick its best value; None: nothing is swept."""
        self.shown, self._asked = shown, -1
        self.setVisible(shown is not None)
        if shown is None:
            return
        for place, column in enumerate(SWEEP_COLUMNS):
            self.table.setColumnHidden(place, column.key in FIGURES and column.key not in shown.columns)
        rows = dict(enumerate(shown.lines))
        self.table.show_found(SearchResult(range(len(rows)), len(rows), rows, [(shown.best, shown.best)], shown.best))
        self.table.pick(shown.best)
        self._draw(shown)
        QTimer.singleShot(0, self, self._bring_into_view)  # once it has its height

    def _bring_into_view(self) -> None:
        self.table.scrollTo(self.table.currentIndex(), LibraryTable.ScrollHint.PositionAtCenter)

    def _draw(self, shown: SweepShown) -> None:
        if shown.chart is not None and self.plot is None:
            from app.gui.kit.drawing.chart import LinesPlot  # heavy, and wanted only now

            self.plot = LinesPlot(self.theme, self.tr("Figures over the values"))
            self.plot.setMinimumWidth(self.theme.px(_PICTURE))
            self._across.addWidget(self.plot)
        if self.plot is not None:
            self.plot.setVisible(shown.chart is not None)
            if shown.chart is not None:
                self.plot.show_chart(shown.chart)

    def _on_picked(self) -> None:
        place = self.table.current_key
        if self.shown is not None and place is not None and place != self._asked:
            self._asked = place
            self.jobs.look_at(self.shown, place)

    def _on_valued(self, place: int, shown: Shown) -> None:
        if place == self._asked:
            self.picked.emit(shown)
