"""What a person typed, and how alike it and an answer are: scores, their combination, words for how good that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from app.domain.confidence import checked_confidence
from app.domain.library import Answer, Kind
from app.domain.validity import Lapse

Breakdown = Mapping[str, float | None]
"""One score in [0, 1] per scorer, by name in the order of SCORERS; None is absent, which is not 0 (S2.9)."""


class Band(StrEnum):
    """How good a memory's match is (S2.13)."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    FALLBACK = "fallback"


class Tier(StrEnum):
    """How good a power's match is, and the status of a resolution (S5.1)."""

    ACTIVATED = "activated"
    MULTIPLE_MATCHES = "multiple_matches"
    WEAK_MATCHES = "weak_matches"
    NOT_FOUND = "not_found"


BAND_WORDS: dict[Band, str] = {
    Band.HIGH: "High",
    Band.MEDIUM: "Medium",
    Band.LOW: "Low",
    Band.FALLBACK: "Not found",
}

TIER_WORDS: dict[Tier, str] = {
    Tier.ACTIVATED: "Would be activated",
    Tier.MULTIPLE_MATCHES: "Multiple matches",
    Tier.WEAK_MATCHES: "Weak matches",
    Tier.NOT_FOUND: "Not found",
}


@dataclass(frozen=True, slots=True)
class Operand:
    """A named number that goes into a step; `weight` where the step weighs it."""

    name: str
    value: float
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One line of arithmetic: `operation` (a row of app.scoring.arithmetic) over `operands` gives `result`."""

    name: str
    operation: str
    operands: tuple[Operand, ...]
    result: float


@dataclass(frozen=True, slots=True)
class TriggerScores:
    """One trigger of an answer with the scores that are taken per trigger."""

    text: str
    scores: Breakdown


@dataclass(frozen=True, slots=True)
class MatchedKeyword:
    """A keyword, as declared, that the query holds; so many powers declare it, None for a power's own name (S2.7)."""

    keyword: str
    holders: int | None


class MatchExplanation(Protocol):
    """How a match came about, beyond what a list of matches shows; it may be worked out when it is first asked for,
    in whichever thread asks.

    `steps` are the arithmetic of the confidence, `best_trigger` the trigger that gave each scorer's best (a keyword
    for `keyword`, None for a centroid); `keywords` are those of a power that the query holds, best first.
    `contributions_over` says what each scorer adds to the confidence over that of a rival's scores, in log-odds, the
    largest first.
    """

    @property
    def steps(self) -> tuple[Step, ...]: ...

    @property
    def best_trigger(self) -> Mapping[str, str | None]: ...

    @property
    def triggers(self) -> tuple[TriggerScores, ...]: ...

    @property
    def keywords(self) -> tuple[MatchedKeyword, ...]: ...

    def contributions_over(self, rival: Breakdown) -> tuple[Operand, ...]: ...


@dataclass(frozen=True, slots=True)
class EagerExplanation:
    """Eager value: an account that is worked out already, where an index would work it out when it is looked at."""

    steps: tuple[Step, ...] = ()
    best_trigger: Mapping[str, str | None] = field(default_factory=dict)
    triggers: tuple[TriggerScores, ...] = ()
    keywords: tuple[MatchedKeyword, ...] = ()

    def contributions_over(self, rival: Breakdown) -> tuple[Operand, ...]:
        return ()


NO_EXPLANATION = EagerExplanation()


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate with its breakdown and confidence.

    `winners` are the scorers that make up most of the confidence, `trigger` is the one to show, `account` tells the
    rest; `lead` is the distance to the next match of its list, None for the last of it. `label_size` counts the
    triggers behind the centroid. `others` counts the other memories of its label that it stands for, None where each
    is an answer.
    """

    answer: Answer
    confidence: float
    scores: Breakdown
    winners: tuple[str, ...]
    trigger: str
    account: MatchExplanation = NO_EXPLANATION
    label_size: int = 1
    band: Band | None = None
    tier: Tier | None = None
    lead: float | None = None
    others: int | None = None
    threshold: float | None = None
    """The one that its label carries, where such count: below it nothing is found, whatever else is set."""

    lapse: Lapse | None = None
    """Why a memory does not hold now, so that it is no answer, however near it is."""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)

    @property
    def kind(self) -> Kind:
        return self.answer.kind

    @property
    def is_found(self) -> bool:
        """Whether the match is near enough to answer at all."""
        return self.lapse is None and self.band is not Band.FALLBACK and self.tier is not Tier.NOT_FOUND

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.account.steps

    @property
    def best_trigger(self) -> Mapping[str, str | None]:
        return self.account.best_trigger

    @property
    def triggers(self) -> tuple[TriggerScores, ...]:
        return self.account.triggers

    @property
    def keywords(self) -> tuple[MatchedKeyword, ...]:
        return self.account.keywords


# ---- What a person typed, and the part of it that is scored.


SCORED_CHARACTERS = 2_000
"""Longer queries are scored on this many leading code points, and say so."""


@dataclass(frozen=True, slots=True)
class Query:
    """A typed text (`text`), the part that is scored (`scored`) and sentences on what was left out (`notes`)."""

    text: str
    scored: str
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Query:
        """Take any text at all: lone surrogates are replaced, and only a stated prefix of a long text is scored."""
        notes: list[str] = []
        scored = text
        if len(scored) > SCORED_CHARACTERS:
            notes.append(f"Only the first {SCORED_CHARACTERS:,} of {len(text):,} characters are scored.")
            scored = scored[:SCORED_CHARACTERS]
        clean = without_lone_surrogates(scored)
        if clean != scored:
            notes.append("Invalid Unicode characters were replaced by “�”.")
        return cls(text, clean, tuple(notes))

    @property
    def is_empty(self) -> bool:
        return not self.scored.strip()


def without_lone_surrogates(text: str) -> str:
    """The text with every lone surrogate, which no encoder or store accepts, replaced by U+FFFD; same length."""
    if text.isascii():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in text)
