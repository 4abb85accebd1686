"""Tests that the rows of a merge add up to its confidence, for any LLM result and policy."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.keywords import confidence_steps
from app.detect.merge import MERGERS, Ceiling, merge
from app.display import numbers, words
from app.display.scope.intent import intent_card, no_type_reason, policies
from app.display.scope.llm import LlmStatus, raw_texts, raw_title, status_of, without_breaks
from app.display.scope.merging import MergeRow, floor_terms
from app.domain.inspection import Detection, Inspection, TypeEvidence
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Operand, Step
from app.ports.llm import LlmState
from app.scoring.arithmetic import step
from app.settings.model import Settings, described
from tests import golden
from tests.build import some
from tests.golden import written
from tests.gui.llm_states import (
    ANSWER,
    DETAIL,
    UNSURE,
    floor_of,
    inspection_in,
    inspection_with,
    report_of,
    settings,
    weighed_detection,
)

CONFIDENCES = st.floats(0.0, 1.0)
TEXTS = st.sampled_from(["it fails", "does it fail?", "it fails. why? " * 3, "x" * 60])
FLOORS = st.tuples(TEXTS, st.integers(1, 6))
_ARITHMETIC = re.compile(r"[0-9.+*(), minax-]*")


def value_of(row: MergeRow) -> float:
    return 0.0 if row.value == numbers.ABSENT else float(row.value.replace(numbers.MINUS, "-"))


def worked_out(how: str) -> float:
    """Compute a row's arithmetic as with a calculator."""
    typed = how.replace(numbers.TIMES, "*").replace(numbers.MINUS, "-")
    assert _ARITHMETIC.fullmatch(typed), typed
    return float(eval(typed, {"__builtins__": {}, "min": min, "max": max}))  # noqa: S307 - our own digits


def floor(text: str, cues: int) -> Detection:
    found = weighed_detection()
    hits = (found.ranking[0].hits[0],) * cues
    made = floor_of(*confidence_steps(text, hits))
    return replace(made, ranking=(TypeEvidence(IntentType.TROUBLESHOOT, 1.2, hits),))


GOLDEN = Path(__file__).with_name("merging.txt")
"""Reviewed text of merges and policies; `GOLDEN.write_text(read())` writes it again."""

OWN = floor_of(Step("own confidence", "max", (Operand("a", 0.9),), 0.9))
NOTHING = Detection(None, "evidence")
SURE = replace(ANSWER, confidence=1.0, topics=("build", "keep", "failing", "mac"))


def merges() -> Iterator[tuple[str, Inspection, Settings]]:
    """Yield every outcome of the LLM, a rule's own confidence, no keyword, and topics that are asked for."""
    for outcome in LlmOutcome:
        yield outcome.value, inspection_in(outcome), settings()
    for outcome in (LlmOutcome.OFF, LlmOutcome.ANSWERED):
        yield f"own confidence, {outcome.value}", inspection_with(report_of(outcome), found=OWN), settings()
    for outcome in (LlmOutcome.ANSWERED, LlmOutcome.TIMED_OUT):
        yield f"no keyword, {outcome.value}", inspection_with(report_of(outcome), found=NOTHING), settings()
    values, found = settings(search_intent__require_topics=True), weighed_detection()
    bare = replace(found, intent=replace(some(found.intent), topics=()))
    yield "without topics", inspection_with(report_of(LlmOutcome.OFF), values, found=bare), values


def merge_text(inspection: Inspection, values: Settings) -> Iterator[str]:
    card = intent_card(inspection, values)
    yield f"{card.confidence} ({card.total}): {card.source}"
    yield from (golden.line(row) for row in card.sums)


