"""Existing table of PostgreSQL, searched by words and vectors through its own columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg

from app.adapters.datastores.client import clean, no_vector
from app.adapters.datastores.mapped.read_only import MAX_VALUES, ReadOnlyStore, wrong_encoder
from app.adapters.datastores.postgres import TABLES, PostgresStore
from app.adapters.datastores.postgres_queries import POOL, tsquery, vector_text
from app.domain.datastore import RANK_OFFSET, Source, StoreMapping
from app.domain.errors import DataStoreError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery

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

    def _asked(self, sql: psycopg.Cursor[Any], query: StoreQuery) -> tuple[str, dict[str, Any], bool]:
        columns = self._columns(sql)
        by_meaning = query.vector is not None and bool(self.mapping.vector)
        if query.intent is RouteIntent.VECTOR and not by_meaning:
            raise DataStoreError(no_vector())
        parts, values = self._parts(columns, query)
        if by_meaning and query.vector is not None:
            column = self.mapping.vector
            kind, length = _kind_and_length(columns[column])
            if length and length != len(query.vector):
                raise DataStoreError(wrong_encoder(column, length, len(query.vector)))
            parts |= {"vector": _column(column), "query": f"%(vector)s::{kind}"}
            values["vector"] = vector_text(query.vector)
        nearest = _NEAREST.format(**parts) if by_meaning else _NOTHING_NEAR
        template = _BY_VECTOR if query.intent is RouteIntent.VECTOR else _BY_WORDS
        return template.format(**parts, nearest=nearest), values, not (by_meaning and self._has_index(sql))

    def _parts(self, columns: Mapping[str, str], query: StoreQuery) -> tuple[dict[str, str], dict[str, Any]]:
        mapping = self.mapping
        values: dict[str, Any] = {
            "k": query.k, "pool": max(POOL, query.k), "words": tsquery(query.text), "start": query.started.start,
            "end": query.started.end, "held_from": query.valid.start, "held_to": query.valid.end,
        }  # fmt: skip
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
        table = _table(self.mapping).replace("%%", "%")
        columns = dict(sql.execute(_COLUMNS, (table,)).fetchall())
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


def _kind_and_length(kind: str) -> tuple[str, int]:
    """Return the type of a vector column and its length, 0 if unspecified."""
    length = re.search(r"\((\d+)\)", kind)
    return kind.partition("(")[0], int(length[1]) if length else 0


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
