"""Follows the query that is typed anywhere, and has looked up what it surfaces while its page can be seen."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.domain.inspection import Inspection, Phase
from app.gui.pages.page import Desk
from app.gui.surfacing_errands import SurfacingErrands
from app.gui.worker import Worker


class Following(QObject):
    """A page that is out of sight costs no keystroke anything: nothing is asked for it."""

    found = Signal(object, object)  # Inspection, Surfaced
    refused = Signal(str)  # a sentence for the user

    def __init__(self, page: QWidget, worker: Worker) -> None:
        super().__init__(page)
        self._page, self._worker = page, worker
        self._is_ready = False
        self._asked: Inspection | None = None
        self.errands: SurfacingErrands = SurfacingErrands(worker, self)
        queued = Qt.ConnectionType.QueuedConnection
        self.errands.surfaced.connect(self.found, queued)
        self.errands.refused.connect(self.refused, queued)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._on_settled, queued)

    @property
    def answer(self) -> Inspection | None:
        """The query as it was answered last; None while nothing is asked."""
        return self._worker.answer

    def show_desk(self, desk: Desk) -> None:
        """The settings, or what is taught, may have changed."""
        self._is_ready = desk.status.encoder_state == "ready"
        self.look()

    def look(self, changes: Mapping[str, str] = {}) -> None:
        """Ask anew what the answered query surfaces, with some settings tried."""
        answer = self.answer
        if answer is not None and self._page.isVisible():
            self._asked = answer
            self.errands.surface(answer, changes)

    def forget(self) -> None:
        """Nothing more is told of what was asked."""
        self._asked = None
        self.errands.forget()

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        # With the encoder ready the better answer is a few milliseconds away.
        if not (inspection.phase is Phase.FLOOR and self._is_ready):
            self.look()

    def _on_settled(self, generation: int) -> None:
        if generation == self._worker.generation and self.answer is not self._asked:
            self.look()
