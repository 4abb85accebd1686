"""Tests of the design of the scope's panes: positions, order of collapsing, and fixed parts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.selected import AnswerFoot, SelectedPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.shell.actions import action
from app.gui.shell.main_window import MainWindow
from tests.build import of_type
from tests.gui.conftest import Opener
from tests.gui.dock_windows import Opened, asked, opener_of_sizes, unfold
from tests.gui.inspections import FakeWorkbench


@pytest.fixture
def opened(qtbot: QtBot, open_window: Opener) -> Opened:
    return opener_of_sizes(qtbot, open_window)


def selected(window: MainWindow) -> SelectedPanel:
    return of_type(window.panels["selected"], SelectedPanel)


def matches(window: MainWindow) -> MatchesPanel:
    return of_type(window.panels["matches"], MatchesPanel)


def end_of(widget: QWidget, above: QWidget) -> int:
    return widget.mapTo(above, QPoint(widget.width(), 0)).x()


# ---- below the selected answer


def test_that_verbs_on_the_answer_stand_below_it_once_and_tell_their_keys(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    foot = selected(window).foot
    qtbot.waitUntil(foot.isVisible)
    assert list(foot.buttons) == ["right", "wrong", "add_trigger"]
    assert [made.text() for made in foot.buttons.values()] == ["Right", "Wrong", "Add trigger"]
    assert all(made.toolTip() == action(key).tip for key, made in foot.buttons.items())
    assert all(made.accessibleName() == action(key).name for key, made in foot.buttons.items())
    assert all(end_of(made, foot) <= foot.width() - 16 for made in foot.buttons.values())
    face = window.theme.face(12)
    flags, height = int(Qt.TextFlag.TextWordWrap), face.measure.lineSpacing() * 2 + 1
    shown = face.cropped("words that go on and on " * 60, 200.0, flags, height)
    assert shown.endswith("…")
    assert face.wrapped(shown, 200.0, flags) <= height
    assert face.wrapped(f"{shown[:-1]} and on and on and on", 200.0, flags) > height
    assert not set(selected(window).foot.buttons) & set(window.bar.buttons)


def test_that_a_press_below_the_answer_does_what_its_key_does(qtbot: QtBot) -> None:
    panel = SelectedPanel(Theme())
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.action_requested) as pressed:
        panel.foot.buttons["right"].click()
    assert pressed.args == ["right"]


def test_that_words_below_the_answer_give_way_to_icons(qtbot: QtBot) -> None:
    foot = AnswerFoot(Theme())
    qtbot.addWidget(foot)
    foot.resize(200, foot.height())
    foot.show()
    assert {made.text() for made in foot.buttons.values()} == {""}
    assert all(not made.icon().isNull() for made in foot.buttons.values())
    foot.resize(420, foot.height())
    assert [made.text() for made in foot.buttons.values()] == ["Right", "Wrong", "Add trigger"]


# ---- the matches


@pytest.mark.parametrize("size", [(1280, 800), (1024, 640), (1400, 777), (1920, 1080)])
def test_that_the_legend_stands_right_below_the_last_whole_row(opened: Opened, size: tuple[int, int]) -> None:
    panel = matches(opened(*size))
    assert (panel.view.height() - panel.view.heading) % panel.view.rowHeight(0) == 0
    assert panel.foot.y() == panel.view.height()
    assert panel.view.height() + panel.foot.height() == panel.body.height()
    assert panel.foot.height() >= panel.theme.px(32)


@pytest.mark.parametrize(("width", "scale"), [(1280, 1.0), (1024, 1.0), (1280, 2.0), (1024, 2.0), (900, 1.0)])
def test_that_nothing_in_the_matches_head_is_cut(qtbot: QtBot, open_window: Opener, width: int, scale: float) -> None:
    bench = FakeWorkbench()
    bench.values["text_scale"] = scale
    window = open_window(bench)
    window.resize(width, 800)
    asked(qtbot, window)
    qtbot.waitUntil(lambda: window.theme.scale >= scale)
    panel = matches(window)
    qtbot.waitUntil(lambda: panel.head.least <= panel.width())
    shown = [made for made in (panel.over, panel.view_menu, panel.filter) if made.isVisible()]
    assert shown
    qtbot.waitUntil(lambda: all(end_of(made, panel) <= panel.width() for made in shown))


# ---- fixed parts


def test_that_the_first_histogram_has_all_the_room_that_the_next_has(qtbot: QtBot) -> None:
    pane = SessionPanel(Theme())
    qtbot.addWidget(pane)
    pane.resize(1100, 240)
    pane.show()
    qtbot.waitExposed(pane)
    pane.note({"keywords": 0.2, ON_SCREEN: 8.0})
    qtbot.waitUntil(lambda: pane.fixed[ON_SCREEN].plot is not None)
    histogram = pane.fixed[ON_SCREEN]
    assert histogram.plot is not None
    plot = histogram.plot
    qtbot.waitUntil(lambda: plot.y() == histogram.keys.geometry().bottom() + 1)
    assert plot.geometry().bottom() + 1 == histogram.budget.y()


# ---- texts


def test_that_cues_out_of_sight_and_a_query_on_its_way_are_not_called_none(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    box = window.bar.box
    qtbot.waitUntil(lambda: bool(box.labelled))
    assert box.message == ""
    text = box.line.text()
    box.line.setText(text + " and more of it" * 40)
    box.line.moveCursor(QTextCursor.MoveOperation.End)
    box.show_cues(tuple(cue for cue in box.cues if text[cue.start : cue.end] == cue.text))
    qtbot.waitUntil(lambda: box.message == "Keywords of the type are scrolled out of view")
    qtbot.waitUntil(lambda: window.scope.is_shown)
    unfold(window)
    waiting = replace(window.scope_state, inspection=None, selected=None, has_query=True)
    for panel in window.panels.values():
        panel.show_state(waiting)
    assert matches(window).empty.words[0] == "Working"
    assert not matches(window).samples.isVisible()
    intent = of_type(window.panels["intent"], IntentPanel)
    qtbot.waitUntil(lambda: "Working" in intent.sheet.read)
    window.ask("")
    assert not selected(window).foot.isVisible(), "below no answer there is nothing to press"


def test_that_an_empty_library_offers_a_file(qtbot: QtBot) -> None:
    panel = MatchesPanel(Theme())
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.action_requested) as pressed:
        next(made for made in panel.empty.findChildren(QPushButton) if made.text() == "Import my file…").click()
    assert pressed.args == ["import"]


def test_that_what_is_pressed_for_an_axis_says_of_which_stage(qtbot: QtBot, opened: Opened) -> None:
    window = opened()
    window.act("panes_below")
    pane = of_type(window.panels["session"], SessionPanel)
    pane.note({"keywords": 0.2, ON_SCREEN: 8.0})
    runs = pane.fixed[ON_SCREEN].runs
    qtbot.waitUntil(lambda: runs.accessibleName() == f"Answer on screen: {runs.text()}")
