"""Tests that everything in the window has an accessible name."""

from __future__ import annotations

from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from app.gui.kit.controls import SegmentedControl
from app.gui.kit.theme.theme import Theme
from app.gui.shell.desktop.report_dialog import ReportDialog
from app.gui.shell.page_stack import PAGES
from tests.build import of_type, some
from tests.gui import accessibility_tree as tree
from tests.gui.conftest import Opener, round_trip
from tests.gui.inspections import TEXT
from tests.gui.llm_workbench import ConnectedWorkbench


def test_that_everything_a_person_can_act_on_has_a_name_on_every_page(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None and window.scope.is_shown)
    for row in PAGES:
        window.open_page(row.key)
        for _ in range(2):  # what the page asks for, and what comes of that
            round_trip(qtbot, window.worker)
        window.grab()
        nodes = tree.tree_of(window)
        told = "\n".join(node.line() for node in nodes)
        assert [node.line() for node in nodes if node.is_unnamed] == [], row.key
        assert "[focus]" in told, told
        assert "<p" not in told, "markup is read aloud"


def test_that_the_tree_tells_answers_and_the_state_of_the_parts(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None)
    qtbot.waitUntil(lambda: "build-fails-locally" in "".join(node.line() for node in tree.tree_of(window)))

    def said() -> str:
        return "\n".join(node.line() for node in tree.tree_of(window))

    qtbot.waitUntil(lambda: "build-fails-locally" in said())
    assert "Encoder intentscope-minilm ready" in said()
    assert TEXT in said()


def test_that_choices_say_which_one_is_on(qtbot: QtBot) -> None:
    segments = SegmentedControl(Theme(), "Preset", [("one", "One"), ("two", "Two")])
    qtbot.addWidget(segments)
    assert segments.accessibleDescription() == "One (chosen), Two"
    segments.set_current("two")
    assert segments.accessibleDescription() == "One, Two (chosen)"


def test_that_the_report_can_be_read_aloud(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    window.remedies.report()
    dialog = of_type(window.remedies.dialog, ReportDialog)
    interface = some(QAccessible.queryAccessibleInterface(dialog))
    nodes = list(tree.walk(interface))
    assert not [node for node in nodes if node.is_unnamed]
    assert {"Text of the report", "Include my queries", "Copy", "Save…"} <= {node.name for node in nodes}
    dialog.close()
