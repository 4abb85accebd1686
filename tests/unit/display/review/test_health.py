"""Tests of health findings: each kind has a text and an action, with correct figures."""

from __future__ import annotations

import string
from dataclasses import replace
from typing import Any, Never

import pytest

from app.display.review import health, health_findings
from app.domain.library import Memory
from app.domain.review.duplicates import DuplicateFinding, DuplicateKind, TriggerUse
from app.domain.review.health import (
    FINDING_TRAITS,
    Area,
    Basis,
    Coverage,
    Evidence,
    FindingKind,
    FindingSubject,
    Health,
    HealthFinding,
    Severity,
    in_order,
    most_valuable,
)
from tests.build import some

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
    assert set(FINDING_TRAITS) == set(FindingKind)
    assert set(health_findings.SEVERITIES) == set(Severity)
    assert set(health_findings.AREAS) == set(Area)
    assert set(health_findings.KNOWN_BY) == set(Basis)


@pytest.mark.parametrize(
    ("figures", "sentence", "place"),
    [
        ({"why": "too high"}, "It begins at 0.850, and no confidence can exceed 0.769.", "tiers.high"),
        (
            {"why": "between", "name": "weak_matches", "least": 0.3, "below": 0.5, "most": 0.0, "next": 0.6},
            "It lies from 0.300 to 0.500; a confidence is 0 at most, or 0.600 and more.",
            "tiers.weak",
        ),
        (
            {"why": "empty", "name": "not_found", "least": 0.0},
            "It would begin at 0, which is where it ends.",
            "tiers.weak",
        ),
        (
            {"why": "tied", "margin": 1.0, "most": 1.0},
            "No lead can exceed 1.000, and a second power within 1.000 ties with it.",
            "tiers.ambiguity_margin",
        ),
    ],
)
def test_that_a_dead_tier_says_why(figures: dict[str, Any], sentence: str, place: str) -> None:
    one = finding(FindingKind.TIER_DEAD, **figures)
    assert health_findings.sentence(one) == sentence
    remedy = some(health_findings.remedy(one))
    assert (remedy.page, remedy.place) == ("settings", place)


def test_that_a_swallowed_band_leads_to_what_swallows_it() -> None:
    band = finding(FindingKind.BAND_DEAD, name="low", why="swallowed", below=0.5, most=0.5)
    assert health_findings.title(band) == "Band never reached: Low"
    assert health_findings.sentence(band) == "It ends at 0.500, and nothing below 0.500 is found."
    remedy = some(health_findings.remedy(band))
    assert remedy.place == "fallback_threshold"
    row = finding(FindingKind.ROW_DEAD, name="5", why="swallowed", below=0.5, most=0.6)
    assert health_findings.sentence(row) == "It ends at 0.500, and nothing is injected below 0.600."


def test_that_what_stands_still_is_named() -> None:
    assert health_findings.sentence(finding(FindingKind.TYPE_FLAT)) == "The last 100 queries all were How-to."
    assert "none of the last 100" in health_findings.sentence(finding(FindingKind.TYPE_FLAT, value=""))
    assert (
        health_findings.sentence(finding(FindingKind.ANSWER_FLAT, value="x"))
        == "“x” came first in all of the last 100 queries."
    )
    assert (
        health_findings.sentence(finding(FindingKind.ANSWER_FLAT, value=""))
        == "None of the last 100 queries had an answer."
    )
    sure = finding(FindingKind.ANSWER_FLAT, what="answer_confidence", value=0.5)
    assert health_findings.sentence(sure).endswith("all have the confidence 0.500.")
    assert "0 tokens" in health_findings.sentence(finding(FindingKind.NOTHING_SURFACES, tokens=0))


