"""Tests of the question before the window is closed during a task."""

from __future__ import annotations

import pytest

from app.display.library import importing
from app.domain.review.history import ReplayProgress


@pytest.mark.parametrize(
    ("done", "total", "said"),
    [
        (26_200, 30_000, "An import is under way: 26,200 of 30,000 lines. Nothing of it is stored yet."),
        (1_200, 0, "An import is under way: line 1,200. Nothing of it is stored yet."),
        (0, 0, "An import is under way. Nothing of it is stored yet."),
    ],
)
def test_that_an_import_says_how_far_it_is_and_that_nothing_is_kept(done: int, total: int, said: str) -> None:
    assert importing.import_warning(done, total) == said


def test_that_other_tasks_say_what_stays() -> None:
    assert importing.replay_warning(ReplayProgress(40, 1_300)) == (
        "A replay is under way: 40 of 1,300 queries. What it has found is not kept."
    )
    stays = "The queries stored so far stay; the rest is skipped."
    assert importing.log_warning(40, 1_300) == f"A log is being imported: 40 of 1,300 queries. {stays}"
    assert importing.log_warning(0, 0) == f"A log is being imported. {stays}"
    assert "breaks that off" in importing.folder_warning()
    assert [importing.stop_verb(count) for count in (1, 2)] == ["Stop it and close", "Stop them and close"]
