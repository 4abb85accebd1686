"""PostgreSQL with pgvector: fields, full text, vectors and links in four tables of one server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from socket import SHUT_RDWR, socket
from threading import Event, Timer
from time import perf_counter
from typing import Any

import numpy as np
import psycopg

from app.adapters.stores.words import (
    clean,
    closed,
    first_line,
    no_vector,
    not_filled,
    other_length,
    refused,
    search_words,
    too_late,
    unreachable,
)
from app.domain.datastore import RANK_OFFSET, Document, Hit, StoreAnswer
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.language import say
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors

TABLES = ("intentscope_document", "intentscope_phrase", "intentscope_value", "intentscope_link")

EXTENSION = "CREATE EXTENSION IF NOT EXISTS vector;"

SETUP = """CREATE TABLE IF NOT EXISTS intentscope_document (
  library text COLLATE "C", id text COLLATE "C", name text NOT NULL, since text COLLATE "C" NOT NULL,
  until text COLLATE "C" NOT NULL, state text NOT NULL, words tsvector NOT NULL, PRIMARY KEY (library, id)
);
CREATE TABLE IF NOT EXISTS intentscope_phrase (
  library text COLLATE "C", document text COLLATE "C", place integer, text text NOT NULL, vector vector,
  PRIMARY KEY (library, document, place),
  FOREIGN KEY (library, document) REFERENCES intentscope_document ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS intentscope_value (
  library text COLLATE "C", document text COLLATE "C", name text, value text,
  PRIMARY KEY (library, document, name, value),
  FOREIGN KEY (library, document) REFERENCES intentscope_document ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS intentscope_link (
  library text COLLATE "C", source text COLLATE "C", target text COLLATE "C", document text COLLATE "C",
  PRIMARY KEY (library, source, target),
  FOREIGN KEY (library, document) REFERENCES intentscope_document ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS intentscope_words ON intentscope_document USING gin (words);
CREATE INDEX IF NOT EXISTS intentscope_fields ON intentscope_value (library, name, value);
CREATE INDEX IF NOT EXISTS intentscope_links ON intentscope_link (library, document);"""

ANEW = f"DROP TABLE IF EXISTS {', '.join(TABLES)};"
"""Before those where the tables do not say yet whose each row is."""

_HOLDS = "(%(as_of)s = '' OR (d.since <= %(as_of)s AND (d.until = '' OR d.until > %(as_of)s)))"

_FITS = f"""fits AS (
  SELECT d.id, d.name, d.since, d.words FROM intentscope_document AS d
  WHERE d.library = %(library)s
    AND (%(start)s = '' OR d.since >= %(start)s) AND (%(end)s = '' OR (d.since <> '' AND d.since < %(end)s))
    AND {_HOLDS}{{filters}}
)"""

_FILTER = """
    AND EXISTS (SELECT FROM intentscope_value AS v
                WHERE v.library = d.library AND v.document = d.id
                  AND v.name = %(field{n})s AND v.value = ANY(%(values{n})s))"""

_NEAREST = """nearest AS (
  SELECT DISTINCT ON (p.document) p.document AS id, p.place, -(p.vector <#> %(vector)s::vector) AS near
  FROM intentscope_phrase AS p JOIN fits ON fits.id = p.document
  WHERE p.library = %(library)s AND p.vector IS NOT NULL
  ORDER BY p.document, near DESC, p.place
)"""

_NO_VECTOR = "nearest AS (SELECT NULL::text AS id, 0 AS place, 0.0 AS near WHERE false)"

_BY_VECTOR = f"""WITH {_FITS},
{_NEAREST}
SELECT id, name, since, near AS score, p.text
FROM nearest JOIN fits USING (id)
JOIN intentscope_phrase AS p ON p.library = %(library)s AND p.document = id AND p.place = nearest.place
ORDER BY near DESC, id LIMIT %(k)s"""

_BY_WORDS = f"""WITH {_FITS},
{{nearest}},
by_words AS (
  SELECT id, row_number() OVER (ORDER BY ts_rank(words, query) DESC, id) AS rank
  FROM fits, to_tsquery('simple', %(words)s) AS query WHERE words @@ query ORDER BY rank LIMIT %(pool)s
),
by_vector AS (
  SELECT id, row_number() OVER (ORDER BY near DESC, id) AS rank FROM nearest ORDER BY rank LIMIT %(pool)s
),
ranked AS (
  SELECT id, sum({RANK_OFFSET + 1}.0 / ({RANK_OFFSET} + rank)) / 2 AS score
  FROM (SELECT * FROM by_words UNION ALL SELECT * FROM by_vector) AS every GROUP BY id
)
SELECT id, name, since, score, coalesce(p.text, '')
FROM ranked JOIN fits USING (id) LEFT JOIN nearest USING (id)
LEFT JOIN intentscope_phrase AS p
  ON p.library = %(library)s AND p.document = id AND p.place = coalesce(nearest.place, 0)
ORDER BY score DESC, id LIMIT %(k)s"""

_BY_LINKS = f"""WITH RECURSIVE {_FITS},
reach (anchor, node, depth) AS (
  SELECT anchor COLLATE "C", anchor COLLATE "C", 0 FROM unnest(%(anchors)s::text[]) AS anchor
  UNION
  SELECT reach.anchor, link.target, reach.depth + 1
  FROM reach JOIN intentscope_link AS link ON link.library = %(library)s AND link.source = reach.node
  LEFT JOIN intentscope_document AS d ON d.library = %(library)s AND d.id = link.target
  WHERE reach.depth < %(hops)s AND (d.id IS NULL OR {_HOLDS})
),
near AS MATERIALIZED (SELECT anchor, node, min(depth) AS depth FROM reach GROUP BY anchor, node),
hits AS (
  SELECT id, name, since, sum(1.0 / (1 + near.depth)) / cardinality(%(anchors)s::text[]) AS score,
    sum((SELECT count(*) FROM intentscope_link AS link JOIN near AS before ON before.node = link.target
         WHERE link.library = %(library)s AND link.source = id
           AND before.anchor = near.anchor AND before.depth < near.depth)) AS links
  FROM near JOIN fits ON id = near.node GROUP BY id, name, since
  ORDER BY score DESC, {{newest}}links DESC, id LIMIT %(k)s
),
way (id, anchor, node, depth, nodes) AS (
  (SELECT DISTINCT ON (id) id, anchor, node, depth, ARRAY[node] FROM hits JOIN near ON node = id
   ORDER BY id, depth, anchor)
  UNION ALL
  SELECT way.id, way.anchor, before.node, before.depth, before.node || way.nodes
  FROM way CROSS JOIN LATERAL (
    SELECT before.node, before.depth FROM intentscope_link AS link JOIN near AS before ON before.node = link.target
    WHERE link.library = %(library)s AND link.source = way.node
      AND before.anchor = way.anchor AND before.depth < way.depth
    ORDER BY before.depth, before.node LIMIT 1
  ) AS before
)
SELECT id, name, since, score, '', ARRAY(
  SELECT coalesce(d.name, step) FROM unnest(way.nodes) WITH ORDINALITY AS each (step, place)
  LEFT JOIN intentscope_document AS d ON d.library = %(library)s AND d.id = step ORDER BY place
)
FROM hits JOIN way USING (id) WHERE way.depth = 0
ORDER BY score DESC, {{newest}}links DESC, id"""

_INSERT = """INSERT INTO intentscope_document VALUES (%s, %s, %s, %s, %s, %s, to_tsvector('simple', %s))"""

_READY = """SELECT current_database(), current_setting('server_version_num')::integer / 10000,
  EXISTS (SELECT FROM pg_extension WHERE extname = 'vector'),
  EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector'),
  count(to_regclass(name)), count(attname)
FROM unnest(%s::text[]) AS name LEFT JOIN pg_attribute ON attrelid = to_regclass(name) AND attname = 'library'"""
"""How ready the server is: tables that are there, and those of them that say whose a row is."""

POOL = 200
"""So many of the nearest by words and by vector are joined to one order."""

_CONNECT_SECONDS = 5

FROZEN_SECONDS = 1.0
"""A server that gives nothing up by itself is left so much later than it should have."""

_WRITE_SECONDS = 60.0
"""So long may a step of filling take."""


class PostgresStore:
    """DataStore on one connection, made anew where it broke. All calls come from one thread at a time.

    `address` is libpq's (postgresql://user@host/database?sslmode=verify-full); nothing is created before `prepare`.
    Each row says of which `library` it is, and none but those of this one are read, written or deleted.
    """

    ways = frozenset({RouteIntent.GRAPH, RouteIntent.VECTOR, RouteIntent.HYBRID, RouteIntent.TEMPORAL})

    def __init__(self, address: str, library: str, password: str | None = None) -> None:
        self._address, self._library, self._password = address, library, password
        self._connection: psycopg.Connection[Any] | None = None
        self._is_closed = False

    # ---- what it holds

    def setup(self) -> str:
        with self._transaction() as sql:
            database, version, has_vector, may_have, tables, ours = _one(sql.execute(_READY, (list(TABLES),)))
        if not has_vector and not may_have:
            told = say(
                "The server has no pgvector: its administrator installs it (on Debian the package "
                "postgresql-{version}-pgvector) and runs in the database “{database}”: CREATE EXTENSION vector;",
                version=version, database=database,
            )  # fmt: skip
            raise DataStoreError(told)
        if has_vector and ours == len(TABLES):
            return ""
        needed = ("" if has_vector else EXTENSION, ANEW if tables > ours else "", SETUP)
        return "\n".join(filter(None, needed))

    def prepare(self) -> None:
        needed = self.setup()
        with self._transaction() as sql:
            if needed.startswith(EXTENSION):
                self._extend(sql)
            sql.execute(needed.encode())

    def _extend(self, sql: psycopg.Cursor[Any]) -> None:
        try:
            sql.execute(EXTENSION.encode())
        except psycopg.errors.InsufficientPrivilege as error:
            database = self._connected().info.dbname
            told = say(
                "This account may not add pgvector: an administrator runs in the database “{database}”: "
                "CREATE EXTENSION vector;",
                database=database,
            )
            raise DataStoreError(told) from error

    def held(self) -> Mapping[str, str]:
        with self._transaction() as sql:
            find = "SELECT id, state FROM intentscope_document WHERE library = %s"
            return dict(sql.execute(find, (self._library,)).fetchall())

    def others(self) -> int:
        with self._transaction() as sql:
            find = "SELECT count(*) FROM intentscope_document WHERE library <> %s"
            return int(_one(sql.execute(find, (self._library,)))[0])

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        kept = [(document, state) for document, state in documents]
        with self._transaction() as sql:
            self._remove(sql, [document.id for document, _ in kept])
            phrases = list(_phrases(kept, vectors, self._length(sql)))
            sql.executemany(_INSERT, [(self._library, *_row(document, state)) for document, state in kept])
            self._copy(sql, "phrase", phrases)
            self._copy(sql, "value", [row for document, _ in kept for row in _values(document)])
            self._copy(sql, "link", [row for document, _ in kept for row in _links(document)])

    def drop(self, ids: Sequence[str]) -> None:
        with self._transaction() as sql:
            self._remove(sql, ids)

    def _copy(self, sql: psycopg.Cursor[Any], table: str, rows: Iterable[tuple[object, ...]]) -> None:
        with sql.copy(f"COPY intentscope_{table} FROM STDIN".encode()) as copy:
            for row in rows:
                copy.write_row((self._library, *row))

    def _remove(self, sql: psycopg.Cursor[Any], ids: Sequence[str]) -> None:
        gone = (self._library, [clean(each) for each in ids])
        sql.execute("DELETE FROM intentscope_document WHERE library = %s AND id = ANY(%s)", gone)

    def _length(self, sql: psycopg.Cursor[Any]) -> int:
        """How many numbers the vectors have that are kept; 0 where there are none."""
        find = "SELECT vector_dims(vector) FROM intentscope_phrase WHERE library = %s AND vector IS NOT NULL LIMIT 1"
        found = sql.execute(find, (self._library,)).fetchone()
        return int(found[0]) if found else 0

    # ---- what it answers

    def search(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        with self._transaction(query.seconds) as sql:
            statement, values, is_exact = self._asked(sql, query)
            rows = sql.execute(statement.encode(), values).fetchall()
        ms = (perf_counter() - begun) * 1000.0
        if ms > query.seconds * 1000.0:
            raise DataStoreError(too_late(query.seconds))
        hits = tuple(
            Hit(
                row[0], row[1], min(1.0, max(0.0, float(row[3]))), row[4], tuple(row[5]) if len(row) > 5 else (), row[2]
            )
            for row in rows
        )
        return StoreAnswer(hits, ms, _copied(statement, values), is_exact)

    def _asked(self, sql: psycopg.Cursor[Any], query: StoreQuery) -> tuple[str, dict[str, Any], bool]:
        """The statement of a query, what is bound in it, and whether it overlooks nothing."""
        statement, values = _statement(query)
        values["library"] = self._library
        if query.vector is not None:
            length = self._length(sql)
            values["vector"] = vector_text(_unit(query.vector, length or len(query.vector)))
        return statement, values, True

    def close(self) -> None:
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()

    # ---- how

    @contextmanager
    def _transaction(self, seconds: float | None = None) -> Iterator[psycopg.Cursor[Any]]:
        """One transaction; with `seconds` it reads only, and the server gives up after them."""
        if self._is_closed:
            raise DataStoreError(closed())
        try:
            connection = self._connected()
            watched = _left_after(connection, (seconds or _WRITE_SECONDS) + FROZEN_SECONDS)
            with watched, connection.transaction(), connection.cursor() as sql:
                if seconds is not None:
                    sql.execute("SET TRANSACTION READ ONLY")
                    sql.execute(f"SET LOCAL statement_timeout = {max(1, round(seconds * 1000.0))}")
                yield sql
        except psycopg.errors.QueryCanceled as error:
            raise DataStoreGoneError(too_late(seconds or 0.0)) from error
        except psycopg.errors.UndefinedTable as error:
            raise DataStoreError(not_filled()) from error
        except psycopg.OperationalError as error:
            self._let_go()
            raise DataStoreGoneError(unreachable(first_line(error))) from error
        except psycopg.Error as error:
            raise DataStoreError(refused(first_line(error))) from error

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            secret = {} if self._password is None else {"password": self._password}
            self._connection = psycopg.connect(
                self._address, connect_timeout=_CONNECT_SECONDS, tcp_user_timeout=10_000, autocommit=True, **secret
            )
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@contextmanager
def _left_after(connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
    """Break the connection of a server that is frozen: libpq would wait for it until the system notices, for hours."""
    fired = Event()

    def leave() -> None:
        fired.set()
        with suppress(OSError, psycopg.Error):
            wire = socket(fileno=connection.fileno())
            try:
                wire.shutdown(SHUT_RDWR)
            finally:
                wire.detach()  # it is libpq's to close

    timer = Timer(seconds, leave)
    timer.daemon = True
    timer.start()
    try:
        yield
    except psycopg.OperationalError as error:
        if not fired.is_set():
            raise
        raise psycopg.OperationalError(too_late(seconds)) from error
    finally:
        timer.cancel()


# ---- Rows, as they are written: PostgreSQL takes neither NUL nor half of a surrogate pair.


def _row(document: Document, state: str) -> tuple[str, ...]:
    words = "\n".join((*document.texts, document.body))
    told = (document.id, document.name, document.since, document.until, state, words)
    return tuple(clean(each) for each in told)


def _phrases(
    documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors], length: int
) -> Iterator[tuple[object, ...]]:
    for document, _ in documents:
        for place, text in enumerate(document.texts):
            made = vectors.get(text)
            if made is not None:
                length = length or len(made)
                made = _unit(made, length)
            yield clean(document.id), place, clean(text), None if made is None else vector_text(made)


def _values(document: Document) -> Iterator[tuple[str, ...]]:
    for name, values in document.fields.items():
        for value in dict.fromkeys(clean(each) for each in values):
            yield clean(document.id), clean(name), value


def _links(document: Document) -> Iterator[tuple[str, ...]]:
    own = clean(document.id)
    for node in dict.fromkeys(clean(node) for _, node in document.links):
        yield own, node, own
        yield node, own, own


def _one(found: psycopg.Cursor[Any]) -> tuple[Any, ...]:
    """The row of a statement that always gives one."""
    row = found.fetchone()
    assert row is not None
    return tuple(row)


def _unit(vector: Vectors, length: int) -> Vectors:
    """Of length 1, so that inner products are cosines; DataStoreError where the store holds others."""
    if length != len(vector):
        raise DataStoreError(other_length(length, len(vector)))
    whole = float(np.linalg.norm(vector))
    unit: Vectors = np.asarray(vector, np.float32) / np.float32(whole or 1.0)
    return unit


def vector_text(vector: Vectors) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(map(str, vector.tolist()))}]"


# ---- Questions


def tsquery(text: str) -> str:
    """The words of a text, any of which is to be found."""
    return " | ".join(f"'{word}'" for word in search_words(text))


def _statement(query: StoreQuery) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = {
        "k": query.k,
        "pool": max(POOL, query.k),
        "start": query.made.start,
        "end": query.made.end,
        "as_of": query.as_of,
        "words": tsquery(query.text),
        "anchors": [clean(each) for each in query.anchors],
        "hops": query.hops,
    }
    for n, (name, wanted) in enumerate(query.filters.items()):
        values |= {f"field{n}": clean(name), f"values{n}": [clean(each) for each in wanted]}
    filters = "".join(_FILTER.format(n=n) for n in range(len(query.filters)))
    if query.way is RouteIntent.VECTOR:
        if query.vector is None:
            raise DataStoreError(no_vector())
        return _BY_VECTOR.format(filters=filters), values
    if query.way is RouteIntent.HYBRID:
        nearest = _NO_VECTOR if query.vector is None else _NEAREST
        return _BY_WORDS.format(filters=filters, nearest=nearest), values
    newest = "since DESC, " if query.way is RouteIntent.TEMPORAL else ""
    return _BY_LINKS.format(filters=filters, newest=newest), values


def _copied(statement: str, values: Mapping[str, Any]) -> str:
    """The statement with what is bound in it, as text to copy."""
    told = {**values, "vector": f"[{len(values['vector'].split(','))} numbers]"} if "vector" in values else values
    bound = "".join(f"\n-- %({name})s = {value!r}" for name, value in told.items() if f"%({name})s" in statement)
    return f"{statement};{bound}"
