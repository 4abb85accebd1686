"""Tests of health findings: each kind has a text and an action, with correct figures."""

import csv
import string
from dataclasses import replace
from pathlib import Path
from typing import Any, Never

import pytest

from app.display.review import health, health_findings
from app.display.review.ask_all import ASKED_COLUMNS, QueryRow, rows_csv
from app.display.scope.verdict import Decided, Outcome
from app.domain.health import (
    Area,
    Basis,
    Coverage,
    DuplicateFinding,
    DuplicateKind,
    FindingEvidence,
    FindingKind,
    FindingSubject,
    Health,
    HealthFinding,
    Severity,
    TriggerUse,
    in_order,
    most_valuable,
)
from app.domain.library import Memory
from tests.build import some

GOLDEN = Path(__file__).with_name("health.txt")
"""Text of every finding; write it again with `GOLDEN.write_text(read())`, and review the difference."""
FIGURES: dict[str, float | str] = {
    "name": "activated",
    "why": "too high",
    "least": 0.85,
    "below": 1.0,
    "most": 0.769,
    "next": 1.0,
    "margin": 0.05,
    "threshold": 0.6,
    "tokens": 4_000,
    "texts": 1_955,
    "count": 100,
    "value": "howto",
    "what": "answer",
    "asked": 20,
    "budget": 200,
    "outcome": "timed_out",
    "times": 15,
    "queries": 500,
    "combination": "balanced",
    "labels": 150,
    "vectors": 12,
    "encoder": "minilm",
    "named": 3,
    "sentence": "Something was said.",
    "fixes": 3,
    "others": 1,
    "breaks": 0,
    "rival": "reminder",
    "lost": 2,
    "taken": 1,
}
THINGS = (FindingSubject("alarm", "wake me", "reminder", 0.125, "memory", 3), FindingSubject("b", kind="memory"))


def finding(kind: FindingKind, *, things: tuple[FindingSubject, ...] = THINGS, **figures: Any) -> HealthFinding:
    return HealthFinding(kind, {**FIGURES, **figures}, things)


BETWEEN: dict[str, Any] = {
    "why": "between",
    "name": "weak_matches",
    "least": 0.3,
    "below": 0.5,
    "most": 0.0,
    "next": 0.6,
}
FINDINGS = (
    *map(finding, FindingKind),
    finding(FindingKind.TIER_DEAD, **BETWEEN),
    finding(FindingKind.TIER_DEAD, why="empty", name="not_found", least=0.0),
    finding(FindingKind.TIER_DEAD, why="tied", margin=1.0, most=1.0),
    finding(FindingKind.BAND_DEAD, name="low", why="swallowed", below=0.5, most=0.5),
    finding(FindingKind.ROW_DEAD, name="5", why="swallowed", below=0.5, most=0.6),
    finding(FindingKind.TYPE_FLAT, value=""),
    finding(FindingKind.ANSWER_FLAT, value="x"),
    finding(FindingKind.ANSWER_FLAT, value=""),
    finding(FindingKind.ANSWER_FLAT, what="answer_confidence", value=0.5),
    finding(FindingKind.NOTHING_SURFACES, tokens=0),
    finding(FindingKind.LLM_NEVER, outcome="of a later version"),
    finding(FindingKind.TYPE_MUTE, things=(FindingSubject("howto", kind="type"),)),
    finding(FindingKind.RULE_BROAD, things=(FindingSubject("r", "the|a", "", 0.625, "rule", "r", (3, 1, 0)),)),
    finding(FindingKind.RULE_BROAD, things=(FindingSubject("r", "the|a", "", 0.625, "rule", "r", (0, 2, 5)),)),
    finding(FindingKind.CONFUSED, things=(FindingSubject("a", "a query", "b", 0.57, "case"),)),
    *(
        replace(finding(FindingKind.NOT_DELIVERED, things=things), place=place)
        for place in ("power tiers.high", "")
        for things in ((FindingSubject("a", "a query", why, 0.2, "case"),) for why in ("rejected", "not approved"))
    ),
    *(
        finding(kind, things=(FindingSubject("a", value=1.0, kind="label"),))
        for kind in (FindingKind.LABEL_THIN, FindingKind.MEMORY_PAUSED, FindingKind.PASSED_OVER)
    ),
)


