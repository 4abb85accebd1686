"""Which data store should answer a query: the five intents of document 001, and every stage on the way to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.domain.confidence import checked_confidence
from app.domain.language import say
from app.domain.llm import LlmOutcome


class RouteIntent(StrEnum):
    """What kind of store a query calls for (S6.1). A person may teach labels of their own beside or instead."""

    GRAPH = "graph_traversal"
    VECTOR = "vector_similarity"
    HYBRID = "hybrid_search"
    TEMPORAL = "temporal_reasoning"
    MULTI = "multi_database"


ROUTE_NAMES = frozenset(intent.value for intent in RouteIntent)

ALL_STORES = ("neo4j", "qdrant", "postgresql")
"""What 001 calls all databases. Its Redis is the cache in front of them."""

SAFE_STORE = "qdrant"
"""001: where a query goes when nothing can decide."""

STORES: Mapping[str, tuple[str, ...]] = {
    RouteIntent.GRAPH: ("neo4j",),
    RouteIntent.VECTOR: ("qdrant",),
    RouteIntent.HYBRID: ("postgresql",),
    RouteIntent.TEMPORAL: ("neo4j", "graphiti"),
    RouteIntent.MULTI: ALL_STORES,
}

STORE_ORDER = ("neo4j", "graphiti", "qdrant", "postgresql")

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


def stores_of(label: str) -> tuple[str, ...]:
    """The stores of an intent; a label that is a person's own stands for a store of that name."""
    return STORES.get(label, (label,))


def stores_of_several(labels: Iterable[str]) -> tuple[str, ...]:
    """The stores of all of these, each once, in a fixed order: 001's, then others as they come."""
    found = dict.fromkeys(store for label in labels for store in stores_of(label))
    return (*(store for store in STORE_ORDER if store in found), *(s for s in found if s not in STORE_ORDER))


class RouteMethod(StrEnum):
    """What decided (S6.3). `best_rule` is a rule that was not sure enough, taken because nothing better came."""

    RULE = "rule"
    CACHE = "cache"
    EXAMPLES = "examples"
    LLM_FALLBACK = "llm_fallback"
    BEST_RULE = "best_rule"
    DEGRADED = "degraded"


METHODS: Mapping[RouteMethod, str] = {
    RouteMethod.RULE: say("rule"),
    RouteMethod.CACHE: say("cache"),
    RouteMethod.EXAMPLES: say("examples"),
    RouteMethod.LLM_FALLBACK: "LLM",
    RouteMethod.BEST_RULE: say("best rule"),
    RouteMethod.DEGRADED: say("undecided"),
}
"""What decided a route, as short as a badge."""


class RouteStage(StrEnum):
    """The stages of a decision, in their order."""

    RULES = "rules"
    CACHE = "cache"
    EXAMPLES = "examples"
    LLM = "llm"
    FALLBACK = "fallback"


class StepOutcome(StrEnum):
    """What came of a stage. `skipped`: an earlier one had decided, or it is off; `waiting`: it has not ended yet."""

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


class CacheLook(StrEnum):
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


class RouteOrder(StrEnum):
    """What the log can be sorted by; what is equal stands with the newest first."""

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
