"""The settings page: every setting, found by its words, changed in place, refused in a line, reset."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.editors import ChoiceBox, Switch, ValueLine
from app.gui.main_window import MainWindow
from app.gui.pages.setting_line import SettingLine
from app.gui.pages.settings import SettingsPage
from app.settings import keys
from tests.gui.conftest import Opener
from tests.gui.connected import ConnectedWorkbench
from tests.gui.inspections import TEXT


@pytest.fixture
def bench() -> ConnectedWorkbench:
    return ConnectedWorkbench()


def page_of(window: MainWindow) -> SettingsPage:
    window.open_page("settings")
    page = window.page
    assert isinstance(page, SettingsPage)
    return page


def shown(page: SettingsPage) -> list[str]:
    return [key for key, line in page.lines.items() if not line.isHidden()]


def type_into(line: SettingLine, text: str) -> None:
    assert isinstance(line.editor, ValueLine)
    line.editor.setFocus()
    line.editor.selectAll()
    QTest.keyClicks(line.editor, text)
    QTest.keyClick(line.editor, Qt.Key.Key_Return)


def test_that_every_setting_has_a_line_that_reads_all_of_it(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    page = page_of(open_window(bench))
    assert shown(page) == keys()
    line = page.lines["search_intent.llm_timeout_ms"]
    line.grab()
    for part in ("LLM time-out (ms)", "from its dispatch", "INTENTSCOPE_SEARCH_INTENT_LLM_TIMEOUT_MS", "1 to 60,000"):
        assert part in line.read
    assert all(line.editor.accessibleName() and line.editor.accessibleDescription() for line in page.lines.values())


def test_that_typing_finds_settings_and_nothing_found_says_so(open_window: Opener, bench: ConnectedWorkbench) -> None:
    page = page_of(open_window(bench))
    QTest.keyClicks(page.search, "ambiguity")
    assert shown(page) == ["tiers.ambiguity_margin"]
    assert [page.places.item(n).isHidden() for n in range(page.places.count())].count(False) == 1
    page.search.setText("no such thing")
    assert shown(page) == []
    assert page.empty.isVisible()
    page.search.clear()
    assert shown(page) == keys()


def test_that_a_change_is_live_told_as_set_here_and_taken_back(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    window = open_window(bench)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: bench.asked.count(TEXT) == 1, timeout=3000)
    page = page_of(window)
    line = page.lines["tiers.high"]
    assert not line.reset.isVisible()
    type_into(line, "0.9")
    qtbot.waitUntil(lambda: line.row.is_set_here, timeout=3000)
    assert (line.row.raw, line.row.origin, line.reset.isVisible()) == ("0.9", "Set here", True)
    qtbot.waitUntil(lambda: bench.asked.count(TEXT) == 2, timeout=3000)
    line.grab()
    assert "default: 0.85" in line.read
    line.reset.click()
    qtbot.waitUntil(lambda: not line.row.is_set_here, timeout=3000)
    assert "tiers.high" not in bench.values
    assert isinstance(line.editor, ValueLine)
    assert line.editor.text() == "0.85"


def test_that_switches_and_choices_change_by_keyboard(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    page = page_of(open_window(bench))
    switch, choice = page.lines["search_intent.enabled"].editor, page.lines["combination"].editor
    assert isinstance(switch, Switch)
    assert isinstance(choice, ChoiceBox)
    QTest.keyClick(switch, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bench.values.get("search_intent.enabled") == "false", timeout=3000)
    choice.changed.emit("max")
    qtbot.waitUntil(lambda: bench.values.get("combination") == "max", timeout=3000)
    qtbot.waitUntil(lambda: choice.currentText() == "Max", timeout=3000)


def test_that_arrows_step_a_number_within_its_bounds(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    page = page_of(open_window(bench))
    editor = page.lines["search_intent.llm_max_in_flight"].editor
    QTest.keyClick(editor, Qt.Key.Key_Down)
    QTest.keyClick(editor, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: bench.values.get("search_intent.llm_max_in_flight") == "1", timeout=3000)


def test_that_a_refusal_is_a_line_at_the_field_until_it_is_mended(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    window = open_window(bench)
    page = page_of(window)
    line = page.lines["search_intent.llm_timeout_ms"]
    high = line.height()
    type_into(line, "0")
    qtbot.waitUntil(lambda: "is refused" in line.fault.sentence, timeout=3000)
    assert line.height() > high
    assert window.toast.sentence == ""
    assert isinstance(line.editor, ValueLine)
    assert line.editor.text() == "0"
    type_into(line, "250")
    qtbot.waitUntil(lambda: line.row.raw == "250", timeout=3000)
    assert line.fault.sentence == ""
    assert line.height() == high


def test_that_what_the_environment_sets_is_read_only_and_says_why(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    window = open_window(bench)
    page = page_of(window)
    assert window.desk is not None
    origins = dict(window.desk.origins) | {"llm.url": "environment", "search_intent.use_llm": "command line"}
    page.show_desk(replace(window.desk, origins=origins))
    url, switch = page.lines["llm.url"], page.lines["search_intent.use_llm"]
    assert isinstance(url.editor, ValueLine)
    assert url.editor.isReadOnly()
    assert not switch.editor.isEnabled()
    url.grab()
    assert "INTENTSCOPE_LLM_URL or OLLAMA_HOST" in url.read
    assert "--set" in switch.editor.toolTip()


def test_that_only_what_differs_is_shown_on_demand(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    bench.values["preset"] = "as_documented"
    bench.values["matches"] = "20"
    page = page_of(open_window(bench))
    page.only_changed.click()
    assert shown(page) == ["preset", "matches"]


def test_that_the_wheel_over_a_choice_scrolls_the_page(open_window: Opener, bench: ConnectedWorkbench) -> None:
    page = page_of(open_window(bench))
    choice = page.lines["combination"].editor
    assert isinstance(choice, ChoiceBox)
    before = choice.currentText()
    middle = QPointF(choice.rect().center())
    turn = QWheelEvent(
        middle, choice.mapToGlobal(middle), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(choice, turn)
    assert choice.currentText() == before
    assert "combination" not in bench.values


def test_that_a_section_is_jumped_to(qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench) -> None:
    page = page_of(open_window(bench))
    qtbot.wait(20)
    page.places.setCurrentRow(5)
    assert page.area.verticalScrollBar().value() == page.titles["tiers"].y()
