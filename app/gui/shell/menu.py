"""The menu: what concerns the whole profile and the window, in sections made of the actions' rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, QSysInfo, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QSizePolicy, QToolButton, QWidget

from app.display import words
from app.gui.kit.action import Action
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

Offers = Callable[[], Iterable[Action]]
"""All that can be done now."""


@dataclass(frozen=True, slots=True)
class Section:
    """A menu within the menu: its title and the keys of its actions; "" draws a line."""

    title: str
    keys: tuple[str, ...]


SECTIONS: tuple[Section, ...] = (
    Section(
        "File",
        (
            "import",
            "",
            "export_memories",
            "export_powers",
            "export_rules",
            "export_cases",
            "",
            "save_library",
            "link_folder",
            "compare_folder",
            "",
            "quit",
        ),
    ),
    Section("Edit", ("undo", "redo", "", "steps", "bin", "", "teach")),
    Section("Profile", ("profiles", "profile_folder", "log", "report")),
    Section(
        "View",
        (
            "theme_system",
            "theme_light",
            "theme_dark",
            "",
            "zoom_in",
            "zoom_out",
            "zoom_reset",
            "",
            "panes_below",
            "panes_reset",
        ),
    ),
    Section("Help", ("help_here", "page:keys", "palette", "about")),
)


def fill(menu: QMenu, section: Section, offers: Iterable[Action], do: Callable[[Action], object]) -> None:
    """Put the actions of a section into a menu; what cannot be done now is greyed and says why in its tooltip."""
    by_key = {row.key: row for row in offers}
    menu.clear()
    menu.setToolTipsVisible(True)
    for key in section.keys:
        if not key:
            menu.addSeparator()
        elif (row := by_key.get(key)) is not None:
            offered = menu.addAction(row.name)
            if row.shortcuts:
                keys = QKeySequence(row.shortcuts[0]).toString(QKeySequence.SequenceFormat.NativeText)
                offered.setText(f"{row.name}\t{keys}")  # shown alone: the window's own shortcut does it
            why = row.refusal()
            offered.setEnabled(not why)
            offered.setToolTip(why)
            offered.triggered.connect(partial(_press, do, row))


def _press(do: Callable[[Action], object], row: Action, _checked: bool = False) -> None:
    do(row)


class MenuButton(QToolButton):
    """The first line of the rail: opens the menu, whose sections are made anew each time."""

    def __init__(self, theme: Theme, offers: Offers, do: Callable[[Action], object]) -> None:
        super().__init__()
        self.theme, self._offers, self._do = theme, offers, do
        self.title = self.tr("Menu")
        styled(self, role="entry")
        self.setAccessibleName(self.title)
        self.setToolTip(self.tr("Menu  F10"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(24)
        menu = QMenu(self)
        self.sections = [menu.addMenu(words.say(section.title)) for section in SECTIONS]
        menu.aboutToShow.connect(self.refresh)
        self.setMenu(menu)
        theme.changed.connect(self._dress)
        self._dress()

    def refresh(self) -> None:
        """Make the sections of what can be done now."""
        offers = tuple(self._offers())
        for made, section in zip(self.sections, SECTIONS, strict=True):
            fill(made, section, offers, self._do)

    def show_word(self, on: bool) -> None:
        """Show the word beside the icon, or the icon alone."""
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.setToolButtonStyle(beside if on else Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setText(f" {self.title}" if on else self.title)
        styled(self, words="true" if on else "false")

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(48), self.theme.px(34))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(48), 24)

    def _dress(self) -> None:
        self.setIcon(icons.icon("menu", self.theme.tokens.text_2))
        self.setIconSize(QSize(self.theme.px(18), self.theme.px(18)))


def menu_bar(parent: QWidget, offers: Offers, do: Callable[[Action], object]) -> QMenuBar | None:
    """The same sections in the bar at the top of the screen, on systems that have one; None elsewhere."""
    if QSysInfo.productType() != "macos":
        return None
    bar = QMenuBar(parent)
    for section in SECTIONS:
        made = bar.addMenu(words.say(section.title))
        made.aboutToShow.connect(lambda made=made, section=section: fill(made, section, offers(), do))
    return bar
