"""Tests of ACTIONS: shortcuts, the palette, the page of keys, and teaching and undo by key."""

import asyncio
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.display.numbers import points
from app.domain.journal import MUCH, Edit, Step
from app.domain.library import Memory, Power
from app.gui.kit import icons
from app.gui.kit.page import Action, Group
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.shell.actions import ACTIONS, action
from app.gui.shell.main_window import MainWindow
from app.gui.shell.page_stack import PAGES, PageRow
from app.gui.system.help_page import HelpPage
from app.gui.system.settings_page import SettingsPage
from app.services.status import EncoderState
from app.services.workbench import Workbench
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.inspections import TEXT, FakeWorkbench
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

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
    return [row.text for row in window.palette_box.model.rows]


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
        assert made.toolTip() == f"{row.text} ({row.keys[0]})"
        assert made.accessibleName() == row.text
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
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    table = window.scope.panels["matches"].focus_target()
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
    assert said == f"Mark the selected answer right, {action('right').keys[0]}, The query is empty. Type a query first."
    window.grab()
    press(window, Qt.Key.Key_Return)
    assert window.toast.sentence == "The query is empty. Type a query first."
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
    matches = of_type(window.scope.panels["matches"], MatchesPanel)
    qtbot.waitUntil(matches.view_menu.presets["as_documented"].isChecked)


FIRST = {
    "theme": "Theme",
    "dark": "Theme: dark",
    "font": "Setting: Text size",
    "zoom": "Zoom in",
    "seed": "Add the sample library",
    "bin": "Open the bin",
    "import": "Import a file…",
    "bigger": "Text size",
    "text size": "Text size",
    "keyboard": "Show all keys",
    "backup": "Save the library to a folder",
}
"""Words typed into the palette, and the action that must come first."""


def test_that_the_palette_brings_the_thing_first_and_settings_by_any_name(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.core_state is not None)
    found = {typed: palette(window, typed)[0] for typed in FIRST}
    assert [typed for typed, first in FIRST.items() if first not in found[typed]] == []
    assert "Page: Connect" in palette(window, "hook")
    assert "Zoom in: larger texts" in palette(window, "bigger")
    every = palette(window, "")
    assert len(every) == len(set(every))
    press(window, Qt.Key.Key_Escape)
    named = {"night": "Theme", "colours": "Theme", "font size": "Text size", "size": "Text size"}
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


PROJECT = Path(__file__).parents[3]
PAGE = PROJECT / "resources" / "help" / "keys.md"
TOLD = [
    PROJECT / "README.md",
    *sorted((PROJECT / "resources" / "help").glob("*.md")),
    *sorted((PROJECT / "packaging" / "news.d").glob("*.md")),
]
SPELT = {"Escape": "Esc"}
MNEMONIC = re.compile(r"Alt\+[A-Z]")
"""Shortcut of a button's underlined letter."""
OF_PLACES = {
    *"KMDXNTRWOSE123456789",
    *("Left", "Right", "Up", "Down", "Enter", "Del", "Space", "F2", "Ctrl+F", "Ctrl+S", "Ctrl+Enter"),
    *(f"Alt+{arrow}" for arrow in ("Up", "Down", "Left", "Right")),
}
"""Keys that single widgets handle."""
OF_QT = {"Ctrl+C", "Ctrl+A", "Ctrl+Home", "Ctrl+End"}
"""Keys of every text field."""


