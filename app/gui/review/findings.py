"""Page of findings with remedies: duplicates, confused intents, health and gaps."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from operator import is_
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QRect, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from app.display.library.duplicates import missing_line
from app.display.review import health, health_findings
from app.display.review.health import Ranked
from app.display.staleness import EvaluationInputs, changes_sentence, evaluation_inputs, runs_automatically
from app.domain.health import (
    Area,
    DuplicateFinding,
    FindingKind,
    FindingSubject,
    Health,
    HealthFinding,
    most_valuable,
)
from app.domain.language import quantity
from app.domain.why_not import Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button, single_shot
from app.gui.kit.document import DocumentView
from app.gui.kit.layouts import LOW_PANE, Stack, fill, keep_least_heights, orient_split, spaced, splitter
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.tables.delegates import TwoLineList
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme import Theme, styled
from app.gui.review.findings_parts import CheckStrip, DuplicateSide, findings_model, health_html, subject_columns
from app.settings.model import BESIDE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.scoring.duplicates import Findings
    from app.services.workbench import Workbench

ALL = "all"
RETRY = "retry"

_SIDE, _LEAST_TABLE = 720, 114
_FRESHEN_AFTER_MS = 150
_DUPLICATES = 0.3
"""Share of the search for duplicates in the progress of a check."""

_BESIDE = tuple("curate.bin_days" if key == "curate." else key for key in BESIDE)
"""Settings that change no finding."""

_TWICE = frozenset({FindingKind.TRIGGER_TAKEN, FindingKind.MEMORY_HIDDEN})
"""Kinds that the page shows better as conflicts and duplicates."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check: its inputs, the remaining duplicates, and all findings in order."""

    health: Health
    duplicates: Findings
    basis: EvaluationInputs | None = None
    fresh: Sequence[DuplicateFinding] = ()
    ranked: Sequence[Ranked] = ()


