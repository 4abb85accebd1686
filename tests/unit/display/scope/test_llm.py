"""Tests of the LLM pane in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.merge import Ceiling, merge
from app.display.scope.intent import intent_card
from app.display.scope.llm import PILLS, LlmStatus, raw_texts, raw_title, status_of, without_breaks
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Operand
from app.gui.kit.theme.icons import FOLDER
from app.gui.kit.theme.tokens import LIGHT
from app.ports.llm import LlmState
from app.scoring.arithmetic import step
from app.settings.model import described
from tests.build import some
from tests.gui.llm_states import ANSWER, DETAIL, UNSURE, floor_of, inspection_in, inspection_with, report_of, settings


def status_in(outcome: LlmOutcome, **values: object) -> LlmStatus:
    inspection = inspection_in(outcome, **values)
    return status_of(inspection.trace.llm, inspection=inspection, settings=settings(**values))


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_every_outcome_has_a_pill_a_sentence_an_icon_and_a_colour(outcome: LlmOutcome) -> None:
    for shown in (status_of(LlmReport(outcome, model="tiny", budget_ms=200.0)), status_in(outcome)):
        assert outcome in PILLS
        assert shown.word
        assert shown.sentence.endswith(".")
        assert (FOLDER / f"{shown.icon}.svg").exists()
        assert getattr(LIGHT, shown.token)


def test_that_no_two_outcomes_share_a_word_and_that_faults_have_the_same_colour() -> None:
    assert len({word for word, _, _ in PILLS.values()}) == len(LlmOutcome)
    tones: dict[str, set[LlmOutcome]] = {}
    for outcome, (_, _, token) in PILLS.items():
        tones.setdefault(token, set()).add(outcome)
    assert tones["text_2"] == {LlmOutcome.OFF, LlmOutcome.ASKING, LlmOutcome.SUPERSEDED}
    assert tones["danger"] == {
        LlmOutcome.UNREACHABLE,
        LlmOutcome.MODEL_MISSING,
        LlmOutcome.FAILED,
        LlmOutcome.UNREADABLE,
    }
    assert tones["success"] == {LlmOutcome.ANSWERED}


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (LlmOutcome.OFF, "LLM is off. Keywords and examples decide alone."),
        (LlmOutcome.UNREACHABLE, "No answer from http://localhost:11434. Keywords and examples decide alone."),
        (LlmOutcome.COLD, "The model is loading. This is not a time-out. Keywords and examples decide alone."),
        (LlmOutcome.ASKING, "Asking qwen2.5:1.5b, for at most 200 ms."),
        (LlmOutcome.ANSWERED, "Troubleshoot 91 % after 142 ms."),
        (LlmOutcome.LOW_CONFIDENCE, "Explanation 38 % is under 50 %, after 142 ms. It changes nothing."),
        (LlmOutcome.TIMED_OUT, "No answer within 200 ms. 0.550 − 0.100 = 0.450."),
        (LlmOutcome.LATE, "Would have said Troubleshoot 91 % after 740 ms, 540 ms past the budget."),
        (LlmOutcome.UNREADABLE, "The answer holds no type. 0.550 − 0.100 = 0.450."),
    ],
)
def test_that_the_sentences_are_the_designs(outcome: LlmOutcome, sentence: str) -> None:
    assert status_in(outcome).sentence == sentence


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_no_floor_is_spoken_of_where_no_keyword_matched(outcome: LlmOutcome) -> None:
    inspection = inspection_in(outcome)
    bare = replace(inspection, detection=replace(inspection.detection, intent=None))
    sentence = status_of(bare.trace.llm, inspection=bare, settings=settings()).sentence
    assert "floor" not in sentence.lower()
    assert "decide alone" not in sentence


@pytest.mark.parametrize(("policy", "decides"), [("by_type", False), ("adr", True), ("shipped", True)])
def test_that_an_unsure_answer_is_said_to_decide_alone_where_it_does(policy: str, decides: bool) -> None:
    """The text agrees with the merge, and with the setting's own description."""
    inspection = inspection_in(LlmOutcome.LOW_CONFIDENCE)
    report = some(inspection.trace.llm)
    answer = some(report.answer)
    alone = merge(
        None, Ceiling(LlmOutcome.LOW_CONFIDENCE, answer), settings(search_intent__merge=policy).search_intent
    ).intent
    bare = replace(inspection, intent=alone, detection=replace(inspection.detection, intent=None))
    said = status_of(bare.trace.llm, inspection=bare, settings=settings()).sentence
    assert (alone is not None) == decides
    assert said.startswith("Explanation 38 % is under 50 %, after 142 ms. ")
    assert said.endswith("say nothing, so it decides alone." if decides else "No keyword matched: there is no type.")
    assert "Only under the merge policies adr and shipped a lower one" in described()["search_intent.min_confidence"]


def test_that_silence_costs_what_the_settings_say() -> None:
    scaled = status_in(LlmOutcome.TIMED_OUT, search_intent__fallback_penalty="scaled")
    assert scaled.sentence == "No answer within 200 ms. 0.9 × 0.550 = 0.495."
    none = status_in(LlmOutcome.TIMED_OUT, search_intent__fallback_penalty="none")
    assert none.sentence == "No answer within 200 ms. Keywords and examples decide alone."
    trusted = floor_of(step("floor", "sum", (Operand("base", 0.5), Operand("cues", 7.0, 0.05))))
    inspection = inspection_with(report_of(LlmOutcome.TIMED_OUT), found=trusted)
    shown = status_of(inspection.trace.llm, inspection=inspection, settings=settings())
    assert shown.sentence == "No answer within 200 ms. 0.850 stays: it is 0.800 or more."


