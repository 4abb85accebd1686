"""The query history: stored queries with their answers, decisions about them, and replays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

TRACE_VERSION = 1
"""The shape of kept traces: the document of `inspect` (S8.7); older ones stay readable."""


class Source(StrEnum):
    """Where a query came from."""

    WINDOW = "window"
    LOG = "log"
    MCP = "mcp"
    HOOK = "hook"
    """A prompt of an assistant's hook."""


class Doubt(StrEnum):
    """Why a query waits in the inbox (S7.4)."""

    WEAK = "weak"
    """The best answer is below its medium band or tier, or there is none."""
    TIED = "tied"
    """The second answer is as near as the ambiguity margin."""
    CEILING = "ceiling"
    """Keywords and LLM name different types."""
    PRESETS = "presets"
    """The two presets give different first answers or types."""
    TIMED_OUT = "timed_out"
    """The LLM gave no answer in time."""
    CHOSEN = "chosen"
    """An assistant chose the answer among several that were offered."""


class Decision(StrEnum):
    """A person's decision about a query in the inbox."""

    TAUGHT = "taught"
    RIGHT = "right"
    WRONG = "wrong"
    NONE = "none"
    """No answer is right."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Access:
    """One memory that was in question when an assistant was answered: its key in the store, its rank from 1 (None: not
    ranked), its confidence, and in a word why it stayed out (None: the assistant was told it).

    `name` is what it is called now, "" where it is gone.
    """

    memory: int
    rank: int | None
    confidence: float
    cut: str | None = None
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class LoggedAccess:
    """An access of one memory as its log has it: when, from where, and by which query; `text` is None where only the
    digest of that is kept."""

    access: Access
    at: str
    source: Source
    text: str | None
    query: int


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One query of the history. `text` is None where only its digest is kept (privacy: hashed).

    `type` is the search intent, `answer` and `kind` name the first match, `status` is the resolution's; `confidence` is
    the intent's, `answer_confidence` the first match's. `at` is UTC, "2026-11-22 04:26:21". `trace` is the document of
    `inspect`, of `trace_version`; it is None in lists, where traces are not read.
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
    decision: Decision | None = None
    times: int = 1
    """How often the same text was asked; stored once per source, with the latest answer."""
    trace: Mapping[str, Any] | None = field(default=None, compare=False)
    trace_version: int = TRACE_VERSION
    key: int | None = None
    marks: Mapping[tuple[str, str], bool] = field(default_factory=dict, compare=False)
    """By task and name the answers that cases of the same text expect (True) or do not want (False)."""
    threshold: float | None = field(default=None, compare=False)
    """What the label of its first answer needs today to be found, where it carries a threshold that counts."""
    accesses: tuple[Access, ...] = field(default=(), compare=False)
    """The memories that were in question when it was answered to an assistant, the last time. Read with the trace."""
    digest: bytes = b""
    """The SHA-256 of the text's UTF-8, 32 bytes; what is noted with a text needs none. What is kept has another, keyed
    with a secret of the profile, which stands for the same text."""

    @property
    def waits(self) -> bool:
        """Whether the query is in the inbox."""
        return bool(self.doubts) and self.decision is None and self.text is not None

    def of_version(self, version: int) -> HistoryEntry:
        """The query with a trace of this version."""
        return replace(self, trace_version=version)


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """A filter of the history; empty fields match everything.

    `words` must all be in the text, in any case; of several sources, doubts, decisions or types one is enough, and the
    type "" stands for no type.
    """

    words: str = ""
    sources: tuple[Source, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    decisions: tuple[Decision, ...] = ()
    types: tuple[str, ...] = ()
    waiting: bool = False
    since: str = ""
    """UTC, "2026-11-22" or with a time; only what was asked then or later."""


class HistoryOrder(StrEnum):
    """The sort orders of the history."""

    AT = "at"
    TEXT = "text"
    TYPE = "type"
    CONFIDENCE = "confidence"
    ANSWER = "answer"
    ANSWER_CONFIDENCE = "answer_confidence"
    SETTLED = "settled_ms"


@dataclass(frozen=True, slots=True)
class HistoryCounts:
    """The numbers of stored queries, of those in the inbox, and of those per doubt (a query may have several)."""

    kept: int = 0
    waiting: int = 0
    by_doubt: Mapping[Doubt, int] = field(default_factory=dict)


class DifferenceKind(StrEnum):
    """The kinds of differences between a stored answer and its replay."""

    TYPE = "type"
    TYPE_CONFIDENCE = "type_confidence"
    FIRST = "first"
    """The first match is another one, or there is one only on one side; values are names or None."""
    CONFIDENCE = "confidence"
    """The first match is the same, its confidence is not."""
    LEVEL = "level"
    """The band or tier of the same first match."""
    STATUS = "status"
    """What 003 would do: activated, multiple_matches, weak_matches, not_found."""


class ReplayCauseKind(StrEnum):
    """The kinds of causes; the comment after the colon says what `name` of the cause holds."""

    SCORER = "scorer"
    """Another scorer decides the first match: before and after are scorers joined with " + "."""
    SCORE = "score"
    """A score of the same first match moved: the scorer's name, before and after."""
    RULE_FIRES = "rule_fires"
    """A rule that was silent: its id."""
    RULE_SILENT = "rule_silent"
    """A rule that fired and does no longer: its id."""
    GONE = "gone"
    """The first match of then is no longer in the library, or paused: its name."""
    NEW = "new"
    """The first match of now was not among those that were listed then: its name."""
    SETTING = "setting"
    """A setting that is not as it was: its dotted key, before and after as text."""
    LLM = "llm"
    """The LLM had answered then; a replay asks none: its outcome of then."""
    UNKNOWN = "unknown"
    """The stored trace holds too little."""


@dataclass(frozen=True, slots=True)
class ReplayCause:
    """A cause of a difference."""

    because: ReplayCauseKind
    name: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """A difference: a word (None: nothing) or a number in [0, 1], before and after."""

    what: DifferenceKind
    before: str | float | None
    after: str | float | None
    causes: tuple[ReplayCause, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayedQuery:
    """A replayed query: the stored answer (without its trace), the current one (not stored), and the differences."""

    before: HistoryEntry
    after: HistoryEntry
    differences: tuple[ReplayDifference, ...]


@dataclass(frozen=True, slots=True)
class ReplayProgress:
    """Progress of a replay: `changed` are those since the last report, `same` and `left_out` count from the start.

    Left out is what has no text any more: it was kept as a digest, or forgotten meanwhile.
    """

    done: int
    of: int
    same: int = 0
    left_out: int = 0
    changed: tuple[ReplayedQuery, ...] = ()
