"""Qdrant: points for documents and their texts; or an existing collection, only read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

import httpx
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from app.adapters.bounded_http import Bound, BoundedTransport
from app.adapters.datastores.client import (
    INVALID,
    LONGEST_ANSWER,
    MAX_VALUES,
    NO_VECTOR,
    NOT_FILLED,
    PAGE,
    UNREADABLE,
    DeadlineLoop,
    ReadOnlyStore,
    clean,
    elapsed_ms,
    first_line,
    gathered,
    refused,
    time_of,
    timed_out,
    unreachable,
    wrong_encoder,
    wrong_length,
)
from app.domain.datastore import Document, Hit, Source, StoreAnswer, StoreMapping, node_of
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors
from app.services.engine.typing_priority import chunks

Item = TypeVar("Item")

DOCUMENTS = "intentscope"
"""Collection of documents, without vectors; those of texts have the length in their name."""

KEYS: Mapping[str, str] = {
    "library": "keyword",
    "id": "keyword",
    "values": "keyword",
    "since": "datetime",
    "until": "datetime",
}
"""Indexed keys of points, and their types."""

SETUP = "\n".join(
    [
        f'PUT /collections/{DOCUMENTS} {{"vectors": {{}}}}',
        f'PUT /collections/{DOCUMENTS}/index {{"field_name": "library", "field_schema": "keyword"}}',
        "# with the first vectors of n numbers:",
        f'PUT /collections/{DOCUMENTS}_n {{"vectors": {{"size": n, "distance": "Cosine"}}}}',
        *(
            f'PUT /collections/{DOCUMENTS}_n/index {{"field_name": "{key}", "field_schema": "{kind}"}}'
            for key, kind in KEYS.items()
        ),
    ]
)

_CHUNK = 500
"""Number of points per request."""
_SERVER_SECONDS = 30
_WRITE_SECONDS = 600
"""Time-out in seconds of all requests of a filling step; each has a server's time-out."""
_MOST_TEXTS = 100_000
"""Maximum number of texts of a document."""
_FAULTY = 500
"""First HTTP status of server faults."""


