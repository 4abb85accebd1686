"""The one Job of the window: work in the background whose newest run wins; and long work in chunks between keys."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from app.gui.bridge.engine_thread import Act, Outdated, Refuse, Tell, Worker, nobody

if TYPE_CHECKING:
    import asyncio

    from app.services.workbench import Workbench


Progress = Callable[[int, int], None]
"""Called with how much is done, of how much."""

_EVERY = -1
"""Stands for the run of what no newer run replaces."""


class Job(QObject):
    """Latest wins: a run replaces the one before, which is cancelled on the engine's thread.

    Whatever the engine calls back is queued and called on the window's thread; what an older or a cancelled run still
    says is dropped there, and nothing is called once the job's parent is gone.
    """

    _arrived = Signal(int, partial)  # run, what hears of it with what came

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._newest = 0
        self._task: asyncio.Task[Any] | None = None
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(self, act: Act, finished: Tell, refused: Refuse = nobody) -> None:
        """Begin; `finished` hears what came of it, `refused` a sentence for the user."""
        run = self._next()
        self._worker.do(self._cancellable(run, act), self._teller(run, finished), self._teller(run, refused))

    def run_with_progress(
        self,
        act: Callable[[Workbench, Progress], Awaitable[Any]],
        progressed: Callable[[int, int], object],
        finished: Tell,
        refused: Refuse = nobody,
    ) -> None:
        """Begin; the work is given what it calls to say how far it is, which `progressed` hears."""
        run = self._next()
        progress = self._teller(run, progressed)
        attempt = self._cancellable(run, lambda bench: act(bench, progress))
        self._worker.do(attempt, self._teller(run, finished), self._teller(run, refused))

    def follow(
        self,
        begin: Callable[[Workbench], AsyncGenerator[Any, None]],
        progressed: Tell,
        finished: Refuse,
        *,
        whole_steps: bool = False,
    ) -> None:
        """Begin; `progressed` hears each step, `finished` hears "", or the sentence why it broke off.

        With `whole_steps` it is only broken off between two steps, as each is stored whole.
        """
        run = self._next()
        on_step, over = self._teller(run, progressed), self._teller(run, finished)

        async def act(bench: Workbench) -> None:
            async with aclosing(begin(bench)) as steps:
                async for step in steps:
                    if run != self._newest:
                        return
                    on_step(step)

        self._worker.do(act if whole_steps else self._cancellable(run, act), lambda _: over(""), over)

    def cancel(self) -> None:
        """Break off what is under way; nothing more is heard of it."""
        self._newest += 1
        self._worker.call(self._break_off)

    def do(self, act: Act, finished: Tell = nobody, refused: Refuse = nobody, outdated: Outdated | None = None) -> None:
        """Do what no newer run replaces, as it writes; `outdated` hears of an optimistic-lock conflict."""
        late = None if outdated is None else self._teller(_EVERY, outdated)
        self._worker.do(act, self._teller(_EVERY, finished), self._teller(_EVERY, refused), late)

    # ---- how

    def _next(self) -> int:
        self.cancel()
        return self._newest

    def _teller(self, run: int, hears: Callable[..., object]) -> Callable[..., None]:
        """What the engine calls so that the window hears."""

        def tell(*arguments: Any) -> None:
            if isValid(self):
                self._arrived.emit(run, partial(hears, *arguments))

        return tell

    def _deliver(self, run: int, hear: partial[object]) -> None:
        if run in (_EVERY, self._newest):
            hear()

    # ---- on the engine's thread

    def _cancellable(self, run: int, act: Act) -> Act:
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


# ---- Makes what takes long in short turns of the window's loop, so that a key in between is answered at once.


TURN_SECONDS = 0.002
"""No further step is begun so long after a turn began; what it made is laid out and drawn after it."""


class Chunks(QObject):
    """Goes through the steps of one thing after another, each as an iterator, until all are done."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._turn)

    @property
    def are_done(self) -> bool:
        return self._steps is None

    def begin(self, steps: Iterator[object]) -> None:
        """Take the first turn now, and the others as the loop comes round; what was under way before is done first."""
        self.finish()
        self._steps = steps
        self._turn()

    def finish(self) -> None:
        """Do all that is left now, for somebody who needs it whole; where a step asks for that, nothing changes."""
        steps, self._steps = self._steps, None
        self._timer.stop()
        for _ in steps or ():
            pass

    def _turn(self) -> None:
        steps, until = self._steps, perf_counter() + TURN_SECONDS
        for _ in steps or ():
            if perf_counter() >= until:
                self._timer.start()
                return
        self._steps = None
