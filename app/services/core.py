"""Core of one profile: store, engine, encoder and settings, which every service works with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

from app.domain.confidence import Calibration
from app.domain.errors import EncoderError, KnownError, StoreError
from app.domain.fits import FitPolicy, Learned
from app.domain.inspection import Inspection
from app.domain.journal import Edit
from app.domain.match import Query
from app.ports.encoder import Embedder, Vectors
from app.ports.store import Library, SettingValues
from app.scoring.cues import compile_cues
from app.scoring.text import QueryVector
from app.services.engine.adapters import Adapters, SettingsRead
from app.services.engine.calibrator import Calibrator, wants_scales
from app.services.engine.embedding import QueryVectors, encode_both, query_vectors
from app.services.engine.encoder_loader import EncoderLoader, configured_encoder
from app.services.engine.engine import Engine
from app.services.engine.fit_maker import FitMaker
from app.services.engine.index_loader import IndexLoader
from app.services.engine.learner import Learner, wants_fit
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.llm_server import ConfiguredLlmServer
from app.services.engine.metrics import EngineMetrics, MetricsServer
from app.services.engine.query import QueryRunner
from app.services.engine.settings import LayeredSettings, follow
from app.services.engine.typing_priority import Background, TypingPriority, chunks
from app.services.events import Event
from app.services.status import EncoderState, Faults, Status
from app.settings.model import Settings, SettingsSources

Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Callback with the number done and the total."""

PRUNE_SECONDS = 3_600.0
"""Interval of pruning, in seconds: a window may stay open for weeks."""

WATCH_SECONDS, WATCH_SHARE = 0.5, 2.0
"""Interval of polling for other programs' writes: seconds, or a multiple of the load time."""

LLM_SECONDS = 30.0
"""Longest wait of a command for the LLM to be probed, in seconds."""

GATHERED_AT_ONCE = 64
"""Number of queries whose candidates are gathered together from a team's server."""

LOOK_SECONDS = 0.1
"""Interval of progress reports, in seconds."""

FITTED_ON = ("encoder.", "min_score")
"""Keys, or prefixes of keys, of settings that affect a fit's input."""


