"""How long answers took in this session: histograms with their percentiles and budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.display import words
from app.display.bins import Bins, Durations, bins, over_budget
from app.display.timing import KEYSTROKE_BUDGET_MS, LLM_BUDGET_MS
from app.gui.controls import Empty, Head, button
from app.gui.moment import Moment
from app.gui.panels.panel import Panel
from app.gui.pen import Pen
from app.gui.sheet import Sheet
from app.gui.theme import Theme

if TYPE_CHECKING:
    from app.gui.plot import HistogramPlot

ON_SCREEN = "on screen"
FLOOR = "keywords and lexical"
EMBED = "embed query"
_FLOOR_STAGES = ("keywords", "lexical")
_REDRAW_MS = 120
_DASHES: dict[int, tuple[float, float] | None] = {50: None, 90: (4, 2), 99: (2, 2)}


class KeysSheet(Sheet):
    """The percentiles as keys: a piece of their line, their name, their number."""

    shown: Bins | None = None

    def compose(self, pen: Pen) -> float:
        x = 0.0
        face = self.theme.face
        for share, _, text in self.shown.percentiles if self.shown else ():
            pen.line(x + 1, 2, x + 1, 15, "text", 1.6, dashes=_DASHES[share])
            x += 6 + pen.text(QRectF(x + 6, 0, 40, 17), f"P{share}", face(11), "text_2") + 5
            x += pen.text(QRectF(x, 0, 60, 17), text, face(11, 500, mono=True)) + 12
        return 18


class BudgetSheet(Sheet):
    """How many were over the budget."""

    budget: tuple[str, str] | None = None

    def compose(self, pen: Pen) -> float:
        face = self.theme.face
        if self.budget is None:
            pen.text(QRectF(0, 0, pen.width, 18), self.tr("No budget of its own"), face(11), "text_2")
        else:
            runs = [(self.budget[0], face(11, 600), "danger"), (": " + self.budget[1], face(11), "text_2")]
            pen.runs(0, 0, 18, runs, pen.width)
        return 18


class Histogram(QWidget):
    """One stage's durations: title, keys, bars, budget. `title` may be a combo box to choose the stage."""

    def __init__(self, theme: Theme, title: QWidget, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.runs = QLabel()
        self.keys = KeysSheet(theme, self.tr("{0}, percentiles").format(name))
        self.budget = BudgetSheet(theme, self.tr("{0}, budget").format(name))
        self.plot: HistogramPlot | None = None
        self.place = QVBoxLayout()
        self.name = name
        top = QHBoxLayout()
        top.setSpacing(theme.px(6))
        top.addWidget(title)
        top.addWidget(self.runs)
        top.addStretch(1)
        self.keys.setFixedHeight(theme.px(18))
        self.budget.setFixedHeight(theme.px(20))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.keys)
        layout.addLayout(self.place, 1)
        layout.addWidget(self.budget)
        theme.changed.connect(self._dress)
        self._dress()

    def show_durations(self, durations: Durations, budget: float | None, lines: tuple[float, ...]) -> None:
        """Draw the durations; with none, only the words stay."""
        if self.plot is None:
            from app.gui.plot import HistogramPlot  # heavy, and wanted only now

            self.plot = HistogramPlot(self.theme, self.name)
            self.place.addWidget(self.plot)
        count = len(durations)
        self.runs.setText("ms, " + words.say_n(count, "{n} run", "{n} runs"))
        self.plot.setVisible(bool(count))
        ordered = durations.sorted()
        self.keys.shown = bins(ordered, budget) if count else None
        self.budget.budget = over_budget(ordered, budget) if count and budget is not None else None
        if self.keys.shown is not None:
            self.plot.show_bins(self.keys.shown, lines)
        self.keys.update()
        self.budget.update()

    def _dress(self) -> None:
        self.runs.setStyleSheet(f"font-size: {self.theme.px(11)}px; color: {self.theme.tokens.text_2}")


class SessionPanel(Panel):
    """The pane: answers on screen, a stage of one's choice, and more where there is room."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("This session"))
        self.durations: dict[str, Durations] = {ON_SCREEN: Durations()}
        self.clear = button(
            self.tr("Clear"), link=True, tip=self.tr("Forget the times of this session"), press=self.forget
        )
        self.head = Head(theme, self.tr("This session"), self.clear)
        self.empty = Empty(
            theme, "chart", self.tr("No times yet"), self.tr("Type a query; how long each answer took adds up here.")
        )
        self.chooser = QComboBox()
        self.chooser.setProperty("quiet", "true")
        self.chooser.setAccessibleName(self.tr("Stage to show"))
        self.chooser.activated.connect(self._redraw)
        self.fixed = {
            name: Histogram(theme, _title(theme, title), title)
            for name, title in (
                (FLOOR, self.tr("Keywords + lexical")),
                (ON_SCREEN, self.tr("Answer on screen")),
            )
        }
        self.stage = Histogram(theme, self.chooser, self.tr("Chosen stage"))
        self.body = QWidget()
        row = QHBoxLayout(self.body)
        row.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(8))
        row.setSpacing(theme.px(24))
        for histogram in (*self.fixed.values(), self.stage):
            row.addWidget(histogram, 1)
        for widget in (self.head, self.body, self.empty):
            self.column.addWidget(widget, 0 if widget is self.head else 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REDRAW_MS)
        self._timer.timeout.connect(self._redraw)
        self._show_empty()

    def show_moment(self, moment: Moment) -> None:
        self.moment = moment

    def note(self, durations: dict[str, float]) -> None:
        """Add the times of one answer: by stage, and until it was on screen. Drawn a little later."""
        floor = [durations[name] for name in _FLOOR_STAGES if name in durations]
        for name, ms in (durations | ({FLOOR: sum(floor)} if floor else {})).items():
            if name not in self.durations:
                self.durations[name] = Durations()
                self._offer(name)
            self.durations[name].add(ms)
        if not self._timer.isActive():
            self._timer.start()

    def forget(self) -> None:
        """Start the session's times anew."""
        for durations in self.durations.values():
            durations.clear()
        self._redraw()

    def focus_target(self) -> QWidget:
        return self.chooser if self.chooser.isVisible() else self.clear

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.theme.px(1000)
        self.fixed[FLOOR].setVisible(wide)
        self.stage.setVisible(self.width() >= self.theme.px(520))
        self._timer.start()

    def _offer(self, name: str) -> None:
        if name == FLOOR:
            return
        self.chooser.addItem(words.stage(name), name)
        if name == EMBED and self.chooser.currentData() in _FLOOR_STAGES:
            self.chooser.setCurrentIndex(self.chooser.count() - 1)

    def _show_empty(self) -> bool:
        empty = not any(len(durations) for durations in self.durations.values())
        self.empty.setVisible(empty)
        self.body.setVisible(not empty)
        self.clear.setEnabled(not empty)
        return empty

    def _redraw(self) -> None:
        if self._show_empty():
            return
        none = Durations()
        for name, histogram in self.fixed.items():
            if histogram.isVisible():
                budget = KEYSTROKE_BUDGET_MS if name == ON_SCREEN else None
                lines = (KEYSTROKE_BUDGET_MS, LLM_BUDGET_MS) if name == ON_SCREEN else ()
                histogram.show_durations(self.durations.get(name, none), budget, lines)
        if self.stage.isVisible():
            self.stage.show_durations(self.durations.get(self.chooser.currentData(), none), None, ())


def _title(theme: Theme, text: str) -> QLabel:
    label = QLabel(text)
    label.setStyleSheet(f"font-size: {theme.px(12)}px; font-weight: 600")
    return label
