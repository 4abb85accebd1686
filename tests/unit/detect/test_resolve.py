"""Tests of resolutions: tier thresholds and chances, ties, keywords (S5.1 to S5.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.resolve import match_type, resolve, tier_chances, with_activation, with_tiers
from app.domain.library import Power, Tool
from app.domain.match import Match, Tier
from app.domain.running import Activation, ToolSchema
from app.domain.scope.inspection import BestScores, Resolution
from app.scoring.index.ranking import tier_of
from app.settings.model import Settings, SettingsSources, layer

RECOMMENDED = Settings()
DOCUMENTED = layer(SettingsSources(command_line={"preset": "as_documented"})).values


def row(name: str, confidence: float) -> Match:
    return replace(match(name, confidence), tier=tier_of(confidence, RECOMMENDED))


def match(name: str, confidence: float, **scores: float) -> Match:
    power = Power(name, f"what {name} does", keywords=("database", name), tools=(Tool("query"),), key=1)
    return Match(power, confidence, scores, (), name)


@pytest.mark.parametrize(
    ("confidence", "status"),
    [
        (1.0, Tier.ACTIVATED),
        (0.9, Tier.ACTIVATED),
        (math.nextafter(0.9, 0), Tier.MULTIPLE_MATCHES),
        (0.5, Tier.MULTIPLE_MATCHES),
        (math.nextafter(0.5, 0), Tier.WEAK_MATCHES),
        (0.3, Tier.WEAK_MATCHES),
        (math.nextafter(0.3, 0), Tier.NOT_FOUND),
        (0.0, Tier.NOT_FOUND),
    ],
)
def test_that_tiers_are_inclusive_at_the_lower_end(confidence: float, status: Tier) -> None:
    assert resolve("q", [match("a", confidence)], [], RECOMMENDED).status is status


def test_that_a_second_power_within_the_margin_is_a_tie() -> None:
    both = [match("a", 0.9), match("b", 0.86)]
    tied = resolve("q", both, [], RECOMMENDED)
    assert (tied.status, tied.tied) == (Tier.MULTIPLE_MATCHES, True)
    assert [found.power.name for found in tied.matches] == ["a", "b"]
    assert resolve("q", both, [], DOCUMENTED).status is Tier.ACTIVATED
    assert resolve("q", [match("a", 0.95), match("b", 0.86)], [], RECOMMENDED).status is Tier.ACTIVATED


def test_that_nothing_found_lists_what_is_available() -> None:
    available = [Power("postgres", key=1), Power("stripe", key=2)]
    found = resolve("launch rocket", [match("postgres", 0.1)], available, RECOMMENDED)
    assert found.status is Tier.NOT_FOUND
    assert found.available == tuple(available)
    assert resolve("q", [], [], RECOMMENDED).status is Tier.NOT_FOUND


def test_that_activation_starts_nothing_and_says_why() -> None:
    found = resolve("q", [match("a", 0.9)], [], RECOMMENDED)
    assert not found.started
    assert found.reason
    assert [tool.name for tool in found.tools] == ["query"]


def test_that_the_message_names_the_keyword_that_all_share() -> None:
    found = resolve("q", [match("a", 0.6), match("b", 0.6)], [], RECOMMENDED)
    assert found.message == "Multiple database tools found. Use activate_power(name) to select one."
    assert resolve("q", [match("a", 0.6)], [], RECOMMENDED).message.startswith("One likely tool found.")


@pytest.mark.parametrize(
    ("scores", "word"),
    [
        ({"keyword": 0.3, "semantic": 0.3}, "hybrid"),
        ({"keyword": 0.9, "semantic": 0.29}, "keyword"),
        ({"keyword": 0.0, "semantic": 0.5}, "semantic"),
        ({"keyword": 0.0, "semantic": 0.1}, "semantic"),
        ({}, "semantic"),
    ],
)
def test_that_the_match_type_says_which_score_reached(scores: dict[str, float], word: str) -> None:
    assert match_type(scores) == word


@pytest.mark.parametrize(
    ("top", "listed"),
    [(0.85, 1), (math.nextafter(0.85, 0), 3), (0.5, 3), (math.nextafter(0.5, 0), 5), (0.3, 5), (0.2999999999999999, 0)],
)
def test_that_the_tier_of_the_first_says_how_many_are_listed(top: float, listed: int) -> None:
    many = [match(f"p{place}", top) for place in range(7)]
    found = resolve("q", many, [], DOCUMENTED)
    assert [kept.power.name for kept in found.matches] == [f"p{place}" for place in range(listed)]


def test_that_a_power_at_the_weak_threshold_is_listed_and_the_float_below_it_is_not() -> None:
    found = resolve("q", [match("a", 0.6), match("b", 0.3), match("c", math.nextafter(0.3, 0))], [], RECOMMENDED)
    assert [kept.power.name for kept in found.matches] == ["a", "b"]


def test_that_the_margin_itself_is_a_tie_and_the_float_beyond_it_is_none() -> None:
    first, margin = 0.9375, 0.0625  # the differences below are exact
    settings = Settings.model_validate({"tiers": {"ambiguity_margin": margin}})
    at, beyond = first - margin, math.nextafter(first - margin, 0)
    assert resolve("q", [match("a", first), match("b", at)], [], settings).status is Tier.MULTIPLE_MATCHES
    assert resolve("q", [match("a", first), match("b", beyond)], [], settings).status is Tier.ACTIVATED


def test_that_without_a_margin_even_equal_powers_activate_the_first() -> None:
    found = resolve("q", [match("a", 0.9), match("b", 0.9)], [], DOCUMENTED)
    assert (found.status, [kept.power.name for kept in found.matches]) == (Tier.ACTIVATED, ["a"])


def test_that_a_tie_below_activation_is_none() -> None:
    found = resolve("q", [match("a", 0.84), match("b", 0.84)], [], RECOMMENDED)
    assert (found.status, found.tied) == (Tier.MULTIPLE_MATCHES, False)


@pytest.mark.parametrize("score", ["keyword", "semantic"])
def test_that_the_match_type_begins_at_its_own_threshold(score: str) -> None:
    other = {"keyword": "semantic", "semantic": "keyword"}[score]
    assert match_type({score: 0.3, other: 1.0}) == "hybrid"
    assert match_type({score: math.nextafter(0.3, 0), other: 1.0}) == other
    assert match_type({score: None, other: 1.0}) == other


# ---- activation


def activated() -> Resolution:
    return resolve("q", [match("a", 0.9)], [], RECOMMENDED)


def test_that_a_started_power_tells_the_tools_of_its_server() -> None:
    power = activated().matches[0].power
    found = with_activation(activated(), Activation(power, True, (ToolSchema("fresh", "told by the server"),)))
    assert (found.started, found.reason, found.status) == (True, None, Tier.ACTIVATED)
    assert found.tools == (Tool("fresh", "told by the server"),)
    assert with_activation(activated(), Activation(power, True)).tools == ()


def test_that_a_power_that_is_not_started_keeps_its_stored_tools_and_says_why() -> None:
    power = activated().matches[0].power
    found = with_activation(
        activated(), Activation(power, False, reason="Not approved.", needs_approval="npx a --key 'b c'")
    )
    assert (found.started, found.reason, found.needs_approval) == (False, "Not approved.", "npx a --key …")
    assert [tool.name for tool in found.tools] == ["query"]


def test_that_only_what_was_resolved_can_have_been_started() -> None:
    with pytest.raises(ValueError, match="is not what was resolved"):
        with_activation(activated(), Activation(Power("b"), True))
    with pytest.raises(ValueError, match="is not what was resolved"):
        with_activation(resolve("q", [], [], RECOMMENDED), Activation(Power("a"), True))


@pytest.mark.parametrize(
    ("chances", "status", "named"),
    [
        ((0.95, 0.04), Tier.ACTIVATED, 1),
        ((0.34, 0.33, 0.32), Tier.MULTIPLE_MATCHES, 3),
        ((0.6, 0.2, 0.05), Tier.MULTIPLE_MATCHES, 2),
        ((0.2, 0.15, 0.1), Tier.WEAK_MATCHES, 3),
        ((0.1, 0.1, 0.05, 0.04), Tier.NOT_FOUND, 0),
        ((0.12, 0.11, 0.1, 0.1, 0.09), Tier.MULTIPLE_MATCHES, 3),
        ((), Tier.NOT_FOUND, 0),
    ],
)
def test_that_powers_are_offered_for_what_they_share(chances: tuple[float, ...], status: Tier, named: int) -> None:
    ranked = [match(f"p{place}", one) for place, one in enumerate(chances)]
    found = resolve("q", ranked, [], RECOMMENDED, shared=sum(chances))
    assert (found.status, len(found.matches)) == (status, named)
    goes_by_sum = status is not Tier.ACTIVATED and bool(chances)
    assert found.together == (pytest.approx(sum(chances)) if goes_by_sum else None)


ONE_ALONE, SEVERAL, WEAK_ONES, NONE = Tier.ACTIVATED, Tier.MULTIPLE_MATCHES, Tier.WEAK_MATCHES, Tier.NOT_FOUND


@pytest.mark.parametrize(
    ("confidences", "shared", "tiers"),
    [
        ((0.57, 0.25, 0.18, 0.0), 0.99, (SEVERAL, SEVERAL, SEVERAL, NONE)),
        ((0.25, 0.25, 0.25, 0.2), 0.95, (SEVERAL, SEVERAL, SEVERAL, NONE)),
        ((0.2, 0.15, 0.01), 0.36, (WEAK_ONES, WEAK_ONES, NONE)),
        ((0.2, 0.05), 0.25, (NONE, NONE)),
        ((0.8, 0.79, 0.78, 0.77), None, (SEVERAL, SEVERAL, SEVERAL, WEAK_ONES)),
        ((0.8, 0.4, 0.1), None, (SEVERAL, SEVERAL, NONE)),
        ((0.95, 0.85, 0.1), None, (ONE_ALONE, WEAK_ONES, NONE)),
        ((0.92, 0.91), None, (SEVERAL, SEVERAL)),
        ((0.4,) * 6, None, (*(WEAK_ONES,) * 5, NONE)),
    ],
)
def test_that_rows_are_shown_as_the_resolution_names_them(
    confidences: Sequence[float], shared: float | None, tiers: Sequence[Tier]
) -> None:
    rows = [row(f"p{place}", confidence) for place, confidence in enumerate(confidences)]
    resolution = resolve("q", rows, [], RECOMMENDED, shared=shared)
    told = with_tiers(rows, resolution)
    assert tuple(one.tier for one in told) == tuple(tiers)
    named = [found.power.name for found in resolution.matches]
    assert named == [one.answer.name for one in told if one.tier is resolution.status and one.tier is not NONE]


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
