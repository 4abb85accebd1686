"""Panel, the base class of panes: a named widget that draws a ScopeState."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.domain.library import Kind
from app.domain.match import Match
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import PaneHeader
from app.gui.kit.drawing.canvas import CENTER, Canvas
from app.gui.kit.layouts import spaced
from app.gui.kit.theme.theme import Theme, Themed

HEAD = 34.0
"""Height of a pane's head and of the folded strip, in units."""


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


def draw_empty(canvas: Canvas, icon: str, line: str, sentence: str, height: float) -> float:
    """Draw the empty state, centred in this height: icon, line, sentence; return the lower end."""
    top = max(8.0, height / 2 - 52)
    width = canvas.width - 32
    canvas.icon(icon, (canvas.width - 28) / 2, top, 28)
    center = CENTER
    canvas.text(QRectF(16, top + 34, width, 20), line, canvas.theme.face(13, 600), "text", center)
    font = canvas.theme.face(12)
    advance = font.width(sentence)
    if advance <= width:
        canvas.text(QRectF(16, top + 56, width, 18), sentence, font, "text_2", center)
        return top + 80
    canvas.painter.save()
    canvas.painter.setFont(font)
    canvas.painter.setPen(canvas.theme.color("text_2"))
    flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
    canvas.written.append(sentence)
    high = font.measure.boundingRect(QRectF(0, 0, width, 1000), flags, sentence).height()
    canvas.painter.drawText(QRectF(16, top + 56, width, high + 2), flags, sentence)
    canvas.painter.restore()
    return top + 62 + high
