"""Tests of names from files in tooltips: never read as markup."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.display.library.namespaces import TYPES, NamespaceRow, WeightCell
from app.domain.journal import Step
from app.domain.library import Memory
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.theme.theme import Theme
from app.gui.library.files.folder_dialog import NAME, DifferenceModel
from app.gui.library.memories.side import RecentSteps
from app.gui.library.rules.page import RulesPage
from app.gui.scope.namespace_matrix import FIRST, NamespaceModel
from app.gui.shell.main_window import MainWindow
from app.gui.system.metrics import MetricsPage
from app.services.library.folder_diff import Difference, Side
from tests.gui.conftest import Opener, round_trip
from tests.gui.llm_workbench import ConnectedWorkbench, with_measures
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

MARKUP = '<b>bold</b><img src="file:///etc/hostname">'
TIP = int(Qt.ItemDataRole.ToolTipRole)


def as_read(tip: object) -> str:
    """Return the displayed text of a tooltip; Qt guesses whether one is markup."""
    assert str(tip).startswith("<p "), "else Qt guesses"
    document = QTextDocument()
    document.setHtml(str(tip))
    return document.toPlainText()


def test_that_a_name_in_a_folder_is_no_markup(qapp: QApplication) -> None:
    model = DifferenceModel(Theme(qapp))
    seen: Any = SimpleNamespace(
        diff=SimpleNamespace(differences=[Difference("one", Side.HERE, Memory((MARKUP,), id=MARKUP), None)])
    )
    model.show_comparison(seen)
    assert as_read(model.data(model.index(0, NAME), TIP)) == MARKUP


def test_that_the_name_of_an_imported_file_is_no_markup(qtbot: QtBot, qapp: QApplication) -> None:
    steps = RecentSteps(Theme(qapp))
    qtbot.addWidget(steps)
    steps.show_steps([Step(1, "2026-11-22 04:26:21", "imported", MARKUP, 2, MARKUP)])
    assert MARKUP in as_read(steps.undo.toolTip())


def test_that_the_name_of_a_namespace_is_no_markup(qapp: QApplication) -> None:
    model = NamespaceModel()
    cell = WeightCell(MARKUP, "1", True, False, False, "", MARKUP, MARKUP)
    model.show_rows((NamespaceRow(MARKUP, 1, False, (cell,) * len(TYPES)),))
    assert as_read(model.data(model.index(0, FIRST), TIP)) == MARKUP


# ---- The focus stays on a visible element of the open page, and Enter presses a button.


EMPTY_PAGES = ("memories", "powers", "cases", "evaluate", "metrics", "inbox", "history")


def is_on_page(window: MainWindow) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and focus.isVisible() and window.page.isAncestorOf(focus)


def test_that_the_keyboard_is_on_every_page_that_has_nothing_to_show(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary(), ()))
    window.activateWindow()
    for key in (*EMPTY_PAGES, *EMPTY_PAGES):  # the second time its content is known already
        window.open_page(key)
        round_trip(qtbot, window.worker)
        qtbot.waitUntil(lambda: is_on_page(window))


def test_that_what_is_hidden_leaves_the_keyboard_to_the_page_not_the_rail(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(with_measures(ConnectedWorkbench()))
    window.activateWindow()
    page = opened_page(window, "metrics", MetricsPage)
    qtbot.waitUntil(lambda: page.plot is not None)
    qtbot.waitUntil(page.sheet.hasFocus)
    page.sheet.setVisible(False)
    qtbot.waitUntil(lambda: is_on_page(window))


def test_that_the_first_rule_is_selected_when_the_keyboard_came_first(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    window.activateWindow()
    page = opened_page(window, "rules", RulesPage)
    qtbot.waitUntil(lambda: not page.table.rules.rows or page.table.currentIndex().isValid())


def test_that_enter_presses_a_button(qtbot: QtBot) -> None:
    pressed: list[int] = []
    made = button("Look", press=lambda: pressed.append(1))
    qtbot.addWidget(made)
    made.show()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        QTest.keyClick(made, key)
    assert len(pressed) == 3


def test_that_a_line_without_room_gives_way_and_tells_itself_in_full(qtbot: QtBot) -> None:
    line = ElidedLabel("54 rules, matches in 825 taught phrases and cases")
    qtbot.addWidget(line)
    assert line.minimumSizeHint().width() == 0
    line.resize(80, 20)
    line.grab()
    assert "825 taught phrases" in line.toolTip()
    line.resize(line.sizeHint())
    line.grab()
    assert not line.toolTip()
