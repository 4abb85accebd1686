"""Page of memories: filter, table, editing one or many, pausing, deleting and restoring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from app.display.library.memories import (
    MEMORY_COLUMNS,
    delete_question,
    edit_outcome,
    edited_memory,
    empty_question,
    memory_facets,
    memory_filter,
)
from app.domain.errors import KnownError, StaleError
from app.domain.filters import MemoryEdit, MemoryOrder, SearchResult
from app.domain.history import HistoryCounts
from app.domain.journal import ItemKind, Step, Written, counted
from app.domain.library import Dated, Memory
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job, history_watch
from app.gui.kit.controls import EmptyState, PaneHeader, button, set_primary, single_shot
from app.gui.kit.page import LABEL_PLACE, Action, CoreState, ListPage
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.tables.list_detail import DetailLayout, ListDetail, offer
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme
from app.gui.library.memory_side import BIN, MEMORY, PAST, STEPS, MemorySide

if TYPE_CHECKING:
    from app.services.library.memory_overview import MemoryOverview
    from app.services.workbench import Workbench

_LAST_STEPS = 100
_COUNTED_AT_ONCE = 2_000
"""Number of memories that are counted before others get their turn at the store."""
_LOOK_AFTER_MS = 30


class MemoriesPage(ListPage):
    """Page that loads the visible rows; every change is journalled, so Ctrl+Z undoes it."""

    key = "memories"
    side_by_side_from = 700

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Memories")
        self.worker = worker
        self._search, self._look, self._counting, self._bin = (
            Job(worker, self, self._on_refused, self._on_stale) for _ in range(4)
        )
        self._stamp: object = None
        self._make_parts()
        self._look_timer = single_shot(self, _LOOK_AFTER_MS, self.load_detail)
        self._connect()
        self._connect_verbs()

    # ---- widgets

    def _make_parts(self) -> None:
        theme = self.theme
        self.fault = FaultLine(theme)
        self.table = LibraryTable(theme, "Memories", MEMORY_COLUMNS, "memories")
        self.side = MemorySide(theme)
        self.seed = button("Add the sample library", primary=True, press=self.worker.add_seed_library)
        self.new = button("New memory", press=lambda: self.action_requested.emit("teach_new"))
        self.empty_state = EmptyState(
            theme,
            "memory",
            "The library is empty",
            "Type a query on the scope and press Ctrl+T, or start with the sample library.",
            self.seed,
            button("Go to the scope", press=lambda: self.action_requested.emit("query")),
        )
        self.head = PaneHeader(theme, "Memories", self.new)
        self.list = ListDetail(
            theme,
            self.table,
            "Search names, triggers, responses, intents and tags",
            ("No memory found", "Search for fewer words, or remove a filter."),
            DetailLayout(self.side, 364, stays_if_empty=True),
            above=(self.head,),
            strips=(self.fault,),
            places=(self.empty_state,),
        )
        self.show_list()

    def _connect(self) -> None:
        table, side = self.table, self.side
        table.picked.connect(self._on_picked)
        table.entered.connect(lambda: side.stop().setFocus(Qt.FocusReason.OtherFocusReason))
        table.edit_requested.connect(self._edit_beside)
        table.paged.rows_requested.connect(self._fetch)
        side.details.near_requested.connect(self.list.go_to)
        side.view_chosen.connect(self._on_view)

    def _connect_verbs(self) -> None:
        table, side = self.table, self.side
        table.delete_requested.connect(self.delete)
        table.fill_row_menu = self._fill_row_menu
        table.paged.edited.connect(self._on_cell)
        history_watch(self.worker).counted.connect(self._on_counted)
        self.worker.taught.connect(self._on_taught, Qt.ConnectionType.QueuedConnection)
        side.details.saved.connect(self._save)
        side.details.opened.connect(self.ask_on_scope)
        side.details.delete_requested.connect(self.delete)
        side.history.restore_requested.connect(self._bring_back)
        side.many.counted_for.connect(self._count)
        side.many.edit_requested.connect(self._edit_selected)
        side.many.delete_requested.connect(self.delete)
        side.conflict.kept.connect(self._keep_theirs)
        side.conflict.written.connect(self._write_mine)
        side.steps.undo_requested.connect(lambda: self.action_requested.emit("undo"))
        side.steps.redo_requested.connect(lambda: self.action_requested.emit("redo"))
        side.bin.restore_requested.connect(
            lambda keys: self._change("restored", lambda bench: bench.journal.put_back(keys))
        )
        side.bin.empty_requested.connect(self._empty_bin)

    # ---- page in the window

    def focus_stops(self) -> list[QWidget]:
        if self.list.stack.currentWidget() is self.empty_state:
            return [self.seed, self.side.stop()]
        return [*self.list.focus_stops(), self.side.stop()]

    def go_to(self, key: str) -> None:
        """Show the memory of this key, those of a label, or one of the views beside the list."""
        if key.startswith(LABEL_PLACE):
            self.bar.set_filter(label=key.removeprefix(LABEL_PLACE))
        elif key in (STEPS, BIN):
            self.side.open_view(key)
        elif key.isdecimal():
            self.list.go_to(int(key))

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.fault.show_fault(core_state.status.faults.get("store", ""))
        self.side.bin.show_days(core_state.settings.curate.bin_days)

    # ---- search

    def refresh(self, *, anew: bool = False) -> None:
        table = self.table
        order = MemoryOrder(table.order) if table.order else MemoryOrder.KEY
        wanted = memory_filter(self.bar.text, self.bar.chosen)
        descending, view = table.descending or not table.order, self.list.search_view(anew=anew)
        self._search.run(
            lambda bench: bench.catalogue.find_memories(wanted, order, descending=descending, view=view),
            self.show_found,
        )

    def _fetch(self, keys: Sequence[int]) -> None:
        paged = self.table.paged
        self._search.do(lambda bench: bench.catalogue.memories(keys), lambda rows: paged.take_rows(rows, keys))

    def show_found(self, found: SearchResult) -> None:
        if self.table.state() is QAbstractItemView.State.EditingState:
            self.refresh_steps(anyway=True)  # do not replace rows while a cell is being edited
        elif (followed := self.list.with_selection(found)) is not None:
            has_any = bool(found.keys or found.whole or self.bar.is_filtering)
            self.bar.setVisible(has_any)
            set_primary(self.new, has_any)
            self.list.show_place(None if found.keys else self.list.no_fit if has_any else self.empty_state)
            self.list.show_found(followed)
            self.head.set_more(counted(ItemKind.MEMORY, found.whole) if found.whole else "")
            self.table.show_keyboard()

    def _edit_beside(self, column: str) -> None:
        """Edit the triggers of the selected memory in the pane, as the table only shows the first."""
        memory = self.memory()
        if column == "trigger" and memory is not None:
            self.side.open_view(MEMORY)
            shown = self.side.details.memory if self.side.details.isVisible() else None
            if shown is not None and shown.key == memory.key:
                self.side.details.triggers.edit_first()

    def refresh_steps(self, *, anyway: bool = False) -> None:
        """Reload soon if the library has changed; with `anyway` also if not."""
        if anyway:
            self._stamp = None
        self.news_timer.start()

    def _on_view(self, view: str) -> None:
        if view == BIN:
            self._load_bin()

    def _load_bin(self) -> None:
        self._bin.run(lambda bench: bench.journal.binned(), lambda binned: self.side.bin.show_bin(tuple(binned)))

    def load(self) -> None:
        if not self.table.paged.keys:
            self.refresh()  # at the first display; else the result of the steps tells if it is needed
        self._look.do(lambda bench: bench.journal.steps(_LAST_STEPS), self._on_steps, ignore)

    def _on_steps(self, steps: Sequence[Step]) -> None:
        self.side.steps.show_steps(steps)
        counts = tuple(self.core_state.status.counts.items()) if self.core_state is not None else ()
        stamp = (tuple((step.id, step.undone) for step in steps), counts)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        self.refresh()
        self._look.do(
            lambda bench: bench.catalogue.facets(), lambda found: self.bar.show_facets(memory_facets(found)), ignore
        )
        if self.side.view == BIN:
            self._load_bin()
        self._look_timer.start()

    # ---- selection

    def _on_picked(self) -> None:
        count = self.table.selected_count
        self.side.show_selected(count)
        if count == 1:
            self._look_timer.start()

    def load_detail(self) -> None:
        keys = self.table.selected_keys if self.table.selected_count == 1 else []
        if not keys:
            return

        async def act(bench: Workbench) -> MemoryOverview | None:
            from app.services.library.memory_overview import read_memory_overview

            return await read_memory_overview(bench, keys[0])

        def show(detail: MemoryOverview | None) -> None:
            if detail is not None:
                self.side.show_detail(detail)

        self._look.run(act, show)

    def _count(self, edit: MemoryEdit) -> None:
        keys = self.table.selected_keys

        async def act(bench: Workbench) -> int:
            chunks = (keys[start : start + _COUNTED_AT_ONCE] for start in range(0, len(keys), _COUNTED_AT_ONCE))
            return sum([await bench.journal.count_edited(chunk, edit) for chunk in chunks])

        self._counting.run(act, self.side.many.show_count)

    def memory(self) -> Memory | None:
        """Return the memory if only one is selected."""
        keys = self.table.selected_keys if self.table.selected_count == 1 else []
        row: Dated[Memory] | None = self.table.paged.row_of(keys[0]) if keys else None
        return None if row is None else row.item

    # ---- user actions

    def pause(self, on: bool) -> None:
        if self.table.selected_count:
            self._edit_selected(MemoryEdit(paused=on))

    def delete(self) -> None:
        """Move the selected memories to the bin; several only after a confirmation."""
        keys = self.table.selected_keys
        if len(keys) == 1:
            memory = self.memory()
            self._delete(keys, memory.name if memory is not None else "")
        elif keys:
            days = self.core_state.settings.curate.bin_days if self.core_state is not None else 0
            self.confirm("Delete memories", delete_question(len(keys), days), "Delete", lambda: self._delete(keys))

    def open_selected_in_scope(self) -> None:
        """Open the first trigger of the selected memory on the scope."""
        memory = self.memory()
        if memory is not None:
            self.ask_on_scope(memory.triggers[0])

    def _empty_bin(self, count: int) -> None:
        self.confirm(
            "Empty the bin",
            empty_question(count),
            "Empty",
            lambda: self._bin.do(lambda bench: bench.journal.empty_bin(), lambda _: self._on_emptied()),
        )

    def _on_cell(self, key: int, column: str, text: str) -> None:
        row = self.table.paged.row_of(key)
        if row is None:
            return
        try:
            changed = edited_memory(row.item, column, text)
        except KnownError as error:
            self.notified.emit(str(error), False, True)
            QTimer.singleShot(0, self.table, self.table.type_again)
            return
        if changed != row.item:
            self._save(changed)

    def _fill_row_menu(self, menu: QMenu) -> None:
        one = self.memory()
        offer(
            menu,
            ("Open in scope", self.open_selected_in_scope, one is not None),
            ("Pause", partial(self.pause, True), one is None or not one.paused),
            ("Resume", partial(self.pause, False), one is None or one.paused),
            ("Delete\tDel", self.delete, True),
        )

    # ---- the library

    def _save(self, memory: Memory) -> None:
        self._search.do(lambda bench: bench.journal.edit(memory), self._on_saved)

    def _bring_back(self, memory: Memory) -> None:
        """Restore an earlier state of a memory, or a deleted memory."""
        self._change("restored", lambda bench: bench.journal.restore(memory))

    def _edit_selected(self, edit: MemoryEdit) -> None:
        keys = self.table.selected_keys
        self._change("edited", lambda bench: bench.journal.edit_many(keys, edit))

    def _delete(self, keys: Sequence[int], name: str = "") -> None:
        gone = [(ItemKind.MEMORY, key) for key in keys]
        self._change("deleted", lambda bench: bench.journal.delete(gone, name=name))

    def _change(self, verb: str, act: Callable[[Workbench], Awaitable[Written | None]]) -> None:
        self._search.do(act, lambda written: self._on_done(verb, written))

    # ---- results

    def _on_taught(self, memory: Memory) -> None:
        """Follow a memory that was added while the page is open."""
        if self.isVisible() and memory.key is not None:
            self.list.go_to(memory.key)

    def _on_counted(self, _: HistoryCounts) -> None:
        """Reload after a query: memories may have been given to an assistant."""
        self._stamp = None
        self.outdate()

    def _on_saved(self, memory: Memory) -> None:
        table = self.table
        table.paged.typed = None
        self.side.details.mark_stored()
        assert memory.key is not None, "what was saved is stored"
        row: Dated[Memory] | None = table.paged.row_of(memory.key)
        if row is not None and table.current_key == memory.key:
            table.paged.put_row(memory.key, replace(row, item=memory), table.currentIndex().row())
        self.notified.emit(f"“{memory.name[:80]}” is changed.", True, False)

    def _on_done(self, verb: str, written: Written | None) -> None:
        self.notified.emit(edit_outcome(verb, written), written is not None, False)
        if verb == "edited":
            self.side.many.clear()
        self.refresh_steps()

    def _on_emptied(self) -> None:
        self.notified.emit("The bin is empty.", False, False)
        self._load_bin()
        self.refresh_steps(anyway=True)

    def _on_stale(self, error: StaleError) -> None:
        self.side.show_conflict(error)
        self.refresh_steps(anyway=True)

    def _keep_theirs(self) -> None:
        self.side.end_conflict()
        self.side.details.refuse("")
        self.load_detail()

    def _write_mine(self, mine: Memory, is_gone: bool) -> None:
        self.side.end_conflict()
        if is_gone:
            self._bring_back(mine)
        else:
            self._save(mine)

    def _on_refused(self, sentence: str) -> None:
        side = self.side
        if not side.details.mark_refused(sentence) or not side.details.isVisible():
            self.refuse(sentence)
        side.many.try_again()
        self.table.type_again()
        self.load_detail()

    # ---- actions

    def action_rows(self) -> tuple[Action, ...]:
        """Return the actions of the page, for palette and keys."""
        side = self.side

        def selected() -> str:
            return "" if self.table.selected_count else "Select a memory first."

        row = self.own_action
        return (
            row("scope", "Ask the selected memory in the scope", self.open_selected_in_scope, "scope", selected),
            row("pause", "Pause the selected memories", partial(self.pause, True), "pause", selected),
            row("resume", "Resume the selected memories", partial(self.pause, False), "memory", selected),
            row("delete", "Delete the selected memories", self.delete, "trash", selected),
            row("past", "Show the history of the selected memory", partial(side.open_view, PAST), "history", selected),
        )
