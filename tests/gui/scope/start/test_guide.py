"""Tests of the guide: each hint once, next steps after some queries, stored per profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.display.scope.guide import HINTS, NEXT_STEPS, STEPS_FROM, GuideState
from app.gui.scope.start import guide
from app.gui.shell.main_window import MainWindow
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
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None)
    window.scope.guide.rest.start()
    qtbot.waitUntil(lambda: not window.scope.guide.rest.isActive())
    strip = window.scope.guide.strip
    return strip.sentence.text() if strip.isVisible() else ""


def test_that_each_hint_is_told_once(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window = guided(qtbot, open_window, tmp_path)
    assert asked(qtbot, window, "why does the build keep failing").startswith("Wrong? Ctrl+E")
    assert not asked(qtbot, window, "why does the build keep failing on my mac").startswith("Wrong?")
    qtbot.waitUntil(lambda: guide.read(tmp_path / guide.FILE).told == frozenset({"wrong"}))
    again = guided(qtbot, open_window, tmp_path)
    assert asked(qtbot, again, "why does the build keep failing") == ""


def test_that_a_hint_is_done_from_where_it_stands(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window = guided(qtbot, open_window, tmp_path)
    asked(qtbot, window, "why does the build keep failing")
    strip = window.scope.guide.strip
    assert window.scope.focus_stops()[-1] is strip.links[0]
    strip.links[0].click()
    qtbot.waitUntil(lambda: window.scope.why_not_actions.is_open)
    assert not strip.isVisible()


def test_that_next_steps_are_offered_until_they_are_done(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    guide.write(GuideState(told=EVERY_HINT, queries=STEPS_FROM - 1), tmp_path / guide.FILE)
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
    guide.write(GuideState(told=EVERY_HINT, queries=STEPS_FROM), tmp_path / guide.FILE)
    window = guided(qtbot, open_window, tmp_path, cases=3)
    asked(qtbot, window, "why does the build keep failing")
    assert "Add labelled queries" not in [link.text() for link in window.scope.guide.strip.links]


def test_that_steps_sent_away_stay_away(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    guide.write(GuideState(told=EVERY_HINT, queries=STEPS_FROM), tmp_path / guide.FILE)
    window = guided(qtbot, open_window, tmp_path)
    assert asked(qtbot, window, "why does the build keep failing") == "Next:"
    window.scope.guide.strip.close_it.click()
    assert window.bar.box.line.hasFocus()
    assert asked(qtbot, window, "run a postgres query") == ""
    qtbot.waitUntil(lambda: guide.read(tmp_path / guide.FILE).is_over)


def test_that_a_profile_without_a_place_is_told_nothing(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    assert asked(qtbot, window, "why does the build keep failing") == ""


def test_that_a_damaged_memory_begins_anew(tmp_path: Path) -> None:
    file = tmp_path / guide.FILE
    guided = replace(GuideState(), told=frozenset({"undo"}), queries=3, is_over=True)
    guide.write(guided, file)
    assert guide.read(file) == guided
    file.write_text("[]")
    assert guide.read(file) == GuideState()
