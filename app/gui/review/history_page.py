"""History page: past queries filtered and sorted, shown with traces, replayed, deleted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.display.review.history import (
    PAST_COLUMNS,
    counts_line,
    forget_question,
    forgotten_message,
    history_facets,
    history_filter,
    level_of,
)
from app.domain.filters import SearchResult
from app.domain.history import HistoryCounts, HistoryEntry, HistoryOrder
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job, Subscription, history_watch
from app.gui.kit.canvas import Canvas
from app.gui.kit.controls import EmptyState, PaneHeader, button, single_shot
from app.gui.kit.page import Action, CoreState, ListPage
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.tables.delegates import CellDelegate
from app.gui.kit.tables.list_detail import DetailLayout, ListDetail, offer
from app.gui.kit.tables.rows import Index
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme
from app.gui.review.history_side import HistorySide, LogStrip, PrivacyStrip, RefitStrip, ReplayView
from app.services.evaluation.refits import RefitChanges
from app.settings.model import Settings

if TYPE_CHECKING:
    from app.services.workbench import Workbench


_CONFIDENCE = next(place for place, column in enumerate(PAST_COLUMNS) if column.key == "confidence")
_GLYPH_AT = 10.0


class _ConfidenceDelegate(CellDelegate):
    """Paints the confidence with the glyph of its band or tier."""

    def __init__(self, table: HistoryTable) -> None:
        super().__init__(table.theme, table.paged, table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.column() != _CONFIDENCE:
            return
        row = self._table.paged.row_at(index.row())
        level = level_of(row, self._table.settings) if row is not None else None
        if level is not None:
            painter.save()
            painter.translate(option.rect.topLeft())
            canvas = Canvas(painter, self.theme, option.rect.width())
            canvas.level(level, _GLYPH_AT, (option.rect.height() / self.theme.scale - 12) / 2)
            painter.restore()


class HistoryTable(LibraryTable):
    """History table; newest first by default."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, PAST_COLUMNS, "history")
        self.settings: Settings | None = None
        self.setItemDelegate(_ConfidenceDelegate(self))
        self.order, self.descending = HistoryOrder.AT, True
        self._show_order()

    def show_settings(self, settings: Settings) -> None:
        """Use the thresholds of bands and tiers of these settings."""
        if settings is not self.settings:
            self.settings = settings
            self.viewport().update()


_LOOK_AFTER_MS = 30


