"""Work and events between window and engine: Job, of which the newest run wins; Chunks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from inspect import isawaitable
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from app.display.powers.running import is_on
from app.domain.history import HistoryCounts
from app.domain.running import PowerRun, RunState
from app.gui.bridge.engine_thread import OnConflict, OnRefused, OnResult, Operation, Worker, ignore

if TYPE_CHECKING:
    import asyncio

    from app.services.events import Event
    from app.services.status import Status
    from app.services.workbench import Workbench


Progress = Callable[[int, int], None]
"""Called with the number done and the total."""

_EVERY = -1
"""Run number of `do`, which no newer run replaces."""


class Job(QObject):
    """Latest wins: a run cancels and replaces the one before.

    `refused` gets a sentence for the user, `on_conflict` an edit's conflict, unless a run names other callbacks.
    Callbacks are called on the window's thread, never for replaced or cancelled runs, nor after the job's parent is
    destroyed.
    """

    _arrived = Signal(int, partial)  # run, callback with its arguments

    def __init__(
        self, worker: Worker, parent: QObject, refused: OnRefused = ignore, on_conflict: OnConflict | None = None
    ) -> None:
        super().__init__(parent)
        self._worker, self._refused, self._on_conflict = worker, refused, on_conflict
        self.is_running = False
        """True from the start of a run until its end is announced, or it is cancelled."""
        self._newest = 0
        self._task: asyncio.Task[Any] | None = None
        self._order: asyncio.Lock | None = None
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(self, act: Operation, finished: OnResult, refused: OnRefused | None = None) -> None:
        """Start; `finished` is called with the result."""
        run, refuse = self._next(), refused or self._refused
        self._worker.do(self._cancellable(run, act), self._ending(run, finished), self._ending(run, refuse))

    def run_with_progress(
        self,
        act: Callable[[Workbench, Any], Awaitable[Any]],
        progressed: Callable[..., object],
        finished: OnResult,
        refused: OnRefused | None = None,
    ) -> None:
        """Start; the operation gets a progress callback that calls `progressed`."""
        run = self._next()
        progress = self._queued(run, progressed)
        attempt = self._cancellable(run, lambda bench: act(bench, progress))
        self._worker.do(attempt, self._ending(run, finished), self._ending(run, refused or self._refused))

    def follow(
        self,
        begin: Callable[[Workbench], AsyncGenerator[Any, None]],
        progressed: OnResult,
        finished: OnRefused,
        *,
        whole_steps: bool = False,
    ) -> None:
        """Start; `progressed` is called with each step, `finished` with "" or an error sentence.

        With `whole_steps` it is cancelled only between two steps, since each is stored as a whole.
        """
        run = self._next()
        on_step, over = self._queued(run, progressed), self._ending(run, finished)

        async def act(bench: Workbench) -> None:
            async with aclosing(begin(bench)) as steps:
                async for step in steps:
                    if run != self._newest:
                        return
                    on_step(step)

        self._worker.do(act if whole_steps else self._cancellable(run, act), lambda _: over(""), over)

    def cancel(self) -> None:
        """Cancel the current run; none of its callbacks is called any more."""
        self._newest += 1
        self.is_running = False
        self._worker.call(self._break_off)

    def do(
        self,
        act: Operation,
        finished: OnResult = ignore,
        refused: OnRefused | None = None,
        on_conflict: OnConflict | None = None,
    ) -> None:
        """Run an operation that no newer run replaces, such as a write."""
        late = on_conflict or self._on_conflict
        conflict = None if late is None else self._queued(_EVERY, late)
        self._worker.do(act, self._queued(_EVERY, finished), self._queued(_EVERY, refused or self._refused), conflict)

    def queue(
        self,
        act: Operation,
        finished: OnResult = ignore,
        refused: OnRefused | None = None,
        on_conflict: OnConflict | None = None,
    ) -> None:
        """Run an operation like `do`, after all queued ones: each reads the result of the last."""

        async def in_order(bench: Workbench) -> Any:
            import asyncio  # after the first paint

            self._order = self._order or asyncio.Lock()
            async with self._order:
                return await act(bench)

        self.do(in_order, finished, refused, on_conflict)

    # ---- internals

    def _next(self) -> int:
        self.cancel()
        self.is_running = True
        return self._newest

    def _ending(self, run: int, hears: Callable[..., object]) -> Callable[..., None]:
        def end(*arguments: Any) -> None:
            self.is_running = False
            hears(*arguments)

        return self._queued(run, end)

    def _queued(self, run: int, hears: Callable[..., object]) -> Callable[..., None]:
        """Make the callback for the engine's thread, which calls `hears` on the window's."""

        def tell(*arguments: Any) -> None:
            if isValid(self):
                self._arrived.emit(run, partial(hears, *arguments))

        return tell

    def _deliver(self, run: int, hear: partial[object]) -> None:
        if run in (_EVERY, self._newest):
            hear()

    # ---- on the engine's thread

    def _cancellable(self, run: int, act: Operation) -> Operation:
        async def attempt(bench: Workbench) -> Any:
            if run != self._newest:
                return None  # replaced or cancelled before it began
            import asyncio

            self._task = task = asyncio.current_task()
            try:
                return await act(bench)
            finally:
                if self._task is task:
                    self._task = None

        return attempt

    def _break_off(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()


# ---- Long work in chunks between events, so that a key is answered at once.


CHUNK_SECONDS = 0.002
"""Length of a chunk in seconds; layout and painting run between chunks."""


class Chunks(QObject):
    """Runs the steps of an iterator in chunks of the event loop."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._run_chunk)

    @property
    def are_done(self) -> bool:
        return self._steps is None

    def begin(self, steps: Iterator[object]) -> None:
        """Run the first chunk now, the others from the event loop; finish earlier steps first."""
        self.finish()
        self._steps = steps
        self._run_chunk()

    def finish(self) -> None:
        """Run all remaining steps now; no effect from within a step."""
        steps, self._steps = self._steps, None
        self._timer.stop()
        for _ in steps or ():
            pass

    def _run_chunk(self) -> None:
        steps, until = self._steps, perf_counter() + CHUNK_SECONDS
        for _ in steps or ():
            if perf_counter() >= until:
                self._timer.start()
                return
        self._steps = None


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
        now: Callable[[Workbench], Any],
        parent: QObject,
    ) -> None:
        """`now` returns the current state, or a coroutine that does."""
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
            now = self._now(bench)
            return await now if isawaitable(now) else now

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
        powers = Subscription(worker, lambda bench: bench.gateway.run_changed, lambda bench: bench.gateway.runs(), self)
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


def power_watch(worker: Worker) -> PowerWatch:
    """Return the watch of a worker, created on first use."""
    return worker.findChild(PowerWatch) or PowerWatch(worker)
