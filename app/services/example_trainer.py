"""Labels taught by example: selects, embeds and fits in the background, and again after changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from threading import Event as Flag
from typing import TypeVar

import numpy as np

from app.domain.case import Case, Task, TaughtExample
from app.domain.errors import EncoderError, StoreError
from app.domain.journal import Edit
from app.domain.match import Query
from app.ports.encoder import Arrays, Embedder, FitStore, Vectors
from app.ports.store import Library
from app.scoring.example_model import ExampleModel, fit
from app.scoring.example_storage import arrays_of, digest_of, is_of, prior_in, restored, vectors_in
from app.services.core import Core
from app.services.engine.embedding import make_missing, provenance_read, taught_vectors, vectors_of
from app.services.engine.type_voter import LEARNING, ExampleVoter
from app.services.events import Event
from app.services.library.curate import case_of
from app.services.library.journal import Journal

Examples = tuple[TaughtExample, ...]
SelectExamples = Callable[[Iterable[Case], set[str], Iterable[TaughtExample]], Examples]
"""Selects the training examples from cases, excluded texts, and shipped examples."""


@dataclass(frozen=True, slots=True)
class TrainingSpec:
    """Training of a task's voter; `by_subject`: labels depend on the subject of a text."""

    task: Task
    select: SelectExamples
    by_subject: bool


TOO_FEW = "There are too few examples to learn from: at least four, of two labels."
CHANGED = "The encoder was changed while the examples were learned."

Result = TypeVar("Result")


class ExampleTrainer:
    """Keeps a voter's model trained on cases and shipped examples, on the core's asyncio thread.

    `kept` are the stores of earlier models, the profile's own first.
    """

    def __init__(
        self,
        core: Core,
        voter: ExampleVoter,
        spec: TrainingSpec,
        shipped: Callable[[], list[TaughtExample]],
        kept: Sequence[FitStore],
        *,
        store: Executor,
        encode: Callable[[], Executor],
    ) -> None:
        self._core = core
        self.voter = voter
        self.spec = spec
        self.shipped = shipped
        self._kept = kept
        self._store = store
        self._encode = encode
        # A separate thread from the encoder's: training takes seconds, and a query would have to wait.
        self._closed = Flag()
        self._thread = ThreadPoolExecutor(1, f"train {spec.task.value}")
        self.examples: Examples = ()
        self.digest = 0
        """Hash of the examples, 0 before they were read; valid in this process only."""
        self._fitted: tuple[Examples, object] | None = None

    @property
    def texts(self) -> set[str]:
        """Texts of all examples; each has a vector."""
        return {Query.of(example.text).scored for example in self.examples}

    async def learn(self) -> None:
        """Select the examples, embed and fit; no effect without changes. Raises StoreError."""
        cases, excluded = await self._core.in_store(partial(_training_cases, task=self.spec.task))
        shipped = await asyncio.get_running_loop().run_in_executor(self._store, self.shipped)
        self.examples = examples = self.spec.select(cases, excluded, shipped)
        self.digest = hash(examples)
        self.voter.set_examples(examples)
        encoder = self._core.engine.encoder
        if encoder is None:
            self.voter.missing = self._core.engine.encoder_fault or LEARNING
            self.voter.model = self.voter.encoder = self._fitted = None  # release an encoder that was replaced
            return
        if self._fitted == (examples, encoder):
            return
        try:
            model = await self._load_or_fit(examples, encoder)
        except EncoderError as error:
            self.voter.missing = str(error)
            return
        if self._core.engine.encoder is encoder:
            self.voter.model, self.voter.encoder = model, encoder
            self.voter.missing = "" if model is not None else TOO_FEW
            self._fitted = (examples, encoder)

    async def _load_or_fit(self, examples: Examples, encoder: Embedder) -> ExampleModel | None:
        """Load the stored model of these examples, or fit one and store it; raises EncoderError."""
        sources = (encoder.provenance, provenance_read(encoder))
        digest = digest_of(examples, sources, by_subject=self.spec.by_subject)
        for arrays in await self._on_own_thread(self._stored_arrays):
            if is_of(arrays, digest) and (model := restored(arrays, examples, sources)) is not None:
                return model
        compared, learned = await self.vectors(examples, encoder)
        model = await self.fit(examples, compared, learned, encoder)
        if model is not None and self._kept:
            texts = [Query.of(example.text).scored for example in examples]
            await self._on_own_thread(
                lambda: self._kept[0].save(arrays_of(model, digest, sources, texts, compared, learned))
            )
        return model

    async def fit(
        self, examples: Sequence[TaughtExample], vectors: Vectors, learned: Vectors, encoder: Embedder
    ) -> ExampleModel | None:
        """Fit on vectors of this encoder, on a separate thread.

        Raises FitCancelledError after `close`.
        """
        sources = (encoder.provenance, provenance_read(encoder))

        def cancelled() -> bool:
            self._core.typing_priority.yield_to_typing()
            return self._closed.is_set()

        def fitted() -> ExampleModel | None:
            priors = (prior_in(arrays, sources) for arrays in self._stored_arrays())
            prior = next((found for found in priors if found is not None), None)
            by_subject = self.spec.by_subject
            return fit(examples, vectors, learned, by_subject=by_subject, prior=prior, cancelled=cancelled)

        return await self._on_own_thread(fitted)

    async def vectors(self, examples: Sequence[TaughtExample], encoder: Embedder) -> tuple[Vectors, Vectors]:
        """Return vectors for cosines and for the learner, each of shape (len(examples), dimension).

        Stored vectors are read, missing ones computed. Raises EncoderError.
        """
        texts = [Query.of(example.text).scored for example in examples]
        sources = (encoder.provenance, provenance_read(encoder))
        found: dict[str, tuple[Vectors, Vectors]] = {}
        for arrays in await self._on_own_thread(self._stored_arrays):
            found = vectors_in(arrays, texts, sources) | found
        if missing := list(dict.fromkeys(text for text in texts if text not in found)):
            found |= zip(missing, zip(*await self._make_vectors(missing, encoder), strict=True), strict=True)
        if not texts:
            return np.zeros((0, encoder.provenance.dimension), np.float32), np.zeros((0, 1), np.float32)
        return np.stack([found[text][0] for text in texts]), np.stack([found[text][1] for text in texts])

    async def _make_vectors(self, texts: Sequence[str], encoder: Embedder) -> tuple[Vectors, Vectors]:
        """Return both vectors of each distinct text, from the library or the encoder.

        Raises EncoderError.
        """
        made: dict[str, Vectors] = {}
        store, encode = self._store, self._encode()
        typing_priority, library = self._core.typing_priority, self._core.library

        def is_wanted() -> bool:
            return self._core.engine.encoder is encoder

        steps = vectors_of(
            texts,
            library,
            encoder,
            made.update,
            store=store,
            encode=encode,
            typing_priority=typing_priority,
            wanted=is_wanted,
        )
        async for _ in steps:
            pass
        if len(made) < len(texts):
            raise EncoderError(CHANGED)
        compared = np.stack([made[text] for text in texts])
        if provenance_read(encoder) == encoder.provenance:
            return compared, compared
        known, learned = await taught_vectors(texts, library, encoder, store=store, typing_priority=typing_priority)
        if not known.all():
            await make_missing(
                texts, library, encoder, store=store, encode=encode, typing_priority=typing_priority, wanted=is_wanted
            )
            known, learned = await taught_vectors(texts, library, encoder, store=store, typing_priority=typing_priority)
        if not known.all():
            raise EncoderError(CHANGED)
        return compared, learned.astype(np.float32)

    def _stored_arrays(self) -> list[Arrays]:
        return [arrays for one in self._kept if (arrays := one.load()) is not None]

    async def _on_own_thread(self, call: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def close(self) -> None:
        """Cancel a fit at its next step, since the program waits for its threads."""
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)


