"""Pane beside the memories: the details of one, or a bulk edit of several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display.library.memories import parse_namespace, parse_tags
from app.display.library.memory_details import bulk_edit, edit_preview
from app.domain.errors import KnownError, StaleError
from app.domain.filters import MemoryEdit
from app.domain.language import plural
from app.gui.kit.controls import EmptyState, SegmentedControl, button, line_edit
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import Stack, fill, spaced
from app.gui.kit.pane_parts import WrappedLabel, label
from app.gui.kit.theme.theme import Theme, Themed
from app.gui.library.memories.details import MemoryDetails
from app.gui.library.memories.history import Bin, MemoryConflict, MemoryHistory, RecentSteps
from app.services.library.memory_overview import MemoryOverview

MEMORY, PAST, STEPS, BIN = "memory", "past", "steps", "bin"


class MemorySide(Themed):
    """Views of the pane as tabs. A conflict stays in front until it is resolved."""

    view_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.selected = 0
        self.views = SegmentedControl(
            theme, "What the pane shows", ((MEMORY, "Memory"), (PAST, "History"), (STEPS, "Steps"), (BIN, "Bin"))
        )
        self.details = MemoryDetails(theme)
        self.many = MemoryBulkEditor(theme)
        self.history = MemoryHistory(theme)
        self.conflict = MemoryConflict(theme)
        self.steps = RecentSteps(theme)
        self.bin = Bin(theme)
        self.none = EmptyState(
            theme, "memory", "No memory is selected", "Select one to see it closely, or several to change them at once."
        )
        self.stack = Stack()
        parts = (self.none, self.details, self.many, self.history, self.conflict, self.steps, self.bin)
        fill(self.stack, *parts)
        above = spaced(QHBoxLayout(), None, theme.px(16), theme.px(7), theme.px(16), theme.px(10))
        fill(above, self.views, 1)
        fill(spaced(QVBoxLayout(self), 0, 1, 0, 0, 0), above, (self.stack, 1))
        self.views.chosen.connect(self._on_view)
        self.place()

    @property
    def view(self) -> str:
        return self.views.current

    @property
    def has_conflict(self) -> bool:
        return self.conflict.error is not None

    def open_view(self, key: str) -> None:
        self.views.set_current(key)
        self._on_view(key)

    def show_selected(self, count: int) -> None:
        """Show the pane for this number of selected memories."""
        self.selected = count
        if count > 1:
            self.many.show_selected(count)
        self.place()

    def show_detail(self, detail: MemoryOverview) -> None:
        self.details.show_detail(detail)
        self.history.show_revisions(detail.revisions)
        self.place()

    def show_conflict(self, error: StaleError) -> None:
        """Show a conflict to choose between two versions."""
        self.conflict.show_conflict(error)
        self.place()

    def end_conflict(self) -> None:
        self.conflict.error = None
        self.place()

    def place(self) -> None:
        """Show the widget for the present state in front."""
        has_one = self.selected == 1 and self.details.detail is not None
        if self.has_conflict:
            front: QWidget = self.conflict
        elif self.view == STEPS:
            front = self.steps
        elif self.view == BIN:
            front = self.bin
        elif self.selected > 1:
            front = self.many
        elif not has_one:
            front = self.none
        else:
            front = self.history if self.view == PAST else self.details
        if front is not self.stack.currentWidget():
            self.stack.setCurrentWidget(front)

    def stop(self) -> QWidget:
        """Return the widget in front that gets the focus."""
        focus_stops: dict[QWidget, QWidget] = {
            self.details: self.details.area,
            self.many: self.many.focus_stops()[0],
            self.history: self.history.list,
            self.conflict: self.conflict.keep,
            self.steps: self.steps.list,
            self.bin: self.bin.list,
        }
        current = self.stack.currentWidget()
        found = self.views if current is None else focus_stops.get(current, self.views)
        return found if found.isVisible() else self.views

    def _on_view(self, key: str) -> None:
        self.place()
        self.view_chosen.emit(key)


# ---- Bulk edit of several memories, with the number of affected ones.


_COUNT_AFTER_MS = 120
_LEAVE, _PAUSE, _RESUME = "leave", "pause", "resume"


class MemoryBulkEditor(Themed):
    """One edit for all selected memories, with its effect; an empty field changes nothing."""

    counted_for = Signal(MemoryEdit)  # edit whose affected memories are to be counted
    edit_requested = Signal(MemoryEdit)
    delete_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.selected = 0
        self.title = WrappedLabel(role="heading")
        self.lines = {
            key: self._line(name, hint)
            for key, name, hint in (
                ("namespace", "Namespace", "unchanged"),
                ("label", "Intent", "unchanged"),
                ("add", "Add tags", "none; separated by commas"),
                ("remove", "Remove tags", "none; separated by commas"),
            )
        }
        self.no_label = QCheckBox("Remove the intent")
        self.state = SegmentedControl(theme, "State", ((_LEAVE, "As it is"), (_PAUSE, "Paused"), (_RESUME, "Active")))
        self.reset = QCheckBox("Reset success to 0.500")
        self.caption = WrappedLabel(role="caption")
        self.fault = FaultLine(theme)
        self.verb = button("Change", primary=True, press=self._on_verb)
        self.delete = button("Delete", press=self.delete_requested.emit)
        self._timer = QTimer(self, singleShot=True, interval=_COUNT_AFTER_MS)
        self._timer.timeout.connect(self._ask_count)
        for box in (self.no_label, self.reset):
            box.toggled.connect(self._on_change)
        self.state.chosen.connect(self._on_change)
        self._arrange()

    def _line(self, name: str, hint: str) -> QLineEdit:
        line = line_edit(name, hint=hint)
        line.textChanged.connect(self._on_change)
        return line

    def _arrange(self) -> None:
        px = self.theme.px
        form = QFormLayout()
        form.setSpacing(px(8))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

        def row(name: str, field: QWidget) -> None:
            form.addRow(label(self.theme, name, 88), field)

        for key, line in self.lines.items():
            row(line.accessibleName(), line)
            if key == "label":
                row("", self.no_label)
        row(self.state.accessibleName(), self.state)
        row("", self.reset)
        foot = fill(QHBoxLayout(), self.delete, 1, self.verb)
        column = spaced(QVBoxLayout(self), px(10), px(16), px(4), px(16), px(16))
        fill(column, self.title, form, self.fault, self.caption, foot, 1)

    def show_selected(self, count: int) -> None:
        """Show how many memories are selected; drafts stay."""
        self.selected = count
        self.title.show_text(plural(count, "{n} memory selected", "{n} memories selected"))
        self.delete.setText(plural(count, "Delete {n} memory…", "Delete {n} memories…"))
        self._on_change()

    def show_count(self, changed: int) -> None:
        """Show how many memories the edit would change."""
        if self.edit() is None:
            return
        self.caption.show_text(edit_preview(changed, self.selected))
        self.verb.setText(plural(changed, "Change {n} memory", "Change {n} memories"))
        self.verb.setEnabled(changed > 0)

    def try_again(self) -> None:
        """Enable the fields after a refusal."""
        self._on_change()

    def clear(self) -> None:
        """Empty the fields."""
        for line in self.lines.values():
            line.clear()
        for box in (self.no_label, self.reset):
            box.setChecked(False)
        self.state.set_current(_LEAVE)
        self._on_change()

    def edit(self) -> MemoryEdit | None:
        """Return the edit as filled in; None for an empty or an invalid one."""
        texts = {key: line.text().strip() for key, line in self.lines.items()}
        paused = {_LEAVE: None, _PAUSE: True, _RESUME: False}[self.state.current]
        label = "" if self.no_label.isChecked() else texts["label"] or None
        try:
            namespace = parse_namespace(texts["namespace"]) if texts["namespace"] else ""
            add, remove = parse_tags(texts["add"]), parse_tags(texts["remove"])
        except KnownError as error:
            self.fault.show_fault(str(error))
            return None
        self.fault.show_fault("")
        return bulk_edit(namespace, label, add, remove, paused, self.reset.isChecked())

    def focus_stops(self) -> Sequence[QWidget]:
        return [self.lines["namespace"]]

    def _on_change(self, *_: object) -> None:
        self.lines["label"].setEnabled(not self.no_label.isChecked())
        self.verb.setEnabled(False)
        self.verb.setText("Change")
        self.caption.show_text("Fill in what to change; empty fields stay unchanged.")
        self._timer.start()

    def _ask_count(self) -> None:
        edit = self.edit()
        if edit is not None and self.isVisible():
            self.counted_for.emit(edit)

    def _on_verb(self) -> None:
        edit = self.edit()
        if edit is not None:
            self.verb.setEnabled(False)
            self.edit_requested.emit(edit)
