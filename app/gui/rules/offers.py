"""What can be done with rules, as rows for the palette; each is refused while the rules page is not open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from app.display import words
from app.gui.action import Action, Group

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow
    from app.gui.pages.page import Page

_ROWS: tuple[tuple[str, str, str], ...] = (
    ("add", "Add a rule", "plus"),
    ("duplicate", "Duplicate the selected rule", "rules"),
    ("save", "Save the rule that is being edited", "check"),
    ("revert", "Drop what is not saved of the rule", "undo"),
)


def rule_offers(page: Page, acts: Mapping[str, Callable[[], object]]) -> tuple[Action, ...]:
    """A row for each of these acts of the page, by key."""

    def refusal(window: MainWindow) -> str:
        return "" if window.page is page else words.say("Open the rules page first.")

    return tuple(
        Action(f"rule_{key}", text, Group.LIBRARY, _doing(acts[key]), (), icon, refusal=refusal)
        for key, text, icon in _ROWS
    )


def _doing(act: Callable[[], object]) -> Callable[[MainWindow], object]:
    return lambda _: act()
