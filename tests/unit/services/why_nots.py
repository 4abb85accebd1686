"""Libraries in which an answer is lost at a known stage, for tests of why-not."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.case import Case, Task
from app.domain.library import Memory, Power, Transport
from app.domain.why_not import LostAt
from tests.build import library_of
from tests.fakes import MemoryLibrary

MEMORIES = [
    Memory(("will it rain tomorrow", "weather forecast"), intent="weather", id="rain"),
    Memory(("pay my bill", "settle the invoice"), intent="billing", id="bill"),
    Memory(("cancel the order",), intent="cancel", id="cancel"),
    Memory(("where is my parcel",), id="parcel"),
    Memory(("open the garage door",), id="garage", paused=True),
    Memory(("feed the cat",), id="cat", success=0.2),
]

START = Transport(command="start")
POWERS = [
    Power("postgres", "Ask PostgreSQL", ("postgres", "database"), transport=START, approved=True),
    Power("mysql", "Ask MySQL", ("mysql", "database"), transport=START, approved=True),
    Power("mongodb", "Ask MongoDB", ("mongodb", "database"), transport=START, approved=True),
    Power("sqlite", "Ask SQLite", ("sqlite", "database"), transport=START, approved=True),
    Power("mail", "Read and send letters", ("inbox",), paused=True, transport=START, approved=True),
]

CASES = [
    Case("pay my bill", ("billing",), Task.INTENT),
    Case("pay my bills", ("weather",), Task.INTENT),
    Case("will it rain", ("rain",), Task.MEMORY),
    Case("zzz qqq", (), Task.MEMORY),
    Case("a postgres query", ("postgres",), Task.POWER),
    Case("check my database", ("mysql",), Task.POWER),
    Case("where is the door", ("location",), Task.TYPE),
    Case("create a report", ("howto",), Task.TYPE),
    Case("similar texts", ("vector_similarity",), Task.ROUTE),
    Case("who is tied to whom", ("graph_traversal",), Task.ROUTE),
]


def library() -> MemoryLibrary:
    return library_of(*MEMORIES, *POWERS, *CASES)


def without_cases() -> MemoryLibrary:
    return library_of(*MEMORIES, *POWERS)


@dataclass(frozen=True, slots=True)
class Loss:
    """Query with its expectation, the stage that loses it, some proposed changes, and settings."""

    text: str
    expected: str
    stage: LostAt
    changes: tuple[str, ...] = ()
    chosen: Mapping[str, str] = field(default_factory=dict)


LOSSES = {
    "not taught": Loss("pay my bill", "memory:bil", LostAt.NOT_TAUGHT),
    "paused memory": Loss("open the garage door", "memory:garage", LostAt.SET_ASIDE, ("enable",)),
    "paused power": Loss("read my inbox", "power:mail", LostAt.SET_ASIDE, ("enable",)),
    "min_score": Loss("feed the cat", "memory:cat", LostAt.SET_ASIDE, ("setting.min_score",), {"min_score": "0.3"}),
    "scoring": Loss("pay my bill", "intent:weather", LostAt.SCORING, ("trigger.move",)),
    "scoring memory": Loss("pay the bill now", "memory:rain", LostAt.SCORING, ("trigger.add",)),
    "combination": Loss(
        "paying my billl is where",
        "memory:bill",
        LostAt.COMBINATION,
        ("setting.combination", "trigger.add"),
        {"combination": "token_overlap"},
    ),
    "level": Loss("the ordr cancell", "memory:cancel", LostAt.AMBIGUITY, (), {"combination": "token_overlap"}),
    "threshold": Loss(
        "pay bills", "memory:bill", LostAt.THRESHOLD, ("setting.fallback_threshold",), {"fallback_threshold": "0.99"}
    ),
    "power threshold": Loss(
        "a postgres query", "power:postgres", LostAt.THRESHOLD, ("setting.tiers.high",), {"tiers.high": "0.99"}
    ),
    "multiple": Loss("check my database", "power:mysql", LostAt.THRESHOLD, ("trigger.add",)),
    "ambiguity": Loss("check my database", "power:sqlite", LostAt.AMBIGUITY, ("trigger.add",)),
    "margin": Loss(
        "check my database", "power:mysql", LostAt.AMBIGUITY, ("setting.tiers.ambiguity_margin",), {"tiers.high": "0.6"}
    ),
    "ranking": Loss("check my database", "power:mongodb", LostAt.RANKING, ("trigger.add",)),
    "no rule": Loss("frobnicate the zork", "intent:howto", LostAt.NO_RULE, ("rule.add",)),
    "selection": Loss("where is the broken part", "intent:troubleshoot", LostAt.SELECTION, ("rule.weight",)),
    "types off": Loss(
        "where is it",
        "intent:location",
        LostAt.SWITCHED_OFF,
        ("setting.search_intent.enabled",),
        {"search_intent.enabled": "false"},
    ),
    "topics": Loss(
        "where is it",
        "intent:location",
        LostAt.TOPICS,
        ("setting.search_intent.require_topics",),
        {"search_intent.require_topics": "true"},
    ),
    "route rules": Loss("similar texts", "route:graph", LostAt.RULES),
    "route unknown": Loss("similar texts", "route:nowhere", LostAt.NOT_TAUGHT),
}
"""A query for each stage, and more for stages with several causes."""
