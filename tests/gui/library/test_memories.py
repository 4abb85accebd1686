"""Tests of the memories page on a real engine: search, edits, deletion, undo, conflicts."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.domain.history import Access, HistoryEntry, Source
from app.domain.journal import Edit
from app.domain.library import Memory
from app.gui.library.memories import MemoriesPage
from app.gui.library.memory_side import BIN, PAST
from app.gui.shell.application import make_window
from app.gui.shell.main_window import MainWindow
from app.gui.shell.remedy_actions import Places
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

MEMORIES = (
    Memory(("slow build", "the build is slow"), "Clear the cache.", "speed", tags=("ci",)),
    Memory(("deploy",), "Press the button.", "ship", namespace="help", usage=4),
    Memory(("vpn",), "Restart it.", namespace="help", success=0.9),
)
Flag = QItemSelectionModel.SelectionFlag


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener, library: MemoryLibrary) -> MainWindow:
    made = open_window(real_bench(library, MEMORIES))
    made.activateWindow()
    page = opened_page(made, "memories", MemoriesPage)
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 3)
    return made


@pytest.fixture
def page(window: MainWindow) -> MemoriesPage:
    assert isinstance(window.page, MemoriesPage)
    return window.page


def pick(qtbot: QtBot, page: MemoriesPage, trigger: str) -> Memory:
    def listed() -> list[str]:
        rows = [page.table.paged.row_at(place) for place in range(len(page.table.paged.keys))]
        return ["" if row is None else row.item.triggers[0] for row in rows]

    qtbot.waitUntil(lambda: trigger in listed())
    page.table.pick(listed().index(trigger))
    qtbot.waitUntil(
        lambda: page.side.details.memory is not None and page.side.details.memory.key == page.table.current_key
    )
    return some(page.side.details.memory)


def stored(library: MemoryLibrary, key: int | None) -> Memory:
    return next(memory for memory in library.memories() if memory.key == key)


def test_that_a_search_leaves_what_fits_and_what_is_selected_and_is_reached_by_keys(
    qtbot: QtBot, window: MainWindow, page: MemoriesPage, library: MemoryLibrary
) -> None:
    assert page.bar.count.text() == "3"
    QTest.keyClicks(page.bar.search, "cache")
    qtbot.waitUntil(lambda: page.bar.count.text() == "1 of 3")
    page.bar.search.setText("nothing at all")
    qtbot.waitUntil(lambda: page.list.stack.currentWidget() is page.list.no_fit)
    QTest.keyClick(page.bar.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: page.list.stack.currentWidget() is page.table)
    page.table.clearSelection()
    key = next(memory.key for memory in library.memories() if memory.triggers == ("vpn",))
    page.bar.set_filter(namespace="help")
    page.refresh()
    page.table.pick(list(page.table.paged.keys).index(key or 0))
    qtbot.waitUntil(lambda: page.bar.count.text() == "2 of 3")
    assert page.table.selected_keys == [key]
    page.bar.clear_all()
    qtbot.waitUntil(lambda: page.bar.count.text() == "3")
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.bar.search.hasFocus()
    QTest.keyClick(page.bar.search, Qt.Key.Key_Down)
    assert page.table.hasFocus()
    QTest.keyClicks(page.table, "v")
    assert page.bar.search.hasFocus()
    assert page.bar.text == "v"
    page.bar.clear_all()
    qtbot.waitUntil(lambda: page.bar.count.text() == "3")
    page.table.clearSelection()
    rows = {row.key: row for row in window.action_rows}
    assert rows["memories:delete"].refusal() == "Select a memory first."
    page.table.pick(0)
    assert rows["memories:delete"].refusal() == ""


def test_that_chips_sift_by_what_there_is_and_a_memory_shows_what_assistants_were_told_of_it(
    qtbot: QtBot, page: MemoriesPage, library: MemoryLibrary
) -> None:
    qtbot.waitUntil(lambda: "namespace" in page.bar.chips)
    page.bar.chips["namespace"].set_value("help")
    qtbot.waitUntil(lambda: page.bar.count.text() == "2 of 3")
    page.bar.clear_all()
    qtbot.waitUntil(lambda: page.bar.count.text() == "3")
    asked, key = "how do I reach the vpn", pick(qtbot, page, "vpn").key or 0
    library.add_queries([HistoryEntry("2026-11-22 04:26:21", Source.HOOK, asked, accesses=(Access(key, 1, 0.9),))])
    page.bar.chips["usage"].set_value((0, 0))
    qtbot.waitUntil(lambda: page.bar.count.text() == "1 of 3")
    page.bar.clear_all()
    qtbot.waitUntil(lambda: page.bar.count.text() == "3")
    pick(qtbot, page, "vpn")
    accesses = page.side.details.accesses
    qtbot.waitUntil(lambda: [said for said, _ in accesses.model_.rows] == [asked])
    with qtbot.waitSignal(page.query_typed) as typed:
        accesses.opened.emit(0)
    assert typed.args == [asked]


def test_that_an_empty_library_offers_the_way_on(qtbot: QtBot, open_window: Opener) -> None:
    page = opened_page(open_window(real_bench(MemoryLibrary())), "memories", MemoriesPage)
    qtbot.waitUntil(lambda: page.list.stack.currentWidget() is page.empty_state)


def test_that_a_cell_is_edited_refused_and_taken_back_and_memories_are_deleted_and_restored(
    qtbot: QtBot, window: MainWindow, page: MemoriesPage, library: MemoryLibrary
) -> None:
    memory = pick(qtbot, page, "vpn")
    index = page.table.paged.index(page.table.currentIndex().row(), 5)
    page.table.paged.setData(index, "1.5")
    assert "from 0 to 100 %" in window.toast.sentence
    qtbot.waitUntil(lambda: isinstance(page.table.indexWidget(index), QLineEdit))
    line = of_type(page.table.indexWidget(index), QLineEdit)
    assert line.text() == "1.5", "it can be mended"
    QTest.keyClick(line, Qt.Key.Key_Escape)
    page.table.paged.setData(index, "0.25")
    qtbot.waitUntil(lambda: stored(library, memory.key).success == 0.25)
    qtbot.waitUntil(lambda: window.toast.offers_undo)
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: stored(library, memory.key).success == 0.9)
    qtbot.waitUntil(lambda: page.table.paged.data(index) == "90 %")
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_Z, keys)
    qtbot.waitUntil(lambda: stored(library, memory.key).success == 0.25)
    pick(qtbot, page, "vpn")
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: window.toast.sentence == "“vpn” is in the bin.")
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 2)
    page.side.open_view(BIN)
    qtbot.waitUntil(lambda: len(page.side.bin.binned) == 1)
    assert "30 days" in page.side.bin.caption.text()
    page.side.bin.list.setCurrentIndex(page.side.bin.list.model_.index(0))
    page.side.bin.restore.click()
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 3)
    qtbot.waitUntil(lambda: len(page.side.bin.binned) == 0)
    page.table.selectAll()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    dialog = some(page.dialog)
    assert "3 memories" in dialog.question.text()
    dialog.cancel.click()
    assert len(library.memories()) == 3
    page.delete()
    dialog = some(page.dialog)
    dialog.verb.click()
    qtbot.waitUntil(lambda: library.memories() == [])
    page.side.open_view(BIN)
    qtbot.waitUntil(lambda: len(page.side.bin.binned) == 3)
    page.side.bin.clear.click()
    dialog = some(page.dialog)
    dialog.verb.click()
    qtbot.waitUntil(lambda: library.binned() == [])


def test_that_triggers_are_added_moved_edited_and_removed_and_a_bad_field_is_refused(
    qtbot: QtBot, window: MainWindow, page: MemoriesPage, library: MemoryLibrary
) -> None:
    memory = pick(qtbot, page, "slow build")
    page.side.details.response.setPlainText("line\n" * 6)
    assert page.side.details.response.verticalScrollBar().maximum() == 0
    triggers = page.side.details.triggers
    page.table.setCurrentIndex(page.table.paged.index(page.table.currentIndex().row(), 0))
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_F2)
    editor = of_type(triggers.list.viewport().findChild(QLineEdit), QLineEdit)
    editor.setText("a slow build")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: stored(library, memory.key).triggers[0] == "a slow build")
    details = page.side.details
    qtbot.waitUntil(lambda: some(details.memory).triggers[0] == triggers.texts[0] == "a slow build")
    triggers.line.setText("make it fast")
    QTest.keyClick(triggers.line, Qt.Key.Key_Return)
    wanted = ("a slow build", "the build is slow", "make it fast")
    qtbot.waitUntil(lambda: stored(library, memory.key).triggers == wanted)
    qtbot.waitUntil(lambda: tuple(triggers.texts) == wanted)
    triggers.list.setCurrentRow(2)
    QTest.keyClick(triggers.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    progressed = ("a slow build", "make it fast", "the build is slow")
    qtbot.waitUntil(lambda: stored(library, memory.key).triggers == progressed)
    qtbot.waitUntil(lambda: tuple(triggers.texts) == progressed)
    triggers.list.setCurrentRow(0)
    QTest.keyClick(triggers.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: stored(library, memory.key).triggers == progressed[1:])
    pick(qtbot, page, "deploy")
    line = page.side.details.fields["namespace"]
    line.setText(" ")
    line.editingFinished.emit()
    assert "always in a namespace" in page.side.details.fault.sentence
    assert line.text() == "help"
    until = page.side.details.fields["valid_to"]
    until.setText("2024-06-01T10:00")
    until.editingFinished.emit()
    qtbot.waitUntil(lambda: until.text() == "2024-06-01 10:00:00")
    pick(qtbot, page, "vpn")
    page.side.details.scope.click()
    assert window.page is window.scope
    assert window.bar.box.line.text() == "vpn"


def test_that_many_are_changed_after_they_are_counted_and_a_new_one_is_picked(
    qtbot: QtBot, window: MainWindow, page: MemoriesPage, library: MemoryLibrary
) -> None:
    page.table.selectAll()
    many = page.side.many
    qtbot.waitUntil(lambda: page.side.stack.currentWidget() is many)
    many.lines["namespace"].setText("help")
    qtbot.waitUntil(lambda: "1 of 3" in many.caption.text())
    many.lines["add"].setText("seen")
    qtbot.waitUntil(lambda: "all 3" in many.caption.text())
    many.verb.click()
    qtbot.waitUntil(lambda: all("seen" in memory.tags for memory in library.memories()))
    qtbot.waitUntil(lambda: window.toast.sentence == "3 memories are changed.")
    assert all(memory.namespace == "help" for memory in library.memories())
    assert page.table.selected_count == 3
    names = [page.table.paged.index(row, 0).data() for row in range(len(page.table.paged.keys))]
    kept = [page.table.paged.row_of(key) for key in page.table.paged.keys]
    assert names == [row.item.triggers[0] for row in kept if row is not None]
    page.new.click()
    dialog = some(window.scope.teach_actions.dialog)
    assert dialog.trigger.text() == ""
    assert page.isVisible()
    dialog.trigger.setText("a brand new one")
    dialog.verb.click()
    qtbot.waitUntil(lambda: some(page.memory()).name == "a brand new one")
    assert page.isVisible()
    assert window.bar.box.line.text() == ""


def test_that_the_history_shows_each_step_and_brings_a_state_back(
    qtbot: QtBot, page: MemoriesPage, library: MemoryLibrary
) -> None:
    memory = pick(qtbot, page, "deploy")
    library.change(Edit("edited", "“deploy”"), [replace(memory, response="Pull the lever.")])
    page.load_detail()
    page.side.open_view(PAST)
    qtbot.waitUntil(lambda: len(page.side.history.revisions) == 1)
    assert page.side.history.sheet.read.startswith("Response\n")
    page.side.history.verb.click()
    qtbot.waitUntil(lambda: stored(library, memory.key).response == "Press the button.")
    page.side.grab()


@pytest.mark.parametrize(
    ("choice", "response", "intent"),
    [("keep", "Theirs.", "ship"), ("write", "Press the button.", "mine"), ("both", "Theirs.", "mine")],
)
def test_that_a_person_decides_what_is_kept_of_two_edits(
    qtbot: QtBot, page: MemoriesPage, library: MemoryLibrary, choice: str, response: str, intent: str
) -> None:
    memory = pick(qtbot, page, "deploy")
    library.change(Edit("edited"), [replace(memory, response="Theirs.")])
    page.side.details.saved.emit(replace(memory, intent="mine"))
    qtbot.waitUntil(lambda: page.side.has_conflict)
    assert page.side.stack.currentWidget() is page.side.conflict
    titles = [line for line in page.side.conflict.sheet.read.splitlines() if "changed by" in line]
    assert titles == ["Response · changed by somebody else", "Intent · changed by you"]
    getattr(page.side.conflict, choice).click()
    assert choice != "keep" or not page.side.has_conflict
    qtbot.waitUntil(lambda: page.side.details.response.toPlainText() == response)
    qtbot.waitUntil(lambda: stored(library, memory.key).intent == intent)
    assert stored(library, memory.key).response == response
    assert not page.side.has_conflict


def test_that_the_columns_are_kept_in_the_profile(qtbot: QtBot, tmp_path: Path) -> None:
    window = make_window(lambda: real_bench(MemoryLibrary(), MEMORIES), Places(tmp_path, None))
    window.resize(1280, 800)
    window.show()
    window.worker.start()
    qtbot.waitUntil(lambda: window.core_state is not None)
    page = opened_page(window, "memories", MemoriesPage)
    page.table.show_column(9, True)
    page.table.store()
    assert "response" in (tmp_path / "tables.json").read_text()
    window.close()
    window.deleteLater()
