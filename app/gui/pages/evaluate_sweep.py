"""A sweep on the page of evaluation: a line for each value, a picture where the values are numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.display.evaluation.figures import FIGURES, Shown
from app.display.evaluation.sweep import SWEEP_COLUMNS, SweepShown
from app.gui.library.found import Found
from app.gui.library.table import LibraryTable
from app.gui.pages.evaluate_errands import EvaluateErrands
from app.gui.theme import Theme

if TYPE_CHECKING:
    from app.gui.chart import LinesPlot

_PICTURE = 340


class SweepPart(QWidget):
    """What the picked value comes to is told by `picked`; it is hidden while nothing is swept."""

    picked = Signal(object)  # Shown

    def __init__(self, theme: Theme, errands: EvaluateErrands) -> None:
        super().__init__()
        self.theme, self.errands = theme, errands
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
        errands.valued.connect(self._on_valued)
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
        self.table.show_found(Found(range(len(rows)), len(rows), rows, [(shown.best, shown.best)], shown.best))
        self.table.pick(shown.best)
        self._draw(shown)
        QTimer.singleShot(0, self, self._bring_into_view)  # once it has its height

    def _bring_into_view(self) -> None:
        self.table.scrollTo(self.table.currentIndex(), LibraryTable.ScrollHint.PositionAtCenter)

    def _draw(self, shown: SweepShown) -> None:
        if shown.chart is not None and self.plot is None:
            from app.gui.chart import LinesPlot  # heavy, and wanted only now

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
            self.errands.look_at(self.shown, place)

    def _on_valued(self, place: int, told: Shown) -> None:
        if place == self._asked:
            self.picked.emit(told)
