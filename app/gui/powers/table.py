"""Table of powers, filtered and sorted in memory, and the pane with editor or server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.display.library.tables import Facet, counted_facets, sorted_by
from app.display.powers.rows import POWER_COLUMNS, PowerRow, matches_search, state_cell, transport_word
from app.domain.filters import SearchResult, View, search_result
from app.domain.library import Power
from app.domain.running import PowerRun
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import power_watch
from app.gui.kit.controls import EmptyState, SegmentedControl
from app.gui.kit.layouts import Stack, fill, spaced
from app.gui.kit.pane_parts import StaleStrip, WrappedLabel
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme, Themed
from app.gui.powers.editor import PowerEditor
from app.gui.powers.server import ServerPane
from app.services.scope.edit_previews import UNSTORED, PowerRank

EDITOR, SERVER = "editor", "server"


class PowerSide(Themed):
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


# ---- Table of powers: filtered and sorted in memory, since there are few.


class PowersTable(LibraryTable):
    """Keys are the store's, UNSTORED for a new power."""

    wide = 1

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, POWER_COLUMNS, "powers")
        self.rows: dict[int, PowerRow] = {}
        self.setEditTriggers(self.EditTrigger.NoEditTriggers)

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

    def found(self, text: str, chosen: Mapping[str, object], view: View) -> SearchResult:
        """Return the rows with the text and the chosen values; a new power is always first."""
        kept = (
            row
            for key, row in self.rows.items()
            if key != UNSTORED
            and (not text or matches_search(row.power, text))
            and all(FACETS[name][1](row.power) == value for name, value in chosen.items())
        )
        ordered = sorted_by(POWER_COLUMNS, kept, self.order, descending=self.descending)
        keys = [*([UNSTORED] if UNSTORED in self.rows else []), *(row.power.key for row in ordered)]
        return search_result([key for key in keys if key is not None], len(self.rows), view, lambda _: self.rows)


FACETS: Mapping[str, tuple[str, Callable[[Power], object]]] = {
    "state": ("State", lambda power: "paused" if power.paused else "answers"),
    "approved": ("Approved", lambda power: power.approved),
    "transport": ("Transport", transport_word),
}
"""Filter facets of powers: title, and a power's value."""


_WORDS = {"answers": "Answers", "paused": "Paused", True: "Yes", False: "No", "": "None"}


def power_facets(powers: Sequence[Power]) -> tuple[Facet, ...]:
    """Return the facets with their values."""
    return counted_facets(powers, FACETS, lambda value: _WORDS.get(value, str(value)))
