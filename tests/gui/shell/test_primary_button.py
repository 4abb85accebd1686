"""Tests that Ctrl+Return presses the primary button of the open page."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from app.gui.kit.controls import primary_button, set_primary
from tests.gui.conftest import Opener
from tests.gui.inspections import FakeWorkbench

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_that_ctrl_return_presses_the_one_primary_button(open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    teach = primary_button(window.page)
    assert teach is not None
    pressed: list[bool] = []
    teach.clicked.disconnect()
    teach.clicked.connect(lambda: pressed.append(True))
    QTest.keyClick(window, Qt.Key.Key_Return, CONTROL)
    assert len(pressed) == 1
    teach.setEnabled(False)
    assert primary_button(window.page) is not teach


def test_that_a_button_that_is_plain_now_is_not_pressed(open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    for one in window.page.findChildren(QPushButton):
        set_primary(one, False)
    assert primary_button(window.page) is None
    assert "No main button" in {row.key: row for row in window.action_rows}["primary"].refusal()
