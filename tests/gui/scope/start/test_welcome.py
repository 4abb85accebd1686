"""Tests of the start: one card in an empty profile, and sample queries despite typed text."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.scope.guide import SAMPLES
from app.gui.shell.main_window import MainWindow
from tests.build import some
from tests.gui.inspections import FakeWorkbench

Opener = Callable[[FakeWorkbench], MainWindow]
EMPTY = {"memories": 0, "powers": 0, "rules": 41}


def is_open(window: MainWindow) -> bool:
    return window.scope.first_steps.is_open


def emptied(qtbot: QtBot, open_window: Opener) -> MainWindow:
    window = open_window(FakeWorkbench(counts=EMPTY))
    qtbot.waitUntil(lambda: window.scope.first_steps.is_open)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_that_an_empty_profile_shows_one_card_and_no_pane(qtbot: QtBot, open_window: Opener) -> None:
    window = emptied(qtbot, open_window)
    view = some(window.scope.first_steps.view)
    assert view.ways.isVisible()
    assert not view.try_.isVisible()
    assert not [panel for panel in window.panels.values() if panel.isVisible()]
    assert not window.scope.verdict.isVisible()
    assert window.scope.focus_stops()[1] is view.sample
    assert window.bar.box.line.hasFocus()
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_Return)
    assert view.sample.hasFocus()  # a second Enter presses it


def test_that_whoever_types_sees_what_comes_of_it(qtbot: QtBot, open_window: Opener) -> None:
    window = emptied(qtbot, open_window)
    window.ask("why does this fail")
    assert not is_open(window)
    assert window.scope.verdict.isVisible()
    window.ask("")
    assert is_open(window)


def test_that_the_sample_brings_queries_to_try_whatever_was_typed(qtbot: QtBot, open_window: Opener) -> None:
    window = emptied(qtbot, open_window)
    steps, line = window.scope.first_steps, window.bar.box.line
    window.ask("hello")
    assert not is_open(window)
    window.panels["matches"].seeds_requested.emit()
    qtbot.waitUntil(lambda: steps.view is not None and bool(steps.view.lines.buttons))
    view = some(steps.view)
    assert is_open(window)
    assert line.hasFocus()
    assert line.textCursor().selectedText() == "hello"
    assert [button.text() for button in view.lines.buttons] == [sample.text for sample in SAMPLES]
    assert len(SAMPLES) == 9
    qtbot.waitUntil(lambda: "Try one" in view.try_.headline.text())
    view.lines.buttons[1].setFocus()
    QTest.keyClick(view.lines.buttons[1], Qt.Key.Key_Space)
    assert line.text() == SAMPLES[1].text
    assert line.hasFocus()
    assert not is_open(window)


def test_that_escape_leads_to_the_panes_and_an_empty_profile_keeps_its_card(qtbot: QtBot, open_window: Opener) -> None:
    window = emptied(qtbot, open_window)
    steps, line = window.scope.first_steps, window.bar.box.line
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert is_open(window)
    view = some(steps.view)
    view.sample.click()
    qtbot.waitUntil(lambda: view.try_.isVisible() and bool(view.lines.buttons))
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert not is_open(window)


def test_that_a_file_and_teaching_are_one_press_away(qtbot: QtBot, open_window: Opener) -> None:
    view = some(emptied(qtbot, open_window).scope.first_steps.view)
    asked: list[str] = []
    view.action_requested.disconnect()
    view.action_requested.connect(asked.append)
    for made in (view.own, view.teach):
        made.click()
    assert asked == ["import", "teach"]
