"""Shipped fonts, and cached text measurements."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QStaticText

FONTS = Path(__file__).resolve().parents[4] / "resources" / "fonts"
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
        self._widths: dict[str, float] = {}
        self._set: dict[str, QStaticText] = {}
        self._cut: dict[tuple[str, float], str] = {}
        self._heights: dict[tuple[str, float, int], float] = {}
        self._cropped: dict[tuple[str, float, float], str] = {}

    def width(self, text: str) -> float:
        found = self._widths.get(text)
        if found is None:
            if len(self._widths) > REMEMBERED_WIDTHS:
                self._widths.clear()
            found = self._widths[text] = self.measure.horizontalAdvance(text)
        return found

    def wrapped(self, text: str, width: float, flags: int) -> float:
        """Return the height of a text wrapped to a width."""
        key = (text, width, flags)
        found = self._heights.get(key)
        if found is None:
            if len(self._heights) > REMEMBERED_TEXTS:
                self._heights.clear()
            found = self._heights[key] = self.measure.boundingRect(QRectF(0, 0, width, 100_000), flags, text).height()
        return found

    def cut(self, text: str, width: float) -> str:
        """Elide a text to one line."""
        key = (text, width)
        found = self._cut.get(key)
        if found is None:
            if len(self._cut) > REMEMBERED_TEXTS:
                self._cut.clear()
            found = self._cut[key] = self.measure.elidedText(text, Qt.TextElideMode.ElideRight, width)
        return found

    def cropped(self, text: str, width: float, flags: int, height: float) -> str:
        """Cut a wrapped text to a height, with an ellipsis."""
        key = (text, width, height)
        found = self._cropped.get(key)
        if found is None:
            if len(self._cropped) > REMEMBERED_TEXTS:
                self._cropped.clear()
            place, lines = QRectF(0, 0, width, 100_000), height / self.measure.lineSpacing() + 1
            least, most = 0, min(len(text), round(2 * lines * width / self.measure.averageCharWidth()))
            while least < most:
                middle = (least + most + 1) // 2
                shown = f"{text[:middle].rstrip()}…"
                if self.measure.boundingRect(place, flags, shown).height() <= height:
                    least = middle
                else:
                    most = middle - 1
            found = self._cropped[key] = f"{text[:least].rstrip()}…"
        return found

    def ready(self, text: str) -> QStaticText:
        """Return a laid-out single-line text, cheap to draw again."""
        found = self._set.get(text)
        if found is None:
            if len(self._set) > REMEMBERED_TEXTS:
                self._set.clear()
            found = QStaticText(text)
            found.setTextFormat(Qt.TextFormat.PlainText)
            found.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            self._set[text] = found
        return found
