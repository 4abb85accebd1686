"""Engine: the parts that score a query, the same for window, command line and tests."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Self, TypeVar

from app.detect.keywords import KeywordRules
from app.domain.inspection import ServerSearch, estimated_tokens
from app.domain.library import Kind, Memory
from app.domain.match import Band, Match
from app.ports.datastore import Candidates, CandidateSearch
from app.ports.encoder import Embedder, LengthAware, Vectors
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.spelling import Spelling
from app.scoring.text import ScoredText
from app.services.engine.embedding import QueryVectors, query_vectors
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.route_stages import RouteCore
from app.services.engine.type_voter import ENCODER_COMING, NO_ENCODER, TypeDetector, TypeVoter
from app.settings.model import Settings

Result = TypeVar("Result")

DIMENSION = 384
"""Length of vectors until an encoder is loaded."""


@dataclass
class Engine:
    """Parts that score a query. `encoder` is None while loading; `encoder_fault` is a failure."""

    index: TriggerIndex
    rules: KeywordRules
    settings: Settings
    now_ms: Callable[[], float]
    llm: LlmRequests
    encoder: Embedder | None = None
    encoder_fault: str | None = None
    vectors: QueryVectors = field(default_factory=QueryVectors)
    routes: RouteCore | None = None
    types: TypeVoter = field(default_factory=TypeVoter)
    awaited_fit: Callable[[], str] = str
    """Returns why a coming fit may change what `learned` decides; "" if none is awaited."""
    count_tokens: Callable[[Sequence[str]], list[int]] = estimated_tokens
    candidates: WorkingSet | None = None
    """Loads candidates into the index; None if the index holds all memories."""
    spellings: dict[tuple[int, int], Spelling] = field(default_factory=dict, repr=False)
    """Spelling of the words that the index holds, by encoder and digest of the index; one at most."""

    @property
    def detector(self) -> TypeDetector:
        """Type detector without an LLM."""
        return TypeDetector(self.rules, self.types, self.encoder)

    def corrected(self, text: str) -> str:
        """Return a query in corrected spelling, as its vector and its negations are read from."""
        encoder: object = self.encoder
        if not isinstance(encoder, LengthAware):
            return text
        key = id(encoder), self.index.digest
        if key not in self.spellings:
            self.spellings.clear()
            self.spellings[key] = Spelling(self.index.bm25.frequencies, encoder.lengths)
        return self.spellings[key].corrected(text)

    def query(self, text: str) -> ScoredText:
        """Return a query with its vector, if there is an encoder. May block; raises EncoderError."""
        if self.encoder is None:
            return ScoredText(text)
        return self.index.read(text, query_vectors(self.encoder, [self.corrected(text)])[0])

    @property
    def why_no_vote(self) -> str:
        """Reason why the voters cannot vote on a query without a vector."""
        return ENCODER_COMING if self.encoder is None and self.encoder_fault is None else NO_ENCODER

    @classmethod
    def bare(cls, now_ms: Callable[[], float], llm: LlmRequests) -> Self:
        """Make an empty engine with default settings."""
        engine = cls(TriggerIndex(DIMENSION), KeywordRules(()), Settings(), now_ms, llm)
        engine.index.reads = engine.corrected
        engine.forget_vectors()
        return engine

    def forget_vectors(self) -> None:
        """Drop the vectors of recent queries."""
        self.vectors = QueryVectors(self.corrected)


# ---- Memories of a library that is too large to be scored here

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
        """Load the candidates of a query into the index; raises StoreError."""
        encoder = self._encoder
        found = await self._find_candidates(text, vector, most)
        standing = found.status
        await self.load_keys((*found.vectors, *found.touched), found)
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
        """Load and pin the candidates of one query of a batch, such as labelled cases.

        `most` limits them; by default fewer than while the user types. Raises StoreError.
        """
        found = await self._find_candidates(text, vector, MOST_GATHERED if most is None else most)
        keys = (*found.vectors, *found.touched)
        self._staying.update(keys)
        await self.load_keys(keys, found)
        self._gathered[text] = frozenset(keys)

    def gathered(self, text: str) -> frozenset[int] | None:
        """Return the keys gathered for a query; None if it was not gathered."""
        return self._gathered.get(text)

    def admitted(self, keys: Sequence[int]) -> list[int]:
        """Return the loaded ones of these memories, and as many others as there is room for."""
        held = set(self.held())
        return [*held.intersection(keys), *[key for key in keys if key not in held][:MOST_LOADED]]

    async def load_keys(self, keys: Iterable[int], found: Candidates | None = None) -> None:
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
        """Return the keys of the loaded memories."""
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


# ---- Listed matches, and breakdowns in the log

BREAKDOWNS = logging.getLogger("app.breakdowns")
"""Logger of breakdowns. They name triggers, so logging is opt-in and not in bug reports."""

LISTED_LAPSED = 3
"""Maximum number of listed memories that are not valid, where these are not among the `matches` best."""

LOGGED_FROM = 0.7
"""Minimum confidence of a breakdown in the log (source document 002)."""


def listed(ranked: tuple[Match, ...], settings: Settings) -> tuple[Match, ...]:
    """Return at most `matches` of each kind, and LISTED_LAPSED memories that would be found if valid."""
    left, lapsed, kept = dict.fromkeys(Kind, settings.matches), LISTED_LAPSED, list[Match]()
    for match in ranked:
        left[match.kind] -= 1
        if left[match.kind] >= 0 or (match.lapse and match.band is not Band.FALLBACK and lapsed > 0):
            lapsed -= match.lapse is not None
            kept.append(match)
    return tuple(kept)


def unlisted(ranked: tuple[Match, ...], settings: Settings) -> tuple[Match, ...]:
    """Return the matches beyond the first `matches` of each kind."""
    shown = {id(match) for match in listed(ranked, settings)}
    return tuple(match for match in ranked if id(match) not in shown)


def may_log_breakdowns(settings: Settings) -> bool:
    """Check if breakdowns are to be logged: switched on, and queries are stored in full."""
    return settings.log_breakdowns and settings.history.privacy == "full"


def log_breakdowns(ranked: tuple[Match, ...]) -> None:
    """Log one line for each match of LOGGED_FROM and above."""
    for match in ranked:
        if match.confidence < LOGGED_FROM:
            continue
        shown = ", ".join(f"{name} {value:.3f}" for name, value in match.scores.items() if value is not None)
        BREAKDOWNS.info("%s %.3f: %s", match.answer.name, match.confidence, shown)
