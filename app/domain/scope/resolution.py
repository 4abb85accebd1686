"""What to do about a query's powers, and which store should answer it (documents 003 and 001)."""

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

MULTIPLE, WEAK = 3, 5
"""How many powers a multiple or weak resolution names."""


@dataclass(frozen=True, slots=True)
class PowerMatch:
    """A power in a resolution: confidence and `match_type`: keyword, semantic or hybrid (S5.2)."""

    power: Power
    confidence: float
    match_type: str

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


class BestScores(NamedTuple):
    """The best that any powers score for a query: the largest keyword score, and the two largest semantic scores."""

    keyword: float
    nearest: float
    next_nearest: float


@dataclass(frozen=True, slots=True)
class TierChances:
    """How likely a query means each tier, where confidences are shares of one whole; the four add up to 1.

    `one`: one power and no other; `several`: more than one would do; `hint`: a power may have to do with it; `nothing`:
    none serves.
    """

    one: float
    several: float
    hint: float
    nothing: float

    @property
    def served(self) -> float:
        """The chance that one power serves, or several do."""
        return self.one + self.several

    @property
    def related(self) -> float:
        """The chance that any power serves or has to do with it."""
        return self.served + self.hint

    @property
    def by_tier(self) -> Mapping[Tier, float]:
        return dict(zip(Tier, (self.one, self.several, self.hint, self.nothing), strict=True))


@dataclass(frozen=True, slots=True)
class Resolution:
    """The outcome of 003: status, the powers it names, and what the assistant is told.

    `matches` holds the activated power alone, the best 3 or the best 5 (S5.1); `available` every enabled power when
    nothing was found; `tied` says that a second power within the margin kept the first from being activated (S5.3).
    `started` says that the activated power runs; else `reason` says why not, and `needs_approval` what a person would
    have to say yes to first, or "". `gives_text`: the activated power has no server and is its text. `together` is what
    all powers have in one and `chances` are those of the tiers, where the tier went by them; `best_scores` what they
    are made of beside confidences.
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
    def tools(self) -> tuple[Tool, ...]:
        return self.matches[0].power.tools if self.status is Tier.ACTIVATED else ()


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """Which data stores should answer: intent, stores, confidence, method, the rules' own confidence, reasoning.

    `steps` are the stages in order, also those that were skipped; `hits` the route rules that matched, with their
    places in the text; `nearest` the taught examples nearest to the query, `shares` what each label had of their vote,
    `grounds` why that says what it says.
    `ms` is what deciding took, without the query's vector; `cost` in dollars; `llm_outcome` is None where the LLM was
    not asked; `is_final` is False while the query's vector is being made, or the LLM asked.
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
    """What the LLM said when it was asked, whether that decides or not; a kept answer has no prompt."""

    looks: tuple[CacheLookup, ...] = ()
    """Where an answer of the LLM was looked for, and what came of it."""

    configuration: str = ""
    """The candidate's settings, where a roll-out let those decide; "" for today's."""

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
"""What decided a route, as short as a badge."""
