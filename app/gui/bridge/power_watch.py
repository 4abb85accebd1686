"""Hears from the engine which powers run, at a pace that the window can follow."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.display.powers.running import is_on
from app.domain.running import PowerRun, RunState
from app.gui.bridge.engine_thread import Worker

if TYPE_CHECKING:
    from app.services.workbench import Workbench

PACE_MS = 150
"""The window hears no more often than this, however fast servers change."""


class PowerWatch(QObject):
    """One for each worker. `changed` comes after runs have changed, the first time at once."""

    changed = Signal()
    _heard = Signal(object)  # PowerRun

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self._worker = worker
        self.runs: dict[str, PowerRun] = {}
        """As they were told last, by name."""
        self._since: dict[str, float] = {}
        self._timer = QTimer(self, singleShot=True, interval=PACE_MS)
        self._timer.timeout.connect(self._tell_rest)
        self._is_told = True
        self._heard.connect(self._take, Qt.ConnectionType.QueuedConnection)
        worker.opened.connect(self._begin, Qt.ConnectionType.QueuedConnection)

    @property
    def count(self) -> int:
        """How many run, or are about to."""
        return sum(is_on(run) for run in self.runs.values())

    def seconds(self, name: str) -> float:
        """How long one runs by now; 0 for one that does not."""
        return monotonic() - self._since[name] if name in self._since else 0.0

    def _begin(self) -> None:
        async def follow(bench: Workbench) -> Mapping[str, PowerRun]:
            bench.gateway.on_run.append(self._heard.emit)
            return bench.gateway.runs()

        self._worker.do(follow, self._take_all, lambda _: None)

    def _take_all(self, runs: Mapping[str, PowerRun]) -> None:
        for run in runs.values():
            self._heard.emit(run)

    def _take(self, run: PowerRun) -> None:
        self.runs[run.power] = run
        if run.state is RunState.RUNNING:
            self._since.setdefault(run.power, monotonic())
        else:
            self._since.pop(run.power, None)
        if self._timer.isActive():
            self._is_told = False
        else:
            self._timer.start()
            self.changed.emit()

    def _tell_rest(self) -> None:
        if not self._is_told:
            self._is_told = True
            self._timer.start()
            self.changed.emit()


def power_watch_of(worker: Worker) -> PowerWatch:
    """The watch of a worker, made with the first asking."""
    return worker.findChild(PowerWatch) or PowerWatch(worker)