def test_that_an_answer_in_time_and_a_late_one_show_the_same_weighing() -> None:
    weighed = ("0.7 × 0.910 + 0.3 × 0.550", "0.802")
    assert status_in(LlmOutcome.ANSWERED).in_time == ("Combined", *weighed)
    assert status_in(LlmOutcome.LATE).in_time == ("In time", *weighed)
    assert status_in(LlmOutcome.TIMED_OUT).in_time is None


def test_that_bonus_cap_and_strict_floor_are_part_of_the_weighing() -> None:
    same = replace(ANSWER, topics=("build", "keep", "failing", "mac"))
    inspection = inspection_with(report_of(LlmOutcome.ANSWERED, same))
    assert status_of(inspection.trace.llm, inspection=inspection).in_time == (
        "Combined",
        "0.7 × 0.910 + 0.3 × 0.550 + 0.100",
        "0.902",
    )
    low = replace(ANSWER, confidence=0.5)
    values = settings(search_intent__strict_floor=True)
    inspection = inspection_with(report_of(LlmOutcome.ANSWERED, low), values)
    shown = status_of(inspection.trace.llm, inspection=inspection, settings=values)
    assert shown.in_time == ("Combined", "max(0.7 × 0.500 + 0.3 × 0.550, 0.550)", "0.550")


def test_that_a_late_answer_too_unsure_to_count_says_so() -> None:
    inspection = inspection_with(report_of(LlmOutcome.LATE, UNSURE))
    shown = status_of(inspection.trace.llm, inspection=inspection, settings=settings())
    assert shown.in_time == ("In time, too unsure:", "", "0.550")


def test_that_the_types_are_ranked_and_an_opinion_is_no_distribution() -> None:
    assert [bar[2] for bar in status_in(LlmOutcome.LATE).bars] == ["91 %", "4 %", "3 %", "1 %", "0.4 %", "0.3 %"]
    said = LlmAnswer(IntentType.HOWTO, 0.8, "json", ("cron",), "It asks how.")
    shown = status_of(LlmReport(LlmOutcome.ANSWERED, answer=said, ms=900.0, budget_ms=1000.0))
    assert [(bar[0], bar[2]) for bar in shown.bars] == [("How-to", "80 %")]
    assert shown.later == ("The confidence is the model’s own opinion.", "Topics cron", "It asks how.")


def test_that_details_are_told_as_later() -> None:
    shown = status_of(replace(report_of(LlmOutcome.ANSWERED), detail=DETAIL))
    assert shown.later == ("Later: topics build, mac", "The build fails again and again.")


def test_that_before_anything_is_asked_the_state_is_told() -> None:
    ready = status_of(None, settings=settings(), state=LlmState(LlmOutcome.ANSWERED, "", "tiny", "one_token"))
    assert (ready.word, ready.sentence) == ("Ready", "Asked when typing pauses, for at most 200 ms.")
    assert ready.about == "tiny on localhost:11434, one-token mode"
    cold = status_of(None, state=LlmState(LlmOutcome.COLD, "The model is loading.", "tiny", load_ms=6100.0))
    alone = "Keywords and examples decide alone."
    assert cold.sentence == f"The model is loading, about 6 s. This is not a time-out. {alone}"
    assert status_of(None).word == "Off"


def test_that_only_asking_runs_down_a_budget() -> None:
    asking = status_in(LlmOutcome.ASKING)
    assert (asking.asking, asking.pause_ms, asking.budget_ms) == (True, 120.0, 200.0)
    assert not any(status_in(outcome).asking for outcome in LlmOutcome if outcome is not LlmOutcome.ASKING)


def test_that_equations_and_units_do_not_break_over_lines() -> None:
    assert without_breaks("No answer within 200 ms. 0.550 − 0.100 = 0.450.").split(" ") == [
        "No",
        "answer",
        "within",
        "200\N{NO-BREAK SPACE}ms.",
        "0.550\N{NO-BREAK SPACE}−\N{NO-BREAK SPACE}0.100\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}0.450.",
    ]


def test_that_raw_texts_are_told_word_for_word() -> None:
    report = replace(report_of(LlmOutcome.ANSWERED), detail=DETAIL)
    assert [raw.title for raw in raw_texts(report)] == ["Prompt", "Reply", "Later prompt", "Later reply"]
    assert "<b>the build</b>" in raw_texts(report)[0].text
    assert raw_title(report) == "qwen2.5:1.5b, one-token mode, Answered"
    assert raw_texts(report_of(LlmOutcome.TIMED_OUT)) == ()
    kept = replace(report_of(LlmOutcome.UNREADABLE), reply="no type here")
    assert [(raw.title, raw.text) for raw in raw_texts(kept)] == [("Reply", "no type here")]


def test_that_an_answer_that_did_not_count_is_a_hollow_mark_on_the_ruler() -> None:
    for outcome in LlmOutcome:
        card = intent_card(inspection_in(outcome), settings())
        marks = {mark.word: mark.counts for mark in card.marks}
        assert marks.pop("Keywords") is True
        counts = {
            LlmOutcome.ANSWERED: {"LLM": True},
            LlmOutcome.LATE: {"LLM": False},
            LlmOutcome.LOW_CONFIDENCE: {"LLM": False},
        }
        assert marks == counts.get(outcome, {})
        assert some(card.threshold).text == "60 %"
