"""Working set: a team server's candidates, loaded into the index and scored as all others."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from app.domain.library import Kind, Memory
from app.domain.scope.inspection import ServerSearch
from app.ports.datastore import Candidates, CandidateSearch
from app.ports.encoder import Vectors
from app.services.engine.engine import Engine

Result = TypeVar("Result")

MOST_GATHERED = 16
"""Maximum number of candidates per query in a batch of queries, such as labelled cases."""

MOST_LOADED = 2_000
"""Maximum number of memories in the index, least recently found evicted first."""


class WorkingSet:
    """Cache of memories of a library that is too large to be scored here.

    The index holds all powers, and the memories found for recent queries; their scores are exact. Searches run on a
    separate thread, one query at a time: a new query cancels the waiting one. All methods run on the asyncio thread.
    """

    def __init__(
        self,
        search: CandidateSearch,
        engine: Engine,
        read: Callable[[Sequence[int]], Awaitable[Sequence[Memory]]],
        lacking: Callable[[], object],
    ) -> None:
        """Make a working set.

        `read` returns the scored memories of keys from the local library; `lacking` is called if loaded memories have
        no vectors.
        """
        self._search, self._engine = search, engine
        self._read, self._lacking = read, lacking
        self._thread = ThreadPoolExecutor(1, "candidates")
        self._used: OrderedDict[int, None] = OrderedDict()
        self._gathered: dict[str, frozenset[int]] = {}
        self._staying: set[int] = set()

    async def find(self, text: str, vector: Vectors | None, most: int) -> ServerSearch:
        encoder = self._encoder
        found = await self._find_candidates(text, vector, most)
        standing = found.status
        await self.bring((*found.vectors, *found.touched), found)
        return ServerSearch(
            found=len(found.vectors) + len(found.touched),
            triggers=standing.triggers,
            by_meaning=found.by_meaning,
            by_words=found.by_words,
            ms=found.ms,
            recall=standing.recall,
            measured=standing.measured,
            other_encoder="" if encoder == standing.encoder else standing.encoder,
        )

    async def gather(self, text: str, vector: Vectors | None, most: int | None = None) -> None:
        found = await self._find_candidates(text, vector, MOST_GATHERED if most is None else most)
        keys = (*found.vectors, *found.touched)
        self._staying.update(keys)
        await self.bring(keys, found)
        self._gathered[text] = frozenset(keys)

    def gathered(self, text: str) -> frozenset[int] | None:
        return self._gathered.get(text)

    def admitted(self, keys: Sequence[int]) -> list[int]:
        held = set(self.held())
        fresh = [key for key in keys if key not in held]
        return [*held.intersection(keys), *fresh[:MOST_LOADED]]

    async def bring(self, keys: Iterable[int], found: Candidates | None = None) -> None:
        """Load the memories of these keys, with the server's vectors if they fit the encoder.

        The least recently found memories are evicted. Raises StoreError.
        """
        wanted = dict.fromkeys(keys)
        for key in wanted:
            self._used.pop(key, None)
            if key not in self._staying:
                self._used[key] = None
        index = self._engine.index
        fresh = [key for key in wanted if index.answer((Kind.MEMORY, key)) is None]
        come = await self._read(fresh) if fresh else ()
        index = self._engine.index  # may have been replaced meanwhile
        index.put(come)
        if found is not None and found.status.encoder == self._encoder:
            known: dict[str, Vectors] = {}
            for memory in come:
                vectors = found.vectors.get(memory.key or 0, {})
                known |= {text: vectors[text] for text in memory.triggers if text in vectors}
            index.embed(known)
        for key in self._evictable(len(wanted)):
            index.remove((Kind.MEMORY, key))
        for _ in index.laying_out() if index.is_sparse else ():
            await asyncio.sleep(0)
        if index.unembedded():
            self._lacking()

    def held(self) -> list[int]:
        return [key for kind, key in self._engine.index.answers() if kind is Kind.MEMORY and isinstance(key, int)]

    async def close(self) -> None:
        """Close the connection to the server after the current search."""
        await self._on_own_thread(self._search.close)
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _find_candidates(self, text: str, vector: Vectors | None, most: int) -> Candidates:
        return await self._on_own_thread(partial(self._search.search, text, vector, most, encoder=self._encoder))

    async def _on_own_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @property
    def _encoder(self) -> str:
        """Name of the encoder whose vectors are compared; "" for none."""
        encoder = self._engine.encoder
        return "" if encoder is None else encoder.provenance.name

    def _evictable(self, wanted: int) -> list[int]:
        """Return the least recently found keys beyond the limit."""
        gone: list[int] = []
        while len(self._used) > max(MOST_LOADED, wanted):
            gone.append(self._used.popitem(last=False)[0])
        return gone
