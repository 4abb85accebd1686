"""Filling and updating of the search tables on a team's server from a local copy."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from app.adapters.datastores.client import first_line
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team.library import PASSWORD
from app.adapters.store.team.search import LONGEST, NEAREST, SqlCandidates, Vectors
from app.adapters.store.team.server import Server
from app.domain.errors import StoreBusyError, StoreError
from app.domain.filters import MemoryFilter
from app.domain.library import Memory
from app.ports.datastore import SearchStatus
from app.ports.encoder import Embedder
from app.ports.store import Secrets
from db.team import LIBRARY, SEARCH, SEARCH_STATE, SEARCH_TRIGGERS, TOUCHED

AT_ONCE = 1_000
"""Number of memories per transaction; an interrupted fill continues after them."""

ENCODED_AT_ONCE = 256

TEN = 10
"""Number of nearest memories whose recall is measured."""

NODE_BYTES, MOST_BYTES = 1_400, 2 * 2**30
"""Memory of an HNSW build per trigger, and its maximum; beyond it is much slower."""

MEMORY = text(
    "SELECT set_config('maintenance_work_mem', greatest("
    "pg_size_bytes(current_setting('maintenance_work_mem')), :bytes) / 1024 || 'kB', true)"
)
"""Statement that raises the server's setting, unless it is larger."""

FILLING_LOCK = 0x66696C6C  # "fill"
"""Advisory lock of a client that fills a database."""

NEAREST_OF_ALL = text("""
SELECT memory, max(alike) AS alike FROM (
  SELECT memory, -(vector <#> CAST(:vector AS halfvec)) AS alike FROM search_triggers OFFSET 0
) AS every GROUP BY memory ORDER BY 2 DESC, 1 LIMIT :most
""")
"""Statement for the memories of the nearest triggers, without an index."""

EXTENSIONS = {"vector": "pgvector", "pg_trgm": "pg_trgm"}
"""Packages that provide the server's extensions, by name."""

VECTORS = "ALTER TABLE search_triggers ADD COLUMN vector halfvec({dimension}), ALTER COLUMN vector SET STORAGE PLAIN"

WORDS = (
    "TRUNCATE search_words",
    "INSERT INTO search_words SELECT word, ndoc FROM ts_stat('SELECT words FROM search_triggers')",
)

INDEXES = (
    "CREATE INDEX IF NOT EXISTS search_triggers_words ON search_triggers USING gin (words)",
    "CREATE INDEX IF NOT EXISTS search_words_letters ON search_words USING gin (word gin_trgm_ops)",
    "CREATE INDEX IF NOT EXISTS search_triggers_meaning ON search_triggers USING hnsw (vector halfvec_ip_ops)",
    "ANALYZE search_triggers",
    "ANALYZE search_words",
)

MORE_WORDS = text(
    "INSERT INTO search_words SELECT lexeme, count(*) FROM search_triggers, unnest(words) "
    "WHERE memory = ANY(:memories) GROUP BY lexeme ON CONFLICT (word) DO UPDATE SET n = search_words.n + excluded.n"
)

Tell = Callable[[int, int], object]


