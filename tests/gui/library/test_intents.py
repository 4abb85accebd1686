"""Tests of the intents page: counts immediately, case figures later, and actions."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from app.domain.case import Case, Task
from app.domain.library import Memory
from app.gui.library.cases import CasesPage
from app.gui.library.intents import IntentsPage, RenameDialog, ThresholdDialog
from app.gui.library.memories import MemoriesPage
from app.gui.shell.main_window import MainWindow
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.pages import open_dialog, opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

MEMORIES = (
    Memory(("freeze my card", "please freeze the card"), "Use the form.", intent="freeze"),
    Memory(("block my card",), "Call us.", intent="block"),
    Memory(("block my account",), "Call us, too.", intent="block", tags=("score_threshold=0.4",)),
    Memory(("open a new account",), intent="open", paused=True),
    Memory(("hello there",)),
)
CASES = (
    Case("freeze my card", ("freeze",), Task.INTENT),
    Case("block my card", ("freeze",), Task.INTENT),
    Case("block my account", ("block",), Task.INTENT),
    Case("something else", ("gone",), Task.INTENT, unwanted=("open",)),
)


def opened(
    open_window: Opener, qtbot: QtBot, library: MemoryLibrary, answers: tuple[Memory, ...] = MEMORIES
) -> tuple[MainWindow, IntentsPage]:
    window = open_window(real_bench(library, answers))
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.status.is_open)
    page = opened_page(window, "intents", IntentsPage)
    qtbot.waitUntil(lambda: page.stored is not None)
    return window, page


def shown(page: IntentsPage, *columns: str) -> list[tuple[str, ...]]:
    places = {column.key: place for place, column in enumerate(page.table.paged.columns)}
    rows = range(page.table.paged.rowCount())
    return [tuple(str(page.table.paged.index(row, places[key]).data()) for key in columns) for row in rows]


def pick(page: IntentsPage, name: str) -> None:
    page.table.pick([label for (label,) in shown(page, "label")].index(name))
    assert some(page.row).label == name


def test_that_every_intent_is_listed_with_its_counts_and_figures_sorted_and_opened(
    open_window: Opener, qtbot: QtBot, library: MemoryLibrary
) -> None:
    library.add("cases", CASES)
    window, page = opened(open_window, qtbot, library)
    QAbstractItemModelTester(page.table.paged, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert shown(page, "label", "memories", "triggers", "cases") == [
        ("block", "2", "2", "–"),
        ("freeze", "1", "2", "–"),
        ("gone", "0", "0", "–"),
        ("open", "1", "1", "–"),
    ]
    assert page.focus_stops()[0] is page.table
    pick(page, "gone")
    assert "only cases expect it" in page.side.about.text()
    assert not page.side.memories.isEnabled()
    assert not page.side.threshold.isEnabled()
    qtbot.waitUntil(lambda: page.evaluation is not None)
    assert shown(page, "label", "cases", "precision", "recall", "rival")[:2] == [
        ("block", "1 of 1", "50 %", "100 %", "freeze ×1"),
        ("freeze", "1 of 2", "100 %", "50 %", "block ×1"),
    ]
    assert shown(page, "precision", "recall", "cases")[3] == ("–", "–", "–")
    assert "Delivered as expected: 50.0 % of 4 cases." in page.strip.note.text()
    delivered = some(next(column for column in page.table.paged.columns if column.key == "cases").tone)
    marks = [delivered(row) for row in map(page.table.paged.row_of, page.table.paged.keys) if row is not None]
    assert marks == ["text", "danger", "danger", "text"], "an intent that loses cases stands out"
    pick(page, "freeze")
    assert [text for text, _ in page.side.confused.model_.rows] == ["1 of its cases got block"]
    page.side.rival.click()
    assert some(page.row).label == "block"
    page.side.confused.opened.emit(0)
    assert some(page.row).label == "freeze"
    for column in page.table.paged.columns:
        for descending in (False, True):
            page.table.sort_by(column.order, descending=descending)
            assert len(shown(page, "label")) == 4
    page.table.sort_by("recall", descending=False)
    assert [label for (label,) in shown(page, "label")] == ["gone", "freeze", "block", "open"]
    page.table.sort_by("recall", descending=True)
    assert [label for (label,) in shown(page, "label")] == ["block", "freeze", "gone", "open"]
    page.bar.set_filter("free")
    assert shown(page, "label") == [("freeze",)]
    page.bar.set_filter("nothing like it")
    assert page.list.stack.currentWidget() is page.list.no_fit
    page.bar.set_filter("")
    pick(page, "block")
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    memories = of_type(window.page, MemoriesPage)
    qtbot.waitUntil(lambda: len(memories.table.paged.keys) == 2)
    qtbot.waitUntil(lambda: memories.bar.chips.get("label") is not None)
    assert memories.bar.chips["label"].text() == "Intent: block"
    window.open_page("intents")
    pick(page, "freeze")
    page.side.memories.click()
    qtbot.waitUntil(lambda: len(memories.table.paged.keys) == 1)
    assert memories.bar.chips["label"].text() == "Intent: freeze"
    qtbot.waitUntil(lambda: memories.memory() is not None)  # its only memory is open
    memories.bar.clear_all()
    qtbot.waitUntil(lambda: len(memories.table.paged.keys) == 5)


def test_that_a_memory_it_is_confused_with_is_opened(open_window: Opener, qtbot: QtBot, library: MemoryLibrary) -> None:
    library.add("cases", [Case("hello there", ("freeze",), Task.INTENT)])
    window, page = opened(open_window, qtbot, library)
    qtbot.waitUntil(lambda: page.evaluation is not None)
    pick(page, "freeze")
    assert page.side.confused.model_.rows == [("1 of its cases got hello there", "memory")]
    assert page.side.rival.text() == "Open the confused memory"
    page.side.rival.click()
    qtbot.waitUntil(lambda: isinstance(window.page, MemoriesPage))
    memories = of_type(window.page, MemoriesPage)
    qtbot.waitUntil(lambda: memories.memory() is not None)
    assert memories.memory() == next(one for one in library.memories() if one.intent is None)


def test_that_a_stopped_evaluation_stays_stopped(open_window: Opener, qtbot: QtBot, library: MemoryLibrary) -> None:
    library.add("cases", [Case(f"query number {n}", ("freeze",), Task.INTENT) for n in range(1_500)])
    _, page = opened(open_window, qtbot, library)
    qtbot.waitUntil(lambda: page.strip.is_running)
    page.strip.stop.click()
    assert not page.strip.is_running
    before = page.stored
    page.load()
    qtbot.waitUntil(lambda: page.stored is not before)
    assert not page.strip.is_running
    assert page.evaluation is None
    assert page.strip.begin.isVisible()


def test_that_a_rename_takes_cases_along_and_back(open_window: Opener, qtbot: QtBot, library: MemoryLibrary) -> None:
    library.add("cases", CASES)
    window, page = opened(open_window, qtbot, library)
    pick(page, "freeze")
    QTest.keyClick(page.table, Qt.Key.Key_F2)
    dialog = open_dialog(page, RenameDialog)
    assert not dialog.verb.isEnabled()
    for refused in ("", "howto", "none"):
        dialog.line.setText(refused)
        assert not dialog.verb.isEnabled()
    dialog.line.setText(" lock-card ")
    assert dialog.preview.text() == "Renames 1 memory and 2 cases, in one step that can be undone."
    with qtbot.waitSignal(page.notified) as told:
        dialog.verb.click()
    assert told.args == ["Renamed “freeze” to “lock-card”: 1 memory and 2 cases.", True, False]
    qtbot.waitUntil(lambda: page.row is not None and page.row.label == "lock-card")
    assert {memory.intent for memory in library.memories()} == {"lock-card", "block", "open", None}
    assert [case.expected for case in library.cases()][:2] == [("lock-card",), ("lock-card",)]
    window.act("undo")
    qtbot.waitUntil(lambda: ("freeze",) in shown(page, "label"))
    assert [case.expected for case in library.cases()][:2] == [("freeze",), ("freeze",)]


def test_that_a_name_that_is_taken_merges_intents(open_window: Opener, qtbot: QtBot, library: MemoryLibrary) -> None:
    library.add("cases", [Case("close it", (), Task.INTENT, unwanted=("open",))])
    _, page = opened(open_window, qtbot, library)
    pick(page, "freeze")
    page.side.rename.click()
    dialog = open_dialog(page, RenameDialog)
    dialog.line.setText("block")
    assert dialog.verb.text() == "Merge"
    assert dialog.preview.text().startswith("“block” exists already, with 2 memories.")
    with qtbot.waitSignal(page.notified) as told:
        dialog.verb.click()
    assert some(told.args)[0] == "Merged “freeze” into “block”: 1 memory."
    qtbot.waitUntil(lambda: shown(page, "label", "memories") == [("block", "3"), ("open", "1")])
    pick(page, "open")
    page.side.rename.click()
    open_dialog(page, RenameDialog).line.setText("block")
    assert "adds 1 memory and 1 case to it" in open_dialog(page, RenameDialog).preview.text()
    open_dialog(page, RenameDialog).reject()
    pick(page, "block")
    assert some(page.row).label == "block"


def test_that_a_threshold_is_set_and_taken_away(open_window: Opener, qtbot: QtBot, library: MemoryLibrary) -> None:
    _, page = opened(open_window, qtbot, library)
    pick(page, "block")
    page.side.threshold.click()
    dialog = open_dialog(page, ThresholdDialog)
    assert dialog.spin.value() == 0.4
    dialog.setMaximumHeight(90)  # a low screen
    qtbot.waitUntil(lambda: dialog.area.verticalScrollBar().maximum() > 0)
    assert dialog.rect().contains(dialog.verb.geometry())
    dialog.spin.setValue(0.625)
    with qtbot.waitSignal(page.notified):
        dialog.verb.click()
    qtbot.waitUntil(lambda: page.row is not None and page.row.intent.threshold == 0.625)
    page.ask_threshold()
    dialog = open_dialog(page, ThresholdDialog)
    with qtbot.waitSignal(page.notified) as told:
        dialog.reset.click()
    assert told.args == ["“block” has no threshold of its own any more.", True, False]
    assert not any(memory.tags for memory in library.memories())


def test_that_an_empty_library_explains_intents(open_window: Opener, qtbot: QtBot, library: MemoryLibrary) -> None:
    window, page = opened(open_window, qtbot, library, (Memory(("hello there",)),))
    assert page.list.stack.currentWidget() is page.empty
    assert page.empty.words[0] == "No intents yet"
    assert page.focus_stops() == [page.first]
    assert page.strip.isHidden()
    library.add("memories", [Memory(("freeze it",), intent="freeze")])
    window.open_page("memories")
    window.open_page("intents")
    qtbot.waitUntil(lambda: shown(page, "label") == [("freeze",)])
    assert page.strip.cases.isVisible()
    page.strip.cases.click()
    assert isinstance(window.page, CasesPage)
