"""Findings as rows, lines and documents: result, effect, affected items, and coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.display import numbers, words
from app.display.library import duplicates
from app.display.review import health_findings
from app.display.words import cut, visible
from app.domain.health import (
    DuplicateFinding,
    FindingEffect,
    FindingSubject,
    Health,
    HealthFinding,
    Severity,
)
from app.domain.language import quantity

LONGEST = 100
"""Maximum printed characters of a text."""

PRINTED = 5
"""Number of affected items of each finding that are printed; JSON has them all."""

TELLING = 1_000
"""Number of affected items that decide which columns are shown."""

EFFECT = ("fixes", "breaks", "changes")
"""Names of an effect's numbers in a document."""


@dataclass(frozen=True, slots=True)
class FindingRow:
    """Finding in the list: severity, title, sentence, and affected failed cases and queries."""

    severity: Severity
    word: str
    title: str
    sentence: str
    cases: str
    queries: str


Ranked = tuple[HealthFinding | DuplicateFinding, FindingEffect]
"""Finding with its effect."""


def is_folded(ranked: Ranked) -> bool:
    """Check if a finding is about rules and settings as shipped, and no case is wrong by it."""
    finding, effect = ranked
    return finding.is_shipped and not effect.cases and finding.severity is not Severity.FAULT


def _word(finding: HealthFinding | DuplicateFinding) -> str:
    if isinstance(finding, DuplicateFinding):
        return duplicates.LIKENESSES[finding.likeness]
    return health_findings.SEVERITIES[finding.severity]


def finding_row(ranked: Ranked) -> FindingRow:
    finding, effect = ranked
    if isinstance(finding, DuplicateFinding):
        said = f"“{finding.holdings[0].trigger}”", duplicates.finding_row(finding).answers
    else:
        said = health_findings.title(finding), health_findings.sentence(finding)
    return FindingRow(finding.severity, _word(finding), visible(said[0]), visible(said[1]), *_touched(effect))


def effect_sentence(effect: FindingEffect) -> str:
    """Format the effect of a finding; "" for none."""
    return f"Touches {' and '.join(filter(None, _touched(effect)))}." if effect != FindingEffect() else ""


def _touched(effect: FindingEffect) -> tuple[str, str]:
    cases = quantity(effect.cases, "failed case") if effect.cases else ""
    return cases, quantity(effect.queries, "recent query", "recent queries") if effect.queries else ""


def counts_line(findings: Sequence[HealthFinding | DuplicateFinding]) -> str:
    """Format the number of findings by their words, most severe first."""
    ordered = sorted(findings, key=lambda finding: list(Severity).index(finding.severity))
    counted = Counter(_word(finding).lower() for finding in ordered)
    return " · ".join(quantity(count, word) for word, count in counted.items())


def scope_line(health: Health, when: str = "") -> str:
    """Format what was checked, and when."""
    coverage = health.coverage
    parts = [
        quantity(coverage.memories, "memory", "memories"),
        quantity(coverage.powers, "power"),
        quantity(coverage.triggers, "text"),
        quantity(coverage.rules, "rule"),
        quantity(coverage.past, "past query", "past queries"),
    ]
    return f"Checked{f' {when}' if when else ''}: {', '.join(parts)}."


def heads(finding: HealthFinding) -> tuple[str, str, str, str]:
    """Return the headings of a finding's columns: name, text, second name, value ("": empty)."""
    subjects = finding.subjects[:TELLING]  # items of a finding are alike, and there may be 100,000
    first = next(iter(subjects), FindingSubject(""))
    name = KINDS.get(first.kind, "What")
    about = ABOUT.get(first.kind, "About") if any(one.about for one in subjects) else ""
    own = health_findings.WORDS[finding.kind]
    rival = own.rival or ("Comes first" if first.kind in ("memory", "label") else "Other rule")
    value = any(one.value is not None for one in subjects)
    has_rival = any(one.rival for one in subjects)
    if any(one.effect is not None for one in subjects):
        rival, has_rival = "Without it", True
    return name, about, rival if has_rival else "", own.value[0] if value else ""


