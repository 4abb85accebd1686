"""Tests of the injection preview and the weight matrix."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.domain.intent import IntentType
from app.domain.library import Memory
from app.gui.scope.context import ContextPage
from app.gui.scope.namespaces import COUNT, FIRST, NAME, NamespaceModel
from app.gui.shell.main_window import MainWindow
from app.gui.shell.page_stack import SCOPE
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.documents import read_rows
from tests.gui.inspections import TEXT, FakeWorkbench
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary


@pytest.fixture
def bench() -> FakeWorkbench:
    made = FakeWorkbench()
    made.values["search_intent.surfacing_threshold"] = "0.5"
    return made


def opened(qtbot: QtBot, window: MainWindow, text: str = TEXT) -> ContextPage:
    window.ask(text)
    page = opened_page(window, "context", ContextPage)
    if text:
        qtbot.waitUntil(lambda: page.surfaced is not None and page.shown is not None)
    return page


def test_that_the_text_shown_is_the_text_injected(qtbot: QtBot, open_window: Opener, bench: FakeWorkbench) -> None:
    page = opened(qtbot, open_window(bench))
    assert page.surfaced is not None
    assert page.text.toPlainText() == page.surfaced.text
    assert page.surfaced.text.startswith("Memories for this question (its type is troubleshoot")
    page.copy_text()
    assert QGuiApplication.clipboard().text() == page.surfaced.text


def test_that_list_and_cut_line_are_read_aloud(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.display.scope.surfacing.SLIGHT", 0.5)
    bench.values["search_intent.surfacing_tokens"] = "210"
    page = opened(qtbot, open_window(bench))
    qtbot.waitUntil(lambda: "Cut by the budget" in read_rows(page.sheet))
    lines = read_rows(page.sheet).splitlines()
    cut = lines.index("Cut by the budget: the next memory would make it 250 of 210 tokens.")
    assert any("build-fails-locally" in line and "0.856 × 1.5 =" in line for line in lines[:cut])
    assert not any("over the budget" in line for line in lines)  # the cut line says it once for its rows
    slight = {row.name for _, rows in some(page.shown).cuts for row in rows if row.is_slight}
    assert slight
    assert not slight & {line.split()[1] for line in lines[cut + 1 : -1]}
    page.sheet.anchorClicked.emit(QUrl("all"))
    assert slight <= set(read_rows(page.sheet).split())


def test_that_dead_rows_of_the_table_are_told(qtbot: QtBot, open_window: Opener, bench: FakeWorkbench) -> None:
    bench.values["search_intent.surfacing_threshold"] = "0.85"
    page = opened(qtbot, open_window(bench))
    assert read_rows(page.table).count("below threshold") == 2
    assert (page.text.toPlainText(), page.text.placeholderText()) == ("", "Nothing would be injected.")
    assert not page.copy.isEnabled()
    assert page.refusal()


def test_that_a_query_typed_here_or_on_the_scope_is_the_whole_window_s_and_none_is_asked_out_of_sight(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    window = open_window(bench)
    page = opened(qtbot, window)
    qtbot.waitUntil(lambda: page.line.text() == TEXT)
    page.line.clear()
    QTest.keyClicks(page.line, "hello")
    qtbot.waitUntil(lambda: bench.surfaced[-1][0] == "hello")
    assert window.bar.box.line.text() == "hello"
    page.line.selectAll()
    QTest.keyClicks(page.line, " ")
    assert page.surfaced is None
    assert page.empty.isVisibleTo(page)
    window.open_page(SCOPE)
    window.ask("something else")
    qtbot.waitUntil(lambda: window.worker.answer is not None and window.worker.answer.query.text == "something else")
    page = opened(qtbot, window, "something else")
    assert page.line.text() == "something else"
    window.open_page(SCOPE)
    asked = len(bench.surfaced)
    window.ask("hidden")
    qtbot.waitUntil(
        lambda: window.scope.state.inspection is not None and window.scope.state.inspection.query.text == "hidden"
    )
    QApplication.processEvents()
    assert len(bench.surfaced) == asked


def test_that_copying_says_when_it_cannot(qtbot: QtBot, open_window: Opener, bench: FakeWorkbench) -> None:
    window = open_window(bench)
    opened(qtbot, window, "")
    window.act("copy_context")
    assert "nothing to copy" in window.toast.sentence


HOWTO = FIRST
TROUBLESHOOT = FIRST + list(IntentType).index(IntentType.TROUBLESHOOT)


def page_of(qtbot: QtBot, window: MainWindow, text: str = TEXT) -> ContextPage:
    window.ask(text)
    window.open_place("context", "weights")
    page = of_type(window.page, ContextPage)
    qtbot.waitUntil(lambda: bool(order(page)))
    return page


def at(page: ContextPage, namespace: str, column: int) -> QModelIndex:
    index = page.weights.model.index([row.name for row in page.weights.model.rows].index(namespace), column)
    page.weights.matrix.setCurrentIndex(index)
    return index


def editor_of(page: ContextPage) -> QLineEdit:
    return next(one for one in page.weights.matrix.viewport().findChildren(QLineEdit) if one.isVisible())


def order(page: ContextPage) -> list[str]:
    shown = page.shown
    return [] if shown is None else [row.name for rows in (shown.inside, *dict(shown.cuts).values()) for row in rows]


def last_move(page: ContextPage) -> int:
    return some(page.shown).cuts[-1][1][-1].move


def test_that_the_order_follows_a_digit_at_once_and_delete_resets_it(qtbot: QtBot, open_window: Opener) -> None:
    namespaces_bench = FakeWorkbench()
    key = "namespaces.weights.troubleshoot.blockers"
    page = page_of(qtbot, open_window(namespaces_bench))
    assert order(page)[0] == "build-fails-locally"
    at(page, "blockers", TROUBLESHOOT)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_0)
    QTest.keyClicks(editor_of(page), ".2")
    # 0 alone ranks the memory last, too, and may have been tried before the rest was typed.
    tried = {key: "0.2"}
    qtbot.waitUntil(lambda: namespaces_bench.surfaced[-1][1] == tried)
    qtbot.waitUntil(lambda: order(page)[-1] == "build-fails-locally")
    assert key not in namespaces_bench.values
    assert last_move(page) == 1 - len(order(page))
    QTest.keyClick(editor_of(page), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: namespaces_bench.values.get(key) == "0.2")
    qtbot.waitUntil(lambda: some(page.weights.model.cell(at(page, "blockers", TROUBLESHOOT))).is_here)
    assert last_move(page) == 1 - len(order(page))
    cell = some(page.weights.model.cell(at(page, "blockers", TROUBLESHOOT)))
    assert (cell.text, cell.is_set, page.weights.reset.isEnabled()) == ("0.2", True, True)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: key not in namespaces_bench.values)
    qtbot.waitUntil(lambda: order(page)[0] == "build-fails-locally")
    assert not page.weights.reset.isEnabled()
    tester = QAbstractItemModelTester(page.weights.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    namespaces_bench.values["namespaces.more"] = "mine"
    namespaces_bench.tell(namespaces_bench.state)
    qtbot.waitUntil(lambda: page.weights.model.rows[-1].name == "mine")
    tester.deleteLater()


def test_that_escape_forgets_what_was_tried_and_a_refused_weight_is_told(qtbot: QtBot, open_window: Opener) -> None:
    namespaces_bench = FakeWorkbench()
    page = page_of(qtbot, open_window(namespaces_bench))
    before = order(page)
    at(page, "blockers", TROUBLESHOOT)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_0)
    qtbot.waitUntil(lambda: order(page) != before)
    QTest.keyClick(editor_of(page), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: order(page) == before)
    assert namespaces_bench.values == {}
    page.weights.model.setData(at(page, "apis", HOWTO), "11")
    qtbot.waitUntil(lambda: page.fault.isVisibleTo(page))
    assert namespaces_bench.values == {}


def test_that_what_was_set_here_is_reset_at_once(qtbot: QtBot, open_window: Opener) -> None:
    namespaces_bench = FakeWorkbench()
    namespaces_bench.values |= {"namespaces.weights.howto.apis": "2", "namespaces.weights.general.help": "3"}
    page = page_of(qtbot, open_window(namespaces_bench))
    page.weights.reset.click()
    qtbot.waitUntil(lambda: namespaces_bench.values == {})


def test_that_a_weight_set_elsewhere_cannot_be_edited(qtbot: QtBot) -> None:
    from app.display.library.namespaces import namespace_rows
    from app.settings.model import SettingsSources, layer

    layered = layer(SettingsSources(command_line={"namespaces.weights.howto.apis": "2"}))
    model = NamespaceModel()
    model.show_rows(namespace_rows(layered.values, layered.origins, {"apis": 3, "mine": 1}))
    row = [row.name for row in model.rows].index("apis")
    assert not model.flags(model.index(row, HOWTO)) & Qt.ItemFlag.ItemIsEditable
    assert model.flags(model.index(row, HOWTO + 1)) & Qt.ItemFlag.ItemIsEditable
    assert not model.flags(model.index(row, COUNT)) & Qt.ItemFlag.ItemIsEditable
    assert "command line" in str(model.data(model.index(row, HOWTO), Qt.ItemDataRole.ToolTipRole))
    said = model.data(model.index(row, HOWTO), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "apis, How-to, 2, command line, default 1"


def test_that_renaming_moves_the_memories_and_says_how_many(qtbot: QtBot, open_window: Opener) -> None:
    library = MemoryLibrary()
    memories = [Memory((f"how do I do {n}",), "So.", namespace="patterns", id=f"m{n}") for n in range(3)]
    window = open_window(real_bench(library, memories))
    page = page_of(qtbot, window, "how do I do 1")
    qtbot.waitUntil(lambda: page.weights.model.rows[1].count == 3)
    page.weights.model.setData(at(page, "patterns", NAME), "recipes")
    qtbot.waitUntil(lambda: "recipes" in [row.name for row in page.weights.model.rows])
    qtbot.waitUntil(lambda: window.toast.sentence == "Moved 3 memories from “patterns” to “recipes”.")
    assert window.toast.offers_undo
    assert {memory.namespace for memory in library.memories()} == {"recipes"}
    cell = some(page.weights.model.cell(at(page, "recipes", HOWTO)))
    assert cell.text == "1.5"


def test_that_a_namespace_is_added_and_removed(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary(), [Memory(("how do I do it",), "So.")]))
    page = page_of(qtbot, window, "how do I do it")
    page.weights.name.setText("  my   notes ")
    QTest.keyClick(page.weights.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.weights.model.rows[-1].name == "my notes")
    at(page, "my notes", NAME)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: page.weights.model.rows[-1].name != "my notes")
    at(page, "context", NAME)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: page.fault.isVisibleTo(page))
