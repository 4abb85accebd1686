"""Tests of drawn panes, rows and scroll areas for screen readers and the keyboard."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pyqtgraph import InfLineLabel
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QGraphicsView, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.display.evaluation.diagnostics import Chart, Series
from app.display.scope.guide import SAMPLES
from app.domain.inspection import AblatedWord, AblationResult, AnswerFlip, LlmNeeded, WordImportance
from app.domain.intent import IntentType
from app.domain.library import Memory
from app.domain.match import EagerExplanation, Match
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import LEFT, RIGHT, Canvas
from app.gui.kit.chart import LinesPlot
from app.gui.kit.sheet import ScrollArea, Sheet
from app.gui.kit.theme import Theme
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.selected import SECTIONS, SelectedPanel
from app.settings.model import Settings
from tests.build import some
from tests.gui.conftest import Opener, round_trip
from tests.gui.documents import read_rows
from tests.gui.inspections import COUNTS, FakeWorkbench, design, lexical_only

LONG = "why does the build of the very long product name keep failing on every machine of the team " * 5
TEXTS = {
    "long": LONG[:400],
    "one long word": "x" * 400,
    "chinese": "为什么 构建 总是 失败 在 我的 电脑 上",
    "arabic": "لماذا يفشل البناء دائما على جهازي",
    "combining": "e\u0301 n\u0303 👩‍👩‍👧‍👦 \u200f\u202ebuild",
}


def selected_pane(qtbot: QtBot, scope_state: ScopeState) -> SelectedPanel:
    pane = SelectedPanel(Theme())
    qtbot.addWidget(pane)
    pane.resize(300, 470)
    pane.show()
    qtbot.waitExposed(pane)
    pane.show_sections(frozenset(SECTIONS))
    pane.show_state(scope_state)
    return pane


def with_trigger(text: str) -> tuple[ScopeState, Match]:
    inspection = design()
    match = inspection.matches[0]
    taught = Memory((text, text + " b"), response=text, id=text[:300], key=1)
    changed = replace(
        match,
        answer=taught,
        trigger=text,
        account=EagerExplanation(match.steps, {"fuzzy": text, "token_overlap": text, "semantic": text}, match.triggers),
    )
    found = replace(inspection, matches=(changed, *inspection.matches[1:]))
    return ScopeState(inspection=found, selected=changed, settings=Settings()), changed


def test_that_pieces_of_one_line_are_read_as_one_and_an_absent_score_as_a_word(qtbot: QtBot) -> None:
    inspection = design()
    pane = selected_pane(qtbot, ScopeState(inspection=inspection, selected=inspection.matches[0], settings=Settings()))
    lines = [line.strip() for line in read_rows(pane.sheet).split("\n")]
    for line in (
        "mean(S 0.838, C 0.874) = 0.856",
        "Semantic 0.838",
        "Token 0.515",
        "Keyword absent",
        "Keyword: Memories declare no keywords.",
        "Fuzzy, Token the build keeps failing on my laptop",
        "Each of 5 shared words adds 0.103.",
        "0.4 × 5/11 + 0.6 × 5/9 = 0.515",
    ):
        assert line in lines


def test_that_under_each_word_stands_what_it_counts_for_until_something_else_is_shown(qtbot: QtBot) -> None:
    inspection = design()
    match = inspection.matches[0]
    pane = selected_pane(qtbot, ScopeState(inspection=inspection, selected=match, settings=Settings()))
    query, howto = inspection.query.scored, IntentType.HOWTO
    whole = AblationResult(match.answer.name, howto, 0.9, 0.856, match.scores)
    without = AblatedWord("build", (13, 18), AblationResult("", howto, 0.9, 0.4, {}))
    flip = AnswerFlip(("build",), "")
    counts = WordImportance(query, match.answer.name, whole, (without,), answer_flip=flip, llm=LlmNeeded(0.62, None))
    pane.show_counts(replace(counts, query="another"))
    assert "Without each word" not in read_rows(pane.sheet)
    pane.show_counts(counts)
    for said in ("(without it: no answer)", "+0.456", "Without “build” it is no answer.", "with 62 % or more"):
        assert said in read_rows(pane.sheet)
    pane.show_state(ScopeState(inspection=inspection, selected=inspection.matches[1], settings=Settings()))
    assert "Without each word" not in read_rows(pane.sheet)


def test_that_each_reason_of_absence_is_told_once(qtbot: QtBot) -> None:
    inspection = lexical_only()
    reason = "The encoder is loading; the best lexical score decides for now."
    inspection = replace(inspection, absent={"semantic": reason, "centroid": reason})
    pane = selected_pane(qtbot, ScopeState(inspection=inspection, selected=inspection.matches[0], settings=Settings()))
    assert f"Semantic, Centroid: {reason}" in read_rows(pane.sheet).split("\n")
    assert read_rows(pane.sheet).count(reason) == 1


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_that_any_trigger_stays_within_the_pane(qtbot: QtBot, text: str) -> None:
    scope_state, _ = with_trigger(text)
    pane = selected_pane(qtbot, scope_state)
    assert text in read_rows(pane.sheet)
    assert pane.sheet.document().size().width() <= pane.sheet.viewport().width(), "it is wrapped"


def test_that_the_card_says_what_is_surfaced_and_which_rows_are_dead(qtbot: QtBot) -> None:
    panel = IntentPanel(Theme())
    qtbot.addWidget(panel)
    panel.resize(296, 480)
    panel.show()
    panel.show_state(ScopeState(inspection=design(), settings=Settings()))
    lines = read_rows(panel.sheet).split("\n")
    assert "The type has 55 %, below 60 %: 80 % is needed to be injected." in lines
    assert "≥ 30 %  5 memories below threshold" in lines


def test_that_the_pen_joins_what_touches_and_parts_what_does_not(qtbot: QtBot) -> None:
    theme, image = Theme(), QImage(300, 60, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    canvas = Canvas(painter, theme, 300)
    end = canvas.text(QRectF(0, 0, 100, 18), "0.4", theme.face(12), "text", LEFT)
    canvas.text(QRectF(end, 0, 100, 18), "5", theme.face(12))
    canvas.text(QRectF(200, 1, 90, 16), "–", theme.face(12), "text", RIGHT)
    canvas.text(QRectF(0, 20, 100, 18), "next", theme.face(12))
    canvas.aside("(dead)")
    painter.end()
    assert canvas.written == ["0.45 absent", "next (dead)"]


def test_that_samples_are_offered_without_a_query_and_typed_by_keyboard(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    matches = window.scope.panels["matches"]
    samples = matches.samples  # type: ignore[attr-defined]
    qtbot.waitUntil(samples.isVisible)
    buttons = samples.lines.buttons
    assert [button.text() for button in buttons] == [sample.text for sample in SAMPLES]
    assert buttons[1].accessibleName() == "One clear power: run a postgres query"
    assert matches.focus_target() is buttons[0]
    buttons[1].setFocus()
    QTest.keyClick(buttons[1], Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    line = window.scope.bar.box.line
    assert line.text() == "run a postgres query"
    assert window.focusWidget() is line
    assert not samples.isVisible()
    window.ask("")
    qtbot.waitUntil(samples.isVisible)


def test_that_nothing_is_offered_where_the_library_is_another(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench(counts={**COUNTS, "memories": 7}))
    round_trip(qtbot, window.worker)
    assert not window.scope.panels["matches"].samples.isVisible()  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [11, 12, 13])
@pytest.mark.parametrize("lines", [1, 2, 3, 4])
def test_that_a_cut_paragraph_fills_the_lines_that_it_takes(qtbot: QtBot, size: int, lines: int) -> None:
    theme = Theme()
    image = QImage(240, 120, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    height = Canvas(painter, theme, 240).paragraph(QRectF(0, 0, 240, 120), LONG, theme.face(size), lines=lines)
    painter.end()
    row = height / lines
    inked = [
        any(image.pixelColor(x, y).lightness() < 128 for x in range(240) for y in range(round(top), round(top + row)))
        for top in (row * place for place in range(lines))
    ]
    assert inked == [True] * lines


@pytest.fixture
def area(qtbot: QtBot) -> QScrollArea:
    body = QWidget()
    column = QVBoxLayout(body)
    for number in range(40):
        column.addWidget(QPushButton(str(number)))
    area = ScrollArea(body, "Buttons")
    qtbot.addWidget(area)
    area.resize(200, 200)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(area.isActiveWindow)
    return area


def last_focused(area: QScrollArea) -> QPushButton:
    """Give the focus to the last button, with the area scrolled to its end; the first one is next."""
    buttons = {button.text(): button for button in area.findChildren(QPushButton)}
    button = buttons["39"]
    QWidget.setTabOrder(button, buttons["0"])
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    button.setFocus()
    return button


@pytest.mark.parametrize("verb", ["disable", "hide"])
def test_that_the_area_stays_where_the_focused_button_goes_away(area: QScrollArea, verb: str) -> None:
    button = last_focused(area)
    place = area.verticalScrollBar().value()
    if verb == "hide":
        button.setVisible(False)
    else:
        button.setEnabled(False)
    assert not button.hasFocus()
    assert area.verticalScrollBar().value() == place > 0


def test_that_the_area_follows_the_tab_key(area: QScrollArea) -> None:
    QTest.keyClick(last_focused(area), Qt.Key.Key_Tab)
    assert area.verticalScrollBar().value() < 100


Lines = tuple[tuple[str, str], ...]


class Prices(Sheet):
    """Sheet with a name at the left and a number at the right."""

    lines: Lines = (("tea", "0.500"), ("milk", "–"))

    def compose(self, canvas: Canvas) -> float:
        for place, (name, price) in enumerate(self.lines):
            canvas.text(QRectF(10, 20 * place, 80, 18), name, self.theme.face(12))
            canvas.text(QRectF(100, 20 * place, 60, 18), price, self.theme.face(12, mono=True), align=RIGHT)
        return 20.0 * len(self.lines)


@pytest.fixture
def listening() -> Iterator[None]:
    was = QAccessible.isActive()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(was)


def shown(qtbot: QtBot) -> Prices:
    sheet = Prices(Theme(), "Prices")
    qtbot.addWidget(sheet)
    sheet.resize(200, 100)
    sheet.show()
    qtbot.waitUntil(lambda: bool(sheet.read))
    return sheet


def name(interface: QAccessibleInterface) -> str:
    return interface.text(QAccessible.Text.Name)


def rows(sheet: Sheet) -> list[list[str]]:
    """Return each row with its cells, as exposed to a screen reader."""
    found = QAccessible.queryAccessibleInterface(sheet)
    lines = [found.child(place) for place in range(found.childCount())]
    return [[name(line), *(name(line.child(n)) for n in range(line.childCount()))] for line in lines]


def test_that_rows_and_cells_are_read_with_their_values(qtbot: QtBot, listening: None) -> None:
    sheet = shown(qtbot)
    qtbot.waitUntil(lambda: rows(sheet) == [["tea 0.500", "tea", "0.500"], ["milk absent", "milk", "absent"]])
    found = QAccessible.queryAccessibleInterface(sheet)
    number = found.child(0).child(1)
    assert number.role() == QAccessible.Role.StaticText
    assert found.rect().contains(number.rect())
    assert number.rect().x() > found.child(0).child(0).rect().x()


def test_that_what_is_not_drawn_any_more_is_not_read(qtbot: QtBot, listening: None) -> None:
    sheet = shown(qtbot)
    qtbot.waitUntil(lambda: len(rows(sheet)) == 2)
    sheet.lines = (("tea", "0.250"),)
    sheet.update()
    qtbot.waitUntil(lambda: rows(sheet) == [["tea 0.250", "tea", "0.250"]])


def test_that_nothing_is_made_where_nobody_listens(qtbot: QtBot) -> None:
    was = QAccessible.isActive()
    QAccessible.setActive(False)
    sheet = shown(qtbot)
    sheet.repaint()
    assert sheet.findChildren(QLabel) == []
    QAccessible.setActive(was)


def test_that_the_labels_of_near_values_do_not_overlap(qtbot: QtBot) -> None:
    qtbot.addWidget(plot := LinesPlot(Theme(), "Sweep"))
    plot.resize(280, 260)
    plot.show()
    line = Series("Right", (0.0, 0.5, 1.0), (0.2, 0.6, 0.4), "accent")
    plot.show_content(Chart((line,), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), ((0.74, "best"), (0.75, "today"))))
    qtbot.wait(50)
    one, other = (item for item in some(plot.findChild(QGraphicsView)).items() if isinstance(item, InfLineLabel))
    assert not one.sceneBoundingRect().intersects(other.sceneBoundingRect())
    view = one.line.getViewBox()
    assert view.sceneBoundingRect().right() - view.mapViewToScene(QPointF(1.0, 0.0)).x() > 10, "half of a wide mark"
