"""The pane beside the log: one decision in detail, or how many are picked."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display import words
from app.display.routing.rows import log_heading, log_parts, text_of
from app.domain.route import LoggedRoute
from app.gui.controls import Empty, button
from app.gui.pages.history_sheet import PartsSheet
from app.gui.sheet import scrolled
from app.gui.theme import Theme


class RouteLogSide(QWidget):
    """`shown` is the decision in front."""

    open_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.shown: LoggedRoute | None = None
        self.open = button(
            self.tr("Open in the scope"), tip=self.tr("Ask this query again (Enter)"), press=self.open_asked.emit
        )
        self.sheet = PartsSheet(theme, self.tr("The decision in detail"))
        self.area = scrolled(self.sheet, self.tr("The decision in detail"))
        self.none = Empty(theme, "route", "", "")
        self.stack = QStackedWidget()
        for part in (self.none, self.area):
            self.stack.addWidget(part)
        px = theme.px
        verbs = QHBoxLayout()
        verbs.setContentsMargins(px(16), px(4), px(16), px(8))
        verbs.addWidget(self.open)
        verbs.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(verbs)
        column.addWidget(self.stack, 1)
        self.show_decision(None, 0)

    def show_decision(self, one: LoggedRoute | None, count: int) -> None:
        """Show this one; with several picked only how many."""
        self.shown = one if count <= 1 else None
        self.open.setEnabled(self.shown is not None and bool(self.shown.text))
        if self.shown is not None:
            self.sheet.show_parts(text_of(self.shown), log_heading(self.shown), log_parts(self.shown))
            self.stack.setCurrentWidget(self.area)
            return
        if count > 1:
            told = words.say_n(count, "{n} decision is selected", "{n} decisions are selected")
            self.none.tell(told, words.say("Select one to see how it came about."))
        else:
            self.none.tell(words.say("No decision is selected"), words.say("Select one to see how it came about."))
        self.stack.setCurrentWidget(self.none)

    def stops(self) -> list[QWidget]:
        """Where the keyboard stops."""
        return [self.area] if self.stack.currentWidget() is self.area else []
