"""One long piece of work of the engine's at a time: how far it is, what comes of it, and a way to break it off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.worker import Worker

if TYPE_CHECKING:
    import asyncio

    from app.services.workbench import Workbench

Tell = Callable[[int, int], None]
"""Told how much is done, of how much."""


class OneRun(QObject):
    """A run replaces an earlier one; of one that was cancelled or replaced nothing more is told."""

    moved = Signal(int, int)  # how much is done, and how much there is
    ended = Signal(object)  # what came of it
    refused = Signal(str)  # why nothing comes of it
    _step = Signal(int, int, int)
    _end = Signal(int, object)
    _refusal = Signal(int, str)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._ticket = 0
        self._under_way: asyncio.Task[Any] | None = None
        queued = Qt.ConnectionType.QueuedConnection
        self._step.connect(self._on_step, queued)
        self._end.connect(self._on_end, queued)
        self._refusal.connect(self._on_refusal, queued)

    def run(self, work: Callable[[Workbench, Tell], Awaitable[object]]) -> None:
        """Begin; the work calls what it is given to tell how far it is."""
        self.cancel()
        ticket = self._ticket

        async def act(bench: Workbench) -> object:
            if ticket != self._ticket:
                return None  # cancelled before it began
            import asyncio

            self._under_way = task = asyncio.current_task()
            try:
                return await work(bench, lambda done, total: self._step.emit(ticket, done, total))
            finally:
                if self._under_way is task:
                    self._under_way = None

        self._worker.do(
            act, lambda told: self._end.emit(ticket, told), lambda sentence: self._refusal.emit(ticket, sentence)
        )

    def cancel(self) -> None:
        """Break off what is under way."""
        self._ticket += 1
        self._worker.do(self._stop, lambda _: None, lambda _: None)

    async def _stop(self, bench: Workbench) -> None:
        task, self._under_way = self._under_way, None
        if task is not None:
            task.cancel()

    # ---- on the window's thread

    def _on_step(self, ticket: int, done: int, total: int) -> None:
        if ticket == self._ticket:
            self.moved.emit(done, total)

    def _on_end(self, ticket: int, told: object) -> None:
        if ticket == self._ticket and told is not None:
            self.ended.emit(told)

    def _on_refusal(self, ticket: int, sentence: str) -> None:
        if ticket == self._ticket:
            self.refused.emit(sentence)