def test_that_the_help_names_every_shortcut(open_window: Opener) -> None:
    action_rows = [row for row in open_window(FakeWorkbench()).action_rows if not row.key.startswith("page:")]
    cells = re.findall(r"^\| ([^|]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    told = {key for cell in cells for key in cell.split(", ")} - {"key", "---", "Ctrl+F1", "Ctrl+1 to Ctrl+9"}
    assert told == OF_PLACES | {SPELT.get(key, key) for row in action_rows for key in row.shortcuts}


def test_that_the_help_and_the_news_name_no_key_that_is_gone(open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    for page in PAGES:
        window.open_page(page.key)
    known = OF_PLACES | {SPELT.get(key, key) for row in window.action_rows for key in row.shortcuts}
    for path in TOLD:
        named = set(re.findall(r"\b(?:(?:Ctrl|Alt|Shift)\+)+(?!Shift)(?:F\d+|[A-Z]\w*|\d)\b", path.read_text("utf-8")))
        assert {key for key in named if not MNEMONIC.fullmatch(key)} <= known | OF_QT, path.name


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.key)
def test_that_a_page_is_named_beside_its_own_key(row: PageRow) -> None:
    told = (path.read_text("utf-8") for path in TOLD)
    beside = re.compile(
        rf"\bpage (?:for |of )?\[?{row.title}\b[^()]{{0,12}}(?:\([^()+]*\))? \((Ctrl\+[\w+]+)\)", re.IGNORECASE
    )
    assert {key for text in told for key in beside.findall(text)} <= {row.shortcut}


def test_that_the_readme_names_every_page_with_its_key() -> None:
    told: dict[str, str] = {}
    table = (PROJECT / "README.md").read_text("utf-8").partition("| page |")[2].partition("\n\n")[0]
    for names, keys in re.findall(r"^\| (\[[^|]+) \| ([^|]+) \|", table, re.MULTILINE):
        spelt = [key if "+" in key or key.startswith("F") else f"Ctrl+{key}" for key in keys.split(", ")]
        told |= dict(zip(re.findall(r"\[([^]]+)\]", names), spelt, strict=True))
    for row in PAGES:
        (name,) = (name for name in told if row.title.startswith(name))
        assert told[name] == row.shortcut


@pytest.mark.parametrize("row", [row for row in ACTIONS if not row.shortcuts], ids=lambda row: row.key)
def test_that_what_has_no_key_is_told_by_its_name(row: Action) -> None:
    told = " ".join(" ".join(path.read_text("utf-8") for path in TOLD).split())
    assert row.text.removesuffix("…") in told, f"{PAGE.name} has a section for what has no key."


SHIFTED = CONTROL | Qt.KeyboardModifier.ShiftModifier
QUERY = "my machine takes ages"
STANDING = re.compile(rf"Taught as “{QUERY}”\. It now leads by [\d.]+ points\.")
ANSWERS = (
    Memory(("the build is slow on my machine",), response="Clean it.", id="slow-build"),
    Memory(("sign the code",), response="Use the key.", id="signing"),
    Power("xcode-build", "Build Xcode projects", keywords=("xcode",), examples=("archive my app",)),
)


@pytest.fixture
def verbs_window(qtbot: QtBot, open_window: Opener, library: MemoryLibrary) -> MainWindow:
    made = open_window(real_bench(library, ANSWERS))
    qtbot.waitUntil(lambda: some(made.scope.state.status).encoder_state is EncoderState.READY)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def asked(qtbot: QtBot, verbs_window: MainWindow, text: str) -> None:
    verbs_window.ask(text)
    verbs_window.bar.box.line.setFocus()

    def done() -> bool:
        inspection = verbs_window.scope.state.inspection
        return inspection is not None and inspection.query.text == text and not inspection.absent

    qtbot.waitUntil(done)


def pick(qtbot: QtBot, verbs_window: MainWindow, name: str) -> None:
    line = verbs_window.bar.box.line
    for _ in range(len(ANSWERS)):
        if selected(verbs_window) == name:
            return
        QTest.keyClick(line, Qt.Key.Key_Down)
    assert selected(verbs_window) == name


def verbs_press(verbs_window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = CONTROL) -> None:
    QTest.keyClick(verbs_window.bar.box.line, key, modifiers)


def selected(verbs_window: MainWindow) -> str:
    return verbs_window.scope.state.selected.answer.name if verbs_window.scope.state.selected else ""


def says(qtbot: QtBot, verbs_window: MainWindow, sentence: str) -> None:
    qtbot.waitUntil(lambda: verbs_window.toast.sentence == sentence)


def memory(library: MemoryLibrary, name: str) -> Memory:
    return next(held for held in library.memories() if held.name == name)


def test_that_one_key_adds_the_query_to_a_memory_or_power_and_says_where_the_answer_stands(
    qtbot: QtBot, verbs_window: MainWindow, library: MemoryLibrary
) -> None:
    asked(qtbot, verbs_window, QUERY)
    pick(qtbot, verbs_window, "signing")
    verbs_press(verbs_window, Qt.Key.Key_T, SHIFTED)
    pattern = re.compile(r"Taught as a trigger of signing\. It now leads by ([\d.]+ points)\.")
    qtbot.waitUntil(lambda: pattern.fullmatch(verbs_window.toast.sentence) is not None)
    assert memory(library, "signing").triggers == ("sign the code", QUERY)
    assert verbs_window.toast.offers_undo
    assert verbs_window.bar.box.line.hasFocus()
    inspection = some(verbs_window.scope.state.inspection)
    first = inspection.matches[0]
    found = some(pattern.fullmatch(verbs_window.toast.sentence))
    assert first.lead is not None
    assert (first.answer.name, points(first.lead)) == ("signing", found.group(1))
    assert selected(verbs_window) == "signing"
    asked(qtbot, verbs_window, QUERY)
    pick(qtbot, verbs_window, "xcode-build")
    verbs_press(verbs_window, Qt.Key.Key_T, SHIFTED)
    qtbot.waitUntil(lambda: verbs_window.toast.sentence.startswith("Taught as an example of xcode-build."))
    assert library.powers()[0].examples == ("archive my app", QUERY)


def mark_right(qtbot: QtBot, verbs_window: MainWindow) -> None:
    asked(qtbot, verbs_window, QUERY)
    pick(qtbot, verbs_window, "slow-build")
    verbs_press(verbs_window, Qt.Key.Key_Up)
    says(qtbot, verbs_window, "slow-build marked right: success 50 % → 55 %. Kept as a case.")


def test_that_right_and_wrong_move_the_success_score(
    qtbot: QtBot, verbs_window: MainWindow, library: MemoryLibrary
) -> None:
    mark_right(qtbot, verbs_window)
    assert verbs_window.toast.offers_undo
    assert [(case.text, case.expected) for case in library.cases()] == [(QUERY, ("slow-build",))]
    verbs_press(verbs_window, Qt.Key.Key_Down)
    says(qtbot, verbs_window, "slow-build marked wrong: success 55 % → 50 %. Kept as a case.")
    assert memory(library, "slow-build").success == pytest.approx(0.495)
    assert selected(verbs_window) == "slow-build"
    qtbot.waitUntil(lambda: _success(verbs_window) == pytest.approx(0.495))


def _success(verbs_window: MainWindow) -> float:
    answer = verbs_window.scope.state.selected.answer if verbs_window.scope.state.selected else None
    return answer.success if isinstance(answer, Memory) else -1.0


def test_that_undo_and_redo_go_back_and_forth_by_key(
    qtbot: QtBot, verbs_window: MainWindow, library: MemoryLibrary
) -> None:
    mark_right(qtbot, verbs_window)
    verbs_press(verbs_window, Qt.Key.Key_Z)
    says(qtbot, verbs_window, f"Undone: marked slow-build right for “{QUERY}”.")
    assert (memory(library, "slow-build").success, library.cases()) == (0.5, [])
    verbs_press(verbs_window, Qt.Key.Key_Z, SHIFTED)
    says(qtbot, verbs_window, f"Redone: marked slow-build right for “{QUERY}”.")
    assert memory(library, "slow-build").success == pytest.approx(0.55)
    assert verbs_window.toast.offers_undo
    verbs_press(verbs_window, Qt.Key.Key_Z, SHIFTED)
    says(qtbot, verbs_window, "Nothing to redo.")
    assert verbs_window.bar.box.line.text() == QUERY


def test_that_the_typing_is_undone_first_conflicts_are_seen_and_what_cannot_be_done_is_refused(
    qtbot: QtBot, verbs_window: MainWindow, library: MemoryLibrary
) -> None:
    line = verbs_window.bar.box.line
    line.setFocus()
    QTest.keyClicks(line, "one two")
    verbs_press(verbs_window, Qt.Key.Key_Z)
    assert line.text() != "one two"
    assert not verbs_window.toast.isVisible()
    verbs_press(verbs_window, Qt.Key.Key_Z, SHIFTED)
    assert line.text() == "one two"
    for text, key, modifiers in (("", Qt.Key.Key_Up, CONTROL), ("  ", Qt.Key.Key_T, SHIFTED)):
        verbs_window.toast.hide()
        verbs_window.ask(text)
        verbs_press(verbs_window, key, modifiers)
        says(qtbot, verbs_window, "The query is empty. Type a query first.")
        assert not verbs_window.toast.offers_undo
    asked(qtbot, verbs_window, "sign the code")
    pick(qtbot, verbs_window, "signing")
    verbs_press(verbs_window, Qt.Key.Key_T, SHIFTED)
    says(qtbot, verbs_window, "“sign the code” is a trigger of signing already.")
    assert not verbs_window.toast.offers_undo
    asked(qtbot, verbs_window, QUERY)
    verbs_window.open_page("help")
    verbs_window.act("right")
    assert "Open the scope" in verbs_window.toast.sentence
    verbs_window.open_page("scope")
    verbs_window.act("beside_presets")
    verbs_window.act("right")
    assert "Close the comparison" in verbs_window.toast.sentence
    assert library.cases() == []
    verbs_window.act("beside_presets")
    asked(qtbot, verbs_window, "The build is slow on my machine!")
    verbs_press(verbs_window, Qt.Key.Key_T)
    dialog = some(verbs_window.scope.teach_actions.dialog)
    qtbot.waitUntil(lambda: "slow-build" in dialog.conflicts.text())
    assert dialog.conflicts.isVisible()
    assert "Another memory uses this trigger" in dialog.conflicts.text()
    dialog.reject()


def test_that_a_taught_query_is_selected_and_standing(
    qtbot: QtBot, verbs_window: MainWindow, library: MemoryLibrary
) -> None:
    asked(qtbot, verbs_window, QUERY)
    assert selected(verbs_window) != QUERY
    verbs_press(verbs_window, Qt.Key.Key_T)
    dialog = some(verbs_window.scope.teach_actions.dialog)
    assert dialog.trigger.text() == QUERY
    dialog.response.setPlainText("Wait.")
    dialog.verb.click()
    qtbot.waitUntil(lambda: STANDING.fullmatch(verbs_window.toast.sentence) is not None)
    assert memory(library, QUERY).triggers == (QUERY,)
    qtbot.waitUntil(lambda: selected(verbs_window) == QUERY)


def test_that_the_standing_is_told_where_the_answer_came_before_the_step(
    qtbot: QtBot, verbs_window: MainWindow
) -> None:
    asked(qtbot, verbs_window, QUERY)
    stored: list[Memory] = []
    verbs_window.worker.do(lambda bench: bench.curator.teach(Memory((QUERY,), "Wait.")), stored.append, pytest.fail)
    qtbot.waitUntil(lambda: bool(stored) and selected(verbs_window) == QUERY)
    with qtbot.waitSignal(verbs_window.worker.settled):
        verbs_window.ask(QUERY)
    verbs_window.worker.taught.emit(stored[0])
    qtbot.waitUntil(lambda: STANDING.fullmatch(verbs_window.toast.sentence) is not None)


def test_that_an_empty_library_has_nothing_to_mark(qtbot: QtBot, open_window: Opener) -> None:
    verbs_window = open_window(real_bench(MemoryLibrary()))
    asked(qtbot, verbs_window, QUERY)
    verbs_window.act("right")
    assert verbs_window.toast.sentence.startswith("No answer is selected.")


SET = Edit("set", "matches to 5")


def done(qtbot: QtBot, window: MainWindow, act: Any) -> None:
    told: list[object] = []
    window.worker.do(act, told.append, told.append)
    qtbot.waitUntil(lambda: bool(told))


def on_settings(qtbot: QtBot, open_window: Opener) -> tuple[MainWindow, Workbench]:
    bench = real_bench(MemoryLibrary())
    window = open_window(bench)
    window.open_page("settings")
    done(qtbot, window, lambda bench: bench.choose_all({"matches": "5"}, SET))
    return window, bench


def test_that_settings_are_undone_and_redone_and_no_step_of_the_library(qtbot: QtBot, open_window: Opener) -> None:
    window, bench = on_settings(qtbot, open_window)
    window.act("undo")
    qtbot.waitUntil(lambda: bench.settings.matches == 10)
    window.act("redo")
    qtbot.waitUntil(lambda: bench.settings.matches == 5)
    done(qtbot, window, lambda bench: bench.curator.teach(Memory(("x",))))
    window.toast.hide()
    window.act("undo")
    qtbot.waitUntil(lambda: window.toast.sentence == window.page.no_undo_reason)
    assert [memory.name for memory in bench.library.memories()] == ["x"]
    assert bench.settings.matches == 5


def test_that_no_message_offers_another_undo_once_a_setting_is_changed(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary()))
    window.toast.show_message("Taught as “x”.", undo=True)
    window.worker.choose("theme", "dark")
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.settings.theme == "dark")
    assert window.toast.isVisible()
    window.worker.choose("matches", "5")
    qtbot.waitUntil(lambda: not window.toast.isVisible())


