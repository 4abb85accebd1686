"""Hears from the engine when the history changes, for the rail and for the pages that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.domain.history import PastCounts
from app.gui.bridge.engine_thread import Worker

if TYPE_CHECKING:
    from app.services.core import Status
    from app.services.workbench import Workbench


class PastWatch(QObject):
    """One for each worker; `counted` comes after every change, and once when the engine is ready."""

    counted = Signal(object)  # PastCounts
    _heard = Signal(object)

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self._worker = worker
        self.counts: PastCounts | None = None
        """What was told last; None before the library is open."""
        self._heard.connect(self._take, Qt.ConnectionType.QueuedConnection)
        worker.opened.connect(self._begin, Qt.ConnectionType.QueuedConnection)
        worker.changed.connect(self._on_change, Qt.ConnectionType.QueuedConnection)

    def _on_change(self, status: Status, *_: object) -> None:
        """A library that could not be opened at first may be open now."""
        if self.counts is None and status.is_open:
            self._worker.do(lambda bench: bench.history.counts(), self._heard.emit, lambda _: None)

    def _begin(self) -> None:
        async def follow(bench: Workbench) -> PastCounts:
            bench.history.on_change = self._heard.emit
            return await bench.history.counts()

        # A library that cannot be read says so in the status line.
        self._worker.do(follow, self._heard.emit, lambda _: None)

    def _take(self, counts: PastCounts) -> None:
        self.counts = counts
        self.counted.emit(counts)


def watch_of(worker: Worker) -> PastWatch:
    """The watch of a worker, made with the first asking."""
    return worker.findChild(PastWatch) or PastWatch(worker)
