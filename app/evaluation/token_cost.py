"""What an answer costs in tokens, against telling every tool of every power (S5.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.match import Tier

DOCUMENTED_EVERYTHING, DOCUMENTED_ANSWER, DOCUMENTED_SAVING = 40_000, 1_166, 0.97
"""003: the tokens of all tools, of an answer on the average, and the share that this saves."""

DOCUMENTED: Mapping[Tier, tuple[float, int]] = {
    Tier.ACTIVATED: (0.70, 1_000),
    Tier.MULTIPLE_MATCHES: (0.20, 1_500),
    Tier.WEAK_MATCHES: (0.08, 2_000),
    Tier.NOT_FOUND: (0.02, 300),
}
"""003: the share of queries that it expects in each tier, and the tokens of one, tools of the chosen power included."""


@dataclass(frozen=True, slots=True)
class AnswerTokens:
    """The tokens of one answer, and of the tools that are told after it once the assistant has chosen a power."""

    tier: Tier
    answer: int
    tools: int = 0


@dataclass(frozen=True, slots=True)
class TierTokens:
    """The answers of one tier: how many, and the mean tokens of the answer and of the tools told after it."""

    n: int
    answer: float
    tools: float

    @property
    def both(self) -> float:
        return self.answer + self.tools


@dataclass(frozen=True, slots=True)
class TokenCost:
    """What answers cost beside telling everything.

    `everything` are the tokens of all `tools` of all `powers`, counted by what `counter` names. `by_tier` has the tiers
    that occur; their means weighted by their numbers are `answer` and `both` (with the tools told after the answer).
    """

    counter: str
    powers: int
    tools: int
    everything: int
    by_tier: Mapping[Tier, TierTokens]
    answer: float
    both: float

    @property
    def saving(self) -> float | None:
        """The share of `everything` that an answer with the tools told after it saves; None without any tools."""
        return 1.0 - self.both / self.everything if self.everything else None


def token_cost(answers: Sequence[AnswerTokens], *, counter: str, powers: int, tools: int, everything: int) -> TokenCost:
    """Weigh the answers by how often each tier occurs; ValueError without any answer."""
    if not answers:
        raise ValueError("nothing to count")
    by_tier: dict[Tier, TierTokens] = {}
    for tier in Tier:
        if same := [found for found in answers if found.tier is tier]:
            count = len(same)
            answered, listed = sum(found.answer for found in same), sum(found.tools for found in same)
            by_tier[tier] = TierTokens(count, answered / count, listed / count)
    total = len(answers)
    answer = sum(row.answer * row.n for row in by_tier.values()) / total
    both = sum(row.both * row.n for row in by_tier.values()) / total
    return TokenCost(counter, powers, tools, everything, by_tier, answer, both)
