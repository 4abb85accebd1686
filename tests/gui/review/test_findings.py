"""Tests of the findings page: background check, most valuable first, one action each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from app.domain.case import Case, Task
from app.domain.health import Area, FindingEffect, FindingKind, FindingSubject, Health, HealthFinding, Severity
from app.domain.history import Source
from app.domain.library import Memory
from app.gui.evaluation.page import EvaluatePage
from app.gui.kit.theme import Appearance
from app.gui.library.intents import IntentsPage
from app.gui.library.memories import MemoriesPage
from app.gui.review.assistants import AssistantsPage
from app.gui.review.findings import Checked, FindingsPage
from app.gui.shell.main_window import MainWindow
from app.gui.system.settings_page import SettingsPage
from app.scoring.duplicates import Findings
from app.services.library.duplicates import Duplicates
from app.services.system.clients import CLIENTS
from app.services.system.start_requests import default_profile
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.history_entries import history_entry, open_on
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

LIBRARY = (
    Memory(("reset my password", "lost my password"), "Use the form.", intent="form"),
    Memory(("reset my password",), "Call us.", intent="call"),
    Memory(("freeze my account", "please freeze it"), intent="freeze"),
)


@pytest.fixture(autouse=True)
def only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.display.staleness.MOST_AT_ONCE", 0)


def opened(
    open_window: Opener, qtbot: QtBot, *answers: Memory, cases: Sequence[Case] = ()
) -> tuple[MainWindow, FindingsPage]:
    library = MemoryLibrary()
    library.add("cases", cases)
    window = open_window(real_bench(library, answers))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    return window, opened_page(window, "findings", FindingsPage)


def check(page: FindingsPage, qtbot: QtBot) -> None:
    (page.strip.begin if page.checked else page.first).click()
    qtbot.waitUntil(lambda: not page.strip.is_running)
    assert page.checked is not None


def pick(page: FindingsPage, kind: FindingKind) -> None:
    place = [finding.kind if isinstance(finding, HealthFinding) else None for finding, _ in page.model.rows].index(kind)
    page.view.setCurrentIndex(page.model.index(place, 0))


def test_that_what_is_small_is_looked_at_by_itself_but_not_again_once_it_was_stopped(
    open_window: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.display.staleness.MOST_AT_ONCE", 100)
    _, page = opened(open_window, qtbot, *LIBRARY)
    qtbot.waitUntil(lambda: page.checked is not None)
    assert "Checked " in page.head.more.text()
    _, other = opened(open_window, qtbot, *LIBRARY)
    qtbot.waitUntil(lambda: other.strip.is_running)
    other.strip.stop.click()
    assert other.core_state is not None
    other.show_core_state(other.core_state)
    assert not other.strip.is_running


def test_that_a_large_library_is_looked_at_on_demand_most_valuable_first(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    assert page.empty.words[0] == "Not checked yet"
    assert page.focus_stops() == [page.first]
    assert (page.first.isVisible(), page.strip.isVisible()) == (True, False)
    assert not page.strip.is_running
    QAbstractItemModelTester(page.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    QAbstractItemModelTester(page.table.paged, QAbstractItemModelTester.FailureReportingMode.Fatal)
    check(page, qtbot)
    said = page.model.data(page.model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Conflict, “reset my password”, form · call"
    assert page.pair.isVisible()
    assert page.head.more.text().startswith("1 conflict")
    pick(page, FindingKind.LABEL_THIN)
    qtbot.waitUntil(lambda: "Teach one or two" in page.sheet.read)
    assert [page.table.paged.index(0, column).data() for column in range(3)] == ["call", "reset my password", "1"]
    assert page.strip.begin.text() == "Check again"
    assert "Checked" in page.head.more.text()
    assert page.view in page.focus_stops()
    count = page.model.rowCount()
    assert page.shipped.text().startswith("Show ")
    page.shipped.click()
    assert page.model.rowCount() > count
    pick(page, FindingKind.ROW_DEAD)
    assert not any(part.isVisible() for part in (page.ask, page.table))
    page.act.click()
    of_type(window.page, SettingsPage)
    window.open_page("findings")
    pick(page, FindingKind.LABEL_THIN)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    of_type(window.page, MemoriesPage)
    window.open_page("findings")
    page.area.setCurrentIndex(page.area.findData(Area.MEMORIES.value))
    page.area.activated.emit(page.area.currentIndex())
    assert {finding.area for finding, _ in page.model.rows} == {Area.MEMORIES}
    assert page.area.maximumWidth() < page.area.sizeHint().width(), "as wide as its text, not as the widest"
    assert page.split.y() == page.head.geometry().bottom() + 1
    window.open_page("scope")
    QTest.keyClick(window, Qt.Key.Key_6, Qt.KeyboardModifier.ControlModifier)
    assert window.page is page
    assert page.area.currentText() == "Duplicates and conflicts  1"
    assert {finding.area for finding, _ in page.model.rows} == {Area.DUPLICATES}


def test_that_an_empty_library_is_not_checked_and_findings_are_shown(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot)
    qtbot.waitUntil(lambda: page.empty.words[0] == "The library is empty")
    assert (page.first.isVisible(), page.strip.isVisible()) == (False, False)
    assert list(page.hairlines()) == []
    page.show_checked(Checked(Health(), Findings()))
    assert " ".join(page.empty.words).startswith("No problems found Checked: 0 memories")
    things = [FindingSubject(f"m {place}", "text", "", 0.5, "memory", place) for place in range(100_000)]
    finding = HealthFinding(FindingKind.MEANING_ELSEWHERE, {"asked": 1}, things, Severity.NOTE)
    page.show_checked(Checked(Health((finding,)), Findings(), ranked=[(finding, FindingEffect())]))
    assert page.table.paged.rowCount() == 100_000
    page.table.scrollToBottom()
    assert page.table.paged.index(99_999, 0).data() == "m 99999"


def test_that_wrong_cases_come_first_and_the_intent_is_opened(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY, cases=[Case("freeze my account", ("call",), Task.INTENT)])
    check(page, qtbot)
    said = page.model.data(page.model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Warning, Confused: call and freeze, 1 case of call got freeze., 1 failed case"
    assert page.act.text() == "Open the intent"
    window.theme.set_appearance(Appearance(text_scale=2.0))
    qtbot.waitUntil(lambda: page.sheet.height() >= page.sheet.document().size().height() > 200)  # nothing is cut
    assert page.head.minimumSizeHint().width() < 1024 - window.rail.width(), "no scrolling sideways"
    page.ask.click()
    assert window.bar.box.line.text() == "freeze my account"
    window.open_page("findings")
    page.act.click()
    intents = of_type(window.page, IntentsPage)
    qtbot.waitUntil(lambda: intents.row is not None and intents.row.label == "call")


def test_that_what_holds_back_most_cases_is_swept(open_window: Opener, qtbot: QtBot) -> None:
    cases = [Case("lost the word", ("form",), Task.INTENT), *(Case(text, ("howto",), Task.TYPE) for text in "ab")]
    window, page = opened(open_window, qtbot, *LIBRARY, cases=cases)
    check(page, qtbot)
    pick(page, FindingKind.NOT_DELIVERED)
    page.act.click()
    form = of_type(window.page, EvaluatePage).form
    qtbot.waitUntil(lambda: form.run.isVisible() and form.run.text() == "Sweep")
    assert [box.currentText() for box in (form.task, form.what)] == ["Intent (1)", "Injection threshold without a type"]


def test_that_a_stopped_look_tells_nothing(open_window: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    async def endless(_: Duplicates) -> AsyncGenerator[float]:
        told.append("begun")
        try:
            while True:
                yield 0.5
                await asyncio.sleep(0.001)
        finally:
            told.append("ended")

    _, page = opened(open_window, qtbot, *LIBRARY)
    with monkeypatch.context() as patch:
        patch.setattr(Duplicates, "search", endless)
        page.strip.begin.click()
        qtbot.waitUntil(lambda: page.strip.is_running and told == ["begun"])
        page.strip.stop.click()
        assert page.strip.stop.isHidden()
        qtbot.waitUntil(lambda: told == ["begun", "ended"])
    assert page.checked is None
    assert page.empty.words[0] == "Not checked yet"
    check(page, qtbot)


def test_that_a_change_since_the_look_is_said_until_it_is_checked_again(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    check(page, qtbot)
    assert "Out of date" not in page.strip.note.text()
    window.worker.choose("theme", "dark")
    qtbot.waitUntil(lambda: some(page.core_state).settings.theme == "dark")
    assert "Out of date" not in page.strip.note.text()
    window.worker.choose("tiers.high", "0.95")
    qtbot.waitUntil(lambda: "Out of date: tiers.high (0.9, now 0.95)" in page.strip.note.text())
    page.strip.begin.click()
    page.strip.stop.click()
    assert "Out of date: tiers.high (0.9, now 0.95)" in page.strip.note.text()
    check(page, qtbot)
    assert "Out of date" not in page.strip.note.text()


def test_that_near_duplicates_are_found_by_the_thresholds_of_the_settings(open_window: Opener, qtbot: QtBot) -> None:
    alike = Memory(("when were you born today",), intent="age"), Memory(("where were you born today",), intent="place")
    window, page = opened(open_window, qtbot, *alike)
    check(page, qtbot)
    assert some(page.checked).duplicates.found
    window.worker.choose("curate.duplicate_spelling", "0.99")
    window.worker.choose("curate.duplicate_meaning", "1.0")
    qtbot.waitUntil(lambda: "curate.duplicate_meaning" in page.strip.note.text())
    check(page, qtbot)
    assert not some(page.checked).duplicates.found


QUERIES = (
    history_entry("the build is slow", 0, doubts=()),
    history_entry("which database tool", 1, source=Source.MCP, doubts=()),
    history_entry("from a file", 2, source=Source.LOG, doubts=()),
)


def test_that_only_what_assistants_asked_is_listed_and_can_be_asked_again(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = open_on(qtbot, open_window, QUERIES)
    page = opened_page(window, "assistants", AssistantsPage)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.table)
    qtbot.waitUntil(lambda: page.table.paged.row_at(0) is not None)
    model = page.table.paged
    assert [model.index(place, 0).data() for place in range(model.rowCount())] == ["which database tool"]
    page.table.pick(0)
    page.open_in_scope()
    assert window.page.accessibleName() == "Scope"
    assert window.bar.box.line.text() == "which database tool"


def test_that_the_chosen_assistants_text_names_the_profile(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window, _ = open_on(qtbot, open_window, QUERIES[:1])
    page = opened_page(window, "assistants", AssistantsPage)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty_state)
    pane = page.connect_pane
    QTest.keyClick(pane.clients, Qt.Key.Key_End)
    assert pane.client is CLIENTS[-1]
    pane.copy.click()
    server = json.loads(QGuiApplication.clipboard().text())["mcpServers"]["intentscope"]
    assert server["args"][-1] == "mcp"
    pane.show_profile(tmp_path)
    assert str(tmp_path) in pane.text.toPlainText()
    assert pane.copied.text() == ""
    pane.copy_command.click()
    assert QGuiApplication.clipboard().text().endswith(f"--profile {tmp_path} connect {CLIENTS[-1].key}")
    pane.show_profile(default_profile())
    assert "--profile" not in pane.text.toPlainText() + pane.command.text()
