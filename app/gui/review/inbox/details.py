"""Details of queries in the inbox, loaded in advance, and again when they are stale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.display.review.inbox import PRESETS
from app.domain.review.history import Doubt, HistoryEntry
from app.domain.scope.inspection import Inspection
from app.gui.bridge.engine_thread import Worker, ignore

if TYPE_CHECKING:
    from app.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class InboxDetail:
    """Detail of a query: its trace, its answer today, and differing answers by preset.

    `today` is None while the encoder loads; `is_whole` is True if no more follows.
    """

    past: HistoryEntry
    today: Inspection | None = None
    by_preset: Mapping[str, Inspection] = field(default_factory=dict)
    is_whole: bool = True


MOST = 200
"""Capacity of the cache."""


class DetailCache(QObject):
    """Cache of details by key. A stale one is shown until a new one is loaded."""

    loaded = Signal(int, InboxDetail)  # key, detail
    failed = Signal(int, str)  # key of the failed detail, a sentence
    _arrived = Signal(int, InboxDetail)  # key, detail; None if the query is gone

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._kept: dict[int, tuple[int, InboxDetail]] = {}
        self._asked: set[int] = set()
        self._epoch = 0
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self.failed.connect(self._on_failed, Qt.ConnectionType.QueuedConnection)

    def of(self, key: int | None) -> InboxDetail | None:
        """Return the cached detail of a query; None if there is none."""
        kept = self._kept.get(key) if key is not None else None
        return kept[1] if kept is not None else None

    def ask(self, key: int, *, anew: bool = False) -> None:
        """Load the detail of an uncached query; with `anew` also a stale one."""
        kept = self._kept.get(key)
        if key not in self._asked and (kept is None or (anew and kept[0] < self._epoch)):
            self._asked.add(key)
            self._load(key)

    def _load(self, key: int) -> None:
        """Load one query with its trace, then its present answer."""

        async def act(bench: Workbench) -> None:
            past = await bench.history.one(key)
            loads = bench.engine.encoder is None and bench.engine.encoder_fault is None
            is_whole = past is None or past.text is None or loads
            self._arrived.emit(key, None if past is None else InboxDetail(past, is_whole=is_whole))
            if past is None or past.text is None or loads:
                return
            today = await bench.settle_as(past.text, {})
            differed = Doubt.PRESETS in past.doubts
            by_preset = {name: await bench.settle_as(past.text, {"preset": name}) for name in PRESETS if differed}
            self._arrived.emit(key, InboxDetail(past, today, by_preset))

        self._worker.do(act, ignore, lambda sentence: self.failed.emit(key, sentence))

    def outdate(self) -> None:
        """Mark all cached details as stale, after a change of library or settings."""
        self._epoch += 1

    def forget(self, key: int) -> None:
        """Drop the detail of a query that no longer waits."""
        self._kept.pop(key, None)

    def _on_failed(self, key: int) -> None:
        """Let the next `ask` try again after a failure."""
        self._asked.discard(key)

    def _on_arrived(self, key: int, look: InboxDetail | None) -> None:
        if look is None or look.is_whole:
            self._asked.discard(key)
        if look is None:
            self.forget(key)
            return
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (self._epoch, look)
        self.loaded.emit(key, look)