def test_that_rows_count_and_tables_leave_out_what_says_nothing() -> None:
    one = finding(FindingKind.MEANING_ELSEWHERE)
    assert health.heads(one) == health.Heads("Memory", "Trigger", "Comes first", "Ahead by")
    assert health.cells(one, THINGS[0]) == ("alarm", "wake me", "reminder", "+0.125")
    bare = finding(FindingKind.TYPE_MUTE, things=(FindingSubject("howto", kind="type"),))
    assert health.heads(bare) == health.Heads("Type", "", "", "")
    assert health.cells(bare, bare.subjects[0]) == ("How-to", "", "", "")
    broad = finding(FindingKind.RULE_BROAD, things=(FindingSubject("r", "the|a", "", 0.625, "rule", "r", (3, 1, 0)),))
    assert health.heads(broad) == health.Heads("Rule", "Pattern", "Without it", "Fires on")
    assert health.cells(broad, broad.subjects[0]) == ("r", "the|a", "fixes 3, breaks 1", "62 %")
    assert health.effect_words((0, 2, 5)) == "fixes 0, breaks 2, 5 otherwise"
    for kind, cell in (
        (FindingKind.LABEL_THIN, "1"),
        (FindingKind.MEMORY_PAUSED, "1.000"),
        (FindingKind.PASSED_OVER, "1"),
    ):
        counted = finding(kind, things=(FindingSubject("a", value=1.0, kind="label"),))
        assert health.cells(counted, counted.subjects[0])[3] == cell
        assert health.heads(counted).value


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


def test_that_the_document_has_every_thing() -> None:
    document = health.health_document(Health((finding(FindingKind.TIER_DEAD),), Coverage(memories=2)))
    assert document["fine"] is True
    assert document["looked"]["memories"] == 2
    (one,) = document["findings"]
    assert (one["sign"], one["gravity"], one["known_by"], one["setting"]) == (
        "tier_dead",
        "warning",
        "formula",
        "tiers.high",
    )
    assert one["concerned"][0] == {
        "kind": "memory",
        "name": "alarm",
        "about": "wake me",
        "rival": "reminder",
        "value": 0.125,
    }


def test_that_the_confidence_of_a_confused_case_is_a_percentage() -> None:
    one = FindingSubject("a", "a query", "b", 0.57, "case")
    assert health.cells(finding(FindingKind.CONFUSED, things=(one,)), one)[-1] == "57 %"


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
    cases: dict[tuple[str | None, str | None], int] = {
        ("a", "b"): 2,
        ("b", "a"): 1,
        ("a", "x"): 1,
        ("a", None): 4,
        ("e", "z"): 1,
    }
    evidence = Evidence(cases, {("d", "c"): 5, ("c", "d"): 9, ("e", None): 7, ("x", "a"): 2})
    found: list[HealthFinding | DuplicateFinding] = [shipped, same, thin, shadow, conflict, confused, absent]
    ranked = most_valuable(found, evidence)
    assert [one for one, _ in ranked] == [absent, confused, conflict, thin, shadow, same, shipped]
    effects = [(effect.cases, effect.queries) for _, effect in ranked]
    assert effects == [(0, 0), (3, 0), (1, 2), (1, 7), (0, 5), (0, 0), (0, 0)]
    row = health.finding_row(ranked[2])
    assert (row.word, row.title, row.cases, row.queries) == ("Conflict", "“hi”", "1 wrong case", "2 recent queries")
    assert health.effect_sentence(ranked[2][1]) == "Touches 1 wrong case and 2 recent queries."


def test_that_an_outcome_is_told_in_words() -> None:
    assert "mostly: timed out, 15 times" in health_findings.sentence(finding(FindingKind.LLM_NEVER))
    later = finding(FindingKind.LLM_NEVER, outcome="of a later version")
    assert "mostly: of a later version, 15 times" in health_findings.sentence(later)


def test_that_the_heads_of_a_hundred_thousand_things_are_told_by_the_first() -> None:
    class Things(list[FindingSubject]):
        def __iter__(self) -> Never:
            raise AssertionError("nobody goes through all of them in the window")

    things = Things([FindingSubject("l", "t", "", 1.0, "label", 1)] * 100_000)
    many = replace(finding(FindingKind.LABEL_THIN), subjects=things)
    told = health.heads(many)
    assert (told.name, told.about, told.rival, told.value) == ("Intent", "Trigger", "", "Triggers")
