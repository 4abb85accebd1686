"""PostgreSQL with pgvector: documents in four tables; or an existing table, only read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import psycopg

from app.adapters.datastores.client import (
    CLOSED,
    INVALID,
    MAX_VALUES,
    NO_VECTOR,
    NOT_FILLED,
    PAGE,
    UNREADABLE,
    ReadOnlyStore,
    clean,
    elapsed_ms,
    first_line,
    gathered,
    refused,
    timed_out,
    unreachable,
    wrong_encoder,
)
from app.adapters.datastores.postgres_queries import POOL, copied, statement_of, tsquery, unit, vector_text
from app.adapters.datastores.relay import Relay, RelayClosedError, connected
from app.domain.datastore import ALWAYS, RANK_OFFSET, Document, Hit, Source, StoreAnswer, StoreMapping
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors

TABLES = ("intentscope_document", "intentscope_phrase", "intentscope_value", "intentscope_link")

EXTENSION = "CREATE EXTENSION IF NOT EXISTS vector;"

NEW_LINE = "\n"

INDEX_FROM = 10_000
"""Number of vectors of a library from which on it needs an index."""

INDEX = """CREATE INDEX IF NOT EXISTS intentscope_nearest_{length} ON intentscope_phrase
USING hnsw ((vector::halfvec({length})) halfvec_ip_ops) WHERE vector_dims(vector) = {length};
ANALYZE intentscope_document, intentscope_phrase, intentscope_value, intentscope_link;"""
"""Statements for the index; ANALYZE lets the planner use it."""

SETUP = f"""CREATE TABLE IF NOT EXISTS intentscope_document (
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
CREATE INDEX IF NOT EXISTS intentscope_links ON intentscope_link (library, document);
-- Once there are more than {INDEX_FROM:,} vectors of n numbers:
-- {INDEX.format(length="n").replace(NEW_LINE, NEW_LINE + "-- ")}"""

_LENGTHS = range(1, 4_001)
"""Vector lengths that pgvector can index."""

ANEW = f"DROP TABLE IF EXISTS {', '.join(TABLES)};"
"""Statement that drops old tables without a library column."""

_HELD = "SELECT id, state FROM intentscope_document WHERE library = %s AND id > %s ORDER BY id LIMIT %s"

_INSERT = """INSERT INTO intentscope_document VALUES (%s, %s, %s, %s, %s, %s, to_tsvector('simple', %s))"""

_LENGTH = """SELECT vector_dims(vector), EXISTS (
  SELECT FROM pg_index WHERE indisvalid AND indexrelid = to_regclass('intentscope_nearest_' || vector_dims(vector))
) FROM intentscope_phrase WHERE library = %s AND vector IS NOT NULL LIMIT 1"""

_COUNT = """SELECT count(*) FROM (
  SELECT FROM intentscope_phrase WHERE library = %s AND vector IS NOT NULL LIMIT %s
) AS counted"""

_LOOK_FAR = f"SET LOCAL hnsw.ef_search = {POOL}; SET LOCAL hnsw.iterative_scan = strict_order"
"""Settings of the index search: as many as are fused, and more if others' are nearest."""

_ITERATES = (0, 8)
"""First version of pgvector with iterative scans, for shared tables."""

_READY = """SELECT current_database(), current_setting('server_version_num')::integer / 10000,
  EXISTS (SELECT FROM pg_extension WHERE extname = 'vector'),
  EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector'),
  count(to_regclass(name)), count(attname)
FROM unnest(%s::text[]) AS name LEFT JOIN pg_attribute ON attrelid = to_regclass(name) AND attname = 'library'"""
"""Statement for the server's readiness: extension, tables, and library columns."""

_MOST_CHARACTERS = 200_000
"""Maximum number of characters indexed per document; a tsvector has at most a megabyte."""

_CONNECT_SECONDS = 5

FROZEN_SECONDS = 1.0
"""Additional seconds before an unresponsive server is dropped."""

_READ_SECONDS, _WRITE_SECONDS, _INDEX_SECONDS = 30.0, 60.0, 3_600.0
"""Time-outs in seconds: of listings, of a filling step, and of building an index."""


class PostgresStore:
    """DataStore on one connection, reopened when it breaks. Calls must not overlap.

    `address` is libpq's (postgresql://user@host/database?sslmode=verify-full); nothing is created before `prepare`.
    Each row has its `library`, and only this library's rows are read, written or deleted.
    """

    intents = frozenset({RouteIntent.GRAPH, RouteIntent.VECTOR, RouteIntent.HYBRID, RouteIntent.TEMPORAL})

    def __init__(self, address: str, library: str, password: str | None = None) -> None:
        self._address, self._library, self._password = address, library, password
        self._connection: psycopg.Connection[Any] | None = None
        self._relay: Relay | None = None
        self._is_closed = False

    # ---- Content

    def setup(self) -> str:
        with self._transaction(_READ_SECONDS) as sql:
            database, version, has_vector, may_have, tables, ours = _one(sql.execute(_READY, (list(TABLES),)))
        if not has_vector and not may_have:
            message = ("The server has no pgvector: its administrator installs it (on Debian the package "
f"postgresql-{version}-pgvector) and runs in the database “{database}”: CREATE "
"EXTENSION vector;")  # fmt: skip
            raise DataStoreError(message)
        if has_vector and ours == len(TABLES):
            return self._index()
        needed = ("" if has_vector else EXTENSION, ANEW if tables > ours else "", SETUP)
        return "\n".join(filter(None, needed))

    def _index(self) -> str:
        """Return the statement for a missing index; "" if present or not needed."""
        with self._transaction(_READ_SECONDS) as sql:
            length, is_indexed = self._length(sql)
            if is_indexed or length not in _LENGTHS:
                return ""
            is_large = _one(sql.execute(_COUNT, (self._library, INDEX_FROM + 1)))[0] > INDEX_FROM
            version = _one(sql.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'"))[0]
        can_iterate = tuple(map(int, version.split(".")[:2])) >= _ITERATES
        return INDEX.format(length=length) if is_large and can_iterate else ""

    def prepare(self) -> None:
        needed = self.setup()
        with self._transaction(write_seconds=_INDEX_SECONDS) as sql:
            if needed.startswith(EXTENSION):
                try:
                    sql.execute(EXTENSION.encode())
                except psycopg.errors.InsufficientPrivilege as error:
                    database = self._connected().info.dbname
                    message = (
                        f"This account may not add pgvector: an administrator runs in the database “{database}”: "
                        "CREATE EXTENSION vector;"
                    )
                    raise DataStoreError(message) from error
            sql.execute(needed.encode())

    def stored_states(self) -> Mapping[str, str]:
        with self._transaction(_READ_SECONDS) as sql:
            return gathered(partial(self._page_of_states, sql))

    def _page_of_states(self, sql: psycopg.Cursor[Any], after: str | None) -> tuple[Mapping[str, str], str | None]:
        rows = sql.execute(_HELD, (self._library, after or "", PAGE)).fetchall()
        return dict(rows), rows[-1][0] if len(rows) == PAGE else None

    def count_foreign(self) -> int:
        with self._transaction(_READ_SECONDS) as sql:
            find = "SELECT count(*) FROM intentscope_document WHERE library <> %s"
            return int(_one(sql.execute(find, (self._library,)))[0])

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        kept = list(documents)
        with self._transaction() as sql:
            self._remove(sql, [document.id for document, _ in kept])
            phrases = list(_phrases(kept, vectors, self._length(sql)[0]))
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

    def _length(self, sql: psycopg.Cursor[Any]) -> tuple[int, bool]:
        """Return the length of stored vectors, 0 without any, and whether they are indexed."""
        found = sql.execute(_LENGTH, (self._library,)).fetchone()
        return (int(found[0]), bool(found[1])) if found else (0, False)

    # ---- Search

    def search(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        with self._transaction(query.seconds) as sql:
            statement, values, is_exact = self._statement(sql, query)
            rows = sql.execute(statement.encode(), values).fetchall()
            hits = tuple(
                Hit(id_, name, min(1.0, max(0.0, float(score))), text, tuple(*path), since)
                for id_, name, since, score, text, *path in rows
            )
        return StoreAnswer(hits, elapsed_ms(begun, query.seconds), copied(statement, values), is_exact)

    def _statement(self, sql: psycopg.Cursor[Any], query: StoreQuery) -> tuple[str, dict[str, Any], bool]:
        """Return the statement of a query, its values, and whether the search is exact."""
        indexed, vector = 0, ""
        if query.vector is not None:
            length, is_indexed = self._length(sql)
            vector = vector_text(unit(query.vector, length or len(query.vector)))
            is_whole = not query.filters and query.started == ALWAYS and query.valid == ALWAYS
            if is_indexed and is_whole and query.intent in {RouteIntent.VECTOR, RouteIntent.HYBRID}:
                indexed = length
                sql.execute(_LOOK_FAR.encode())
        statement, values = statement_of(query, indexed)
        return statement, {**values, "library": self._library, **({"vector": vector} if vector else {})}, not indexed

    def close(self) -> None:
        self._is_closed = True
        self._let_go()

    # ---- Calls

    @contextmanager
    def _transaction(
        self, seconds: float | None = None, write_seconds: float = _WRITE_SECONDS
    ) -> Iterator[psycopg.Cursor[Any]]:
        """Open a transaction; with `seconds` it is read-only and limited on the server."""
        if self._is_closed:
            raise DataStoreError(CLOSED)
        try:
            connection, relay = self._connected(), self._relay
            assert relay is not None, "it was just made"
            watched = relay.within(seconds or write_seconds, FROZEN_SECONDS)
            with watched, connection.transaction(), connection.cursor() as sql:
                if seconds is not None:
                    sql.execute("SET TRANSACTION READ ONLY")
                    sql.execute(f"SET LOCAL statement_timeout = {max(1, round(seconds * 1000.0))}")
                yield sql
        except psycopg.errors.QueryCanceled as error:
            raise DataStoreGoneError(timed_out(seconds or 0.0)) from error
        except psycopg.errors.UndefinedTable as error:
            raise DataStoreError(NOT_FILLED) from error
        except psycopg.OperationalError as error:
            self._let_go()
            message = str(error) if isinstance(error, RelayClosedError) else unreachable(first_line(error))
            raise DataStoreGoneError(message) from error
        except psycopg.Error as error:
            raise DataStoreError(refused(first_line(error))) from error
        except (ValueError, *UNREADABLE) as error:
            raise DataStoreError(INVALID) from error

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._let_go()
            self._relay = Relay()
            self._connection = connected(
                self._address,
                self._password,
                self._relay,
                _CONNECT_SECONDS,
                autocommit=True,
                prepare_threshold=None,  # a generic plan takes seconds where a specific one takes a moment
            )
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._relay is not None:
            self._relay.close()
            self._relay = None


# ---- Rows: PostgreSQL accepts neither NUL nor lone surrogates.


def _row(document: Document, state: str) -> tuple[str, ...]:
    words = "\n".join((*document.texts, document.body))[:_MOST_CHARACTERS]
    columns = (document.id, document.name, document.since, document.until, state, words)
    return tuple(clean(each) for each in columns)


def _phrases(
    documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors], length: int
) -> Iterator[tuple[object, ...]]:
    for document, _ in documents:
        for place, text in enumerate(document.texts):
            made = vectors.get(text)
            if made is not None:
                length = length or len(made)
                made = unit(made, length)
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
    """Return the row of a statement that always has one."""
    row = found.fetchone()
    assert row is not None
    return tuple(row)


_SOURCES = """SELECT CASE WHEN n.nspname = current_schema() THEN c.relname ELSE n.nspname || '.' || c.relname END,
  array_agg(a.attname ORDER BY a.attnum), array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_attribute AS a ON a.attrelid = c.oid
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
  AND n.nspname NOT LIKE 'pg\\_%%' AND n.nspname <> 'information_schema' AND c.relname <> ALL(%s)
GROUP BY n.nspname, c.relname ORDER BY n.nspname <> current_schema(), n.nspname, c.relname LIMIT 200"""

_COLUMNS = """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""

_HAS_INDEX = """SELECT EXISTS (SELECT FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
  JOIN pg_am AS m ON m.oid = c.relam WHERE i.indrelid = to_regclass(%s) AND m.amname IN ('hnsw', 'ivfflat'))"""
"""Statement for an approximate vector index."""

_BY_VECTOR = """SELECT {id} AS id, {name}, {since}, 1 - ({vector} <=> {query}) AS score, {text}
FROM {table} AS d WHERE {vector} IS NOT NULL AND {holds} ORDER BY {vector} <=> {query}, id LIMIT %(k)s"""

_NEAREST = """by_vector AS (
  SELECT id, row_number() OVER (ORDER BY far, id) AS rank FROM (
    SELECT {id} AS id, {vector} <=> {query} AS far FROM {table} AS d WHERE {vector} IS NOT NULL AND {holds}
    ORDER BY {vector} <=> {query} LIMIT %(pool)s
  ) AS nearest
)"""

_NOTHING_NEAR = "by_vector AS (SELECT NULL::text AS id, 0::bigint AS rank WHERE false)"

_BY_WORDS = f"""WITH by_words AS (
  SELECT {{id}} AS id, row_number() OVER (ORDER BY ts_rank(to_tsvector('simple', {{text}}), query) DESC, {{id}}) AS rank
  FROM {{table}} AS d, to_tsquery('simple', %(words)s) AS query
  WHERE to_tsvector('simple', {{text}}) @@ query AND {{holds}} ORDER BY rank LIMIT %(pool)s
),
{{nearest}},
ranked AS (
  SELECT id, sum({RANK_OFFSET + 1}.0 / ({RANK_OFFSET} + rank)) / 2 AS score
  FROM (SELECT * FROM by_words UNION ALL SELECT * FROM by_vector) AS every GROUP BY id
)
SELECT ranked.id, {{name}}, {{since}}, score, {{text}}
FROM ranked JOIN {{table}} AS d ON {{id}} = ranked.id ORDER BY score DESC, ranked.id LIMIT %(k)s"""


class MappedPostgres(ReadOnlyStore, PostgresStore):
    """MappedStore on one table or view, with read-only transactions."""

    def __init__(self, address: str, mapping: StoreMapping, password: str | None = None) -> None:
        super().__init__(address, "", password)
        self.mapping = mapping
        by_meaning = frozenset({RouteIntent.VECTOR}) if mapping.vector else frozenset()
        self.intents = by_meaning | {RouteIntent.HYBRID}

    def count_foreign(self) -> int:
        with self._transaction(_LOOK_SECONDS) as sql:
            self._columns(sql)
            found = sql.execute(f"SELECT count(*) FROM {_table(self.mapping)}".encode(), ()).fetchone()
            return int(found[0]) if found else 0

    def sources(self) -> Sequence[Source]:
        with self._transaction(_LOOK_SECONDS) as sql:
            return self._sources(sql)

    def values(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        with self._transaction(_LOOK_SECONDS) as sql:
            columns = self._columns(sql)
            for name in self.mapping.fields:
                one = f"unnest({_quoted(name)})" if columns[name].endswith("[]") else _quoted(name)
                asked = f"SELECT DISTINCT ({one})::text FROM {_table(self.mapping)} LIMIT {MAX_VALUES}"
                rows = sql.execute(asked.encode(), ()).fetchall()
                found[name] = tuple(row[0] for row in rows if row[0])
        return found

    def _statement(self, sql: psycopg.Cursor[Any], query: StoreQuery) -> tuple[str, dict[str, Any], bool]:
        columns = self._columns(sql)
        by_meaning = query.vector is not None and bool(self.mapping.vector)
        if query.intent is RouteIntent.VECTOR and not by_meaning:
            raise DataStoreError(NO_VECTOR)
        parts, values = self._parts(columns, query)
        if by_meaning and query.vector is not None:
            column = self.mapping.vector
            length = re.search(r"\((\d+)\)", columns[column])
            if length and int(length[1]) not in (0, len(query.vector)):
                raise DataStoreError(wrong_encoder(column, int(length[1]), len(query.vector)))
            parts |= {"vector": _column(column), "query": f"%(vector)s::{columns[column].partition('(')[0]}"}
            values["vector"] = vector_text(query.vector)
        nearest = _NEAREST.format(**parts) if by_meaning else _NOTHING_NEAR
        template = _BY_VECTOR if query.intent is RouteIntent.VECTOR else _BY_WORDS
        return template.format(**parts, nearest=nearest), values, not (by_meaning and self._has_index(sql))

    def _parts(self, columns: Mapping[str, str], query: StoreQuery) -> tuple[dict[str, str], dict[str, Any]]:
        mapping = self.mapping
        pool, words = max(POOL, query.k), tsquery(query.text)
        values: dict[str, Any] = {"k": query.k, "pool": pool, "words": words, **query.bounds}
        since, until = (_time(name, columns.get(name, "")) for name in (mapping.since, mapping.until))
        holds = [
            *([f"{since} >= %(start)s"] if query.started.start else []),
            *([f"({since} <> '' AND {since} < %(end)s)"] if query.started.end else []),
            *([f"{since} < %(held_to)s"] if query.valid.end else []),
            *([f"({until} = '' OR {until} > %(held_from)s)"] if query.valid.start else []),
        ]
        for n, (name, wanted) in enumerate(query.filters.items()):
            values[f"values{n}"] = [clean(each) for each in wanted]
            column = _column(name)
            of_list = f"{column}::text[] && %(values{n})s::text[]"
            of_one = f"{column}::text = ANY(%(values{n})s::text[])"
            is_list = columns.get(name, "").endswith("[]")
            holds.append("false" if name not in mapping.fields else of_list if is_list else of_one)
        texts = {part: f"coalesce({_column(name)}::text, '')" for part, name in
                 (("id", mapping.id), ("text", mapping.text), ("name", mapping.name or mapping.id))}  # fmt: skip
        return texts | {"table": _table(mapping), "since": since, "holds": " AND ".join(holds) or "true"}, values

    def _columns(self, sql: psycopg.Cursor[Any]) -> Mapping[str, str]:
        columns = dict(sql.execute(_COLUMNS, (_table(self.mapping).replace("%%", "%"),)).fetchall())
        self.check(columns, () if columns else (source.name for source in self._sources(sql)))
        return columns

    def _sources(self, sql: psycopg.Cursor[Any]) -> list[Source]:
        rows = sql.execute(_SOURCES, (list(TABLES),)).fetchall()
        return [Source(name, dict(zip(columns, kinds, strict=True))) for name, columns, kinds in rows]

    def _has_index(self, sql: psycopg.Cursor[Any]) -> bool:
        found = sql.execute(_HAS_INDEX, (_table(self.mapping).replace("%%", "%"),)).fetchone()
        return bool(found and found[0])


_LOOK_SECONDS = 20.0


def _quoted(name: str) -> str:
    """Quote a name for SQL, with psycopg's placeholders escaped."""
    return f'''"{name.replace('"', '""').replace("%", "%%")}"'''


def _column(name: str) -> str:
    """Return a column of the table, whose alias is d."""
    return f"d.{_quoted(name)}"


def _table(mapping: StoreMapping) -> str:
    return ".".join(map(_quoted, mapping.source.split(".", 1)))


def _time(name: str, kind: str) -> str:
    """Return the expression for a time in the documents' format."""
    if not name:
        return "''"
    column = _column(name)
    if kind.startswith("timestamp") and kind.endswith("with time zone"):
        column = f"({column} AT TIME ZONE 'UTC')"
    if kind.startswith(("timestamp", "date")):
        return f"coalesce(to_char({column}, 'YYYY-MM-DD HH24:MI:SS'), '')"
    return f"coalesce({column}::text, '')"
