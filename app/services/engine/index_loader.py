"""Index loader: opens the library, and keeps index and rules in step with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from app.detect.keywords import KeywordRules
from app.domain.errors import StoreError, StoreGoneError
from app.domain.filters import MemoryFilter
from app.domain.library import Answer, Kind, Membership, Memory
from app.ports.store import Library, Maintenance, Memories, Powers, Rules, TaughtItems
from app.scoring.index.layout import AnswerKey, key_of
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.adapters import Adapters
from app.services.engine.engine import Engine, WorkingSet
from app.services.engine.typing_priority import TypingPriority, chunks, without_gc

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 256
"""Batch size of index changes: a few milliseconds."""

GIVE_BACK_SECONDS = 60.0
"""Interval of releasing memory while typing; it blocks 40 ms once, then less than 1 ms."""

PAUSE_SECONDS = 20.0
"""Longest wait for a pause in typing; then memory is released after the answer to a key."""

ReportProgress = Callable[[int, int], object]
"""Called with the number done and the total."""


@dataclass(frozen=True, slots=True)
class IndexDiff:
    """Change of an index to a wanted state: answers to add or replace, and keys to remove."""

    added: Sequence[Answer] = ()
    removed: Sequence[AnswerKey] = ()

    def __len__(self) -> int:
        return len(self.added) + len(self.removed)


def index_diff(index: TriggerIndex, wanted: Iterable[Answer], of: Kind | None = None) -> IndexDiff:
    """Return the diff that makes the index hold exactly these answers (of one kind if given).

    Read-only: any thread may call it while none writes.
    """
    present = {key: answer for key, answer in index.answers().items() if of in (None, key[0])}
    added: list[Answer] = []
    removed: list[AnswerKey] = []
    for answer in wanted:
        before = present.pop(key_of(answer), None)
        if answer.paused:
            if before is not None:
                removed.append(key_of(answer))
        # Also of another version: an edit must be based on the latest.
        elif before is None or before != answer or before.version != answer.version:
            added.append(answer)
    return IndexDiff(added, (*removed, *present))


async def apply_diff(
    index: TriggerIndex,
    change: IndexDiff,
    typing_priority: TypingPriority,
    progress: ReportProgress | None = None,
    vector: Callable[[str], NDArray[np.float32] | None] | None = None,
) -> None:
    """Apply a diff on the engine's thread; the index is consistent and yields after each step.

    An answer that scores as before keeps its vectors; `vector` returns the known vectors of new texts.
    """
    done, total = 0, len(change)
    with without_gc(total):
        for keys in chunks(change.removed, AT_ONCE):
            for key in keys:
                index.remove(key)
            done += len(keys)
            if progress is not None:
                progress(done, total)
            await typing_priority.turn()
        for _ in index.widening(change.added):
            await typing_priority.turn()
        for answers in chunks(change.added, AT_ONCE):
            fresh = index.restate(answers)
            index.put(fresh)
            if vector is not None:
                texts = dict.fromkeys(text for one in fresh for text in one.triggers)
                index.embed({text: known for text in texts if (known := vector(text)) is not None})
            index.refresh()  # otherwise the next keystroke would have to do it for all
            done += len(answers)
            if progress is not None:
                progress(done, total)
            await typing_priority.turn()
    if index.is_sparse:
        with without_gc(len(index)):
            for _ in index.laying_out():
                await typing_priority.turn()


# ---- The open library, synchronised with index and rules

NO_STORE = "The library is not open, so nothing was changed."

PRUNED_AT_ONCE = 2_000
MOST_PRUNINGS = 20
"""Limits of pruned vectors: per transaction, and transactions per session."""

READ_AT_ONCE = 256
"""Batch size of reading memories."""

Result = TypeVar("Result")


NAMED = 5
"""Maximum number of damaged rows of a kind that are named."""


def damage_sentence(library: Maintenance) -> str:
    """Return a sentence on the rows that cannot be read; "" if all can."""
    if not (damaged := library.damaged()):
        return ""
    parts = [(kind, ", ".join(map(str, keys[:NAMED])), len(keys) - NAMED) for kind, keys in damaged.items()]
    named = ", ".join(f"{kind} {shown}{f' and {more:,} more' * (more > 0)}" for kind, shown, more in parts)
    return f"Rows of the library are damaged and left out: {named}. The rest is used and can be exported."


class IndexLoader:
    """One profile's library on its own thread, and the engine's index and rules.

    Faults go to "store" and "rules" of the core's `faults`, remarks on secrets to "secrets" of `notes`.
    """

    def __init__(self, adapters: Adapters, engine: Engine, faults: dict[str, str]) -> None:
        self._adapters = adapters
        self._engine = engine
        self._faults = faults
        self._library: Library | None = None
        self.thread = ThreadPoolExecutor(1, "store")
        self.typing_priority = adapters.typing_priority
        self.counts: Mapping[str, int] = {}
        self.notes: dict[str, str] = {}
        self.is_noting = True
        """True if notes are shown: probing for a keyring takes as long as all disk access."""
        self._version = 0
        self.team: Membership | None = None
        """Team library that this one was a copy of at the last check."""
        self._is_whole = False
        """True if the index held the complete library at the last check."""
        self._is_placed = False
        """True once the place of scoring is decided; holds until the library is closed."""
        self.embed_missing: Callable[[], object] = lambda: None
        """Called to embed new index entries without vectors."""
        self.more_texts: Callable[[], set[str]] = set
        """Further texts whose vectors are not pruned."""

    @property
    def library(self) -> Library:
        """The open library; raises StoreError if it could not be opened."""
        if self._library is None:
            raise StoreError(self._faults.get("store", NO_STORE))
        return self._library

    @property
    def is_open(self) -> bool:
        return self._library is not None

    async def open(self) -> None:
        """Open the library without loading anything; raises KnownError."""
        self._library, self._is_whole = await self.run(self._adapters.open_library), False

    async def reopen(self) -> None:
        """Reopen a library that is closed, replaced or read-only; raises KnownError."""
        if self._library is not None:
            with suppress(StoreGoneError):
                await self.has_external_changes()
        if self._library is not None and self._library.refusal:
            library, self._library = self._library, None
            await self.run(library.close)
        if self._library is None:
            await self.open()

    async def close(self) -> None:
        if self._engine.candidates is not None:
            await self._engine.candidates.close()
        if self._library is not None:
            await self.run(self._library.close)
        self.thread.shutdown()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run a call on the store's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, call)

    async def release_memory(self) -> None:
        """Return freed memory to the system in a typing pause, or between two keys.

        It blocks every allocation meanwhile.
        """
        await self.typing_priority.wait_until_quiet(PAUSE_SECONDS)
        await self.typing_priority.turn()
        await asyncio.to_thread(self._adapters.release_memory)

    async def release_memory_periodically(self) -> None:
        """Release fragmented memory periodically while the user types, until cancelled."""
        while True:
            await asyncio.sleep(GIVE_BACK_SECONDS)
            if self.typing_priority.quiet_seconds < GIVE_BACK_SECONDS:
                await self.release_memory()

    async def load(self, *, whole: bool = True) -> None:
        """Synchronise index, rules and counts with the store, changing only what differs.

        Without `whole` only the memories changed by others are compared, if they are known.
        """
        library = self.library
        version = await self.run(library.data_version)
        self.counts = await self.run(library.counts)
        await self._decide_scoring(library)
        touched = await self.run(library.changed_memories)
        is_known, self._is_whole = not whole and self._is_whole and touched is not None, False
        stored = await self._stored(library) if not is_known else []
        await self.run(lambda: self._keep_shipped_rules(library))
        await self._apply_rules(library)
        await self._note_secrets(library)
        self._note("changes", library.refusal)
        self.team = await self.run(library.team)
        self._note("rows", await self.run(lambda: damage_sentence(library)))
        index = self._engine.index
        if is_known:
            change = await self.run(lambda: index_diff(index, library.powers(), Kind.POWER))
            await apply_diff(index, change, self.typing_priority)
            await self._apply_memories(library, self._loaded_keys(touched or ()), None)
        else:
            wanted = (answer for answer in stored if self._is_scored(answer))
            await apply_diff(index, await self.run(lambda: index_diff(index, wanted)), self.typing_priority)
        self.counts = await self.run(library.counts)
        self._version, self._is_whole = version, True

    async def _stored(self, library: Library) -> list[Answer]:
        """Return the answers to score: all, or in a team the memories that the server found."""
        if (candidates := self._engine.candidates) is None:
            with without_gc(sum(self.counts.values())):
                return await self.run(lambda: [*library.memories(), *library.powers()])
        held = candidates.held()
        return await self.run(lambda: [*(one.item for one in library.memories_by_key(held)), *library.powers()])

    async def _decide_scoring(self, library: Library) -> None:
        """Decide if all memories are scored here, or a server's candidates; raises StoreError."""
        wanted, search = self._engine.settings.team, self._adapters.candidate_search
        if self._is_placed:
            return
        self._is_placed = True
        is_large = self.counts.get("triggers", 0) >= wanted.score_from
        if wanted.score == "here" or not (is_large or wanted.score == "server"):
            return
        if (found := await self.run(partial(search, library))) is None:
            return
        try:
            if wanted.score == "auto" and await self.run(found.status) is None:
                await self.run(found.close)
                return  # the server's search index is empty
        except StoreError as error:
            self._note("search", str(error))
        self._engine.candidates = WorkingSet(found, self._engine, self._scored, self.embed_missing)

    async def _scored(self, keys: Sequence[int]) -> list[Memory]:
        found = [one.item for one in await self.run(partial(self.library.memories_by_key, keys))]
        return [memory for memory in found if not memory.paused and self._is_scored(memory)]

    async def apply_import(self, kind: str, keys: Sequence[int], progress: ReportProgress | None = None) -> None:
        """Load imported items into the index by key, and read nothing else."""
        library = self.library
        if kind == "rules":
            await self._apply_rules(library)
        elif kind == "powers":
            wanted = set(keys)
            powers = await self.run(library.powers)
            await apply_diff(
                self._engine.index,
                IndexDiff([one for one in powers if one.key in wanted]),
                self.typing_priority,
                progress,
            )
            await self._note_secrets(library)
        elif kind == "memories":
            keys = self._loaded_keys(keys)
            with without_gc(len(keys)):
                await self._apply_memories(library, keys, progress)
        self.counts = await self.run(library.counts)

    def _loaded_keys(self, keys: Sequence[int]) -> Sequence[int]:
        """Return the keys that are in the index, if a server finds the others on demand; else all."""
        candidates = self._engine.candidates
        return keys if candidates is None else sorted({*keys}.intersection(candidates.held()))

    async def _apply_memories(self, library: Memories, keys: Sequence[int], progress: ReportProgress | None) -> None:
        done = 0
        for some in chunks(keys, READ_AT_ONCE):
            found = [one.item for one in await self.run(partial(library.memories_by_key, some))]
            await self.typing_priority.turn()  # a key may have been pressed during the read
            added = [memory for memory in found if self._is_scored(memory)]
            removed: list[AnswerKey] = [(Kind.MEMORY, key) for key in {*some}.difference(one.key for one in added)]
            await apply_diff(self._engine.index, IndexDiff(added, removed), self.typing_priority)
            done += len(some)
            if progress is not None:
                progress(done, len(keys))

    async def _apply_rules(self, library: Rules) -> None:
        self._engine.rules = KeywordRules(await self.run(library.rules))
        self._note("rules", " ".join(self._engine.rules.problems))

    async def _note_secrets(self, library: Powers) -> None:
        fault = await self.run(library.secrets_fault) if self.is_noting else None
        self.notes = {} if fault is None else {"secrets": fault}

    async def recount(self) -> None:
        self.counts = await self.run(self.library.counts)
        await self._note_secrets(self.library)

    async def is_behind(self) -> bool:
        """Check if another program has written to the library since it was loaded.

        Raises StoreError.
        """
        return await self.run(self.library.data_version) != self._version

    async def has_external_changes(self) -> bool:
        """Like `is_behind`, but close a library that is gone, so that a retry opens its successor."""
        library = self.library
        try:
            return await self.is_behind()
        except StoreGoneError:
            if self._library is library:  # another task may have closed it meanwhile
                self._library = None
                await self.run(library.close)
            raise

    async def prune(self) -> int:
        """Delete vectors of texts that no item has any more, in batches; return their number.

        Raises StoreError.
        """
        library, removed = self.library, 0
        for _ in range(MOST_PRUNINGS):
            await self.typing_priority.wait_until_quiet()
            kept = await self.texts(library)
            pruned = await self.run(partial(library.prune_embeddings, kept, PRUNED_AT_ONCE))
            removed += pruned
            if not pruned:
                break
        return removed

    async def texts(self, library: TaughtItems) -> set[str]:
        """Read every text that has or may have a vector, in batches that let others use the store."""
        answers: list[Answer] = [*await self.run(library.powers)]
        kept = {text for answer in answers for text in (answer.triggers or (answer.name,))} | self.more_texts()
        keys = await self.run(partial(library.find_memories, MemoryFilter()))
        for some in chunks(keys, READ_AT_ONCE):
            found = await self.run(partial(library.memories_by_key, some))
            kept.update(text for one in found for text in one.item.triggers)
            await self.typing_priority.turn()
        return kept

    def use_shipped_rules(self) -> None:
        """Use the shipped rules, for a library that could not be opened."""
        self._engine.rules = KeywordRules(self._adapters.shipped_rules())

    def _is_scored(self, answer: Answer) -> bool:
        """Check if an answer is scored: memories below the minimum success score are not (S2.11)."""
        return not isinstance(answer, Memory) or answer.success >= self._engine.settings.min_score

    def _keep_shipped_rules(self, library: Library) -> None:
        stored = {rule.id for rule in library.rules()}
        if library.refusal or library.damaged().get("rules"):
            return  # read-only, or an unreadable rule may be a shipped one
        if missing := [rule for rule in self._adapters.shipped_rules() if rule.id not in stored]:
            library.add("rules", missing)

    def _note(self, part: str, sentence: str) -> None:
        self._faults.pop(part, None)
        if sentence:
            self._faults[part] = sentence
