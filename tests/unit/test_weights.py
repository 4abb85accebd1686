"""Tests of the script that fits the shipped weights: its figures, and its choice for few powers."""

from __future__ import annotations

from dataclasses import astuple, replace
from types import ModuleType

import numpy as np
import pytest

from app.scoring.learned.defaults import described
from tests.scripts import PROJECT, script
from tests.unit.scoring.learned.test_logit import questions


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    return script("weights")


def test_that_none_takes_part_among_the_first_answers(weights: ModuleType) -> None:
    asked, usual = questions(60), described(100, has_paragraphs=False)
    nothing, something = (np.array(astuple(replace(usual, none=none))) for none in (1e9, -1e9))
    serves = asked.right < asked.candidates.shape[1]
    assert weights.right(asked, nothing) == pytest.approx(asked.weights[~serves].sum() / asked.weights.sum())
    first = (asked.candidates @ usual.candidate).argmax(axis=1)
    assert weights.right(asked, something) == pytest.approx(
        asked.weights[serves & (first == asked.right)].sum() / asked.weights.sum()
    )


def test_that_a_change_for_few_powers_starts_no_more_wrong_ones_and_no_fewer_right_ones(weights: ModuleType) -> None:
    now = weights.Outcome(loss=1.0, error=0.2, offered=0.5, started=0.3, wrongly=0.01)
    first = {
        (0.0, 0.0): now,
        (1.0, 0.1): replace(now, loss=0.9),
        (2.0, 0.0): replace(now, loss=0.5, wrongly=0.02),
        (0.0, 0.3): replace(now, loss=0.6, started=0.2),
    }
    assert weights.best_change([first]) == (1.0, 0.1)
    second = {change: replace(now, wrongly=0.0) for change in first} | {(0.0, 0.0): now}
    assert weights.best_change([first, second]) == (2.0, 0.0), "the mean of all libraries counts"
