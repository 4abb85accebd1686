"""Colours, fonts and sizes: two tables of tokens, and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetricsF, QGuiApplication, QPalette, QStaticText

REMEMBERED_WIDTHS = 4_000
REMEMBERED_TEXTS = 1_000

BASE_PX = 13
"""The text height that all sizes of the design are given for."""


class Mode(StrEnum):
    """Which table is in force; SYSTEM asks the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme by their name in the design."""

    bg: str
    surface: str
    raised: str
    sunken: str
    segment_on: str
    border: str
    border_strong: str
    text: str
    text_2: str
    accent: str
    accent_fill: str
    on_accent: str
    accent_soft: str
    selection: str
    success: str
    warning: str
    danger: str
    level_best: str
    level_good: str
    level_weak: str
    level_none: str
    exact: str
    fuzzy: str
    token_overlap: str
    semantic: str
    centroid: str
    keyword: str
    bar: str
    bar_over: str
    success_soft: str
    warning_soft: str
    danger_soft: str

    def scorer(self, key: str) -> str:
        """The colour of a scorer; one without a colour of its own is drawn in the text's."""
        return str(getattr(self, key, self.text_2))


LIGHT = Tokens(
    bg="#F4F5F7",
    surface="#FFFFFF",
    raised="#FFFFFF",
    sunken="#E8EBF0",
    segment_on="#FFFFFF",
    border="#DCE0E6",
    border_strong="#838C9A",
    text="#1A1D23",
    text_2="#565E6C",
    accent="#4A45C8",
    accent_fill="#4A45C8",
    on_accent="#FFFFFF",
    accent_soft="#ECEBFB",
    selection="#E9E8FB",
    success="#146C43",
    warning="#8A5300",
    danger="#B3261E",
    level_best="#146C43",
    level_good="#1B5FAA",
    level_weak="#8A5300",
    level_none="#565E6C",
    exact="#3F4756",
    fuzzy="#B25E00",
    token_overlap="#1F86C2",
    semantic="#1746A0",
    centroid="#00795A",
    keyword="#A23E78",
    bar="#7687A8",
    bar_over="#C25E00",
    success_soft="#E3F3EA",
    warning_soft="#FBF0DC",
    danger_soft="#FBE9E7",
)

DARK = Tokens(
    bg="#111317",
    surface="#181B20",
    raised="#22262D",
    sunken="#2B3039",
    segment_on="#434A57",
    border="#2D323B",
    border_strong="#7A8494",
    text="#E7E9ED",
    text_2="#A3ABB9",
    accent="#A5A1FF",
    accent_fill="#5B55DD",
    on_accent="#FFFFFF",
    accent_soft="#2A2950",
    selection="#26284A",
    success="#5CCB93",
    warning="#E8B04B",
    danger="#FF8A80",
    level_best="#5CCB93",
    level_good="#7FB6F5",
    level_weak="#E8B04B",
    level_none="#A3ABB9",
    exact="#E0E4EC",
    fuzzy="#F0A030",
    token_overlap="#62BDF0",
    semantic="#7396FF",
    centroid="#34C79A",
    keyword="#DD79B4",
    bar="#7385A8",
    bar_over="#F09A3E",
    success_soft="#17301F",
    warning_soft="#332814",
    danger_soft="#3A1D1B",
)


class Face(QFont):
    """A font that remembers how wide the texts are that were written in it, and how they are set."""

    def __init__(self, font: QFont) -> None:
        super().__init__(font)
        self.measure = QFontMetricsF(font)
        self.high = self.measure.height()
        self._widths: dict[str, float] = {}
        self._set: dict[str, QStaticText] = {}

    def width(self, text: str) -> float:
        """How wide a text is on one line."""
        found = self._widths.get(text)
        if found is None:
            if len(self._widths) > REMEMBERED_WIDTHS:
                self._widths.clear()
            found = self._widths[text] = self.measure.horizontalAdvance(text)
        return found

    def ready(self, text: str) -> QStaticText:
        """A text set on one line once, so that drawing it again is cheap."""
        found = self._set.get(text)
        if found is None:
            if len(self._set) > REMEMBERED_TEXTS:
                self._set.clear()
            found = QStaticText(text)
            found.setTextFormat(Qt.TextFormat.PlainText)
            found.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            self._set[text] = found
        return found


