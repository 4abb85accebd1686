"""Tests of views over the panes: two answers compared, Ask all, and one view at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.domain.inspection import Inspection
from app.domain.journal import Step, Written
from app.domain.library import Answer
from app.gui.scope.ask_all import AskAllView
from app.gui.scope.compare_actions import ComparedQuestion, ComparisonKind, SideBySideView, settle_both
from app.gui.scope.overlays import PANES, Overlay
from app.gui.shell.main_window import MainWindow
from app.services.library.curate import Curator
from tests.build import some
from tests.gui.conftest import Opener, round_trip
from tests.gui.documents import read_rows
from tests.gui.inspections import TEXT, FakeWorkbench, undetected
from tests.gui.scope.test_why_not import asked, scripted

CTRL = Qt.KeyboardModifier.ControlModifier


def with_query(open_window: Opener, qtbot: QtBot, bench: FakeWorkbench) -> MainWindow:
    window = open_window(bench)
    window.activateWindow()
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and bench.answered == [TEXT])
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
    document, table = view.sheet.document(), view.sheet.document().find("Answer").currentTable()
    cells = [table.cellAt(document.find(text)) for text in ("Recommended", "As documented", "#")]
    spans = [(cell.column(), cell.columnSpan()) for cell in cells]
    assert spans == [(1, spans[0][1]), (1 + spans[0][1], spans[0][1]), (1, 1)], "a title is above its columns"
    shown = some(view.shown)
    assert shown.rows[0].is_first
    read = read_rows(view.sheet).splitlines()
    assert next(line for line in read if line.startswith("Answer")).count("Confidence") == 2
    assert sum("First differs here" in line for line in read) == 1, "above the table"
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
    assert window.scope.panels["matches"].isVisible()
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
    view.against.chosen.emit(ComparisonKind.QUERIES)
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
    qtbot.waitUntil(lambda: some(window.scope.compare_actions.shown).queries == (TEXT, "hello there"))
    assert bench.settled == [("hello there", {})], "the pinned side is known"
    assert f"Pinned: {TEXT} Typed: hello there" in read_rows(view.sheet).splitlines()
    view.swap.click()
    qtbot.waitUntil(lambda: some(window.scope.compare_actions.shown).queries == ("hello there", TEXT))
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
    bench.values["text_scale"] = 2.0
    window = with_query(open_window, qtbot, bench)
    window.resize(1024, 640)
    window.scope.compare_actions.compare_combinations()
    view = settled(qtbot, window)
    assert window.width() == 1024, "the boxes wrap"
    assert not window.scope.verdict.isVisible(), "a cut verdict"
    assert [changes["combination"] for _, changes in bench.settled] == ["balanced", "max"]
    assert all(box.isVisible() for box in view.boxes)
    assert view.boxes[0].findData("token_overlap") >= 0
    view.boxes[1].show_value("token_overlap")
    view.boxes[1].changed.emit("token_overlap")
    qtbot.waitUntil(lambda: some(window.scope.compare_actions.shown).titles == ("Balanced", "Token alone"))
    window.scope.compare_actions.combine("balanced", "nonsense")
    qtbot.waitUntil(lambda: "nonsense" in view.fault.sentence)
    window.scope.compare_actions.combine("balanced", "max")
    qtbot.waitUntil(lambda: not view.fault.sentence)


def test_that_typing_and_changed_settings_settle_both_sides_after_the_panes(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = with_query(open_window, qtbot, bench)
    window.scope.compare_actions.toggle_presets()
    settled(qtbot, window)
    bench.settled.clear()
    for end in range(2, 6):
        window.ask("hello there"[:end])
    qtbot.waitUntil(lambda: some(window.scope.compare_actions.shown).queries[1] == "hello")
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
    bench.free.clear()
    window.scope.compare_actions.toggle_presets()
    qtbot.waitUntil(lambda: len(bench.settled) == 1)
    counts = {**bench.state.counts, "memories": 7}
    bench.tell(replace(bench.state, counts=counts, is_counted_anew=True))
    qtbot.waitUntil(lambda: window.scope.state.status is not None and window.scope.state.status.counts == counts)
    bench.free.set()
    settled(qtbot, window)
    assert some(window.scope.state.status).counts == counts
    assert len(bench.settled) == 2


def test_that_known_sides_are_not_settled_again() -> None:
    bench = FakeWorkbench()
    left, right = ComparedQuestion("a", (("preset", "recommended"),)), ComparedQuestion("b")

    async def run() -> list[tuple[Inspection, Inspection]]:
        return [answers async for answers in settle_both(bench, left, right, {left: undetected("a")})]

    ((one, other),) = asyncio.run(run())
    assert (one.query.text, other.query.text) == ("a", "b")
    assert bench.settled == [("b", {})]


LINES = [TEXT, "where is the runbook", "how do I sign a build", "hello there"]


class _Bench(FakeWorkbench):
    """Workbench that records the queries of new cases."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[str, Answer | None]] = []

        async def make_cases(chosen: Sequence[tuple[str, Answer | None]]) -> Written:
            self.made += chosen
            return Written(Step(1, "2026-11-22 04:26:21", "added", "", len(chosen), "window"))

        self.curator = cast("Curator", SimpleNamespace(make_cases=make_cases))


