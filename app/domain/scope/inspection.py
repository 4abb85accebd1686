"""Inspection: one frozen answer to one query with its trace; everything that is shown comes from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.case import Vote
from app.domain.intent import IntentType, RuleHit, SearchIntent
from app.domain.library import Kind
from app.domain.llm import Choice, LlmOutcome, LlmReport
from app.domain.match import Match, Query, Step
from app.domain.scope.resolution import Resolution, RouteDecision


class Decision(StrEnum):
    """What is decided on each query, each with its own "none" (S9.1)."""

    TYPE = "type"
    MEMORY = "memory"
    POWER = "power"
    ROUTE = "route"


class Phase(StrEnum):
    """How far an inspection has come; each later one replaces the earlier (the trip of one query)."""

    FLOOR = "floor"
    EMBEDDED = "embedded"
    MERGED = "merged"
    LATE = "late"


KEYWORD_STAGE, LEXICAL_STAGE, LEARNED_STAGE = "keywords", "lexical", "learned"
PAINT_STAGE = "paint"
SEARCH_STAGE = "candidates"
"""The engine rests while the window paints the floor; only where somebody types."""
LLM_STAGE = "llm"
"""The stage that has a budget and a scale of its own."""
ROUTE_LLM_STAGE = "route llm"
CHOICE_STAGES = {"label": "label llm", "power": "power llm"}
"""Further questions to the same server: for the route, and which of the best answers it would give."""
LLM_STAGES = frozenset({LLM_STAGE, ROUTE_LLM_STAGE, *CHOICE_STAGES.values()})


@dataclass(frozen=True, slots=True)
class Stage:
    """One timed step: `start_ms` after the query was taken up, how long it took, and what came of it."""

    name: str
    ms: float
    outcome: str = "ok"
    start_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class TypeEvidence:
    """One matched type: the sum of its rules' evidence, and the hits behind it."""

    type: IntentType
    evidence: float
    hits: tuple[RuleHit, ...]


@dataclass(frozen=True, slots=True)
class ClauseType:
    """One of several types that a text asks for, where (code points, end exclusive), and the evidence there."""

    type: IntentType
    span: tuple[int, int]
    evidence: float


@dataclass(frozen=True, slots=True)
class LearnedType:
    """What the taught examples say of a query's type: their vote, or why there is none, in a sentence.

    `floor` is what keywords and vote come to together, by the `steps`.
    """

    vote: Vote | None = None
    missing: str = ""
    floor: SearchIntent | None = None
    steps: tuple[Step, ...] = ()


WEIGHS_CLAUSES = frozenset({"evidence"})
"""The policies that look at clauses and at negation; 000 does not."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What the keyword rules found: the intent, every matched type with its evidence, and what picked one.

    `ranking` is in the policy's order, the winner first; `by_policy` says what each selection policy would have
    picked; `steps` is the arithmetic of the keywords' confidence (S3.5). `learned` is None where examples are not asked
    or have not been yet. `clause_types` are the types of clauses that ask for different ones, the best first.
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
        """What is known without an LLM: the keywords' intent, or what it comes to with the examples' vote."""
        return self.intent if self.learned is None or self.learned.vote is None else self.learned.floor

    @property
    def floor_steps(self) -> tuple[Step, ...]:
        """The arithmetic of the floor's confidence."""
        return self.steps if self.learned is None else (*self.steps, *self.learned.steps)


@dataclass(frozen=True, slots=True)
class Merged:
    """A final intent (None: no intent, 0) and the steps from the floor's confidence to its own."""

    intent: SearchIntent | None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """The stages in order, the rules that matched, the arithmetic of the intent, the LLM's report, and what it chose
    among the answers; `scorers` says how many milliseconds each scorer took in the stages that score and combine."""

    stages: tuple[Stage, ...] = ()
    hits: tuple[RuleHit, ...] = ()
    merge: tuple[Step, ...] = ()
    llm: LlmReport | None = None
    choices: tuple[Choice, ...] = ()
    scorers: Mapping[str, float] = field(default_factory=dict)

    @property
    def detected_ms(self) -> float:
        """How long detecting the intent took: the keywords, and the LLM from its dispatch on."""
        return sum(stage.ms for stage in self.stages if stage.name in (KEYWORD_STAGE, LEARNED_STAGE, LLM_STAGE))

    @property
    def settled_ms(self) -> float:
        """When the last stage but those of the LLM ended, in ms after the query was taken up."""
        ends = (stage.start_ms + stage.ms for stage in self.stages if stage.name not in LLM_STAGES)
        return max(ends, default=0.0)


@dataclass(frozen=True, slots=True)
class ServerSearch:
    """What a team's server found for a query, where a library is too large to be scored whole: how many memories, of
    how many triggers that are there, how many by meaning and how many by words, in how long; the share of the nearest
    that the server finds, with the day on which that was measured (None and "" before it was); and the encoder of its
    vectors, where that is another than the one here, so that they were found by words alone.

    `fault` says in a sentence why nothing was found: what is scored then are the memories that were found lately.
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


@dataclass(frozen=True, slots=True)
class Inspection:
    """One frozen answer to one query.

    `matches` holds the best memories, then the best powers, each list best first: two decisions, whose confidences are
    not comparable. `provisional` says, by decision, why it may still change by itself; `absent` says in a sentence why
    a scorer is missing altogether; `counts` gives the candidates scored per kind; `combination` the combiners used, per
    kind; `by_merger` what each merge policy makes of the same floor and ceiling; `below` the next best matches, which
    are not listed, where nobody is typing; `searched` what a server found, None where every memory was scored.
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

    @property
    def memories(self) -> tuple[Match, ...]:
        """The best memories, best first."""
        return tuple(match for match in self.matches if match.kind is Kind.MEMORY)

    @property
    def powers(self) -> tuple[Match, ...]:
        """The best powers, best first."""
        return tuple(match for match in self.matches if match.kind is Kind.POWER)

    @property
    def first(self) -> Match | None:
        """The answer to show where there is room for one: the best memory, or the best power if only that is found."""
        memory = next(iter(self.memories), None)
        power = next(iter(self.powers), None)
        if memory is None or (not memory.is_found and power is not None and power.is_found):
            return power
        return memory

    @property
    def is_choosing(self) -> bool:
        """Whether the LLM is still to say which of the answers it would give."""
        return any(choice.outcome is LlmOutcome.ASKING for choice in self.trace.choices)
