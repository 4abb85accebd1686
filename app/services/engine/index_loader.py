"""The index that answers: the open library, and index and rules brought to what it holds."""

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
from app.domain.language import say, thousands
from app.domain.library import Answer, Kind, Membership, Memory
from app.ports.store import Library, Maintenance, Memories, Powers, Rules, TaughtItems
from app.scoring.index.trigger_index import AnswerKey, TriggerIndex, key_of
from app.services.engine.adapters import Adapters
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority, making_many
from app.services.engine.working_set import WorkingSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


AT_ONCE = 256
"""So many answers go into the index or out of it at a time: a few milliseconds."""

GIVE_BACK_SECONDS = 60.0
"""So often memory is given back while somebody types: that halts for 40 ms the first time, and then for less than 1."""

PAUSE_SECONDS = 20.0
"""So long giving back waits for typing to end; from then on for the answer to the last key alone."""

ReportProgress = Callable[[int, int], object]
"""Called with how many of how many are done."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What the index lacks, or has in another version, and what it has that is not wanted."""

    come: Sequence[Answer] = ()
    gone: Sequence[AnswerKey] = ()

    def __len__(self) -> int:
        return len(self.come) + len(self.gone)


def difference(index: TriggerIndex, wanted: Iterable[Answer], of: Kind | None = None) -> Difference:
    """What would make the index hold exactly these answers, of those of a kind. It only reads, so any thread may ask
    while none writes."""
    present = {key: answer for key, answer in index.answers().items() if of in (None, key[0])}
    come: list[Answer] = []
    gone: list[AnswerKey] = []
    for answer in wanted:
        before = present.pop(key_of(answer), None)
        if answer.paused:
            if before is not None:
                gone.append(key_of(answer))
        elif _differs(before, answer):
            come.append(answer)
    return Difference(come, (*gone, *present))


async def fill(
    index: TriggerIndex,
    change: Difference,
    typing_priority: TypingPriority,
    progress: ReportProgress | None = None,
    vector: Callable[[str], NDArray[np.float32] | None] | None = None,
) -> None:
    """Make the change on the engine's thread; after each step the index is whole, and a waiting key has its turn.

    What scores as it did only takes its place, vectors and all; `vector` tells those that are known of new texts.
    """
    done, total = 0, len(change)
    with making_many(total):
        for start in range(0, len(change.gone), AT_ONCE):
            for key in change.gone[start : start + AT_ONCE]:
                index.remove(key)
            done = min(len(change.gone), start + AT_ONCE)
            if progress is not None:
                progress(done, total)
            await typing_priority.turn()
        for _ in index.widening(change.come):
            await typing_priority.turn()
        for start in range(0, len(change.come), AT_ONCE):
            fresh = index.restate(change.come[start : start + AT_ONCE])
            index.put(fresh)
            if vector is not None:
                texts = dict.fromkeys(text for one in fresh for text in one.triggers)
                index.embed({text: known for text in texts if (known := vector(text)) is not None})
            index.refresh()  # else the next key would have to do it for all of them
            if progress is not None:
                progress(min(total, len(change.gone) + start + AT_ONCE), total)
            await typing_priority.turn()
    if index.is_sparse:
        with making_many(len(index)):
            for _ in index.laying_out():
                await typing_priority.turn()


def _differs(present: Answer | None, stored: Answer) -> bool:
    """Whether the stored answer is another, or the same of another version: an edit must be made on the latest."""
    return present is None or present != stored or present.version != stored.version


# --------------------------------------------------------------------------------------------------------------------
# What is answered with: the open library, and index and rules brought to what it holds

NO_STORE = say("The library is not open, so nothing was changed.")

PRUNED_AT_ONCE = 2_000
MOST_PRUNINGS = 20
"""So many texts lose their vectors in one transaction, and in one session."""

READ_AT_ONCE = 256
"""So many memories are read back at a time."""

Result = TypeVar("Result")


NAMED = 5
"""So many damaged rows of a kind are named."""


