"""Candidates for a query, found on the servers of a library that is too large to be scored whole on each machine.

Each server holds a part of the triggers, by a hash of their memory: their words, and their vectors as pgvector's
halves. It is derived from the library, filled from a person's copy, and may be made anew at any time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Executable, Result, create_engine, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.horizontal_shard import ShardedSession

from app.adapters.store.team import faults
from app.adapters.store.team.server import Server
from app.domain.errors import StoreError
from app.ports.candidates import Candidates, SearchStatus
from db.team import LIBRARY, SEARCH_STATE, TOUCHED

Vectors = NDArray[np.float32]

Found = TypeVar("Found")

NEAREST = 200
"""So many triggers are found by meaning, and as many by words."""

SPARE = 40
"""So many more than its part each of several servers is asked for: a hash spreads what is near, but not evenly."""

EFFORT = 400
"""How many neighbours HNSW keeps in mind while it looks for the nearest (hnsw.ef_search): the more the fewer it
misses, and the longer it takes."""

ROWS = 2_000
"""So many triggers at most are ranked by the words that they have; of common words alone not all are."""

LONGEST = 2_000
"""So many characters of a text are searched."""

MOST_TOUCHED = 2_000
"""So many memories that were changed since the index was made are scored whatever they say; for more it has to be
brought up to date."""

ASKED_MS = 5_000
"""So long a search may take."""

MIXED = 2654435761
"""Knuth's multiplicative hash: neighbouring numbers come to lie on different servers."""

FOUND = text("""
WITH asked AS MATERIALIZED (
  SELECT unnest(tsvector_to_array(to_tsvector('simple', :text))) AS word
), known AS MATERIALIZED (
  SELECT word, n FROM asked JOIN search_words USING (word)
  UNION
  SELECT alike.word, alike.n FROM asked CROSS JOIN LATERAL (
    SELECT word, n FROM search_words WHERE search_words.word % asked.word
    ORDER BY similarity(search_words.word, asked.word) DESC, n DESC LIMIT 3
  ) AS alike
  WHERE length(asked.word) > 3 AND NOT EXISTS (SELECT FROM search_words WHERE search_words.word = asked.word)
), rarest AS (
  SELECT word, ln(1 + triggers::float / n) AS weight,
    sum(n) OVER (ORDER BY n, word) AS upto, row_number() OVER (ORDER BY n, word) AS place
  FROM known, search_state
), chosen AS MATERIALIZED (
  SELECT quote_literal(word)::tsquery AS query, weight FROM rarest WHERE upto <= :rows OR place = 1
), those AS MATERIALIZED (
  SELECT memory, position, words FROM search_triggers
  WHERE words @@ (SELECT string_agg(query::text, ' | ')::tsquery FROM chosen) LIMIT :rows
), worded AS (
  SELECT memory, max(rank) AS rank FROM (
    SELECT memory, position, sum(weight) AS rank FROM those JOIN chosen ON words @@ query GROUP BY memory, position
  ) AS ranked GROUP BY memory ORDER BY 2 DESC, 1 LIMIT :nearest
), near AS (
  SELECT memory, max(alike) AS alike FROM (
    SELECT memory, -(vector <#> CAST(:vector AS halfvec)) AS alike FROM search_triggers WHERE :has_vector
    ORDER BY vector <#> CAST(:vector AS halfvec) LIMIT :nearest
  ) AS those GROUP BY memory
), picked AS (
  SELECT memory, alike, rank FROM near FULL JOIN worded USING (memory)
)
SELECT memory, text, alike, rank, halfvec_send(vector) AS vector FROM picked JOIN search_triggers USING (memory)
""")
"""What one server finds: every trigger of a memory of which one is near, or has the words that fewest have."""

LIBRARYS = "library"
"""The name of the library's own server among those that are asked."""

UNKNOWN_TABLE = "42P01"

NOT_FILLED = (
    "The servers do not hold what is searched in this library, or not all of it: “intentscope team --index” fills them."
)


BEHIND = (
    f"More than {MOST_TOUCHED} memories were changed since the servers were filled: "
    "“intentscope team --index” brings them up to date."
)


def place_of(memory: int, places: int) -> int:
    """On which of so many servers a memory's triggers lie."""
    return (memory * MIXED % 2**32) * places >> 32