class BulkLoad:
    """Bulk load: all memories by key, then the indexes, then memories changed meanwhile.

    Each batch is one transaction that records its progress, so that an interrupted fill continues there. One client
    fills at a time, as copies rarely have the same state. Raises StoreError.
    """

    def __init__(self, copy: SqlLibrary, server: Server, encoder: Embedder) -> None:
        """Fill the server from `copy`, the local copy of its library."""
        self._copy, self._server, self._encoder = copy, server, encoder

    def fill(self, tell: Tell = lambda done, total: None) -> None:
        """Fill the server with the copy's memories; `tell` gets (done, total).

        Raises StoreBusyError if another client is filling it.
        """
        member = self._copy.team()
        assert member is not None, "only a team's library is searched on a server"
        with _locked(self._server):
            self._make(member.library, member.head)
            state = self._state()
            if state.seq < 0:
                self._load(state.filled, tell)
                self._finish()
            self._follow(tell)

    def measure(self, search: SqlCandidates, queries: int) -> float | None:
        """Measure the recall of the nearest ten for triggers without one word; None without any.

        The exact result is computed from every vector.
        """
        asked = self._sample_queries(queries)
        if not asked:
            return None
        vectors, hits = self._encoder.encode(asked), 0
        wanted = 0
        for line, vector in zip(asked, vectors, strict=True):
            exact = self.nearest(vector, TEN)
            found = search.search(line, vector, NEAREST, encoder=self._encoder.provenance.name)
            hits += sum(memory in found.vectors or memory in found.touched for memory in exact)
            wanted += len(exact)
        recall = hits / wanted
        with self._server.transaction() as connection:
            connection.execute(update(SEARCH_STATE).values(recall=recall, measured=f"{datetime.now(UTC):%Y-%m-%d}"))
        return recall

    def nearest(self, vector: Vectors, most: int) -> list[int]:
        """Return the memories of the nearest triggers from all vectors; slow."""
        with _unhurried(self._server) as connection:
            rows = connection.execute(NEAREST_OF_ALL, {"vector": str(vector.tolist()), "most": most})
            return [row.memory for row in rows]

    # ---- Steps

    def _make(self, library: str, head: int) -> None:
        """Create the tables on the server, or recreate unsuitable ones.

        The load is of this change or a later one.
        """
        made = self._encoder.provenance
        fits = {"library": library, "shard": 0, "shards": 1, "encoder": made.name, "dimension": made.dimension}
        with self._server.transaction() as connection:
            newest = connection.scalar(select(LIBRARY.c.head)) or 0
            _need_extensions(connection)
            if connection.scalar(text("SELECT to_regclass('search_state')")) is not None:
                held = connection.execute(select(SEARCH_STATE)).mappings().one_or_none()
                if held is not None and held["library"] != library:
                    raise _others(self._server)
                if held is not None and fits.items() <= dict(held).items() and held["seq"] <= newest:
                    begun = func.least(SEARCH_STATE.c.begun, head)  # an earlier client's copy may be newer
                    connection.execute(update(SEARCH_STATE).values(begun=begun))
                    return
            SEARCH.drop_all(connection)
            SEARCH.create_all(connection)
            connection.execute(text(VECTORS.format(dimension=made.dimension)))
            connection.execute(insert(SEARCH_STATE).values(**fits, filled=0, begun=head, seq=-1, triggers=0))

    def _load(self, filled: int, tell: Tell) -> None:
        keys = sorted(self._copy.find_memories(MemoryFilter()))
        todo = [key for key in keys if key > filled]
        for start in range(0, len(todo), AT_ONCE):
            tell(len(keys) - len(todo) + start, len(keys))
            some = todo[start : start + AT_ONCE]
            self._put(some, self._memories(some), {"filled": some[-1]})
        tell(len(keys), len(keys))

    def _follow(self, tell: Tell) -> None:
        """Update the server with changes since the fill."""
        member = self._copy.team()
        assert member is not None, "nobody leaves meanwhile"
        since = self._state().seq
        with self._server.transaction() as connection:
            wanted = select(TOUCHED.c.key).where(TOUCHED.c.kind == "memory", TOUCHED.c.seq > since)
            keys = sorted(map(int, connection.execute(wanted).scalars()))
        for start in range(0, len(keys), AT_ONCE):
            tell(start, len(keys))
            some = keys[start : start + AT_ONCE]
            self._put(some, self._memories(some), {}, is_known=True)
        with _unhurried(self._server) as connection:
            connection.execute(update(SEARCH_STATE).values(seq=member.head, triggers=_count(connection)))

    def _put(
        self, keys: Sequence[int], memories: Sequence[Memory], noted: Mapping[str, int], *, is_known: bool = False
    ) -> None:
        """Store exactly these memories for these keys."""
        vectors = self._vectors({text for one in memories for text in one.triggers})
        # With existing indexes each row first finds its neighbours, which is slow.
        with _unhurried(self._server) if is_known else self._server.transaction() as connection:
            connection.execute(delete(SEARCH_TRIGGERS).where(SEARCH_TRIGGERS.c.memory == func.any(list(keys))))
            _copy_in(connection, memories, vectors)
            if is_known:
                connection.execute(MORE_WORDS, {"memories": list(keys)})
            if noted:
                connection.execute(update(SEARCH_STATE).values(**noted))

    def _finish(self) -> None:
        """Count words and build indexes, which is fastest at the end."""
        with _unhurried(self._server) as connection:
            triggers = _count(connection)
            connection.execute(MEMORY, {"bytes": min(triggers * NODE_BYTES, MOST_BYTES)})
            for statement in (*WORDS, *INDEXES):
                connection.exec_driver_sql(statement)
            connection.execute(update(SEARCH_STATE).values(seq=SEARCH_STATE.c.begun, triggers=triggers, recall=None))

    # ---- Local data

    def _memories(self, keys: Sequence[int]) -> list[Memory]:
        return [one.item for one in self._copy.memories_by_key(keys)]

    def _vectors(self, texts: Iterable[str]) -> Mapping[str, Vectors]:
        """Return the vectors of these texts, stored or newly encoded."""
        wanted = sorted(texts, key=len)
        found: dict[str, Vectors] = dict(self._copy.embeddings(self._encoder.provenance, wanted))
        lacking = [text for text in wanted if text not in found]
        for start in range(0, len(lacking), ENCODED_AT_ONCE):
            some = lacking[start : start + ENCODED_AT_ONCE]
            found |= zip(some, self._encoder.encode(some), strict=True)
        return found

    def _sample_queries(self, queries: int) -> list[str]:
        """Return triggers spread over the library, each without one of its words."""
        keys = self._copy.find_memories(MemoryFilter())
        some = keys[:: max(1, len(keys) // queries)][:queries]
        asked = []
        for place, memory in enumerate(self._memories(some)):
            words = memory.triggers[0].split()
            if len(words) > 1:
                words.pop(place % len(words))
                asked.append(" ".join(words))
        return asked

    def _state(self) -> Any:
        with self._server.transaction() as connection:
            return connection.execute(select(SEARCH_STATE)).one()


@contextmanager
def _locked(server: Server) -> Iterator[None]:
    """Hold an advisory lock of the connection; if the connection ends, filling fails."""
    asked = {"lock": FILLING_LOCK}
    with server.transaction() as connection:
        if not connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), asked):
            raise StoreBusyError(
                f"Somebody else is filling {server.address} just now, so nothing was filled: try again later."
            )
    try:
        yield
    finally:
        with suppress(StoreError), server.transaction() as connection:
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), asked)


