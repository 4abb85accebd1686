"""Tests of the LLM pane: states, remaining budget, raw texts, and no flicker."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.display import words
from app.domain.inspection import Inspection
from app.domain.llm import LlmOutcome
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import Canvas
from app.gui.kit.theme import Appearance, Mode, Theme
from app.gui.scope.panels.llm import TICK_MS, LlmPanel
from tests.build import some
from tests.gui.llm_states import ANSWER, DETAIL, bench, inspection_in, inspection_with, report_of

HEIGHTS = (480, 720)


class Column(QWidget):
    """Column of the window with the pane at its foot."""

    def __init__(self, height: int, width: int = 296) -> None:
        super().__init__()
        self.theme = Theme(self)
        self.pane = LlmPanel(self.theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addStretch(1)
        layout.addWidget(self.pane)
        self.pane.size_wish_changed.connect(self.fit)
        self.resize(width, height)

    def fit(self) -> None:
        wanted = some(self.pane.height_in(self.height() / self.theme.scale))
        self.pane.setFixedHeight(self.theme.px(wanted))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self.fit()
        return super().event(event)

    def show_inspection(self, inspection: Inspection | None, **values: object) -> None:
        made = bench(LlmOutcome.ANSWERED, **values)
        self.pane.show_state(ScopeState(inspection, status=made.status(), settings=made.settings))

    def read(self) -> str:
        self.pane.pill.repaint()
        self.pane.sheet.repaint()
        return f"{self.pane.pill.read}\n{self.pane.sheet.read}"


Wrote = list[tuple[QRectF, str]]


@pytest.fixture
def wrote(monkeypatch: pytest.MonkeyPatch) -> Wrote:
    """Record every drawn line and its position."""
    lines: Wrote = []
    write = Canvas.text

    def note(self: Canvas, rect: QRectF, text: str, *rest: Any) -> float:
        lines.append((QRectF(rect), text))
        return write(self, rect, text, *rest)

    monkeypatch.setattr(Canvas, "text", note)
    return lines


@pytest.fixture
def column(qtbot: QtBot) -> Column:
    made = Column(HEIGHTS[0])
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


# ---- states


@pytest.mark.parametrize("height", HEIGHTS)
def test_that_no_outcome_moves_anything(qtbot: QtBot, column: Column, height: int) -> None:
    column.resize(296, height)
    seen = set()
    for outcome in LlmOutcome:
        column.show_inspection(inspection_in(outcome))
        qtbot.wait(1)
        seen.add((column.pane.height(), column.pane.y(), column.pane.raw.geometry().topLeft().toTuple()))
    column.show_inspection(None)
    qtbot.wait(1)
    seen.add((column.pane.height(), column.pane.y(), column.pane.raw.geometry().topLeft().toTuple()))
    assert len(seen) == 1


def test_that_height_follows_the_column_and_whether_an_llm_is_set_up(qtbot: QtBot, column: Column) -> None:
    column.pane.show_state(ScopeState(inspection_in(LlmOutcome.OFF), status=bench(LlmOutcome.OFF).status()))
    off = column.pane.height()
    column.show_inspection(inspection_in(LlmOutcome.OFF))
    low = column.pane.height()
    column.resize(296, HEIGHTS[1])
    qtbot.waitUntil(lambda: column.pane.height() > low)
    tall = column.pane.height()
    column.show_inspection(inspection_in(LlmOutcome.OFF), llm__details=True)
    assert off < low < tall < column.pane.height()


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_every_outcome_is_read_aloud_with_its_word_and_its_sentence(column: Column, outcome: LlmOutcome) -> None:
    column.show_inspection(inspection_in(outcome))
    read = column.read()
    assert words.LLM[outcome].word in read
    assert column.pane.sheet.accessibleName()
    assert f"{column.pane.pill.accessibleDescription()}\n{column.pane.sheet.accessibleDescription()}" == read
    sentence = column.pane.sheet.shown.sentence
    assert sentence in read.replace("\N{NO-BREAK SPACE}", " ")


def test_that_three_types_are_drawn_where_it_is_low_and_six_where_it_is_tall(column: Column) -> None:
    column.show_inspection(inspection_in(LlmOutcome.LATE))
    assert "Explanation" in column.read()
    assert "Comparison" not in column.read()
    assert "qwen2.5:1.5b on" not in column.read()
    column.resize(296, HEIGHTS[1])
    QTest.qWait(20)
    assert all(name in column.read() for name in ("Explanation", "Comparison", "Location", "0.3 %"))
    assert "qwen2.5:1.5b on localhost:11434, one-token mode" in column.read()


def test_that_later_details_are_read_even_where_they_do_not_fit(column: Column) -> None:
    report = replace(report_of(LlmOutcome.ANSWERED), detail=DETAIL)
    column.show_inspection(inspection_with(report))
    assert "Later: topics build, mac" in column.read()
    column.show_inspection(inspection_with(report), llm__details=True)
    assert "The build fails again and again." in column.read()


@pytest.mark.parametrize("height", HEIGHTS)
def test_that_an_opinions_topics_keep_off_the_arithmetic(column: Column, height: int, wrote: Wrote) -> None:
    column.resize(296, height)
    QTest.qWait(20)
    said = replace(ANSWER, distribution=None, mode="json", topics=("build", "mac"), reasoning="It fails.")
    column.show_inspection(inspection_with(report_of(LlmOutcome.LATE, said)))
    wrote.clear()
    assert "It fails." in column.read()
    tops = sorted({rect.y() for rect, text in wrote if rect.y() > 40 and not text[-1].isdigit() and " = " not in text})
    assert all(below - above >= 15 for above, below in pairwise(tops))


def test_that_before_a_query_the_lane_says_if_the_llm_is_ready(column: Column) -> None:
    column.show_inspection(None)
    assert "Ready" in column.read()
    cold = bench(LlmOutcome.COLD)
    column.pane.show_state(ScopeState(status=cold.status(), settings=cold.settings))
    assert "about 6 s. This is not a time-out." in column.read().replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_the_pill_and_a_fault_lead_to_the_connection(qtbot: QtBot, column: Column, outcome: LlmOutcome) -> None:
    column.show_inspection(inspection_in(outcome))
    pane = column.pane
    is_fault = words.LLM[outcome].token == "danger"
    assert ("Open the connection" in column.read()) is is_fault
    asked: list[str] = []
    pane.action_requested.connect(asked.append)
    QTest.mouseClick(pane.pill, Qt.MouseButton.LeftButton)
    QTest.keyClick(pane.pill, Qt.Key.Key_Space)
    QTest.mouseClick(pane.sheet, Qt.MouseButton.LeftButton)
    assert asked == ["llm"] * (3 if is_fault else 2)


def test_that_an_llm_that_is_not_set_up_has_no_prompt_to_show(column: Column) -> None:
    column.pane.show_state(ScopeState(status=bench(LlmOutcome.OFF).status()))
    assert not column.pane.raw.isVisible()
    assert "Off" in column.read()


# ---- the budget


class Clock:
    """Clock that is advanced by the test."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def asking(column: Column, *, pause_ms: float = 0.0) -> Inspection:
    inspection = inspection_with(report_of(LlmOutcome.ASKING, pause_ms=pause_ms))
    column.show_inspection(inspection)
    return inspection