class FindingsPage(Page):
    """Page that checks on request, and a small library automatically.

    Findings stay until the next check, with a note on changes since. Duplicates follow the library, so that resolved
    ones disappear and undo restores them.
    """

    side_by_side_from = 860

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Findings")
        self._worker = worker
        self._checking, self._freshening = Job(worker, self), Job(worker, self)
        self.checked: Checked | None = None
        self._has_query, self._is_left = False, False
        self._when, self._shown = "", ALL
        self._make_parts()
        self._timer = single_shot(self, _FRESHEN_AFTER_MS, self._freshen)
        self._arrange()
        self._connect()
        self._show_found()

    # ---- widgets

    def _make_parts(self) -> None:
        theme = self.theme
        self.area = styled(QComboBox(), quiet="true")
        self.area.setAccessibleName("Show")
        self.strip = CheckStrip(theme)
        self.head = PaneHeader(theme, "Findings", self.area, self.strip, wraps=True)
        self.fault = FaultLine(theme)
        self.model = findings_model(self)
        self.view = TwoLineList(theme, "What was found, the most valuable first", self.model)
        self.shipped = button("", link=True, press=self._show_area, checkable=True)
        self.sheet = DocumentView(theme, "The finding", is_whole=True, widest=760)
        self.table = Grid(theme, "What it is about", ())
        self.table.setMinimumHeight(theme.px(_LEAST_TABLE))
        self.act = button("", primary=True, press=self._remedy)
        self.ask = button("", press=self._ask)
        self.pair = DuplicateSide(theme, self._worker)
        self.first = button("Check", primary=True, tip=self.strip.begin.toolTip(), press=self._on_check_requested)
        self.scope = button("Go to the scope", primary=True, press=lambda: self.action_requested.emit("query"))
        self.empty = EmptyState(theme, "health", "", "", self.first, self.scope)

    def _arrange(self) -> None:
        px = self.theme.px
        self.left, side = QWidget(), QWidget()
        fold = fill(spaced(QHBoxLayout(), 0, px(12), px(4), px(8), px(4)), self.shipped, 1)
        fill(spaced(QVBoxLayout(self.left)), (self.view, 1), fold)
        note = fill(spaced(QHBoxLayout(), 0, px(16), 0, px(16), 0), self.strip.note)
        below = fill(spaced(QHBoxLayout(), px(8), px(40), 0, px(16), px(10)), self.act, self.ask, 1)
        fill(spaced(QVBoxLayout(side)), self.sheet, below, (self.table, 1), 0)  # the last if no table is shown
        self.side = Stack()
        fill(self.side, side, self.pair)
        self.split = splitter(self.left, self.side, (0, 1))
        self.lay_panes(flipped=True)
        whole = spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0)
        fill(whole, self.head, note, self.fault, (self.split, 1), (self.empty, 1))

    def lay_panes(self, flipped: bool) -> None:
        px, narrow = self.theme.px, self.is_narrow
        room = max(0, self.visible_height - self.split.y())
        keep_least_heights(self.theme, {self.left: 200, self.side: 420}, narrow=narrow, within=room, least=LOW_PANE)
        if flipped:
            sizes = (px(240), px(460)) if narrow else (px(1280 - 48 - _SIDE), px(_SIDE))
            orient_split(self.split, sizes, narrow=narrow)
            if self.checked is not None:
                self._show_last_check()

    def _connect(self) -> None:
        self.strip.check_requested.connect(self._on_check_requested)
        self.strip.stopped.connect(self._stop)
        self.area.activated.connect(lambda _: self.go_to(self.area.currentData()))
        self.view.picked.connect(self._show_finding)
        self.model.modelReset.connect(self._show_finding)
        self.view.typed.connect(self.pair.do)
        self.pair.resolved.connect(self._on_resolved)
        self.pair.skipped.connect(lambda: self.view.go_to(self.view.place + 1))
        self.table.entered.connect(self._go_to)
        self.table.doubleClicked.connect(lambda _: self._go_to())
        self.table.picked.connect(self._show_buttons)

    def focus_stops(self) -> list[QWidget]:
        strip = self.strip.stop if self.strip.is_running else self.strip.begin
        if not self.split.isVisibleTo(self):
            return [next((one for one in (self.first, self.scope) if one.isVisibleTo(self)), strip)]
        if self.side.currentWidget() is self.pair:
            return [self.view, self.pair.sheet, strip]
        table: list[QWidget] = [self.table] if self.table.isVisibleTo(self) else []
        return [self.view, self.sheet, *table, strip]

    def go_to(self, key: str) -> None:
        """Show the findings of one area, or of all."""
        self._shown = key or ALL
        self._show_area()

    # ---- check

    def _on_check_requested(self) -> None:
        self._has_query, self._is_left = True, False
        self.check()

    def _check_automatically(self) -> None:
        """Check a small library automatically, while visible and changed since the last check."""
        state = self.core_state
        if state is None or not self.isVisible() or not runs_automatically(state.status):
            return
        if self.strip.is_running or self._is_left:
            return
        if self.checked is None or self.checked.basis != self._current_basis():
            self._has_query = False
            self.check()

    def check(self) -> None:
        """Check everything again, in the background."""
        self.fault.show_fault("")
        self.strip.show_progress(0.0)
        self._checking.follow(_check, self._on_step, self._on_finished)
        self._show_found()

    def _stop(self) -> None:
        self._is_left = True
        self._checking.cancel()
        self.strip.show_progress(None)
        self._show_found()
        if self.first.isVisible():
            self.first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_step(self, step: float | Checked) -> None:
        if isinstance(step, float):
            self.strip.show_progress(step)
        else:
            self.show_checked(step)

    def show_checked(self, checked: Checked) -> None:
        """Show the findings of a whole check."""
        self.checked = checked
        self._when = QLocale().toString(QDateTime.currentDateTime().time(), QLocale.FormatType.ShortFormat)
        self._show_area()
        if self._has_query:
            listed = [one[0] for one in self.ranked if not health.is_folded(one)]
            self.task_finished.emit(f"Findings: {health.counts_line(listed) or 'none'}")

    def _on_finished(self, sentence: str) -> None:
        self.strip.show_progress(None)
        self.fault.show_fault(sentence)
        self._show_found()
        if self.split.isVisible() and (self._has_query or self.strip.begin.hasFocus()):
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self._show_found()
        if self.checked is None:
            self._check_automatically()
        else:
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._freshen()
        self._check_automatically()

    def _current_basis(self) -> EvaluationInputs | None:
        """Return the inputs of a check made now, including the LLM and injection."""
        state = self.core_state
        return None if state is None else evaluation_inputs(state.status, state.settings, _BESIDE)

    # ---- duplicates that still exist

    def _freshen(self) -> None:
        if self.checked is not None and self.isVisible():
            self._freshening.run(partial(_fresh, self.checked), self._on_freshened)

    def _on_freshened(self, checked: Checked) -> None:
        before = self.checked
        if before is not None and checked is not before and checked.health is before.health:
            self.checked = checked
            self._show_area()

    @property
    def ranked(self) -> Sequence[Ranked]:
        """All findings with their effects, most valuable first."""
        return () if self.checked is None else self.checked.ranked

    # ---- display

    def _show_area(self) -> None:
        """Fill the list with the chosen area, and show the number of findings per area."""
        listed, folded = ([one for one in self.ranked if health.is_folded(one) is is_in] for is_in in (False, True))
        verb = "Hide" if self.shipped.isChecked() else "Show"
        what = quantity(len(folded), "finding")
        self.shipped.setText(f"{verb} {what} about rules and settings as shipped")
        self.shipped.setVisible(bool(folded))
        listed += folded if self.shipped.isChecked() else ()
        self.area.clear()
        self.area.addItem(f"Everything  {len(listed):,}", ALL)
        for area in Area:
            count = sum(finding.area is area for finding, _ in listed)
            if count or area == self._shown:
                self.area.addItem(f"{health_findings.AREAS[area]}  {count:,}", area.value)
        self.area.setCurrentIndex(self.area.findData(self._shown))
        text = self.area.fontMetrics().horizontalAdvance(self.area.currentText())
        self.area.setFixedWidth(text + self.theme.px(30))  # Qt takes the width of the widest
        same, row = _identity(self.finding), self.view.place
        self.model.show_rows([row for row in listed if self._shown in (ALL, row[0].area)])
        self.view.go_to(next((n for n, (one, _) in enumerate(self.model.rows) if _identity(one) == same), row))
        self._show_found()

    def _show_found(self) -> None:
        """Show the list, or why it is empty."""
        checked, listed = self.checked, bool(self.model.rows)
        self.split.setVisible(listed)
        self.empty.setVisible(not listed)
        self.area.setVisible(bool(self.ranked))
        self.strip.show_note(self._news())
        self.strip.note.setVisible(bool(self.strip.note.text()))
        self._show_last_check()
        self.strip.setVisible(checked is not None or self.strip.is_running)
        counts = {} if self.core_state is None else self.core_state.status.counts
        has_library = bool(counts.get("memories", 0) + counts.get("powers", 0))
        self.first.setVisible(has_library and not self.strip.isVisibleTo(self))
        self.scope.setVisible(not has_library)
        if listed:
            return
        if self.strip.is_running:
            self.empty.set_text("Checking", "Every trigger is compared and asked. You can keep working.")
        elif checked is not None and self.ranked:
            self.empty.set_text(f"No findings about {self.area.currentText().split('  ')[0].lower()}", "")
        elif checked is not None:
            self.empty.set_text("No problems found", health.scope_line(checked.health))
        elif not has_library:
            self.empty.set_text("The library is empty", "Type a query on the scope and press Ctrl+T.")
        else:
            self.empty.set_text(
                "Not checked yet",
                (
                    "A check finds duplicates and conflicts, confused intents, thresholds that nothing reaches, rules"
                    " that never fire, and memories that never come first."
                ),
            )

    def _news(self) -> str:
        """Return what has changed since the last check, and what it left out."""
        if self.checked is None:
            return ""
        changed = changes_sentence(self.checked.basis, self._current_basis())
        return " ".join(filter(None, (changed, missing_line(self.checked.duplicates))))

    def _show_last_check(self) -> None:
        """Show what the last check found and, with space for it, when and on what it ran."""
        found = scope = ""
        if self.checked is not None:
            found = health.counts_line([finding for finding, _ in self.model.rows])
            scope = health.scope_line(self.checked.health, self._when)
        shown = (found or scope,) if self.is_narrow else filter(None, (found, scope.partition(": ")[0]))
        self.head.set_more(" · ".join(shown), scope)

    @property
    def finding(self) -> HealthFinding | DuplicateFinding | None:
        row = self.view.place
        return self.model.rows[row][0] if 0 <= row < len(self.model.rows) else None

    def _show_finding(self) -> None:
        finding, row = self.finding, self.view.place
        is_pair = isinstance(finding, DuplicateFinding)
        self.pair.show_finding(finding if isinstance(finding, DuplicateFinding) else None)
        one = finding if isinstance(finding, HealthFinding) else None
        self.sheet.show_html("" if one is None else health_html(one, self.model.rows[row][1]))
        subjects = () if one is None else one.subjects
        self.table.setVisible(bool(subjects))
        self.table.paged.show_columns(subject_columns(one) if one is not None and subjects else ())
        self.table.show_rows(subjects, 0 if subjects else None)
        self.side.setCurrentIndex(int(is_pair))
        self.lay_panes(flipped=False)  # the text is shown whole

    def _show_buttons(self) -> None:
        remedy, one = self._current_remedy(), self._subject
        self.act.setVisible(remedy is not None)
        self.act.setText("" if remedy is None else remedy.word)
        self.ask.setVisible(one is not None and one.kind in ("memory", "label", "case") and bool(one.about))
        is_case = one is not None and one.kind == "case"
        self.ask.setText("Why not" if is_case else "Ask on the scope")
        self.ask.setToolTip("Ask the text of the picked row on the scope" + ", and why it got another intent" * is_case)

    @property
    def _subject(self) -> FindingSubject | None:
        """Selected row of the table below the finding."""
        one: FindingSubject | None = self.table.current
        return one

    def _current_remedy(self) -> health_findings.Remedy | None:
        return health_findings.remedy(self.finding) if isinstance(self.finding, HealthFinding) else None

    # ---- actions

    def _on_resolved(self, sentence: str, is_done: bool) -> None:
        if sentence:
            self.notified.emit(sentence, is_done, not is_done)
        self._freshen()

    def _remedy(self) -> None:
        remedy, one = self._current_remedy(), self._subject
        if remedy is None:
            return
        if remedy.page == RETRY:
            self._worker.retry(remedy.place)
            return
        place = remedy.place or ("" if one is None or one.key is None else str(one.key))
        self.page_requested.emit(remedy.page, place)

    def _go_to(self) -> None:
        if (one := self._subject) is None:
            return
        if one.kind == "case":
            self.page_requested.emit("intents", one.name)
        pages = {"memory": "memories", "label": "memories", "power": "powers", "keyword": "powers", "rule": "rules"}
        if one.kind in pages:
            self.page_requested.emit(pages[one.kind], "" if one.key is None else str(one.key))

    def _ask(self) -> None:
        one = self._subject
        if one is not None and one.kind == "case":
            self.ask_why(one.about, Expectation("intent", one.name) if one.name else None)
        elif one is not None:
            self.ask_on_scope(one.about)

    # ---- paint

    def hairlines(self) -> Iterator[QRect]:
        if self.strip.isVisibleTo(self):
            yield QRect(0, self.head.geometry().bottom(), self.width(), 1)


