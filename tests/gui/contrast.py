"""Contrast ratios of the design's colour table, recomputed in every palette."""

from collections.abc import Iterator
from itertools import combinations
from math import dist

from PySide6.QtGui import QColor

from app.gui.kit.tokens import DARK, DARK_HIGH, LIGHT, LIGHT_HIGH, Tokens
from app.scoring.scorers import SCORERS

TEXTS = 4.5
MARKS = 3.0

PALETTES = {"light": LIGHT, "dark": DARK, "light, high": LIGHT_HIGH, "dark, high": DARK_HIGH}

# token, ground, ratios in light and dark as the design states them, and the required ratio
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
    ("bm25", "selection", 4.4, 7.2, MARKS),
    ("semantic", "selection", 7.2, 5.1, MARKS),
    ("centroid", "selection", 4.5, 6.6, MARKS),
    ("description", "selection", 5.6, 5.2, MARKS),
    ("regression", "selection", 5.5, 5.9, MARKS),
    ("keyword", "selection", 5.0, 5.0, MARKS),
    ("bar", "surface", 3.6, 4.6, MARKS),
    ("bar_over", "surface", 4.3, 7.7, MARKS),
]

# Further pairs drawn by the window: token, ground, and the required ratio.
ALSO = [
    ("text", "bg", TEXTS),
    ("text_2", "bg", TEXTS),
    ("text_2", "sunken", TEXTS),
    ("text", "raised", TEXTS),
    ("accent", "bg", TEXTS),
    ("danger", "bg", TEXTS),
    ("danger", "surface", TEXTS),
    ("warning", "surface", TEXTS),
    ("success", "surface", TEXTS),
]

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
BLINDNESS = {
    "protanopia": (0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998),
    "deuteranopia": (0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881),
    "tritanopia": (1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900),
}
ALIKE = 20.0
"""Distance (CIE76) below which colours are hard to distinguish on thin bars."""


def linear(name: str) -> tuple[float, float, float]:
    color = QColor(name)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    )
    return red, green, blue


def luminance(name: str) -> float:
    red, green, blue = linear(name)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def seen(name: str, blindness: str) -> tuple[float, float, float]:
    """Convert a colour to CIE L*a*b* as seen with this kind of colour blindness."""
    rgb, matrix = linear(name), BLINDNESS[blindness]
    return _lab(
        [min(1.0, max(0.0, sum(m * c for m, c in zip(matrix[n : n + 3], rgb, strict=True)))) for n in (0, 3, 6)]
    )


def _lab(rgb: list[float]) -> tuple[float, float, float]:
    red, green, blue = rgb
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def alike(tokens: Tokens) -> Iterator[tuple[str, str, str, float]]:
    for one, other in combinations(SCORERS, 2):
        for blindness in BLINDNESS:
            apart = dist(seen(tokens.scorer(one), blindness), seen(tokens.scorer(other), blindness))
            if apart < ALIKE:
                yield one, other, blindness, apart


def rows() -> Iterator[tuple[str, str, float, list[float]]]:
    """Yield every pair with the required ratio, and the ratio in each palette."""
    for token, ground, least in [*((t, g, least) for t, g, _, _, least in TABLE), *ALSO]:
        yield token, ground, least, [contrast(getattr(p, token), getattr(p, ground)) for p in PALETTES.values()]
