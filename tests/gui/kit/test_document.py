"""Tests of documents: what can be copied, and the room of names in tables."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.display.system.metrics import Row, Table
from app.gui.kit.document import DocumentView, span, tables_html
from app.gui.kit.theme.theme import Theme


@pytest.mark.parametrize("classes", ["query", "title"])
def test_that_a_query_is_copied_with_its_spaces_tabs_and_lines(qtbot: QtBot, classes: str) -> None:
    view = DocumentView(Theme(), "A query")
    qtbot.addWidget(view)
    text = "SELECT  a,\tb\n   FROM  t"
    view.show_html(span(text, classes, "p"))
    assert view.read == text
    view.selectAll()
    view.copy()
    assert QApplication.clipboard().text() == text


@pytest.mark.parametrize("columns", [1, 5, 8])
def test_that_names_have_room_beside_many_numbers(qtbot: QtBot, columns: int) -> None:
    view = DocumentView(Theme(), "Times")
    qtbot.addWidget(view)
    view.resize(560, 300)
    view.show_html(tables_html([Table("Type", ("P95",) * columns, (Row("Learned", ("6.0",) * columns),))]))
    view.grab()  # lays it out
    document = view.document()
    blocks = [document.findBlockByNumber(place) for place in range(document.blockCount())]
    assert [block.layout().lineCount() for block in blocks if block.text() in ("Type", "Learned")] == [1, 1]
