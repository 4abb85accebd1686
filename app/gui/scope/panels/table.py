"""PANELS: every pane of the window as a row; the window is a loop over them and names none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.llm import LlmPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.panel import Panel
from app.gui.scope.panels.powers import PowersPanel
from app.gui.scope.panels.selected import SelectedPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.scope.panels.this_query import ThisQueryPanel


class Area(StrEnum):
    """The columns of the window; panels of one area lie below each other, in the table's order."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"
    BELOW_LEFT = "below left"
    BELOW_RIGHT = "below right"


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A row: its key, where it lies, what makes it, if it takes the room that is left, if F6 stops at it.

    One that `yields` lies over the centre, where it can be opened, when there is no room for it beside.
    One that `leads` shows an answer first, the others in the turns after it; those that `explain` it come last, each in
    a turn of its own.
    """

    key: str
    area: Area
    make: Callable[[Theme], Panel]
    stretch: bool = True
    stop: bool = True
    leads: bool = False
    explains: bool = False
    yields: bool = False


PANELS: tuple[PanelRow, ...] = (
    PanelRow("intent", Area.LEFT, IntentPanel, explains=True),
    PanelRow("llm", Area.LEFT, LlmPanel, stretch=False, explains=True),
    PanelRow("matches", Area.CENTER, MatchesPanel, leads=True),
    PanelRow("powers", Area.CENTER, PowersPanel, stretch=False, stop=False, explains=True),
    PanelRow("selected", Area.RIGHT, SelectedPanel, explains=True, yields=True),
    PanelRow("this_query", Area.BELOW_LEFT, ThisQueryPanel, stop=False, explains=True),
    PanelRow("session", Area.BELOW_RIGHT, SessionPanel),
)

TURNS: tuple[tuple[PanelRow, ...], ...] = (
    tuple(row for row in PANELS if not (row.leads or row.explains)),
    *((row,) for row in PANELS if row.explains),
)
"""What shows an answer after the leading panel, turn by turn."""
