"""Powers page: the table with their state, and the editor of the selected one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.display.library.tables import first_names
from app.display.powers.rows import Drafts, draft_fault
from app.domain.errors import StaleError
from app.domain.filters import View
from app.domain.journal import Edit, ItemKind, counted
from app.domain.library import Power
from app.gui.bridge.engine_thread import Worker, ignore
from app.gui.bridge.jobs import Job, power_watch
from app.gui.kit.controls import EmptyState, PaneHeader, button, menu_button, set_primary
from app.gui.kit.page import Action, CoreState, Group, ListPage
from app.gui.kit.tables.list_detail import DetailLayout, ListDetail, offer
from app.gui.kit.theme import Theme
from app.gui.powers.editor import DraftTrial
from app.gui.powers.table import EDITOR, SERVER, PowerSide, PowersTable, power_facets
from app.services.scope.edit_previews import UNSTORED, PowerRank, holders_by_keyword

if TYPE_CHECKING:
    from app.services.workbench import Workbench


class PowersPage(ListPage):
    """Edits are stored when a field is left; an invalid draft is kept until valid or reverted.

    Also while other pages are open.
    """

    key, group = "powers", Group.TEACH
    side_by_side_from = 900

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Powers")
        self.worker = worker
        self._jobs = Job(worker, self, self._on_refused, self._on_stale)
        self.powers: Sequence[Power] | None = None
        """All stored powers; None until they are loaded."""
        self._standings: Mapping[int, PowerRank] = {}
        self.drafts = Drafts()
        self._just_added: int | None = None
        """Key of a new power that was just stored, selected with the next rows."""
        self._shown: int | None = None
        self._sent: int | None = None
        """Power being stored, by key; others wait, since theirs would be edits of an older state."""
        self._unsent: list[int] = []
        self._then: Callable[[Power], object] | None = None
        """Callback for the edited power, once it is stored."""
        self._make_parts()
        self._connect()

    # ---- construction

    def _make_parts(self) -> None:
        theme = self.theme
        self.table = PowersTable(theme, "Powers")
        self.table.fill_row_menu = self._fill_row_menu
        self.more = menu_button("More", "Actions on the selected rows", self._fill_row_menu)
        self.add_first, self.add_more = button("New power", press=self.add), button("New power", press=self.add)
        self.right = PowerSide(theme, self.worker)
        self.editor, self.stale, self.server = self.right.editor, self.right.stale, self.right.server
        self.trial = DraftTrial(self.editor, self.worker, self)
        self.watch = power_watch(self.worker)
        self.seed = button("Add the sample library", primary=True, press=self.worker.add_seed_library)
        self.import_ = button("Import an mcpServers file…", press=lambda: self.action_requested.emit("import"))
        about, buttons = "A power is an MCP server with words that find it.", (self.seed, self.add_first, self.import_)
        self.empty = EmptyState(theme, "power", "No powers yet", about, *buttons)
        self.head = PaneHeader(theme, "Powers", self.more, self.add_more, wraps=True)
        self.list = ListDetail(
            theme,
            self.table,
            "Search names, words and tools",
            ("No power found", "Search for fewer words, or remove a filter."),
            DetailLayout(self.right, 452, (300, 380), (240, 380)),
            above=(self.head,),
            places=(self.empty,),
        )
        self.show_list()
        self.right.setVisible(False)

    def _connect(self) -> None:
        editor, table = self.editor, self.table
        table.picked.connect(self._show_current)
        table.entered.connect(self._enter_right)
        table.delete_requested.connect(self._ask_delete)
        self.watch.changed.connect(self._on_runs)
        self.right.action_requested.connect(self.action_requested)
        self.right.which.chosen.connect(lambda _: self.save())
        self.right.notified.connect(self.notified)
        editor.changed.connect(self._on_edited)
        editor.save_requested.connect(self.save)
        editor.revert_requested.connect(self.revert)
        editor.reveal_requested.connect(self._reveal)
        editor.env_used.connect(self._find_place)
        self.stale.theirs_kept.connect(self._keep_theirs)
        self.stale.mine_written.connect(lambda error: self.send(error.mine, anyway=True))

    # ---- Page interface

    def focus_stops(self) -> list[QWidget]:
        if self.empty.isVisible():
            return [made for made in (self.seed, self.add_first, self.import_) if made.isVisible()]
        beside = self.server.focus_stops() if self.right.is_server_open else (self.editor.name, self.editor.save)
        return [*self.list.focus_stops(), *(() if self.right.is_bare else (self.right.which, *beside))]

    def selected_power(self) -> Power | None:
        key = self._current()
        return None if key is None or key not in self.table.rows else self.table.rows[key].power

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.server.idle_turns = core_state.settings.powers.idle_turns

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.save()
        self.editor.hide_values()

    def action_rows(self) -> Sequence[Action]:
        row = self.own_action
        return (
            row("new", "New power", self.add, "plus"),
            row("save", "Save the power that is edited", self.save),
            row("revert", "Discard the edits of the power", self.revert),
            replace(row("server", "Show the server of the power", lambda: self.go_to(SERVER)), group=Group.LIBRARY),
        )

    # ---- user actions

    def add(self) -> None:
        """Start a new power, or continue an unsaved one."""
        self.drafts.setdefault(UNSTORED, Power(""))
        self.bar.clear_all()
        self._show_rows()
        self.list.go_to(UNSTORED)
        self.right.open_view(EDITOR)
        self.editor.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def save(self) -> None:
        """Store the draft, or show why it cannot be stored."""
        self.editor.settle()
        if (key := self._current()) is not None:
            self._store(key)

    def _store(self, key: int) -> bool:
        """Store one draft, after the one sent before; False if it is invalid."""
        draft = self.drafts.get(key)
        if draft is None or self.powers is None:
            return False
        fault = draft_fault(draft, self.powers)
        if key == self._current():
            self.editor.fault.show_fault(fault)
        if not fault and self._sent is None:
            self._sent = key
            self.send(draft)
        elif not fault and key not in self._unsent:
            self._unsent.append(key)
        return not fault

    def send(self, draft: Power, *, anyway: bool = False) -> None:
        """Store one power as a step of the journal."""

        async def act(bench: Workbench) -> Any:
            if draft.key is None:
                written = await bench.journal.do(Edit("added", f"the power “{draft.name}”"), [draft])
                return draft if written is None else written.items[0]
            return await bench.journal.edit(draft, anyway=anyway)

        self._jobs.do(act, partial(self._on_saved, draft))

    def with_power(self, act: Callable[[Power], object]) -> None:
        self.editor.settle()
        key = self._current()
        if key is None or key not in self.drafts:
            super().with_power(act)
        elif self._store(key):
            self._then = act
        else:
            self.refuse(self.editor.fault.sentence)

    def revert(self) -> None:
        """Revert the edits of the power; a new one is dropped."""
        key = self._current()
        if key is not None and self.drafts.pop(key, None) is not None:
            self.stale.drop()
            self._show_rows()
            self._show_current()
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_to(self, key: str) -> None:
        """Open the editor or server of the selected power, or the power of this key."""
        if not key.isdecimal():
            self.right.open_view(key)
        else:
            self.list.go_to(int(key))

    def _on_edited(self) -> None:
        key = self._current()
        if key is None:
            return
        is_news = self.drafts.put(key, self.editor.draft() if self.editor.is_dirty else None)
        self.editor.fault.show_fault("")
        if is_news or key == UNSTORED:
            self._show_rows()
        self._show_holders()
        self.trial.begin_soon()

    # ---- shown power

    def _current(self) -> int | None:
        """Return the selected power, or a hidden one with edits."""
        key = self.table.current_key
        if key is None and not self.table.paged.keys and self._shown in self.drafts:
            return self._shown
        return key

    def _show_current(self) -> None:
        key = self._current()
        if key is None:
            self.trial.drop()
        row = None if key is None else self.table.rows.get(key)
        if not self.table.paged.keys:
            if key is None:
                self._shown = None
                self.right.show_nothing()
            else:
                self.right.keep()
            return
        if key is None or row is None:
            return
        self._shown = key
        stored = None if key == UNSTORED else row.power
        self.editor.show_power(stored, self.drafts.get(key, row.power))
        self.right.show_stored(row.power)
        self._show_holders()
        self.trial.begin()

    def _show_holders(self) -> None:
        if self.powers is not None:
            self.editor.show_holders(holders_by_keyword(self.powers, self.editor.draft()))

    # ---- selected powers

    @property
    def _selected(self) -> list[Power]:
        rows = self.table.rows
        return [rows[key].power for key in self.table.selected_keys if key != UNSTORED and key in rows]

    def _ask_delete(self) -> None:
        chosen = self._selected
        if len(chosen) == 1:
            self._delete(chosen)
        elif chosen:
            names = first_names([power.name for power in chosen], 8)
            question = f"Delete {names}? You can undo it, and take single ones out of the bin."
            title = f"Delete {len(chosen)} powers"
            self.confirm(title, question, title, lambda: self._delete(chosen))

    def _delete(self, powers: Sequence[Power]) -> None:
        keys = [(ItemKind.POWER, power.key) for power in powers if power.key is not None]
        edit = Edit("deleted", _subject(powers))
        self._jobs.do(
            lambda bench: bench.journal.do(edit, gone=keys), lambda _: self._on_done(f"Deleted {edit.subject}.")
        )

    def _pause(self, *, on: bool) -> None:
        """Exclude the selected powers from the answers, or include them again, as one step."""
        if changed := [power for power in self._selected if power.paused is not on]:
            sentence = f"{'Paused' if on else 'Resumed'} {_subject(changed)}."
            self._jobs.do(lambda bench: bench.journal.pause(changed, on=on), lambda _: self._on_done(sentence))

    def _fill_row_menu(self, menu: QMenu) -> None:
        paused = [power.paused for power in self._selected]
        offer(
            menu,
            ("Pause", partial(self._pause, on=True), not all(paused)),
            ("Resume", partial(self._pause, on=False), any(paused)),
            ("Delete\tDel", self._ask_delete, bool(paused)),
        )

    # ---- results

    def _enter_right(self) -> None:
        target = self.server.tools.list if self.right.is_server_open else self.editor.name
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_runs(self) -> None:
        if self.isVisible():
            self.table.show_runs(self.watch.runs)

    def load(self) -> None:
        query = self.trial.query

        async def act(bench: Workbench) -> tuple[Sequence[Power], Mapping[int, PowerRank]]:
            return await bench.catalogue.powers(), await self.trial.standings(bench, query)

        self._jobs.do(act, lambda found: self._on_found(*found))

    def _on_found(self, powers: Sequence[Power], standings: Mapping[int, PowerRank]) -> None:
        if self.powers is not None:
            self.drafts.follow(self.powers, powers)
        self.powers, self._standings = powers, standings
        self.bar.show_facets(power_facets(powers))
        self._show_rows()

    def _show_rows(self) -> None:
        if self.powers is None:
            return
        has_own = self.core_state is not None and bool(self.core_state.status.counts.get("memories"))
        self.seed.setVisible(not has_own)
        self.import_.setVisible(has_own)
        set_primary(self.add_first, has_own)
        set_primary(self.add_more, not self.drafts)  # otherwise Save
        self.table.show_powers(self.powers, self._standings, self.drafts, self.watch.runs)
        self.refresh()

    def refresh(self, *, anew: bool = False) -> None:
        if self.powers is None:
            return
        view = self.list.search_view(anew=anew)
        if (key := self._just_added) is not None:
            self._just_added, view = None, View([key], key)
        found = self.table.found(self.bar.text, self.bar.chosen, view)
        for part in (self.bar, self.more, self.add_more):
            part.setVisible(found.whole > 0)
        self.list.show_place(None if found.keys else self.list.no_fit if found.whole else self.empty)
        self.head.set_more(counted(ItemKind.POWER, found.whole) if found.whole else "")
        self.list.show_found(found)

    def _on_saved(self, sent: Power, stored: Power) -> None:
        self.drafts.saved(sent, stored)
        if self.stale.error is not None and self.stale.error.mine.key == stored.key:
            self.stale.drop()
        if sent.key is None and stored.key is not None:
            self._just_added = stored.key
            self._unsent = [stored.key if key == UNSTORED else key for key in self._unsent]
        if self.powers is not None:  # at once: further typing is an edit of the stored power
            self.powers = (*(power for power in self.powers if power.key != stored.key), stored)
            self._show_rows()
            self._show_current()
        self.notified.emit(f"Saved “{stored.name}”.", True, False)
        self.load()
        self._go_on(stored)

    def _go_on(self, stored: Power | None = None) -> None:
        """Send the next draft after a result, then run the waiting callback."""
        self._sent = None
        while self._unsent and self._sent is None:
            self._store(self._unsent.pop(0))
        if self._sent is None:
            then, self._then = self._then, None
            if then is not None and stored is not None:
                then(stored)

    def _keep_theirs(self, error: StaleError) -> None:
        if error.mine.key is not None:
            self.drafts.pop(error.mine.key, None)
        self.load()

    def _on_stale(self, error: StaleError) -> None:
        if error.mine.key is None or error.mine.key in self.drafts:  # a draft sent twice is refused twice
            self.stale.show_conflict(error)
        self._go_on()

    def _on_refused(self, sentence: str) -> None:
        self.refuse(sentence)
        self._go_on()

    def _on_done(self, sentence: str) -> None:
        self.notified.emit(sentence, True, False)
        self.load()

    def _reveal(self) -> None:
        """Show the values of the stored power's environment; a new one has none yet."""
        power = self.editor.stored
        if power is None:
            return

        def show(values: dict[str, str]) -> None:
            if self.editor.stored is not None and power.key == self.editor.stored.key:
                self.editor.show_values(values)

        def refuse(sentence: str) -> None:
            self.editor.hide_values()
            self.refuse(sentence)

        self._jobs.do(lambda bench: bench.catalogue.environment(power), show, refuse)

    def _find_place(self) -> None:
        self._jobs.do(
            lambda bench: bench.catalogue.secrets_place(), lambda place: self.editor.show_place(place[0]), ignore
        )


def _subject(powers: Sequence[Power]) -> str:
    return f"“{powers[0].name}”" if len(powers) == 1 else counted(ItemKind.POWER, len(powers))
