"""Why-not: the stage that lost an expected answer, fixes (S7.6), and previews of edits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.intent import IntentType, Rule, intent_type
from app.domain.journal import ItemKey
from app.domain.library import Answer
from app.domain.running import ActivationBlocker

KINDS = ("intent", "memory", "power", "route")
"""Kinds of expectations: a label or search-intent type, a memory, a power, a route."""

NOTHING = "none"
"""Name in the expectation that no label, memory or power answers."""


def kind_of(word: str) -> str:
    """Return the kind that a word before a colon means: a type is an intent."""
    kind = word.strip().lower()
    return "intent" if kind == "type" else kind


@dataclass(frozen=True, slots=True)
class Expectation:
    """Expected answer: `kind` is one of KINDS, `name` as entered, `is_type` for a type's label."""

    kind: str
    name: str
    is_type: bool = False

    @classmethod
    def of(cls, text: str) -> Expectation:
        """Parse KIND:NAME, such as "memory:reset-password".

        Raises ValueError with a sentence if invalid.
        """
        kind, colon, name = text.partition(":")
        name = name.strip()
        is_type = kind.strip().lower() == "type"
        if is_type and name and intent_type(name) is None:
            raise ValueError(f"“{name}” is not a type; the types are: {', '.join(IntentType)}.")
        kind = kind_of(kind)
        if not colon or kind not in KINDS:
            nothing = " For no answer the name is none, as in memory:none." if text.strip() == NOTHING else ""
            raise ValueError(f"“{text}” is not KIND:NAME, where KIND is one of {', '.join(KINDS)} or type.{nothing}")
        if not name:
            raise ValueError(f"“{text}” names no {kind}.")
        if kind == "route" and name in NO_MATCH_WORDS:
            raise ValueError("Every query has a route: where nothing decides, the fallback. Expect that by its name.")
        return cls(kind, name, is_type)

    @classmethod
    def of_case(cls, case: Case) -> Expectation | None:
        """Return the first answer a case expects; NOTHING if none is right.

        None for a case of a type or route without expected answers, as there is always one.
        """
        name = next((name for name in case.expected if name not in NO_MATCH_WORDS), None)
        if name is None and case.task in (Task.TYPE, Task.ROUTE):
            return None
        return cls(_KIND_OF[case.task], name or NOTHING, case.task is Task.TYPE)

    @property
    def is_nothing(self) -> bool:
        """True if the expectation is that nothing answers."""
        return self.kind != "route" and self.name in NO_MATCH_WORDS

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


_KIND_OF = {Task.INTENT: "intent", Task.MEMORY: "memory", Task.POWER: "power", Task.ROUTE: "route", Task.TYPE: "intent"}


class LostAt(StrEnum):
    """Stages that can lose an answer, in processing order.

    NOT_TAUGHT: no item of that name; SWITCHED_OFF: this kind is disabled; SET_ASIDE: paused, below min_score, or in
    the bin; NO_RULE: no rule for the type matched; SCORING: the winner leads in the scorers that decide;
    COMBINATION: it leads in a scorer, but the combination prefers the winner; SELECTION: the type's rules matched,
    but the policy picked another; TOPICS: a query without topics has no intent; THRESHOLD: best, but below the
    threshold; AMBIGUITY: equal to the best, or the best with a second power within the margin; RANKING: equal to
    the best, but not listed; UNWANTED: something answers, but nothing should. For routes, RULES, EXAMPLES and CACHE
    decided for another, LLM: it would be asked next, and FALLBACK: nothing decided.
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
    """Scores of the expected answer and the winner by one scorer, in [0, 1]; None: absent."""

    scorer: str
    expected: float | None
    winner: float | None

    @property
    def difference(self) -> float | None:
        """Lead of the expected answer, negative if behind; None if a score is absent."""
        return None if self.expected is None or self.winner is None else self.expected - self.winner


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of a change on the stored cases: numbers of cases fixed and broken.

    `fixed` and `broken` are texts of the first of them, at most MOST_NAMED each; `total` is the number of cases
    evaluated.
    """

    fixes: int
    breaks: int
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    total: int = 0
    labelled: int | None = None
    """Number of cases that label the decision that a change is about; None if there is no single one."""


MOST_NAMED = 20
"""Maximum number of cases named among those fixed, and among those broken."""


class Note(StrEnum):
    """Limits of a why-not result.

    The LLM may differ; there are no cases; effects precede the next fit; a team's server does not find the answer.
    """

    LLM_MAY_DIFFER = "llm may differ"
    NO_CASES = "no cases"
    REFIT = "refit"
    NOT_FOUND = "not found"


class NotScoredReason(StrEnum):
    """Reason for not scoring a stored item."""

    OFF = "off"
    UNSUCCESSFUL = "unsuccessful"
    BINNED = "binned"


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Settings to change, as dotted keys and values as text; `point` is the essential one."""

    pairs: tuple[tuple[str, str], ...]
    point: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class AddTrigger:
    """Text to add as a trigger of a memory, or as an example of a power."""

    answer: Answer
    text: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Answers to store in one step: a trigger moved or removed, an item enabled."""

    answers: tuple[Answer, ...]
    verb: str = "edited"


@dataclass(frozen=True, slots=True)
class RestoreItems:
    keys: tuple[ItemKey, ...]


@dataclass(frozen=True, slots=True)
class TeachRoute:
    """Case for the router, and rules, to store in one step."""

    case: Case
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class TeachType:
    """Query to teach as an example of a search-intent type."""

    text: str
    type: IntentType


@dataclass(frozen=True, slots=True)
class StoreRules:
    """Rules to add or update."""

    rules: tuple[Rule, ...]


Action = ChangeSettings | AddTrigger | Rewrite | RestoreItems | TeachRoute | TeachType | StoreRules


