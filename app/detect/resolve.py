"""Resolution of a query's powers: activate one, offer several, or none (003); chances of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.domain.inspection import MULTIPLE, WEAK, BestScores, PowerMatch, Resolution, TierChances
from app.domain.library import Power, Tool
from app.domain.match import Breakdown, Match, Tier
from app.domain.running import Activation
from app.scoring.index.ranking import tier_of
from app.settings.model import Settings
from app.settings.refusals import without_secrets_in

FARTHEST = 6.0
"""Limit of log-odds and logarithms; training queries have hardly any beyond."""


class TierFeatures(NamedTuple):
    """Features of the probabilities; FITTED holds their weights."""

    constant: float
    first: float
    whole: float
    second: float
    third: float
    keyword: float
    nearest: float
    next_nearest: float


FITTED = (
    TierFeatures(-2.575, 0.786, 0.842, 0.370, 0.237, 1.195, 0.726, 3.388),
    TierFeatures(-3.186, 0.770, 0.899, 0.066, 0.571, -1.639, -5.044, 16.829),
    TierFeatures(-5.171, 0.492, 0.159, -0.106, 0.587, -4.237, 5.322, 11.294),
)
"""Weights of the log-odds of one power, several, and a hint, against nothing.

Fitted by packaging/weights.py (resources/datasets/README.md).
"""


def evidence(confidences: Sequence[float], shared: float, best: BestScores) -> TierFeatures:
    """Compute the features from powers' confidences, best first, their sum, and the best scores."""
    first, second, third = (*confidences[:3], 0.0, 0.0, 0.0)[:3]
    return TierFeatures(1.0, _log_odds(first), _log_odds(shared), _behind(second, first), _behind(third, first), *best)


def tier_chances(confidences: Sequence[float], shared: float, best: BestScores | None) -> TierChances:
    """Compute the tiers' probabilities for a query.

    Without best scores they are the shares, as the fit is for keywords. “Nothing” has at most 1 - the first one.
    """
    if best is None:
        one = min(max(confidences, default=0.0), shared)
        return TierChances(one, shared - one, 0.0, 1.0 - shared)
    own = evidence(confidences, shared, best)
    odds = [math.exp(sum(weight * value for weight, value in zip(line, own, strict=True))) for line in FITTED]
    nothing = min(1.0 / (1.0 + sum(odds)), 1.0 - max(confidences, default=0.0))
    one, several, hint = (each / sum(odds) * (1.0 - nothing) for each in odds)
    return TierChances(one, several, hint, nothing)


def _log_odds(chance: float) -> float:
    least = 1.0 / (1.0 + math.exp(FARTHEST))
    inner = min(max(chance, least), 1.0 - least)
    return math.log(inner / (1.0 - inner))


def _behind(value: float, first: float) -> float:
    """Return the logarithm of a confidence relative to the first."""
    least = math.exp(-FARTHEST)
    return math.log(max(value / first, least)) if first > 0.0 else -FARTHEST


LEAST_SHARE = 0.1
"""Minimum share of another power to be named, relative to the first power's share.

It applies where confidences are shares.
"""

REACHED = 0.3
"""Minimum keyword or semantic score that counts for the match type (S5.2)."""

MESSAGES: dict[Tier, str] = {
    Tier.ACTIVATED: "",
    Tier.MULTIPLE_MATCHES: "Multiple {shared}tools found. Use activate_power(name) to select one.",
    Tier.WEAK_MATCHES: "Found weak matches. Please clarify or rephrase.",
    Tier.NOT_FOUND: "No relevant tools found. Available tools listed above.",
}
"""Messages for the assistant, in 003's words."""

ONE_MATCH = "One likely tool found. Use activate_power(name) to select it."
"""Message of MULTIPLE_MATCHES if one power is named."""


