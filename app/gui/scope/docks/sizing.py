"""Resizing panes from the keyboard: rows that make the pane with the focus wider, narrower, higher or lower."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from app.domain.language import say
from app.gui.kit.action import Action, Group
from app.gui.scope.docks.arrangement import Place

if TYPE_CHECKING:
    from app.gui.scope.docks.docks import Dock
    from app.gui.scope.docks.layout import Layout

STEP = 16.0
"""By how much a key resizes, in units."""

_ROWS: tuple[tuple[str, str, str, float, bool], ...] = (
    ("pane_wider", say("Make this pane wider"), "Alt+Shift+Right", STEP, True),
    ("pane_narrower", say("Make this pane narrower"), "Alt+Shift+Left", -STEP, True),
    ("pane_higher", say("Make this pane higher"), "Alt+Shift+Up", STEP, False),
    ("pane_lower", say("Make this pane lower"), "Alt+Shift+Down", -STEP, False),
)


def actions(layout: Layout, tell: Callable[[str], object]) -> tuple[Action, ...]:
    """A row for each way to resize the pane that has the focus; `tell` says why nothing came of it."""
    return tuple(
        Action(
            key,
            text,
            Group.PANES,
            partial(_resize, layout, tell, by, across),
            (shortcut,),
            refusal=partial(_refusal, layout),
        )
        for key, text, shortcut, by, across in _ROWS
    )


def _resize(layout: Layout, tell: Callable[[str], object], by: float, across: bool) -> None:
    dock = _focused(layout)
    if dock is not None and not resize(layout, dock, by, across=across):
        tell(say("This edge of the pane cannot move further."))


def resize(layout: Layout, dock: Dock, by: float, *, across: bool) -> bool:
    """Make a dock wider (or higher) by so many units, as dragging its edge does; False if that edge cannot move."""
    if dock.isFloating():
        pixels = layout.theme.px(by)
        dock.resize(dock.size() + (QSize(pixels, 0) if across else QSize(0, pixels)))
        return True
    name = dock.row.key if across is (dock.place is Place.BELOW) else str(dock.place)
    before = layout.measured()
    if name not in before:
        return False
    layout.sizes[name] = before[name] + by
    layout.fit()
    layout.sizes[name] = layout.measured()[name]  # no more than there was room for
    layout.arranged.emit()
    return abs(layout.sizes[name] - before[name]) >= 1


def _focused(layout: Layout) -> Dock | None:
    """The dock that has the keyboard."""
    focus = QApplication.focusWidget()
    return next((dock for dock in layout.docks.values() if focus is not None and dock.isAncestorOf(focus)), None)


def _refusal(layout: Layout) -> str:
    dock = _focused(layout)
    if dock is None:
        return say("Go to a pane at the side or below first (F6), then resize it.")
    return say("This pane has no room of its own now.") if dock.is_over or dock.is_short else ""
