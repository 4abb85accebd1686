"""What the pages of context and namespaces send the engine for: what a query surfaces, and changes of namespaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.detect.surfacing import Surfaced
    from app.domain.inspection import Inspection
    from app.gui.worker import Worker
    from app.services.workbench import Workbench


class SurfacingErrands(QObject):
    """Every method returns at once. Of several questions what a query surfaces only the last is answered."""

    surfaced = Signal(object, object)  # Inspection, Surfaced
    counted = Signal(object)  # how many memories are in each namespace that has any
    renamed = Signal(object)  # Renamed
    added = Signal(str)  # the namespace's name
    refused = Signal(str)  # a sentence for the user

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._ticket = 0

    def surface(self, inspection: Inspection, changes: Mapping[str, str] = {}) -> None:
        """Ask what an inspected query surfaces, with some settings tried."""
        self._ticket += 1
        ticket = self._ticket

        async def look(bench: Workbench) -> Surfaced | None:
            return await bench.surface(inspection, changes) if ticket == self._ticket else None

        def tell(found: Surfaced | None) -> None:
            if found is not None and ticket == self._ticket:
                self.surfaced.emit(inspection, found)

        self._worker.do(look, tell, self._refuse(ticket))

    def forget(self) -> None:
        """Nothing more is told of what was asked."""
        self._ticket += 1

    def count(self) -> None:
        """Count the memories of each namespace."""
        from app.services.library.namespaces import count_namespaces

        self._worker.do(count_namespaces, self.counted.emit, self.refused.emit)

    def choose(self, changes: Mapping[str, str | None]) -> None:
        """Keep some settings, or with None forget them."""
        self._worker.do(lambda bench: bench.choose_all(changes), lambda _: None, self.refused.emit)

    def rename(self, old: str, new: str) -> None:
        """Move the memories of a namespace into another."""
        from app.services.library.namespaces import rename_namespace

        self._worker.do(lambda bench: rename_namespace(bench, old, new), self.renamed.emit, self.refused.emit)

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
