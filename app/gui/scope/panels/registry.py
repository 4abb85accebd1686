"""`PANELS`, every pane as a row; their update in turns, and the jobs while typing rests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.domain.inspection import WordImportance
from app.domain.why_not import EditPreview
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import single_shot
from app.gui.kit.theme import Theme
from app.gui.scope.panels.intent import IntentPanel
from app.gui.scope.panels.llm import LlmPanel
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.panel import Panel, Place
from app.gui.scope.panels.powers import PowersPanel
from app.gui.scope.panels.selected import SelectedPanel, picked_key
from app.gui.scope.panels.session import SessionPanel, WaterfallPanel


@dataclass(frozen=True, slots=True)
class PanelRow:
    """Panel: key, place (None in the centre), factory, stretch, and whether F6 stops there.

    `folded`: a summary in the strip at the lower edge until opened. `yields`: overlaid over the centre if there is no
    space beside it. `leads`: shows an answer first; the others follow in turns. `explains`: last, each in its own turn.
    """

    key: str
    place: Place | None
    make: Callable[[Theme], Panel]
    stretch: bool = True
    stop: bool = True
    leads: bool = False
    explains: bool = False
    yields: bool = False
    folded: bool = False


PANELS: tuple[PanelRow, ...] = (
    PanelRow("intent", Place.LEFT, IntentPanel, explains=True, folded=True),
    PanelRow("llm", Place.LEFT, LlmPanel, stretch=False, explains=True, folded=True),
    PanelRow("powers", Place.LEFT, PowersPanel, stretch=False, stop=False, explains=True, folded=True),
    PanelRow("matches", None, MatchesPanel, leads=True),
    PanelRow("selected", Place.RIGHT, SelectedPanel, explains=True, yields=True),
    PanelRow("this_query", Place.BELOW, WaterfallPanel, stop=False, explains=True, folded=True),
    PanelRow("session", Place.BELOW, SessionPanel, folded=True),
)

UPDATE_ORDER: tuple[tuple[PanelRow, ...], ...] = (
    tuple(row for row in PANELS if not (row.leads or row.explains)),
    *((row,) for row in PANELS if row.explains),
)
"""Order in which panels after the leading one show an answer, by turn."""


# ---- Updating panels: the leading one at once, the others in turns.


FRAME_MS, VECTOR_MS = 16, 100
"""Duration of a frame in ms, and the longest wait of panes that explain for the query's vector."""


class PanelUpdates(QObject):
    """Updates the panels of one page with the latest state, one panel a turn."""

    def __init__(self, panels: Mapping[str, Panel], parent: QObject) -> None:
        super().__init__(parent)
        self._panels = panels
        self._state = ScopeState()
        self._later: list[tuple[PanelRow, ...]] = []
        self._has_waited = False
        self._rest = QTimer(self, singleShot=True)
        self._rest.setTimerType(Qt.TimerType.PreciseTimer)
        self._rest.timeout.connect(self._show_next)

    @property
    def is_done(self) -> bool:
        """True if every panel shows the state."""
        return not self._later

    def show(self, scope_state: ScopeState, *, defer: bool = False) -> None:
        """Pass the state to every panel; with `defer` to the list and another selected answer, then in turns."""
        is_other = picked_key(scope_state) != picked_key(self._state)
        self._state, self._has_waited = scope_state, False
        for row in PANELS:
            if row.leads or not defer or (is_other and row.make is SelectedPanel):
                self._panels[row.key].show_state(scope_state)
        self._later = list(UPDATE_ORDER) if defer else []
        if self._later:
            self._rest.start(FRAME_MS)
        else:
            self._rest.stop()

    def painted(self) -> None:
        """Note a paint of the window, so that the next panel need not wait longer."""
        if self._rest.isActive() and not self._next_waits:
            self._rest.start(0)

    def _show_next(self) -> None:
        """Update the panels of the next turn, which paint before the turn after it."""
        self._has_waited |= self._next_waits
        for row in self._later.pop(0) if self._later else ():
            self._panels[row.key].show_state(self._state)
        if self._later:
            self._rest.start(VECTOR_MS if self._next_waits else 0)

    @property
    def _next_waits(self) -> bool:
        """True if a better answer is near, so that this one is not explained."""
        explains = any(row.explains for turn in self._later[:1] for row in turn)
        return explains and self._state.awaits_vector and not self._has_waited


REST_MS = 700
"""Debounce in ms without a key or another selection."""


class IdleJobs(QObject):
    """Debounce: each state restarts the wait, and another query cancels the running jobs."""

    counted = Signal(WordImportance)
    previewed = Signal(EditPreview)  # effect of the query as a trigger of the selected answer

    def __init__(self, parent: QObject, worker: Worker, wanted: Callable[[], ScopeState | None]) -> None:
        super().__init__(parent)
        self._wanted = wanted
        self._job, self._preview_job = Job(worker, self), Job(worker, self)
        self._asked: ScopeState | None = None
        self._timer = single_shot(self, REST_MS, self._begin)

    def rest(self, scope_state: ScopeState) -> None:
        """Note the state on screen; starts the wait if something is selected."""
        asked, now = self._asked, scope_state
        if asked is not None and asked.inspection is now.inspection and asked.selected is now.selected:
            return
        self.stop()
        if scope_state.selected is not None:
            self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        if self._asked is not None:
            self._job.cancel()
            self._preview_job.cancel()
            self._asked = None

    def _begin(self) -> None:
        scope_state = self._wanted()
        if scope_state is None or scope_state.inspection is None or scope_state.selected is None:
            return
        inspection, match = scope_state.inspection, scope_state.selected
        self._asked = scope_state
        self._job.run(lambda bench: bench.ablate_words(inspection, match), self.counted.emit)
        answer, text = match.answer, inspection.query.text.strip()
        if text not in answer.triggers:
            self._preview_job.run(lambda bench: bench.edit_previews.of_trigger(answer, text), self.previewed.emit)
