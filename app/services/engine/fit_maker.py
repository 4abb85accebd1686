"""Making of a fit for `learned`: read the library, encode its texts, fit a model per kind."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from threading import Event
from typing import Protocol, TypeVar

import numpy as np

from app.domain.case import Case
from app.domain.errors import KnownError
from app.domain.fits import FitSource
from app.ports.encoder import Embedder, FitStore, Vectors
from app.scoring.index.layout import Layout
from app.scoring.learned.fit import MAX_LABELS, fit
from app.scoring.learned.library import (
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
from app.scoring.text import QueryVector, sentences
from app.services.engine.embedding import MOST_SENTENCES, provenance_read
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority, chunks

PARTS = 100
"""Number of progress steps of a fit."""

CHUNK = 16
"""Number of texts encoded at once: a query waits for one batch at most."""

Result = TypeVar("Result")


class LearnerVectors(Protocol):
    """Source of the vectors that a fit reads."""

    async def encoded_both(self, encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return vectors for comparison and for the learner, of any texts; raises EncoderError."""

    async def learner_vectors_of(self, encoder: Embedder, texts: Sequence[str]) -> Vectors | None:
        """Return the learner's vectors of trained texts; None if some are unavailable.

        Raises KnownError.
        """


def name_of(encoder: Embedder) -> str:
    """Return the encoder's name and revision, the key of a fit."""
    source = provenance_read(encoder)
    return f"{source.encoder} {source.revision}"


