"""Assistants page: the configuration of each, and the log of their queries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display import numbers
from app.domain.filters import SearchResult, View
from app.domain.review.history import HistoryCounts, HistoryEntry, HistoryFilter, HistoryOrder, Source
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.events import history_watch
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button, single_shot
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import PlainField
from app.gui.kit.layouts import fill, orient_split, spaced, splitter
from app.gui.kit.page import Action, CoreState, Group, Page
from app.gui.kit.tables.list_detail import LineList
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme, Themed
from app.gui.review.history.table import HistoryTable
from app.services.system.clients import CLIENTS, Client
from app.services.system.start_requests import own_command

KEY = "assistants"
ASKED = HistoryFilter(sources=(Source.MCP, Source.HOOK))
_NEWS_AFTER_MS = 200
_PANE, _ROW, _AROUND, _LEAST_TABLE = 556, 30, 28, 260


class ConnectPane(Themed):
    """Assistants as a list; below, the configuration of the selected one to copy."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.profile: Path | None = None
        self.clients = LineList(theme, "Assistants that can be connected")
        self.clients.show_lines([(client.name, "") for client in CLIENTS])
        self.clients.setFixedHeight(theme.px(_ROW) * len(CLIENTS))
        self.place = QLabel(wordWrap=True)
        self.text = PlainField(theme, "What the configuration needs")
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text.setLineWrapMode(PlainField.LineWrapMode.NoWrap)  # a path stays in one piece
        self.copied = QLabel()
        self.copy = button("Copy", primary=True, press=self.copy_text)
        self.more = button("What they can do", tip="Open the help on assistants")
        buttons = fill(QHBoxLayout(), self.copy, self.more, (self.copied, 1))
        below = spaced(QVBoxLayout(), *map(theme.px, (10, 16, 12, 16, 16)))
        fill(below, self.place, self.text, buttons)
        whole = spaced(QVBoxLayout(self), 0, 0, theme.px(4), 0, 0)
        fill(whole, PaneHeader(theme, "Connect an assistant"), self.clients, below, 1)
        styled(self.place, role="caption")
        styled(self.copied, role="caption")
        self.clients.picked.connect(self._describe)
        self.show_client(CLIENTS[0])

    @property
    def client(self) -> Client:
        return CLIENTS[max(0, self.clients.currentIndex().row())]

    def show_client(self, client: Client) -> None:
        self.clients.pick(CLIENTS.index(client))
        self._describe()

    def show_profile(self, folder: Path) -> None:
        self.profile = folder
        self._describe()

    def copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copied.setText("Copied.")

    def _describe(self) -> None:
        text = "Add this to {0}, or run “intentscope connect {1}”. Then restart the assistant."
        self.place.setText(text.format(self.client.place, self.client.key))
        self.text.show_text(self.client.written(own_command(self.profile)))
        lines = self.text.blockCount() * self.text.fontMetrics().lineSpacing()
        self.text.setFixedHeight(lines + self.theme.px(_AROUND))
        self.copied.setText("")


class AssistantsPage(Page):
    """Assistants at the left, their queries at the right; new ones are added live."""

    side_by_side_from = 900

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Connect")
        self._job = Job(worker, self, lambda sentence: self.notified.emit(sentence, False, True))
        self.watch = history_watch(worker)
        self.connect_pane = ConnectPane(theme)
        self.head = PaneHeader(theme, "What they asked")
        self.fault = FaultLine(theme)
        self.table = HistoryTable(theme, "Queries of assistants")
        self.empty_state = EmptyState(
            theme,
            "plug",
            "No assistant has asked yet",
            "Copy the text at the left into an assistant’s configuration. What it asks is listed here.",
        )
        self.stack = fill(QStackedWidget(), self.empty_state, self.table)
        self.asked = QWidget()
        fill(spaced(QVBoxLayout(self.asked), 0, 0, theme.px(4), 0, 0), self.head, self.fault, (self.stack, 1))
        self.split = splitter(self.connect_pane, self.asked, stretches=(0, 1))
        fill(spaced(QVBoxLayout(self), None), self.split)
        self._news_timer = single_shot(self, _NEWS_AFTER_MS, self.refresh)
        self._connect()

    def _connect(self) -> None:
        table = self.table
        self.connect_pane.more.clicked.connect(partial(self.page_requested.emit, "help", KEY))
        table.paged.rows_requested.connect(self._fetch)
        table.sorted_by.connect(lambda *_: self.refresh())
        table.entered.connect(self.open_in_scope)
        table.doubleClicked.connect(lambda _: self.open_in_scope())
        self.watch.counted.connect(self._on_counted)

    # ---- Page interface

    def persist_in(self, folder: Path) -> None:
        self.connect_pane.show_profile(folder)

    def lay_panes(self, flipped: bool) -> None:
        theme = self.theme
        self.asked.setMinimumHeight(theme.px(_LEAST_TABLE) if self.is_narrow else 0)
        if flipped or not self.is_narrow:
            orient_split(self.split, (theme.px(_PANE), max(1, self.width() - theme.px(_PANE))), narrow=self.is_narrow)

    def focus_stops(self) -> list[QWidget]:
        return [self.connect_pane.clients, self.connect_pane.text, self.table]

    def show_core_state(self, core_state: CoreState) -> None:
        was_open = self.core_state is not None and self.core_state.status.is_open
        super().show_core_state(core_state)
        self.fault.show_fault(core_state.status.faults.get("store", ""))
        self.table.show_settings(core_state.settings)
        if core_state.status.is_open and not was_open:
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    # ---- queries of assistants

    def refresh(self) -> None:
        """Search again for queries of assistants."""
        table = self.table
        if self.isVisible() and self.core_state is not None and self.core_state.status.is_open:
            order = HistoryOrder(table.order) if table.order else HistoryOrder.AT
            view, descending = View(table.selected_keys, table.current_key, table.top_key), table.descending
            self._job.run(
                lambda bench: bench.history.search(ASKED, order, descending=descending, view=view), self._on_found
            )

    def _fetch(self, keys: Sequence[int]) -> None:
        paged = self.table.paged
        self._job.do(lambda bench: bench.history.rows(keys), lambda rows: paged.take_rows(rows, keys))

    def _on_found(self, found: SearchResult) -> None:
        count = len(found.keys)
        self.table.show_found(found)
        self.stack.setCurrentWidget(self.table if count else self.empty_state)
        self.head.set_more(numbers.count(count) if count else "")

    def _on_counted(self, counts: HistoryCounts) -> None:
        if self.isVisible():
            self._news_timer.start()

    def open_in_scope(self) -> None:
        row: HistoryEntry | None = self.table.current_row
        if row is None:
            return
        if row.text is None:
            self.notified.emit("Only a digest of this query is stored. It cannot be asked again.", False, True)
            return
        self.query_typed.emit(row.text)
        self.action_requested.emit("query")

    def action_rows(self) -> tuple[Action, ...]:
        """Return the page's actions, for palette and keys."""
        pane = self.connect_pane
        return tuple(
            Action(
                f"{KEY}:{client.key}",
                f"Connect an assistant: {client.name}",
                Group.LIBRARY,
                self.after_opening(KEY, partial(pane.show_client, client)),
                icon="plug",
            )
            for client in CLIENTS
        )
