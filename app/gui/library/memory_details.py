"""Detail pane of one memory: triggers and fields to edit, success, cases, and near memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.display import numbers
from app.display.library.journal import success_changes
from app.display.library.memories import (
    LONGEST_TRIGGER,
    case_rows,
    day_of,
    edited_memory,
    provenance_line,
    with_triggers,
)
from app.display.review.history import access_lines
from app.display.words import success_text
from app.domain.errors import KnownError
from app.domain.language import plural
from app.domain.library import Memory
from app.gui.kit import icons
from app.gui.kit.controls import button, line_edit
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.pane_parts import CommitLine, CommitText, FaultLine, WrappedLabel, label, section
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.tables.list_detail import LineList
from app.gui.kit.theme import Theme, Themed, styled
from app.services.library.memory_overview import MemoryOverview

_ROW, _MOST_CASES, _MOST_MOVES, _MOST_ACCESSES = 28, 5, 5, 6


class MemoryDetails(Themed):
    """Pane that emits the whole memory on each commit; a refusal is shown and changes nothing."""

    saved = Signal(Memory)
    opened = Signal(str)  # text for the query line
    delete_requested = Signal()
    near_requested = Signal(int)  # key of a memory

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.detail: MemoryOverview | None = None
        self.name = WrappedLabel(role="heading")
        self.about = WrappedLabel(role="caption")
        self.fault = FaultLine(theme)
        self.scope = button("Open in scope", tip="Ask the first trigger", press=self._open)
        self.pause = button(
            "Pause", press=lambda: self._commit(lambda memory: replace(memory, paused=not memory.paused))
        )
        self.delete = button("Delete", tip="Move to the bin (Delete)", press=self.delete_requested.emit)
        self.triggers = TriggerList(theme)
        self.fields = {
            key: CommitLine(name)
            for key, name in (
                ("label", "Intent"),
                ("namespace", "Namespace"),
                ("tags", "Tags"),
                ("success", "Success"),
                ("valid_from", "Valid from"),
                ("valid_to", "Valid to"),
                ("replaces", "Replaces"),
            )
        }
        self.response = CommitText("Response")
        self.moves_title = section("Success over time")
        self.moves = WrappedLabel()
        self.cases_title, self.cases = section(""), LineList(theme, "Cases that expect it", edge=6)
        self.accesses_title = section("Given to assistants")
        self.accesses = LineList(theme, "Given to assistants", edge=6)
        self.near_title = section("Near in meaning")
        self.near = LineList(theme, "Near in meaning", edge=6)
        self.no_near = WrappedLabel(role="caption")
        self.area = self._arrange()
        self._connect()
        theme.follow(self._apply_theme)

    def _arrange(self) -> QScrollArea:
        px = self.theme.px
        verbs = FlowLayout(px(6))
        fill(verbs, self.scope, self.pause, self.delete)
        form = QFormLayout()
        form.setSpacing(px(6))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for key, line in self.fields.items():
            if key not in {"valid_from", "valid_to"}:
                form.addRow(label(self.theme, line.accessibleName(), 76), line)
        form.addRow(label(self.theme, "Valid", 76), self._lasting())
        body = QWidget()
        fill(
            spaced(QVBoxLayout(body), px(8), px(16), px(4), px(16), px(16)),
            self.name,
            self.about,
            verbs,
            self.fault,
            section("Triggers"),
            self.triggers,
            section("Response"),
            self.response,
            form,
            self.accesses_title,
            self.accesses,
            self.moves_title,
            self.moves,
            self.near_title,
            self.near,
            self.no_near,
            self.cases_title,
            self.cases,
            1,
        )
        area = ScrollArea(body, "Memory")
        fill(spaced(QVBoxLayout(self), None), area)
        return area

    def _lasting(self) -> QHBoxLayout:
        pair = QHBoxLayout()
        for key, hint in (("valid_from", "no start"), ("valid_to", "no end")):
            self.fields[key].setPlaceholderText(hint)
            self.fields[key].setToolTip("For queries to data stores as of a time; detection ignores it")
            pair.addWidget(self.fields[key])
        self.fields["replaces"].setPlaceholderText("ids, separated by commas")
        self.fields["success"].setPlaceholderText(numbers.ABSENT)
        return pair

    def _connect(self) -> None:
        for key, line in self.fields.items():
            line.committed.connect(lambda text, key=key: self._commit(lambda memory: edited_memory(memory, key, text)))
        self.response.committed.connect(
            lambda text: self._commit(lambda memory: edited_memory(memory, "response", text))
        )
        self.triggers.changed.connect(lambda texts: self._commit(lambda memory: with_triggers(memory, texts)))
        self.near.opened.connect(self._on_near)
        self.accesses.opened.connect(self._on_told)

    @property
    def memory(self) -> Memory | None:
        return None if self.detail is None else self.detail.memory

    def leave(self) -> None:
        """Commit the field being edited, before another memory is shown."""
        for line in self.fields.values():
            if line.hasFocus():
                line.clearFocus()
        if self.response.hasFocus():
            self.response.clearFocus()

    def show_detail(self, detail: MemoryOverview) -> None:
        """Show a memory; text being typed into a field of the same one stays."""
        other = self.detail is None or self.detail.memory.key != detail.memory.key
        if other:
            self.leave()
            self._revert()
            self.triggers.line.clear()
            self.fault.show_fault("")
        self.detail = detail
        memory = detail.memory
        self.name.show_text(memory.name[:200])
        self.about.show_text(provenance_line(detail.dated))
        self.pause.setText("Resume" if memory.paused else "Pause")
        self.pause.setToolTip(
            "Include it in the answers again" if memory.paused else "Keep it, but exclude it from the answers"
        )
        self.triggers.show_triggers(memory.triggers, anyway=other)
        self.fields["label"].show_value(memory.intent or "")
        self.fields["namespace"].show_value(memory.namespace)
        self.fields["tags"].show_value(", ".join(memory.tags))
        self.fields["success"].show_value(success_text(memory).strip(numbers.ABSENT))
        self.fields["valid_from"].show_value(day_of(memory.valid_from))
        self.fields["valid_to"].show_value(day_of(memory.valid_to))
        self.fields["replaces"].show_value(", ".join(memory.replaces))
        self.response.show_value(memory.response)
        self._show_history(detail)
        self._show_near(detail)
        if other:
            self.area.verticalScrollBar().setValue(0)

    def _show_history(self, detail: MemoryOverview) -> None:
        self.accesses_title.setVisible(bool(detail.accesses))
        self._fill(self.accesses, access_lines(detail.accesses), _MOST_ACCESSES)
        moves = success_changes(detail.revisions)[:_MOST_MOVES]
        self.moves_title.setVisible(bool(moves))
        self.moves.show_text("\n".join(moves))
        count = len(detail.cases)
        self.cases_title.show_text(plural(count, "Expected by {n} case", "Expected by {n} cases"))
        self.cases_title.setVisible(bool(count))
        self._fill(self.cases, case_rows(detail.cases), _MOST_CASES)

    def _show_near(self, detail: MemoryOverview) -> None:
        lines = [(near.memory.name, numbers.rough_chance(near.similarity)) for near in detail.near]
        self._fill(self.near, lines, len(lines))
        missing = "Its vectors are not computed yet." if not detail.has_meaning else "No other memory."
        self.no_near.show_text("" if lines else missing)

    def _fill(self, lines: LineList, shown: list[tuple[str, str]], most: int) -> None:
        lines.show_lines(shown)
        lines.setVisible(bool(shown))
        lines.setFixedHeight(self.theme.px(_ROW) * max(1, min(most, len(shown))))

    def refuse(self, sentence: str) -> None:
        """Show why an edit was not stored, and revert to the stored state."""
        self.fault.show_fault(sentence)
        self._revert()
        self.triggers.revert()

    def mark_refused(self, sentence: str) -> bool:
        """Show why nothing was stored, and keep the drafts; False if there are none."""
        held = [
            self.triggers.mark_refused(),
            self.response.mark_refused(),
            *(line.mark_refused() for line in self.fields.values()),
        ]
        if any(held):
            self.fault.show_fault(sentence)
        return any(held)

    def mark_stored(self) -> None:
        self.response.mark_stored()
        for line in self.fields.values():
            line.mark_stored()

    def _revert(self) -> None:
        for line in self.fields.values():
            line.revert()
        self.response.revert()

    # ---- user actions

    def _commit(self, change: Callable[[Memory], Memory]) -> None:
        memory = self.memory
        if memory is None:
            return
        try:
            changed = change(memory)
        except KnownError as error:
            self.refuse(str(error))
            return
        self.fault.show_fault("")
        if changed != memory:
            self.saved.emit(changed)
        else:
            self.mark_stored()

    def _open(self) -> None:
        if self.memory is not None:
            self.opened.emit(self.memory.triggers[0])

    def _on_told(self, place: int) -> None:
        if self.detail is not None and (text := self.detail.accesses[place].text) is not None:
            self.opened.emit(text)

    def _on_near(self, place: int) -> None:
        if self.detail is not None and 0 <= place < len(self.detail.near):
            key = self.detail.near[place].memory.key
            if key is not None:
                self.near_requested.emit(key)

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        buttons: tuple[tuple[QPushButton, str], ...] = (
            (self.scope, "scope"),
            (self.pause, "pause"),
            (self.delete, "trash"),
        )
        for made, name in buttons:
            made.setIcon(icons.icon(name, tokens.text, tokens.border_strong))


# ---- Triggers of one memory as a list: edit in place, add, remove, move.


_TRIGGER_ROW, _MOST_ROWS = 26, 6


class TriggerList(Themed):
    """Editable list of triggers, which emits all of them after a change.

    F2 edits, Delete removes, Alt with Up or Down moves.
    """

    changed = Signal(Sequence)  # list[str]

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._shown: tuple[str, ...] = ()
        self._adding = ""
        self._filling = False
        self.list = styled(QListWidget(), role="entries")
        self.list.setAccessibleName("Triggers")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QListWidget.EditTrigger.DoubleClicked | QListWidget.EditTrigger.EditKeyPressed)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.installEventFilter(self)
        self.list.itemChanged.connect(lambda _: self._emit_changed())
        self.list.currentRowChanged.connect(lambda _: self._show_verbs())
        self.line = line_edit("Add a trigger", longest=LONGEST_TRIGGER, is_hint=True)
        self.line.returnPressed.connect(self._add)
        self.up = button("", tip="Move the trigger up (Alt+Up)", press=lambda: self.move_by(-1))
        self.down = button("", tip="Move the trigger down (Alt+Down)", press=lambda: self.move_by(1))
        self.gone = button("", tip="Remove the trigger (Delete)", press=self.remove)
        below = fill(spaced(QHBoxLayout(), theme.px(4)), (self.line, 1))
        for made in (self.up, self.down, self.gone):
            made.setProperty("square", "true")
            below.addWidget(made)
        fill(spaced(QVBoxLayout(self), theme.px(6)), self.list, below)
        theme.follow(self._apply_theme)

    @property
    def texts(self) -> list[str]:
        return [self.list.item(place).text() for place in range(self.list.count())]

    def show_triggers(self, triggers: tuple[str, ...], *, anyway: bool = False) -> None:
        if triggers == self._shown and not anyway:
            return
        here = max(0, self.list.currentRow())
        self._adding = ""
        self._shown, self._filling = triggers, True
        self.list.clear()
        for text in triggers:
            item = QListWidgetItem(text)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            self.list.addItem(item)
        self.list.setCurrentRow(min(here, len(triggers) - 1))
        self._filling = False
        self._size()
        self._show_verbs()

    def revert(self) -> None:
        """Show the stored triggers again."""
        self.show_triggers(self._shown, anyway=True)

    def mark_refused(self) -> bool:
        """Keep the input after a refusal; return whether there is any."""
        if self._adding and not self.line.text():
            self.line.setText(self._adding)
        return bool(self.line.text()) or tuple(self.texts) != self._shown

    def edit_first(self) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self.list.setCurrentRow(0)
        self.list.editItem(self.list.item(0))

    def move_by(self, by: int) -> None:
        """Move the current trigger up or down."""
        here, texts = self.list.currentRow(), self.texts
        if 0 <= here < len(texts) and 0 <= here + by < len(texts):
            texts.insert(here + by, texts.pop(here))
            self._filling = True
            self.list.setCurrentRow(here + by)
            self._filling = False
            self.changed.emit(texts)

    def remove(self) -> None:
        here, texts = self.list.currentRow(), self.texts
        if 0 <= here < len(texts):
            self.changed.emit(texts[:here] + texts[here + 1 :])

    def _add(self) -> None:
        text = self.line.text().strip()
        if text:
            self.line.clear()
            self._adding = text
            self.changed.emit([*self.texts, text])

    def _emit_changed(self) -> None:
        if not self._filling and tuple(self.texts) != self._shown:
            self.changed.emit(self.texts)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if self.list.state() is QListWidget.State.EditingState:
            return False
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if alt and event.key() in steps:
            self.move_by(steps[Qt.Key(event.key())])
            return True
        if event.key() == Qt.Key.Key_Delete:
            self.remove()
            return True
        return False

    def _show_verbs(self) -> None:
        here, count = self.list.currentRow(), self.list.count()
        self.up.setEnabled(here > 0)
        self.down.setEnabled(0 <= here < count - 1)
        self.gone.setEnabled(here >= 0 and count > 1)

    def _size(self) -> None:
        rows = max(1, min(_MOST_ROWS, self.list.count()))
        self.list.setFixedHeight((self.theme.px(_TRIGGER_ROW) + 1) * rows)

    def _apply_theme(self) -> None:
        tokens = self.theme.tokens
        for made, name in ((self.up, "up"), (self.down, "down"), (self.gone, "cross")):
            made.setIcon(icons.icon(name, tokens.text, tokens.border_strong))
        self._size()
