"""Inspection: the answer to a query with its trace, resolution (003) and route (001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.confidence import checked_confidence
from app.domain.intent import IntentType, RuleHit, SearchIntent
from app.domain.library import Kind, Power, Tool
from app.domain.llm import LlmAnswer, LlmChoice, LlmOutcome, LlmReport
from app.domain.match import Breakdown, Match, Query, Step, Tier
from app.domain.route import CacheLookup, RouteMethod, RouteStep
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
    llm: LlmAnswer | None = None
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


REFUSED = "The query says what is not wanted. Powers that fit only that are not offered."
"""Note on a query that lowers all powers as it refuses what they do."""

REFUSED_OTHERS = "The query says what is not wanted. Other powers that fit only that are not offered."
"""Note where another power is offered: the query asks for it too, or it is taught such a query."""


class Decision(StrEnum):
    """Decisions made for each query, each with its own "none" (S9.1)."""

    TYPE = "type"
    MEMORY = "memory"
    POWER = "power"
    ROUTE = "route"


class Phase(StrEnum):
    """Progress of an inspection; each later phase replaces the earlier one."""

    FLOOR = "floor"
    EMBEDDED = "embedded"
    MERGED = "merged"
    LATE = "late"


KEYWORD_STAGE, LEXICAL_STAGE, LEARNED_STAGE = "keywords", "lexical", "learned"
PAINT_STAGE = "paint"
SEARCH_STAGE = "candidates"
"""Pause of the engine while the window paints the first result; only while somebody types."""
LLM_STAGE = "llm"
"""Stage of the LLM, which has its own time budget and display scale."""
ROUTE_LLM_STAGE = "route llm"
CHOICE_STAGES = {"label": "label llm", "power": "power llm"}
"""Further LLM requests: for the route, and to choose among the best answers."""
LLM_STAGES = frozenset({LLM_STAGE, ROUTE_LLM_STAGE, *CHOICE_STAGES.values()})


@dataclass(frozen=True, slots=True)
class Stage:
    """Timed step: start in ms after the query, duration in ms, and outcome."""

    name: str
    ms: float
    outcome: str = "ok"
    start_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class TypeEvidence:
    """Matched type: the sum of its rules' evidence, and their hits."""

    type: IntentType
    evidence: float
    hits: tuple[RuleHit, ...]


@dataclass(frozen=True, slots=True)
class ClauseType:
    """Type of one clause of the query: span (code points, end exclusive) and evidence."""

    type: IntentType
    span: tuple[int, int]
    evidence: float


@dataclass(frozen=True, slots=True)
class LearnedType:
    """Vote of the training examples on the type, or a sentence on why there is none.

    `floor` combines keywords and vote by the `steps`.
    """

    vote: Vote | None = None
    missing: str = ""
    floor: SearchIntent | None = None
    steps: tuple[Step, ...] = ()


WEIGHS_CLAUSES = frozenset({"evidence"})
"""Selection policies that consider clauses and negation; 000 does not."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Result of the keyword rules: the intent, every matched type, and the selection.

    `ranking` is in the policy's order, the winner first; `by_policy` is the type each selection policy picks;
    `steps` is the arithmetic of the keywords' confidence (S3.5). `learned` is None while examples are off or not
    evaluated. `clause_types` are the types of clauses with different ones, best first.
    """

    intent: SearchIntent | None
    policy: str
    hits: tuple[RuleHit, ...] = ()
    ranking: tuple[TypeEvidence, ...] = ()
    by_policy: Mapping[str, IntentType | None] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    enabled: bool = True
    learned: LearnedType | None = None
    clause_types: tuple[ClauseType, ...] = ()

    @property
    def floor(self) -> SearchIntent | None:
        """Intent without an LLM: from the keywords, combined with the examples' vote if any."""
        return self.intent if self.learned is None or self.learned.vote is None else self.learned.floor

    @property
    def floor_steps(self) -> tuple[Step, ...]:
        """Arithmetic of the floor's confidence."""
        return self.steps if self.learned is None else (*self.steps, *self.learned.steps)


@dataclass(frozen=True, slots=True)
class Merged:
    """Final intent (None: no intent, confidence 0), and the steps from the floor's confidence."""

    intent: SearchIntent | None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """Timed stages, matched rules, arithmetic of the intent, LLM report and choices.

    `scorers` holds the ms each scorer took in the stages that score and combine.
    """

    stages: tuple[Stage, ...] = ()
    hits: tuple[RuleHit, ...] = ()
    merge: tuple[Step, ...] = ()
    llm: LlmReport | None = None
    choices: tuple[LlmChoice, ...] = ()
    scorers: Mapping[str, float] = field(default_factory=dict)

    @property
    def detected_ms(self) -> float:
        """Time to detect the intent, in ms: keywords, vote, and the LLM from its dispatch."""
        return sum(stage.ms for stage in self.stages if stage.name in (KEYWORD_STAGE, LEARNED_STAGE, LLM_STAGE))

    @property
    def settled_ms(self) -> float:
        """End of the last stage without an LLM, in ms after the query."""
        ends = (stage.start_ms + stage.ms for stage in self.stages if stage.name not in LLM_STAGES)
        return max(ends, default=0.0)


