"""Keeping answers: when a query rests or is acted upon, in the background, and never at the typist's expense (S7.4)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from app.detect.doubts import doubts_of, presets_differ
from app.domain.errors import StoreError
from app.domain.journal import Edit
from app.domain.language import say
from app.domain.library import Answer
from app.domain.review.history import Access, Doubt, HistoryEntry, Source
from app.domain.scope.inspection import Inspection
from app.ports.store import Decisions, Library
from app.services.core import Core
from app.services.engine.typing_priority import REST_SECONDS
from app.services.library.curate import QueryDecided
from app.services.review.traces import history_entry
from app.settings.model import PRESETS, Settings, SettingsError

MOST_WAITING = 200
"""So many answers are held back for a store that cannot be written; the oldest give way."""

MOST_COMPARED = 50
"""So many queries wait to be asked under the other preset; the oldest give way."""

WRITTEN_AT_ONCE = 100
"""So many answers are made into rows in one call to the store, which others wait for."""

MADE_AT = "%Y-%m-%d %H:%M:%S"

NOT_KEPT = say("Queries cannot be kept in the history ({why}) Typing and answers are as always; it is tried again.")


Documents = Callable[[Inspection], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer to keep: where it came from, when, under which settings, and whether it counts as asked once more."""

    inspection: Inspection
    source: Source
    settings: Settings
    at: str
    doubts: tuple[Doubt, ...] = ()
    times: int = 1
    accesses: tuple[Access, ...] = ()


