"""Tests of rules in words: drafts, faults, rows, hints, plans and trials."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.detect.patterns import explain
from app.detect.rule_trial import RuleEffect, RuleHint, RuleIssue, RuleOutcome, Subject
from app.display.library.rules import (
    RULE_COLUMNS,
    RuleDraft,
    RuleRow,
    case_line,
    copy_of,
    counted_in,
    deciding_rule,
    decision_sentence,
    fault_sentence,
    filtered_rows,
    match_counts,
    merged,
    new_draft,
    pack_rows,
    plan_lines,
    readable,
    rule_facets,
    rule_rows,
    sample_line,
    trial_limits,
    unlisted_cases,
    verdict,
)
from app.domain.inspection import Detection, Inspection, Phase, Trace, TypeEvidence
from app.domain.intent import DetectionSource, IntentType, Rule, RuleHit, RulePurpose, SearchIntent
from app.domain.match import Query
from app.services.library.rules import (
    PackPlan,
    RuleAttempt,
    RuleChange,
    RuleCounts,
    RuleSample,
    RuleSurvey,
    RuleTrialResult,
)
from tests.build import some
from tests.golden import written

A = Rule("mine.a", "howto", "rotate", "mine", 0, 1.25, key=1, version=3)
B = Rule("subcog.b", "docs", r"turn\s+round", "subcog", 0, confidence=0.8, unless="not", purpose=RulePurpose.ROUTE)
SURVEY = RuleSurvey(
    200,
    12,
    {"mine.a": RuleCounts(25, 2, 0), "subcog.b": RuleCounts(0, 0, 0)},
    {"subcog.b": (RuleHint(RuleIssue.NEVER), RuleHint(RuleIssue.SHADOWED, "mine.a"))},
)


# ---- drafts


GOLDEN = Path(__file__).with_name("rules.txt")
"""Reviewed text of rows, plans and trials; `GOLDEN.write_text(read())` writes it again."""

HIT = RuleHit(A, (3, 9), "rotate", 1.25)
TRIAL = RuleTrialResult(
    RuleAttempt(A),
    "evidence",
    rule_effects={RuleEffect.TURNS_RIGHT: 1, RuleEffect.TURNS_WRONG: 3},
    matched=9,
    cases=200,
)
OF_ROUTES, NONE = replace(TRIAL, attempt=RuleAttempt(B)), Detection(None, "evidence")
PLAN = PackPlan(
    "mine",
    (RuleChange(A, replace(A, weight=2.0, enabled=False, unless="not")), RuleChange(None, B), RuleChange(A, None)),
    reordered=True,
    problems=("mine.x: no",),
)


def cells(rows: Iterable[RuleRow]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        yield (*(column.cell(row) for column in RULE_COLUMNS), *row.hints)


def trials() -> Iterator[RuleTrialResult]:
    for is_edit in (True, False):
        yield replace(TRIAL, is_edit=is_edit)
        yield replace(TRIAL, is_edit=is_edit, rule_effects={})
    yield replace(TRIAL, rule_effects=None)
    yield replace(TRIAL, cases=0, others=40)
    yield replace(OF_ROUTES, cases=0, rule_effects={})
    yield replace(TRIAL, held_back=2, others=40, others_matched=4, policy="priority")


def samples() -> Iterator[tuple[RuleSample, RuleTrialResult]]:
    howto = replace(NONE, intent=SearchIntent(IntentType.HOWTO, 0.55, DetectionSource.KEYWORD))
    yield RuleSample("to rotate it", HIT, NONE, howto), replace(TRIAL, is_edit=False)
    yield RuleSample("to rotate it", HIT, NONE, howto), TRIAL
    yield RuleSample("x", None, howto, howto), TRIAL
    yield RuleSample("to rotate it", replace(HIT, rule=B, held_back=True), NONE, NONE), OF_ROUTES


def outcomes() -> Iterator[RuleOutcome]:
    subject, general = Subject("to rotate it", frozenset({"howto"})), IntentType.GENERAL
    yield RuleOutcome(subject, HIT, None, IntentType.HOWTO, RuleEffect.TURNS_RIGHT)
    yield RuleOutcome(subject, HIT, None, general, RuleEffect.CHANGES)
    yield RuleOutcome(Subject("x", frozenset()), None, general, general, RuleEffect.STAYS_WRONG)


def asked() -> Iterator[Inspection | None]:
    """Yield no query, one with two rules of which the second decides, and one without a type."""
    ranking = (TypeEvidence(IntentType.HOWTO, 3.25, (HIT, RuleHit(replace(A, id="mine.b"), (0, 6), "rotate", 2.0))),)
    intent = SearchIntent(IntentType.GENERAL, 0.8, DetectionSource.LEARNED)
    found = Inspection(Query.of("rotate"), Phase.MERGED, replace(NONE, ranking=ranking), intent, (), None, Trace())
    yield from (None, found, replace(found, detection=NONE, intent=None))


def read() -> str:
    edited, new = replace(RuleDraft.of(A, A), pattern="spin"), new_draft([A])
    rows, fault = rule_rows([A, B], {}, SURVEY), some(explain("a(?!b)"))
    surveys = (None, SURVEY, replace(SURVEY, cases=0), replace(SURVEY, cases=0, others=0))
    return written(
        {
            "new rules and copies": [
                new_draft([A, B]),
                new_draft([A, new_draft([A, B]).rule()]),
                copy_of(B, [A, B]),
                copy_of(A, [A]),
            ],
            "rows": cells(rows),
            "row without counts": cells(rule_rows([A], {}, None)),
            "row of a shipped rule": cells(rule_rows([B], {}, SURVEY, shipped={B.id})),
            "unsaved rows": cells(rule_rows([A, B], {A.id: edited, new.id: new}, None)),
            "rows of a pack": cells(filtered_rows(rows, chosen={"pack": "subcog"})),
            "rows that match none": cells(filtered_rows(rows, "matches NONE")),
            "facets": rule_facets(rows),
            "what is counted": map(counted_in, surveys),
            "packs": [
                (row.name, row.state) for row in pack_rows([A, B, replace(B, id="c", enabled=False)], ["subcog"])
            ],
            "plan": plan_lines(PLAN),
            "trials": [(verdict(one), match_counts(one), unlisted_cases(one), trial_limits(one)) for one in trials()],
            "samples": [sample_line(*one) for one in samples()],
            "cases": map(case_line, outcomes()),
            "decisions": [(decision_sentence(one), deciding_rule(one)) for one in asked()],
            "faults": [fault_sentence(fault), fault_sentence(fault, in_unless=True)],
            "patterns": map(
                readable,
                (
                    r"how\s+(?:do|can)\s.{1,200}?\swork",
                    r"which\s+(?:is|one)\s+(?:\w+\s+){0,3}?best",
                    r"why\b.{0,200}?\bfail|won['’]?t",
                ),
            ),
        }
    )


def test_that_rows_plans_and_trials_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize("rule", [A, B, replace(A, weight=0.1234567891, enabled=False)])
def test_that_a_draft_gives_back_the_rule_it_was_made_of(rule: Rule) -> None:
    draft = RuleDraft.of(rule, rule)
    assert not draft.is_changed
    made = draft.rule()
    assert made == rule
    assert (made.key, made.version) == (rule.key, rule.version)


def test_that_an_edit_follows_what_others_change_unless_both_change_the_same() -> None:
    draft = replace(RuleDraft.of(A, A), pattern="spin")
    others = replace(A, weight=9.0, version=4)
    assert merged(draft, others).rule() == replace(others, pattern="spin")
    assert merged(draft, others).rule().version == 4
    clash = replace(A, pattern="whirl", version=4)
    assert merged(draft, clash) == draft


# ---- rows


# ---- trials