KINDS: Mapping[str, str] = {
    "memory": "Memory",
    "power": "Power",
    "rule": "Rule",
    "label": "Intent",
    "case": "Expected",
    "keyword": "Keyword",
    "type": "Type",
    "route": "Route",
    "encoder": "Encoder",
}

ABOUT: Mapping[str, str] = {
    "memory": "Trigger",
    "label": "Trigger",
    "case": "Case",
    "rule": "Pattern",
    "keyword": "Powers",
    "encoder": "Revision, length",
}


def cells(finding: HealthFinding, one: FindingSubject) -> tuple[str, str, str, str]:
    """Return the cells of one affected item, in the columns of `heads`."""
    name = words.type_word(one.name) if one.kind == "type" else one.name
    beside = one.rival if one.effect is None else effect_words(one.effect)
    value = "" if one.value is None else health_findings.WORDS[finding.kind].value[1](one.value)
    return visible(name), visible(one.about), visible(beside), value


def effect_words(effect: tuple[int, int, int]) -> str:
    """Return the effect of a remedy on the labelled cases."""
    fixes, breaks, changes = (numbers.count(count) for count in effect)
    told = f"fixes {fixes}, breaks {breaks}"
    return f"{told}, {changes} otherwise" if effect[2] else told


# ---- terminal


def health_lines(health: Health) -> list[str]:
    """Return all findings as lines, without control characters of a terminal."""
    ranked = [(finding, finding.effect(health.evidence)) for finding in health.findings]
    listed = [one for one in ranked if not is_folded(one)]
    text = [visible(scope_line(health)), *([] if listed else ["No problems found."])]
    for finding, effect in listed:
        shown = finding_row((finding, effect))
        count = f" ({len(finding.subjects):,})" if finding.subjects else ""
        text += ["", f"{shown.word.upper():9}{shown.title}{count}", f"         {shown.sentence}"]
        text += [f"         {effect_sentence(effect)}"] if effect != FindingEffect() else []
        for one in finding.subjects[:PRINTED]:
            text.append("         - " + " | ".join(cut(cell, LONGEST) for cell in cells(finding, one) if cell))
        if len(finding.subjects) > PRINTED:
            text.append("         - " + f"{len(finding.subjects) - PRINTED:,} more")
        text.append(f"         To do: {health_findings.advice(finding)}")
    text += ["", counts_line([finding for finding, _ in listed])] if listed else []
    if folded := len(ranked) - len(listed):
        text += ["", quantity(folded, "finding") + " about rules and settings as shipped: see --json."]
    return text


def health_document(health: Health) -> dict[str, Any]:
    """Return all findings for JSON: unrounded numbers, every affected item."""
    coverage = health.coverage
    return {
        "fine": not health.has_fault,
        "looked": {name: getattr(coverage, name) for name in coverage.__slots__},
        "findings": [_finding(finding, finding.effect(health.evidence)) for finding in health.findings],
    }


def _finding(finding: HealthFinding, effect: FindingEffect) -> dict[str, Any]:
    remedy = health_findings.remedy(finding)
    return {
        "sign": finding.kind.value,
        "gravity": finding.severity.value,
        "area": finding.area.value,
        "known_by": finding.basis.value,
        "title": health_findings.title(finding),
        "sentence": health_findings.sentence(finding),
        "to_do": health_findings.advice(finding),
        "setting": remedy.place if remedy.page == "settings" else None,
        "figures": dict(finding.figures),
        "cases": effect.cases,
        "queries": effect.queries,
        "shipped": finding.is_shipped,
        "concerned": [
            {"kind": one.kind, "name": one.name, "about": one.about, "rival": one.rival, "value": one.value}
            | ({} if one.effect is None else {"effect": dict(zip(EFFECT, one.effect, strict=True))})
            for one in finding.subjects
        ],
    }
