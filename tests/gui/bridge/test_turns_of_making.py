"""What takes long is made in turns: something at once, the rest as the loop comes round, or when it is needed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.gui.bridge import jobs as turns_module
from app.gui.bridge.jobs import Chunks


@pytest.fixture
def turns(qapp: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chunks]:
    monkeypatch.setattr(turns_module, "TURN_SECONDS", 0.0)  # each step is a turn
    owner = QObject()
    yield Chunks(owner)
    owner.deleteLater()


def steps(made: list[int], many: int) -> Iterator[None]:
    for step in range(many):
        made.append(step)
        yield


def test_that_the_first_step_is_taken_at_once_and_the_others_in_turns(qtbot: QtBot, turns: Chunks) -> None:
    made: list[int] = []
    turns.begin(steps(made, 5))
    assert made == [0]
    assert not turns.are_done
    qtbot.waitUntil(lambda: turns.are_done, timeout=5000)
    assert made == [0, 1, 2, 3, 4]


def test_that_what_is_needed_whole_is_finished_at_once(turns: Chunks) -> None:
    made: list[int] = []
    turns.begin(steps(made, 5))
    turns.finish()
    assert made == [0, 1, 2, 3, 4]
    assert turns.are_done


def test_that_another_thing_begins_when_the_first_is_done(turns: Chunks) -> None:
    made: list[int] = []
    turns.begin(steps(made, 3))
    turns.begin(steps(made, 2))
    assert made == [0, 1, 2, 0]
    turns.finish()
    assert made == [0, 1, 2, 0, 1]