class Core:
    """Store, engine, encoder, settings and events of one profile.

    All methods run on one asyncio thread. Services get other features as separate arguments.
    """

    def __init__(self, adapters: Adapters, given: SettingsRead) -> None:
        self.status_changed = Event[Status]()
        """Notified of changes that may alter the answer: library, encoder, vectors, settings."""
        self.settings_chosen = Event[tuple[Settings, Iterable[str]]]()
        """Notified when the profile's own settings were changed: the settings before, and the changed keys."""
        self.last_step: int | None = None
        """Number of the last step of this program, whatever others did since; None: no change."""
        self._adapters = adapters
        self._settings = LayeredSettings(given.sources or SettingsSources(), given.fault)
        self._background = Background()
        self._with_encoder = False
        self._faults = Faults(is_said_outside=given.is_outside)
        self.writing = asyncio.Lock()
        """Write lock: held by every change of library, index or settings, so that none uses an older state."""
        self.metrics = EngineMetrics()
        self._metrics_server = MetricsServer(self.metrics, adapters.serve_metrics, self._faults)
        self.engine = Engine.bare(adapters.now_ms, LlmRequests(None, adapters.now_ms, self.metrics))
        self._index_loader = IndexLoader(adapters, self.engine, self._faults)
        self._encoder = EncoderLoader(adapters, self.engine, self._index_loader, self._faults, self._changed)
        self._index_loader.embed_missing = lambda: self._background.start(self._encoder.embed_missing())
        self.calibrating = Calibrator(
            adapters.kept_calibration,
            adapters.wall_seconds,
            self.engine,
            self._index_loader.typing_priority,
            self._on_calibrated,
        )
        stored, shipped = adapters.stored_fit, adapters.shipped_fits
        maker = FitMaker(
            self.engine,
            self._encoder,
            self._index_loader.typing_priority,
            adapters.background,
            shipped if stored is None else (stored, *shipped),
            adapters.shared_background,
            adapters.wall_seconds,
        )
        self.learning = Learner(
            maker,
            stored,
            self._on_learned,
            self._on_fit_state,
            lambda: self.in_store(lambda library: library.cases()),
            self._is_own_view,
        )
        self.calibrating.is_own_view = self._is_own_view
        self.engine.awaited_fit = lambda: self.learning.awaited
        self.status_changed.subscribe(self.learning.on_status_changed)
        self._query_runner = QueryRunner(self.engine, lambda: self._encoder.thread, self.metrics)
        self.llm_server = ConfiguredLlmServer(adapters.make_llm, self.engine, self.metrics, self._changed)

    # ---- state

    @property
    def typing_priority(self) -> TypingPriority:
        """Time of the last key."""
        return self._index_loader.typing_priority

    @property
    def settings(self) -> Settings:
        """Settings in force; immutable, replaced by new ones."""
        return self.engine.settings

    @property
    def library(self) -> Library:
        """Open library, for the store's thread only; raises StoreError if it could not be opened."""
        return self._index_loader.library

    @property
    def origins(self) -> Mapping[str, str]:
        """Source of each dotted key's value."""
        return self._settings.origins

    def status(self) -> Status:
        """Return the state of every part, in words and numbers."""
        state = EncoderState.FAILED if self.engine.encoder_fault else EncoderState.LOADING
        if self.engine.encoder:
            state = EncoderState.READY
        return Status(
            profile=self._adapters.profile,
            encoder=(self._encoder.answering or self.settings.encoder).title,
            encoder_state=state,
            next_encoder=self._encoder.coming.title if self._encoder.coming and self._encoder.answering else "",
            embedded=self._encoder.progress[0],
            to_embed=self._encoder.progress[1],
            put_off=len(self._encoder.left),
            counts=dict(self._index_loader.counts),
            digests={"answers": self.engine.index.digest, "rules": self.engine.rules.digest},
            faults=dict(self._faults),
            notes=dict(self._index_loader.notes) | self._status_notes(),
            in_folder=self._faults.in_folder,
            outside=self._faults.outside,
            team=self._index_loader.team,
            fit=self.learning.status(),
            preset=self.settings.preset,
            is_open=self._index_loader.is_open,
            llm=self.engine.llm.state,
        )

    def _status_notes(self) -> dict[str, str]:
        own = {
            "settings": self._settings.note,
            "encoder": self._encoder.note,
            "environment": self._settings.passed_over,
        }
        return {part: sentence for part, sentence in own.items() if sentence}

    def room(self) -> str:
        """Test a small persistent write to the disk; return the free space; raises StoreError."""
        return self._adapters.try_writing()

    # ---- opening and closing

    def make_no_vectors(self) -> None:
        """Make the profile read only, without computing vectors; called before opening."""
        self._encoder.makes = False

    async def open(self, *, encoder: bool = True, llm: bool = True, watch: bool = True) -> None:
        """Load the library and start the encoder in the background; faults go to the status.

        Without `encoder` no vectors are scored; without `llm` no server is contacted and no metrics are served; without
        `watch` other programs' writes go unnoticed, the status has no notes, and the stored fit is used as it is.
        """
        self._with_encoder = encoder
        self._index_loader.is_noting = watch
        if watch:
            self.learning.policy = FitPolicy.REFIT
        self.calibrating.policy = self.learning.policy
        if encoder:
            self._encoder.begin()
        async with self.writing:
            try:
                await self._index_loader.open()
                await self._layer_settings()
                await self._index_loader.load()
            except KnownError as error:
                self._faults.note_store(error)
                self._index_loader.use_shipped_rules()
                await self._layer_settings()
            if llm:
                await self.llm_server.set_up()
                self._metrics_server.on(self.settings.metrics.port)
        self._changed()
        if encoder:
            self._encoder.follow()
            self._encoder.end()
        if watch:
            self._background.start(self._watch())
            if self._adapters.settings_file is not None:
                self._background.start(follow(self._adapters.settings_file, self._apply_outside_settings))
            self._background.start(self._prune())
            self._background.start(asyncio.to_thread(compile_cues))
            self._background.start(self._index_loader.release_memory_periodically())
            self._background.start(self._encoder.vector_cache.save_periodically())
            self._background.start(self.calibrating.keep_up(self._encoder.ready))
            self._background.start(self.learning.keep_up(self._encoder.ready))

    async def ready(self, progress: Progress | None = None, calibrating: Progress | None = None) -> None:
        """Wait until vectors are computed, the LLM is probed, and required fits are done, or failed.

        `progress` gets the number of vectors, `calibrating` the progress of a fit.
        """
        await reporting(self._encoder, progress, self._encoder.ready.wait(), self._llm_probed())
        await self.fitted(calibrating)

    async def fitted(self, progress: Progress | None = None) -> None:
        """Wait until vectors are computed and required fits are done, without the LLM.

        `progress` gets the progress of both.
        """
        await reporting(self._encoder, progress, self._encoder.ready.wait())
        if self._encoder.makes:
            for fitting in (self.learning, self.calibrating):  # if the learned fit does worse, the scales decide
                await reporting(fitting, progress, fitting.settle())

    async def _llm_probed(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LLM_SECONDS):
                await self.engine.llm.known.wait()

    async def retry(self, part: str) -> None:
        """Retry what failed: opening the library ("store"), or loading the encoder ("encoder")."""
        if part == "store":
            await self._reopen()
        elif self.engine.encoder is not None:
            self._background.start(self._encoder.resume())  # vectors may be unsaved or postponed
        elif self.engine.encoder_fault is not None:
            self._encoder.follow(anew=True)
        self._changed()

    async def _reopen(self) -> None:
        async with self.writing:
            before = self.settings
            try:
                await self._index_loader.reopen()
                await self._layer_settings()
                await self._index_loader.load()
                await self._apply(before)
            except KnownError as error:
                self._faults.note_store(error)
                return
            self._faults.pop("store", None)
        self._background.start(self._encoder.embed_missing())

    async def close(self) -> None:
        """Stop all work; stored data stays."""
        await self._background.stop()
        await self._encoder.close()
        await self.engine.llm.close()
        self._metrics_server.stop()
        await self._index_loader.close()

    async def _layer_settings(self) -> None:
        """Apply the profile's own settings; refused ones are left out and reported in the status."""
        kept = await self._index_loader.run(self.library.setting_values) if self._index_loader.is_open else {}
        self._faults.pop("settings", None)
        if fault := self._settings.apply(kept):
            self._faults["settings"] = fault
        self.engine.settings = self._settings.values

    async def _apply_outside_settings(self, said: SettingsRead) -> None:
        async with self.writing:
            before = self.settings
            self._settings.set_sources(said.sources, said.fault)
            self._faults.is_said_outside = said.is_outside
            try:
                await self._layer_settings()
                await self._apply(before)
            except KnownError as error:
                self._faults.note_store(error)  # reopening applies the settings
        self._changed()

    def _on_calibrated(self, calibration: Calibration) -> None:
        self._settings.calibration = calibration
        self.engine.settings = self._settings.values
        self._changed()

    def _on_learned(self, learned: Learned) -> None:
        before = self.settings
        self._settings.learned = learned
        self.engine.settings = self._settings.values
        self._request_fits(before)  # in case other scorers than `learned` decide now
        self._changed()

    def _on_fit_state(self) -> None:
        if self.status_changed.has_listeners:
            self.status_changed.notify(replace(self.status(), is_counted_anew=True))

    def _is_own_view(self) -> bool:
        """Check that no setting of the command line affects a fit, so that others read the same."""
        origins = self._settings.origins
        return not any(origin == "command line" for key, origin in origins.items() if key.startswith(FITTED_ON))

    def _request_fits(self, before: Settings) -> None:
        """Start the fits that changed settings require."""
        if wants_scales(self.settings) and not wants_scales(before):
            self._background.start(self.calibrating.settle())

    async def _apply(self, before: Settings) -> None:
        """Apply changed settings to the engine. Holds `writing`."""
        after = self.settings
        if (before.llm, before.search_intent.use_llm) != (after.llm, after.search_intent.use_llm):
            await self.llm_server.set_up()
        if configured_encoder(before) != configured_encoder(after) and self._with_encoder:
            self._encoder.follow()
        self._request_fits(before)
        if wants_fit(after) and not wants_fit(before):
            self._background.start(self.learning.settle())
        if before.metrics != after.metrics:
            self._metrics_server.on(self.settings.metrics.port)
        if before.min_score != after.min_score:
            await self._index_loader.load()
            self._background.start(self._encoder.embed_missing())

    async def _prune(self) -> None:
        """Prune once all vectors are computed, and periodically afterwards."""
        await self._encoder.ready.wait()
        while True:
            try:
                if self._index_loader.is_open:
                    await self._index_loader.run(partial(self.library.prune, self.settings.curate.bin_days))
                    await self._prune_queries()
                if await self._index_loader.prune():
                    await self._index_loader.recount()
                    self._changed()
            except StoreError as error:
                self._faults.note_store(error)
                self._changed()
            await asyncio.sleep(PRUNE_SECONDS)

    async def _prune_queries(self) -> None:
        """Delete expired queries; raises StoreError."""

    def _follow_changes(self) -> None:
        """Follow a change of the library that is loaded already, such as another program's."""

    async def _watch(self) -> None:
        """Poll for writes of other programs to the same library."""
        took = 0.0
        while True:
            await asyncio.sleep(max(WATCH_SECONDS, WATCH_SHARE * took))
            began, took = perf_counter(), 0.0
            if not self._index_loader.is_open:
                continue  # until a retry opens it
            try:
                if await self._index_loader.has_external_changes():
                    async with self.writing:
                        before = self.settings
                        await self._layer_settings()
                        await self._index_loader.load(whole=False)
                        await self._apply(before)
                    took = perf_counter() - began
                    self._background.start(self._encoder.embed_missing())
                    self._follow_changes()
                    self._changed()
                if self._faults.pop("store", None) is not None:
                    self._changed()
            except StoreError as error:
                if self._faults.note_store(error):
                    self._changed()

    # ---- for services

    async def in_store(self, call: Callable[[Library], Result]) -> Result:
        """Run a call on the store's thread; raises StoreError."""
        library = self.library
        return await self._index_loader.run(lambda: call(library))

    def settings_under(self, changes: Mapping[str, str]) -> Settings:
        """Return the settings with temporary changes; raises SettingsError if one is refused."""
        return self._settings.under(changes)

    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start background work; it is cancelled when the core is closed."""
        return self._background.start(work)

    def note_fault(self, part: str, sentence: str | None) -> None:
        """Report the fault of a part in the status, None to clear it."""
        if self._faults.note(part, sentence):
            self._changed()

    async def settle_as(self, text: str, changes: Mapping[str, str]) -> Inspection:
        """Answer one query under changed settings and without an LLM; raises SettingsError."""
        return await self.settle_under(text, self.settings_under(changes))

    async def settle_under(self, text: str, settings: Settings, vectors: QueryVectors | None = None) -> Inspection:
        """Answer one query under these settings and without an LLM, with prefetched vectors."""
        return await self._query_runner.settle_as(text, settings, vectors)

    async def choose_all(self, changes: Mapping[str, str | None], edit: Edit | None = None) -> None:
        """Change settings atomically, as an undoable step with `edit`; raises SettingsError."""

        def keep(library: SettingValues) -> int | None:
            if edit is not None:
                return library.choose_settings(edit, changes)
            library.put_settings(changes)
            return None

        async with self.writing:
            self.last_step = await self.choosing(changes, keep)
        self._changed()

    async def try_choice(self, changes: Mapping[str, str | None]) -> LayeredSettings:
        """Dry run of `choose_all`: return the resulting settings; raises SettingsError."""
        return self._settings.choosing(await self._index_loader.run(self.library.setting_values), changes)

    async def choosing(self, changes: Mapping[str, str | None], keep: Callable[[Library], Result]) -> Result:
        """Apply settings that `keep` saves; return its result. Holds `writing`.

        Raises SettingsError if they are refused, and then nothing is saved; if saving fails, nothing changes.
        """
        chosen = await self.try_choice(changes)
        done = await self.in_store(keep)
        chosen.calibration = self._settings.calibration  # new scales may have arrived meanwhile
        chosen.learned = self._settings.learned
        before, self._settings, self.engine.settings = self.settings, chosen, chosen.values
        await self._apply(before)
        self.settings_chosen.notify((before, changes))
        return done

    async def encoded(self, texts: Sequence[str]) -> Vectors | None:
        """Return vectors of shape (len(texts), dimension); None without an encoder.

        They are of the encoder that is current on return (S2.15): until the next await they fit the index. Raises
        EncoderError.
        """
        both = await self.encoded_both(texts)
        return None if both is None else both[0]

    async def encoded_both(self, texts: Sequence[str]) -> tuple[Vectors, Vectors] | None:
        """Return vectors for cosines and for the learner, from one pass; else as `encoded`."""
        return await self._encoded(encode_both, texts)

    async def query_vectors(self, texts: Sequence[str]) -> list[QueryVector] | None:
        """Return the vectors of queries and of their sentences; None without an encoder. Raises EncoderError."""
        return await self._encoded(query_vectors, texts)

    async def _encoded(
        self, encode: Callable[[Embedder, Sequence[str]], Result], texts: Sequence[str]
    ) -> Result | None:
        loop = asyncio.get_running_loop()
        while (encoder := self.engine.encoder) is not None:
            try:
                corrected = list(map(self.engine.corrected, texts))
                made = await loop.run_in_executor(self._encoder.thread, encode, encoder, corrected)
            except EncoderError:
                if self.engine.encoder is encoder:
                    raise
                continue  # the encoder was replaced meanwhile
            if self.engine.encoder is encoder:
                return made
        return None

    async def gather(self, texts: Sequence[str], *, all_anew: bool = False) -> None:
        """Load a team server's candidates for these queries into the index, if it searches.

        With `all_anew` as many as while the user types. Raises StoreError, EncoderError.
        """
        if (candidates := self.engine.candidates) is None:
            return
        most = self.settings.team.candidates if all_anew else None
        scored = dict.fromkeys(own for text in texts if (own := Query.of(text).scored).strip())
        wanted = [text for text in scored if all_anew or candidates.gathered(text) is None]
        for some in chunks(wanted, GATHERED_AT_ONCE):
            both = await self.encoded_both(some)
            for place, text in enumerate(some):
                await candidates.gather(text, None if both is None else both[0][place], most)
                await self.typing_priority.turn()

    async def prefetch(self, texts: Sequence[str], vectors: QueryVectors | None = None) -> None:
        """Embed queries together that are about to be run; these report encoder faults.

        The vectors are cached in `vectors`, by default in the engine's cache.
        """
        scored = [scored for text in texts if (scored := Query.of(text).scored).strip()]
        try:
            made = await self.query_vectors(scored) if scored else None
        except EncoderError:
            return
        for text, own in zip(scored, made or (), strict=made is not None):
            (self.engine.vectors if vectors is None else vectors).keep(text, own)

    async def library_changed(self) -> None:
        """Notify that answers changed; then count again, and embed texts without a vector."""
        # The answer comes first; everything else follows later.
        self._index_loader.typing_priority.note_key()
        self._changed()
        before = self.status()
        await self._index_loader.recount()
        if self.status_changed.has_listeners and self.status() != before:
            self.status_changed.notify(replace(self.status(), is_counted_anew=True))
        self._follow_changes()
        self._background.start(self._encoder.embed_missing())

    def _changed(self) -> None:
        if self.status_changed.has_listeners:
            self.status_changed.notify(self.status())


async def reporting(
    source: EncoderLoader | Calibrator | Learner, progress: Progress | None, *work: Awaitable[object]
) -> None:
    """Wait for work, reporting the progress of its source; cancelling the wait cancels the work."""
    waiting = asyncio.gather(*work)
    # An abandoned wait logs no warning.
    waiting.add_done_callback(lambda future: future.cancelled() or future.exception())
    try:
        while not waiting.done():
            await asyncio.wait([waiting], timeout=LOOK_SECONDS)
            if progress is not None and source.progress[1]:
                progress(*source.progress)
        waiting.result()
    finally:
        waiting.cancel()
