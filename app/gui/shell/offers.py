"""The actions that follow from other tables: one for each page, one for each setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from app.display import words
from app.gui.shell.action import Action, Group

if TYPE_CHECKING:
    from app.gui.kit.page import Desk
    from app.gui.shell.main_window import MainWindow
    from app.gui.shell.pages import PageRow


SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "theme": ("colours", "dark mode", "light mode", "night"),
    "text_scale": ("font size", "size of texts", "zoom", "larger", "smaller"),
    "high_contrast": ("accessibility",),
    "reduced_motion": ("accessibility", "animation"),
}
"""What people call settings that have another name here, by key."""


def page_offers(pages: Sequence[PageRow]) -> list[Action]:
    """Open each page."""
    return [
        Action(
            f"page:{row.key}",
            words.say("Page: {title}", title=words.say(row.title)),
            Group.PAGES,
            _opening(row.key),
            (row.shortcut,),
            row.icon,
        )
        for row in pages
    ]


def setting_offers(desk: Desk) -> list[Action]:
    """Go to each setting."""
    from app.display.system.settings import setting_sections  # the settings are read when the window is there

    return [
        Action(
            f"setting:{row.key}",
            words.say("Setting: {title}", title=row.title),
            Group.SETTINGS,
            _finding(row.key),
            icon="settings",
            also=(*(word for _, word in row.choices), *(words.say(word) for word in SYNONYMS.get(row.key, ()))),
        )
        for section in setting_sections(desk.settings, desk.origins)
        for row in section.rows
    ]


def _opening(key: str) -> Callable[[MainWindow], object]:
    return lambda window: window.open_page(key)


def _finding(key: str) -> Callable[[MainWindow], object]:
    return lambda window: window.open_setting(key)