def tables() -> Iterator[str]:
    """Yield policies side by side: that part, agree, differ in topics, are capped, and by type."""
    answered, sure = (
        report_of(LlmOutcome.ANSWERED, replace(ANSWER, topics=("mac",))),
        report_of(LlmOutcome.ANSWERED, SURE),
    )
    for policy, inspection in (
        ("adr", inspection_in(LlmOutcome.TIMED_OUT)),
        ("shipped", inspection_in(LlmOutcome.OFF)),
        ("adr", inspection_with(answered)),
        ("adr", inspection_with(sure, found=floor("why? it fails. " * 5, 3))),
        ("by_type", inspection_with(report_of(LlmOutcome.ANSWERED, ANSWER))),
    ):
        table = some(policies(inspection, settings(search_intent__merge=policy)))
        for place, confidence in enumerate(table.confidences):
            total = math.fsum(float(row.values[place].replace("−", "-") or 0) for row in table.rows)
            assert f"{total:.3f}" == confidence
        yield f"{' | '.join(table.names)}, in force number {table.used}. {table.sentence}"
        yield f"  {' | '.join(table.confidences)}; topics: {golden.line(table.topics)}"
        yield from (f"  {golden.line(row)}; shared: {row.how or 'none'}" for row in table.rows)


def read() -> str:
    many = (floor("why? it fails. " * 5, 5), floor("it fails", 3))
    silent = inspection_with(report_of(LlmOutcome.TIMED_OUT), found=NOTHING)
    return written(
        {
            **{name: merge_text(inspection, values) for name, inspection, values in merges()},
            "terms of a floor": [" + ".join(term.text(3) for term in floor_terms(one)) for one in many],
            "no type": no_type_reason(silent, None),
            "policies": tables(),
        }
    )


def test_that_merges_and_policies_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_every_silence_has_a_source_of_its_own() -> None:
    silent = [outcome for outcome, one in words.LLM.items() if one.silent]
    assert len({intent_card(inspection_in(one), settings()).source for one in silent}) == len(silent)


@given(
    st.sampled_from(LlmOutcome),
    CONFIDENCES,
    FLOORS,
    st.sampled_from(sorted(MERGERS)),
    st.sampled_from(["table", "scaled", "none"]),
    st.booleans(),
    st.sampled_from([(), ("build",), ("build", "keep", "failing", "mac")]),
)
def test_that_the_rows_as_shown_add_up_to_the_confidence_as_shown(
    outcome: LlmOutcome,
    confidence: float,
    typed: tuple[str, int],
    policy: str,
    penalty: str,
    strict: bool,
    topics: tuple[str, ...],
) -> None:
    values = settings(
        search_intent__merge=policy, search_intent__fallback_penalty=penalty, search_intent__strict_floor=strict
    )
    answer = replace(ANSWER, confidence=confidence, topics=topics) if outcome is LlmOutcome.ANSWERED else None
    if answer is not None and confidence < values.search_intent.min_confidence:
        outcome = LlmOutcome.LOW_CONFIDENCE
    inspection = inspection_with(report_of(outcome, answer), values, found=floor(*typed))
    card = intent_card(inspection, values)
    assert len({row.key for row in card.sums}) == len(card.sums), "nothing is shown twice"
    shown = card.total
    if shown[0] not in "<>":
        digits = len(shown.partition(".")[2])
        total = math.fsum(value_of(row) for row in card.sums)
        assert f"{total:.{digits}f}" == (shown if shown != "0" else f"{0:.{digits}f}")
    for row in card.sums:
        if row.adds:
            digits = len(row.value.partition(".")[2])
            assert f"{worked_out(row.how):.{digits}f}" == f"{value_of(row):.{digits}f}", row


def test_that_an_inspection_with_fewer_than_two_policies_has_no_table() -> None:
    assert policies(replace(inspection_in(LlmOutcome.OFF), by_merger={}), settings()) is None


def status_in(outcome: LlmOutcome, **values: object) -> LlmStatus:
    inspection = inspection_in(outcome, **values)
    return status_of(inspection.trace.llm, inspection=inspection, settings=settings(**values))


LLM_GOLDEN = Path(__file__).with_name("llm.txt")
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


def llm_read() -> str:
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
    assert llm_read() == LLM_GOLDEN.read_text("utf-8")


def test_that_no_two_outcomes_share_a_word_and_that_faults_have_the_same_colour() -> None:
    assert len({one.word for one in words.LLM.values()}) == len(LlmOutcome)
    tones: dict[str, set[LlmOutcome]] = {}
    for outcome, one in words.LLM.items():
        tones.setdefault(one.token, set()).add(outcome)
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
