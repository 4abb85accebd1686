"""Tests of an evaluation's charts on a real engine: opened, navigated, saved as files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.evaluation.diagnostics import CASES, CONFIDENCE, CONFUSION, LABELS, RETRIEVAL, VIEWS, diagnostics_csv
from app.display.evaluation.sweep import KEPT_RUN
from app.gui.evaluation.jobs import COMPARE
from app.gui.evaluation.page import EvaluatePage
from app.gui.kit.dialogs import png_of, svg_of
from app.gui.shell.main_window import MainWindow
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.evaluation.test_page import ANSWERS
from tests.gui.evaluation.test_page import CASES as STORED
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary


def opened(qtbot: QtBot, open_window: Opener) -> tuple[MainWindow, EvaluatePage]:
    library = MemoryLibrary()
    library.add("cases", STORED)
    window = open_window(real_bench(library, ANSWERS))
    window.activateWindow()
    qtbot.waitUntil(lambda: window.scope_state.status.encoder_state == "ready")  # type: ignore[union-attr]
    page = opened_page(window, "evaluate", EvaluatePage)
    qtbot.waitUntil(page.start.isVisible)
    page.form.run.click()
    qtbot.waitUntil(lambda: page.shown is not None)
    return window, page


def test_that_pictures_are_opened_walked_and_lead_to_cases(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    _, page = opened(qtbot, open_window)
    views = page.views
    assert not views.export.isVisible()
    for view in VIEWS:
        views.open(view)
        assert views.body.isVisible()
        assert views.promise.isVisible() == (view == CONFIDENCE)

    views.open(LABELS)
    assert views.export.isVisible()
    first = views.table.lines[0]
    views.table.pick(0)
    QTest.keyClick(views.table, Qt.Key.Key_Return)
    assert views.view == CASES
    qtbot.waitUntil(lambda: page.lists.table.paged.rowCount() == first.expected)
    assert page.lists.picked.text() == f"Expected: {first.label}"
    page.lists.back.click()
    assert page.lists.pick is None

    views.open(CONFUSION)
    matrix = views.matrix
    grid = some(matrix.grid)
    row, column = next((n, m) for n, cells in enumerate(grid.counts) for m, count in enumerate(cells) if count)
    for key, times in ((Qt.Key.Key_Up, 9), (Qt.Key.Key_Left, 9), (Qt.Key.Key_Down, row), (Qt.Key.Key_Right, column)):
        for _ in range(times):
            QTest.keyClick(matrix, key)
    assert matrix.cell == (row, column)
    assert matrix.accessibleName() == grid.accessible_text(row, column)
    QTest.keyClick(matrix, Qt.Key.Key_Return)
    assert views.view == CASES
    qtbot.waitUntil(lambda: page.lists.table.paged.rowCount() == grid.counts[row][column])

    for view in (LABELS, CONFUSION, CONFIDENCE, RETRIEVAL):
        views.open(view)
        assert views.shown is not None
        assert png_of(views.body).startswith(b"\x89PNG")
        drawn = svg_of(views.body, "Evaluation").decode()
        assert "<svg" in drawn
        assert "<path" in drawn or "<text" in drawn
        assert diagnostics_csv(views.shown, view)
    kept = tmp_path / "labels.csv"
    views.open(LABELS)
    assert views.set.isVisible() == bool(some(views.shown).suggested)
    views.save_csv()
    some(views.file_saver.dialog).fileSelected.emit(str(kept))
    some(views.file_saver.dialog).close()
    qtbot.waitUntil(kept.exists)
    assert kept.read_text(encoding="utf-8").startswith("label,cases")


def test_that_today_is_set_beside_a_run_that_was_kept(qtbot: QtBot, open_window: Opener) -> None:
    _, page = opened(qtbot, open_window)
    qtbot.waitUntil(lambda: bool(page.form.own_runs))
    compare = page.form
    page.open_mode(COMPARE)
    compare.what.show_value(KEPT_RUN)
    compare.what.changed.emit(KEPT_RUN)
    assert compare.choice.currentData() == "1"
    assert compare.request.run == 1
    compare.run.click()
    qtbot.waitUntil(lambda: page.shown is not None)
    assert some(page.shown).verdict.startswith("Since run 1 of")
    assert not page.apply.isVisible()
    page.views.open(LABELS)
    assert page.views.table.lines