@dataclass(frozen=True, slots=True)
class ValueChange:
    """Changed value: a setting by its dotted key, a rule's "weight", a memory's "label"."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """Proposed change and its effect, tried on a copy.

    `key` is the stable kind of change ("trigger.add", "setting.fallback_threshold"); `wins`: the query is then
    answered as expected; `effect` is the effect on all cases, None without cases; `act` is what `WhyNots.apply`
    does. `about` are the present answers it changes; `text` is the trigger, cue or name concerned, `sure` the
    confidence of a new rule in [0, 1].
    """

    key: str
    wins: bool
    effect: Effect | None
    act: Action
    moved: tuple[ValueChange, ...] = ()
    about: tuple[Answer, ...] = ()
    text: str = ""
    sure: float | None = None

    @property
    def is_harmful(self) -> bool:
        """True if more cases would fail than would pass."""
        return self.effect is not None and self.effect.breaks > self.effect.fixes


SILENT = "silent"
"""Reason against an injection that no case expects: the memory has no response."""


@dataclass(frozen=True, slots=True)
class Injection:
    """Injection of a memory into an assistant's context, or the reason against it.

    `rank` starts at 1 (None: not considered). `confidence` is its own, `chance` that of its intent, which is compared
    with the minimum `least`; `weight` is that of its `namespace`. At most `most` memories and `budget` tokens are
    injected, and `tokens` are those of all memories up to it.
    """

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
    chance: float = 0.0
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Stage that lost an expected answer, the cause, and changes that fix it, best first.

    `stage` is None if it won; `name` is its stored name, "" if there is none. Confidences are in [0, 1] and ranks from
    1, None where nothing is ranked; `winner_name` is None where nothing answers. `nearest` are similar names for an
    unknown one; `notes` are limits of the result. `injection` is of the expected memory, or the first of the expected
    label. The texts are in `app.display`.
    """

    query: str
    expected: Expectation
    task: Task
    stage: LostAt | None
    name: str = ""
    winner_name: str | None = None
    gaps: tuple[ScorerGap, ...] = ()
    expected_confidence: float | None = None
    winner_confidence: float | None = None
    expected_rank: int | None = None
    changes: tuple[Change, ...] = ()
    nearest: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    injection: Injection | None = None
    unexpected: tuple[str, ...] = ()
    """Names of what would be delivered beside the expected answer, and makes a case of it fail."""
    blocker: ActivationBlocker | None = None
    """Reason that the expected power, which comes first, would not start; None if nothing prevents it."""

    # Facts on the answer beside scores and ranks, for the sentences; each has a default where it does not apply.
    threshold: float = 0.0
    """Threshold of the answer, or `min_score` where that excludes it."""
    is_own_threshold: bool = False
    """True if the threshold is the label's own."""
    margin: float = 0.0
    """Required lead over the next power."""
    listed: int = 0
    ahead: tuple[tuple[str, float], ...] = ()
    """Scorers that put the winner ahead, the most important first, with its lead."""
    winner_injection: Injection | None = None
    """Why the winner is not injected, if nothing should answer."""
    through: str = ""
    """Trigger of the winner, or training example with the most weight for it."""
    combination: str = ""
    """Combiner in force, where another one would put the expected answer first."""
    is_negated: bool = False
    """True if the query says that the expected answer, or any power, is not wanted."""
    label_chance: float | None = None
    """Chance of its label, or of any power, if that is compared with the threshold."""
    not_scored: NotScoredReason | None = None
    success: float | None = None
    """Success score of a memory that is not scored."""
    rank_if_scored: int | None = None
    """Rank it would have if it were scored; None for score 0."""
    cues: tuple[str, ...] = ()
    """Cues of the expected type; `winner_cues` are those of the chosen one."""
    winner_cues: tuple[str, ...] = ()
    held_back: str = ""
    """Suppressed rule of the expected type."""
    policy: str = ""
    reasoning: str = ""
    """Explanations of the router's steps."""

    @property
    def has_won(self) -> bool:
        return self.stage is None

    @property
    def expects_nothing(self) -> bool:
        """True if nothing should answer."""
        return not self.name and self.stage is not LostAt.NOT_TAUGHT

    @property
    def winner_chance(self) -> float:
        """Chance of the winner that is compared with the threshold."""
        return (self.winner_confidence or 0.0) if self.label_chance is None else self.label_chance

    @property
    def is_held_back(self) -> bool:
        """True if nothing should answer, and what would be an answer is not delivered."""
        return self.expects_nothing and self.has_won and self.winner_chance >= max(self.threshold, 1e-9)

    @property
    def is_scored(self) -> bool:
        """True if a scored label, memory or power was expected."""
        return bool(self.name) and self.not_scored is None and self.task not in (Task.TYPE, Task.ROUTE)

    @property
    def is_delivered(self) -> bool:
        """True if exactly the expected answer is delivered: injected if it can be, and started if a power."""
        own = self.injection
        is_out = own is not None and own.cut != SILENT and (own.rank is None or own.cut is not None)
        return self.has_won and not is_out and not self.unexpected and self.blocker is None


# ---- Effect of an edit before it is made.


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """Recent query whose answer an edit changes: the names before and after, "" for none."""

    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class EditPreview:
    """Dry run of an edit: its effect on the labelled cases and on `query_count` recent queries.

    `changed` are the queries with another answer, at most MOST_CHANGED of `changed_count`; `tiers` counts those
    with another tier.
    """

    effect: Effect
    changed: tuple[ChangedAnswer, ...] = ()
    changed_count: int = 0
    tiers: int = 0
    query_count: int = 0
    task: Task | None = None
    """Task of an edited rule, whose types or routes `changed` holds; None for answers."""


MOST_CHANGED = 20
