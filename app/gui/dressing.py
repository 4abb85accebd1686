"""How the window is dressed: palette, font and style sheet, anew when the theme or the size of texts changes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.gui import icons
from app.gui.rescaling import rescale
from app.gui.styles import style_sheet
from app.gui.theme import Theme


class Dressing(QObject):
    """Dresses a window at once, and again whenever that is called for."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._drawings = Path(mkdtemp(prefix="intentscope-"))
        """Where the drawings lie that the style sheet names."""
        finalize(window, rmtree, self._drawings, ignore_errors=True)
        theme.resized.connect(partial(rescale, window))
        theme.changed.connect(self.dress)
        self.dress()

    def dress(self) -> None:
        """Put on what the theme says now."""
        app, theme = QApplication.instance(), self._theme
        if isinstance(app, QApplication):
            app.setPalette(theme.palette())
            app.setFont(theme.font())
        chevron = icons.write_drawing("chevron-down", theme.tokens.text_2, self._drawings)
        tick = icons.write_drawing("check", theme.tokens.on_accent, self._drawings)
        self._window.setStyleSheet(style_sheet(theme, chevron.as_posix(), tick.as_posix()))
        self._window.setAutoFillBackground(True)
