"""Recorder of the history (S7.4) in the background, behind typing, and the daily usage log."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from app.detect.doubts import doubts_of, presets_differ
from app.domain.errors import StoreError
from app.domain.history import (
    DAY_SECONDS,
    Access,
    Doubt,
    HistoryEntry,
    HistoryFilter,
    Source,
    UsageCount,
    UsageCounter,
    UsageTotals,
)
from app.domain.inspection import Inspection
from app.domain.journal import Edit
from app.domain.library import Answer
from app.domain.match import Match
from app.ports.store import Library
from app.services.core import Core
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import chunks
from app.services.library.curate import QueryDecision
from app.services.review.traces import history_entry
from app.settings.model import PRESETS, Settings, SettingsError

GATHER_SECONDS = 2.0
"""Interval of writing counts in seconds, so that no prompt wakes other programs."""

SHOWN_DAYS = 30
"""Default number of days of the totals."""


class UsageLog:
    """Usage counts of one profile: `workbench.usage`. All methods run on the asyncio thread."""

    def __init__(self, core: Core, metrics: EngineMetrics, wall_seconds: Callable[[], float]) -> None:
        self._core = core
        self._metrics = metrics
        self._wall_seconds = wall_seconds
        self._unwritten: Counter[tuple[int, UsageCounter, str]] = Counter()
        self._writing: asyncio.Task[None] | None = None
        self._is_wanted = asyncio.Event()

    def count(self, use: UsageCounter, outcome: str, many: int = 1) -> None:
        """Count an outcome. Returns at once; nothing is stored with the history off."""
        if not many:
            return
        self._metrics.use[use, outcome] += many
        if self._core.settings.history.privacy == "off":
            return
        self._unwritten[self._today, use, outcome] += many
        if self._writing is None or self._writing.done():
            self._writing = self._core.in_background(self._write_soon())

    @property
    def _today(self) -> int:
        return int(self._wall_seconds() // DAY_SECONDS)

    async def _write_soon(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER_SECONDS):
                await self._is_wanted.wait()
        await self._write()

    async def _write(self) -> None:
        """Write the pending counts; failures are retried with the next write."""
        counted, self._unwritten = self._unwritten, Counter()
        if self._core.settings.history.privacy == "off":
            return  # privacy was switched off meanwhile
        rows = [UsageCount(day, use, outcome, many) for (day, use, outcome), many in counted.items()]
        try:
            if rows:
                await self._core.in_store(lambda library: library.usage_counts.add(rows))
        except StoreError:
            self._unwritten += counted

    async def totals(self, days: int = SHOWN_DAYS) -> UsageTotals:
        """Return the totals of the last `days`, including today; raises StoreError."""
        first = self._today - days + 1
        kept = await self._core.in_store(lambda library: library.usage_counts.since(first))
        fresh = [UsageCount(*what, many) for what, many in self._unwritten.items()]
        return UsageTotals.of(days, [*kept, *fresh])

    async def flush(self) -> None:
        """Write the pending counts now."""
        self._is_wanted.set()
        if self._writing is not None:  # a running write must not be cancelled: its result would be unknown
            await asyncio.wait({self._writing})
        self._is_wanted.clear()
        await self._write()


MOST_WAITING = 200
"""Limit of pending entries while the store cannot be written; the oldest are dropped."""

MOST_COMPARED = 50
"""Limit of queries that wait for a comparison of presets; the oldest are dropped."""

WRITTEN_AT_ONCE = 100
"""Batch size of writing."""

MADE_AT = "%Y-%m-%d %H:%M:%S"

REST_SECONDS = 5.0
"""Time without a key, in seconds, after which a query is recorded: a shorter pause is one in typing."""

LOOK_SECONDS = 1.0
"""Time without a key, in seconds, after which a query is recorded if quite another follows."""

NOT_KEPT = "Queries cannot be kept in the history ({why}) Typing and answers are as always; it is tried again."


Documents = Callable[[Inspection, Settings], dict[str, Any]]


def _continues(before: str, after: str) -> bool:
    """Return whether a text was typed on or corrected: half of the shorter one is their common beginning."""
    shorter = min(len(before), len(after))
    shared = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    return bool(after.strip()) and 2 * shared >= shorter


@dataclass(frozen=True, slots=True)
class PendingEntry:
    """An answer to store: its source, time and settings, and how many queries it counts for."""

    inspection: Inspection
    source: Source
    settings: Settings
    at: str
    doubts: tuple[Doubt, ...] = ()
    times: int = 1
    accesses: tuple[Access, ...] = ()
    first: Match | None = None
    """Answer to name; None for the inspection's first."""


