"""Query history with decisions and replays; usage by assistants, without content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.domain.match import Tier
from app.domain.route import CacheLookup

DAY_SECONDS = 86_400.0


class UsageCounter(StrEnum):
    """Usage counters; USAGE_COUNTERS holds the outcomes of each."""

    RESOLUTIONS = "resolutions"
    """Searches for powers, by status."""
    POWERS = "powers"
    """Starts and calls of powers, by outcome."""
    TURNS = "turns"
    """Turns between a first search and the first call of a power's tool (003)."""
    HOOKS = "hooks"
    """Results of the prompt hook: memories injected, none, or too late."""
    MEMORIES = "memories"
    """Memories for prompts: injected or cut off."""
    MARKS = "marks"
    """Answers marked right or wrong."""
    ROUTE_CACHES = "route_caches"
    """Lookups of stored LLM answers for routes: in Redis, then in the table."""


MOST_TURNS = 3
"""Number of turns from which on all are counted as one outcome."""

USAGE_COUNTERS: Mapping[UsageCounter, tuple[str, ...]] = {
    UsageCounter.RESOLUTIONS: tuple(tier.value for tier in Tier),
    UsageCounter.POWERS: ("started", "refused", "called", "failed"),
    UsageCounter.TURNS: (*map(str, range(MOST_TURNS)), f"{MOST_TURNS} or more"),
    UsageCounter.HOOKS: ("injected", "nothing", "late"),
    UsageCounter.MEMORIES: ("injected", "cut"),
    UsageCounter.MARKS: ("right", "wrong"),
    UsageCounter.ROUTE_CACHES: tuple(look.value for look in CacheLookup),
}


@dataclass(frozen=True, slots=True)
class UsageCount:
    """Count of an outcome on a day, in days since 1970 (UTC)."""

    day: int
    use: UsageCounter
    outcome: str
    count: int


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Sums of the counters over a number of days."""

    days: int
    counts: Mapping[tuple[UsageCounter, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, days: int, rows: Iterable[UsageCount]) -> UsageTotals:
        """Sum the rows of all days; outcomes unknown to this version are skipped."""
        counts: dict[tuple[UsageCounter, str], int] = {}
        for row in rows:
            if row.outcome in USAGE_COUNTERS[row.use]:
                counts[row.use, row.outcome] = counts.get((row.use, row.outcome), 0) + row.count
        return cls(days, counts)

    def __getitem__(self, what: tuple[UsageCounter, str]) -> int:
        return self.counts.get(what, 0)

    def total(self, use: UsageCounter) -> int:
        """Return the sum over all outcomes."""
        return sum(self[use, outcome] for outcome in USAGE_COUNTERS[use])

    @property
    def mean_turns(self) -> float | None:
        """Mean number of turns before a power is called, a lower bound; None without calls."""
        outcomes = USAGE_COUNTERS[UsageCounter.TURNS]
        called = self.total(UsageCounter.TURNS)
        return sum(n * self[UsageCounter.TURNS, name] for n, name in enumerate(outcomes)) / called if called else None


def turns_outcome(turns: int) -> str:
    return USAGE_COUNTERS[UsageCounter.TURNS][min(turns, MOST_TURNS)]


TRACE_VERSION = 1
"""Version of stored traces, the document of `inspect` (S8.7); older ones stay readable."""


class Source(StrEnum):
    """Origin of a query."""

    WINDOW = "window"
    LOG = "log"
    MCP = "mcp"
    HOOK = "hook"
    """Prompt of an assistant's hook."""


class Doubt(StrEnum):
    """Reason for a query to be in the inbox (S7.4)."""

    WEAK = "weak"
    """No memory would be injected, and no power activated or offered."""
    TIED = "tied"
    """The second answer is within the ambiguity margin."""
    CEILING = "ceiling"
    """Keywords and LLM give different types."""
    PRESETS = "presets"
    """The two presets give different first answers or types."""
    TIMED_OUT = "timed_out"
    """The LLM timed out."""
    CHOSEN = "chosen"
    """An assistant chose among several offered answers."""


