"""The actions that follow from other tables: one for each page, one for each setting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.display import words
from app.gui.kit.action import Action, Group

if TYPE_CHECKING:
    from app.gui.kit.page import CoreState
    from app.gui.shell.pages import PageRow


ZOOM_STEP = 0.1
"""By how much a key makes texts larger or smaller, as a part of their size."""

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


@dataclass(frozen=True, slots=True)
class View:
    """What a window does with its own look and places, as the rows below ask for it."""

    open_menu: Callable[[], object]
    step_tab: Callable[[int], object]
    open_place: Callable[[str, str], object]
    choose: Callable[[str, str], object]
    zoom: Callable[[float | None], object]


def view_offers(view: View) -> list[Action]:
    """Menu, tabs, bin and steps, theme and zoom."""
    library, pages, look = Group.LIBRARY, Group.PAGES, Group.SETTINGS
    themes = (("system", "Theme: as the desktop"), ("light", "Theme: light"), ("dark", "Theme: dark"))
    return [
        Action("menu", "Open the menu", pages, view.open_menu, ("F10",), "menu"),
        Action("next_tab", "Go to the next tab", pages, partial(view.step_tab, 1), ("Ctrl+Tab", "Ctrl+PgDown")),
        Action(
            "previous_tab", "Go to the tab before", pages, partial(view.step_tab, -1), ("Ctrl+Shift+Tab", "Ctrl+PgUp")
        ),
        Action("steps", "Show the last steps, and undo them", library, partial(view.open_place, "memories", "steps")),
        Action("bin", "Open the bin", library, partial(view.open_place, "memories", "bin"), icon="trash"),
        *(Action(f"theme_{key}", text, look, partial(view.choose, "theme", key)) for key, text in themes),
        Action("zoom_in", "Zoom in: larger texts", look, partial(view.zoom, ZOOM_STEP), ("Ctrl++", "Ctrl+=")),
        Action("zoom_out", "Zoom out: smaller texts", look, partial(view.zoom, -ZOOM_STEP), ("Ctrl+-",)),
        Action("zoom_reset", "Zoom: texts as they come", look, partial(view.zoom, None), ("Ctrl+Shift+0",)),
    ]


def setting_offers(core_state: CoreState, open_setting: Callable[[str], object]) -> list[Action]:
    """Go to each setting."""
    from app.display.system.settings import setting_sections  # the settings are read when the window is there

    sections = setting_sections(core_state.settings, core_state.origins)
    titles = Counter(row.title for section in sections for row in section.rows)
    one, many = "Setting: {title}", "Setting: {title} ({section})"
    return [
        Action(
            f"setting:{row.key}",
            words.say(one if titles[row.title] == 1 else many, title=row.title, section=section.title),
            Group.SETTINGS,
            partial(open_setting, row.key),
            icon="settings",
            also=(*(word for _, word in row.choices), *(words.say(word) for word in SYNONYMS.get(row.key, ()))),
        )
        for section in sections
        for row in section.rows
    ]
