"""Assistants page: the configuration of each, and the log of their queries."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from subprocess import list2cmdline

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display import numbers
from app.domain.filters import SearchResult, View
from app.domain.history import HistoryFilter, HistoryOrder, Source
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, history_watch
from app.gui.kit.controls import EmptyState, PaneHeader, button
from app.gui.kit.fields import PlainField
from app.gui.kit.layouts import fill, orient_split, spaced, splitter
from app.gui.kit.page import Action, CoreState, Page
from app.gui.kit.pane_parts import FaultLine, WrappedLabel
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.tables.list_detail import LineList
from app.gui.kit.theme import Theme, Themed, styled
from app.gui.review.history_page import HistoryTable
from app.services.system.clients import CLIENTS, Client
from app.services.system.start_requests import default_profile, own_command

ASKED = HistoryFilter(sources=(Source.MCP, Source.HOOK))
_PANE, _ROW, _AROUND, _LEAST_PANE, _LEAST_TABLE = 476, 30, 28, 640, 260


class ConnectPane(Themed):
    """Assistants as a list; below, configuration and command of the selected one to copy."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.profile: Path | None = None
        self.clients = LineList(theme, "Assistants that can be connected")
        self.clients.show_lines([(client.name, "") for client in CLIENTS])
        self.clients.setFixedHeight(theme.px(_ROW) * len(CLIENTS))
        self.place = WrappedLabel(role="caption")
        self.text = PlainField(theme, "What the configuration needs")
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text.setLineWrapMode(PlainField.LineWrapMode.NoWrap)  # a path stays in one piece
        self.command = WrappedLabel(role="mono")
        self.copied = styled(QLabel(), role="caption")
        self.copy = button("Copy", primary=True, press=lambda: self._copy(self.text.toPlainText()))
        self.more = button("What they can do", tip="Open the help on assistants")
        self.copy_command = button("Copy command", press=lambda: self._copy(self.command.text()))
        body = QWidget()
        below = spaced(QVBoxLayout(body), *map(theme.px, (10, 16, 12, 16, 16)))
        otherwise = WrappedLabel("Or run this in a terminal; it shows the change and asks first:", role="caption")
        fill(below, self.place, self.text, fill(QHBoxLayout(), self.copy, self.more, (self.copied, 1)))
        below.addSpacing(theme.px(10))
        fill(below, otherwise, self.command, fill(QHBoxLayout(), self.copy_command, 1), 1)
        whole = spaced(QVBoxLayout(self), 0, 0, theme.px(4), 0, 0)
        fill(whole, PaneHeader(theme, "Connect an assistant"), self.clients, (ScrollArea(body, "Configuration"), 1))
        self.clients.picked.connect(self._describe)
        self.show_client(CLIENTS[0])

    @property
    def client(self) -> Client:
        return CLIENTS[max(0, self.clients.currentIndex().row())]

    def show_client(self, client: Client) -> None:
        self.clients.pick(CLIENTS.index(client))
        self._describe()

    def show_profile(self, folder: Path) -> None:
        self.profile = None if folder == default_profile() else folder.absolute()
        self._describe()

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.setText("Copied.")

    def _describe(self) -> None:
        command = own_command(self.profile)
        joined = list2cmdline if sys.platform == "win32" else shlex.join
        self.place.setText(f"Add this to {self.client.place}, then restart the assistant.")
        self.text.show_text(self.client.written(command))
        self.command.show_text(joined([*command, "connect", self.client.key]))
        lines = self.text.blockCount() * self.text.fontMetrics().lineSpacing()
        self.text.setFixedHeight(lines + self.theme.px(_AROUND))
        self.copied.setText("")


class AssistantsPage(Page):
    """Assistants at the left, their queries at the right; new ones are added live."""

    key = "assistants"
    side_by_side_from = 900

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Connect")
        self._job = Job(worker, self, self.refuse)
        self.watch = history_watch(worker)
        self.connect_pane = ConnectPane(theme)
        self.head = PaneHeader(theme, "What they asked")
        self.fault = FaultLine(theme)
        self.table = HistoryTable(theme, "Queries of assistants")
        self.empty_state = EmptyState(
            theme,
            "plug",
            "No assistant has asked yet",
            "Copy the text into an assistant’s configuration. What it asks is listed here.",
        )
        self.stack = fill(QStackedWidget(), self.empty_state, self.table)
        self.asked = QWidget()
        fill(spaced(QVBoxLayout(self.asked), 0, 0, theme.px(4), 0, 0), self.head, self.fault, (self.stack, 1))
        self.split = splitter(self.connect_pane, self.asked, stretches=(0, 1))
        fill(spaced(QVBoxLayout(self), None), self.split)
        self._connect()

    def _connect(self) -> None:
        table = self.table
        self.connect_pane.more.clicked.connect(partial(self.page_requested.emit, "help", self.key))
        table.paged.rows_requested.connect(self._fetch)
        table.sorted_by.connect(lambda *_: self.load())
        table.entered.connect(self.open_in_scope)
        table.doubleClicked.connect(lambda _: self.open_in_scope())
        self.watch.counted.connect(lambda _: self.outdate())

    # ---- Page interface

    def persist_in(self, folder: Path) -> None:
        self.connect_pane.show_profile(folder)

    def lay_panes(self, flipped: bool) -> None:
        theme = self.theme
        for pane, least in ((self.connect_pane, _LEAST_PANE), (self.asked, _LEAST_TABLE)):
            pane.setMinimumHeight(theme.px(least) if self.is_narrow else 0)
        if flipped or not self.is_narrow:
            orient_split(self.split, (theme.px(_PANE), max(1, self.width() - theme.px(_PANE))), narrow=self.is_narrow)

    def focus_stops(self) -> list[QWidget]:
        return [self.connect_pane.clients, self.connect_pane.text, self.table]

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.fault.show_fault(core_state.status.faults.get("store", ""))
        self.table.show_settings(core_state.settings)

    # ---- queries of assistants

    def load(self) -> None:
        table = self.table
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

    def open_in_scope(self) -> None:
        if (row := self.table.current_row) is not None:
            self.ask_on_scope(row.text)

    def action_rows(self) -> tuple[Action, ...]:
        """Return the page's actions, for palette and keys."""
        pane, row = self.connect_pane, self.own_action
        return tuple(
            row(one.key, f"Connect an assistant: {one.name}", partial(pane.show_client, one), "plug") for one in CLIENTS
        )
