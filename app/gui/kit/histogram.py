"""Session durations by stage: histograms with the budget, and a table for screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QLabel, QTableView, QVBoxLayout, QWidget

from app.display import numbers
from app.display.scope.timing import HEADS, Bins, Durations, SessionRow, bins, over_budget
from app.domain.language import quantity
from app.gui.kit.canvas import Canvas
from app.gui.kit.controls import button
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.sheet import Sheet
from app.gui.kit.tables.rows import RowsModel, pick_whole_rows
from app.gui.kit.theme import Theme, Themed, styled

if TYPE_CHECKING:
    from app.gui.kit.chart import HistogramPlot


_DASHES: dict[int, tuple[float, ...] | None] = {50: None, 90: (4, 2), 95: (6, 2, 2, 2), 99: (2, 2)}


class PercentileLegend(Sheet):
    """Legend of the percentiles: line sample, name, and number."""

    shown: Bins | None = None

    def compose(self, canvas: Canvas) -> float:
        x = 0.0
        face = self.theme.face
        for share, _, text in self.shown.percentiles if self.shown else ():
            canvas.line(x + 1, 2, x + 1, 15, "text", 1.6, dashes=_DASHES[share])
            x += 6 + canvas.text(QRectF(x + 6, 0, 40, 17), f"P{share}", face(11), "text_2") + 5
            x += canvas.text(QRectF(x, 0, 60, 17), text, face(11, 500, mono=True)) + 12
        return 18


class BudgetSheet(Sheet):
    budget: tuple[str, str] | None = None
    has_runs = False

    def compose(self, canvas: Canvas) -> float:
        face = self.theme.face
        if not self.has_runs:
            return 18
        if self.budget is None:
            canvas.text(QRectF(0, 0, canvas.width, 18), "No budget", face(11), "text_2")
        else:
            runs = [(self.budget[0], face(11, 600), "danger"), (": " + self.budget[1], face(11), "text_2")]
            canvas.runs(0, 0, 18, runs, canvas.width)
        return 18


class Histogram(Themed):
    """One stage's durations: title, bars, budget. `title` may be a combo box for the stage.

    Clicking the axis label changes between linear and logarithmic.
    """

    axis_chosen = Signal(bool)  # True if logarithmic

    def __init__(self, theme: Theme, title: QWidget, name: str) -> None:
        super().__init__(theme)
        self.title = title
        self.log = False
        self.runs = styled(button("", link=True, press=lambda: self.axis_chosen.emit(not self.log)), role="axis")
        self.keys = PercentileLegend(theme, f"{name}, percentiles")
        self.budget = BudgetSheet(theme, f"{name}, budget")
        self.plot: HistogramPlot | None = None
        self.none = styled(QLabel("No times yet", alignment=Qt.AlignmentFlag.AlignCenter), role="caption")
        self.place = fill(QVBoxLayout(), (self.none, 1))
        self.name = name
        top = fill(spaced(QHBoxLayout(), theme.px(6)), title, self.runs, 1)
        self.keys.setFixedHeight(theme.px(18))
        self.budget.setFixedHeight(theme.px(20))
        fill(spaced(QVBoxLayout(self)), top, self.keys, (self.place, 1), self.budget)
        if isinstance(self.title, QLabel):
            styled(self.title, role="title")

    def show_durations(self, durations: Durations, budget: float | None, lines: tuple[float, ...]) -> None:
        """Draw the durations; without any, only the words."""
        if self.plot is None:
            from app.gui.kit.chart import HistogramPlot  # slow to load, and needed only now

            self.plot = HistogramPlot(self.theme, self.name)
            self.plot.hide()
            self.place.addWidget(self.plot, 1)
        count = len(durations)
        self._describe_axis(count)
        if self.plot.isHidden() is bool(count):
            self.none.setVisible(not count)
            self.plot.setVisible(bool(count))
            self.place.update()  # otherwise the first picture has half the space
        self.budget.has_runs = bool(count)
        ordered = durations.sorted()
        self.keys.shown = bins(ordered, budget, log=self.log) if count else None
        self.budget.budget = over_budget(ordered, budget) if count and budget is not None else None
        if self.keys.shown is not None:
            self.plot.show_content((self.keys.shown, lines))
        self._describe()
        self.keys.update()
        self.budget.update()

    def _describe(self) -> None:
        shown = self.keys.shown
        if self.plot is None or shown is None:
            return
        texts = [f"P{share} {text} ms" for share, _, text in shown.percentiles]
        if self.budget.budget is not None:
            texts.append(": ".join(self.budget.budget))
        self.plot.setAccessibleDescription(f"{self.runs.text()}. {', '.join(texts)}")

    def _describe_axis(self, count: int) -> None:
        self.runs.setText(f"ms, {'log axis, ' * self.log}{quantity(count, 'run')}")
        tip = "Change to a linear axis" if self.log else "Change to a logarithmic axis"
        self.runs.setToolTip(tip)
        self.runs.setAccessibleName(f"{self.name}: {self.runs.text()}")
        self.runs.setAccessibleDescription(tip)


# ---- Session times as a table, with the same content as the histograms.


_ROW = 28
_DISPLAY, _ALIGN = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TimesModel(RowsModel[SessionRow]):
    """Row per stage; each cell is read with its column's name."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(HEADS, range(1, len(HEADS)), parent)

    def text(self, row: SessionRow, column: int) -> str:
        return row.cells[column - 1] if column else row.stage

    def spoken(self, row: SessionRow, column: int) -> str:
        text = self.text(row, column)
        sentence = "none" if text == numbers.ABSENT else text
        return f"{row.stage}, {HEADS[column]}: {sentence}" if column else sentence


class TimesTable(QTableView):
    """Table with arrow-key navigation; Tab leaves it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.times = TimesModel(self)
        self.setModel(self.times)
        self.setAccessibleName(name)
        pick_whole_rows(self)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="times")
