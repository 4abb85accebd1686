"""Tests of the toast: one at a time, disappearing unless in use, without taking the focus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.gui.kit import toast as module
from app.gui.shell.main_window import MainWindow
from tests.gui.conftest import Opener
from tests.gui.inspections import FakeWorkbench


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(module, "SHOWN_MS", 60)
    made = open_window(FakeWorkbench())
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=3000)
    made.bar.box.line.setFocus()
    return made


def test_that_it_stays_six_seconds() -> None:
    assert module.SHOWN_MS == 6_000


def test_that_it_goes_by_itself_and_never_takes_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.", undo=True)
    window.toast.show_message("Two.")
    assert window.toast.sentence == "Two."
    assert not window.toast.offers_undo
    assert window.bar.box.line.hasFocus()
    qtbot.waitUntil(lambda: window.toast.sentence == "", timeout=3000)
    assert window.bar.box.line.hasFocus()


def test_that_it_waits_while_the_mouse_is_on_it(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.")
    place = QPointF(3, 3)
    QApplication.sendEvent(window.toast, QEnterEvent(place, place, place))
    assert window.toast.is_waiting()
    QApplication.sendEvent(window.toast, QEvent(QEvent.Type.Leave))
    assert not window.toast.is_waiting()
    qtbot.waitUntil(lambda: not window.toast.isVisible(), timeout=3000)


def test_that_it_waits_while_its_undo_has_the_focus_which_goes_back_after(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.", undo=True)
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert window.toast.undo.hasFocus()
    assert window.toast.is_waiting()
    with qtbot.waitSignal(window.worker.undone, timeout=3000):
        QTest.keyClick(window.toast.undo, Qt.Key.Key_Space)
    assert window.bar.box.line.hasFocus()


def test_that_it_goes_after_the_focus_has_left_it(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.", undo=True)
    window.toast.undo.setFocus()
    assert window.toast.is_waiting()
    window.bar.box.line.setFocus()
    qtbot.waitUntil(lambda: not window.toast.isVisible(), timeout=3000)


def test_that_a_sentence_that_is_too_long_for_one_line_is_wrapped_before_it_is_cut(window: MainWindow) -> None:
    window.toast.show_message("Short.")
    one_line, width = window.toast.height(), window.toast.width()
    sentence = "What went wrong is told here at some length, and after it what can be done about it. " * 2
    window.resize(700, 600)
    window.toast.show_message(sentence)
    shown = window.toast.findChild(QLabel)
    assert shown is not None
    assert shown.text() == sentence
    assert window.toast.height() > one_line
    assert "<p" not in shown.accessibleDescription()
    window.toast.show_message("Short.")
    assert (window.toast.height(), window.toast.width()) == (one_line, width)


def test_that_a_long_sentence_is_cut_and_kept_whole_for_reading(window: MainWindow) -> None:
    window.toast.show_message("word " * 200, undo=True)
    assert window.toast.sentence == "word " * 200
    assert window.toast.accessibleName() == "word " * 200
    assert window.toast.width() < window.width()
