"""Health findings of a library, and duplicate triggers with the answers that hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import permutations
from typing import Protocol, Self, TypeVar

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


_FAULT, _WARNING, _NOTE = Severity.FAULT, Severity.WARNING, Severity.NOTE
_FORMULA, _LIBRARY, _HISTORY = Basis.FORMULA, Basis.LIBRARY, Basis.HISTORY


class FindingKind(StrEnum):
    """Kinds of findings, each with its traits; findings of equal severity are reported in this order."""

    area: Area
    severity: Severity
    basis: Basis

    def __new__(cls, value: str, area: Area, severity: Severity, basis: Basis) -> Self:
        kind = str.__new__(cls, value)
        kind._value_, kind.area, kind.severity, kind.basis = value, area, severity, basis
        return kind

    CONFUSED = "confused", Area.CONFUSED, _WARNING, Basis.CASES
    NOT_DELIVERED = "not_delivered", Area.REACH, _WARNING, Basis.CASES
    TIER_DEAD = "tier_dead", Area.REACH, _WARNING, _FORMULA
    BAND_DEAD = "band_dead", Area.REACH, _WARNING, _FORMULA
    ROW_DEAD = "row_dead", Area.REACH, _NOTE, _FORMULA
    NOTHING_SURFACES = "nothing_surfaces", Area.REACH, _FAULT, _FORMULA
    CASCADE_STEP_DEAD = "cascade_step_dead", Area.REACH, _WARNING, _FORMULA
    TYPE_MUTE = "type_mute", Area.REACH, _WARNING, _FORMULA
    ROUTE_UNSURE = "route_unsure", Area.REACH, _NOTE, _FORMULA
    RULE_BROKEN = "rule_broken", Area.RULES, _FAULT, _LIBRARY
    RULE_SHADOWED = "rule_shadowed", Area.RULES, _WARNING, _LIBRARY
    RULE_DUPLICATE = "rule_duplicate", Area.RULES, _NOTE, _LIBRARY
    RULE_BROAD = "rule_broad", Area.RULES, _WARNING, _LIBRARY
    RULE_NEVER = "rule_never", Area.RULES, _NOTE, _LIBRARY
    RULE_SILENT = "rule_silent", Area.RULES, _NOTE, _HISTORY
    TYPE_FLAT = "type_flat", Area.FLAT, _WARNING, _HISTORY
    CONFIDENCE_FLAT = "confidence_flat", Area.FLAT, _WARNING, _HISTORY
    ANSWER_FLAT = "answer_flat", Area.FLAT, _WARNING, _HISTORY
    ROUTE_FLAT = "route_flat", Area.FLAT, _WARNING, _HISTORY
    LLM_NEVER = "llm_never", Area.FLAT, _WARNING, _HISTORY
    ENCODER_ABSENT = "encoder_absent", Area.FLAT, _FAULT, _LIBRARY
    TRIGGER_TAKEN = "trigger_taken", Area.MEMORIES, _FAULT, _LIBRARY
    MEMORY_BELOW = "memory_below", Area.MEMORIES, _FAULT, _FORMULA
    MEANING_ELSEWHERE = "meaning_elsewhere", Area.MEMORIES, _WARNING, _LIBRARY
    PASSED_OVER = "passed_over", Area.MEMORIES, _NOTE, _HISTORY
    NEVER_SURFACED = "never_surfaced", Area.MEMORIES, _NOTE, _HISTORY
    MEMORY_HIDDEN = "memory_hidden", Area.MEMORIES, _NOTE, _LIBRARY
    BELOW_MIN_SCORE = "below_min_score", Area.MEMORIES, _WARNING, _LIBRARY
    MEMORY_PAUSED = "memory_paused", Area.MEMORIES, _NOTE, _LIBRARY
    CONTRADICTION = "contradiction", Area.MEMORIES, _WARNING, _LIBRARY
    MEMORY_LAPSED = "memory_lapsed", Area.MEMORIES, _NOTE, _LIBRARY
    LABEL_THIN = "label_thin", Area.MEMORIES, _NOTE, _LIBRARY
    VECTOR_MISSING = "vector_missing", Area.VECTORS, _FAULT, _LIBRARY
    VECTOR_FOREIGN = "vector_foreign", Area.VECTORS, _NOTE, _LIBRARY
    ROUTES_UNLEARNED = "routes_unlearned", Area.VECTORS, _WARNING, _LIBRARY
    KEYWORD_CROWDED = "keyword_crowded", Area.POWERS, _WARNING, _FORMULA
    POWER_NAME_ONLY = "power_name_only", Area.POWERS, _WARNING, _LIBRARY
    POWER_UNAPPROVED = "power_unapproved", Area.POWERS, _NOTE, _LIBRARY
    POWER_FAILED = "power_failed", Area.POWERS, _WARNING, _HISTORY


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
class FindingEffect:
    """Numbers of failed cases and of recent queries that a finding affects."""

    cases: int = 0
    queries: int = 0


@dataclass(frozen=True, slots=True)
class FindingEvidence:
    """Wrong cases by expected and given answer, and recent queries by their first two answers.

    Answers are intents, or names where there is none; None for no answer.
    """

    cases: Mapping[tuple[str | None, str | None], int] = field(default_factory=dict)
    queries: Mapping[tuple[str | None, str | None], int] = field(default_factory=dict)

    def between(self, names: Collection[str]) -> FindingEffect:
        """Count failed cases between two of these answers, and queries with two of them in front."""
        if not 1 < len(names) <= MOST_NAMES:
            return FindingEffect()
        pairs = list(permutations(names, 2))
        return FindingEffect(*(sum(counted.get(pair, 0) for pair in pairs) for counted in (self.cases, self.queries)))

    def around(self, names: Collection[str]) -> FindingEffect:
        """Count failed cases that expect one of these answers, and queries with one of them first."""
        return FindingEffect(
            *(sum(n for (first, _), n in counted.items() if first in names) for counted in (self.cases, self.queries))
        )


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """Finding: its kind, the `figures` of its sentence by placeholder, and its subjects.

    `own_severity` replaces the severity of the kind; None keeps it. `is_shipped` if it is about rules or settings as
    they ship. `place` is that of its remedy on a page, "" for that of the kind.
    """

    kind: FindingKind
    figures: Figures = field(default_factory=dict)
    subjects: Sequence[FindingSubject] = ()
    own_severity: Severity | None = None
    is_shipped: bool = False
    place: str = ""

    @property
    def severity(self) -> Severity:
        return self.kind.severity if self.own_severity is None else self.own_severity

    @property
    def area(self) -> Area:
        return self.kind.area

    @property
    def basis(self) -> Basis:
        return self.kind.basis

    @property
    def is_general(self) -> bool:
        """True for a fault of the settings or the encoder, which affects every query."""
        return self.severity is Severity.FAULT and not self.subjects

    def effect(self, evidence: FindingEvidence) -> FindingEffect:
        """Return the cases and queries that a finding affects.

        For rules these are the cases on them, for rivals those between them, for others those around them.
        """
        if self.kind is FindingKind.NOT_DELIVERED:
            return FindingEffect(len(self.subjects))
        if self.kind is FindingKind.CONFUSED:
            return evidence.between({str(self.figures["name"]), str(self.figures["rival"])})
        if self.area is Area.RULES:
            return FindingEffect(sum(one.effect[0] for one in self.subjects if one.effect))
        named = {one.name for one in self.subjects if one.kind in ("memory", "label", "power")}
        pairs = {(one.name, one.rival) for one in self.subjects if one.kind == "memory" and one.rival}
        if not pairs or self.kind is FindingKind.MEMORY_LAPSED:
            return evidence.around(named)
        return FindingEffect(
            sum(evidence.cases.get(pair, 0) for pair in pairs),
            sum(evidence.queries.get((rival, name), 0) for name, rival in pairs),
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """Extent of a health check: numbers of enabled memories, triggers, powers, rules, queries."""

    memories: int = 0
    triggers: int = 0
    powers: int = 0
    rules: int = 0
    past: int = 0
    texts: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Health:
    """Result of a health check: findings, most severe first, their basis, and the extent."""

    findings: tuple[HealthFinding, ...] = ()
    coverage: Coverage = Coverage()
    evidence: FindingEvidence = FindingEvidence()

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
    def effect(self, evidence: FindingEvidence) -> FindingEffect: ...


FindingT = TypeVar("FindingT", bound=Finding)


def most_valuable(findings: Iterable[FindingT], evidence: FindingEvidence) -> list[tuple[FindingT, FindingEffect]]:
    """Sort findings by their value to the user, each with its effect.

    Faults of the library itself come first, then faults and warnings, then notes, each by failed cases, by queries,
    and by severity. Findings about shipped items come last if no case is wrong. The sort is stable.
    """
    severities = {severity: place for place, severity in enumerate(Severity)}

    def value(row: tuple[FindingT, FindingEffect]) -> tuple[float, ...]:
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
    severities, kinds = list(Severity), list(FindingKind)
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

    def effect(self, evidence: FindingEvidence) -> FindingEffect:
        """Return the failed cases and queries between the answers with the trigger.

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
