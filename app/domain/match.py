"""The typed query, how well answers match it (scores, steps, bands, tiers), and their validity."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from app.domain.confidence import checked_confidence
from app.domain.library import Answer, Kind, Memory


class LapseKind(StrEnum):
    """Reason that a memory is not valid, the first that applies."""

    EXPIRED = "expired"
    REPLACED = "replaced"
    NOT_YET = "not_yet"


@dataclass(frozen=True, slots=True)
class Lapse:
    """Reason and cause of invalidity: `by` is a time, or the name of the replacing memory."""

    kind: LapseKind
    by: str

    @property
    def words(self) -> str:
        """Reason, to follow "it is"."""
        moment = self.by.removesuffix(" 00:00:00")
        if self.kind is LapseKind.EXPIRED:
            return f"no longer valid since {moment}"
        return f"replaced by {self.by}" if self.kind is LapseKind.REPLACED else f"not valid before {moment}"


def own_lapse(memory: Memory, now: str) -> Lapse | None:
    """Return why the memory's own period excludes the time `now` (UTC text); None if valid."""
    if memory.valid_to and memory.valid_to <= now:
        return Lapse(LapseKind.EXPIRED, memory.valid_to)
    return Lapse(LapseKind.NOT_YET, memory.valid_from) if memory.valid_from > now else None


def has_begun(memory: Memory, now: str) -> bool:
    """Return whether the memory's period has begun, and so its replacements apply."""
    return memory.valid_from <= now


Breakdown = Mapping[str, float | None]
"""Score in [0, 1] of each scorer by name, in the order of SCORERS (S2.9); None: absent."""


class Band(StrEnum):
    """Quality of a memory's match (S2.13)."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    FALLBACK = "fallback"


class Tier(StrEnum):
    """Quality of a power's match, and status of a resolution (S5.1)."""

    ACTIVATED = "activated"
    MULTIPLE_MATCHES = "multiple_matches"
    WEAK_MATCHES = "weak_matches"
    NOT_FOUND = "not_found"


BAND_WORDS: dict[Band, str] = dict(zip(Band, ("High", "Medium", "Low", "Below threshold"), strict=True))

TIER_WORDS: dict[Tier, str] = dict(
    zip(Tier, ("Would be activated", "Offered", "Weak match", "Not offered"), strict=True)
)


@dataclass(frozen=True, slots=True)
class Operand:
    """Named number in a step; `weight` where the step weighs it."""

    name: str
    value: float
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Arithmetic step: `operation` (in app.scoring.arithmetic) on `operands` gives `result`."""

    name: str
    operation: str
    operands: tuple[Operand, ...]
    result: float


@dataclass(frozen=True, slots=True)
class TriggerScores:
    """Trigger of an answer, with the scores computed per trigger."""

    text: str
    scores: Breakdown


@dataclass(frozen=True, slots=True)
class MatchedKeyword:
    """Declared keyword found in the query; `holders` counts its powers, None for a name (S2.7)."""

    keyword: str
    holders: int | None


class MatchExplanation(Protocol):
    """Explanation of a match, possibly computed on first access, in any thread.

    `steps` are the arithmetic of the confidence; `best_trigger` maps each scorer to its best trigger (a keyword for
    `keyword`, None for a centroid); `keywords` are the power's keywords in the query, best first.
    `contributions_over` returns each scorer's contribution over a rival's scores, in log-odds, largest first.
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
    """Explanation that is already computed."""

    steps: tuple[Step, ...] = ()
    best_trigger: Mapping[str, str | None] = field(default_factory=dict)
    triggers: tuple[TriggerScores, ...] = ()
    keywords: tuple[MatchedKeyword, ...] = ()

    def contributions_over(self, rival: Breakdown) -> tuple[Operand, ...]:
        return ()


NO_EXPLANATION = EagerExplanation()


LEAST_PART = 0.05
"""Minimum chance of a memory that is found because its label is."""


def compared_chance(confidence: float, label_chance: float | None) -> float:
    """Return the chance compared with thresholds: the label's, if a memory has a part in it.

    Memories that compete may each be less likely.
    """
    return confidence if label_chance is None or confidence < LEAST_PART else label_chance


@dataclass(frozen=True, slots=True)
class Match:
    """Candidate with its scores and confidence.

    `winners` are the scorers that contribute most, `trigger` is the one to show, `account` the explanation; `lead`
    is the distance to the next match, None for the last. `label_size` is the number of triggers in the centroid.
    `others` counts the other memories of its label that it represents, None if each memory is an answer.
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
    """Own threshold of the label, where labels have one; below it the match is not found."""
    lapse: Lapse | None = None
    """Why the memory is not valid now, so that it is no answer at any confidence."""
    label_chance: float | None = None
    """Chance of a memory's label if confidences are shares; decides if the memory is found."""
    label_log_odds: float = 0.0
    """Change of the logarithm of its chance by the other memories of its label."""

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)

    @property
    def kind(self) -> Kind:
        return self.answer.kind

    @property
    def compared(self) -> float:
        """Chance that is compared with the threshold."""
        return compared_chance(self.confidence, self.label_chance)

    @property
    def is_found(self) -> bool:
        """True if the match is valid and above the threshold."""
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


# ---- The typed query, and the part of it that is scored.


SCORED_CHARACTERS = 2_000
"""Maximum number of leading code points that are scored; a note reports longer queries."""


@dataclass(frozen=True, slots=True)
class Query:
    """Typed text, the part that is scored, and notes on what was left out."""

    text: str
    scored: str
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Query:
        """Make a query of any text: replace lone surrogates, and cut long text to the scored length."""
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
    """Replace each lone surrogate, which no encoder or store accepts, by U+FFFD; same length."""
    if text.isascii():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in text)


HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Invisible characters that would make two equal names differ.

Joiners between letters of other scripts belong to the text and are not among them.
"""


def without_hidden(text: str) -> str:
    """Return a label or name without invisible characters and blanks around it."""
    return HIDDEN.sub("", text).strip()
