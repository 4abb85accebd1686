"""Jobs of the inbox: search, details, previews, and decisions one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.display.review.inbox import PRESETS
from app.domain.filters import PAGE, SearchResult
from app.domain.library import Answer, Memory
from app.domain.review.history import Doubt, HistoryEntry, HistoryFilter
from app.domain.scope.inspection import Inspection
from app.domain.scope.why_not import EditPreview, Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job

if TYPE_CHECKING:
    from app.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class InboxDetail:
    """The detail of a query: its trace, its answer today, and its answer under each preset where these differed.

    Of today nothing is known while the encoder loads; `is_whole` says that no more comes.
    """

    past: HistoryEntry
    today: Inspection | None = None
    by_preset: Mapping[str, Inspection] = field(default_factory=dict)
    is_whole: bool = True


class InboxJobs(QObject):
    """Jobs of the inbox. Decisions and their undo run in order."""

    found = Signal(SearchResult)
    rows_loaded = Signal(Mapping, Sequence)  # rows by key, the keys that were asked for
    detail_loaded = Signal(int, InboxDetail)  # key, detail; None if the query is gone
    detail_failed = Signal(int)  # the key of a look that failed
    labels_loaded = Signal(Sequence)  # labels, most frequent first
    previewed = Signal(int, EditPreview)  # ticket, what teaching as asked for would do
    done = Signal(int)  # the key of a decision that is stored
    failed = Signal(int, str)  # the key of one that is not, and why
    refused = Signal(str)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._search, self._ahead = Job(worker, self), Job(worker, self)
        self._decision_lock: asyncio.Lock | None = None

    # ---- looking

    def find(self) -> None:
        """Ask what waits, newest first; an older search that is still under way is not reported."""

        async def act(bench: Workbench) -> SearchResult:
            keys = await bench.history.find(HistoryFilter(waiting=True))
            return SearchResult(keys, len(keys), await bench.history.rows(keys[:PAGE]))

        self._search.run(act, self.found.emit, self.refused.emit)

    def fetch(self, keys: Sequence[int]) -> None:
        """Fetch the rows of these keys."""
        self._worker.do(
            lambda bench: bench.history.rows(keys), lambda rows: self.rows_loaded.emit(rows, keys), self.refused.emit
        )

    def load_detail(self, key: int) -> None:
        """Fetch one query with its trace, then how it is answered today."""

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
        """Ask which labels memories have."""

        async def act(bench: Workbench) -> list[str]:
            facets = await bench.catalogue.facets()
            return [label for label, _ in facets.get("label", ()) if label]

        self._worker.do(act, self.labels_loaded.emit, lambda _: None)

    def expect(self, key: int, hears: Callable[[Expectation | None], object]) -> None:
        """Ask what was expected of a query."""
        self._search.do(lambda bench: bench.history.expected(key), hears, self.refused.emit)

    def request_preview(self, ticket: int, answer: Answer, text: str) -> None:
        """Ask what the answer would do with this trigger; a newer asking breaks off an older."""
        self._ahead.run(
            lambda bench: bench.edit_previews.of_trigger(answer, text), lambda found: self.previewed.emit(ticket, found)
        )

    def cancel_preview(self) -> None:
        """Break off what is being foreseen."""
        self._ahead.cancel()

    # ---- deciding

    def mark(self, key: int, *, fits: bool) -> None:
        """The first answer was right, or wrong."""
        self._decide(key, lambda bench: bench.history.mark(key, fits=fits))

    def mark_none(self, key: int) -> None:
        """No answer is right."""
        self._decide(key, lambda bench: bench.history.mark_none(key))

    def teach(self, key: int, memory: Memory) -> None:
        """Teach the query as a memory of its own."""
        self._decide(key, lambda bench: bench.history.teach(key, memory))

    def add_trigger(self, key: int, answer: Answer) -> None:
        """Teach the query as one more trigger of an answer."""
        self._decide(key, lambda bench: bench.history.add_trigger(key, answer))

    def skip(self, key: int) -> None:
        """Decide nothing about it."""
        self._decide(key, lambda bench: bench.history.skip([key]))

    def undo(self) -> None:
        """Take back the last step, once the decisions before it are stored."""

        async def act(bench: Workbench) -> object:
            async with self._in_order():
                return await bench.undo()

        self._worker.do(act, self._worker.undone.emit, self.refused.emit)

    # ---- how

    def _decide(self, key: int, decide: Callable[[Workbench], Awaitable[object]]) -> None:
        async def act(bench: Workbench) -> object:
            async with self._in_order():
                return await decide(bench)

        self._worker.do(act, lambda _: self.done.emit(key), lambda sentence: self.failed.emit(key, sentence))

    def _in_order(self) -> asyncio.Lock:
        """Held by one decision at a time; who waits for it is served in order. It belongs to the engine's thread."""
        if self._decision_lock is None:
            self._decision_lock = asyncio.Lock()
        return self._decision_lock


# --------------------------------------------------------------------------------------------------------------------
# The details of waiting queries: loaded before they are needed, and again when they are stale

MOST = 200
"""The capacity of the cache; more than somebody goes back to."""


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
        """The cached detail of a query; None if there is none."""
        kept = self._kept.get(key) if key is not None else None
        return kept[1] if kept is not None else None

    def ask(self, key: int, *, anew: bool = False) -> None:
        """Load the detail of a query that is not cached; with `anew` also of one whose detail is stale."""
        kept = self._kept.get(key)
        if key not in self._asked and (kept is None or (anew and kept[0] < self._epoch)):
            self._asked.add(key)
            self._jobs.load_detail(key)

    def outdate(self) -> None:
        """Library or settings have changed: all cached details are stale."""
        self._epoch += 1

    def forget(self, key: int) -> None:
        """Drop the detail of a query that waits no longer."""
        self._kept.pop(key, None)

    def _on_detail_failed(self, key: int) -> None:
        """Loading failed: the next `ask` tries again."""
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
