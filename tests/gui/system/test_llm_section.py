"""Tests of the LLM on the settings page: live fields, a check, a cancellable pull."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.system.models import USUAL_ADDRESS, link_rows
from app.gui.shell.main_window import MainWindow
from app.gui.system.llm_section import LlmSection
from app.gui.system.settings_page import SettingsPage
from app.ports.llm import LlmUnreachableError
from app.settings.model import Choices, SettingsError
from tests.build import of_type
from tests.gui.conftest import Opener, round_trip
from tests.gui.inspections import MODELS, FakeWorkbench
from tests.servers.faults import FaultServer


@pytest.fixture
def bench() -> FakeWorkbench:
    made = FakeWorkbench()
    made.values |= {"llm.url": USUAL_ADDRESS, "llm.model": MODELS[0]}
    return made


def page_of(window: MainWindow) -> LlmSection:
    window.act("llm")
    return of_type(window.page, SettingsPage).llm


def words_of(page: LlmSection) -> list[str]:
    return [row.word for row in link_rows(page.checking.links)]


def test_that_nothing_is_contacted_before_an_address_is_set_by_a_button(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    bench.model_fault = LlmUnreachableError("must not be asked")
    window = open_window(bench)
    page = page_of(window)
    round_trip(qtbot, window.worker)
    assert not page.server.listed.isVisible()
    assert page.server.pill.accessibleName() == "Not set up"
    assert page.server.usual.isVisible()
    assert not page.server.again.isEnabled()
    page.pulling.name.setText("small")
    assert not page.pulling.begin.isEnabled()
    page.checking.begin()
    qtbot.waitUntil(lambda: words_of(page)[0] == "Failed")
    assert "No address is set." in page.checking.sheet.read
    bench.model_fault = None
    assert "llm.url" not in bench.values
    page.server.usual.click()
    qtbot.waitUntil(lambda: page.server.address.text() == USUAL_ADDRESS)
    qtbot.waitUntil(lambda: page.server.listed.text() == "The server has 2 models.")
    assert not page.server.usual.isVisible()
    assert [page.server.model.itemText(n) for n in range(3)] == ["none", *MODELS]


def test_that_fields_are_live_and_a_refused_one_says_why(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    page = page_of(open_window(bench))
    page.server.mode.setFocus()
    QTest.keyClick(page.server.mode, Qt.Key.Key_Down)
    QTest.keyClick(page.server.mode, Qt.Key.Key_Return)
    page.server.address.selectAll()
    QTest.keyClicks(page.server.address, "http://127.0.0.1:9")
    QTest.keyClick(page.server.address, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.values.get("llm.url") == "http://127.0.0.1:9")
    page.server.model.changed.emit(MODELS[1])
    qtbot.waitUntil(lambda: page.server.model.currentText() == bench.values.get("llm.model") == MODELS[1])
    assert [page.server.mode.itemText(n) for n in range(4)] == ["Auto", "Decision", "One token", "JSON"]

    async def refuse(key: str, value: str | None) -> None:
        raise SettingsError(f"{key} is set by the environment, which wins over a choice made here.")

    bench.choose = refuse  # type: ignore[method-assign]
    page.server.model.changed.emit(MODELS[0])
    fault = page.server.fields["llm.model"].fault
    qtbot.waitUntil(lambda: "environment" in fault.sentence)
    assert page.server.model.currentText() == MODELS[1]


def test_that_a_check_tells_each_link_can_be_stopped_and_no_longer_holds_after_a_change(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    page = page_of(open_window(bench))
    assert words_of(page) == ["Not checked"] * 6
    page.checking.check.click()
    qtbot.waitUntil(lambda: words_of(page) == ["Fine"] * 6 and not page.checking.is_checking)
    assert "A cold start is not a time-out" in page.checking.sheet.read
    bench.step = 30.0
    page.checking.begin()
    qtbot.waitUntil(lambda: words_of(page)[0] == "Checking")
    page.checking.cancel.click()
    qtbot.waitUntil(lambda: bench.under_way == 0)
    assert words_of(page) == ["Not checked"] * 6
    bench.step, bench.fails_at = 0.0, "Server"
    page.checking.begin()
    qtbot.waitUntil(lambda: words_of(page)[1] == "Failed" and not page.checking.is_checking)
    assert words_of(page)[:3] == ["Fine", "Failed", "Not checked"]
    assert "Start the server (“ollama serve”), or correct llm.url." in page.checking.sheet.read
    assert "Not reached: Server failed." in page.checking.sheet.read
    page.server.model.changed.emit(MODELS[1])
    qtbot.waitUntil(lambda: words_of(page) == ["Not checked"] * 6)


def test_that_a_pull_shows_its_progress_offers_the_model_is_stopped_by_its_button_and_can_fail(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    page = page_of(open_window(bench))
    pane = page.pulling
    bench.free.clear()
    QTest.keyClicks(pane.name, "smollm2:360m")
    QTest.keyClick(pane.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "of 100.0 MB" in pane.line.text())
    assert pane.bar.isVisible()
    assert pane.cancel.isEnabled()
    bench.free.set()
    qtbot.waitUntil(lambda: "is on the server" in pane.line.text())
    assert not pane.bar.isVisible()
    qtbot.waitUntil(lambda: page.server.model.findData("smollm2:360m") >= 0)
    bench.step = 30.0
    pane.name.setText("large")
    pane.begin.click()
    qtbot.waitUntil(lambda: bench.under_way == 1)
    pane.cancel.click()
    qtbot.waitUntil(lambda: bench.under_way == 0)
    assert pane.line.text().startswith("Stopped.")
    bench.step = 0.0
    pane.name.setText("nowhere")
    pane.begin.click()
    qtbot.waitUntil(lambda: "does not exist" in pane.fault.sentence)
    assert pane.begin.isEnabled()


def test_that_models_that_cannot_be_listed_are_told_and_a_list_of_an_earlier_address_that_comes_late_is_dropped(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    waits, came = list[asyncio.Event](), list[str]()

    async def models() -> list[str]:
        if bench.settings.llm.url == USUAL_ADDRESS:
            waits.append(asyncio.Event())
            await waits[0].wait()
            came.append("of-the-first")
            return ["of-the-first", "of-the-first-too"]
        waits[0].set()
        came.append("of-the-second")
        return ["of-the-second"]

    bench.model_fault = LlmUnreachableError("No answer from http://127.0.0.1:11434.")
    window = open_window(bench)
    page = page_of(window)
    qtbot.waitUntil(lambda: page.server.listed.text().startswith("No answer"))
    assert page.server.model.currentText() == MODELS[0]
    bench.llm_server.models = models
    page.server.again.click()
    qtbot.waitUntil(lambda: bool(waits))
    page.server.address.changed.emit("http://127.0.0.1:9")
    qtbot.waitUntil(lambda: came == ["of-the-second", "of-the-first"])
    qtbot.waitUntil(lambda: page.server.model.findData("of-the-second") >= 0)
    round_trip(qtbot, window.worker)
    assert page.server.listed.text() == "The server has one model."
    assert page.server.model.findData("of-the-first") < 0


def test_that_a_server_is_checked_and_pulled_from(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    from app.bootstrap import make_workbench

    pairs = ("search_intent.llm_timeout_ms=20000", "search_intent.use_llm=false")
    with FaultServer() as server:
        window = open_window(make_workbench(Choices(profile=tmp_path, pairs=pairs)))
        qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
        page = page_of(window)
        page.server.address.changed.emit(server.url)
        qtbot.waitUntil(lambda: page.server.model.findData("scripted:1b") >= 0)
        page.server.model.changed.emit("scripted:1b")
        qtbot.waitUntil(lambda: window.core_state is not None and bool(window.core_state.settings.llm.model))
        page.checking.begin()
        qtbot.waitUntil(lambda: not page.checking.is_checking)
        said = words_of(page)
        assert said.pop(4) == "Wrong"  # it answers troubleshoot to everything
        assert said == ["Fine"] * 5, page.checking.sheet.read
        page.pulling.name.setText("scripted:1b")
        page.pulling.begin.click()
        qtbot.waitUntil(lambda: page.pulling.line.text().startswith("scripted:1b is on the server"))
