"""Index loader: opens the library, and synchronises the engine's index and rules with what it holds."""

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
from app.scoring.index.trigger_index import AnswerKey, TriggerIndex, key_of
from app.services.engine.adapters import Adapters
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority, without_gc
from app.services.engine.working_set import WorkingSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


AT_ONCE = 256
"""The batch size of changes to the index: a few milliseconds."""

GIVE_BACK_SECONDS = 60.0
"""The interval of releasing memory while somebody types: it blocks 40 ms the first time, and less than 1 ms later."""

PAUSE_SECONDS = 20.0
"""How long releasing memory waits for a pause in typing; then only for the answer to the last key."""

ReportProgress = Callable[[int, int], object]
"""Called with the number done and the total."""


@dataclass(frozen=True, slots=True)
class IndexDiff:
    """The change that brings an index to a wanted state: answers to add or replace, and keys to remove."""

    added: Sequence[Answer] = ()
    removed: Sequence[AnswerKey] = ()

    def __len__(self) -> int:
        return len(self.added) + len(self.removed)


def index_diff(index: TriggerIndex, wanted: Iterable[Answer], of: Kind | None = None) -> IndexDiff:
    """The diff that makes the index hold exactly these answers, of one kind if `of` is given. Read-only: any thread may
    call it while none writes."""
    present = {key: answer for key, answer in index.answers().items() if of in (None, key[0])}
    added: list[Answer] = []
    removed: list[AnswerKey] = []
    for answer in wanted:
        before = present.pop(key_of(answer), None)
        if answer.paused:
            if before is not None:
                removed.append(key_of(answer))
        elif _differs(before, answer):
            added.append(answer)
    return IndexDiff(added, (*removed, *present))


async def apply_diff(
    index: TriggerIndex,
    change: IndexDiff,
    typing_priority: TypingPriority,
    progress: ReportProgress | None = None,
    vector: Callable[[str], NDArray[np.float32] | None] | None = None,
) -> None:
    """Make the change on the engine's thread; after each step the index is whole, and a waiting key has its turn.

    What scores as it did only takes its place, vectors and all; `vector` tells those that are known of new texts.
    """
    done, total = 0, len(change)
    with without_gc(total):
        for start in range(0, len(change.removed), AT_ONCE):
            for key in change.removed[start : start + AT_ONCE]:
                index.remove(key)
            done = min(len(change.removed), start + AT_ONCE)
            if progress is not None:
                progress(done, total)
            await typing_priority.turn()
        for _ in index.widening(change.added):
            await typing_priority.turn()
        for start in range(0, len(change.added), AT_ONCE):
            fresh = index.restate(change.added[start : start + AT_ONCE])
            index.put(fresh)
            if vector is not None:
                texts = dict.fromkeys(text for one in fresh for text in one.triggers)
                index.embed({text: known for text in texts if (known := vector(text)) is not None})
            index.refresh()  # else the next key would have to do it for all of them
            if progress is not None:
                progress(min(total, len(change.removed) + start + AT_ONCE), total)
            await typing_priority.turn()
    if index.is_sparse:
        with without_gc(len(index)):
            for _ in index.laying_out():
                await typing_priority.turn()


def _differs(present: Answer | None, stored: Answer) -> bool:
    """Whether the stored answer differs, also in its version alone: an edit must be based on the latest."""
    return present is None or present != stored or present.version != stored.version


# --------------------------------------------------------------------------------------------------------------------
# What is answered with: the open library, and index and rules brought to what it holds

NO_STORE = "The library is not open, so nothing was changed."

PRUNED_AT_ONCE = 2_000
MOST_PRUNINGS = 20
"""The limits of pruned vectors, per transaction and per session."""

READ_AT_ONCE = 256
"""The batch size of reading memories."""

Result = TypeVar("Result")


NAMED = 5
"""The limit of damaged rows of a kind that are named."""


def damage_sentence(library: Maintenance) -> str:
    """A sentence on the rows that cannot be read; "" if all can."""
    if not (damaged := library.damaged()):
        return ""
    named = ", ".join(f"{kind} {_first_of(keys)}" for kind, keys in damaged.items())
    return f"Rows of the library are damaged and left out: {named}. The rest is used and can be exported."


