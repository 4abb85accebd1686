"""Engine: everything that a query is scored with, the same for the window, the command line and the tests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from app.detect.keywords import KeywordRules
from app.domain.library import Kind
from app.domain.match import Match
from app.domain.scope.inspection import ServerSearch
from app.ports.clock import Clock
from app.ports.encoder import Embedder, Vectors
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.embedding import QueryVectors
from app.services.engine.example_voters import ENCODER_COMING, NO_ENCODER, TypeDetector, TypeVoter
from app.services.engine.llm_lane import LlmLane
from app.services.engine.routing.query_route import RouteCore
from app.settings.model import Settings

DIMENSION = 384
"""The length of vectors before an encoder has said its own."""


class CandidateSource(Protocol):
    """Source of candidates for an index that cannot hold all memories."""

    async def find(self, text: str, vector: Vectors | None, most: int) -> ServerSearch:
        """StoreError."""
        ...

    async def gather(self, text: str, vector: Vectors | None, most: int | None = None) -> None:
        """Have the memories in the index that may answer a query of many that are counted on together, and keep them
        there: `most`, or fewer than while somebody types; StoreError."""
        ...

    def gathered(self, text: str) -> frozenset[int] | None:
        """The keys of the memories that were found for a query when it was gathered for; None if nobody has."""
        ...

    def admitted(self, keys: Sequence[int]) -> list[int]:
        """Those of these memories that the index has, and as many of the others as it has room for."""
        ...

    async def bring(self, keys: Iterable[int]) -> None:
        """Have the memories of these keys in the index; StoreError."""
        ...

    def held(self) -> list[int]:
        """The keys of the memories that are in the index."""
        ...

    async def close(self) -> None: ...


@dataclass
class Engine:
    """The parts that score a query. `encoder` is None while it loads, `encoder_fault` says why it failed."""

    index: TriggerIndex
    rules: KeywordRules
    settings: Settings
    clock: Clock
    lane: LlmLane
    encoder: Embedder | None = None
    encoder_fault: str | None = None
    vectors: QueryVectors = field(default_factory=QueryVectors)
    routes: RouteCore | None = None
    types: TypeVoter = field(default_factory=TypeVoter)
    awaits_fit: Callable[[], bool] = lambda: False
    """Whether the weights of `learned` that ship decide only until a fit is there."""
    candidates: CandidateSource | None = None
    """What brings the memories into the index that may answer a query; None where all are in it."""

    @property
    def detector(self) -> TypeDetector:
        """The detector of types without an LLM."""
        return TypeDetector(self.rules, self.types, self.encoder)

    @property
    def why_no_vote(self) -> str:
        """Why the voters cannot vote on a query without a vector."""
        return ENCODER_COMING if self.encoder is None and self.encoder_fault is None else NO_ENCODER

    @classmethod
    def bare(cls, clock: Clock, lane: LlmLane) -> Self:
        """An empty engine with default settings."""
        return cls(TriggerIndex(DIMENSION), KeywordRules(()), Settings(), clock, lane)


# --------------------------------------------------------------------------------------------------------------------
# Which of the ranked matches are listed, and which are worth a line in the log

BREAKDOWNS = logging.getLogger("app.breakdowns")
"""Breakdowns name what people taught, by which a query is known: they are logged only where somebody wants them, and in
no report about a fault."""

LOGGED_FROM = 0.7
"""002: breakdowns above this confidence are worth a line in the log."""


def listed(ranked: tuple[Match, ...], settings: Settings) -> tuple[Match, ...]:
    """At most `matches` of each kind."""
    left = dict.fromkeys(Kind, settings.matches)
    kept: list[Match] = []
    for match in ranked:
        left[match.kind] -= 1
        if left[match.kind] >= 0:
            kept.append(match)
    return tuple(kept)


def unlisted(ranked: tuple[Match, ...], settings: Settings) -> tuple[Match, ...]:
    """Those beyond the `matches` of each kind."""
    shown = {id(match) for match in listed(ranked, settings)}
    return tuple(match for match in ranked if id(match) not in shown)


def may_log_breakdowns(settings: Settings) -> bool:
    """Whether somebody wants breakdowns in the log, and queries may be kept as they are."""
    return settings.log_breakdowns and settings.history.privacy == "full"


def log_breakdowns(ranked: tuple[Match, ...]) -> None:
    """One line for each match of LOGGED_FROM and above."""
    for match in ranked:
        if match.confidence < LOGGED_FROM:
            continue
        shown = ", ".join(f"{name} {value:.3f}" for name, value in match.scores.items() if value is not None)
        BREAKDOWNS.info("%s %.3f: %s", match.answer.name, match.confidence, shown)
