"""Tests of times until an answer was painted: delivered in pauses, in limited numbers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.gui.bridge import scope_state
from app.gui.bridge.scope_state import PaintClock


def test_that_who_never_pauses_fills_no_memory_with_times(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope_state, "MOST_KEPT", 3)
    monkeypatch.setattr(scope_state, "PAUSE_MS", 0)
    parent = QObject()
    clock = PaintClock(parent)
    for generation in range(5):
        assert clock.expect(generation, {"lexical": float(generation)})
        clock.painted(0.0)
    with qtbot.waitSignal(clock.noted) as noted:
        clock.typing()
    (times,) = noted.args
    assert [time["lexical"] for time in times] == [2.0, 3.0, 4.0]
    assert all(ON_SCREEN in time for time in times)