class Recorder:
    """Writes answers in batches; `notify` is called after each."""

    def __init__(self, core: Core, documents: Documents | None, notify: Callable[[], None]) -> None:
        self._core = core
        self._documents = documents
        self._notify = notify
        self._resting: Inspection | None = None
        self._resting_since = 0.0
        self._left: Inspection | None = None
        """Answer that was looked at before the last keys."""
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: list[PendingEntry] = []
        self._last = ""
        self._writing: asyncio.Task[None] | None = None
        self._to_compare: deque[tuple[int, Inspection]] = deque(maxlen=MOST_COMPARED)
        self._comparing: asyncio.Task[None] | None = None
        self._deciding: asyncio.Task[None] | None = None

    # ---- the window's query

    def note_key(self) -> None:
        """Note a key: the answer before it is not recorded, unless it was looked at and another query follows."""
        if self._resting is not None and asyncio.get_running_loop().time() - self._resting_since >= LOOK_SECONDS:
            self._pass(self._resting)
        self._resting = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def note_cleared(self) -> None:
        """Note that the query was deleted: the answer before is recorded only if it was looked at."""
        self.note_key()
        left, self._left = self._left, None
        if left is not None:
            self._record(left)

    def note_settled(self, inspection: Inspection) -> None:
        """Note a final answer, which is recorded unless it is typed on within REST_SECONDS."""
        self.note_key()
        self._resting, self._resting_since = inspection, asyncio.get_running_loop().time()
        left = max(0.0, REST_SECONDS - self._core.typing_priority.quiet_seconds)
        self._timer = asyncio.get_running_loop().call_later(left, self.keep_settled)

    def keep_settled(self) -> None:
        """Record the final answer now, if it is not recorded yet."""
        inspection, self._resting = self._resting, None
        self.note_key()
        if inspection is not None:
            self._pass(inspection)
            self._left = None
            self._record(inspection)

    def _pass(self, inspection: Inspection) -> None:
        """Put an answer that was looked at in the place of the one before, which is recorded unless typed on."""
        left, self._left = self._left, inspection
        if left is not None and not _continues(left.query.text, inspection.query.text):
            self._record(left)

    def _record(self, inspection: Inspection) -> None:
        again = inspection.query.text == self._last
        self._last = inspection.query.text
        self.note(inspection, times=0 if again else 1)

    def discard(self, *, everything: bool = False) -> None:
        """Forget the last recorded answer, with `everything` also pending ones, for a deletion."""
        self._last, self._left = "", None
        if everything:
            self._waiting = []

    # ---- recording

    def note(
        self,
        inspection: Inspection,
        source: Source = Source.WINDOW,
        accesses: Sequence[Access] = (),
        *,
        times: int = 1,
        first: Match | None = None,
    ) -> None:
        """Record an answer, and what an assistant got, in the background; failures go to the status."""
        if self._should_record(inspection):
            kept = tuple(accesses) if self._core.settings.history.accesses else ()
            self._waiting.append(replace(self._pending_entry(inspection, source, times), accesses=kept, first=first))
            self._begin_writing()

    def note_prompt(self, inspection: Inspection, accesses: Sequence[Access]) -> None:
        """Record a prompt in the background if there are accesses; it never enters the inbox."""
        if accesses and self._core.settings.history.accesses and self._should_record(inspection):
            pending = self._pending_entry(inspection, Source.HOOK, 1)
            self._waiting.append(replace(pending, doubts=(), accesses=tuple(accesses)))
            self._begin_writing()

    def note_chosen(self, inspection: Inspection, answer: Answer, source: Source) -> None:
        """Put a recorded query into the inbox with an answer that an assistant chose, for review."""
        chosen = next((match for match in inspection.matches if match.answer == answer), None)
        if self._should_record(inspection) and chosen is not None:
            pending = self._pending_entry(inspection, source, 0)
            self._waiting.append(replace(pending, doubts=(*pending.doubts, Doubt.CHOSEN), first=chosen))
            self._begin_writing()

    async def keep(
        self,
        inspections: Sequence[Inspection],
        source: Source,
        doubts: Mapping[str, tuple[Doubt, ...]] = {},
        times: Mapping[str, int] = {},
    ) -> list[int]:
        """Record answers and wait until they are written; return their keys. Raises StoreError.

        `doubts` and `times` are by text.
        """
        keys: list[int] = []
        kept = [one for one in inspections if self._should_record(one)]
        pending = [self._pending_entry(one, source, times.get(one.query.text, 1)) for one in kept]
        pending = [replace(one, doubts=one.doubts + doubts.get(one.inspection.query.text, ())) for one in pending]
        for some in chunks(pending, WRITTEN_AT_ONCE):
            keys += await self._write(some)
        if keys:
            self._notify()
        return keys

    async def flush(self) -> None:
        """Wait until pending entries are written or have failed; earlier failures are retried."""
        if self._waiting:
            self._begin_writing()
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def close(self) -> None:
        """Write pending entries; a query without a final answer is dropped."""
        self.keep_settled()
        if self._comparing is not None:
            self._comparing.cancel()
        await self.flush()
        await self.wait_decisions()

    def _should_record(self, inspection: Inspection) -> bool:
        return self._core.settings.history.privacy != "off" and not inspection.query.is_empty

    def _pending_entry(self, inspection: Inspection, source: Source, times: int) -> PendingEntry:
        engine, settings = self._core.engine, self._core.settings
        # While the encoder loads, the answer is provisional: it gets no doubts.
        is_whole = engine.encoder is not None or engine.encoder_fault is not None or not inspection.absent
        doubts = doubts_of(inspection, settings) if is_whole else ()
        return PendingEntry(inspection, source, settings, datetime.now(UTC).strftime(MADE_AT), doubts, times)

    def _begin_writing(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = self._core.in_background(self._write_waiting())

    async def _write_waiting(self) -> None:
        while self._waiting:
            await self._core.typing_priority.turn()
            some, self._waiting = self._waiting[:WRITTEN_AT_ONCE], self._waiting[WRITTEN_AT_ONCE:]
            if self._core.settings.history.privacy == "off":
                continue  # privacy was switched off meanwhile
            try:
                keys = await self._write(some)
            except StoreError as error:
                self._waiting = [*some, *self._waiting][-MOST_WAITING:]
                self._core.note_fault("history", NOT_KEPT.format(why=error))
                return
            self._core.note_fault("history", None)
            if self._core.settings.history.compare_presets:
                self._to_compare += [(key, one.inspection) for key, one in zip(keys, some, strict=True)]
            self._notify()
        if self._comparing is None or self._comparing.done():
            self._comparing = self._core.in_background(self._compare())

    async def _write(self, pending: Sequence[PendingEntry]) -> list[int]:
        # Rows are made on the store's thread: a trace of twenty matches takes milliseconds.
        return await self._core.in_store(lambda library: library.add_queries(list(map(self._row, pending))))

    def _row(self, pending: PendingEntry) -> HistoryEntry:
        query = history_entry(
            pending.inspection,
            pending.source,
            pending.settings,
            self._documents,
            at=pending.at,
            doubts=pending.doubts,
            times=pending.times,
            first=pending.first,
            # A pending entry follows the present privacy setting if that is stricter.
            is_hashed="hashed" in (pending.settings.history.privacy, self._core.settings.history.privacy),
        )
        return replace(query, accesses=pending.accesses)

    # ---- comparison of presets

    async def _compare(self) -> None:
        """Run recorded queries under the other preset, while the user is idle."""
        while self._to_compare:
            await self._core.typing_priority.wait_until_quiet()
            key, inspection = self._to_compare.popleft()
            if self._core.engine.encoder is None and self._core.engine.encoder_fault is None:
                continue
            try:
                text = inspection.query.text
                other = await self._core.settle_as(text, {"preset": other_preset(self._core.settings)})
                if presets_differ(await self._core.settle_as(text, {}), other):
                    await self._core.in_store(lambda library: library.add_doubts(key, [Doubt.PRESETS]))  # noqa: B023 - awaited at once
                    self._notify()
            except (StoreError, SettingsError):
                continue  # skip this doubt; the fault is reported elsewhere

    # ---- edits

    def record_decision(self, done: QueryDecision) -> None:
        """Decide the recorded queries of these texts, as part of the edit's step; returns at once.

        Without a step, only if one of them waits.
        """
        if self._resting is not None and self._resting.query.text in done.texts:
            self.keep_settled()
        self._deciding = self._core.in_background(self._decide(self._deciding, done))

    async def wait_decisions(self) -> None:
        """Wait until all decisions are written."""
        if self._deciding is not None:
            await asyncio.wait([self._deciding])

    async def _decide(self, before: asyncio.Task[None] | None, done: QueryDecision) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self.flush()
        edit = Edit(f"decided as {done.decision.value}", f"“{done.texts[0]}”") if done.step is None else done.step.id

        def decide(library: Library) -> object:
            keys = library.queries_of(done.texts)
            changes = keys if done.step is not None else library.find_queries(HistoryFilter(waiting=True))
            return None if {*keys}.isdisjoint(changes) else library.decide(edit, keys, done.decision)

        try:
            if await self._core.in_store(decide) is not None:
                self._notify()
        except StoreError as error:
            self._core.note_fault("history", NOT_KEPT.format(why=error))


def other_preset(settings: Settings) -> str:
    return next(name for name in PRESETS if name != settings.preset)
