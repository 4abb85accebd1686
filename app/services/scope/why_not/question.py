"""One question of why not on its way: what was asked, what is known of it, and what may be tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.domain.why_not import Expectation, LostAt, Note, Outcome, ScorerGap, Standing, WhyNot
from app.services.evaluation.ground import Ground
from app.services.scope.why_not.drafts import Draft

Wins = Callable[[Draft], bool]


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """What is known before any change is tried; `wins` tells of a draft, once its edit is laid out, whether the query
    is answered as expected under it."""

    answer: WhyNot
    drafts: Sequence[Draft]
    wins: Wins


def never(draft: Draft) -> bool:
    """Nothing wins where nothing of that name is known."""
    return False


@dataclass(frozen=True, slots=True)
class WhyNotQuestion:
    """A query and what was expected of it, on one ground."""

    ground: Ground
    text: str
    expected: Expectation

    def said(
        self,
        stage: LostAt | None,
        standing: Standing,
        *,
        winner_name: str | None = None,
        gaps: tuple[ScorerGap, ...] = (),
        expected_confidence: float | None = None,
        winner_confidence: float | None = None,
        expected_rank: int | None = None,
        nearest: tuple[str, ...] = (),
        notes: tuple[Note, ...] = (),
    ) -> WhyNot:
        """The answer, its changes not yet known."""
        outcome = Outcome.WON if stage is None else Outcome.LOST
        return WhyNot(
            self.text,
            self.expected,
            outcome,
            stage,
            standing,
            winner_name,
            gaps,
            expected_confidence,
            winner_confidence,
            expected_rank,
            nearest=nearest,
            notes=notes,
        )
