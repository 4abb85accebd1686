"""How taught examples are learned: gathered, given vectors and fitted in the background, anew when one changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TypeVar

import numpy as np

from app.domain.case import Case, Task, TaughtExample
from app.domain.errors import EncoderError
from app.domain.language import say
from app.domain.match import Query
from app.ports.encoder import Arrays, Embedder, FitStore, Vectors
from app.ports.store import Library
from app.scoring.examples.kept import arrays_of, digest_of, is_of, restored, vectors_in
from app.scoring.examples.model import ExampleModel, fit
from app.services.core import Core
from app.services.engine.embedding import vectors_of
from app.services.engine.learner_vectors import make_missing, provenance_read, taught_vectors
from app.services.engine.pupils import LEARNING, Examples, Lesson, Pupil

TOO_FEW = say("There are too few examples to learn from: at least four, of two labels.")
CHANGED = say("The encoder was changed while the examples were learned.")

Result = TypeVar("Result")


class Lessons:
    """Keeps a pupil's model at what the cases of a lesson and what ships teach; all methods run on the core's asyncio
    thread.

    `kept` are where it may be found as it was learned before, the profile's own first.
    """

    def __init__(
        self,
        core: Core,
        pupil: Pupil,
        lesson: Lesson,
        shipped: Callable[[], list[TaughtExample]],
        kept: Sequence[FitStore],
        *,
        store: Executor,
        encode: Callable[[], Executor],
    ) -> None:
        self._core = core
        self._pupil = pupil
        self._lesson = lesson
        self.shipped = shipped
        self._kept = kept
        self._store = store
        self._encode = encode
        # Not the encoder's thread: thousands of examples take seconds, and a query would have to wait.
        self._closed = Event()
        self._thread = ThreadPoolExecutor(1, f"learn {lesson.task.value}")
        self.examples: Examples = ()
        self.digest = 0
        """Another number where other examples teach, 0 before they were read; of this process alone."""
        self._fitted: tuple[Examples, object] | None = None

    @property
    def texts(self) -> set[str]:
        """Every text that has a vector because it teaches."""
        return {Query.of(example.text).scored for example in self.examples}

    async def learn(self) -> None:
        """Gather what teaches, have vectors made, and fit; nothing is done where nothing has changed. StoreError."""
        cases, quiet = await self._core.in_store(partial(_taught, task=self._lesson.task))
        shipped = await asyncio.get_running_loop().run_in_executor(self._store, self.shipped)
        self.examples = examples = self._lesson.gathered(cases, quiet, shipped)
        self.digest = hash(examples)
        self._pupil.take_note(examples)
        encoder = self._core.engine.encoder
        if encoder is None:
            self._pupil.missing = self._core.engine.encoder_fault or LEARNING
            self._pupil.model = self._pupil.encoder = self._fitted = None  # an encoder that is gone is not held
            return
        if self._fitted == (examples, encoder):
            return
        try:
            model = await self._model(examples, encoder)
        except EncoderError as error:
            self._pupil.missing = str(error)
            return
        if self._core.engine.encoder is encoder:
            self._pupil.model, self._pupil.encoder = model, encoder
            self._pupil.missing = "" if model is not None else TOO_FEW
            self._fitted = (examples, encoder)

    async def _model(self, examples: Examples, encoder: Embedder) -> ExampleModel | None:
        """As it was learned before, or learned now and kept; EncoderError."""
        sources = (encoder.provenance, provenance_read(encoder))
        digest = digest_of(examples, sources, by_subject=self._lesson.by_subject)
        for arrays in await self._apart(self._held):
            if is_of(arrays, digest) and (model := restored(arrays, examples, sources)) is not None:
                return model
        compared, learned = await self.vectors(examples, encoder)
        model = await self.fit(examples, compared, learned)
        if model is not None and self._kept:
            texts = [Query.of(example.text).scored for example in examples]
            await self._apart(lambda: self._kept[0].save(arrays_of(model, digest, sources, texts, compared, learned)))
        return model

    async def fit(self, examples: Sequence[TaughtExample], vectors: Vectors, learned: Vectors) -> ExampleModel | None:
        """Learn on a thread of its own; FitCancelledError where it is closed meanwhile."""

        def cancelled() -> bool:
            self._core.typing_priority.yield_to_typing()
            return self._closed.is_set()

        by_subject = self._lesson.by_subject
        return await self._apart(partial(fit, examples, vectors, learned, by_subject=by_subject, cancelled=cancelled))

    async def vectors(self, examples: Sequence[TaughtExample], encoder: Embedder) -> tuple[Vectors, Vectors]:
        """Those that are compared and those that a learner reads, as they are kept or in the library, or made now; each
        of shape (len(examples), dimension). EncoderError."""
        texts = [Query.of(example.text).scored for example in examples]
        sources = (encoder.provenance, provenance_read(encoder))
        found: dict[str, tuple[Vectors, Vectors]] = {}
        for arrays in await self._apart(self._held):
            found = vectors_in(arrays, texts, sources) | found
        if missing := list(dict.fromkeys(text for text in texts if text not in found)):
            found |= zip(missing, zip(*await self._made(missing, encoder), strict=True), strict=True)
        if not texts:
            return np.zeros((0, encoder.provenance.dimension), np.float32), np.zeros((0, 1), np.float32)
        return np.stack([found[text][0] for text in texts]), np.stack([found[text][1] for text in texts])

    async def _made(self, texts: Sequence[str], encoder: Embedder) -> tuple[Vectors, Vectors]:
        """Both vectors of each of these different texts, from the library or the encoder; EncoderError."""
        made: dict[str, Vectors] = {}
        lanes = {"store": self._store, "encode": self._encode()}
        calm, library = self._core.typing_priority, self._core.library

        def is_wanted() -> bool:
            return self._core.engine.encoder is encoder

        steps = vectors_of(texts, library, encoder, made.update, **lanes, typing_priority=calm, wanted=is_wanted)
        async for _ in steps:
            pass
        if len(made) < len(texts):
            raise EncoderError(CHANGED)
        compared = np.stack([made[text] for text in texts])
        if provenance_read(encoder) == encoder.provenance:
            return compared, compared
        known, learned = await taught_vectors(texts, library, encoder, store=self._store, typing_priority=calm)
        if not known.all():
            await make_missing(texts, library, encoder, **lanes, typing_priority=calm, wanted=is_wanted)
            known, learned = await taught_vectors(texts, library, encoder, store=self._store, typing_priority=calm)
        if not known.all():
            raise EncoderError(CHANGED)
        return compared, learned.astype(np.float32)

    def _held(self) -> list[Arrays]:
        return [arrays for one in self._kept if (arrays := one.load()) is not None]

    async def _apart(self, call: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def close(self) -> None:
        """End what is under way at its next step: the program does not end before its threads have."""
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)


def _taught(library: Library, task: Task) -> tuple[list[Case], set[str]]:
    cases = library.cases(task)
    quiet = library.routes.non_teaching([case.text for case in cases]) if task is Task.ROUTE else set()
    return cases, quiet
