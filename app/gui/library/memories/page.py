"""The page of memories: found, sifted, sorted, edited one or many at a time, paused, deleted and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QStackedWidget, QVBoxLayout, QWidget

from app.display.library.memories import MEMORY_COLUMNS, memory_facets, memory_filter
from app.domain.filters import MemoryOrder, SearchResult
from app.domain.journal import Step
from app.domain.library import Dated, Memory
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.action import Action
from app.gui.kit.controls import Empty, Head, button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.page import Desk
from app.gui.kit.tables import column_memory
from app.gui.kit.tables.filter_bar import FilterBar
from app.gui.kit.tables.paged_model import FEW, following
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.task_strip import least_heights, split_of, turn_split
from app.gui.kit.theme.theme import Theme
from app.gui.library.memories.actions import MemoriesParts, MemoryActions
from app.gui.library.memories.jobs import MemoryJobs, MemoryRequest
from app.gui.library.memories.side import BIN, MEMORY, MemorySide

if TYPE_CHECKING:
    from app.services.library.close_look import CloseLook

_LOOK_AFTER_MS, _NEWS_AFTER_MS = 30, 120
_SIDE = 364


class MemoriesPage(MemoriesParts):
    """Asks for what is seen, and shows it; every change goes through the journal, so Ctrl+Z takes it back."""

    least_beside = 700

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, self.tr("Memories"))
        self.worker = worker
        self.jobs = MemoryJobs(worker, self)
        self._stamp: object = None
        self._whole = 0
        self._pick_next: int | None = None
        self._asked_with: tuple[list[int], int | None] = ([], None)
        self.view = button(self.tr("View"), tip=self.tr("Sort, and choose columns"), press=self._open_view_menu)
        self.head = Head(theme, self.tr("Memories"))
        self.filter = FilterBar(theme, self.tr("Find in triggers, responses, labels, tags and ids"), self.view)
        self.fault = FaultLine(theme)
        self.table = LibraryTable(theme, self.tr("Memories"), MEMORY_COLUMNS, "memories")
        self.side = MemorySide(theme)
        self.seed = button(self.tr("Add the seed library"), primary=True, press=worker.add_seed_library)
        self.nothing = Empty(
            theme,
            "memory",
            self.tr("Nothing is taught yet"),
            self.tr("Type a sentence on the scope and press Ctrl+T, or begin with the library that comes along."),
            self.seed,
            button(self.tr("Go to the scope"), press=lambda: self.act_asked.emit("query")),
        )
        self.no_fit = Empty(
            theme,
            "search",
            self.tr("No memory fits"),
            self.tr("Look for fewer words, or take a filter away."),
            button(self.tr("Show all"), press=self.filter.clear_all),
        )
        self.stack = QStackedWidget()
        self._look_timer = self._timer(_LOOK_AFTER_MS, self.look)
        self._news_timer = self._timer(_NEWS_AFTER_MS, self.jobs.find_steps)
        self._arrange()
        self._connect()
        self.doing: MemoryActions = MemoryActions(self)

    def _timer(self, after_ms: int, act: Any) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(after_ms)
        timer.timeout.connect(act)
        return timer

    def _arrange(self) -> None:
        for part in (self.table, self.nothing, self.no_fit):
            self.stack.addWidget(part)
        left = self.left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, self.theme.px(4), 0, 0)
        column.setSpacing(0)
        for above in (self.head, self.filter, self.fault):
            column.addWidget(above)
        column.addWidget(self.stack, 1)
        self.split = split_of(left, self.side)
        self.lay_panes(turned=True)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.split)

    def lay_panes(self, turned: bool) -> None:
        px, narrow = self.theme.px, self.is_narrow
        least_heights(self.theme, {self.left: 280, self.side: 300}, narrow=narrow, within=self.seen_high)
        if turned:
            sizes = (px(300), px(300)) if narrow else (px(1280 - 48 - _SIDE), px(_SIDE))
            turn_split(self.split, sizes, narrow=narrow)

    def _connect(self) -> None:
        jobs, table, side = self.jobs, self.table, self.side
        self.filter.changed.connect(self._search)
        self.filter.left.connect(table.setFocus)
        table.sorted_by.connect(lambda *_: self.refresh())
        table.picked.connect(self._on_picked)
        table.typed.connect(self.filter.type_on)
        table.entered.connect(lambda: side.stop().setFocus(Qt.FocusReason.OtherFocusReason))
        table.edit_asked.connect(self._edit_beside)
        table.paged.wanted.connect(jobs.fetch)
        jobs.rows_came.connect(table.paged.take_rows)
        jobs.found.connect(self.show_found)
        jobs.facets_came.connect(lambda found: self.filter.show_facets(memory_facets(found)))
        jobs.looked.connect(self._on_look)
        jobs.steps_came.connect(self._on_steps)
        jobs.bin_came.connect(side.bin.show_bin)
        jobs.counted.connect(side.many.show_count)
        side.details.near_asked.connect(self.show_memory)
        side.view_chosen.connect(self._on_view)
        find = QShortcut(QKeySequence("Ctrl+F"), self, self._focus_search)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    # ---- the page in the window

    def keep_in(self, folder: Path) -> None:
        self.table.keep_in(folder / column_memory.FILE)

    def stops(self) -> list[QWidget]:
        if self.stack.currentWidget() is self.nothing:
            return [self.seed, self.side.stop()]
        table: list[QWidget] = [self.table] if self.stack.currentWidget() is self.table else []
        return [*table, self.filter.search, self.side.stop()]

    def offers(self) -> tuple[Action, ...]:
        return self.doing.offers()

    def go_to(self, key: str) -> None:
        """Show the memory of this key of the store."""
        if key.isdecimal():
            self.show_memory(int(key))
            if self._pick_next is not None:
                self.refresh()  # where nothing was sifted out, no search has begun

    def show_desk(self, desk: Desk) -> None:
        super().show_desk(desk)
        self.fault.tell(desk.status.faults.get("store", ""))
        self.side.bin.show_days(desk.settings.curate.bin_days)
        if self.isVisible() and desk.status.is_open:
            self._news_timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.desk is not None and self.desk.status.is_open:
            if self._stamp is None:
                self.refresh()  # the first sight of it; what the steps tell comes after
            self.jobs.find_steps()

    # ---- finding

    def refresh(self, *, anew: bool = False) -> None:
        """Look again for what is asked for; with `anew` from the top of the table, as after another search."""
        table = self.table
        order = MemoryOrder(table.order) if table.order else MemoryOrder.KEY
        wanted = memory_filter(self.filter.text, self.filter.chosen)
        top = None if anew else table.top_key
        current = table.current_key if self._pick_next is None else self._pick_next
        selected = table.selected_keys if self._pick_next is None else [self._pick_next]
        self._asked_with = (selected, current)
        self.jobs.find(MemoryRequest(wanted, order, table.falling or not table.order, selected, current, top))

    def _search(self) -> None:
        self.refresh(anew=True)

    def show_found(self, found: SearchResult) -> None:
        """Show what was found."""
        if self.table.state() is QAbstractItemView.State.EditingState:
            self.look_for_news(anyway=True)  # not under the hands of somebody who types into a cell
            return
        selected = self.table.selected_keys
        if self._pick_next is None and (selected, self.table.current_key) != self._asked_with:
            if len(selected) > FEW:
                self.refresh()  # with what has been selected since
                return
            found = following(found, selected, self.table.current_key)
        jump, self._pick_next = self._pick_next, None
        self._whole = found.whole
        shown = len(found.keys)
        self.filter.show_count(shown, found.whole)
        self.filter.count.setVisible(found.whole > 0)
        front: QWidget = self.table if shown else self.no_fit if found.whole or self.filter.is_sifting else self.nothing
        focus = QApplication.focusWidget()
        self.filter.setVisible(front is not self.nothing)
        self.stack.setCurrentWidget(front)
        if focus is not None and self.isAncestorOf(focus) and not focus.isVisible():
            self.stops()[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self.table.show_found(found)
        self.table.show_keyboard()
        if jump is not None and found.current is not None:
            self.table.pick(found.current)

    def show_memory(self, key: int) -> None:
        """Go to one memory, whatever is sifted out."""
        if key in self.table.paged.keys:
            self.table.pick(list(self.table.paged.keys).index(key))
            return
        self._pick_next = key
        self.filter.clear_all()

    def _edit_beside(self, column: str) -> None:
        """Edit in the pane what the table shows only the first of: the triggers of the only selected memory."""
        memory = self.memory()
        if column == "trigger" and memory is not None:
            self.side.open_view(MEMORY)
            shown = self.side.details.memory if self.side.details.isVisible() else None
            if shown is not None and shown.key == memory.key:
                self.side.details.triggers.edit_first()

    def look_for_news(self, *, anyway: bool = False) -> None:
        """See in a moment whether the library has changed, and show it; `anyway` shows it also if it has not."""
        if anyway:
            self._stamp = None
        self._news_timer.start()

    def _on_view(self, view: str) -> None:
        if view == BIN:
            self.jobs.find_bin()

    def _focus_search(self) -> None:
        self.filter.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.search.selectAll()

    def _open_view_menu(self) -> None:
        self.table.view_menu().popup(self.view.mapToGlobal(self.view.rect().bottomLeft()))

    def _on_steps(self, steps: Sequence[Step]) -> None:
        self.side.steps.show_steps(steps)
        counts = tuple(self.desk.status.counts.items()) if self.desk is not None else ()
        stamp = (tuple((step.id, step.undone) for step in steps), counts)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        self.refresh()
        self.jobs.find_facets()
        if self.side.view == BIN:
            self.jobs.find_bin()
        self._look_timer.start()

    # ---- one or several

    def _on_picked(self) -> None:
        count = self.table.selected_count
        self.side.show_selected(count)
        if count == 1:
            self._look_timer.start()

    def look(self) -> None:
        """Look closely at the only selected memory, if there is one."""
        keys = self.table.selected_keys if self.table.selected_count == 1 else []
        if keys:
            self.jobs.look_at(keys[0])

    def _on_look(self, look: CloseLook | None) -> None:
        if look is not None:
            self.side.show_look(look)

    def memory(self) -> Memory | None:
        """The only selected memory."""
        keys = self.table.selected_keys if self.table.selected_count == 1 else []
        row: Dated[Memory] | None = self.table.paged.row_of(keys[0]) if keys else None
        return None if row is None else row.item
