"""Documents of data stores (fields, links, validity), and answers: hits with evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from app.domain.confidence import checked_confidence
from app.domain.route import RouteIntent

STAND_IN = "embedded"
"""Store that is always available and answers for stores that are not connected."""

WAYS: Mapping[str, RouteIntent] = {
    "neo4j": RouteIntent.GRAPH,
    "graphiti": RouteIntent.TEMPORAL,
    "qdrant": RouteIntent.VECTOR,
    "postgresql": RouteIntent.HYBRID,
}
"""Route of each store of document 001, in display order."""

SHARED_CACHE = "redis"
"""Store that caches the answers of the LLM."""

KIND = "kind"
"""Field that distinguishes memories from powers."""

ID, REPLACES = "id", "replaces"
"""Fields of a document's id and of the ids it replaces; both link to the node of that id."""

RANK_OFFSET = 60
"""Constant of reciprocal rank fusion, 1 / (60 + rank) (Cormack et al., SIGIR 2009)."""


@dataclass(frozen=True, slots=True)
class Document:
    """Document of a store: texts, each with its own vector; a body; fields with several values.

    The body is found by its words only. `since` and `until` bound the validity, in UTC as "2026-11-22 04:26:21", ""
    if open. Each field value is a graph node "field:value" the document links to, except `kind`, which would link
    everything, and `replaces`, which links to the node of that id.
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
        """(relation, node) of each edge of the document."""
        fields = ((name, values) for name, values in self.fields.items() if name != KIND)
        return tuple(
            (name, node_of(ID if name == REPLACES else name, value)) for name, values in fields for value in values
        )


def secret_of(store: str) -> str:
    """Return the name of the secret that holds a store's password."""
    return f"store:{store}"


def node_of(name: str, value: str) -> str:
    """Return the graph node of a field value."""
    return f"{name}:{value}"


@dataclass(frozen=True, slots=True)
class Period:
    """Period from `start` to before `end`, in the format of Document; "" if open."""

    start: str = ""
    end: str = ""


ALWAYS = Period()


@dataclass(frozen=True, slots=True)
class Hit:
    """Document of an answer: its score in [0, 1] and the evidence for it.

    `text` is the text nearest to the query, `path` the names of nodes and documents from an anchor (first) to the
    hit, and `since` the start of its validity.
    """

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
    """Answer of a store: hits, best first; time in ms; and the statement it ran.

    `is_exact` is False where an approximate search may have missed near documents.
    """

    hits: tuple[Hit, ...]
    ms: float
    statement: str
    is_exact: bool = True


# ---- Existing tables of servers: documents that are read and never written.


@dataclass(frozen=True, slots=True)
class Source:
    """Table, collection or label of a server, with each column, key or property and its type.

    Types are those of the server: "text", "vector(384)", "keyword".
    """

    name: str
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoreMapping:
    """Columns of a source that hold each part of its documents; "" for missing parts."""

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
        """Parse a setting such as "docs; id=id; text=body; fields=tag, kind"; raises ValueError."""
        source, *parts = (part.strip() for part in text.split(";"))
        said = dict(part.partition("=")[::2] for part in parts if part)
        named = {key.strip(): value.strip() for key, value in said.items()}
        wrong = [key for key, value in named.items() if key not in PARTS or not value]
        if not source or wrong or len(named) < len([part for part in parts if part]):
            raise ValueError("it is written as in “docs; id=id; text=body; vector=embedding; fields=tag, kind”")
        fields = tuple(name.strip() for name in named.pop("fields", "").split(",") if name.strip())
        return cls(source, fields=fields, **named)

    def __str__(self) -> str:
        parts = {key: getattr(self, key) for key in PARTS[:-1]} | {"fields": ", ".join(self.fields)}
        return "; ".join((self.source, *(f"{key}={value}" for key, value in parts.items() if value)))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all mapped columns, without duplicates."""
        named = (self.id, self.name, self.text, self.vector, self.since, self.until, *self.fields)
        return tuple(dict.fromkeys(filter(None, named)))


PARTS = ("id", "name", "text", "vector", "since", "until", "fields")

MAPPED: Mapping[str, tuple[str, ...]] = {"postgresql": ("id", "text"), "qdrant": ("text",), "neo4j": ("name",)}
"""Stores whose servers may hold existing documents, and the parts each mapping must name."""

LOOK = StoreMapping("*")
"""Mapping that opens a server only to list its sources."""

_USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "uuid", "key", "uid"),
    "name": ("title", "name", "heading", "label"),
    "text": ("text", "content", "body", "document", "page_content", "chunk", "description", "answer"),
    "vector": ("embedding", "vector"),
    "since": ("valid_from", "since", "created_at", "created", "valid_at", "date"),
    "until": ("valid_to", "until", "invalid_at", "expires_at", "expires"),
}
"""Usual column names of each part, most likely first."""


def suggested(source: Source, store: str) -> StoreMapping:
    """Guess the mapping of a source from column names and types; other columns become fields."""
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
    """Fuse rankings of ids by reciprocal rank; an id first in every ranking has score 1."""
    sums: dict[str, float] = {}
    for ranking in rankings:
        for place, each in enumerate(dict.fromkeys(ranking)):
            sums[each] = sums.get(each, 0.0) + (RANK_OFFSET + 1) / (RANK_OFFSET + 1 + place) / len(rankings)
    return sorted(((each, min(1.0, score)) for each, score in sums.items()), key=lambda one: -one[1])
