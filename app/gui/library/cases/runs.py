"""Runs of cases: a bar while one goes on, then what all came to, and if that is old."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.display.library.cases import progress_words, summary
from app.domain.case import Task
from app.gui.kit.controls import button
from app.gui.kit.page import CoreState, changed_since, grounds
from app.gui.kit.pane_parts import Said, StaleMark
from app.gui.kit.theme.theme import Theme
from app.gui.library.cases.jobs import CaseJobs
from app.services.evaluation.case_runs import CaseRun, Outcome

if TYPE_CHECKING:
    from app.display.staleness import Grounds


class Runs(QWidget):
    """Keeps the outcomes by key, and shows how far the run under way is. It takes no room while nothing was run."""

    begun = Signal()
    moved = Signal()
    ended = Signal(str)  # a sentence if it broke off

    def __init__(self, theme: Theme, jobs: CaseJobs) -> None:
        super().__init__()
        self.jobs = jobs
        self.outcomes: dict[int, Outcome] = {}
        self.last = CaseRun(0, 0)
        self.is_running = False
        self.tasks: Collection[Task] = ()
        """Those that there are cases of."""
        self._core_state: CoreState | None = None
        self._ran_on: Grounds | None = None
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Cases that were run"))
        self.bar.setFixedWidth(theme.px(200))
        self.said = Said(role="caption")
        self.cancel = button(self.tr("Stop"), link=True, tip=self.tr("Stop; what has come out stays"), press=self.stop)
        self.stale = StaleMark(theme)
        self.stale.asked.connect(self.run_again)
        row = QHBoxLayout()
        row.setSpacing(theme.px(10))
        row.addWidget(self.bar)
        row.addWidget(self.cancel)
        row.addWidget(self.said, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(6))
        column.setSpacing(theme.px(2))
        column.addLayout(row)
        column.addWidget(self.stale)
        jobs.run_moved.connect(self._on_moved)
        jobs.run_ended.connect(self._on_ended)
        self._show()

    def show_core_state(self, core_state: CoreState) -> None:
        """Take note of what outcomes depend on."""
        self._core_state = core_state
        self._show()

    def run(self, keys: Sequence[int]) -> None:
        """Run these cases instead of what is run now."""
        if keys:
            self.is_running, self.last = True, CaseRun(0, len(keys))
            self._ran_on = grounds(self._core_state, self.tasks)
            self._show()
            self.jobs.run(keys)
            self.begun.emit()

    def run_again(self) -> None:
        """Run whatever has come out once more."""
        self.run(list(self.outcomes))

    def stop(self) -> None:
        """Stop; what has come out stays."""
        if self.is_running:
            self.jobs.stop()
            self._on_ended("")

    def _on_moved(self, run: CaseRun) -> None:
        self.last = run
        self.outcomes.update({one.key: one for one in run.outcomes})
        self._show()
        self.moved.emit()

    def _on_ended(self, sentence: str) -> None:
        self.is_running = False
        self._show()
        self.ended.emit(sentence)

    def _show(self) -> None:
        line = summary(self.outcomes, self.last.skipped)
        self.bar.setVisible(self.is_running)
        self.cancel.setVisible(self.is_running)
        if self.is_running:
            self.bar.setRange(0, max(1, self.last.total))
            self.bar.setValue(self.last.done)
            line = f"{progress_words(self.last)}   {line}".strip()
        is_old = bool(self.outcomes) and not self.is_running
        self.stale.tell(changed_since(self._ran_on, self._core_state) if is_old else "")
        self.said.say(line)
        self.setVisible(bool(line))
