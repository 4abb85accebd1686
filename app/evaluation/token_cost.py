"""Token cost of answers, compared with listing every tool of every power (S5.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.match import Tier

DOCUMENTED_EVERYTHING, DOCUMENTED_ANSWER, DOCUMENTED_SAVING = 40_000, 1_166, 0.97
"""Figures of 003: tokens of all tools, mean tokens of an answer, and the share saved."""

DOCUMENTED: Mapping[Tier, tuple[float, int]] = {
    Tier.ACTIVATED: (0.70, 1_000),
    Tier.MULTIPLE_MATCHES: (0.20, 1_500),
    Tier.WEAK_MATCHES: (0.08, 2_000),
    Tier.NOT_FOUND: (0.02, 300),
}
"""Figures of 003 by tier: share of queries, and tokens with the chosen power's tools."""


@dataclass(frozen=True, slots=True)
class AnswerTokens:
    """Tokens of one answer, and of the tools listed after the assistant chose a power."""

    tier: Tier
    answer: int
    tools: int = 0


@dataclass(frozen=True, slots=True)
class TierTokens:
    """Number of answers of one tier, and mean tokens of the answer and of the tools after it."""

    n: int
    answer: float
    tools: float

    @property
    def both(self) -> float:
        return self.answer + self.tools


@dataclass(frozen=True, slots=True)
class TokenCost:
    """Token cost of answers compared with listing everything.

    `everything` is the tokens of all `tools` of all `powers`, counted with the tokenizer `counter`. `by_tier` has
    the tiers that occur; `answer` and `both` (with the tools after the answer) are means weighted by their counts.
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
        """Share of `everything` saved by an answer and the tools after it; None without tools."""
        return 1.0 - self.both / self.everything if self.everything else None


def token_cost(answers: Sequence[AnswerTokens], *, counter: str, powers: int, tools: int, everything: int) -> TokenCost:
    """Average the answers, weighted by the frequency of each tier.

    Raises ValueError without any.
    """
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
