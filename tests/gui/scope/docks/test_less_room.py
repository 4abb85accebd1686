"""Tests of small windows: order of collapsed panes, panes over the centre, and focus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.domain.library import Kind
from app.gui.scope.docks.arrangement import Place
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.session import SessionPanel
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.dock_windows import Opened, asked, dock, layout_of, opener_of_sizes, panes_of, unfold
from tests.gui.inspections import TEXT, FakeWorkbench


@pytest.fixture
def opened(qtbot: QtBot, open_window: Opener) -> Opened:
    return opener_of_sizes(qtbot, open_window)


@pytest.mark.parametrize(("size", "scale"), [((1024, 640), 1.0), ((1280, 800), 2.0), ((1024, 640), 2.0)])
def test_that_the_window_keeps_its_size_and_never_loses_winner_and_confidence(
    qtbot: QtBot, open_window: Opener, size: tuple[int, int], scale: float
) -> None:
    bench = FakeWorkbench()
    bench.values["text_scale"] = scale
    window = open_window(bench)
    window.resize(*size)
    asked(qtbot, window)
    qtbot.waitUntil(lambda: window.theme.scale >= scale)
    qtbot.wait(1)
    assert window.size().toTuple() == size
    view = window.panels["matches"].focus_target()
    assert view.isVisible()
    assert isinstance(view, QTableView)
    assert view.height() >= view.rowHeight(0) > 0
    line = window.bar.box.line
    assert line.height() == line.height_of(line.lines), "the whole query is shown"
    assert all(reason.isVisible() for reason in window.scope.verdict.reasons[:1])
    center = layout_of(window).center.geometry()
    assert layout_of(window).main.rect().contains(center)
    assert layout_of(window).strip.isVisible()


def focused() -> QWidget:
    return some(QApplication.focusWidget())


def test_that_large_text_leaves_room_for_a_power_and_both_links(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    bench.values["text_scale"] = 2.0
    window = open_window(bench)
    window.resize(1280, 800)
    asked(qtbot, window)
    matches = of_type(window.panels["matches"], MatchesPanel)

    def is_whole() -> bool:
        kinds = {row.kind for row in matches.model.rows}
        return kinds == set(Kind) and not matches.more.isVisible()

    qtbot.waitUntil(is_whole)
    links = [link for link in window.scope.verdict.links if link.isVisible()]
    assert len(links) == 2
    reason = window.scope.verdict.reasons[0]
    assert reason.fontMetrics().horizontalAdvance(reason.text()) <= reason.width()


def test_that_f4_opens_the_selected_pane_over_the_centre_until_it_fits(qtbot: QtBot, opened: Opened) -> None:
    window = opened(800, 640)
    line = window.bar.box.line
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)
    over = dock(window, "selected")
    center = layout_of(window).center.geometry()
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_F4):
        QTest.keyClick(window, Qt.Key.Key_F4)
        assert over.isVisible()
        assert layout_of(window).center.geometry() == center
        assert center.contains(over.geometry())
        assert window.panels["selected"].focus_target().hasFocus()
        QTest.keyClick(focused(), key)
        assert not over.isVisible()
        assert line.hasFocus()
    assert dock(window, "selected").is_over
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: dock(window, "selected").isVisible())
    assert dock(window, "selected").x() > layout_of(window).center.geometry().right()
    window.resize(800, 640)
    qtbot.waitUntil(lambda: not dock(window, "selected").isVisible())


def test_that_f4_steps_in_and_out_where_the_pane_is_beside(opened: Opened) -> None:
    window = opened()
    window.bar.box.line.setFocus()
    QTest.keyClick(window, Qt.Key.Key_F4)
    assert window.panels["selected"].focus_target().hasFocus()
    QTest.keyClick(window, Qt.Key.Key_F4)
    assert dock(window, "selected").isVisible()
    assert window.bar.box.line.hasFocus()


def test_that_f6_follows_what_is_visible_from_left_to_right(opened: Opened) -> None:
    window = opened()
    unfold(window)
    targets = {key: panel.focus_target() for key, panel in window.panels.items()}
    shown = [next(key for key in targets if targets[key] is stop) for stop in panes_of(window).focus_stops()]
    assert shown == ["intent", "llm", "matches", "selected", "session"]
    layout_of(window).put("intent", Place.RIGHT)
    layout_of(window).put("session", Place.LEFT)
    shown = [next(key for key in targets if targets[key] is stop) for stop in panes_of(window).focus_stops()]
    assert shown == ["llm", "session", "matches", "selected", "intent"]
    window.resize(1024, 640)
    layout_of(window).show_pane("session", False)
    assert targets["session"] not in panes_of(window).focus_stops()


def test_that_the_folded_session_has_its_percentile_and_a_sparkline(qtbot: QtBot, opened: Opened) -> None:
    window = opened(1024, 640)
    panel = of_type(window.panels["session"], SessionPanel)
    for ms in (4.0, 6.0, 12.0):
        panel.note({ON_SCREEN: ms})
    made = layout_of(window).strip.buttons[-1]
    qtbot.waitUntil(lambda: made.accessibleDescription() == "P95 12 ms")
    assert max(made.bars) == 1.0


@pytest.mark.parametrize(("width", "height"), [(820, 640), (800, 500)])
def test_that_what_gave_way_is_offered_beside_the_matches(opened: Opened, width: int, height: int) -> None:
    window = opened(width, height)
    matches = of_type(window.panels["matches"], MatchesPanel)
    assert matches.over.isVisible()
    assert "F4" in matches.over.text()
    assert matches.rect().contains(matches.over.mapTo(matches, matches.over.rect().bottomRight()))
    matches.over.click()
    assert dock(window, "selected").isVisible()
    window.resize(1280, 800)
    assert not matches.over.isVisible()


@pytest.mark.parametrize(("width", "height"), [(1024, 640), (800, 500)])
def test_that_all_scores_stay_in_a_small_window(qtbot: QtBot, opened: Opened, width: int, height: int) -> None:
    window = opened(width, height)
    matches = of_type(window.panels["matches"], MatchesPanel)
    layout_of(window).show_pane("selected", False)
    matches.toggle_columns()
    qtbot.waitUntil(lambda: matches.painter.is_calm is False)
    view = matches.view
    asked = [place for place, key in enumerate(matches.model.scorers, 1) if key in matches.columns.scorers]
    assert asked
    assert not any(view.isColumnHidden(column) for column in asked)
    assert sum(view.columnWidth(column) for column in range(len(matches.model.scorers) + 2)) <= view.viewport().width()


def test_that_a_query_of_some_words_is_seen_from_its_first_letter(opened: Opened) -> None:
    window = opened(800, 640)
    line = window.bar.box.line
    for width in (800, 1024, 1280):
        window.resize(width, 640)
        assert line.text() == TEXT
        assert line.rects(0, 1)
        assert line.fontMetrics().horizontalAdvance(TEXT) < line.width()
