"""What the page of health sends the engine for: a look at the library, how far it is, and what it found."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.worker import Worker

if TYPE_CHECKING:
    import asyncio

    from app.services.workbench import Workbench


class HealthErrands(QObject):
    """Both methods return at once. What a look still says after it was cancelled is dropped on the window's thread."""

    moved = Signal(float)  # how much of the look is done, 0 to 1
    found = Signal(object)  # Health
    ended = Signal(str)  # a sentence if it broke off
    _step = Signal(int, object)
    _end = Signal(int, str)

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._ticket = 0
        self._under_way: asyncio.Task[Any] | None = None
        queued = Qt.ConnectionType.QueuedConnection
        self._step.connect(self._on_step, queued)
        self._end.connect(self._on_end, queued)

    def look(self) -> None:
        """Look at everything; a look that is under way is broken off."""
        self.cancel()
        ticket = self._ticket

        async def follow(bench: Workbench) -> None:
            if ticket != self._ticket:
                return  # cancelled before it began
            import asyncio

            from app.services.health import look

            self._under_way = task = asyncio.current_task()
            try:
                async with contextlib.aclosing(look(bench)) as steps:
                    async for step in steps:
                        self._step.emit(ticket, step)
            finally:
                if self._under_way is task:
                    self._under_way = None

        self._worker.do(follow, lambda _: self._end.emit(ticket, ""), lambda sentence: self._end.emit(ticket, sentence))

    def cancel(self) -> None:
        """Break off the look; nothing more is told of it."""
        self._ticket += 1
        task = self._under_way

        async def stop(_: Workbench) -> None:
            if task is not None:
                task.cancel()

        if task is not None:
            self._worker.do(stop, lambda _: None, lambda _: None)

    # ---- on the window's thread

    def _on_step(self, ticket: int, step: object) -> None:
        if ticket == self._ticket:
            (self.moved if isinstance(step, float) else self.found).emit(step)

    def _on_end(self, ticket: int, sentence: str) -> None:
        if ticket == self._ticket:
            self.ended.emit(sentence)
