"""The cases of an evaluation in lists: wrong and right ones, or those that turn; a hundred thousand are no more than
ten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display import numbers, words
from app.display.evaluation.figures import (
    CASE_COLUMNS,
    CONFIDENCE,
    LISTS,
    RIGHT,
    THEN,
    THEN_CONFIDENCE,
    WRONG,
    CaseLine,
)
from app.domain.case import Case
from app.domain.filters import SearchResult
from app.domain.why_not import Expectation
from app.evaluation.comparison import Turn
from app.gui.evaluation.jobs import EvaluationJobs
from app.gui.kit.controls import Empty, Segments, button
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme

_KINDS: Mapping[bool, tuple[str, ...]] = {False: (WRONG, RIGHT), True: tuple(turn.value for turn in Turn)}
"""The lists where nothing is compared, and where something is."""

_LATER = frozenset({THEN, THEN_CONFIDENCE})


class CaseLists(QWidget):
    """One list is open; it is sorted on the engine's side."""

    opened = Signal(str)  # the query of a case
    why_asked = Signal(Case)  # one that is not answered as it expects

    def __init__(self, theme: Theme, jobs: EvaluationJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self._lists: Mapping[str, tuple[CaseLine, ...]] = {}
        self._lines: Sequence[CaseLine] = ()
        self._ticket = 0
        self._compares = False
        self.kinds = {
            compares: Segments(theme, self.tr("Which cases"), [(kind, words.say(LISTS[kind])) for kind in kinds])
            for compares, kinds in _KINDS.items()
        }
        self.table = LibraryTable(theme, self.tr("Cases"), CASE_COLUMNS, "evaluate")
        self.why = button(
            self.tr("Why not"), link=True, tip=self.tr("Say where the expected answer was lost"), press=self.ask_why
        )
        self.none = Empty(theme, "check", self.tr("No such case"), "")
        self._arrange()
        for segments in self.kinds.values():
            segments.chosen.connect(lambda _: self._sort())
        self.table.sorted_by.connect(lambda *_: self._sort())
        self.table.paged.wanted.connect(self._fetch)
        self.table.entered.connect(self.open_current)
        self.table.picked.connect(self._show_why)
        self.table.doubleClicked.connect(lambda _: self.open_current())
        jobs.sorted_.connect(self._on_sorted)

    def _arrange(self) -> None:
        px = self.theme.px
        row = QHBoxLayout()
        row.setContentsMargins(px(16), px(6), px(16), px(6))
        for segments in self.kinds.values():
            row.addWidget(segments)
        row.addStretch(1)
        row.addWidget(self.why)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        column.addWidget(self.none, 1)

    @property
    def kind(self) -> str:
        """The list that is open."""
        return self.kinds[self._compares].current

    def show_lists(self, lists: Mapping[str, tuple[CaseLine, ...]]) -> None:
        """Show these; the list that was open stays open, unless it is empty and another is not."""
        self._lists, self._compares = lists, Turn.FIXED.value in lists
        for compares, segments in self.kinds.items():
            segments.setVisible(compares is self._compares)
        counts = {kind: f"{words.say(LISTS[kind])} {numbers.count(len(lines))}" for kind, lines in lists.items()}
        open_ = self.kinds[self._compares]
        open_.set_words(counts)
        if not lists.get(open_.current):
            open_.set_current(next((kind for kind, lines in lists.items() if lines), open_.current))
        for place, column in enumerate(CASE_COLUMNS):
            self.table.setColumnHidden(place, column.key in _LATER and not self._compares)
        self.table.fit()
        self._sort()

    def open_current(self) -> None:
        """Ask the query of the current case on the scope."""
        if (place := self.table.currentIndex().row()) >= 0 and self._lines:
            self.opened.emit(self._lines[place].before.case.text)

    def ask_why(self) -> None:
        """Ask why the current case is not answered as it expects."""
        if (lost := self._lost()) is not None:
            self.why_asked.emit(lost)

    def _lost(self) -> Case | None:
        """The current case, if an answer that it expects did not come."""
        place = self.table.currentIndex().row()
        line = self._lines[place] if 0 <= place < len(self._lines) else None
        if line is None or line.before.is_right or Expectation.of_case(line.before.case) is None:
            return None
        return line.before.case

    def _show_why(self) -> None:
        self.why.setEnabled(self._lost() is not None)

    def _sort(self) -> None:
        """The surest first, until a person sorts them otherwise."""
        self._ticket += 1
        order, falling = self.table.order, self.table.falling
        if not order:
            order, falling = (THEN_CONFIDENCE if self._compares else CONFIDENCE), True
        self.jobs.sort(self._ticket, self._lists.get(self.kind, ()), order, falling=falling)

    def _on_sorted(self, ticket: int, lines: Sequence[CaseLine]) -> None:
        if ticket != self._ticket:
            return
        self._lines = lines
        self.table.show_found(SearchResult(range(len(lines)), len(lines)))
        self.table.setVisible(bool(lines))
        self.none.setVisible(not lines)
        self._show_why()

    def _fetch(self, places: Sequence[int]) -> None:
        self.table.paged.take_rows({place: self._lines[place] for place in places if place < len(self._lines)}, places)
