"""Contribution of each scorer to the lead over the runner-up, in log-odds.

Where both confidences are shares of one whole, each is exp of a sum over scorers, and the contributions are the
differences of the terms. Otherwise they are Shapley values: the mean effect of exchanging one score of the
runner-up for that of the answer, over all orders (L. S. Shapley, "A value for n-person games", 1953). Either way
they sum to the difference of the log-odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Protocol

from app.domain.match import Breakdown, Operand
from app.scoring.arithmetic import EVIDENCE, Explanation
from app.scoring.scorers import SCORERS

MOST_CREDITED = 2
"""Maximum number of scorers that a sentence credits."""

ENOUGH = 0.6
"""Share of the positive contributions that the credited scorers have to reach."""

MOST_LOG_ODDS = 20.0
"""Limit of log-odds, for confidences of 0 and 1."""

_NOTHING = 1e-12
"""Tolerance for rounding errors around 0."""


class Confidence(Protocol):
    """Mapping from the scores of a candidate to its confidence."""

    def explained(self, scores: Breakdown) -> Explanation: ...

    def confidence(self, scores: Breakdown) -> float: ...


def contributions(own: Breakdown, rival: Breakdown, how: Confidence) -> tuple[Operand, ...]:
    """Compute each scorer's contribution in log-odds, largest first, without zeros."""
    theirs = _evidence(how.explained(rival))
    mine = _evidence(how.explained(own)) if theirs is not None else None
    if mine is None or theirs is None:
        found = _shapley(own, rival, how)
    else:
        found = {name: mine.get(name, 0.0) - theirs.get(name, 0.0) for name in dict.fromkeys((*mine, *theirs))}
    adding = (Operand(name, value) for name, value in found.items() if abs(value) > _NOTHING)
    return tuple(sorted(adding, key=lambda one: -one.value))


def speaking(found: Sequence[Operand], *, ahead: bool) -> list[Operand]:
    """Return the contributions of one side as positive values, largest first."""
    sign = 1.0 if ahead else -1.0
    own = [replace(one, value=sign * one.value) for one in found if sign * one.value > 0.0]
    return sorted(own, key=lambda one: -one.value)


def credited_scorers(found: Sequence[Operand], *, ahead: bool) -> tuple[str, ...]:
    """Return the deciding scorers, most important first: for or against the answer."""
    own = speaking(found, ahead=ahead)
    whole, said = math.fsum(one.value for one in own), list[str]()
    credited = 0.0
    for one in own[:MOST_CREDITED]:
        said.append(one.name)
        credited += one.value
        if credited >= ENOUGH * whole:
            break
    return tuple(said)


def log_odds(confidence: float) -> float:
    """Compute the log-odds of a confidence, within MOST_LOG_ODDS of 0."""
    if not 0.0 < confidence < 1.0:
        return math.copysign(MOST_LOG_ODDS, confidence - 0.5)
    return max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, math.log(confidence) - math.log1p(-confidence)))


def _evidence(explanation: Explanation) -> dict[str, float] | None:
    """Return each scorer's log-odds.

    None if the confidence is not a share of a sum over scorers.
    """
    found = next((one for one in explanation.reckoning if one.name == EVIDENCE), None)
    if found is None or any(name not in SCORERS for name in found.names):
        return None
    weights = found.weights or [None] * len(found.names)
    given = zip(found.names, found.values, weights, strict=True)
    return {name: value * (1.0 if weight is None else weight) for name, value, weight in given}


def _shapley(own: Breakdown, rival: Breakdown, how: Confidence) -> dict[str, float]:
    """Compute the Shapley value of each differing score."""
    names = [name for name in own if own[name] != rival.get(name)]
    known: dict[frozenset[str], float] = {}

    def value(exchanged: frozenset[str]) -> float:
        if exchanged not in known:
            scores = {name: own[name] if name in exchanged else rival.get(name) for name in own}
            known[exchanged] = log_odds(how.confidence(scores))
        return known[exchanged]

    return {name: _mean_effect(name, names, value) for name in names}


class _Value(Protocol):
    def __call__(self, exchanged: frozenset[str], /) -> float: ...


def _mean_effect(name: str, names: Sequence[str], value: _Value) -> float:
    """Compute the effect of exchanging one score, averaged over all orders."""
    others = [other for other in names if other != name]
    effects: list[float] = []
    for size in range(len(others) + 1):
        share = math.factorial(size) * math.factorial(len(others) - size) / math.factorial(len(names))
        befores = map(frozenset, combinations(others, size))
        effects.extend(share * (value(before | {name}) - value(before)) for before in befores)
    return math.fsum(effects)
