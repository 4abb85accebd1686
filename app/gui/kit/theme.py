"""Theme by the user's preferences: colours, fonts, sizes; the look of the last run.

The library with the settings is not open yet. Sizes are not remembered: the window opens in its usual size, and its
text grows with the settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache, partial
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from PySide6.QtCore import QMargins, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QGuiApplication,
    QPalette,
    QResizeEvent,
    QStaticText,
)
from PySide6.QtWidgets import QApplication, QLayout, QTableView, QWidget

from app.files import TemporaryFolder, write_state
from app.gui.kit import icons
from app.gui.kit.tokens import DARK, DARK_HIGH, LIGHT, LIGHT_HIGH, OUTLINES, Tokens

if TYPE_CHECKING:
    from app.settings.model import Settings


FONTS = Path(__file__).resolve().parents[3] / "resources" / "fonts"
FONT_WEIGHTS = ("Regular", "Medium", "SemiBold", "Bold")

REMEMBERED_WIDTHS = 512
REMEMBERED_TEXTS = 128
"""Cache sizes, several times the texts of one face in a frame.

A laid-out text takes 2 kB, and every key brings new numbers: larger caches would grow for hours.
"""


@cache
def families() -> tuple[str, str]:
    """Return the design's font families from the shipped files, or the desktop's if missing.

    Both have names of their own, so that installed fonts never mix with them; other scripts and emoji use installed
    fonts. The lightest file is loaded first: between two weights Qt prefers the first one loaded.
    """
    general, fixed = QFontDatabase.SystemFont.GeneralFont, QFontDatabase.SystemFont.FixedFont
    return _shipped("Inter", general), _shipped("JetBrainsMono", fixed)


def _shipped(name: str, otherwise: QFontDatabase.SystemFont) -> str:
    regular, *_ = [QFontDatabase.addApplicationFont(str(FONTS / f"{name}-{weight}.ttf")) for weight in FONT_WEIGHTS]
    found = QFontDatabase.applicationFontFamilies(regular)
    return found[0] if found else QFontDatabase.systemFont(otherwise).family()


class Face(QFont):
    """Font that caches the widths and layouts of texts."""

    def __init__(self, font: QFont) -> None:
        super().__init__(font)
        self.measure = QFontMetricsF(font)
        self.high = self.measure.height()
        self.width = lru_cache(REMEMBERED_WIDTHS)(self._width)
        self.wrapped = lru_cache(REMEMBERED_TEXTS)(self._wrapped)
        self.cut = lru_cache(REMEMBERED_TEXTS)(self._cut)
        self.cropped = lru_cache(REMEMBERED_TEXTS)(self._cropped)
        self.ready = lru_cache(REMEMBERED_TEXTS)(self._ready)

    def _width(self, text: str) -> float:
        return self.measure.horizontalAdvance(text)

    def _wrapped(self, text: str, width: float, flags: int) -> float:
        """Return the height of a text wrapped to a width."""
        return self.measure.boundingRect(QRectF(0, 0, width, 100_000), flags, text).height()

    def _cut(self, text: str, width: float) -> str:
        """Elide a text to one line."""
        return self.measure.elidedText(text, Qt.TextElideMode.ElideRight, width)

    def _cropped(self, text: str, width: float, flags: int, height: float) -> str:
        """Cut a wrapped text to a height, with an ellipsis."""
        place, lines = QRectF(0, 0, width, 100_000), height / self.measure.lineSpacing() + 1
        least, most = 0, min(len(text), round(2 * lines * width / self.measure.averageCharWidth()))
        while least < most:
            middle = (least + most + 1) // 2
            shown = f"{text[:middle].rstrip()}…"
            if self.measure.boundingRect(place, flags, shown).height() <= height:
                least = middle
            else:
                most = middle - 1
        return f"{text[:least].rstrip()}…"

    def _ready(self, text: str) -> QStaticText:
        """Return a laid-out single-line text, cheap to draw again."""
        found = QStaticText(text)
        found.setTextFormat(Qt.TextFormat.PlainText)
        found.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        return found


# ---- Theme: what the user prefers, and what of it is in effect.


BASE_PX = 13
"""Text height in pixels that all sizes of the design refer to."""


class Mode(StrEnum):
    """Light or dark; SYSTEM follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Preference(StrEnum):
    """Preference of the user; SYSTEM follows the desktop, as far as Qt supports it."""

    SYSTEM = "system"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Appearance:
    """Appearance settings. `text_scale` multiplies the desktop's text size."""

    mode: Mode = Mode.SYSTEM
    high_contrast: Preference = Preference.SYSTEM
    reduced_motion: Preference = Preference.SYSTEM
    text_scale: float = 1.0

    @classmethod
    def of(cls, settings: Settings) -> Appearance:
        return cls(
            Mode(settings.theme),
            Preference(settings.high_contrast),
            Preference(settings.reduced_motion),
            settings.text_scale,
        )


