"""Page of intents: a table of all, the selected one beside it, its actions and dialogs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.display import numbers, staleness
from app.display.library.intents import (
    INTENT_COLUMNS,
    IntentRow,
    cases_line,
    confusion_lines,
    counts_line,
    evaluated_line,
    rename_preview,
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
from app.domain.filters import MemoryFilter, SearchResult, search_result
from app.domain.history import HistoryCounts
from app.domain.journal import ItemKind, Written
from app.domain.library import Memory, StoredIntent, StoredIntents
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Progress, history_watch
from app.gui.kit.controls import EmptyState, PaneHeader, button, line_edit, set_primary
from app.gui.kit.dialogs import GrowingDialog
from app.gui.kit.fields import UnitSpin
from app.gui.kit.layouts import FlowLayout, Stack, fill, spaced
from app.gui.kit.page import LABEL_PLACE, Action, CoreState, ListPage, changed_since, evaluation_inputs
from app.gui.kit.pane_parts import FaultLine, TaskStrip, WrappedLabel, label, section
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.tables.list_detail import DetailLayout, LineList, ListDetail, offer
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme, Themed
from app.services.library.intents import LONGEST, IntentEvaluation, checked_label

if TYPE_CHECKING:
    from app.services.library.intents import RenamedIntent
    from app.services.workbench import Workbench


MEMORY = "memory"
"""Word beside an answer that is a memory without an intent."""

_ROW, _MOST_ROWS = 28, 8
_WIDE = 480


class IntentStrip(TaskStrip):
    """Source of precision and recall, and the progress of an evaluation."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar.setAccessibleName("Progress of the evaluation")
        self.begin.setText("Evaluate")
        self.begin.setToolTip("Put the cases of intents to the engine as it is set now")
        set_primary(self.begin, False)
        self.stop.setText("Stop evaluating")
        self.cases = button("Open cases", link=True)
        self.row.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(6))
        self.row.setSpacing(theme.px(12))
        fill(self.row, self.begin, self.stop, (self.bar, 1), (self.note, 1), self.cases)
        self.show_progress(None)


class IntentSide(Themed):
    """The selected intent: counts, precision and recall, confusions, and actions."""

    opened = Signal(str)  # name of another answer that it is confused with
    memory_opened = Signal(int)  # key of one of its memories

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.row: IntentRow | None = None
        self._others: Sequence[str | None] = ()
        self.name, self.about, self.figures = (WrappedLabel(role=role) for role in ("heading", "body", "body"))
        self.confused_title = section("Confused with")
        self.confused = LineList(theme, "Confused with", edge=0)
        self.confused.opened.connect(self._open)
        self.triggers = LineList(theme, "Triggers and their memories", edge=0)
        self.triggers.opened.connect(lambda place: self.memory_opened.emit(self._holders[place]))
        self._holders: list[int] = []
        self.memories = button(
            "Open memories", primary=True, tip="Show its memories alone (Enter); to split it, give some another intent"
        )
        self.rename = button("Rename…", tip="Rename it, or merge it into another intent (F2)")
        self.threshold = button("Threshold…", tip="Set the confidence that it needs to be an answer")
        self.rival = button("Open the confused intent", tip="Go to what it is confused with most often")
        self.none = EmptyState(theme, "label", "No intent is selected", "Select one to see it closely.")
        self.stack = Stack()
        self.area = self._arrange()
        fill(self.stack, self.none, self.area)
        fill(spaced(QVBoxLayout(self), 0, 1, 0, 0, 0), self.stack)

    def _arrange(self) -> QWidget:
        px = self.theme.px
        body = QWidget()
        column = spaced(QVBoxLayout(body), px(8), px(16), px(12), px(16), px(16))
        verbs = FlowLayout(px(8))
        fill(verbs, *self.verbs)
        fill(column, self.name, self.about, verbs, section("Triggers and their memories"), self.triggers)
        fill(column, section("Cases"), self.figures, self.confused_title, self.confused, 1)
        return ScrollArea(body, "Intent")

    @property
    def verbs(self) -> tuple[QPushButton, ...]:
        return self.memories, self.rename, self.threshold, self.rival

    def show_row(self, row: IntentRow | None, intents: Collection[str], *, is_running: bool) -> None:
        """Show an intent, None for none; confused answers outside `intents` are memories."""
        self.row = row
        self.stack.setCurrentWidget(self.none if row is None else self.area)
        if row is None:
            return
        self.name.show_text(row.label[:200])
        self.about.show_text(counts_line(row))
        self.figures.show_text(cases_line(row, is_running=is_running))
        lines = confusion_lines(row)
        self._others = [other for _, other in lines]
        self.confused.show_lines([(text, "" if other in intents or not other else MEMORY) for text, other in lines])
        self.confused.setFixedHeight(self.theme.px(_ROW) * max(1, min(_MOST_ROWS, len(lines))))
        for part in (self.confused_title, self.confused):
            part.setVisible(bool(lines))
        self.memories.setEnabled(bool(row.intent.memories))
        self.threshold.setEnabled(row.intent.memories > row.intent.paused)
        self.rival.setVisible(row.rival is not None)
        if row.rival is not None:
            is_intent = row.rival.other in intents
            self.rival.setText("Open the confused intent" if is_intent else "Open the confused memory")

    def show_memories(self, found: SearchResult) -> None:
        """List the triggers of its memories, each with the id of its memory."""
        pairs = [(one.item, text) for one in found.rows.values() for text in one.item.triggers]
        self._holders = [memory.key or 0 for memory, _ in pairs]
        self.triggers.show_lines([(text, memory.id or "") for memory, text in pairs])
        self.triggers.setFixedHeight(self.theme.px(_ROW) * min(_MOST_ROWS, len(pairs)))

    def stop(self) -> QWidget:
        """Return the widget of the pane that gets the focus."""
        if self.row is None:
            return self.none
        return self.memories if self.memories.isEnabled() else self.rename

    def _open(self, place: int) -> None:
        other = self._others[place]
        if other is not None:
            self.opened.emit(other)


