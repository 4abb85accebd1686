"""The style sheet for what Qt draws itself: buttons, fields, menus, scroll bars, splitters."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.gui.kit.theme import icons
from app.gui.kit.theme.text_size import rescale
from app.gui.kit.theme.theme import Theme

_SHEET = """
QWidget {{ font-family: "{sans}", "{mono}"; font-size: {base}px; }}
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {border_strong}; padding: {s4}px; }}
QMainWindow#docks {{ background: {surface}; }}
QMainWindow::separator {{ background: {border}; width: 1px; height: 1px; }}
QSplitter::handle {{ background: {border}; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
QPushButton {{ background: {surface}; color: {text}; border: 1px solid {border_strong}; border-radius: {s6}px;
  padding: 0 {s10}px; min-height: {s26}px; font-weight: 600; font-size: {s12}px; icon-size: {s16}px;
  outline: none; }}
QPushButton:hover {{ background: {sunken}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 0 {s9}px; min-height: {s24}px; }}
QPushButton:disabled {{ color: {border_strong}; border-color: {border}; }}
QPushButton[primary="true"] {{ background: {accent_fill}; color: {on_accent}; border-color: {accent_fill}; }}
QPushButton[primary="true"]:focus {{ border: 2px solid {text}; }}
QPushButton[primary="true"]:disabled {{ background: {sunken}; color: {border_strong}; border-color: {border}; }}
QPushButton[square="true"] {{ padding: 0 {s6}px; }} QPushButton[square="true"]:focus {{ padding: 0 {s5}px; }}
QPushButton[slim="true"] {{ padding: 0 {s6}px; }} QPushButton[slim="true"]:focus {{ padding: 0 {s5}px; }}
QPushButton[link="true"] {{ background: transparent; border: none; color: {accent}; padding: 0 {s4}px;
  min-height: {s24}px; }}
QPushButton[link="true"]:focus {{ border: 2px solid {accent}; min-height: {s20}px; padding: 0 {s2}px; }}
QPushButton[link="true"]:disabled {{ color: {border_strong}; }}
QLineEdit, QPlainTextEdit, QComboBox {{ background: {surface}; color: {text}; border: 1px solid {border_strong};
  border-radius: {s6}px; padding: {s4}px {s8}px; selection-background-color: {accent_fill};
  selection-color: {on_accent}; placeholder-text-color: {text_2}; }}
QLineEdit:focus, QPlainTextEdit:focus, QComboBox:focus {{ border: 2px solid {accent}; padding: {s3}px {s7}px; }}
QDoubleSpinBox {{ background: {surface}; color: {text}; border: 1px solid {border_strong}; border-radius: {s6}px;
  padding: 0; }}
QDoubleSpinBox:focus {{ border: 2px solid {accent}; }}
QDoubleSpinBox:read-only {{ background: {sunken}; border-color: {border}; }}
QDoubleSpinBox QLineEdit {{ border: none; background: transparent; padding: 0; }}
QLineEdit#query {{ background: transparent; border: none; padding: 0; }}
QComboBox[quiet="true"] {{ border: 2px solid transparent; background: transparent; padding: 0 {s2}px 0 0;
  font-weight: 600; font-size: {s12}px; }}
QComboBox[quiet="true"]:focus {{ border-color: {accent}; padding: 0 {s2}px 0 0; }}
QComboBox::drop-down {{ border: none; width: {s20}px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: {s12}px; height: {s12}px; }}
QComboBox QAbstractItemView, QMenu {{ background: {raised}; color: {text}; border: 1px solid {border_strong};
  selection-background-color: {selection}; selection-color: {text}; }}
QMenu::item {{ padding: {s6}px {s16}px; }} QMenu::item:selected {{ background: {selection}; }}
QMenu::item:disabled {{ color: {border_strong}; background: transparent; }}
QMenu::separator {{ height: 1px; background: {border}; margin: {s4}px 0; }}
QScrollBar:vertical {{ background: transparent; width: {s8}px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {border_strong}; border-radius: {s3}px; min-height: {s24}px;
  margin: 1px {s2}px; }}
QScrollBar:horizontal {{ background: transparent; height: {s8}px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {border_strong}; border-radius: {s3}px; min-width: {s24}px;
  margin: {s2}px 1px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QPushButton:checked {{ background: {accent_soft}; color: {accent}; border-color: {accent}; }}
QLineEdit:read-only, QComboBox:disabled {{ background: {sunken}; color: {text}; border-color: {border}; }}
QListWidget[places="true"] {{ background: {surface}; border: none; border-right: 1px solid {border}; outline: none;
  padding: {s8}px {s8}px {s8}px {s5}px; }}
QListWidget[places="true"]::item {{ color: {text_2}; padding: {s6}px {s8}px; border-radius: {s6}px; }}
QListWidget[places="true"]::item:hover {{ background: {sunken}; }}
QListWidget[places="true"]::item:selected {{ background: {selection}; color: {text}; }}
QListWidget[places="true"]:focus {{ border: 2px solid {accent}; padding: {s6}px {s7}px {s6}px {s3}px; }}
QProgressBar {{ background: {sunken}; border: none; border-radius: {s3}px; min-height: {s6}px; max-height: {s6}px; }}
QProgressBar::chunk {{ background: {accent_fill}; border-radius: {s3}px; }}
QDialog {{ background: {raised}; }}
QLabel[role="headline"] {{ font-size: {s16}px; font-weight: 600; color: {text}; }}
QLabel[role="body"] {{ font-size: {base}px; color: {text}; }}
QLabel[role="caption"] {{ font-size: {s12}px; color: {text_2}; }}
QCheckBox {{ spacing: {s8}px; min-height: {s24}px; }}
QCheckBox::indicator {{ width: {s12}px; height: {s12}px; border: 1px solid {border_strong}; border-radius: {s3}px;
  background: {surface}; }}
QCheckBox::indicator:checked {{ background: {accent_fill}; border-color: {accent_fill}; image: url("{tick}"); }}
QCheckBox::indicator:focus {{ border-color: {accent}; }}
QCheckBox::indicator:disabled {{ background: {sunken}; border-color: {border}; }}
"""


def style_sheet(theme: Theme, chevron: str, tick: str) -> str:
    """The sheet for the tokens and the scale in force, and the files of the combo boxes' arrow and the boxes' tick."""
    sizes = {f"s{n}": theme.px(n) for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 26)}
    tokens = {name: getattr(theme.tokens, name) for name in theme.tokens.__slots__}
    return _SHEET.format(
        sans=theme.sans, mono=theme.mono, base=theme.px(13), chevron=chevron, tick=tick, **sizes, **tokens
    )


def small_table(theme: Theme) -> str:
    """The sheet of a small table in a dialog: heads as in the large tables, cells with room at their sides."""
    tokens, px = theme.tokens, theme.px
    return (
        f"QTableView {{ outline: none; border: 1px solid {tokens.border} }}"
        f" QTableView::item {{ padding: 0 {px(5)}px; border: none }}"  # Qt adds 3, so that cells stand under heads
        f" QTableView::item:selected {{ background: {tokens.selection}; color: {tokens.text} }}"
        f" QHeaderView {{ background: {tokens.surface} }}"
        f" QHeaderView::section {{ background: {tokens.surface}; color: {tokens.text_2}; border: none;"
        f" border-bottom: 1px solid {tokens.border}; font-size: {px(11)}px; font-weight: 600;"
        f" padding: {px(5)}px {px(8)}px }}"
        f" QComboBox {{ margin: {px(2)}px 0 }}"
    )


# --------------------------------------------------------------------------------------------------------------------
# How the window is dressed: palette, font and style sheet, anew when the theme or the size of texts changes


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
