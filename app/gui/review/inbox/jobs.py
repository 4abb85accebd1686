"""Jobs of the inbox: search, details, previews, and decisions in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.display.review.inbox import PRESETS
from app.domain.filters import SearchResult
from app.domain.library import Answer, Memory
from app.domain.review.history import Doubt, HistoryEntry, HistoryFilter
from app.domain.scope.inspection import Inspection
from app.domain.scope.why_not import EditPreview, Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job

if TYPE_CHECKING:
    from app.services.workbench import Workbench


FIRST_ROWS = 60


@dataclass(frozen=True, slots=True)
class InboxDetail:
    """Details of a query: its trace, present answer, and answers by preset if they differed.

    The present answer is unknown while the encoder loads; `is_whole` is False while more is to come.
    """

    past: HistoryEntry
    today: Inspection | None = None
    by_preset: Mapping[str, Inspection] = field(default_factory=dict)
    is_whole: bool = True


class InboxJobs(QObject):
    """Jobs of the inbox. Decisions and their undo run in order."""

    found = Signal(SearchResult)
    rows_loaded = Signal(Mapping, Sequence)  # rows by key, requested keys
    detail_loaded = Signal(int, InboxDetail)  # key, detail; None if the query is gone
    detail_failed = Signal(int)  # key whose details failed to load
    labels_loaded = Signal(Sequence)  # labels, most frequent first
    previewed = Signal(int, EditPreview)  # ticket, effect of the requested teaching
    done = Signal(int)  # key of a stored decision
    failed = Signal(int, str)  # key of a failed decision, sentence
    refused = Signal(str)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._search, self._ahead = Job(worker, self), Job(worker, self)
        self._decision_lock: asyncio.Lock | None = None

    # ---- search

    def find(self) -> None:
        """Search for waiting queries, newest first; an older running search is dropped."""

        async def act(bench: Workbench) -> SearchResult:
            keys = await bench.history.find(HistoryFilter(waiting=True))
            rows = await bench.history.page(keys[:FIRST_ROWS])
            return SearchResult(keys, len(keys), {row.key: row for row in rows if row.key is not None})

        self._search.run(act, self.found.emit, self.refused.emit)

    def fetch(self, keys: Sequence[int]) -> None:
        """Load the rows of these keys."""

        async def act(bench: Workbench) -> dict[int, Any]:
            return {row.key: row for row in await bench.history.page(keys) if row.key is not None}

        self._worker.do(act, lambda rows: self.rows_loaded.emit(rows, keys), self.refused.emit)

    def load_detail(self, key: int) -> None:
        """Load one query with its trace, then its present answer."""

        async def act(bench: Workbench) -> None:
            past = await bench.history.one(key)
            loads = bench.engine.encoder is None and bench.engine.encoder_fault is None
            is_whole = past is None or past.text is None or loads
            self.detail_loaded.emit(key, None if past is None else InboxDetail(past, is_whole=is_whole))
            if past is None or past.text is None or loads:
                return
            today = await bench.settle_as(past.text, {})
            differed = Doubt.PRESETS in past.doubts
            by_preset = {name: await bench.settle_as(past.text, {"preset": name}) for name in PRESETS if differed}
            self.detail_loaded.emit(key, InboxDetail(past, today, by_preset))

        def refuse(sentence: str) -> None:
            self.detail_failed.emit(key)
            self.refused.emit(sentence)

        self._worker.do(act, lambda _: None, refuse)

    def find_labels(self) -> None:
        """Load the labels of memories."""

        async def act(bench: Workbench) -> list[str]:
            facets = await bench.catalogue.facets()
            return [label for label, _ in facets.get("label", ()) if label]

        self._worker.do(act, self.labels_loaded.emit, lambda _: None)

    def expect(self, key: int, hears: Callable[[Expectation | None], object]) -> None:
        """Load the expectation of a query."""
        self._search.do(lambda bench: bench.history.expected(key), hears, self.refused.emit)

    def request_preview(self, ticket: int, answer: Answer, text: str) -> None:
        """Preview this trigger of an answer; a newer request cancels an older."""
        self._ahead.run(
            lambda bench: bench.edit_previews.of_trigger(answer, text), lambda found: self.previewed.emit(ticket, found)
        )

    def cancel_preview(self) -> None:
        """Cancel the running preview."""
        self._ahead.cancel()

    # ---- decisions

    def mark(self, key: int, *, fits: bool) -> None:
        """Mark the first answer right, or wrong."""
        self._decide(key, lambda bench: bench.history.mark(key, fits=fits))

    def mark_none(self, key: int) -> None:
        """Mark that no answer is right."""
        self._decide(key, lambda bench: bench.history.mark_none(key))

    def teach(self, key: int, memory: Memory) -> None:
        """Store the query as a new memory."""
        self._decide(key, lambda bench: bench.history.teach(key, memory))

    def add_trigger(self, key: int, answer: Answer) -> None:
        """Add the query as a trigger of an answer."""
        self._decide(key, lambda bench: bench.history.add_trigger(key, answer))

    def skip(self, key: int) -> None:
        """Skip the query."""
        self._decide(key, lambda bench: bench.history.skip([key]))

    def undo(self) -> None:
        """Undo the last step, after earlier decisions are stored."""

        async def act(bench: Workbench) -> object:
            async with self._in_order():
                return await bench.undo()

        self._worker.do(act, self._worker.undone.emit, self.refused.emit)

    # ---- internals

    def _decide(self, key: int, decide: Callable[[Workbench], Awaitable[object]]) -> None:
        async def act(bench: Workbench) -> object:
            async with self._in_order():
                return await decide(bench)

        self._worker.do(act, lambda _: self.done.emit(key), lambda sentence: self.failed.emit(key, sentence))

    def _in_order(self) -> asyncio.Lock:
        """Return the lock that serves decisions in order, on the engine's thread."""
        if self._decision_lock is None:
            self._decision_lock = asyncio.Lock()
        return self._decision_lock


