"""Tests of the query line: undo, growth, keys and pastes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.kit.fields import LONGEST
from app.gui.kit.theme.theme import Theme
from app.gui.scope import query_line
from app.gui.scope.query_line import MOST_LINES, QueryBar, QueryLine


def test_that_an_emptied_line_forgets_undo_after_many_changes(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_line, "MOST_CHANGES", 8)
    line = QueryLine()
    qtbot.addWidget(line)
    told: list[str] = []
    line.changed.connect(told.append)
    _type_and_empty(line, "build")
    assert line.document().isUndoAvailable(), "six changes are not many"
    _type_and_empty(line, "slow")
    assert not line.document().isUndoAvailable()
    assert told[-3:] == ["slo", "slow", ""], "forgetting is no change"
    _type_and_empty(line, "again")
    line.undo()
    assert line.text() == "again"


def _type_and_empty(line: QueryLine, text: str) -> None:
    QTest.keyClicks(line, text)
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)


@pytest.fixture
def bar(qtbot: QtBot) -> QueryBar:
    made = QueryBar(Theme())
    qtbot.addWidget(made)
    made.resize(900, made.height())
    made.show()
    qtbot.waitExposed(made)
    return made


def test_that_it_grows_to_three_whole_lines_and_shrinks_again(bar: QueryBar) -> None:
    line, heights = bar.box.line, [bar.height()]
    for words in (12, 24, 80):
        line.setText("failing " * words)
        heights.append(bar.height())
        shown = min(line.lines, MOST_LINES)
        assert line.height() >= line.height_of(shown)
        assert line.geometry().bottom() < bar.box.height()
        assert (line.verticalScrollBar().maximum() > 0) is (line.lines > MOST_LINES)
    assert line.lines > MOST_LINES
    assert heights == sorted(heights)
    assert heights[-2] == heights[-1] > heights[1] > heights[0]
    line.setText("failing")
    assert bar.height() == heights[0]


def test_that_a_narrower_window_wraps_the_text_anew(qtbot: QtBot, bar: QueryBar) -> None:
    bar.box.line.setText("why does the build keep failing on my mac when I run it")
    low = bar.height()
    bar.resize(420, low)
    qtbot.waitUntil(lambda: bar.height() > low)


def test_that_the_text_stays_in_view_where_the_window_becomes_low(qtbot: QtBot, bar: QueryBar) -> None:
    line = bar.box.line
    line.setText("why does the build keep failing on my mac")
    bar.resize(420, bar.height())
    bar.box.show_most_lines(2, is_low=False)
    bar.box.show_most_lines(1, is_low=True)
    qtbot.waitUntil(lambda: line.height() == line.height_of(1))
    assert line.firstVisibleBlock().isValid()
    assert line.verticalScrollBar().maximum() == 0
    assert line.cursorRect().right() <= line.viewport().width()


def test_that_enter_leads_on_and_adds_no_line(qtbot: QtBot, bar: QueryBar) -> None:
    line = bar.box.line
    line.setText("one")
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        with qtbot.waitSignal(line.entered):
            QTest.keyClick(line, Qt.Key.Key_Return, modifier)
    assert line.text() == "one"


def test_that_pasted_lines_stay_lines_and_are_undone_in_one_step(bar: QueryBar) -> None:
    line = bar.box.line
    QTest.keyClicks(line, "x")
    QGuiApplication.clipboard().setText("one\r\ntwo\nthree\u00a0four")
    line.selectAll()
    line.paste()
    assert line.text() == "one\ntwo\nthree\u00a0four"
    line.undo()
    assert line.text() == "x"


@pytest.mark.parametrize("typed", ["word " * 10_000, "\U0001f600" * 20_001], ids=["words", "beyond the first plane"])
def test_that_a_text_too_long_is_cut_however_it_comes(qtbot: QtBot, bar: QueryBar, typed: str) -> None:
    line = bar.box.line
    QGuiApplication.clipboard().setText(typed)
    with qtbot.waitSignal(line.rejected):
        line.paste()
    assert line.text() == typed[:LONGEST]
    line.moveCursor(line.textCursor().MoveOperation.End)
    with qtbot.waitSignal(line.rejected):
        QTest.keyClicks(line, "y")
    assert line.text() == typed[:LONGEST]


def test_that_a_span_over_two_lines_stands_on_both(bar: QueryBar) -> None:
    line = bar.box.line
    line.setText("failing " * 20)
    first, second = line.rects(0, len(line.text()))[:2]
    assert first.left() == second.left()
    assert first.bottom() <= second.top()
    (word,) = line.rects(8, 15)
    assert first.left() < word.left() < word.right() < first.right()
