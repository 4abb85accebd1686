"""Lifecycle of the encoder: loading, embedding, replacement; and the index's cached vectors.

The store remains the source of truth. A missing, truncated or outdated file is ignored; a damaged one is deleted, and
its vectors are read from the store in the background.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.errors import CacheError, KnownError
from app.ports.encoder import Closable, Embedder, MappedArrays, VectorCache, Vectors
from app.ports.store import Library
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.adapters import Adapters, Encoder
from app.services.engine.embedding import KEPT_AT_ONCE, encode_both, is_behind, make_missing, taught_vectors, vectors_of
from app.services.engine.engine import Engine
from app.services.engine.index_loader import IndexLoader
from app.services.engine.typing_priority import MANY, Background, TypingPriority
from app.settings.model import Settings
from app.settings.sections import EncoderSettings

LEAST_ROWS = 2_000
"""Minimum number of triggers for a cache; for fewer the store is fast enough."""

CHECK_SECONDS = 10.0
"""Interval of checks, in seconds; an index that changed before the last interval is saved."""

RESTORED_AT_ONCE = 512


class VectorCacheSync:
    """Synchronises an engine's index with its cache file, on the asyncio thread.

    Slow work runs on other threads.
    """

    def __init__(self, cache: VectorCache | None, engine: Engine, typing_priority: TypingPriority) -> None:
        self._cache = cache
        self._engine = engine
        self._typing_priority = typing_priority
        self._saved_at = -1

    async def restore(self, encoder: Embedder) -> bool:
        """Restore the cached vectors of this encoder into an index without any; return True if done.

        False also if the index or the encoder changed meanwhile; then nothing is restored.
        """
        index, cache = self._engine.index, self._cache
        if cache is None or len(index) < LEAST_ROWS or index.embedded():
            return False
        changes, texts = index.changes, index.texts()
        mapped = await asyncio.to_thread(cache.load, encoder.provenance)
        if mapped is None:
            return False
        digests = mapped.arrays["digests"][: mapped.rows["digests"]]
        if not await asyncio.to_thread(is_own_order, digests, texts):
            return await self._restore_some(mapped, encoder)
        if index.changes != changes:
            return False
        try:
            made = await asyncio.to_thread(index.making_of(mapped.arrays))
        except KeyError:  # saved before vectors had int8 copies
            return await self._restore_some(mapped, encoder)
        if index.changes != changes or self._engine.encoder is not encoder:
            return False
        index.take_up(*made)
        mapped.release()
        self._saved_at = index.changes
        return True

    async def verify(self, encoder: Embedder) -> bool:
        """Verify the checksum of the restored vectors; on failure drop the cache and the vectors."""
        cache, index = self._cache, self._engine.index
        if cache is None or await asyncio.to_thread(cache.is_sound, encoder.provenance):
            return True
        log.info("The cache of vectors is damaged; they are read from the library again.")
        cache.drop(encoder.provenance)
        if self._engine.encoder is encoder:
            index.forget_vectors()
        self._saved_at = -1
        return False

    async def save_periodically(self) -> None:
        """Save an index that has changed, once it is idle, until cancelled."""
        seen = self._engine.index.changes
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            before, seen = seen, self._engine.index.changes
            if before == seen and not self._typing_priority.is_typing:
                await self.save()

    async def save(self) -> None:
        """Save the vectors if all are present and any has changed; a concurrent change cancels it."""
        index, encoder, cache = self._engine.index, self._engine.encoder, self._cache
        changes = index.changes
        if cache is None or encoder is None or len(index) < LEAST_ROWS or changes == self._saved_at:
            return
        try:
            arrays = await asyncio.to_thread(kept, index)
            if arrays is None or index.changes != changes:
                return
            await asyncio.to_thread(cache.save, encoder.provenance, arrays)
        except LookupError:  # changed during the read
            return
        except CacheError as error:
            log.info("%s Vectors will be read from the library at the next start.", error)
        self._saved_at = changes

    async def _restore_some(self, mapped: MappedArrays, encoder: Embedder) -> bool:
        """Restore the vectors of the texts that are found, in batches."""
        index = self._engine.index
        digests = mapped.arrays["digests"][: mapped.rows["digests"]]
        found = list((await asyncio.to_thread(places, digests, index.unembedded())).items())
        for start in range(0, len(found), RESTORED_AT_ONCE):
            if self._engine.encoder is not encoder:
                return False
            some = found[start : start + RESTORED_AT_ONCE]
            vectors = np.array(mapped.arrays["vectors"][[place for _, place in some]])
            index.embed(dict(zip((text for text, _ in some), vectors, strict=True)))
            await self._typing_priority.turn()
        return bool(found)


# ---- Cache format of an index's vectors, as arrays.
#
# Rows are stored in the order of a newly filled index, with a digest of each text. An index with exactly these rows
# adopts the arrays, which may be memory-mapped; any other copies the vectors of known texts.


DIGEST_BYTES = 16

Arrays = Mapping[str, NDArray[Any]]


def digests(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Return a digest of each text; shape (len(texts), DIGEST_BYTES)."""
    joined = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest() for text in texts
    )
    return np.frombuffer(joined, np.uint8).reshape(-1, DIGEST_BYTES)


def kept(index: TriggerIndex) -> Arrays | None:
    """Return the arrays to cache; None unless every live row has its vector.

    The index may not change meanwhile.
    """
    rows = index.rows_by_key()
    if not index.semantic.known[rows].all():
        return None
    return {"digests": digests([index.text(row) for row in rows.tolist()]), **index.semantic.kept(rows)}


def is_own_order(kept_digests: NDArray[Any], texts: Sequence[str]) -> bool:
    """Return whether stored digests are those of these texts, in order."""
    return len(kept_digests) == len(texts) and bool(np.array_equal(kept_digests, digests(texts)))


def places(kept_digests: NDArray[Any], texts: Sequence[str]) -> dict[str, int]:
    """Return the position of each text with a stored digest."""
    known = {digest.tobytes(): place for place, digest in enumerate(kept_digests)}
    own = zip(texts, digests(texts), strict=True)
    return {text: known[key] for text, digest in own if (key := digest.tobytes()) in known}


log = logging.getLogger(__name__)

LATER_SECONDS = 10.0
"""Delay of low-priority work after the start, in seconds; a short command has ended by then."""

UNFORESEEN = "The encoder failed unexpectedly; see the log."


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
        fault: str | None = UNFORESEEN
        encoder: Embedder | None = None
        try:
            before = self._resident_bytes()
            encoder = await asyncio.get_running_loop().run_in_executor(thread, self._kinds[wanted.name].load, wanted)
            after = self._resident_bytes()
            vectors = await self._precompute_vectors(encoder, thread)
            self._activate(encoder, wanted, thread, vectors)
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
        return (
            f"The stored vectors come from another encoder ({max(counts, key=counts.__getitem__).encoder}). New ones "
            f"are made with {encoder.provenance.encoder} in the background; until then words alone decide."
        )

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
