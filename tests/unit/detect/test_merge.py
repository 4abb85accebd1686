"""Tests of the merge: S4.10 row by row, with steps that add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.keywords import KeywordRules
from app.detect.merge import ALONE, KEPT, MERGERS, NOTHING_ASKED, TAKEN, Ceiling, by_merger, merge, with_vote
from app.domain.case import Vote
from app.domain.intent import DetectionSource, IntentType, Rule, SearchIntent
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.scope.inspection import Detection, Merged
from app.scoring.arithmetic import OPERATIONS
from app.settings.sections import SearchIntentSettings
from tests.build import some

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


def test_that_another_type_of_keywords_or_examples_lowers_what_the_llm_says() -> None:
    against = floor(0.949, type_=GENERAL)
    merged = merge(against, answered(0.910), BY_TYPE)
    assert merged.intent is not None
    assert (merged.intent.type, merged.intent.source) == (TROUBLE, DetectionSource.HYBRID)
    assert merged.intent.confidence == pytest.approx(0.7 * 0.910)
    assert merge(against, answered(0.910), ADR).intent.confidence == pytest.approx(0.7 * 0.91 + 0.3 * 0.949)  # type: ignore[union-attr]
    beside = replace(against, beside=((TROUBLE, 0.5),))
    assert confidence_of(merge(beside, answered(0.910), BY_TYPE)) == pytest.approx(0.7 * 0.910 + 0.3 * 0.5)


@given(st.floats(0.0, 1.0), st.floats(0.5, 1.0), st.floats(0.0, 1.0), st.sampled_from(IntentType))
def test_that_disagreement_is_no_surer_than_agreement(own: float, said: float, other: float, type_: IntentType) -> None:
    one = SearchIntent(IntentType.HOWTO, own, DetectionSource.LEARNED, beside=((TROUBLE, other * own),))
    apart = confidence_of(merge(one, answered(said, type_=type_), BY_TYPE))
    alike = confidence_of(merge(replace(one, type=type_, beside=()), answered(said, type_=type_), BY_TYPE))
    assert apart <= max(alike, 0.3 * own) + 1e-12
    assert type_ is IntentType.HOWTO or apart <= max(said, own)


@pytest.mark.parametrize("own", [None, 0.0, 0.4, 0.95])
def test_that_an_llm_below_its_minimum_never_decides(own: float | None) -> None:
    unsure = Ceiling(LlmOutcome.LOW_CONFIDENCE, LlmAnswer(TROUBLE, 0.49, "json"))
    merged = merge(None if own is None else floor(own), unsure, BY_TYPE)
    assert (merged.intent is None) if own is None else (confidence_of(merged) == own)
    assert own is not None or merged.steps[-1].result == 0.0
    assert merge(None, answered(0.5), BY_TYPE).intent is not None


def test_that_the_type_of_sure_keywords_stands_where_a_low_minimum_lets_an_unsure_llm_speak() -> None:
    merged = merge(floor(0.95), answered(0.2), settings(min_confidence=0.1))
    assert some(merged.intent).type is IntentType.HOWTO
    assert some(merged.intent).confidence == pytest.approx(0.3 * 0.95)


def test_that_the_same_topics_raise_only_the_same_type() -> None:
    assert confidence_of(merge(floor(0.6, "rust"), answered(0.8, "rust", type_=IntentType.HOWTO), BY_TYPE)) == (
        pytest.approx(0.7 * 0.8 + 0.3 * 0.6 + 0.1)
    )
    assert confidence_of(merge(floor(0.6, "rust"), answered(0.8, "rust"), BY_TYPE)) == pytest.approx(0.7 * 0.8)


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


def test_that_examples_speak_alone_where_no_cue_matched_and_from_their_least_on() -> None:
    detection = with_vote(found(NO_CUE), NO_CUE, voted(0.5, {"general": 0.7}), OURS)
    assert detection.floor is not None
    assert (detection.floor.type, detection.floor.confidence) == (IntentType.GENERAL, 0.5)
    assert (detection.floor.source, detection.floor.topics) == (DetectionSource.LEARNED, ("sad", "tune"))
    assert [step.name for step in detection.floor_steps] == [ALONE]
    assert with_vote(found(NO_CUE), NO_CUE, voted(0.49, {"general": 0.7}), OURS).floor is None


def test_that_a_type_that_both_name_is_as_sure_as_the_surer_of_them_and_keeps_its_cues() -> None:
    detection = with_vote(found(CUE), CUE, voted(0.99, {"howto": 0.9}), OURS)
    assert detection.floor is not None
    assert (detection.floor.type, detection.floor.confidence) == (IntentType.HOWTO, 0.99)
    assert detection.floor.keywords == some(detection.intent).keywords
    unsure = with_vote(found(CUE), CUE, voted(0.51, {"howto": 0.6}), OURS)
    assert unsure.floor == unsure.intent


@pytest.mark.parametrize(("confidence", "name"), [(0.9, TAKEN), (0.5, KEPT)])
def test_that_the_surer_of_both_speaks(confidence: float, name: str) -> None:
    detection = with_vote(found(CUE), CUE, voted(confidence, {"location": 0.8, "howto": 0.1}), OURS)
    keyword, floor, last = detection.intent, detection.floor, detection.floor_steps[-1]
    assert floor is not None
    assert (last.name, last.result) == (name, floor.confidence)
    assert floor.confidence == max(confidence, some(keyword).confidence)
    assert floor.type == ("location" if name == TAKEN else "howto")
    assert (floor.source is DetectionSource.LEARNED) == (name == TAKEN)


def test_that_a_type_that_was_outweighed_keeps_its_cues_when_examples_name_it() -> None:
    text = "how do i mend what is broken"
    detection = with_vote(found(text), text, voted(0.95, {"troubleshoot": 0.9}), OURS)
    assert some(detection.intent).type is IntentType.HOWTO
    assert some(detection.floor).keywords == ("broken",)


def test_that_a_vote_for_none_holds_a_keyword_down_to_its_share_unless_keywords_are_as_sure_or_held() -> None:
    none = voted(0.02, {"general": 0.05, "howto": 0.03})
    detection = with_vote(found(CUE), CUE, none, OURS)
    assert (some(detection.floor).type, some(detection.floor).confidence) == (IntentType.HOWTO, 0.03)
    assert detection.floor_steps[-1].name == NOTHING_ASKED
    held = with_vote(found(CUE), CUE, none, SearchIntentSettings(strict_floor=True))
    assert held.floor == held.intent
    unsure = with_vote(found(CUE), CUE, voted(0.1, {"general": 0.2, "howto": 0.25}), OURS)
    assert unsure.floor == unsure.intent
    assert with_vote(found(NO_CUE), NO_CUE, none, OURS).floor is None


def test_that_every_step_can_be_carried_out_again() -> None:
    votes = [voted(0.9, {"location": 0.8}), voted(0.5, {"location": 0.8}), voted(0.0, {"general": 0.05})]
    for text in (CUE, NO_CUE):
        for vote in votes:
            for step in with_vote(found(text), text, vote, OURS).floor_steps:
                assert OPERATIONS[step.operation](step.operands) == step.result


@pytest.mark.parametrize("policy", MERGERS)
@pytest.mark.parametrize("outcome", list(LlmOutcome))
def test_that_what_is_learned_pays_no_penalty_for_a_silent_llm(policy: str, outcome: LlmOutcome) -> None:
    detection = with_vote(found(NO_CUE), NO_CUE, voted(0.6, {"general": 0.7}), OURS)
    merged = merge(detection.floor, Ceiling(outcome), SearchIntentSettings.model_validate({"merge": policy}))
    assert merged.intent == detection.floor
