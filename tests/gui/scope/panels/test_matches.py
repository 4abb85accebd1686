"""Tests of matches: model, score bars, moving rows, rows by label, letters and explained terms."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QAbstractAnimation, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QImage, QPainter, QTextCursor, QTextDocument, QTransform
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.display import words
from app.display.documents import inspection_document
from app.display.scope.match_rows import MatchRow, match_rows, with_stale_scores
from app.display.scope.text import as_markdown, as_text
from app.display.words import GLOSSARY
from app.domain.inspection import Inspection
from app.domain.library import Memory
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import Canvas
from app.gui.kit.document import DocumentView
from app.gui.kit.fields import plain_tip
from app.gui.kit.theme import Appearance, Mode, Preference, Theme
from app.gui.kit.toast import Toast
from app.gui.scope.actions import LETTERS
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.matches import GROUP_MATCHES, MatchesPanel
from app.gui.scope.panels.matches_delegate import CELL, ROW_HEIGHT, LettersLegend, MatchDelegate
from app.gui.scope.panels.matches_table import MatchesModel
from app.gui.scope.panels.selected import SelectedPanel
from app.gui.shell.main_window import MainWindow
from app.scoring.scorers import SCORERS as ALL_SCORERS
from app.settings.model import Settings, SettingsSources, layer
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.dock_windows import asked, unfold
from tests.gui.documents import read_rows
from tests.gui.inspections import SCORERS, TEXT, FakeWorkbench, design, lexical_only, undetected

FUZZY = SCORERS.index("fuzzy") + 1


@pytest.fixture
def row(qapp: object) -> MatchRow:
    return match_rows(design(), None)[0]


@pytest.fixture
def painter(qapp: object) -> MatchDelegate:
    return MatchDelegate(Theme(), SCORERS)


def place(painter: MatchDelegate) -> QRect:
    return QRect(0, 0, painter.theme.px(CELL), painter.theme.px(ROW_HEIGHT))


def blank(painter: MatchDelegate, ratio: float) -> QImage:
    image = QImage(place(painter).size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    return image


def drawn(painter: MatchDelegate, row: MatchRow, ratio: float = 1.0, *, on: bool = False) -> QImage:
    image = blank(painter, ratio)
    brush = QPainter(image)
    painter.paint_places(brush, [(row, FUZZY, place(painter), on)])
    brush.end()
    return image


def plain(painter: MatchDelegate, row: MatchRow, ratio: float, *, on: bool) -> QImage:
    """Draw the same piece by piece."""
    image, cell = blank(painter, ratio), row.cell("fuzzy")
    assert cell is not None
    brush = QPainter(image)
    painter.lay_ground(brush, place(painter), on)
    canvas = Canvas(brush, painter.theme, 0.0)
    scale = painter.theme.scale
    brush.setTransform(QTransform(scale, 0.0, 0.0, scale, 0.0, 0.0))
    canvas.width = place(painter).width() / scale
    painter.draw_bar(canvas, cell, on, 0.0)
    painter.draw_number(canvas, cell, 0.0)
    brush.end()
    return image


def of(row: MatchRow, value: float | None, *, decides: bool = False) -> MatchRow:
    cells = tuple(replace(cell, value=value, decides=decides) for cell in row.cells)
    return replace(row, cells=cells)


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("value", [None, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("on", [False, True])
def test_that_a_picture_shows_what_is_drawn(
    painter: MatchDelegate, row: MatchRow, ratio: float, value: float | None, on: bool
) -> None:
    told = of(row, value, decides=value is not None)
    assert drawn(painter, told, ratio, on=on) == plain(painter, told, ratio, on=on)


def test_that_scores_that_look_alike_share_a_picture(painter: MatchDelegate, row: MatchRow) -> None:
    for value in (0.5, 0.5001, 0.4999):
        drawn(painter, of(row, value))
    assert len(painter.pictures) == 1


def test_that_a_score_just_above_zero_has_a_bar(painter: MatchDelegate, row: MatchRow) -> None:
    assert drawn(painter, of(row, 0.0001)) != drawn(painter, of(row, 0.0))


def test_that_pictures_do_not_pile_up(painter: MatchDelegate, row: MatchRow, monkeypatch: pytest.MonkeyPatch) -> None:
    area = place(painter).width() * place(painter).height()
    monkeypatch.setattr("app.gui.scope.panels.matches_delegate._MOST_PIXELS", 3 * area)
    images = [drawn(painter, of(row, tenth / 10)) for tenth in range(10)]
    assert len(painter.pictures) == 3
    assert [drawn(painter, of(row, tenth / 10)) for tenth in range(10)] == images


def test_that_other_looks_have_other_pictures(painter: MatchDelegate, row: MatchRow) -> None:
    painter.theme.set_appearance(Appearance(mode=Mode.LIGHT))
    light = drawn(painter, of(row, 0.5))
    painter.theme.set_appearance(Appearance(mode=Mode.DARK))
    assert drawn(painter, of(row, 0.5)) != light
    painter.theme.set_appearance(Appearance(mode=Mode.LIGHT))
    assert drawn(painter, of(row, 0.5)) == light


SETTINGS = Settings()


def drawn_rows(model: MatchesModel) -> str:
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
    assert drawn_rows(model) == (
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
    assert spoken[4:7] == ["Semantic 0.838, puts it ahead", "Centroid 0.874, puts it ahead", "Keyword absent"]


def test_that_a_foreign_index_has_no_data() -> None:
    assert MatchesModel(SCORERS).data(QModelIndex()) is None


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


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener) -> MainWindow:
    made = open_window(FakeWorkbench())
    asked(qtbot, made)
    qtbot.waitUntil(lambda: made.scope.state.inspection is not None and made.scope.state.inspection.phase != "floor")
    made.worker.drop()
    return made


def pane(window: MainWindow) -> MatchesPanel:
    return of_type(window.scope.panels["matches"], MatchesPanel)


def flipped(window: MainWindow, *, is_typing: bool) -> ScopeState:
    """Return the same answers in reverse order."""
    inspection = some(window.scope.state.inspection)
    return replace(
        window.scope.state, inspection=replace(inspection, matches=inspection.matches[::-1]), is_typing=is_typing
    )


def test_that_rows_glide_from_where_they_were(qtbot: QtBot, window: MainWindow) -> None:
    view = pane(window).view
    high = view.rowHeight(0)
    pane(window).show_state(flipped(window, is_typing=False))
    assert view.is_gliding
    offsets = [view.offset(row) for row in range(len(pane(window).model.rows))]
    assert min(offsets) < 0 < max(offsets)
    assert max(offsets) >= high / 2
    qtbot.waitUntil(lambda: not view.is_gliding)
    assert view.offset(0) == 0


def test_that_the_first_power_is_below_its_heading_and_all_rows_are_seen(window: MainWindow) -> None:
    view, model = pane(window).view, pane(window).model
    inspection = some(window.scope.state.inspection)
    answers = (*inspection.memories[:2], *inspection.powers[:2])
    for matches in (answers[:3], answers, answers[1:], answers[:2], answers[1:3]):
        pane(window).show_state(replace(window.scope.state, inspection=replace(inspection, matches=matches)))
        taller = [view.rowHeight(n) - view.verticalHeader().defaultSectionSize() for n in range(len(model.rows))]
        assert view.rowAt(view.height() - 1) == len(model.rows) - 1
        assert taller == [view.heading * row.starts_list for row in model.rows]
        assert (view.heading > 0) is any(row.starts_list for row in model.rows)


def test_that_a_glide_takes_120_ms(window: MainWindow) -> None:
    assert window.theme.duration(120) == 120
    pane(window).show_state(flipped(window, is_typing=False))
    glide = some(pane(window).view.findChild(QAbstractAnimation))
    assert glide.duration() == 120


def test_that_rows_are_set_at_once_while_someone_types(window: MainWindow) -> None:
    pane(window).show_state(flipped(window, is_typing=True))
    assert not pane(window).view.is_gliding
    assert pane(window).view.offset(0) == 0


def test_that_a_key_ends_a_glide(window: MainWindow) -> None:
    pane(window).show_state(flipped(window, is_typing=False))
    assert pane(window).view.is_gliding
    pane(window).show_state(replace(window.scope.state, is_typing=True))
    assert not pane(window).view.is_gliding


def test_that_nothing_glides_where_less_motion_is_wished(window: MainWindow) -> None:
    window.theme.set_appearance(replace(window.theme.appearance, reduced_motion=Preference.ON))
    pane(window).show_state(flipped(window, is_typing=False))
    assert not pane(window).view.is_gliding


def test_that_typing_counts_as_typing_until_a_pause(window: MainWindow) -> None:
    assert window.scope.state.is_typing
    window.bar.box.line.keyed_at -= 1.0
    window.scope.show_core_state(window.core_state) if window.core_state is not None else None
    assert not window.scope.state.is_typing


def test_that_a_change_of_order_keeps_selection_scroll_and_model(window: MainWindow) -> None:
    panel = pane(window)
    resets: list[int] = []
    panel.model.modelReset.connect(lambda: resets.append(1))
    panel.view.verticalScrollBar().setValue(40)
    scroll = panel.view.verticalScrollBar().value()
    picked = panel.model.rows[2]
    scope_state = replace(flipped(window, is_typing=False), selected=picked.match)
    before = QPersistentModelIndex(panel.model.index(0, 0))
    panel.show_state(scope_state)
    assert resets == []
    assert before.isValid()
    assert panel.view.verticalScrollBar().value() == scroll
    assert panel.model.rows[panel.view.currentIndex().row()].key == picked.key


def test_that_gliding_rows_are_painted_between_their_places(qtbot: QtBot, window: MainWindow) -> None:
    view = pane(window).view
    pane(window).show_state(flipped(window, is_typing=False))
    during = view.viewport().grab().toImage()
    assert view.is_gliding
    qtbot.waitUntil(lambda: not view.is_gliding)
    after = view.viewport().grab().toImage()
    assert during != after
    assert after == view.viewport().grab().toImage()


def _panel(window: MainWindow) -> MatchesPanel:
    return of_type(window.scope.panels["matches"], MatchesPanel)


def _grouped() -> Inspection:
    """Return the design's answer, whose first memory represents twelve more of its label."""
    found = design()
    first = found.matches[0]
    assert isinstance(first.answer, Memory)
    answer = replace(first.answer, intent="build failures")
    return replace(found, matches=(replace(first, answer=answer, others=12), *found.matches[1:]))


