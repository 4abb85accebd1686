"""Built-in store: SQLite in memory for fields, words and links, exact cosines for vectors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from app.adapters.datastores.client import CLOSED, NO_VECTOR, clean, elapsed_ms, search_words, wrong_length
from app.domain.datastore import RANK_OFFSET, Document, Hit, StoreAnswer
from app.domain.errors import DataStoreError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors

_SCHEMA = """
CREATE TABLE document (row INTEGER PRIMARY KEY, id TEXT UNIQUE, name TEXT, since TEXT, until TEXT, state TEXT);
CREATE TABLE phrase (document INTEGER, place INTEGER, text TEXT, PRIMARY KEY (document, place)) WITHOUT ROWID;
CREATE TABLE value (document INTEGER, name TEXT, value TEXT, PRIMARY KEY (document, name, value)) WITHOUT ROWID;
CREATE TABLE link (source TEXT, target TEXT, PRIMARY KEY (source, target)) WITHOUT ROWID;
CREATE VIRTUAL TABLE found USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');
CREATE TEMP TABLE near (anchor TEXT, node TEXT, depth INTEGER, PRIMARY KEY (anchor, node)) WITHOUT ROWID;
"""

_HOLDS = """(:held_to = '' OR d.since < :held_to) AND (:held_from = '' OR d.until = '' OR d.until > :held_from)"""

_FITS = f"""fits (row) AS MATERIALIZED (
  SELECT d.row FROM document AS d
  WHERE (:start = '' OR d.since >= :start) AND (:end = '' OR (d.since <> '' AND d.since < :end))
    AND {_HOLDS}{{filters}}
)"""

_FILTER = """
    AND EXISTS (SELECT 1 FROM value AS v, json_each(:values{n}) AS one
                WHERE v.document = d.row AND v.name = :field{n} AND v.value = one.value)"""

_BY_VECTOR = f"""WITH {_FITS}
SELECT row, score FROM (SELECT row, near_to_query(row) AS score FROM fits) JOIN document USING (row)
WHERE score IS NOT NULL ORDER BY score DESC, id LIMIT :k"""

# Not "rowid IN fits", which would query the word index once per document.
_BY_WORDS = f"""WITH {_FITS},
by_words AS (
  SELECT found.rowid AS row, row_number() OVER (ORDER BY bm25(found), found.rowid) AS place
  FROM found CROSS JOIN fits ON fits.row = found.rowid WHERE found MATCH :words LIMIT :pool
),
by_vector AS (
  SELECT row, row_number() OVER (ORDER BY near DESC, row) AS place
  FROM (SELECT row, near_to_query(row) AS near FROM fits) WHERE near IS NOT NULL LIMIT :pool
),
ranked AS (SELECT * FROM by_words UNION ALL SELECT * FROM by_vector)
SELECT row, sum({RANK_OFFSET + 1}.0 / ({RANK_OFFSET} + place)) / 2 AS score FROM ranked JOIN document USING (row)
GROUP BY row ORDER BY score DESC, id LIMIT :k"""

_WALK = f"""INSERT INTO near
WITH RECURSIVE reach (anchor, node, depth) AS (
  SELECT value, value, 0 FROM json_each(:anchors)
  UNION
  SELECT reach.anchor, link.target, reach.depth + 1
  FROM reach JOIN link ON link.source = reach.node LEFT JOIN document AS d ON d.id = link.target
  WHERE reach.depth < :hops AND (d.row IS NULL OR {_HOLDS})
)
SELECT anchor, node, min(depth) FROM reach GROUP BY anchor, node"""

# CROSS: from the few links of each node to the reached ones, not the other way.
_BY_LINKS = f"""WITH {_FITS}
SELECT d.row, sum(1.0 / (1 + near.depth)) / json_array_length(:anchors) AS score
FROM near JOIN document AS d ON d.id = near.node JOIN fits ON fits.row = d.row
GROUP BY d.row ORDER BY score DESC, {{newest}}sum((
  SELECT count(*) FROM link CROSS JOIN near AS before ON before.node = link.target
  WHERE link.source = d.id AND before.anchor = near.anchor AND before.depth < near.depth
)) DESC, d.id LIMIT :k"""

_BEFORE = """SELECT before.node, before.depth FROM link CROSS JOIN near AS before ON before.node = link.target
WHERE link.source = :node AND before.anchor = :anchor AND before.depth < :depth
ORDER BY before.depth, before.node LIMIT 1"""

_STEPS_A_LOOK = 2_000
"""Number of SQLite's steps between checks of the time limit."""

_POOL = 200
"""Number of nearest documents by words and by vector that are fused."""


