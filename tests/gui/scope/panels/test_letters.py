"""The letters of the scorers: one key explains them, and names stand beside them where there is room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.display import words
from app.gui.scope.actions import LETTERS
from app.gui.scope.panels.matches_delegate import LettersLegend
from app.gui.scope.panels.selected import SelectedPanel
from app.scoring.scorers import SCORERS
from tests.build import of_type
from tests.gui.conftest import Opener
from tests.gui.dock_windows import asked
from tests.gui.documents import read_rows
from tests.gui.inspections import FakeWorkbench


def test_that_one_key_explains_the_letters(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    assert LETTERS.keys == ("F7",)
    window.act(LETTERS.key)
    legend = of_type(QApplication.activePopupWidget(), LettersLegend)
    legend.grab()
    lines = legend.read.splitlines()
    assert [line.split(" ")[0] for line in lines] == [words.scorer(key).title.split(" ")[0] for key in SCORERS]
    assert all(words.scorer(key).summary in line for key, line in zip(SCORERS, lines, strict=True))
    QTest.keyClick(legend, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


@pytest.mark.parametrize("width", [1280, 1920])
def test_that_names_stand_beside_letters_of_the_best_triggers(qtbot: QtBot, open_window: Opener, width: int) -> None:
    window = open_window(FakeWorkbench())
    window.resize(width, 1000)
    window.act("selected_triggers")
    asked(qtbot, window)
    panel = of_type(window.panels["selected"], SelectedPanel)
    texts = ("Fuzzy, Token the build keeps failing on my laptop", "Semantic build fails on macos")
    qtbot.waitUntil(lambda: all(text in read_rows(panel.sheet) for text in texts))
