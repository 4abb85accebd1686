"""What the page of health sends the engine for: a look at the library, how far it is, and what it found."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Tell

if TYPE_CHECKING:
    from app.domain.health import Health
    from app.services.workbench import Workbench

_STEPS = 1_000


class HealthJobs(QObject):
    """Both methods return at once. A look replaces an earlier one; of one that was cancelled nothing more is told."""

    moved = Signal(float)  # how much of the look is done, 0 to 1
    found = Signal(object)  # Health
    ended = Signal(str)  # a sentence if it broke off

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._run = Job(worker, self)
        self._run.moved.connect(lambda done, whole: self.moved.emit(done / whole))
        self._run.ended.connect(self._on_ended)
        self._run.refused.connect(self.ended)

    def look(self) -> None:
        """Look at everything; a look that is under way is broken off."""
        self._run.run(_looked)

    def cancel(self) -> None:
        """Break off the look; nothing more is told of it."""
        self._run.cancel()

    def _on_ended(self, found: object) -> None:
        self.found.emit(found)
        self.ended.emit("")


async def _looked(bench: Workbench, tell: Tell) -> Health | None:
    """What a look finds; StoreError."""
    from app.services.review.health import look

    found: Health | None = None
    async with contextlib.aclosing(look(bench)) as steps:
        async for step in steps:
            if isinstance(step, float):
                tell(round(step * _STEPS), _STEPS)
            else:
                found = step
    return found
