"""Tests of `calibrated`: it ranks like `balanced`, with exactly the calibrated confidences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import Match
from app.scoring import arithmetic
from app.scoring.index.best import rank
from app.scoring.index.ranking import band_of, confidences, matches
from app.scoring.index.trigger_index import Scores, TriggerIndex, key_of
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.unit.scoring.index.test_while_typing import ANSWERS, TRIGGERS, _live, _vector

BALANCED, CALIBRATED = Settings(combination="balanced"), Settings(combination="calibrated")
CHANCES = st.builds(
    Chance, st.floats(1.0, 20.0), st.floats(-15.0, 5.0), asked=st.sampled_from((0, 70)), of_logarithm=st.booleans()
)
CALIBRATIONS = st.builds(Calibration, CHANCES | st.just(SHIPPED_MEMORIES), CHANCES | st.just(SHIPPED_POWERS))


def _ranked(index: TriggerIndex, scores: Scores, chosen: Settings, kind: Kind) -> list[Match]:
    return [one for one in matches(index, scores, rank(scores, chosen, 3), chosen) if one.kind is kind]


@given(answers=ANSWERS, text=TRIGGERS, calibration=CALIBRATIONS)
def test_that_calibrated_has_the_order_of_balanced_and_exactly_the_numbers_of_the_plain_loop(
    answers: list[Answer], text: str, calibration: Calibration
) -> None:
    index = _live({key_of(answer): answer for answer in answers})
    scores = index.score(ScoredText(text, _vector(text)))
    told = CALIBRATED.with_calibration(calibration)
    every = confidences(scores, told)
    for kind, chance, places in (
        (Kind.MEMORY, calibration.memories, scores.layout.memory_places),
        (Kind.POWER, calibration.powers, scores.layout.power_places),
    ):
        plain, found = _ranked(index, scores, BALANCED, kind), _ranked(index, scores, told, kind)
        groups = {index.candidate(int(slot)).group for slot in scores.layout.slots[places]}
        scale = chance.among(len(groups))
        expected = sorted(((scale(one.confidence), key_of(one.answer)) for one in plain), key=lambda pair: -pair[0])
        assert [(one.confidence, key_of(one.answer)) for one in found] == expected
        combined = confidences(scores, BALANCED)[places]
        assert every[places].tolist() == [scale(value) for value in combined.tolist()]


@given(answers=ANSWERS, text=TRIGGERS, calibration=CALIBRATIONS)
def test_that_the_account_ends_in_the_scale(answers: list[Answer], text: str, calibration: Calibration) -> None:
    index, told = _live({key_of(answer): answer for answer in answers}), CALIBRATED.with_calibration(calibration)
    scores = index.score(ScoredText(text, _vector(text)))
    for match in matches(index, scores, rank(scores, told, 5), told):
        assert (match.steps[-1].result if match.steps else 0.0) == match.confidence
        for step in match.steps:
            assert arithmetic.OPERATIONS[step.operation](step.operands) == step.result
        if match.steps:
            chance = calibration.powers if match.kind is Kind.POWER else calibration.memories
            operation, operands = match.steps[-1].operation, match.steps[-1].operands
            assert operation == (arithmetic.CHANCE_OF_LOGARITHM if chance.of_logarithm else arithmetic.CHANCE)
            assert operands[1].name == (arithmetic.SHIPPED_SLOPE if chance.is_shipped else arithmetic.SLOPE)


def test_that_without_the_vector_of_the_query_it_is_told_as_balanced() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open the door",), key=1), (Kind.POWER, 1): Power("mail", key=1)})
    floor = index.score(ScoredText("open a door"))
    plain = matches(index, floor, rank(floor, BALANCED, 3), BALANCED)
    told = matches(index, floor, rank(floor, CALIBRATED, 3), CALIBRATED)
    assert [(one.confidence, one.steps) for one in told] == [(one.confidence, one.steps) for one in plain]


def test_that_powers_may_be_told_by_a_scale_and_memories_not() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open it",), key=1), (Kind.POWER, 1): Power("open", key=1)})
    scores = index.score(ScoredText("open this", _vector("open this")))
    mixed = Settings(combination="balanced", power_combination="calibrated")
    operations = {one.kind: one.steps[-1].operation for one in matches(index, scores, rank(scores, mixed, 3), mixed)}
    assert operations == {Kind.MEMORY: "max", Kind.POWER: "chance"}


def test_that_bands_are_of_the_confidence_that_is_told() -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open the red door",), key=1)})
    scores = index.score(ScoredText("open the blue door", _vector("open the blue door")))
    sure = CALIBRATED.with_calibration(Calibration(memories=Chance(1.0, 10.0)))
    (match,) = matches(index, scores, rank(scores, sure, 1), sure)
    assert match.confidence > 0.99 or match.confidence == 0.0
    assert match.band is band_of(match.confidence, sure)


def test_that_the_scale_goes_with_the_settings_wherever_they_are_changed() -> None:
    calibration = Calibration(memories=Chance(5.0, -2.0, asked=60))
    chosen = CALIBRATED.with_calibration(calibration)
    assert chosen.calibration == calibration
    assert chosen.model_copy(update={"matches": 3}).calibration == calibration
    assert CALIBRATED.calibration == Calibration()
    assert chosen != CALIBRATED
    assert "calibration" not in chosen.model_dump()
    assert replace(calibration, made=1.0) != calibration


@pytest.mark.parametrize("name", ["balanced", "max", "semantic"])
def test_that_no_other_combination_is_told_by_a_scale(name: str) -> None:
    index = _live({(Kind.MEMORY, 1): Memory(("open it",), key=1)})
    scores = index.score(ScoredText("open this", _vector("open this")))
    chosen = Settings.model_validate({"combination": name})
    told = chosen.with_calibration(Calibration(memories=Chance(1.0, 10.0)))
    assert confidences(scores, told).tolist() == confidences(scores, chosen).tolist()
