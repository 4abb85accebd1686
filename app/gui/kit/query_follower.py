"""Follower of the typed query's surfaced memories, active while its page is visible."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.detect.surfacing import Surfaced
from app.domain.scope.inspection import Inspection, Phase
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.page import CoreState


class QueryFollower(QObject):
    """Follower of one page; a hidden page requests nothing."""

    found = Signal(Inspection, Surfaced)
    refused = Signal(str)  # sentence for the user

    def __init__(self, page: QWidget, worker: Worker) -> None:
        super().__init__(page)
        self._page, self._worker = page, worker
        self._is_ready = False
        self._asked: Inspection | None = None
        self.job = Job(worker, self, self.refused.emit)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._on_settled, Qt.ConnectionType.QueuedConnection)

    @property
    def answer(self) -> Inspection | None:
        """Last answer of the query; None without a query."""
        return self._worker.answer

    def show_core_state(self, core_state: CoreState) -> None:
        """Refresh after changes of settings or library."""
        self._is_ready = core_state.status.encoder_state == "ready"
        self.refresh()

    def refresh(self, changes: Mapping[str, str] = {}) -> None:
        """Request the surfaced memories again, under trial settings."""
        answer = self.answer
        if answer is not None and self._page.isVisible():
            self._asked = answer
            self.job.run(lambda bench: bench.surface(answer, changes), lambda found: self.found.emit(answer, found))

    def forget(self) -> None:
        """Drop the request: its answer is not emitted."""
        self._asked = None
        self.job.cancel()

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        # With the encoder ready the better answer is a few milliseconds away.
        if not (inspection.phase is Phase.FLOOR and self._is_ready):
            self.refresh()

    def _on_settled(self, generation: int) -> None:
        if generation == self._worker.generation and self.answer is not self._asked:
            self.refresh()
