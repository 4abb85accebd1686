"""Candidate search on a team's server, for libraries too large to score locally.

The server holds the triggers' words, and their vectors as pgvector's halves. Both are derived from the library,
filled from a member's copy, and can be rebuilt at any time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, create_engine, select, text
from sqlalchemy.exc import DBAPIError

from app.adapters.store.team import faults
from app.adapters.store.team.server import Server
from app.domain.errors import StoreError
from app.ports.datastore import Candidates, SearchStatus
from db.team import LIBRARY, SEARCH_STATE, TOUCHED

Vectors = NDArray[np.float32]

Found = TypeVar("Found")

NEAREST = 200
"""Number of triggers found by meaning, and by words."""

EFFORT = 400
"""Number of candidates in HNSW's search (hnsw.ef_search): recall against time."""

ROWS = 2_000
"""Maximum number of triggers ranked by words; common words may match more."""

LONGEST = 2_000
"""Maximum number of characters of a text that are searched."""

MOST_TOUCHED = 2_000
"""Maximum number of memories changed since the fill, which are all scored; beyond, refill."""

ASKED_MS = 5_000
"""Time-out of a search in ms."""

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
"""Statement for all triggers of memories with a near trigger or the rarest words."""

NOT_FILLED = (
    "The team's server does not hold the search data of this library, or not all of it: “intentscope team --index” "
    "fills it."
)


BEHIND = (
    f"More than {MOST_TOUCHED} memories were changed since the team's server was filled: "
    "“intentscope team --index” brings it up to date."
)


class SqlCandidates:
    """Search on the server of a team's library. Calls may block for seconds; raises StoreError."""

    def __init__(self, server: Server) -> None:
        self._engine = create_engine(
            "postgresql+psycopg://", creator=_creator(server), pool_size=1, isolation_level="AUTOCOMMIT"
        )

    # ---- Queries

    def search(self, text: str, vector: Vectors | None, most: int, *, encoder: str = "") -> Candidates:
        begun = time.perf_counter()

        def work(connection: Connection) -> tuple[SearchStatus, Sequence[Any], tuple[int, ...]]:
            if (status := _status(connection)) is None:
                raise StoreError(NOT_FILLED)
            own = None if vector is None or encoder != status.encoder else str(vector.tolist())
            asked = {"text": text[:LONGEST].replace("\0", " "), "rows": ROWS, "nearest": NEAREST}
            rows = connection.execute(FOUND, asked | {"vector": own, "has_vector": own is not None}).all()
            return status, rows, _touched(connection, status.seq)

        status, rows, touched = self._run_query(work)
        near = _best({row.memory: row.alike for row in rows if row.alike is not None})
        worded = _best({row.memory: row.rank for row in rows if row.rank is not None})
        picked = set(islice(_by_turns(near, worded), most)) - set(touched)
        return Candidates(
            _vectors(row for row in rows if row.memory in picked),
            status,
            touched,
            len(near),
            len(worded),
            (time.perf_counter() - begun) * 1000.0,
        )

    def status(self) -> SearchStatus | None:
        return self._run_query(_status)

    def close(self) -> None:
        self._engine.dispose()

    def _run_query(self, work: Callable[[Connection], Found]) -> Found:
        """Run a query; retry once on a new connection if the old one was cut."""
        with faults.known_faults():
            try:
                with self._engine.connect() as connection:
                    return work(connection)
            except DBAPIError as error:
                if not faults.is_gone(error):
                    raise
            self._engine.dispose()
            with self._engine.connect() as connection:
                return work(connection)


def _status(connection: Connection) -> SearchStatus | None:
    """Return the state of the search tables; None if incomplete or of another library."""
    try:
        state = connection.execute(select(SEARCH_STATE)).one_or_none()
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == "42P01":  # unknown table
            return None
        raise
    library = connection.execute(select(LIBRARY.c.id, LIBRARY.c.head)).one()
    if state is None or (state.library, state.shards) != (library.id, 1) or not 0 <= state.seq <= library.head:
        return None
    return SearchStatus(
        state.triggers, state.seq, library.head, state.encoder, recall=state.recall, measured=state.measured or ""
    )


def _touched(connection: Connection, seq: int) -> tuple[int, ...]:
    """Return the memories changed after this change; raises StoreError if too many."""
    since = select(TOUCHED.c.key).where(TOUCHED.c.kind == "memory", TOUCHED.c.seq > seq).limit(MOST_TOUCHED + 1)
    found = connection.execute(since).scalars().all()
    if len(found) > MOST_TOUCHED:
        raise StoreError(BEHIND)
    return tuple(map(int, found))


def _creator(server: Server) -> Any:
    """Return a function that connects to a server for searches."""

    def connected() -> Any:
        from app.adapters.store.team.driver import BinaryCursor

        connection = server.connected()
        connection.autocommit = True
        connection.cursor_factory = BinaryCursor
        connection.execute(f"SET hnsw.ef_search = {EFFORT}")
        connection.execute(f"SET statement_timeout = {ASKED_MS}")
        connection.execute("SET jit = off")
        connection.execute("SET enable_seqscan = off")  # the planner underestimates the index
        return connection

    return connected


def _best(values: Mapping[int, float]) -> list[int]:
    """Return the memories with the highest values, highest first."""
    return sorted(values, key=lambda memory: (-values[memory], memory))[:NEAREST]


def _by_turns(one: Sequence[int], other: Sequence[int]) -> Iterator[int]:
    """Interleave two rankings without duplicates."""
    pairs = chain.from_iterable(zip_longest(one, other))
    return iter(dict.fromkeys(memory for memory in pairs if memory is not None))


def _vectors(rows: Iterable[Any]) -> dict[int, dict[str, Vectors]]:
    """Parse vectors (two 16-bit numbers, halves, big-endian), except of cut texts."""
    found: dict[int, dict[str, Vectors]] = {}
    for row in rows:
        own = found.setdefault(row.memory, {})
        if len(row.text) < LONGEST:
            own[row.text] = np.frombuffer(row.vector, ">f2", offset=4).astype(np.float32)
    return found