class HistoryPage(ListPage):
    """Loads the rows in view. A replay replaces the table until it is closed."""

    key = "history"
    side_by_side_from = 900

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "History")
        self.worker = worker
        self._search, self._look, self._replaying, self._refitting = (Job(worker, self, self.refuse) for _ in range(4))
        self.watch = history_watch(worker)
        self.refits = Subscription(worker, lambda bench: bench.refits.changed, ignore, self)
        self._follows_refits = False
        self.counts = self.watch.counts or HistoryCounts()
        self._is_stale, self._is_known = True, False
        self._make_parts()
        self._detail_timer = single_shot(self, _LOOK_AFTER_MS, self._load_detail)
        self._connect()
        self._connect_verbs()

    # ---- construction

    def _make_parts(self) -> None:
        theme = self.theme
        self.log = LogStrip(theme, self.worker)
        tip = "Ask all that are found again, and list what differs"
        self.replay_all = button("Replay all", tip=tip, press=self.replay_found)
        self.take_log = button("Import a log…", tip="Answer and store the queries of a file", press=self.log.choose)
        self.forget_all = button("Forget all…", tip="Delete the history permanently", press=self.forget_everything)
        self.head = PaneHeader(theme, "History", self.replay_all, self.take_log, self.forget_all, wraps=True)
        self.privacy = PrivacyStrip(theme)
        self.refit = RefitStrip(theme)
        self.fault = FaultLine(theme)
        self.table = HistoryTable(theme, "Past queries")
        self.side = HistorySide(theme)
        self.replay = ReplayView(theme)
        self.empty_state = EmptyState(
            theme,
            "history",
            "No queries yet",
            "A query that you leave or enter on the scope is stored here. You can also import a log of queries.",
            button("Go to the scope", primary=True, press=lambda: self.action_requested.emit("query")),
            button("Import a log…", press=self.log.choose),
        )
        self.off = EmptyState(
            theme,
            "off",
            "No query is stored",
            "The history is off. Queries leave no trace here.",
            button("Store queries from now on", primary=True, press=lambda: self._choose_privacy("full")),
        )
        self.list = ListDetail(
            theme,
            self.table,
            "Search queries",
            ("No query found", "Search for fewer words, or remove a filter. Hashed queries have no words to find."),
            DetailLayout(self.side, heights=(400, 300), least=(360, 240)),
            above=(self.head,),
            strips=(self.privacy, self.log, self.refit, self.fault),
            places=(self.empty_state, self.off),
        )
        self.show_list()
        self.list.left.addWidget(self.replay)
        self.bar.show_facets(history_facets())

    def _connect(self) -> None:
        table = self.table
        table.picked.connect(self._on_picked)
        table.paged.rows_requested.connect(self._fetch)
        self.refits.received.connect(self._load_refit)
        self.privacy.chosen.connect(self._choose_privacy)
        self.log.finished.connect(self.outdate)
        self.watch.counted.connect(self._on_counted)

    def _connect_verbs(self) -> None:
        table, side, replay = self.table, self.side, self.replay
        replay.stop_requested.connect(self.stop_replay)
        replay.left.connect(self.leave_replay)
        replay.picked.connect(self._on_replay_picked)
        replay.entered.connect(self.open_in_scope)
        table.entered.connect(self.open_in_scope)
        table.doubleClicked.connect(lambda _: self.open_in_scope())
        table.delete_requested.connect(self.forget)
        table.fill_row_menu = lambda menu: offer(menu, *side.verbs)
        side.open.clicked.connect(self.open_in_scope)
        side.replay.clicked.connect(self.replay_selected)
        side.why.clicked.connect(self.ask_why_not)
        side.forget.clicked.connect(self.forget)

    # ---- Page interface

    @property
    def is_replaying(self) -> bool:
        """True if a replay is shown instead of the table."""
        return self.list.left.currentWidget() is self.replay

    def focus_stops(self) -> list[QWidget]:
        if self.is_replaying:
            return [self.replay.focus_place(), self.replay.back, self.side.stop()]
        return [*self.list.focus_stops(), self.take_log, self.privacy.choice, self.side.stop()]

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.fault.show_fault(core_state.status.faults.get("store", ""))
        self.privacy.show_settings(core_state.settings)
        self.table.show_settings(core_state.settings)
        self._show_front()
        if core_state.status.is_open and not self._follows_refits:
            self._follows_refits = True
            self.refits.begin()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._load_refit()  # another process may have fitted meanwhile

    def load(self) -> None:
        if self._is_stale:
            self.refresh()

    # ---- search

    def refresh(self, *, anew: bool = False) -> None:
        is_open = self.core_state is not None and self.core_state.status.is_open
        self._is_stale = not (self.isVisible() and is_open)
        if self._is_stale:
            return
        table = self.table
        order = HistoryOrder(table.order) if table.order else HistoryOrder.AT
        wanted = history_filter(self.bar.text, self.bar.chosen)
        view, descending = self.list.search_view(anew=anew), table.descending
        self._search.run(
            lambda bench: bench.history.search(wanted, order, descending=descending, view=view), self._on_found
        )

    def _fetch(self, keys: Sequence[int]) -> None:
        def show(rows: dict[int, HistoryEntry]) -> None:
            self.table.paged.take_rows(rows, keys)
            self._detail_timer.start()

        self._search.do(lambda bench: bench.history.rows(keys), show)

    def _load_refit(self) -> None:
        def show(found: RefitChanges | None) -> None:
            if found is not None:
                self.refit.show_refit(found)

        self._refitting.run(lambda bench: bench.refits.latest(), show)

    def _on_found(self, found: SearchResult) -> None:
        self._is_known = True
        if (followed := self.list.with_selection(found)) is not None:
            self.list.show_found(followed)
            self._show_front()

    def _on_counted(self, counts: HistoryCounts) -> None:
        self.counts = counts
        self._is_stale = True
        self._show_front()
        self.outdate()

    def _show_front(self) -> None:
        """Show the table, or why there is none."""
        is_off = self.core_state is not None and self.core_state.settings.history.privacy == "off"
        has_any = bool(self.table.paged.keys)
        empty = self.off if is_off else self.empty_state
        front = None if has_any else self.list.no_fit if self.counts.kept else empty
        self.head.set_more(counts_line(self.counts))
        self.bar.setVisible(bool(self.counts.kept) or self.bar.is_filtering)
        self.replay_all.setEnabled(has_any)
        self.forget_all.setEnabled(bool(self.counts.kept))
        for act in (self.replay_all, self.forget_all):
            act.setVisible(bool(self.counts.kept))
        if self._is_known:  # otherwise the content has not been requested yet
            self.list.show_place(front)

    # ---- selection

    def _on_picked(self) -> None:
        if not self.is_replaying:
            self._detail_timer.start()

    def _load_detail(self) -> None:
        """Show the selection; the trace of a single query is loaded."""
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
            key = row.key
            self._look.run(lambda bench: bench.history.one(key), self._on_detail)

    def _on_detail(self, past: HistoryEntry | None) -> None:
        is_current = past is not None and past.key == self.table.current_key
        if past is not None and is_current and self.table.selected_count == 1 and not self.is_replaying:
            self.side.show_query(past)

    def show_replay(self, *, on: bool) -> None:
        """Show the replay in place of the table, or the table again."""
        self.list.left.setCurrentWidget(self.replay if on else self.list.found_side)
        self.side.show_nothing()
        if not on:
            self._load_detail()
            self.focus_stops()[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose_privacy(self, privacy: str) -> None:
        self.worker.choose("history.privacy", privacy)

    # ---- in the scope

    def open_in_scope(self) -> None:
        if (row := self._current_entry()) is not None:
            self.ask_on_scope(row.text)

    def ask_why_not(self) -> None:
        """Open why-not on the scope for the current query."""
        row = self._current_entry()
        if row is not None and row.key is not None and row.text is not None:
            key = row.key
            self._look.do(lambda bench: bench.history.expected(key), partial(self.ask_why, row.text))

    def _current_entry(self) -> HistoryEntry | None:
        if self.is_replaying:
            current = self.replay.current
            return current.before if current is not None else None
        row: HistoryEntry | None = self.table.current_row
        return row

    # ---- replay

    def replay_selected(self) -> None:
        self._replay(self.table.selected_keys)

    def replay_found(self) -> None:
        self._replay(list(self.table.paged.keys))

    def _replay(self, keys: Sequence[int]) -> None:
        if keys:
            self.show_replay(on=True)
            self.replay.begin(len(keys))
            self._replaying.follow(
                lambda bench: bench.history.replay(keys), self.replay.show_progress, self.end_replay, whole_steps=True
            )

    def end_replay(self, sentence: str) -> None:
        """Show the end of the replay; `sentence` is the reason if it failed."""
        self.replay.end(sentence)
        self.task_finished.emit(sentence or "The replay has ended.")

    def stop_replay(self) -> None:
        """Cancel the replay; its results so far stay."""
        self._replaying.cancel()
        self.replay.end()

    def leave_replay(self) -> None:
        """Return to the table; a running replay is cancelled."""
        if self.replay.is_running:
            self.stop_replay()
        self.show_replay(on=False)

    def _on_replay_picked(self) -> None:
        current = self.replay.current
        if self.is_replaying and current is not None:
            self.side.show_replayed(current)

    # ---- deletion

    def forget(self) -> None:
        """Delete the selected queries after confirmation; no undo."""
        keys = self.table.selected_keys
        if keys and not self.is_replaying:
            self._ask(forget_question(len(keys)), lambda bench: bench.history.forget(keys))

    def forget_everything(self) -> None:
        """Delete the complete history after confirmation; no undo."""
        if count := self.counts.kept:
            self._ask(forget_question(count, is_all=True), lambda bench: bench.history.forget())

    def _ask(self, question: str, act: Callable[[Workbench], Awaitable[int]]) -> None:
        def tell(count: int) -> None:
            self.notified.emit(forgotten_message(count), False, False)

        self.confirm("Forget", question, "Forget", lambda: self._search.do(act, tell))

    # ---- actions

    def action_rows(self) -> tuple[Action, ...]:
        """Return the page's actions, for palette and keys."""
        row = self.own_action
        why = "Explain why the selected past query was not answered as expected"
        return (
            row("scope", "Ask the selected past query in the scope", self.open_in_scope, "scope"),
            row("why", why, self.ask_why_not, "why"),
            row("replay", "Replay the selected past queries", self.replay_selected, "redo"),
            row("replay_all", "Replay all past queries that are found", self.replay_found, "redo"),
            row("log", "Import a log of queries", self.log.choose, "inbox"),
            row("forget", "Forget the selected past queries", self.forget, "trash"),
            row("forget_all", "Forget the whole history", self.forget_everything, "trash"),
        )
