"""Arithmetic steps as lines whose displayed numbers add up to the displayed result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.display import numbers, words
from app.domain.language import plural
from app.domain.match import Operand, Step
from app.scoring.arithmetic import (
    ALL,
    CHANCE,
    CHANCE_OF_LOGARITHM,
    COMPETING,
    EVIDENCE,
    LABEL,
    LOG_SUM,
    NONE,
    OPERATIONS,
    OWN_MEAN,
    PHRASES,
    PREFERENCE,
    PRODUCT,
    SHARE,
    SHIPPED_SLOPE,
    WITHIN,
)
from app.scoring.scorers import SCORERS

PARTS = {
    NONE: "none of these",
    ALL: "all",
    EVIDENCE: "evidence",
    LABEL: "intent",
    PREFERENCE: "within the intent",
    COMPETING: "its responses",
    WITHIN: "share of the intent",
}
"""Names of steps whose results are used in another step."""

OPERANDS = {OWN_MEAN: "its mean", PHRASES: "ln of its triggers"}
"""Names of operands that are no scorers' scores."""

LOGARITHMS = frozenset({"regression"})
"""Scorers that enter the evidence as a logarithm: that number differs from their bar."""

_DIGITS = range(numbers.SCORE_DIGITS, 21)
"""Possible decimals; that many because an operand one ulp below 1 may break a tie."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Run of text in a line; `scorer` is the key of the scorer it represents, if any."""

    text: str
    scorer: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line: the computation in pieces, and the displayed result."""

    name: str
    pieces: tuple[Piece, ...]
    result: str

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def _merged_sign(value: float) -> str:
    return f" {numbers.MINUS} " if value < 0 else " + "


def line(step: Step, thresholds: Sequence[float] = ()) -> Line:
    """Format a step as a line, with enough digits to give the displayed result."""
    result = numbers.score(step.result, thresholds) if 0.0 <= step.result <= 1.0 else numbers.fixed(step.result)
    digits = digits_that_add_up(step, result)
    if step.operation in ("sum", "weighted_mean"):
        pieces = _sum(step, digits)
    elif step.operation == "take":
        pieces = _taken(step, digits)
    elif step.operation in (CHANCE, CHANCE_OF_LOGARITHM):
        pieces = _chance(step, digits)
    elif step.operation == SHARE:
        own, whole = (numbers.fixed(operand.value, digits) for operand in step.operands)
        pieces = (Piece(f"exp({own} {numbers.MINUS} {whole})"),)
    elif step.operation == LOG_SUM:
        pieces = _log_sum(step, digits)
    elif step.operation == PRODUCT:
        pieces = (Piece(f" {numbers.TIMES} ".join(numbers.fixed(one.value, digits) for one in step.operands)),)
    else:
        pieces = _call(step, digits)
    if step.name in PARTS:
        pieces = (Piece(PARTS[step.name] + ": "), *pieces)
    return Line(step.name, pieces, result)


def digits_that_add_up(step: Step, result: str) -> int:
    """Return the fewest decimals (at least three) whose rounded operands give the result."""
    evaluate = OPERATIONS.get(step.operation)
    if evaluate is None or not step.operands:
        return _DIGITS[0]
    target = result.replace(numbers.MINUS, "-")
    shown = len(target.partition(".")[2])
    for digits in _DIGITS:
        again = evaluate([replace(operand, value=_rounded(operand.value, digits)) for operand in step.operands])
        if f"{again:.{shown}f}" == target or (target == "0" and again == 0.0):
            return digits
        if target.startswith(("<", ">")) and 0.0 < again < 1.0:
            return digits
    return _DIGITS[-1]


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}f}")


def _call(step: Step, digits: int) -> tuple[Piece, ...]:
    pieces: list[Piece] = [Piece(f"{step.operation}(")]
    for index, operand in enumerate(step.operands):
        if index:
            pieces.append(Piece(", "))
        pieces += _operand(operand, digits)
    return (*pieces, Piece(")"))


def _taken(step: Step, digits: int) -> tuple[Piece, ...]:
    first, *rest = step.operands
    pieces = _operand(first, digits)
    for operand in rest:
        above = " ≥ " if first.value >= operand.value else " < "
        pieces.append(Piece(above + numbers.fixed(operand.value, digits)))
    return tuple(pieces)


def _chance(step: Step, digits: int) -> tuple[Piece, ...]:
    """Format a chance; its operands are the confidence and the slope that identifies the scale."""
    confidence, slope, *_ = step.operands
    of = numbers.fixed(confidence.value, digits)
    said = f"{of} → right in {round(100 * step.result)} of 100"
    if slope.name != SHIPPED_SLOPE:
        return (Piece(said),)
    return Piece(said), Piece(" " + "(shipped scale)")


def _log_sum(step: Step, digits: int) -> tuple[Piece, ...]:
    """Format the first two terms in full, and count the others."""
    shown = [f"exp({numbers.fixed(operand.value, digits)})" for operand in step.operands[:2]]
    if further := len(step.operands) - len(shown):
        shown.append(plural(further, "one more", "{n} more"))
    first, *rest = shown
    return Piece(f"ln({first}"), *(Piece(f" + {part}") for part in rest), Piece(")")


def _sum(step: Step, digits: int) -> tuple[Piece, ...]:
    divided = step.operation == "weighted_mean"
    pieces: list[Piece] = [Piece("(")] if divided else []
    for index, operand in enumerate(step.operands):
        value, weight = operand.value, operand.weight
        is_log = step.name == EVIDENCE and operand.name in LOGARITHMS
        if index:
            pieces.append(Piece(_merged_sign((weight or 1.0) * (1.0 if is_log else value))))
            value, weight = value if is_log else abs(value), None if weight is None else abs(weight)
        if weight is not None and (weight != 1.0 or divided):
            pieces.append(Piece(f"{weight:.12g} {numbers.TIMES} "))
        pieces += [Piece("ln ")] if is_log else []
        pieces += _operand(Operand(operand.name, value), digits)
    if divided:
        total = math.fsum(operand.weight or 0.0 for operand in step.operands)
        pieces.append(Piece(f") / {total:.12g}"))
    return tuple(pieces)


def _operand(operand: Operand, digits: int) -> list[Piece]:
    number = numbers.fixed(operand.value, digits)
    if operand.name in SCORERS:
        return [Piece(words.scorer(operand.name).initial, operand.name), Piece(f" {number}")]
    return [Piece(f"{OPERANDS[operand.name]} {number}" if operand.name in OPERANDS else number)]
