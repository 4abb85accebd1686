"""What is answered with: the open library, and index and rules brought to what it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.detect.keywords import KeywordRules
from app.domain.library import Answer, Memory
from app.ports import Library, StoreError
from app.scoring.index import AnswerKey, key_of
from app.services.inspect import Engine
from app.services.outside import Outside

NO_STORE = "The library is not open, so nothing was changed."

PRUNED_AT_ONCE = 2_000
MOST_PRUNINGS = 20
"""So many texts lose their vectors in one transaction, and in one session."""

Result = TypeVar("Result")


class Stock:
    """One profile's library, called on a thread of its own, and the engine's index and rules.

    `faults` is the desk's; the parts "store" and "rules" are told there.
    """

    def __init__(self, outside: Outside, engine: Engine, faults: dict[str, str]) -> None:
        self._outside = outside
        self._engine = engine
        self._faults = faults
        self._library: Library | None = None
        self.thread = ThreadPoolExecutor(1, "store")
        self.counts: Mapping[str, int] = {}
        self._version = 0

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
        self._library = await self.run(self._outside.open_library)

    async def close(self) -> None:
        if self._library is not None:
            await self.run(self._library.close)
        self.thread.shutdown()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run a call on the store's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, call)

    async def load(self) -> None:
        """Bring index, rules and counts to what the store holds now, changing only what differs."""
        library = self.library
        version = await self.run(library.data_version)
        memories = await self.run(library.memories)
        powers = await self.run(library.powers)
        await self.run(lambda: self._keep_shipped_rules(library))
        self._engine.rules = KeywordRules(await self.run(library.rules))
        self._note_rule_problems()
        await self._note_secrets(library)
        stored: list[Answer] = [*memories, *powers]
        wanted: dict[AnswerKey, Answer] = {key_of(answer): answer for answer in stored if self._counts_in(answer)}
        present = self._engine.index.answers()
        for key in present.keys() - wanted.keys():
            self._engine.index.remove(key)
        self._engine.index.put(answer for key, answer in wanted.items() if _differs(present.get(key), answer))
        self.counts = await self.run(library.counts)
        self._version = version

    async def _note_secrets(self, library: Library) -> None:
        self._faults.pop("secrets", None)
        if fault := await self.run(library.secrets_fault):
            self._faults["secrets"] = fault

    async def recount(self) -> None:
        self.counts = await self.run(self.library.counts)

    async def has_news(self) -> bool:
        """Whether another program has written to the library since it was loaded; StoreError."""
        return await self.run(self.library.data_version) != self._version

    async def prune(self) -> int:
        """Forget vectors of texts that nothing taught has any more, some at a time; how many went; StoreError."""
        library, gone = self.library, 0

        def some() -> int:
            answers: list[Answer] = [*library.memories(), *library.powers()]
            kept = {text for answer in answers for text in (answer.triggers or (answer.name,))}
            return library.prune_embeddings(kept, PRUNED_AT_ONCE)

        for _ in range(MOST_PRUNINGS):
            pruned = await self.run(some)
            gone += pruned
            if not pruned:
                break
        return gone

    def score_with(self, answer: Answer) -> None:
        """Answer with a stored memory or power from now on; with the vectors that are known."""
        index, vectors = self._engine.index, self._engine.vectors
        if not self._counts_in(answer):
            index.remove(key_of(answer))
            return
        index.put([answer])
        index.embed({text: v for text in answer.triggers if (v := vectors.get(text)) is not None})

    def use_shipped_rules(self) -> None:
        """Do without the library's rules, as where it could not be opened."""
        self._engine.rules = KeywordRules(self._outside.shipped_rules())

    def _counts_in(self, answer: Answer) -> bool:
        """Whether an answer is scored at all: memories below the least success score are not (S2.11)."""
        return not isinstance(answer, Memory) or answer.success >= self._engine.settings.min_score

    def _keep_shipped_rules(self, library: Library) -> None:
        stored = {rule.id for rule in library.rules()}
        if missing := [rule for rule in self._outside.shipped_rules() if rule.id not in stored]:
            library.put_rules(missing)

    def _note_rule_problems(self) -> None:
        self._faults.pop("rules", None)
        if self._engine.rules.problems:
            self._faults["rules"] = " ".join(self._engine.rules.problems)


def _differs(present: Answer | None, stored: Answer) -> bool:
    """Whether the stored answer is another, or the same of another version: an edit must be made on the latest."""
    return present is None or present != stored or present.version != stored.version
