"""A case and what the program answered to it, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.confidence import checked_confidence
from app.domain.match import Tier

LISTED = 10
"""So many candidates are kept with each answered case; recall and reciprocal rank look no further."""


def acceptable(expected: Iterable[str]) -> tuple[str, ...]:
    """The answers that would be right, as given; none at all where "no match" is right (S8.5)."""
    return tuple(dict.fromkeys(name for name in expected if name not in NO_MATCH_WORDS))


@dataclass(frozen=True, slots=True)
class RankedName:
    """A candidate by its name, with its confidence in [0, 1]."""

    name: str
    confidence: float

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """What spoke for the best answer: its score by scorer, the trigger that is nearest, and what else, such as rules
    that fired."""

    scores: Mapping[str, float] = field(default_factory=dict)
    trigger: str = ""
    cues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a query would bring: the memories that would be injected, best first, each with its name and its label (its
    name where it has none), and the power that would be activated ("": none). `can_inject` says whether the best memory
    has a response."""

    memories: tuple[tuple[str, str], ...] = ()
    power: str = ""
    can_inject: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """One case with its outcome.

    `acceptable` are the right answers in the words of the candidates (none: no match is right); `candidates` the best
    LISTED, best first, without those that scored 0; `rank` the place of the first acceptable among all candidates,
    from 1, or None; `rejected` says that the top confidence is below the threshold of S8.5, of powers that none is
    offered; `tier` is set for powers, and `offered` says how many of them the resolution names. `shared` is the chance
    that any answer is right, where confidences are shares of one whole.
    """

    case: Case
    acceptable: tuple[str, ...]
    candidates: tuple[RankedName, ...]
    rank: int | None
    rejected: bool
    tier: Tier | None = None
    offered: int = 0
    shared: float | None = None
    account: AnswerEvidence | None = field(default=None, compare=False)
    """Set where it was asked for."""
    delivered: Delivered | None = None
    """What the query would bring besides; None where that was not worked out."""

    @property
    def answerable(self) -> float:
        """How sure it is that something taught is right: two answers that share the chance leave none to the rest."""
        return self.confidence if self.shared is None else self.shared

    @property
    def confidence(self) -> float:
        """The confidence of the top candidate; 0 where nothing scored."""
        return self.candidates[0].confidence if self.candidates else 0.0

    @property
    def predicted(self) -> str | None:
        """The answer given: the top candidate's name, None for "no match"."""
        return None if self.rejected or not self.candidates else self.candidates[0].name

    @property
    def unwanted(self) -> tuple[str, ...]:
        """What must not come first, where that is all that is known (S7.2): of a case that means NOT_FOUND more is."""
        is_all = not self.acceptable and self.case.tier is not Tier.NOT_FOUND
        return self.case.unwanted if is_all else ()

    @property
    def top_is_right(self) -> bool:
        """Whether the top candidate is acceptable, or at least not unwanted, whatever its confidence."""
        if self.unwanted:
            return not self.candidates or self.candidates[0].name not in self.unwanted
        return self.rank == 1

    @property
    def is_right(self) -> bool:
        """Whether the answer given is right; where no match is expected, that none was given; where it is only known
        what is unwanted, that it is none of those."""
        if self.unwanted:
            return self.predicted not in self.unwanted
        return self.predicted in self.acceptable if self.acceptable else self.predicted is None

    @property
    def expected_name(self) -> str | None:
        """The acceptable answer to count this case under: the one given if it is right, else the first; None: none."""
        if self.is_right:
            return self.predicted
        return self.acceptable[0] if self.acceptable else None


def labelled(answers: Sequence[Answered]) -> list[Answered]:
    """Those of which it is known what would be right; of the others only what would be wrong."""
    return [answer for answer in answers if not answer.unwanted]


# --------------------------------------------------------------------------------------------------------------------
# Cases by their best answers alone: all that it takes to try thresholds on them


@dataclass(frozen=True, slots=True)
class Top:
    """One case by its best answer: confidence, the lead over the next power (1.0 without one), and if it is right.

    `expects_none` says that no answer would have been right: then the case is right where nothing is found.
    `is_labelled`: it is known what would be right, not only what would be wrong.
    """

    confidence: float
    is_right: bool
    expects_none: bool = False
    lead: float = 1.0
    is_labelled: bool = True


def top_of(answered: Answered) -> Top:
    """A case by its best answer."""
    best = [candidate.confidence for candidate in answered.candidates[:2]]
    lead = best[0] - best[1] if len(best) > 1 else 1.0
    return Top(answered.confidence, answered.top_is_right, not answered.acceptable, lead, not answered.unwanted)


@dataclass(frozen=True, slots=True)
class Tops:
    """How far the cases are answered: `done` of `total`, and once all are, every case by its task. `of_folds` are, by
    whether of powers, the phrases that were left out of what is taught and asked to fit what decides."""

    done: int
    total: int
    by_task: Mapping[Task, tuple[Top, ...]]
    of_folds: Mapping[bool, tuple[Top, ...]] = field(default_factory=dict)
