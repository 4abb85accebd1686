"""Tests of matches by label: switched, stored as a setting, and shown in each row."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.display.documents import inspection_document
from app.display.scope.matches.rows import match_rows
from app.display.scope.text import as_markdown, as_text
from app.domain.library import Memory
from app.domain.scope.inspection import Inspection
from app.gui.scope.panels.matches import GROUP_MATCHES, MatchesPanel
from app.gui.scope.panels.matches_table import MatchesModel
from app.gui.shell.main_window import MainWindow
from app.settings.model import SettingsSources, layer
from tests.build import of_type
from tests.gui.conftest import Opener
from tests.gui.inspections import SCORERS, TEXT, FakeWorkbench, design


def _panel(window: MainWindow) -> MatchesPanel:
    return of_type(window.panels["matches"], MatchesPanel)


def _grouped() -> Inspection:
    """Return the design's answer, whose first memory represents twelve more of its label."""
    found = design()
    first = found.matches[0]
    assert isinstance(first.answer, Memory)
    answer = replace(first.answer, intent="build failures")
    return replace(found, matches=(replace(first, answer=answer, others=12), *found.matches[1:]))


def test_that_the_check_in_the_menu_asks_by_label_and_back(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.ask(TEXT)
    switch = _panel(window).view_menu.by_label
    qtbot.waitUntil(lambda: window.scope_state.settings is not None and bench.asked == [TEXT])
    switch.trigger()
    qtbot.waitUntil(lambda: switch.isChecked() and bench.asked.count(TEXT) == 2)
    assert bench.values[GROUP_MATCHES] == "label"
    window.do(next(row for row in window.action_rows if row.key == GROUP_MATCHES))
    qtbot.waitUntil(lambda: not switch.isChecked() and bench.asked.count(TEXT) == 3)
    assert bench.values[GROUP_MATCHES] == "memory"


def test_that_the_check_stays_as_it_is_until_the_setting_has_turned(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    panel = _panel(window)
    qtbot.waitUntil(lambda: window.scope_state.settings is not None)
    panel.set_requested.disconnect()
    asked: list[tuple[str, str]] = []
    panel.set_requested.connect(lambda key, value: asked.append((key, value)))
    panel.view_menu.by_label.trigger()
    assert asked == [(GROUP_MATCHES, "label")]
    assert not panel.view_menu.by_label.isChecked()


def test_that_a_row_of_a_label_says_how_many_more_stand_behind_it(qapp: object) -> None:
    rows = match_rows(_grouped(), None)
    assert [row.name for row in rows[:2]] == ["build failures", rows[1].match.answer.name]
    assert [row.behind for row in rows[:2]] == ["build-fails-locally and 12 more", ""]
    model = MatchesModel(SCORERS)
    model.show_rows(rows)
    spoken = model.data(model.index(0, 0), int(Qt.ItemDataRole.AccessibleTextRole))
    assert str(spoken).endswith(", build-fails-locally and 12 more")
    assert as_text(_grouped()).count("build-fails-locally and 12 more") == 1
    assert "build failures" in as_markdown(_grouped())
    assert "12 more" in as_markdown(_grouped())


def test_that_every_row_by_label_is_called_by_its_label() -> None:
    alone = replace(_grouped(), matches=tuple(replace(match, others=0) for match in _grouped().matches))
    settings = layer(SettingsSources(command_line={"group_matches": "label"})).values
    for row in match_rows(alone, settings):
        assert row.name == (row.match.answer.answer_label or row.match.answer.name)
    assert match_rows(alone, None)[0].name == alone.matches[0].answer.name


def test_that_the_document_counts_them_only_where_matches_are_by_label() -> None:
    assert [match.get("others") for match in inspection_document(_grouped())["matches"]][:2] == [12, None]
    assert all("others" not in match for match in inspection_document(design())["matches"])
