"""Table of powers, filtered and sorted in memory, and the pane with editor or server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRect, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.display.library.tables import Choice, Facet, first_names
from app.display.powers.rows import POWER_COLUMNS, PowerRow, matches_search, sorted_rows, state_cell, transport_word
from app.domain.filters import SearchResult, place_of, places
from app.domain.journal import Edit, ThingKind, counted
from app.domain.library import Power
from app.domain.running import PowerRun
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, power_watch
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button, menu_button
from app.gui.kit.dialogs import ConfirmDialog, ask
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import Stack, fill, spaced
from app.gui.kit.pane_parts import StaleStrip, WrappedLabel
from app.gui.kit.tables.list_detail import ListDetail, offer
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme
from app.gui.powers.editor import PowerEditor
from app.gui.powers.servers.server import ServerPane
from app.services.scope.edit_previews import UNSTORED, PowerRank

EDITOR, SERVER = "editor", "server"


class PowerSide(Ruled):
    """Editor or server of the selected power; the choice stays for other selections."""

    action_requested = Signal(str)  # key of an action of the window
    notified = Signal(str, bool, bool)  # as in Page

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme)
        self.editor = PowerEditor(theme)
        self.stale = StaleStrip(theme)
        self.server = ServerPane(theme, worker, power_watch(worker))
        self.which = SegmentedControl(
            theme, "What is shown of the power", [(EDITOR, "Words and settings"), (SERVER, "Server")]
        )
        self.stack = Stack()
        fill(self.stack, self.editor, self.server)
        self.empty_state = EmptyState(
            theme, "power", "No power is selected", "Select one in the list to see its words and its server."
        )
        self.empty_state.setVisible(False)
        self.note = WrappedLabel(role="caption")
        self.note.setContentsMargins(theme.px(16), theme.px(6), theme.px(16), 0)
        self.note.setVisible(False)
        row = spaced(QHBoxLayout(), None, theme.px(16), theme.px(7), theme.px(16), theme.px(2))
        fill(row, self.which, 1)
        right = spaced(QVBoxLayout(self), 0, 1, 0, 0, 0)
        fill(right, row, self.note, self.stale, (self.stack, 1), (self.empty_state, 1))
        self._connect()

    def _connect(self) -> None:
        self.which.chosen.connect(self.open_view)
        self.server.start_requested.connect(lambda: self.action_requested.emit("start_power"))
        self.server.stop_requested.connect(lambda: self.action_requested.emit("stop_power"))
        self.editor.approve_requested.connect(lambda: self.action_requested.emit("approve_power"))
        self.server.notified.connect(self.notified)

    def open_view(self, key: str) -> None:
        """Show the editor or the server."""
        self.which.set_current(key)
        self.stack.setCurrentWidget(self.server if key == SERVER else self.editor)

    @property
    def is_server_open(self) -> bool:
        return self.stack.currentWidget() is self.server and not self.is_bare

    @property
    def is_bare(self) -> bool:
        """True if no power is shown."""
        return not self.empty_state.isHidden()

    def show_stored(self, power: Power) -> None:
        """Show the stored state of the selected power in the server pane."""
        self._show_bare(bare=False)
        self.note.show_text("")
        self.server.show_power(power)

    def show_nothing(self) -> None:
        self.note.show_text("")
        self._show_bare(bare=True)

    def keep(self) -> None:
        """Note that the shown power is filtered out and stays open for its edits."""
        self.note.show_text("This power is filtered out of the list. It stays open because its edits are not saved.")

    def _show_bare(self, *, bare: bool) -> None:
        self.empty_state.setVisible(bare)
        for part in (self.which, self.stack):
            part.setVisible(not bare)
        if bare:
            self.stale.drop()

    def hairlines(self) -> Iterator[QRect]:
        is_below = self.x() == 0  # the list is above it on a narrow page
        yield QRect(0, 0, self.width(), 1) if is_below else QRect(0, 0, 1, self.height())


# ---- Table of powers: filtered and sorted in memory, since there are few.


_LEAST = 110
_WIDE, _WIDE_NAME = 1100, 240


class PowersTable(LibraryTable):
    """Keys are the store's, UNSTORED for a new power. `shown` follows a change of rows."""

    shown = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, POWER_COLUMNS, "powers")
        self.rows: dict[int, PowerRow] = {}
        self.setEditTriggers(self.EditTrigger.NoEditTriggers)
        self._text = ""
        self._chosen: Mapping[str, object] = {}

    def show_powers(
        self,
        powers: Sequence[Power],
        standings: Mapping[int, PowerRank],
        drafts: Mapping[int, Power],
        runs: Mapping[str, PowerRun] = {},
    ) -> None:
        """Show these powers with marks of unsaved drafts; a new one comes first."""
        stored = {power.key: power for power in powers if power.key is not None}
        rows = {
            key: PowerRow(power, standings.get(key), key in drafts, runs.get(power.name))
            for key, power in stored.items()
        }
        if UNSTORED in drafts:
            rows = {UNSTORED: PowerRow(drafts[UNSTORED], None, is_edited=True), **rows}
        self.rows = rows
        self._filter()

    def show_runs(self, runs: Mapping[str, PowerRun]) -> None:
        """Show the states of the servers; only changed rows are repainted."""
        places = {key: place for place, key in enumerate(self.paged.keys)}
        for key, row in self.rows.items():
            run = runs.get(row.power.name)
            if run is row.run or key == UNSTORED:
                continue
            now = self.rows[key] = replace(row, run=run)
            if key in places and state_cell(now) != state_cell(row):
                self.paged.put_row(key, now, places[key])

    def filter_rows(self, text: str, chosen: Mapping[str, object]) -> None:
        """Show only rows that contain the text and have the chosen values."""
        self._text, self._chosen = text, chosen
        self._filter()

    def pick_key(self, key: int) -> None:
        place = place_of(self.paged.keys, key)
        if place is not None:
            self.pick(place)

    def _filter(self) -> None:
        kept = [
            row
            for key, row in self.rows.items()
            if key == UNSTORED or (matches_search(row.power, self._text) and self._is_chosen(row.power))
        ]
        keys = [UNSTORED if row.power.key is None else row.power.key for row in self._ordered(kept)]
        current, top = self.current_key, self.top_key
        selected = places(keys, self.selected_keys)
        self.show_found(
            SearchResult(
                keys,
                len(self.rows),
                {key: self.rows[key] for key in keys},
                selected,
                place_of(keys, current),
                place_of(keys, top),
            )
        )
        self.shown.emit()

    def _ordered(self, rows: Sequence[PowerRow]) -> list[PowerRow]:
        new = [row for row in rows if row.power.key is None]
        return new + sorted_rows(
            (row for row in rows if row.power.key is not None), self.order, descending=self.descending
        )

    def _is_chosen(self, power: Power) -> bool:
        return all(FACETS[key](power) == value for key, value in self._chosen.items())

    def fit(self) -> None:
        """Give the description the remaining width, and the name more on a wide page.

        Without a description column the name gets the rest.
        """
        self._leave_out()
        self._fitting = True
        if self._stretches:
            is_wide = self.viewport().width() >= self.theme.px(_WIDE)
            widths = [column.width for column in self.paged.columns]
            for n, width in enumerate((_WIDE_NAME if is_wide else widths[0], *widths[1:])):
                if not self.isColumnHidden(n):
                    self.setColumnWidth(n, self.theme.px(width))
        wide = 0 if self.isColumnHidden(1) else 1
        shown = [n for n in range(len(self.paged.columns)) if n != wide and not self.isColumnHidden(n)]
        others = sum(self.columnWidth(n) for n in shown)
        self.setColumnWidth(wide, max(self.theme.px(_LEAST), self.viewport().width() - others))
        self._fitting = False


