"""Resolution of a query's powers (document 003), and the decision on its store (001)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.domain.case import NearExample, VoteBasis
from app.domain.confidence import checked_confidence
from app.domain.intent import RuleHit
from app.domain.library import Power, Tool
from app.domain.llm import LlmOutcome
from app.domain.match import Tier
from app.domain.route import CacheLookup, RouteAnswer, RouteMethod, RouteStep
from app.domain.running import ActivationBlocker, activation_blocker

MULTIPLE, WEAK = 3, 5
"""Number of powers in a multiple and a weak resolution."""


@dataclass(frozen=True, slots=True)
class PowerMatch:
    """Power in a resolution; `match_type` is keyword, semantic or hybrid (S5.2)."""

    power: Power
    confidence: float
    match_type: str

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


class BestScores(NamedTuple):
    """Best scores over all powers: the largest keyword score, the two largest semantic scores."""

    keyword: float
    nearest: float
    next_nearest: float


@dataclass(frozen=True, slots=True)
class TierChances:
    """Probability of each tier, where confidences are shares of one whole; the sum is 1.

    `one`: exactly one power fits; `several`: more than one fits; `hint`: a power may be related; `nothing`: none
    fits.
    """

    one: float
    several: float
    hint: float
    nothing: float

    @property
    def served(self) -> float:
        """Probability that one or several powers fit."""
        return self.one + self.several

    @property
    def related(self) -> float:
        """Probability that any power fits or is related."""
        return self.served + self.hint

    @property
    def by_tier(self) -> Mapping[Tier, float]:
        return dict(zip(Tier, (self.one, self.several, self.hint, self.nothing), strict=True))


@dataclass(frozen=True, slots=True)
class Resolution:
    """Result of 003: status, powers, and the message for the assistant.

    `matches` holds the activated power alone, the best 3 or the best 5 (S5.1); `available` every enabled power when
    nothing was found; `tied`: a second power within the margin prevented activation (S5.3). `started`: the
    activated power runs; else `reason` says why not, and `needs_approval` is the text the user must approve first,
    or "". `gives_text`: the activated power has no server, only text. `together` is the sum of all powers' shares,
    `chances` are the tiers' probabilities where they decided; `best_scores` are further inputs of those.
    """

    status: Tier
    query: str
    matches: tuple[PowerMatch, ...] = ()
    message: str = ""
    available: tuple[Power, ...] = ()
    tied: bool = False
    started: bool = False
    reason: str | None = None
    needs_approval: str = ""
    together: float | None = None
    chances: TierChances | None = None
    best_scores: BestScores | None = None
    gives_text: bool = False

    @property
    def level(self) -> Tier | ActivationBlocker:
        """Status, or what the power lacks that would be activated."""
        power = self.matches[0].power if self.status is Tier.ACTIVATED else None
        return (power and activation_blocker(power)) or self.status

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self.matches[0].power.tools if self.status is Tier.ACTIVATED else ()


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """Decision on the data stores for a query: intent, stores, confidence, method and reasoning.

    `steps` are all stages in order, including skipped ones; `hits` the matched route rules with their spans;
    `nearest` the nearest training examples, `shares` their vote by label, `grounds` the basis of that vote. `ms` is
    the time to decide, without the query's vector; `cost` is in dollars; `llm_outcome` is None where the LLM was
    not asked; `is_final` is False while the vector is computed or the LLM is asked.
    """

    intent: str
    databases: tuple[str, ...]
    confidence: float
    method: str
    rule_confidence: float
    reasoning: str
    steps: tuple[RouteStep, ...] = ()
    hits: tuple[RuleHit, ...] = ()
    nearest: tuple[NearExample, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()
    rule_intent: str = ""
    llm_intent: str = ""
    llm_outcome: LlmOutcome | None = None
    cost: float = 0.0
    is_final: bool = True
    grounds: VoteBasis | None = None
    llm: RouteAnswer | None = None
    """Answer of the LLM, used or not; a cached answer has no prompt."""

    looks: tuple[CacheLookup, ...] = ()
    """Cache lookups for an answer of the LLM, with their results."""

    configuration: str = ""
    """Settings of the roll-out candidate that decided; "" for the present settings."""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)
        checked_confidence(self.rule_confidence)

    @property
    def ms(self) -> float:
        return sum(step.ms for step in self.steps)


METHODS: Mapping[RouteMethod, str] = {
    RouteMethod.RULE: "rule",
    RouteMethod.CACHE: "cache",
    RouteMethod.EXAMPLES: "examples",
    RouteMethod.LLM_FALLBACK: "LLM",
    RouteMethod.BEST_RULE: "best rule",
    RouteMethod.DEGRADED: "undecided",
}
"""Short names of methods, for badges."""
