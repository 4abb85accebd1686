"""Ports of servers that search: data stores, and a team's search for candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from app.domain.datastore import ALWAYS, Document, Period, Source, StoreAnswer
from app.domain.route import RouteIntent
from app.ports.encoder import Vectors


@dataclass(frozen=True, slots=True)
class StoreQuery:
    """Query to any data store.

    `intent` is the kind of search: by vector, by words and vector (hybrid), along links, or along links at a time.
    `filters` keeps documents with one of the values of each field; `started` those whose validity began in that
    period; `valid` those valid at some time in it. `anchors` are ids of documents and nodes where a walk of at most
    `hops` steps starts. `seconds` is the time-out.
    """

    text: str
    intent: RouteIntent
    vector: Vectors | None = None
    k: int = 10
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    started: Period = ALWAYS
    valid: Period = ALWAYS
    anchors: tuple[str, ...] = ()
    hops: int = 2
    seconds: float = 5.0

    @property
    def bounds(self) -> dict[str, str]:
        """Bounds of both periods, as parameters of a statement."""
        began, held = self.started, self.valid
        return {"start": began.start, "end": began.end, "held_from": held.start, "held_to": held.end}


class DataStore(Protocol):
    """Documents of one library, with several kinds of search.

    Libraries on one server each store, find and delete only their own documents. Every call may block and raises
    DataStoreError, also after `close`.
    """

    @property
    def intents(self) -> frozenset[RouteIntent]:
        """Supported kinds of search."""

    def setup(self) -> str:
        """Return the statements, in the store's language, that prepare it; "" if prepared."""

    def prepare(self) -> None:
        """Run the statements of `setup`."""

    def stored_states(self) -> Mapping[str, str]:
        """Return the stored state of each document by id."""

    def count_foreign(self) -> int:
        """Count the documents of other libraries on the server."""

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        """Upsert documents with their states, and the vectors of their texts if any, atomically.

        All vectors of one store have the same length.
        """

    def drop(self, ids: Sequence[str]) -> None: ...

    def search(self, query: StoreQuery) -> StoreAnswer:
        """Return the nearest documents, best first.

        Along links, distance is the mean number of steps from each anchor; ties are broken by the newest where the
        query has times, then by the number of links to the document, then by id.
        """

    def close(self) -> None: ...


@runtime_checkable
class MappedStore(DataStore, Protocol):
    """Existing documents on a server, read through a mapping.

    `count_foreign` counts them, and every write raises DataStoreError.
    """

    def sources(self) -> Sequence[Source]:
        """List the tables, collections or labels that can be mapped, without this program's own."""

    def values(self) -> Mapping[str, tuple[str, ...]]:
        """Return sample values of each mapped field."""


@dataclass(frozen=True, slots=True)
class SearchStatus:
    """State of a search index on a server.

    `triggers` indexed triggers, complete up to change `seq` of the library's `head`; `encoder` of its vectors (""
    for none); `recall`, the share of the nearest ten that it finds, and the day of that measurement (UTC,
    "2026-11-24"), None before it.
    """

    triggers: int
    seq: int
    head: int
    encoder: str
    recall: float | None = None
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Memories that may answer a query, by key, with the vectors of their triggers by text.

    Vectors have shape (dimension,) and length 1. The local library may be older or newer than the index, as
    `status` shows. `touched` memories changed after the indexing and have no vectors. `by_meaning` and `by_words`
    count the memories found by each; `ms` is the search time.
    """

    vectors: Mapping[int, Mapping[str, Vectors]]
    status: SearchStatus
    touched: tuple[int, ...] = ()
    by_meaning: int = 0
    by_words: int = 0
    ms: float = 0.0


class CandidateSearch(Protocol):
    """Candidate search on a server. Every call may block; raises StoreError."""

    def search(self, text: str, vector: Vectors | None, most: int, *, encoder: str = "") -> Candidates:
        """Find at most `most` memories by meaning and by words.

        By meaning, if `vector` (shape (dimension,), length 1) is of the index's `encoder`; by words, those with the
        rarest words of the text or similar spellings.
        """

    def status(self) -> SearchStatus | None:
        """Return the state of the index; None without one."""

    def close(self) -> None: ...
