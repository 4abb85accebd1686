"""Results of an evaluation: metrics as tables, the chart of a sweep, and the lists of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.display import numbers
from app.display.evaluation.diagnostics import Bars, CaseSelection, Chart
from app.display.evaluation.results import (
    CASE_COLUMNS,
    CONFIDENCE,
    LISTS,
    LLM_RIGHT,
    LLM_WRONG,
    OTHER_POLICY,
    RIGHT,
    THEN_CONFIDENCE,
    WRONG,
    CaseLine,
    EvaluationView,
    case_columns,
    sorted_cases,
)
from app.display.evaluation.sweep import SWEEP_COLUMNS, SweepView, value_view
from app.display.system.settings import value_words
from app.domain.case import Case
from app.domain.filters import SearchResult
from app.domain.why_not import Expectation
from app.evaluation.answers import passes
from app.evaluation.comparison import CaseChange
from app.gui.bridge.jobs import Job
from app.gui.evaluation.form import aside
from app.gui.kit.controls import EmptyState, SegmentedControl, button
from app.gui.kit.document import WIDEST, DocumentView, tables_html
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme, Themed

if TYPE_CHECKING:
    from app.gui.kit.chart import Plot


_WIDE, _CHART = 700, 216


class LazyPlot(Themed):
    """Plot of lines or bars, made when there is data, since pyqtgraph is heavy; hidden without any."""

    def __init__(self, theme: Theme, name: str, least: tuple[int, int] = (0, 0)) -> None:
        """`least` are the minimum width and height in units."""
        super().__init__(theme)
        self._name = name
        self._plot: Plot[Any] | None = None
        self._box = spaced(QVBoxLayout(self))
        self.setMinimumSize(*map(theme.px, least))
        self.setVisible(False)

    def show_data(self, shown: Chart | Bars | None) -> None:
        self.setVisible(shown is not None)
        if shown is None:
            return
        from app.gui.kit.chart import HalvesPlot, LinesPlot

        if self._plot is None:
            kind: type[Plot[Any]] = HalvesPlot if isinstance(shown, Bars) else LinesPlot
            self._plot = kind(self.theme, self._name)
            self._box.addWidget(self._plot)
        self._plot.show_content(shown)


class MetricsPart(QWidget):
    """Metrics as tables, and the reliability at the right or, in a narrow window, below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.plot = LazyPlot(theme, "Reliability: expected answers against confidence", (0, _CHART))
        self.tables = DocumentView(theme, "Figures", is_whole=True, widest=WIDEST)
        self.area = ScrollArea(self.tables, "Figures")
        self._box = spaced(QBoxLayout(QBoxLayout.Direction.LeftToRight, self), theme.px(10), 0, 0, 0, theme.px(8))
        fill(self._box, (self.area, 1), (self.plot, 1))

    def show_metrics(self, shown: EvaluationView) -> None:
        self.tables.show_html(tables_html(shown.tables))
        self.plot.show_data(shown.chart)

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_wide = self.width() >= self.theme.px(_WIDE)
        self._box.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)


# ---- Sweep: a line for each value, and a chart if the values are numbers.

_PICTURE = 320


class SweepPart(QWidget):
    """Chart of a sweep; `picked` has the view of the selected value. Hidden without a sweep."""

    picked = Signal(EvaluationView)

    def __init__(self, theme: Theme, job: Job) -> None:
        super().__init__()
        self.theme, self._job = theme, job
        self.shown: SweepView | None = None
        self.plot = LazyPlot(theme, "Figures over the values", (_PICTURE, 0))
        self._asked = -1
        self.table = LibraryTable(theme, "Values", SWEEP_COLUMNS, "sweep")
        self.table.setMinimumHeight(theme.px(150))
        self.table.setVerticalScrollMode(LibraryTable.ScrollMode.ScrollPerItem)  # so that no first row is cut
        fill(spaced(QHBoxLayout(self), theme.px(8), 0, theme.px(4), 0, 0), (self.table, 1), self.plot)
        self.table.picked.connect(self._on_picked)
        self.setVisible(False)

    @property
    def is_aside(self) -> bool:
        """True if another value than the best is selected."""
        return self.shown is not None and self._asked not in (-1, self.shown.best)

    def show_sweep(self, shown: SweepView | None) -> None:
        """Show a sweep and select its best value; None: no sweep."""
        self.shown, self._asked = shown, -1
        self.setVisible(shown is not None)
        if shown is None:
            return
        self.table.show_columns(shown.columns)
        words = partial(value_words, shown.sweep.key)
        rows = {place: replace(line, value=words(line.value)) for place, line in enumerate(shown.lines)}
        self.table.show_found(SearchResult(range(len(rows)), len(rows), rows, [(shown.best, shown.best)], shown.best))
        self.table.pick(shown.best)
        self.plot.show_data(shown.chart)

    def _on_picked(self) -> None:
        place = self.table.current_key
        if self.shown is not None and place is not None and place != self._asked:
            self._asked = place
            self._job.do(aside(partial(value_view, self.shown, place)), partial(self._on_valued, place))

    def _on_valued(self, place: int, shown: EvaluationView) -> None:
        if place == self._asked:
            self.picked.emit(shown)
            QTimer.singleShot(0, self, lambda: self.table.scrollTo(self.table.currentIndex()))  # once the height is set


# ---- Lists of cases, for up to a hundred thousand.


