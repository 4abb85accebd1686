"""A floor waits for the better answer as long as the frame of its key allows, and longer on a busy machine."""

from __future__ import annotations

import pytest

from app.gui.floor_wait import FRAME_MS, floor_wait


@pytest.mark.parametrize(
    ("after_ms", "waits"), [(3.0, 7), (8.0, 2), (9.0, FRAME_MS), (40.0, FRAME_MS), (None, FRAME_MS)]
)
def test_that_an_early_floor_leaves_room_to_be_painted_within_its_frame(after_ms: float | None, waits: int) -> None:
    assert floor_wait(after_ms) == waits
