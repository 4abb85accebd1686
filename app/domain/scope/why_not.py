"""Why-not: the stage that lost an expected answer, the changes that would win it (S7.6), and previews of edits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.intent import Rule
from app.domain.journal import ItemKey
from app.domain.library import Answer

KINDS = ("intent", "memory", "power", "route")
"""What can be expected: a label or search-intent type, one memory, one power, one route."""

NOTHING = "none"
"""Stands for the expectation that no label, memory or power answers."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What somebody expected: `kind` is one of KINDS, `name` as it was said."""

    kind: str
    name: str

    @classmethod
    def of(cls, text: str) -> Expectation:
        """From KIND:NAME, such as "memory:reset-password"; ValueError with a sentence if it is none."""
        kind, colon, name = text.partition(":")
        kind, name = kind.strip().lower(), name.strip()
        if not colon or kind not in KINDS:
            raise ValueError(f"“{text}” is not KIND:NAME, where KIND is one of {', '.join(KINDS)}.")
        if not name:
            raise ValueError(f"“{text}” names no {kind}.")
        return cls(kind, name)

    @classmethod
    def of_case(cls, case: Case) -> Expectation | None:
        """What a labelled query expects first, NOTHING where no answer, or none of some, is right; None for a type or a
        route, of which there is always one."""
        name = next((name for name in case.expected if name not in NO_MATCH_WORDS), None)
        if name is None and case.task in (Task.TYPE, Task.ROUTE):
            return None
        return cls(_KIND_OF[case.task], name or NOTHING)

    @property
    def is_nothing(self) -> bool:
        """Whether that is expected that nothing answers, unless something is called so."""
        return self.kind != "route" and self.name in NO_MATCH_WORDS

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


_KIND_OF = {
    Task.INTENT: "intent",
    Task.MEMORY: "memory",
    Task.POWER: "power",
    Task.ROUTE: "route",
    Task.TYPE: "intent",
}


class Outcome(StrEnum):
    """Whether the expected answer is the one that is given."""

    WON = "won"
    LOST = "lost"


class LostAt(StrEnum):
    """The stages that can lose an answer, in the order of the engine's way.

    NOT_TAUGHT: nothing of that name; SWITCHED_OFF: this kind is not answered at all; SET_ASIDE: paused, below
    min_score, or in the bin; NO_RULE: no rule for the type matched; SCORING: the winner is ahead in the scorers that
    decide; COMBINATION: it leads in a scorer, but the combination prefers the winner; SELECTION: the type's rules
    matched, but the policy picked another; TOPICS: a query without topics has no intent; THRESHOLD: best, but not
    sure enough; AMBIGUITY: as good as the best, or the best with a second power too near; RANKING: as good as the
    best, but not among those named; UNWANTED: something is answered, though nothing should be; for routes RULES,
    EXAMPLES and CACHE decided for another, LLM: it would be asked next, and FALLBACK: nothing decided.
    """

    NOT_TAUGHT = "not taught"
    SWITCHED_OFF = "switched off"
    SET_ASIDE = "set aside"
    NO_RULE = "no rule"
    SCORING = "scoring"
    COMBINATION = "combination"
    SELECTION = "selection"
    TOPICS = "topics"
    THRESHOLD = "threshold"
    AMBIGUITY = "ambiguity"
    RANKING = "ranking"
    UNWANTED = "unwanted"
    RULES = "rules"
    CACHE = "cache"
    EXAMPLES = "examples"
    LLM = "llm"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class ScorerGap:
    """What one scorer gives the expected answer and the winner, each in [0, 1]; None is absent, which is not 0."""

    scorer: str
    expected: float | None
    winner: float | None

    @property
    def difference(self) -> float | None:
        """How far the expected answer is ahead, below 0 where it is behind; None where one of them is absent."""
        return None if self.expected is None or self.winner is None else self.expected - self.winner


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to the stored cases: so many come right that are wrong, so many go wrong that are right.

    `fixed` and `broken` are the texts of the first of them, at most MOST_NAMED each; `total` is how many cases were
    run.
    """

    fixes: int
    breaks: int
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    total: int = 0


MOST_NAMED = 20
"""So many cases are named of those that a change fixes, and of those that it breaks."""


class Note(StrEnum):
    """What there is to know beside: the LLM is not asked here and may decide otherwise; no cases to count on; a team's
    server does not find the expected answer for this query."""

    LLM_MAY_DIFFER = "llm may differ"
    NO_CASES = "no cases"
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class RankedStanding:
    """How a name stands that the index ranks: under which name, and what was in its way.

    `line` is the confidence that it takes to be answered, `margin` how far the next must be behind, `listed` how many
    are told. `ahead` are the scorers by which the winner leads, with their lead, and `through` its trigger;
    `combination` is what does not count the scorers in which the expected one leads, "" where it leads in none.
    """

    name: str
    is_power: bool
    line: float
    margin: float
    listed: int
    ahead: tuple[tuple[str, float], ...] = ()
    through: str = ""
    combination: str = ""
    own_line: bool = False
    """Whether the line is the one that its label carries."""


class NotScoredReason(StrEnum):
    """Why a stored item is not scored."""

    OFF = "off"
    UNSUCCESSFUL = "unsuccessful"
    BINNED = "binned"


@dataclass(frozen=True, slots=True)
class NotScoredStanding:
    """What is stored under a name but not scored: why, its success score against the least that counts, and the place
    (from 1, None if it scored nothing) and confidence that it would have, None where that is not known."""

    name: str
    why: NotScoredReason
    success: float | None = None
    least: float | None = None
    place: int | None = None
    would: float | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """The name is unknown."""


@dataclass(frozen=True, slots=True)
class Unwanted:
    """What comes first where nothing should: its name ("" for none), the trigger that it owes it to, and the confidence
    that it takes to be answered."""

    name: str
    through: str = ""
    line: float = 0.0
    is_power: bool = False
    own_line: bool = False
    """Whether the line is the one that its label carries."""


@dataclass(frozen=True, slots=True)
class TypeStanding:
    """How a search-intent type stands: its name, the cues that were found for it and for the one that was picked, a
    rule of it that is held back ("" for none), the policy that picks, and the taught example that speaks most for what
    was taken instead ("" where no example does)."""

    name: str
    cues: tuple[str, ...] = ()
    winner_cues: tuple[str, ...] = ()
    held_back: str = ""
    policy: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class RouteStanding:
    """Where a query goes, and what the router's own steps say of it."""

    goes_to: str
    reasons: tuple[str, ...]


