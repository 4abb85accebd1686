"""What asking "why not" sends the engine for: names to expect, an explanation that can be stopped, and a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.display.why_not import choices
from app.domain.why_not import ChangeSettings
from app.gui.worker import Worker
from app.ports import KnownError

if TYPE_CHECKING:
    import asyncio

    from app.domain.why_not import Change, Expectation, WhyNot
    from app.services.workbench import Workbench


class WhyNotErrands(QObject):
    """Every method returns at once. An explanation replaces an earlier one; of one that was cancelled or replaced
    nothing more is told, nor of names that somebody no longer types."""

    named = Signal(int, object)  # ticket, tuple[Expectation, ...]
    moved = Signal(int, int)  # cases that were answered, and how many are to be
    explained = Signal(object)  # WhyNot
    refused = Signal(str)  # why nothing can be explained
    applied = Signal(object, object)  # the Change that is made, what was chosen before by dotted key if it is settings
    reverted = Signal()  # settings are again as they were
    not_applied = Signal(str)  # why a change is not made, or not taken back
    _step = Signal(int, int, int)
    _end = Signal(int, object)
    _refusal = Signal(int, str)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._ticket = 0
        self._under_way: asyncio.Task[Any] | None = None
        self._made: Mapping[str, str] = {}
        """The settings that were applied last; only the engine's thread looks at it."""
        queued = Qt.ConnectionType.QueuedConnection
        self._step.connect(self._on_step, queued)
        self._end.connect(self._on_end, queued)
        self._refusal.connect(self._on_refusal, queued)

    def name(self, ticket: int, prefix: str, limit: int) -> None:
        """Ask what can be expected that is called so; the ticket comes back with it."""

        async def act(bench: Workbench) -> object:
            return choices(bench.why_nots.candidates(prefix, limit))

        self._worker.do(act, lambda found: self.named.emit(ticket, found), lambda _: None)

    def explain(self, text: str, expected: Expectation) -> None:
        """Ask where the expectation was lost, and which changes would make it win."""
        self.cancel()
        ticket = self._ticket

        async def act(bench: Workbench) -> object:
            if ticket != self._ticket:
                return None  # cancelled before it began
            import asyncio

            self._under_way = task = asyncio.current_task()
            try:
                return await bench.why_nots.explain(
                    text, expected, lambda done, total: self._step.emit(ticket, done, total)
                )
            finally:
                if self._under_way is task:
                    self._under_way = None

        self._worker.do(
            act, lambda told: self._end.emit(ticket, told), lambda sentence: self._refusal.emit(ticket, sentence)
        )

    def cancel(self) -> None:
        """Break off the explanation under way; nothing more is told of it."""
        self._ticket += 1
        self._worker.do(self._stop, lambda _: None, lambda _: None)

    def apply(self, change: Change) -> None:
        """Make a change for good; what was chosen here before it comes back with it where it is of settings."""

        async def act(bench: Workbench) -> object:
            kept = await bench.in_store(lambda library: library.setting_values())
            await bench.why_nots.apply(change)
            pairs = change.act.pairs if isinstance(change.act, ChangeSettings) else ()
            self._made = dict(pairs)
            return {key: kept.get(key) for key, _ in pairs}

        self._worker.do(act, lambda before: self.applied.emit(change, before), self.not_applied.emit)

    def choose(self, chosen: Mapping[str, str | None]) -> None:
        """Choose settings again as they were, but for those that were chosen anew since; None forgets what was chosen
        here."""

        async def act(bench: Workbench) -> None:
            kept = await bench.in_store(lambda library: library.setting_values())
            still = {key: value for key, value in chosen.items() if kept.get(key) == self._made.get(key)}
            if not still:
                raise KnownError(self.tr("The setting was chosen anew since then, so it stays."))
            await bench.choose_all(still)

        self._worker.do(act, lambda _: self.reverted.emit(), self.not_applied.emit)

    async def _stop(self, bench: Workbench) -> None:
        task, self._under_way = self._under_way, None
        if task is not None:
            task.cancel()

    # ---- on the window's thread

    def _on_step(self, ticket: int, done: int, total: int) -> None:
        if ticket == self._ticket:
            self.moved.emit(done, total)

    def _on_end(self, ticket: int, told: WhyNot | None) -> None:
        if ticket == self._ticket and told is not None:
            self.explained.emit(told)

    def _on_refusal(self, ticket: int, sentence: str) -> None:
        if ticket == self._ticket:
            self.refused.emit(sentence)
