"""Tests of the session pane: table, axes, files, and accessible texts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from app.display.scope.timing import FLOOR, ON_SCREEN
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.dialogs import FileSaver
from app.gui.kit.histogram import TimesModel
from app.gui.kit.theme import Theme
from app.gui.scope.panels.session import LOG_AXES, SessionPanel
from app.settings.model import layer
from tests.build import some


@pytest.fixture
def pane(qtbot: QtBot) -> SessionPanel:
    made = SessionPanel(Theme())
    qtbot.addWidget(made)
    made.resize(1100, 240)
    made.show()
    qtbot.waitExposed(made)
    return made


def noted(qtbot: QtBot, pane: SessionPanel) -> SessionPanel:
    for ms in (8.0, 9.0, 12.0):
        pane.note({"keywords": 0.2, "lexical": 0.4, "embed query": 7.0, ON_SCREEN: ms})
    qtbot.waitUntil(lambda: pane.fixed[ON_SCREEN].plot is not None)
    return pane


def test_that_without_a_time_there_is_nothing_to_press_and_no_axis(pane: SessionPanel) -> None:
    assert pane.empty.isVisible()
    assert not pane.table.isVisible()
    assert not any(control.isEnabled() for control in (pane.clear, pane.keep, pane.as_table))


def test_that_the_table_is_reached_by_keyboard_and_says_the_same(qtbot: QtBot, pane: SessionPanel) -> None:
    noted(qtbot, pane)
    pane.as_table.setFocus()
    QTest.keyClick(pane.as_table, Qt.Key.Key_Space)
    assert pane.table.isVisible()
    assert not pane.body.isVisible()
    assert pane.focus_target() is pane.table
    times = pane.table.times
    read = [times.data(times.index(0, column), Qt.ItemDataRole.AccessibleTextRole) for column in range(9)]
    assert read[0] == "Answer on screen"
    assert read[2] == "Answer on screen, P50, ms: 9.0"
    assert read[8] == "Answer on screen, Over budget: none"  # 000's 10 ms apply to what is available immediately
    floor = [times.data(times.index(1, column), Qt.ItemDataRole.AccessibleTextRole) for column in range(9)]
    assert floor[0] == "Keywords + lexical"
    assert floor[8] == "Keywords + lexical, Over budget: 0 (0 %)"
    pane.as_table.click()
    assert pane.body.isVisible()


def test_that_qt_finds_no_fault_in_the_table(qtbot: QtBot, pane: SessionPanel) -> None:
    model = TimesModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    noted(qtbot, pane).as_table.setChecked(True)
    model.show_rows(pane.table.times.rows)
    model.show_rows(pane.table.times.rows[:1])
    assert tester.model() is model
    assert model.rowCount() == 1


def test_that_an_axis_is_changed_named_and_asked_to_be_remembered(qtbot: QtBot, pane: SessionPanel) -> None:
    noted(qtbot, pane)
    histogram = pane.fixed[FLOOR]
    with qtbot.waitSignal(pane.set_requested) as asked:
        histogram.runs.click()
    assert asked.args == [LOG_AXES, f"{FLOOR},llm"]
    assert histogram.runs.text() == "ms, log axis, 3 runs"
    assert some(histogram.keys.shown).log


def test_that_remembered_axes_come_back_and_a_late_word_does_not_undo_a_press(qtbot: QtBot, pane: SessionPanel) -> None:
    settings = layer(here={LOG_AXES: ON_SCREEN}).values
    pane.show_state(ScopeState(settings=settings))
    noted(qtbot, pane)
    assert pane.fixed[ON_SCREEN].runs.text() == "ms, log axis, 3 runs"
    pane.fixed[ON_SCREEN].runs.click()
    pane.show_state(ScopeState(settings=settings))
    assert pane.fixed[ON_SCREEN].runs.text() == "ms, 3 runs"


def test_that_a_histogram_says_in_words_what_it_shows(qtbot: QtBot, pane: SessionPanel) -> None:
    said = some(noted(qtbot, pane).fixed[ON_SCREEN].plot).accessibleDescription()
    assert said == "ms, 3 runs. P50 9.0 ms, P90 12 ms, P95 12 ms, P99 12 ms"
    pane.note({"keywords": 9.0, "lexical": 1.5, ON_SCREEN: 40.0})
    floor = some(pane.fixed[FLOOR].plot)
    qtbot.waitUntil(lambda: floor.accessibleDescription().endswith("10 ms budget: 1 of 4 over (25.0 %)"))


def test_that_only_what_is_there_at_once_has_the_budget_of_10_ms(qtbot: QtBot, pane: SessionPanel) -> None:
    noted(qtbot, pane)
    budgets = {name: pane.budget(name) for name in pane.durations}
    assert {name for name, budget in budgets.items() if budget == 10.0} == {"keywords", "lexical", FLOOR}
    assert budgets[ON_SCREEN] is budgets["embed query"] is None


@pytest.mark.parametrize("width", [480, 540, 780, 1100])
def test_that_the_floor_has_its_budget_wherever_two_have_room(qtbot: QtBot, pane: SessionPanel, width: int) -> None:
    noted(qtbot, pane)
    pane.setMinimumSize(1, 1)  # as in docks
    pane.resize(width, 240)
    qtbot.waitUntil(lambda: pane.fixed[FLOOR].isVisible() is (width >= 520))
    assert pane.fixed[ON_SCREEN].isVisible()


def test_that_the_numbers_are_written_to_the_file_chosen(qtbot: QtBot, pane: SessionPanel, tmp_path: Path) -> None:
    noted(qtbot, pane).save_numbers()
    dialog = some(pane.file_saver.dialog)
    with qtbot.waitSignal(pane.notified) as told:
        dialog.fileSelected.emit(str(tmp_path / "times.csv"))
        dialog.close()
    assert told.args == ["Written to times.csv.", False]
    lines = list(csv.DictReader((tmp_path / "times.csv").read_text().splitlines()))
    assert [line["duration"] for line in lines if line["stage"] == ON_SCREEN] == ["8.0", "9.0", "12.0"]
    assert {line["unit"] for line in lines} == {"ms"}
    assert [file.name for file in tmp_path.iterdir()] == ["times.csv"]


def test_that_the_picture_is_written_as_png(qtbot: QtBot, pane: SessionPanel, tmp_path: Path) -> None:
    noted(qtbot, pane).save_picture()
    with qtbot.waitSignal(pane.notified):
        some(pane.file_saver.dialog).fileSelected.emit(str(tmp_path / "times.png"))
        some(pane.file_saver.dialog).close()
    image = QImage(str(tmp_path / "times.png"))
    assert (image.width(), image.height()) == (pane.body.width(), pane.body.height())
    seen = {image.pixelColor(x, y).rgb() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert len(seen) > 4, "there are bars, lines and words in it"


def test_that_a_file_that_cannot_be_written_is_told_in_a_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    file_saver = FileSaver(SessionPanel(Theme()))
    qtbot.addWidget(file_saver.parent())
    with qtbot.waitSignal(file_saver.notified) as told:
        file_saver.write(tmp_path / "missing" / "times.csv", lambda: b"x")
    assert told.args == ["times.csv was not written: No such file or directory. Choose another place.", True]


def test_that_a_dialog_put_away_writes_nothing(qtbot: QtBot, pane: SessionPanel) -> None:
    noted(qtbot, pane).save_numbers()
    first = pane.file_saver.dialog
    pane.save_numbers()
    assert pane.file_saver.dialog is first, "one dialog at a time"
    some(first).reject()
    assert pane.file_saver.dialog is None
