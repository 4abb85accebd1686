"""Existing collection of Qdrant, searched by meaning with filters on its payload."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

from qdrant_client import models

from app.adapters.datastores.client import clean, no_vector, timed_out
from app.adapters.datastores.mapped.read_only import MAX_VALUES, ReadOnlyStore, time_of, wrong_encoder
from app.adapters.datastores.qdrant import DOCUMENTS, QdrantStore, time_conditions
from app.domain.datastore import Hit, Source, StoreAnswer, StoreMapping
from app.domain.errors import DataStoreError
from app.ports.datastore import StoreQuery

_SAMPLE = 100
"""Number of points sampled for keys of payloads and values of fields."""
_MOST_COLLECTIONS = 100
_EXACT_TO = 20_000
"""Number of points up to which the search is exact; beyond, the collection's index is used."""
_POINT = "(id of the point)"
_SIMILAR = (models.Distance.COSINE, models.Distance.DOT)


class MappedQdrant(ReadOnlyStore, QdrantStore):
    """MappedStore on one collection, with read-only requests.

    The mapping may name the vector; without a key for ids, the points' ids are used.
    """

    def __init__(self, address: str, mapping: StoreMapping, key: str | None = None) -> None:
        super().__init__(address, "", key)
        self.mapping = mapping

    def count_foreign(self) -> int:
        with self._known_errors():
            self._vectors()
            return int(self._client.count(self.mapping.source, exact=False).count)

    def sources(self) -> Sequence[Source]:
        with self._known_errors():
            names = [name for name in self._names() if not name.startswith(DOCUMENTS)]
            return [Source(name, self._keys(name) | _named(self._sizes(name))) for name in names[:_MOST_COLLECTIONS]]

    def values(self) -> Mapping[str, tuple[str, ...]]:
        with self._known_errors():
            self._vectors()
            points, _ = self._client.scroll(
                self.mapping.source, limit=MAX_VALUES, with_payload=list(self.mapping.fields)
            )
        found: dict[str, dict[str, None]] = {name: {} for name in self.mapping.fields}
        for point in points:
            for name in self.mapping.fields:
                told = (point.payload or {}).get(name)
                each = told if isinstance(told, list) else [told]
                found[name] |= {value: None for value in each if isinstance(value, str)}
        return {name: tuple(values) for name, values in found.items()}

    def search(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        if query.vector is None:
            raise DataStoreError(no_vector())
        mapping, seconds = self.mapping, math.ceil(query.seconds) or 1
        with self._known_errors(query.seconds):
            size, distance = self._vectors()
            if size != len(query.vector):
                raise DataStoreError(wrong_encoder(mapping.vector or mapping.source, size, len(query.vector)))
            is_exact = self._client.count(mapping.source, exact=False).count <= _EXACT_TO
            asked = models.QueryRequest(
                query=query.vector.tolist(),
                using=mapping.vector or None,
                filter=models.Filter(must=list(self._conditions(query))),
                params=models.SearchParams(exact=is_exact),
                limit=query.k,
                with_payload=list(mapping.columns) or True,
            )
            found = self._client.query_points(
                mapping.source, asked.query, using=asked.using, query_filter=asked.filter, limit=query.k,
                search_params=asked.params, with_payload=asked.with_payload or True, timeout=seconds,
            ).points  # fmt: skip
            hits = tuple(self._hit(point, distance) for point in found)
        ms = (perf_counter() - begun) * 1000.0
        if ms > query.seconds * 1000.0:
            raise DataStoreError(timed_out(query.seconds))
        told = json.dumps(
            {"query": f"[{size} numbers]", **asked.model_dump(mode="json", exclude_none=True, exclude={"query"})},
            ensure_ascii=False, indent=2,
        )  # fmt: skip
        return StoreAnswer(hits, ms, f"POST /collections/{mapping.source}/points/query\n{told}", is_exact)

    def _hit(self, point: Any, distance: models.Distance) -> Hit:
        mapping, payload = self.mapping, point.payload or {}

        def said(key: str) -> str:
            told = payload.get(key) if key else None
            return "" if told is None else str(told)

        own = said(mapping.id) or str(point.id)
        near = float(point.score) if distance in _SIMILAR else 1.0 / (1.0 + abs(float(point.score)))
        name = said(mapping.name) or own
        return Hit(own, name, min(1.0, max(0.0, near)), said(mapping.text), (), time_of(payload.get(mapping.since)))

    def _conditions(self, query: StoreQuery) -> Iterator[models.Condition]:
        for name, wanted in query.filters.items():
            if name not in self.mapping.fields:
                yield models.HasIdCondition(has_id=[])  # matches no point
            yield models.FieldCondition(key=name, match=models.MatchAny(any=[clean(each) for each in wanted]))
        yield from time_conditions(query, self.mapping.since, self.mapping.until)

    # ---- Content

    def _names(self) -> list[str]:
        return sorted(each.name for each in self._client.get_collections().collections)

    def _sizes(self, name: str) -> dict[str, tuple[int, models.Distance]]:
        """Return length and distance of each vector by name, "" for an unnamed one."""
        held = self._client.get_collection(name).config.params.vectors
        named = held if isinstance(held, dict) else {"": held} if held else {}
        return {key: (int(each.size), each.distance) for key, each in named.items()}

    def _keys(self, name: str) -> dict[str, str]:
        """Return the keys of some points' payloads, with the types of their values."""
        points, _ = self._client.scroll(name, limit=_SAMPLE, with_payload=True)
        found: dict[str, str] = {}
        for point in points:
            found |= {key: type(value).__name__ for key, value in (point.payload or {}).items() if key not in found}
        return found

    def _vectors(self) -> tuple[int, models.Distance]:
        """Return length and distance of the mapped vectors.

        Raises DataStoreError for a wrong mapping.
        """
        mapping, names = self.mapping, self._names()
        if mapping.source not in names:
            self.check({}, (name for name in names if not name.startswith(DOCUMENTS)))
        sizes = self._sizes(mapping.source)
        if mapping.vector not in sizes:
            self.check({name or _POINT: "" for name in sizes}, ())
        return sizes[mapping.vector]


def _named(sizes: Mapping[str, tuple[int, models.Distance]]) -> dict[str, str]:
    """Return named vectors as columns."""
    return {name: f"vector({size})" for name, (size, _) in sizes.items() if name}
