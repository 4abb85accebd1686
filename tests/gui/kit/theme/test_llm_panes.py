"""Tests of LLM results in other panes: intent card, policies, waterfall and histogram."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.domain.llm import LlmOutcome
from app.domain.scope.inspection import LLM_STAGE, Inspection
from app.gui.bridge.scope_state import LateCount, ScopeState
from app.gui.kit.document import DocumentView
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.histogram import Histogram
from app.gui.kit.theme.theme import Appearance, Mode, Theme
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.panel import Panel
from app.gui.scope.panels.session import SessionPanel, WaterfallPanel
from app.gui.shell.status_line import llm_part
from tests.build import some
from tests.gui.documents import read_rows
from tests.gui.llm_states import bench, inspection_in, inspection_with, report_of, settings

SIZES = {IntentPanel: (296, 333), WaterfallPanel: (452, 200), SessionPanel: (780, 200)}


def shown(qtbot: QtBot, panel: Panel, size: tuple[int, int]) -> Panel:
    qtbot.addWidget(panel)
    panel.resize(*size)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def scope_state(inspection: Inspection | None, **values: object) -> ScopeState:
    made = bench(LlmOutcome.ANSWERED, **values)
    return ScopeState(inspection, status=made.status(), settings=made.settings)


def read(sheet: Sheet | DocumentView) -> str:
    if isinstance(sheet, DocumentView):
        return read_rows(sheet)
    sheet.repaint()
    return sheet.read


@pytest.fixture
def intent(qtbot: QtBot) -> IntentPanel:
    panel = IntentPanel(Theme())
    shown(qtbot, panel, SIZES[IntentPanel])
    return panel


def test_that_the_bars_name_floor_llm_final_and_threshold(intent: IntentPanel) -> None:
    intent.show_state(scope_state(inspection_in(LlmOutcome.LATE)))
    for text in ("Keywords 55 %", "LLM 91 %", "Result 45 %", "Inject from 60 %"):
        assert text in read(intent.sheet)
    intent.show_state(scope_state(inspection_in(LlmOutcome.LATE), search_intent__surfacing_threshold=0.3))
    assert "Inject from 30 %" in read(intent.sheet)


def test_that_both_policies_are_laid_side_by_side_and_taken_away_again(intent: IntentPanel) -> None:
    intent.show_state(scope_state(inspection_in(LlmOutcome.TIMED_OUT)))
    assert intent.one.isHidden()
    intent.toggle_policies()
    lines = read(intent.sheet)
    for text in ("as decided", "by type", "−0.100", "In force: by type. Here the results are equal."):
        assert text in lines
    assert "Confidence 0.450 0.450" in lines
    intent.show_state(scope_state(inspection_in(LlmOutcome.ANSWERED)))
    assert "In force: by type. Here the results are equal." in read(intent.sheet)
    QTest.mouseClick(intent.one, Qt.MouseButton.LeftButton)
    assert intent.one.isHidden()
    assert "as decided" not in read(intent.sheet)


def test_that_the_waterfall_has_the_llm_on_its_own_scale(qtbot: QtBot) -> None:
    panel = WaterfallPanel(Theme())
    shown(qtbot, panel, SIZES[WaterfallPanel])
    panel.show_state(scope_state(inspection_in(LlmOutcome.LATE)))
    lines = read(panel.sheet)
    for text in ("LLM", "740 ms", "0 to 800 ms", "200 ms budget", "answered late", "settled 8.6 ms", "within 10 ms"):
        assert text in lines
    assert panel.pause.text() == "Typing pause 120 ms, not counted"
    panel.show_state(scope_state(inspection_in(LlmOutcome.OFF)))
    assert "0 to 800 ms" not in read(panel.sheet)
    assert panel.pause.text() == ""


def test_that_all_outcomes_can_be_drawn_in_every_pane_in_the_dark(qtbot: QtBot) -> None:
    theme = Theme()
    panels = [made(theme) for made in (IntentPanel, WaterfallPanel)]
    for panel in panels:
        shown(qtbot, panel, SIZES[type(panel)])
    theme.set_appearance(Appearance(mode=Mode.DARK))
    for outcome in LlmOutcome:
        for panel in panels:
            panel.show_state(scope_state(inspection_in(outcome)))
            panel.grab()


# ---- the session


@pytest.fixture
def session(qtbot: QtBot) -> SessionPanel:
    panel = SessionPanel(Theme())
    shown(qtbot, panel, SIZES[SessionPanel])
    return panel


def histogram(panel: SessionPanel) -> Histogram:
    return panel.fixed[LLM_STAGE]


def answered(panel: SessionPanel, outcome: LlmOutcome = LlmOutcome.ANSWERED, **values: object) -> Inspection:
    inspection = inspection_in(outcome)
    panel.show_state(scope_state(inspection, **values))
    panel.note({stage.name: stage.ms for stage in inspection.trace.stages} | {ON_SCREEN: 9.0})
    panel.redraw()
    return inspection


def test_that_the_llm_has_a_histogram_of_its_own_where_one_is_set_up(session: SessionPanel) -> None:
    session.note({ON_SCREEN: 8.0, "keywords": 0.2})
    session.redraw()
    assert not histogram(session).isVisible()
    assert session.stage.isVisible()
    answered(session)
    assert histogram(session).isVisible()
    assert not session.stage.isVisible()
    session.resize(1300, 240)
    assert session.stage.isVisible()
    assert histogram(session).isVisible()


def test_that_a_query_counts_once_however_often_it_is_shown(session: SessionPanel) -> None:
    session.show_state(scope_state(replace(answered(session), notes=("later",))))
    assert list(session.durations[LLM_STAGE].sorted()) == [142.0]
    assert session.chooser.findText("LLM") == -1


def test_that_the_budget_of_the_histogram_comes_from_the_settings(session: SessionPanel) -> None:
    answered(session, LlmOutcome.LATE)
    assert histogram(session).budget.budget == ("200 ms budget", "1 of 1 over (100 %)")
    answered(session, search_intent__llm_timeout_ms=800)
    assert histogram(session).budget.budget == ("800 ms budget", "0 of 2 over (0 %)")
    late = LateCount()
    assert late.note(1, inspection_in(LlmOutcome.LATE))
    assert llm_part(bench().status(), late)[0] == "warning", "no sign of success if all answers are late"


def test_that_the_axis_is_named_and_changes_on_demand(session: SessionPanel) -> None:
    answered(session)
    runs = histogram(session).runs
    assert runs.text() == "ms, log axis, 1 run"
    QTest.mouseClick(runs, Qt.MouseButton.LeftButton)
    assert runs.text() == "ms, 1 run"
    assert runs.accessibleDescription() == "Change to a logarithmic axis"
    assert session.fixed[ON_SCREEN].runs.text() == "ms, 1 run"


def test_that_a_histogram_without_times_is_no_empty_axis(session: SessionPanel) -> None:
    inspection = inspection_in(LlmOutcome.UNREACHABLE)
    session.show_state(scope_state(inspection))
    session.note({ON_SCREEN: 9.0})
    session.redraw()
    assert histogram(session).none.isVisible()
    plot = some(histogram(session).plot)
    assert not plot.isVisible()
    assert "No budget" not in read(histogram(session).budget)


def test_that_cleared_times_are_not_counted_again(session: SessionPanel) -> None:
    inspection = answered(session)
    session.forget()
    session.show_state(scope_state(inspection))
    assert len(session.durations[LLM_STAGE]) == 0


# ---- no flicker


def test_that_the_llms_word_changes_no_row_of_the_matches(qtbot: QtBot) -> None:
    panel = MatchesPanel(Theme())
    shown(qtbot, panel, (640, 400))
    floor = inspection_in(LlmOutcome.ASKING)
    panel.show_state(ScopeState(floor, floor.matches[1], settings=settings()))
    told: list[str] = []
    for name in ("modelReset", "rowsInserted", "rowsRemoved", "layoutChanged", "dataChanged"):
        getattr(panel.model, name).connect(lambda *_, name=name: told.append(name))
    current = panel.view.currentIndex().row()
    for outcome in (LlmOutcome.TIMED_OUT, LlmOutcome.LATE, LlmOutcome.ANSWERED):
        merged = inspection_with(report_of(outcome), before=floor)
        panel.show_state(ScopeState(merged, merged.matches[1], settings=settings()))
    assert told == []
    assert panel.view.currentIndex().row() == current == 1