def text_of(one: HealthFinding) -> str:
    remedy, heads = some(health_findings.remedy(one)), health.heads(one)
    about = (health_findings.title(one), health_findings.sentence(one), health_findings.advice(one))
    table = (" | ".join(filter(None, heads)), *(" | ".join(health.cells(one, each)) for each in one.subjects))
    return "\n".join(
        (*about, f"{remedy.word}: {remedy.page} {remedy.place}".rstrip(), *(f"  {row}".rstrip() for row in table))
    )


def read() -> str:
    return "\n\n".join(map(text_of, FINDINGS)) + "\n"


def test_that_every_finding_reads_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize("kind", FindingKind)
def test_that_every_sign_has_a_title_a_sentence_and_one_thing_to_do(kind: FindingKind) -> None:
    for things in (THINGS, THINGS[:1]):
        one = finding(kind, things=things)
        for told in (health_findings.title(one), health_findings.sentence(one), health_findings.advice(one)):
            assert told
            assert not set("{}") & set(told)
        assert health_findings.sentence(one)[0] in string.ascii_uppercase + string.digits + "“"
        assert health_findings.sentence(one).endswith((".", ")"))
        remedy = some(health_findings.remedy(one))
        assert remedy.word
        assert remedy.page


def test_that_every_table_has_a_row_for_each() -> None:
    assert set(health_findings.SEVERITIES) == set(Severity)
    assert set(health_findings.AREAS) == set(Area)
    assert set(health_findings.KNOWN_BY) == set(Basis)


def test_that_the_gravest_comes_first_and_is_printed_so() -> None:
    many = tuple(FindingSubject(f"m {place}", "long " * 40) for place in range(7))
    found = in_order([finding(FindingKind.ROW_DEAD, things=()), finding(FindingKind.TRIGGER_TAKEN, things=many)])
    told = Health(found, Coverage(memories=7, seconds=1.25))
    assert [one.severity for one in found] == [Severity.FAULT, Severity.NOTE]
    assert told.has_fault
    assert health.counts_line(found) == "1 fault · 1 note"
    lines = health.health_lines(told)
    assert lines[0].startswith("Checked: 7 memories, 0 powers")
    assert lines[2].startswith("FAULT    Own words give another answer (7)")
    assert "         - 2 more" in lines
    assert all(len(line) < 300 for line in lines)
    assert health.health_lines(Health())[1] == "No problems found."


@pytest.mark.parametrize("kind", FindingKind)
def test_that_a_note_on_what_is_shipped_is_only_counted(kind: FindingKind) -> None:
    shipped = replace(finding(kind, things=()), is_shipped=True)
    lines = health.health_lines(Health((shipped,)))
    assert ("No problems found." in lines) is ("as shipped" in lines[-1]) is (shipped.severity is not Severity.FAULT)


def test_that_the_document_has_every_thing() -> None:
    document = health.health_document(Health((finding(FindingKind.TIER_DEAD),), Coverage(memories=2)))
    assert document["fine"] is True
    assert document["looked"]["memories"] == 2
    (one,) = document["findings"]
    told = [one[key] for key in ("sign", "gravity", "known_by", "setting")]
    assert told == ["tier_dead", "warning", "formula", "tiers.high"]
    assert one["concerned"][0] == {
        "kind": "memory",
        "name": "alarm",
        "about": "wake me",
        "rival": "reminder",
        "value": 0.125,
    }


