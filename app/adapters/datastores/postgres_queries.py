"""Search statements for PostgreSQL, with bound values, also as text for copying."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from app.adapters.datastores.client import NO_VECTOR, clean, search_words, wrong_length
from app.domain.datastore import RANK_OFFSET
from app.domain.errors import DataStoreError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors

POOL = 200
"""Number of nearest documents by words and by vector that are fused."""


_HOLDS = """(%(held_to)s = '' OR d.since < %(held_to)s)
    AND (%(held_from)s = '' OR d.until = '' OR d.until > %(held_from)s)"""

_FITS = f"""fits AS {{materialized}}(
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

_NEAREST_BY_INDEX = """candidates AS MATERIALIZED (
  SELECT document, place, vector FROM intentscope_phrase
  WHERE library = %(library)s AND vector_dims(vector) = {length}
  ORDER BY vector::halfvec({length}) <#> %(vector)s::halfvec({length}) LIMIT %(pool)s
),
nearest AS (
  SELECT DISTINCT ON (document) document AS id, place, -(vector <#> %(vector)s::vector) AS near
  FROM candidates ORDER BY document, near DESC, place
)"""
"""CTE of nearest texts by index, which may miss some; candidates are compared exactly."""

_NO_VECTOR = "nearest AS (SELECT NULL::text AS id, 0 AS place, 0.0 AS near WHERE false)"

_BY_VECTOR = f"""WITH {_FITS},
{{nearest}}
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


def unit(vector: Vectors, length: int) -> Vectors:
    """Scale a vector to length 1; raises DataStoreError if the stored ones have another length."""
    if length != len(vector):
        raise DataStoreError(wrong_length(length, len(vector)))
    whole = float(np.linalg.norm(vector))
    unit: Vectors = np.asarray(vector, np.float32) / np.float32(whole or 1.0)
    return unit


def vector_text(vector: Vectors) -> str:
    return f"[{','.join(map(str, vector.tolist()))}]"


def tsquery(text: str) -> str:
    return " | ".join(f"'{word}'" for word in search_words(text))


def statement_of(query: StoreQuery, indexed: int = 0) -> tuple[str, dict[str, Any]]:
    """Return the statement and its values; `indexed` is the length of indexed vectors.

    0 for an exact search, as with filters, which leave few documents.
    """
    values: dict[str, Any] = {
        "k": query.k,
        "pool": max(POOL, query.k),
        **query.bounds,
        "words": tsquery(query.text),
        "anchors": [clean(each) for each in query.anchors],
        "hops": query.hops,
    }
    for n, (name, wanted) in enumerate(query.filters.items()):
        values |= {f"field{n}": clean(name), f"values{n}": [clean(each) for each in wanted]}
    filters = "".join(_FILTER.format(n=n) for n in range(len(query.filters)))
    nearest = _NEAREST_BY_INDEX.format(length=indexed) if indexed else _NEAREST
    # With an index the documents must not be materialized; without one they are, once.
    fits = {"filters": filters, "materialized": "NOT MATERIALIZED " if indexed else ""}
    if query.intent is RouteIntent.VECTOR:
        if query.vector is None:
            raise DataStoreError(NO_VECTOR)
        return _BY_VECTOR.format(**fits, nearest=nearest), values
    if query.intent is RouteIntent.HYBRID:
        nearest = _NO_VECTOR if query.vector is None else nearest
        return _BY_WORDS.format(**fits, nearest=nearest), values
    newest = "since DESC, " if query.intent is RouteIntent.TEMPORAL else ""
    return _BY_LINKS.format(**fits, newest=newest), values


def copied(statement: str, values: Mapping[str, Any]) -> str:
    """Format the statement with its bound values, for copying."""
    shown = {**values, "vector": f"[{len(values['vector'].split(','))} numbers]"} if "vector" in values else values
    bound = "".join(f"\n-- %({name})s = {value!r}" for name, value in shown.items() if f"%({name})s" in statement)
    return f"{statement};{bound}"
