"""Engine events in the window: subscribed on the engine's thread, delivered on its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from app.display.powers.running import is_on
from app.domain.review.history import HistoryCounts
from app.domain.running import PowerRun, RunState
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job

if TYPE_CHECKING:
    from app.services.core import Status
    from app.services.events import Event
    from app.services.workbench import Workbench

THROTTLE_MS = 150
"""Minimum interval between two `changed` of powers, in ms."""


class Subscription(QObject):
    """Listener to one engine event: `received` gets the current state, then each payload.

    It unsubscribes when it is destroyed with its parent.
    """

    received = Signal(object)
    _arrived = Signal(object)

    def __init__(
        self,
        worker: Worker,
        event: Callable[[Workbench], Event[Any]],
        now: Callable[[Workbench], Awaitable[Any]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._worker, self._event, self._now = worker, event, now
        self.last: Any = None
        """Last payload; None before the library is open."""
        self._arrived.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def begin(self) -> None:
        """Subscribe, once the library is open."""
        worker, ends = self._worker, list[Callable[[], None]]()

        async def subscribe(bench: Workbench) -> Any:
            ends.append(self._event(bench).subscribe(self._publish))
            return await self._now(bench)

        def unsubscribe() -> None:
            while ends:
                ends.pop()()

        self.destroyed.connect(lambda: worker.call(unsubscribe))
        # An unreadable library is reported in the status line.
        worker.do(subscribe, self._publish, ignore)

    def _publish(self, payload: Any) -> None:
        """Called on the engine's thread."""
        if isValid(self):
            self._arrived.emit(payload)

    def _take(self, payload: Any) -> None:
        self.last = payload
        self.received.emit(payload)


# ---- Last state of an event, shared by the widgets that show it


class HistoryWatch(QObject):
    """Counts of the history, one watch per worker; `counted` follows every change."""

    counted = Signal(HistoryCounts)

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self._worker = worker
        self.counts: HistoryCounts | None = None
        """Last counts; None before the library is open."""
        past = Subscription(worker, lambda bench: bench.history.changed, lambda bench: bench.history.counts(), self)
        self._again = Job(worker, self)
        past.received.connect(self._take)
        worker.opened.connect(past.begin, Qt.ConnectionType.QueuedConnection)
        worker.changed.connect(self._on_change, Qt.ConnectionType.QueuedConnection)

    def _on_change(self, status: Status, *_: object) -> None:
        """Count again if a library opens after a failure."""
        if self.counts is None and status.is_open:
            self._again.run(lambda bench: bench.history.counts(), self._take)

    def _take(self, counts: HistoryCounts) -> None:
        self.counts = counts
        self.counted.emit(counts)


def history_watch(worker: Worker) -> HistoryWatch:
    """Return the watch of a worker, created on first use."""
    return worker.findChild(HistoryWatch) or HistoryWatch(worker)


class PowerWatch(QObject):
    """Running powers, one watch per worker; `changed` is throttled."""

    changed = Signal()
    run_changed = Signal(PowerRun)

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self.runs: dict[str, PowerRun] = {}
        """Last run of each power, by name."""
        self._since: dict[str, float] = {}
        self._timer = QTimer(self, singleShot=True, interval=THROTTLE_MS)
        self._timer.timeout.connect(self._announce_pending)
        self._is_announced = True
        self.run_changed.connect(self._take, Qt.ConnectionType.QueuedConnection)
        powers = Subscription(worker, lambda bench: bench.gateway.run_changed, _runs, self)
        powers.received.connect(self._on_runs)
        worker.opened.connect(powers.begin, Qt.ConnectionType.QueuedConnection)

    @property
    def count(self) -> int:
        """Number of powers that run or start."""
        return sum(is_on(run) for run in self.runs.values())

    def seconds(self, name: str) -> float:
        """Return the seconds since a power was started; 0 if it does not run."""
        return monotonic() - self._since[name] if name in self._since else 0.0

    def _on_runs(self, received: PowerRun | Mapping[str, PowerRun]) -> None:
        for run in (received,) if isinstance(received, PowerRun) else received.values():
            self._take(run)

    def _take(self, run: PowerRun) -> None:
        self.runs[run.power] = run
        if run.state is RunState.RUNNING:
            self._since.setdefault(run.power, monotonic())
        else:
            self._since.pop(run.power, None)
        if self._timer.isActive():
            self._is_announced = False
        else:
            self._timer.start()
            self.changed.emit()

    def _announce_pending(self) -> None:
        if not self._is_announced:
            self._is_announced = True
            self._timer.start()
            self.changed.emit()


async def _runs(bench: Workbench) -> Mapping[str, PowerRun]:
    return bench.gateway.runs()


def power_watch(worker: Worker) -> PowerWatch:
    """Return the watch of a worker, created on first use."""
    return worker.findChild(PowerWatch) or PowerWatch(worker)
