"""What the page of duplicates sends the engine for: a search, what still holds of it, and resolutions."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.bridge.engine_jobs import Act, Refuse, Tell

if TYPE_CHECKING:
    import asyncio

    from app.domain.duplicates import Alikeness, Finding
    from app.domain.journal import Written
    from app.services.library.duplicates import Duplicates
    from app.services.workbench import Workbench

Resolve = Callable[["Duplicates"], Awaitable["Written | None"]]


class DuplicateJobs(QObject):
    """Every method returns at once. A search replaces an earlier one; what one that was cancelled still says is
    dropped here, on the window's thread."""

    moved = Signal(float)  # how much of the search is done, 0 to 1
    found = Signal(object)  # Findings
    ended = Signal(str)  # a sentence if the search broke off
    freshened = Signal(int, object)  # ticket, tuple[Finding, ...]
    resolved = Signal(object)  # Written, or None if nothing changed
    refused = Signal(str)  # why a resolution was refused
    near_found = Signal(int, object)  # ticket, list[Near]
    _step = Signal(int, object)
    _end = Signal(int, str)

    def __init__(
        self,
        do: Callable[[Act, Tell, Refuse], None],
        call: Callable[..., None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._do, self._call = do, call
        self._ticket = 0
        self._under_way: asyncio.Task[Any] | None = None
        self._step.connect(self._on_step, Qt.ConnectionType.QueuedConnection)
        self._end.connect(self._on_end, Qt.ConnectionType.QueuedConnection)

    def search(self, least: Alikeness) -> None:
        """Look for alike triggers in the whole library."""
        self.cancel()
        ticket = self._ticket

        async def follow(bench: Workbench) -> None:
            if ticket != self._ticket:
                return  # cancelled before it began
            import asyncio

            self._under_way = task = asyncio.current_task()
            try:
                async with contextlib.aclosing(bench.duplicates.search(least)) as steps:
                    async for step in steps:
                        self._step.emit(ticket, step)
            finally:
                if self._under_way is task:
                    self._under_way = None

        self._do(follow, lambda _: self._end.emit(ticket, ""), lambda sentence: self._end.emit(ticket, sentence))

    def cancel(self) -> None:
        """Break off the search; nothing more is told of it."""
        self._ticket += 1
        self._call(self._cancel)

    def freshen(self, ticket: int, found: Sequence[Finding]) -> None:
        """Look which findings still hold; the ticket comes back with them."""
        self._do(
            lambda bench: bench.duplicates.fresh(found),
            lambda fresh: self.freshened.emit(ticket, fresh),
            lambda _: None,
        )

    def resolve(self, resolve: Resolve) -> None:
        """Do what makes one finding go away."""
        self._do(lambda bench: resolve(bench.duplicates), self.resolved.emit, self.refused.emit)

    def look_near(self, ticket: int, trigger: str, label: str | None) -> None:
        """Look what a trigger that is typed is near to under other answers; the ticket comes back with that."""
        self._do(
            lambda bench: bench.duplicates.near(trigger, label),
            lambda near: self.near_found.emit(ticket, near),
            lambda _: None,
        )

    def _cancel(self) -> None:
        task, self._under_way = self._under_way, None
        if task is not None:
            task.cancel()

    # ---- on the window's thread

    def _on_step(self, ticket: int, step: object) -> None:
        if ticket == self._ticket:
            (self.moved if isinstance(step, float) else self.found).emit(step)

    def _on_end(self, ticket: int, sentence: str) -> None:
        if ticket == self._ticket:
            self.ended.emit(sentence)
