"""Overlays over the panes of the scope: one at a time, closed by Esc."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.gui.kit.controls import button
from app.gui.kit.fields import handle_escape
from app.gui.kit.theme import Theme, Themed
from app.gui.scope.query_line import QueryLine

PANES = 0
"""Index of the panes in the stack."""


class Overlay(Themed):
    """Base class of the overlays: an opaque widget, closed by Esc or its button."""

    def __init__(self, theme: Theme, name: str, close: Callable[[], object]) -> None:
        super().__init__(theme)
        self._close = close
        self.setAccessibleName(name)
        self.close_it = button("Close", tip="Back to the panes (Esc)", press=close)

    def event(self, event: QEvent) -> bool:
        return handle_escape(event, self._close) or super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self.theme.color("surface"))


View = TypeVar("View", bound=Overlay)


class Overlays(QObject, Generic[View]):
    """Opens an overlay, created on first use, and returns to the query line."""

    notified = Signal(str, bool, bool)  # as in Page

    def __init__(self, place: QStackedWidget, line: QueryLine) -> None:
        super().__init__(place)
        self.view: View | None = None
        self._place, self._line = place, line
        self._was_open = False
        line.installEventFilter(self)
        place.currentChanged.connect(self._on_toggled)

    @property
    def is_open(self) -> bool:
        return self.view is not None and self._place.currentWidget() is self.view

    def refuse(self, sentence: str) -> None:
        """Show in a toast why something was not possible."""
        self.notified.emit(sentence, False, True)

    def close(self) -> None:
        self._place.setCurrentIndex(PANES)
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @abstractmethod
    def focus_stops(self) -> list[QWidget]:
        """Return the stops of F6 in the view."""

    @abstractmethod
    def _make_view(self) -> View:
        """Make the view, which calls these actions."""

    def _left(self) -> None:
        """Cancel the jobs of a view that another one has replaced; none by default."""

    def _lay_over(self) -> View:
        """Show the view in place of the current one."""
        if self.view is None:
            self.view = self._make_view()
            self._place.addWidget(self.view)
        self._place.setCurrentWidget(self.view)
        return self.view

    def _on_toggled(self) -> None:
        was_open, self._was_open = self._was_open, self.is_open
        if was_open and not self.is_open:
            self._left()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close the overlay by Esc in the query line, before any other effect."""
        return self.is_open and handle_escape(event, self.close)
