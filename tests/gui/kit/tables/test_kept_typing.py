"""Tests of typed text that the store refuses: it stays everywhere, and can be stored again."""

from collections.abc import Iterable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.filters import MemoryEdit
from app.domain.journal import Edit, Item, ItemKey, Written
from app.domain.library import Memory
from app.gui.kit.tables.table import LibraryTable
from app.gui.library.cases import CasesPage
from app.gui.library.memories import MemoriesPage
from app.gui.review.inbox_page import InboxPage
from app.gui.scope.context import ContextPage
from app.gui.scope.namespaces import NAME
from app.gui.shell.main_window import MainWindow
from tests.build import of_type, some
from tests.gui.conftest import Opener, round_trip
from tests.gui.history_entries import history_entries
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

FULL = "The disk is full."


class FullDisk(MemoryLibrary):
    is_full = False

    def change(
        self, edit: Edit, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        if self.is_full:
            raise StoreError(FULL)
        return super().change(edit, items, gone, anyway=anyway)

    def edit_memories(self, edit: Edit, keys: Iterable[int], change: MemoryEdit) -> Written | None:
        if self.is_full:
            raise StoreError(FULL)
        return super().edit_memories(edit, keys, change)


@pytest.fixture
def library() -> FullDisk:
    return FullDisk()


@pytest.fixture
def window(open_window: Opener, library: FullDisk) -> MainWindow:
    made = open_window(real_bench(library, [Memory(("vpn",), "Restart it.", "net", key=1)]))
    made.activateWindow()
    return made


def editor(table: LibraryTable, row: int, column: int) -> QLineEdit | None:
    line = table.indexWidget(table.paged.index(row, column))
    return line if isinstance(line, QLineEdit) else None


def column(table: LibraryTable, key: str) -> int:
    return [one.key for one in table.paged.columns].index(key)


def until_open(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)


def memories(qtbot: QtBot, window: MainWindow) -> MemoriesPage:
    until_open(qtbot, window)
    page = opened_page(window, "memories", MemoriesPage)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 1)
    page.table.pick(0)
    qtbot.waitUntil(lambda: page.side.details.memory is not None)
    return page


def test_that_a_refused_cell_is_open_again_with_its_text(qtbot: QtBot, window: MainWindow, library: FullDisk) -> None:
    page = memories(qtbot, window)
    place = column(page.table, "label")
    library.is_full = True
    page.table.edit(page.table.paged.index(0, place))
    line = some(editor(page.table, 0, place))
    line.selectAll()
    QTest.keyClicks(line, "network")
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.toast.sentence == FULL)
    qtbot.waitUntil(lambda: (again := editor(page.table, 0, place)) is not None and again.isVisible())
    again = some(editor(page.table, 0, place))
    assert again.text() == "network"
    library.is_full = False
    QTest.keyClick(again, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: library.memories()[0].intent == "network")


def test_that_refused_fields_keep_their_text_and_try_again(qtbot: QtBot, window: MainWindow, library: FullDisk) -> None:
    page = memories(qtbot, window)
    details = page.side.details
    library.is_full = True
    details.response.setFocus()
    details.response.setPlainText("A long response.")
    QTest.keyClick(details.response, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: details.fault.sentence == FULL)
    details.fields["tags"].setFocus()
    page.load_detail()
    round_trip(qtbot, window.worker)
    assert details.response.toPlainText() == "A long response."
    library.is_full = False
    details.fields["tags"].setText("office")
    QTest.keyClick(details.fields["tags"], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: library.memories()[0].tags == ("office",))
    qtbot.waitUntil(lambda: details.memory is not None and details.memory.tags == ("office",))
    assert details.response.toPlainText() == "A long response.", "another field was stored, not this one"
    details.response.setFocus()
    QTest.keyClick(details.response, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: library.memories()[0].response == "A long response.")


def test_that_a_refused_trigger_is_in_its_line_again(qtbot: QtBot, window: MainWindow, library: FullDisk) -> None:
    page = memories(qtbot, window)
    triggers = page.side.details.triggers
    library.is_full = True
    triggers.line.setText("the tunnel is down")
    QTest.keyClick(triggers.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: triggers.line.text() == "the tunnel is down")
    assert page.side.details.fault.sentence == FULL
    library.is_full = False
    QTest.keyClick(triggers.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: library.memories()[0].triggers == ("vpn", "the tunnel is down"))
    assert triggers.line.text() == ""


