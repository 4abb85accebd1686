"""What is done to memories from their page: pause, delete, restore, undo, decide between two versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtWidgets import QMenu

from app.display.library.memories import edited
from app.display.library.memory_words import delete_question, empty_question, outcome
from app.domain.errors import KnownError, StaleError
from app.domain.filters import MemoryEdit
from app.domain.journal import Written
from app.domain.library import Dated, Memory
from app.gui.kit.action import Action, Group
from app.gui.kit.confirm import Confirm, ask
from app.gui.kit.page import Page
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import icons
from app.gui.library.memories.jobs import MemoryJobs
from app.gui.library.memories.side import BIN, PAST, STEPS, MemorySide

KEY = "memories"


class MemoriesParts(Page):
    """The page of memories as its verbs know it."""

    jobs: MemoryJobs
    table: LibraryTable
    side: MemorySide

    def look(self) -> None:
        """Look closely at the only selected memory, if there is one."""
        raise NotImplementedError

    def memory(self) -> Memory | None:
        """The only selected memory, as the table knows it."""
        raise NotImplementedError

    def look_for_news(self, *, anyway: bool = False) -> None:
        """See in a moment whether the library has changed, and show it; `anyway` shows it also if it has not."""
        raise NotImplementedError


class MemoryActions(QObject):
    """The verbs of the page; each is a step of the journal, and says in the toast what came of it."""

    def __init__(self, page: MemoriesParts) -> None:
        super().__init__(page)
        self._page, self._jobs = page, page.jobs
        self.dialog: Confirm | None = None
        jobs, table, side = page.jobs, page.table, page.side
        table.delete_asked.connect(self.delete)
        table.menu_wanted.connect(self._fill_menu)
        table.paged.edited.connect(self._on_cell)
        jobs.saved.connect(self._on_saved)
        jobs.done.connect(self._on_done)
        jobs.emptied.connect(self._on_emptied)
        jobs.stale.connect(self._on_stale)
        jobs.refused.connect(self._on_refused)
        side.details.saved.connect(jobs.save)
        side.details.opened.connect(self.open_in_scope)
        side.details.delete_asked.connect(self.delete)
        side.past.restore_asked.connect(jobs.bring_back)
        side.many.counted_for.connect(lambda edit: jobs.count(table.selected_keys, edit))
        side.many.asked.connect(lambda edit: jobs.edit_many(table.selected_keys, edit))
        side.many.delete_asked.connect(self.delete)
        side.conflict.kept.connect(self._keep_theirs)
        side.conflict.written.connect(self._write_mine)
        side.steps.undo_asked.connect(lambda: page.act_asked.emit("undo"))
        side.steps.redo_asked.connect(lambda: page.act_asked.emit("redo"))
        side.bin.restore_asked.connect(jobs.put_back)
        side.bin.empty_asked.connect(self._empty_bin)

    # ---- what a person does

    def pause(self, on: bool) -> None:
        """Pause or resume what is selected."""
        keys = self._page.table.selected_keys
        if keys:
            self._jobs.edit_many(keys, MemoryEdit(paused=on))

    def delete(self) -> None:
        """Put what is selected into the bin: one at once, many after a question."""
        table = self._page.table
        keys = table.selected_keys
        if len(keys) == 1:
            memory = self._page.memory()
            self._jobs.delete(keys, memory.name if memory is not None else "")
        elif keys:
            desk = self._page.desk
            days = desk.settings.curate.bin_days if desk is not None else 0
            self._ask(
                self.tr("Delete memories"),
                delete_question(len(keys), days),
                self.tr("Delete"),
                lambda: self._jobs.delete(keys),
            )

    def open_in_scope(self, text: str) -> None:
        """Ask a text in the scope."""
        self._page.query_typed.emit(text)
        self._page.act_asked.emit("query")

    def open_selected_in_scope(self) -> None:
        """Ask the first trigger of the selected memory in the scope."""
        memory = self._page.memory()
        if memory is not None:
            self.open_in_scope(memory.triggers[0])

    def _empty_bin(self, count: int) -> None:
        self._ask(self.tr("Empty the bin"), empty_question(count), self.tr("Empty"), self._jobs.empty_bin)

    def _ask(self, title: str, question: str, verb: str, act: Callable[[], object]) -> None:
        self.dialog = ask(Confirm(self._page.theme, title, question, verb, self._page), act)
        self.dialog.finished.connect(self._forget_dialog)

    def _forget_dialog(self) -> None:
        self.dialog = None

    def _on_cell(self, row: Dated[Memory], column: str, text: str) -> None:
        try:
            changed = edited(row.item, column, text)
        except KnownError as error:
            self._page.told.emit(str(error), False, True)
            QTimer.singleShot(0, self._page.table, self._page.table.type_again)
            return
        if changed != row.item:
            self._jobs.save(changed)

    def _fill_menu(self, menu: QMenu, at: QPoint) -> None:
        rows: tuple[tuple[str, str, Callable[[], object]], ...] = (
            ("scope", self.tr("Open in scope"), self.open_selected_in_scope),
            ("pause", self.tr("Pause"), partial(self.pause, True)),
            ("memory", self.tr("Resume"), partial(self.pause, False)),
            ("trash", self.tr("Delete"), self.delete),
        )
        one = self._page.table.selected_count == 1
        for name, text, act in rows:
            made = menu.addAction(icons.icon(name, self._page.theme.tokens.text), text)
            made.triggered.connect(lambda _=False, act=act: act())
            made.setEnabled(one or name != "scope")
        menu.popup(at)

    # ---- what comes back

    def _on_saved(self, memory: Memory) -> None:
        table = self._page.table
        table.paged.typed = None
        self._page.side.details.let_go()
        assert memory.key is not None, "what was saved is stored"
        row: Dated[Memory] | None = table.paged.row_of(memory.key)
        if row is not None and table.current_key == memory.key:
            table.paged.put_row(memory.key, replace(row, item=memory), table.currentIndex().row())
        self._page.told.emit(self.tr("“{0}” is changed.").format(memory.name[:80]), True, False)

    def _on_done(self, verb: str, written: Written | None) -> None:
        self._page.told.emit(outcome(verb, written), written is not None, False)
        if verb == "edited":
            self._page.side.many.clear()
        self._page.look_for_news()

    def _on_emptied(self) -> None:
        self._page.told.emit(self.tr("The bin is empty."), False, False)
        self._jobs.find_bin()
        self._page.look_for_news(anyway=True)

    def _on_stale(self, error: StaleError) -> None:
        self._page.side.show_conflict(error)
        self._page.look_for_news(anyway=True)

    def _keep_theirs(self) -> None:
        self._page.side.end_conflict()
        self._page.side.details.refuse("")
        self._page.look()

    def _write_mine(self, mine: Memory, is_gone: bool) -> None:
        self._page.side.end_conflict()
        if is_gone:
            self._jobs.bring_back(mine)
        else:
            self._jobs.save(mine)

    def _on_refused(self, sentence: str) -> None:
        side = self._page.side
        if not side.details.hold(sentence) or not side.details.isVisible():
            self._page.told.emit(sentence, False, True)
        side.many.try_again()
        self._page.table.type_again()
        self._page.look()

    # ---- as rows

    def offers(self) -> tuple[Action, ...]:
        """What can be done on the page, for palette and keys."""
        side = self._page.side

        def selected() -> str:
            return "" if self._page.table.selected_count else self.tr("Select a memory first.")

        def row(key: str, text: str, act: Callable[[], object], icon: str, refusal: Any = None) -> Action:
            made = Action(f"{KEY}:{key}", text, Group.LIBRARY, self._page.opening(KEY, act), icon=icon)
            return made if refusal is None else replace(made, refusal=refusal)

        return (
            row("scope", "Ask the selected memory in the scope", self.open_selected_in_scope, "scope", selected),
            row("pause", "Pause the selected memories", partial(self.pause, True), "pause", selected),
            row("resume", "Resume the selected memories", partial(self.pause, False), "memory", selected),
            row("delete", "Delete the selected memories", self.delete, "trash", selected),
            row("past", "Show the history of the selected memory", partial(side.open_view, PAST), "history", selected),
            row("steps", "Show the last steps", partial(side.open_view, STEPS), "history"),
            row("bin", "Show the bin", partial(side.open_view, BIN), "trash"),
        )
