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
from app.gui.kit.theme.theme import Theme

HEAD = 34.0
"""How high the head of a pane is, in units, and the line of the folded panes."""


class Panel(QWidget):
    """A pane of the scope. It emits what was picked or requested, and knows nothing of the other panes."""

    picked = Signal(Match)
    filtered = Signal(Kind)  # Kind or None
    seeds_requested = Signal()
    query_requested = Signal(str)  # a query to be typed
    set_requested = Signal(str, str)  # a setting's key and value
    setting_requested = Signal(str)  # the key of a setting that is to be opened
    action_requested = Signal(str)  # the key of an action of the window
    notified = Signal(str, bool)  # a sentence for the toast, if it is bad news
    size_wish_changed = Signal()  # `height_in` or `summary` would say something else now

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # what lies below need not be painted for it
        self.scope_state = ScopeState()
        self.column = spaced(QVBoxLayout(self))

    @abstractmethod
    def show_state(self, scope_state: ScopeState) -> None:
        """Draw this state from now on."""

    def take_head(self) -> PaneHeader:
        """The pane's head; whoever takes it shows it above the pane from then on."""
        head = self.findChild(PaneHeader, options=Qt.FindChildOption.FindDirectChildrenOnly)
        assert head is not None, "only panes with a head can be moved"
        return head

    def height_in(self, column: float) -> float | None:
        """How high the pane is in a column so high, its head included, in units; None takes the room that is left."""
        return None

    def summary(self) -> str:
        """The content of the pane in a few words, shown while it is folded."""
        return ""

    def sparkline(self) -> tuple[float, ...]:
        """Heights of the bars in [0, 1] that are shown small beside the summary."""
        return ()

    def focus_target(self) -> QWidget:
        """What takes the keyboard when the pane is stepped into."""
        return self

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self.theme.color("surface"))


def draw_empty(canvas: Canvas, icon: str, line: str, sentence: str, height: float) -> float:
    """Draw the empty state in the middle of a sheet of that height: icon, line, sentence; the lower end."""
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
