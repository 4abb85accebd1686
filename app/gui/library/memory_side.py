"""Pane beside the memories: the details of one with its history, or a bulk edit of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display.library.journal import bin_rows, bin_summary, last_step_text, revision_rows, step_rows
from app.display.library.memories import (
    bulk_edit,
    edit_preview,
    memory_diffs,
    parse_namespace,
    parse_tags,
    three_way_diffs,
)
from app.domain.errors import KnownError, StaleError
from app.domain.filters import MemoryEdit
from app.domain.journal import Binned, Revision, Step
from app.domain.language import plural
from app.domain.library import Memory, merged
from app.gui.kit.controls import EmptyState, SegmentedControl, button, line_edit, set_primary, single_shot
from app.gui.kit.document import DocumentView
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import Stack, fill, spaced
from app.gui.kit.pane_parts import FaultLine, WrappedLabel, label, section
from app.gui.kit.tables.list_detail import LineList
from app.gui.kit.theme import Theme, Themed
from app.gui.library.memory_details import MemoryDetails
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
        self.state = SegmentedControl(theme, "State", ((_LEAVE, "Unchanged"), (_PAUSE, "Paused"), (_RESUME, "Active")))
        self.reset = QCheckBox("Reset success to 50 %")
        self.caption = WrappedLabel(role="caption")
        self.fault = FaultLine(theme)
        self.verb = button("Change", primary=True, press=self._on_verb)
        self.delete = button("Delete", press=self.delete_requested.emit)
        self._timer = single_shot(self, _COUNT_AFTER_MS, self._ask_count)
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


# ---- History of a memory and its conflicts as diffs, last steps of the library, and the bin.


_ROW, _MOST_ROWS = 28, 9


class MemoryHistory(Themed):
    """Revisions of one memory; the selected one is shown as a diff of its fields."""

    restore_requested = Signal(Memory)  # the memory as it was before the step

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.revisions: Sequence[Revision] = ()
        self.list = LineList(theme, "Revisions")
        self.list.picked.connect(self._show_picked)
        self.title = section("What this step changed")
        self.sheet = DocumentView(theme, "What this step changed")
        self.verb = button(
            "Restore earlier state",
            tip="Restore the memory as it was before this step; this adds a new step",
            press=self._restore,
        )
        self.empty = EmptyState(
            theme, "history", "No steps yet", "Unchanged since it was added. Later changes are listed here."
        )
        px = theme.px
        titled = fill(spaced(QHBoxLayout(), None, px(16), px(10), px(16), px(2)), self.title)
        foot = spaced(QHBoxLayout(), None, px(16), px(8), px(16), px(12))
        fill(foot, self.verb, 1)
        fill(spaced(QVBoxLayout(self)), self.list, titled, (self.sheet, 1), foot, (self.empty, 1))
        self.show_revisions(())

    def show_revisions(self, revisions: Sequence[Revision]) -> None:
        """Show these revisions, newest first, and select the newest."""
        here = self.list.currentIndex().row() if list(revisions) == list(self.revisions) else 0
        if list(revisions) != list(self.revisions):
            self.list.show_lines(revision_rows(revisions))
        self.revisions = revisions
        self.list.setFixedHeight(self.theme.px(_ROW) * max(1, min(_MOST_ROWS, len(revisions))))
        for part in (self.list, self.title, self.sheet, self.verb):
            part.setVisible(bool(revisions))
        self.empty.setVisible(not revisions)
        if revisions:
            self.list.setCurrentIndex(self.list.model_.index(max(0, here)))
        self._show_picked()

    @property
    def picked(self) -> Revision | None:
        place = self.list.currentIndex().row()
        return self.revisions[place] if 0 <= place < len(self.revisions) else None

    def _show_picked(self) -> None:
        revision = self.picked
        states = (None, None) if revision is None else (revision.before, revision.after)
        before, after = (state if isinstance(state, Memory) else None for state in states)
        self.sheet.show_differences(memory_diffs(before, after))
        self.verb.setEnabled(before is not None)

    def _restore(self) -> None:
        if self.picked is not None and isinstance(self.picked.before, Memory):
            self.restore_requested.emit(self.picked.before)


class MemoryConflict(Themed):
    """Optimistic-lock conflict: edit and stored version, to keep theirs, mine or both."""

    kept = Signal()  # theirs
    written = Signal(Memory, bool)  # mine with their version, True to restore it from the bin

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.error: StaleError | None = None
        self.fault = FaultLine(theme)
        self.title = section("Theirs and mine")
        self.hint = WrappedLabel("", role="caption")
        self.sheet = DocumentView(theme, "Theirs and mine")
        self.keep = button("Keep theirs", press=self.kept.emit)
        self.both = button("Write both", press=self._on_both)
        self.both.setToolTip(plain_tip("Theirs, with what you changed: nothing was changed by both"))
        self.write = button("Write mine", primary=True, press=self._on_write)
        px = theme.px
        above = fill(spaced(QVBoxLayout(), px(2), px(16), px(10), px(16), px(4)), self.title, self.hint)
        foot = fill(spaced(QHBoxLayout(), px(8), px(16), px(8), px(16), px(12)), 1, self.keep, self.write, self.both)
        fill(spaced(QVBoxLayout(self)), self.fault, above, (self.sheet, 1), foot)

    def show_conflict(self, error: StaleError) -> None:
        """Show both versions."""
        self.error = error
        self.fault.show_fault(str(error))
        theirs = error.present if isinstance(error.present, Memory) else None
        mine = error.mine if isinstance(error.mine, Memory) else None
        base = error.base if isinstance(error.base, Memory) else None
        self.hint.setVisible(theirs is not None)
        if base is None or theirs is None or mine is None:
            self.hint.setText("Struck through is what is stored now, underlined what you wrote.")
            self.sheet.show_differences(memory_diffs(theirs, mine))
        else:
            self.hint.setText("Struck through is what was there, underlined what was written.")
            self.sheet.show_differences(three_way_diffs(base, theirs, mine, error.author))
        self.keep.setText("Keep theirs" if theirs is not None else "Leave it deleted")
        can_merge = self._merged() is not None
        self.both.setVisible(can_merge)
        set_primary(self.both, can_merge)
        set_primary(self.write, not can_merge)
        self.write.setText("Write mine" if theirs is not None else "Bring mine back")

    def _merged(self) -> Memory | None:
        """Merge both versions; None if they contradict each other or the result equals one of them."""
        if self.error is None:
            return None
        base, mine, theirs = self.error.base, self.error.mine, self.error.present
        if not (isinstance(base, Memory) and isinstance(mine, Memory) and isinstance(theirs, Memory)):
            return None
        both = merged(base, mine, theirs)
        return None if both in (mine, theirs) else both

    def _on_both(self) -> None:
        if (both := self._merged()) is not None:
            self.written.emit(both, False)

    def _on_write(self) -> None:
        error = self.error
        if error is None or not isinstance(error.mine, Memory):
            return
        if isinstance(error.present, Memory):
            self.written.emit(replace(error.mine, version=error.present.version), False)
        else:
            self.written.emit(error.mine, True)


# ---- Last steps with undo, and the bin of deleted memories.


class RecentSteps(QWidget):
    """Undo history of the library, newest first; only the last step can be undone here."""

    undo_requested = Signal()
    redo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.list = LineList(theme, "Last steps")
        self.undo = button("Undo the last", press=self.undo_requested.emit)
        self.redo = button("Redo", press=self.redo_requested.emit)
        self.empty = EmptyState(theme, "history", "No steps yet", "Undo each step from here, from now on.")
        px = theme.px
        foot = fill(spaced(QHBoxLayout(), px(8), px(16), px(8), px(16), px(12)), self.undo, self.redo, 1)
        fill(spaced(QVBoxLayout(self)), (self.list, 1), foot, (self.empty, 1))
        self.show_steps(())

    def show_steps(self, steps: Sequence[Step]) -> None:
        """Show these steps, newest first."""
        self.list.show_lines(step_rows(steps))
        last = last_step_text(steps)
        self.undo.setEnabled(bool(last))
        self.undo.setToolTip(plain_tip(last))
        self.redo.setEnabled(any(step.undone and not step.author for step in steps))
        for part in (self.list, self.undo, self.redo):
            part.setVisible(bool(steps))
        self.empty.setVisible(not steps)


class Bin(QWidget):
    """Deleted memories that can be restored; last deleted first."""

    restore_requested = Signal(Sequence)  # list[ItemKey]
    empty_requested = Signal(int)  # number of items that would be deleted for good

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.binned: Sequence[Binned] = ()
        self.days = 30
        self.caption = WrappedLabel(role="caption")
        self.list = LineList(theme, "Bin", several=True)
        self.list.picked.connect(self._show_verbs)
        self.list.opened.connect(lambda _: self._restore())
        self.restore = button("Restore", press=self._restore)
        self.clear = button("Empty now…", press=lambda: self.empty_requested.emit(len(self.binned)))
        self.empty = EmptyState(theme, "trash", "The bin is empty", "Deleted items can be restored here.")
        px = theme.px
        aboveion = fill(spaced(QHBoxLayout(), None, px(16), px(6), px(16), px(8)), self.caption)
        foot = spaced(QHBoxLayout(), None, px(16), px(8), px(16), px(12))
        fill(foot, self.restore, 1, self.clear)
        fill(spaced(QVBoxLayout(self)), aboveion, (self.list, 1), foot, (self.empty, 1))
        self.show_bin(())

    def show_bin(self, binned: Sequence[Binned]) -> None:
        """Show the deleted memories."""
        self.binned = binned
        self.list.show_lines(bin_rows(binned))
        self.caption.show_text(bin_summary(len(binned), self.days))
        for part in (self.list, self.restore, self.clear):
            part.setVisible(bool(binned))
        self.empty.setVisible(not binned)
        self._show_verbs()

    def show_days(self, days: int) -> None:
        """Show after how many days items are deleted for good."""
        self.days = days
        self.caption.show_text(bin_summary(len(self.binned), days))

    def _show_verbs(self) -> None:
        picked = len(self.list.places)
        self.restore.setEnabled(picked > 0)
        self.restore.setText(plural(picked, "Restore", "Restore {n}") if picked else "Restore")

    def _restore(self) -> None:
        keys = [self.binned[place].key for place in self.list.places]
        if keys:
            self.restore_requested.emit(keys)
