"""Tests that shown lines of arithmetic can be recomputed from their numbers."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from app.display import numbers
from app.display.scope.matches import arithmetic
from app.domain.match import Operand, Step
from app.scoring.arithmetic import BALANCED, EVIDENCE, NONE, OPERATIONS, SHIPPED_SLOPE, SLOPE, step

UNIT = st.floats(0.0, 1.0).filter(lambda value: not 0.0 < value < 1e-15)  # smaller values cannot be shown
NAMES = st.sampled_from(["exact", "fuzzy", "semantic", "centroid", "mean", "base"])
OPERANDS = st.lists(st.builds(Operand, NAMES, UNIT), min_size=1, max_size=5)
WEIGHED = st.lists(st.builds(Operand, NAMES, UNIT, st.sampled_from([0.1, 0.3, 0.4])), min_size=1, max_size=5)
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?")


def again(made: Step, line: arithmetic.Line) -> float:
    """Compute the result of a line from its text, as a reader would."""
    found = [float(text) for text in _NUMBER.findall(line.text)]
    if made.operation in ("sum", "weighted_mean"):
        weighed = made.operation == "weighted_mean"
        found = found[:-1] if weighed else found
        values = found[1::2] if any(operand.weight not in (None, 1.0) for operand in made.operands) else found
    else:
        values = found
    operands = [Operand(o.name, value, o.weight) for o, value in zip(made.operands, values, strict=True)]
    return OPERATIONS[made.operation](operands)


@given(st.sampled_from(["mean", "max", "min"]), OPERANDS)
def test_that_a_call_re_adds_to_the_number_it_shows(operation: str, operands: list[Operand]) -> None:
    made = step("any", operation, operands)
    line = arithmetic.line(made)
    if line.result[0] not in "<>":
        digits = len(line.result.partition(".")[2])
        assert f"{again(made, line):.{digits}f}" == (line.result if line.result != "0" else "0")


@example([Operand("exact", 0.0, 0.4), Operand("exact", 1.0 - 2.0**-53, 0.1), Operand("exact", 0.005, 0.1)])
@example([Operand("exact", 2.0**-52, 0.3), Operand("exact", 0.3, 0.3), Operand("exact", 0.2, 0.4)])
@given(WEIGHED)
def test_that_a_weighted_mean_re_adds_to_the_number_it_shows(operands: list[Operand]) -> None:
    made = step("any", "weighted_mean", operands)
    line = arithmetic.line(made)
    if line.result[0] not in "<>":
        digits = len(line.result.partition(".")[2])
        assert f"{again(made, line):.{digits}f}" == (line.result if line.result != "0" else "0")


def test_that_operands_gain_digits_until_the_line_re_adds() -> None:
    made = step("mean", "mean", [Operand("semantic", 0.8384), Operand("centroid", 0.8744)])
    assert arithmetic.line(made).text == "mean(S 0.838, C 0.874)"
    made = step("sum", "sum", [Operand("a", 0.1004), Operand("b", 0.2004)])
    line = arithmetic.line(made)
    assert (line.text, line.result) == ("0.1004 + 0.2004", "0.301")


def test_that_a_result_next_to_a_threshold_gains_digits_and_its_operands_follow() -> None:
    made = step("mean", "mean", [Operand("semantic", 0.8496), Operand("centroid", 0.8496)])
    line = arithmetic.line(made, (0.85,))
    assert (line.text, line.result) == ("mean(S 0.8496, C 0.8496)", "0.8496")


def test_that_scorers_are_told_by_their_initial_and_others_by_their_number_alone() -> None:
    line = arithmetic.line(step("confidence", "max", [Operand("exact", 0.0), Operand("mean", 0.856)]))
    assert line.text == "max(E 0, 0.856)"
    assert [piece.scorer for piece in line.pieces if piece.scorer] == ["exact"]


def test_that_a_taken_score_shows_the_threshold_it_passed() -> None:
    line = arithmetic.line(step("confidence", "take", [Operand("fuzzy", 0.8), Operand("threshold", 0.75)]))
    assert line.text == "F 0.800 ≥ 0.750"


def test_that_a_sum_subtracts_with_a_real_minus() -> None:
    line = arithmetic.line(step("merge", "sum", [Operand("floor", 0.55), Operand("penalty", -0.1)]))
    assert line.text == f"0.550 {numbers.MINUS} 0.100"
    assert line.result == "0.450"


def test_that_an_operation_without_a_row_is_still_written() -> None:
    line = arithmetic.line(Step("odd", "median", (Operand("a", 0.1),), 0.1))
    assert line.text == "median(0.100)"


def test_that_a_logarithm_of_a_score_is_not_told_as_the_score() -> None:
    made = step(EVIDENCE, "sum", [Operand("semantic", 0.878, 4.7), Operand("regression", -0.701, 1.5)])
    line = arithmetic.line(made)
    assert line.text == "evidence: 4.7 × S 0.878 + 1.5 × ln L −0.701"
    assert [piece.scorer for piece in line.pieces if piece.scorer] == ["semantic", "regression"]


def test_that_the_part_of_a_score_above_chance_is_not_told_as_the_score() -> None:
    made = step(EVIDENCE, "sum", [Operand("semantic", 0.878, 4.7), Operand("fuzzy", 0.264, 4.19)])
    line = arithmetic.line(made)
    assert line.text == "evidence: 4.7 × S 0.878 + 4.19 × F above chance 0.264"
    assert [piece.scorer for piece in line.pieces if piece.scorer] == ["semantic", "fuzzy"]
    plain = arithmetic.line(step("confidence", "sum", [Operand("fuzzy", 0.779, 1.0)]))
    assert plain.text == "F 0.779"


def test_that_a_chance_tells_how_often_it_is_right_and_whose_scale_says_so() -> None:
    for scale, said in ((SLOPE, ""), (SHIPPED_SLOPE, " (shipped scale)")):
        told = step("confidence", "chance", (Operand(BALANCED, 0.6), Operand(scale, 10.0), Operand("offset", -4.0)))
        line = arithmetic.line(told)
        assert (line.text, line.result) == (f"0.600 → right in 88 of 100{said}", "0.881")


def test_that_a_fitted_weight_below_zero_is_taken_away_and_the_part_is_named() -> None:
    made = step(
        NONE, "sum", [Operand("none", -2.5, 1.0), Operand("energy", 5.0, -0.38), Operand("background", -3.0, 0.4)]
    )
    line = arithmetic.line(made)
    assert line.text == "none of these: −2.500 − 0.38 × 5.000 − 0.4 × 3.000"
    assert line.result == "−5.600"
    made = step(NONE, "sum", [Operand("none", 1.0, 1.0), Operand("background", -3.0, -0.4)])
    assert arithmetic.line(made).text == "none of these: 1.000 + 0.4 × 3.000"