def test_that_the_effect_decides_what_comes_first() -> None:
    confused = finding(FindingKind.CONFUSED, things=(), name="a", rival="b", lost=2, taken=1)
    shadow = finding(FindingKind.MEANING_ELSEWHERE, things=(FindingSubject("c", "t", "d", 0.1, "memory", 1),))
    thin = finding(FindingKind.LABEL_THIN, things=(FindingSubject("e", "t", "", 1.0, "label", 1),))
    absent = finding(FindingKind.ENCODER_ABSENT, things=())
    shipped = replace(finding(FindingKind.RULE_NEVER), is_shipped=True)
    conflict = DuplicateFinding(
        DuplicateKind.CONFLICT, tuple(TriggerUse(Memory(("hi",), intent=name), "hi", name) for name in ("a", "x"))
    )
    same = replace(conflict, likeness=DuplicateKind.DUPLICATE, holdings=(conflict.holdings[0],) * 2)
    wrong: dict[tuple[str | None, str | None], int]
    wrong = {("a", "b"): 2, ("b", "a"): 1, ("a", "x"): 1, ("a", None): 4, ("e", "z"): 1}
    evidence = FindingEvidence(wrong, {("d", "c"): 5, ("c", "d"): 9, ("e", None): 7, ("x", "a"): 2})
    found: list[HealthFinding | DuplicateFinding] = [shipped, same, thin, shadow, conflict, confused, absent]
    ranked = most_valuable(found, evidence)
    assert [one for one, _ in ranked] == [absent, confused, conflict, shadow, thin, same, shipped]
    effects = [(effect.cases, effect.queries) for _, effect in ranked]
    assert effects == [(0, 0), (3, 0), (1, 2), (0, 5), (1, 7), (0, 0), (0, 0)]
    row = health.finding_row(ranked[2])
    assert (row.word, row.title, row.cases, row.queries) == ("Conflict", "“hi”", "1 failed case", "2 recent queries")
    assert health.effect_sentence(ranked[2][1]) == "Touches 1 failed case and 2 recent queries."


def test_that_the_heads_of_a_hundred_thousand_things_are_told_by_the_first() -> None:
    class Things(list[FindingSubject]):
        def __iter__(self) -> Never:
            raise AssertionError("the window must not read all of them")

    things = Things([FindingSubject("l", "t", "", 1.0, "label", 1)] * 100_000)
    many = replace(finding(FindingKind.LABEL_THIN), subjects=things)
    assert health.heads(many) == ("Intent", "Trigger", "", "Triggers")


TYPE = Decided("", None, Outcome.NONE, "")
HELD, INJECTED = (Decided("hours", 0.68, outcome, "") for outcome in (Outcome.WITHHELD, Outcome.INJECTED))
OFFERED = Decided("calendar", 0.92, Outcome.MULTIPLE_MATCHES, "")
ACTIVATED = Decided("calendar", 0.92, Outcome.ACTIVATED, "")


@pytest.mark.parametrize(
    ("memory", "power", "delivered", "shares"),
    [
        (INJECTED, OFFERED, "injected", "68 %"),
        (HELD, ACTIVATED, "activated", "92 %"),
        (INJECTED, ACTIVATED, "injected, activated", "68 %, 92 %"),
        (HELD, OFFERED, "nothing", "68 %"),
        (TYPE, OFFERED, "nothing", "92 %"),
    ],
)
def test_that_the_confidence_is_that_of_what_is_delivered(
    memory: Decided, power: Decided, delivered: str, shares: str
) -> None:
    row = QueryRow("a query", TYPE, memory, power)
    shown = {column.key: column.cell(row) for column in ASKED_COLUMNS}
    assert (shown["delivered"], shown["confidence"]) == (delivered, shares)
    (written,) = csv.DictReader(rows_csv([row]).splitlines())
    assert written["delivered"].split() == delivered.split(", ")
    assert [f"{float(share):.0%}".replace("%", " %") for share in written["confidence"].split()] == shares.split(", ")
