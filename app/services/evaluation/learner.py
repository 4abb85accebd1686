"""What `learned` decides by: fitted on what is taught, kept in the profile, fitted again after each edit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Protocol, TypeVar

import numpy as np

from app.domain.case import Case
from app.domain.errors import KnownError
from app.domain.scope.logit import Contest, Learned
from app.ports.encoder import Embedder, FitStore, Vectors
from app.scoring.combiners import chosen_for
from app.scoring.index.layout import Layout
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.learned.fit import fit
from app.scoring.learned.library import (
    UNTAUGHT,
    Fit,
    LabelledText,
    cases_of,
    digest_of,
    digest_of_cases,
    labelled_of,
    taught_of,
)
from app.scoring.learned.model import LearnedModel
from app.scoring.learned.taught import Background, FitCancelledError, LabelledQueries, TrainingSet
from app.services.core import Status
from app.services.engine.engine import Engine
from app.services.engine.learner_vectors import provenance_read
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings

LOOK_SECONDS = 1.0
"""What is taught is looked at so often, and fitted again once it has not changed for so long."""

MOST_WAITING = 64
"""So many looks lie between two tries at most while what a fit needs cannot be had: each reads the whole library."""

PARTS = 100
"""A fit is told in hundredths."""

CHUNK = 16
"""So many texts of elsewhere are encoded at once: a query that comes meanwhile waits for one lot at most."""

Result = TypeVar("Result")


class LearnerVectors(Protocol):
    """Where the vectors come from that a fit reads."""

    async def encoded_both(self, encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Of any texts: those that are compared, and those that a learner reads; EncoderError."""
        ...

    async def learner_vectors_of(self, encoder: Embedder, texts: Sequence[str]) -> Vectors | None:
        """Those that a learner reads of taught texts; None where some cannot be had. KnownError."""
        ...


def wants_fit(settings: Settings) -> bool:
    """Whether a confidence is told by what was fitted under these settings, or would be if it did better."""
    return any(chosen_for(settings, power=power).is_shared for power in (False, True))


def name_of(encoder: Embedder) -> str:
    """Whose vectors a fit reads."""
    source = provenance_read(encoder)
    return f"{source.encoder} {source.revision}"


