"""What asking "why not" sends the engine for: names to expect, an explanation that can be stopped, and a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.display.scope.why_not import choices
from app.gui.one_run import OneRun
from app.gui.worker import Worker

if TYPE_CHECKING:
    from app.domain.why_not import Change, Expectation
    from app.services.workbench import Workbench


class WhyNotErrands(QObject):
    """Every method returns at once. An explanation replaces an earlier one; of one that was cancelled or replaced
    nothing more is told, nor of names that somebody no longer types."""

    named = Signal(int, object)  # ticket, tuple[Expectation, ...]
    moved = Signal(int, int)  # cases that were answered, and how many are to be
    explained = Signal(object)  # WhyNot
    refused = Signal(str)  # why nothing can be explained
    applied = Signal(object)  # the Change that is made
    not_applied = Signal(str)  # why a change is not made

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._run = OneRun(worker, self)
        self._run.moved.connect(self.moved)
        self._run.ended.connect(self.explained)
        self._run.refused.connect(self.refused)

    def name(self, ticket: int, prefix: str, limit: int) -> None:
        """Ask what can be expected that is called so; the ticket comes back with it."""

        async def act(bench: Workbench) -> object:
            return choices(bench.why_nots.candidates(prefix, limit))

        self._worker.do(act, lambda found: self.named.emit(ticket, found), lambda _: None)

    def explain(self, text: str, expected: Expectation) -> None:
        """Ask where the expectation was lost, and which changes would make it win."""
        self._run.run(lambda bench, tell: bench.why_nots.explain(text, expected, tell))

    def cancel(self) -> None:
        """Break off the explanation under way; nothing more is told of it."""
        self._run.cancel()

    def apply(self, change: Change) -> None:
        """Make a change for good, as a step that can be undone like any other."""
        self._worker.do(
            lambda bench: bench.why_nots.apply(change), lambda _: self.applied.emit(change), self.not_applied.emit
        )
