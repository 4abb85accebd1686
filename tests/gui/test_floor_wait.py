"""A floor waits for the better answer as long as the frame of its key allows, and only where that comes in time."""

from __future__ import annotations

import pytest

from app.gui.floor_wait import FRAME_MS, LATELY, FloorWait


@pytest.mark.parametrize(("after_ms", "waits"), [(1.0, 8), (7.0, 2), (9.0, 0), (40.0, 0), (None, FRAME_MS)])
def test_that_a_floor_leaves_room_to_be_painted_within_the_frame_of_its_key(after_ms: float | None, waits: int) -> None:
    assert FloorWait().wait(after_ms) == waits


def test_that_a_floor_shows_at_once_where_better_answers_come_late() -> None:
    floors = FloorWait()
    for _ in range(LATELY):
        floors.note(FRAME_MS + 1.0)
    assert floors.wait(2.0) == 0
    assert floors.wait(None) == FRAME_MS, "nobody waits for it"


def test_that_a_floor_waits_again_once_better_answers_come_in_time() -> None:
    floors = FloorWait()
    for _ in range(LATELY):
        floors.note(FRAME_MS + 1.0)
    for _ in range(LATELY // 2):
        floors.note(FRAME_MS - 1.0)
    assert floors.wait(2.0) == 0
    floors.note(FRAME_MS - 1.0)
    assert floors.wait(2.0) > 0


def test_that_an_answer_that_no_key_asked_for_says_nothing_of_the_next() -> None:
    floors = FloorWait()
    for _ in range(LATELY):
        floors.note(None)
    assert floors.wait(2.0) > 0
