"""Tests of views over the panes: one at a time, closed by Esc, without pending work."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.gui.scope.views.overlays import PANES, Overlay
from app.gui.shell.main_window import MainWindow
from tests.gui.conftest import Opener
from tests.gui.scope.views.test_why_not import asked, scripted

KEYS = {"why_not": "why_not_actions", "beside_presets": "compare_actions"}


def cover_of(window: MainWindow, key: str) -> Overlay:
    part = window.scope.compare_actions if key == "beside_presets" else window.scope.why_not_actions
    assert part.is_open
    assert part.view is not None
    return part.view


def is_open(window: MainWindow, key: str) -> bool:
    return (window.scope.compare_actions if key == "beside_presets" else window.scope.why_not_actions).is_open


@pytest.mark.parametrize("key", KEYS)
def test_that_esc_and_the_button_lead_back_to_panes_and_line(qtbot: QtBot, open_window: Opener, key: str) -> None:
    window, _ = scripted(open_window, qtbot)
    ways: list[QWidget | None] = [window.bar.box.line, None]
    for way in ways:
        window.act(key)
        cover = cover_of(window, key)
        QTest.keyClick(way if way is not None else cover, Qt.Key.Key_Escape)
        assert not is_open(window, key)
        assert window.scope.below.currentIndex() == PANES
        assert window.bar.box.line.hasFocus()
    window.act(key)
    cover_of(window, key).close_it.click()
    assert not is_open(window, key)
    assert not window.scope.is_covered


@pytest.mark.parametrize(("first", "second"), [("why_not", "beside_presets"), ("beside_presets", "why_not")])
def test_that_each_replaces_the_other_and_ends_it(qtbot: QtBot, open_window: Opener, first: str, second: str) -> None:
    window, _ = scripted(open_window, qtbot)
    compare_actions = window.scope.compare_actions
    window.act(first)
    window.act(second)
    assert is_open(window, second)
    assert not is_open(window, first)
    cover = cover_of(window, second)
    QTest.keyClick(cover, Qt.Key.Key_Escape)
    assert window.scope.below.currentIndex() == PANES, "the panes come back, and not the first view"
    assert (compare_actions.shown, compare_actions.asked) == (None, None)
    assert not window.scope.why_not_actions.is_running


def test_that_esc_is_the_windows_where_nothing_lies_over_the_panes(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = scripted(open_window, qtbot)
    asked(window, qtbot)
    window.act("why_not")
    window.act("why_not")
    assert not window.scope.is_covered
    window.panels["matches"].focus_target().setFocus()
    QTest.keyClick(window.panels["matches"].focus_target(), Qt.Key.Key_Escape)
    assert window.bar.box.line.hasFocus()
