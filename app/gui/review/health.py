"""Health page: a check of library and rules, its findings, and a remedy for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QObject, QRect, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from app.display.review import health, health_findings
from app.display.staleness import EvaluationInputs, changes_sentence, evaluation_inputs, runs_automatically
from app.domain.review.health import Area, FindingSubject, Health, HealthFinding
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import keep_least_heights, orient_split, spaced, splitter
from app.gui.kit.page import CoreState, Page
from app.gui.kit.tables.lists import FindingsModel, FindingsView
from app.gui.kit.theme.theme import Theme
from app.gui.review.health_list import UNHEALTHY, CheckStrip, HealthSheet, SubjectsTable
from app.settings.model import BESIDE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.workbench import Workbench


ALL = "all"
_SIDE = 720
_SHEET = 166
RETRY = "retry"


class HealthPage(Page):
    """Checks on request; a small library automatically.

    Findings stay until the next check; changes since are named.
    """

    side_by_side_from = 860

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Findings")
        self._worker = worker
        self.jobs = HealthJobs(worker, self)
        self.health: Health | None = None
        self._has_query, self._is_left = False, False
        self._when = ""
        self._of: EvaluationInputs | None = None
        self._basis: EvaluationInputs | None = None
        self._make_parts()
        self._arrange()
        self._connect()
        self._show_found()

    # ---- construction

    def _make_parts(self) -> None:
        theme = self.theme
        self.area = QComboBox()
        self.area.setProperty("quiet", "true")
        self.area.setAccessibleName("Show")
        self.head = PaneHeader(theme, "Findings")
        self.strip = CheckStrip(theme)
        self.fault = FaultLine(theme)
        self.model = FindingsModel(UNHEALTHY, self)
        self.view = FindingsView(theme, self.model)
        self.view.setAccessibleName("What was found, the gravest first")
        self.sheet = HealthSheet(theme, "The finding")
        self.sheet_area = scrolled(self.sheet, "The finding")
        self.table = SubjectsTable(theme, "What it is about")
        self.act = button("", primary=True, press=self._remedy)
        self.ask = button("Ask on the scope", tip="Ask the trigger of the picked row on the scope", press=self._ask)
        self.empty = EmptyState(theme, "health", "", "")

    def _arrange(self) -> None:
        px = self.theme.px
        self.left = QWidget()
        left = spaced(QVBoxLayout(self.left))
        left.addWidget(PaneHeader(self.theme, "Found", self.area))
        left.addWidget(self.view, 1)
        self.side = QWidget()
        below = spaced(QHBoxLayout(), px(8), px(40), 0, px(16), px(10))
        below.addWidget(self.act)
        below.addWidget(self.ask)
        below.addStretch(1)
        side = spaced(QVBoxLayout(self.side))
        side.addWidget(self.sheet_area)
        side.addLayout(below)
        side.addWidget(self.table, 1)
        side.addStretch(0)  # takes the space if no table is shown
        self.sheet_area.setFixedHeight(px(_SHEET))
        self.split = splitter(self.left, self.side)
        self.split.setStretchFactor(0, 0)
        self.split.setStretchFactor(1, 1)
        self.lay_panes(flipped=True)
        whole = spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0)
        for widget in (self.head, self.strip, self.fault):
            whole.addWidget(widget)
        whole.addWidget(self.split, 1)
        whole.addWidget(self.empty, 1)

    def lay_panes(self, flipped: bool) -> None:
        px, narrow = self.theme.px, self.is_narrow
        keep_least_heights(self.theme, {self.left: 200, self.side: 420}, narrow=narrow, within=0)
        if flipped:
            sizes = (px(240), px(460)) if narrow else (px(1280 - 48 - _SIDE), px(_SIDE))
            orient_split(self.split, sizes, narrow=narrow)

    def _connect(self) -> None:
        jobs = self.jobs
        jobs.began.connect(self._on_began)
        jobs.progressed.connect(self.strip.show_progress)
        jobs.found.connect(self._on_found)
        jobs.finished.connect(self._on_finished)
        self.strip.check_requested.connect(self._on_check_requested)
        self.strip.stopped.connect(self._stop)
        self.area.activated.connect(lambda _: self._show_area())
        self.view.selectionModel().currentChanged.connect(lambda *_: self._show_finding())
        self.model.modelReset.connect(self._show_finding)
        self.table.entered.connect(self._go_to)
        self.table.picked.connect(self._show_buttons)

    def focus_stops(self) -> list[QWidget]:
        strip = self.strip.stop if self.strip.is_running else self.strip.begin
        if not self.split.isVisibleTo(self):
            return [strip]
        table: list[QWidget] = [self.table] if self.table.isVisibleTo(self) else []
        return [self.view, self.sheet_area, *table, strip]

    # ---- check

    def _on_check_requested(self) -> None:
        self._has_query, self._is_left = True, False
        self.check_health()

    def _check_automatically(self) -> None:
        """Check a small library automatically, while visible and changed since the last check."""
        state = self.core_state
        if state is None or not self.isVisible() or not runs_automatically(state.status):
            return
        if self.strip.is_running or self._is_left:
            return
        if self.health is None or self._of != self._current_basis():
            self._has_query = False
            self.check_health()

    def check_health(self) -> None:
        """Check everything again, in the background."""
        self.fault.show_fault("")
        self._basis = None
        self.strip.show_progress(0.0)
        self.jobs.check_health()
        self._show_found()

    def _stop(self) -> None:
        self._is_left = True
        self.jobs.cancel()
        self.strip.show_progress(None)
        self._show_found()

    def _on_began(self, on: EvaluationInputs) -> None:
        self._basis = on

    def _on_found(self, found: Health) -> None:
        self.health, self._of = found, self._basis
        self._when = QLocale().toString(QDateTime.currentDateTime().time(), QLocale.FormatType.ShortFormat)
        self._show_area()
        if self._has_query:
            self.task_finished.emit(f"Health: {health.counts_line(found.findings) or 'all is well'}")

    def _on_finished(self, sentence: str) -> None:
        self.strip.show_progress(None)
        self.fault.show_fault(sentence)
        self._show_found()
        if self.split.isVisible() and (self._has_query or self.strip.begin.hasFocus()):
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self._show_found()
        if self.health is None:
            self._check_automatically()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._check_automatically()

    def _current_basis(self) -> EvaluationInputs | None:
        """Return the basis of a check made now, including the LLM and surfacing."""
        return (
            None
            if self.core_state is None
            else evaluation_inputs(self.core_state.status, self.core_state.settings, BESIDE)
        )

    # ---- display

    def _show_area(self) -> None:
        """Fill the list with the chosen area, and show the count of each."""
        findings = () if self.health is None else self.health.findings
        chosen = self.area.currentData() or ALL
        self.area.clear()
        self.area.addItem(f"Everything  {len(findings):,}", ALL)
        for area in Area:
            if any(finding.area is area for finding in findings):
                self.area.addItem(health.area_line(area, findings), area.value)
        self.area.setCurrentIndex(max(0, self.area.findData(chosen)))
        wanted = self.area.currentData()
        self.model.show_findings([finding for finding in findings if wanted in (ALL, finding.area.value)])
        self.view.setCurrentIndex(self.model.index(0, 0))
        self._show_found()

    def _show_found(self) -> None:
        """Show the list, or why there is none."""
        found, is_checking = self.health, self.strip.is_running
        has_found = found is not None and bool(found.findings)
        self.split.setVisible(has_found)
        self.empty.setVisible(not has_found)
        self.strip.show_note(self._last_check())
        self.strip.name_check(again=found is not None)
        self.head.set_more(health.counts_line(found.findings) if found is not None else "")
        if is_checking and not has_found:
            self.empty.set_text("Looking", "Every trigger is asked, too. You can keep working.")
        elif found is None:
            self.empty.set_text(
                "Not checked yet",
                (
                    "A check finds thresholds that nothing reaches, rules that never fire, detectors that never change,"
                    " memories that never come first, and vectors that do not fit."
                ),
            )
        elif not has_found:
            self.empty.set_text("No problems found", health.scope_line(found))

    def _last_check(self) -> str:
        """Return time and basis of the last check, and what has changed since."""
        if self.health is None:
            return ""
        sentence = f"Checked {self._when}."
        return " ".join(
            filter(None, (sentence, changes_sentence(self._of, self._current_basis()), health.scope_line(self.health)))
        )

    @property
    def finding(self) -> HealthFinding | None:
        """Current finding."""
        row = self.view.currentIndex().row()
        return self.model.found[row] if 0 <= row < len(self.model.found) else None

    def _show_finding(self) -> None:
        finding = self.finding
        self.sheet.show_finding(finding)
        self.table.setVisible(finding is not None and bool(finding.subjects))
        self.table.show_finding(finding)

    def _show_buttons(self) -> None:
        finding = self.finding
        remedy = None if finding is None else health_findings.remedy(finding)
        self.act.setVisible(remedy is not None)
        self.act.setText("" if remedy is None else remedy.word)
        one = self.table.chosen
        self.ask.setVisible(one is not None and one.kind in ("memory", "label") and bool(one.about))

    # ---- actions

    def _remedy(self) -> None:
        finding = self.finding
        remedy = None if finding is None else health_findings.remedy(finding)
        if remedy is None:
            return
        if remedy.page == RETRY:
            self._worker.retry(remedy.place)
            return
        one = self.table.chosen
        place = remedy.place or ("" if one is None or one.key is None else str(one.key))
        self.page_requested.emit(remedy.page, place)

    def _go_to(self, one: FindingSubject) -> None:
        pages = {"memory": "memories", "label": "memories", "power": "powers", "keyword": "powers", "rule": "rules"}
        if one.kind in pages:
            self.page_requested.emit(pages[one.kind], "" if one.key is None else str(one.key))

    def _ask(self) -> None:
        one = self.table.chosen
        if one is not None:
            self.query_typed.emit(one.about)
            self.action_requested.emit("query")

    # ---- paint

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, self.strip.geometry().bottom(), self.width(), 1)


# ---- Engine jobs of the health page: a check, its progress and result.


class HealthJobs(QObject):
    """Jobs of the page. A check replaces an earlier one; a cancelled one emits nothing more."""

    began = Signal(EvaluationInputs)  # basis of the check
    progressed = Signal(float)  # share of the check that is done, 0 to 1
    found = Signal(Health)
    finished = Signal(str)  # sentence if it failed

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._run = Job(worker, self)

    def check_health(self) -> None:
        """Check everything; a running check is cancelled."""
        self._run.follow(_check, self._on_step, self.finished.emit)

    def cancel(self) -> None:
        """Stop the check; it reports nothing more."""
        self._run.cancel()

    def _on_step(self, step: float | EvaluationInputs | Health) -> None:
        if isinstance(step, EvaluationInputs):
            self.began.emit(step)
        elif isinstance(step, float):
            self.progressed.emit(step)
        else:
            self.found.emit(step)


async def _check(bench: Workbench) -> AsyncGenerator[float | EvaluationInputs | Health, None]:
    """Yield the steps of a check; first, after waiting for vectors, the basis of the result."""
    from app.services.review.health import check_health

    is_told = False
    async with aclosing(check_health(bench, bench.rule_trial, bench.routing, bench.gateway)) as steps:
        async for step in steps:
            if not is_told:
                is_told = True
                yield evaluation_inputs(bench.status(), bench.settings, BESIDE)
            yield step