class Recorder:
    """Keeps answers one batch after the other; `notify` is called after each that was written."""

    def __init__(self, core: Core, documents: Documents | None, notify: Callable[[], None]) -> None:
        self._core = core
        self._documents = documents
        self._notify = notify
        self._resting: Inspection | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: list[Noted] = []
        self._last = ""
        self._writing: asyncio.Task[None] | None = None
        self._to_compare: deque[tuple[int, Inspection]] = deque(maxlen=MOST_COMPARED)
        self._comparing: asyncio.Task[None] | None = None
        self._deciding: asyncio.Task[None] | None = None

    # ---- the window's query

    def note_key(self) -> None:
        """A key came: what was there before is not what was meant."""
        self._resting = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def rested(self, inspection: Inspection) -> None:
        """A settled answer: it is kept when no key has come for REST_SECONDS."""
        self.note_key()
        if inspection.query.is_empty:
            return
        self._resting = inspection
        left = max(0.0, REST_SECONDS - self._core.typing_priority.quiet_seconds)
        self._timer = asyncio.get_running_loop().call_later(left, self.keep_resting)

    def keep_resting(self) -> None:
        """Keep the window's answer now, if it is not kept yet."""
        inspection = self._resting
        self.note_key()
        if inspection is not None:
            again = inspection.query.text == self._last
            self._last = inspection.query.text
            self.note(inspection, Source.WINDOW, times=0 if again else 1)

    def forgotten(self, *, everything: bool = False) -> None:
        """What was kept last may be gone; with `everything`, what waits for the store goes, too."""
        self._last = ""
        if everything:
            self._waiting = []

    # ---- keeping

    def note(self, inspection: Inspection, source: Source, accesses: Sequence[Access] = (), *, times: int = 1) -> None:
        """Keep an answer in the background, with the memories that were in question for it."""
        if self._is_kept(inspection):
            kept = tuple(accesses) if self._core.settings.history.accesses else ()
            self._waiting.append(replace(self._noted(inspection, source, times), accesses=kept))
            self._begin_writing()

    def note_prompt(self, inspection: Inspection, accesses: Sequence[Access]) -> None:
        """Keep a prompt in the background, if memories joined it or nearly did; nobody need decide about it."""
        if accesses and self._core.settings.history.accesses and self._is_kept(inspection):
            noted = self._noted(inspection, Source.HOOK, 1)
            self._waiting.append(replace(noted, doubts=(), accesses=tuple(accesses)))
            self._begin_writing()

    def note_chosen(self, inspection: Inspection, answer: Answer, source: Source) -> None:
        """Keep what was kept before, in the background, with this answer in front and the doubt that it was chosen."""
        matches = sorted(inspection.matches, key=lambda match: match.answer != answer)
        if self._is_kept(inspection) and matches and matches[0].answer == answer:
            noted = self._noted(replace(inspection, matches=tuple(matches)), source, 0)
            self._waiting.append(replace(noted, doubts=(*noted.doubts, Doubt.CHOSEN)))
            self._begin_writing()

    async def keep(
        self,
        inspections: Sequence[Inspection],
        source: Source,
        doubts: Mapping[str, tuple[Doubt, ...]] = {},
        times: Mapping[str, int] = {},
    ) -> list[int]:
        """Keep answers and wait until that is done; their keys. By text more `doubts`, and how often it was asked.

        StoreError.
        """
        keys: list[int] = []
        kept = [one for one in inspections if self._is_kept(one)]
        noted = [self._noted(one, source, times.get(one.query.text, 1)) for one in kept]
        noted = [replace(one, doubts=one.doubts + doubts.get(one.inspection.query.text, ())) for one in noted]
        for start in range(0, len(noted), WRITTEN_AT_ONCE):
            keys += await self._write(noted[start : start + WRITTEN_AT_ONCE])
        if keys:
            self._notify()
        return keys

    async def flush(self) -> None:
        """Wait until what was noted is written, or cannot be; what could not be before is tried again."""
        if self._waiting:
            self._begin_writing()
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def close(self) -> None:
        """Write what was noted; a query that did not rest yet is let go."""
        self.note_key()
        if self._comparing is not None:
            self._comparing.cancel()
        await self.flush()
        await self.all_decided()

    def _is_kept(self, inspection: Inspection) -> bool:
        return self._core.settings.history.privacy != "off" and not inspection.query.is_empty

    def _noted(self, inspection: Inspection, source: Source, times: int) -> Noted:
        engine, settings = self._core.engine, self._core.settings
        # While the encoder loads, an answer is not what it will be: nobody should have to look at it.
        is_whole = engine.encoder is not None or engine.encoder_fault is not None or not inspection.absent
        doubts = doubts_of(inspection, settings.tiers.ambiguity_margin) if is_whole else ()
        return Noted(inspection, source, settings, datetime.now(UTC).strftime(MADE_AT), doubts, times)

    def _begin_writing(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = self._core.in_background(self._write_waiting())

    async def _write_waiting(self) -> None:
        while self._waiting:
            await self._core.typing_priority.turn()
            some, self._waiting = self._waiting[:WRITTEN_AT_ONCE], self._waiting[WRITTEN_AT_ONCE:]
            if self._core.settings.history.privacy == "off":
                continue  # chosen meanwhile
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

    async def _write(self, noted: Sequence[Noted]) -> list[int]:
        # Rows are made on the store's thread: an account of twenty matches takes milliseconds.
        return await self._core.in_store(lambda library: library.add_queries(list(map(self._row, noted))))

    def _row(self, noted: Noted) -> HistoryEntry:
        query = history_entry(
            noted.inspection,
            noted.source,
            noted.settings,
            self._documents,
            at=noted.at,
            doubts=noted.doubts,
            times=noted.times,
            # What waited for the store is kept as is wanted now, where that is less.
            is_hashed="hashed" in (noted.settings.history.privacy, self._core.settings.history.privacy),
        )
        return replace(query, accesses=noted.accesses)

    # ---- the other preset

    async def _compare(self) -> None:
        """Ask what was kept under the other preset, too, once nobody types."""
        while self._to_compare:
            await self._core.typing_priority.come()
            key, inspection = self._to_compare.popleft()
            if self._core.engine.encoder is None and self._core.engine.encoder_fault is None:
                continue
            try:
                if await self._differs(inspection):
                    await self._core.in_store(partial(_doubt_presets, key=key))
                    self._notify()
            except (StoreError, SettingsError):
                continue  # a doubt less; what is wrong is reported where it concerns somebody

    async def _differs(self, inspection: Inspection) -> bool:
        text = inspection.query.text
        other = await self._core.settle_as(text, {"preset": other_preset(self._core.settings)})
        return presets_differ(await self._core.settle_as(text, {}), other)

    # ---- edits

    def decided(self, done: QueryDecided) -> None:
        """What was done about these texts decides the queries that have one, as part of the step that it was.

        Returns at once: who teaches does not wait for it.
        """
        if self._resting is not None and self._resting.query.text in done.texts:
            self.keep_resting()
        self._deciding = self._core.in_background(self._decide(self._deciding, done))

    async def all_decided(self) -> None:
        """Wait until what was done is decided."""
        if self._deciding is not None:
            await asyncio.wait([self._deciding])

    async def _decide(self, before: asyncio.Task[None] | None, done: QueryDecided) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self.flush()

        edit = Edit(f"decided as {done.decision.value}", f"“{done.texts[0]}”") if done.step is None else done.step.id

        def decide(library: Library) -> object:
            keys = library.queries_of(done.texts)
            return library.decide(edit, keys, done.decision) if keys else None

        try:
            if await self._core.in_store(decide) is not None:
                self._notify()
        except StoreError as error:
            self._core.note_fault("history", NOT_KEPT.format(why=error))


def _doubt_presets(library: Decisions, key: int) -> None:
    library.add_doubts(key, [Doubt.PRESETS])


def other_preset(settings: Settings) -> str:
    """The preset to compare with."""
    return next(name for name in PRESETS if name != settings.preset)
