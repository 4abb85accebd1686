"""Log of decisions: filter, details, clearing, and the audit of a sample."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display.routing.metrics import (
    cache_cleared_message,
    cached_answers_text,
    clear_log_question,
    log_cleared_message,
)
from app.display.routing.rows import (
    AUDIT_COLUMNS,
    audit_sentence,
    audit_table,
    log_columns,
    log_facets,
    log_filter,
    log_heading,
    log_parts,
    text_of,
)
from app.display.words import with_titles
from app.domain.filters import SearchResult
from app.domain.language import quantity
from app.domain.route import DOCUMENTED, LoggedRoute, RouteOrder
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, button, progress_bar, single_shot
from app.gui.kit.document import DocumentView, parts_html
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import Section, WrappedLabel
from app.gui.kit.tables.list_detail import DetailLayout, ListDetail
from app.gui.kit.tables.table import Grid, LibraryTable
from app.gui.kit.theme import Theme
from app.services.routing.routes import AuditProgress, RoutingState, audit_steps

_NEWS_AFTER_MS = 300
_LEAST, _NARROW = 300, 700
"""Minimum height of the open log, and maximum width with the details below the list, in units."""


class RouteLogPart(QStackedWidget):
    """Part that loads the visible rows. An audit replaces the table until it is closed."""

    cleared = Signal()

    def __init__(self, page: Page, worker: Worker) -> None:
        super().__init__()
        theme = self.theme = page.theme
        self._page, self._worker, self._job = page, worker, Job(worker, self, page.refuse)
        self._is_stale, self._is_known, self._is_off, self._is_narrow = True, False, False, False
        self.whole = self._kept = 0
        self._labels: tuple[str, ...] = ()
        self._make_parts()
        fill(self, self.list, self.audit)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.section = Section(theme, "Log", self, right=(self.start_audit, self.clear_cache, self.clear_log))
        self.section.toggled.connect(self.search)
        self.section.toggled.connect(self._show_front)
        self._news = single_shot(self, _NEWS_AFTER_MS, self.refresh)
        self._connect()
        self._show_front()

    def _make_parts(self) -> None:
        theme = self.theme
        self.start_audit = button("Audit a sample", link=True, tip="Compare rules, LLM and cases on up to 100")
        self.clear_cache = button("", link=True, tip="Delete the stored answers of the LLM")
        self.clear_log = button("Clear the log…", link=True, tip="Delete all decisions permanently")
        self.table = LibraryTable(theme, "Decisions", log_columns(DOCUMENTED), "route log")
        self.table.sort_by(RouteOrder.AT, descending=True)
        self.shown: LoggedRoute | None = None
        self.routes = DOCUMENTED
        self.open = button("Open in scope", tip="Ask this query again (Enter)", press=self._open)
        self.sheet = DocumentView(theme, "The decision in detail")
        self.side, px = QWidget(), theme.px
        verbs = fill(spaced(QHBoxLayout(), 0, px(16), px(4), px(16), px(8)), self.open, 1)
        fill(spaced(QVBoxLayout(self.side), 0, 1, 0, 0, 0), verbs, (self.sheet, 1))
        self.audit = RouteAuditView(theme, self._worker)
        self.empty_state = EmptyState(
            theme,
            "route",
            "No decision yet",
            "Every settled query adds its decision here: from the window, the command line, and MCP.",
        )
        store = partial(self._worker.choose, "history.privacy", "full")
        self.off = EmptyState(
            theme,
            "off",
            "No decision is stored",
            "The history is off (history.privacy), so the log is too.",
            button("Store them from now on", primary=True, press=store),
        )
        self.list = ListDetail(
            theme,
            self.table,
            "Search queries",
            ("No decision found", "Search for fewer words, or remove a filter. Hashed queries have no words to find."),
            DetailLayout(self.side),
            places=(self.empty_state, self.off),
        )
        self.bar, self.stack = self.list.bar, self.list.stack
        self.bar.show_facets(log_facets(DOCUMENTED))

    def _connect(self) -> None:
        table = self.table
        self.list.search_requested.connect(lambda anew: self.refresh(anew=anew))
        self.list.focus_lost.connect(self._focus_first)
        table.picked.connect(self._show_current)
        table.entered.connect(self._open)
        table.doubleClicked.connect(lambda _: self._open())
        table.paged.rows_requested.connect(self._fetch)
        self.start_audit.clicked.connect(self._begin_audit)
        self.clear_cache.clicked.connect(self._clear_cache)
        self.clear_log.clicked.connect(self._ask_to_clear)
        self.audit.left.connect(self._leave_audit)
        self._show_current()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        was_narrow, self._is_narrow = self._is_narrow, self.width() < self.theme.px(_NARROW)
        self.setMinimumHeight(self.theme.px(2 * _LEAST if self._is_narrow else _LEAST))
        self.list.lay(narrow=self._is_narrow, flipped=self._is_narrow is not was_narrow)

    def focus_stops(self) -> list[QWidget]:
        if not self.section.is_open:
            return [self.section.line]
        if self.is_auditing:
            return [self.section.line, self.audit.table, self.audit.back]
        verbs = [made for made in (self.start_audit, self.clear_cache, self.clear_log) if not made.isHidden()][:1]
        return [self.section.line, *self.list.focus_stops(), *verbs, self.sheet]

    # ---- search

    def show_core_state(self, core_state: CoreState) -> None:
        """Update after a change of settings: without a history there is no log."""
        self._is_off = core_state.settings.history.privacy == "off"
        routes = core_state.settings.all_routes
        if routes != self.routes:
            self.routes = routes
            self.table.paged.columns = log_columns(routes)
            self.bar.show_facets(log_facets(routes, self._labels))
            self.table.viewport().update()
        self._show_front()

    def show_state(self, state: RoutingState) -> None:
        """Note that decisions, examples or the cache may have changed."""
        self.clear_cache.setText("Clear the cache" + f" ({state.kept:,})")
        self.clear_cache.setAccessibleDescription(cached_answers_text(state.kept))
        self._kept = state.kept
        if state.labels != self._labels:
            self._labels = state.labels
            self.bar.show_facets(log_facets(self.routes, state.labels))
        self._is_stale = True
        self._show_front()
        if self.isVisible():
            self._news.start()

    def search(self) -> None:
        """Refresh a stale log, as it becomes visible."""
        if self._is_stale:
            self.refresh()

    def refresh(self, *, anew: bool = False) -> None:
        """Search again; with `anew` from the top of the table."""
        self._is_stale = not self.isVisible()
        if self._is_stale:
            return
        table = self.table
        wanted = log_filter(self.bar.text, self.bar.chosen, time.time())
        order = RouteOrder(table.order or RouteOrder.AT)
        descending, view = table.descending, self.list.search_view(anew=anew)
        self._job.run(
            lambda bench: bench.routing.log.find(wanted, order, descending=descending, view=view), self._on_found
        )

    def _on_found(self, found: SearchResult) -> None:
        self._is_known = True
        self.whole = found.whole
        self.section.line.show_summary(quantity(found.whole, "decision") if found.whole else "")
        if (followed := self.list.with_selection(found)) is not None:
            self.list.show_found(followed)
            self._show_front()
            self._show_current()

    def _fetch(self, keys: Sequence[int]) -> None:
        def show(rows: dict[int, LoggedRoute]) -> None:
            self.table.paged.take_rows(rows, keys)
            self._show_current()

        self._job.do(lambda bench: bench.routing.log.page(keys), show)

    def _clear_cache(self) -> None:
        self._job.do(lambda bench: bench.routing.clear_cache(), lambda count: self._note(cache_cleared_message(count)))

    def _ask_to_clear(self) -> None:
        def clear() -> None:
            self._job.do(lambda bench: bench.routing.log.clear(), lambda count: self._note(log_cleared_message(count)))

        self._page.confirm("Forget", clear_log_question(self.whole), "Forget", clear)

    def _note(self, cleared: str) -> None:
        self._page.notified.emit(cleared, False, False)
        self.refresh()
        self.cleared.emit()

    def _show_front(self) -> None:
        has_any = bool(self.table.paged.keys)
        empty = self.off if self._is_off else self.empty_state
        self.bar.setVisible(self.whole > 0 or self.bar.is_filtering)
        self.side.setVisible(self.whole > 0 or not self._is_known)
        for verb, count in (
            (self.start_audit, self.whole),
            (self.clear_cache, self._kept),
            (self.clear_log, self.whole),
        ):
            verb.setVisible(self.section.is_open and count > 0)
        if self._is_known or self._is_off:
            self.list.show_place(None if has_any else self.list.no_fit if self.whole else empty)

    # ---- current decision

    def _show_current(self) -> None:
        """Show the details of the current decision; if several are selected, only their number."""
        count, current = self.table.selected_count, self.table.current_row
        self.shown = current if count <= 1 else None
        self.open.setEnabled(self.shown is not None and bool(self.shown.text))
        if self.shown is not None:
            parts = log_parts(self.shown, self.routes)
            self.sheet.show_html(with_titles(parts_html(text_of(self.shown), log_heading(self.shown), parts)))
        else:
            sentence = f"{count} decisions are selected" if count > 1 else "No decision is selected"
            self.sheet.show_html(parts_html(sentence, "Select one to see its path.", ()))

    def _open(self) -> None:
        if (one := self.table.current_row) is not None:
            self._page.ask_on_scope(one.text)

    # ---- audit

    @property
    def is_auditing(self) -> bool:
        return self.currentWidget() is self.audit

    def _begin_audit(self) -> None:
        self.setCurrentWidget(self.audit)
        self.audit.begin()
        self.audit.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_audit(self) -> None:
        self.setCurrentWidget(self.list)
        self._focus_first()

    def _focus_first(self) -> None:
        for stop in self.focus_stops()[:1]:
            stop.setFocus(Qt.FocusReason.OtherFocusReason)


# ---- Audit: the sample as a table, agreement, and progress.


class RouteAuditView(QWidget):
    """View of one audit at a time; results of a cancelled one stay."""

    left = Signal()

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self.job = theme, Job(worker, self)
        self.step: AuditProgress | None = None
        self.back = button("Back to the log", press=self.leave)
        self.ask = button(
            "Ask the LLM, too",
            tip="Ask the LLM about the rest of the sample; this may cost money",
            press=lambda: self.begin(ask=True),
        )
        self.stop = button("Stop", link=True, tip="Results so far are kept", press=self.cancel)
        self.progress = progress_bar("Progress of the audit", width=theme.px(180))
        self.message = WrappedLabel(role="caption")
        self.agreement = WrappedLabel()
        self.table = Grid(theme, "The sample", AUDIT_COLUMNS)
        px = theme.px
        row = fill(
            spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(8)), self.back, self.ask, self.progress, self.stop
        )
        told = fill(spaced(QVBoxLayout(), px(2)), self.message, self.agreement)
        row.addLayout(told, 1)
        fill(spaced(QVBoxLayout(self)), row, (self.table, 1))
        self._show()

    def begin(self, *, ask: bool = False) -> None:
        """Start an audit; `ask` requests missing LLM answers."""
        self.step = None
        self.job.follow(
            lambda bench: audit_steps(bench.routing, ask=ask), self._on_progress, self._on_finished, whole_steps=True
        )
        self._show()

    def cancel(self) -> None:
        self.job.cancel()
        self._show()

    def leave(self) -> None:
        if self.job.is_running:
            self.cancel()
        self.left.emit()

    def _on_progress(self, step: AuditProgress) -> None:
        self.step = step
        self._show()

    def _on_finished(self, sentence: str) -> None:
        self._show()
        if sentence:
            self.message.show_text(sentence)

    def _show(self) -> None:
        step = self.step
        for part in (self.progress, self.stop):
            part.setVisible(self.job.is_running)
        self.ask.setEnabled(not self.job.is_running)
        if step is None:
            self.message.show_text("The log is being read.")
            return
        self.progress.setRange(0, max(1, step.whole))
        self.progress.setValue(step.done)
        self.message.show_text(audit_sentence(step, is_over=not self.job.is_running))
        told = (
            f"{row.what}: {of} ({share})" for row in audit_table(step.audit).rows for of, share in [row.cells] if share
        )
        self.agreement.show_text(" · ".join(told) or "Nothing to compare yet.")
        self.table.show_rows(step.audit.sample, (self.table.current_key or 0) if step.audit.sample else None)
