"""Trying thresholds on the settings page: the answer on screen and the labelled cases behind every slider."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton, QWidget

from app.display.evaluation.thresholds import Cases, neighbours, trial
from app.display.staleness import grounds
from app.display.system.settings import THRESHOLDS
from app.domain.inspection import Inspection
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button
from app.gui.kit.fields import UnitSpin
from app.gui.kit.page import CoreState
from app.gui.system.settings.line import SettingLine
from app.settings.model import UNASKED

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.evaluation.answers import Tops
    from app.services.workbench import Workbench


class ThresholdTrials(QObject):
    """The cases are answered once, in the background, when the page is looked at; counting them anew takes no time."""

    def __init__(self, page: QWidget, worker: Worker, lines: Mapping[str, SettingLine]) -> None:
        super().__init__(page)
        self._page, self._lines = page, lines
        self._core_state: CoreState | None = None
        self._inspection: Inspection | None = worker.answer
        self._cases = Cases()
        self._answered_for: object = None
        self._is_under_way = False
        self.button: QPushButton = button("", link=True, press=self._toggle)
        self.button.setVisible(False)
        self._job = Job(worker, self)
        worker.inspected.connect(self._on_inspected)

    def join(self, line: SettingLine) -> None:
        """Let a line with a slider be tried."""
        if isinstance(line.editor, UnitSpin):
            line.editor.moved.connect(partial(self._try, line.row.key))

    def show_core_state(self, core_state: CoreState) -> None:
        """The settings, or what is taught, may have changed."""
        self._core_state = core_state
        if self._page.isVisible():
            self.look()

    def look(self) -> None:
        """The page is looked at: count the cases if something has changed since, and show what every threshold does."""
        wanted = self._signature()
        if wanted is not None and wanted != self._answered_for:
            self._answered_for = wanted
            self._answer()
        self._show_all()

    def look_again(self) -> None:
        """More lines are there: show what their thresholds do as well, if anybody looks."""
        if self._page.isVisible():
            self._show_all()

    # ---- the cases

    def _signature(self) -> object:
        """What the confidences of the cases depend on; None while it is not known, or vectors are being made."""
        core_state = self._core_state
        if (
            core_state is None
            or core_state.status.encoder_state == "loading"
            or core_state.status.embedded < core_state.status.to_embed
        ):
            return None
        cases = core_state.status.counts.get("cases", 0)
        return grounds(core_state.status, core_state.settings, (*UNASKED, *THRESHOLDS)), cases

    def _answer(self) -> None:
        self._is_under_way = True
        self._job.follow(_answers, self._on_moved, self._on_ended)

    def _toggle(self) -> None:
        if self._is_under_way:
            self._job.cancel()
            self._is_under_way = False
            self._cases = Cases(None, self.tr("Counting the labelled cases was stopped."))
        else:
            self._answer()
        self._show_all()

    def _on_moved(self, tops: Tops) -> None:
        self._is_under_way = tops.done < tops.total
        self._cases = Cases(tops)
        self._show_all()

    def _on_ended(self, sentence: str) -> None:
        self._is_under_way = False
        if sentence:
            self._cases = Cases(None, sentence)
        self._show_all()

    def _on_inspected(self, _generation: int, inspection: Inspection) -> None:
        self._inspection = inspection
        if self._page.isVisible():
            self._show_all()

    # ---- what is shown

    def _show_all(self) -> None:
        tops = self._cases.tops
        stopped = not self._is_under_way and bool(self._cases.fault)
        self.button.setVisible(self._is_under_way or stopped)
        if self._is_under_way:
            done = f" ({tops.done:,} / {tops.total:,})" if tops is not None and tops.total else ""
            self.button.setText(self.tr("Stop counting cases") + done)
        elif stopped:
            self.button.setText(self.tr("Count cases"))
        for key, line in self._lines.items():
            if isinstance(line.editor, UnitSpin):
                self._try(key, line.editor.value())

    def _try(self, key: str, value: float) -> None:
        line = self._lines[key]
        if self._core_state is None or line.strip is None:
            return
        settings = self._core_state.settings
        line.strip.slider.show_marks(float(line.row.default), neighbours(key, settings))
        line.strip.show_trial(trial(key, value, settings, self._inspection, self._cases))


def _answers(bench: Workbench) -> AsyncGenerator[Tops, None]:
    """Have the labelled cases answered, so that thresholds can be tried on them."""
    from app.services.evaluation.case_runs import answer_cases

    return answer_cases(bench)
