"""Tiers begin exactly at their thresholds, ties are not activated, and a shared keyword offers all (S5.1 to S5.6)."""

from __future__ import annotations

import math

import pytest

from app.detect.resolve import match_type, resolve
from app.domain.library import Power, Tool
from app.domain.match import Match, Tier
from app.settings import Settings, SettingsSources, layer

RECOMMENDED = Settings()
DOCUMENTED = layer(SettingsSources(command_line={"preset": "as_documented"})).values


def match(name: str, confidence: float, **scores: float) -> Match:
    power = Power(name, f"what {name} does", keywords=("database", name), tools=(Tool("query"),), key=1)
    return Match(power, confidence, scores, (), name)


@pytest.mark.parametrize(
    ("confidence", "status"),
    [
        (1.0, Tier.ACTIVATED),
        (0.85, Tier.ACTIVATED),
        (math.nextafter(0.85, 0), Tier.MULTIPLE_MATCHES),
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


def test_that_each_status_names_as_many_powers_as_documented() -> None:
    many = [match(f"p{place}", 0.84 - place / 100) for place in range(8)]
    weak = [match(f"p{place}", 0.4 - place / 100) for place in range(8)]
    assert len(resolve("q", many, [], RECOMMENDED).matches) == 3
    assert len(resolve("q", weak, [], RECOMMENDED).matches) == 5


def test_that_what_is_below_the_weak_threshold_is_not_offered() -> None:
    found = resolve("q", [match("a", 0.4), match("b", 0.2)], [], RECOMMENDED)
    assert [kept.power.name for kept in found.matches] == ["a"]


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
