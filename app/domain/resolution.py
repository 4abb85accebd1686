"""What to do about a query's powers, and which store should answer it (documents 003 and 001)."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.confidence import checked_confidence
from app.domain.library import Power, Tool
from app.domain.match import Tier


@dataclass(frozen=True, slots=True)
class PowerMatch:
    """A power in a resolution: confidence and `match_type`: keyword, semantic or hybrid (S5.2)."""

    power: Power
    confidence: float
    match_type: str

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The outcome of 003: status, the powers it names, and what the assistant is told.

    `matches` holds the activated power alone, the best 3 or the best 5 (S5.1); `available` every enabled power when
    nothing was found; `tied` says that a second power within the margin kept the first from being activated (S5.3).
    """

    status: Tier
    query: str
    matches: tuple[PowerMatch, ...] = ()
    message: str = ""
    available: tuple[Power, ...] = ()
    tied: bool = False
    started: bool = False
    reason: str | None = None

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self.matches[0].power.tools if self.status is Tier.ACTIVATED else ()


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """Which data stores should answer: intent, stores, confidence, method, the rules' own confidence, reasoning."""

    intent: str
    databases: tuple[str, ...]
    confidence: float
    method: str
    rule_confidence: float
    reasoning: str

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)
        checked_confidence(self.rule_confidence)
