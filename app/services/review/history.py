"""Query history: recorded, searched, replayed, decided; logs of queries imported (S7.4)."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from app.detect.doubts import presets_differ
from app.detect.surfacing import Surfaced, accesses_of
from app.domain.case import Task
from app.domain.errors import KnownError, StoreError
from app.domain.filters import PAGE, SearchResult, View, place_of, search_result
from app.domain.history import (
    Doubt,
    HistoryCounts,
    HistoryEntry,
    HistoryFilter,
    HistoryOrder,
    Judgement,
    LoggedAccess,
    ReplayProgress,
    Source,
)
from app.domain.inspection import Inspection
from app.domain.journal import Edit, Step
from app.domain.library import Answer, Line, Memory, Problem
from app.domain.why_not import KINDS, Expectation
from app.ports.store import Library
from app.scoring.text import without_punctuation
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.events import Event
from app.services.library.curate import Curator, cases_of
from app.services.review import replay as history_replay
from app.services.review.recorder import LOOK_SECONDS, Recorder, other_preset
from app.services.review.replay import ask_all
from app.services.review.traces import read_trace

GONE = "No such query is in the history; it may have been forgotten meanwhile."
NO_TEXT = "This query was kept without its text (history.privacy: hashed), so nothing can be taught from it."
NO_ANSWER = "This query had no answer that could be right or wrong: teach it instead."

WINDOW = "window"


class History:
    """Past queries of one profile: `workbench.history`. All methods run on the asyncio thread.

    Awaited methods raise StoreError if the library cannot be read or written, and KnownError for a query that is gone.
    """

    def __init__(self, core: Core, curator: Curator, adapters: Adapters) -> None:
        self.changed = Event[HistoryCounts]()
        """Called after queries were recorded, decided, undone or deleted."""
        self._core = core
        self._curator = curator
        self._adapters = adapters
        self.recorder = Recorder(core, adapters.trace_document, self._changed)
        self.forgetting: Callable[[Sequence[str] | None], AbstractAsyncContextManager[None]] = lambda _: nullcontext()
        """Async context around a deletion that deletes the same texts, or all (None), elsewhere."""
        self._telling: asyncio.Task[None] | None = None
        self._judging: asyncio.Task[None] | None = None
        self._judged: tuple[object, ...] = ()  # what decided when the waiting queries were last judged
        self._is_stale = False
        curator.decided.subscribe(self.recorder.record_decision)

    # ---- recording

    def note_prompt(self, inspection: Inspection, surfaced: Surfaced) -> None:
        """Record an assistant's prompt with the memories that were injected or nearly were.

        A prompt without any is not recorded. Returns at once.
        """
        self.recorder.note_prompt(inspection, accesses_of(surfaced, self._core.settings.fallback_threshold))

    async def keep_log(self, inspections: Sequence[Inspection]) -> list[int]:
        """Record answers to a log; answers that differ by preset get that doubt, as in `take_log`."""
        if self._core.settings.history.privacy == "off":
            return []
        doubts = await preset_doubts(self._core, inspections)
        return await self.recorder.keep(inspections, Source.LOG, doubts)

    async def close(self) -> None:
        """Write pending entries."""
        await self.recorder.close()
        for task in filter(None, (self._telling, self._judging)):
            task.cancel()

    async def prune(self) -> None:
        """Delete expired queries in batches while the user is idle; raises StoreError."""
        chosen = self._core.settings.history
        gone = 0
        bounds = chosen.days, chosen.most, chosen.accesses
        while n := await self._core.in_store(lambda library: library.prune_queries(*bounds)):
            gone += n
            await self._core.typing_priority.wait_until_quiet()
        if gone:
            self._changed()

    # ---- waiting queries

    def follow_changes(self) -> None:
        """Judge waiting queries again if library, fit or settings have changed. Returns at once."""
        if self._judging is None or self._judging.done():
            self._judging = self._core.in_background(self._judge_waiting())

    def _new_inputs(self) -> tuple[object, ...] | None:
        engine, index = self._core.engine, self._core.engine.index
        is_coming = engine.encoder is None or engine.awaited_fit() or index.unembedded()
        inputs = index, index.changes, index.regression, engine.encoder, engine.settings
        return None if is_coming or engine.settings.history.privacy != "full" or inputs == self._judged else inputs

    async def _judge_waiting(self) -> None:
        with suppress(KnownError):
            while inputs := self._new_inputs():
                await asyncio.sleep(LOOK_SECONDS)  # other changes and a decision may follow
                await self._core.typing_priority.wait_until_quiet()
                await self.recorder.wait_decisions()
                if inputs == self._new_inputs():
                    self._judged = inputs
                    keys = (await self.find(HistoryFilter(waiting=True)))[: history_replay.READ_AT_ONCE]
                    if await history_replay.judge_again(self._core, keys, self._adapters.trace_document):
                        self._changed()

    # ---- search

    async def find(
        self, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, descending: bool = True
    ) -> list[int]:
        """Return the keys of the matching queries in order; missing values last in both directions."""
        return await self._core.in_store(lambda library: library.find_queries(wanted, order, descending=descending))

    async def page(self, keys: Sequence[int]) -> list[HistoryEntry]:
        """Return the existing queries of these keys in their order, without traces."""
        found = await self._core.in_store(lambda library: _with_marks(library, library.queries_by_key(keys)))
        return self._named(found)

    async def rows(self, keys: Sequence[int]) -> dict[int, HistoryEntry]:
        return {row.key: row for row in await self.page(keys) if row.key is not None}

    async def search(self, wanted: HistoryFilter, order: HistoryOrder, *, descending: bool, view: View) -> SearchResult:
        """Return the keys of the matching queries in order, with the rows that are seen first."""
        keys = await self.find(wanted, order, descending=descending)
        first = max(0, (place_of(keys, view.top) or 0) - PAGE // 2)
        rows = await self.rows(keys[first : first + 2 * PAGE])
        return search_result(keys, (await self.counts()).kept, view, lambda _: rows)

    async def one(self, key: int) -> HistoryEntry | None:
        """Return a query with its trace: the `inspect` document without the text, plus extra fields."""

        def look(library: Library) -> HistoryEntry | None:
            query = library.query(key)
            return None if query is None else _with_marks(library, [query])[0]

        found = await self._core.in_store(look)
        return None if found is None else self._named([found])[0]

    def _named(self, queries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
        """Return the queries with thresholds, marks, and the intents of memories that are named by a trigger.

        A mark of a label also marks the first answer with that label.
        """
        index, counts = self._core.engine.index, self._core.settings.label_thresholds
        counts = counts and not index.thresholds.is_empty
        sought = {query.answer for query in queries if query.marks or counts}
        found = {one.name: one for one in index.answers().values() if one.name in sought} if sought else {}
        labels = {name: one.answer_label for name, one in found.items()}
        own = {name: index.thresholds.of(one) for name, one in found.items()} if counts else {}
        same = chain.from_iterable(index.same_but_punctuation(without_punctuation(one.answer or "")) for one in queries)
        of = {one.name: one.answer_label for one in same if isinstance(one, Memory) and one.id is None}
        named = [replace(one, threshold=own.get(one.answer or ""), intent=of.get(one.answer or "")) for one in queries]
        return [_with_first(query, labels.get(query.answer or "")) if query.marks else query for query in named]

    async def expected(self, key: int) -> Expectation | None:
        """Return the expectation of the cases of this text, otherwise the second answer, if any.

        Of several "nothing" expectations the one of the kind that was answered.
        """
        query = await self._with_text(key)
        cases = await self._core.in_store(lambda library: cases_of(library, query.text or ""))
        known = [Expectation.of_case(case) for case in cases if case.expected or not case.unwanted]
        meant = sorted(filter(None, known), key=lambda one: (one.is_nothing, one.kind != read_trace(query).kind))
        if meant:
            return meant[0]
        matches: Sequence[Mapping[str, str]] = (query.trace or {}).get("matches") or ()
        second = matches[1] if len(matches) > 1 and matches[1].get("kind") == matches[0].get("kind") else {}
        kind, name = str(second.get("kind", "")), str(second.get("name", ""))
        return Expectation(kind, name) if name and kind in KINDS else None

    async def accesses_of(self, memory: int, most: int) -> list[LoggedAccess]:
        """Return the assistants' queries that considered a memory, newest first."""
        await self.recorder.flush()
        return await self._core.in_store(lambda library: library.accesses_of(memory, most))

    async def counts(self) -> HistoryCounts:
        """Return the counts of the history and the inbox, by doubt."""
        return await self._core.in_store(lambda library: library.count_queries())

    # ---- decisions; each is one journal step, and its undo returns the query to the inbox

    async def mark(self, key: int, *, fits: bool, source: str = WINDOW) -> Answer:
        """Mark the stored first answer right or wrong: updates its success, makes a case (S7.2).

        Returns the answer's new state. Raises KnownError for a query without text or answer, or a deleted answer.
        """
        query = await self._with_text(key)
        answer = history_replay.first_answer(self._core.engine.index, read_trace(query))
        if answer is None:
            raise KnownError(NO_ANSWER if query.answer is None else f"“{query.answer}” has been deleted meanwhile.")
        marked = await self._curator.mark(answer, query.text or "", fits=fits, source=source)
        await self.recorder.wait_decisions()
        return marked

    async def mark_none(self, key: int, *, source: str = WINDOW) -> None:
        """Mark that no answer is right: the query becomes a case that expects nothing.

        Raises KnownError.
        """
        query = await self._with_text(key)
        await self._curator.mark_none(query.text or "", source=source)
        await self.recorder.wait_decisions()

    async def teach(self, key: int, memory: Memory) -> Memory:
        """Store a new memory made from the query; the query is decided as taught."""
        query = await self._with_text(key)
        taught = await self._curator.teach(memory, query=query.text or "")
        await self.recorder.wait_decisions()
        return taught

    async def add_trigger(self, key: int, answer: Answer) -> Answer:
        """Add the query's text as a trigger of an answer; the query is decided as taught."""
        query = await self._with_text(key)
        changed = await self._curator.add_trigger(answer, query.text or "")
        await self.recorder.wait_decisions()
        return changed

    async def skip(self, keys: Sequence[int], *, source: str = WINDOW) -> Step | None:
        """Skip queries and pending ones of their text in one step; None if all are gone."""
        texts = [query.text for query in await self.page(keys) if query.text is not None]
        same = await self._core.in_store(lambda library: library.queries_of(texts))
        waiting = (query.key for query in await self.page(same) if query.waits and query.key is not None)
        return await self.decide(list(dict.fromkeys((*keys, *waiting))), Judgement.SKIPPED, source=source)

    async def decide(self, keys: Sequence[int], decision: Judgement, *, source: str = WINDOW) -> Step | None:
        """Decide queries in a separate step, without teaching; None if none of them exists."""
        found = await self.page(keys)
        texts = {query.text for query in found}
        many = "a query" if len(keys) == 1 else f"{len(keys):,} queries"
        subject = f"“{found[0].text}”" if len(texts) == 1 and found[0].text else many
        edit = Edit(DECISION_VERBS[decision], subject, source)
        written = await self._core.in_store(lambda library: library.decide(edit, keys, decision))
        self._changed()
        return None if written is None else written.step

    # ---- permanent deletion, no undo

    async def forget(self, keys: Sequence[int] | None = None) -> int:
        """Delete these queries, or all; return their number."""
        await self.recorder.flush()
        texts = None if keys is None else [one.text for one in await self.page(keys) if one.text is not None]
        async with self.forgetting(texts):
            gone = await self._core.in_store(lambda library: library.forget_queries(keys))
        self.recorder.discard(everything=keys is None)
        self._changed()
        return gone

    # ---- replay

    async def replay(
        self, keys: Sequence[int], changes: Mapping[str, str] = {}
    ) -> AsyncGenerator[ReplayProgress, None]:
        """Replay stored queries under present or changed settings; without an LLM.

        Yields the progress with the changed answers; the last has done == of. Closing the iterator stops it; nothing is
        stored. Raises SettingsError for refused changes, KnownError while the encoder loads.
        """
        settings = self._core.settings_under(changes) if changes else self._core.settings
        steps = history_replay.replay(self._core, keys, settings, self._adapters.trace_document)
        async with aclosing(steps):
            async for step in steps:
                yield step

    async def take_log(self, path: Path, format_name: str = "auto") -> AsyncGenerator[LogProgress, None]:
        """Run every query of a log and record it as Source.LOG; without an LLM.

        `format_name` is a name of a log format, or "auto". Closing the iterator stops it; recorded queries stay. Raises
        FormatError for an unreadable file, KnownError while the encoder loads or with privacy `off`.
        """
        if self._core.settings.history.privacy == "off":
            raise KnownError("Nothing is kept of queries (history.privacy: off), so no log can be imported.")
        texts, problems = await asyncio.to_thread(lambda: read_log(self._adapters.read_log(path, format_name)))
        steps = import_log(self._core, self.recorder, texts, problems)
        async with aclosing(steps):
            async for step in steps:
                yield step

    # ---- internals

    def library_changed(self) -> None:
        """Note that the library changed: undo or redo may have changed decisions. Returns at once."""
        self._changed()

    def _changed(self) -> None:
        """Count again and notify, once for all pending changes."""
        if not self.changed.has_listeners:
            return
        self._is_stale = True
        if self._telling is None or self._telling.done():
            self._telling = self._core.in_background(self._notify_counts())

    async def _notify_counts(self) -> None:
        while self._is_stale:
            await self._core.typing_priority.turn()
            self._is_stale = False
            try:
                counts = await self.counts()
            except StoreError:
                return  # the store reports its fault elsewhere
            self.changed.notify(counts)

    async def _with_text(self, key: int) -> HistoryEntry:
        query = await self.one(key)
        if query is None:
            raise KnownError(GONE)
        if query.text is None:
            raise KnownError(NO_TEXT)
        return query


