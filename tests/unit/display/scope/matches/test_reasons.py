"""Tests of reasons for the first answer: contributions add up, and the largest is credited."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.scope.matches.arithmetic import Reason, reason_lines, reason_of
from app.display.scope.matches.rows import match_details, match_rows
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import Match
from app.domain.scope.fits import Learned, Logit
from app.scoring.columns.exact import ScoredText
from app.scoring.combiners import COMBINERS
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.settings.model import Settings
from tests.gui.inspections import design
from tests.reason_law import assert_reason_holds
from tests.unit.scoring.vectors import DIMENSION, vector_of, vectors_of

ANSWERS: tuple[Answer, ...] = (
    Power("paint", "colour the walls of a house", ("wall",), key=1),
    Power("build", "put up a shed of wood", ("shed",), key=2),
    Power("plant", "trees and shrubs in the garden", key=3),
    Memory(("the wall is wet",), key=1),
    Memory(("the shed is full",), intent="storage", key=2),
    Memory(("there is room in the shed",), intent="storage", key=3),
)
TEXTS = ("colour the wall", "a shed of wood", "is there room", "shrubs by the wall", "there is room in the shed", "zzz")


def ranked(text: str, settings: Settings, *, has_vector: bool = True) -> tuple[Match, ...]:
    index = TriggerIndex(DIMENSION)
    index.put(ANSWERS)
    texts = index.unembedded()
    index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
    scores = index.score(ScoredText(text, vector_of(text) if has_vector else None))
    return matches(index, scores, rank(scores, settings, 10), settings)


@pytest.mark.parametrize("has_vector", [True, False])
@pytest.mark.parametrize("combination", sorted(COMBINERS))
def test_that_contributions_add_up_under_every_combination(combination: str, has_vector: bool) -> None:
    settings = Settings.model_validate({"combination": combination})
    for text in TEXTS:
        found = replace(design(), matches=ranked(text, settings, has_vector=has_vector), below=())
        for match in found.matches:
            if match.confidence:
                assert_reason_holds(found, match)


weights = st.floats(0.1, 12.0)


@given(
    st.sampled_from(TEXTS),
    st.builds(
        Logit, none=st.floats(-5.0, 8.0), **dict.fromkeys(("semantic", "centroid", "bm25", "fuzzy", "keyword"), weights)
    ),
)
def test_that_contributions_add_up_under_any_fitted_weights(text: str, logit: Logit) -> None:
    settings = Settings(combination="learned").with_learned(Learned(logit, logit))
    found = replace(design(), matches=ranked(text, settings), below=())
    for match in found.matches:
        if match.confidence:
            assert_reason_holds(found, match)


def test_that_only_a_leader_is_marked_and_by_what_put_it_ahead() -> None:
    settings = Settings(combination="learned")
    for text in TEXTS:
        found = replace(design(), matches=ranked(text, settings), below=())
        leaders = {Kind.MEMORY: found.memories[0], Kind.POWER: found.powers[0]}
        for row in match_rows(found, settings):
            marked = tuple(cell.scorer for cell in row.cells if cell.decides)
            if row.match is leaders[row.kind] and row.is_found:
                assert set(marked) == set(reason_of(found, row.match).credited)
            else:
                assert marked == ()


def test_that_memories_and_powers_are_two_lists() -> None:
    for text in TEXTS:
        found = ranked(text, Settings(combination="learned"))
        kinds = [match.kind for match in found]
        assert kinds == sorted(kinds, key=[Kind.MEMORY, Kind.POWER].index)
        for kind in Kind:
            own = [match for match in found if match.kind is kind]
            assert [one.confidence for one in own] == sorted((one.confidence for one in own), reverse=True)
            after = [*own[1:], None]
            assert [one.lead for one in own] == [
                None if other is None else one.confidence - other.confidence
                for one, other in zip(own, after, strict=True)
            ]


def test_that_the_selected_match_shows_the_contributions_as_a_sum_before_its_confidence() -> None:
    settings = Settings(combination="learned")
    found = replace(design(), matches=ranked("colour the wall", settings), below=())
    best = found.powers[0]
    reason = reason_of(found, best)
    (shown,) = reason_lines(reason)
    details = match_details(found, best, settings)
    assert details.lines[-2] == shown
    assert details.reason == reason
    assert reason.rival is not None
    assert shown.text.startswith(f"over {reason.rival.answer.name}: ")
    assert details.lines[-1].name == "confidence"
    assert not reason_lines(Reason("No other power competes."))


def test_that_reasons_are_compared_by_what_they_say() -> None:
    """Matches hold vectors, whose comparison has no truth value."""
    match = design().matches[0]
    assert Reason("Level.", match) == Reason("Level.", replace(match, confidence=0.1))
    assert Reason("Level.", match) != Reason("Ahead.", match)
