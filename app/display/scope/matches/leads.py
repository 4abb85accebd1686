"""What a chance is won by, in log-odds: against the runner-up scorer by scorer, and against none of these.

Two chances of one whole are as exp of the difference of their evidence, and each evidence is a sum over scorers: so the
difference is a sum of what each scorer says more for the one than for the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.display import numbers, words
from app.display.scope.matches.arithmetic import Line, Piece, line
from app.domain.library import Kind
from app.domain.match import Match, Operand, Step
from app.domain.scope.inspection import Inspection
from app.scoring.arithmetic import EVIDENCE, NONE, step
from app.scoring.scorers import SCORERS

LEAD = "lead"

DIGITS = 2
"""Of what a sentence tells; the lines of *Selected* have more."""

WON_BY: Mapping[str, str] = {
    "exact": "the same words",
    "fuzzy": "spelling",
    "token_overlap": "shared words",
    "bm25": "rare words",
    "semantic": "meaning",
    "centroid": "all that is taught with it",
    "description": "its description as a whole",
    "regression": "what is learned",
    "keyword": "its keyword",
}
"""What a scorer compares, as the end of "won by"; a scorer without words here is called by its title."""


@dataclass(frozen=True, slots=True)
class LogOddsLead:
    """How far ahead a chance is in log-odds: `over` the best other answer of its kind, a sum with an operand for each
    scorer that tells the two apart, the largest first (None where it is the only one), and over none of these."""

    rival: Match | None
    over: Step | None
    over_none: float


def compared(scorer: str) -> str:
    """What a scorer compares, in words."""
    return WON_BY[scorer] if scorer in WON_BY else words.scorer(scorer).title.lower()


def lead_of(inspection: Inspection, match: Match) -> LogOddsLead | None:
    """What a match is ahead by; None where its confidence is no share of one whole."""
    steps = _steps(match)
    own, none = _parts(steps), steps.get(NONE)
    if own is None or none is None:
        return None
    over_none = math.fsum((*own.values(), -none.result))
    rival = _rival(inspection, match)
    theirs = None if rival is None else _parts(_steps(rival))
    if rival is None or theirs is None:
        return LogOddsLead(None, None, over_none)
    names = dict.fromkeys((*own, *theirs))
    apart = [Operand(name, own.get(name, 0.0) - theirs.get(name, 0.0)) for name in names]
    telling = sorted((one for one in apart if one.value), key=lambda one: -one.value)
    return LogOddsLead(rival, step(LEAD, "sum", telling), over_none)


def lead_words(lead: LogOddsLead, following: Match | None = None) -> str:
    """The scorers that put a match ahead, in one sentence; no lead where it is behind "none of these".

    Chances are won within one kind, and labels are one answer each: where another answer than the rival is `following`
    on the list, the sentence says among which ones.
    """
    sentence = _lead_sentence(lead)
    if lead.rival is None or following is None or following.answer == lead.rival.answer:
        return sentence
    if following.kind is lead.rival.kind:
        return f"Among labels: {sentence.lower()}"
    if lead.rival.kind is Kind.POWER:
        return f"Among powers: {sentence.lower()}"
    return f"Among memories: {sentence.lower()}"


def _lead_sentence(lead: LogOddsLead) -> str:
    is_behind = lead.over_none < 0.0
    none = numbers.fixed(abs(lead.over_none), DIGITS)
    is_ahead = lead.over is None or lead.over.result >= 0.0
    telling, against = _said(lead, speak_for=is_ahead), _said(lead, speak_for=not is_ahead)
    if lead.rival is None or not telling:
        if is_behind:
            return f"{none} behind none of these."
        return f"Won with {none} over none of these."
    name, parts = lead.rival.answer.name, telling
    if against and is_ahead and not is_behind:
        name = _in_spite(name, against)
    elif against:
        parts = _in_spite(telling, against)
    if not is_ahead and is_behind:
        return f"{none} behind none of these; behind {name} by {parts}."
    if not is_ahead:
        return f"Behind {name} by {parts}; {none} over none of these."
    if is_behind:
        return f"{none} behind none of these; ahead of {name} by {parts}."
    return f"Won by {parts} over {name}; {none} over none of these."


def _in_spite(what: str, against: str) -> str:
    return f"{what}, in spite of {against}"


def lead_lines(lead: LogOddsLead) -> tuple[Line, ...]:
    """The lead as sums that can be checked."""
    if lead.rival is None or lead.over is None or not lead.over.operands:
        return ()
    found = line(lead.over)
    over = f"over {lead.rival.answer.name}: "
    return (replace(found, pieces=(Piece(over), *found.pieces)),)


def _said(lead: LogOddsLead, *, speak_for: bool) -> str:
    """The scorers that speak for the one of the two, or against it, but for what is nothing in so many digits."""
    telling = () if lead.over is None else lead.over.operands
    own = [one for one in telling if round(one.value, DIGITS) and (one.value > 0.0) is speak_for]
    own = own if speak_for else own[::-1]
    sign = "+" if speak_for else numbers.MINUS
    said = [f"{compared(one.name)} {sign}{numbers.fixed(abs(one.value), DIGITS)}" for one in own]
    if len(said) < 2:
        return "".join(said)
    return f"{', '.join(said[:-1])} and {said[-1]}"


def _rival(inspection: Inspection, match: Match) -> Match | None:
    """The best other answer of its kind: memories under one label are one."""
    label = match.answer.answer_label
    others = (one for one in inspection.matches if one.kind is match.kind and one.answer != match.answer)
    return next((one for one in others if label is None or one.answer.answer_label != label), None)


def _steps(match: Match) -> Mapping[str, Step]:
    return {one.name: one for one in match.steps}


def _parts(steps: Mapping[str, Step]) -> dict[str, float] | None:
    """What each scorer adds to the evidence; None where there is none, or the texts alone could be compared."""
    found = steps.get(EVIDENCE)
    if found is None or any(one.name not in SCORERS for one in found.operands):
        return None
    return {one.name: one.value * (1.0 if one.weight is None else one.weight) for one in found.operands}
