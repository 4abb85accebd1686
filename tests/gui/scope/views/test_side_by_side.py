"""Tests of two compared answers: presets, queries, combinations, live, and closing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.domain.scope.inspection import Inspection
from app.gui.scope.views.compare_actions import ComparedQuestion, settle_both
from app.gui.scope.views.side_by_side import ComparisonKind, SideBySideView
from app.gui.shell.main_window import MainWindow
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.documents import read_rows
from tests.gui.inspections import TEXT, FakeWorkbench, undetected

CTRL = Qt.KeyboardModifier.ControlModifier


def with_query(open_window: Opener, qtbot: QtBot, bench: FakeWorkbench) -> MainWindow:
    window = open_window(bench)
    window.activateWindow()
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None and bench.answered == [TEXT])
    return window


def view_of(window: MainWindow) -> SideBySideView:
    return some(window.scope.compare_actions.view)


def settled(qtbot: QtBot, window: MainWindow) -> SideBySideView:
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown is not None)
    return view_of(window)


def test_that_ctrl_b_sets_the_presets_side_by_side_and_back(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    QTest.keyClick(window, Qt.Key.Key_B, CTRL)
    view = settled(qtbot, window)
    assert bench.settled == [(TEXT, {"preset": "recommended"}), (TEXT, {"preset": "as_documented"})]
    assert view.isVisible()
    assert [label.text() for label in view.titles] == ["Recommended", "As documented"]
    shown = some(view.shown)
    assert shown.rows[0].is_first
    read = read_rows(view.sheet).splitlines()
    heads = next(line for line in read if line.startswith("Answer"))
    assert heads.count("Confidence") == 2
    assert sum("First differs here" in line for line in read) == 2, "above the table and in its row"
    scores = [cell.text for cell in some(shown.rows[0].left).row.cells]
    assert all(score in read_rows(view.sheet) for score in scores)
    heard = next(line for line in view.sheet.accessibleDescription().splitlines() if line.startswith("Memory "))
    semantic = some(some(shown.rows[0].left).row.cell("semantic")).text
    assert all(part in heard for part in ("Recommended: rank 1 ", "As documented: ", f" {semantic} ")), heard
    window.resize(600, 800)
    qtbot.waitUntil(lambda: scores[1] not in read_rows(view.sheet).split(shown.first)[1])
    window.resize(1280, 800)
    view.copy.click()
    assert "Left: Recommended" in QGuiApplication.clipboard().text()
    assert "Copied the comparison" in window.toast.sentence
    assert window.scope.focus_stops() == [window.bar.box.line, view.against, view.sheet]
    QTest.keyClick(window, Qt.Key.Key_B, CTRL)
    assert not window.scope.compare_actions.is_open
    assert window.panels["matches"].isVisible()
    line = window.bar.box.line
    window.scope.compare_actions.toggle_presets()
    settled(qtbot, window)
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert not window.scope.compare_actions.is_open
    window.scope.compare_actions.toggle_presets()
    view = settled(qtbot, window)
    view.sheet.setFocus()
    QTest.keyClick(view.sheet, Qt.Key.Key_Escape)
    assert not window.scope.compare_actions.is_open
    assert line.text() == TEXT
    window.scope.compare_actions.toggle_presets()
    view = settled(qtbot, window)
    view.against_chosen.emit(ComparisonKind.QUERIES)
    settled(qtbot, window)
    assert (window.scope.compare_actions.against, view.unpin.isVisible()) == (ComparisonKind.QUERIES, True)


def test_that_a_pinned_query_stays_while_the_next_is_typed(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    QTest.keyClick(window, Qt.Key.Key_P, CTRL)
    view = settled(qtbot, window)
    assert window.scope.compare_actions.shown is not None
    assert window.scope.compare_actions.shown.first == "The matches are the same on both sides."
    bench.settled.clear()
    window.ask("hello there")
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.queries == (TEXT, "hello there"))  # type: ignore[union-attr]
    assert bench.settled == [("hello there", {})], "the pinned side is known"
    assert [label.text() for label in view.titles] == [f"Pinned: {TEXT}", "Typed: hello there"]
    view.swap.click()
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.queries == ("hello there", TEXT))  # type: ignore[union-attr]
    window.bar.box.line.clear()
    assert view.empty.isVisible()
    assert view.empty.words[0] == "No query yet"
    view.unpin.click()
    assert not window.scope.compare_actions.is_open


def test_that_pinning_nothing_is_refused_in_words(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.scope.compare_actions.pin()
    assert not window.scope.compare_actions.is_open
    assert "Type a query first" in window.toast.sentence


def test_that_two_combinations_are_chosen_in_boxes_and_a_refused_one_says_so(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    window.scope.compare_actions.compare_combinations()
    view = settled(qtbot, window)
    assert [changes["combination"] for _, changes in bench.settled] == ["balanced", "max"]
    assert all(box.isVisible() for box in view.boxes)
    assert view.boxes[0].findData("token_overlap") >= 0
    view.boxes[1].show_value("token_overlap")
    view.boxes[1].changed.emit("token_overlap")
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.titles == ("Balanced", "Token alone"))  # type: ignore[union-attr]
    view.combinations_chosen.emit("balanced", "nonsense")
    qtbot.waitUntil(lambda: "nonsense" in view.fault.sentence)
    view.combinations_chosen.emit("balanced", "max")
    qtbot.waitUntil(lambda: not view.fault.sentence)


def test_that_typing_and_changed_settings_settle_both_sides_after_the_panes(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    window.scope.compare_actions.toggle_presets()
    settled(qtbot, window)
    bench.settled.clear()
    for end in range(2, 6):
        window.ask("hello there"[:end])
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.queries[1] == "hello")  # type: ignore[union-attr]
    texts = [text for text, _ in bench.settled]
    assert texts.count("hello") == 2
    assert bench.answered[-1] == "hello"
    view = view_of(window)
    bench.settled.clear()
    window.worker.choose("combination", "max")
    qtbot.waitUntil(lambda: len(bench.settled) == 2)
    qtbot.waitUntil(lambda: "kept on both sides: combination" in view.head.more.text())


def test_that_a_comparison_under_way_is_shown_though_counts_change(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    bench.is_held = True
    window.scope.compare_actions.toggle_presets()
    qtbot.waitUntil(lambda: len(bench.settled) == 1)
    counts = {**bench.state.counts, "memories": 7}
    bench.tell(replace(bench.state, counts=counts, is_counted_anew=True))
    qtbot.waitUntil(lambda: window.scope_state.status is not None and window.scope_state.status.counts == counts)
    bench.is_held = False
    settled(qtbot, window)
    assert some(window.scope_state.status).counts == counts
    assert len(bench.settled) == 2


def test_that_known_sides_are_not_settled_again() -> None:
    bench = FakeWorkbench()
    left, right = ComparedQuestion("a", (("preset", "recommended"),)), ComparedQuestion("b")

    async def run() -> list[tuple[Inspection, Inspection]]:
        return [answers async for answers in settle_both(bench, left, right, {left: undetected("a")})]

    ((one, other),) = asyncio.run(run())
    assert (one.query.text, other.query.text) == ("a", "b")
    assert bench.settled == [("b", {})]
