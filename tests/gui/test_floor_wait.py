"""A floor waits for the better answer as long as the frame of its key allows, and no longer."""

from __future__ import annotations

import pytest

from app.gui.floor_wait import FRAME_MS, floor_wait


@pytest.mark.parametrize(("after_ms", "waits"), [(1.0, 4), (4.0, 1), (5.0, 0), (40.0, 0), (None, FRAME_MS)])
def test_that_a_floor_leaves_room_to_be_painted_within_the_frame_of_its_key(after_ms: float | None, waits: int) -> None:
    assert floor_wait(after_ms) == waits
