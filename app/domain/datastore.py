"""What data stores hold and what they answer: documents with fields, links and validity; hits with their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

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


# ---- What stands on a server already: documents of others, which are read and never written.


@dataclass(frozen=True, slots=True)
class Source:
    """A table, collection or label of a server, and its columns, keys or properties with what the server says of
    each: "text", "vector(384)", "keyword"."""

    name: str
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoreMapping:
    """Where documents of others stand, and in which of its columns what of them; "" for what they have not."""

    source: str
    id: str = ""
    name: str = ""
    text: str = ""
    vector: str = ""
    since: str = ""
    until: str = ""
    fields: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Self:
        """The mapping as a setting says it: "docs; id=id; text=body; fields=tag, kind". ValueError."""
        source, *parts = (part.strip() for part in text.split(";"))
        said = dict(part.partition("=")[::2] for part in parts if part)
        named = {key.strip(): value.strip() for key, value in said.items()}
        wrong = [key for key, value in named.items() if key not in PARTS or not value]
        if not source or wrong or len(named) < len([part for part in parts if part]):
            raise ValueError(f"it is written as in “{SUCH_AS}”")
        fields = tuple(name.strip() for name in named.pop("fields", "").split(",") if name.strip())
        return cls(source, fields=fields, **named)

    def __str__(self) -> str:
        parts = {key: getattr(self, key) for key in PARTS[:-1]} | {"fields": ", ".join(self.fields)}
        return "; ".join((self.source, *(f"{key}={value}" for key, value in parts.items() if value)))

    @property
    def columns(self) -> tuple[str, ...]:
        """All that it names."""
        named = (self.id, self.name, self.text, self.vector, self.since, self.until, *self.fields)
        return tuple(dict.fromkeys(filter(None, named)))


PARTS = ("id", "name", "text", "vector", "since", "until", "fields")
SUCH_AS = "docs; id=id; text=body; vector=embedding; fields=tag, kind"

MAPPED: Mapping[str, tuple[str, ...]] = {"postgresql": ("id", "text"), "qdrant": ("text",), "neo4j": ("name",)}
"""The stores whose servers may hold documents of others, and what a mapping of each has to name."""

LOOK = StoreMapping("*")
"""Opens a server only to see what is there."""

_USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "uuid", "key", "uid"),
    "name": ("title", "name", "heading", "label"),
    "text": ("text", "content", "body", "document", "page_content", "chunk", "description", "answer"),
    "vector": ("embedding", "vector"),
    "since": ("valid_from", "since", "created_at", "created", "valid_at", "date"),
    "until": ("valid_to", "until", "invalid_at", "expires_at", "expires"),
}
"""What such columns are called."""


def suggested(source: Source, store: str) -> StoreMapping:
    """What the columns of a source most likely hold, by their names and kinds; the rest are fields."""
    found: dict[str, str] = {}
    for part, names in _USUAL.items():
        known = [name for usual in names for name in source.columns if name.casefold() == usual]
        if part == "vector":
            known = [name for name in source.columns if "vec" in source.columns[name]]
        if free := [name for name in known if name not in found.values()]:
            found[part] = free[0]
    if "name" in MAPPED[store] and "name" not in found and "text" in found:
        found["name"] = found.pop("text")
    rest = (name for name, kind in source.columns.items() if name not in found.values() and "vec" not in kind)
    return StoreMapping(source.name, fields=tuple(rest), **found)


def fused(rankings: Sequence[Iterable[str]]) -> list[tuple[str, float]]:
    """Reciprocal rank fusion of rankings of ids; scores are shares of what an id has that is first in all of them."""
    sums: dict[str, float] = {}
    for ranking in rankings:
        for place, each in enumerate(dict.fromkeys(ranking)):
            sums[each] = sums.get(each, 0.0) + (RANK_OFFSET + 1) / (RANK_OFFSET + 1 + place) / len(rankings)
    return sorted(((each, min(1.0, score)) for each, score in sums.items()), key=lambda one: -one[1])
