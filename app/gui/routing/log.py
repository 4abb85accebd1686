"""The log of decisions: found, sifted and sorted, looked at one by one, sampled for an audit, and forgotten."""

from __future__ import annotations

import time

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display import words
from app.display.routing.rows import LOG_COLUMNS, log_facets, log_filter, log_heading, log_parts, text_of
from app.display.routing.words import kept
from app.domain.filters import SearchResult
from app.domain.route import LoggedRoute, RouteOrder
from app.gui.kit.controls import Empty, button
from app.gui.kit.drawing.parts_sheet import PartsSheet
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.page import Desk
from app.gui.kit.tables.filter_bar import FilterBar
from app.gui.kit.tables.paged_model import FEW, following
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.task_strip import split_of
from app.gui.kit.theme.theme import Theme
from app.gui.routing.audit import RouteAuditView
from app.gui.routing.jobs import RouteJobs, RouteRequest
from app.services.routing.routes import RoutingState


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


# --------------------------------------------------------------------------------------------------------------------
# The log of decisions: found, sifted and sorted, looked at one by one, sampled for an audit, and forgotten

_NEWS_AFTER_MS = 300
_SIDE = 344


class RouteLogPart(QWidget):
    """Fetches what is seen. An audit stands in the place of the table until one goes back."""

    open_asked = Signal(str)  # a query for the scope
    clear_log_asked = Signal(int)
    privacy_asked = Signal()

    def __init__(self, theme: Theme, jobs: RouteJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self._is_stale, self._is_known, self._is_off = True, False, False
        self.whole = 0
        self._asked_with: tuple[list[int], int | None] = ([], None)
        self._labels: tuple[str, ...] = ()
        self._make_parts()
        self._arrange()
        self._news = QTimer(self, singleShot=True, interval=_NEWS_AFTER_MS)
        self._news.timeout.connect(self.refresh)
        self._connect()
        self._show_front()

    def _make_parts(self) -> None:
        theme = self.theme
        self.view = button(self.tr("View"), tip=self.tr("Sort, and choose columns"), press=self._open_view_menu)
        self.bar = FilterBar(theme, self.tr("Find words in the queries"), self.view)
        self.bar.show_facets(log_facets())
        self.start_audit = button(
            self.tr("Audit 100 …"), tip=self.tr("Set beside each other what rules, LLM and cases say of a sample")
        )
        self.clear_cache = button("", tip=self.tr("Forget the answers of the LLM that are kept"))
        self.clear_log = button(self.tr("Clear the log …"), tip=self.tr("Forget all decisions, for good"))
        self.table = LibraryTable(theme, self.tr("Decisions"), LOG_COLUMNS, "route log")
        self.table.sort_by(RouteOrder.AT, falling=True)
        self.side = RouteLogSide(theme)
        self.audit = RouteAuditView(theme, self.jobs)
        self.nothing = Empty(
            theme,
            "route",
            self.tr("No route was decided yet"),
            self.tr("Every decision is put here as soon as a query rests: from the window, the command line, and MCP."),
        )
        self.off = Empty(
            theme,
            "off",
            self.tr("No decision is kept"),
            self.tr("The history is off (history.privacy), so the log is too."),
            button(self.tr("Keep them from now on"), primary=True, press=self.privacy_asked.emit),
        )
        self.no_fit = Empty(
            theme,
            "search",
            self.tr("No decision fits"),
            self.tr("Look for fewer words, or take a filter away. What is kept hashed has no words to find."),
            button(self.tr("Show all"), press=self.bar.clear_all),
        )

    def _arrange(self) -> None:
        px = self.theme.px
        verbs = QHBoxLayout()
        verbs.setContentsMargins(px(16), px(4), px(16), px(8))
        verbs.setSpacing(px(8))
        for made in (self.start_audit, self.clear_cache, self.clear_log):
            verbs.addWidget(made)
        verbs.addStretch(1)
        self.stack = QStackedWidget()
        for part in (self.table, self.nothing, self.off, self.no_fit):
            self.stack.addWidget(part)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(verbs)
        column.addWidget(self.bar)
        column.addWidget(self.stack, 1)
        self.split = split_of(left, self.side)
        self.split.setSizes([px(1280 - 48 - _SIDE), px(_SIDE)])
        self.front = QStackedWidget()
        self.front.addWidget(self.split)
        self.front.addWidget(self.audit)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.front)

    def _connect(self) -> None:
        jobs, table = self.jobs, self.table
        self.bar.changed.connect(lambda: self.refresh(anew=True))
        self.bar.left.connect(table.setFocus)
        table.sorted_by.connect(lambda *_: self.refresh())
        table.picked.connect(self._look)
        table.typed.connect(self.bar.type_on)
        table.entered.connect(self._open)
        table.doubleClicked.connect(lambda _: self._open())
        table.paged.wanted.connect(jobs.fetch)
        self.side.open_asked.connect(self._open)
        jobs.found.connect(self._on_found)
        jobs.rows_came.connect(self._on_rows, Qt.ConnectionType.QueuedConnection)
        self.start_audit.clicked.connect(lambda _=False: self.begin_audit())
        self.clear_cache.clicked.connect(lambda _=False: jobs.clear_cache())
        self.clear_log.clicked.connect(lambda _=False: self.clear_log_asked.emit(self.whole))
        self.audit.left.connect(self.leave_audit)
        find = QShortcut(QKeySequence("Ctrl+F"), self, self._focus_search)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def stops(self) -> list[QWidget]:
        """Where the keyboard stops, in order."""
        if self.is_auditing:
            return [self.audit.table, self.audit.back]
        table: list[QWidget] = [self.table] if self.stack.currentWidget() is self.table else []
        search: list[QWidget] = [] if self.bar.isHidden() else [self.bar.search]
        verbs = [made for made in (self.start_audit, self.clear_cache, self.clear_log) if made.isEnabled()][:1]
        return [*table, *search, *verbs, *self.side.stops()]

    # ---- finding

    def show_desk(self, desk: Desk) -> None:
        """The history's privacy decides if there is a log."""
        self._is_off = desk.settings.history.privacy == "off"
        self._show_front()

    def show_state(self, state: RoutingState) -> None:
        """Something may have been noted, learned or cleared."""
        self.clear_cache.setText(self.tr("Clear the cache") + f" ({state.kept:,})")
        self.clear_cache.setAccessibleDescription(kept(state.kept))
        self.clear_cache.setEnabled(state.kept > 0)
        if state.labels != self._labels:
            self._labels = state.labels
            self.bar.show_facets(log_facets(state.labels))
        self._is_stale = True
        if self.isVisible():
            self._news.start()

    def look(self) -> None:
        """It can be seen now: be up to date."""
        if self._is_stale:
            self.refresh()

    def refresh(self, *, anew: bool = False) -> None:
        """Look again for what is asked for; with `anew` from the top of the table."""
        self._is_stale = not self.isVisible()
        if self._is_stale:
            return
        table = self.table
        wanted = log_filter(self.bar.text, self.bar.chosen, time.time())
        self._asked_with = (table.selected_keys, table.current_key)
        top = None if anew else table.top_key
        order = RouteOrder(table.order or RouteOrder.AT)
        self.jobs.find(RouteRequest(wanted, order, table.falling, *self._asked_with, top))

    def _on_found(self, found: SearchResult) -> None:
        self._is_known = True
        self.whole = found.whole
        selected, current = self.table.selected_keys, self.table.current_key
        if (selected, current) != self._asked_with:
            if len(selected) > FEW:
                self.refresh()
                return
            found = following(found, selected, current)
        self.bar.show_count(len(found.keys), found.whole)
        self.table.show_found(found)
        if self.table.current_key is None and found.keys:
            self.table.pick(0)
        self._show_front()
        self._look()

    def _on_rows(self, rows: dict[int, LoggedRoute], asked: list[int]) -> None:
        self.table.paged.take_rows(rows, asked)
        self._look()

    def _show_front(self) -> None:
        has_any = bool(self.table.paged.keys)
        empty = self.off if self._is_off else self.nothing
        self.bar.setVisible(self.whole > 0 or self.bar.is_sifting)
        self.start_audit.setEnabled(self.whole > 0)
        self.clear_log.setEnabled(self.whole > 0)
        if self._is_known or self._is_off:
            self.stack.setCurrentWidget(self.table if has_any else self.no_fit if self.whole else empty)

    # ---- one

    @property
    def current(self) -> LoggedRoute | None:
        """The decision under the keyboard, if it has come."""
        key = self.table.current_key
        row = None if key is None else self.table.paged.row_of(key)
        return row if isinstance(row, LoggedRoute) else None

    def _look(self) -> None:
        self.side.show_decision(self.current, self.table.selected_count)

    def _open(self) -> None:
        one = self.current
        if one is not None and one.text:
            self.open_asked.emit(one.text)

    # ---- audit

    @property
    def is_auditing(self) -> bool:
        """Whether an audit stands in the place of the table."""
        return self.front.currentWidget() is self.audit

    def begin_audit(self) -> None:
        """Look at a sample of the log."""
        self.front.setCurrentWidget(self.audit)
        self.audit.begin()
        self.audit.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave_audit(self) -> None:
        """Go back to the table."""
        self.front.setCurrentWidget(self.split)
        self.stops()[0].setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- the rest

    def _focus_search(self) -> None:
        self.bar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.search.selectAll()

    def _open_view_menu(self) -> None:
        self.table.view_menu().popup(self.view.mapToGlobal(self.view.rect().bottomLeft()))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.is_auditing:
            edge = self.side.mapTo(self, QPoint(0, 0)).x()
            QPainter(self).fillRect(edge - 1, 0, 1, self.height(), self.theme.color("border"))
