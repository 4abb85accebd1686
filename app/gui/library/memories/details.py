"""One memory closely: its triggers and fields to edit, its success, its cases, and what is near it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.display import numbers, words
from app.display.library.memories import edited, with_triggers
from app.display.library.memory_words import about, case_lines, success_history
from app.domain.errors import KnownError
from app.domain.library import Memory
from app.gui.kit.controls import button
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.pane_parts import CommitLine, CommitText, Said, label, section
from app.gui.kit.tables.lines import LineList
from app.gui.kit.theme import icons
from app.gui.kit.theme.theme import Theme
from app.gui.library.memories.triggers import TriggerList
from app.services.library.close_look import CloseLook

_ROW, _MOST_CASES, _MOST_MOVES = 28, 5, 5


class MemoryDetails(QWidget):
    """Whatever is committed is reported as the whole memory; what is refused stands in a line and changes nothing."""

    saved = Signal(Memory)
    opened = Signal(str)  # a text for the query line
    delete_asked = Signal()
    near_asked = Signal(int)  # a memory's key

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.look: CloseLook | None = None
        self.name = Said(role="heading")
        self.about = Said(role="caption")
        self.fault = FaultLine(theme)
        self.scope = button(self.tr("Open in scope"), tip=self.tr("Ask the first trigger"), press=self._open)
        self.pause = button(self.tr("Pause"), press=self._pause)
        self.delete = button(
            self.tr("Delete"), tip=self.tr("Put it into the bin (Delete)"), press=self.delete_asked.emit
        )
        self.triggers = TriggerList(theme)
        self.fields = {
            key: CommitLine(name)
            for key, name in (
                ("label", self.tr("Label")),
                ("namespace", self.tr("Namespace")),
                ("tags", self.tr("Tags")),
                ("success", self.tr("Success")),
            )
        }
        self.response = CommitText(self.tr("Response"), theme.px(92))
        self.moves_title = section(self.tr("Success over time"))
        self.moves = Said()
        self.cases_title, self.cases = section(""), LineList(theme, self.tr("Cases that expect it"), edge=6)
        self.near_title = section(self.tr("Near in meaning"))
        self.near = LineList(theme, self.tr("Near in meaning"), edge=6)
        self.no_near = Said(role="caption")
        self.area = self._arrange()
        self._connect()
        theme.changed.connect(self._dress)
        self._dress()

    def _arrange(self) -> QScrollArea:
        px = self.theme.px
        verbs = QHBoxLayout()
        verbs.setSpacing(px(6))
        for made in (self.scope, self.pause, self.delete):
            verbs.addWidget(made)
        verbs.addStretch(1)
        form = QFormLayout()
        form.setSpacing(px(6))
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for line in self.fields.values():
            form.addRow(label(self.theme, line.accessibleName(), 76), line)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(px(16), px(4), px(16), px(16))
        column.setSpacing(px(8))
        column.addWidget(self.name)
        column.addWidget(self.about)
        column.addLayout(verbs)
        column.addWidget(self.fault)
        column.addWidget(section(self.tr("Triggers")))
        column.addWidget(self.triggers)
        column.addWidget(section(self.tr("Response")))
        column.addWidget(self.response)
        column.addLayout(form)
        for part in (self.moves_title, self.moves, self.near_title, self.near, self.no_near):
            column.addWidget(part)
        for part in (self.cases_title, self.cases):
            column.addWidget(part)
        column.addStretch(1)
        area = scrolled(body, self.tr("Memory"))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)
        return area

    def _connect(self) -> None:
        for key, line in self.fields.items():
            line.committed.connect(lambda text, key=key: self._commit(lambda memory: edited(memory, key, text)))
        self.response.committed.connect(lambda text: self._commit(lambda memory: edited(memory, "response", text)))
        self.triggers.changed.connect(lambda texts: self._commit(lambda memory: with_triggers(memory, texts)))
        self.near.asked.connect(self._on_near)

    @property
    def memory(self) -> Memory | None:
        """The memory that is shown."""
        return None if self.look is None else self.look.memory

    def leave(self) -> None:
        """Commit what is being typed, before something else is shown."""
        for line in self.fields.values():
            if line.hasFocus():
                line.clearFocus()
        if self.response.hasFocus():
            self.response.clearFocus()

    def show_look(self, look: CloseLook) -> None:
        """Show a memory; what is being typed into a field of the same one stays."""
        other = self.look is None or self.look.memory.key != look.memory.key
        if other:
            self.leave()
            self._take_back()
            self.triggers.line.clear()
            self.fault.tell("")
        self.look = look
        memory = look.memory
        self.name.say(memory.name[:200])
        self.about.say(about(look.dated))
        self.pause.setText(self.tr("Resume") if memory.paused else self.tr("Pause"))
        self.pause.setToolTip(
            self.tr("Let it answer again") if memory.paused else self.tr("Keep it, but let it answer nothing")
        )
        self.triggers.show_triggers(memory.triggers, anyway=other)
        self.fields["label"].show_value(memory.intent or "")
        self.fields["namespace"].show_value(memory.namespace)
        self.fields["tags"].show_value(", ".join(memory.tags))
        self.fields["success"].show_value(numbers.score(memory.success))
        self.response.show_value(memory.response)
        self._show_past(look)
        self._show_near(look)
        if other:
            self.area.verticalScrollBar().setValue(0)

    def _show_past(self, look: CloseLook) -> None:
        moves = success_history(look.revisions)[:_MOST_MOVES]
        self.moves_title.setVisible(bool(moves))
        self.moves.say("\n".join(moves))
        count = len(look.cases)
        self.cases_title.say(words.say_n(count, "Expected by {n} case", "Expected by {n} cases"))
        self.cases_title.setVisible(bool(count))
        self._fill(self.cases, case_lines(look.cases), _MOST_CASES)

    def _show_near(self, look: CloseLook) -> None:
        lines = [(near.memory.name, numbers.score(near.similarity)) for near in look.near]
        self._fill(self.near, lines, len(lines))
        missing = self.tr("Its vectors are not there yet.") if not look.has_meaning else self.tr("No other memory.")
        self.no_near.say("" if lines else missing)

    def _fill(self, lines: LineList, shown: list[tuple[str, str]], most: int) -> None:
        lines.show_lines(shown)
        lines.setVisible(bool(shown))
        lines.setFixedHeight(self.theme.px(_ROW) * max(1, min(most, len(shown))))

    def refuse(self, sentence: str) -> None:
        """Say why something was not stored, and show again what is."""
        self.fault.tell(sentence)
        self._take_back()
        self.triggers.take_back()

    def hold(self, sentence: str) -> bool:
        """Say why nothing was stored, and keep what was typed; False if nothing was typed here."""
        held = [self.triggers.hold(), self.response.hold(), *(line.hold() for line in self.fields.values())]
        if any(held):
            self.fault.tell(sentence)
        return any(held)

    def let_go(self) -> None:
        """What was committed last is stored."""
        self.response.let_go()
        for line in self.fields.values():
            line.let_go()

    def _take_back(self) -> None:
        for line in self.fields.values():
            line.take_back()
        self.response.take_back()

    # ---- what a person does

    def _commit(self, change: Callable[[Memory], Memory]) -> None:
        memory = self.memory
        if memory is None:
            return
        try:
            changed = change(memory)
        except KnownError as error:
            self.refuse(str(error))
            return
        self.fault.tell("")
        if changed != memory:
            self.saved.emit(changed)
        else:
            self.let_go()

    def _pause(self) -> None:
        self._commit(lambda memory: replace(memory, paused=not memory.paused))

    def _open(self) -> None:
        if self.memory is not None:
            self.opened.emit(self.memory.triggers[0])

    def _on_near(self, place: int) -> None:
        if self.look is not None and 0 <= place < len(self.look.near):
            key = self.look.near[place].memory.key
            if key is not None:
                self.near_asked.emit(key)

    def _dress(self) -> None:
        tokens = self.theme.tokens
        buttons: tuple[tuple[QPushButton, str], ...] = (
            (self.scope, "scope"),
            (self.pause, "pause"),
            (self.delete, "trash"),
        )
        for made, name in buttons:
            made.setIcon(icons.icon(name, tokens.text, tokens.border_strong))
