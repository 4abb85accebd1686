"""Tests of rules in words: drafts, faults, rows, hints, plans and trials."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from app.detect.patterns import explain
from app.detect.rule_trial import RuleEffect, RuleHint, RuleIssue, RuleOutcome, Subject
from app.display import numbers
from app.display.library.rules import (
    LONGEST,
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
    highlighted,
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
from app.domain.intent import DetectionSource, IntentType, Rule, RuleHit, RulePurpose, SearchIntent
from app.domain.match import Query
from app.domain.scope.inspection import Detection, Inspection, Phase, Trace, TypeEvidence
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

A = Rule("mine.a", "howto", "rotate", "mine", 0, 1.25, key=1, version=3)
B = Rule("subcog.b", "docs", r"turn\s+round", "subcog", 0, confidence=0.8, unless="not", purpose=RulePurpose.ROUTE)
SURVEY = RuleSurvey(
    200,
    12,
    {"mine.a": RuleCounts(25, 2, 0), "subcog.b": RuleCounts(0, 0, 0)},
    {"subcog.b": (RuleHint(RuleIssue.NEVER), RuleHint(RuleIssue.SHADOWED, "mine.a"))},
)


# ---- drafts


@pytest.mark.parametrize("rule", [A, B, replace(A, weight=0.1234567891, enabled=False)])
def test_that_a_draft_gives_back_the_rule_it_was_made_of(rule: Rule) -> None:
    draft = RuleDraft.of(rule, rule)
    assert not draft.is_changed
    made = draft.rule()
    assert made == rule
    assert (made.key, made.version) == (rule.key, rule.version)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("weight", "a lot"),
        ("weight", "-1"),
        ("weight", "nan"),
        ("weight", "1e9"),
        ("confidence", "1.5"),
        ("label", "shopping"),
        ("label", " "),
        ("pattern", " "),
        ("pack", ""),
    ],
)
def test_that_a_field_that_cannot_be_stored_says_why(field: str, text: str) -> None:
    draft = replace(RuleDraft.of(A, A), **{field: text})  # type: ignore[arg-type]
    assert list(draft.faults()) == [field]
    assert draft.faults()[field].endswith(".")
    draft.rule()


def test_that_a_route_may_be_called_anything_and_a_comma_is_a_point() -> None:
    draft = replace(RuleDraft.of(A, A), label="docs", purpose=RulePurpose.ROUTE, weight="1,5")
    assert draft.faults() == {}
    assert draft.rule().weight == 1.5


def test_that_new_rules_and_copies_get_ids_and_places_of_their_own() -> None:
    first = new_draft([A, B])
    assert (first.id, first.pack, first.position, first.is_changed) == ("mine.rule", "mine", 1, True)
    assert new_draft([A, first.rule()]).id == "mine.rule-2"
    twin = copy_of(B, [A, B])
    assert (twin.id, twin.pack, twin.pattern, twin.base, twin.rule().key) == ("mine.b", "mine", B.pattern, None, None)
    assert copy_of(A, [A]).id == "mine.a-2"


def test_that_an_edit_follows_what_others_change_unless_both_change_the_same() -> None:
    draft = replace(RuleDraft.of(A, A), pattern="spin")
    others = replace(A, weight=9.0, version=4)
    assert merged(draft, others).rule() == replace(others, pattern="spin")
    assert merged(draft, others).rule().version == 4
    clash = replace(A, pattern="whirl", version=4)
    assert merged(draft, clash) == draft


# ---- rows


def cells(row: RuleRow) -> tuple[str, ...]:
    return tuple(column.cell(row) for column in RULE_COLUMNS)


def test_that_a_row_has_a_cell_for_each_column_and_tells_its_hints() -> None:
    a, b = rule_rows([A, B], {}, SURVEY)
    assert cells(a) == ("rotate", "How-to", "25", "1.25", "", "", "Type", "mine", "✓")
    assert b.says == "docs"
    assert b.hints[0] == "Matches none of 212 cases and taught phrases."
    assert "mostly by mine.a" in b.hints[1]
    assert rule_rows([A], {}, None)[0].matches == numbers.ABSENT
    (shipped,) = rule_rows([B], {}, SURVEY, shipped={B.id})
    assert shipped.hints == b.hints[1:], "a shipped rule need not match what is in the library"
    assert "Query types" in cells(shipped)


def test_that_rows_show_what_is_not_saved_and_can_be_filtered() -> None:
    edited, new = replace(RuleDraft.of(A, A), pattern="spin"), new_draft([A])
    rows = rule_rows([A, B], {A.id: edited, new.id: new}, None)
    assert [(row.id, row.is_unsaved) for row in rows] == [("mine.a", True), ("mine.rule", True), ("subcog.b", False)]
    assert cells(rows[0])[0] == "• spin"
    rows = rule_rows([A, B], {}, SURVEY)
    assert [row.id for row in filtered_rows(rows, chosen={"pack": "subcog"})] == ["subcog.b"]
    assert [row.id for row in filtered_rows(rows, "matches NONE")] == ["subcog.b"]
    assert [(facet.name, *(f"{one.word} {one.count}" for one in facet.choices)) for facet in rule_facets(rows)] == [
        ("Pack", "mine 1", "Query types 1"),
        ("Purpose", "Route 1", "Type 1"),
        ("State", "On 2"),
    ]


def test_that_the_counts_say_what_they_count() -> None:
    assert counted_in(None) == "matches are being counted"
    assert counted_in(SURVEY) == "matches in 200 cases with a type"
    assert counted_in(replace(SURVEY, cases=0)) == "matches in 12 taught phrases and cases"
    assert "no cases" in counted_in(replace(SURVEY, cases=0, others=0))


def test_that_packs_tell_their_share_and_whose_they_are() -> None:
    rows = pack_rows([A, B, replace(B, id="c", enabled=False)], ["subcog"])
    assert [(row.name, row.state) for row in rows] == [("mine", "1 of 1 on · own"), ("subcog", "1 of 2 on · shipped")]


def test_that_a_plan_says_each_change() -> None:
    plan = PackPlan(
        "mine",
        (RuleChange(A, replace(A, weight=2.0, enabled=False, unless="not")), RuleChange(None, B), RuleChange(A, None)),
        reordered=True,
        problems=("mine.x: no",),
    )
    assert plan_lines(plan) == [
        "Changed: mine.a, weight 1.25 → 2; unless none → “not”; switched on → off",
        r"New: subcog.b, turn\s+round",
        "Deleted: mine.a, rotate",
        "The order of the rules changes.",
        "Left out: mine.x: no",
    ]


# ---- trials


def trial(**changes: object) -> RuleTrialResult:
    found = RuleTrialResult(
        RuleAttempt(A),
        "evidence",
        rule_effects={RuleEffect.TURNS_RIGHT: 1, RuleEffect.TURNS_WRONG: 3},
        matched=9,
        cases=200,
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def test_that_the_verdict_counts_what_turns() -> None:
    assert verdict(trial()) == "Saving turns 1 case right and 3 wrong."
    assert verdict(trial(is_edit=False)) == "This rule turns 1 case right and 3 wrong, compared with none."
    assert verdict(trial(rule_effects={})) == "Saving turns no case."
    assert verdict(trial(rule_effects={}, is_edit=False)) == "Without this rule no case would turn."
    assert verdict(trial(rule_effects=None)) == ""
    assert verdict(trial(cases=0)).startswith("No cases are labelled")
    assert verdict(trial(attempt=RuleAttempt(B), cases=0, rule_effects={})).startswith("A rule for routes")


def test_that_a_sample_tells_the_types_with_and_without_the_rule() -> None:
    hit, none = RuleHit(A, (0, 6), "rotate", 1.25), Detection(None, "evidence")
    howto = replace(none, intent=SearchIntent(IntentType.HOWTO, 0.55, DetectionSource.KEYWORD))
    told = partial(sample_line, RuleSample("rotate", hit, none, howto))
    assert told(trial(is_edit=False)).outcome == "Matches. With it the rules say How-to 55 %, without it no type."
    assert told(trial()).outcome == "Matches. Saved, the rules say How-to 55 % instead of no type."
    unmatched = sample_line(RuleSample("x", None, howto, howto), trial())
    assert unmatched.outcome == "Does not match. The rules say How-to 55 % either way."
    held_back = RuleSample("rotate", replace(hit, rule=B, held_back=True), none, none)
    assert sample_line(held_back, trial(attempt=RuleAttempt(B))).outcome == "Overruled by Unless."


def test_that_the_rule_that_decides_is_named_with_what_decides_the_type() -> None:
    assert (decision_sentence(None), deciding_rule(None)) == ("", None)
    hit, other = RuleHit(A, (0, 6), "rotate", 1.25), RuleHit(replace(A, id="mine.b"), (0, 6), "rotate", 2.0)
    ranking = (TypeEvidence(IntentType.HOWTO, 3.25, (hit, other)),)
    intent = SearchIntent(IntentType.GENERAL, 0.8, DetectionSource.LEARNED)
    detection = Detection(None, "evidence", ranking=ranking)
    asked = Inspection(Query.of("rotate"), Phase.MERGED, detection, intent, (), None, Trace())
    assert deciding_rule(asked) is other.rule
    said = f"The rule “{other.rule.pattern}” says How-to; 1 more rule matches."
    assert decision_sentence(asked) == f"“rotate” is General (80 %, from examples). {said}"
    silent = replace(asked, detection=replace(detection, ranking=()), intent=None)
    assert decision_sentence(silent) == "“rotate” has no type. No rule matches."


def test_that_the_reach_is_n_of_m_under_the_policy() -> None:
    assert match_counts(trial()) == "Matches 9 of 200 cases."
    told = match_counts(trial(held_back=2, others=40, others_matched=4))
    assert told == "Matches 9 of 200 cases, overruled in 2, in 4 of 40 taught phrases and other cases."
    assert "Priority" in trial_limits(trial(policy="priority"))
    assert match_counts(trial(cases=0, others=40)).startswith("Matches 0 of 40 taught")
    assert match_counts(trial(rule_effects=None)) == "Checking the cases…"
    assert unlisted_cases(trial()) == "and 4 more cases"


def test_that_a_case_says_its_fate_both_answers_and_what_was_right() -> None:
    hit = RuleHit(A, (3, 9), "rotate", 1.0)
    subject = Subject("to rotate it", frozenset({"howto"}))
    line = case_line(RuleOutcome(subject, hit, None, IntentType.HOWTO, RuleEffect.TURNS_RIGHT))
    assert (line.text.before, line.text.found, line.text.after) == ("to ", "rotate", " it")
    assert (line.word, line.answers) == ("turns right", "no type → How-to")
    line = case_line(RuleOutcome(subject, hit, None, IntentType.GENERAL, RuleEffect.CHANGES))
    assert line.answers == "no type → General, not How-to"
    line = case_line(
        RuleOutcome(Subject("x", frozenset()), None, IntentType.GENERAL, IntentType.GENERAL, RuleEffect.STAYS_WRONG)
    )
    assert line.answers == "General, not no type"


def test_that_what_was_found_in_a_long_text_is_seen() -> None:
    text = "x" * 500 + "rotate\n" + "y" * 500
    shown = highlighted(text, RuleHit(A, (500, 506), "rotate", 1.0))
    assert shown.found == "rotate"
    assert shown.before.startswith("…x")
    assert len(shown.before) < 40
    assert shown.after.startswith(" y")
    assert len(shown.after) <= LONGEST + 1
    assert highlighted(text, None).before.endswith("…")


def test_that_a_fault_says_where_why_and_what_to_do() -> None:
    fault = some(explain("a(?!b)"))
    said = fault_sentence(fault)
    assert said.startswith("Character 2: “(?!” looks ahead")
    assert said.endswith("into “Unless”.")
    assert fault_sentence(fault, in_unless=True).startswith("Unless, character 2: ")


def test_that_a_pattern_can_be_read() -> None:
    assert readable(r"how\s+(?:do|can)\s.{1,200}?\swork") == "how (do | can) … work"
    assert readable(r"which\s+(?:is|one)\s+(?:\w+\s+){0,3}?best") == "which (is | one) … best"
    assert readable(r"why\b.{0,200}?\bfail|won['’]?t") == "why … fail | won’t"
