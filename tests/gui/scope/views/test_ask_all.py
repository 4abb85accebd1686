"""Tests of Ask all: the lines of a pasted text as a table of answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.domain.journal import Step, Written
from app.domain.library import Answer
from app.gui.scope.views.ask_all import AskAllView
from app.gui.shell.main_window import MainWindow
from app.services.library.curate import Curator
from tests.build import some
from tests.gui.conftest import Opener, round_trip
from tests.gui.inspections import TEXT, FakeWorkbench

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
    """Return the table with every line answered."""
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
    window.ask("\n".join([*LINES, *LINES, " "]))
    assert offer.isVisible()
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
