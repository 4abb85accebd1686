"""One long piece of work of the engine's at a time: how far it is, what comes of it, and a way to break it off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.bridge.engine_thread import Worker

if TYPE_CHECKING:
    import asyncio

    from app.services.workbench import Workbench


Tell = Callable[[int, int], None]
"""Told how much is done, of how much."""


class Job(QObject):
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


# --------------------------------------------------------------------------------------------------------------------
# Jobs of which only the latest of each kind is told, however many were sent


class LatestJobs(QObject):
    """Whoever derives from it fills `_tell`: by kind, and by "KIND ended" for what is followed, what hears of it."""

    refused = Signal(str)
    _ended = Signal(str, int, object)  # kind, ticket, what came of it

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._tickets: dict[str, int] = {}
        self._tell: dict[str, Callable[[Any], object]] = {}
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def _next(self, kind: str) -> int:
        """Drop what is under way of this kind; the ticket of the next."""
        self._tickets[kind] = self._tickets.get(kind, 0) + 1
        return self._tickets[kind]

    def _latest(self, kind: str, act: Callable[[Workbench], Awaitable[Any]]) -> None:
        ticket = self._next(kind)

        async def attempt(bench: Workbench) -> Any:
            return await act(bench) if ticket == self._tickets[kind] else None

        self._worker.do(attempt, lambda result: self._ended.emit(kind, ticket, result), self.refused.emit)

    def _follow(self, kind: str, begin: Callable[[Workbench], Any]) -> None:
        """Tell each step of something long until another of its kind begins, or it is stopped."""
        ticket = self._next(kind)

        async def act(bench: Workbench) -> None:
            async with aclosing(begin(bench)) as steps:
                async for step in steps:
                    if ticket != self._tickets[kind]:
                        return
                    self._ended.emit(kind, ticket, step)

        def tell(sentence: str) -> None:
            self._ended.emit(f"{kind} ended", ticket, sentence)

        self._worker.do(act, lambda _: tell(""), tell)

    def _on_ended(self, kind: str, ticket: int, result: object) -> None:
        if ticket == self._tickets[kind.removesuffix(" ended")]:
            self._tell[kind](result)
