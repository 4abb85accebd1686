"""Parts of the page of intents: evaluation strip, pane, and two dialogs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.display import numbers
from app.display.library.intents import IntentRow, cases_line, confusion_lines, counts_line, rename_preview
from app.domain.errors import KnownError
from app.domain.filters import SearchResult
from app.domain.library import StoredIntent
from app.gui.kit.controls import EmptyState, button, line_edit, set_primary
from app.gui.kit.dialogs import GrowingDialog
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import UnitSpin
from app.gui.kit.layouts import FlowLayout, Stack, fill, spaced
from app.gui.kit.pane_parts import TaskStrip, WrappedLabel, label, section
from app.gui.kit.tables.list_detail import LineList
from app.gui.kit.theme.theme import Theme, Themed
from app.services.library.intents import LONGEST, checked_label

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
        self.stop.setToolTip("Stop the evaluation")
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
        self.split = WrappedLabel(
            "To split it, open its memories, select those that mean something else, and give them another intent.",
            role="caption",
        )
        self.memories = button("Open memories", primary=True, tip="Show its memories alone (Enter)")
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
        fill(column, section("Cases"), self.figures, self.confused_title, self.confused)
        fill(column, section("Split"), self.split, 1)
        return scrolled(body, "Intent")

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
        super().__init__(parent)
        px = theme.px
        self._row, self._others = row, others
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Rename intent")
        self.setModal(True)
        self.setFixedWidth(px(_WIDE))
        self.line = line_edit("New name", text=row.label, longest=LONGEST)
        self.line.selectAll()
        completer = QCompleter(sorted(others.keys() - {row.label}), self.line)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.line.setCompleter(completer)
        self.preview = WrappedLabel(role="body")
        self.fault = FaultLine(theme)
        self.verb = button("Rename", primary=True, press=self.accept, default=True)
        foot = fill(spaced(QHBoxLayout(), px(8)), 1, button("Cancel", press=self.reject), self.verb)
        column = spaced(QVBoxLayout(self), px(12), px(20), px(20), px(20), px(16))
        column.addWidget(WrappedLabel(f"New name of “{row.label[:200]}”", role="lead"))
        for part in (self.line, self.preview, self.fault):
            column.addWidget(part)
        column.addLayout(foot)
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
        super().__init__(parent)
        px, own = theme.px, row.intent.threshold
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Threshold of an intent")
        self.setModal(True)
        self.setFixedWidth(px(_WIDE))
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
        foot = fill(spaced(QHBoxLayout(), px(8)), self.reset, 1, button("Cancel", press=self.reject), self.verb)
        said = (
            f"“{row.label[:200]}” is an answer at this confidence or above. Without a threshold of its own it needs"
            f" {numbers.score(common)}, as all others do."
        )
        if not counts:
            said += " Thresholds of intents are off: switch on “Label thresholds” in the settings."
        column = spaced(QVBoxLayout(self), px(12), px(20), px(20), px(20), px(16))
        fill(column, WrappedLabel(said, role="body"), line, foot)
        self.spin.setFocus()
        self.spin.selectAll()

    def _choose(self, value: float | None) -> None:
        if value is None:
            self.cleared.emit()
        else:
            self.chosen.emit(value)
        self.accept()
