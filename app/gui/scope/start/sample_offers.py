"""Offering sample queries: the engine says whose answers the library holds, whoever has room shows those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.display.scope.guide import Sample
from app.domain.llm import LlmOutcome
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job

if TYPE_CHECKING:
    from app.services.core import Status
    from app.services.workbench import Workbench
    from app.settings.model import Settings


class SampleOffers(QObject):
    """Looks again whenever the library has changed; offers nothing where the samples would show something else."""

    offered = Signal(tuple, bool)  # the samples, if an LLM is set up

    def __init__(self, page: QObject, worker: Worker) -> None:
        super().__init__(page)
        self._job = Job(worker, self)
        self._counts: dict[str, int] = {}
        self._has_llm = False
        self._found: tuple[Sample, ...] = ()
        worker.changed.connect(self._on_change, Qt.ConnectionType.QueuedConnection)

    def _on_change(self, status: Status, _settings: Settings, _origins: object) -> None:
        self._has_llm = status.llm.outcome is not LlmOutcome.OFF
        if dict(status.counts) != self._counts:
            self._counts = dict(status.counts)
            self._job.run(_held_samples, self._on_found)
        self._offer()

    def _on_found(self, found: tuple[Sample, ...]) -> None:
        self._found = found
        self._offer()

    def _offer(self) -> None:
        self.offered.emit(self._found, self._has_llm)


async def _held_samples(bench: Workbench) -> tuple[Sample, ...]:
    """The sample queries that show with this library what they are meant to show."""
    from app.display.scope.guide import samples_for

    return samples_for(bench.holds)
