"""Health findings of a library, and duplicate triggers with the answers that hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import permutations
from typing import Protocol, TypeVar

from app.domain.confidence import checked_confidence
from app.domain.library import Answer


class Severity(StrEnum):
    """Severity of a finding, most severe first."""

    FAULT = "fault"
    """An item or setting cannot work."""
    WARNING = "warning"
    """It works, but probably not as intended."""
    NOTE = "note"
    """Worth knowing; it may be intended."""


class Basis(StrEnum):
    """Evidence for a finding, most certain first."""

    FORMULA = "formula"
    """The ranges of formulas and settings; true for every input."""
    LIBRARY = "library"
    """The memories, powers and rules themselves, each of them checked."""
    CASES = "cases"
    """The labelled cases, answered under the settings in force."""
    HISTORY = "history"
    """Past queries; other queries may show otherwise."""


class Area(StrEnum):
    """Part of the program that a finding concerns."""

    DUPLICATES = "duplicates"
    CONFUSED = "confused"
    REACH = "reach"
    RULES = "rules"
    FLAT = "flat"
    MEMORIES = "memories"
    VECTORS = "vectors"
    POWERS = "powers"


class FindingKind(StrEnum):
    """Kinds of findings; FINDING_TRAITS holds their traits."""

    CONFUSED = "confused"
    NOT_DELIVERED = "not_delivered"
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
    MEMORY_LAPSED = "memory_lapsed"
    CONTRADICTION = "contradiction"
    LABEL_THIN = "label_thin"
    VECTOR_MISSING = "vector_missing"
    VECTOR_FOREIGN = "vector_foreign"
    ROUTES_UNLEARNED = "routes_unlearned"
    KEYWORD_CROWDED = "keyword_crowded"
    POWER_NAME_ONLY = "power_name_only"
    POWER_UNAPPROVED = "power_unapproved"
    POWER_FAILED = "power_failed"


@dataclass(frozen=True, slots=True)
class FindingTraits:
    """Traits shared by all findings of one kind."""

    area: Area
    severity: Severity
    basis: Basis


_FAULT, _WARNING, _NOTE = Severity.FAULT, Severity.WARNING, Severity.NOTE
_FORMULA, _LIBRARY, _HISTORY = Basis.FORMULA, Basis.LIBRARY, Basis.HISTORY

FINDING_TRAITS: Mapping[FindingKind, FindingTraits] = {
    FindingKind.CONFUSED: FindingTraits(Area.CONFUSED, _WARNING, Basis.CASES),
    FindingKind.NOT_DELIVERED: FindingTraits(Area.REACH, _WARNING, Basis.CASES),
    FindingKind.TIER_DEAD: FindingTraits(Area.REACH, _WARNING, _FORMULA),
    FindingKind.BAND_DEAD: FindingTraits(Area.REACH, _WARNING, _FORMULA),
    FindingKind.ROW_DEAD: FindingTraits(Area.REACH, _NOTE, _FORMULA),
    FindingKind.NOTHING_SURFACES: FindingTraits(Area.REACH, _FAULT, _FORMULA),
    FindingKind.CASCADE_STEP_DEAD: FindingTraits(Area.REACH, _WARNING, _FORMULA),
    FindingKind.TYPE_MUTE: FindingTraits(Area.REACH, _WARNING, _FORMULA),
    FindingKind.ROUTE_UNSURE: FindingTraits(Area.REACH, _NOTE, _FORMULA),
    FindingKind.RULE_BROKEN: FindingTraits(Area.RULES, _FAULT, _LIBRARY),
    FindingKind.RULE_SHADOWED: FindingTraits(Area.RULES, _WARNING, _LIBRARY),
    FindingKind.RULE_DUPLICATE: FindingTraits(Area.RULES, _NOTE, _LIBRARY),
    FindingKind.RULE_BROAD: FindingTraits(Area.RULES, _WARNING, _LIBRARY),
    FindingKind.RULE_NEVER: FindingTraits(Area.RULES, _NOTE, _LIBRARY),
    FindingKind.RULE_SILENT: FindingTraits(Area.RULES, _NOTE, _HISTORY),
    FindingKind.TYPE_FLAT: FindingTraits(Area.FLAT, _WARNING, _HISTORY),
    FindingKind.CONFIDENCE_FLAT: FindingTraits(Area.FLAT, _WARNING, _HISTORY),
    FindingKind.ANSWER_FLAT: FindingTraits(Area.FLAT, _WARNING, _HISTORY),
    FindingKind.ROUTE_FLAT: FindingTraits(Area.FLAT, _WARNING, _HISTORY),
    FindingKind.LLM_NEVER: FindingTraits(Area.FLAT, _WARNING, _HISTORY),
    FindingKind.ENCODER_ABSENT: FindingTraits(Area.FLAT, _FAULT, _LIBRARY),
    FindingKind.TRIGGER_TAKEN: FindingTraits(Area.MEMORIES, _FAULT, _LIBRARY),
    FindingKind.MEMORY_BELOW: FindingTraits(Area.MEMORIES, _FAULT, _FORMULA),
    FindingKind.MEANING_ELSEWHERE: FindingTraits(Area.MEMORIES, _WARNING, _LIBRARY),
    FindingKind.PASSED_OVER: FindingTraits(Area.MEMORIES, _NOTE, _HISTORY),
    FindingKind.NEVER_SURFACED: FindingTraits(Area.MEMORIES, _NOTE, _HISTORY),
    FindingKind.MEMORY_HIDDEN: FindingTraits(Area.MEMORIES, _NOTE, _LIBRARY),
    FindingKind.BELOW_MIN_SCORE: FindingTraits(Area.MEMORIES, _WARNING, _LIBRARY),
    FindingKind.MEMORY_PAUSED: FindingTraits(Area.MEMORIES, _NOTE, _LIBRARY),
    FindingKind.CONTRADICTION: FindingTraits(Area.MEMORIES, _WARNING, _LIBRARY),
    FindingKind.MEMORY_LAPSED: FindingTraits(Area.MEMORIES, _NOTE, _LIBRARY),
    FindingKind.LABEL_THIN: FindingTraits(Area.MEMORIES, _NOTE, _LIBRARY),
    FindingKind.VECTOR_MISSING: FindingTraits(Area.VECTORS, _FAULT, _LIBRARY),
    FindingKind.VECTOR_FOREIGN: FindingTraits(Area.VECTORS, _NOTE, _LIBRARY),
    FindingKind.ROUTES_UNLEARNED: FindingTraits(Area.VECTORS, _WARNING, _LIBRARY),
    FindingKind.KEYWORD_CROWDED: FindingTraits(Area.POWERS, _WARNING, _FORMULA),
    FindingKind.POWER_NAME_ONLY: FindingTraits(Area.POWERS, _WARNING, _LIBRARY),
    FindingKind.POWER_UNAPPROVED: FindingTraits(Area.POWERS, _NOTE, _LIBRARY),
    FindingKind.POWER_FAILED: FindingTraits(Area.POWERS, _WARNING, _HISTORY),
}
"""Traits of each kind; findings of equal severity are reported in this order."""


Figures = Mapping[str, float | str]
"""Numbers and names in a finding's sentence, by placeholder."""