class Theme(QObject):
    """The theme in force: tokens, fonts by role, and sizes that follow the font. `changed` asks all to redraw."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode = Mode.SYSTEM
        self._fonts: dict[tuple[int, int, bool], QFont] = {}
        self._faces: dict[tuple[float, int, bool], Face] = {}
        self.sans, self.mono = _families()
        self.scale = max(1.0, QFontInfo(QGuiApplication.font()).pixelSize() / BASE_PX)
        self.tokens = self._resolved()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_change)

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def is_dark(self) -> bool:
        return self.tokens is DARK

    def set_mode(self, mode: Mode) -> None:
        """Choose light, dark, or the desktop's; redraws if that makes a difference."""
        self._mode = mode
        self._apply()

    def px(self, size: float) -> int:
        """A length of the design in pixels at the current font."""
        return round(size * self.scale)

    def color(self, token: str) -> QColor:
        return color(getattr(self.tokens, token))

    def font(self, size: float = BASE_PX, weight: int = 400, *, mono: bool = False) -> QFont:
        """A font of the design; `mono` has figures of one width and no ligatures."""
        key = (self.px(size), weight, mono)
        if key not in self._fonts:
            self._fonts[key] = self._make_font(*key)
        return self._fonts[key]

    def face(self, size: float = BASE_PX, weight: int = 400, *, mono: bool = False) -> Face:
        """The font for what is painted: in the design's own units, because the pen scales as a whole."""
        key = (size, weight, mono)
        if key not in self._faces:
            self._faces[key] = Face(self._make_font(round(size), weight, mono))
        return self._faces[key]

    def _make_font(self, pixels: int, weight: int, mono: bool) -> QFont:
        font = QFont(self.mono if mono else self.sans)
        font.setPixelSize(pixels)
        font.setWeight(QFont.Weight(weight))
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        if mono:
            font.setStyleHint(QFont.StyleHint.Monospace)
            font.setFeature(QFont.Tag("liga"), 0)
            font.setFeature(QFont.Tag("calt"), 0)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def palette(self) -> QPalette:
        """The tokens as the palette that Fusion draws with."""
        palette = QPalette()
        role = QPalette.ColorRole
        for where, token in (
            (role.Window, "bg"),
            (role.Base, "surface"),
            (role.AlternateBase, "sunken"),
            (role.Button, "surface"),
            (role.ToolTipBase, "raised"),
            (role.WindowText, "text"),
            (role.Text, "text"),
            (role.ButtonText, "text"),
            (role.ToolTipText, "text"),
            (role.PlaceholderText, "text_2"),
            (role.Highlight, "accent_fill"),
            (role.HighlightedText, "on_accent"),
            (role.Link, "accent"),
            (role.Mid, "border"),
            (role.Dark, "border_strong"),
            (role.Light, "surface"),
        ):
            palette.setColor(where, self.color(token))
        for where in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, where, self.color("border_strong"))
        return palette

    def _resolved(self) -> Tokens:
        if self._mode is Mode.SYSTEM:
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if self._mode is Mode.DARK else LIGHT

    def _on_system_change(self) -> None:
        self._apply()

    def _apply(self) -> None:
        tokens = self._resolved()
        if tokens is not self.tokens:
            self.tokens = tokens
            self.changed.emit()


@cache
def color(name: str) -> QColor:
    """A colour by its hexadecimal name."""
    return QColor(name)


def _families() -> tuple[str, str]:
    known = set(QFontDatabase.families())
    sans = "Inter" if "Inter" in known else QGuiApplication.font().family()
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return sans, "JetBrains Mono" if "JetBrains Mono" in known else fixed
