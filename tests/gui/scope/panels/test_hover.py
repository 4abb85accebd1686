"""Tests of explanations of terms in tooltips."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from app.display import words
from app.display.words import GLOSSARY
from app.gui.kit.document import DocumentView
from app.gui.kit.fields import plain_tip
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.selected import SelectedPanel
from app.gui.shell.main_window import MainWindow
from tests.gui.dock_windows import unfold
from tests.gui.inspections import TEXT, FakeWorkbench

Opener = Callable[[FakeWorkbench], MainWindow]


def tips(view: DocumentView) -> set[str]:
    """Return the tooltips of a document."""
    cursor, found = QTextCursor(view.document()), set()
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        found.add(cursor.charFormat().toolTip())
    return found


def test_that_words_of_the_field_are_explained_in_their_panes(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.act("selected_triggers")
    window.act("selected_scores")
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None and window.scope.is_shown)
    unfold(window)
    kind, matches, selected = (window.panels[key] for key in ("intent", "matches", "selected"))
    assert isinstance(kind, IntentPanel)
    assert isinstance(matches, MatchesPanel)
    assert isinstance(selected, SelectedPanel)
    assert plain_tip(GLOSSARY["injected"]) in tips(kind.sheet)
    assert {plain_tip(GLOSSARY["success"]), plain_tip(words.scorer("centroid").summary)} <= tips(selected.sheet)
    assert window.scope.verdict.headline.about.startswith(GLOSSARY["injected"])