def _identity(finding: HealthFinding | DuplicateFinding | None) -> object:
    """Identity of a finding; that of a duplicate outlasts changes of its answers."""
    if not isinstance(finding, DuplicateFinding):
        return id(finding)
    return {(holding.answer.kind, holding.answer.key, holding.trigger) for holding in finding.holdings}


# ---- Jobs of the page on the engine's thread


async def _fresh(checked: Checked, bench: Workbench) -> Checked:
    """Find which duplicates of a check still exist."""
    found = await bench.duplicates.fresh(checked.duplicates.found)
    is_same = len(found) == len(checked.fresh) and all(map(is_, found, checked.fresh))
    return checked if is_same else await _ranked(checked, found)


async def _check(bench: Workbench) -> AsyncGenerator[float | Checked, None]:
    """Yield the progress, 0 to 1, and finally the result, after pending vectors are made."""
    from app.services.review.health import check_health

    await bench.ready()
    basis = evaluation_inputs(bench.status(), bench.settings, _BESIDE)
    duplicates: Findings | None = None
    async with aclosing(bench.duplicates.search()) as search:
        async for found in search:
            if isinstance(found, float):
                yield _DUPLICATES * found
            else:
                duplicates = found
    parts = bench.rule_edits, bench.rule_trial, bench.intents, bench.routing, bench.gateway
    async with aclosing(check_health(bench, *parts)) as steps:
        async for step in steps:
            if isinstance(step, float):
                yield _DUPLICATES + (1 - _DUPLICATES) * step
            elif duplicates is not None:
                yield await _ranked(Checked(step, duplicates, basis), duplicates.found)


async def _ranked(checked: Checked, fresh: Sequence[DuplicateFinding]) -> Checked:
    """Rank all findings with these duplicates, on a thread of its own: there may be thousands."""
    shown = (one for one in checked.health.findings if one.kind not in _TWICE)
    found: list[HealthFinding | DuplicateFinding] = [*shown, *fresh]
    ranked = await asyncio.to_thread(lambda: most_valuable(found, checked.health.evidence))
    return replace(checked, fresh=fresh, ranked=ranked)
