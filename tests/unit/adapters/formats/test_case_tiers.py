"""A case of powers may name the tier that is meant; the library does not keep it."""

from __future__ import annotations

import json

import pytest

from app.adapters.formats.records import RefusedError, case_of, record_of
from app.domain.case import Case, Task
from app.domain.match import Tier


@pytest.mark.parametrize("tier", Tier)
def test_that_a_tier_reads_and_writes(tier: Tier) -> None:
    case = case_of({"text": "q", "expected": ["a"], "tier": tier.value}, Task.POWER)
    assert case.tier is tier
    assert case_of(json.loads(json.dumps(record_of(case)))).tier is tier
    assert case_of({"text": "q", "expected": [], "tier": tier.value}, Task.POWER).tier is tier


def test_that_a_case_without_a_tier_says_nothing_of_one() -> None:
    case = case_of({"text": "q", "expected": ["a"], "tier": None}, Task.POWER)
    assert case.tier is None
    assert "tier" not in record_of(case)


@pytest.mark.parametrize("tier", ["high", "", "ACTIVATED"])
def test_that_a_tier_nobody_knows_is_refused_with_those_there_are(tier: str) -> None:
    with pytest.raises(RefusedError, match="is one of activated, multiple_matches, weak_matches, not_found, not"):
        case_of({"text": "q", "expected": ["a"], "tier": tier}, Task.POWER)


def test_that_only_powers_have_tiers() -> None:
    assert case_of({"text": "q", "expected": ["a"], "tier": "gold"}, Task.INTENT).tier is None


def test_that_a_tier_makes_no_other_case() -> None:
    assert Case("q", ("a",), Task.POWER, tier=Tier.ACTIVATED) == Case("q", ("a",), Task.POWER)
