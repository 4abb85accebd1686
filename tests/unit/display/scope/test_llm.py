"""Tests of the LLM pane in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.detect.merge import Ceiling, merge
from app.display.scope.intent import intent_card
from app.display.scope.llm import PILLS, LlmStatus, raw_texts, raw_title, status_of, without_breaks
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Operand
from app.domain.scope.inspection import Detection
from app.ports.llm import LlmState
from app.scoring.arithmetic import step
from app.settings.model import described
from tests.build import some
from tests.golden import written
from tests.gui.llm_states import ANSWER, DETAIL, UNSURE, floor_of, inspection_in, inspection_with, report_of, settings


def status_in(outcome: LlmOutcome, **values: object) -> LlmStatus:
    inspection = inspection_in(outcome, **values)
    return status_of(inspection.trace.llm, inspection=inspection, settings=settings(**values))


GOLDEN = Path(__file__).with_name("llm.txt")
"""Reviewed text of the LLM pane; `GOLDEN.write_text(read(), "utf-8")` writes it again."""
SAME = replace(ANSWER, topics=("build", "keep", "failing", "mac"))
OPINION = LlmAnswer(IntentType.HOWTO, 0.8, "json", ("cron",), "It asks how.")
TRUSTED = floor_of(step("floor", "sum", (Operand("base", 0.5), Operand("cues", 7.0, 0.05))))


def weighed(
    report: LlmReport, found: Detection | None = None, answer: LlmAnswer | None = None, **values: object
) -> LlmStatus:
    """Return the content for a report on the design's query."""
    chosen = settings(**values)
    inspection = inspection_with(replace(report, answer=answer or report.answer), chosen, found=found)
    return status_of(inspection.trace.llm, inspection=inspection, settings=chosen)


def statuses() -> Iterator[tuple[str, LlmStatus]]:
    """Yield the pane in every outcome, under other settings and answers, and before a query."""
    yield from ((outcome.value, status_in(outcome)) for outcome in LlmOutcome)
    answered, late, silent = map(report_of, (LlmOutcome.ANSWERED, LlmOutcome.LATE, LlmOutcome.TIMED_OUT))
    for penalty in ("scaled", "none"):
        yield f"penalty {penalty}", weighed(silent, search_intent__fallback_penalty=penalty)
    yield "a floor above the penalty", weighed(silent, found=TRUSTED)
    yield "the same topics", weighed(answered, answer=SAME)
    yield "strict floor", weighed(answered, answer=replace(ANSWER, confidence=0.5), search_intent__strict_floor=True)
    yield "late and unsure", weighed(late, answer=UNSURE)
    yield "opinion", status_of(LlmReport(LlmOutcome.ANSWERED, answer=OPINION, ms=900.0, budget_ms=1000.0))
    yield "details", status_of(replace(answered, detail=DETAIL))
    ready = LlmState(LlmOutcome.ANSWERED, "", "tiny", "one_token")
    yield "before a query, ready", status_of(None, settings=settings(), state=ready)
    cold = LlmState(LlmOutcome.COLD, "The model is loading.", "tiny", load_ms=6100.0)
    yield "before a query, cold", status_of(None, state=cold)
    yield "before a query", status_of(None)


def read() -> str:
    cards = {outcome: intent_card(inspection_in(outcome), settings()) for outcome in LlmOutcome}
    detailed = replace(report_of(LlmOutcome.ANSWERED), detail=DETAIL)
    unread = replace(report_of(LlmOutcome.UNREADABLE), reply="no type here")
    raw = (raw_title(detailed), *raw_texts(detailed), *raw_texts(report_of(LlmOutcome.TIMED_OUT)), *raw_texts(unread))
    return written(
        {
            **dict(statuses()),
            "marks on the ruler, and the threshold": {
                one: (*card.marks, card.threshold) for one, card in cards.items()
            },
            "raw texts": raw,
        }
    )


def test_that_the_pane_reads_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


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


def test_that_equations_and_units_do_not_break_over_lines() -> None:
    parts = without_breaks("No answer within 200 ms. 0.550 − 0.100 = 0.450.").split(" ")
    equation = "0.550 − 0.100 = 0.450.".replace(" ", "\N{NO-BREAK SPACE}")
    assert parts == ["No", "answer", "within", "200\N{NO-BREAK SPACE}ms.", equation]
