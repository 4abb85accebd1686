"""Routes: which data stores answer which queries, the stages of a decision, and its log entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.confidence import checked_confidence
from app.domain.llm import LlmOutcome


class RouteIntent(StrEnum):
    """What kind of store a query calls for (S6.1). A person may have routes of their own beside or instead."""

    GRAPH = "graph_traversal"
    VECTOR = "vector_similarity"
    HYBRID = "hybrid_search"
    TEMPORAL = "temporal_reasoning"
    MULTI = "multi_database"


ROUTE_NAMES = frozenset(intent.value for intent in RouteIntent)

ALL_STORES = ("neo4j", "qdrant", "postgresql")
"""What 001 calls all databases. Its Redis is the cache in front of them."""

STORE_ORDER = ("neo4j", "graphiti", "qdrant", "postgresql")

COLORS = ("purple", "blue", "green", "orange", "grey", "sky", "pink", "olive")
"""What a route can be drawn in, beside its name; the first five are those of 001's."""


@dataclass(frozen=True, slots=True)
class Route:
    """A kind of query and who answers it: its stores, the color that it is drawn in, a title that people gave it, and
    `about`, by which an LLM knows it. For one that is off nothing decides."""

    name: str
    stores: tuple[str, ...]
    color: str
    title: str = ""
    about: str = ""
    enabled: bool = True


SHIPPED_ROUTES = (
    Route(
        RouteIntent.GRAPH.value,
        ("neo4j",),
        COLORS[0],
        about="follows relations between named things, paths, dependencies",
    ),
    Route(RouteIntent.VECTOR.value, ("qdrant",), COLORS[1], about="wants what is alike in meaning, or recommended"),
    Route(
        RouteIntent.HYBRID.value,
        ("postgresql",),
        COLORS[2],
        about="names an author, date, tag, status or other field, and words",
    ),
    Route(
        RouteIntent.TEMPORAL.value,
        ("neo4j", "graphiti"),
        COLORS[3],
        about="asks how relations or a network changed with time",
    ),
    Route(RouteIntent.MULTI.value, ALL_STORES, COLORS[4], about="needs several of these at once"),
)
"""001's five (S6.1)."""


@dataclass(frozen=True, slots=True)
class Routes:
    """Value object: the routes in force, 001's five first, as people changed them, then their own.

    A label that is none of them still stands for something: a store of that name."""

    rows: tuple[Route, ...] = SHIPPED_ROUTES

    def find(self, label: str) -> Route | None:
        """The route of this name; None where a label is none of them, though a case, a rule or the log names it."""
        return next((row for row in self.rows if row.name == label), None)

    def named(self, text: str) -> str:
        """The name of the route that is called so, by name, title or another name of one of the five, in any case; any
        other label as it is, but for space around it."""
        label = route_label(text)
        folded = label.casefold()
        return next((row.name for row in self.rows if folded in (row.name.casefold(), row.title.casefold())), label)

    @property
    def on(self) -> tuple[Route, ...]:
        """Those that something may decide for."""
        return tuple(row for row in self.rows if row.enabled)

    @property
    def own(self) -> tuple[Route, ...]:
        """Those that are not of 001's five."""
        return tuple(row for row in self.rows if row.name not in ROUTE_NAMES)

    @property
    def safe(self) -> Route:
        """Where a query goes when nothing can decide: to vector search, as 001 has it, or the first that is on."""
        vector = self.find(RouteIntent.VECTOR) or SHIPPED_ROUTES[1]
        return vector if vector.enabled or not self.on else self.on[0]

    @property
    def are_known_to_llms(self) -> bool:
        """Whether an LLM that was told of 001's five has the same choice."""
        return [(row.name, row.about) for row in self.on] == [(row.name, row.about) for row in SHIPPED_ROUTES]

    def is_off(self, label: str) -> bool:
        """Whether this is a route that is switched off."""
        return (row := self.find(label)) is not None and not row.enabled

    def color_of(self, label: str) -> str:
        """What a route is drawn in; "" for a label that is none."""
        return "" if (row := self.find(label)) is None else row.color

    def stores_of(self, label: str) -> tuple[str, ...]:
        """The stores of a route; a label that is none stands for a store of that name."""
        return (label,) if (row := self.find(label)) is None else row.stores

    def stores_of_several(self, labels: Iterable[str]) -> tuple[str, ...]:
        """The stores of all of these, each once, in a fixed order: 001's, then others as they come."""
        found = dict.fromkeys(store for label in labels for store in self.stores_of(label))
        return (*(store for store in STORE_ORDER if store in found), *(s for s in found if s not in STORE_ORDER))


DOCUMENTED = Routes()
"""001's own set."""

CONFIDENCES: Mapping[str, float] = {
    RouteIntent.GRAPH: 0.95,
    RouteIntent.VECTOR: 0.95,
    RouteIntent.HYBRID: 0.90,
    RouteIntent.TEMPORAL: 0.85,
    RouteIntent.MULTI: 0.6,
}
"""How sure a rule of an intent is that names no confidence of its own (S6.2)."""

OWN_CONFIDENCE = 0.9
"""How sure a rule is whose label is a person's own, where it names no confidence."""

ALIASES: Mapping[str, RouteIntent] = {
    "graph": RouteIntent.GRAPH,
    "graph traversal": RouteIntent.GRAPH,
    "traversal": RouteIntent.GRAPH,
    "vector": RouteIntent.VECTOR,
    "vector similarity": RouteIntent.VECTOR,
    "semantic": RouteIntent.VECTOR,
    "similarity": RouteIntent.VECTOR,
    "hybrid": RouteIntent.HYBRID,
    "hybrid search": RouteIntent.HYBRID,
    "metadata": RouteIntent.HYBRID,
    "temporal": RouteIntent.TEMPORAL,
    "temporal reasoning": RouteIntent.TEMPORAL,
    "complex reasoning": RouteIntent.TEMPORAL,
    "multi": RouteIntent.MULTI,
    "multi database": RouteIntent.MULTI,
    "multiple": RouteIntent.MULTI,
}
"""Other names of the intents, with spaces for - and _."""


