"""Tests of tier quality: expected and given tiers, turns, times, unreachable tiers (003)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.domain.case import Case, Delivered, Task
from app.domain.match import Tier
from app.domain.running import ActivationBlocker
from app.evaluation.answers import Answered
from app.evaluation.distribution import Offer, friction, search_times, tier_quality, turns, unreachable
from app.evaluation.documents import document, gate
from app.evaluation.evaluation import Evaluation, judged
from app.settings.model import Settings
from tests.unit.evaluation.made import answer, page_of

ACTIVATED, MULTIPLE, WEAK, NONE = Tier
SETTINGS = Settings()


def power(
    expected: str, candidates: str, tier: Tier, *, meant: Tier | None = None, offered: int = 0, rank: int | None = None
) -> Answered:
    return answer(expected, candidates, task=Task.POWER, tier=tier, meant=meant, offered=offered, rank=rank)


RIGHT = power("a", "a:0.9", ACTIVATED, meant=ACTIVATED, offered=1)
WRONG = power("a", "b:0.9 a:0.4", ACTIVATED, meant=ACTIVATED, offered=1)
OFFERED = power("a", "b:0.6 a:0.5", MULTIPLE, meant=ACTIVATED, offered=2)
TOO_LOW = power("a", "b:0.6 c:0.2 a:0.1", MULTIPLE, meant=MULTIPLE, offered=1)
WEAKLY = power("a", "a:0.4", WEAK, meant=WEAK, offered=1)
LOST = power("a", "a:0.1", NONE, meant=WEAK)
NOTHING = power("", "a:0.1", NONE, meant=NONE)
SEVEN = [RIGHT, WRONG, OFFERED, TOO_LOW, WEAKLY, LOST, NOTHING]


@pytest.mark.parametrize(
    ("answered", "least", "most"),
    [
        (RIGHT, 0, 0),
        (WRONG, 1, 1),
        (OFFERED, 0, 1),
        (TOO_LOW, 1, 1),
        (WEAKLY, 1, 1),
        (LOST, 1, 1),
        (power("a", "", NONE), 1, 1),
    ],
)
def test_that_a_turn_is_lost_unless_the_right_power_is_there(answered: Answered, least: int, most: int) -> None:
    assert turns(answered) == (least, most)


def test_that_friction_is_a_mean_over_the_cases_that_expect_a_power() -> None:
    assert friction(SEVEN) == (4 / 6, 5 / 6)
    assert friction([NOTHING]) is None


def test_that_tiers_meant_and_got_are_counted() -> None:
    found = tier_quality([*SEVEN, power("a", "a:0.9", ACTIVATED, offered=1)], SETTINGS)
    assert (found.expecting, found.right, found.accuracy) == (7, 5, 5 / 7)
    assert found.confusion[ACTIVATED] == {ACTIVATED: 2, MULTIPLE: 1, WEAK: 0, NONE: 0}
    assert found.confusion[WEAK][NONE] == 1
    assert found.wrongly_activated == 1
    assert found.unreachable == ()


def test_that_a_right_power_in_another_tier_is_told_from_a_wrong_one() -> None:
    found = tier_quality(SEVEN, SETTINGS)
    assert found.offers == {Offer.RIGHT: (2, 1, 0), Offer.WRONG: (2, 0, 0), Offer.NOTHING: (1, 1, 0)}
    assert found.served == 4 / 7
    far = power("a", "a:0.4", WEAK, meant=ACTIVATED, offered=1)
    unmeant = power("", "a:0.9", ACTIVATED, meant=NONE, offered=1)
    found = tier_quality([far, unmeant], SETTINGS)
    assert found.offers == {Offer.RIGHT: (0, 0, 1), Offer.WRONG: (0, 0, 1), Offer.NOTHING: (0, 0, 0)}
    assert found.served == 1 / 2
    assert tier_quality([], SETTINGS).served is None


def test_that_cases_without_a_tier_have_no_tier_accuracy() -> None:
    found = tier_quality([power("a", "a:0.9", ACTIVATED, offered=1)], SETTINGS)
    assert (found.expecting, found.accuracy, found.confusion) == (0, None, {})


def test_that_starting_a_power_where_none_serves_is_wrong() -> None:
    assert tier_quality([power("", "a:0.9", ACTIVATED, offered=1)], SETTINGS).wrongly_activated == 1
    unwanted = Answered(Case("?", (), Task.POWER, unwanted=("b",)), (), RIGHT.candidates, None, False, ACTIVATED, 1)
    assert tier_quality([unwanted], SETTINGS).wrongly_activated == 0
    known = Answered(Case("?", (), Task.POWER, unwanted=("a",)), (), RIGHT.candidates, None, False, ACTIVATED, 1)
    assert tier_quality([known], SETTINGS).wrongly_activated == 1
    assert not known.is_right
    trap = Case("?", (), Task.POWER, unwanted=("b",), tier=NONE)
    meant = Answered(trap, (), RIGHT.candidates, None, False, ACTIVATED, 1)
    assert (meant.is_right, tier_quality([meant], SETTINGS).wrongly_activated) == (False, 1)


def test_that_searches_are_summed_up_by_tier() -> None:
    found = search_times([(ACTIVATED, 10.0), (ACTIVATED, 20.0), (NONE, 60.0)])
    assert (found.n, found.mean, found.p50) == (3, 30.0, 20.0)
    assert found.p95 == pytest.approx(56.0)
    assert found.by_tier == {ACTIVATED: 15.0, NONE: 60.0}
    with pytest.raises(ValueError, match="nothing to sum up"):
        search_times([])


def _settings(**values: object) -> Settings:
    return Settings.model_validate(values)


@pytest.mark.parametrize(
    ("settings", "tiers"),
    [
        (SETTINGS, ()),
        (_settings(tiers={"medium": 0.3}), (WEAK,)),
        (_settings(tiers={"weak": 0.0}), (NONE,)),
        # Ties end among multiple matches, thresholds or not.
        (_settings(tiers={"medium": 0.9}), ()),
        (_settings(tiers={"medium": 0.9, "ambiguity_margin": 0}), (MULTIPLE,)),
        # A keyword scores 0, or more than 0.5; an exact match 0, or at least 0.95.
        (_settings(power_combination="keyword"), (WEAK,)),
        (_settings(power_combination="exact", tiers={"ambiguity_margin": 0}), (MULTIPLE, WEAK)),
        (_settings(power_combination="exact", tiers={"high": 0.97, "ambiguity_margin": 0}), (WEAK,)),
    ],
)
def test_that_tiers_no_query_can_end_in_are_named(settings: Settings, tiers: tuple[Tier, ...]) -> None:
    assert unreachable(settings) == tiers


def _judged() -> Evaluation:
    return judged(Task.POWER, "balanced", SEVEN, SETTINGS)


def test_that_a_gate_can_stand_on_the_tiers() -> None:
    assert gate(_judged(), "tier_accuracy>=0.7")
    assert not gate(_judged(), "tier_accuracy>0.9")
    assert not gate(judged(Task.POWER, "balanced", [power("a", "a:0.9", ACTIVATED)], SETTINGS), "tier_accuracy>=0")


def test_that_the_document_tells_them() -> None:
    found = json.loads(json.dumps(document(_judged())))
    assert found["tiers"] == {"activated": 2, "multiple_matches": 2, "weak_matches": 1, "not_found": 2}
    quality = found["tier_quality"]
    assert quality["accuracy"] == found["metrics"]["tier_accuracy"] == 5 / 7
    assert quality["confusion"]["weak_matches"] == {
        "activated": 0,
        "multiple_matches": 0,
        "weak_matches": 1,
        "not_found": 1,
    }
    assert quality["friction"] == {"least": 4 / 6, "most": 5 / 6}
    assert quality["wrongly_activated"] == 1
    assert quality["unreachable"] == []
    assert quality["targets"] == {"tier_accuracy": 0.9, "top3": 0.95}
    assert found["times"] is None
    assert found["tokens"] is None
    assert found["cases"][0]["tier"] == "activated"


def test_that_other_tasks_have_none_of_it() -> None:
    found = document(judged(Task.INTENT, "balanced", [answer("a", "a:0.9")], SETTINGS))
    assert (found["tier_quality"], found["tiers"]) == (None, {})


def test_that_people_read_it() -> None:
    page = page_of(_judged())
    assert "Turns of friction where a power is expected: 0.67 to 0.83 on the average." in page
    assert "Queries that would start a wrong power: 1." in page
    assert "Tier as expected: 71.4 %; the target of more than 90 % is not met." in page
    assert "A right power among the first 3: 100.0 %; the target of more than 95 % is met." in page


BLOCKERS = {"a": ActivationBlocker.APPROVAL, "b": ActivationBlocker.COMMAND}


def _blocked(answered: Answered) -> Answered:
    """Return the answer of a library in which no power can be started."""
    found = answered.candidates[0].name
    return replace(answered, delivered=Delivered(found_power=found, blocker=BLOCKERS.get(found)))


def test_that_no_power_is_told_to_be_activated_that_cannot_be_started() -> None:
    evaluation = judged(Task.POWER, "balanced", [*map(_blocked, SEVEN)], SETTINGS)
    told = document(evaluation)["tier_quality"]
    assert (told["wrongly_activated"], told["wrongly_blocked"]) == (0, 1)
    assert told["blocked"] == {"command": 1, "approval": 1}
    page = page_of(evaluation)
    rows = {line.rsplit(maxsplit=1)[0].strip(): line.split()[-1] for line in page.splitlines() if line.strip()}
    assert (rows["Would be activated"], rows["Confident, not approved"], rows["Confident, no command"]) == (
        "0",
        "1",
        "1",
    )
    assert "Queries that would start a wrong power: 0; 1 more if every power could be started." in page
    assert "on the average, if every power could be started." in page


def test_that_a_wrong_power_that_cannot_be_started_harms_nobody_beside_one_that_can() -> None:
    found = tier_quality([WRONG, _blocked(WRONG), _blocked(RIGHT)], SETTINGS)
    assert (found.wrongly_activated, found.wrongly_blocked, sum(found.blocked.values())) == (1, 1, 2)


def test_that_a_tier_that_cannot_be_reached_is_told() -> None:
    settings = _settings(tiers={"medium": 0.3})
    page = page_of(judged(Task.POWER, "balanced", [NOTHING], settings))
    assert "No query can end in weak matches under these settings." in page
    assert "A right power among the first 3: does not apply." in page
    assert "friction" not in page
