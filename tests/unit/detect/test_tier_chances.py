"""Tests of the tiers' probabilities: sum, fallback to shares, and decisions (S5.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.resolve import resolve, tier_chances
from app.domain.library import Power
from app.domain.match import Match, Tier
from app.domain.scope.resolution import BestScores
from app.settings.model import Settings

UNITS = st.floats(0.0, 1.0)


def matches(confidences: Sequence[float]) -> list[Match]:
    return [Match(Power(f"p{place}"), one, {}, (), f"p{place}") for place, one in enumerate(confidences)]


@given(st.lists(UNITS, max_size=5), UNITS, st.none() | st.builds(BestScores, UNITS, UNITS, UNITS))
def test_that_chances_of_tiers_add_up_to_one(given_: list[float], shared: float, best: BestScores | None) -> None:
    confidences = sorted(given_, reverse=True)
    chances = tier_chances(confidences, max(shared, *confidences, 0.0) if confidences else shared, best)
    assert math.fsum(chances.by_tier.values()) == pytest.approx(1.0)
    assert all(0.0 <= one <= 1.0 for one in chances.by_tier.values())
    assert list(chances.by_tier) == list(Tier)


def test_that_without_best_scores_the_chances_are_the_shares() -> None:
    chances = tier_chances([0.4, 0.3], 0.75, None)
    assert (chances.one, chances.hint) == (0.4, 0.0)
    assert (chances.served, chances.related) == (0.75, 0.75)


@pytest.mark.parametrize(
    ("best", "status"),
    [
        (BestScores(keyword=0.5, nearest=0.5, next_nearest=0.48), Tier.MULTIPLE_MATCHES),
        (BestScores(keyword=0.0, nearest=0.34, next_nearest=0.33), Tier.WEAK_MATCHES),
        (BestScores(keyword=0.9, nearest=0.2, next_nearest=0.1), Tier.NOT_FOUND),
    ],
)
def test_that_the_same_shares_end_in_the_tier_that_the_best_scores_speak_for(best: BestScores, status: Tier) -> None:
    found = resolve("q", matches([0.25, 0.15, 0.1]), [], Settings(), shared=0.55, best_scores=best)
    assert found.status is status
    assert found.chances is not None
    tiers = Settings().tiers
    assert (found.chances.served >= tiers.medium) == (status is Tier.MULTIPLE_MATCHES)
    assert (found.chances.related >= tiers.weak) == (status is not Tier.NOT_FOUND)


def test_that_what_activates_does_not_hang_on_the_best_scores() -> None:
    poor = BestScores(keyword=0.0, nearest=0.0, next_nearest=0.0)
    found = resolve("q", matches([0.9, 0.01]), [], Settings(), shared=0.95, best_scores=poor)
    assert (found.status, found.chances) == (Tier.ACTIVATED, None)


def test_that_thresholds_of_tiers_are_thresholds_of_chances() -> None:
    best = BestScores(keyword=0.5, nearest=0.5, next_nearest=0.48)
    chances = tier_chances([0.25, 0.15, 0.1], 0.55, best)

    def status(medium: float, weak: float) -> Tier:
        settings = Settings.model_validate({"tiers": {"high": 1.0, "medium": medium, "weak": weak}})
        return resolve("q", matches([0.25, 0.15, 0.1]), [], settings, shared=0.55, best_scores=best).status

    assert status(chances.served, 0.1) is Tier.MULTIPLE_MATCHES
    assert status(math.nextafter(chances.served, 1), 0.1) is Tier.WEAK_MATCHES
    assert status(1.0, chances.related) is Tier.WEAK_MATCHES
    assert status(1.0, math.nextafter(chances.related, 1)) is Tier.NOT_FOUND


def test_that_powers_without_a_chance_are_not_found_and_no_tier_has_one() -> None:
    found = resolve("q", matches([0.0, 0.0]), [], Settings(), shared=0.0, best_scores=BestScores(0.9, 0.8, 0.7))
    assert (found.status, found.matches, found.chances) == (Tier.NOT_FOUND, (), None)
