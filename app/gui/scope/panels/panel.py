"""Panel, the base class of panes: a named widget that draws a ScopeState."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.domain.library import Kind
from app.domain.match import Match
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import PaneHeader
from app.gui.kit.document import DocumentView, icon_html, span
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.theme import Theme, Themed

HEAD = 34.0
"""Height of a pane's head and of the folded strip, in units."""


class Place(StrEnum):
    """Side of the centre where a pane is docked; panes of one side have the order of the table."""

    LEFT = "left"
    RIGHT = "right"
    BELOW = "below"


class Panel(Themed):
    """Pane of the scope, which emits picks and requests, and knows nothing of other panes."""

    picked = Signal(Match)
    filtered = Signal(Kind)  # Kind or None
    seeds_requested = Signal()
    query_requested = Signal(str)  # a query to type
    set_requested = Signal(str, str)  # key and value of a setting
    setting_requested = Signal(str)  # key of the setting to open
    action_requested = Signal(str)  # key of an action of the window
    notified = Signal(str, bool)  # a sentence for the toast, True for bad news
    size_wish_changed = Signal()  # `height_in` or `summary` has changed

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme)
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # the background need not be painted
        self.scope_state = ScopeState()
        self.column = spaced(QVBoxLayout(self))

    @abstractmethod
    def show_state(self, scope_state: ScopeState) -> None:
        """Draw this state."""

    def take_head(self) -> PaneHeader:
        """Return the pane's head, which the caller shows above the pane."""
        head = self.findChild(PaneHeader, options=Qt.FindChildOption.FindDirectChildrenOnly)
        assert head is not None, "only panes with a head can be moved"
        return head

    def height_in(self, column: float) -> float | None:
        """Return the height with head in a column of this height, in units; None takes the rest."""
        return None

    def summary(self) -> str:
        """Return a short summary of the pane, shown while it is folded."""
        return ""

    def sparkline(self) -> tuple[float, ...]:
        """Return the heights of small bars beside the summary, in [0, 1]."""
        return ()

    def focus_target(self) -> QWidget:
        """Return the widget that gets the focus when the pane is entered."""
        return self

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self.theme.color("surface"))


class DocumentPanel(Panel):
    """Panel that shows a document, or an empty state."""

    def __init__(self, theme: Theme, name: str, read_as: str, icon: str) -> None:
        super().__init__(theme, name)
        self._icon: str = icon
        self._make: Callable[[], str] = str
        self.head, self.sheet = PaneHeader(theme, name), DocumentView(theme, read_as)
        self.sheet.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        fill(self.column, self.head, (self.sheet, 1))

    def focus_target(self) -> QWidget:
        return self.sheet

    def show_html(self, make: Callable[[], str]) -> None:
        """Show this document, which is made once the pane is seen."""
        self._make = make
        if self.isVisible():
            self.sheet.show_html(make())

    def showEvent(self, event: QShowEvent) -> None:
        self.sheet.show_html(self._make())

    def show_empty(self, line: str, sentence: str) -> None:
        """Show that there is nothing yet, and how it comes."""
        lines = (icon_html(self._icon, "text_2", 28), span(line, "strong"), span(sentence, "text_2"))
        self.show_html(lambda: "<br>" + "".join(f'<p align="center" class="below">{one}</p>' for one in lines))