class Judgement(StrEnum):
    """The user's judgement of the answers to a query in the inbox."""

    TAUGHT = "taught"
    RIGHT = "right"
    WRONG = "wrong"
    NONE = "none"
    """No answer is right."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Access:
    """Memory that was considered for an assistant's context.

    `memory` is its key in the store, `rank` starts at 1 (None: not ranked), and `cut` is the reason it was not
    injected (None: it was). `name` is its present name, "" if it was deleted.
    """

    memory: int
    rank: int | None
    confidence: float
    cut: str | None = None
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class LoggedAccess:
    """Entry in the access log of a memory: time, source and query.

    `text` is None where only the digest of the query is stored.
    """

    access: Access
    at: str
    source: Source
    text: str | None
    query: int


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """Query of the history; `text` is None where only its digest is stored (privacy: hashed).

    `type` is the search intent, `answer` and `kind` name the first match, `status` is the resolution's, or what a
    confident power lacks; `confidence` is the intent's, `answer_confidence` the first match's, `settled_ms` None if
    provisional. `at` is UTC, "2026-11-22 04:26:21". `trace` is the document of `inspect`, of `trace_version`; None in
    lists, without it. `injected` counts the memories that an assistant got for the latest answer.
    """

    at: str
    source: Source
    text: str | None = None
    type: str | None = None
    confidence: float = 0.0
    kind: str | None = None
    answer: str | None = None
    answer_confidence: float = 0.0
    status: str | None = None
    settled_ms: float | None = None
    doubts: tuple[Doubt, ...] = ()
    decision: Judgement | None = None
    times: int = 1
    """Number of times the text was asked; stored once per source, with the latest answer."""
    injected: int = field(default=0, compare=False)
    trace: Mapping[str, Any] | None = field(default=None, compare=False)
    trace_version: int = TRACE_VERSION
    key: int | None = None
    marks: Mapping[tuple[str, str], bool] = field(default_factory=dict, compare=False)
    """Answers that cases of the same text expect (True) or exclude (False), by (task, name)."""
    threshold: float | None = field(default=None, compare=False)
    """Present threshold of the first answer's label, if it carries one."""
    intent: str | None = field(default=None, compare=False)
    """Present intent of the first answer, if that is named by its first trigger."""
    accesses: tuple[Access, ...] = field(default=(), compare=False)
    """Memories considered in the latest answer to an assistant; read with the trace."""
    digest: bytes = b""
    """SHA-256 of the text's UTF-8, 32 bytes; not needed with a text.

    Stored entries use a digest keyed with a secret of the profile.
    """

    @property
    def waits(self) -> bool:
        """True if the query is in the inbox."""
        return bool(self.doubts) and self.decision is None and self.text is not None


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """Filter of the history; empty fields match everything.

    All `words` must be in the text, ignoring case. Several sources, doubts, decisions or types are alternatives;
    the type "" matches queries without a type.
    """

    words: str = ""
    sources: tuple[Source, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    decisions: tuple[Judgement, ...] = ()
    types: tuple[str, ...] = ()
    waiting: bool = False
    since: str = ""
    """Earliest time, inclusive: UTC, "2026-11-22", optionally with a time."""


class HistoryOrder(StrEnum):
    AT = "at"
    TEXT = "text"
    TYPE = "type"
    CONFIDENCE = "confidence"
    ANSWER = "answer"
    ANSWER_CONFIDENCE = "answer_confidence"
    SETTLED = "settled_ms"


@dataclass(frozen=True, slots=True)
class HistoryCounts:
    """Number of stored queries, of those in the inbox, and per doubt (there may be several)."""

    kept: int = 0
    waiting: int = 0
    by_doubt: Mapping[Doubt, int] = field(default_factory=dict)


class DifferenceKind(StrEnum):
    """Kinds of differences between a stored answer and its replay."""

    TYPE = "type"
    TYPE_CONFIDENCE = "type_confidence"
    FIRST = "first"
    """First match differs or exists on one side only; values are names or None."""
    CONFIDENCE = "confidence"
    """Same first match, another confidence."""
    LEVEL = "level"
    """Band or tier of the same first match, or what a confident power lacks."""
    STATUS = "status"
    """Status of document 003, or what an activated power lacks: approval or command."""


class ReplayCauseKind(StrEnum):
    """Kinds of causes of a difference, and the meaning of `name`, `before` and `after`."""

    SCORER = "scorer"
    """Another scorer decides the first match; before and after: scorers joined with " + "."""
    SCORE = "score"
    """A score of the same first match changed; name: the scorer."""
    RULE_FIRES = "rule_fires"
    """A rule matches now; name: its id."""
    RULE_SILENT = "rule_silent"
    """A rule no longer matches; name: its id."""
    GONE = "gone"
    """The former first match is paused or no longer in the library; name: its name."""
    NEW = "new"
    """The present first match was not listed before; name: its name."""
    SETTING = "setting"
    """A setting changed; name: its dotted key, before and after as text."""
    LLM = "llm"
    """The LLM answered then, and a replay does not ask it; before: its outcome."""
    UNKNOWN = "unknown"
    """The stored trace holds too little to find a cause."""


@dataclass(frozen=True, slots=True)
class ReplayCause:
    because: ReplayCauseKind
    name: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """Difference: a word (None: nothing) or a number in [0, 1], before and after."""

    what: DifferenceKind
    before: str | float | None
    after: str | float | None
    causes: tuple[ReplayCause, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayedQuery:
    """Replayed query: stored answer (without trace), present answer (not stored), differences."""

    before: HistoryEntry
    after: HistoryEntry
    differences: tuple[ReplayDifference, ...]


@dataclass(frozen=True, slots=True)
class ReplayProgress:
    """Progress of a replay: `changed` since the last report; the counts from the start.

    `left_out` counts queries without a text: stored as a digest, or deleted meanwhile.
    """

    done: int
    of: int
    same: int = 0
    left_out: int = 0
    changed: tuple[ReplayedQuery, ...] = ()