def _first_of(keys: Sequence[object]) -> str:
    shown = ", ".join(map(str, keys[:NAMED]))
    return f"{shown} and {len(keys) - NAMED:,} more" if len(keys) > NAMED else shown


class IndexLoader:
    """One profile's library, called on a thread of its own, and the engine's index and rules.

    `faults` is the core's; the parts "store" and "rules" are told there. `notes` tells of "secrets".
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
        """Whether anybody reads the notes: looking for a keyring takes as long as everything else on the disk."""
        self._version = 0
        self.team: Membership | None = None
        """The team's library that this one was a copy of when it was looked at last."""
        self._is_whole = False
        """Whether the index holds all that the library did when it was looked at last."""
        self._is_placed = False
        """Whether it is decided where memories are scored, which holds until the library is closed."""
        self.embed_missing: Callable[[], object] = lambda: None
        """Called to embed what came into the index without vectors."""
        self.more_texts: Callable[[], set[str]] = set
        """Further texts whose vectors are not pruned."""

    @property
    def library(self) -> Library:
        """The open library; StoreError if it could not be opened."""
        if self._library is None:
            raise StoreError(self._faults.get("store", NO_STORE))
        return self._library

    @property
    def is_open(self) -> bool:
        return self._library is not None

    async def open(self) -> None:
        """Open the library, nothing loaded yet; KnownError."""
        self._library, self._is_whole = await self.run(self._adapters.open_library), False

    async def reopen(self) -> None:
        """Open the library where it is not, is another by now, or only to be looked at; KnownError."""
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
        """Return freed memory to the system, in a pause of typing or else between two keys: it blocks every allocation
        meanwhile."""
        await self.typing_priority.come(PAUSE_SECONDS)
        await self.typing_priority.turn()
        await asyncio.to_thread(self._adapters.release_memory)

    async def release_memory_periodically(self) -> None:
        """Release memory periodically while somebody types, until cancelled: fragmentation grows for hours."""
        while True:
            await asyncio.sleep(GIVE_BACK_SECONDS)
            if self.typing_priority.quiet_seconds < GIVE_BACK_SECONDS:
                await self.release_memory()

    async def load(self, *, whole: bool = True) -> None:
        """Synchronise index, rules and counts with the store, changing only what differs. Without `whole` only the
        memories that others have touched are compared, where these are known."""
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
        if is_known:
            await self._apply_powers(library)
            await self._apply_memories(library, self._loaded_keys(touched or ()), None)
        else:
            await self._apply_stored(stored)
        self.counts = await self.run(library.counts)
        self._version, self._is_whole = version, True

    async def _stored(self, library: Library) -> list[Answer]:
        """The answers to score: all that are stored, or of the memories those that the server found recently."""
        if (candidates := self._engine.candidates) is None:
            with without_gc(sum(self.counts.values())):
                return await self.run(lambda: [*library.memories(), *library.powers()])
        held = candidates.held()
        return await self.run(lambda: [*(one.item for one in library.memories_by_key(held)), *library.powers()])

    async def _decide_scoring(self, library: Library) -> None:
        """Decide whether all memories are scored here, or only candidates that the team's server finds; StoreError."""
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
                return  # nobody has filled the server
        except StoreError as error:
            self._note("search", str(error))
        self._engine.candidates = WorkingSet(found, self._engine, self._scored, self.embed_missing)

    async def _scored(self, keys: Sequence[int]) -> list[Memory]:
        """The scored ones among the memories of these keys."""
        found = [one.item for one in await self.run(partial(self.library.memories_by_key, keys))]
        return [memory for memory in found if not memory.paused and self._is_scored(memory)]

    async def _apply_stored(self, stored: Sequence[Answer]) -> None:
        """Bring the index to the scored ones of these stored answers."""
        index = self._engine.index
        wanted = (answer for answer in stored if self._is_scored(answer))
        await apply_diff(index, await self.run(lambda: index_diff(index, wanted)), self.typing_priority)

    async def _apply_powers(self, library: Powers) -> None:
        """Bring the powers of the index to those that are stored; memories stay."""
        index = self._engine.index
        change = await self.run(lambda: index_diff(index, library.powers(), Kind.POWER))
        await apply_diff(index, change, self.typing_priority)

    async def apply_import(self, kind: str, keys: Sequence[int], progress: ReportProgress | None = None) -> None:
        """Bring what an import stored under these keys into the index; only that is read."""
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
        """Those of these memories that are in the index, where a server finds the others once they are asked for; else
        all."""
        candidates = self._engine.candidates
        return keys if candidates is None else sorted({*keys}.intersection(candidates.held()))

    async def _apply_memories(self, library: Memories, keys: Sequence[int], progress: ReportProgress | None) -> None:
        for start in range(0, len(keys), READ_AT_ONCE):
            some = keys[start : start + READ_AT_ONCE]
            found = [one.item for one in await self.run(partial(library.memories_by_key, some))]
            await self.typing_priority.turn()  # a key may have come while they were read
            added = [memory for memory in found if self._is_scored(memory)]
            removed: list[AnswerKey] = [(Kind.MEMORY, key) for key in {*some}.difference(one.key for one in added)]
            await apply_diff(self._engine.index, IndexDiff(added, removed), self.typing_priority)
            if progress is not None:
                progress(min(len(keys), start + READ_AT_ONCE), len(keys))

    async def _apply_rules(self, library: Rules) -> None:
        self._engine.rules = KeywordRules(await self.run(library.rules))
        self._note_rule_problems()

    async def _note_secrets(self, library: Powers) -> None:
        fault = await self.run(library.secrets_fault) if self.is_noting else None
        self.notes = {} if fault is None else {"secrets": fault}

    async def recount(self) -> None:
        self.counts = await self.run(self.library.counts)
        await self._note_secrets(self.library)

    async def is_behind(self) -> bool:
        """Whether another program has written to the library since it was loaded; StoreError."""
        return await self.run(self.library.data_version) != self._version

    async def has_external_changes(self) -> bool:
        """Whether another program has written, for who tells of faults: a library that is gone is let go of, so that
        whoever tries again opens what lies in its place."""
        library = self.library
        try:
            return await self.is_behind()
        except StoreGoneError:
            if self._library is library:  # who tries again may have let go of it meanwhile
                self._library = None
                await self.run(library.close)
            raise

    async def prune(self) -> int:
        """Delete vectors of texts that nothing taught has any more, in batches; how many were deleted. StoreError."""
        library, removed = self.library, 0
        for _ in range(MOST_PRUNINGS):
            await self.typing_priority.come()
            kept = await self.texts(library)
            pruned = await self.run(partial(library.prune_embeddings, kept, PRUNED_AT_ONCE))
            removed += pruned
            if not pruned:
                break
        return removed

    async def texts(self, library: TaughtItems) -> set[str]:
        """Every text that has or may have a vector; read in batches, so that others can use the store."""
        answers: list[Answer] = [*await self.run(library.powers)]
        kept = {text for answer in answers for text in (answer.triggers or (answer.name,))} | self.more_texts()
        keys = await self.run(partial(library.find_memories, MemoryFilter()))
        for start in range(0, len(keys), READ_AT_ONCE):
            found = await self.run(partial(library.memories_by_key, keys[start : start + READ_AT_ONCE]))
            kept.update(text for one in found for text in one.item.triggers)
            await self.typing_priority.turn()
        return kept

    def use_shipped_rules(self) -> None:
        """Use the shipped rules, as where the library could not be opened."""
        self._engine.rules = KeywordRules(self._adapters.shipped_rules())

    def _is_scored(self, answer: Answer) -> bool:
        """Whether an answer is scored at all: memories below the least success score are not (S2.11)."""
        return not isinstance(answer, Memory) or answer.success >= self._engine.settings.min_score

    def _keep_shipped_rules(self, library: Library) -> None:
        stored = {rule.id for rule in library.rules()}
        if library.refusal or library.damaged().get("rules"):
            return  # nothing can be written, or one that cannot be read may be one of them
        if missing := [rule for rule in self._adapters.shipped_rules() if rule.id not in stored]:
            library.put_rules(missing)

    def _note(self, part: str, sentence: str) -> None:
        self._faults.pop(part, None)
        if sentence:
            self._faults[part] = sentence

    def _note_rule_problems(self) -> None:
        self._faults.pop("rules", None)
        if self._engine.rules.problems:
            self._faults["rules"] = " ".join(self._engine.rules.problems)
