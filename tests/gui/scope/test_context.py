"""Tests of the injection preview: it follows the query, and shows the injected text."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.scope.context import ContextPage
from app.gui.shell.main_window import MainWindow
from app.gui.shell.page_stack import SCOPE
from tests.gui.conftest import Opener
from tests.gui.documents import read_rows
from tests.gui.inspections import TEXT
from tests.gui.llm_workbench import ConnectedWorkbench
from tests.gui.pages import opened_page


@pytest.fixture
def bench() -> ConnectedWorkbench:
    made = ConnectedWorkbench()
    made.values["search_intent.surfacing_threshold"] = "0.5"
    return made


def opened(qtbot: QtBot, window: MainWindow, text: str = TEXT) -> ContextPage:
    window.ask(text)
    page = opened_page(window, "context", ContextPage)
    if text:
        qtbot.waitUntil(lambda: page.surfaced is not None and page.shown is not None)
    return page


def test_that_the_text_shown_is_the_text_injected(qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench) -> None:
    page = opened(qtbot, open_window(bench))
    assert page.surfaced is not None
    assert page.text.toPlainText() == page.surfaced.text
    assert page.surfaced.text.startswith("Memories for this question (type troubleshoot")
    page.copy_text()
    assert QGuiApplication.clipboard().text() == page.surfaced.text


def test_that_list_and_cut_line_are_read_aloud(qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench) -> None:
    bench.values["search_intent.surfacing_tokens"] = "210"
    window = open_window(bench)
    page = opened(qtbot, window)
    qtbot.waitUntil(lambda: "Cut by the budget" in read_rows(page.sheet))
    window.grab()
    lines = read_rows(page.sheet).splitlines()
    cut = next(n for n, line in enumerate(lines) if line.startswith("Cut by the budget"))
    assert lines[cut] == "Cut by the budget: the next memory would make it 250 of 210 tokens."
    assert any("build-fails-locally" in line and "0.856 × 1.5 =" in line for line in lines[:cut])
    assert not any("over the budget" in line for line in lines)  # the cut line says it once for its rows


def test_that_dead_rows_of_the_table_are_told(qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench) -> None:
    bench.values["search_intent.surfacing_threshold"] = "0.85"
    page = opened(qtbot, open_window(bench))
    assert read_rows(page.table).count("never reached") == 2
    assert (page.text.toPlainText(), page.text.placeholderText()) == ("", "Nothing would be injected.")
    assert not page.copy.isEnabled()
    assert page.refusal()


def test_that_a_query_typed_here_or_on_the_scope_is_the_whole_window_s_and_none_is_asked_out_of_sight(
    qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench
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
        lambda: window.scope_state.inspection is not None and window.scope_state.inspection.query.text == "hidden"
    )
    QApplication.processEvents()
    assert len(bench.surfaced) == asked


def test_that_copying_says_when_it_cannot(qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench) -> None:
    window = open_window(bench)
    opened(qtbot, window, "")
    window.act("copy_context")
    assert "nothing to copy" in window.toast.sentence
