"""A data store behind the router: documents go in with vectors, ranked hits come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from app.domain.datastore import ALWAYS, Document, Period, Source, StoreAnswer
from app.domain.route import RouteIntent
from app.ports.encoder import Vectors


@dataclass(frozen=True, slots=True)
class StoreQuery:
    """A query to any data store.

    `intent` is the kind of search: by vector, by words and vector (hybrid), along links, or along links at a time.
    `filters` keeps documents with one of the values of each field; `started` those whose validity began in that period;
    `valid` those that were valid at any time of it. `anchors` are the ids of documents and nodes that a walk of at most
    `hops` steps starts from. A store times out after so many `seconds`.
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


class DataStore(Protocol):
    """Repository of one library's documents that answers several kinds of search. Libraries that share a server each
    store, find and delete their own documents only. Every call may block and raises DataStoreError, also once the store
    is closed."""

    @property
    def intents(self) -> frozenset[RouteIntent]:
        """The kinds of search that the store supports."""
        ...

    def setup(self) -> str:
        """The statements, in the store's own language, that make it ready to be filled; "" where it is ready."""
        ...

    def prepare(self) -> None:
        """Run the statements of `setup`."""
        ...

    def stored_states(self) -> Mapping[str, str]:
        """By document id, the state that the document was stored with."""
        ...

    def count_foreign(self) -> int:
        """How many documents of other libraries the server holds."""
        ...

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        """Upsert documents by id, each with a word for its state, and the vectors of their texts where there are any;
        all or nothing. The vectors of one store have one length."""
        ...

    def drop(self, ids: Sequence[str]) -> None: ...

    def search(self, query: StoreQuery) -> StoreAnswer:
        """The nearest documents, best first.

        Along links a document is the nearer, the fewer steps it is from each anchor, on average; ties are broken by the
        newest where the query has times, then by the number of links that lead there, then by id.
        """
        ...

    def close(self) -> None: ...


@runtime_checkable
class MappedStore(DataStore, Protocol):
    """Documents of others on a server, found through a mapping: `count_foreign` counts them, and every write raises
    DataStoreError."""

    def sources(self) -> Sequence[Source]:
        """The tables, collections or labels of the server that could be mapped, without those that filling made."""
        ...

    def values(self) -> Mapping[str, tuple[str, ...]]:
        """By field of the mapping, some of the values of its documents."""
        ...
