"""Tests of remedies offered in panes, and of the scroll position after a new query."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractScrollArea
from pytestqt.qtbot import QtBot

from app.display.scope.match_rows import scorer_keys
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.llm import LlmPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.selected import SelectedPanel
from app.gui.shell.main_window import MainWindow
from tests.build import of_type, some
from tests.gui.dock_windows import unfold
from tests.gui.inspections import TEXT, FakeWorkbench

Opener = Callable[[FakeWorkbench], MainWindow]


def asked(qtbot: QtBot, open_window: Opener) -> MainWindow:
    window = open_window(FakeWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and window.scope.is_shown)
    return window


def test_that_an_absent_llm_and_a_threshold_are_changed_from_their_panes(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
    unfold(window)
    llm, intent = of_type(window.scope.panels["llm"], LlmPanel), of_type(window.scope.panels["intent"], IntentPanel)
    for remedy in (llm.connect_it, intent.threshold):
        window.open_page("scope")
        qtbot.waitUntil(remedy.isVisible)
        remedy.click()
        assert window.stack.is_open("settings")


def test_that_another_question_starts_at_the_top_and_a_longer_one_stays(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
    unfold(window)
    areas: list[QAbstractScrollArea] = []
    for key in ("intent", "selected"):
        panel = window.scope.panels[key]
        assert isinstance(panel, IntentPanel | SelectedPanel)
        areas.append(panel.sheet)
    window.act("selected_computed")
    window.act("selected_words")
    window.resize(1280, 600)
    qtbot.waitUntil(lambda: all(area.verticalScrollBar().maximum() > 20 for area in areas))
    for area in areas:
        area.verticalScrollBar().setValue(20)
    window.ask(TEXT + " again")
    qtbot.waitUntil(lambda: (found := window.scope.state.inspection) is not None and found.query.text.endswith("again"))
    qtbot.waitUntil(lambda: window.scope.is_shown)
    assert [area.verticalScrollBar().value() for area in areas] == [20, 20]
    window.ask("another question")
    qtbot.waitUntil(lambda: [area.verticalScrollBar().value() for area in areas] == [0, 0])


def test_that_the_merge_policies_are_compared_from_the_menu_of_the_matches(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
    pane = of_type(window.scope.panels["intent"], IntentPanel)
    window.act("policies")
    assert pane.is_comparing
    qtbot.waitUntil(pane.one.isVisible)
    window.ask("")
    window.act("policies")
    assert pane.is_comparing
    assert "empty" in window.toast.sentence


def test_that_scorers_that_were_not_asked_take_no_room_from_the_names(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
    pane = of_type(window.scope.panels["matches"], MatchesPanel)
    wanted = scorer_keys(some(window.scope.state.inspection))
    pane.toggle_columns()
    qtbot.waitUntil(lambda: pane.columns.scorers == wanted and not pane.painter.is_calm)
    shown = [
        scorer for column, scorer in enumerate(pane.model.scorers, start=1) if not pane.view.isColumnHidden(column)
    ]
    assert tuple(shown) == wanted
    assert len(wanted) < len(pane.model.scorers)
    columns = range(pane.model.columnCount())
    assert sum(pane.view.columnWidth(column) for column in columns) == pane.view.viewport().width()
