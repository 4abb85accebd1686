"""Tests of the start: the card of an empty profile, samples, and each hint of the guide once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.scope.guide import HINTS, NEXT_STEPS, SAMPLES, STEPS_FROM, GuideState
from app.gui.scope import first_steps as guide
from app.gui.shell.main_window import MainWindow
from tests.build import some
from tests.gui.inspections import COUNTS, FakeWorkbench

Opener = Callable[[FakeWorkbench], MainWindow]
EVERY_HINT = frozenset(hint.key for hint in HINTS)


def guided(qtbot: QtBot, open_window: Opener, folder: Path, *, cases: int = 0) -> MainWindow:
    window = open_window(FakeWorkbench(counts={**COUNTS, "cases": cases}))
    window.scope.persist_in(folder)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def asked(qtbot: QtBot, window: MainWindow, text: str) -> str:
    """Return the text of the line after a pause on this query."""
    window.scope.guide.rest.setInterval(0)
    window.ask(text)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    window.scope.guide.rest.start()
    qtbot.waitUntil(lambda: not window.scope.guide.rest.isActive())
    strip = window.scope.guide.strip
    return strip.sentence.text() if strip.isVisible() else ""


def test_that_each_hint_is_told_once(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window = guided(qtbot, open_window, tmp_path)
    assert asked(qtbot, window, "why does the build keep failing").startswith("Wrong? Ctrl+E")
    assert not asked(qtbot, window, "why does the build keep failing on my mac").startswith("Wrong?")
    qtbot.waitUntil(lambda: guide.read_guide(tmp_path / guide.GUIDE_FILE).told == frozenset({"wrong"}))
    assert asked(qtbot, guided(qtbot, open_window, tmp_path), "why does the build keep failing") == ""


def test_that_a_hint_is_done_from_where_it_stands(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window = guided(qtbot, open_window, tmp_path)
    asked(qtbot, window, "why does the build keep failing")
    strip = window.scope.guide.strip
    assert window.scope.focus_stops()[-1] is strip.links[0]
    strip.links[0].click()
    qtbot.waitUntil(lambda: window.scope.why_not_actions.is_open)
    assert not strip.isVisible()


def test_that_next_steps_are_offered_until_they_are_done(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    guide.write_guide(GuideState(told=EVERY_HINT, queries=STEPS_FROM - 1), tmp_path / guide.GUIDE_FILE)
    window = guided(qtbot, open_window, tmp_path)
    asked(qtbot, window, "why does the build keep failing")
    strip = window.scope.guide.strip
    assert [link.text() for link in strip.links] == [step.title for step in NEXT_STEPS]
    for step in NEXT_STEPS:
        link = next(link for link in strip.links if link.text() == step.title)
        link.click()
        assert window.stack.is_open(step.page)
    assert [link.text() for link in strip.links] == ["Connect an LLM", "Add labelled queries"]


def test_that_a_step_that_is_done_is_not_offered(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    guide.write_guide(GuideState(told=EVERY_HINT, queries=STEPS_FROM), tmp_path / guide.GUIDE_FILE)
    window = guided(qtbot, open_window, tmp_path, cases=3)
    asked(qtbot, window, "why does the build keep failing")
    assert "Add labelled queries" not in [link.text() for link in window.scope.guide.strip.links]


def test_that_steps_sent_away_stay_away(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    guide.write_guide(GuideState(told=EVERY_HINT, queries=STEPS_FROM), tmp_path / guide.GUIDE_FILE)
    window = guided(qtbot, open_window, tmp_path)
    assert asked(qtbot, window, "why does the build keep failing") == "Next:"
    window.scope.guide.strip.close_it.click()
    assert window.bar.box.line.hasFocus()
    assert asked(qtbot, window, "run a postgres query") == ""
    qtbot.waitUntil(lambda: guide.read_guide(tmp_path / guide.GUIDE_FILE).is_over)


def test_that_a_profile_without_a_place_is_told_nothing(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    assert asked(qtbot, window, "why does the build keep failing") == ""


def test_that_a_damaged_memory_begins_anew(tmp_path: Path) -> None:
    file = tmp_path / guide.GUIDE_FILE
    guided = replace(GuideState(), told=frozenset({"undo"}), queries=3, is_over=True)
    guide.write_guide(guided, file)
    assert guide.read_guide(file) == guided
    file.write_text("[]")
    assert guide.read_guide(file) == GuideState()


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
    assert not [panel for panel in window.scope.panels.values() if panel.isVisible()]
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
    window.scope.panels["matches"].seeds_requested.emit()
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
    steps = emptied(qtbot, open_window).scope.first_steps
    view, asked = some(steps.view), list[str]()
    steps.action_requested.disconnect()
    steps.action_requested.connect(asked.append)
    for made in (view.own, view.teach):
        made.click()
    assert asked == ["import", "teach"]
