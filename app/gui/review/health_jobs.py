"""What the page of health sends the engine for: a look at the library, how far it is, and what it found."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.display.staleness import Grounds, grounds
from app.domain.health import Health
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.settings.model import BESIDE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.workbench import Workbench


class HealthJobs(QObject):
    """Both methods return at once. A look replaces an earlier one; of a cancelled one nothing more is reported."""

    began = Signal(Grounds)  # what the look rests on
    moved = Signal(float)  # how much of the look is done, 0 to 1
    found = Signal(Health)
    ended = Signal(str)  # a sentence if it broke off

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._run = Job(worker, self)

    def look(self) -> None:
        """Look at everything; a look that is under way is broken off."""
        self._run.follow(_look, self._on_step, self.ended.emit)

    def cancel(self) -> None:
        """Break off the look; nothing more is reported of it."""
        self._run.cancel()

    def _on_step(self, step: float | Grounds | Health) -> None:
        if isinstance(step, Grounds):
            self.began.emit(step)
        elif isinstance(step, float):
            self.moved.emit(step)
        else:
            self.found.emit(step)


async def _look(bench: Workbench) -> AsyncGenerator[float | Grounds | Health, None]:
    """The steps of a look; first, once vectors have been waited for, what it rests on: the LLM and what would be
    surfaced among it."""
    from app.services.review.health import look

    is_told = False
    async with aclosing(look(bench, bench.rule_trial, bench.routing, bench.gateway)) as steps:
        async for step in steps:
            if not is_told:
                is_told = True
                yield grounds(bench.status(), bench.settings, BESIDE)
            yield step
