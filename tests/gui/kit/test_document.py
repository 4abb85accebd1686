"""Tests of documents: what can be copied."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.kit.document import DocumentView, span
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
