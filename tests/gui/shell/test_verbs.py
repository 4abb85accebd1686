"""Tests of teaching and marking by key on a real engine: effects, messages, undo."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.numbers import points
from app.domain.library import Memory, Power
from app.gui.shell.main_window import MainWindow
from app.services.core import EncoderState
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFTED = CONTROL | Qt.KeyboardModifier.ShiftModifier
QUERY = "my machine takes ages"
STANDING = re.compile(rf"Taught as “{QUERY}”\. It now leads by [\d.]+ points\.")
ANSWERS = (
    Memory(("the build is slow on my machine",), id="slow-build"),
    Memory(("sign the code",), id="signing"),
    Power("xcode-build", "Build Xcode projects", keywords=("xcode",), examples=("archive my app",)),
)


@pytest.fixture
def library() -> MemoryLibrary:
    return MemoryLibrary()


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener, library: MemoryLibrary) -> MainWindow:
    made = open_window(real_bench(library, ANSWERS))
    qtbot.waitUntil(lambda: made.scope_state.status.encoder_state is EncoderState.READY)  # type: ignore[union-attr]
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def asked(qtbot: QtBot, window: MainWindow, text: str) -> None:
    window.ask(text)
    window.bar.box.line.setFocus()

    def done() -> bool:
        inspection = window.scope_state.inspection
        return inspection is not None and inspection.query.text == text and not inspection.absent

    qtbot.waitUntil(done)


def pick(qtbot: QtBot, window: MainWindow, name: str) -> None:
    """Press the arrow key until an answer is selected."""
    line = window.bar.box.line
    for _ in range(len(ANSWERS)):
        if selected(window) == name:
            return
        QTest.keyClick(line, Qt.Key.Key_Down)
    assert selected(window) == name


def press(window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = CONTROL) -> None:
    QTest.keyClick(window.bar.box.line, key, modifiers)


def selected(window: MainWindow) -> str:
    return window.scope_state.selected.answer.name if window.scope_state.selected else ""


def says(qtbot: QtBot, window: MainWindow, sentence: str) -> None:
    qtbot.waitUntil(lambda: window.toast.sentence == sentence)


def memory(library: MemoryLibrary, name: str) -> Memory:
    return next(held for held in library.memories() if held.name == name)


def test_that_one_key_adds_the_query_to_a_memory_or_power_and_says_where_the_answer_stands(
    qtbot: QtBot, window: MainWindow, library: MemoryLibrary
) -> None:
    asked(qtbot, window, QUERY)
    pick(qtbot, window, "signing")
    press(window, Qt.Key.Key_T, SHIFTED)
    pattern = re.compile(r"Taught as a trigger of signing\. It now leads by ([\d.]+ points)\.")
    qtbot.waitUntil(lambda: pattern.fullmatch(window.toast.sentence) is not None)
    assert memory(library, "signing").triggers == ("sign the code", QUERY)
    assert window.toast.offers_undo
    assert window.bar.box.line.hasFocus()
    inspection = some(window.scope_state.inspection)
    first = inspection.matches[0]
    found = some(pattern.fullmatch(window.toast.sentence))
    assert first.lead is not None
    assert (first.answer.name, points(first.lead)) == ("signing", found.group(1))
    assert selected(window) == "signing"
    asked(qtbot, window, QUERY)
    pick(qtbot, window, "xcode-build")
    press(window, Qt.Key.Key_T, SHIFTED)
    qtbot.waitUntil(lambda: window.toast.sentence.startswith("Taught as an example of xcode-build."))
    assert library.powers()[0].examples == ("archive my app", QUERY)


def test_that_right_and_wrong_move_the_success_score(qtbot: QtBot, window: MainWindow, library: MemoryLibrary) -> None:
    asked(qtbot, window, QUERY)
    pick(qtbot, window, "slow-build")
    press(window, Qt.Key.Key_Up)
    says(qtbot, window, "slow-build marked right: success 50 % → 55 %. Kept as a case.")
    assert window.toast.offers_undo
    assert [(case.text, case.expected) for case in library.cases()] == [(QUERY, ("slow-build",))]
    press(window, Qt.Key.Key_Down)
    says(qtbot, window, "slow-build marked wrong: success 55 % → 50 %. Kept as a case.")
    assert memory(library, "slow-build").success == pytest.approx(0.495)
    assert selected(window) == "slow-build"
    qtbot.waitUntil(lambda: _success(window) == pytest.approx(0.495))


def _success(window: MainWindow) -> float:
    answer = window.scope_state.selected.answer if window.scope_state.selected else None
    return answer.success if isinstance(answer, Memory) else -1.0


def test_that_undo_and_redo_go_back_and_forth_by_key(qtbot: QtBot, window: MainWindow, library: MemoryLibrary) -> None:
    asked(qtbot, window, QUERY)
    pick(qtbot, window, "slow-build")
    press(window, Qt.Key.Key_Up)
    says(qtbot, window, "slow-build marked right: success 50 % → 55 %. Kept as a case.")
    press(window, Qt.Key.Key_Z)
    says(qtbot, window, f"Undone: marked slow-build right for “{QUERY}”.")
    assert (memory(library, "slow-build").success, library.cases()) == (0.5, [])
    press(window, Qt.Key.Key_Z, SHIFTED)
    says(qtbot, window, f"Redone: marked slow-build right for “{QUERY}”.")
    assert memory(library, "slow-build").success == pytest.approx(0.55)
    assert window.toast.offers_undo
    press(window, Qt.Key.Key_Z, SHIFTED)
    says(qtbot, window, "Nothing to redo.")
    assert window.bar.box.line.text() == QUERY


def test_that_the_typing_is_undone_first_conflicts_are_seen_and_what_cannot_be_done_is_refused(
    qtbot: QtBot, window: MainWindow, library: MemoryLibrary
) -> None:
    line = window.bar.box.line
    line.setFocus()
    QTest.keyClicks(line, "one two")
    press(window, Qt.Key.Key_Z)
    assert line.text() != "one two"
    assert not window.toast.isVisible()
    press(window, Qt.Key.Key_Z, SHIFTED)
    assert line.text() == "one two"
    for text, key, modifiers in (("", Qt.Key.Key_Up, CONTROL), ("  ", Qt.Key.Key_T, SHIFTED)):
        window.toast.hide()
        window.ask(text)
        press(window, key, modifiers)
        says(qtbot, window, "The query is empty. Type a sentence first.")
        assert not window.toast.offers_undo
    asked(qtbot, window, "sign the code")
    pick(qtbot, window, "signing")
    press(window, Qt.Key.Key_T, SHIFTED)
    says(qtbot, window, "“sign the code” is a trigger of signing already.")
    assert not window.toast.offers_undo
    asked(qtbot, window, QUERY)
    window.open_page("help")
    window.act("right")
    assert "Open the scope" in window.toast.sentence
    window.open_page("scope")
    window.act("beside_presets")
    window.act("right")
    assert "Close the comparison" in window.toast.sentence
    assert library.cases() == []
    window.act("beside_presets")
    asked(qtbot, window, "The build is slow on my machine!")
    press(window, Qt.Key.Key_T)
    dialog = some(window.scope.teach_actions.dialog)
    qtbot.waitUntil(lambda: "slow-build" in dialog.conflicts.text())
    assert dialog.conflicts.isVisible()
    assert "Another memory uses this phrase" in dialog.conflicts.text()
    dialog.reject()


def test_that_a_taught_query_is_selected_and_standing(qtbot: QtBot, window: MainWindow, library: MemoryLibrary) -> None:
    asked(qtbot, window, QUERY)
    assert selected(window) != QUERY
    press(window, Qt.Key.Key_T)
    dialog = some(window.scope.teach_actions.dialog)
    assert dialog.trigger.text() == QUERY
    dialog.verb.click()
    qtbot.waitUntil(lambda: STANDING.fullmatch(window.toast.sentence) is not None)
    assert memory(library, QUERY).triggers == (QUERY,)
    qtbot.waitUntil(lambda: selected(window) == QUERY)


def test_that_the_standing_is_told_where_the_answer_came_before_the_step(qtbot: QtBot, window: MainWindow) -> None:
    asked(qtbot, window, QUERY)
    stored: list[Memory] = []
    window.worker.do(lambda bench: bench.teach(Memory((QUERY,))), stored.append, pytest.fail)
    qtbot.waitUntil(lambda: bool(stored) and selected(window) == QUERY)
    with qtbot.waitSignal(window.worker.settled):
        window.ask(QUERY)
    window.worker.taught.emit(stored[0])
    qtbot.waitUntil(lambda: STANDING.fullmatch(window.toast.sentence) is not None)


def test_that_an_empty_library_has_nothing_to_mark(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary()))
    asked(qtbot, window, QUERY)
    window.act("right")
    assert window.toast.sentence.startswith("No answer is selected.")
