"""Tests of the design's colour table: every ratio is recomputed (WCAG 2)."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QRawFont, QTextLayout
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

import app
from app.display.scope.timing import ON_SCREEN
from app.domain.inspection import LLM_STAGE, Inspection
from app.domain.llm import LlmOutcome
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.document import DocumentView
from app.gui.kit.histogram import Histogram
from app.gui.kit.sheet import Sheet
from app.gui.kit.theme import FONT_WEIGHTS, FONTS, Appearance, Mode, Preference, Theme, rescale
from app.gui.kit.tokens import DARK, DARK_HIGH, LIGHT, LIGHT_HIGH, OUTLINES, Tokens
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.panel import Panel
from app.gui.scope.panels.session import SessionPanel, WaterfallPanel
from app.gui.shell.status_line import StatusLine
from app.scoring.scorers import SCORERS
from app.settings.model import SettingsSources, layer
from tests.build import some
from tests.gui.contrast import MARKS, PALETTES, TABLE, alike, contrast, rows
from tests.gui.documents import read_rows
from tests.gui.llm_states import bench, inspection_in, inspection_with, report_of, settings

FULL_WIDTH = set("＋－＝＠")
"""Characters of other scripts that are read in files and never shown by the program."""


@pytest.mark.parametrize(("token", "ground", "light", "dark", "least"), TABLE)
def test_that_contrast_is_what_the_design_says_and_enough(
    token: str, ground: str, light: float, dark: float, least: float
) -> None:
    for tokens, stated in ((LIGHT, light), (DARK, dark)):
        ratio = contrast(getattr(tokens, token), getattr(tokens, ground))
        assert ratio >= least
        assert ratio == pytest.approx(stated, abs=0.15)


@pytest.mark.parametrize(("place", "palette"), list(enumerate(PALETTES)))
def test_that_every_pair_is_told_apart_in_every_palette(place: int, palette: str) -> None:
    assert ([(token, ground) for token, ground, least, ratios in rows() if ratios[place] < least]) == [], palette


@pytest.mark.parametrize(("plain", "high"), [(LIGHT, LIGHT_HIGH), (DARK, DARK_HIGH)])
def test_that_high_contrast_has_strong_borders_and_no_soft_fills(plain: Tokens, high: Tokens) -> None:
    assert contrast(high.border, high.surface) >= MARKS
    assert contrast(high.border_strong, high.surface) > contrast(plain.border_strong, plain.surface)
    assert contrast(high.text_2, high.selection) >= 7.0
    for soft, outline in OUTLINES.items():
        assert getattr(high, soft) == high.surface
        assert contrast(getattr(high, outline), high.surface) >= MARKS


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_that_scorers_that_look_alike_to_some_are_told_apart_by_their_initials(tokens: Tokens) -> None:
    near = {(one, other) for one, other, _, _ in alike(tokens)}
    assert ("token_overlap", "centroid") in near
    assert all(SCORERS[one].initial != SCORERS[other].initial for one, other in near)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_that_each_scorer_has_a_colour_of_its_own(tokens: Tokens) -> None:
    assert len({tokens.scorer(key) for key in SCORERS}) == len(SCORERS)
    assert tokens.scorer("of_tomorrow") == tokens.text_2


def test_that_the_theme_switches_live_and_tells_so(qapp: QApplication) -> None:
    theme, told = Theme(), []
    theme.changed.connect(lambda: told.append(theme.is_dark))
    theme.set_appearance(Appearance(mode=Mode.DARK))
    theme.set_appearance(Appearance(mode=Mode.DARK))
    theme.set_appearance(Appearance(mode=Mode.LIGHT))
    assert told == [True, False]
    assert theme.palette().window().color() == QColor(LIGHT.bg)
    system = qapp.styleHints().colorScheme() == Qt.ColorScheme.Dark
    theme.set_appearance(Appearance(mode=Mode.SYSTEM))
    assert theme.is_dark is system


def test_that_figures_have_one_width_in_the_mono_font(qapp: QApplication) -> None:
    theme = Theme()
    for font in (theme.face(12, mono=True), theme.face(12)):
        widths = {round(QFontMetricsF(font).horizontalAdvance(figure), 3) for figure in "0123456789"}
        assert len(widths) == 1, QFontInfo(font).family()


def test_that_the_look_is_in_the_fonts_that_ship_with_the_program(qapp: QApplication) -> None:
    theme = Theme()
    for mono in (False, True):
        name = "JetBrains Mono for Intentscope" if mono else "Inter for Intentscope"
        found = {weight: QFontInfo(theme.font(13, weight, mono=mono)) for weight in (400, 450, 500, 600, 650, 700)}
        assert {font.family() for font in found.values()} == {name}
        styles = [font.styleName() for font in found.values()]
        assert styles == ["Regular", "Regular", "Medium", "SemiBold", "SemiBold", "Bold"]
    files = {file.stem for file in FONTS.glob("*.ttf")}
    assert files == {f"{name}-{weight}" for name in ("Inter", "JetBrainsMono") for weight in FONT_WEIGHTS}
    assert sum(file.stat().st_size for file in FONTS.iterdir()) < 1_500_000


def test_that_every_sign_of_the_program_is_in_its_fonts(qapp: QApplication) -> None:
    theme = Theme()
    faces = [QRawFont.fromFont(theme.font(mono=mono)) for mono in (False, True)]
    sources = [*Path(app.__file__).parent.rglob("*.py"), *(FONTS.parent / "help").glob("*.md")]
    signs = {sign for source in sources for sign in source.read_text("utf-8") if sign.isprintable()}
    lacking = {sign for sign in signs if not any(face.supportsCharacter(ord(sign)) for face in faces)}
    assert lacking == FULL_WIDTH


def test_that_a_text_is_shown_as_it_was_typed(qapp: QApplication) -> None:
    typed, font = "10x20 -> fi", QFont(Theme().sans)
    layout = QTextLayout(typed, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    shown = [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]
    assert shown == QRawFont.fromFont(font).glyphIndexesForString(typed)


def test_that_figures_of_one_width_do_not_widen_the_names_beside_them(qapp: QApplication) -> None:
    theme = Theme()
    plain = QFont(theme.font(13))
    plain.setFeature(QFont.Tag("tnum"), 0)
    for text in ("build-fails-locally", "How-to: (a, b)"):
        assert theme.face(13).width(text) == QFontMetricsF(plain).horizontalAdvance(text)


def test_that_sizes_follow_the_font(qapp: QApplication) -> None:
    theme = Theme()
    theme.scale = 2.0
    assert theme.px(16) == 32
    assert theme.font(12).pixelSize() == 24
    assert theme.face(12).pixelSize() == 12


def test_that_wishes_come_from_the_settings() -> None:
    said = {"theme": "dark", "high_contrast": "on", "reduced_motion": "off", "text_scale": "1.5"}
    look = Appearance.of(layer(SettingsSources(command_line=said)).values)
    assert look == Appearance(Mode.DARK, Preference.ON, Preference.OFF, 1.5)
    assert Appearance.of(layer().values) == Appearance()


def test_that_high_contrast_goes_with_light_and_dark(qapp: QApplication) -> None:
    theme = Theme()
    theme.set_appearance(Appearance(Mode.LIGHT, high_contrast=Preference.ON))
    assert (theme.is_dark, theme.is_high_contrast, theme.tokens) == (False, True, LIGHT_HIGH)
    assert theme.outline("danger_soft") == "danger"
    theme.set_appearance(Appearance(Mode.DARK, high_contrast=Preference.ON))
    assert (theme.is_dark, theme.is_high_contrast, theme.tokens) == (True, True, DARK_HIGH)
    theme.set_appearance(Appearance(Mode.DARK, high_contrast=Preference.OFF))
    assert theme.tokens is DARK
    assert theme.outline("danger_soft") is None


def test_that_nothing_moves_where_less_motion_is_wished(qapp: QApplication) -> None:
    theme = Theme()
    theme.set_appearance(Appearance(reduced_motion=Preference.OFF))
    assert theme.duration(160) == 160
    theme.set_appearance(Appearance(reduced_motion=Preference.ON))
    assert theme.duration(160) == 0


def test_that_text_size_grows_what_is_drawn_and_what_was_fixed(qapp: QApplication) -> None:
    theme = Theme()
    ratios: list[float] = []
    before = theme.scale
    widget = QWidget()
    inner = QWidget(widget)
    inner.setFixedHeight(theme.px(26))
    inner.setContentsMargins(theme.px(16), 0, 0, 0)
    table = QTableView(widget)
    table.verticalHeader().setDefaultSectionSize(theme.px(28))
    column = QVBoxLayout(widget)
    column.setContentsMargins(theme.px(16), 0, 1, 0)
    column.setSpacing(theme.px(8))
    column.addWidget(inner)
    theme.resized.connect(lambda ratio: rescale(widget, ratio))
    theme.resized.connect(ratios.append)
    for scale in (2.0, 1.3, 1.0):
        theme.set_appearance(Appearance(text_scale=scale))
        assert theme.scale == pytest.approx(before * scale)
        assert theme.font(13).pixelSize() == theme.px(13)
        assert (inner.height(), inner.contentsMargins().left()) == (theme.px(26), theme.px(16))
        assert (column.contentsMargins().left(), column.contentsMargins().right()) == (theme.px(16), 1)
        assert column.spacing() == theme.px(8)
        assert table.verticalHeader().defaultSectionSize() == theme.px(28)
        table.setFont(theme.font(13))
    assert ratios[0] == 2.0
    assert len(ratios) == 3
    widget.deleteLater()


def test_that_a_second_theme_starts_from_the_systems_text_size(qapp: QApplication) -> None:
    before, system = qapp.font(), Theme().scale
    large = QFont(before)
    large.setPixelSize(60)
    qapp.setFont(large)
    assert Theme().scale == system
    qapp.setFont(before)


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


def test_that_the_budget_of_the_histogram_comes_from_the_settings(qtbot: QtBot, session: SessionPanel) -> None:
    answered(session, LlmOutcome.LATE)
    assert histogram(session).budget.budget == ("200 ms budget", "1 of 1 over (100 %)")
    answered(session, search_intent__llm_timeout_ms=800)
    assert histogram(session).budget.budget == ("800 ms budget", "0 of 2 over (0 %)")
    qtbot.addWidget(line := StatusLine(session.theme))
    line.show_status(bench().status())
    line.note(1, inspection_in(LlmOutcome.LATE))
    assert line.llm()[0] == "warning", "no sign of success if all answers are late"


def test_that_the_axis_is_named_and_changes_on_demand(session: SessionPanel) -> None:
    answered(session)
    runs = histogram(session).runs
    assert runs.text() == "ms, log axis, 1 run"
    QTest.mouseClick(runs, Qt.MouseButton.LeftButton)
    assert runs.text() == "ms, 1 run"
    assert runs.accessibleDescription() == "Change to a logarithmic axis"
    assert session.fixed[ON_SCREEN].runs.text() == "ms, 1 run"


def test_that_a_histogram_without_times_is_no_empty_axis(session: SessionPanel) -> None:
    session.show_state(scope_state(inspection_in(LlmOutcome.UNREACHABLE)))
    session.note({ON_SCREEN: 9.0})
    session.redraw()
    assert histogram(session).none.isVisible()
    assert not some(histogram(session).plot).isVisible()
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
