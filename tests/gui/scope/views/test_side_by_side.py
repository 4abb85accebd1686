"""Tests of two compared answers: presets, queries, combinations, live, and closing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.display.scope.side_by_side import SideBySide, side_by_side
from app.domain.scope.inspection import Inspection
from app.gui.scope.views.compare_actions import ComparedQuestion, settle_both
from app.gui.scope.views.side_by_side import ComparisonKind, SideBySideView
from app.gui.scope.views.side_by_side_table import ColumnWidths, PairsModel
from app.gui.shell.main_window import MainWindow
from app.settings.model import Settings
from tests.gui.conftest import Opener
from tests.gui.inspections import SCORERS, TEXT, FakeWorkbench, design, lexical_only, undetected
from tests.narrowing import not_none

TITLES = ("Recommended", "As documented")
CTRL = Qt.KeyboardModifier.ControlModifier


def pairs(left: Inspection, right: Inspection) -> SideBySide:
    return side_by_side(left, right, TITLES, Settings())


def with_query(open_window: Opener, qtbot: QtBot, bench: FakeWorkbench) -> MainWindow:
    window = open_window(bench)
    window.activateWindow()
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope_state.inspection is not None and bench.answered == [TEXT], timeout=3000)
    return window


def view_of(window: MainWindow) -> SideBySideView:
    return not_none(window.scope.compare_actions.view)


def settled(qtbot: QtBot, window: MainWindow) -> SideBySideView:
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown is not None, timeout=3000)
    return view_of(window)


# ---- the model


def test_that_qt_finds_no_fault_while_pairs_come_and_go(qapp: QApplication) -> None:
    model = PairsModel(SCORERS)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    few = replace(design(), matches=design().matches[:3])
    for shown in (pairs(design(), few), pairs(few, few), None, pairs(undetected("a"), design()), None):
        model.show_pairs(shown)
        assert model.rowCount() == (0 if shown is None else len(shown.rows))
    tester.deleteLater()


def test_that_rows_stay_and_equal_ones_are_no_news(qapp: QApplication) -> None:
    model = PairsModel(SCORERS)
    model.show_pairs(pairs(design(), undetected("a")))
    kept = QPersistentModelIndex(model.index(0, 0))
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    model.show_pairs(pairs(design(), undetected("a")))
    assert changed == []
    model.show_pairs(pairs(design(), lexical_only()))
    assert changed
    assert kept.isValid()


def test_that_each_cell_is_read_with_its_side(qapp: QApplication) -> None:
    model = PairsModel(SCORERS)
    few = replace(design(), matches=design().matches[1:])
    model.show_pairs(pairs(design(), few))
    role = int(Qt.ItemDataRole.AccessibleTextRole)
    spoken = [model.data(model.index(0, column), role) for column in range(model.columnCount())]
    assert spoken[0] == "Memory build-fails-locally, first differs here: only on the left"
    assert spoken[1] == "Recommended: rank 1"
    assert spoken[5] == "Recommended: Semantic 0.838, decides"
    assert spoken[7] == "Recommended: Keyword absent"
    assert spoken[8] == "Recommended: 0.856, High"
    assert set(spoken[9:]) == {"As documented: not among the 9 listed here"}
    heads = [model.headerData(n, Qt.Orientation.Horizontal) for n in (0, 1, 8, 9, 16)]
    assert heads == [
        "Answer", "Recommended: Rank", "Recommended: Confidence", "As documented: Rank", "As documented: Confidence",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [616.0, 900.0, 1232.0, 1872.0])
def test_that_the_grid_fills_its_width_and_drops_scores_before_confidence(width: float) -> None:
    grid = ColumnWidths.of(width, 6)
    assert grid.answer + 2 * (grid.rank + 6 * grid.cell + grid.last) == pytest.approx(width)
    assert grid.answer >= 150
    assert (grid.cell == 0) == (width < 882)


# ---- the window


def test_that_ctrl_b_sets_the_presets_side_by_side_and_it_or_escape_goes_back(
    qtbot: QtBot, open_window: Opener
) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    QTest.keyClick(window, Qt.Key.Key_B, CTRL)
    view = settled(qtbot, window)
    assert bench.settled == [(TEXT, {"preset": "recommended"}), (TEXT, {"preset": "as_documented"})]
    assert view.isVisible()
    assert [label.text() for label in view.titles] == ["Recommended", "As documented"]
    assert view.model.rows[0].is_first
    view.grab()
    assert all(sheet.read for sheet in view.sheets)
    assert "First differs here" in view.sheets[1].read
    view.copy.click()
    assert "Left: Recommended" in QGuiApplication.clipboard().text()
    assert "Copied the comparison" in window.toast.sentence
    assert window.scope.focus_stops() == [window.bar.box.line, view.against, view.view]
    shown = not_none(window.scope.compare_actions.shown)
    assert view.model.scorers == view.columns.scorers == shown.scorers
    model = PairsModel((*shown.scorers, "not asked"))
    model.show_pairs(shown)
    column = 1 + len(shown.scorers) + 1
    assert model.text(shown.rows[0], column) == ""
    assert model.text(shown.rows[0], column + 1) == shown.rows[0].sides[0].row.confidence  # type: ignore[union-attr]
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
    view.view.setFocus()
    QTest.keyClick(view.view, Qt.Key.Key_Escape)
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
    assert window.scope.compare_actions.shown.is_same
    bench.settled.clear()
    window.ask("hello there")
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.queries == (TEXT, "hello there"), timeout=3000)  # type: ignore[union-attr]
    assert bench.settled == [("hello there", {})], "the pinned side is known"
    assert [label.text() for label in view.titles] == [f"Pinned: {TEXT}", "Typed: hello there"]
    view.swap.click()
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.queries == ("hello there", TEXT), timeout=3000)  # type: ignore[union-attr]
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
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.titles == ("Balanced", "Token alone"), timeout=3000)  # type: ignore[union-attr]
    view.combinations_chosen.emit("balanced", "nonsense")
    qtbot.waitUntil(lambda: "nonsense" in view.fault.sentence, timeout=3000)
    view.combinations_chosen.emit("balanced", "max")
    qtbot.waitUntil(lambda: not view.fault.sentence, timeout=3000)


def test_that_typing_and_changed_settings_settle_both_sides_anew_after_the_panes(
    qtbot: QtBot, open_window: Opener
) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    window.scope.compare_actions.toggle_presets()
    settled(qtbot, window)
    bench.settled.clear()
    for end in range(2, 6):
        window.ask("hello there"[:end])
    qtbot.waitUntil(lambda: window.scope.compare_actions.shown.queries[1] == "hello", timeout=3000)  # type: ignore[union-attr]
    texts = [text for text, _ in bench.settled]
    assert texts.count("hello") == 2
    assert bench.answered[-1] == "hello"
    view = view_of(window)
    bench.settled.clear()
    window.worker.choose("combination", "max")
    qtbot.waitUntil(lambda: len(bench.settled) == 2, timeout=3000)
    qtbot.waitUntil(lambda: "kept on both sides: combination" in view.head.findChildren(type(view.titles[0]))[1].text())


def test_that_a_comparison_under_way_is_shown_though_the_library_is_counted_anew(
    qtbot: QtBot, open_window: Opener
) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    bench.is_held = True
    window.scope.compare_actions.toggle_presets()
    qtbot.waitUntil(lambda: len(bench.settled) == 1, timeout=3000)
    counts = {**bench.state.counts, "memories": 7}
    bench.tell(replace(bench.state, counts=counts, is_counted_anew=True))
    qtbot.waitUntil(
        lambda: window.scope_state.status is not None and window.scope_state.status.counts == counts, timeout=3000
    )
    bench.is_held = False
    settled(qtbot, window)
    assert window.scope_state.status is not None
    assert window.scope_state.status.counts == counts
    assert len(bench.settled) == 2


def test_that_known_sides_are_not_settled_again() -> None:
    bench = FakeWorkbench()
    left, right = ComparedQuestion("a", (("preset", "recommended"),)), ComparedQuestion("b")

    async def run() -> list[tuple[Inspection, Inspection]]:
        return [answers async for answers in settle_both(bench, left, right, {left: undetected("a")})]

    ((one, other),) = asyncio.run(run())
    assert (one.query.text, other.query.text) == ("a", "b")
    assert bench.settled == [("b", {})]
