"""Tests of match explanations: computed on access, from the match's own data only."""

from __future__ import annotations

import pickle
from dataclasses import replace
from threading import Barrier, Thread

import numpy as np
import pytest

from app.domain.library import Memory, Power
from app.domain.match import EagerExplanation, Match, Operand
from app.scoring import arithmetic
from app.scoring.index.best import rank
from app.scoring.index.ranking import Reckoning, matches
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.unit.scoring.vectors import DIMENSION, vector_of
from tests.waiting import PATIENCE

LIBRARY = (
    Memory(("open the invoice", "show my invoice", "invoices"), intent="billing", key=1),
    Memory(("open the door",), key=2),
    Memory(("close the door",), key=3),
    Power("database", keywords=("invoice", "open"), key=1),
)
QUERY = "open my invoice"
COMBINATIONS = ("balanced", "max", "weighted_average", "cascade", "keyword_or_semantic", "fuzzy")


def the_index() -> TriggerIndex:
    index = TriggerIndex(DIMENSION)
    index.put(LIBRARY)
    index.embed({text: vector_of(text) for text in index.unembedded()})
    return index


def found_in(index: TriggerIndex, combination: str = "balanced") -> tuple[Match, ...]:
    settings = Settings.model_validate({"combination": combination})
    scores = index.score(ScoredText(QUERY, vector_of(QUERY)))
    return matches(index, scores, rank(scores, settings, 10), settings)


def told(match: Match) -> EagerExplanation:
    return EagerExplanation(match.steps, match.best_trigger, match.triggers, match.keywords)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Operand]:
    """Collect every operand that the arithmetic creates for display."""
    seen: list[Operand] = []

    def operand(name: str, value: float, weight: float | None = None) -> Operand:
        seen.append(Operand(name, value, weight))
        return seen[-1]

    monkeypatch.setattr(arithmetic, "Operand", operand)
    return seen


def test_that_no_arithmetic_is_written_out_before_it_is_asked(made: list[Operand]) -> None:
    first, *_ = found_in(the_index())
    assert not made
    assert first.steps
    assert made


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_that_the_last_step_is_the_confidence(combination: str) -> None:
    for match in found_in(the_index(), combination):
        assert (match.steps[-1].result if match.steps else 0.0) == match.confidence
        for step in match.steps:
            assert arithmetic.OPERATIONS[step.operation](step.operands) == step.result


def test_that_an_account_is_of_the_keystroke_whatever_the_index_becomes() -> None:
    index = the_index()
    expected = [told(match) for match in found_in(index)]
    found = found_in(index)
    index.put([replace(LIBRARY[0], triggers=("something else",)), Memory(("open my invoice",), key=4)])
    index.remove((LIBRARY[3].kind, 1))
    index.score(ScoredText("another", np.asarray(vector_of("another"))))
    assert [told(match) for match in found] == expected


def test_that_the_triggers_of_an_account_are_all_with_their_own_scores() -> None:
    by_name = {match.answer.key: match for match in found_in(the_index()) if isinstance(match.answer, Memory)}
    several, lone = by_name[1], by_name[2]
    assert [one.text for one in several.triggers] == list(LIBRARY[0].triggers)
    for name in ("fuzzy", "token_overlap", "semantic"):
        own = [one.scores[name] or 0.0 for one in several.triggers]
        assert max(own) == several.scores[name]
        assert several.triggers[own.index(max(own))].text == several.best_trigger[name]
    assert lone.triggers[0].scores == {name: lone.scores[name] for name in lone.triggers[0].scores}


def test_that_a_power_tells_the_keywords_that_it_holds() -> None:
    power = next(match for match in found_in(the_index()) if isinstance(match.answer, Power))
    assert {held.keyword for held in power.keywords} == {"invoice", "open"}
    assert power.best_trigger["keyword"] == power.keywords[0].keyword


def test_that_matches_are_equal_copied_and_pickled_with_their_account() -> None:
    index = the_index()
    for match, again in zip(found_in(index), found_in(index), strict=True):
        assert match == again
        assert isinstance(match.account, Reckoning)
        thawed = pickle.loads(pickle.dumps(match))  # noqa: S301 - our own, just made
        assert thawed == match
        assert told(thawed) == told(match)
        assert told(replace(match, lead=0.5)) == told(match)
        assert replace(match, account=EagerExplanation()) != match


def test_that_threads_that_ask_at_once_are_told_the_same() -> None:
    match, begin, heard = found_in(the_index())[0], Barrier(4), list[EagerExplanation]()

    def ask() -> None:
        begin.wait(PATIENCE)
        heard.append(told(match))

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert heard == [told(match)] * 4
