"""Tests of the weight matrix: keyboard navigation and edits, with a live order of memories."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.domain.intent import IntentType
from app.domain.library import Memory
from app.gui.scope.context import ContextPage
from app.gui.scope.namespace_matrix import COUNT, FIRST, NAME, NamespaceModel
from app.gui.shell.main_window import MainWindow
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.inspections import TEXT
from tests.gui.llm_workbench import ConnectedWorkbench
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

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
    return (
        [] if shown is None else [row.name for row in (*shown.inside, *(row for _, rows in shown.cuts for row in rows))]
    )


def last_move(page: ContextPage) -> int:
    return some(page.shown).cuts[-1][1][-1].move


@pytest.fixture
def bench() -> ConnectedWorkbench:
    return ConnectedWorkbench()


def test_that_a_digit_edits_the_order_follows_before_it_is_kept_and_delete_brings_the_default_back(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    key = "namespaces.weights.troubleshoot.blockers"
    page = page_of(qtbot, open_window(bench))
    assert order(page)[0] == "build-fails-locally"
    at(page, "blockers", TROUBLESHOOT)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_0)
    QTest.keyClicks(editor_of(page), ".2")
    # 0 alone ranks the memory last, too, and may have been tried before the rest was typed.
    tried = {key: "0.2"}
    qtbot.waitUntil(lambda: bench.surfaced[-1][1] == tried)
    qtbot.waitUntil(lambda: order(page)[-1] == "build-fails-locally")
    assert key not in bench.values
    assert last_move(page) == 1 - len(order(page))
    QTest.keyClick(editor_of(page), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.values.get(key) == "0.2")
    qtbot.waitUntil(lambda: page.weights.model.cell(at(page, "blockers", TROUBLESHOOT)).is_here)  # type: ignore[union-attr]
    assert last_move(page) == 1 - len(order(page))
    cell = some(page.weights.model.cell(at(page, "blockers", TROUBLESHOOT)))
    assert (cell.text, cell.is_set, page.weights.reset.isEnabled()) == ("0.2", True, True)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: key not in bench.values)
    qtbot.waitUntil(lambda: order(page)[0] == "build-fails-locally")
    assert not page.weights.reset.isEnabled()
    tester = QAbstractItemModelTester(page.weights.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    bench.values["namespaces.more"] = "mine"
    bench.tell(bench.state)
    qtbot.waitUntil(lambda: page.weights.model.rows[-1].name == "mine")
    tester.deleteLater()


def test_that_escape_forgets_what_was_tried_and_a_refused_weight_is_told(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
) -> None:
    page = page_of(qtbot, open_window(bench))
    before = order(page)
    at(page, "blockers", TROUBLESHOOT)
    QTest.keyClick(page.weights.matrix, Qt.Key.Key_0)
    qtbot.waitUntil(lambda: order(page) != before)
    QTest.keyClick(editor_of(page), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: order(page) == before)
    assert bench.values == {}
    page.weights.model.setData(at(page, "apis", HOWTO), "11")
    qtbot.waitUntil(lambda: page.fault.isVisibleTo(page))
    assert bench.values == {}


def test_that_what_was_set_here_is_reset_at_once(qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench) -> None:
    bench.values |= {"namespaces.weights.howto.apis": "2", "namespaces.weights.general.help": "3"}
    page = page_of(qtbot, open_window(bench))
    page.weights.reset.click()
    qtbot.waitUntil(lambda: bench.values == {})


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