@dataclass(frozen=True, slots=True)
class FindingSubject:
    """Item that a finding is about.

    `kind` is "memory", "power", "rule", "label", "case", "keyword" or "", and `key` the identity of the item among
    those. `about` is the text at fault, such as a trigger, `rival` the item that conflicts with it or wins over it,
    and `value` a measured number, such as a similarity.
    """

    name: str
    about: str = ""
    rival: str = ""
    value: float | None = None
    kind: str = ""
    key: int | str | None = None
    effect: tuple[int, int, int] | None = None
    """Effect of the remedy: labelled cases fixed, cases broken, and texts with another answer."""


MOST_NAMES = 20
"""Maximum number of answers with one trigger for which its effect is counted."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Numbers of wrong cases and of recent queries that a finding affects."""

    cases: int = 0
    queries: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Wrong cases by expected and given answer, and recent queries by their first two answers.

    Answers are intents, or names where there is none; None for no answer.
    """

    cases: Mapping[tuple[str | None, str | None], int] = field(default_factory=dict)
    queries: Mapping[tuple[str | None, str | None], int] = field(default_factory=dict)

    def between(self, names: Collection[str]) -> Effect:
        """Count wrong cases between two of these answers, and queries with two of them in front."""
        if not 1 < len(names) <= MOST_NAMES:
            return Effect()
        pairs = list(permutations(names, 2))
        return Effect(*(sum(counted.get(pair, 0) for pair in pairs) for counted in (self.cases, self.queries)))

    def around(self, names: Collection[str]) -> Effect:
        """Count wrong cases that expect one of these answers, and queries with one of them first."""
        return Effect(
            *(sum(n for (first, _), n in counted.items() if first in names) for counted in (self.cases, self.queries))
        )


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """Finding: its kind, the `figures` of its sentence by placeholder, and its subjects.

    `own_severity` replaces the severity of the kind; None keeps it. `is_shipped` if it is about rules or settings as
    they ship.
    """

    kind: FindingKind
    figures: Figures = field(default_factory=dict)
    subjects: Sequence[FindingSubject] = ()
    own_severity: Severity | None = None
    is_shipped: bool = False

    @property
    def severity(self) -> Severity:
        return FINDING_TRAITS[self.kind].severity if self.own_severity is None else self.own_severity

    @property
    def area(self) -> Area:
        return FINDING_TRAITS[self.kind].area

    @property
    def basis(self) -> Basis:
        return FINDING_TRAITS[self.kind].basis

    @property
    def is_general(self) -> bool:
        """True for a fault of the settings or the encoder, which affects every query."""
        return self.severity is Severity.FAULT and not self.subjects

    def effect(self, evidence: Evidence) -> Effect:
        """Return the cases and queries that a finding affects.

        For rules these are the cases on them, for rivals those between them, for others those around them.
        """
        if self.kind is FindingKind.NOT_DELIVERED:
            return Effect(len(self.subjects))
        if self.kind is FindingKind.CONFUSED:
            return evidence.between({str(self.figures["name"]), str(self.figures["rival"])})
        if self.area is Area.RULES:
            return Effect(sum(one.effect[0] for one in self.subjects if one.effect))
        named = {one.name for one in self.subjects if one.kind in ("memory", "label", "power")}
        pairs = {(one.name, one.rival) for one in self.subjects if one.kind == "memory" and one.rival}
        if not pairs or self.kind is FindingKind.MEMORY_LAPSED:
            return evidence.around(named)
        return Effect(
            sum(evidence.cases.get(pair, 0) for pair in pairs),
            sum(evidence.queries.get((rival, name), 0) for name, rival in pairs),
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """Extent of a health check: numbers of enabled memories, triggers, powers, rules, queries.

    `by_meaning` counts the triggers that were compared with all others by vector.
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
    """Result of a health check: findings, most severe first, their basis, and the extent."""

    findings: tuple[HealthFinding, ...] = ()
    coverage: Coverage = Coverage()
    evidence: Evidence = Evidence()

    @property
    def has_fault(self) -> bool:
        return any(finding.severity is Severity.FAULT for finding in self.findings)