def test_that_a_step_of_the_library_that_comes_first_by_a_hair_stays(qtbot: QtBot, open_window: Opener) -> None:
    window, bench = on_settings(qtbot, open_window)
    QApplication.processEvents()
    held = asyncio.Event()

    async def hold(bench: Workbench) -> None:
        async with bench.writing:
            await held.wait()

    async def let_go(_bench: Workbench) -> None:
        for _ in range(300):
            if len(bench.writing._waiters or ()) == 2:  # the addition, and the undo waiting for it
                break
            await asyncio.sleep(0.01)
        held.set()

    ended: list[object] = []
    window.worker.do(hold, ended.append, ended.append)
    window.worker.do(lambda bench: bench.curator.teach(Memory(("x",))), ended.append, ended.append)
    window.act("undo")
    window.worker.do(let_go, ended.append, ended.append)
    qtbot.waitUntil(lambda: len(ended) == 3 and bench.settings.matches == 10)
    assert [memory.name for memory in bench.library.memories()] == ["x"]


def test_that_much_of_an_earlier_day_is_taken_back_only_by_a_yes(qtbot: QtBot, open_window: Opener) -> None:
    library = MemoryLibrary()
    window = open_window(real_bench(library))
    many = [Memory((f"phrase {number}",)) for number in range(MUCH)]
    done(qtbot, window, lambda bench: bench.journal.do(Edit("imported", "100 memories"), many))
    with closing(sqlite3.connect(library.file, isolation_level=None)) as connection:
        connection.execute("UPDATE steps SET at = datetime('now', '-2 days')")
    window.act("undo")
    qtbot.waitUntil(lambda: window.page.dialog is not None)
    dialog = some(window.page.dialog)
    assert "imported 100 memories" in dialog.question.text()
    dialog.reject()
    assert len(library.memories()) == MUCH
    window.open_page("inbox")
    window.act("undo")
    qtbot.waitUntil(lambda: window.page.dialog is not None)
    some(window.page.dialog).accept()
    qtbot.waitUntil(lambda: library.memories() == [])


def test_that_only_a_step_of_this_window_is_taken_back_at_once() -> None:
    step = Step(1, "2026-11-22 23:59:00", "deleted", "", MUCH, "window")
    few, days = replace(step, count=1), ("2026-11-22", "2026-11-23")
    asking = [one.asks_first("2026-11-22 23:58:00", day) for one in (step, few) for day in days]
    assert asking == [False, True, False, False]
    assert few.asks_first("2026-11-22 23:59:01", "2026-11-22")
