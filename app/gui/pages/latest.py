"""Errands of which only the latest of each kind is told, however many were sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.worker import Worker

if TYPE_CHECKING:
    from app.services.workbench import Workbench


class LatestErrands(QObject):
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