def _training_cases(library: Library, task: Task) -> tuple[list[Case], set[str]]:
    cases = library.cases(task)
    excluded = library.routes.non_teaching([case.text for case in cases]) if task is Task.ROUTE else set()
    return cases, excluded


class ExampleService:
    """Labels of one task, taught by example: stores examples as cases, and keeps the voter trained."""

    def __init__(self, core: Core, journal: Journal, trainer: ExampleTrainer) -> None:
        self.learned = Event[None]()
        """Notified when another model was trained, so that decisions may change."""
        self.trainer = trainer
        self.learns = True
        """True if the voter is trained at all."""
        self._core = core
        self._journal = journal
        self._stale = True
        self._seen_encoder: object = None
        self._training: asyncio.Task[None] | None = None

    def library_changed(self) -> None:
        """Note that the library changed; training follows. Returns at once."""
        self._stale = True
        self.follow_changes()

    def follow_changes(self) -> None:
        """Follow changes of library, encoder and settings in the background. Returns at once."""
        if self._is_behind and (self._training is None or self._training.done()):
            self._training = self._core.in_background(self._train_until_current())

    @property
    def _is_behind(self) -> bool:
        return self._stale or self._seen_encoder is not self._core.engine.encoder

    async def _train_until_current(self) -> None:
        voter = self.trainer.voter
        before = voter.model
        try:
            while self._is_behind:
                await self._core.typing_priority.turn()
                self._stale, self._seen_encoder = False, self._core.engine.encoder
                await self._train()
        except StoreError as error:
            voter.missing, self._stale = str(error), True
            return
        self._on_trained()
        if voter.model is not before:
            self.learned.notify(None)

    async def _train(self) -> None:
        if self.learns:
            await self.trainer.learn()

    def _on_trained(self) -> None:
        """React to a training that has ended without a fault, whether or not the model is another."""

    async def ready(self) -> None:
        """Wait until training has ended or failed."""
        self.follow_changes()
        while self._training is not None and not self._training.done():
            await asyncio.wait({self._training})

    async def _store_case(self, text: str, expected: tuple[str, ...], source: str) -> bool:
        """Store a query as a case that expects just this; return whether it had no case before."""
        task = self.trainer.spec.task
        held = await self._core.in_store(lambda library: case_of(library, text, task))
        case = Case(text, expected, task) if held is None else replace(held, expected=expected, unwanted=())
        subject = f"the {task.value} of “{text[:80]}”"
        await self._journal.do(Edit("taught", subject, source), [case])
        return held is None

    async def close(self) -> None:
        """Stop training."""
        if self._training is not None:
            self._training.cancel()
            await asyncio.gather(self._training, return_exceptions=True)
        self.trainer.close()
