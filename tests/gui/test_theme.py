"""The colour table of the design: every ratio is computed again (WCAG 2)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontInfo, QFontMetricsF
from PySide6.QtWidgets import QApplication

from app.gui.theme import DARK, LIGHT, Mode, Theme, Tokens
from app.scoring.scorers import SCORERS

TEXTS = 4.5
MARKS = 3.0


def luminance(name: str) -> float:
    color = QColor(name)
    parts = (color.redF(), color.greenF(), color.blueF())
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


# token, on which, light ratio, dark ratio, and what it must reach
TABLE = [
    ("text", "segment_on", 16.9, 7.3, TEXTS),
    ("border_strong", "surface", 3.4, 4.6, MARKS),
    ("text", "surface", 16.9, 14.2, TEXTS),
    ("text_2", "selection", 5.4, 6.1, TEXTS),
    ("accent", "surface", 7.1, 7.5, TEXTS),
    ("on_accent", "accent_fill", 7.1, 5.5, TEXTS),
    ("accent", "accent_soft", 6.0, 6.0, TEXTS),
    ("text", "selection", 14.0, 11.6, TEXTS),
    ("success", "success_soft", 5.6, 7.0, TEXTS),
    ("warning", "warning_soft", 5.6, 7.4, TEXTS),
    ("danger", "danger_soft", 5.6, 6.7, TEXTS),
    ("level_best", "surface", 6.4, 8.6, TEXTS),
    ("level_good", "surface", 6.4, 8.1, TEXTS),
    ("level_weak", "surface", 6.3, 8.8, TEXTS),
    ("level_none", "surface", 6.5, 7.5, TEXTS),
    ("exact", "selection", 7.7, 11.1, MARKS),
    ("fuzzy", "selection", 3.9, 6.6, MARKS),
    ("token_overlap", "selection", 3.3, 6.8, MARKS),
    ("semantic", "selection", 7.2, 5.1, MARKS),
    ("centroid", "selection", 4.5, 6.6, MARKS),
    ("keyword", "selection", 5.0, 5.0, MARKS),
    ("bar", "surface", 3.6, 4.6, MARKS),
    ("bar_over", "surface", 4.3, 7.7, MARKS),
]


@pytest.mark.parametrize(("token", "ground", "light", "dark", "least"), TABLE)
def test_that_contrast_is_what_the_design_says_and_enough(
    token: str, ground: str, light: float, dark: float, least: float
) -> None:
    for tokens, stated in ((LIGHT, light), (DARK, dark)):
        ratio = contrast(getattr(tokens, token), getattr(tokens, ground))
        assert ratio >= least
        assert ratio == pytest.approx(stated, abs=0.15)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_that_each_scorer_has_a_colour_of_its_own(tokens: Tokens) -> None:
    assert len({tokens.scorer(key) for key in SCORERS}) == len(SCORERS)
    assert tokens.scorer("of_tomorrow") == tokens.text_2


def test_that_the_theme_switches_live_and_tells_so(qapp: QApplication) -> None:
    theme, told = Theme(), []
    theme.changed.connect(lambda: told.append(theme.is_dark))
    theme.set_mode(Mode.DARK)
    theme.set_mode(Mode.DARK)
    theme.set_mode(Mode.LIGHT)
    assert told == [True, False]
    assert theme.palette().window().color() == QColor(LIGHT.bg)
    system = qapp.styleHints().colorScheme() == Qt.ColorScheme.Dark
    theme.set_mode(Mode.SYSTEM)
    assert theme.is_dark is system


def test_that_figures_have_one_width_in_the_mono_font(qapp: QApplication) -> None:
    theme = Theme()
    for font in (theme.face(12, mono=True), theme.face(12)):
        widths = {round(QFontMetricsF(font).horizontalAdvance(figure), 3) for figure in "0123456789"}
        assert len(widths) == 1, QFontInfo(font).family()


def test_that_sizes_follow_the_font(qapp: QApplication) -> None:
    theme = Theme()
    theme.scale = 2.0
    assert theme.px(16) == 32
    assert theme.font(12).pixelSize() == 24
    assert theme.face(12).pixelSize() == 12