def in_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts of elsewhere as they are encoded: those of like length together, which takes the least time."""
    return tuple(sorted(texts, key=len))


class Learner:
    """One engine's fit. All methods run on the asyncio thread; what takes long runs on another.

    `kept` are looked at in their order, and the first of them keeps what is fitted; what ships holds no more than the
    vectors of the texts of elsewhere, which `elsewhere` tells; what has to be made of these is kept for every profile
    where `shared` says for an encoder. `adopt` is told the weights to decide by, once the index
    has the regressions that they count on.
    """

    def __init__(
        self,
        kept: Sequence[FitStore],
        elsewhere: Callable[[], Sequence[str]],
        vectors: LearnerVectors,
        engine: Engine,
        typing_priority: TypingPriority,
        adopt: Callable[[Learned], None],
        shared: Callable[[str], FitStore] | None = None,
        cases: Callable[[], Awaitable[Sequence[Case]]] | None = None,
    ) -> None:
        self._kept = kept
        self._elsewhere = elsewhere
        self._vectors = vectors
        self._engine = engine
        self._calm = typing_priority
        self._adopt = adopt
        self._shared = shared
        self._cases = cases
        self._labelled: tuple[int, Sequence[Case]] = -1, ()
        """The labelled queries, and after how many writes they were read."""
        self._writes = 0
        self._asked: tuple[str, dict[str, tuple[Vectors, Vectors]]] = "", {}
        """Vectors of the labelled queries that took part in the last fit, and whose."""
        self._held: Fit | None = None
        self._settled: tuple[TriggerIndex, int, object, Sequence[Case]] | None = None
        self._failures = 0
        """How often in a row a fit was given up though nothing had changed."""
        self._turn = asyncio.Lock()
        self.progress = (0, 0)
        """How much of a fit is done, and of how much; (0, 0) while nothing is fitted."""

    async def keep_up(self, ready: asyncio.Event) -> None:
        """Once all vectors are there, and after each edit from there on, fit what is taught, until cancelled."""
        await ready.wait()
        await self.settle()
        seen = self._engine.index.changes
        while True:
            await asyncio.sleep(LOOK_SECONDS * min(2**self._failures, MOST_WAITING))
            before, seen = seen, self._engine.index.changes
            if before == seen and not self._calm.is_typing:
                await self.settle()

    def look_again(self, _: Status | None = None) -> None:
        """Something was written, perhaps: a labelled query may be another."""
        self._writes += 1

    async def _known_cases(self) -> Sequence[Case]:
        """The labelled queries of now, the same as before where they have not changed; those where the store fails."""
        writes, (read_at, known) = self._writes, self._labelled
        if self._cases is None or read_at == writes:
            return known
        try:
            cases = await self._cases()
        except KnownError:
            return known
        self._labelled = writes, known if list(cases) == list(known) else cases
        return self._labelled[1]

    async def settle(self, wanted_by: Settings | None = None) -> None:
        """Decide by a fit of what is taught now, if it is wanted by the settings in force, or by these: the one that is
        kept, or a new one.

        Nothing happens while vectors are missing, or if the library is changed meanwhile; cancelling gives it up.
        """
        async with self._turn:
            engine, index = self._engine, self._engine.index
            encoder, changes = engine.encoder, index.changes
            if encoder is None or not wants_fit(wanted_by or engine.settings) or index.unembedded():
                return
            if engine.candidates is not None:
                return  # the index holds what was asked for lately: the shipped weights serve for all of it
            cases = await self._known_cases()
            if self._settled == (index, changes, encoder.provenance, cases):
                return
            name = name_of(encoder)
            held = self._held
            if held is None or held.encoder != name:
                held = await asyncio.to_thread(self._load, name)
            found = await self._found(encoder, name, held, cases)
            self._failures = self._failures + 1 if found is None and index.changes == changes else 0
            if found is None or index.changes != changes or engine.index is not index or engine.encoder is not encoder:
                return
            self._take_up(found)
            self._settled = index, changes, encoder.provenance, cases
            if found is not held and self._kept:  # last: what waits here may be cancelled, or see another encoder come
                await asyncio.to_thread(self._kept[0].save, found.arrays())

    async def recall(self) -> None:
        """Decide by the fit that is kept, if it is of what is taught now; nothing is fitted, nor kept."""
        async with self._turn:
            engine, layout = self._engine, self._engine.index.layout()
            if engine.encoder is None or not wants_fit(engine.settings):
                return
            held = await asyncio.to_thread(self._load, name_of(engine.encoder))
            if held is None:
                return
            try:
                library, _ = await self._told(layout, Event(), await self._known_cases())
            except LookupError:
                return
            if held.library == library:
                self._take_up(held)

    def _load(self, encoder: str) -> Fit | None:
        """The first that is kept of an encoder."""
        return next(self._each_kept(encoder, self._kept), None)

    def _each_kept(self, encoder: str, places: Sequence[FitStore]) -> Iterator[Fit]:
        for kept in places:
            arrays = kept.load()
            found = None if arrays is None else Fit.of_arrays(arrays)
            if found is not None and found.encoder == encoder:
                yield found

    @property
    def held(self) -> Fit | None:
        """What is decided by; None before the first fit."""
        return self._held

    async def judged(self, held: Fit, contests: Mapping[bool, Contest]) -> None:
        """Know from now on how a fit did on labelled cases, by whether they are for powers, if it still decides."""
        async with self._turn:
            if self._held is not held:
                return
            self._held = replace(held, contests=contests)
            self._adopt(self._held.learned)
            if self._kept:
                await asyncio.to_thread(self._kept[0].save, self._held.arrays())

    def _take_up(self, found: Fit) -> None:
        """From here on; nothing may come between these steps."""
        self._held = found
        self._engine.index.learn(found.models)
        self._adopt(found.learned)

    async def _told(
        self, layout: Layout, stop: Event, cases: Sequence[Case]
    ) -> tuple[int, dict[bool, list[LabelledText]]]:
        """A number for all that a fit is made of, and what the labelled queries tell of memories and of powers.
        LookupError if the library is changed meanwhile."""
        index = self._engine.index

        def work(between: Callable[[], None]) -> tuple[int, dict[bool, list[LabelledText]]]:
            told = {power: labelled_of(index, layout, cases, power=power, between=between) for power in (False, True)}
            return (digest_of(index, layout, between) + sum(map(digest_of_cases, told.values()))) % 2**63, told

        return await self._apart(work, stop)

    async def _found(self, encoder: Embedder, name: str, held: Fit | None, cases: Sequence[Case]) -> Fit | None:
        """The fit of what is taught; None where that was given up, or the library changed on the way."""
        layout, stop = self._engine.index.layout(), Event()
        try:
            library, told = await self._told(layout, stop, cases)
            if held is not None and held.library == library:
                return held
            background = await self._background(encoder, name, held)
            if background is None:
                return None
            models: list[LearnedModel | None] = []
            for power in (False, True):
                start = None if held is None else held.powers if power else held.memories
                taught = await self._taught(encoder, layout, stop, power=power)
                models.append(None)
                if taught is not None:
                    asked = await self._asked_of(encoder, name, told[power], taught)
                    step = partial(self._fitted, taught, background, asked, start, name, power)
                    models[-1] = await self._apart(step, stop)
            contests = {} if held is None else held.contests  # they hold until the new fit is judged
            return Fit(name, library, background, models[0], models[1], contests)
        except (LookupError, FitCancelledError, KnownError):
            return None
        finally:
            self.progress = (0, 0)

    async def _taught(self, encoder: Embedder, layout: Layout, stop: Event, *, power: bool) -> TrainingSet | None:
        """What is taught of one kind with the vectors that a learner reads; None where it is too little."""
        index = self._engine.index
        taught = await self._apart(lambda between: taught_of(index, layout, power=power, between=between), stop)
        if taught is None:
            return None
        vectors = await self._vectors.learner_vectors_of(encoder, taught.texts)
        if vectors is None:
            raise FitCancelledError
        return replace(taught, vectors=vectors, semantic_vectors=taught.vectors)

    async def _asked_of(
        self, encoder: Embedder, name: str, labelled: Sequence[LabelledText], taught: TrainingSet
    ) -> LabelledQueries | None:
        """Labelled queries with their vectors, made now where they are not known; FitCancelledError where another
        encoder came meanwhile, KnownError where it fails."""
        if not labelled:
            return None
        known = self._asked[1] if self._asked[0] == name else {}
        missing = sorted({one.text for one in labelled} - known.keys(), key=len)
        for start in range(0, len(missing), CHUNK):
            await self._calm.come()
            if self._engine.encoder is not encoder:
                raise FitCancelledError
            some = missing[start : start + CHUNK]
            both = await self._vectors.encoded_both(encoder, some)
            known |= dict(zip(some, zip(*both, strict=True), strict=True))
        self._asked = name, known
        compared, learned = zip(*(known[one.text] for one in labelled), strict=True)
        return cases_of(labelled, taught, np.stack(learned), np.stack(compared))

    async def _apart(self, work: Callable[[Callable[[], None]], Result], stop: Event) -> Result:
        """Do work on a thread of its own; who waits for it no longer ends it at its next step."""

        def between() -> None:
            if stop.is_set():
                raise FitCancelledError
            self._calm.yield_to_typing()

        try:
            return await asyncio.to_thread(work, between)
        except asyncio.CancelledError:
            stop.set()
            raise

    async def _background(self, encoder: Embedder, name: str, held: Fit | None) -> Background | None:
        """The texts of elsewhere with their vectors; None where another encoder came."""
        texts = in_order(await asyncio.to_thread(self._elsewhere))
        if held is not None and held.background.texts == texts:
            return held.background
        shared = None if self._shared is None else self._shared(name)
        places = [*self._kept, *([] if shared is None else [shared])]
        kept = await asyncio.to_thread(lambda: [fit.background for fit in self._each_kept(name, places)])
        if known := [background for background in kept if background.texts == texts]:
            return known[0]
        made = await self._made(encoder, texts)
        if made is not None and shared is not None:
            await asyncio.to_thread(shared.save, Fit(name, UNTAUGHT, made).arrays())
        return made

    async def _made(self, encoder: Embedder, texts: Sequence[str]) -> Background | None:
        """The vectors of these texts, made now while nobody types; None where another encoder came."""
        parts: list[tuple[Vectors, Vectors]] = []
        for start in range(0, len(texts), CHUNK):
            self.progress = start, len(texts)
            await self._calm.come()
            if self._engine.encoder is not encoder:
                return None
            parts.append(await self._vectors.encoded_both(encoder, texts[start : start + CHUNK]))
        if not parts:
            widths = provenance_read(encoder).dimension, encoder.provenance.dimension
            return Background((), *(np.zeros((0, width), np.float32) for width in widths))
        compared, learned = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Background(texts, learned, compared)

    def _fitted(
        self,
        taught: TrainingSet,
        background: Background,
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
