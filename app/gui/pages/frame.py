"""Room for a page that needs more than the window has: it scrolls, and the window keeps its size."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea

from app.gui.pages.page import Page


class Frame(QScrollArea):
    """Shows one page, as large as there is room, and never smaller than it has to be."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(page.accessibleName())
        self.setWidget(page)
        self._page = page

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._page.seen_high = self.viewport().height()
        self._page.fit(self.viewport().width())  # first: how much the page needs follows from it
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)