def test_that_the_check_in_the_menu_asks_by_label_and_back(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.ask(TEXT)
    switch = _panel(window).view_menu.by_label
    qtbot.waitUntil(lambda: window.scope.state.settings is not None and bench.asked == [TEXT])
    switch.trigger()
    qtbot.waitUntil(lambda: switch.isChecked() and bench.asked.count(TEXT) == 2)
    assert bench.values[GROUP_MATCHES] == "label"
    window.do(next(row for row in window.action_rows if row.key == GROUP_MATCHES))
    qtbot.waitUntil(lambda: not switch.isChecked() and bench.asked.count(TEXT) == 3)
    assert bench.values[GROUP_MATCHES] == "memory"


def test_that_the_check_stays_as_it_is_until_the_setting_has_turned(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    panel = _panel(window)
    qtbot.waitUntil(lambda: window.scope.state.settings is not None)
    panel.set_requested.disconnect()
    asked: list[tuple[str, str]] = []
    panel.set_requested.connect(lambda key, value: asked.append((key, value)))
    panel.view_menu.by_label.trigger()
    assert asked == [(GROUP_MATCHES, "label")]
    assert not panel.view_menu.by_label.isChecked()


def test_that_a_row_of_a_label_says_how_many_more_stand_behind_it(qapp: object) -> None:
    rows = match_rows(_grouped(), None)
    assert [row.name for row in rows[:2]] == ["build failures", rows[1].match.answer.name]
    assert [row.more for row in rows[:2]] == ["build-fails-locally and 12 more", ""]
    model = MatchesModel(SCORERS)
    model.show_rows(rows)
    spoken = model.data(model.index(0, 0), int(Qt.ItemDataRole.AccessibleTextRole))
    assert str(spoken).endswith(", build-fails-locally and 12 more")
    assert as_text(_grouped()).count("build-fails-locally and 12 more") == 1
    assert all(said in as_markdown(_grouped()) for said in ("build failures", "12 more"))


def test_that_every_row_by_label_is_called_by_its_label() -> None:
    alone = replace(_grouped(), matches=tuple(replace(match, others=0) for match in _grouped().matches))
    settings = layer(SettingsSources(command_line={"group_matches": "label"})).values
    for row in match_rows(alone, settings):
        assert row.name == (row.match.answer.answer_label or row.match.answer.name)
    assert match_rows(alone, None)[0].name == alone.matches[0].answer.name


def test_that_the_document_counts_them_only_where_matches_are_by_label() -> None:
    assert [match.get("others") for match in inspection_document(_grouped())["matches"]][:2] == [12, None]
    assert all("others" not in match for match in inspection_document(design())["matches"])


def test_that_one_key_explains_the_letters(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    assert LETTERS.keys == ("F7",)
    window.act(LETTERS.key)
    legend = of_type(QApplication.activePopupWidget(), LettersLegend)
    legend.grab()
    lines = legend.read.splitlines()
    assert [line.split(" ")[0] for line in lines] == [words.scorer(key).title.split(" ")[0] for key in ALL_SCORERS]
    assert all(words.scorer(key).summary in line for key, line in zip(ALL_SCORERS, lines, strict=True))
    QTest.keyClick(legend, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


@pytest.mark.parametrize("width", [1280, 1920])
def test_that_names_stand_beside_letters_of_the_best_triggers(qtbot: QtBot, open_window: Opener, width: int) -> None:
    window = open_window(FakeWorkbench())
    window.resize(width, 1000)
    window.act("selected_triggers")
    asked(qtbot, window)
    panel = of_type(window.scope.panels["selected"], SelectedPanel)
    texts = ("Fuzzy, Token the build keeps failing on my laptop", "Semantic build fails on macos")
    qtbot.waitUntil(lambda: all(text in read_rows(panel.sheet) for text in texts))


def tips(view: DocumentView) -> set[str]:
    """Return the tooltips of a document."""
    cursor, found = QTextCursor(view.document()), set()
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        found.add(cursor.charFormat().toolTip())
    return found


def test_that_words_of_the_field_are_explained_in_their_panes(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.act("selected_triggers")
    window.act("selected_scores")
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and window.scope.is_shown)
    unfold(window)
    kind, matches, selected = (window.scope.panels[key] for key in ("intent", "matches", "selected"))
    assert isinstance(kind, IntentPanel)
    assert isinstance(matches, MatchesPanel)
    assert isinstance(selected, SelectedPanel)
    assert plain_tip(GLOSSARY["injected"]) in tips(kind.sheet)
    assert {plain_tip(GLOSSARY["success"]), plain_tip(words.scorer("centroid").summary)} <= tips(selected.sheet)
    assert window.scope.verdict.headline.about.startswith(GLOSSARY["injected"])