# ---- Renaming or merging


class RenameDialog(GrowingDialog):
    """Dialog for an intent's new name, with its effects; another intent's name merges the two.

    `chosen` has the name when the dialog is accepted.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, row: IntentRow, others: Mapping[str, StoredIntent], parent: QWidget) -> None:
        super().__init__(theme, "Rename intent", _WIDE, parent)
        self._row, self._others = row, others
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = line_edit("New name", text=row.label, longest=LONGEST)
        self.line.selectAll()
        completer = QCompleter(sorted(others.keys() - {row.label}), self.line)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.line.setCompleter(completer)
        self.preview = WrappedLabel(role="body")
        self.fault = FaultLine(theme)
        self.verb = button("Rename", primary=True, press=self.accept, default=True)
        foot = fill(QHBoxLayout(), 1, button("Cancel", press=self.reject), self.verb)
        lead = WrappedLabel(f"New name of “{row.label[:200]}”, or an intent to merge it into", role="lead")
        self.lay_out(fill(QVBoxLayout(), lead, self.line, self.preview, self.fault, 1), foot)
        self.line.textChanged.connect(lambda _: self._show())
        self.accepted.connect(lambda: self.chosen.emit(self.line.text().strip()))
        self._show()

    def _show(self) -> None:
        name, fault = self.line.text().strip(), ""
        try:
            checked_label(name)
        except KnownError as error:
            fault = str(error) if name else ""
        is_same = name == self._row.label
        target = None if is_same else self._others.get(name)
        self.fault.show_fault(fault)
        self.preview.show_text("" if fault or not name else rename_preview(self._row, target))
        self.verb.setText("Rename" if target is None else "Merge")
        self.setWindowTitle("Rename intent" if target is None else "Merge intents")
        self.verb.setEnabled(bool(name) and not fault and not is_same)


# ---- Threshold of one intent


class ThresholdDialog(GrowingDialog):
    """Dialog for the minimum confidence of an intent.

    `chosen` has the value; `cleared` returns to the common threshold.
    """

    chosen = Signal(float)
    cleared = Signal()

    def __init__(self, theme: Theme, row: IntentRow, common: float, counts: bool, parent: QWidget) -> None:
        super().__init__(theme, "Threshold of an intent", _WIDE, parent)
        px, own = theme.px, row.intent.threshold
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        best = None if row.figures is None else row.figures.score.threshold
        self.spin = UnitSpin()
        self.spin.setAccessibleName("Threshold")
        self.spin.setFixedWidth(px(84))
        self.spin.show_value(f"{own if own is not None else best if best is not None else common:g}")
        self.suggested = button("", link=True)
        self.suggested.setVisible(best is not None)
        if best is not None:
            self.suggested.setText(f"Use {numbers.score(best)}, best for its cases")
            self.suggested.clicked.connect(lambda: self.spin.show_value(f"{best:g}"))
        self.reset = button("No own threshold", press=lambda: self._choose(None))
        self.reset.setVisible(own is not None)
        self.verb = button("Set", primary=True, press=lambda: self._choose(round(self.spin.value(), 6)), default=True)
        line = fill(spaced(QHBoxLayout(), px(8)), label(theme, "Threshold", 76), self.spin, self.suggested, 1)
        foot = fill(QHBoxLayout(), self.reset, 1, button("Cancel", press=self.reject), self.verb)
        said = (
            f"“{row.label[:200]}” is an answer at this confidence or above. Without a threshold of its own it needs"
            f" {numbers.score(common)}, as all others do."
        )
        if not counts:
            said += " Thresholds of intents are off: switch on “Label thresholds” in the settings."
        self.lay_out(fill(QVBoxLayout(), WrappedLabel(said, role="body"), line, 1), foot)
        self.spin.setFocus()
        self.spin.selectAll()

    def _choose(self, value: float | None) -> None:
        if value is None:
            self.cleared.emit()
        else:
            self.chosen.emit(value)
        self.accept()


MOST_AT_ONCE = 2_000
"""Limit of cases that are evaluated automatically."""


class IntentsPage(ListPage):
    """Page that shows counts at once; the evaluation of cases follows in the background."""

    key = "intents"
    side_by_side_from = 700

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Intents")
        self._loading, self._listing, self._run = (Job(worker, self, self.refuse) for _ in range(3))
        self.stored: StoredIntents | None = None
        self.evaluation: IntentEvaluation | None = None
        self._rests_on: EvaluationInputs | None = None
        self._tried: object = None
        """State of cases and engine of the last evaluation or attempt."""
        self._keys: dict[str, int] = {}
        self._rows: dict[int, IntentRow] = {}
        self._wanted = ""
        self._make_parts()
        self._connect()
        history_watch(worker).counted.connect(self._on_counted)

    # ---- widgets

    def _make_parts(self) -> None:
        theme = self.theme
        self.unlabelled = button("No intent", link=True)
        self.head = PaneHeader(theme, "Intents", self.unlabelled)
        self.strip = IntentStrip(theme)
        self.fault = FaultLine(theme)
        self.table = LibraryTable(theme, "Intents", INTENT_COLUMNS, self.key)
        self.table.setSelectionMode(LibraryTable.SelectionMode.SingleSelection)
        self.side = IntentSide(theme)
        self.first = button("Import…", primary=True, press=lambda: self.action_requested.emit("import"))
        self.empty = EmptyState(
            theme,
            "label",
            "No intents yet",
            (
                "An intent is the name that memories of one meaning share, such as book-flight for every way to ask"
                " for a flight. Import labelled queries, or teach a memory and name its intent."
            ),
            self.first,
            button("Teach…", press=lambda: self.action_requested.emit("teach_new")),
            button("Add the sample library", press=lambda: self.action_requested.emit("seed")),
        )
        self.list = ListDetail(
            theme,
            self.table,
            "Search intents",
            ("No intent found", "Search for fewer words."),
            DetailLayout(self.side, 344),
            above=(self.head,),
            strips=(self.strip, self.fault),
            places=(self.empty,),
        )
        self.show_list()

    def _connect(self) -> None:
        table, side = self.table, self.side
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

    # ---- page in the window

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
        return (
            self.own_action("rename", "Rename or merge the selected intent", self.ask_name),
            self.own_action("threshold", "Set the threshold of the selected intent", self.ask_threshold),
            self.own_action("evaluate", "Evaluate the cases of intents", self.evaluate),
        )

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.fault.show_fault(core_state.status.faults.get("store", ""))

    def _on_counted(self, _: HistoryCounts) -> None:
        """Reload after a query, which may change when an intent was last asked for."""
        self.outdate()

    # ---- display

    def load(self) -> None:
        self._loading.run(lambda bench: bench.intents.stored(), self._on_loaded)

    def _on_loaded(self, stored: StoredIntents) -> None:
        is_same, self.stored = self.stored == stored, stored
        if not is_same or self._wanted:
            self.refresh()
        self._show_strip()
        self._evaluate_automatically()

    def refresh(self, *, anew: bool = False) -> None:
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
        self.refresh()
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
            found = await bench.catalogue.named(ItemKind.MEMORY, name)
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
        dialog.open()

    def ask_threshold(self) -> None:
        row, state = self.row, self.core_state
        if row is None or state is None or row.intent.memories == row.intent.paused:
            return
        settings = state.settings
        dialog = ThresholdDialog(self.theme, row, settings.fallback_threshold, settings.label_thresholds, self)
        dialog.chosen.connect(lambda value: self._set_threshold(row.label, value))
        dialog.cleared.connect(lambda: self._set_threshold(row.label, None))
        dialog.open()

    def _rename(self, label: str, new: str) -> None:
        def tell(renamed: RenamedIntent | None) -> None:
            self.notified.emit(renamed_sentence(label, new, renamed), renamed is not None, False)
            if renamed is not None:
                self._wanted, self.evaluation = new, None  # its figures are of other intents
                self.outdate()

        self._run.do(lambda bench: bench.intents.rename(label, new), tell)

    def _set_threshold(self, label: str, value: float | None) -> None:
        def tell(found: tuple[Written | None, int]) -> None:
            is_changed = found[0] is not None
            self.notified.emit(threshold_sentence(label, value, is_changed=is_changed), is_changed, False)

        self._run.do(lambda bench: bench.curator.set_thresholds({label: value}), tell)