@contextmanager
def _unhurried(server: Server) -> Iterator[Connection]:
    """Open a transaction without a statement time-out."""
    with server.transaction() as connection:
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        driver = _driver(connection)
        driver.is_building = True
        try:
            yield connection
        finally:
            driver.is_building = False


def _others(server: Server) -> StoreError:
    return StoreError(
        f"{server.address} holds the search data of another library, so nothing was filled. If that library no longer "
        "exists, an administrator drops the tables: DROP TABLE search_state, search_triggers, search_words;"
    )


def _count(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(SEARCH_TRIGGERS)) or 0


def _need_extensions(connection: Connection) -> None:
    """Create pgvector and pg_trgm; raises StoreError with the statement for an administrator."""
    there = set(connection.execute(text("SELECT extname FROM pg_extension")).scalars())
    for name, package in EXTENSIONS.items():
        if name in there:
            continue
        try:
            with connection.begin_nested():
                connection.exec_driver_sql(f"CREATE EXTENSION {name}")
        except DBAPIError as error:
            raise StoreError(
                f"To be searched the server needs {package}, which is not there "
                f"({first_line(error.orig or error)}), so nothing was filled. "
                f"An administrator installs it and runs in this database: CREATE EXTENSION {name};"
            ) from error


def _driver(connection: Connection) -> Any:
    driver = connection.connection.driver_connection
    assert driver is not None, "a connection that is open has one"
    return driver


def _copy_in(connection: Connection, memories: Iterable[Memory], vectors: Mapping[str, Vectors]) -> None:
    """Add triggers by COPY, vectors in pgvector's format: two 16-bit numbers, then halves."""
    statement = "COPY search_triggers (memory, position, text, vector) FROM STDIN (FORMAT BINARY)"
    with _driver(connection).cursor() as cursor, cursor.copy(statement) as copied:
        copied.set_types(("int8", "int4", "text", "bytea"))
        for memory in memories:
            for position, trigger in enumerate(memory.triggers):
                halves = vectors[trigger].astype(">f2")
                vector = struct.pack(">HH", len(halves), 0) + halves.tobytes()
                copied.write_row((memory.key, position, trigger[:LONGEST].replace("\0", " "), vector))


MEASURED = 50
"""Number of queries for measuring the recall."""


def fill_search(library: SqlLibrary, secrets: Secrets, encoder: Embedder, tell: Tell) -> SearchStatus:
    """Fill a team's server, and measure its recall; raises StoreError, EncoderError."""
    if (team := library.team()) is None:
        raise StoreError("This profile is in no team.")
    with closing(Server(team.address, secrets.get(PASSWORD))) as server, closing(SqlCandidates(server)) as search:
        filling = BulkLoad(library, server, encoder)
        filling.fill(tell)
        if (status := search.status()) is not None and status.recall is None:
            filling.measure(search, MEASURED)
            status = search.status()
    assert status is not None, "it was filled"
    return status