FACETS = {
    "state": lambda power: "paused" if power.paused else "answers",
    "approved": lambda power: power.approved,
    "transport": transport_word,
}
"""Filter facets of powers, and a power's value of each."""


def power_facets(powers: Sequence[Power], said: Mapping[object, str]) -> tuple[Facet, ...]:
    """Return the facets with their values; `said` has texts of special values."""
    made = []
    for key, title in (("state", "State"), ("approved", "Approved"), ("transport", "Transport")):
        values = [FACETS[key](power) for power in powers]
        choices = tuple(
            Choice(value, said.get(value, str(value)), values.count(value)) for value in dict.fromkeys(values)
        )
        made.append(Facet(key, title, choices))
    return tuple(made)


# ---- Left pane of the powers page: actions on the selection, search, and table


class PowersPane(QWidget):
    """Table with its filter; pauses and deletes powers; `entered` asks for the details."""

    picked = Signal()
    entered = Signal()
    done = Signal(str)  # a sentence about what was done

    def __init__(self, theme: Theme, jobs: Job, add: Callable[[], object]) -> None:
        super().__init__()
        self.theme, self._jobs = theme, jobs
        self.new = button("New power", press=add)
        self.table = PowersTable(theme, "Powers")
        self.table.fill_row_menu = self._fill_row_menu
        more = menu_button("More", "Actions on the selected rows", self._fill_row_menu)
        self.list = ListDetail(
            theme,
            self.table,
            "Search names, words and tools",
            ("No power found", "Search for fewer words, or remove a filter."),
            above=(PaneHeader(theme, "Powers", more, self.new, wraps=True),),
        )
        self.bar = self.list.bar
        fill(spaced(QVBoxLayout(self)), self.list)
        self.list.search_requested.connect(lambda _: self._filter())
        self.table.picked.connect(self.picked)
        self.table.delete_requested.connect(self._ask_delete)
        self.table.entered.connect(self.entered)
        self.table.shown.connect(self._show_count)

    @property
    def selected(self) -> list[Power]:
        rows = self.table.rows
        return [rows[key].power for key in self.table.selected_keys if key != UNSTORED and key in rows]

    def show_facets(self, powers: Sequence[Power]) -> None:
        text = {"answers": "Answers", "paused": "Paused", True: "Yes", False: "No"}
        self.bar.show_facets(power_facets(powers, {**text, "": "None"}))

    def _filter(self) -> None:
        """Show the matching rows, with one of them selected."""
        self.table.filter_rows(self.bar.text, self.bar.chosen)
        if self.table.current_key is None and self.table.paged.keys:
            self.table.pick(0)

    def _ask_delete(self) -> None:
        chosen = self.selected
        if len(chosen) == 1:
            self._delete(chosen)
        elif chosen:
            names = first_names([power.name for power in chosen], 8)
            question = f"Delete {names}? You can undo it, and take single ones out of the bin."
            title = f"Delete {len(chosen)} powers"
            ask(ConfirmDialog(self.theme, title, question, title, self), lambda: self._delete(chosen))

    def _delete(self, powers: Sequence[Power]) -> None:
        keys = [(ThingKind.POWER, power.key) for power in powers if power.key is not None]
        edit = Edit("deleted", _subject(powers))
        self._jobs.do(
            lambda bench: bench.journal.do(edit, gone=keys), lambda _: self.done.emit(f"Deleted {edit.subject}.")
        )

    def _pause(self, *, on: bool) -> None:
        """Exclude the selected powers from the answers, or include them again, as one step."""
        if changed := [power for power in self.selected if power.paused is not on]:
            sentence = f"{'Paused' if on else 'Resumed'} {_subject(changed)}."
            self._jobs.do(lambda bench: bench.journal.pause(changed, on=on), lambda _: self.done.emit(sentence))

    def _fill_row_menu(self, menu: QMenu) -> None:
        paused = [power.paused for power in self.selected]
        offer(
            menu,
            ("Pause", partial(self._pause, on=True), not all(paused)),
            ("Resume", partial(self._pause, on=False), any(paused)),
            ("Delete\tDel", self._ask_delete, bool(paused)),
        )

    def _show_count(self) -> None:
        shown = len(self.table.paged.keys)
        self.bar.show_count(shown, len(self.table.rows))
        self.list.show_place(None if shown or not self.table.rows else self.list.no_fit)


def _subject(powers: Sequence[Power]) -> str:
    return f"“{powers[0].name}”" if len(powers) == 1 else counted(ThingKind.POWER, len(powers))
