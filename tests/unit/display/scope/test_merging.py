"""Tests that the rows of a merge add up to its confidence, for any LLM result and policy."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.keywords import confidence_steps
from app.detect.merge import MERGERS
from app.display import numbers
from app.display.scope.intent import intent_card, no_type_reason, policies
from app.display.scope.merging import SILENT, MergeRow, floor_terms, merge_rows
from app.display.words import merge_policy
from app.domain.intent import IntentType
from app.domain.llm import LlmOutcome
from app.domain.match import Operand, Step
from app.domain.scope.inspection import Detection, TypeEvidence
from tests.build import some
from tests.gui.llm_states import (
    ANSWER,
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


@pytest.mark.parametrize(
    ("outcome", "rows"),
    [
        (LlmOutcome.OFF, [("1 keyword", "0.500 + 1 × 0.050", "0.550")]),
        (
            LlmOutcome.TIMED_OUT,
            [("1 keyword", "0.500 + 1 × 0.050", "0.550"), ("LLM timed out", "below 0.800", "−0.100")],
        ),
        (
            LlmOutcome.ANSWERED,
            [("Keywords", "0.3 × (0.500 + 1 × 0.050)", "0.165"), ("LLM, after 142 ms", "0.7 × 0.910", "0.637")],
        ),
        (LlmOutcome.ASKING, [("1 keyword", "0.500 + 1 × 0.050", "0.550"), ("LLM asked", "no word yet", "–")]),
        (
            LlmOutcome.LOW_CONFIDENCE,
            [("1 keyword", "0.500 + 1 × 0.050", "0.550"), ("LLM too unsure", "38 % is under 50 %", "0")],
        ),
        (
            LlmOutcome.UNREACHABLE,
            [("1 keyword", "0.500 + 1 × 0.050", "0.550"), ("LLM unreachable", "changes nothing", "0")],
        ),
    ],
)
def test_that_the_rows_read_as_in_the_design(outcome: LlmOutcome, rows: list[tuple[str, str, str]]) -> None:
    card = intent_card(inspection_in(outcome), settings())
    assert [(row.what, row.how, row.value) for row in card.sums] == rows


def test_that_a_late_answer_leaves_the_rows_of_the_time_out_as_they_are() -> None:
    timed_out, late = (intent_card(inspection_in(o), settings()) for o in (LlmOutcome.TIMED_OUT, LlmOutcome.LATE))
    assert timed_out.sums == late.sums
    assert timed_out.confidence == late.confidence
    assert (timed_out.source, late.source) == ("From keywords, LLM timed out", "From keywords, LLM late")


@pytest.mark.parametrize("outcome", [outcome for outcome in LlmOutcome if outcome is not LlmOutcome.OFF])
def test_that_the_number_of_rows_is_the_same_from_asking_to_any_outcome(outcome: LlmOutcome) -> None:
    assert [row.key for row in intent_card(inspection_in(outcome), settings()).sums] == ["floor", "llm"]


def test_that_every_silence_has_a_source_of_its_own() -> None:
    sources = {outcome: intent_card(inspection_in(outcome), settings()).source for outcome in LlmOutcome}
    assert len({sources[outcome] for outcome in SILENT}) == len(SILENT)
    assert sources[LlmOutcome.OFF] == "From keywords"
    assert sources[LlmOutcome.ANSWERED] == "From keywords and the LLM"


def test_that_many_cues_are_capped_in_sight_and_equal_bonuses_stand_together() -> None:
    terms = floor_terms(floor("why? it fails. " * 5, 5))
    assert " + ".join(term.text(3) for term in terms) == "0.500 + min(5 × 0.050, 0.150) + 3 × 0.100"
    three = floor_terms(floor("it fails", 3))
    assert " + ".join(term.text(3) for term in three) == "0.500 + 3 × 0.050"


def test_that_a_rules_own_confidence_is_said_in_words() -> None:
    own = floor_of(Step("own confidence", "max", (Operand("a", 0.9),), 0.9))
    row = intent_card(inspection_with(report_of(LlmOutcome.OFF), found=own)).sums[0]
    assert (row.how, row.value, row.adds) == ("the rule’s own confidence", "90 %", False)
    weighed = intent_card(inspection_with(report_of(LlmOutcome.ANSWERED), found=own)).sums[0]
    assert (weighed.how, weighed.value) == ("0.3 × 0.900", "0.270")


def test_that_without_a_floor_the_llm_stands_alone_or_there_is_no_intent() -> None:
    nothing = Detection(None, "evidence")
    card = intent_card(inspection_with(report_of(LlmOutcome.ANSWERED), found=nothing), settings())
    assert [(row.what, row.value) for row in card.sums] == [("Keywords", "–"), ("LLM, after 142 ms", "0.910")]
    assert (card.confidence, card.total, card.source) == ("91 %", "0.910", "From the LLM, no keyword matched")
    silent = inspection_with(report_of(LlmOutcome.TIMED_OUT), found=nothing)
    assert no_type_reason(silent, None) == "No keyword rule matches this text, LLM timed out."
    assert [row.value for row in intent_card(silent, settings()).sums] == ["–", "–"]


def test_that_a_confidence_never_seems_to_cross_the_surfacing_threshold() -> None:
    close = replace(ANSWER, confidence=(0.59996 - 0.165) / 0.7)
    card = intent_card(inspection_with(report_of(LlmOutcome.ANSWERED, close)), settings())
    assert (card.confidence, float(card.total) < 0.6) == ("<60 %", True)
    total = math.fsum(value_of(row) for row in card.sums)
    assert f"{total:.{len(card.total) - 2}f}" == card.total


def test_that_policies_stand_side_by_side_and_part_at_one_row() -> None:
    table = some(policies(inspection_in(LlmOutcome.TIMED_OUT), settings(search_intent__merge="adr")))
    assert table.names == (merge_policy("adr"), merge_policy("shipped"))
    assert table.confidences == ("0.450", "0.550")
    assert [(row.what, row.values, row.parts) for row in table.rows] == [
        ("1 keyword", ("0.550", "0.550"), False),
        ("LLM timed out", ("−0.100", "0"), True),
    ]
    assert table.rows[0].how == "0.500 + 1 × 0.050"
    assert table.rows[1].how == ""
    assert table.sentence == "In force: as decided. They part at “LLM timed out”."


def test_that_policies_that_agree_say_so_and_topics_are_told_apart() -> None:
    table = some(policies(inspection_in(LlmOutcome.OFF), settings(search_intent__merge="shipped")))
    assert (table.used, table.sentence) == (1, "In force: as built. Here the results are equal.")
    answer = replace(ANSWER, topics=("mac",))
    table = some(
        policies(inspection_with(report_of(LlmOutcome.ANSWERED, answer)), settings(search_intent__merge="adr"))
    )
    assert table.topics == ("mac, build, keep, failing", "mac")


def test_that_the_cap_of_the_shipped_policy_is_a_row_where_it_bites() -> None:
    sure = replace(ANSWER, confidence=1.0, topics=("build", "keep", "failing", "mac"))
    high = floor("why? it fails. " * 5, 3)
    table = some(
        policies(
            inspection_with(report_of(LlmOutcome.ANSWERED, sure), found=high), settings(search_intent__merge="adr")
        )
    )
    assert [row.what for row in table.rows] == ["Keywords", "LLM, after 142 ms", "Same topics", "Cap"]
    assert table.confidences == ("1.000", "0.950")
    for place in range(2):
        total = math.fsum(float(row.values[place].replace("−", "-") or 0) for row in table.rows)
        assert f"{total:.3f}" == table.confidences[place]


def test_that_by_type_stands_beside_as_decided_and_its_rows_add_up() -> None:
    table = some(policies(inspection_with(report_of(LlmOutcome.ANSWERED, ANSWER)), settings()))
    assert (table.names, table.used) == ((merge_policy("by_type"), merge_policy("adr")), 0)
    for place in range(2):
        total = math.fsum(float(row.values[place].replace("−", "-") or 0) for row in table.rows)
        assert f"{total:.3f}" == table.confidences[place]


def test_that_an_inspection_with_fewer_than_two_policies_has_no_table() -> None:
    assert policies(replace(inspection_in(LlmOutcome.OFF), by_merger={}), settings()) is None


def test_that_settings_asking_for_topics_take_an_intent_away_in_sight() -> None:
    values = settings(search_intent__require_topics=True)
    found = weighed_detection()
    assert found.intent is not None
    bare = replace(found, intent=replace(found.intent, topics=()))
    inspection = inspection_with(report_of(LlmOutcome.OFF), values, found=bare)
    card = intent_card(inspection, values)
    assert [(row.what, row.value) for row in card.sums] == [("1 keyword", "0.550"), ("No topics", "−0.550")]
    assert card.total == "0"
    assert merge_rows(inspection, inspection.by_merger["adr"], "adr", None)[-1].how == "the settings ask for one"