class QdrantStore:
    """DataStore with Qdrant's own client over REST; a key needs https. Calls must not overlap.

    A document's own point gets its state after the points of its texts, so that an interrupted write is repeated.
    Searches are exact, without an index.
    """

    intents = frozenset({RouteIntent.VECTOR})

    def __init__(self, address: str, library: str, key: str | None = None) -> None:
        is_local = urlsplit(address).hostname in {"localhost", "127.0.0.1", "::1"}
        if key and address.startswith("http://") and not is_local:
            raise DataStoreError("A key is sent over https:// alone.")
        self._library = library
        headers = {"api-key": key} if key else {}
        try:
            # It would request the server's version when created.
            client = AsyncQdrantClient(
                address, timeout=_SERVER_SECONDS, check_compatibility=False, headers=headers,
                transport=BoundedTransport(lambda _: Bound(LONGEST_ANSWER, _SERVER_SECONDS)),
            )  # fmt: skip
        except ValueError as error:
            raise DataStoreError(unreachable(first_line(error))) from error
        self._loop = DeadlineLoop()
        self._client = cast("QdrantClient", _BlockingClient(client, self._loop))

    # ---- Content

    def setup(self) -> str:
        with self._known_errors():
            return "" if self._client.collection_exists(DOCUMENTS) else SETUP

    def prepare(self) -> None:
        with self._known_errors():
            if not self._client.collection_exists(DOCUMENTS):
                self._client.create_collection(DOCUMENTS, vectors_config={})
                self._client.create_payload_index(DOCUMENTS, "library", models.PayloadSchemaType.KEYWORD)

    def stored_states(self) -> Mapping[str, str]:
        with self._known_errors():
            self._collections()
            return gathered(self._page_of_states)

    def _page_of_states(self, at: Any) -> tuple[Mapping[str, str], Any]:
        points, at = self._client.scroll(
            DOCUMENTS, self._own(), limit=PAGE, offset=at, with_payload=["id", "state"]
        )  # fmt: skip
        return {each.payload["id"]: each.payload["state"] for each in points if each.payload}, at

    def count_foreign(self) -> int:
        with self._known_errors():
            self._collections()
            is_own = models.FieldCondition(key="library", match=models.MatchValue(value=self._library))
            return int(self._client.count(DOCUMENTS, models.Filter(must_not=[is_own]), exact=True).count)

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        kept = [(document, state) for document, state in documents]
        with self._known_errors(_WRITE_SECONDS):
            length = self._length()
            made = {text: vectors[text] for one, _ in kept for text in one.texts if text in vectors}
            for each in made.values():
                length = length or len(each)
                if len(each) != length:
                    raise DataStoreError(wrong_length(length, len(each)))
            self._forget_texts([document.id for document, _ in kept])
            self._upsert(DOCUMENTS, (self._document(document, "") for document, _ in kept))
            if made:
                self._make(length)
                self._upsert(f"{DOCUMENTS}_{length}", (each for one, _ in kept for each in self._texts(one, made)))
            self._upsert(DOCUMENTS, (self._document(document, state) for document, state in kept))

    def drop(self, ids: Sequence[str]) -> None:
        with self._known_errors(_WRITE_SECONDS):
            self._collections()
            self._forget_texts(ids)
            for some in chunks(ids, _CHUNK):
                self._client.delete(DOCUMENTS, models.PointIdsList(points=[self._point(each) for each in some]))

    def _forget_texts(self, ids: Sequence[str]) -> None:
        if not (length := self._length()):
            return
        for some in chunks(ids, _CHUNK):
            there = self._client.retrieve(DOCUMENTS, [self._point(each) for each in some], with_payload=["id", "texts"])
            payloads = [each.payload for each in there if each.payload]
            if any(each["texts"] > _MOST_TEXTS for each in payloads):
                raise DataStoreError(INVALID)
            texts = (self._point(each["id"], place) for each in payloads for place in range(each["texts"]))
            for points in chunks(texts, _CHUNK):
                self._client.delete(f"{DOCUMENTS}_{length}", models.PointIdsList(points=points))

    def _upsert(self, collection: str, points: Iterable[models.PointStruct]) -> None:
        for some in chunks(points, _CHUNK):
            self._client.upsert(collection, some, wait=True)

    def _make(self, length: int) -> None:
        name = f"{DOCUMENTS}_{length}"
        if name not in self._collections():
            self._client.create_collection(
                name, vectors_config=models.VectorParams(size=length, distance=models.Distance.COSINE)
            )
            for key, kind in KEYS.items():
                self._client.create_payload_index(name, key, models.PayloadSchemaType(kind))

    def _document(self, document: Document, state: str) -> models.PointStruct:
        told = {"library": self._library, "id": clean(document.id), "state": state, "texts": len(document.texts)}
        return models.PointStruct(id=self._point(document.id), vector={}, payload=told)

    def _texts(self, document: Document, vectors: Mapping[str, Vectors]) -> Iterator[models.PointStruct]:
        common = {"library": self._library, "id": clean(document.id), "name": clean(document.name)}
        common |= {key: each for key, each in (("since", document.since), ("until", document.until)) if each}
        values = [clean(node_of(name, value)) for name, each in document.fields.items() for value in each]
        for place, text in enumerate(document.texts):
            if text in vectors:
                payload = {**common, "values": values, "text": clean(text)}
                vector = vectors[text].tolist()
                yield models.PointStruct(id=self._point(document.id, place), vector=vector, payload=payload)

    def _point(self, document: str, place: int | None = None) -> str:
        """Return the id of a point: Qdrant accepts only numbers and UUIDs."""
        parts = (self._library, clean(document)) if place is None else (self._library, clean(document), str(place))
        return str(uuid5(NAMESPACE_URL, "\0".join(parts)))

    # ---- Search

    def search(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        if query.vector is None:
            raise DataStoreError(NO_VECTOR)
        asked = models.QueryGroupsRequest(
            query=query.vector.tolist(),
            group_by="id",
            group_size=1,
            limit=query.k,
            filter=self._own(*_conditions(query)),
            params=models.SearchParams(exact=True),
            with_payload=["id", "name", "since", "text"],
        )
        with self._known_errors(query.seconds):
            hits = self._hits(asked, len(query.vector), math.ceil(query.seconds) or 1)
        return StoreAnswer(hits, elapsed_ms(begun, query.seconds), _copied(asked, len(query.vector)))

    def _hits(self, asked: models.QueryGroupsRequest, length: int, seconds: int) -> tuple[Hit, ...]:
        name = f"{DOCUMENTS}_{length}"
        found: list[Any] = []
        if name in self._collections():
            found = self._client.query_points_groups(
                name, asked.group_by, asked.query, query_filter=asked.filter, search_params=asked.params,
                limit=asked.limit or 1, group_size=1, with_payload=asked.with_payload or True, timeout=seconds,
            ).groups  # fmt: skip
        if not found and (held := self._length()) not in {0, length}:
            raise DataStoreError(wrong_length(held, length))
        best = [(group.hits[0].score, group.hits[0].payload or {}) for group in found if group.hits]
        best.sort(key=lambda one: (-one[0], one[1]["id"]))
        return tuple(
            Hit(each["id"], each["name"], min(1.0, max(0.0, score)), each["text"], (), each.get("since", ""))
            for score, each in best
        )

    # ---- Calls

    def _own(self, *conditions: models.Condition) -> models.Filter:
        """Return a filter for this library's points with these conditions."""
        own = models.FieldCondition(key="library", match=models.MatchValue(value=self._library))
        return models.Filter(must=[own, *conditions])

    def _collections(self) -> set[str]:
        names = {each.name for each in self._client.get_collections().collections}
        if DOCUMENTS not in names:
            raise DataStoreError(NOT_FILLED)
        return names

    def _length(self) -> int:
        """Return the length of this library's vectors; 0 without any."""
        for name in sorted(self._collections()):
            length = name.removeprefix(f"{DOCUMENTS}_")
            if length.isdecimal() and self._client.count(name, self._own(), exact=True).count:
                return int(length)
        return 0

    @contextmanager
    def _known_errors(self, seconds: float | None = None) -> Iterator[None]:
        """Limit all requests in this block together, and convert errors to DataStoreError."""
        seconds = _SERVER_SECONDS if seconds is None else seconds
        try:
            with self._loop.within(seconds):
                yield
        except UnexpectedResponse as error:
            kind = DataStoreGoneError if (error.status_code or 0) >= _FAULTY else DataStoreError
            raise kind(refused(_refusal_reason(error))) from error
        except ResponseHandlingException as error:
            source = error.source
            if isinstance(source, httpx.TimeoutException):
                raise DataStoreGoneError(timed_out(seconds)) from error
            if isinstance(source, httpx.DecodingError):
                raise DataStoreError(refused(first_line(source))) from error
            if isinstance(source, httpx.HTTPError):
                raise DataStoreGoneError(unreachable(first_line(source))) from error
            raise DataStoreError(INVALID) from error
        except (ApiException, QdrantException) as error:
            raise DataStoreError(refused(first_line(error))) from error
        except ValueError as error:
            raise DataStoreError(INVALID) from error

    def close(self) -> None:
        with suppress(DataStoreError):
            self._client.close()
        self._loop.close()


class _BlockingClient:
    """Blocking proxy of Qdrant's asynchronous client, on a loop with limits."""

    def __init__(self, client: AsyncQdrantClient, loop: DeadlineLoop) -> None:
        self._asynchronous, self._loop = client, loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._asynchronous, name)
        return lambda *what, **how: self._loop.run(method(*what, **how), _SERVER_SECONDS)


