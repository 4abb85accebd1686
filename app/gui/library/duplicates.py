"""The page of duplicates and conflicts: a search, findings side by side, each resolved with one key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QRect, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QPushButton, QVBoxLayout, QWidget

from app.display.library import duplicates as duplicate_rows
from app.display.staleness import EvaluationInputs, evaluation_inputs, runs_automatically
from app.domain.review.duplicates import DuplicateFinding, DuplicateKind, SimilarityThresholds
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import FlowLayout, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.tables.lists import FindingsModel
from app.gui.kit.theme.theme import Theme
from app.gui.library.duplicates_list import ALIKE, DuplicatesView, FindingSheet, SearchStrip

if TYPE_CHECKING:
    from app.domain.journal import Written
    from app.scoring.library.duplicate_findings import Findings
    from app.services.library.duplicates import Duplicates

_FRESHEN_AFTER_MS = 150
ALL = "all"


class DuplicatesPage(Page):
    """Findings stay while the library changes; resolved ones drop out, and undo brings them back."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Duplicates and conflicts")
        self._searching, self._freshening = Job(worker, self), Job(worker, self)
        self.findings: Findings | None = None
        self.fresh: Sequence[DuplicateFinding] = ()
        self._least = SimilarityThresholds()
        self._when = ""
        self._of: EvaluationInputs | None = None
        self._has_query, self._is_left = False, False
        self._is_resolving = False
        self.head = PaneHeader(theme, "Duplicates and conflicts")
        self.strip = SearchStrip(theme)
        self.fault = FaultLine(theme)
        self.kind = QComboBox()
        self.kind.setProperty("quiet", "true")
        self.kind.setAccessibleName("Show")
        self.model = FindingsModel(ALIKE, self)
        self.view = DuplicatesView(theme, self.model)
        self.sheet = FindingSheet(theme, "The finding side by side")
        self.area = scrolled(self.sheet, "The finding side by side")
        self.verbs = self._make_verbs()
        self.empty = EmptyState(theme, "duplicates", "", "")
        self._timer = QTimer(self, singleShot=True, interval=_FRESHEN_AFTER_MS)
        self._timer.timeout.connect(self._freshen)
        self._arrange()
        self._connect()
        self._show_found()

    # ---- building

    def _make_verbs(self) -> dict[str, QPushButton]:
        rows = (
            ("keep", "Keep", "K", "The chosen answer has the trigger alone; a near one moves to it"),
            ("merge", "Merge", "M", "One memory with all triggers and tags, and the chosen response"),
            ("apart", "Different", "D", "Never show these together again"),
            ("drop", "Delete trigger", "X", "Delete the chosen trigger from its answer"),
            ("next", "Next", "N", "Leave it for now"),
        )
        made = {}
        for verb, word, key, tip in rows:
            made[verb] = button(f"{word}  {key}", tip=f"{tip} ({key})", press=partial(self.do, verb))
            made[verb].setAccessibleName(word)
        return made

    def _arrange(self) -> None:
        px = self.theme.px
        left = spaced(QVBoxLayout(), 0)
        left.addWidget(PaneHeader(self.theme, "Found", self.kind))
        left.addWidget(self.view, 1)
        above = FlowLayout(px(8))
        above.setContentsMargins(px(16), px(8), px(16), px(8))
        for verb in self.verbs.values():
            above.addWidget(verb)
        right = spaced(QVBoxLayout(), 0)
        right.addLayout(above)
        right.addWidget(self.area, 1)
        self.body = QWidget()
        across = spaced(QGridLayout(self.body))
        across.addLayout(left, 0, 0)
        across.setColumnMinimumWidth(1, 1)
        across.addLayout(right, 0, 2)
        across.setColumnStretch(0, 2)
        across.setColumnStretch(2, 3)
        whole = spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0)
        for widget in (self.head, self.strip, self.fault):
            whole.addWidget(widget)
        whole.addWidget(self.body, 1)
        whole.addWidget(self.empty, 1)

    def _connect(self) -> None:
        self.strip.search_requested.connect(self._ask)
        self.strip.stopped.connect(self._stop)
        self.kind.activated.connect(lambda _: self._show_kind())
        self.view.selectionModel().currentChanged.connect(lambda _now, _before: self._show_finding())
        self.model.modelReset.connect(self._show_finding)
        self.view.typed.connect(self.do)
        self.sheet.chosen.connect(self._choose)

    def focus_stops(self) -> list[QWidget]:
        shown = [self.view, self.area] if self.body.isVisibleTo(self) else []
        return [*shown, self.strip.stop if self.strip.is_running else self.strip.begin]

    # ---- searching

    def _ask(self, least: SimilarityThresholds) -> None:
        self._has_query, self._is_left = True, False
        self._search(least)

    def _search_automatically(self) -> None:
        """Search a small library automatically, while visible and changed since the last search."""
        state = self.core_state
        if state is None or not self.isVisible() or not runs_automatically(state.status):
            return
        if self.strip.is_running or self._is_left:
            return
        if self.findings is None or self._of != _rests_on(state):
            self._has_query = False
            self._search(self.strip.least)

    def _search(self, least: SimilarityThresholds) -> None:
        state = self.core_state
        self._of = None if state is None else _rests_on(state)
        self._least = least
        self.fault.show_fault("")
        self.strip.show_progress(0.0)
        self._searching.follow(lambda bench: bench.duplicates.search(least), self._on_step, self._on_finished)
        self._show_found()

    def _stop(self) -> None:
        self._is_left = True
        self._searching.cancel()
        self.strip.show_progress(None)
        self._show_found()

    def _on_step(self, step: float | Findings) -> None:
        """How much of the search is done, 0 to 1, or at last what it found."""
        if isinstance(step, float):
            self.strip.show_progress(step)
        else:
            self._on_found(step)

    def _on_found(self, findings: Findings) -> None:
        self.findings = findings
        self._when = QLocale().toString(QDateTime.currentDateTime().time(), QLocale.FormatType.ShortFormat)
        self.strip.show_note(self._searched())
        self._show_fresh(findings.found)
        if self._has_query or self.strip.stop.hasFocus():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _searched(self) -> str:
        """When the last search was, and what it compared; "" before there was one."""
        if self.findings is None:
            return ""
        line = duplicate_rows.searched_line(self.findings, self._least)
        return f"Checked {self._when}. {line}"

    def _on_finished(self, sentence: str) -> None:
        self.strip.show_progress(None)
        self.fault.show_fault(sentence)
        self._show_found()

    # ---- what still holds

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self._show_found()
        if self.findings is not None:
            self._timer.start()
        else:
            self._search_automatically()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.findings is not None:
            self._freshen()
        self._search_automatically()

    def _freshen(self) -> None:
        if self.findings is not None and self.isVisible():
            found = self.findings.found
            self._freshening.run(lambda bench: bench.duplicates.fresh(found), self._on_freshened)

    def _on_freshened(self, fresh: Sequence[DuplicateFinding]) -> None:
        self._is_resolving = False
        if len(fresh) != len(self.fresh) or any(a is not b for a, b in zip(fresh, self.fresh, strict=True)):
            self._show_fresh(fresh)

    def _show_fresh(self, fresh: Sequence[DuplicateFinding]) -> None:
        before = self.finding
        row = self.view.currentIndex().row()
        self.fresh = fresh
        self._show_kind()
        if before is not None:
            row = next((place for place, each in enumerate(self.model.found) if _same(each, before)), row)
        self._select(row)
        self._show_found()

    def _show_kind(self) -> None:
        """Fill the list with the kind that is chosen, and tell how many there are of each."""
        left_out = self.findings.left_out if self.findings is not None else {}
        counts = duplicate_rows.counts(self.fresh, left_out)
        chosen = self.kind.currentData() or ALL
        self.kind.clear()
        self.kind.addItem(f"All kinds  {sum(counts.values()):,}", ALL)
        for likeness, count in counts.items():
            self.kind.addItem(duplicate_rows.kind_line(likeness, count), likeness)
        self.kind.setCurrentIndex(max(0, self.kind.findData(chosen)))
        wanted = DuplicateKind(chosen) if chosen != ALL else None
        self.model.show_findings([each for each in self.fresh if wanted in (None, each.likeness)])
        self._select(0)

    def _show_found(self) -> None:
        """Show the list, or why there is none."""
        if (findings := self.findings) is not None:
            self.head.set_more(duplicate_rows.counts_line(duplicate_rows.counts(self.fresh, findings.left_out)))
        has_found = bool(self.fresh)
        self.body.setVisible(has_found)
        self.empty.setVisible(not has_found)
        counts = self.core_state.status.counts if self.core_state is not None else {}
        if self.strip.is_running:
            self.empty.set_text("Comparing", "Every trigger with every other. You can keep working.")
        elif findings is not None:
            self.empty.set_text("No duplicates and no conflicts", self._searched())
        elif not counts.get("memories", 0) + counts.get("powers", 0):
            self.empty.set_text("The library is empty", "Type a query on the scope and press Ctrl+T.")
        else:
            self.empty.set_text(
                "Not searched yet",
                "Search finds triggers that are the same, or nearly so, under one answer or under several.",
            )

    # ---- one finding

    @property
    def finding(self) -> DuplicateFinding | None:
        """The one that is looked at."""
        row = self.view.currentIndex().row()
        return self.model.found[row] if 0 <= row < len(self.model.found) else None

    def _select(self, row: int) -> None:
        last = len(self.model.found) - 1
        self.view.setCurrentIndex(self.model.index(max(0, min(row, last)), 0))

    def _show_finding(self) -> None:
        self.sheet.show_finding(self.finding)

    def _choose(self, place: int) -> None:
        finding = self.finding
        if finding is not None:
            self.sheet.show_finding(finding, max(0, min(place, len(finding.holdings) - 1)))

    def do(self, verb: str) -> None:
        """Run the action of a key or a button on the current finding."""
        finding, place = self.finding, self.sheet.place
        if finding is None or self._is_resolving:
            return
        match verb:
            case "left" | "right":
                self._choose(place + (1 if verb == "right" else -1))
                return
            case "next":
                self._select(self.view.currentIndex().row() + 1)
                return
            case "keep":
                self._resolve(lambda duplicates: duplicates.keep(finding, place))
            case "merge":
                self._resolve(lambda duplicates: duplicates.merge(finding, place))
            case "apart":
                self._resolve(lambda duplicates: duplicates.tell_apart(finding))
            case _:
                self._resolve(lambda duplicates: duplicates.drop(finding, place))
        self._is_resolving = True

    def _resolve(self, resolve: Callable[[Duplicates], Awaitable[Written | None]]) -> None:
        self._freshening.do(lambda bench: resolve(bench.duplicates), self._on_resolved, self._on_refused)

    def _on_resolved(self, written: Written | None) -> None:
        self._is_resolving = False
        if written is not None:
            self.notified.emit(duplicate_rows.resolution_sentence(written.step), True, False)
        self._freshen()

    def _on_refused(self, sentence: str) -> None:
        self._is_resolving = False
        self.notified.emit(sentence, False, True)
        self._freshen()

    # ---- paint

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, self.strip.geometry().bottom(), self.width(), 1)
        if self.body.isVisible():
            edge = self.body.x() + self.view.geometry().right() + 1
            yield QRect(edge, self.body.y(), 1, self.body.height())
            yield QRect(edge, self.body.y() + self.area.y() - 1, self.width() - edge, 1)


def _rests_on(state: CoreState) -> EvaluationInputs:
    """What the result of a search depends on: calibration is left out, as duplicates do not use it."""
    return replace(evaluation_inputs(state.status, state.settings, tasks=()), scales=None)


def _same(one: DuplicateFinding, other: DuplicateFinding) -> bool:
    """Whether two findings are of the same triggers of the same answers, in any state of these."""
    return _held(one) == _held(other)


def _held(finding: DuplicateFinding) -> set[tuple[str, int | None, str]]:
    return {(holding.answer.kind, holding.answer.key, holding.trigger) for holding in finding.holdings}
