"""What data stores hold and what they answer: documents with fields, links and validity; hits with their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.confidence import checked_confidence
from app.domain.route import RouteIntent

STAND_IN = "embedded"
"""The store that is always there, and answers in the place of those that are not connected."""

WAYS: Mapping[str, RouteIntent] = {
    "neo4j": RouteIntent.GRAPH,
    "graphiti": RouteIntent.TEMPORAL,
    "qdrant": RouteIntent.VECTOR,
    "postgresql": RouteIntent.HYBRID,
}
"""What each of 001's stores is asked, in the order in which they are shown."""

SHARED_CACHE = "redis"
"""The cache in front of the answers of the LLM."""

KIND = "kind"
"""The field that tells memories from powers."""

ID, REPLACES = "id", "replaces"
"""The field of who is replaced, and that of who came in its place: both are linked to the node of that id."""

RANK_OFFSET = 60
"""Reciprocal rank fusion: 1 / (60 + rank), after Cormack, Clarke and Büttcher, SIGIR 2009."""


@dataclass(frozen=True, slots=True)
class Document:
    """One thing that a store holds: its texts, each with a vector of its own; a body, which is found by its words
    alone; its fields, each with several values; and since and until when it holds, UTC as "2026-11-22 04:26:21", ""
    where that is open.

    A value of a field is a node of the graph, named "field:value", that the document is linked to; but for its kind,
    which would link everything with everything, and what it replaces, which leads to the id of that.
    """

    id: str
    name: str
    texts: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: str = ""
    since: str = ""
    until: str = ""

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Relation and node of each edge of the document."""
        told = ((name, values) for name, values in self.fields.items() if name != KIND)
        return tuple(
            (name, node_of(ID if name == REPLACES else name, value)) for name, values in told for value in values
        )


def secret_of(store: str) -> str:
    """The name under which a store's password is kept."""
    return f"store:{store}"


def node_of(name: str, value: str) -> str:
    """The node that stands for a value of a field."""
    return f"{name}:{value}"


@dataclass(frozen=True, slots=True)
class Period:
    """From a time on, and before another; both in the words of Document, "" where that side is open."""

    start: str = ""
    end: str = ""


ALWAYS = Period()


@dataclass(frozen=True, slots=True)
class Hit:
    """One document of an answer: how near it is (0 to 1), and why it is there: the text that was nearest to the query,
    the path from an anchor (nodes and documents by name, the anchor first), since when it holds."""

    id: str
    name: str
    score: float
    text: str = ""
    path: tuple[str, ...] = ()
    since: str = ""

    def __post_init__(self) -> None:
        checked_confidence(self.score)


@dataclass(frozen=True, slots=True)
class StoreAnswer:
    """What a store answered: hits, best first, after so many ms; the statement it ran, in its own language, as text to
    copy; `is_exact` where nothing near was left out for speed."""

    hits: tuple[Hit, ...]
    ms: float
    statement: str
    is_exact: bool = True


def fused(rankings: Sequence[Iterable[str]]) -> list[tuple[str, float]]:
    """Reciprocal rank fusion of rankings of ids; scores are shares of what an id has that is first in all of them."""
    sums: dict[str, float] = {}
    for ranking in rankings:
        for place, each in enumerate(dict.fromkeys(ranking)):
            sums[each] = sums.get(each, 0.0) + (RANK_OFFSET + 1) / (RANK_OFFSET + 1 + place) / len(rankings)
    return sorted(((each, min(1.0, score)) for each, score in sums.items()), key=lambda one: -one[1])
