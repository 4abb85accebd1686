"""The page of health: a look in the background, the gravest first, and one thing to do about each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from app.domain.library import Memory
from app.domain.review.health import Area, FindingKind, FindingSubject, Health, HealthFinding, Severity
from app.gui.library.memories.page import MemoriesPage
from app.gui.review.health import HealthPage
from app.gui.shell.main_window import MainWindow
from app.gui.system.settings.page import SettingsPage
from tests.fake_library import MemoryLibrary
from tests.gui.conftest import Opener
from tests.gui.real_bench import real_bench

LIBRARY = (
    Memory(("reset my password", "lost my password"), "Use the form.", intent="form"),
    Memory(("reset my password",), "Call us.", intent="call"),
    Memory(("freeze my account", "please freeze it"), intent="freeze"),
)


@pytest.fixture(autouse=True)
def only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small enough to be looked at before it is asked for."""
    monkeypatch.setattr("app.display.staleness.MOST_AT_ONCE", 0)


def opened(open_window: Opener, qtbot: QtBot, *answers: Memory) -> tuple[MainWindow, HealthPage]:
    window = open_window(real_bench(MemoryLibrary(), answers))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    window.open_page("health")
    page = window.page
    assert isinstance(page, HealthPage)
    return window, page


def check(page: HealthPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.jobs.finished, timeout=20_000):
        page.strip.begin.click()
    assert page.health is not None


def pick(page: HealthPage, kind: FindingKind) -> None:
    place = next(place for place, finding in enumerate(page.model.found) if finding.kind is kind)
    page.view.setCurrentIndex(page.model.index(place, 0))


def test_that_what_is_small_is_looked_at_by_itself_but_not_again_once_it_was_stopped(
    open_window: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.display.staleness.MOST_AT_ONCE", 100)
    _, page = opened(open_window, qtbot, *LIBRARY)
    qtbot.waitUntil(lambda: page.health is not None, timeout=20_000)
    assert page.strip.note.text().startswith("Checked ")
    _, other = opened(open_window, qtbot, *LIBRARY)
    qtbot.waitUntil(lambda: other.strip.is_running, timeout=20_000)
    other.strip.stop.click()
    assert other.core_state is not None
    other.show_core_state(other.core_state)
    assert not other.strip.is_running


def test_that_what_is_large_is_not_looked_at_before_it_is_asked_for(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot, *LIBRARY)
    assert page.empty.words[0] == "Not checked yet"
    assert page.focus_stops() == [page.strip.begin]
    assert not page.strip.is_running


def test_that_a_look_shows_the_gravest_first_in_words(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot, *LIBRARY)
    QAbstractItemModelTester(page.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    QAbstractItemModelTester(page.table.things, QAbstractItemModelTester.FailureReportingMode.Fatal)
    check(page, qtbot)
    assert page.model.found[0].kind is FindingKind.TRIGGER_TAKEN
    said = page.model.data(page.model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert isinstance(said, str)
    assert said.startswith("Fault, Own words give another answer, 1")
    assert page.head._more.text().startswith("1 fault")
    qtbot.waitUntil(lambda: "Keep the trigger" in page.sheet.read)
    row = [page.table.things.index(0, column).data() for column in range(4)]
    assert row == ["call", "reset my password", "form", "0"]
    assert page.strip.begin.text() == "Check again"
    assert page.strip.note.text().startswith("Checked")
    assert page.view in page.focus_stops()


def test_that_the_button_goes_to_what_is_to_be_done(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    check(page, qtbot)
    assert page.act.text() == "Go to the memory"
    page.act.click()
    memories = window.page
    assert isinstance(memories, MemoriesPage)
    qtbot.waitUntil(lambda: memories.table.current_key == page.model.found[0].subjects[0].key)
    window.open_page("health")
    pick(page, FindingKind.ROW_DEAD)
    assert not page.ask.isVisible()
    assert not page.table.isVisible()
    page.act.click()
    assert isinstance(window.page, SettingsPage)


def test_that_a_trigger_is_asked_on_the_scope(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    check(page, qtbot)
    page.ask.click()
    assert window.is_scope_open
    assert window.bar.box.line.text() == "reset my password"


def test_that_enter_goes_to_the_thing_in_the_row(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    check(page, qtbot)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert isinstance(window.page, MemoriesPage)


def test_that_the_list_is_sifted_by_area(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot, *LIBRARY)
    check(page, qtbot)
    page.area.setCurrentIndex(page.area.findData(Area.REACH.value))
    page.area.activated.emit(page.area.currentIndex())
    assert page.model.found
    assert {finding.area for finding in page.model.found} == {Area.REACH}


def test_that_all_is_well_says_what_was_looked_at(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot)
    page._on_found(Health())
    assert page.empty.words[0] == "No problems found"
    assert page.empty.words[1].startswith("Checked: 0 memories")


def test_that_a_look_that_is_stopped_tells_nothing_more(open_window: Opener, qtbot: QtBot) -> None:
    many = [Memory((f"trigger number {place}",), intent=f"label {place % 300}") for place in range(1_500)]
    _, page = opened(open_window, qtbot, *many)
    with qtbot.waitSignal(page.jobs.progressed):
        page.strip.begin.click()
    assert page.strip.is_running
    page.strip.stop.click()
    assert page.strip.stop.isHidden()
    with qtbot.assertNotEmitted(page.jobs.found, wait=400):
        pass
    assert page.empty.words[0] == "Not checked yet"
    check(page, qtbot)


def test_that_a_change_since_the_look_is_said(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    check(page, qtbot)
    assert "Out of date" not in page.strip.note.text()
    window.choose("theme", "dark")
    qtbot.waitUntil(lambda: page.core_state.settings.theme == "dark")  # type: ignore[union-attr]
    assert "Out of date" not in page.strip.note.text()
    window.choose("tiers.high", "0.95")
    qtbot.waitUntil(lambda: "Out of date: tiers.high (0.9, now 0.95)" in page.strip.note.text())


def test_that_a_look_that_is_stopped_makes_the_last_one_no_younger(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    check(page, qtbot)
    window.choose("tiers.high", "0.95")
    qtbot.waitUntil(lambda: "Out of date: tiers.high (0.9, now 0.95)" in page.strip.note.text())
    page.strip.begin.click()
    page.strip.stop.click()
    assert "Out of date: tiers.high (0.9, now 0.95)" in page.strip.note.text()
    check(page, qtbot)
    assert "Out of date" not in page.strip.note.text()


def test_that_a_hundred_thousand_things_are_shown_at_once(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot)
    things = [FindingSubject(f"m {place}", "text", "", 0.5, "memory", place) for place in range(100_000)]
    page._on_found(Health((HealthFinding(FindingKind.MEANING_ELSEWHERE, {"asked": 1}, things, Severity.NOTE),)))
    assert page.table.things.rowCount() == 100_000
    page.table.scrollToBottom()
    assert page.table.things.index(99_999, 0).data() == "m 99999"