_KINDS: tuple[tuple[str, ...], ...] = (
    (WRONG, RIGHT),
    tuple(turn.value for turn in CaseChange),
    (WRONG, RIGHT, LLM_RIGHT, LLM_WRONG, OTHER_POLICY),
)
"""Lists by kind of result: one evaluation, a comparison, the LLM."""


class CaseLists(QWidget):
    """Lists of cases as tabs; sorting runs on the engine's thread."""

    opened = Signal(str)  # the query of a case
    why_requested = Signal(Case)  # a case that is not answered as it expects

    def __init__(self, theme: Theme, job: Job) -> None:
        super().__init__()
        self.theme, self._job = theme, job
        self._lists: Mapping[str, tuple[CaseLine, ...]] = {}
        self._every: tuple[CaseLine, ...] = ()
        self.pick: CaseSelection | None = None
        self._lines: Sequence[CaseLine] = ()
        self._ticket = 0
        self._open = _KINDS[0]
        self.kinds = {
            kinds: SegmentedControl(theme, "Which cases", [(kind, LISTS[kind]) for kind in kinds]) for kinds in _KINDS
        }
        self.table = LibraryTable(theme, "Cases", CASE_COLUMNS, "evaluate")
        self.why = button("Why not", link=True, tip="Explain where the expected answer was lost", press=self.ask_why)
        self.none = EmptyState(theme, "check", "No such case", "")
        self.picked = WrappedLabel(role="caption")
        self.back = button("Show all", link=True, press=self.forget_pick)
        self._arrange()
        for segments in self.kinds.values():
            segments.chosen.connect(lambda _: self._sort())
        self.table.sorted_by.connect(lambda *_: self._sort())
        self.table.paged.rows_requested.connect(self._fetch)
        self.table.entered.connect(self.open_current)
        self.table.picked.connect(self._show_why)
        self.table.doubleClicked.connect(lambda _: self.open_current())

    def _arrange(self) -> None:
        fill(spaced(QVBoxLayout(self)), (self.table, 1), (self.none, 1))

    @property
    def kind(self) -> str:
        return self.kinds[self._open].current

    def show_lists(self, lists: Mapping[str, tuple[CaseLine, ...]], every: tuple[CaseLine, ...]) -> None:
        """Show these lists; the open one stays open, unless it is empty and another is not."""
        self._lists, self._open = lists, next(kinds for kinds in _KINDS if set(kinds) == set(lists))
        self._every, self.pick = every, None
        counts = {kind: f"{LISTS[kind]} {numbers.count(len(lines))}" for kind, lines in lists.items()}
        open_ = self.kinds[self._open]
        open_.set_words(counts)
        if not lists.get(open_.current):
            open_.set_current(next((kind for kind, lines in lists.items() if lines), open_.current))
        self._sort()

    def show_pick(self, pick: CaseSelection) -> None:
        """Show the cases of a selection in a chart, and the way back to all."""
        self.pick = pick
        self._sort()

    def forget_pick(self) -> None:
        self.pick = None
        self.show_head(on=True)
        self._sort()
        self.table.setFocus()

    def show_head(self, *, on: bool) -> None:
        """Show the controls of the lists, which are beside the choice of views."""
        for kinds, segments in self.kinds.items():
            segments.setVisible(on and self.pick is None and kinds == self._open)
        self.picked.show_text("" if self.pick is None or not on else self.pick.words)
        self.picked.setVisible(True)  # it takes the space between
        self.back.setVisible(on and self.pick is not None)
        self.why.setVisible(on)

    def open_current(self) -> None:
        if (place := self.table.currentIndex().row()) >= 0 and self._lines:
            self.opened.emit(self._lines[place].before.case.text)

    def ask_why(self) -> None:
        """Explain why the current case is not answered as it expects."""
        if (lost := self._failed_case()) is not None:
            self.why_requested.emit(lost)

    def _failed_case(self) -> Case | None:
        """Return the current case, if it lacks an expected answer."""
        place = self.table.currentIndex().row()
        line = self._lines[place] if 0 <= place < len(self._lines) else None
        if line is None or passes(line.before) or Expectation.of_case(line.before.case) is None:
            return None
        return line.before.case

    def _show_why(self) -> None:
        self.why.setEnabled(self._failed_case() is not None)

    def _sort(self) -> None:
        """Sort by confidence, highest first, unless the user chose a column."""
        self._ticket += 1
        columns = {column.key for column in case_columns(self.kind, self._lists.get(self.kind, ()))}
        self.table.show_columns(columns)
        order, descending = self.table.order, self.table.descending
        if not order:
            order, descending = (THEN_CONFIDENCE if THEN_CONFIDENCE in columns else CONFIDENCE), True
        lines = self._lists.get(self.kind, ()) if self.pick is None else self._every
        work = partial(sorted_cases, lines, order, descending=descending, pick=self.pick)
        self._job.do(aside(work), partial(self._on_sorted, self._ticket))

    def _on_sorted(self, ticket: int, lines: Sequence[CaseLine]) -> None:
        if ticket != self._ticket:
            return
        self._lines = lines
        first = ([(0, 0)], 0) if lines else ([], None)
        self.table.show_found(SearchResult(range(len(lines)), len(lines), {}, *first))
        self.table.setVisible(bool(lines))
        self.none.setVisible(not lines)
        self.none.set_text("No such case" if any(self._lists.values()) else "No case changed", "")
        self._show_why()

    def _fetch(self, places: Sequence[int]) -> None:
        self.table.paged.take_rows({place: self._lines[place] for place in places if place < len(self._lines)}, places)
