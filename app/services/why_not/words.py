"""Where a memory, a label or a power was lost, in a sentence."""

from __future__ import annotations

from app.domain.why_not import LostAt
from app.scoring.combiners import combiner_for
from app.services.why_not.drafts import apart, number
from app.services.why_not.ranked import Lost, misleading


def sentence(lost: Lost) -> str:
    """Where it was lost, and by how much."""
    verdict, mine, theirs = lost.verdict, f"“{lost.name}”", f"“{lost.rival_name}”"
    line = lost.settings.tiers.high if lost.is_power else lost.settings.fallback_threshold
    own, other = apart(verdict.confidence, verdict.rival_confidence or 0.0)
    match verdict.stage:
        case None:
            led = (
                f", {number(verdict.confidence - verdict.rival_confidence)} ahead of {theirs}"
                if theirs != "“”" and (verdict.rival_confidence is not None)
                else ""
            )
            return f"{mine} is the answer, with {number(verdict.confidence)}{led}."
        case LostAt.THRESHOLD if verdict.confidence <= 0.0:
            return f"{mine} scores nothing for this query, and neither does anything else."
        case LostAt.THRESHOLD:
            own, needed = apart(verdict.confidence, line)
            into = "to be activated" if lost.is_power else "for an answer"
            return f"{mine} is the best, but {own} is below the {needed} that it takes {into}."
        case LostAt.AMBIGUITY | LostAt.RANKING:
            return _too_near(lost, own, other)
        case _:
            return _behind(lost, own, other)


def _too_near(lost: Lost, own: str, other: str) -> str:
    verdict, mine, theirs = lost.verdict, f"“{lost.name}”", f"“{lost.rival_name}”"
    if verdict.rank == 1:
        margin = number(lost.settings.tiers.ambiguity_margin)
        return f"{mine} is the best with {own}, but {theirs} with {other} is within the margin of {margin}."
    if verdict.stage is LostAt.RANKING:
        return f"{mine} is as good as the best, but only place {verdict.rank} and not among those that are named."
    if not lost.is_power:
        return f"{mine} is level with {theirs}, which comes first as it was taught before: both have {own}."
    said = "level with" if verdict.confidence == verdict.rival_confidence else "within the margin of"
    return f"{mine} with {own} is {said} {theirs} with {other}, so neither is chosen."


def _behind(lost: Lost, own: str, other: str) -> str:
    verdict, theirs = lost.verdict, f"“{lost.rival_name}”"
    place = "scores nothing" if verdict.rank is None else f"is in place {verdict.rank:,} with {own}"
    unlisted = verdict.rank is None or verdict.rank > lost.settings.matches
    listed = f" and is not among the {lost.settings.matches} that are listed" if unlisted else ""
    return f"“{lost.name}” {place}{listed}; {theirs} comes first with {other}.{_deciding(lost)}"


def _deciding(lost: Lost) -> str:
    """Which scorer puts the winner ahead, or that a scorer would have decided otherwise."""
    if lost.rival is None:
        return ""
    how = combiner_for(lost.settings, power=lost.is_power).name
    ahead = {
        name: (theirs or 0.0) - (lost.expected.scores.get(name) or 0.0)
        for name in lost.rival.match.winners
        if (theirs := lost.rival.scores.get(name)) is not None
    }
    told = ", ".join(f"{name} (by {number(by)})" for name, by in ahead.items() if by > 0)
    text = misleading(lost.rival.match)
    said = f" What decides is {told} through “{text}”." if told else ""
    if lost.verdict.stage is LostAt.COMBINATION:
        return f"{said} It leads by other scores, but {how} does not count them so."
    return said