def _conditions(query: StoreQuery) -> Iterator[models.Condition]:
    for name, wanted in query.filters.items():
        values = [clean(node_of(name, value)) for value in wanted]
        yield models.FieldCondition(key="values", match=models.MatchAny(any=values))
    yield from time_conditions(query, "since", "until")


def time_conditions(query: StoreQuery, since: str, until: str) -> Iterator[models.Condition]:
    """Yield the conditions on start and validity of documents; none for empty keys.

    `since` and `until` are the keys of their start and end.
    """
    if since and query.started.start:
        yield models.FieldCondition(key=since, range=models.DatetimeRange(gte=_time(query.started.start)))
    if since and query.started.end:
        yield models.FieldCondition(key=since, range=models.DatetimeRange(lt=_time(query.started.end)))
    if since and query.valid.end:
        yield _open_or(since, models.DatetimeRange(lt=_time(query.valid.end)))
    if until and query.valid.start:
        yield _open_or(until, models.DatetimeRange(gt=_time(query.valid.start)))


def _open_or(key: str, period: models.DatetimeRange) -> models.Filter:
    is_open = models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
    return models.Filter(should=[is_open, models.FieldCondition(key=key, range=period)])


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _refusal_reason(error: UnexpectedResponse) -> str:
    """Return the server's reason of a refusal, or its status."""
    try:
        said = str(error.structured()["status"]["error"])
    except (ValueError, *UNREADABLE):
        place = error.headers.get("location")
        said = f"it redirects to {place}; set that address if it is yours" if place else error.reason_phrase
    return f"{error.status_code} {first_line(said)}"


