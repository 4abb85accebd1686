"""Page of intents: a table of all, the selected one beside it, and its actions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.display import staleness
from app.display.library.intents import (
    INTENT_COLUMNS,
    IntentRow,
    evaluated_line,
    renamed_sentence,
    rows_of,
    sorted_rows,
    summary,
    threshold_sentence,
    unlabelled_words,
)
from app.display.staleness import EvaluationInputs, runs_automatically
from app.domain.case import Task
from app.domain.errors import KnownError
from app.domain.filters import MemoryFilter, search_result
from app.domain.journal import ThingKind, Written
from app.domain.library import Memory, StoredIntents
from app.domain.review.history import HistoryCounts
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.events import history_watch
from app.gui.bridge.jobs import Job, Progress
from app.gui.kit.controls import EmptyState, PaneHeader, button, single_shot
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import LABEL_PLACE, Action, CoreState, Group, Page, changed_since, evaluation_inputs
from app.gui.kit.tables.list_detail import DetailLayout, ListDetail, offer
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme
from app.gui.library.intents.parts import IntentSide, IntentStrip, RenameDialog, ThresholdDialog
from app.services.library.intents import IntentEvaluation

if TYPE_CHECKING:
    from app.services.library.intents import Renamed
    from app.services.workbench import Workbench

KEY = "intents"
MOST_AT_ONCE = 2_000
"""Limit of cases that are evaluated automatically."""

_LOAD_AFTER_MS = 120


class IntentsPage(Page):
    """Page that shows counts at once; the evaluation of cases follows in the background."""

    side_by_side_from = 700

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Intents")
        self._loading, self._listing, self._run = (Job(worker, self, self._refuse) for _ in range(3))
        self.stored: StoredIntents | None = None
        self.evaluation: IntentEvaluation | None = None
        self._rests_on: EvaluationInputs | None = None
        self._tried: object = None
        """State of cases and engine of the last evaluation or attempt."""
        self._keys: dict[str, int] = {}
        self._rows: dict[int, IntentRow] = {}
        self._wanted = ""
        self.edit_dialog: RenameDialog | ThresholdDialog | None = None
        self._make_parts()
        self._load_timer = single_shot(self, _LOAD_AFTER_MS, self.load)
        fill(spaced(QVBoxLayout(self)), self.list)
        self._connect()
        history_watch(worker).counted.connect(self._on_counted)

    # ---- widgets

    def _make_parts(self) -> None:
        theme = self.theme
        self.unlabelled = button("No intent", link=True)
        self.head = PaneHeader(theme, "Intents", self.unlabelled)
        self.strip = IntentStrip(theme)
        self.fault = FaultLine(theme)
        self.table = LibraryTable(theme, "Intents", INTENT_COLUMNS, KEY)
        self.table.setSelectionMode(LibraryTable.SelectionMode.SingleSelection)
        self.side = IntentSide(theme)
        self.first = button("Import…", primary=True, press=lambda: self.action_requested.emit("import"))
        self.empty = EmptyState(
            theme,
            "label",
            "No intents yet",
            (
                "An intent is the name that memories of one meaning share, such as book-flight for every way to ask"
                " for a flight. Import labelled phrases, or teach a memory and name its intent."
            ),
            self.first,
            button("Teach…", press=lambda: self.action_requested.emit("teach_new")),
            button("Add the sample library", press=lambda: self.action_requested.emit("seed")),
        )
        self.list = ListDetail(
            theme,
            self.table,
            "Find an intent",
            ("No intent is called that", "Look for fewer words."),
            DetailLayout(self.side, 344),
            above=(self.head,),
            strips=(self.strip, self.fault),
            places=(self.empty,),
        )
        self.bar = self.list.bar

    def _connect(self) -> None:
        table, side = self.table, self.side
        self.list.search_requested.connect(lambda anew: self.show_rows(anew=anew))
        self.list.focus_lost.connect(lambda: self.focus_stops()[0].setFocus(Qt.FocusReason.OtherFocusReason))
        table.picked.connect(self._show_row)
        table.entered.connect(self.open_memories)
        table.doubleClicked.connect(lambda _: self.open_memories())
        table.edit_requested.connect(lambda _: self.ask_name())
        table.fill_row_menu = lambda menu: offer(menu, *side.verbs)
        self.unlabelled.clicked.connect(lambda: self.page_requested.emit("memories", LABEL_PLACE))
        side.opened.connect(self.open_answer)
        side.memory_opened.connect(lambda key: self.page_requested.emit("memories", str(key)))
        side.memories.clicked.connect(self.open_memories)
        side.rename.clicked.connect(self.ask_name)
        side.threshold.clicked.connect(self.ask_threshold)
        side.rival.clicked.connect(self.open_rival)
        self.strip.begin.clicked.connect(self.evaluate)
        self.strip.stopped.connect(self.stop)
        self.strip.cases.clicked.connect(lambda: self.page_requested.emit("cases", ""))

    def lay_panes(self, flipped: bool) -> None:
        self.list.lay(narrow=self.is_narrow, flipped=flipped, within=self.visible_height)

    # ---- page in the window

    def persist_in(self, folder: Path) -> None:
        self.list.persist_in(folder)

    def focus_stops(self) -> list[QWidget]:
        if self.list.stack.currentWidget() is self.empty:
            return [self.first]
        return [
            *self.list.focus_stops(),
            self.side.stop(),
            self.strip.stop if self.strip.is_running else self.strip.begin,
        ]

    def go_to(self, key: str) -> None:
        if key in self._keys and self.stored is not None:
            self.list.go_to(self._keys[key])
        else:
            self._wanted = key

    def action_rows(self) -> Sequence[Action]:
        rows = (
            ("rename", "Rename or merge the selected intent", self.ask_name),
            ("threshold", "Set the threshold of the selected intent", self.ask_threshold),
            ("evaluate", "Evaluate the cases of intents", self.evaluate),
        )
        return [Action(f"{KEY}:{key}", text, Group.LIBRARY, self.after_opening(KEY, act)) for key, text, act in rows]

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.fault.show_fault(core_state.status.faults.get("store", ""))
        if self.isVisible() and core_state.status.is_open:
            self._load_timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.core_state is not None and self.core_state.status.is_open:
            self.load()

    def _on_counted(self, _: HistoryCounts) -> None:
        """Reload after a query, which may change when an intent was last asked for."""
        if self.isVisible() and self.stored is not None:
            self._load_timer.start()

    def _refuse(self, sentence: str) -> None:
        self.notified.emit(sentence, False, True)

    # ---- display

    def load(self) -> None:
        self._loading.run(lambda bench: bench.intents.stored(), self._on_loaded)

    def _on_loaded(self, stored: StoredIntents) -> None:
        is_same, self.stored = self.stored == stored, stored
        if not is_same or self._wanted:
            self.show_rows()
        self._show_strip()
        self._evaluate_automatically()

    def show_rows(self, *, anew: bool = False) -> None:
        """Show the filtered intents in the order of the table; with `anew` from the top."""
        stored = self.stored
        if stored is None:
            return
        rows = rows_of(stored, {} if self.evaluation is None else self.evaluation.figures)
        for row in rows:
            self._keys.setdefault(row.label, len(self._keys))
        self._rows = {self._keys[row.label]: row for row in rows}
        if (wanted := self._wanted) in self._keys:
            self._wanted = ""
            self.list.go_to(self._keys[wanted])
        kept = sorted_rows(rows, self.bar.text, self.table.order, descending=self.table.descending)
        found = search_result(
            [self._keys[row.label] for row in kept],
            len(rows),
            self.list.search_view(anew=anew),
            lambda _: self._rows,
            around=False,
        )
        self.head.set_more(summary(stored) if rows else "")
        self.unlabelled.setText(unlabelled_words(stored))
        for part in (self.bar, self.strip):
            part.setVisible(bool(rows))
        self.unlabelled.setVisible(bool(rows and stored.unlabelled))
        self.list.show_place(None if kept else self.list.no_fit if rows else self.empty)
        self.list.show_found(found)
        self.bar.count.setVisible(self.bar.is_filtering)
        self._show_row()

    def _show_row(self) -> None:
        intents = {row.label for row in self._rows.values()}
        self.side.show_row(self.row, intents, is_running=self.strip.is_running)
        if (row := self.row) is not None:
            wanted = MemoryFilter(label=row.label)
            self._listing.run(lambda bench: bench.catalogue.find_memories(wanted), self.side.show_memories)

    def _show_strip(self) -> None:
        cases = 0 if self.stored is None else self.stored.cases
        line = evaluated_line(self.evaluation, cases)
        stale = changed_since(self._rests_on, self.core_state) if self.evaluation is not None else ""
        if not stale and self.evaluation is not None and self.stored is not None:
            stale = "Changed since: the cases." if self.evaluation.cases_state != self.stored.cases_state else ""
        self.strip.show_note(f"{line} {stale}".strip() if cases else line)
        self.strip.begin.setVisible(bool(cases) and not self.strip.is_running)
        self.strip.cases.setVisible(not cases)

    @property
    def row(self) -> IntentRow | None:
        key = self.table.current_key
        return None if key is None else self._rows.get(key)

    # ---- evaluation

    def _state(self) -> object:
        """Return the state of cases and engine that an evaluation now would have."""
        cases = None if self.stored is None else (self.stored.cases, self.stored.cases_state)
        return cases, evaluation_inputs(self.core_state, (Task.INTENT,))

    def _evaluate_automatically(self) -> None:
        """Evaluate a small number of cases, if visible and changed since the last evaluation."""
        state, stored = self.core_state, self.stored
        if state is None or stored is None or not self.isVisible() or self.strip.is_running:
            return
        if 0 < stored.cases <= MOST_AT_ONCE and runs_automatically(state.status) and self._tried != self._state():
            self.evaluate()

    def evaluate(self) -> None:
        if self.stored is None or not self.stored.cases:
            return
        self._tried = self._state()
        self.fault.show_fault("")
        self.strip.show_progress(0.0)
        self._show_row()

        async def act(bench: Workbench, tell: Progress) -> tuple[IntentEvaluation, EvaluationInputs]:
            await bench.at_rest()
            rests_on = staleness.evaluation_inputs(bench.status(), bench.settings, tasks=(Task.INTENT,))
            return await bench.intents.evaluated(tell), rests_on

        self._run.run_with_progress(
            act,
            lambda done, total: self.strip.show_progress(done / max(1, total)),
            lambda found: self._on_evaluated(*found),
            self._on_broken,
        )

    def stop(self) -> None:
        """Cancel the evaluation; the figures of the last one stay."""
        self._run.cancel()
        self._end_run()

    def _end_run(self) -> None:
        self.strip.show_progress(None)
        self._show_strip()
        self._show_row()

    def _on_evaluated(self, evaluation: IntentEvaluation, rests_on: EvaluationInputs) -> None:
        self.evaluation, self._rests_on = evaluation, rests_on
        if self.stored is not None:
            self._tried = (self.stored.cases, evaluation.cases_state), rests_on
        self.strip.show_progress(None)
        self.show_rows()
        self._end_run()
        self._evaluate_automatically()

    def _on_broken(self, sentence: str) -> None:
        self._end_run()
        self.fault.show_fault(sentence)

    # ---- user actions

    def open_memories(self) -> None:
        if (row := self.row) is not None and row.intent.memories:
            self.page_requested.emit("memories", f"{LABEL_PLACE}{row.label}")

    def open_rival(self) -> None:
        """Open the answer that the selected intent is confused with most."""
        if (row := self.row) is not None and row.rival is not None and row.rival.other is not None:
            self.open_answer(row.rival.other)

    def open_answer(self, name: str) -> None:
        """Select the intent of this name, or open the memory of this name without an intent."""
        if any(row.label == name for row in self._rows.values()):
            self.go_to(name)
            return

        async def find(bench: Workbench) -> int:
            found = await bench.catalogue.named(ThingKind.MEMORY, name)
            key = next((one.key for one in found if isinstance(one, Memory) and one.answer_label is None), None)
            if key is None:
                raise KnownError(f"No memory is called “{name[:60]}” any more. Evaluate again.")
            return key

        self._run.do(find, lambda key: self.page_requested.emit("memories", str(key)))

    def ask_name(self) -> None:
        """Ask for a new name of the selected intent; that of another merges the two."""
        row = self.row
        if row is None or self.stored is None:
            return
        others = {intent.label: intent for intent in self.stored.intents}
        dialog = RenameDialog(self.theme, row, others, self)
        dialog.chosen.connect(lambda new: self._rename(row.label, new))
        self._open_dialog(dialog)

    def ask_threshold(self) -> None:
        row, state = self.row, self.core_state
        if row is None or state is None or row.intent.memories == row.intent.paused:
            return
        settings = state.settings
        dialog = ThresholdDialog(self.theme, row, settings.fallback_threshold, settings.label_thresholds, self)
        dialog.chosen.connect(lambda value: self._set_threshold(row.label, value))
        dialog.cleared.connect(lambda: self._set_threshold(row.label, None))
        self._open_dialog(dialog)

    def _open_dialog(self, dialog: RenameDialog | ThresholdDialog) -> None:
        self.edit_dialog = dialog
        dialog.finished.connect(self._on_dialog_closed)
        dialog.open()

    def _on_dialog_closed(self) -> None:
        self.edit_dialog = None

    def _rename(self, label: str, new: str) -> None:
        def tell(renamed: Renamed | None) -> None:
            self.notified.emit(renamed_sentence(label, new, renamed), renamed is not None, False)
            if renamed is not None:
                self._wanted, self.evaluation = new, None  # its figures are of other intents
                self._load_timer.start()

        self._run.do(lambda bench: bench.intents.rename(label, new), tell)

    def _set_threshold(self, label: str, value: float | None) -> None:
        def tell(found: tuple[Written | None, int]) -> None:
            is_changed = found[0] is not None
            self.notified.emit(threshold_sentence(label, value, is_changed=is_changed), is_changed, False)

        self._run.do(lambda bench: bench.curator.set_thresholds({label: value}), tell)
