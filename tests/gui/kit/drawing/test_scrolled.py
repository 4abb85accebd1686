"""Tests of scroll areas: they follow the keyboard, but stay if the focused widget goes away."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.gui.kit.drawing.sheet import scrolled


@pytest.fixture
def area(qtbot: QtBot) -> QScrollArea:
    body = QWidget()
    column = QVBoxLayout(body)
    for number in range(40):
        column.addWidget(QPushButton(str(number)))
    area = scrolled(body, "Buttons")
    qtbot.addWidget(area)
    area.resize(200, 200)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(area.isActiveWindow)
    return area


def last_focused(area: QScrollArea) -> QPushButton:
    """Give the focus to the last button, with the area scrolled to its end; the first one is next."""
    buttons = {button.text(): button for button in area.findChildren(QPushButton)}
    button = buttons["39"]
    QWidget.setTabOrder(button, buttons["0"])
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    button.setFocus()
    return button


@pytest.mark.parametrize("verb", ["disable", "hide"])
def test_that_the_area_stays_where_the_focused_button_goes_away(area: QScrollArea, verb: str) -> None:
    button = last_focused(area)
    place = area.verticalScrollBar().value()
    if verb == "hide":
        button.setVisible(False)
    else:
        button.setEnabled(False)
    assert not button.hasFocus()
    assert area.verticalScrollBar().value() == place > 0


def test_that_the_area_follows_the_tab_key(area: QScrollArea) -> None:
    button = last_focused(area)
    QTest.keyClick(button, Qt.Key.Key_Tab)
    assert area.verticalScrollBar().value() < 100