class EmbeddedStore:
    """DataStore in memory, for the life of the process. Calls must not overlap."""

    intents = frozenset({RouteIntent.GRAPH, RouteIntent.VECTOR, RouteIntent.HYBRID, RouteIntent.TEMPORAL})

    def __init__(self) -> None:
        self._sql = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._sql.executescript(_SCHEMA)
        self._sql.create_function("near_to_query", 1, lambda row: self._near.get(row, (None,))[0])
        self._vectors = DocumentVectors()
        self._near: dict[int, tuple[float, int]] = {}
        self._last = 0

    # ---- Content

    def setup(self) -> str:
        return ""

    def prepare(self) -> None:
        """Do nothing: the store is prepared when it is created."""

    def stored_states(self) -> Mapping[str, str]:
        with self._known_errors():
            return dict(self._sql.execute("SELECT id, state FROM document"))

    def count_foreign(self) -> int:
        return 0

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        documents = list(documents)
        with self._known_errors(), self._transaction():
            self._remove([document.id for document, _ in documents])
            added = {self._insert(document, state): document for document, state in documents}
            self._vectors.put({row: document.texts for row, document in added.items()}, vectors)

    def drop(self, ids: Sequence[str]) -> None:
        with self._known_errors(), self._transaction():
            self._remove(ids)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._sql.execute("BEGIN")
        try:
            yield
            self._sql.execute("COMMIT")
        except BaseException:
            self._sql.execute("ROLLBACK")
            raise
        finally:
            self._vectors.keep_only({row for (row,) in self._sql.execute("SELECT row FROM document")})

    def _insert(self, document: Document, state: str) -> int:
        self._last = number = self._last + 1  # never reused, so that a rolled-back row finds its vectors
        row = (number, document.id, clean(document.name), document.since, document.until, state)
        self._sql.execute("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?)", row)
        many = self._sql.executemany
        many(
            "INSERT INTO phrase VALUES (?, ?, ?)",
            ((number, place, clean(text)) for place, text in enumerate(document.texts)),
        )
        words = clean("\n".join((*document.texts, document.body)))
        self._sql.execute("INSERT INTO found (rowid, text) VALUES (?, ?)", (number, words))
        values = [(number, name, value) for name, each in document.fields.items() for value in dict.fromkeys(each)]
        many("INSERT INTO value VALUES (?, ?, ?)", values)
        ends = [end for _, node in document.links for end in ((document.id, node), (node, document.id))]
        many("INSERT OR IGNORE INTO link VALUES (?, ?)", ends)
        return number

    def _remove(self, ids: Sequence[str]) -> None:
        for each in ids:
            found = self._sql.execute("SELECT row FROM document WHERE id = ?", (each,)).fetchone()
            if found is None:
                continue
            for table, column in (
                ("document", "row"),
                ("phrase", "document"),
                ("value", "document"),
                ("found", "rowid"),
            ):
                self._sql.execute(f"DELETE FROM {table} WHERE {column} = ?", found)
            self._sql.execute(
                "DELETE FROM link WHERE target = :id AND source IN (SELECT target FROM link WHERE source = :id)",
                {"id": each},
            )
            self._sql.execute("DELETE FROM link WHERE source = ?", (each,))

    # ---- Search

    def search(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        hits: tuple[Hit, ...] = ()
        statement = ""
        with self._known_errors(), self._interrupted_at(begun + query.seconds):
            hits, statement = self._run_query(query)
        return StoreAnswer(hits, elapsed_ms(begun, query.seconds), statement)

    def _run_query(self, query: StoreQuery) -> tuple[tuple[Hit, ...], str]:
        values = _parameters(query)
        self._near = {} if query.vector is None else self._vectors.near(query.vector)
        filters = "".join(_FILTER.format(n=n) for n in range(len(query.filters)))
        if query.intent is RouteIntent.VECTOR:
            if query.vector is None:
                raise DataStoreError(NO_VECTOR)
            return self._hits(_BY_VECTOR.format(filters=filters), values)
        if query.intent is RouteIntent.HYBRID:
            return self._hits(_BY_WORDS.format(filters=filters), values)
        newest = "d.since DESC, " if query.intent is RouteIntent.TEMPORAL else ""
        self._sql.execute("DELETE FROM near")
        self._sql.execute(_WALK, values)
        hits, statement = self._hits(_BY_LINKS.format(filters=filters, newest=newest), values, self._path)
        return hits, f"{_copied(_WALK, values)}\n\n{statement}"

    def _hits(
        self, statement: str, values: Mapping[str, Any], path: Callable[[str], tuple[str, ...]] | None = None
    ) -> tuple[tuple[Hit, ...], str]:
        hits = []
        for row, score in self._sql.execute(statement, values).fetchall():
            document = self._sql.execute("SELECT id, name, since FROM document WHERE row = ?", (row,)).fetchone()
            place = self._near.get(row, (0.0, 0))[1]
            text = self._sql.execute(
                "SELECT text FROM phrase WHERE document = ? AND place = ?", (row, place)
            ).fetchone()
            way = path(document[0]) if path else ()
            near = min(1.0, max(0.0, score))
            hits.append(Hit(document[0], document[1], near, text[0] if text else "", way, document[2]))
        return tuple(hits), _copied(statement, values)

    def _path(self, node: str) -> tuple[str, ...]:
        """Return the names on the path from the nearest anchor to this node."""
        find = "SELECT anchor, depth FROM near WHERE node = ? ORDER BY depth, anchor LIMIT 1"
        anchor, depth = self._sql.execute(find, (node,)).fetchone()
        nodes = [node]
        while depth > 0:
            at = {"node": nodes[-1], "anchor": anchor, "depth": depth}
            before, depth = self._sql.execute(_BEFORE, at).fetchone()
            nodes.append(before)
        return tuple(self._name(each) for each in reversed(nodes))

    def _name(self, node: str) -> str:
        named = self._sql.execute("SELECT name FROM document WHERE id = ?", (node,)).fetchone()
        return str(named[0]) if named else node

    @contextmanager
    def _interrupted_at(self, end: float) -> Iterator[None]:
        """End statements at this time, without an error."""
        self._sql.set_progress_handler(lambda: perf_counter() > end, _STEPS_A_LOOK)
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
        finally:
            self._sql.set_progress_handler(None, 0)

    @contextmanager
    def _known_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.ProgrammingError as error:
            raise DataStoreError(CLOSED) from error
        except sqlite3.OperationalError as error:
            raise DataStoreError(f"The store gave up: {error}") from error
        finally:
            self._near = {}

    def close(self) -> None:
        self._sql.close()


class DocumentVectors:
    """Vectors of documents by row, one per text, joined to a matrix on the first query."""

    def __init__(self) -> None:
        self._own: dict[int, tuple[tuple[int, ...], Vectors]] = {}
        self._matrix: Vectors | None = None

    def put(self, texts: Mapping[int, Sequence[str]], vectors: Mapping[str, Vectors]) -> None:
        """Store the available vectors of texts, by row; raises DataStoreError for another length."""
        for row, each in texts.items():
            places = tuple(place for place, text in enumerate(each) if text in vectors)
            if not places:
                continue
            made = _unit(np.stack([np.asarray(vectors[each[place]], np.float32) for place in places]))
            self._fit(made.shape[1])
            self._own[row] = (places, made)
        self._matrix = None

    def keep_only(self, rows: set[int]) -> None:
        """Delete the vectors of all other rows."""
        if gone := self._own.keys() - rows:
            self._own = {row: each for row, each in self._own.items() if row not in gone}
            self._matrix = None

    def near(self, vector: Vectors) -> dict[int, tuple[float, int]]:
        """Return the cosine and position of each row's nearest text."""
        if not self._own:
            return {}
        self._fit(len(vector))
        if self._matrix is None:
            self._matrix = np.concatenate([made for _, made in self._own.values()])
        cosines = self._matrix @ _unit(np.asarray(vector, np.float32)[None])[0]
        near, start = {}, 0
        for row, (places, _) in self._own.items():
            best = int(cosines[start : start + len(places)].argmax()) if len(places) > 1 else 0
            near[row] = (float(cosines[start + best]), places[best])
            start += len(places)
        return near

    def _fit(self, length: int) -> None:
        held = next((made.shape[1] for _, made in self._own.values()), length)
        if held != length:
            raise DataStoreError(wrong_length(held, length))


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
    return unit


def _parameters(query: StoreQuery) -> dict[str, Any]:
    values: dict[str, Any] = {
        "k": query.k,
        "pool": max(_POOL, query.k),
        **query.bounds,
        "words": " OR ".join(f'"{word}"' for word in search_words(query.text)) or '""',
        "anchors": json.dumps(query.anchors, ensure_ascii=False),
        "hops": query.hops,
    }
    for n, (name, wanted) in enumerate(query.filters.items()):
        values |= {f"field{n}": name, f"values{n}": json.dumps(wanted, ensure_ascii=False)}
    return values


def _copied(statement: str, values: Mapping[str, Any]) -> str:
    """Format the statement with its bound values, for copying."""
    bound = "".join(f"\n-- :{name} = {value!r}" for name, value in values.items() if f":{name}" in statement)
    return f"{statement};{bound}"