def table_of(qtbot: QtBot, window: MainWindow, lines: Sequence[str] = LINES) -> AskAllView:
    window.ask("\n".join(["", *lines, "", lines[0]]))
    window.act("ask_all")
    view = some(window.scope.ask_all_actions.view)
    qtbot.waitUntil(lambda: len(view.rows) == len(lines) and not view.stop.isVisible())
    return view


def listed(view: AskAllView, column: str = "query") -> list[str]:
    place = [one.key for one in view.table.paged.columns].index(column)
    model = view.table.paged
    return [str(model.data(model.index(row, place))) for row in range(model.rowCount())]


def test_that_several_lines_are_offered_to_be_asked_and_one_is_not(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(_Bench())
    offer = window.bar.box.offer
    window.ask(TEXT)
    assert not offer.isVisible()
    window.act("ask_all")
    assert window.toast.sentence == "The query has one line. Paste several lines first."
    line = window.bar.box.line
    line.selectAll()
    QGuiApplication.clipboard().setText("\n".join([*LINES, *LINES, " "]))
    with qtbot.assertNotEmitted(window.worker.inspected, wait=50):
        line.paste()
    primary = [offer, window.bar.buttons["teach"]]
    assert [made.property("primary") for made in primary] == ["true", "false"]
    assert window.scope.verdict.headline.text() == "4 lines pasted"
    assert line.verticalScrollBar().value() == 0, "the first lines are in view"
    with qtbot.waitSignal(window.worker.inspected):
        QTest.keyClick(line, Qt.Key.Key_Return)
    assert [made.property("primary") for made in primary] == ["false", "true"]
    assert offer.text() == "Ask all 4 lines"
    assert window.bar.box.rect().contains(offer.geometry())
    offer.click()
    assert window.scope.ask_all_actions.is_open
    window.ask(TEXT)
    assert not window.scope.ask_all_actions.is_open, "the panes answer another query"


def test_that_lines_are_answered_exported_sorted_and_taught(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    bench = _Bench()
    window = open_window(bench)
    view = table_of(qtbot, window)
    assert not window.scope.verdict.isVisible(), "it is about the lines as one query"
    assert listed(view) == LINES
    first = {one.key: listed(view, one.key)[0] for one in view.table.paged.columns}
    assert first == {
        "query": TEXT,
        "type": "Troubleshoot",
        "memory": "build-fails-locally",
        "power": "xcode-build",
        "confidence": "86 %",
        "delivered": "injected",
    }
    view.save()
    dialog = some(view.file_saver.dialog)
    target = tmp_path / "answers.csv"
    with qtbot.waitSignal(view.file_saver.notified):
        dialog.fileSelected.emit(str(target))
    dialog.reject()
    written = target.read_text().splitlines()
    assert written[0] == "query,type,type_confidence,memory,power,confidence,delivered"
    assert written[1] == f"{TEXT},troubleshoot,0.550000,build-fails-locally,xcode-build,0.856000,injected"
    assert len(written) == len(LINES) + 1
    view.table.selectAll()
    view.cases.click()
    qtbot.waitUntil(lambda: len(bench.made) == len(LINES))
    assert [query for query, _ in bench.made] == LINES
    answers = [answer and answer.name for _, answer in bench.made]
    assert answers[0] == "build-fails-locally"
    said = "Made 4 cases: each expects its present answer."
    qtbot.waitUntil(lambda: window.toast.sentence == said)
    assert window.toast.offers_undo
    view.table.sort_by("query", descending=True)
    assert listed(view) == sorted(LINES, reverse=True)
    view.list.bar.search.setText("build nothing-like-it")
    qtbot.waitUntil(lambda: listed(view) == [])
    view.list.bar.search.setText("SIGN")
    qtbot.waitUntil(lambda: listed(view) == ["how do I sign a build"])
    view.list.bar.clear_all()
    view.list.bar.set_filter(delivered="nothing")
    qtbot.waitUntil(lambda: sorted(listed(view)) == sorted(LINES[1:]))
    view.list.bar.clear_all()
    qtbot.waitUntil(lambda: len(listed(view)) == len(LINES))
    view.table.pick(listed(view).index(LINES[1]))
    view.teach.click()
    qtbot.waitUntil(lambda: window.scope.teach_actions.dialog is not None)
    teaching = some(window.scope.teach_actions.dialog)
    assert teaching.trigger.text() == LINES[1]
    teaching.reject()
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert window.bar.box.line.text() == LINES[1]
    assert not window.scope.ask_all_actions.is_open


def test_that_stopping_keeps_the_answers_so_far(qtbot: QtBot, open_window: Opener) -> None:
    bench = _Bench()
    bench.pause = 0.02
    window = open_window(bench)
    window.ask("\n".join(f"query number {place}" for place in range(400)))
    window.act("ask_all")
    view = some(window.scope.ask_all_actions.view)
    qtbot.waitUntil(lambda: view.table.paged.rowCount() > 2)
    view.stop.click()
    count = len(view.rows)
    assert 2 < count < 400
    assert not view.stop.isVisible()
    round_trip(qtbot, window.worker)
    assert len(view.rows) == count == view.table.paged.rowCount()


@pytest.mark.parametrize(("size", "scale"), [((1280, 800), 1.0), ((1024, 640), 1.0), ((1024, 640), 2.0)])
def test_that_no_table_scrolls_sideways(qtbot: QtBot, open_window: Opener, size: tuple[int, int], scale: float) -> None:
    bench = _Bench()
    bench.values["text_scale"] = scale
    window = open_window(bench)
    window.resize(*size)
    view = table_of(qtbot, window, [f"{line} and more of it {'long ' * 60}" for line in LINES])
    qtbot.waitUntil(lambda: view.table.horizontalScrollBar().maximum() == 0)
    assert window.size().toTuple() == size


KEYS = {"why_not": "why_not_actions", "beside_presets": "compare_actions"}


def cover_of(window: MainWindow, key: str) -> Overlay:
    part = window.scope.compare_actions if key == "beside_presets" else window.scope.why_not_actions
    assert part.is_open
    return some(part.view)


def is_open(window: MainWindow, key: str) -> bool:
    return (window.scope.compare_actions if key == "beside_presets" else window.scope.why_not_actions).is_open


@pytest.mark.parametrize("key", KEYS)
def test_that_esc_and_the_button_lead_back_to_panes_and_line(qtbot: QtBot, open_window: Opener, key: str) -> None:
    window, _ = scripted(open_window, qtbot)
    ways: list[QWidget | None] = [window.bar.box.line, None]
    for way in ways:
        window.act(key)
        cover = cover_of(window, key)
        QTest.keyClick(way if way is not None else cover, Qt.Key.Key_Escape)
        assert not is_open(window, key)
        assert window.scope.below.currentIndex() == PANES
        assert window.bar.box.line.hasFocus()
    window.act(key)
    cover_of(window, key).close_it.click()
    assert not is_open(window, key)
    assert not window.scope.is_covered


@pytest.mark.parametrize(("first", "second"), [("why_not", "beside_presets"), ("beside_presets", "why_not")])
def test_that_each_replaces_the_other_and_ends_it(qtbot: QtBot, open_window: Opener, first: str, second: str) -> None:
    window, _ = scripted(open_window, qtbot)
    compare_actions = window.scope.compare_actions
    window.act(first)
    window.act(second)
    assert is_open(window, second)
    assert not is_open(window, first)
    QTest.keyClick(cover_of(window, second), Qt.Key.Key_Escape)
    assert window.scope.below.currentIndex() == PANES, "the panes come back, and not the first view"
    assert (compare_actions.shown, compare_actions.asked) == (None, None)
    view = window.scope.why_not_actions.view
    assert view is None or view.cancel.isHidden()


def test_that_esc_is_the_windows_where_nothing_lies_over_the_panes(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = scripted(open_window, qtbot)
    asked(window, qtbot)
    window.act("why_not")
    window.act("why_not")
    assert not window.scope.is_covered
    window.scope.panels["matches"].focus_target().setFocus()
    QTest.keyClick(window.scope.panels["matches"].focus_target(), Qt.Key.Key_Escape)
    assert window.bar.box.line.hasFocus()