def resolve(
    query: str,
    matches: Sequence[Match],
    enabled: Sequence[Power],
    settings: Settings,
    *,
    shared: float | None = None,
    best_scores: BestScores | None = None,
) -> Resolution:
    """Resolve the powers among `matches`, which are best first (S5.1 to S5.3).

    Where confidences are shares of one whole, `shared` is the sum of all powers' shares; below activation the tier
    then follows from the probability of each tier, with `best_scores`.
    """
    powers = [(match, match.answer) for match in matches if isinstance(match.answer, Power)]
    found = [PowerMatch(power, match.confidence, match_type(match.scores)) for match, power in powers]
    status, least, chances = _status([match.confidence for match in found], settings, shared, best_scores)
    margin = settings.tiers.ambiguity_margin
    tied = len(found) > 1 and margin > 0 and found[0].confidence - found[1].confidence <= margin
    if status is Tier.ACTIVATED and tied:
        status = Tier.MULTIPLE_MATCHES
    else:
        tied = False
    named = {Tier.ACTIVATED: 1, Tier.MULTIPLE_MATCHES: MULTIPLE, Tier.WEAK_MATCHES: WEAK, Tier.NOT_FOUND: 0}[status]
    kept = [match for match in found[:named] if match.confidence >= least]
    return Resolution(
        status=status,
        query=query,
        matches=tuple(kept),
        message=(
            ONE_MATCH
            if status is Tier.MULTIPLE_MATCHES and len(kept) == 1
            else MESSAGES[status].format(shared=_shared_keyword(kept))
        ),
        available=tuple(enabled) if status is Tier.NOT_FOUND else (),
        tied=tied,
        reason="Nothing is started by inspecting a query." if status is Tier.ACTIVATED else None,
        together=None if chances is None else shared,
        chances=chances,
        best_scores=best_scores,
    )


def _status(
    confidences: Sequence[float], settings: Settings, shared: float | None, best_scores: BestScores | None
) -> tuple[Tier, float, TierChances | None]:
    """Return the tier, the minimum confidence of a named power, and the probabilities if used."""
    first, tiers = max(confidences, default=0.0), settings.tiers
    if shared is None or not first or first >= tiers.high:
        return (tier_of(first, settings) if confidences else Tier.NOT_FOUND), tiers.weak, None
    chances = tier_chances(confidences, shared, best_scores)
    status = Tier.WEAK_MATCHES if chances.related >= tiers.weak else Tier.NOT_FOUND
    if chances.served >= tiers.medium:
        status = Tier.MULTIPLE_MATCHES
    return status, first * LEAST_SHARE, chances


def with_tiers(matches: Iterable[Match], resolution: Resolution | None) -> tuple[Match, ...]:
    """Set the powers' tiers by the resolution: its status for named ones, weaker for others.

    Memories are unchanged.
    """
    if resolution is None:
        return tuple(matches)
    named = {found.power.name for found in resolution.matches}
    return tuple(
        replace(match, tier=tier)
        if match.tier is not (tier := _tier_in(resolution, match, is_named=match.answer.name in named))
        else match
        for match in matches
    )


def _tier_in(resolution: Resolution, match: Match, *, is_named: bool) -> Tier | None:
    if match.tier is None or not isinstance(match.answer, Power):
        return match.tier
    if is_named:
        return resolution.status
    is_offered_elsewhere = resolution.status in (Tier.ACTIVATED, Tier.MULTIPLE_MATCHES)
    return Tier.WEAK_MATCHES if is_offered_elsewhere and match.tier is not Tier.NOT_FOUND else Tier.NOT_FOUND


def with_activation(resolution: Resolution, activation: Activation) -> Resolution:
    """Return an activated resolution after the attempt to start its power (S5.4, S5.5).

    It has the running server's tools, or the known ones and the reason that nothing runs. Raises ValueError if the
    activation is of another power.
    """
    first = resolution.matches[0] if resolution.status is Tier.ACTIVATED else None
    if first is None or first.power.name != activation.power.name:
        raise ValueError(f"{activation.power.name} is not what was resolved")
    tools = tuple(Tool(tool.name, tool.description) for tool in activation.tools)
    power = replace(first.power, tools=tools) if tools or activation.started else first.power
    return replace(
        resolution,
        matches=(replace(first, power=power),),
        started=activation.started,
        reason=activation.reason,
        needs_approval=without_secrets_in(activation.needs_approval),
        gives_text=activation.gives_text,
    )


def match_type(scores: Breakdown) -> str:
    """Return the match type from the scores that reached 0.3 (S5.2).

    It is keyword, semantic (default) or hybrid.
    """
    keyword = (scores.get("keyword") or 0.0) >= REACHED
    semantic = (scores.get("semantic") or 0.0) >= REACHED
    if keyword and semantic:
        return "hybrid"
    return "keyword" if keyword else "semantic"


def _shared_keyword(found: Sequence[PowerMatch]) -> str:
    """Return the first keyword that all of them declare, for 003's message; "" if none."""
    if not found:
        return ""
    shared = set.intersection(*({keyword.lower() for keyword in match.power.keywords} for match in found))
    return next((f"{keyword} " for keyword in found[0].power.keywords if keyword.lower() in shared), "")
