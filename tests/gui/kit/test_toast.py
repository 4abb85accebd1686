"""Tests of the toast: one at a time, disappearing unless in use, without taking the focus."""

from itertools import product

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.gui.kit import toast as module
from app.gui.shell.main_window import MainWindow
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.inspections import FakeWorkbench


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(module, "SHOWN_MS", 60)
    made = open_window(FakeWorkbench())
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.bar.box.line.setFocus()
    return made


def test_that_it_goes_by_itself_and_never_takes_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.", undo=True)
    window.toast.show_message("Two.")
    assert window.toast.sentence == "Two."
    assert not window.toast.offers_undo
    assert window.bar.box.line.hasFocus()
    qtbot.waitUntil(lambda: "Ready" not in [part[2] for part, _ in window.status_line.parts()[0]])
    qtbot.waitUntil(lambda: window.toast.sentence == "")
    assert window.bar.box.line.hasFocus()


def test_that_it_waits_while_the_mouse_is_on_it(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.")
    place = QPointF(3, 3)
    QApplication.sendEvent(window.toast, QEnterEvent(place, place, place))
    assert window.toast.is_waiting()
    QApplication.sendEvent(window.toast, QEvent(QEvent.Type.Leave))
    assert not window.toast.is_waiting()
    qtbot.waitUntil(lambda: not window.toast.isVisible())


def test_that_it_waits_while_its_undo_has_the_focus_which_goes_back_after(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.", undo=True)
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert window.toast.undo.hasFocus()
    assert window.toast.is_waiting()
    with qtbot.waitSignal(window.worker.undone):
        QTest.keyClick(window.toast.undo, Qt.Key.Key_Space)
    assert window.bar.box.line.hasFocus()


def test_that_it_goes_after_the_focus_has_left_it(qtbot: QtBot, window: MainWindow) -> None:
    window.toast.show_message("One.", undo=True)
    window.toast.undo.setFocus()
    assert window.toast.is_waiting()
    window.bar.box.line.setFocus()
    qtbot.waitUntil(lambda: not window.toast.isVisible())


def test_that_a_sentence_that_is_too_long_for_one_line_is_wrapped_before_it_is_cut(window: MainWindow) -> None:
    window.toast.show_message("Short.")
    one_line, width = window.toast.height(), window.toast.width()
    sentence = "What went wrong is told here at some length, and after it what can be done about it. " * 2
    window.resize(700, 600)
    window.toast.show_message(sentence)
    shown = some(window.toast.findChild(QLabel))
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


# ---- where it stands


def test_that_it_stands_bottom_left_and_covers_nothing(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHOWN_MS", 60_000)
    short, long = "Saved.", "Taught as a trigger of slow-build, and it now leads. " * 8
    for size, sentence in product(((700, 600), (1024, 640), (1280, 800)), (short, long)):
        window.toast.hide()
        window.resize(*size)
        qtbot.wait(1)
        page = place_of(window.stack, window)
        window.toast.show_message(sentence, undo=True)
        qtbot.waitUntil(lambda: place_of(window.toast, window).bottom() == window.height() - 1)
        toast = place_of(window.toast, window)
        seen = [window.stack, window.rail, *([window.status_line] if window.status_line.isVisible() else [])]
        assert not any(toast.intersects(place_of(widget, window)) for widget in seen)
        assert toast.left() == page.left()
        assert window.size().toTuple() == size
        assert window.toast.undo.geometry().right() < window.toast.width()
        assert sentence == long or place_of(window.stack, window) == page, "a short message moves nothing"


def test_that_the_status_line_comes_back_where_there_was_no_room_for_both(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(600, 600)
    window.toast.show_message("Saved.")
    assert not window.status_line.isVisible()
    qtbot.waitUntil(lambda: not window.toast.isVisible())
    assert window.status_line.isVisible()


def test_that_it_ends_with_its_page_unless_it_can_undo(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHOWN_MS", 6_000)
    monkeypatch.setattr(module, "_JUST_MS", -1)
    window.toast.show_message("Saved.")
    window.open_page("help")
    assert window.toast.sentence == ""
    window.toast.show_message("Deleted.", undo=True)
    window.open_page("scope")
    assert window.toast.sentence == "Deleted."


def test_that_what_was_told_while_a_page_is_opened_stays(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHOWN_MS", 6_000)
    window.toast.show_message("It is on the page of keys now.")
    window.open_page("help")
    assert window.toast.sentence == "It is on the page of keys now."


def place_of(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
