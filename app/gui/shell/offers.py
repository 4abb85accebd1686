"""The actions that follow from other tables: one for each page, one for each setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from app.display import words
from app.gui.kit.action import Action, Group

if TYPE_CHECKING:
    from app.gui.kit.page import Desk
    from app.gui.shell.pages import PageRow


SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "theme": ("colours", "dark mode", "light mode", "night"),
    "text_scale": ("font size", "size of texts", "zoom", "larger", "smaller"),
    "high_contrast": ("accessibility",),
    "reduced_motion": ("accessibility", "animation"),
}
"""What people call settings that have another name here, by key."""


def page_offers(pages: Sequence[PageRow], open_page: Callable[[str], object]) -> list[Action]:
    """Open each page."""
    return [
        Action(
            f"page:{row.key}",
            words.say("Page: {title}", title=words.say(row.title)),
            Group.PAGES,
            partial(open_page, row.key),
            (row.shortcut,),
            row.icon,
        )
        for row in pages
    ]


def setting_offers(desk: Desk, open_setting: Callable[[str], object]) -> list[Action]:
    """Go to each setting."""
    from app.display.system.settings import setting_sections  # the settings are read when the window is there

    return [
        Action(
            f"setting:{row.key}",
            words.say("Setting: {title}", title=row.title),
            Group.SETTINGS,
            partial(open_setting, row.key),
            icon="settings",
            also=(*(word for _, word in row.choices), *(words.say(word) for word in SYNONYMS.get(row.key, ()))),
        )
        for section in setting_sections(desk.settings, desk.origins)
        for row in section.rows
    ]
