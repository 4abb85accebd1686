"""A look at the health in rows: what was found, what it is about, what was looked at; for window and terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers, words
from app.display.review import health_findings
from app.display.visible import visible
from app.domain.language import percents, plural
from app.domain.review.health import Area, FindingKind, FindingSubject, Health, HealthFinding, Severity

LONGEST = 100
"""So many signs of a text are printed."""

PRINTED = 5
"""So many of the things concerned are printed of each finding; JSON has them all."""

TELLING = 1_000
"""So many of the things concerned tell which columns say something."""

EFFECT = ("fixes", "breaks", "changes")
"""What the numbers of an effect are, in a document."""

LEADS = frozenset({FindingKind.TRIGGER_TAKEN, FindingKind.MEMORY_HIDDEN, FindingKind.MEANING_ELSEWHERE})
"""Signs whose values are how far a rival is ahead."""

COUNTS = frozenset(
    {FindingKind.PASSED_OVER, FindingKind.NEVER_SURFACED, FindingKind.LABEL_THIN, FindingKind.VECTOR_FOREIGN}
)
"""Signs whose values are counts."""


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding in the list: how grave, in a word, its title, its sentence, and how many things it is about."""

    severity: Severity
    word: str
    title: str
    sentence: str
    count: str


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of the table of what is concerned; "" for a column that says nothing."""

    name: str
    about: str
    rival: str
    value: str


def finding_row(finding: HealthFinding) -> FindingRow:
    """The finding as a row of the list."""
    count = f"{len(finding.subjects):,}" if finding.subjects else ""
    word = health_findings.SEVERITIES[finding.severity]
    return FindingRow(
        finding.severity, word, health_findings.title(finding), visible(health_findings.sentence(finding)), count
    )


def counts_line(findings: Sequence[HealthFinding]) -> str:
    """How many of each gravity, the gravest first; what there is none of is left out."""
    counted = Counter(finding.severity for finding in findings)
    parts = [
        plural(counted[severity], *health_findings.COUNTED[severity]) for severity in Severity if counted[severity]
    ]
    return " · ".join(parts)


def area_line(area: Area, findings: Sequence[HealthFinding]) -> str:
    """An area as a choice of what is shown, with how much was found there."""
    return f"{health_findings.AREAS[area]}  {sum(finding.area is area for finding in findings):,}"


def scope_line(health: Health) -> str:
    """What was looked at, in a sentence."""
    coverage = health.coverage
    parts = [
        plural(coverage.memories, "1 memory", "{n} memories"),
        plural(coverage.powers, "1 power", "{n} powers"),
        plural(coverage.triggers, "1 text that they are found by", "{n} texts that they are found by"),
        plural(coverage.rules, "1 rule", "{n} rules"),
        plural(coverage.past, "1 past query", "{n} past queries"),
    ]
    sentence = f"Checked: {', '.join(parts)}, and the settings."
    return f"{sentence} It took {coverage.seconds:,.1f} s."


def heads(finding: HealthFinding) -> Heads:
    """What stands above the columns of what a finding is about."""
    subjects = finding.subjects[:TELLING]  # all of a sign are alike, and there may be a hundred thousand
    first = next(iter(subjects), FindingSubject(""))
    name = KINDS.get(first.kind, "What")
    about = ABOUT.get(first.kind, "About") if any(one.about for one in subjects) else ""
    rival = "Comes first" if first.kind in ("memory", "label") else "Other rule"
    rival = RIVALS.get(finding.kind, rival)
    value = any(one.value is not None for one in subjects)
    has_rival = any(one.rival for one in subjects)
    if any(one.effect is not None for one in subjects):
        rival, has_rival = "Without it", True
    return Heads(name, about, rival if has_rival else "", _value_head(finding.kind) if value else "")


RIVALS: Mapping[FindingKind, str] = {
    FindingKind.CONTRADICTION: "Contradicts",
    FindingKind.MEMORY_LAPSED: "Why",
}
"""What stands above the second name of a finding, where that is not what takes its place."""

KINDS: Mapping[str, str] = {
    "memory": "Memory",
    "power": "Power",
    "rule": "Rule",
    "label": "Intent",
    "keyword": "Keyword",
    "type": "Type",
    "route": "Route",
    "encoder": "Encoder",
}

ABOUT: Mapping[str, str] = {
    "memory": "Trigger",
    "label": "Trigger",
    "rule": "Pattern",
    "keyword": "Powers",
    "encoder": "Revision, length",
}


def _value_head(kind: FindingKind) -> str:
    if kind in LEADS:
        return "Ahead by"
    if kind is FindingKind.PASSED_OVER:
        return "Times near"
    if kind is FindingKind.NEVER_SURFACED:
        return "Times first"
    if kind is FindingKind.RULE_BROAD:
        return "Fires on"
    if kind is FindingKind.LABEL_THIN:
        return "Triggers"
    if kind is FindingKind.VECTOR_FOREIGN:
        return "Vectors"
    return "Success" if kind in (FindingKind.MEMORY_PAUSED, FindingKind.BELOW_MIN_SCORE) else "Confidence"


def cells(finding: HealthFinding, one: FindingSubject) -> tuple[str, str, str, str]:
    """One thing that a finding is about, in the columns of `heads`."""
    name = words.type_word(one.name) if one.kind == "type" else one.name
    beside = one.rival if one.effect is None else effect_words(one.effect)
    return visible(name), visible(one.about), visible(beside), _value(finding.kind, one.value)


def effect_words(effect: tuple[int, int, int]) -> str:
    """What a remedy does to the labelled cases."""
    fixes, breaks, changes = (numbers.count(count) for count in effect)
    told = f"fixes {fixes}, breaks {breaks}"
    return f"{told}, {changes} otherwise" if effect[2] else told


def _value(kind: FindingKind, value: float | None) -> str:
    if value is None:
        return ""
    if kind in COUNTS:
        return f"{int(value):,}"
    if kind is FindingKind.RULE_BROAD:
        return percents(value, 0)
    return numbers.signed(value) if kind in LEADS and value else numbers.score(value)


# ---- the terminal


def health_lines(health: Health) -> list[str]:
    """The whole look as lines of text, without what would steer a terminal."""
    text = [visible(scope_line(health))]
    if not health.findings:
        text.append("No problems found.")
    for finding in health.findings:
        shown = finding_row(finding)
        count = f" ({shown.count})" if shown.count else ""
        text += ["", f"{shown.word.upper():9}{shown.title}{count}", f"         {shown.sentence}"]
        for one in finding.subjects[:PRINTED]:
            text.append("         - " + " | ".join(_cut(cell) for cell in cells(finding, one) if cell))
        if len(finding.subjects) > PRINTED:
            text.append("         - " + f"{len(finding.subjects) - PRINTED:,} more")
        text.append(f"         To do: {health_findings.advice(finding)}")
    if health.findings:
        text += ["", counts_line(health.findings)]
    return text


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def health_document(health: Health) -> dict[str, Any]:
    """The whole look for JSON: numbers as they are, every thing concerned."""
    coverage = health.coverage
    return {
        "fine": not health.has_fault,
        "looked": {name: getattr(coverage, name) for name in coverage.__slots__},
        "findings": [_finding(finding) for finding in health.findings],
    }


def _finding(finding: HealthFinding) -> dict[str, Any]:
    remedy = health_findings.remedy(finding)
    return {
        "sign": finding.kind.value,
        "gravity": finding.severity.value,
        "area": finding.area.value,
        "known_by": finding.basis.value,
        "title": health_findings.title(finding),
        "sentence": health_findings.sentence(finding),
        "to_do": health_findings.advice(finding),
        "setting": remedy.place if remedy is not None and remedy.page == "settings" else None,
        "figures": dict(finding.figures),
        "concerned": [
            {"kind": one.kind, "name": one.name, "about": one.about, "rival": one.rival, "value": one.value}
            | ({} if one.effect is None else {"effect": dict(zip(EFFECT, one.effect, strict=True))})
            for one in finding.subjects
        ],
    }