# --------------------------------------------------------------------------------------------------------------------
# Details of waiting queries: preloaded, and reloaded when stale

MOST = 200
"""Capacity of the cache."""


class DetailCache(QObject):
    """Cache of details by key. A stale one is shown until a new one is loaded."""

    loaded = Signal(int, InboxDetail)  # key, detail

    def __init__(self, jobs: InboxJobs, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._kept: dict[int, tuple[int, InboxDetail]] = {}
        self._asked: set[int] = set()
        self._epoch = 0
        jobs.detail_loaded.connect(self._on_detail_loaded, Qt.ConnectionType.QueuedConnection)
        jobs.detail_failed.connect(self._on_detail_failed, Qt.ConnectionType.QueuedConnection)

    def of(self, key: int | None) -> InboxDetail | None:
        """Return the cached detail of a query; None if there is none."""
        kept = self._kept.get(key) if key is not None else None
        return kept[1] if kept is not None else None

    def ask(self, key: int, *, anew: bool = False) -> None:
        """Load the detail of an uncached query; with `anew` also a stale one."""
        kept = self._kept.get(key)
        if key not in self._asked and (kept is None or (anew and kept[0] < self._epoch)):
            self._asked.add(key)
            self._jobs.load_detail(key)

    def outdate(self) -> None:
        """Mark all cached details as stale after a change of library or settings."""
        self._epoch += 1

    def forget(self, key: int) -> None:
        """Drop the detail of a query that no longer waits."""
        self._kept.pop(key, None)

    def _on_detail_failed(self, key: int) -> None:
        """Note that loading failed: the next `ask` tries again."""
        self._asked.discard(key)

    def _on_detail_loaded(self, key: int, look: InboxDetail | None) -> None:
        if look is None or look.is_whole:
            self._asked.discard(key)
        if look is None:
            self.forget(key)
            return
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (self._epoch, look)
        self.loaded.emit(key, look)
