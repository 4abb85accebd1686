"""PANELS, every pane of the scope as a row; the leading one is updated at once, the others in chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, QTimer

from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.llm import LlmPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.panel import Panel
from app.gui.scope.panels.powers import PowersPanel
from app.gui.scope.panels.selected import SelectedPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.scope.panels.waterfall import WaterfallPanel


class Area(StrEnum):
    """The areas of the scope; panels of one area stand in the order of the table."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A panel: key, area, factory, stretch, and whether F6 stops there.

    One that is `folded` is a word in the line at the lower edge until it is opened. One that `yields` lies over the
    centre, where it can be opened, when there is no room for it beside. One that `leads` shows an answer first, the
    others in the turns after it; one that `explains` it comes last, each in a turn of its own.
    """

    key: str
    area: Area
    make: Callable[[Theme], Panel]
    stretch: bool = True
    stop: bool = True
    leads: bool = False
    explains: bool = False
    yields: bool = False
    folded: bool = False


PANELS: tuple[PanelRow, ...] = (
    PanelRow("intent", Area.LEFT, IntentPanel, explains=True, folded=True),
    PanelRow("llm", Area.LEFT, LlmPanel, stretch=False, explains=True, folded=True),
    PanelRow("powers", Area.LEFT, PowersPanel, stretch=False, stop=False, explains=True, folded=True),
    PanelRow("matches", Area.CENTER, MatchesPanel, leads=True),
    PanelRow("selected", Area.RIGHT, SelectedPanel, explains=True, yields=True),
    PanelRow("this_query", Area.BELOW, WaterfallPanel, stop=False, explains=True, folded=True),
    PanelRow("session", Area.BELOW, SessionPanel, folded=True),
)

UPDATE_ORDER: tuple[tuple[PanelRow, ...], ...] = (
    tuple(row for row in PANELS if not (row.leads or row.explains)),
    *((row,) for row in PANELS if row.explains),
)
"""What shows an answer after the leading panel, turn by turn."""


# ---- Hands a state of the scope to the panels: to the leading one at once, to the others in turns, while keys come.


FRAME_MS = 16
"""One frame: so long the panes that explain an answer wait for a better one that is near."""


class PanelUpdates(QObject):
    """Updates the panels of one page with the latest state, one panel a chunk."""

    def __init__(self, panels: Mapping[str, Panel], parent: QObject) -> None:
        super().__init__(parent)
        self._panels = panels
        self._state = ScopeState()
        self._later: list[tuple[PanelRow, ...]] = []
        self._rest = QTimer(self, singleShot=True)
        self._rest.setTimerType(Qt.TimerType.PreciseTimer)
        self._rest.timeout.connect(self._show_next)

    @property
    def is_done(self) -> bool:
        """If every panel shows the state."""
        return not self._later

    def show(self, scope_state: ScopeState, *, defer: bool = False) -> None:
        """Hand the state to every panel; if so asked to the leading one now and to the others in turns."""
        self._state = scope_state
        for row in PANELS:
            if row.leads or not defer:
                self._panels[row.key].show_state(scope_state)
        self._later = list(UPDATE_ORDER) if defer else []
        if self._later:
            self._rest.start(FRAME_MS)
        else:
            self._rest.stop()

    def painted(self) -> None:
        """The window has painted: the next panel need not wait any longer."""
        if self._rest.isActive() and not self._next_waits:
            self._rest.start(0)

    def _show_next(self) -> None:
        """Hand the state to the panels whose turn it is; what they draw is drawn before the turn after it."""
        for row in self._later.pop(0) if self._later else ():
            self._panels[row.key].show_state(self._state)
        if self._later:
            self._rest.start(FRAME_MS if self._next_waits else 0)

    @property
    def _next_waits(self) -> bool:
        """If a better answer is so near that it is not worth explaining this one."""
        explains = any(row.explains for turn in self._later[:1] for row in turn)
        return explains and self._state.awaits_vector
