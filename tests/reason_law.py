"""Property of every answer's reason: contributions add up, and the largest is credited."""

import math

import pytest

from app.display import words
from app.display.scope.arithmetic import Reason, compared, reason_of
from app.domain.inspection import Inspection
from app.domain.match import Match
from app.scoring.arithmetic import EVIDENCE, log_odds


def assert_reason_holds(found: Inspection, match: Match) -> Reason:
    """Assert that contributions add up to the difference, and the sentence credits the largest."""
    reason = reason_of(found, match)
    if reason.rival is None:
        assert (reason.contributions, reason.credited) == ((), ())
        return reason
    assert reason.rival.kind is match.kind
    label = match.answer.answer_label
    assert label is None or reason.rival.answer.answer_label != label
    assert reason.lead == match.confidence - reason.rival.confidence
    assert words.title(reason.rival.answer) in reason.sentence
    values = [one.value for one in reason.contributions]
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(apart(match, reason.rival), abs=1e-6)
    if reason.lead > 0.0:
        assert reason.sentence.startswith("Ahead of ")
        assert worth(reason, reason.credited[0]) == pytest.approx(values[0], abs=1e-9)
    elif reason.lead < 0.0:
        assert reason.sentence.startswith("Behind ")
        assert worth(reason, reason.credited[0]) == pytest.approx(values[-1], abs=1e-9)
    else:
        assert reason.sentence.startswith("Level with ")
    mostly, _, against = reason.sentence.rstrip(".").partition(", despite ")
    assert compared(*reason.credited) in mostly
    assert not against or against == compared(reason.contributions[-1 if reason.lead > 0.0 else 0].name)
    return reason


def worth(reason: Reason, scorer: str) -> float:
    """Return a scorer's contribution over the rival."""
    return next(one.value for one in reason.contributions if one.name == scorer)


def apart(match: Match, rival: Match) -> float:
    """Return the difference of two confidences: log-ratio for shares, else in log-odds."""
    are_shares = all(any(step.name == EVIDENCE for step in one.steps) for one in (match, rival))
    if are_shares and "best" not in {
        operand.name for one in (match, rival) for step in one.steps for operand in step.operands
    }:
        return math.log(match.confidence / rival.confidence)
    return log_odds(match.confidence) - log_odds(rival.confidence)
