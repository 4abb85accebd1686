"""Arithmetic steps as lines that add up, and the reason why an answer comes first (S9.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.display import numbers, words
from app.domain.inspection import Inspection
from app.domain.language import plural
from app.domain.match import Match, Operand, Step
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
    credited_scorers,
    speaking,
    step,
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

SHORTENED = frozenset({"fuzzy"})
"""Scorers that enter the evidence with their part above chance: that number differs from their bar."""

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


def line(step: Step, thresholds: Sequence[float] = ()) -> Line:
    """Format a step as a line, with enough digits to give the displayed result."""
    result = numbers.score(step.result, thresholds) if 0.0 <= step.result <= 1.0 else numbers.fixed(step.result)
    digits = digits_that_add_up(step, result)
    if step.operation in ("sum", "weighted_mean"):
        pieces = _sum(step, digits)
    elif step.operation == "take":
        pieces = _subtraction(step, digits)
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
        again = evaluate([replace(operand, value=float(f"{operand.value:.{digits}f}")) for operand in step.operands])
        if f"{again:.{shown}f}" == target or (target == "0" and again == 0.0):
            return digits
        if target.startswith(("<", ">")) and 0.0 < again < 1.0:
            return digits
    return _DIGITS[-1]


def _call(step: Step, digits: int) -> tuple[Piece, ...]:
    pieces: list[Piece] = [Piece(f"{step.operation}(")]
    for index, operand in enumerate(step.operands):
        if index:
            pieces.append(Piece(", "))
        pieces += _operand(operand, digits)
    return (*pieces, Piece(")"))


def _subtraction(step: Step, digits: int) -> tuple[Piece, ...]:
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
            is_less = (weight or 1.0) * (1.0 if is_log else value) < 0
            pieces.append(Piece(f" {numbers.MINUS} " if is_less else " + "))
            value, weight = value if is_log else abs(value), None if weight is None else abs(weight)
        if weight is not None and (weight != 1.0 or divided):
            pieces.append(Piece(f"{weight:.12g} {numbers.TIMES} "))
        pieces += [Piece("ln ")] if is_log else []
        if step.name == EVIDENCE and operand.name in SHORTENED:
            scorer, number = _operand(Operand(operand.name, value), digits)
            pieces += [scorer, Piece(f" above chance{number.text}")]
        else:
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


LEAD = "lead"
"""Name of the step that adds up the contributions."""

AGAINST = 0.3
"""Share of the positive contributions from which negative ones are named, too."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason for a match's rank in its list.

    `rival` is the best other answer of the list (None without one), `lead` the difference of the confidences,
    `contributions` each scorer's contribution over the rival in log-odds, largest first. `credited` are the scorers
    named as deciding, most important first.
    """

    sentence: str
    rival: Match | None = field(default=None, compare=False)
    lead: float = 0.0
    contributions: tuple[Operand, ...] = ()
    credited: tuple[str, ...] = ()


def reason_of(inspection: Inspection, match: Match) -> Reason:
    """Return why a match is ahead of the best other answer of its list, or behind it."""
    rival = rival_of(inspection, match)
    if rival is None:
        return Reason(f"No other {words.KINDS[match.kind].lower()} competes.")
    lead = match.confidence - rival.confidence
    if _is_chosen(inspection, match) or _is_chosen(inspection, rival):
        chosen = match if _is_chosen(inspection, match) else rival
        return Reason(f"The LLM chose {words.named(chosen.answer)}.", rival, lead)
    told = _with_labels(match.account.contributions_over(rival.scores), match, rival)
    if lead == 0.0:
        return Reason(f"Level with {words.named(rival.answer)}.", rival, lead, told)
    credited = credited_scorers(told, ahead=lead > 0.0)
    name, own, other = words.named(rival.answer), match.confidence, rival.confidence
    better = [one.answer for one in inspection.memories if one.confidence > other]
    intent, next_intent = (one.confidence if one.label_chance is None else one.label_chance for one in (match, rival))
    if match.answer in better and len(better) > 1 and intent > next_intent:
        name, own, other = f"{name} (next intent)", intent, next_intent
    apart = numbers.points_apart(own, other)
    placed = f"Ahead of {name} by {apart}" if lead > 0.0 else f"Behind {name} by {apart}"
    return Reason(f"{placed}{_credit(told, credited, ahead=lead > 0.0)}.", rival, lead, told, credited)


def _with_labels(contributions: Sequence[Operand], match: Match, rival: Match) -> tuple[Operand, ...]:
    """The contributions with the effect of the memories that share the label of either."""
    shared = match.label_log_odds - rival.label_log_odds
    if not shared:
        return tuple(contributions)
    return tuple(sorted((*contributions, Operand(LABEL, shared)), key=lambda one: -one.value))


def _credit(contributions: Sequence[Operand], credited: Sequence[str], *, ahead: bool) -> str:
    """Return which scorers decided, and those against them; "" if unknown."""
    if not credited:
        return ""
    own, other = speaking(contributions, ahead=ahead), speaking(contributions, ahead=not ahead)
    mostly = "" if len(own) == len(credited) else "mostly "
    said = f", {mostly}by {compared(*credited)}"
    if other and other[0].value >= AGAINST * math.fsum(one.value for one in own):
        said += f", despite {compared(other[0].name)}"
    return said


def compared(*scorers: str) -> str:
    """Return the phrase for scorers in a sentence, and for one beside the bar of its contribution."""
    titles = [words.scorer(scorer).title.lower() for scorer in scorers if scorer != LABEL]
    scores = f"the {' and '.join(titles)} score{'s' * (len(titles) != 1)}"
    return " and ".join([scores] * bool(titles) + ["memories of its intent"] * (LABEL in scorers))


def reason_lines(reason: Reason) -> tuple[Line, ...]:
    """Return the contributions as a sum that adds up."""
    if reason.rival is None or not reason.contributions:
        return ()
    found = line(step(LEAD, "sum", reason.contributions))
    return (replace(found, pieces=(Piece(f"over {words.named(reason.rival.answer)}: "), *found.pieces)),)


def rival_of(inspection: Inspection, match: Match) -> Match | None:
    """Return the best other answer of the list; memories of one label are one answer."""
    label = match.answer.answer_label
    others = (
        one
        for one in (*inspection.matches, *inspection.below)
        if one.kind is match.kind and one.answer != match.answer and one.confidence > 0.0
    )
    return next((one for one in others if label is None or one.answer.answer_label != label), None)


def _is_chosen(inspection: Inspection, match: Match) -> bool:
    """Check if the LLM put this match first."""
    name = match.answer.answer_label or match.answer.name
    return any(
        choice.steps and choice.answer is not None and choice.answer.name == choice.name == name
        for choice in inspection.trace.choices
    )