def route_label(name: str) -> str:
    """One of the five for its name or alias, in any case; any other label as it is, but for space around it."""
    folded = " ".join(name.lower().replace("-", " ").replace("_", " ").split())
    if (alias := ALIASES.get(folded)) is not None:
        return alias.value
    return name.strip()


class RouteMethod(StrEnum):
    """What decided (S6.3). `best_rule` is a rule that was not confident enough, taken because nothing better came."""

    RULE = "rule"
    CACHE = "cache"
    EXAMPLES = "examples"
    LLM_FALLBACK = "llm_fallback"
    BEST_RULE = "best_rule"
    DEGRADED = "degraded"


class RouteStage(StrEnum):
    """The stages of a decision, in their order."""

    RULES = "rules"
    CACHE = "cache"
    EXAMPLES = "examples"
    LLM = "llm"
    FALLBACK = "fallback"


class StepOutcome(StrEnum):
    """The outcome of a stage. `skipped`: an earlier one decided, or it is off; `waiting`: it has not ended yet."""

    DECIDED = "decided"
    UNSURE = "unsure"
    NOTHING = "nothing"
    FAILED = "failed"
    SKIPPED = "skipped"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class RouteStep:
    """One stage: what came of it, a sentence why, its time, and how sure it was where it had a word to say."""

    stage: RouteStage
    outcome: StepOutcome
    sentence: str
    ms: float = 0.0
    confidence: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class RouteAnswer:
    """What the LLM said of a query's route, in the words of LlmAnswer; kept in the cache without prompt and reply."""

    intent: str
    confidence: float
    mode: str
    reasoning: str = ""
    distribution: Mapping[str, float] | None = None
    prompt: str = ""
    reply: str = ""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


class CacheLookup(StrEnum):
    """What came of a look for a kept answer: in the cache in front, then in the table of this library."""

    REDIS_HIT = "redis hit"
    REDIS_MISS = "redis miss"
    REDIS_GONE = "redis gone"
    TABLE_HIT = "table hit"
    TABLE_MISS = "table miss"


class CircuitName(StrEnum):
    """Whether the LLM may be asked: closed it may, half open once to try, open not."""

    CLOSED = "closed"
    HALF_OPEN = "half_open"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class CircuitState:
    """The circuit before the LLM, and in a sentence why it is as it is."""

    name: CircuitName = CircuitName.CLOSED
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class LoggedRoute:
    """One line of the log of decisions. `at` is UTC, in seconds since 1970; `text` is empty where it is not kept.

    `cost` is in dollars; `llm` says how asking the LLM ended, None if it was not asked; `label` what a case of the
    library says would have been right, as known when the log was read.
    """

    at: float
    text: str
    source: str
    intent: str
    databases: tuple[str, ...]
    confidence: float
    method: RouteMethod
    rule_confidence: float
    reasoning: str
    ms: float
    cost: float = 0.0
    llm: LlmOutcome | None = None
    rule_intent: str = ""
    llm_intent: str = ""
    labels: tuple[str, ...] = ()
    key: int | None = None
    configuration: str = ""
    """The candidate's settings, where a roll-out let those decide; "" for today's."""


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """From when on so many of a hundred queries go by a candidate's settings; `why` it went back where nobody did it.

    `at` is UTC, in seconds since 1970.
    """

    at: float
    share: int
    candidate: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class RouteColumns:
    """What is measured of many decisions, column by column in one order: quicker to read than a line of the log each.

    Times are seconds since 1970. `labels` are what the case of a decision's text expects, () without one; `marked`:
    that case was made or changed after the decision, so that the router cannot have known it.
    """

    at: Sequence[float]
    intents: Sequence[str]
    methods: Sequence[str]
    confidences: Sequence[float]
    ms: Sequence[float]
    costs: Sequence[float]
    outcomes: Sequence[str | None]
    labels: Sequence[tuple[str, ...]]
    marked: Sequence[bool]

    @classmethod
    def of(cls, log: Iterable[LoggedRoute], labelled_at: float = 0.0) -> RouteColumns:
        """The columns of lines whose cases, if any, are from this time."""
        rows = [
            (
                one.at,
                one.intent,
                one.method.value,
                one.confidence,
                one.ms,
                one.cost,
                None if one.llm is None else one.llm.value,
                one.labels,
                bool(one.labels) and one.at < labelled_at,
            )
            for one in log
        ]
        return cls(*(zip(*rows, strict=True) if rows else ((),) * 9))


@dataclass(frozen=True, slots=True)
class RouteFilter:
    """Which lines of the log are wanted, the newest first; None and "" leave a question open."""

    text: str = ""
    intent: str | None = None
    method: RouteMethod | None = None
    source: str | None = None
    since: float | None = None
    until: float | None = None
    least: float = 0.0
    most: float = 1.0
    limit: int = 1_000
    configuration: str | None = None


class RouteOrder(StrEnum):
    """The sort orders of the log; ties are ordered newest first."""

    AT = "at"
    TEXT = "text"
    INTENT = "intent"
    METHOD = "method"
    CONFIDENCE = "confidence"
    RULE_CONFIDENCE = "rule_confidence"
    MS = "ms"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class CachedRoute:
    """An answer of the LLM as it is kept: of which query (its normalised text), under which rules, model and prompt
    (`digest`), and since when, in seconds since 1970."""

    text: str
    digest: str
    answer: RouteAnswer
    at: float
