"""Follower of the typed query's surfaced memories, active while its page is visible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.detect.surfacing import Surfaced
from app.domain.journal import choosing
from app.domain.scope.inspection import Inspection, Phase
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.page import CoreState
from app.services.library.namespaces import Renamed

if TYPE_CHECKING:
    from app.gui.bridge.engine_thread import Worker
    from app.services.workbench import Workbench


class SurfacingJobs(QObject):
    """Jobs of surfacing and namespaces. Only the last `surface` is answered."""

    surfaced = Signal(Inspection, Surfaced)
    counted = Signal(Mapping)  # number of memories by namespace
    renamed = Signal(Renamed)
    added = Signal(str)  # name of the namespace
    refused = Signal(str)  # sentence for the user

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._ticket = 0

    def surface(self, inspection: Inspection, changes: Mapping[str, str] = {}) -> None:
        """Request the surfaced memories of an inspected query, under trial settings."""
        self._ticket += 1
        ticket = self._ticket

        async def look(bench: Workbench) -> Surfaced | None:
            return await bench.surface(inspection, changes) if ticket == self._ticket else None

        def tell(found: Surfaced | None) -> None:
            if found is not None and ticket == self._ticket:
                self.surfaced.emit(inspection, found)

        self._worker.do(look, tell, self._refuse(ticket))

    def forget(self) -> None:
        """Drop the request: its answer is not emitted."""
        self._ticket += 1

    def count(self) -> None:
        """Count the memories of each namespace."""
        from app.services.library.namespaces import count_namespaces

        self._worker.do(count_namespaces, self.counted.emit, self.refused.emit)

    def choose(self, changes: Mapping[str, str | None]) -> None:
        """Store some settings (None: remove), as an undoable step."""
        self._worker.do(lambda bench: bench.choose_all(changes, choosing(changes)), lambda _: None, self.refused.emit)

    def rename(self, old: str, new: str) -> None:
        """Move the memories of a namespace into another."""
        from app.services.library.namespaces import rename_namespace

        self._worker.do(
            lambda bench: rename_namespace(bench, bench.journal, old, new), self.renamed.emit, self.refused.emit
        )

    def add(self, name: str) -> None:
        """Add an empty namespace."""
        from app.services.library.namespaces import add_namespace

        self._worker.do(lambda bench: add_namespace(bench, name), self.added.emit, self.refused.emit)

    def remove(self, name: str) -> None:
        """Remove an empty namespace."""
        from app.services.library.namespaces import remove_namespace

        self._worker.do(lambda bench: remove_namespace(bench, name), lambda _: None, self.refused.emit)

    def _refuse(self, ticket: int) -> Callable[[str], None]:
        def refuse(sentence: str) -> None:
            if ticket == self._ticket:
                self.refused.emit(sentence)

        return refuse


# --------------------------------------------------------------------------------------------------------------------
# Follows the typed query, and requests its surfaced memories while the page is visible


class QueryFollower(QObject):
    """Follower of one page; a hidden page requests nothing."""

    found = Signal(Inspection, Surfaced)
    refused = Signal(str)  # sentence for the user

    def __init__(self, page: QWidget, worker: Worker) -> None:
        super().__init__(page)
        self._page, self._worker = page, worker
        self._is_ready = False
        self._asked: Inspection | None = None
        self.jobs: SurfacingJobs = SurfacingJobs(worker, self)
        queued = Qt.ConnectionType.QueuedConnection
        self.jobs.surfaced.connect(self.found, queued)
        self.jobs.refused.connect(self.refused, queued)
        worker.inspected.connect(self._on_inspected)
        worker.settled.connect(self._on_settled, queued)

    @property
    def answer(self) -> Inspection | None:
        """Last answer of the query; None without a query."""
        return self._worker.answer

    def show_core_state(self, core_state: CoreState) -> None:
        """Refresh after changes of settings or library."""
        self._is_ready = core_state.status.encoder_state == "ready"
        self.refresh()

    def refresh(self, changes: Mapping[str, str] = {}) -> None:
        """Request the surfaced memories again, under trial settings."""
        answer = self.answer
        if answer is not None and self._page.isVisible():
            self._asked = answer
            self.jobs.surface(answer, changes)

    def forget(self) -> None:
        """Drop the request: its answer is not emitted."""
        self._asked = None
        self.jobs.forget()

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        # With the encoder ready the better answer is a few milliseconds away.
        if not (inspection.phase is Phase.FLOOR and self._is_ready):
            self.refresh()

    def _on_settled(self, generation: int) -> None:
        if generation == self._worker.generation and self.answer is not self._asked:
            self.refresh()
