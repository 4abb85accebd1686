"""Tests of the design's colour table: every ratio is recomputed (WCAG 2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QRawFont, QTextLayout
from PySide6.QtWidgets import QApplication, QTableView, QVBoxLayout, QWidget

import app
from app.gui.kit.theme.theme import FONT_WEIGHTS, FONTS, Appearance, Mode, Preference, Theme, rescale
from app.gui.kit.theme.tokens import DARK, DARK_HIGH, LIGHT, LIGHT_HIGH, OUTLINES, Tokens
from app.scoring.scorers import SCORERS
from app.settings.model import SettingsSources, layer
from tests.gui.contrast import MARKS, PALETTES, TABLE, alike, contrast, rows

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
    short = [(token, ground) for token, ground, least, ratios in rows() if ratios[place] < least]
    assert short == [], palette


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