@dataclass(frozen=True, slots=True)
class ServerSearch:
    """Search of a team's server, where a library is too large to score completely.

    `found` memories out of `triggers` triggers, `by_meaning` and `by_words`, in `ms`. `recall` is the share of
    nearest triggers that the server finds, in [0, 1], and `measured` the day of that measurement (None and "" if
    unknown). `other_encoder` names the encoder of its vectors where it differs, so that only words were searched.
    `fault` says why nothing was found; then recently found memories are scored.
    """

    found: int = 0
    triggers: int = 0
    by_meaning: int = 0
    by_words: int = 0
    ms: float = 0.0
    recall: float | None = None
    measured: str = ""
    other_encoder: str = ""
    fault: str = ""
    is_coming: bool = False


LETTERS_PER_TOKEN = 4


def estimated_tokens(texts: Sequence[str]) -> list[int]:
    """Estimate the tokens of each text without a tokenizer, rounded up."""
    return [-(-len(text) // LETTERS_PER_TOKEN) for text in texts]


@dataclass(frozen=True, slots=True)
class Inspection:
    """Frozen answer to one query.

    `matches` holds the best memories, then the best powers, each best first; confidences of the two are not
    comparable. `provisional` says, by decision, why it may still change; `absent` says why a scorer is missing;
    `counts` is the number of scored candidates and `combination` the combiner, both by kind; `by_merger` is the
    result of each merge policy; `below` are the next matches, which are not listed, while nobody types; `searched`
    is a server's search, None where every memory was scored.
    """

    query: Query
    phase: Phase
    detection: Detection
    intent: SearchIntent | None
    matches: tuple[Match, ...]
    resolution: Resolution | None
    trace: Trace
    route: RouteDecision | None = None
    absent: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    combination: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    by_merger: Mapping[str, Merged] = field(default_factory=dict)
    below: tuple[Match, ...] = ()
    searched: ServerSearch | None = None
    provisional: Mapping[Decision, str] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    """Tokens of the texts to inject where they may exceed the limit, as counted by the engine."""

    @property
    def memories(self) -> tuple[Match, ...]:
        """The best memories, best first."""
        return tuple(match for match in self.matches if match.kind is Kind.MEMORY)

    @property
    def memory(self) -> Match | None:
        """The memory that answers: the best one of the likeliest intent; an invalid one only if all are."""
        valid = (match for match in self.memories if match.lapse is None)
        return max(valid, key=lambda match: match.compared, default=next(iter(self.memories), None))

    @property
    def powers(self) -> tuple[Match, ...]:
        """The best powers, best first."""
        return tuple(match for match in self.matches if match.kind is Kind.POWER)

    def tokens_of(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of texts, estimated where the engine has not counted them."""
        return [self.tokens.get(text, estimate) for text, estimate in zip(texts, estimated_tokens(texts), strict=True)]

    @property
    def first(self) -> Match | None:
        """Single answer to show: the answering memory, or the best power if only that is found."""
        memory, power = self.memory, next(iter(self.powers), None)
        if memory is None or (not memory.is_found and power is not None and power.is_found):
            return power
        return memory

    @property
    def is_provisional(self) -> bool:
        """True if type, memory or power may still change by themselves."""
        return not self.provisional.keys() <= {Decision.ROUTE}

    @property
    def is_choosing(self) -> bool:
        """True while the LLM is choosing among the answers."""
        return any(choice.outcome is LlmOutcome.ASKING for choice in self.trace.choices)


@dataclass(frozen=True, slots=True)
class AblationResult:
    """Result of one text: first answer ("" for none), type, and the explained answer's scores.

    `confidence` is None and `scores` empty where that answer is not among the first.
    """

    given: str
    type: IntentType | None
    type_confidence: float
    confidence: float | None
    scores: Breakdown


@dataclass(frozen=True, slots=True)
class AblatedWord:
    """Word, its span (code points, end exclusive), and the result of the query without it."""

    word: str
    span: tuple[int, int]
    found: AblationResult


@dataclass(frozen=True, slots=True)
class AnswerFlip:
    """Smallest set of words without which the outcome changes, and the new outcome, "" for none."""

    without: tuple[str, ...]
    becomes: str


@dataclass(frozen=True, slots=True)
class LlmNeeded:
    """Minimum LLM confidences that change the result; None if none does, or it is so already.

    `another`: another type decides; `surfaces`: memories are injected with the same type.
    """

    another: float | None
    surfaces: float | None


@dataclass(frozen=True, slots=True)
class WordImportance:
    """Leave-one-word-out result for the answer `name`; `left` counts words beyond the limit."""

    query: str
    name: str
    whole: AblationResult
    words: tuple[AblatedWord, ...] = ()
    left: int = 0
    answer_flip: AnswerFlip | None = None
    type_flip: AnswerFlip | None = None
    llm: LlmNeeded = LlmNeeded(None, None)