class Finding(Protocol):
    """Finding about duplicates, intents or health, for one common list."""

    @property
    def severity(self) -> Severity: ...
    @property
    def area(self) -> Area: ...
    @property
    def is_general(self) -> bool: ...
    @property
    def is_shipped(self) -> bool: ...
    def effect(self, evidence: Evidence) -> Effect: ...


FindingT = TypeVar("FindingT", bound=Finding)


def most_valuable(findings: Iterable[FindingT], evidence: Evidence) -> list[tuple[FindingT, Effect]]:
    """Sort findings by their value to the user, each with its effect.

    Faults of the library itself come first, then faults and warnings, then notes, each by wrong cases, by queries,
    and by severity. Findings about shipped items come last if no case is wrong. The sort is stable.
    """
    severities = {severity: place for place, severity in enumerate(Severity)}

    def value(row: tuple[FindingT, Effect]) -> tuple[float, ...]:
        finding, effect = row
        return (
            finding.is_shipped and not effect.cases,
            not finding.is_general,
            finding.severity is Severity.NOTE,
            -effect.cases,
            -effect.queries,
            severities[finding.severity],
        )

    return sorted(((finding, finding.effect(evidence)) for finding in findings), key=value)


def in_order(findings: Sequence[HealthFinding]) -> tuple[HealthFinding, ...]:
    """Sort findings: most severe first, then by kind, then by number of subjects."""
    severities, kinds = list(Severity), list(FINDING_TRAITS)
    return tuple(
        sorted(findings, key=lambda one: (severities.index(one.severity), kinds.index(one.kind), -len(one.subjects)))
    )


@dataclass(frozen=True, slots=True)
class SimilarityThresholds:
    """Thresholds of near duplicates, by spelling and by meaning, in [0, 1].

    Measured on the 14,972 triggers of 150 labels of CLINC150: 1,546 pairs of one label and 37 of two labels reach
    0.90 by spelling; 3,029 and 8 reach 0.95 by meaning. At 0.85 by meaning there are 30,139 and 321, mostly plain
    paraphrases.
    """

    spelling: float
    meaning: float

    def __post_init__(self) -> None:
        checked_confidence(self.spelling)
        checked_confidence(self.meaning)


class DuplicateKind(StrEnum):
    """Kinds of findings, most urgent first."""

    CONFLICT = "conflict"
    NEAR_CONFLICT = "near_conflict"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"

    @property
    def severity(self) -> Severity:
        return _SEVERITIES[self]

    @property
    def is_near(self) -> bool:
        return self in (DuplicateKind.NEAR_CONFLICT, DuplicateKind.NEAR_DUPLICATE)


_SEVERITIES = dict(zip(DuplicateKind, (Severity.FAULT, Severity.WARNING, Severity.NOTE, Severity.NOTE), strict=True))


@dataclass(frozen=True, slots=True)
class TriggerUse:
    """Trigger of an answer; `meant` is the answer's identity: a label, a response, or a power."""

    answer: Answer
    trigger: str
    meant: str


@dataclass(frozen=True, slots=True)
class DuplicateFinding:
    """Two or more uses of one trigger, or two near duplicates with their scores.

    `meaning` is None where a trigger has no vector. The most used holding comes first.
    """

    likeness: DuplicateKind
    holdings: tuple[TriggerUse, ...]
    spelling: float = 1.0
    meaning: float | None = None

    @property
    def severity(self) -> Severity:
        return self.likeness.severity

    area = Area.DUPLICATES
    is_general = is_shipped = False

    def effect(self, evidence: Evidence) -> Effect:
        """Return the wrong cases and queries between the answers with the trigger.

        There are none if these are one answer.
        """
        return evidence.between({holding.answer.answer_label or holding.answer.name for holding in self.holdings})


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Trigger of another answer that equals or nearly equals the typed text, with its scores."""

    answer: Answer
    trigger: str
    spelling: float
    meaning: float | None
    is_same: bool
