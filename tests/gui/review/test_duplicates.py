"""Tests of duplicates on the findings page: one key per resolution, and undo."""

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from app.domain.health import Area, DuplicateFinding, DuplicateKind
from app.domain.library import Memory
from app.gui.review.findings import FindingsPage
from app.gui.shell.main_window import MainWindow
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

LIBRARY = (
    Memory(("Reset my password!",), "Use the form.", id="form", usage=3),
    Memory(("reset my password", "lost my password"), "Call us.", id="call", usage=9),
    Memory(("freeze my account",), intent="freeze"),
    Memory(("FREEZE my account.", "please freeze it"), intent="freeze"),
    Memory(("when were you born today",), intent="age"),
    Memory(("where were you born today",), intent="place"),
)


@pytest.fixture(autouse=True)
def only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.display.staleness.MOST_AT_ONCE", 0)


def opened(open_window: Opener, qtbot: QtBot, *answers: Memory) -> tuple[MainWindow, FindingsPage]:
    window = open_window(real_bench(MemoryLibrary(), answers))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    window.open_place("findings", "duplicates")
    return window, of_type(window.page, FindingsPage)


def search(page: FindingsPage, qtbot: QtBot) -> None:
    page.strip.begin.click()
    qtbot.waitUntil(lambda: not page.strip.is_running)
    assert page.checked is not None


def duplicates(page: FindingsPage) -> list[DuplicateFinding]:
    return [finding for finding, _ in page.model.rows if isinstance(finding, DuplicateFinding)]


def fresh(page: FindingsPage) -> Sequence[DuplicateFinding]:
    return some(page.checked).fresh


def kinds(page: FindingsPage) -> list[DuplicateKind]:
    return [finding.likeness for finding in duplicates(page)]


def press(page: FindingsPage, qtbot: QtBot, key: Qt.Key) -> None:
    count = len(fresh(page))
    QTest.keyClick(page.view, key)
    qtbot.waitUntil(lambda: len(fresh(page)) < count)


def test_that_a_search_fills_the_list_the_most_urgent_first(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot, *LIBRARY)
    QAbstractItemModelTester(page.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    search(page, qtbot)
    assert kinds(page)[:2] == [DuplicateKind.CONFLICT, DuplicateKind.NEAR_CONFLICT]
    assert DuplicateKind.DUPLICATE in kinds(page)
    assert {finding.area for finding, _ in page.model.rows} == {Area.DUPLICATES}
    said = of_type(page.model.data(page.model.index(1, 0), Qt.ItemDataRole.AccessibleTextRole), str)
    assert said.startswith("Near conflict, “when were you born today”, age · place")
    qtbot.waitUntil(lambda: "Conflict" in page.pair.sheet.read)
    assert "call" in page.pair.sheet.read
    assert "(chosen)" in page.pair.sheet.accessibleDescription()


def test_that_each_key_resolves_what_is_looked_at_and_undo_brings_it_back(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    search(page, qtbot)
    before = list(fresh(page))
    for key, word in (
        (Qt.Key.Key_K, "Kept"),
        (Qt.Key.Key_M, "Merged"),
        (Qt.Key.Key_D, "Told apart"),
        (Qt.Key.Key_X, "Deleted"),
    ):
        first = page.finding
        press(page, qtbot, key)
        assert window.toast.sentence.startswith(word)
        assert window.toast.offers_undo
        assert first not in fresh(page)
        with qtbot.waitSignal(window.worker.undone):
            window.toast.undo.click()
        qtbot.waitUntil(lambda: list(fresh(page)) == before)


def test_that_arrows_choose_the_answer_that_is_kept(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    search(page, qtbot)
    assert isinstance(page.finding, DuplicateFinding)
    assert page.finding.holdings[1].answer.name == "form"
    for key, place in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 1), (Qt.Key.Key_Left, 0), (Qt.Key.Key_Right, 1)):
        QTest.keyClick(page.view, key)
        assert page.pair.place == place
    press(page, qtbot, Qt.Key.Key_K)
    assert window.toast.sentence == "Kept “Reset my password!” for form alone."


def test_that_a_click_on_a_card_chooses_it_and_next_leaves_it(open_window: Opener, qtbot: QtBot) -> None:
    _, page = opened(open_window, qtbot, *LIBRARY)
    search(page, qtbot)
    name = page.pair.sheet.cursorRect(page.pair.sheet.document().find("form"))
    QTest.mouseClick(page.pair.sheet.viewport(), Qt.MouseButton.LeftButton, pos=name.center())
    assert page.pair.place == 1
    QTest.keyClick(page.view, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert page.view.currentIndex().row() == 1
    assert page.pair.place == 0


def test_that_a_resolution_that_is_refused_says_why(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, Memory(("born here", "Born here!")))
    search(page, qtbot)
    QTest.keyClick(page.view, Qt.Key.Key_M)
    qtbot.waitUntil(lambda: window.toast.sentence.startswith("Both triggers are of one memory already."))
    assert len(fresh(page)) == 1


def test_that_what_is_changed_elsewhere_drops_out(open_window: Opener, qtbot: QtBot) -> None:
    window, page = opened(open_window, qtbot, *LIBRARY)
    search(page, qtbot)
    conflict = fresh(page)[0]
    window.worker.mark(conflict.holdings[0].answer, "reset it", fits=False)
    qtbot.waitUntil(lambda: fresh(page)[0] is not conflict)
    assert fresh(page)[0].likeness is DuplicateKind.CONFLICT
    window.worker.choose("min_score", "0.48")
    qtbot.waitUntil(lambda: all(finding.likeness is not DuplicateKind.CONFLICT for finding in fresh(page)))


def test_that_the_teach_dialog_names_what_a_trigger_is_nearly_the_same_as(open_window: Opener, qtbot: QtBot) -> None:
    window, _ = opened(open_window, qtbot, *LIBRARY)
    window.open_page("scope")
    window.ask("where were you born today?")
    window.act("teach")
    dialog = some(window.scope.teach_actions.dialog)
    dialog.intent.setText("place")
    qtbot.waitUntil(lambda: "when were you born today" in dialog.near.text())
    assert "(age;" in dialog.near.text()
    dialog.trigger.setText("something else altogether")
    qtbot.waitUntil(lambda: not dialog.near.isVisible())
    dialog.reject()
