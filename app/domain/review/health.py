"""What may be the matter with a library: findings, how grave each is, how it is known, and which things it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Gravity(StrEnum):
    """How much a finding matters, the gravest first."""

    FAULT = "fault"
    """Something that is taught or set cannot work as it is."""
    WARNING = "warning"
    """It works, and most likely not as it was meant."""
    NOTE = "note"
    """Worth knowing; it may be just so on purpose."""


class KnownBy(StrEnum):
    """From what a finding is known, the surest first."""

    FORMULA = "formula"
    """From the ranges of the formulas and the settings: no input can show otherwise."""
    LIBRARY = "library"
    """From all that is taught, looked at one by one."""
    HISTORY = "history"
    """From what was asked so far: another query may show otherwise."""


class Area(StrEnum):
    """What a finding is about."""

    REACH = "reach"
    RULES = "rules"
    FLAT = "flat"
    MEMORIES = "memories"
    VECTORS = "vectors"
    POWERS = "powers"


class Sign(StrEnum):
    """What was found."""

    TIER_DEAD = "tier_dead"
    BAND_DEAD = "band_dead"
    ROW_DEAD = "row_dead"
    NOTHING_SURFACES = "nothing_surfaces"
    CASCADE_STEP_DEAD = "cascade_step_dead"
    TYPE_MUTE = "type_mute"
    ROUTE_UNSURE = "route_unsure"
    RULE_BROKEN = "rule_broken"
    RULE_SHADOWED = "rule_shadowed"
    RULE_DUPLICATE = "rule_duplicate"
    RULE_NEVER = "rule_never"
    RULE_BROAD = "rule_broad"
    RULE_SILENT = "rule_silent"
    TYPE_FLAT = "type_flat"
    CONFIDENCE_FLAT = "confidence_flat"
    ANSWER_FLAT = "answer_flat"
    ROUTE_FLAT = "route_flat"
    LLM_NEVER = "llm_never"
    ENCODER_ABSENT = "encoder_absent"
    TRIGGER_TAKEN = "trigger_taken"
    MEMORY_HIDDEN = "memory_hidden"
    MEMORY_BELOW = "memory_below"
    MEANING_ELSEWHERE = "meaning_elsewhere"
    PASSED_OVER = "passed_over"
    NEVER_SURFACED = "never_surfaced"
    MEMORY_PAUSED = "memory_paused"
    BELOW_MIN_SCORE = "below_min_score"
    LABEL_THIN = "label_thin"
    VECTOR_MISSING = "vector_missing"
    VECTOR_FOREIGN = "vector_foreign"
    ROUTES_UNLEARNED = "routes_unlearned"
    KEYWORD_CROWDED = "keyword_crowded"
    POWER_UNAPPROVED = "power_unapproved"
    POWER_FAILED = "power_failed"


@dataclass(frozen=True, slots=True)
class Nature:
    """What holds of every finding of a sign."""

    area: Area
    gravity: Gravity
    known_by: KnownBy


_FAULT, _WARNING, _NOTE = Gravity.FAULT, Gravity.WARNING, Gravity.NOTE
_FORMULA, _LIBRARY, _HISTORY = KnownBy.FORMULA, KnownBy.LIBRARY, KnownBy.HISTORY

NATURES: Mapping[Sign, Nature] = {
    Sign.TIER_DEAD: Nature(Area.REACH, _WARNING, _FORMULA),
    Sign.BAND_DEAD: Nature(Area.REACH, _WARNING, _FORMULA),
    Sign.ROW_DEAD: Nature(Area.REACH, _NOTE, _FORMULA),
    Sign.NOTHING_SURFACES: Nature(Area.REACH, _FAULT, _FORMULA),
    Sign.CASCADE_STEP_DEAD: Nature(Area.REACH, _WARNING, _FORMULA),
    Sign.TYPE_MUTE: Nature(Area.REACH, _WARNING, _FORMULA),
    Sign.ROUTE_UNSURE: Nature(Area.REACH, _NOTE, _FORMULA),
    Sign.RULE_BROKEN: Nature(Area.RULES, _FAULT, _LIBRARY),
    Sign.RULE_SHADOWED: Nature(Area.RULES, _WARNING, _LIBRARY),
    Sign.RULE_DUPLICATE: Nature(Area.RULES, _NOTE, _LIBRARY),
    Sign.RULE_BROAD: Nature(Area.RULES, _WARNING, _LIBRARY),
    Sign.RULE_NEVER: Nature(Area.RULES, _NOTE, _LIBRARY),
    Sign.RULE_SILENT: Nature(Area.RULES, _NOTE, _HISTORY),
    Sign.TYPE_FLAT: Nature(Area.FLAT, _WARNING, _HISTORY),
    Sign.CONFIDENCE_FLAT: Nature(Area.FLAT, _WARNING, _HISTORY),
    Sign.ANSWER_FLAT: Nature(Area.FLAT, _WARNING, _HISTORY),
    Sign.ROUTE_FLAT: Nature(Area.FLAT, _WARNING, _HISTORY),
    Sign.LLM_NEVER: Nature(Area.FLAT, _WARNING, _HISTORY),
    Sign.ENCODER_ABSENT: Nature(Area.FLAT, _FAULT, _LIBRARY),
    Sign.TRIGGER_TAKEN: Nature(Area.MEMORIES, _FAULT, _LIBRARY),
    Sign.MEMORY_BELOW: Nature(Area.MEMORIES, _FAULT, _FORMULA),
    Sign.MEANING_ELSEWHERE: Nature(Area.MEMORIES, _WARNING, _LIBRARY),
    Sign.PASSED_OVER: Nature(Area.MEMORIES, _NOTE, _HISTORY),
    Sign.NEVER_SURFACED: Nature(Area.MEMORIES, _NOTE, _HISTORY),
    Sign.MEMORY_HIDDEN: Nature(Area.MEMORIES, _NOTE, _LIBRARY),
    Sign.BELOW_MIN_SCORE: Nature(Area.MEMORIES, _WARNING, _LIBRARY),
    Sign.MEMORY_PAUSED: Nature(Area.MEMORIES, _NOTE, _LIBRARY),
    Sign.LABEL_THIN: Nature(Area.MEMORIES, _NOTE, _LIBRARY),
    Sign.VECTOR_MISSING: Nature(Area.VECTORS, _FAULT, _LIBRARY),
    Sign.VECTOR_FOREIGN: Nature(Area.VECTORS, _NOTE, _LIBRARY),
    Sign.ROUTES_UNLEARNED: Nature(Area.VECTORS, _WARNING, _LIBRARY),
    Sign.KEYWORD_CROWDED: Nature(Area.POWERS, _WARNING, _FORMULA),
    Sign.POWER_UNAPPROVED: Nature(Area.POWERS, _NOTE, _LIBRARY),
    Sign.POWER_FAILED: Nature(Area.POWERS, _WARNING, _HISTORY),
}
"""Every sign, in the order in which findings of one gravity are told."""


Figures = Mapping[str, float | str]
"""What a sentence tells in numbers and names, by the name of its place there."""


@dataclass(frozen=True, slots=True)
class Concerned:
    """One thing that a finding is about.

    `kind` is "memory", "power", "rule", "label", "keyword" or "", and `key` what it is known by there; `about` is the
    text that shows it, such as a trigger, `rival` what takes its place, and `value` a number that says how far.
    """

    name: str
    about: str = ""
    rival: str = ""
    value: float | None = None
    kind: str = ""
    key: int | str | None = None
    effect: tuple[int, int, int] | None = None
    """What the remedy does: how many labelled cases it fixes and breaks, and how many texts it answers otherwise."""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One thing that may be the matter: its sign, the `figures` of its sentence by name, and what it is about.

    `gravity` is that of its sign where it is None.
    """

    sign: Sign
    figures: Figures = field(default_factory=dict)
    concerned: Sequence[Concerned] = ()
    own_gravity: Gravity | None = None

    @property
    def gravity(self) -> Gravity:
        return NATURES[self.sign].gravity if self.own_gravity is None else self.own_gravity

    @property
    def area(self) -> Area:
        return NATURES[self.sign].area

    @property
    def known_by(self) -> KnownBy:
        return NATURES[self.sign].known_by


@dataclass(frozen=True, slots=True)
class Looked:
    """How much was looked at: enabled memories with their triggers, enabled powers, rules, and past queries.

    `by_meaning` says how many triggers were asked by meaning, each against all others.
    """

    memories: int = 0
    triggers: int = 0
    powers: int = 0
    rules: int = 0
    past: int = 0
    by_meaning: int = 0
    texts: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Health:
    """Everything that was found, the gravest first, and what was looked at."""

    findings: tuple[HealthFinding, ...] = ()
    looked: Looked = Looked()

    @property
    def has_fault(self) -> bool:
        return any(finding.gravity is Gravity.FAULT for finding in self.findings)


def in_order(findings: Sequence[HealthFinding]) -> tuple[HealthFinding, ...]:
    """The gravest first; of those alike, in the order of NATURES, and then the one that concerns more."""
    gravities, signs = list(Gravity), list(NATURES)
    return tuple(
        sorted(findings, key=lambda one: (gravities.index(one.gravity), signs.index(one.sign), -len(one.concerned)))
    )
