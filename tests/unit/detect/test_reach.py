"""Tests of unreachable levels and their reasons, also for the shipped defaults."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.keywords import KeywordRules
from app.detect.merge import MERGERS, Ceiling, by_merger, merge, with_vote
from app.detect.reach import (
    ANY,
    EXACT,
    NOTHING,
    Dead,
    Span,
    Why,
    dead_bands,
    dead_rows,
    dead_steps,
    dead_tiers,
    intent_spans,
    mute_types,
    unsure_routes,
)
from app.domain.case import Vote
from app.domain.inspection import Detection, Merged
from app.domain.intent import DetectionSource, IntentType, Rule, RulePurpose, SearchIntent
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import DOCUMENTED, Routes
from app.scoring.arithmetic import OPERATIONS
from app.settings.model import Settings, SettingsSources, layer
from app.settings.sections import SearchIntentSettings
from tests.build import some

KEYWORDS = (NOTHING, Span(0.6, 0.92))


def under(**chosen: object) -> Settings:
    return layer(SettingsSources(command_line=dict(chosen))).values


def told(found: list[Dead]) -> dict[str, Why]:
    return {dead.name: dead.why for dead in found}


def rule(label: str, confidence: float | None = None, *, on: bool = True, route: bool = False) -> Rule:
    purpose = RulePurpose.ROUTE if route else RulePurpose.SEARCH_INTENT
    return Rule(label, label, "word", "own", 0, confidence=confidence, enabled=on, purpose=purpose)


# ---- tiers


def test_that_every_tier_is_reached_by_default() -> None:
    assert dead_tiers(Settings(), ANY, 3) == []
    assert dead_bands(Settings(), ANY) == []


def test_that_a_keyword_alone_is_never_a_weak_match_and_exact_words_are_activated_or_not_found() -> None:
    (dead,) = dead_tiers(Settings(), KEYWORDS, 1)
    assert (dead.name, dead.why) == ("weak_matches", Why.BETWEEN)
    assert (dead.most, dead.next) == (0.0, 0.6)
    assert told(dead_tiers(Settings(), EXACT, 1)) == {"multiple_matches": Why.BETWEEN, "weak_matches": Why.BETWEEN}
    assert told(dead_tiers(Settings(), EXACT, 2)) == {"weak_matches": Why.BETWEEN}, "a tie makes multiple matches"


def test_that_what_cannot_be_so_sure_is_never_activated_and_thresholds_that_meet_leave_nothing() -> None:
    (dead,) = dead_tiers(Settings(), (Span(0.0, 0.769),), 2)
    assert (dead.name, dead.why, dead.most) == ("activated", Why.TOO_HIGH, 0.769)
    met = under(**{"tiers.high": 0.5, "tiers.weak": 0.0, "tiers.ambiguity_margin": 0.0})
    assert told(dead_tiers(met, ANY, 5)) == {"multiple_matches": Why.EMPTY, "not_found": Why.EMPTY}


def test_that_a_margin_as_wide_as_the_scale_activates_nothing_and_one_is_within_the_highest_level() -> None:
    wide = under(**{"tiers.ambiguity_margin": 1.0})
    assert told(dead_tiers(wide, ANY, 2)) == {"activated": Why.TIED}
    assert dead_tiers(wide, ANY, 1) == [], "a single power has nothing to tie with"
    assert dead_tiers(under(**{"tiers.high": 1.0}), ANY, 1) == []


# ---- bands


def test_that_a_fallback_swallows_what_is_below_it() -> None:
    assert told(dead_bands(under(fallback_threshold=0.5), ANY)) == {"low": Why.SWALLOWED}
    assert told(dead_bands(under(fallback_threshold=0.8), ANY)) == {"medium": Why.SWALLOWED, "low": Why.SWALLOWED}
    assert told(dead_bands(under(fallback_threshold=0.0), ANY)) == {"fallback": Why.EMPTY}
    assert told(dead_bands(under(**{"bands.high": 0.5}), ANY)) == {"medium": Why.EMPTY}


# ---- injection


def test_that_the_last_row_is_dead_by_default() -> None:
    (dead,) = dead_rows(Settings(), ANY)
    assert (dead.name, dead.why, dead.most) == ("5", Why.SWALLOWED, 0.6)


def test_that_without_an_llm_keywords_give_their_range() -> None:
    spans = intent_spans([rule("howto"), rule("location", 0.4), rule("general", 1.0, on=False)], has_llm=False)
    assert [(span.least, span.most) for span in spans] == [(0.4, 0.4), pytest.approx((0.55, 0.95))]
    assert intent_spans([], has_llm=True) == ANY
    assert intent_spans([], has_llm=False) == ()


# ---- the rest


def test_that_the_cascade_takes_no_keyword_above_what_keywords_reach() -> None:
    cascade = under(power_combination="cascade", **{"thresholds.keyword": 0.9})
    assert [dead.most for dead in dead_steps(cascade, Span(0.6, 0.7))] == [0.7]
    assert [dead.most for dead in dead_steps(cascade, None)] == [0.0]
    assert dead_steps(cascade, Span(0.6, 0.9)) == []
    assert dead_steps(Settings(), None) == []


def test_that_types_without_a_rule_are_mute_unless_an_llm_is_asked() -> None:
    rules = [rule(type_.value) for type_ in IntentType if type_ is not IntentType.GENERAL]
    assert mute_types([*rules, rule("general", on=False)], has_llm=False) == [IntentType.GENERAL]
    assert mute_types(rules, has_llm=True) == []


def test_that_routes_below_the_threshold_are_never_decided_by_rules() -> None:
    rules = [rule("graph_traversal", route=True), rule("temporal", route=True), rule("own", on=False, route=True)]
    assert unsure_routes([*rules, rule("howto")], 0.9) == [("multi_database", 0.6), ("temporal_reasoning", 0.85)]
    assert unsure_routes(rules[:1], 0.9) == []
    off = Routes(tuple(replace(row, enabled=row.name != "temporal_reasoning") for row in DOCUMENTED.rows))
    assert unsure_routes(rules, 0.9, off) == []


ADR = SearchIntentSettings(merge="adr")
BY_TYPE = SearchIntentSettings()
SILENT = (LlmOutcome.TIMED_OUT, LlmOutcome.FAILED, LlmOutcome.UNREADABLE)
ABSENT = (LlmOutcome.OFF, LlmOutcome.UNREACHABLE, LlmOutcome.MODEL_MISSING, LlmOutcome.COLD, LlmOutcome.ASKING)


def settings(**values: Any) -> SearchIntentSettings:
    return SearchIntentSettings.model_validate(values)


def floor(confidence: float, *topics: str, type_: IntentType = IntentType.HOWTO) -> SearchIntent:
    return SearchIntent(type_, confidence, DetectionSource.KEYWORD, ("how to",), topics)


def answered(confidence: float, *topics: str, type_: IntentType = IntentType.TROUBLESHOOT) -> Ceiling:
    return Ceiling(LlmOutcome.ANSWERED, LlmAnswer(type_, confidence, "json", topics))


def confidence_of(merged: Merged) -> float:
    return merged.intent.confidence if merged.intent else 0.0


@pytest.mark.parametrize("outcome", ABSENT)
def test_that_an_absent_llm_leaves_the_keyword_result_as_it_is(outcome: LlmOutcome) -> None:
    keyword = floor(0.6, "rust")
    assert merge(keyword, Ceiling(outcome), ADR) == Merged(keyword)


CONFIDENCE = st.floats(0.0, 1.0)
TOPICS = st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(tuple)
FLOORS = st.none() | st.builds(lambda value, topics: floor(value, *topics), CONFIDENCE, TOPICS)
CEILINGS = st.builds(lambda value, topics: answered(value, *topics), CONFIDENCE, TOPICS) | st.sampled_from(
    [Ceiling(outcome) for outcome in (*SILENT, *ABSENT)]
)
SETTINGS = st.builds(
    settings,
    merge=st.sampled_from(sorted(MERGERS)),
    fallback_penalty=st.sampled_from(["table", "scaled", "none"]),
    strict_floor=st.booleans(),
)


@given(FLOORS, CEILINGS, SETTINGS)
def test_that_every_merge_stays_in_bounds_re_adds_and_keeps_the_detection(
    keyword: SearchIntent | None, ceiling: Ceiling, chosen: SearchIntentSettings
) -> None:
    merged = merge(keyword, ceiling, chosen)
    for step in merged.steps:
        assert OPERATIONS[step.operation](step.operands) == step.result
    if merged.steps:
        assert merged.steps[-1].result == confidence_of(merged)
    if keyword is not None and ceiling.answer is None:
        assert some(merged.intent).type is keyword.type
    if chosen.strict_floor and keyword is not None:
        assert confidence_of(merged) >= keyword.confidence


def test_that_both_policies_can_be_seen_side_by_side() -> None:
    found = by_merger(floor(0.7), Ceiling(LlmOutcome.TIMED_OUT), ADR)
    assert {name: confidence_of(merged) for name, merged in found.items()} == {
        "by_type": pytest.approx(0.6),
        "adr": pytest.approx(0.6),
        "shipped": 0.7,
    }


# ---- By type: each type has its own confidence.


GENERAL, TROUBLE = IntentType.GENERAL, IntentType.TROUBLESHOOT


def test_that_each_type_keeps_what_its_own_cues_and_examples_gave() -> None:
    detection = RULES.detect("how do i mend what is broken", "evidence")
    assert detection.intent is not None
    assert set(dict(detection.intent.beside)) == {IntentType.HOWTO, TROUBLE} - {detection.intent.type}
    given_ = detection.intent.confidence
    vote = voted(0.9, {"general": 0.7, "troubleshoot": 0.2, "howto": 0.1})
    taken = some(with_vote(detection, "how do i mend what is broken", vote, BY_TYPE).floor)
    assert taken.type is GENERAL
    assert taken.given(detection.intent.type) == given_, "the larger of both"
    alone = some(with_vote(found(NO_CUE), NO_CUE, vote, BY_TYPE).floor)
    assert dict(alone.beside) == {TROUBLE: 0.2, IntentType.HOWTO: 0.1}


# ---- Keywords and the examples' vote become one floor: the more confident one decides.


RULES = KeywordRules([Rule("howto", "howto", "how do i", "ours", 0), Rule("fix", "troubleshoot", "broken", "ours", 1)])
CUE, NO_CUE = "how do i whistle", "a sad tune"
OURS = SearchIntentSettings()


def found(text: str) -> Detection:
    return RULES.detect(text, "evidence")


def voted(confidence: float, shares: Mapping[str, float]) -> Vote:
    ranked = tuple(sorted(shares.items(), key=lambda one: -one[1]))
    return Vote(ranked[0][0], confidence, 0.5, ranked)


def test_that_every_step_can_be_carried_out_again() -> None:
    votes = [voted(0.9, {"location": 0.8}), voted(0.5, {"location": 0.8}), voted(0.0, {"general": 0.05})]
    for text in (CUE, NO_CUE):
        for vote in votes:
            for step in with_vote(found(text), text, vote, OURS).floor_steps:
                assert OPERATIONS[step.operation](step.operands) == step.result
