"""The desk at which one person works: one profile's engine, its state in words, and every verb the window knows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from app.detect.keywords import KeywordRules
from app.domain.inspection import Inspection, Phase
from app.domain.library import Answer, Memory
from app.domain.llm import LlmOutcome
from app.ports import (
    Embedder,
    EncoderError,
    KnownError,
    Library,
    Line,
    LlmConnection,
    LlmState,
    LlmUnreachableError,
    Problem,
    StoreError,
)
from app.scoring.index import AnswerKey, TriggerIndex, key_of
from app.scoring.text import without_punctuation
from app.services.connection import ConnectionCheck, Link, without_address
from app.services.curate import Curator, Undone
from app.services.embedding import embed_missing
from app.services.inspect import Engine, inspect
from app.services.llm_lane import LlmLane
from app.services.measures import Measures
from app.services.outside import Outside
from app.services.status import EncoderState, Status
from app.services.transfer import Intake, take_in
from app.settings import Layered, Settings, SettingsError, SettingsSources, layer

DIMENSION = 384
"""The length of vectors before an encoder has said its own."""

WATCH_SECONDS = 2.0
"""How often the store is asked whether another program has written to it."""

LLM_SECONDS = 30.0
"""How long a command waits to hear whether the LLM can be asked."""

NO_STORE = "The library is not open, so nothing was changed."

Result = TypeVar("Result")


def _accepted(sources: SettingsSources, here: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """What of the kept settings is not refused, each tried on what was accepted before it, and why the rest is."""
    accepted: dict[str, object] = {}
    refused: list[str] = []
    for key, value in here.items():
        try:
            layer(sources, here={**accepted, key: value})
        except SettingsError as error:
            refused.append(str(error))
        else:
            accepted[key] = value
    return accepted, refused


def _nothing() -> None:
    """What is done where nothing is to be undone."""


class Workbench:
    """One profile at work. All methods run on one asyncio thread; `on_change` is called there too.

    Store calls run on a thread of their own, the encoder on another, so that neither delays a floor.
    """

    on_change: Callable[[Status], None] | None = None
    """Called after anything changed that may alter the current answer: library, encoder, vectors, settings."""

    def __init__(self, outside: Outside, sources: SettingsSources, *, settings_fault: str | None = None) -> None:
        self._outside = outside
        self._sources = sources
        self._library: Library | None = None
        self._store = ThreadPoolExecutor(1, "store")
        self._encode = ThreadPoolExecutor(1, "encoder")
        self._tasks: set[asyncio.Task[None]] = set()
        self.curator = Curator(self)
        self._settings_fault = settings_fault
        self._faults: dict[str, str] = {}
        self.writing = asyncio.Lock()
        """Held by whoever changes library, index or settings, so that no change is built on an older state."""
        self._progress = (0, 0)
        self._version = 0
        self._counts: Mapping[str, int] = {}
        self._here: Mapping[str, object] = {}
        self._layered = Layered(Settings(), {})
        self._pending = 0
        self._ready = asyncio.Event()
        self._ready.set()
        self._embedding = asyncio.Lock()
        self.measures = Measures()
        self._stop_measures: Callable[[], None] = _nothing
        lane = LlmLane(None, outside.clock, self.measures)
        self.engine = Engine(TriggerIndex(DIMENSION), KeywordRules(()), Settings(), outside.clock, lane)

    # ---- state

    @property
    def settings(self) -> Settings:
        return self.engine.settings

    @property
    def library(self) -> Library:
        """The open library; StoreError if it could not be opened."""
        if self._library is None:
            raise StoreError(self._faults.get("store", NO_STORE))
        return self._library

    @property
    def origins(self) -> Mapping[str, str]:
        """Where the value of each dotted key comes from."""
        return self._layered.origins

    def status(self) -> Status:
        state = EncoderState.FAILED if self.engine.encoder_fault else EncoderState.LOADING
        if self.engine.encoder:
            state = EncoderState.READY
        return Status(
            profile=self._outside.profile,
            encoder=self.settings.encoder.name,
            encoder_state=state,
            embedded=self._progress[0],
            to_embed=self._progress[1],
            counts=dict(self._counts),
            faults=dict(self._faults),
            preset=self.settings.preset,
            is_open=self._library is not None,
            llm=self.engine.lane.client.state if self.engine.lane.client else LlmState(LlmOutcome.OFF),
        )

    # ---- opening and closing

    async def open(self, *, encoder: bool = True, llm: bool = True, watch: bool = True) -> None:
        """Load the library and start the encoder in the background; faults go to the status, not to the caller.

        Without `encoder` meaning is never scored; without `llm` no server is contacted and no metrics are served;
        without `watch` other programs' writes go unnoticed.
        """
        if encoder:
            self._begin_vectors()
        async with self.writing:
            try:
                self._library = await self._in_store(self._outside.open_library)
                await self._layer_settings()
                await self._load()
            except KnownError as error:
                self._faults["store"] = str(error)
                self.engine.rules = KeywordRules(self._outside.shipped_rules())
                await self._layer_settings()
            if llm:
                await self._set_up_llm()
                self._serve_measures()
        self._changed()
        if encoder:
            self._start(self._load_encoder())
        if watch and self._library is not None:
            self._start(self._watch())

    async def ready(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Wait until every trigger has its vector and it is known whether the LLM can be asked, or both have failed.

        A server that leaves its caller waiting is not waited for longer than LLM_SECONDS.
        """
        told = asyncio.wait_for(self.engine.lane.told.wait(), LLM_SECONDS)
        waiting = asyncio.gather(self._ready.wait(), told, return_exceptions=True)
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=0.1)
                if progress is not None and self._progress[1]:
                    progress(*self._progress)
        finally:
            waiting.cancel()

    async def close(self) -> None:
        """Stop what is under way; what was stored stays."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.engine.lane.close()
        self._stop_measures()
        if self._library is not None:
            await self._in_store(self._library.close)
        self._store.shutdown()
        self._encode.shutdown()

    async def _load(self) -> None:
        """Bring index, rules and counts to what the store holds now, changing only what differs. `writing` is held."""
        library = self.library
        version = await self._in_store(library.data_version)
        memories = await self._in_store(library.memories)
        powers = await self._in_store(library.powers)
        await self._in_store(lambda: self._keep_shipped_rules(library))
        self.engine.rules = KeywordRules(await self._in_store(library.rules))
        self._note_rule_problems()
        stored: list[Answer] = [*memories, *powers]
        wanted: dict[AnswerKey, Answer] = {key_of(answer): answer for answer in stored if self._counts_in(answer)}
        present = self.engine.index.answers()
        for key in present.keys() - wanted.keys():
            self.engine.index.remove(key)
        self.engine.index.put(answer for key, answer in wanted.items() if present.get(key) != answer)
        self._counts = await self._in_store(library.counts)
        self._version = version

    def _counts_in(self, answer: Answer) -> bool:
        """Whether an answer is scored at all: memories below the least success score are not (S2.11)."""
        return not isinstance(answer, Memory) or answer.success >= self.settings.min_score

    def score_with(self, answer: Answer) -> None:
        """Answer with a stored memory or power from now on; with the vectors that are known."""
        if not self._counts_in(answer):
            self.engine.index.remove(key_of(answer))
            return
        self.engine.index.put([answer])
        vectors = self.engine.vectors
        self.engine.index.embed({text: v for text in answer.triggers if (v := vectors.get(text)) is not None})

    def _keep_shipped_rules(self, library: Library) -> None:
        stored = {rule.id for rule in library.rules()}
        if missing := [rule for rule in self._outside.shipped_rules() if rule.id not in stored]:
            library.put_rules(missing)

    def _note_rule_problems(self) -> None:
        self._faults.pop("rules", None)
        if self.engine.rules.problems:
            self._faults["rules"] = " ".join(self.engine.rules.problems)

    async def _layer_settings(self) -> None:
        """Take up what is kept in the profile; what is refused of that is left out, and the status says so."""
        here: dict[str, object] = {}
        if self._library is not None:
            here.update(await self._in_store(self._library.setting_values))
        sentences = [] if self._settings_fault is None else [self._settings_fault]
        try:
            layered = layer(self._sources, here=here)
        except SettingsError:
            here, refused = _accepted(self._sources, here)
            layered = layer(self._sources, here=here)
            sentences += [f"{sentence} It is left out." for sentence in refused]
        self._faults.pop("settings", None)
        if sentences:
            self._faults["settings"] = " ".join(sentences)
        self.engine.settings, self._layered, self._here = layered.values, layered, here

    async def _apply(self, before: Settings) -> None:
        """Make what has changed of the settings take effect. `writing` is held."""
        after = self.settings
        if (before.llm, before.search_intent.use_llm) != (after.llm, after.search_intent.use_llm):
            await self._set_up_llm()
        if before.metrics != after.metrics:
            self._serve_measures()
        if before.min_score != after.min_score:
            await self._load()

    async def _load_encoder(self) -> None:
        loop = asyncio.get_running_loop()
        fault = "The encoder failed in a way that nobody foresaw; the log has more. The lexical scorers decide."
        try:
            load = self._outside.encoders[self.settings.encoder.name]
            self.engine.encoder = await loop.run_in_executor(self._encode, load)
            await self._embed_missing()
        except EncoderError as error:
            fault = str(error)
        finally:
            if self.engine.encoder is None:
                self.engine.encoder_fault = self._faults["encoder"] = fault
            self._end_vectors()
            self._changed()

    async def _embed_missing(self) -> None:
        """Have vectors made for every trigger that has none; without an encoder, loading it comes back here."""
        if self._library is None or self.engine.encoder is None:
            return
        self._begin_vectors()
        try:
            async with self._embedding:
                await self._embed(self._library, self.engine.encoder)
        finally:
            self._progress = (0, 0)
            self._end_vectors()
            self._changed()

    async def _embed(self, library: Library, encoder: Embedder) -> None:
        steps = embed_missing(self.engine.index, library, encoder, store=self._store, encode=self._encode)
        try:
            async for step in steps:
                self._progress = (step.done, step.total)
                self._changed()
            self._faults.pop("encoder", None)
        except KnownError as error:
            self._faults["encoder"] = str(error)

    def _begin_vectors(self) -> None:
        self._pending += 1
        self._ready.clear()

    def _end_vectors(self) -> None:
        self._pending -= 1
        if self._pending == 0:
            self._ready.set()

    async def _watch(self) -> None:
        """Notice what another program writes to the same library."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                if await self._in_store(self.library.data_version) != self._version:
                    async with self.writing:
                        before = self.settings
                        await self._layer_settings()
                        await self._load()
                        await self._apply(before)
                    await self._embed_missing()
                    self._changed()
                self._faults.pop("store", None)
            except StoreError as error:
                self._faults["store"] = str(error)
                self._changed()

    # ---- verbs

    async def inspect(self, text: str, *, typing: bool = True) -> AsyncGenerator[Inspection, None]:
        """The floor first, then each better answer; closing the iterator cancels what is still under way.

        While `typing`, the LLM is asked only after the pause that the settings name.
        """
        pause_ms = float(self.settings.search_intent.debounce_ms) if typing else 0.0
        async with aclosing(inspect(self.engine, text, encode=self._encode, pause_ms=pause_ms)) as answers:
            last: Inspection | None = None
            noted = False
            async for inspection in answers:
                yield inspection
                if inspection.phase is Phase.MERGED and not noted:
                    noted = True
                    self._note(inspection)
                last = inspection
            if last is not None and not noted:
                self._note(last)

    def _note(self, inspection: Inspection) -> None:
        """Measure a detection that has come to its end, or to the end of the LLM's budget."""
        if inspection.intent is not None:
            self.measures.detected(inspection.intent.source.value, inspection.trace.detected_ms / 1000.0)

    async def settle(self, text: str, *, late: bool = False) -> Inspection:
        """The best answer to one query that came in time; with `late` also what the LLM says after its budget."""
        last: Inspection | None = None
        async with aclosing(self.inspect(text, typing=False)) as answers:
            async for last in answers:
                if last.phase is Phase.MERGED and not late and (self.engine.encoder is None or not last.absent):
                    break
        assert last is not None, "an inspection yields at least once"
        return last

    async def settle_as(self, text: str, changes: Mapping[str, str]) -> Inspection:
        """The answer to one query under other settings, nothing else changed and no LLM asked; SettingsError."""
        chosen = {**self._sources.command_line, **changes}
        settings = layer(replace(self._sources, command_line=chosen), here=self._here).values
        lane = LlmLane(None, self._outside.clock, Measures())
        other = replace(self.engine, settings=settings, lane=lane)
        async with aclosing(inspect(other, text, encode=self._encode)) as answers:
            return [inspection async for inspection in answers][-1]

    async def teach(self, memory: Memory) -> Memory:
        """Store a new memory and score with it at once; StoreError if it cannot be kept."""
        return await self.curator.teach(memory)

    async def undo(self) -> Undone | None:
        """Take back the last step of curating; None if there is nothing to take back."""
        return await self.curator.undo()

    def conflicts(self, trigger: str, intent: str | None) -> list[Memory]:
        """The memories that hold the same trigger (but for case and punctuation) under another answer."""
        bare = without_punctuation(trigger)
        same = self.engine.index.same_but_punctuation(bare) if bare else []
        return [m for m in same if isinstance(m, Memory) and (intent is None or m.intent != intent)]

    async def take_in(self, kind: str, lines: Iterable[Line[Any] | Problem]) -> Intake:
        """Store the good lines of a file (kind in the words of ADDERS) in one transaction, then answer with them.

        Vectors follow in the background; KnownError if the file or the store refuses.
        """
        async with self.writing:
            intake = await self._in_store(lambda: take_in(self.library, kind, lines))
            await self._load()
        self._changed()
        self._start(self._embed_missing())
        return intake

    async def add_seed_library(self) -> int:
        """Add the library that ships with the program; how many memories and powers were added."""
        intakes = [await self.take_in(kind, read()) for kind, read in self._outside.seed.items()]
        return sum(len(intake.change.added) for intake in intakes)

    async def choose(self, key: str, value: str | None) -> None:
        """Change a setting for this profile, live and kept; with None forget what was chosen here.

        SettingsError with a sentence if it is refused.
        """
        async with self.writing:
            stored = await self._in_store(self.library.setting_values)
            here: dict[str, object] = {name: kept for name, kept in stored.items() if name != key}
            here, _ = _accepted(self._sources, here)
            if value is not None:
                here[key] = value
            layered = layer(self._sources, here=here)
            if value is not None and layered.origins[key] != "here":
                raise SettingsError(f"{key} is set by the {layered.origins[key]}, which wins over a choice made here.")
            await self._in_store(lambda: self.library.put_setting(key, value))
            before, self.engine.settings, self._layered, self._here = self.settings, layered.values, layered, here
            await self._apply(before)
        self._changed()

    # ---- the LLM's server

    async def check_llm(self) -> AsyncGenerator[tuple[Link, ...], None]:
        """Try every link to the LLM in turn: all links again after each change."""
        if not self.settings.llm.url:
            yield without_address()
            return
        async with self._connection() as llm:
            check = ConnectionCheck(llm, llm, self.settings, self._outside.clock)
            async with aclosing(check.run()) as steps:
                async for links in steps:
                    yield links

    async def llm_models(self) -> list[str]:
        """The models that the server has; LlmError."""
        async with self._connection() as llm:
            return await llm.models()

    async def pull_llm(self, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
        """Have the server fetch a model: status, bytes done and in all; closing it stops the transfer; LlmError."""
        async with self._connection() as llm, aclosing(llm.pull(model)) as steps:
            async for step in steps:
                yield step

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[LlmConnection, None]:
        """A connection of its own, so that a check never stands in the way of a query."""
        if not self.settings.llm.url:
            raise LlmUnreachableError("No address is set (llm.url).")
        llm = self._outside.make_llm(self.settings.llm)
        try:
            yield llm
        finally:
            await llm.close()

    # ---- the small print

    async def _set_up_llm(self) -> None:
        """Join the LLM that the settings name, if they name one, and begin to warm it up."""
        llm, before = self.settings.llm, self.engine.lane
        client = self._outside.make_llm(llm) if llm.url and llm.model and self.settings.search_intent.use_llm else None
        self.engine.lane = LlmLane(client, self._outside.clock, self.measures)
        self.engine.lane.on_change = self._changed
        self.engine.lane.start()
        await before.close()

    def _serve_measures(self) -> None:
        """Serve metrics on the port that the settings name, and on no other."""
        self._stop_measures()
        self._stop_measures = _nothing
        self._faults.pop("metrics", None)
        if port := self.settings.metrics.port:
            try:
                self._stop_measures = self._outside.serve_measures(self.measures, port)
            except KnownError as error:
                self._faults["metrics"] = str(error)

    async def in_store(self, call: Callable[[Library], Result]) -> Result:
        """Run a call on the store's thread; StoreError."""
        library = self.library
        return await self._in_store(lambda: call(library))

    async def library_changed(self) -> None:
        """Count anew, tell, and have vectors made for what has none."""
        await self._recount()
        self._changed()
        self._start(self._embed_missing())

    async def _recount(self) -> None:
        self._counts = await self._in_store(self.library.counts)

    async def _in_store(self, call: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._store, call)

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "a task failed", "exception": error})

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change(self.status())
