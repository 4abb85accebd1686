"""Lifecycle of the encoder: loading, embedding, replacement."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.errors import KnownError
from app.ports.encoder import Closable, Embedder, Vectors
from app.ports.store import Library
from app.services.engine.adapters import Adapters, Encoder
from app.services.engine.embedding import KEPT_AT_ONCE, encode_both, is_behind, make_missing, taught_vectors, vectors_of
from app.services.engine.engine import Engine
from app.services.engine.index_loader import IndexLoader
from app.services.engine.typing_priority import MANY, Background
from app.services.engine.vector_cache import VectorCacheSync
from app.settings.model import Settings
from app.settings.sections import EncoderSettings

log = logging.getLogger(__name__)

LATER_SECONDS = 10.0
"""Delay of low-priority work after the start, in seconds; a short command has ended by then."""


def configured_encoder(settings: Settings) -> EncoderSettings:
    """Return the encoder settings, reduced to those that concern the named encoder."""
    chosen = settings.encoder
    model = chosen.model if chosen.has_models else ""
    url = (chosen.url or settings.llm.url) if chosen.name == "ollama" else ""
    return EncoderSettings(name=chosen.name, model=model, url=url)


class EncoderLoader:
    """The engine's encoder on its own thread, so that it never delays the lexical answer.

    A new encoder is loaded and computes all vectors while the old one still answers, then replaces it in one step:
    query and trigger vectors always have the same provenance (S2.15). Faults go to the core's `faults`; `on_change` is
    called on the asyncio thread.
    """

    def __init__(
        self,
        adapters: Adapters,
        engine: Engine,
        index_loader: IndexLoader,
        faults: dict[str, str],
        on_change: Callable[[], None],
    ) -> None:
        self._kinds: Mapping[str, Encoder] = adapters.encoders
        self._resident_bytes = adapters.resident_bytes
        self._engine = engine
        self._index_loader = index_loader
        self._faults = faults
        self._changed = on_change
        self._background = Background()
        self.thread = ThreadPoolExecutor(1, "encoder")
        self.answering: EncoderSettings | None = None
        self.coming: EncoderSettings | None = None
        """Encoder that is being loaded, or computes its vectors."""
        self.memory: int | None = None
        """Growth of this process in bytes when the current encoder was loaded; None if unknown."""
        self.progress = (0, 0)
        """Number of embedded texts, and of all texts that lacked a vector."""
        self.note = ""
        """Sentence on the replacement of another encoder's vectors; "" when idle."""
        self._change: asyncio.Task[None] | None = None
        self._pending = 0
        self.ready = asyncio.Event()
        """Set while nobody waits for a vector."""
        self.ready.set()
        self.left: frozenset[str] = frozenset()
        """Texts whose vectors the user postponed until `resume` or the next start."""
        self.makes = True
        """True if missing vectors are computed; otherwise they are postponed and nothing is stored."""
        self._embedding = asyncio.Lock()
        self._completed: tuple[Embedder | None, Library] | None = None
        self.vector_cache = VectorCacheSync(adapters.vector_cache, engine, index_loader.typing_priority)

    # ---- choice of the encoder

    def follow(self, *, anew: bool = False) -> None:
        """Load the configured encoder in the background; `anew` reloads one that is in use."""
        wanted = configured_encoder(self._engine.settings)
        if self._change is not None:
            self._change.cancel()
            self._change = None
        self.coming, self.progress = None, (0, 0)
        self._faults.pop("encoder", None)
        if wanted != self.answering or anew:
            self.coming, self._engine.encoder_fault = wanted, None
            self._change = self._in_background(self._load(wanted))
        if self._engine.encoder is not None and self._index_loader.is_open and self._engine.index.unembedded():
            self._in_background(self.embed_missing())  # the change may have cancelled it
        self._changed()

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start work that `ready` waits for."""
        self.begin()
        task = self._background.start(work)
        task.add_done_callback(lambda _: self.end())
        return task

    async def _load(self, wanted: EncoderSettings) -> None:
        thread = ThreadPoolExecutor(1, "encoder")
        fault: str | None = "The encoder failed unexpectedly; see the log."
        encoder: Embedder | None = None
        try:
            before = self._resident_bytes()
            encoder = await asyncio.get_running_loop().run_in_executor(thread, self._kinds[wanted.name].load, wanted)
            after = self._resident_bytes()
            self._activate(encoder, wanted, thread, await self._precompute_vectors(encoder, thread))
            self.memory = None if before is None or after is None else max(0, after - before)
            fault = None
            self._changed()
            await self.embed_missing()
        except asyncio.CancelledError:
            fault = None
            self._kinds[wanted.name].give_up(wanted)
            raise
        except KnownError as error:
            fault = str(error)
        finally:
            if self._engine.encoder is not encoder or encoder is None:
                _release(encoder, thread)
            if fault is not None:
                self._report_failure(fault)
            if self.coming == wanted:
                self.coming, self.progress = None, (0, 0)
            self._changed()

    async def _precompute_vectors(
        self, encoder: Embedder, thread: ThreadPoolExecutor
    ) -> dict[str, NDArray[np.float32]]:
        """Embed all taught texts while the old encoder still answers; {} without an old encoder."""
        made: dict[str, NDArray[np.float32]] = {}
        if self._engine.encoder is None or not self._index_loader.is_open:
            return made
        while missing := [text for text in self._taught_texts() if text not in made]:
            steps = vectors_of(
                missing,
                self._index_loader.library,
                encoder,
                made.update,
                store=self._index_loader.thread,
                encode=thread,
                typing_priority=self._index_loader.typing_priority,
                is_taught=self._engine.index.holds,
            )
            async for step in steps:
                self.progress = (step.done, step.total)
                self._changed()
        return made

    def _taught_texts(self) -> dict[str, None]:
        answers = self._engine.index.answers().values()
        return {text: None for answer in answers for text in (answer.triggers or (answer.name,))}

    def _activate(
        self,
        encoder: Embedder,
        wanted: EncoderSettings,
        thread: ThreadPoolExecutor,
        vectors: Mapping[str, NDArray[np.float32]],
    ) -> None:
        """Switch the engine to this encoder, without yielding to the event loop."""
        before, old = self._engine.encoder, self.thread
        self._engine.index.forget_vectors(encoder.provenance.dimension)
        self._engine.forget_vectors()
        self._engine.index.embed(vectors)
        self._engine.encoder, self.thread = encoder, thread
        self.answering, self.coming, self.progress = wanted, None, (0, 0)
        if self._engine.encoder is not before:
            old.submit(_close, before)
            old.shutdown(wait=False)  # queries that wait for it get their vectors first

    def _report_failure(self, fault: str) -> None:
        """Report the failure, and the scorers that decide without the encoder."""
        if self._engine.encoder is None or self.answering is None:
            fault = f"{fault} For now the lexical scorers decide."
            self._engine.encoder_fault = fault
        else:
            fault = f"{fault} For now {self.answering.title} goes on answering."
        self._faults["encoder"] = fault

    # ---- vectors

    async def encoded_both(self, encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Encode texts on the encoder's thread, for cosines and for the learner.

        Raises EncoderError.
        """
        return await asyncio.get_running_loop().run_in_executor(self.thread, encode_both, encoder, list(texts))

    async def learner_vectors_of(self, encoder: Embedder, texts: Sequence[str]) -> Vectors | None:
        """Return learner vectors of taught texts, shape (texts, dimension); None if any is missing.

        Stored vectors are read, and those that an older library lacks are computed. Raises KnownError.
        """
        threads, own = {"store": self._index_loader.thread}, self._index_loader
        for is_last in (False, True):
            known, vectors = await taught_vectors(
                texts, own.library, encoder, **threads, typing_priority=own.typing_priority
            )
            if known.all():
                return vectors.astype(np.float32)
            if not is_last:
                await make_missing(
                    texts,
                    own.library,
                    encoder,
                    **threads,
                    encode=self.thread,
                    typing_priority=own.typing_priority,
                    wanted=lambda: self._engine.encoder is encoder,
                )
        return None

    async def embed_missing(self) -> None:
        """Compute the missing vectors of triggers; called again once an encoder is loaded."""
        if not self._index_loader.is_open or self._engine.encoder is None:
            return
        self.begin()
        before = self._progress_state()
        try:
            async with self._embedding:
                await self._embed(self._engine.encoder)
        finally:
            if self.coming is None:
                self.progress = (0, 0)
            self.end()
            if self._progress_state() != before:  # each report makes the query run again
                self._changed()
        if self._engine.index.embedded() - before[0] >= MANY:
            self._background.start(self._index_loader.release_memory())
        if self._index_loader.is_open:
            self._background.start(self._complete_later())

    def _progress_state(self) -> tuple[int, *tuple[object, ...]]:
        """Return the state that progress reports depend on."""
        return (
            self._engine.index.embedded(),
            self._faults.get("encoder"),
            self.coming,
            self.progress,
            self.left,
            self.note,
        )

    def rest(self) -> None:
        """Postpone the vectors that are missing now; computed ones stay."""
        self.left = frozenset(self._engine.index.unembedded())
        self._changed()

    async def resume(self) -> None:
        """Compute the postponed vectors, too."""
        self.left = frozenset()
        await self.embed_missing()

    async def _embed(self, encoder: Embedder) -> None:
        asked = self._faults.get("encoder")
        if await self.vector_cache.restore(encoder):
            self._background.start(self._verify_cache(encoder))
        try:
            self.note = await self._replacing(encoder)
            is_whole = await self._make_missing(encoder)
        except KnownError as error:
            if self._engine.encoder is encoder:
                self._faults["encoder"] = str(error)
        else:
            if is_whole and self._faults.get("encoder") == asked:
                self._faults.pop("encoder", None)  # keep the fault of another encoder that failed to load meanwhile
        finally:
            self.note = ""

    async def _make_missing(self, encoder: Embedder) -> bool:
        """Compute the missing vectors; False if they were postponed or the encoder was replaced."""
        engine, index_loader = self._engine, self._index_loader

        def is_wanted() -> bool:
            return engine.encoder is encoder

        def take(vectors: Mapping[str, NDArray[np.float32]]) -> None:
            if is_wanted():
                engine.index.embed(vectors)
                engine.index.refresh()  # otherwise the next keystroke would have to

        missing = engine.index.unembedded()
        if self.left:
            self.left = self.left.intersection(missing)  # postponed texts may be deleted by now
        left = self.left
        missing = [text for text in missing if text not in left]
        threads = {"store": index_loader.thread, "encode": self.thread}
        steps = vectors_of(
            missing,
            index_loader.library,
            encoder,
            take,
            **threads,
            typing_priority=index_loader.typing_priority,
            wanted=is_wanted,
            is_taught=self._engine.index.holds,
        )
        async for step in steps:
            if not is_wanted() or self.left is not left:
                return False
            if not self.makes:
                self.rest()
                return False
            if step.total <= KEPT_AT_ONCE:
                continue  # few texts are reported once, at the end: each report makes the query run again
            if self.coming is None:
                self.progress = (step.done, step.total)
            self._changed()
        return is_wanted()

    async def _replacing(self, encoder: Embedder) -> str:
        """Return a sentence if the stored vectors come from other encoders only; otherwise ""."""
        if not self.makes or len(self._engine.index.unembedded()) <= KEPT_AT_ONCE:
            return ""
        store, library = self._index_loader.thread, self._index_loader.library
        counts = await asyncio.get_running_loop().run_in_executor(store, library.vector_counts)
        if not counts or encoder.provenance in counts:
            return ""
        of = max(counts, key=counts.__getitem__).encoder
        other = f"an earlier version of {of}" if of == encoder.provenance.encoder else f"another encoder ({of})"
        return f"The stored vectors are of {other}. New ones are made in the background; until then words alone decide."

    async def _complete_later(self) -> None:
        """Run `complete` after everything else, once per encoder and library."""
        both = self._engine.encoder, self._index_loader.library
        if both[0] is None or self._completed == both:
            return
        self._completed = both
        await asyncio.sleep(LATER_SECONDS)
        try:
            await self.complete()
        except KnownError as error:
            log.info("%s What vectors a learner lacks are made at the next start.", error)

    async def complete(self) -> int:
        """Compute the learner vectors that an older library lacks; return their number.

        Texts without any vector, such as postponed ones, are skipped: they get both in one pass. Raises KnownError.
        """
        encoder, store = self._engine.encoder, self._index_loader.thread
        if encoder is None or not self.makes:
            return 0
        library = self._index_loader.library
        if not await asyncio.get_running_loop().run_in_executor(store, is_behind, library, encoder):
            return 0
        return await make_missing(
            list(await self._index_loader.texts(library)),
            library,
            encoder,
            store=store,
            encode=self.thread,
            typing_priority=self._index_loader.typing_priority,
            wanted=lambda: self._engine.encoder is encoder,
        )

    async def _verify_cache(self, encoder: Embedder) -> None:
        """Verify the restored vectors when idle."""
        if not await self.vector_cache.verify(encoder):
            await self.embed_missing()

    def begin(self) -> None:
        """Make `ready` wait until the matching `end`."""
        self._pending += 1
        self.ready.clear()

    def end(self) -> None:
        """End the work announced by `begin`."""
        self._pending -= 1
        if self._pending == 0:
            self.ready.set()

    async def close(self) -> None:
        await self._background.stop()
        _release(self._engine.encoder, self.thread)


def _close(encoder: object) -> None:
    if isinstance(encoder, Closable):
        encoder.close()


def _release(encoder: object, thread: ThreadPoolExecutor) -> None:
    _close(encoder)
    thread.shutdown(wait=False, cancel_futures=True)