Standing = RankedStanding | NotScoredStanding | Unknown | Unwanted | TypeStanding | RouteStanding
"""What is known of the expected answer beyond scores, confidences and ranks; `app.display` makes sentences of it."""


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Settings to choose, as dotted keys and values in words; `point` is the one that the others make room for."""

    pairs: tuple[tuple[str, str], ...]
    point: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class AddTrigger:
    """A text to teach as one more trigger of a memory, or example of a power."""

    answer: Answer
    text: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Answers to store as they stand here, as one step: a trigger moved or taken away, something enabled."""

    answers: tuple[Answer, ...]
    verb: str = "edited"


@dataclass(frozen=True, slots=True)
class RestoreItems:
    """Items to restore from the bin."""

    keys: tuple[ItemKey, ...]


@dataclass(frozen=True, slots=True)
class TeachRoute:
    """A case that teaches the router, and rules to store with it, as one step."""

    case: Case
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreRules:
    """Rules to add, or to store as they stand here."""

    rules: tuple[Rule, ...]


Action = ChangeSettings | AddTrigger | Rewrite | RestoreItems | TeachRoute | StoreRules


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value that a change moves: a setting's by its dotted key, a rule's "weight", a memory's "label"."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change and what it does, tried before it is made.

    `key` says what kind of change it is, and is stable ("trigger.add", "setting.fallback_threshold"); `wins` whether
    the query is answered as expected under it; `effect` what it does to all cases, None where there are none; `act` is
    what `WhyNots.apply` does. `about` are answers that it changes, as they are now; `text` is the trigger, cue or name
    that it is about, `sure` how sure a new rule would be in [0, 1].
    """

    key: str
    wins: bool
    effect: Effect | None
    act: Action
    moved: tuple[ValueChange, ...] = ()
    about: tuple[Answer, ...] = ()
    text: str = ""
    sure: float | None = None


@dataclass(frozen=True, slots=True)
class Injection:
    """Whether a memory would join an assistant's context, as number `rank` from 1 (None: too far to be looked at), and
    else the first reason why not. `confidence` is its own, `least` what it needs, `weight` that of its namespace; at
    most `most` memories of `budget` tokens join, and `tokens` are those of all down to it."""

    rank: int | None
    cut: str | None
    confidence: float = 0.0
    weight: float = 1.0
    least: float = 0.0
    most: int = 0
    tokens: int = 0
    budget: int = 0
    type_confidence: float = 0.0
    type_least: float = 0.0


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where an expected answer was lost for a query, by what, and what would make it win, the best change first.

    `stage` is None where it won. Confidences are in [0, 1] and ranks from 1, None where there is nothing to rank;
    `winner_name` is None where nothing is answered. `nearest` are names like one that is not taught; `notes` tell what
    was not looked at, or why there are no counts. `injection` is of the expected memory, or the first of the expected
    label; None for anything else. It holds no words of its own: `app.display` has them.
    """

    query: str
    expected: Expectation
    outcome: Outcome
    stage: LostAt | None
    standing: Standing
    winner_name: str | None = None
    gaps: tuple[ScorerGap, ...] = ()
    expected_confidence: float | None = None
    winner_confidence: float | None = None
    expected_rank: int | None = None
    changes: tuple[Change, ...] = ()
    nearest: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    injection: Injection | None = None


# ---- What an edit would do, before it is made.


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A recent query whose answer an edit changes: the names before and after, "" for none."""

    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class EditPreview:
    """Dry run of an edit of answers or rules: its effect on the labelled cases and on `query_count` recent queries.

    `changed` are the queries with another answer, at most MOST_CHANGED of `changed_count`; `tiers` counts those with
    another tier.
    """

    effect: Effect
    changed: tuple[ChangedAnswer, ...] = ()
    changed_count: int = 0
    tiers: int = 0
    query_count: int = 0
    task: Task | None = None
    """What a rule decides, a type or a route: the answers in `changed` are such then; None for an edit of answers."""


MOST_CHANGED = 20
