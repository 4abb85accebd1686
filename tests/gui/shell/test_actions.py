"""Tests of ACTIONS: shortcuts, buttons, the palette, and the page of keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.kit.page import Action, Group
from app.gui.kit.theme import icons
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.shell.actions import ACTIONS, action
from app.gui.shell.main_window import MainWindow
from app.gui.system.help.page import HelpPage
from app.gui.system.settings.page import SettingsPage
from tests.build import of_type
from tests.gui.conftest import Opener
from tests.gui.inspections import TEXT, FakeWorkbench

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener) -> MainWindow:
    made = open_window(FakeWorkbench())
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def palette(window: MainWindow, typed: str = "") -> list[str]:
    """Open the palette by its key, type, and return the listed actions."""
    QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
    assert window.palette_box.isVisible()
    QTest.keyClicks(window.palette_box.line, typed)
    return [row.name for row in window.palette_box.model.rows]


def press(window: MainWindow, key: Qt.Key) -> None:
    QTest.keyClick(window.palette_box.line, key)


# ---- the table


def test_that_no_key_is_given_twice_and_every_button_tells_its_key(qtbot: QtBot, window: MainWindow) -> None:
    action_rows = window.action_rows
    keys = Counter(row.key for row in action_rows)
    shortcuts = Counter(QKeySequence(shortcut).toString() for row in action_rows for shortcut in row.shortcuts)
    assert [key for key, count in keys.items() if count > 1] == []
    assert [shortcut for shortcut, count in shortcuts.items() if count > 1] == []
    assert "" not in shortcuts
    bound = Counter(made.key().toString() for made in window.findChildren(QShortcut) if made.isEnabled())
    wanted = Counter(QKeySequence(shortcut).toString() for row in window.action_rows for shortcut in row.shortcuts)
    assert bound == wanted
    assert [
        row.icon for row in window.action_rows if row.icon and not (icons.FOLDER / f"{row.icon}.svg").exists()
    ] == []
    for key, made in window.bar.buttons.items():
        row = window.bar.rows[key]
        assert row.icon, "words give way to icons"
        assert made.toolTip() == f"{row.name} ({row.keys[0]})"
        assert made.accessibleName() == row.name
    for width, words in ((1920, ["Compare", "Pin", "Copy", "Teach  Ctrl+T"]), (1280, ["", "", "", "Teach"])):
        window.resize(width, 800)
        qtbot.waitUntil(lambda: window.bar.width() == window.width() - window.rail.width())
        shown = [window.bar.buttons[key] for key in ("beside_presets", "beside_pinned", "copy", "teach")]
        assert [made.text() for made in shown] == words
        assert all(made.isVisible() and made.x() + made.width() <= window.bar.width() for made in shown)


def test_that_the_keys_of_the_design_do_what_it_says() -> None:
    designed = {
        "query": "Ctrl+L",
        "palette": "Ctrl+K",
        "teach": "Ctrl+T",
        "add_trigger": "Ctrl+Shift+T",
        "right": "Ctrl+Up",
        "wrong": "Ctrl+Down",
        "undo": "Ctrl+Z",
        "redo": "Ctrl+Shift+Z",
        "copy": "Ctrl+Shift+C",
        "next_pane": "F6",
        "previous_pane": "Shift+F6",
    }
    assert {key: action(key).shortcuts[0] for key in designed} == designed
    assert len(ACTIONS) > len(designed)


# ---- the palette


def test_that_the_palette_does_what_is_found_and_has_actions_of_pages(qtbot: QtBot, window: MainWindow) -> None:
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None)
    table = window.panels["matches"].focus_target()
    table.setFocus()
    assert palette(window, "as json")[0] == "Copy the inspection as JSON"
    press(window, Qt.Key.Key_Return)
    assert window.toast.sentence == "Copied the inspection as JSON."
    assert not window.palette_box.isVisible()
    assert table.hasFocus()
    done: list[str] = []
    more = Action("test", "Do a test", Group.PANES, lambda: done.append(window.windowTitle()), ("Ctrl+Shift+F9",))
    before = window.scope.action_rows()
    rows: Sequence[Action] = (*before, more)
    window.scope.action_rows = lambda: rows  # type: ignore[method-assign, assignment, return-value]
    window.scope.action_rows_changed.emit()
    shifted = CONTROL | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_F9, shifted)
    assert done == ["Intentscope"]
    assert palette(window, "do a test")[0] == "Do a test"
    press(window, Qt.Key.Key_Escape)
    rows = before
    window.scope.action_rows_changed.emit()
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_F9, shifted)
    assert done == ["Intentscope"]


def test_that_the_palette_has_all_keys_recent_ones_first_and_says_what_cannot_be_done(window: MainWindow) -> None:
    assert palette(window, "page settings")[0] == "Page: Settings"
    press(window, Qt.Key.Key_Return)
    assert window.page.accessibleName() == "Settings"
    window.open_page("scope")
    assert palette(window)[0] == "Page: Settings"
    press(window, Qt.Key.Key_Escape)
    window.bar.box.line.setFocus()
    listed = palette(window)
    press(window, Qt.Key.Key_Down)
    press(window, Qt.Key.Key_Down)
    assert window.palette_box.view.currentIndex().row() == 2
    assert listed[2] in window.palette_box.line.accessibleDescription()
    press(window, Qt.Key.Key_Up)
    assert window.palette_box.view.currentIndex().row() == 1
    for _ in range(len(listed)):
        press(window, Qt.Key.Key_PageDown)
    assert window.palette_box.view.currentIndex().row() == len(listed) - 1
    press(window, Qt.Key.Key_Tab)
    QTest.keyClick(window.palette_box.line, Qt.Key.Key_T, CONTROL)
    assert window.palette_box.line.hasFocus()
    assert window.scope.teach_actions.dialog is None
    press(window, Qt.Key.Key_Escape)
    assert window.bar.box.line.hasFocus()
    palette(window, "mark right")
    index = window.palette_box.model.index(0, 0)
    said = window.palette_box.model.data(index, Qt.ItemDataRole.AccessibleTextRole)
    assert (
        said == f"Mark the selected answer right, {action('right').keys[0]}, The query is empty. Type a sentence first."
    )
    window.grab()
    press(window, Qt.Key.Key_Return)
    assert window.toast.sentence == "The query is empty. Type a sentence first."
    assert palette(window, "qqqq") == []
    press(window, Qt.Key.Key_Return)
    assert window.palette_box.isVisible()
    assert window.palette_box.line.accessibleDescription() == "Nothing found."
    QTest.mouseClick(window.palette_box, Qt.MouseButton.LeftButton, pos=window.palette_box.rect().bottomLeft())
    assert not window.palette_box.isVisible()
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_F1)
    page = of_type(window.page, HelpPage)
    assert page.location.key == "keys"
    assert page.text.hasFocus()


def test_that_a_preset_is_chosen_from_the_palette(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.act("palette")
    QTest.keyClicks(window.palette_box.line, "documented")
    press(window, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.values.get("preset") == "as_documented")
    matches = of_type(window.panels["matches"], MatchesPanel)
    qtbot.waitUntil(matches.view_menu.presets["as_documented"].isChecked)


FIRST = {
    "theme": "Theme",
    "dark": "Theme: dark",
    "font": "Setting: Text scale",
    "zoom": "Zoom in",
    "seed": "Add the sample library",
    "bin": "Open the bin",
    "import": "Import a file…",
}
"""Words typed into the palette, and the action that must come first."""


def test_that_the_palette_brings_the_thing_first_and_settings_by_any_name(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.core_state is not None)
    found = {typed: palette(window, typed)[0] for typed in FIRST}
    assert [typed for typed, first in FIRST.items() if first not in found[typed]] == []
    every = palette(window, "")
    assert len(every) == len(set(every))
    press(window, Qt.Key.Key_Escape)
    named = {"night": "Theme", "colours": "Theme", "font size": "Text scale", "size": "Text scale"}
    for typed, setting in named.items():
        window.open_page("scope")
        assert palette(window, typed)[0] == f"Setting: {setting}"
        press(window, Qt.Key.Key_Return)
        assert isinstance(window.page, SettingsPage)
    window.open_page("scope")
    assert palette(window, "setting ambiguity")[0] == "Setting: Powers: ambiguity margin"
    press(window, Qt.Key.Key_Return)
    page = of_type(window.page, SettingsPage)
    line = next(line for line in page.lines.values() if line.row.title == "Powers: ambiguity margin")
    qtbot.waitUntil(line.editor.hasFocus)
    qtbot.waitUntil(lambda: not line.visibleRegion().isEmpty())
