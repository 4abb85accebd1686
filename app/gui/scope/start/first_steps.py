"""When the card of the first minutes stands in the panes' place: an empty profile, and right after the sample came."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.display.scope.guide import Sample
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.theme.theme import Theme
from app.gui.scope.query_line import QueryLine
from app.gui.scope.start.welcome import WelcomeView
from app.gui.scope.views.overlays import PANES, Overlays


class FirstSteps(Overlays[WelcomeView]):
    """State machine of three: ways to begin while nothing is taught or typed, queries to try with the sample library,
    whatever was typed before, and the panes from the next letter on. It never covers another view."""

    sample_asked = Signal()
    act_asked = Signal(str)  # the key of an action of the window
    asked = Signal(str)  # a query to be typed
    turned = Signal()  # the card came or went

    def __init__(self, theme: Theme, place: QStackedWidget, line: QueryLine) -> None:
        super().__init__(place, line)
        self._theme = theme
        self._samples: tuple[Sample, ...] = ()
        self._has_llm = False
        self._state = ScopeState()
        self._is_new = self._waits = False
        line.textChanged.connect(self._on_text)

    def show_state(self, state: ScopeState) -> None:
        """Come or go as this state of the scope has it."""
        self._state = state
        self._turn()

    def offer(self, samples: tuple[Sample, ...], has_llm: bool) -> None:
        """These queries show with the library what they are meant to show."""
        self._samples, self._has_llm = samples, has_llm
        self._turn()

    def await_sample(self) -> None:
        """The sample library is on its way: wait for it here, and let the next letter replace what was typed."""
        self._is_new = self._waits = True
        self._line.setFocus(Qt.FocusReason.OtherFocusReason)
        self._line.selectAll()
        self._turn()

    def sample_came(self) -> None:
        """The sample library is in, or cannot be had: what is there to try stays."""
        self._waits = False
        self._turn()

    def close(self) -> None:
        """Back to the panes, or to the query line alone where there is nothing that panes could show."""
        self._is_new = False
        self._turn()
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def stops(self) -> list[QWidget]:
        view = self.view
        if view is None:
            return []
        targets = [view.sample] if view.ways.isVisible() else view.lines.buttons
        return [*targets[:1]]

    def _on_text(self) -> None:
        self._is_new = False
        self._turn()

    def _on_asked(self, text: str) -> None:
        self._is_new = False
        self._turn()
        self.asked.emit(text)

    def _turn(self) -> None:
        is_empty = self._state.is_untaught and not self._line.text().strip()
        tries = self._is_new and (self._waits or bool(self._samples))
        if (is_empty or tries) and not any(self._state.faults.values()):  # the panes tell what fails, and what to do
            if self.is_open or self._place.currentIndex() == PANES:
                view = self._lay_over()
                view.lines.offer(self._samples, has_llm=self._has_llm)
                view.show_ways(not tries, waits=self._waits)
        elif self.is_open:
            self._place.setCurrentIndex(PANES)

    def _made(self) -> WelcomeView:
        view = WelcomeView(self._theme)
        view.sample_asked.connect(self.sample_asked)
        view.act_asked.connect(self.act_asked)
        view.lines.asked.connect(self._on_asked)
        return view

    def _left(self) -> None:
        """Nothing is under way."""

    def _on_turned(self) -> None:
        was_open = self._was_open
        super()._on_turned()
        if was_open is not self.is_open:
            self.turned.emit()