def test_that_a_refused_case_and_cell_keep_what_was_typed(qtbot: QtBot, window: MainWindow, library: FullDisk) -> None:
    library.add("cases", [Case("a slow line", ("net",), Task.MEMORY)])
    until_open(qtbot, window)
    page = opened_page(window, "cases", CasesPage)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 1)
    library.is_full = True
    page.add.click()
    page.new.text.setText("where is the tunnel")
    page.new.verb.click()
    qtbot.waitUntil(lambda: window.toast.sentence == FULL)
    assert page.new.text.text() == "where is the tunnel"
    place = column(page.table, "expected")
    page.table.pick(0)
    page.table.edit(page.table.paged.index(0, place))
    line = some(editor(page.table, 0, place))
    line.setText("network")
    line.setModified(True)
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: (again := editor(page.table, 0, place)) is not None and again is not line)
    again = some(editor(page.table, 0, place))
    assert again.text() == "network"
    library.is_full = False
    QTest.keyClick(again, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: library.cases()[0].expected == ("network",))
    page.new.text.setText("half typed")
    page.table.pick(0)
    page.ask_delete()
    qtbot.waitUntil(lambda: not library.cases())
    assert page.new.text.text() == "half typed", "deleting one is no adding of another"


def test_that_a_refused_label_of_the_inbox_can_be_retried(qtbot: QtBot, window: MainWindow, library: FullDisk) -> None:
    library.add_queries(history_entries(2))
    until_open(qtbot, window)
    page = opened_page(window, "inbox", InboxPage)
    qtbot.waitUntil(lambda: len(page.model.keys) == 2)
    page.view.setFocus()
    page.do("teach")
    page.teach.label.setFocus()
    QTest.keyClicks(page.teach.label, "nightly")
    library.is_full = True
    QTest.keyClick(page.teach.label, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: FULL in window.toast.sentence)
    assert page.teach.isVisible()
    assert page.teach.label.text() == "nightly"
    assert window.focusWidget() is page.teach.label
    library.is_full = False
    QTest.keyClick(page.teach.label, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: any(one.intent == "nightly" for one in library.memories()))


def test_that_a_refused_label_leaves_the_next_one_as_typed(qtbot: QtBot, window: MainWindow, library: FullDisk) -> None:
    library.add_queries(history_entries(2))
    until_open(qtbot, window)
    page = opened_page(window, "inbox", InboxPage)
    qtbot.waitUntil(lambda: len(page.model.keys) == 2)
    first, second = page.model.keys
    library.is_full = True
    page.do("teach")
    page.teach.label.setFocus()
    page.teach.label.setText("nightly")
    page.teach.confirm()
    assert page.view.key == second
    page.do("teach")
    page.teach.label.setText("weekly")
    qtbot.waitUntil(lambda: FULL in window.toast.sentence)
    assert list(page.model.keys) == [first, second]
    assert (page.view.key, page.teach.isVisible(), page.teach.label.text()) == (second, True, "weekly")
    page.view.go_to(0)
    page.do("teach")
    assert page.teach.label.text() == "nightly"


def test_that_a_refused_name_of_a_namespace_is_open_again(qtbot: QtBot, window: MainWindow, library: FullDisk) -> None:
    until_open(qtbot, window)
    window.open_place("context", "weights")
    page = of_type(window.page, ContextPage)
    names = page.weights.model
    qtbot.waitUntil(lambda: any(row.count for row in names.rows))
    place = next(n for n, row in enumerate(names.rows) if row.count)
    library.is_full = True
    names.setData(names.index(place, NAME), "office")
    qtbot.waitUntil(lambda: page.fault.sentence == FULL)
    line = of_type(page.weights.matrix.indexWidget(names.index(place, NAME)), QLineEdit)
    assert line.text() == "office"
    library.is_full = False
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: library.memories()[0].namespace == "office")
