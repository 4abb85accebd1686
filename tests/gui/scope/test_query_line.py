"""The query line takes back what was typed, and yet does not keep for ever each letter that ever was."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.scope import query_line
from app.gui.scope.query_line import QueryLine


def test_that_an_emptied_line_forgets_after_many_changes_what_can_be_undone(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_line, "MOST_CHANGES", 8)
    line = QueryLine()
    qtbot.addWidget(line)
    told: list[str] = []
    line.textChanged.connect(told.append)
    _type_and_empty(line, "build")
    assert line.isUndoAvailable(), "six changes are not many"
    _type_and_empty(line, "slow")
    assert not line.isUndoAvailable()
    assert told[-3:] == ["slo", "slow", ""], "forgetting is no change"
    _type_and_empty(line, "again")
    line.undo()
    assert line.text() == "again"


def _type_and_empty(line: QueryLine, text: str) -> None:
    QTest.keyClicks(line, text)
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
