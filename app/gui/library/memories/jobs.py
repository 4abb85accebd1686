"""Jobs of the page of memories: search, rows, details, edits, the bin, the last steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.errors import StaleError
from app.domain.filters import MemoryEdit, MemoryFilter, MemoryOrder, SearchResult, View
from app.domain.journal import ThingKind, Written
from app.domain.library import Memory
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.services.library.memory_overview import MemoryOverview

if TYPE_CHECKING:
    from app.services.workbench import Workbench

STEPS = 100

AT_ONCE = 2_000
"""Number of memories counted before other jobs may use the store."""


class MemoryJobs(QObject):
    """Jobs of the page; of several searches only the latest is reported."""

    found = Signal(SearchResult)
    rows_loaded = Signal(Mapping, Sequence)  # rows by key, the requested keys
    facets_loaded = Signal(Mapping)  # values and counts by facet
    detail_loaded = Signal(MemoryOverview)  # MemoryOverview, None if the memory is gone
    steps_loaded = Signal(tuple)  # tuple[Step, ...], newest first
    bin_loaded = Signal(tuple)  # tuple[Binned, ...]
    counted = Signal(int)  # number of memories that the edit would change
    saved = Signal(Memory)  # as stored now
    done = Signal(str, Written)  # the action ("deleted", "edited", "restored"), Written or None
    emptied = Signal()
    stale = Signal(StaleError)
    refused = Signal(str)  # a sentence for the user

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._search, self._look, self._count, self._bin = (Job(worker, self) for _ in range(4))

    # ---- reading

    def find(self, wanted: MemoryFilter, order: MemoryOrder, descending: bool, view: View) -> None:
        """Search memories; results of an older search are dropped."""
        self._search.run(
            lambda bench: bench.catalogue.find_memories(wanted, order, descending=descending, view=view),
            self.found.emit,
            self.refused.emit,
        )

    def fetch(self, keys: Sequence[int]) -> None:
        """Load the rows of these keys."""
        self._worker.do(
            lambda bench: bench.catalogue.memories(keys),
            lambda rows: self.rows_loaded.emit(rows, keys),
            self.refused.emit,
        )

    def find_facets(self) -> None:
        """Load the namespaces, labels, tags and sources in use."""
        self._worker.do(lambda bench: bench.catalogue.facets(), self.facets_loaded.emit, lambda _: None)

    def load_detail(self, key: int) -> None:
        """Load the details of one memory."""

        async def act(bench: Workbench) -> object:
            from app.services.library.memory_overview import read_memory_overview

            return await read_memory_overview(bench, key)

        self._look.run(act, self.detail_loaded.emit, self.refused.emit)

    def find_steps(self) -> None:
        """Load the last steps."""
        self._worker.do(
            lambda bench: bench.journal.steps(STEPS),
            lambda steps: self.steps_loaded.emit(tuple(steps)),
            lambda _: None,
        )

    def find_bin(self) -> None:
        """Load the contents of the bin."""
        self._bin.run(
            lambda bench: bench.journal.binned(), lambda binned: self.bin_loaded.emit(tuple(binned)), self.refused.emit
        )

    def count(self, keys: Sequence[int], edit: MemoryEdit) -> None:
        """Count how many of these an edit would change."""
        keys = list(keys)

        async def act(bench: Workbench) -> int:
            chunks = (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE))
            return sum([await bench.journal.count_edited(chunk, edit) for chunk in chunks])

        self._count.run(act, self.counted.emit, self.refused.emit)

    # ---- actions

    def save(self, memory: Memory, *, anyway: bool = False) -> None:
        """Store one edited memory; `stale` is emitted if another program was faster."""
        self._do(lambda bench: bench.journal.edit(memory, anyway=anyway), self.saved.emit)

    def bring_back(self, memory: Memory) -> None:
        """Restore a memory to an earlier state, or from the bin."""
        self._do(lambda bench: bench.journal.restore(memory), lambda written: self.done.emit("restored", written))

    def edit_many(self, keys: Sequence[int], edit: MemoryEdit) -> None:
        """Apply one edit to many memories."""
        self._do(lambda bench: bench.journal.edit_many(keys, edit), lambda written: self.done.emit("edited", written))

    def delete(self, keys: Sequence[int], name: str = "") -> None:
        """Move memories to the bin."""
        gone = [(ThingKind.MEMORY, key) for key in keys]
        self._do(
            lambda bench: bench.journal.delete(gone, name=name), lambda written: self.done.emit("deleted", written)
        )

    def put_back(self, keys: Sequence[tuple[ThingKind, int]]) -> None:
        """Restore items from the bin."""
        self._do(lambda bench: bench.journal.put_back(keys), lambda written: self.done.emit("restored", written))

    def empty_bin(self) -> None:
        """Delete the contents of the bin for good."""
        self._do(lambda bench: bench.journal.empty_bin(), lambda _: self.emptied.emit())

    # ---- internals

    def _do(self, act: Callable[[Workbench], Awaitable[Any]], tell: Callable[[Any], object]) -> None:
        self._worker.do(act, tell, self.refused.emit, self.stale.emit)
