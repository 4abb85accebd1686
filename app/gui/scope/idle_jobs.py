"""Background jobs after typing: word importance, and the preview of the query as a trigger."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from app.domain.scope.inspection import WordImportance
from app.domain.scope.why_not import EditPreview
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.bridge.scope_state import ScopeState

REST_MS = 700
"""Debounce in ms without a key or another selection."""


class IdleJobs(QObject):
    """Debounce: each state restarts the wait, and another query cancels the running jobs."""

    counted = Signal(WordImportance)
    previewed = Signal(EditPreview)  # effect of the query as a trigger of the selected answer

    def __init__(self, parent: QObject, worker: Worker, wanted: Callable[[], ScopeState | None]) -> None:
        super().__init__(parent)
        self._wanted = wanted
        self._job, self._preview_job = Job(worker, self), Job(worker, self)
        self._asked: ScopeState | None = None
        self._timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._timer.timeout.connect(self._begin)

    def rest(self, scope_state: ScopeState) -> None:
        """Note the state on screen; starts the wait if something is selected."""
        if self._asked is not None and _is_same(self._asked, scope_state):
            return
        self.stop()
        if scope_state.selected is not None:
            self._timer.start()

    def stop(self) -> None:
        """Cancel the wait and the jobs."""
        self._timer.stop()
        if self._asked is not None:
            self._job.cancel()
            self._preview_job.cancel()
            self._asked = None

    def _begin(self) -> None:
        scope_state = self._wanted()
        if scope_state is None or scope_state.inspection is None or scope_state.selected is None:
            return
        inspection, match = scope_state.inspection, scope_state.selected
        self._asked = scope_state
        self._job.run(lambda bench: bench.ablate_words(inspection, match), self.counted.emit)
        answer, text = match.answer, inspection.query.text.strip()
        if text not in answer.triggers:
            self._preview_job.run(lambda bench: bench.edit_previews.of_trigger(answer, text), self.previewed.emit)


def _is_same(asked: ScopeState, now: ScopeState) -> bool:
    """Check if both states have the same inspection and the same selected match."""
    return asked.inspection is now.inspection and asked.selected is now.selected
