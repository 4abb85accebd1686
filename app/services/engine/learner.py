"""Fit for `learned`: one per profile, stored with its sources, made by windows and engines."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from app.domain.case import Case
from app.domain.errors import KnownError
from app.domain.fits import (
    ChangedDelivery,
    Compared,
    Contest,
    FitPolicy,
    FitSource,
    FitState,
    FitStatus,
    Learned,
    Refit,
)
from app.ports.encoder import Embedder, SharedFitStore
from app.scoring.combiners import chosen_for
from app.scoring.learned.library import OUTDATED, Fit
from app.services.engine.fit_maker import FitInputs, FitMaker, fits_in, name_of
from app.settings.model import Settings

LOOK_SECONDS = 1.0
"""Interval in s between checks of the library, and the time without a change before a fit."""

MOST_WAITING = 64
"""Limit of checks skipped between retries of a failing fit; each reads the whole library."""

CLAIM_SECONDS, CLAIM_LOOK_SECONDS = 600.0, 0.2
"""Longest wait in s for another fitting process, and the interval of checking for it."""

OUTGROWN_TIMES = 2
"""Growth of a library, as a multiple, above which the answers of its earlier fit are provisional."""

FIRST_PENDING = "The learned weights are being fitted; those that ship decide until then."

REFIT_PENDING = (
    f"The library is more than {OUTGROWN_TIMES} times as large as when its weights were learned; they are being fitted "
    "again."
)

MOST_CHANGES = 200
"""Number of changed cases and queries that a refit lists."""

Deliveries = Mapping[tuple[Compared, int], tuple[str, ...]]
"""Names of what is delivered, by the key of the case or query."""


def wants_fit(settings: Settings) -> bool:
    """Check if these settings use a fit, or would if it did better."""
    return any(chosen_for(settings, power=power).is_shared for power in (False, True))


def refit_of(source: FitSource, before: Deliveries, after: Deliveries) -> Refit:
    """Return the refit from what each case and query delivered before and after."""
    same = before.keys() & after.keys()
    changed = [
        ChangedDelivery(kind, key, before[kind, key], after[kind, key])
        for kind, key in sorted(same)
        if before[kind, key] != after[kind, key]
    ]
    cases, queries = (sum(kind is wanted for kind, _ in same) for wanted in Compared)
    changed_cases, changed_queries = (sum(one.kind is wanted for one in changed) for wanted in Compared)
    return Refit(source, cases, queries, changed_cases, changed_queries, tuple(changed[:MOST_CHANGES]))


class RefitTrial(Protocol):
    """Compares what is delivered before and after a refit."""

    async def delivered(self) -> Deliveries:
        """Return what each case and recent query delivers now; raises KnownError."""

    async def note(self, refit: Refit) -> None:
        """Store the changes by a refit."""


class Learner:
    """Fit of one engine. All methods run on the asyncio thread; long work runs on another.

    `stored` is the profile's fit, which several processes share: whoever may refit does so under its claim, and the
    others follow. `adopt` receives the weights to decide by, once the index has their regressions; `state_changed` is
    called at the start and end of a fit. `is_own_view`: True if this process reads what others of the profile read, so
    that a fit may be stored.
    """

    def __init__(
        self,
        maker: FitMaker,
        stored: SharedFitStore | None,
        adopt: Callable[[Learned], None],
        state_changed: Callable[[], None],
        cases: Callable[[], Awaitable[Sequence[Case]]],
        is_own_view: Callable[[], bool],
    ) -> None:
        self.maker = maker
        self._stored = stored
        self._engine, self._typing_priority = maker.engine, maker.typing_priority
        self._adopt, self._state_changed = adopt, state_changed
        self._cases = cases
        self._is_own_view = is_own_view
        self.policy = FitPolicy.FIRST
        self.trial: RefitTrial | None = None
        self._labelled: tuple[int, Sequence[Case]] = -1, ()
        """Number of writes when the labelled queries were read, and these."""
        self._writes = 0
        self.held: Fit | None = None
        """Fit that decides; None before the first."""
        self._outdated: Fit | None = None
        """Stored fit of an earlier version, for comparison with the first one of this version."""
        self._last_made: Fit | None = None
        """Last fit that this process made."""
        self._library: int | None = None
        """Digest of the library when a fit of it was last adopted."""
        self._stamp: object = None
        """Stamp of the stored fit when it was last read or written here."""
        self._is_stale = self._is_fitting = self._is_first = False
        self._settled: tuple[object, ...] | None = None
        self._scored_by: tuple[object, object] | None = None
        """Index that scores by the held fit, and its regression."""
        self._failures = 0
        """Number of consecutive failed fits without a change."""
        self._turn = asyncio.Lock()

    @property
    def progress(self) -> tuple[int, int]:
        """Progress of a fit as (steps done, in total); (0, 0) while nothing is fitted."""
        return self.maker.progress

    async def keep_up(self, ready: asyncio.Event) -> None:
        """Fit once all vectors exist, and again after each edit, until cancelled."""
        await ready.wait()
        await self.settle()
        seen = self._engine.index.changes_of_taught
        while True:
            await asyncio.sleep(LOOK_SECONDS * min(2**self._failures, MOST_WAITING))
            before, seen = seen, self._engine.index.changes_of_taught
            if before == seen and not self._typing_priority.is_typing:
                await self.settle()

    def on_status_changed(self, _: object = None) -> None:
        """Note a write that may have changed labelled queries."""
        self._writes += 1

    async def _known_cases(self) -> Sequence[Case]:
        """Return the labelled queries, from the cache if unchanged or if the store fails."""
        writes, (read_at, known) = self._writes, self._labelled
        if read_at == writes:
            return known
        try:
            cases = await self._cases()
        except KnownError:
            return known
        self._labelled = writes, known if list(cases) == list(known) else cases
        return self._labelled[1]

    # ---- the state

    @property
    def _has_fit(self) -> bool:
        encoder = self._engine.encoder
        return encoder is not None and self.held is not None and self.held.encoder == name_of(encoder)

    @property
    def awaited(self) -> str:
        """Sentence on why a coming fit may change decisions; "" if none is awaited."""
        engine, held = self._engine, self.held
        if engine.encoder is None or engine.candidates is not None:
            return ""
        is_edited = self._settled is not None and self._settled[1] != engine.index.changes_of_taught
        if not self._has_fit or held is None or (held.is_empty and (self._is_stale or is_edited)):
            return FIRST_PENDING
        layout, source = engine.index.layout(), held.source
        sizes = (len(layout.memory_places), source.memories), (len(layout.power_places), source.powers)
        is_outgrown = any(now > OUTGROWN_TIMES * then > 0 for now, then in sizes)
        return REFIT_PENDING if is_outgrown and self.policy is FitPolicy.REFIT else ""

    def status(self) -> FitStatus:
        """Return the state of the fit, and its sources."""
        if not wants_fit(self._engine.settings) or self._engine.candidates is not None or self._engine.encoder is None:
            return FitStatus()
        source = self.held.source if self._has_fit and self.held is not None else FitSource()
        if self._is_fitting:
            return FitStatus(FitState.FITTING, source)
        if not self._has_fit:
            return FitStatus(FitState.MISSING)
        return FitStatus(FitState.STALE if self._is_stale else FitState.CURRENT, source, self._is_first)

    # ---- settling

    async def settle(self, wanted_by: Settings | None = None) -> None:
        """Decide by the library's fit, if the settings in force or these need one.

        It is the stored fit, or a new one if this process may fit (`policy`). Does nothing while vectors are missing,
        or if the library changes meanwhile; cancelling stops the fit.
        """
        async with self._turn:
            engine, index = self._engine, self._engine.index
            encoder, changes = engine.encoder, index.changes_of_taught
            if encoder is None or not wants_fit(wanted_by or engine.settings) or index.unembedded():
                return
            if engine.candidates is not None:
                return  # the index contains recently asked candidates only: the shipped weights decide
            cases = await self._known_cases()
            seen = index, changes, encoder.provenance, cases
            if self._settled == (*seen, await self._read_stamp(), self.policy):
                return
            is_settled = await self._settle_on(encoder, cases, changes)
            self._failures = self._failures + 1 if is_settled is None and index.changes_of_taught == changes else 0
            if is_settled:
                self._settled = (*seen, self._stamp, self.policy)

    async def recall(self) -> None:
        """Decide by the stored fit, current or stale, without fitting or storing."""
        async with self._turn:
            engine = self._engine
            if engine.encoder is None or not wants_fit(engine.settings) or engine.candidates is not None:
                return
            stored = await self._load_stored(name_of(engine.encoder))
            if stored is None:
                return
            try:
                inputs = await self.maker.inputs(await self._known_cases())
            except LookupError:
                return
            self._adopt_fit(stored, inputs.library, is_stale=stored.library != inputs.library)

    async def _settle_on(self, encoder: Embedder, cases: Sequence[Case], changes: int) -> bool | None:
        """Adopt the fit to decide by; return whether the state is final.

        False if a later check may find another fit; None if a fit was stopped or the library changed meanwhile.
        """
        engine, index = self._engine, self._engine.index
        own = self.held if self._has_fit else None
        is_news = await self._read_stamp() != self._stamp
        reads_stored = own is None or (is_news and self.policy is FitPolicy.REFIT)
        stored = await self._load_stored(name_of(encoder)) if reads_stored else None
        try:
            inputs = await self.maker.inputs(cases)
        except LookupError:
            return None

        def is_same() -> bool:
            return index.changes_of_taught == changes and engine.encoder is encoder

        if not is_same():
            return None
        held = stored or own
        if held is not None and held.library == inputs.library:
            self._adopt_fit(held, inputs.library)
            return True
        is_first = held is None or held.is_empty  # a fit of too little data counts as none
        if held is not None and self._is_own_view() and not (is_first and self.policy is FitPolicy.FIRST):
            self._adopt_fit(held, inputs.library, is_stale=True)
            if self.policy is not FitPolicy.REFIT or inputs.library == self._library:
                return True  # unchanged here: another process has just fitted this library
            if stored is not None and own is not None:
                return False
        elif self.policy is FitPolicy.NEVER:
            return True
        return await self._refit(encoder, held, inputs, is_same) or None

    async def _refit(self, encoder: Embedder, held: Fit | None, inputs: FitInputs, is_same: Callable[[], bool]) -> bool:
        """Fit the library under the claim, or take up the fit that another process made; False if stopped."""
        may_store = self._stored is not None and self._is_own_view()
        release: Callable[[], None] | None = None
        self._note_fitting(True)
        try:
            release = await self._claim() if may_store else None
            if release is not None and await self._read_stamp() != self._stamp:
                stored = await self._load_stored(name_of(encoder))
                if stored is not None and stored.library == inputs.library and is_same():
                    self._adopt_fit(stored, inputs.library)
                    return True
            made = await self.maker.make(encoder, held, inputs)
            return made is not None and is_same() and await self._adopt_made(made, held, may_store, is_same)
        finally:
            self.held = None if self.held is self._outdated else self.held
            if release is not None:
                release()
            self._note_fitting(False)

    async def _adopt_made(self, made: Fit, held: Fit | None, may_store: bool, is_same: Callable[[], bool]) -> bool:
        """Decide by a new fit, store it, and report what it changed; False if the library changed before."""
        is_refit = held is not None and not held.is_empty and may_store
        outdated = self._outdated if may_store and held is None else None
        if outdated is not None:
            self._adopt_fit(outdated, made.library, is_stale=True)
        before = await self._delivered() if is_refit or outdated is not None else None
        if not is_same():
            return False
        self._last_made = made
        self._is_first = may_store and not is_refit and not made.is_empty
        self._is_fitting = False
        self._adopt_fit(made, made.library)
        if may_store:  # last: waiting here may be cancelled, or another encoder may be loaded
            await asyncio.to_thread(self._save, made)
            self._is_first = self._is_first and self._stamp is not None
        after = None if before is None or not is_same() else await self._delivered()
        if self.trial is not None and before is not None and after is not None and is_same():
            await self.trial.note(refit_of(made.source, before, after))
        return True

    def _note_fitting(self, is_fitting: bool) -> None:
        if self._is_fitting != is_fitting:
            self._is_fitting = is_fitting
            self._state_changed()

    async def _claim(self) -> Callable[[], None] | None:
        """Claim the stored fit once no other process is fitting; None after a time-out."""
        assert self._stored is not None, "asked where one may be stored"
        for _ in range(round(CLAIM_SECONDS / CLAIM_LOOK_SECONDS)):
            if (release := await asyncio.to_thread(self._stored.claim)) is not None:
                return release
            await asyncio.sleep(CLAIM_LOOK_SECONDS)
        return None

    async def _delivered(self) -> Deliveries | None:
        try:
            return None if self.trial is None else await self.trial.delivered()
        except KnownError:
            return None

    # ---- the stored fit

    async def _read_stamp(self) -> object:
        return None if self._stored is None else await asyncio.to_thread(self._stored.stamp)

    async def _load_stored(self, encoder: str) -> Fit | None:
        """Return the stored fit, if it belongs to this encoder."""
        if self._stored is None:
            return None
        own = self._stored

        def load() -> tuple[object, Fit | None]:
            return own.stamp(), next(fits_in([own], encoder), None)

        self._stamp, found = await asyncio.to_thread(load)
        self._outdated = found if found is not None and found.library == OUTDATED else None
        return None if found is None or found.is_untaught or self._outdated else found

    def _save(self, fit: Fit) -> None:
        """Store a fit. Blocks."""
        assert self._stored is not None, "asked where one may be stored"
        self._stored.save(fit.arrays())
        self._stamp = self._stored.stamp()

    async def judged(self, held: Fit, contests: Mapping[bool, Contest]) -> None:
        """Store the contests of a fit, by whether they are for powers, if it still decides.

        A newer fit of another process stays: the window that made it would take the older one for its choice.
        """
        async with self._turn:
            if self.held is not held:
                return
            self.held = replace(held, contests=contests)
            self._adopt(self.held.learned)
            is_made_here = self._last_made is held
            self._last_made = self.held if is_made_here else self._last_made
            may_store = self.policy is FitPolicy.REFIT or is_made_here
            was_settled, stamp = self._settled, self._stamp
            is_ours = may_store and self._is_own_view() and not self._is_stale
            if self._stored is not None and is_ours and await self._read_stamp() == stamp:
                await asyncio.to_thread(self._save, self.held)
                if was_settled is not None and was_settled[-2] == stamp:
                    self._settled = (*was_settled[:-2], self._stamp, was_settled[-1])

    def _adopt_fit(self, found: Fit, library: int, *, is_stale: bool = False) -> None:
        """Decide by this fit, `library` being the digest of the library it now serves.

        No other change may come between these steps.
        """
        self._library = self._library if is_stale else library
        index = self._engine.index
        if (self.held, self._scored_by) == (found, (index, index.regression)):
            was_stale, self._is_stale = self._is_stale, is_stale
            if was_stale != is_stale:
                self._state_changed()
            return
        self.held, self._is_stale = found, is_stale
        index.learn(found.models)
        self._scored_by = index, index.regression
        self._adopt(found.learned)
