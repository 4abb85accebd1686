"""Jobs of the history page: search, rows, details, deletion, replays and query logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.filters import SearchResult, View, place_of, places
from app.domain.review.history import HistoryEntry, HistoryFilter, HistoryOrder, ReplayProgress
from app.domain.scope.why_not import Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.services.evaluation.refits import RefitChanges
from app.services.review.history import LogProgress

if TYPE_CHECKING:
    from app.services.workbench import Workbench

FIRST_ROWS = 60


class HistoryJobs(QObject):
    """Jobs of the page; of searches, replays and log imports only the latest is reported."""

    found = Signal(SearchResult)
    rows_loaded = Signal(Mapping, Sequence)  # rows by key, requested keys
    detail_loaded = Signal(HistoryEntry)  # entry with its trace, None if it is gone
    forgotten = Signal(int)
    replay_progressed = Signal(ReplayProgress)
    replay_finished = Signal(str)  # sentence if it failed
    log_progressed = Signal(LogProgress)
    log_finished = Signal(str)  # sentence if it failed
    refit_loaded = Signal(RefitChanges)
    refused = Signal(str)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._search, self._look, self._replay, self._log, self._refit = (Job(worker, self) for _ in range(5))

    # ---- search

    def find(self, wanted: HistoryFilter, order: HistoryOrder, descending: bool, view: View) -> None:
        """Search for queries; an older running search is dropped."""

        async def act(bench: Workbench) -> SearchResult:
            return await _found(bench, await bench.history.find(wanted, order, descending=descending), view)

        self._search.run(act, self.found.emit, self.refused.emit)

    def load_refit(self) -> None:
        """Load the last refit of the learned weights with its changes, if there was one."""

        def hear(found: RefitChanges | None) -> None:
            if found is not None:
                self.refit_loaded.emit(found)

        self._refit.run(lambda bench: bench.refits.latest(), hear, self.refused.emit)

    def fetch(self, keys: Sequence[int]) -> None:
        """Load the rows of these keys."""

        async def act(bench: Workbench) -> dict[int, Any]:
            return {row.key: row for row in await bench.history.page(keys) if row.key is not None}

        self._search.do(act, lambda rows: self.rows_loaded.emit(rows, keys), self.refused.emit)

    def load_detail(self, key: int) -> None:
        """Load one query with its trace."""
        self._look.run(lambda bench: bench.history.one(key), self.detail_loaded.emit, self.refused.emit)

    def expect(self, key: int, hears: Callable[[Expectation | None], object]) -> None:
        """Load the expectation of a query."""
        self._look.do(lambda bench: bench.history.expected(key), hears, self.refused.emit)

    # ---- deletion

    def forget(self, keys: Sequence[int]) -> None:
        """Delete these queries permanently."""
        self._search.do(lambda bench: bench.history.forget(keys), self.forgotten.emit, self.refused.emit)

    def forget_all(self) -> None:
        """Delete every query permanently."""
        self._search.do(lambda bench: bench.history.forget_all(), self.forgotten.emit, self.refused.emit)

    # ---- replay

    def replay(self, keys: Sequence[int]) -> None:
        """Replay these queries, instead of an earlier replay."""
        self._replay.follow(
            lambda bench: bench.history.replay(keys),
            self.replay_progressed.emit,
            self.replay_finished.emit,
            whole_steps=True,
        )

    def stop_replay(self) -> None:
        """Cancel the replay; its results so far stay."""
        self._replay.cancel()

    def take_log(self, path: Path) -> None:
        """Import the queries of a log."""
        self._log.follow(
            lambda bench: bench.history.take_log(path),
            self.log_progressed.emit,
            self.log_finished.emit,
            whole_steps=True,
        )

    def stop_log(self) -> None:
        """Cancel the import; stored queries stay."""
        self._log.cancel()


async def _found(bench: Workbench, keys: Sequence[int], view: View) -> SearchResult:
    history = bench.history
    top = place_of(keys, view.top)
    first = max(0, (top or 0) - FIRST_ROWS // 2)
    rows = await history.page(keys[first : first + 2 * FIRST_ROWS])
    return SearchResult(
        keys,
        (await history.counts()).kept,
        {row.key: row for row in rows if row.key is not None},
        places(keys, view.selected) if view.selected else (),
        place_of(keys, view.current),
        top,
    )
