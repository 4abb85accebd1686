"""How the router learns: what teaches it, given vectors and fitted in the background, anew when something changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import EncoderError
from app.domain.query import Query
from app.domain.route import ROUTE_NAMES, TaughtRoute, route_label
from app.ports.store.library import Library
from app.scoring.routing.votes import RouteModel, fit
from app.scoring.text import without_punctuation
from app.services.core import Core
from app.services.engine.embedding import vectors_of
from app.services.engine.route_stages import NO_ENCODER, Router

TOO_FEW = "There are too few examples to learn from: at least four, of two routes."


class RouteLessons:
    """Keeps the router's model at what teaches it; all methods run on the core's asyncio thread."""

    def __init__(
        self,
        core: Core,
        router: Router,
        shipped: Callable[[], list[TaughtRoute]],
        store: Executor,
        encode: Callable[[], Executor],
    ) -> None:
        self._core = core
        self._router = router
        self.shipped = shipped
        self._store = store
        self._encode = encode
        # Not the encoder's thread: thousands of examples take seconds, and a query would have to wait.
        self._thread = ThreadPoolExecutor(1, "routes")
        self.examples: tuple[TaughtRoute, ...] = ()
        self.digest = 0
        """Another number where other examples teach; of this process alone."""
        self._fitted: tuple[tuple[TaughtRoute, ...], object] | None = None

    @property
    def texts(self) -> set[str]:
        """Every text that has a vector because it teaches."""
        return {Query.of(example.text).scored for example in self.examples}

    async def learn(self) -> None:
        """Gather what teaches, have vectors made, and fit; nothing is done where nothing has changed. StoreError."""
        cases, quiet = await self._core.in_store(_taught)
        shipped = await asyncio.get_running_loop().run_in_executor(self._store, self.shipped)
        self.examples = gathered(cases, quiet, shipped)
        self.digest = hash(self.examples)
        self._router.labels = frozenset(
            label for example in self.examples if not example.is_shipped for label in example.labels
        )
        encoder = self._core.engine.encoder
        if encoder is None:
            self._router.missing = self._core.engine.encoder_fault or NO_ENCODER
            return
        if self._fitted is not None and self._fitted[0] == self.examples and self._fitted[1] is encoder:
            return
        examples = self.examples
        try:
            vectors = await self._vectors(examples)
        except EncoderError as error:
            self._router.missing = str(error)
            return
        model = await self.fit(examples, vectors)
        if self._core.engine.encoder is encoder:
            self._router.model, self._router.encoder = model, encoder
            self._router.missing = "" if model is not None else TOO_FEW
            self._fitted = (examples, encoder)

    async def fit(self, examples: Sequence[TaughtRoute], vectors: NDArray[np.float32]) -> RouteModel | None:
        """Learn on a thread of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, fit, examples, vectors)

    async def _vectors(self, examples: Sequence[TaughtRoute]) -> NDArray[np.float32]:
        """Their vectors, from the library where it has them; shape (len(examples), dimension)."""
        encoder = self._core.engine.encoder
        assert encoder is not None, "learning begins with one"
        made: dict[str, NDArray[np.float32]] = {}
        texts = list(dict.fromkeys(Query.of(example.text).scored for example in examples))
        lanes = {"store": self._store, "encode": self._encode()}
        async for _ in vectors_of(
            texts,
            self._core.library,
            encoder,
            made.update,
            **lanes,
            typing_priority=self._core.typing_priority,
            wanted=lambda: self._core.engine.encoder is encoder,
        ):
            pass
        if len(made) < len(texts):
            raise EncoderError("The encoder was changed while the examples were learned.")
        if not texts:
            return np.zeros((0, encoder.provenance.dimension), np.float32)
        return np.stack([made[Query.of(example.text).scored] for example in examples])

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


def _taught(library: Library) -> tuple[list[Case], set[str]]:
    cases = library.cases(Task.ROUTE)
    return cases, library.routes.untaught([case.text for case in cases])


def gathered(cases: Iterable[Case], quiet: set[str], shipped: Iterable[TaughtRoute]) -> tuple[TaughtRoute, ...]:
    """What teaches: cases that are not quiet, those that expect nothing as strangers, and what ships, unless a case
    says the same text otherwise; of that only the strangers where the cases name other routes than 001's alone."""
    taught: dict[str, TaughtRoute] = {}
    for case in cases:
        if case.text not in quiet:
            taught[without_punctuation(case.text)] = TaughtRoute(case.text, _labels(case.expected))
    named = {label for example in taught.values() for label in example.labels}
    is_foreign = bool(named) and ROUTE_NAMES.isdisjoint(named)
    for example in shipped:
        labels = _labels(example.labels)
        if not (labels and is_foreign):
            taught.setdefault(without_punctuation(example.text), replace(example, labels=labels))
    return tuple(taught.values())


def _labels(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(route_label(name) for name in names if name not in NO_MATCH_WORDS))
