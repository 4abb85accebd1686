"""What the log comes to since a day that a person chooses: targets, alarms, times and shares."""

from __future__ import annotations

import time

from PySide6.QtCore import QRect, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display import words
from app.display.catalogue import Choice, Facet
from app.display.past_rows import AGES
from app.display.routing_metrics import Dashboard
from app.display.routing_rows import log_filter
from app.gui.controls import Empty, button
from app.gui.library.facet_chip import FacetChip
from app.gui.library.pane_parts import Said
from app.gui.pages.route_errands import RouteErrands
from app.gui.pages.route_measures import MeasuresSheet
from app.gui.pages.tables import TablesSheet
from app.gui.sheet import scrolled
from app.gui.theme import Theme

_NEWS_AFTER_MS = 1_500
"""A hundred thousand decisions take their time to be added up, so not after each one."""


class RouteMetricsPart(QWidget):
    """Reckoned on the engine's side, and only while it can be seen."""

    def __init__(self, theme: Theme, errands: RouteErrands) -> None:
        super().__init__()
        self.theme, self.errands = theme, errands
        self.shown: Dashboard | None = None
        self._is_stale = True
        ages = tuple(Choice(days, words.say(word)) for days, word in AGES)
        self.since = FacetChip(theme, Facet("age", "Decided", ages))
        self.since.changed.connect(self.refresh)
        self.count = Said(theme, token="text_2")
        self.again = button(self.tr("Add up again"), press=self.refresh)
        self.sheet = MeasuresSheet(theme, self.tr("Targets and alarms"))
        self.area = scrolled(self.sheet, self.tr("Targets and alarms"))
        self.tables = TablesSheet(theme, self.tr("By method and by intent"))
        self.right = scrolled(self.tables, self.tr("By method and by intent"))
        self.empty = Empty(
            theme,
            "chart",
            self.tr("No route was decided yet"),
            self.tr("There is nothing to measure. Every query that rests on the scope is a decision."),
        )
        self._news = QTimer(self, singleShot=True, interval=_NEWS_AFTER_MS)
        self._news.timeout.connect(self.refresh)
        self._arrange()
        errands.reckoned.connect(self._on_reckoned)

    def _arrange(self) -> None:
        px = self.theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), px(4), px(16), px(8))
        top.setSpacing(px(8))
        top.addWidget(self.since)
        top.addWidget(self.count, 1)
        top.addWidget(self.again)
        body = QWidget()
        across = QHBoxLayout(body)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(1)
        across.addWidget(self.area, 5)
        across.addWidget(self.right, 4)
        self.stack = QStackedWidget()
        self.stack.addWidget(body)
        self.stack.addWidget(self.empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addWidget(self.stack, 1)

    def stops(self) -> list[QWidget]:
        """Where the keyboard stops, in order."""
        is_empty = self.stack.currentWidget() is self.empty
        return [self.since] if is_empty else [self.area, self.right, self.since]

    def note_news(self) -> None:
        """Something was decided or cleared."""
        self._is_stale = True
        if self.isVisible() and not self._news.isActive():
            self._news.start()

    def look(self) -> None:
        """It can be seen now: be up to date."""
        if self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        """Have it added up anew."""
        self._is_stale = not self.isVisible()
        if not self._is_stale:
            self.errands.reckon(log_filter("", {"age": self.since.value}, time.time()))

    def _on_reckoned(self, shown: Dashboard) -> None:
        self.shown = self.sheet.shown = shown
        self.tables.shown = shown.tables
        self.count.say(shown.count)
        self.stack.setCurrentIndex(1 if shown.is_empty else 0)
        self.sheet.update()
        self.tables.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.stack.currentIndex() == 0:
            edge = self.right.mapTo(self, self.right.rect().topLeft())
            QPainter(self).fillRect(QRect(edge.x() - 1, edge.y(), 1, self.right.height()), self.theme.color("border"))