MARKED = (Judgement.RIGHT, Judgement.WRONG)


def _with_marks(library: Library, queries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    return [
        replace(query, marks=_marks(library, query.text)) if query.decision in MARKED and query.text else query
        for query in queries
    ]


def _with_first(query: HistoryEntry, label: str | None) -> HistoryEntry:
    fits = query.marks.get((Task.INTENT.value, label or ""))
    if fits is None or query.answer is None:
        return query
    return replace(query, marks={**query.marks, (Task.MEMORY.value, query.answer): fits})


def _marks(library: Library, text: str) -> dict[tuple[str, str], bool]:
    marks: dict[tuple[str, str], bool] = {}
    for case in cases_of(library, text):
        marks |= {(case.task.value, name): False for name in case.unwanted}
        marks |= {(case.task.value, name): True for name in case.expected}
    return marks


DECISION_VERBS: Mapping[Judgement, str] = {
    Judgement.TAUGHT: "decided as taught",
    Judgement.RIGHT: "decided as right",
    Judgement.WRONG: "decided as wrong",
    Judgement.NONE: "decided as without an answer",
    Judgement.SKIPPED: "skipped",
}
"""Verb of each decision in the journal."""


# ---- Import of a log: each distinct text run once, without an LLM, and recorded (S7.4).


KEPT_AT_ONCE = 100
"""Batch size of writing; a cancelled import loses at most one batch."""

PROGRESS_SECONDS = 0.1

SHOWN_PROBLEMS = 100
"""Limit of reported unreadable lines."""


@dataclass(frozen=True, slots=True)
class LogProgress:
    """Progress of a log import: queries run of the total, and distinct queries stored.

    `left_out` counts the unreadable lines; `problems` are the first hundred, reported once: line number and sentence.
    """

    read: int
    of: int
    kept: int = 0
    left_out: int = 0
    problems: tuple[tuple[int, str], ...] = ()
    is_done: bool = False


def read_log(lines: Iterable[Line[str] | Problem]) -> tuple[Counter[str], list[Problem]]:
    """Count the texts of a log in order, and collect lines without one. May block."""
    texts: Counter[str] = Counter()
    problems: list[Problem] = []
    for line in lines:
        if isinstance(line, Problem):
            problems.append(line)
        else:
            texts[line.value] += 1
    return texts, problems


async def import_log(
    core: Core, recorder: Recorder, texts: Counter[str], problems: Sequence[Problem]
) -> AsyncGenerator[LogProgress, None]:
    """Run and record the texts of a log, yielding the progress.

    With `history.compare_presets` answers that differ by preset get that doubt.
    """
    shown_problems = tuple((problem.line, problem.sentence) for problem in problems[:SHOWN_PROBLEMS])
    progress = LogProgress(0, texts.total(), left_out=len(problems), problems=shown_problems)
    yield progress
    progress = replace(progress, problems=())
    asked = [core.settings]
    if core.settings.history.compare_presets:
        asked.append(core.settings_under({"preset": other_preset(core.settings)}))
    batch: list[Inspection] = []
    doubts: dict[str, tuple[Doubt, ...]] = {}
    sent_at = time.monotonic()
    async with aclosing(ask_all(core, list(texts), asked)) as answers:
        async for ours, *theirs in answers:
            batch.append(ours)
            progress = replace(progress, read=progress.read + texts[ours.query.text])
            if any(presets_differ(ours, other) for other in theirs):
                doubts[ours.query.text] = (Doubt.PRESETS,)
            if len(batch) == KEPT_AT_ONCE:
                progress = replace(progress, kept=progress.kept + await _keep_batch(recorder, batch, doubts, texts))
                batch, doubts = [], {}
            if time.monotonic() - sent_at >= PROGRESS_SECONDS:
                yield progress
                sent_at = time.monotonic()
    progress = replace(progress, kept=progress.kept + await _keep_batch(recorder, batch, doubts, texts))
    yield replace(progress, is_done=True)


async def preset_doubts(core: Core, inspections: Iterable[Inspection]) -> dict[str, tuple[Doubt, ...]]:
    """Return, by text, the doubt of queries whose type or first answer differs by preset.

    Each query runs under the other preset, and if an LLM may have influenced its answer also under the present one
    without it; known vectors are reused. {} while the encoder loads, or if disabled.
    """
    if not core.settings.history.compare_presets:
        return {}
    if core.engine.encoder is None and core.engine.encoder_fault is None:
        return {}
    ours, theirs = core.settings, core.settings_under({"preset": other_preset(core.settings)})
    doubts: dict[str, tuple[Doubt, ...]] = {}
    for inspection in inspections:
        text = inspection.query.text
        if inspection.query.is_empty or text in doubts:
            continue
        alone = await core.settle_under(text, ours) if ours.llm.url else inspection
        if presets_differ(alone, await core.settle_under(text, theirs)):
            doubts[text] = (Doubt.PRESETS,)
    return doubts


async def _keep_batch(
    recorder: Recorder, batch: Sequence[Inspection], doubts: dict[str, tuple[Doubt, ...]], texts: Counter[str]
) -> int:
    return len(await recorder.keep(batch, Source.LOG, doubts, texts))