class Theme(QObject):
    """Theme: tokens, fonts by role, and sizes relative to the font. `changed` requests redraws."""

    changed = Signal()
    resized = Signal(float)  # new scale over old, before `changed`: fixed sizes are to be set again

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.appearance = Appearance()
        self._system = QGuiApplication.styleHints()  # stored, since its objects are valid only as long as it exists
        self._fonts: dict[tuple[int, int, bool], QFont] = {}
        self._faces: dict[tuple[float, int, bool], Face] = {}
        self.sans, self.mono = families()
        system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)  # before the application's font is set
        self._system_scale = max(1.0, QFontInfo(system).pixelSize() / BASE_PX)
        self.scale = self._system_scale
        self.tokens = self._resolved()
        self._system.colorSchemeChanged.connect(self._apply)
        self._system.accessibility().contrastPreferenceChanged.connect(self._apply)

    @property
    def mode(self) -> Mode:
        return self.appearance.mode

    @property
    def is_dark(self) -> bool:
        return self.tokens is DARK or self.tokens is DARK_HIGH

    @property
    def is_high_contrast(self) -> bool:
        return self.tokens is LIGHT_HIGH or self.tokens is DARK_HIGH

    @property
    def is_still(self) -> bool:
        """True if nothing should move (reduced motion)."""
        preference = self.appearance.reduced_motion
        return self._prefers_reduced_motion() if preference is Preference.SYSTEM else preference is Preference.ON

    def set_appearance(self, appearance: Appearance) -> None:
        """Apply an appearance; emits `resized` if the scale changes, then `changed` for any change."""
        self.appearance = appearance
        before, self.scale = self.scale, self._system_scale * appearance.text_scale
        resized = before != self.scale
        if resized:
            self._fonts.clear()
            self.resized.emit(self.scale / before)
        self._apply(anyway=resized)

    def follow(self, apply: Callable[[], object]) -> None:
        """Call a function now and after each change."""
        self.changed.connect(apply)
        apply()

    def duration(self, ms: int) -> int:
        """Return a duration in ms; 0 with reduced motion."""
        return 0 if self.is_still else ms

    def px(self, size: float) -> int:
        """Return a length of the design in pixels at the current font."""
        return round(size * self.scale)

    def outline(self, token: str) -> str | None:
        """Return the outline token that replaces a soft fill in high contrast; None for none."""
        return OUTLINES.get(token) if self.is_high_contrast else None

    def color(self, token: str) -> QColor:
        return color(getattr(self.tokens, token))

    def font(self, size: float = BASE_PX, weight: int = 400, *, mono: bool = False) -> QFont:
        """Return a font of the design; `mono` has fixed-width figures and no ligatures."""
        key = (self.px(size), weight, mono)
        if key not in self._fonts:
            self._fonts[key] = self._make_font(*key)
        return self._fonts[key]

    def face(self, size: float = BASE_PX, weight: int = 400, *, mono: bool = False) -> Face:
        """Return the font for painting, in design units, since the canvas scales as a whole."""
        key = (size, weight, mono)
        if key not in self._faces:
            self._faces[key] = Face(self._make_font(round(size), weight, mono))
        return self._faces[key]

    def _make_font(self, pixels: int, weight: int, mono: bool) -> QFont:
        font = QFont([self.mono] if mono else [self.sans, self.mono])  # some signs are in the second font only
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
        """Return the tokens as a palette for Fusion."""
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
        dark = self.appearance.mode is Mode.DARK
        if self.appearance.mode is Mode.SYSTEM:
            dark = self._system.colorScheme() == Qt.ColorScheme.Dark
        high = self.appearance.high_contrast is Preference.ON
        if self.appearance.high_contrast is Preference.SYSTEM:
            high = self._system.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
        return {(False, False): LIGHT, (True, False): DARK, (False, True): LIGHT_HIGH, (True, True): DARK_HIGH}[
            dark, high
        ]

    def _prefers_reduced_motion(self) -> bool:
        """Return the desktop's preference; supported from Qt 6.12."""
        motion = getattr(Qt, "MotionPreference", None)
        if motion is None:
            return False
        return bool(self._system.accessibility().property("motionPreference") == motion.ReducedMotion)

    def _apply(self, *_: object, anyway: bool = False) -> None:
        tokens = self._resolved()
        if anyway or tokens is not self.tokens:
            self.tokens = tokens
            self.changed.emit()


@cache
def color(name: str) -> QColor:
    return QColor(name)


# ---- Another text size while the window is open: fixed sizes and margins are rescaled.


_UNBOUNDED = 16_000
"""Limit below Qt's upper bound and the design's "unlimited" sizes, which are not rescaled."""


