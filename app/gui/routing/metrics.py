"""What the log comes to since a day that a person chooses: targets, alarms, times and shares."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display import words
from app.display.library.catalogue import Choice, Facet
from app.display.review.rows import AGES
from app.display.routing.measures import Dashboard
from app.display.routing.rows import log_filter
from app.gui.kit.controls import Empty, button
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.drawing.tables_sheet import TablesSheet
from app.gui.kit.pane_parts import Said
from app.gui.kit.tables.facet_chip import FacetChip
from app.gui.kit.theme.theme import Theme
from app.gui.routing.jobs import RouteJobs
from app.gui.routing.measures import MeasuresSheet

_WIDE_FROM = 960
_NEWS_AFTER_MS = 1_500
MOST_LIVE = 20_000
"""So many decisions are added up again by themselves; more take their time, so that is left to a person."""


class RouteMetricsPart(Ruled):
    """Reckoned on the engine's side, and only while it can be seen."""

    def __init__(self, theme: Theme, jobs: RouteJobs) -> None:
        super().__init__(theme)
        self.jobs = jobs
        self.shown: Dashboard | None = None
        self._is_stale, self._is_asking = True, False
        ages = tuple(Choice(days, words.say(word)) for days, word in AGES)
        self.since = FacetChip(theme, Facet("age", "Decided", ages))
        self.since.changed.connect(self.refresh)
        self.count = Said(role="caption")
        self.again = button(self.tr("Add up again"), press=self.refresh)
        self.sheet = MeasuresSheet(theme, self.tr("Targets and alarms"))
        self.area = scrolled(self.sheet, self.tr("Targets and alarms"))
        self.tables = TablesSheet(theme, self.tr("By method and by route"))
        self.right = scrolled(self.tables, self.tr("By method and by route"))
        self.empty = Empty(
            theme,
            "chart",
            self.tr("No route was decided yet"),
            self.tr("There is nothing to measure. Every query that rests on the scope is a decision."),
        )
        self._news = QTimer(self, singleShot=True, interval=_NEWS_AFTER_MS)
        self._news.timeout.connect(self.refresh)
        self._arrange()
        jobs.reckoned.connect(self._on_reckoned)
        jobs.refused.connect(self._on_refused, Qt.ConnectionType.QueuedConnection)

    def _arrange(self) -> None:
        px = self.theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), px(4), px(16), px(8))
        top.setSpacing(px(8))
        top.addWidget(self.since)
        top.addWidget(self.count, 1)
        top.addWidget(self.again)
        body = QWidget()
        across = self._across = QBoxLayout(QBoxLayout.Direction.LeftToRight, body)
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
        self._begin_wait()

    def _begin_wait(self) -> None:
        """What is under way is waited for: asked for again and again it would never come."""
        is_live = self.shown is None or self.shown.n <= MOST_LIVE
        if self.isVisible() and is_live and not self._is_asking and not self._news.isActive():
            self._news.start()

    def look(self) -> None:
        """It can be seen now: be up to date."""
        if self._is_stale and not self._is_asking:
            self.refresh()

    def refresh(self) -> None:
        """Have it added up anew."""
        self._news.stop()
        self._is_stale = not self.isVisible()
        if not self._is_stale:
            self._is_asking = True
            self.count.say(self.tr("The log is being added up."))
            self.jobs.reckon(log_filter("", {"age": self.since.value}, time.time()))

    def _on_refused(self, sentence: str) -> None:
        if self._is_asking:
            self._is_asking = False
            self.count.say(sentence)

    def _on_reckoned(self, shown: Dashboard) -> None:
        self._is_asking = False
        self.shown = self.sheet.shown = shown
        self.tables.shown = shown.tables
        self.count.say(shown.count)
        self.stack.setCurrentIndex(1 if shown.is_empty else 0)
        self.sheet.update()
        self.tables.update()
        if self._is_stale:
            self._begin_wait()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for two columns they stand below each other."""
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        self._across.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def hairlines(self) -> Iterator[QRect]:
        if self.stack.currentIndex() == 0:
            place = self.right.mapTo(self, self.right.rect().topLeft())
            if self._across.direction() is QBoxLayout.Direction.LeftToRight:
                yield QRect(place.x() - 1, place.y(), 1, self.right.height())
            else:
                yield QRect(place.x(), place.y() - 1, self.right.width(), 1)
