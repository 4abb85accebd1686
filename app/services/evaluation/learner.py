"""Fit for `learned`: one per profile, stored with its sources, made by windows and engines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Protocol, TypeVar

import numpy as np

from app.domain.case import Case
from app.domain.errors import KnownError
from app.domain.scope.fits import (
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
from app.ports.encoder import Embedder, FitStore, SharedFitStore, Vectors
from app.scoring.combiners import chosen_for
from app.scoring.index.layout import Layout
from app.scoring.learned.fit import MAX_LABELS, fit
from app.scoring.learned.library import (
    OUTDATED,
    UNTAUGHT,
    Fit,
    LabelledText,
    cases_of,
    digest_of,
    digest_of_cases,
    labelled_of,
    names_of,
    sentences_of,
    taught_of,
)
from app.scoring.learned.model import LearnedModel
from app.scoring.learned.taught import (
    LEAST_TEXTS,
    FitCancelledError,
    LabelledQueries,
    LabelTexts,
    OutOfScopeTexts,
    TrainingSet,
)
from app.services.core import Status
from app.services.engine.embedding import provenance_read
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings

LOOK_SECONDS = 1.0
"""Interval in s between checks of the library, and the time without a change before a fit."""

MOST_WAITING = 64
"""Limit of checks skipped between retries of a failing fit; each reads the whole library."""

PARTS = 100
"""Number of progress steps of a fit."""

CHUNK = 16
"""Number of background texts encoded at once: a query waits for one batch at most."""

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

Result = TypeVar("Result")


class LearnerVectors(Protocol):
    """Source of the vectors that a fit reads."""

    async def encoded_both(self, encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return vectors for comparison and for the learner, of any texts; raises EncoderError."""

    async def learner_vectors_of(self, encoder: Embedder, texts: Sequence[str]) -> Vectors | None:
        """Return the learner's vectors of trained texts; None if some are unavailable.

        Raises KnownError.
        """


def wants_fit(settings: Settings) -> bool:
    """Check if these settings use a fit, or would if it did better."""
    return any(chosen_for(settings, power=power).is_shared for power in (False, True))


def name_of(encoder: Embedder) -> str:
    """Return the encoder's name and revision, the key of a fit."""
    source = provenance_read(encoder)
    return f"{source.encoder} {source.revision}"