def test_that_the_budget_runs_down_after_the_typing_pause_and_stops_by_itself(qtbot: QtBot, column: Column) -> None:
    clock = Clock()
    column.pane.countdown.clock = clock
    inspection = asking(column, pause_ms=120.0)
    countdown, gone = column.pane.countdown, inspection.trace.settled_ms / 1000.0
    assert countdown.is_running
    for at, used in ((0.05, 0.0), (0.119, 0.0), (0.22, 100.0), (0.32, 200.0), (0.9, 200.0)):
        clock.now = at - gone
        assert countdown.used_ms == pytest.approx(used)
    clock.now = 5.0
    qtbot.waitUntil(lambda: not countdown.is_running)
    assert column.pane.sheet.used_ms == 200.0


def test_that_the_budget_is_drawn_at_most_twenty_times_a_second(qtbot: QtBot, column: Column) -> None:
    painted: list[int] = []
    column.pane.countdown.tick = lambda: painted.append(1)
    asking(column)
    qtbot.waitUntil(lambda: not column.pane.countdown.is_running)
    assert 1 <= len(painted) <= 200 / TICK_MS + 2
    drawn = len(painted)
    qtbot.wait(3 * TICK_MS)
    assert len(painted) == drawn


def test_that_any_word_of_the_llm_ends_the_countdown(column: Column) -> None:
    for outcome in set(LlmOutcome) - {LlmOutcome.ASKING}:
        inspection = asking(column)
        assert column.pane.countdown.is_running
        column.show_inspection(inspection_with(report_of(outcome), before=inspection))
        assert not column.pane.countdown.is_running
    asking(column)
    column.show_inspection(None)
    assert not column.pane.countdown.is_running


