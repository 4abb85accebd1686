"""Strip at the lower edge of the scope: the folded panes with short summaries."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.gui.kit.folded import FoldedLine
from app.gui.kit.layouts import spaced
from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.panel import Panel


class FoldedPane(FoldedLine):
    """Folded pane: its name and its summary. A press opens it."""

    def __init__(self, theme: Theme, panel: Panel) -> None:
        super().__init__(theme, panel.accessibleName())
        self.panel = panel
        self.update_summary()

    def update_summary(self) -> None:
        self.show_summary(self.panel.summary(), self.panel.sparkline())


class FoldedStrip(QWidget):
    """Folded panes side by side; those about time are on the right."""

    opened = Signal(str)  # key of a pane

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setAccessibleName("Folded panes")
        self.buttons: list[FoldedPane] = []
        self._row = spaced(QHBoxLayout(self))
        self._keys: list[str] = []

    def show_panels(self, folded: Sequence[tuple[str, Panel]], at_right: Collection[str]) -> None:
        """Show a button for each of these panes; those `at_right` come last."""
        keys = [key for key, _ in folded]
        if keys != self._keys:
            self._keys = keys
            while (item := self._row.takeAt(0)) is not None:
                if (old := item.widget()) is not None:
                    old.hide()
                    old.deleteLater()
            ordered = sorted(folded, key=lambda each: each[0] in at_right)
            self.buttons = [self._button(key, panel) for key, panel in ordered]
            for made in self.buttons:
                self._row.addWidget(made)
            self._row.insertStretch(sum(key not in at_right for key in keys), 1)
        self.setVisible(bool(folded))
        self.update_summaries()

    def _button(self, key: str, panel: Panel) -> FoldedPane:
        made = FoldedPane(self.theme, panel)
        made.clicked.connect(lambda _checked=False: self.opened.emit(key))
        return made

    def update_summaries(self) -> None:
        """Show the present summaries of the panes."""
        for made in self.buttons:
            made.update_summary()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        painter.fillRect(QRect(QPoint(0, 0), QSize(self.width(), 1)), self.theme.color("border"))
