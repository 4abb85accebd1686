"""Tests of the model of matches by Qt's own tester."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.display.scope.matches.rows import match_rows, with_stale_scores
from app.gui.kit.fields import plain_tip
from app.gui.kit.theme.theme import Theme
from app.gui.kit.toast import Toast
from app.gui.scope.panels.matches_table import MatchesModel
from app.settings.model import Settings
from tests.build import some
from tests.gui.inspections import SCORERS, design, lexical_only, undetected

pytestmark = pytest.mark.usefixtures("qapp")
SETTINGS = Settings()


def drawn(model: MatchesModel) -> str:
    """Return the table as text, one line per row."""
    columns = range(model.columnCount())
    return "\n".join(
        " ".join(str(model.data(model.index(row, column))) for column in columns) for row in range(model.rowCount())
    )


def test_that_qt_finds_no_fault_while_rows_come_and_go(qapp: QApplication) -> None:
    model = MatchesModel(SCORERS)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    many, few = match_rows(design(), SETTINGS), match_rows(lexical_only(), SETTINGS)[:3]
    for rows in (many, few, (), few, many, match_rows(undetected("other"), SETTINGS), ()):
        model.show_rows(rows)
        assert model.rowCount() == len(rows)
    tester.deleteLater()


def test_that_scores_on_their_way_are_held_over_dimmed_and_read_as_absent() -> None:
    model = MatchesModel(SCORERS)
    before, floor = match_rows(design(), SETTINGS), match_rows(lexical_only(), SETTINGS)
    held = with_stale_scores(floor, before)
    model.show_rows(held)
    known = {row.key: row for row in before}
    lacking = [(row, cell) for row in held for cell in row.cells if cell.stale]
    assert {cell.scorer for _, cell in lacking} == {"semantic", "centroid"}
    for row, cell in lacking:
        old = some(known[row.key].cell(cell.scorer))
        assert (cell.value, cell.text, cell.decides) == (old.value, old.text, False)
    place = held.index(lacking[0][0])
    column = 1 + SCORERS.index("semantic")
    spoken = model.data(model.index(place, column), int(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken == "Semantic absent"
    assert with_stale_scores(floor, ()) == floor


def test_that_the_table_reads_as_in_the_design() -> None:
    model = MatchesModel(SCORERS)
    model.show_rows(match_rows(design(), SETTINGS)[:2])
    assert drawn(model) == (
        "build-fails-locally 0 0.779 0.515 0.838 0.874 – 0.856\nslow-build 0 0.694 0.400 0.547 0.547 – 0.547"
    )
    heads = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
    assert heads == ["Answer", "Exact", "Fuzzy", "Token", "Semantic", "Centroid", "Keyword", "Confidence, lead"]


def test_that_rows_stay_themselves_and_only_changed_ones_are_announced() -> None:
    model = MatchesModel(SCORERS)
    rows = match_rows(design(), SETTINGS)
    model.show_rows(rows)
    kept = QPersistentModelIndex(model.index(0, 0))
    changed: set[int] = set()
    resets: list[bool] = []
    model.dataChanged.connect(lambda first, last: changed.update(range(first.row(), last.row() + 1)))
    model.modelReset.connect(lambda: resets.append(True))
    model.show_rows((rows[1], rows[0], *rows[2:]))
    assert (changed, resets) == ({0, 1}, [])
    assert kept.isValid()
    changed.clear()
    model.show_rows(match_rows(design(), SETTINGS)[:2] + rows[2:])
    assert changed == {0, 1}
    changed.clear()
    model.show_rows(match_rows(design(), SETTINGS))
    assert changed == set(), "equal rows are no news"


def test_that_only_the_cells_that_are_drawn_otherwise_are_announced() -> None:
    model = MatchesModel(SCORERS)
    rows = match_rows(design(), SETTINGS)
    model.show_rows(rows)
    announced: list[tuple[int, int, int]] = []
    model.dataChanged.connect(lambda first, last: announced.append((first.row(), first.column(), last.column())))
    cells = rows[0].cells
    changed = tuple(replace(cell, value=0.1) if cell.scorer in ("fuzzy", "semantic") else cell for cell in cells)
    model.show_rows((replace(rows[0], cells=changed, confidence="0.9"), *rows[1:]))
    fuzzy, semantic = 1 + SCORERS.index("fuzzy"), 1 + SCORERS.index("semantic")
    last = model.columnCount() - 1
    assert announced == [(0, fuzzy, fuzzy), (0, semantic, semantic), (0, last, last)]


def test_that_screen_readers_hear_absence_and_decision() -> None:
    model = MatchesModel(SCORERS)
    model.show_rows(match_rows(design(), SETTINGS))
    role = int(Qt.ItemDataRole.AccessibleTextRole)
    spoken = [model.data(model.index(0, column), role) for column in range(model.columnCount())]
    assert spoken[0] == "Memory build-fails-locally, High, 86 %, “build fails on macos”"
    assert spoken[4:7] == ["Semantic 0.838, decides", "Centroid 0.874, decides", "Keyword absent"]


def test_that_a_foreign_index_has_no_data() -> None:
    model = MatchesModel(SCORERS)
    assert model.data(QModelIndex()) is None
    assert model.place_of("memory:1") == -1


MARKUP = ("<h1>big</h1>", 'see <img src="file:///etc/hostname"> & <a href="x">y</a>', "two\nlines")


def as_read(tip: object) -> str:
    """Return the displayed text of a tooltip; Qt guesses whether one is markup."""
    text = str(tip)
    assert text.startswith("<p "), "else Qt guesses"
    document = QTextDocument()
    document.setHtml(text)
    assert "<img" not in document.toHtml()
    return document.toPlainText()


@pytest.mark.parametrize("text", MARKUP)
def test_that_a_tip_shows_markup_as_text(text: str) -> None:
    assert as_read(plain_tip(text)) == text
    assert plain_tip("") == ""


@pytest.mark.parametrize("text", MARKUP)
def test_that_names_and_triggers_are_never_markup(text: str) -> None:
    model = MatchesModel(SCORERS)
    row = match_rows(design(), SETTINGS)[0]
    model.show_rows((replace(row, name=text, trigger=text),))
    tip = model.data(model.index(0, 0), int(Qt.ItemDataRole.ToolTipRole))
    assert as_read(tip) == f"{text}\n{text}"


@pytest.mark.parametrize("text", MARKUP)
def test_that_a_toast_never_reads_its_sentence_as_markup(qtbot: QtBot, qapp: QApplication, text: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    toast = Toast(Theme(qapp), QWidget(window))
    toast.setParent(window)
    toast.show_message(text)
    assert as_read(toast.label.toolTip()) == text
    assert toast.label.textFormat() is Qt.TextFormat.PlainText
    toast.hide()
