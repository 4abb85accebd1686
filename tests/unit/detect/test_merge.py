"""Tests of the merge: S4.10 row by row, with steps that add up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.keywords import KeywordRules
from app.detect.merge import MERGERS, Ceiling, by_merger, merge, with_vote
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
