"""Tests of a toast's position: low, above the status bar, over unimportant content, within its page."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, QStringListModel
from PySide6.QtWidgets import QLabel, QListView, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.gui.kit import toast as module
from app.gui.kit.theme.theme import Theme
from app.gui.kit.toast import Toast
from app.gui.scope.panels.session import SessionPanel
from app.gui.shell.main_window import MainWindow
from tests.gui.conftest import Opener
from tests.gui.dock_windows import asked, layout_of
from tests.gui.inspections import FakeWorkbench


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener) -> MainWindow:
    made = open_window(FakeWorkbench())
    made.resize(1280, 800)
    made.act("panes_below")
    asked(qtbot, made)
    session = made.panels["session"]
    assert isinstance(session, SessionPanel)
    session.note({"keywords": 0.2, "lexical": 0.4, ON_SCREEN: 9.0})
    qtbot.waitUntil(lambda: session.fixed[ON_SCREEN].plot is not None, timeout=3000)
    return made


def place_of(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def test_that_it_covers_no_chart_no_match_and_not_the_status_bar(window: MainWindow) -> None:
    window.toast.show_message("Taught as a trigger of slow-build. It now leads by 0.144.", undo=True)
    toast = window.toast.geometry()
    assert not any(toast.intersects(place_of(made, window)) for made in layout_of(window).strip.buttons)
    assert toast.bottom() < window.status_line.y()
    assert not toast.intersects(place_of(window.rail, window))
    view = window.panels["matches"].focus_target()
    rows = QRect(view.mapTo(window, QPoint(0, 0)), view.size())
    assert not toast.intersects(rows.adjusted(0, 0, 0, -2 * window.theme.px(50)))


def test_that_it_hides_nothing_that_can_be_pressed_while_there_is_any_other_place(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    words = QLabel("words " * 2000, window)
    words.setWordWrap(True)
    words.setGeometry(0, 0, 800, 574)
    for row in range(9, 23):
        for column in range(20):
            QPushButton(window).setGeometry(40 * column + row, 25 * row, 8, 8)  # less than the distance between points
    toast = Toast(Theme(), window)
    window.show()
    toast.show_message("Taught as a trigger of slow-build.", undo=True)
    toast.place()  # again while the toast itself is visible
    pressed = [one for one in window.findChildren(QPushButton) if one is not toast.undo]
    assert not any(one.geometry().intersects(toast.geometry()) for one in pressed)


@pytest.mark.parametrize("current", [0, 19])
def test_that_it_never_lies_over_the_row_that_is_worked_on(qtbot: QtBot, current: int) -> None:
    theme = Theme()
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    rows = QListView(window)
    rows.setModel(QStringListModel([f"row {n}" for n in range(200)], rows))
    rows.setGeometry(0, 0, 800, 574)
    rows.setStyleSheet("QListView::item { height: 28px }")
    toast = Toast(theme, window)
    window.show()
    qtbot.waitExposed(window)
    rows.setCurrentIndex(rows.model().index(current, 0))
    toast.show_message("Paused.", undo=True)
    row = rows.visualRect(rows.currentIndex())
    assert row.isValid()
    assert rows.viewport().rect().intersects(row)
    assert not toast.geometry().intersects(place_of(rows.viewport(), window).intersected(row.translated(rows.pos())))
    assert toast.y() > window.height() // 2


def test_that_in_an_empty_window_it_stands_bottom_centre(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    toast = Toast(Theme(), window)
    window.show()
    toast.show_message("Saved.")
    assert abs(toast.geometry().center().x() - 400) <= 1
    assert toast.geometry().bottom() < 574
    assert toast.geometry().bottom() > 540


def test_that_a_place_is_looked_for_while_it_is_shown_alone(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.toast.hide()
    looked: list[QWidget] = []

    def bottom(of: QWidget, _over: QWidget, size: QSize, _theme: Theme) -> QPoint:
        looked.append(of)
        return QPoint(0, of.height() - size.height())

    monkeypatch.setattr(module, "clearing", bottom)
    window.resize(1200, 760)
    assert looked == []
    window.toast.show_message("Saved.")
    window.resize(1200, 740)
    assert window.toast.geometry().bottom() == 739
    assert looked == [window, window]


def test_that_it_ends_with_its_page_unless_it_can_be_undone(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_JUST_MS", -1)
    window.toast.show_message("Saved.")
    window.open_page("keys")
    assert window.toast.sentence == ""
    window.toast.show_message("Deleted.", undo=True)
    window.open_page("scope")
    assert window.toast.sentence == "Deleted."


def test_that_what_was_told_while_a_page_is_opened_stays(window: MainWindow) -> None:
    window.toast.show_message("It is on the page of keys now.")
    window.open_page("keys")
    assert window.toast.sentence == "It is on the page of keys now."