def in_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Sort background texts by length: batches of equal length are encoded fastest."""
    return tuple(sorted(texts, key=len))


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


def _each_of(encoder: str, places: Sequence[FitStore]) -> Iterator[Fit]:
    """Yield the fits of an encoder in these stores. Blocks."""
    for place in places:
        arrays = place.load()
        found = None if arrays is None else Fit.of_arrays(arrays)
        if found is not None and found.encoder == encoder:
            yield found


class RefitTrial(Protocol):
    """Compares what is delivered before and after a refit."""

    async def delivered(self) -> Deliveries:
        """Return what each case and recent query delivers now; raises KnownError."""


@dataclass(frozen=True, slots=True)
class LearnerHooks:
    """Callbacks of a learner.

    `adopt` receives the weights to decide by, once the index has their regressions; `state_changed` is called at the
    start and end of a fit; `refitted` receives the changes of a refit.
    """

    adopt: Callable[[Learned], None]
    state_changed: Callable[[], None] = lambda: None
    refitted: Callable[[Refit], Awaitable[None]] | None = None


class Learner:
    """Fit of one engine. All methods run on the asyncio thread; long work runs on another.

    `stored` is the profile's fit, which several processes share: whoever may refit does so under its claim, and the
    others follow. `elsewhere` returns the background texts, out-of-scope questions; `shipped` has their vectors, and
    `shared` returns the store for vectors made here, per encoder and for all profiles. `is_own_view`: True if this
    process reads what others of the profile read, so that a fit may be stored.
    """

    def __init__(
        self,
        stored: SharedFitStore | None,
        shipped: Sequence[FitStore],
        elsewhere: Callable[[], Sequence[str]],
        vectors: LearnerVectors,
        engine: Engine,
        typing_priority: TypingPriority,
        hooks: LearnerHooks,
        shared: Callable[[str], FitStore] | None = None,
        cases: Callable[[], Awaitable[Sequence[Case]]] | None = None,
        is_own_view: Callable[[], bool] = lambda: True,
        wall_seconds: Callable[[], float] = time.time,
    ) -> None:
        self._stored = stored
        self._shipped = shipped
        self._elsewhere = elsewhere
        self._vectors = vectors
        self._engine = engine
        self._calm = typing_priority
        self._hooks = hooks
        self._shared = shared
        self._cases = cases
        self._is_own_view = is_own_view
        self._wall_seconds = wall_seconds
        self.policy = FitPolicy.FIRST
        self.trial: RefitTrial | None = None
        self._labelled: tuple[int, Sequence[Case]] = -1, ()
        """Number of writes when the labelled queries were read, and these."""
        self._writes = 0
        self._asked: tuple[str, dict[str, tuple[Vectors, Vectors]]] = "", {}
        """Encoder of the labelled queries in the last fit, and their vectors."""
        self._held: Fit | None = None
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
        self.progress = (0, 0)
        """Progress of a fit as (steps done, in total); (0, 0) while nothing is fitted."""

    async def keep_up(self, ready: asyncio.Event) -> None:
        """Fit once all vectors exist, and again after each edit, until cancelled."""
        await ready.wait()
        await self.settle()
        seen = self._engine.index.changes_of_taught
        while True:
            await asyncio.sleep(LOOK_SECONDS * min(2**self._failures, MOST_WAITING))
            before, seen = seen, self._engine.index.changes_of_taught
            if before == seen and not self._calm.is_typing:
                await self.settle()

    def on_status_changed(self, _: Status | None = None) -> None:
        """Note a write that may have changed labelled queries."""
        self._writes += 1

    async def _known_cases(self) -> Sequence[Case]:
        """Return the labelled queries, from the cache if unchanged or if the store fails."""
        writes, (read_at, known) = self._writes, self._labelled
        if self._cases is None or read_at == writes:
            return known
        try:
            cases = await self._cases()
        except KnownError:
            return known
        self._labelled = writes, known if list(cases) == list(known) else cases
        return self._labelled[1]

    # ---- the state

    @property
    def held(self) -> Fit | None:
        """Fit that decides; None before the first."""
        return self._held

    @property
    def _has_fit(self) -> bool:
        encoder = self._engine.encoder
        return encoder is not None and self._held is not None and self._held.encoder == name_of(encoder)

    @property
    def awaited(self) -> str:
        """Sentence on why a coming fit may change decisions; "" if none is awaited."""
        engine, held = self._engine, self._held
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
        source = self._held.source if self._has_fit and self._held is not None else FitSource()
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
                library, _ = await self._fit_inputs(engine.index.layout(), Event(), await self._known_cases())
            except LookupError:
                return
            self._take_up(stored, library, is_stale=stored.library != library)

    async def _settle_on(self, encoder: Embedder, cases: Sequence[Case], changes: int) -> bool | None:
        """Adopt the fit to decide by; return whether the state is final.

        False if a later check may find another fit; None if a fit was stopped or the library changed meanwhile.
        """
        engine, index, name = self._engine, self._engine.index, name_of(encoder)
        was_held = self._has_fit
        is_news = await self._read_stamp() != self._stamp
        stored = await self._load_stored(name) if not was_held or (is_news and self.policy is FitPolicy.REFIT) else None
        own = self._held if was_held else None
        try:
            library, told = await self._fit_inputs(index.layout(), Event(), cases)
        except LookupError:
            return None

        def is_same() -> bool:
            return index.changes_of_taught == changes and engine.index is index and engine.encoder is encoder

        if not is_same():
            return None
        held = stored or own
        if held is not None and held.library == library:
            self._take_up(held, library)
            return True
        is_first = held is None or held.is_empty  # a fit of too little data counts as none
        if held is not None and self._is_own_view() and not (is_first and self.policy is FitPolicy.FIRST):
            self._take_up(held, library, is_stale=True)
            if self.policy is not FitPolicy.REFIT or library == self._library:
                return True  # unchanged here: another process has just fitted this library
            if stored is not None and own is not None:
                return False
        elif self.policy is FitPolicy.NEVER:
            return True
        return await self._refit(encoder, held, library, told, is_same) or None

    async def _refit(
        self,
        encoder: Embedder,
        held: Fit | None,
        library: int,
        told: dict[bool, list[LabelledText]],
        is_same: Callable[[], bool],
    ) -> bool:
        """Fit the library, adopt and store the fit under the claim; return whether that was done."""
        self._note_fitting(True)
        release: Callable[[], None] | None = None
        try:
            may_store = self._stored is not None and self._is_own_view()
            release = await self._claim() if may_store else None
            if release is not None and await self._read_stamp() != self._stamp:
                stored = await self._load_stored(name_of(encoder))
                if stored is not None and stored.library == library and is_same():
                    self._take_up(stored, library)
                    return True
            found = await self._found(encoder, name_of(encoder), held, library, told)
            if found is None or not is_same():
                return False
            is_refit = held is not None and not held.is_empty and may_store
            outdated = self._outdated if may_store and held is None else None
            if outdated is not None:
                self._take_up(outdated, library, is_stale=True)
            before = await self._delivered() if is_refit or outdated is not None else None
            if not is_same():
                return False
            self._last_made = found
            self._is_first = may_store and not is_refit and not found.is_empty
            self._is_fitting = False
            self._take_up(found, library)
            if may_store:  # last: waiting here may be cancelled, or another encoder may be loaded
                await asyncio.to_thread(self._save, found)
                self._is_first = self._is_first and self._stamp is not None
            after = None if before is None or not is_same() else await self._delivered()
            if before is not None and after is not None and is_same() and self._hooks.refitted is not None:
                await self._hooks.refitted(refit_of(found.source, before, after))
            return True
        finally:
            self._held = None if self._held is self._outdated else self._held
            if release is not None:
                release()
            self._note_fitting(False)

    def _note_fitting(self, is_fitting: bool) -> None:
        if self._is_fitting != is_fitting:
            self._is_fitting = is_fitting
            self._hooks.state_changed()

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
            return own.stamp(), next(_each_of(encoder, [own]), None)

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
            if self._held is not held:
                return
            self._held = replace(held, contests=contests)
            self._hooks.adopt(self._held.learned)
            is_made_here = self._last_made is held
            self._last_made = self._held if is_made_here else self._last_made
            may_store = self.policy is FitPolicy.REFIT or is_made_here
            was_settled, stamp = self._settled, self._stamp
            is_ours = may_store and self._is_own_view() and not self._is_stale
            if self._stored is not None and is_ours and await self._read_stamp() == stamp:
                await asyncio.to_thread(self._save, self._held)
                if was_settled is not None and was_settled[-2] == stamp:
                    self._settled = (*was_settled[:-2], self._stamp, was_settled[-1])

    def _take_up(self, found: Fit, library: int, *, is_stale: bool = False) -> None:
        """Decide by this fit, `library` being the digest of the library it now serves.

        No other change may come between these steps.
        """
        self._library = self._library if is_stale else library
        index = self._engine.index
        if (self._held, self._scored_by) == (found, (index, index.regression)):
            was_stale, self._is_stale = self._is_stale, is_stale
            if was_stale != is_stale:
                self._hooks.state_changed()
            return
        self._held, self._is_stale = found, is_stale
        index.learn(found.models)
        self._scored_by = index, index.regression
        self._hooks.adopt(found.learned)

    async def _fit_inputs(
        self, layout: Layout, stop: Event, cases: Sequence[Case]
    ) -> tuple[int, dict[bool, list[LabelledText]]]:
        """Return the digest of all that a fit is made of, and the labelled texts by kind.

        Raises LookupError if the library changes meanwhile.
        """
        index = self._engine.index

        def work(between: Callable[[], None]) -> tuple[int, dict[bool, list[LabelledText]]]:
            told = {power: labelled_of(index, layout, cases, power=power, between=between) for power in (False, True)}
            return (digest_of(index, layout, between) + sum(map(digest_of_cases, told.values()))) % 2**63, told

        return await self._on_own_thread(work, stop)

    async def _found(
        self, encoder: Embedder, name: str, held: Fit | None, library: int, told: dict[bool, list[LabelledText]]
    ) -> Fit | None:
        """Return a new fit of the library; None if stopped or if the library changed meanwhile."""
        layout, stop = self._engine.index.layout(), Event()
        try:
            background = await self._background(encoder, name, held)
            if background is None:
                return None
            models: list[LearnedModel | None] = []
            for power in (False, True):
                start = None if held is None else held.powers if power else held.memories
                taught = await self._taught(encoder, name, layout, stop, power=power)
                models.append(None)
                if taught is not None:
                    asked = await self._labelled_queries(encoder, name, told[power], taught)
                    step = partial(self._fitted, taught, background, asked, start, name, power)
                    models[-1] = await self._on_own_thread(step, stop)
            contests = {} if held is None else held.contests  # valid until the new fit is judged
            sizes = len(layout.memory_places), len(layout.power_places)
            memories, powers = (0 if one is None else size for one, size in zip(models, sizes, strict=True))
            cases = sum(len(one.cases.texts) for one in models if one is not None)
            source = FitSource(memories, powers, cases, self._wall_seconds())
            return Fit(name, library, background, models[0], models[1], contests, source)
        except (LookupError, FitCancelledError, KnownError):
            return None
        finally:
            self.progress = (0, 0)

    async def _taught(
        self, encoder: Embedder, name: str, layout: Layout, stop: Event, *, power: bool
    ) -> TrainingSet | None:
        """Return the training set of one kind with the learner's vectors; None for too little data."""
        index = self._engine.index
        taught = await self._on_own_thread(lambda between: taught_of(index, layout, power=power, between=between), stop)
        if taught is None:
            return None
        names = names_of(taught)
        sentences = await self._on_own_thread(lambda _: sentences_of(index, layout, taught), stop)
        about, texts = None, [*names.items(), *sentences]
        count = len(taught.owners) + (len(texts) if len(taught.labels) <= MAX_LABELS else 0)
        if not power and count < LEAST_TEXTS * len(taught.labels):
            return None
        vectors = await self._vectors.learner_vectors_of(encoder, taught.texts)
        if vectors is None:
            raise FitCancelledError
        if texts:
            known = await self._encoded(encoder, name, (text for _, text in texts))
            owners = np.array([owner for owner, _ in texts], np.intp)
            own = np.stack([known[text][1] for _, text in texts])
            about = LabelTexts(owners, [text for _, text in texts], own, len(names))
        return replace(taught, vectors=vectors, semantic_vectors=taught.vectors, about=about)

    async def _labelled_queries(
        self, encoder: Embedder, name: str, labelled: Sequence[LabelledText], taught: TrainingSet
    ) -> LabelledQueries | None:
        """Return labelled queries with their vectors, encoding missing ones."""
        if not labelled:
            return None
        texts = [self._engine.corrected(one.text) for one in labelled]
        known = await self._encoded(encoder, name, texts)
        compared, learned = zip(*(known[text] for text in texts), strict=True)
        return cases_of(labelled, taught, np.stack(learned), np.stack(compared))

    async def _encoded(
        self, encoder: Embedder, name: str, texts: Iterable[str]
    ) -> Mapping[str, tuple[Vectors, Vectors]]:
        """Return both vectors of texts that are not taught, encoding missing ones.

        Raises FitCancelledError if the encoder was replaced meanwhile, KnownError if it fails.
        """
        known = self._asked[1] if self._asked[0] == name else {}
        missing = sorted(set(texts) - known.keys(), key=len)
        for start in range(0, len(missing), CHUNK):
            await self._calm.come()
            if self._engine.encoder is not encoder:
                raise FitCancelledError
            some = missing[start : start + CHUNK]
            both = await self._vectors.encoded_both(encoder, some)
            known |= dict(zip(some, zip(*both, strict=True), strict=True))
        self._asked = name, known
        return known

    async def _on_own_thread(self, work: Callable[[Callable[[], None]], Result], stop: Event) -> Result:
        """Run work on its own thread; cancelling the caller stops it at its next step."""

        def between() -> None:
            if stop.is_set():
                raise FitCancelledError
            self._calm.yield_to_typing()

        try:
            return await asyncio.to_thread(work, between)
        except asyncio.CancelledError:
            stop.set()
            raise

    async def _background(self, encoder: Embedder, name: str, held: Fit | None) -> OutOfScopeTexts | None:
        """Return the background texts with their vectors; None if the encoder was replaced."""
        texts = in_order(await asyncio.to_thread(self._elsewhere))
        if held is not None and held.background.texts == texts:
            return held.background
        shared = None if self._shared is None else self._shared(name)
        own: list[FitStore] = [] if self._stored is None else [self._stored]
        places = [*own, *self._shipped, *([] if shared is None else [shared])]
        kept = await asyncio.to_thread(lambda: [fit.background for fit in _each_of(name, places)])
        if known := [background for background in kept if background.texts == texts]:
            return known[0]
        made = await self._encode_background(encoder, texts)
        if made is not None and shared is not None:
            await asyncio.to_thread(shared.save, Fit(name, UNTAUGHT, made).arrays())
        return made

    async def _encode_background(self, encoder: Embedder, texts: Sequence[str]) -> OutOfScopeTexts | None:
        """Encode these texts while nobody types; None if the encoder was replaced."""
        parts: list[tuple[Vectors, Vectors]] = []
        for start in range(0, len(texts), CHUNK):
            self.progress = start, len(texts)
            await self._calm.come()
            if self._engine.encoder is not encoder:
                return None
            parts.append(await self._vectors.encoded_both(encoder, texts[start : start + CHUNK]))
        if not parts:
            widths = provenance_read(encoder).dimension, encoder.provenance.dimension
            return OutOfScopeTexts((), *(np.zeros((0, width), np.float32) for width in widths))
        compared, learned = (np.concatenate(each) for each in zip(*parts, strict=True))
        return OutOfScopeTexts(texts, learned, compared)

    def _fitted(
        self,
        taught: TrainingSet,
        background: OutOfScopeTexts,
        asked: LabelledQueries | None,
        start: LearnedModel | None,
        name: str,
        power: bool,
        between: Callable[[], None],
    ) -> LearnedModel:
        def progress(share: float) -> None:
            self.progress = (round(PARTS * (power + share) / 2.0), PARTS)

        def cancelled() -> bool:
            between()
            return False

        return fit(taught, background, asked, start, progress, cancelled, name)
