"""Tests of documents: what can be copied, and the room of names in tables."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.display.system.metrics import Row, Table
from app.gui.kit.document import DocumentView, aside_html, heading_html, link_html, span, table_html, tables_html
from app.gui.kit.theme.theme import Theme
from tests.gui.documents import read_rows


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


def test_that_a_tooltip_shows_a_name_as_it_is(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "A name")
    qtbot.addWidget(view)
    view.show_html(span("name", tip="<img src='x'>"))
    shown = QTextDocument()
    shown.setHtml(view.cursorForPosition(QPoint(20, 10)).charFormat().toolTip())
    assert shown.toPlainText() == "<img src='x'>"


def test_that_a_document_keeps_its_font_when_that_of_the_application_changes(qtbot: QtBot) -> None:
    theme = Theme()
    view = DocumentView(theme, "A text")
    qtbot.addWidget(view)
    view.setFont(theme.font(20))
    assert view.document().defaultFont() == theme.font(12)


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


def test_that_a_link_has_the_focus_after_it_has_changed_the_document(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "Changes")
    qtbot.addWidget(view)
    clicked: list[str] = []

    def show(link: str = "") -> None:
        clicked.extend(filter(None, [link]))
        links = "".join(f"<p>{link_html(f'change:{n}', f'Change {n}')}</p>" for n in range(3))
        view.show_html(span(f"{len(clicked)} clicked", "", "p") + links)

    view.anchorClicked.connect(lambda link: show(link.toString()))
    show()
    view.show()
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    for key in (
        Qt.Key.Key_Tab,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Return,
        Qt.Key.Key_Return,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Return,
    ):
        QTest.keyClick(view, key)
    assert clicked == ["change:1", "change:1", "change:2"]


@pytest.mark.parametrize("above", ["Before", "Before, and some more", ""])
def test_that_a_selected_text_stays_selected_while_the_text_around_it_changes(qtbot: QtBot, above: str) -> None:
    view = DocumentView(Theme(), "Changes")
    qtbot.addWidget(view)
    view.show_html(span("Before", "", "p") + span("the answer", "", "p") + span("0.5", "mono", "p"))
    view.setTextCursor(view.document().find("answer"))
    view.show_html(span(above, "", "p") + span("the answer", "", "p") + span("0.7", "strong", "p"))
    assert view.textCursor().selectedText() == "answer"
    view.show_html(span("Another", "", "p"))
    assert not view.textCursor().hasSelection()


def test_that_the_last_cells_of_rows_end_at_the_right_edge_whatever_the_width(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "Rows")
    qtbot.addWidget(view)
    view.show()
    view.show_html(table_html([("One", "bar", "0.5"), ("Two", "bar", "1")], stop=100))
    for width in (300, 420):
        view.resize(width, 200)
        view.grab()  # lays it out
        block = view.document().begin()
        while block.isValid():
            line, right = block.layout().lineAt(0), view.viewport().width() - 2 * view.pad
            second, end = (
                cast("tuple[float, int]", line.cursorToX(at))[0] for at in (len("One\t"), block.length() - 1)
            )
            assert second == 100
            assert end == pytest.approx(right, abs=1)
            block = block.next()
    assert read_rows(view) == "One bar 0.5\nTwo bar 1"


def test_that_asides_are_read_aloud_and_neither_shown_nor_copied(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "Words")
    qtbot.addWidget(view)
    view.show_html(table_html([(span("a <") + aside_html("(in --> both)") + " b", span("1"))]) + span("Next", "", "p"))
    assert view.accessibleDescription() == "a < (in --> both) b 1\nNext"
    assert "a < b" in view.read


def test_that_a_long_query_leaves_room_for_what_is_below_it() -> None:
    assert heading_html("how do i deploy", "title") == span("how do i deploy", "title", "p")
    assert heading_html("deploy " * 300, "title") == span(f"{('deploy ' * 43)[:300].rstrip()}…", "title", "p")
