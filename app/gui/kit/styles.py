"""Style sheet of Qt's widgets, and its application to a window with palette and font."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import TypeVar
from weakref import finalize

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.files import TemporaryFolder
from app.gui.kit import icons
from app.gui.kit.theme import Theme, rescale

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