class SqlCandidates:
    """Scatter and gather: each server is asked for its best, and the best of all are taken.

    `library` is the server of the library, `servers` those of the index; there may be one that is both. Every call may
    block for some seconds; StoreError, of which TeamGoneError says that a server does not answer: what the others say
    without it is not passed off as all.
    """

    def __init__(self, library: Server, servers: Sequence[Server] = ()) -> None:
        servers = tuple(servers) or (library,)
        self._places = [str(place) for place in range(len(servers))]
        self._engines = {
            name: create_engine(
                "postgresql+psycopg://", creator=_creator(server), pool_size=1, isolation_level="AUTOCOMMIT"
            )
            for name, server in zip([LIBRARYS, *self._places], (library, *servers), strict=True)
        }
        self._session = ShardedSession(
            shards=self._engines,
            shard_chooser=lambda *_: LIBRARYS,
            identity_chooser=lambda *_, **__: self._places,
            execute_chooser=lambda _: self._places,
        )

    # ---- asked

    def search(self, text: str, vector: Vectors | None, most: int, *, encoder: str = "") -> Candidates:
        """See CandidateSearch."""
        begun = time.perf_counter()
        asked = {
            "text": text[:LONGEST].replace("\0", " "),
            "rows": ROWS,
            "nearest": min(NEAREST, NEAREST // len(self._places) + SPARE),
        }

        def work() -> tuple[SearchStatus, list[Any], tuple[int, ...]]:
            if (standing := self._standing()) is None:
                raise StoreError(NOT_FILLED)
            own = None if vector is None or encoder != standing.encoder else str(vector.tolist())
            said = asked | {"vector": own, "has_vector": own is not None}
            rows = [row for place in self._places for row in self._execute(place, FOUND, said)]
            return standing, rows, self._touched(standing.seq)

        standing, rows, touched = self._asked(work)
        near = best({row.memory: row.alike for row in rows if row.alike is not None})
        worded = best({row.memory: row.rank for row in rows if row.rank is not None})
        picked = set(islice(_by_turns(near, worded), most)) - set(touched)
        return Candidates(
            _vectors(row for row in rows if row.memory in picked),
            standing,
            touched,
            len(near),
            len(worded),
            (time.perf_counter() - begun) * 1000.0,
        )

    def status(self) -> SearchStatus | None:
        """See CandidateSearch."""
        return self._asked(self._standing)

    def close(self) -> None:
        self._session.close()
        for engine in self._engines.values():
            engine.dispose()

    def _asked(self, work: Callable[[], Found]) -> Found:
        """What the servers answer; where a connection was cut meanwhile, they are asked anew by new ones."""
        with faults.known_faults():
            try:
                return work()
            except DBAPIError as error:
                if not faults.is_gone(error):
                    raise
            finally:
                self._session.close()
            for engine in self._engines.values():
                engine.dispose()
            try:
                return work()
            finally:
                self._session.close()

    def _execute(self, place: str, statement: Executable, asked: Mapping[str, Any] | None = None) -> Result[Any]:
        return self._session.execute(statement, asked, bind_arguments={"shard_id": place})

    def _standing(self) -> SearchStatus | None:
        """What the servers hold; None where that is not all of this library."""
        states: list[Any]
        try:
            states = [self._execute(place, select(SEARCH_STATE)).one_or_none() for place in self._places]
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == UNKNOWN_TABLE:
                return None
            raise
        library = self._execute(LIBRARYS, select(LIBRARY.c.id, LIBRARY.c.head)).one()
        of_one = len({state.encoder for state in states if state is not None}) == 1
        whole = all(_is_whole(state, library, place, len(states)) for place, state in enumerate(states))
        if not (of_one and whole):
            return None
        recalls = [state.recall for state in states if state.recall is not None]
        return SearchStatus(
            triggers=sum(state.triggers for state in states),
            shards=len(states),
            seq=min(state.seq for state in states),
            head=library.head,
            encoder=states[0].encoder,
            recall=min(recalls, default=None),
            measured=states[0].measured or "",
        )

    def _touched(self, seq: int) -> tuple[int, ...]:
        """Memories that were changed after this change; StoreError where they are too many."""
        since = select(TOUCHED.c.key).where(TOUCHED.c.kind == "memory", TOUCHED.c.seq > seq).limit(MOST_TOUCHED + 1)
        found = self._execute(LIBRARYS, since).scalars().all()
        if len(found) > MOST_TOUCHED:
            raise StoreError(BEHIND)
        return tuple(map(int, found))


def _creator(server: Server) -> Any:
    """What connects to a server to ask it."""

    def connected() -> Any:
        from app.adapters.store.team.driver import BinaryCursor

        connection = server.connected()
        connection.autocommit = True
        connection.cursor_factory = BinaryCursor
        connection.execute(f"SET hnsw.ef_search = {EFFORT}")
        connection.execute(f"SET statement_timeout = {ASKED_MS}")
        connection.execute("SET jit = off")
        connection.execute("SET enable_seqscan = off")  # it takes an index to be worth less than it is
        return connection

    return connected


def _is_whole(state: Any, library: Any, place: int, places: int) -> bool:
    """Whether a server holds its part, by then, of this library and no other, nor of one that was put back since."""
    held = state is not None and (state.library, state.shard, state.shards)
    return held == (library.id, place, places) and 0 <= state.seq <= library.head


def best(values: Mapping[int, float]) -> list[int]:
    """The memories of the highest values, the highest first."""
    return sorted(values, key=lambda memory: (-values[memory], memory))[:NEAREST]


def _by_turns(one: Sequence[int], other: Sequence[int]) -> Iterator[int]:
    """What is in either, the best first, each once."""
    pairs = chain.from_iterable(zip_longest(one, other))
    return iter(dict.fromkeys(memory for memory in pairs if memory is not None))


def _vectors(rows: Iterable[Any]) -> dict[int, dict[str, Vectors]]:
    """By memory, the vectors of its triggers by their texts, read from pgvector's own format: two numbers of 16 bits,
    then halves, all of them the most significant byte first. Of a text that was cut nobody knows whose vector it is."""
    found: dict[int, dict[str, Vectors]] = {}
    for row in rows:
        own = found.setdefault(row.memory, {})
        if len(row.text) < LONGEST:
            own[row.text] = np.frombuffer(row.vector, ">f2", offset=4).astype(np.float32)
    return found
