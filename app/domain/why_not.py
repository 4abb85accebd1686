"""Why an answer that was expected did not come: where it was lost, and what would have made it win (S7.6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.case import Case
from app.domain.journal import ItemKey
from app.domain.library import Answer
from app.domain.rule import Rule

KINDS = ("intent", "memory", "power", "route")
"""What can be expected: a label or search-intent type, one memory, one power, one route."""


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

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


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
    best, but not among those named; for routes RULES, EXAMPLES and CACHE decided for another, LLM: it would be asked
    next, and FALLBACK: nothing decided.
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


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Settings to choose, as dotted keys and values in words."""

    pairs: tuple[tuple[str, str], ...]


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
class PutBack:
    """Things to take out of the bin."""

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


Act = ChangeSettings | AddTrigger | Rewrite | PutBack | TeachRoute | StoreRules


@dataclass(frozen=True, slots=True)
class Change:
    """One change and what it does, tried before it is made.

    `key` tells changes apart and is stable ("trigger.add", "setting.fallback_threshold"); `what` says it in words
    without a full stop; `before` and `after` are a setting's values, "" for anything else; `wins` whether the query is
    answered as expected under it; `effect` what it does to all cases, None where there are none; `act` is what
    `WhyNots.apply` does.
    """

    key: str
    what: str
    wins: bool
    effect: Effect | None
    act: Act
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where an expected answer was lost for a query, by what, and what would make it win, the best change first.

    `stage` is None where it won. Confidences are in [0, 1] and ranks from 1, None where there is nothing to rank;
    `winner_name` is None where nothing is answered. `nearest` are names like one that is not taught; `note` says what
    was not looked at, or why there are no counts.
    """

    query: str
    expected: Expectation
    outcome: Outcome
    stage: LostAt | None
    sentence: str
    winner_name: str | None = None
    gaps: tuple[ScorerGap, ...] = ()
    expected_confidence: float | None = None
    winner_confidence: float | None = None
    expected_rank: int | None = None
    changes: tuple[Change, ...] = ()
    nearest: tuple[str, ...] = ()
    note: str = ""