def _copied(asked: models.QueryGroupsRequest, length: int) -> str:
    """Format the request for copying, with the vector's length only."""
    body = asked.model_copy(update={"query": None}).model_dump(mode="json", exclude_none=True)
    body_text = json.dumps({"query": f"[{length} numbers]", **body}, ensure_ascii=False, indent=2)
    return f"POST /collections/{DOCUMENTS}_{length}/points/query/groups\n{body_text}"


_SAMPLE = 100
"""Number of points sampled for keys of payloads and values of fields."""
_MOST_COLLECTIONS = 100
_EXACT_TO = 20_000
"""Number of points up to which the search is exact; beyond, the collection's index is used."""
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
            sizes = {one: self._sizes(one).items() for one in names[:_MOST_COLLECTIONS]}
            vectors = {one: {name: f"vector({size})" for name, (size, _) in sizes[one] if name} for one in sizes}
            return [Source(name, self._keys(name) | vectors[name]) for name in sizes]

    def values(self) -> Mapping[str, tuple[str, ...]]:
        with self._known_errors():
            self._vectors()
            points, _ = self._client.scroll(
                self.mapping.source, limit=MAX_VALUES, with_payload=list(self.mapping.fields)
            )
        found: dict[str, dict[str, None]] = {name: {} for name in self.mapping.fields}
        for point in points:
            for name in self.mapping.fields:
                held = (point.payload or {}).get(name)
                each = held if isinstance(held, list) else [held]
                found[name] |= {value: None for value in each if isinstance(value, str)}
        return {name: tuple(values) for name, values in found.items()}

    def search(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        if query.vector is None:
            raise DataStoreError(NO_VECTOR)
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
        ms = elapsed_ms(begun, query.seconds)
        body = json.dumps(
            {"query": f"[{size} numbers]", **asked.model_dump(mode="json", exclude_none=True, exclude={"query"})},
            ensure_ascii=False, indent=2,
        )  # fmt: skip
        return StoreAnswer(hits, ms, f"POST /collections/{mapping.source}/points/query\n{body}", is_exact)

    def _hit(self, point: Any, distance: models.Distance) -> Hit:
        mapping, payload = self.mapping, point.payload or {}

        def said(key: str) -> str:
            value = payload.get(key) if key else None
            return "" if value is None else str(value)

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
            self.check({name or "(id of the point)": "" for name in sizes}, ())
        return sizes[mapping.vector]
