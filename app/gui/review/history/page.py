"""The page of past queries: found, sifted and sorted, looked at as they were, asked again, and forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.display.review.rows import counts_line, past_facets, past_filter
from app.domain.filters import SearchResult
from app.domain.history import PastCounts, PastOrder, PastQuery
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.events import watch_of
from app.gui.kit.action import Action
from app.gui.kit.controls import Empty, Head, button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.page import Desk
from app.gui.kit.tables import column_memory
from app.gui.kit.tables.filter_bar import FilterBar
from app.gui.kit.tables.paged_model import FEW, following
from app.gui.kit.task_strip import least_heights, split_of, turn_split
from app.gui.kit.theme.theme import Theme
from app.gui.review.history.actions import HistoryActions, HistoryParts
from app.gui.review.history.jobs import HistoryJobs, HistoryRequest
from app.gui.review.history.replay import ReplayView
from app.gui.review.history.side import HistorySide
from app.gui.review.history.strips import LogStrip, PrivacyStrip
from app.gui.review.history.table import HistoryTable

_LOOK_AFTER_MS, _NEWS_AFTER_MS = 30, 200
_SIDE = 344


class HistoryPage(HistoryParts):
    """Fetches what is seen. A replay stands in the place of the table until one goes back."""

    least_beside = 900

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, self.tr("History"))
        self.worker = worker
        self.jobs = HistoryJobs(worker, self)
        self.watch = watch_of(worker)
        self.counts = self.watch.counts or PastCounts()
        self._is_stale, self._is_known = True, False
        self._asked_with: tuple[list[int], int | None] = ([], None)
        self._make_parts()
        self._look_timer = QTimer(self, singleShot=True, interval=_LOOK_AFTER_MS)
        self._look_timer.timeout.connect(self._look)
        self._news_timer = QTimer(self, singleShot=True, interval=_NEWS_AFTER_MS)
        self._news_timer.timeout.connect(self.refresh)
        self._arrange()
        self._connect()
        self.doing: HistoryActions = HistoryActions(self)

    # ---- building

    def _make_parts(self) -> None:
        theme = self.theme
        self.replay_all = button(
            self.tr("Replay all found"), tip=self.tr("Ask all that are found again, and list what differs")
        )
        self.take_log = button(self.tr("Take in a log …"), tip=self.tr("Answer the queries of a file, and keep them"))
        self.forget_all = button(self.tr("Forget all …"), tip=self.tr("Forget the whole history, for good"))
        self.head = Head(theme, self.tr("History"), self.replay_all, self.take_log, self.forget_all)
        self.view = button(self.tr("View"), tip=self.tr("Sort, and choose columns"), press=self._open_view_menu)
        self.bar = FilterBar(theme, self.tr("Find words in the queries"), self.view)
        self.bar.show_facets(past_facets())
        self.privacy = PrivacyStrip(theme)
        self.log = LogStrip(theme, self.jobs)
        self.fault = FaultLine(theme)
        self.table = HistoryTable(theme, self.tr("Past queries"))
        self.side = HistorySide(theme)
        self.replay = ReplayView(theme)
        self.nothing = Empty(
            theme,
            "history",
            self.tr("Nothing was asked yet"),
            self.tr("Type a query on the scope: what stood for a second is kept here. Or take in a log of queries."),
            button(self.tr("Go to the scope"), primary=True, press=lambda: self.act_asked.emit("query")),
            button(self.tr("Take in a log …"), press=self.log.choose),
        )
        self.off = Empty(
            theme,
            "off",
            self.tr("No query is kept"),
            self.tr("The history is off. Nothing that is asked leaves a trace here."),
            button(self.tr("Keep queries from now on"), primary=True, press=lambda: self._choose_privacy("full")),
        )
        self.no_fit = Empty(
            theme,
            "search",
            self.tr("No query fits"),
            self.tr("Look for fewer words, or take a filter away. What is kept hashed has no words to find."),
            button(self.tr("Show all"), press=self.bar.clear_all),
        )

    def _arrange(self) -> None:
        px = self.theme.px
        self.stack = QStackedWidget()
        for part in (self.table, self.nothing, self.off, self.no_fit):
            self.stack.addWidget(part)
        self.found_side = QWidget()
        column = QVBoxLayout(self.found_side)
        column.setContentsMargins(0, px(4), 0, 0)
        column.setSpacing(0)
        for above in (self.head, self.bar, self.privacy, self.log, self.fault):
            column.addWidget(above)
        column.addWidget(self.stack, 1)
        self.left = QStackedWidget()
        self.left.addWidget(self.found_side)
        self.left.addWidget(self.replay)
        self.split = split_of(self.left, self.side)
        self.lay_panes(turned=True)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.split)

    def lay_panes(self, turned: bool) -> None:
        px, narrow = self.theme.px, self.is_narrow
        least_heights(self.theme, {self.left: 360, self.side: 240}, narrow=narrow, within=self.seen_high)
        if turned:
            sizes = (px(400), px(300)) if narrow else (px(1280 - 48 - _SIDE), px(_SIDE))
            turn_split(self.split, sizes, narrow=narrow)

    def _connect(self) -> None:
        jobs, table = self.jobs, self.table
        self.bar.changed.connect(lambda: self.refresh(anew=True))
        self.bar.left.connect(table.setFocus)
        table.sorted_by.connect(lambda *_: self.refresh())
        table.picked.connect(self._on_picked)
        table.typed.connect(self.bar.type_on)
        table.paged.wanted.connect(jobs.fetch)
        jobs.rows_came.connect(self._on_rows, Qt.ConnectionType.QueuedConnection)
        jobs.found.connect(self._on_found)
        jobs.looked.connect(self._on_looked)
        self.privacy.chosen.connect(self._choose_privacy)
        self.log.ended.connect(self._news_timer.start)
        self.watch.counted.connect(self._on_counted)
        self.take_log.clicked.connect(lambda _=False: self.log.choose())
        find = QShortcut(QKeySequence("Ctrl+F"), self, self._focus_search)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    # ---- the page in the window

    def keep_in(self, folder: Path) -> None:
        self.table.keep_in(folder / column_memory.FILE)

    @property
    def is_replaying(self) -> bool:
        """Whether a replay stands in the place of the table."""
        return self.left.currentWidget() is self.replay

    def stops(self) -> list[QWidget]:
        if self.is_replaying:
            return [self.replay.focus_place(), self.replay.back, self.side.stop()]
        front = self.stack.currentWidget()
        table: list[QWidget] = [self.table] if front is self.table else []
        search: list[QWidget] = [] if self.bar.isHidden() else [self.bar.search]
        return [*table, *search, self.take_log, self.privacy.choice, self.side.stop()]

    def show_desk(self, desk: Desk) -> None:
        was_open = self.desk is not None and self.desk.status.is_open
        super().show_desk(desk)
        self.fault.tell(desk.status.faults.get("store", ""))
        self.privacy.show_settings(desk.settings)
        self.table.show_settings(desk.settings)
        self._show_front()
        if desk.status.is_open and not was_open:
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def offers(self) -> Sequence[Action]:
        return self.doing.offers()

    # ---- finding

    def refresh(self, *, anew: bool = False) -> None:
        """Look again for what is asked for; with `anew` from the top of the table, as after another search."""
        is_open = self.desk is not None and self.desk.status.is_open
        self._is_stale = not (self.isVisible() and is_open)
        if self._is_stale:
            return
        table = self.table
        order = PastOrder(table.order) if table.order else PastOrder.AT
        top = None if anew else table.top_key
        wanted = past_filter(self.bar.text, self.bar.chosen)
        selected, current = self._asked_with = (table.selected_keys, table.current_key)
        self.jobs.find(HistoryRequest(wanted, order, table.falling, selected, current, top))

    def _on_found(self, found: SearchResult) -> None:
        self._is_known = True
        selected, current = self.table.selected_keys, self.table.current_key
        if (selected, current) != self._asked_with:
            if len(selected) > FEW:
                self.refresh()  # with what has been selected since
                return
            found = following(found, selected, current)
        self.bar.show_count(len(found.keys), found.whole)
        self.table.show_found(found)
        if self.table.current_key is None and found.keys:
            self.table.pick(0)
        self._show_front()

    def _on_rows(self, rows: dict[int, PastQuery], asked: list[int]) -> None:
        self.table.paged.take_rows(rows, asked)
        self._look_timer.start()

    def _on_counted(self, counts: PastCounts) -> None:
        self.counts = counts
        self._is_stale = True
        self._show_front()
        if self.isVisible():
            self._news_timer.start()

    def _show_front(self) -> None:
        """Show the table, or why there is none."""
        is_off = self.desk is not None and self.desk.settings.history.privacy == "off"
        has_any = bool(self.table.paged.keys)
        empty = self.off if is_off else self.nothing
        front: QWidget = self.table if has_any else self.no_fit if self.counts.kept else empty
        self.head.set_more(counts_line(self.counts))
        self.bar.setVisible(bool(self.counts.kept) or self.bar.is_sifting)
        self.replay_all.setEnabled(has_any)
        self.forget_all.setEnabled(bool(self.counts.kept))
        had_focus = self.table.hasFocus()
        if not self._is_known:
            return  # what there is has not been asked for yet
        self.stack.setCurrentWidget(front)
        if had_focus and front is not self.table:
            self.stops()[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _focus_search(self) -> None:
        self.bar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.search.selectAll()

    def _open_view_menu(self) -> None:
        self.table.view_menu().popup(self.view.mapToGlobal(self.view.rect().bottomLeft()))

    # ---- one or several

    def _on_picked(self) -> None:
        if not self.is_replaying:
            self._look_timer.start()

    def _look(self) -> None:
        """Show what is selected; the trace of a single one is fetched."""
        if self.is_replaying:
            return
        count, row = self.table.selected_count, self.table.current_row
        if count > 1:
            self.side.show_many(count)
        elif not count or row is None or row.key is None:
            self.side.show_nothing()
        else:
            shown = self.side.shown
            if shown is None or shown.key != row.key or shown != row:
                self.side.show_query(row)
            self.jobs.look_at(row.key)

    def _on_looked(self, past: PastQuery | None) -> None:
        is_current = past is not None and past.key == self.table.current_key
        if past is not None and is_current and self.table.selected_count == 1 and not self.is_replaying:
            self.side.show_query(past)

    def show_replay(self, *, on: bool) -> None:
        """Let the replay stand in the place of the table, or the table again."""
        self.left.setCurrentWidget(self.replay if on else self.found_side)
        self.side.show_nothing()
        if not on:
            self._look()
            self.stops()[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose_privacy(self, privacy: str) -> None:
        self.worker.choose("history.privacy", privacy)

    # ---- paint

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        edge = self.side.mapTo(self, QPoint(0, 0))
        line = QRect(0, edge.y() - 1, self.width(), 1) if self.is_narrow else QRect(edge.x() - 1, 0, 1, self.height())
        QPainter(self).fillRect(line, self.theme.color("border"))
