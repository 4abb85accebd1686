"""Tests of in-place replacement in the index, and of rebuilds while it is queried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.domain.library import Answer, Memory, Power, Transport
from app.scoring.index import trigger_index as index_module
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.unit.scoring.vectors import index_of, vector_of

DOOR = Memory(("open the door", "let me in"), "Turn the key.", "door", key=1)
WINDOW = Memory(("open the window",), "Push.", key=2)
LAMP = Power("lamp", "switches lights", ("light",), transport=Transport("lamp"), key=1)


def told(index: TriggerIndex, query: str) -> list[tuple[Answer, float]]:
    scores = index.score(ScoredText(query, vector_of(query)))
    found = matches(index, scores, rank(scores, Settings(), 10), Settings())
    return [(match.answer, match.confidence) for match in found]


def test_that_what_scores_as_before_takes_its_place_with_its_vectors() -> None:
    index = index_of([DOOR, WINDOW, LAMP])
    changes = index.changes
    newer = replace(DOOR, response="Pull.", tags=("home",), success=0.9, usage=3, namespace="help", version=7)
    brighter = replace(LAMP, steering="Gently.", approved=True, version=7)
    assert index.restate([newer, brighter]) == []
    assert index.changes == changes, "the kept vectors are those of this index still"
    assert index.changes_of_taught == changes + 1, "a fit uses responses"
    assert (len(index), index.embedded()) == (6, 6)
    assert index.answer((DOOR.kind, 1)) is newer
    assert index.layout().powers == (brighter,)
    assert told(index, "open the door") == told(index_of([newer, WINDOW, brighter]), "open the door")


@pytest.mark.parametrize(
    "other",
    [
        replace(DOOR, triggers=("open the door",)),
        replace(DOOR, triggers=("let me in", "open the door")),
        replace(DOOR, intent="gate"),
        replace(DOOR, intent=None),
        replace(DOOR, paused=True),
        replace(DOOR, key=9),
        replace(LAMP, name="lantern", description="lamp", keywords=("switches lights", "light")),
        replace(LAMP, keywords=(), examples=("light",)),
        replace(LAMP, paused=True),
    ],
)
def test_that_what_scores_otherwise_is_left_to_be_put(other: Answer) -> None:
    index = index_of([DOOR, WINDOW, LAMP])
    before = index.answers()
    assert index.restate([other]) == [other]
    assert index.answers() == before


def test_that_room_is_made_for_what_is_put_and_none_for_what_takes_its_place() -> None:
    index = index_of(taught := many(600))
    room = index.semantic.vectors.base
    newer = [replace(memory, namespace="help") for memory in taught]
    for _ in index.widening(newer):
        pass
    assert index.semantic.vectors.base is room
    assert index.restate(newer) == []
    others = [replace(memory, key=(memory.key or 0) + 600) for memory in taught]
    for _ in index.widening(others):
        pass
    assert index.semantic.vectors.base is not room
    room = index.semantic.vectors.base
    index.put(others)
    assert index.semantic.vectors.base is room


def test_that_a_layout_stays_unless_somebody_may_have_sorted_by_what_changed() -> None:
    index = index_of([DOOR, WINDOW])
    layout = index.layout()
    index.restate([replace(DOOR, success=0.9)])
    assert index.layout() is layout
    index.restate([replace(DOOR, namespace="help")])
    assert index.layout() is not layout


def many(count: int) -> list[Memory]:
    return [Memory((f"phrase {n} of many", f"{n} in short"), intent=f"label {n % 7}", key=n) for n in range(1, count)]


def halved(monkeypatch: pytest.MonkeyPatch) -> tuple[TriggerIndex, list[Memory]]:
    """Make an index with half of its rows blank, too large for a rebuild in one step."""
    monkeypatch.setattr(index_module, "FEW_ROWS", 10)
    monkeypatch.setattr(index_module, "MANY_ROWS", 20)
    monkeypatch.setattr(index_module, "LAID_OUT_AT_ONCE", 16)
    held = many(200)
    index = index_of(held)
    for memory in held[::2]:
        index.remove((memory.kind, memory.key or 0))
    assert index.is_sparse
    return index, held[1::2]


def test_that_blank_rows_go_in_steps_while_the_index_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    index, left = halved(monkeypatch)
    expected = told(index, "phrase 8 of many")
    steps = 0
    for _ in index.laying_out():
        steps += 1
        assert told(index, "phrase 8 of many") == expected
    assert steps > 10
    assert not index.is_sparse
    assert len(index.texts()) == len(index) == index.embedded() == 2 * len(left)
    assert list(index.answers().values()) == left
    assert [answer for answer, _ in told(index, "phrase 8 of many")] == [answer for answer, _ in expected]


def test_that_vectors_that_come_meanwhile_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    index, left = halved(monkeypatch)
    index.forget_vectors()
    for _ in index.laying_out():
        if index.unembedded():
            index.embed({text: vector_of(text) for text in index.unembedded()})
    assert (index.embedded(), index.is_sparse) == (2 * len(left), False)
    assert np.array_equal(index.semantic.vectors[0], vector_of(index.text(0)))


def test_that_vectors_of_another_encoder_never_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    index, _ = halved(monkeypatch)
    for step, _ in enumerate(index.laying_out()):
        if step == 9:
            index.forget_vectors(3)
    assert (index.embedded(), index.semantic.vectors.shape[1], index.is_sparse) == (0, 3, False)


def test_that_an_answer_that_comes_meanwhile_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    index, left = halved(monkeypatch)
    for step, _ in enumerate(index.laying_out()):
        if step == 3:
            index.put([Memory(("quite new",), key=999)])
    assert len(index.answers()) == len(left) + 1
    assert index.is_sparse, "the next filling tries again"
