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
    """What a store is asked, whatever it is made of.

    `way` is how it should look: by vector, by words and vector (hybrid), along links, or along links at a time.
    `filters` leaves in what has one of the values of each field; `made` what holds since a time in that period; `held`
    what held at any time of it. `anchors` are ids of documents and nodes that a walk of so many `hops` starts
    from. A store gives up after so many `seconds`.
    """

    text: str
    way: RouteIntent
    vector: Vectors | None = None
    k: int = 10
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    made: Period = ALWAYS
    held: Period = ALWAYS
    anchors: tuple[str, ...] = ()
    hops: int = 2
    seconds: float = 5.0


class DataStore(Protocol):
    """Repository of one library's documents that answers in several ways. Where several libraries share a server each
    keeps, finds and drops its own alone. Every call may block; DataStoreError where it cannot be done, also once it is
    closed."""

    @property
    def ways(self) -> frozenset[RouteIntent]:
        """In which ways it can be asked."""
        ...

    def setup(self) -> str:
        """The statements, in the store's own language, that make it ready to be filled; "" where it is."""
        ...

    def prepare(self) -> None:
        """Run those."""
        ...

    def held(self) -> Mapping[str, str]:
        """By id of each document, the word it was put under."""
        ...

    def others(self) -> int:
        """How many documents of other libraries are beside this one's."""
        ...

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        """Keep documents, each under a word that tells its state and in the place of the one of its id, with the
        vectors of their texts, as far as there are; all or none. One store holds vectors of one length."""
        ...

    def drop(self, ids: Sequence[str]) -> None: ...

    def search(self, query: StoreQuery) -> StoreAnswer:
        """The nearest documents, best first.

        Along links one is the nearer, the fewer steps it is from each anchor, on average; of equally near ones first
        the newest where times are asked for, then what more links lead to, then by id.
        """
        ...

    def close(self) -> None: ...


@runtime_checkable
class MappedStore(DataStore, Protocol):
    """Documents of others on a server, found through a mapping: `others` counts them, and whatever would write is
    refused with DataStoreError."""

    def sources(self) -> Sequence[Source]:
        """What there is on the server that could be mapped; what filling made is left out."""
        ...

    def values(self) -> Mapping[str, tuple[str, ...]]:
        """By field of the mapping, some of the values that its documents have there."""
        ...