def test_that_a_better_answer_to_the_same_query_does_not_begin_the_budget_anew(column: Column) -> None:
    clock = Clock()
    column.pane.countdown.clock = clock
    inspection = asking(column)
    clock.now = 0.1
    used = column.pane.countdown.used_ms
    column.show_inspection(replace(inspection, notes=("better",)))
    assert column.pane.countdown.used_ms == used
    asking(column)
    assert column.pane.countdown.used_ms < used


def test_that_a_hidden_lane_does_not_tick(column: Column) -> None:
    asking(column)
    column.hide()
    assert not column.pane.countdown.is_running


def test_that_the_running_number_is_not_read_aloud(column: Column) -> None:
    asking(column, pause_ms=120.0)
    before = column.read()
    column.pane.sheet.used_ms = 150.0
    assert column.read() == before
    assert "After a typing pause of 120 ms, not counted." in before


# ---- raw texts


def opened_dialog(column: Column) -> QObject:
    QTest.mouseClick(column.pane.raw, Qt.MouseButton.LeftButton)
    return some(column.pane.dialog)


def test_that_prompt_and_reply_are_shown_as_text_and_copied(qtbot: QtBot, column: Column) -> None:
    column.show_inspection(inspection_in(LlmOutcome.ANSWERED))
    assert column.pane.raw.isEnabled()
    assert "raw prompt" in column.pane.raw.accessibleName()
    opened_dialog(column)
    dialog = some(column.pane.dialog)
    assert not dialog.isModal()
    texts = [field.toPlainText() for field in dialog.findChildren(QPlainTextEdit)]
    assert "<b>the build</b>" in texts[0]
    assert [field.accessibleName() for field in dialog.findChildren(QPlainTextEdit)] == ["Prompt", "Reply"]
    assert all(field.isReadOnly() for field in dialog.findChildren(QPlainTextEdit))
    dialog.copy()
    assert "' Trouble' -0.094" in QGuiApplication.clipboard().text()
    column.theme.set_appearance(Appearance(mode=Mode.DARK))
    dialog.close()
    assert column.pane.dialog is None


def test_that_the_dialog_follows_and_keeps_what_it_has_until_there_is_more(column: Column) -> None:
    report = report_of(LlmOutcome.ANSWERED)
    column.show_inspection(inspection_with(report))
    opened_dialog(column)
    dialog = some(column.pane.dialog)
    column.show_inspection(inspection_in(LlmOutcome.ASKING))
    assert "Trouble" in dialog.text
    column.show_inspection(inspection_with(replace(report, detail=DETAIL)))
    assert "Later reply" in dialog.text
    column.show_inspection(inspection_with(replace(report, reply="another")))
    assert "Later reply" not in dialog.text
    assert "another" in dialog.text
    dialog.close()


def test_that_there_is_nothing_to_open_where_nothing_was_kept(column: Column) -> None:
    for outcome in (LlmOutcome.TIMED_OUT, LlmOutcome.ASKING, LlmOutcome.UNREACHABLE):
        column.show_inspection(inspection_in(outcome))
        assert not column.pane.raw.isEnabled()
    column.pane.show_raw()
    assert column.pane.dialog is not None
    assert column.pane.dialog.none.isVisible()
    assert not column.pane.dialog.copy_button.isEnabled()
    column.pane.dialog.close()


def test_that_a_lane_that_says_the_same_is_not_drawn_again(column: Column, monkeypatch: pytest.MonkeyPatch) -> None:
    inspection = inspection_in(LlmOutcome.LATE)
    column.show_inspection(inspection)
    updates: list[int] = []
    monkeypatch.setattr(column.pane.sheet, "update", lambda: updates.append(1))
    column.show_inspection(replace(inspection, notes=("more",)))
    assert updates == []
    column.show_inspection(inspection_in(LlmOutcome.TIMED_OUT))
    assert updates == [1]
