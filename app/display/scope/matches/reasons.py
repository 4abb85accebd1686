"""Reason why an answer comes first: each scorer's contribution over the runner-up (S9.2).

Contributions are log-odds. `reason_of` makes the sentence for the headline, the pane *Selected*, the terminal, JSON and
assistants.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.display import numbers, words
from app.display.scope.matches.arithmetic import Line, Piece, line
from app.domain.match import Match, Operand
from app.domain.scope.inspection import Inspection
from app.scoring.arithmetic import LABEL, step
from app.scoring.contributions import credited_scorers, speaking

LEAD = "lead"
"""Name of the step that adds up the contributions."""

AGAINST = 0.3
"""Share of the positive contributions from which negative ones are named, too."""

COMPARES: Mapping[str, str] = {
    "exact": "the exact score",
    "fuzzy": "the fuzzy score",
    "token_overlap": "the token score",
    "bm25": "rare words",
    "semantic": "the semantic score",
    "centroid": "the centroid",
    "description": "its description",
    "regression": "the learned score",
    "keyword": "its keyword",
    LABEL: "memories of its intent",
}
"""Phrase for each scorer in a sentence, with the name it has beside its bar."""


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

    @property
    def log_odds(self) -> float:
        """Sum of the contributions."""
        return math.fsum(one.value for one in self.contributions)


def reason_of(inspection: Inspection, match: Match) -> Reason:
    """Return why a match is ahead of the best other answer of its list, or behind it."""
    rival = rival_of(inspection, match)
    if rival is None:
        return Reason(f"No other {words.KINDS[match.kind].lower()} competes.")
    lead = match.confidence - rival.confidence
    if _is_chosen(inspection, match) or _is_chosen(inspection, rival):
        chosen = match if _is_chosen(inspection, match) else rival
        return Reason(f"The LLM chose {chosen.answer.name}.", rival, lead)
    told = _with_labels(match.account.contributions_over(rival.scores), match, rival)
    if lead == 0.0:
        return Reason(f"Level with {rival.answer.name}.", rival, lead, told)
    credited = credited_scorers(told, ahead=lead > 0.0)
    apart, name = numbers.points(abs(lead)), rival.answer.name
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
    said = f", {mostly}by {' and '.join(compared(name) for name in credited)}"
    if other and other[0].value >= AGAINST * math.fsum(one.value for one in own):
        said += f", despite {compared(other[0].name)}"
    return said


def compared(scorer: str) -> str:
    """Return the phrase for a scorer in a sentence."""
    return COMPARES[scorer] if scorer in COMPARES else words.scorer(scorer).title.lower()


def reason_lines(reason: Reason) -> tuple[Line, ...]:
    """Return the contributions as a sum that adds up."""
    if reason.rival is None or not reason.contributions:
        return ()
    found = line(step(LEAD, "sum", reason.contributions))
    return (replace(found, pieces=(Piece(f"over {reason.rival.answer.name}: "), *found.pieces)),)


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
