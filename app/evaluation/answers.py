"""Cases and the program's ranked answers to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.case import NO_MATCH_WORDS, Case, Delivered, Task
from app.domain.confidence import checked_confidence
from app.domain.match import Tier

LISTED = 10
"""Number of candidates stored per case; recall and reciprocal rank are limited to them."""


def acceptable(expected: Iterable[str]) -> tuple[str, ...]:
    """Return the acceptable answers without duplicates; empty where no match is right (S8.5)."""
    return tuple(dict.fromkeys(name for name in expected if name not in NO_MATCH_WORDS))


@dataclass(frozen=True, slots=True)
class RankedName:
    """Name of a candidate, with its confidence in [0, 1]."""

    name: str
    confidence: float

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """Evidence for the best answer: its scores, the nearest trigger, and cues such as rules."""

    scores: Mapping[str, float] = field(default_factory=dict)
    trigger: str = ""
    cues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """Case with its outcome.

    `acceptable` holds the right answers as candidate names (none: no match is right); `candidates` the best LISTED,
    best first, without those of score 0; `rank` is the rank of the first acceptable among all candidates, from 1,
    or None; `rejected`: the top confidence is below the threshold of S8.5, or no power is offered; `tier` is set
    for powers, and `offered` is the number of powers in the resolution. `shared` is the probability that any answer
    is right, where confidences are shares of one whole.
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
    """Set on request."""
    delivered: Delivered | None = None
    """Memories and power delivered for the query; None if not computed."""

    @property
    def answerable(self) -> float:
        """Probability that any answer is right, not only the top one."""
        return self.confidence if self.shared is None else self.shared

    @property
    def confidence(self) -> float:
        """Confidence of the top candidate; 0 without candidates."""
        return self.candidates[0].confidence if self.candidates else 0.0

    @property
    def predicted(self) -> str | None:
        """Given answer: the top candidate's name, None for "no match"."""
        return None if self.rejected or not self.candidates else self.candidates[0].name

    @property
    def unwanted(self) -> tuple[str, ...]:
        """Excluded answers, if the case states nothing else (S7.2); empty if it expects NOT_FOUND."""
        is_all = not self.acceptable and self.case.tier is not Tier.NOT_FOUND
        return self.case.unwanted if is_all else ()

    @property
    def top_is_right(self) -> bool:
        """True if the top candidate is acceptable or not excluded, at any confidence."""
        if self.unwanted:
            return not self.candidates or self.candidates[0].name not in self.unwanted
        return self.rank == 1

    @property
    def is_right(self) -> bool:
        """True if the given answer, or giving none, is right.

        If only excluded answers are known, any other answer is right.
        """
        if self.unwanted:
            return self.predicted not in self.unwanted
        return self.predicted in self.acceptable if self.acceptable else self.predicted is None

    @property
    def expected_name(self) -> str | None:
        """Acceptable answer to count this case under.

        It is the given one if right, else the first, or None.
        """
        if self.is_right:
            return self.predicted
        return self.acceptable[0] if self.acceptable else None


def labelled(answers: Sequence[Answered]) -> list[Answered]:
    """Return the cases with known right answers, not only excluded ones."""
    return [answer for answer in answers if not answer.unwanted]


# --------------------------------------------------------------------------------------------------------------------
# Cases reduced to their best answers, enough to try thresholds


@dataclass(frozen=True, slots=True)
class Top:
    """Case reduced to its best answer: confidence, lead over the next, and correctness.

    The lead is 1.0 without another answer. `expects_none`: right only if nothing is found. `is_labelled`: the right
    answer is known, not only excluded ones.
    """

    confidence: float
    is_right: bool
    expects_none: bool = False
    lead: float = 1.0
    is_labelled: bool = True


def top_of(answered: Answered) -> Top:
    """Reduce a case to its best answer."""
    best = [candidate.confidence for candidate in answered.candidates[:2]]
    lead = best[0] - best[1] if len(best) > 1 else 1.0
    return Top(answered.confidence, answered.top_is_right, not answered.acceptable, lead, not answered.unwanted)


@dataclass(frozen=True, slots=True)
class Tops:
    """Progress of answering, `done` of `total`, and at the end every case by task.

    `of_folds` holds held-out trigger phrases, by whether they are of powers, for fitting.
    """

    done: int
    total: int
    by_task: Mapping[Task, tuple[Top, ...]]
    of_folds: Mapping[bool, tuple[Top, ...]] = field(default_factory=dict)
