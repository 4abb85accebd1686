"""Routes from queries to data stores, the stages of a decision, and its log entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.llm import LlmAnswer, LlmOutcome


class RouteIntent(StrEnum):
    """Kind of store that a query needs (S6.1); users may define their own routes."""

    GRAPH = "graph_traversal"
    VECTOR = "vector_similarity"
    HYBRID = "hybrid_search"
    TEMPORAL = "temporal_reasoning"
    MULTI = "multi_database"


ROUTE_NAMES = frozenset(intent.value for intent in RouteIntent)

ALL_STORES = ("neo4j", "qdrant", "postgresql")
"""Stores that document 001 calls "all databases"; its Redis is only a cache."""

STORE_ORDER = ("neo4j", "graphiti", "qdrant", "postgresql")

COLORS = ("purple", "blue", "green", "orange", "grey", "sky", "pink", "olive")
"""Display colors of routes; the first five belong to the routes of 001."""


@dataclass(frozen=True, slots=True)
class Route:
    """Kind of query, and the stores that answer it.

    `title` is the user's name for it; `about` describes it to an LLM. A disabled route is never chosen.
    """

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
"""The five routes of document 001 (S6.1)."""


@dataclass(frozen=True, slots=True)
class Routes:
    """Routes in force: the five of 001, as changed by the user, then the user's own.

    A label without a route stands for a store of that name.
    """

    rows: tuple[Route, ...] = SHIPPED_ROUTES

    def find(self, label: str) -> Route | None:
        """Find a route by name; None for other labels, which cases, rules and the log may contain."""
        return next((row for row in self.rows if row.name == label), None)

    def named(self, text: str) -> str:
        """Return the route's name for a name, title or alias in any case; else the stripped label."""
        label = route_label(text)
        folded = label.casefold()
        return next((row.name for row in self.rows if folded in (row.name.casefold(), row.title.casefold())), label)

    @property
    def on(self) -> tuple[Route, ...]:
        return tuple(row for row in self.rows if row.enabled)

    @property
    def own(self) -> tuple[Route, ...]:
        """Routes other than the five of 001."""
        return tuple(row for row in self.rows if row.name not in ROUTE_NAMES)

    @property
    def safe(self) -> Route:
        """Fallback if nothing decides: vector search, as in 001, or the first enabled route."""
        vector = self.find(RouteIntent.VECTOR) or SHIPPED_ROUTES[1]
        return vector if vector.enabled or not self.on else self.on[0]

    @property
    def are_known_to_llms(self) -> bool:
        """True if the names and descriptions of the enabled routes are those of 001."""
        return [(row.name, row.about) for row in self.on] == [(row.name, row.about) for row in SHIPPED_ROUTES]

    def is_off(self, label: str) -> bool:
        """Return whether this is a disabled route."""
        return (row := self.find(label)) is not None and not row.enabled

    def color_of(self, label: str) -> str:
        """Return the color of a route; "" for other labels."""
        return "" if (row := self.find(label)) is None else row.color

    def stores_of(self, label: str) -> tuple[str, ...]:
        """Return the stores of a route; another label stands for a store of that name."""
        return (label,) if (row := self.find(label)) is None else row.stores

    def stores_of_several(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the stores of all these labels without duplicates: first those of 001, in order."""
        found = dict.fromkeys(store for label in labels for store in self.stores_of(label))
        return (*(store for store in STORE_ORDER if store in found), *(s for s in found if s not in STORE_ORDER))


DOCUMENTED = Routes()
"""Routes as documented in 001."""

CONFIDENCES: Mapping[str, float] = {
    RouteIntent.GRAPH: 0.95,
    RouteIntent.VECTOR: 0.95,
    RouteIntent.HYBRID: 0.90,
    RouteIntent.TEMPORAL: 0.85,
    RouteIntent.MULTI: 0.6,
}
"""Default confidence of a rule, by intent (S6.2)."""

OWN_CONFIDENCE = 0.9
"""Default confidence of a rule for a user's own route."""

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
"""Aliases of the intents, with spaces for - and _."""


def route_label(name: str) -> str:
    """Return the intent for a name or alias, ignoring case; other labels without outer space."""
    folded = " ".join(name.lower().replace("-", " ").replace("_", " ").split())
    alias = ALIASES.get(folded)
    return name.strip() if alias is None else alias.value


class RouteMethod(StrEnum):
    """Method that decided (S6.3); `best_rule`: below the threshold, and no later stage decided."""

    RULE = "rule"
    CACHE = "cache"
    EXAMPLES = "examples"
    LLM_FALLBACK = "llm_fallback"
    BEST_RULE = "best_rule"
    DEGRADED = "degraded"


def is_fallback(method: str, confidence: float) -> bool:
    """Return whether nothing decided on a route, so that the fallback is only an address."""
    return method == RouteMethod.DEGRADED and confidence == 0.0


class RouteStage(StrEnum):
    """Stages of a decision, in order."""

    RULES = "rules"
    CACHE = "cache"
    EXAMPLES = "examples"
    LLM = "llm"
    FALLBACK = "fallback"


class StepOutcome(StrEnum):
    """Outcome of a stage; `skipped`: decided earlier, or off; `waiting`: it has not ended."""

    DECIDED = "decided"
    UNSURE = "unsure"
    NOTHING = "nothing"
    FAILED = "failed"
    SKIPPED = "skipped"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class RouteStep:
    """Stage of a decision: outcome, explanation, time in ms, and confidence if it gave one."""

    stage: RouteStage
    outcome: StepOutcome
    sentence: str
    ms: float = 0.0
    confidence: float | None = None
    label: str = ""


class CacheLookup(StrEnum):
    """Result of a cache lookup: in Redis first, then in the library's table."""

    REDIS_HIT = "redis hit"
    REDIS_MISS = "redis miss"
    REDIS_GONE = "redis gone"
    TABLE_HIT = "table hit"
    TABLE_MISS = "table miss"


class CircuitName(StrEnum):
    """State of the circuit breaker.

    closed: the LLM may be asked; half open: one trial request; open: no requests.
    """

    CLOSED = "closed"
    HALF_OPEN = "half_open"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class CircuitState:
    """Circuit breaker before the LLM, and a sentence on the reason for its state."""

    name: CircuitName = CircuitName.CLOSED
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class LoggedRoute:
    """Entry in the log of decisions; `at` is in seconds since 1970, UTC.

    `text` is "" where it is not stored; `cost` is in dollars; `llm` is the outcome of asking the LLM, None if it
    was not asked; `labels` are the right answers by the cases of the library when the log was read.
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
    """Settings of the roll-out candidate that decided; "" for the present settings."""


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """Percentage of queries that a candidate's settings decide from a time on.

    `at` is UTC, in seconds since 1970; `why` is the reason for an automatic roll-back.
    """

    at: float
    share: int
    candidate: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class RouteColumns:
    """Log entries as columns in one order, which is faster to read than a row each.

    Times are seconds since 1970. `labels` are the answers that the case of a decision's text expects, () without a
    case; `marked`: the case was created or changed after the decision, so the router cannot have learned it.
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
        """Build the columns of log entries whose cases, if any, date from `labelled_at`."""
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
    """Filter of the log, newest first; None and "" match everything."""

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
    is_decided: bool = False
    """Leave out queries without a decision."""


class RouteOrder(StrEnum):
    """Sort orders of the log; ties are ordered newest first."""

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
    """Cached answer of the LLM.

    `text` is the normalised query, `digest` identifies rules, model and prompt, and `at` is in seconds since 1970.
    """

    text: str
    digest: str
    answer: LlmAnswer
    at: float
