"""The LLM lane in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.display.intent import intent_card
from app.display.llm import PILLS, lane
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from tests.gui.inspections import design

ANSWER = LlmAnswer(IntentType.TROUBLESHOOT, 0.91, "one_token", distribution={"troubleshoot": 0.91, "howto": 0.09})


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_every_outcome_has_a_pill_and_a_sentence(outcome: LlmOutcome) -> None:
    shown = lane(LlmReport(outcome, model="tiny", budget_ms=200.0))
    assert outcome in PILLS
    assert shown.word
    assert shown.sentence.endswith(".")


def test_that_nothing_asked_is_off() -> None:
    assert lane(None).sentence == "The LLM is off. Keywords decide alone."


def test_that_a_late_answer_says_what_it_would_have_said() -> None:
    shown = lane(LlmReport(LlmOutcome.LATE, "", "tiny", ms=740.0, budget_ms=200.0, answer=ANSWER, would_be=0.802))
    assert shown.sentence == "Would have said Troubleshoot 0.910 after 740 ms, 540 ms past the budget."
    assert shown.foot == "In time it would have been 0.802."
    assert [bar[2] for bar in shown.bars] == ["0.910", "0.090"]


def test_that_an_answer_that_did_not_count_is_a_hollow_mark_on_the_ruler() -> None:
    for outcome, counts in ((LlmOutcome.LATE, False), (LlmOutcome.ANSWERED, True)):
        trace = replace(design().trace, llm=LlmReport(outcome, answer=ANSWER))
        card = intent_card(replace(design(), trace=trace))
        assert [(mark.word, mark.counts) for mark in card.marks] == [("Floor", True), ("LLM", counts)]
    trace = replace(design().trace, llm=LlmReport(LlmOutcome.LATE))
    assert intent_card(replace(design(), trace=trace)).source == "From keywords, LLM too late"
