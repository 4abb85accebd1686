"""Queries that were asked: what was made of each, and what a person has still to decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

TRACE_VERSION = 1
"""The shape of kept traces: the document of `inspect` (S8.7); older ones stay readable."""


class Source(StrEnum):
    """Where a query came from."""

    WINDOW = "window"
    LOG = "log"
    MCP = "mcp"


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


class Decision(StrEnum):
    """What a person decided about a query that waited."""

    TAUGHT = "taught"
    RIGHT = "right"
    WRONG = "wrong"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class PastQuery:
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
    """How often the same text was asked; it is kept once a source, with the latest answer."""
    trace: Mapping[str, Any] | None = field(default=None, compare=False)
    trace_version: int = TRACE_VERSION
    key: int | None = None

    @property
    def waits(self) -> bool:
        """Whether it is in the inbox."""
        return bool(self.doubts) and self.decision is None and self.text is not None


@dataclass(frozen=True, slots=True)
class PastFilter:
    """Which queries are wanted; empty fields let everything through. `words` must all be in the text, in any case."""

    words: str = ""
    sources: tuple[Source, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    decisions: tuple[Decision, ...] = ()
    types: tuple[str, ...] = ()
    waiting: bool = False
    since: str = ""


class PastOrder(StrEnum):
    """By what queries are put in order."""

    AT = "at"
    TEXT = "text"
    TYPE = "type"
    CONFIDENCE = "confidence"
    ANSWER = "answer"
    ANSWER_CONFIDENCE = "answer_confidence"
    SETTLED = "settled_ms"
