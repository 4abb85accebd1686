"""What a query is scored with: one engine for the window, the command line and the tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from app.detect.keywords import KeywordRules
from app.ports.clock import Clock
from app.ports.encoder import Embedder
from app.scoring.index.trigger_index import TriggerIndex
from app.services.embedding import QueryVectors
from app.services.llm_lane import LlmLane
from app.services.routing_trip import RouteDesk
from app.settings.model import Settings

DIMENSION = 384
"""The length of vectors before an encoder has said its own."""


@dataclass
class Engine:
    """What a query is scored with. `encoder` is None while it loads, `encoder_fault` says why it never came."""

    index: TriggerIndex
    rules: KeywordRules
    settings: Settings
    clock: Clock
    lane: LlmLane
    encoder: Embedder | None = None
    encoder_fault: str | None = None
    vectors: QueryVectors = field(default_factory=QueryVectors)
    routes: RouteDesk | None = None

    @classmethod
    def bare(cls, clock: Clock, lane: LlmLane) -> Self:
        """An engine that knows nothing yet, by default settings."""
        return cls(TriggerIndex(DIMENSION), KeywordRules(()), Settings(), clock, lane)