def in_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Sort background texts by length: batches of equal length are encoded fastest."""
    return tuple(sorted(texts, key=len))


def fits_in(stores: Iterable[FitStore], encoder: str) -> Iterator[Fit]:
    """Yield the fits of an encoder in these stores. Blocks."""
    for store in stores:
        arrays = store.load()
        found = None if arrays is None else Fit.of_arrays(arrays)
        if found is not None and found.encoder == encoder:
            yield found


@dataclass(frozen=True, slots=True)
class FitInputs:
    """Digest of all that a fit is made of, and the labelled texts, by whether they are for powers."""

    library: int
    labelled: Mapping[bool, Sequence[LabelledText]]


@dataclass(eq=False)
class FitMaker:
    """Makes the fits of one engine's library, on the asyncio thread; long work runs on another.

    `background_texts` returns out-of-scope questions; `stores` hold fits with their vectors, and `shared` returns the
    store for vectors made here, per encoder and for all profiles.
    """

    engine: Engine
    vectors: LearnerVectors
    typing_priority: TypingPriority
    background_texts: Callable[[], Sequence[str]]
    stores: Sequence[FitStore]
    shared: Callable[[str], FitStore] | None
    wall_seconds: Callable[[], float] = time.time
    progress: tuple[int, int] = (0, 0)
    """Progress of a fit as (steps done, in total); (0, 0) while nothing is fitted."""
    _known: tuple[str, dict[str, tuple[Vectors, Vectors]]] = field(default_factory=lambda: ("", {}))
    """Encoder of the texts in the last fit that are not taught, and their vectors."""

    async def inputs(self, cases: Sequence[Case]) -> FitInputs:
        """Return what a fit of the present library is made of; raises LookupError if it changes meanwhile."""
        index = self.engine.index
        layout = index.layout()

        def work(between: Callable[[], None]) -> FitInputs:
            texts = {power: labelled_of(index, layout, cases, power=power, between=between) for power in (False, True)}
            digest = digest_of(index, layout, between) + sum(map(digest_of_cases, texts.values()))
            return FitInputs(digest % 2**63, texts)

        return await self._on_own_thread(work)

    async def make(self, encoder: Embedder, before: Fit | None, inputs: FitInputs) -> Fit | None:
        """Return a new fit of the library, starting from the one `before`.

        None if the library or the encoder changed meanwhile, or the encoder failed.
        """
        layout = self.engine.index.layout()
        try:
            background = await self._background(encoder, before)
            starts = (None, None) if before is None else (before.memories, before.powers)
            memories, powers = [
                await self._model(encoder, layout, background, inputs.labelled[power], start, power=power)
                for power, start in zip((False, True), starts, strict=True)
            ]
        except (LookupError, FitCancelledError, KnownError):
            return None
        finally:
            self.progress = (0, 0)
        source = FitSource(
            0 if memories is None else len(layout.memory_places),
            0 if powers is None else len(layout.power_places),
            sum(len(one.cases.texts) for one in (memories, powers) if one is not None),
            self.wall_seconds(),
        )
        contests = {} if before is None else before.contests  # valid until the new fit is judged
        return Fit(name_of(encoder), inputs.library, background, memories, powers, contests, source)

    async def _model(
        self,
        encoder: Embedder,
        layout: Layout,
        background: OutOfScopeTexts,
        labelled: Sequence[LabelledText],
        start: LearnedModel | None,
        *,
        power: bool,
    ) -> LearnedModel | None:
        """Fit the model of one kind; None for too little data."""
        taught = await self._taught(encoder, layout, power=power)
        if taught is None:
            return None
        queries = await self._labelled_queries(encoder, labelled, taught)

        def progress(share: float) -> None:
            self.progress = (round(PARTS * (power + share) / 2.0), PARTS)

        def work(between: Callable[[], None]) -> LearnedModel:
            def cancelled() -> bool:
                between()
                return False

            return fit(taught, background, queries, start, progress, cancelled, name_of(encoder))

        return await self._on_own_thread(work)

    async def _taught(self, encoder: Embedder, layout: Layout, *, power: bool) -> TrainingSet | None:
        """Return the training set of one kind with the learner's vectors; None for too little data."""
        index = self.engine.index
        taught = await self._on_own_thread(lambda between: taught_of(index, layout, power=power, between=between))
        if taught is None:
            return None
        names = names_of(taught)
        sentences = await self._on_own_thread(lambda _: sentences_of(index, layout, taught))
        about, texts = None, [*names.items(), *sentences]
        count = len(taught.owners) + (len(texts) if len(taught.labels) <= MAX_LABELS else 0)
        if not power and count < LEAST_TEXTS * len(taught.labels):
            return None
        vectors = await self.vectors.learner_vectors_of(encoder, taught.texts)
        if vectors is None:
            raise FitCancelledError
        if texts:
            known = await self._encoded(encoder, (text for _, text in texts))
            owners = np.array([owner for owner, _ in texts], np.intp)
            own = np.stack([known[text][1] for _, text in texts])
            about = LabelTexts(owners, [text for _, text in texts], own, len(names))
        return replace(taught, vectors=vectors, semantic_vectors=taught.vectors, about=about)

    async def _labelled_queries(
        self, encoder: Embedder, labelled: Sequence[LabelledText], taught: TrainingSet
    ) -> LabelledQueries | None:
        """Return labelled queries with their vectors; None without any. Those of lapsed memories are left out."""
        labelled = [one for one in labelled if not one.labels or not set(taught.labels).isdisjoint(one.labels)]
        if not labelled:
            return None
        parts = [(text := self.engine.corrected(one.text), sentences(text)[:MOST_SENTENCES]) for one in labelled]
        known = await self._encoded(encoder, chain.from_iterable((text, *some) for text, some in parts))
        of = {text: QueryVector(*both) for text, both in known.items()}
        whole = [(text, replace(of[text], sentences={part: of[part] for part in some})) for text, some in parts]
        read = [self.engine.index.read(*one) for one in whole]
        learned, compared = (np.stack([getattr(one, name) for one in read]) for name in ("learned", "vector"))
        return cases_of(labelled, taught, learned, compared)

    async def _background(self, encoder: Embedder, before: Fit | None) -> OutOfScopeTexts:
        """Return the background texts with their vectors: stored ones, else made and stored."""
        texts, name = in_order(await asyncio.to_thread(self.background_texts)), name_of(encoder)
        if before is not None and before.background.texts == texts:
            return before.background
        shared = None if self.shared is None else self.shared(name)
        stores = [*self.stores, *([] if shared is None else [shared])]
        stored = await asyncio.to_thread(lambda: [fit.background for fit in fits_in(stores, name)])
        if known := [background for background in stored if background.texts == texts]:
            return known[0]
        made = await self._encode_background(encoder, texts)
        if shared is not None:
            await asyncio.to_thread(shared.save, Fit(name, UNTAUGHT, made).arrays())
        return made

    async def _encode_background(self, encoder: Embedder, texts: tuple[str, ...]) -> OutOfScopeTexts:
        parts: list[tuple[Vectors, Vectors]] = []
        self.progress = 0, len(texts)
        async for some, compared, learned in self._in_chunks(encoder, texts):
            parts.append((compared, learned))
            self.progress = self.progress[0] + len(some), len(texts)
        if not parts:
            widths = provenance_read(encoder).dimension, encoder.provenance.dimension
            return OutOfScopeTexts((), *(np.zeros((0, width), np.float32) for width in widths))
        every_compared, every_learned = (np.concatenate(each) for each in zip(*parts, strict=True))
        return OutOfScopeTexts(texts, every_learned, every_compared)

    async def _encoded(self, encoder: Embedder, texts: Iterable[str]) -> Mapping[str, tuple[Vectors, Vectors]]:
        """Return both vectors of texts that are not taught, encoding missing ones."""
        name = name_of(encoder)
        known = self._known[1] if self._known[0] == name else {}
        async for some, compared, learned in self._in_chunks(encoder, sorted(set(texts) - known.keys(), key=len)):
            known |= dict(zip(some, zip(compared, learned, strict=True), strict=True))
        self._known = name, known
        return known

    async def _in_chunks(
        self, encoder: Embedder, texts: Sequence[str]
    ) -> AsyncGenerator[tuple[Sequence[str], Vectors, Vectors], None]:
        """Encode texts while nobody types; yield some with vectors for comparison and the learner.

        Raises FitCancelledError if the encoder was replaced meanwhile, KnownError if it fails.
        """
        for some in chunks(texts, CHUNK):
            await self.typing_priority.wait_until_quiet()
            if self.engine.encoder is not encoder:
                raise FitCancelledError
            yield some, *await self.vectors.encoded_both(encoder, some)

    async def _on_own_thread(self, work: Callable[[Callable[[], None]], Result]) -> Result:
        """Run work on its own thread; cancelling the caller stops it at its next step."""
        stop = Event()

        def between() -> None:
            if stop.is_set():
                raise FitCancelledError
            self.typing_priority.yield_to_typing()

        try:
            return await asyncio.to_thread(work, between)
        except asyncio.CancelledError:
            stop.set()
            raise