def damage_of(library: Maintenance) -> str:
    """What a person should know of the rows that cannot be read; "" if all can."""
    if not (damaged := library.damaged()):
        return ""
    named = ", ".join(f"{kind} {_first_of(keys)}" for kind, keys in damaged.items())
    return say(
        "Rows of the library are damaged and left out: {named}. The rest is used and can be exported.", named=named
    )


def _first_of(keys: Sequence[object]) -> str:
    shown = ", ".join(map(str, keys[:NAMED]))
    return (
        say("{shown} and {count} more", shown=shown, count=thousands(len(keys) - NAMED)) if len(keys) > NAMED else shown
    )


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
        """Whether anybody reads the notes: to look for a keyring takes as long as everything else on the disk."""
        self._version = 0
        self.team: Membership | None = None
        """The team's library that this one was a copy of when it was looked at last."""
        self._is_whole = False
        """Whether the index holds all that the library did when it was looked at last."""
        self._is_placed = False
        """Whether it is decided where memories are scored, which holds until the library is closed."""
        self.embed_missing: Callable[[], object] = lambda: None
        """Has vectors made for what came into the index without."""
        self.more_texts: Callable[[], set[str]] = set
        """Texts that have vectors though they are in no index."""

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
                await self.has_news()
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

    async def give_back(self) -> None:
        """Hand the memory to the system that work has left behind, once nobody types, or else between two keys: no
        thread gets any while that goes on."""
        await self.typing_priority.come(PAUSE_SECONDS)
        await self.typing_priority.turn()
        await asyncio.to_thread(self._adapters.give_back)

    async def keep_giving_back(self) -> None:
        """Now and then while somebody types: what answers leave behind lies between what stays, and grows for hours."""
        while True:
            await asyncio.sleep(GIVE_BACK_SECONDS)
            if self.typing_priority.quiet_seconds < GIVE_BACK_SECONDS:
                await self.give_back()

    async def load(self, *, whole: bool = True) -> None:
        """Bring index, rules and counts to what the store holds now, changing only what differs: that may be any
        memory, unless it need not be the `whole` and is known which others have touched."""
        library = self.library
        version = await self.run(library.data_version)
        self.counts = await self.run(library.counts)
        await self._place(library)
        touched = await self.run(library.changed_memories)
        is_known, self._is_whole = not whole and self._is_whole and touched is not None, False
        stored = await self._stored(library) if not is_known else []
        await self.run(lambda: self._keep_shipped_rules(library))
        await self._take_up_rules(library)
        await self._note_secrets(library)
        self._note("changes", library.refusal)
        self.team = await self.run(library.team)
        self._note("rows", await self.run(lambda: damage_of(library)))
        if is_known:
            await self._take_up_powers(library)
            await self._follow_memories(library, self._scored_here(touched or ()), None)
        else:
            await self._take_up(stored)
        self.counts = await self.run(library.counts)
        self._version, self._is_whole = version, True

    async def _stored(self, library: Library) -> list[Answer]:
        """What is scored: all that is stored, or of the memories those that servers found lately."""
        if (candidates := self._engine.candidates) is None:
            with making_many(sum(self.counts.values())):
                return await self.run(lambda: [*library.memories(), *library.powers()])
        held = candidates.held()
        return await self.run(lambda: [*(one.item for one in library.memories_by_key(held)), *library.powers()])

    async def _place(self, library: Library) -> None:
        """Decide where memories are scored: here, or as candidates that servers find; StoreError."""
        wanted, search = self._engine.settings.team, self._adapters.candidate_search
        if self._is_placed:
            return
        self._is_placed = True
        is_large = self.counts.get("triggers", 0) >= wanted.score_from
        if wanted.score == "here" or not (is_large or wanted.score == "server"):
            return
        if (found := await self.run(partial(search, library, wanted.servers))) is None:
            return
        try:
            if wanted.score == "auto" and await self.run(found.status) is None:
                await self.run(found.close)
                return  # nobody has filled the servers
        except StoreError as error:
            self._note("search", str(error))
        self._engine.candidates = WorkingSet(found, self._engine, self._scored, self.embed_missing)

    async def _scored(self, keys: Sequence[int]) -> list[Memory]:
        """The memories of these keys that are scored at all."""
        found = [one.item for one in await self.run(partial(self.library.memories_by_key, keys))]
        return [memory for memory in found if not memory.paused and self._counts_in(memory)]

    async def _take_up(self, stored: Sequence[Answer]) -> None:
        """Make the index hold what counts of all that is stored, and nothing else."""
        index = self._engine.index
        wanted = (answer for answer in stored if self._counts_in(answer))
        await fill(index, await self.run(lambda: difference(index, wanted)), self.typing_priority)

    async def _take_up_powers(self, library: Powers) -> None:
        """Make the index hold the powers that are stored, and leave its memories be."""
        index = self._engine.index
        change = await self.run(lambda: difference(index, library.powers(), Kind.POWER))
        await fill(index, change, self.typing_priority)

    async def follow(self, kind: str, keys: Sequence[int], progress: ReportProgress | None = None) -> None:
        """Answer with what an import stored under these keys, `kind` in its words; only that is read back."""
        library = self.library
        if kind == "rules":
            await self._take_up_rules(library)
        elif kind == "powers":
            wanted = set(keys)
            powers = await self.run(library.powers)
            await fill(
                self._engine.index,
                Difference([one for one in powers if one.key in wanted]),
                self.typing_priority,
                progress,
            )
            await self._note_secrets(library)
        elif kind == "memories":
            keys = self._scored_here(keys)
            with making_many(len(keys)):
                await self._follow_memories(library, keys, progress)
        self.counts = await self.run(library.counts)

    def _scored_here(self, keys: Sequence[int]) -> Sequence[int]:
        """Those of these memories that are in the index, where servers find the others once they are asked for; else
        all."""
        candidates = self._engine.candidates
        return keys if candidates is None else sorted({*keys}.intersection(candidates.held()))

    async def _follow_memories(self, library: Memories, keys: Sequence[int], progress: ReportProgress | None) -> None:
        for start in range(0, len(keys), READ_AT_ONCE):
            some = keys[start : start + READ_AT_ONCE]
            found = [one.item for one in await self.run(partial(library.memories_by_key, some))]
            await self.typing_priority.turn()  # a key may have come while they were read
            come = [memory for memory in found if self._counts_in(memory)]
            gone: list[AnswerKey] = [(Kind.MEMORY, key) for key in {*some}.difference(one.key for one in come)]
            await fill(self._engine.index, Difference(come, gone), self.typing_priority)
            if progress is not None:
                progress(min(len(keys), start + READ_AT_ONCE), len(keys))

    async def _take_up_rules(self, library: Rules) -> None:
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

    async def has_news(self) -> bool:
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
        """Forget vectors of texts that nothing taught has any more, some at a time; how many went; StoreError."""
        library, gone = self.library, 0
        for _ in range(MOST_PRUNINGS):
            await self.typing_priority.come()
            kept = await self.texts(library)
            pruned = await self.run(partial(library.prune_embeddings, kept, PRUNED_AT_ONCE))
            gone += pruned
            if not pruned:
                break
        return gone

    async def texts(self, library: TaughtItems) -> set[str]:
        """Every text that has, or may have, a vector; read a little at a time, so that others come to the store."""
        answers: list[Answer] = [*await self.run(library.powers)]
        kept = {text for answer in answers for text in (answer.triggers or (answer.name,))} | self.more_texts()
        keys = await self.run(partial(library.find_memories, MemoryFilter()))
        for start in range(0, len(keys), READ_AT_ONCE):
            found = await self.run(partial(library.memories_by_key, keys[start : start + READ_AT_ONCE]))
            kept.update(text for one in found for text in one.item.triggers)
            await self.typing_priority.turn()
        return kept

    def use_shipped_rules(self) -> None:
        """Do without the library's rules, as where it could not be opened."""
        self._engine.rules = KeywordRules(self._adapters.shipped_rules())

    def _counts_in(self, answer: Answer) -> bool:
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