def rescale(root: QWidget, ratio: float) -> None:
    """Multiply the fixed sizes, row heights, margins and gaps of a widget and its children.

    Minimum sizes that were not fixed stay: with large text panes scroll, the window does not. Widgets that place their
    parts by hand get a resize event.
    """
    widgets = (root, *root.findChildren(QWidget))
    for widget in widgets:
        if widget is not root and not widget.isWindow():
            _bounds(widget, ratio)
            widget.setContentsMargins(_grown(widget.contentsMargins(), ratio))
        if isinstance(widget, QTableView):
            rows = widget.verticalHeader()
            size = round(rows.defaultSectionSize() * ratio)
            rows.setMinimumSectionSize(size)  # otherwise that of the larger font
            rows.setDefaultSectionSize(size)
        layout = widget.layout()
        if layout is not None:
            _gaps(layout, ratio)
    for widget in widgets:
        QApplication.sendEvent(widget, QResizeEvent(widget.size(), widget.size()))


def _bounds(widget: QWidget, ratio: float) -> None:
    least, most = widget.minimumSize(), widget.maximumSize()
    if least.width() == most.width():
        widget.setFixedWidth(round(most.width() * ratio))
    elif most.width() < _UNBOUNDED:
        widget.setMaximumWidth(round(most.width() * ratio))
    if least.height() == most.height():
        widget.setFixedHeight(round(most.height() * ratio))
    elif most.height() < _UNBOUNDED:
        widget.setMaximumHeight(round(most.height() * ratio))


def _grown(margins: QMargins, ratio: float) -> QMargins:
    """Return these margins at another text size; hairlines stay."""
    sides = (margins.left(), margins.top(), margins.right(), margins.bottom())
    return QMargins(*(round(side * ratio) if side > 1 else side for side in sides))


def _gaps(layout: QLayout, ratio: float) -> None:
    # Not by itemAt: its wrappers outlive the items, and a later object at the same address would be taken for one.
    for each in (layout, *layout.findChildren(QLayout)):
        each.setContentsMargins(_grown(each.contentsMargins(), ratio))
        if each.spacing() > 1:
            each.setSpacing(round(each.spacing() * ratio))


class Themed(QWidget):
    """Widget with the theme that it is drawn in."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme


LOOK_FILE = "look.json"


def read_appearance(file: Path) -> Appearance:
    """Read the stored appearance; the default one without a file, or if it is damaged."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Appearance(Mode(found["theme"]), Preference(found["high_contrast"]), Preference(found["reduced_motion"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Appearance()


def write_appearance(appearance: Appearance, file: Path) -> None:
    """Store the appearance atomically; a read-only profile keeps its file."""
    look = {
        "theme": appearance.mode,
        "high_contrast": appearance.high_contrast,
        "reduced_motion": appearance.reduced_motion,
    }
    write_state(file, look)


# ---- Style sheet of Qt’s widgets, and its application to a window


SHEET = Path(__file__).resolve().parents[3] / "resources" / "theme" / "window.qss"
_UNITS, _NAMES = re.compile(r"\b(\d+)u\b"), re.compile(r"@(\w+)")

Styled = TypeVar("Styled", bound=QWidget)


def style_sheet(theme: Theme, drawings: Path) -> str:
    """Return the sheet for the present tokens and scale; write its drawings into the folder."""
    names = {name: getattr(theme.tokens, name) for name in theme.tokens.__slots__}
    names |= {"sans": theme.sans, "mono": theme.mono}
    for name, drawing, color in (("chevron", "chevron-down", "text_2"), ("tick", "check", "on_accent")):
        names[name] = icons.write_drawing(drawing, names[color], drawings).as_posix()
    text = SHEET.read_text(encoding="utf-8")
    return _NAMES.sub(lambda found: names[found[1]], _UNITS.sub(lambda found: f"{theme.px(int(found[1]))}px", text))


def styled(widget: Styled, **properties: str) -> Styled:
    """Set properties for the sheet's rules, such as role and shade; repolish a visible widget."""
    changed = {name: value for name, value in properties.items() if widget.property(name) != value}
    for name, value in changed.items():
        widget.setProperty(name, value)
    if changed and widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    return widget


class ThemeApplier(QObject):
    """Applies the theme to a window at once, and after changes of theme or text size."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        place = TemporaryFolder(Path(gettempdir()))
        self._drawings = place.path
        """Folder of the style sheet's drawings."""
        finalize(window, place.leave)
        theme.resized.connect(partial(rescale, window))
        theme.follow(self.apply_theme)

    def apply_theme(self) -> None:
        """Set palette, font and style sheet; each widget of the window is polished once."""
        app, theme = QApplication.instance(), self._theme
        if isinstance(app, QApplication):
            app.setPalette(theme.palette())
            app.setFont(theme.font())
        self._window.setStyleSheet(style_sheet(theme, self._drawings))
        self._window.setAutoFillBackground(True)
