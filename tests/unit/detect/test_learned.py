"""Keywords and the examples' vote become one floor: the surer speaks, and nothing else changes what keywords found."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from app.detect.keywords import KeywordRules
from app.detect.merge import ALONE, KEPT, MERGERS, NOTHING_ASKED, TAKEN, Ceiling, merge, with_vote
from app.domain.case import Vote
from app.domain.inspection import Detection
from app.domain.intent import DetectionSource, IntentType, Rule
from app.domain.llm import LlmOutcome
from app.scoring.arithmetic import OPERATIONS
from app.settings.sections import SearchIntentSettings

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
    assert detection.intent is not None
    assert detection.floor is not None
    assert (detection.floor.type, detection.floor.confidence) == (IntentType.HOWTO, 0.99)
    assert detection.floor.keywords == detection.intent.keywords
    unsure = with_vote(found(CUE), CUE, voted(0.51, {"howto": 0.6}), OURS)
    assert unsure.floor == unsure.intent


@pytest.mark.parametrize(("confidence", "name"), [(0.9, TAKEN), (0.5, KEPT)])
def test_that_the_surer_of_both_speaks(confidence: float, name: str) -> None:
    detection = with_vote(found(CUE), CUE, voted(confidence, {"location": 0.8, "howto": 0.1}), OURS)
    keyword, floor, last = detection.intent, detection.floor, detection.floor_steps[-1]
    assert keyword is not None
    assert floor is not None
    assert (last.name, last.result) == (name, floor.confidence)
    assert floor.confidence == max(confidence, keyword.confidence)
    assert floor.type == ("location" if name == TAKEN else "howto")
    assert (floor.source is DetectionSource.LEARNED) == (name == TAKEN)


def test_that_a_type_that_was_outweighed_keeps_its_cues_when_examples_name_it() -> None:
    text = "how do i mend what is broken"
    detection = with_vote(found(text), text, voted(0.95, {"troubleshoot": 0.9}), OURS)
    assert detection.intent is not None
    assert detection.intent.type is IntentType.HOWTO
    assert detection.floor is not None
    assert detection.floor.keywords == ("broken",)


def test_that_a_vote_for_none_holds_a_keyword_down_to_its_share_unless_keywords_are_as_sure_or_held() -> None:
    none = voted(0.02, {"general": 0.05, "howto": 0.03})
    detection = with_vote(found(CUE), CUE, none, OURS)
    assert detection.floor is not None
    assert (detection.floor.type, detection.floor.confidence) == (IntentType.HOWTO, 0.03)
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
