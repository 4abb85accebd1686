"""Call of a running server's tool: a form made from its schema, and the result."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from app.display.powers.running import escaped_text
from app.display.powers.tools import (
    WHOLE,
    Argument,
    CallOutcome,
    arguments,
    call_outcome,
    default_text,
    fields,
    progress_words,
    read_form,
)
from app.domain.running import ToolResult, ToolSchema, shown
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, button, progress_bar
from app.gui.kit.fields import ChoiceBox, PlainField, handle_key
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.theme import Theme, Themed

if TYPE_CHECKING:
    from app.services.workbench import Workbench

_STEPS, _LOW = 1_000, 60
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CallView(QWidget):
    """The form keeps its values for the same tool; results of cancelled calls are dropped."""

    notified = Signal(str, bool)  # sentence for the toast, True for an error
    called = Signal()  # the tool has answered

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self._job = theme, Job(worker, self)
        self._power = ""
        self._is_on = self._is_filled = False
        self.is_calling = False
        self.tool: ToolSchema | None = None
        self.answer: CallOutcome | None = None
        self.name = WrappedLabel(role="title")
        self.call = button("Call", primary=True, tip="Call it (Enter, or Ctrl+Enter)", press=self.begin)
        self.form = ToolForm(theme, (), self.call)
        self.cancel = button("Cancel", tip="Cancel the call", press=self.give_up)
        self.progress = progress_bar("Progress of the call")
        self.state = WrappedLabel(role="caption")
        self.result = PlainField(theme, "The answer", "The result appears here.")
        self.copy = button("Copy", tip="Copy the whole answer", press=self._copy)
        self.none = EmptyState(theme, "power", "No tool is selected", "Pick one under Tools.")
        self._arrange()
        self._show_state("")

    def _arrange(self) -> None:
        px = self.theme.px
        head, foot = (spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(4)) for _ in range(2))
        fill(head, (self.name, 1), self.cancel, self.call)
        fill(foot, (self.state, 1), self.copy)
        self.area = ScrollArea(self.form, "Arguments")
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setMinimumHeight(px(_LOW))
        self.area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        bottom = fill(spaced(QVBoxLayout(), None, px(16), 0, px(16), px(12)), self.result)
        self.whole = QWidget()
        fill(spaced(QVBoxLayout(self.whole)), head, (self.area, 4), self.progress, foot, (bottom, 5))
        both = spaced(QVBoxLayout(self), None)
        fill(both, (self.whole, 1), (self.none, 1))
        self.whole.setVisible(False)

    # ---- choice of the tool

    def show_tool(self, power: str, tool: ToolSchema | None) -> None:
        """Show the form of this tool; a form with equal fields keeps its values."""
        same = power == self._power and tool is not None and self.tool is not None and tool.name == self.tool.name
        if same and self.tool is not None and tool is not None and tool.input_schema == self.tool.input_schema:
            self.tool = tool
            return
        if self.is_calling:
            self.give_up()
        self._power, self.tool = power, tool
        self.whole.setVisible(tool is not None)
        self.none.setVisible(tool is None)
        self.answer = None
        self.result.show_text("")
        self._show_state("")
        self._is_filled = False
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        """Make the form, only for a tool that is opened."""
        if self.tool is not None and not self._is_filled:
            self._is_filled = True
            self.name.show_text(shown(self.tool.name, 120))
            self.form = ToolForm(self.theme, arguments(self.tool.input_schema), self.call)
            self.form.entered.connect(self.begin)
            self.area.setWidget(self.form)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()

    def is_of(self, power: str) -> bool:
        """Check if a call of this power was made or is running here."""
        return power == self._power and (self.is_calling or self.answer is not None)

    def show_on(self, on: bool) -> None:
        """Update whether the server runs."""
        if on != self._is_on:
            self._is_on = on
            self._show_state(self.state.text())

    def enter(self) -> None:
        """Focus the first field."""
        self._fill()
        if self.form.rows:
            self.form.enter()
        else:
            self.call.setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- a call

    def begin(self) -> None:
        """Call the tool with the form's arguments, or show their faults."""
        if self.tool is None or self.is_calling:
            return
        self._fill()
        if not self._is_on:
            self._show_state("The server does not run: start it first (F5).")
            return
        given = self.form.read()
        if given is None:
            self._show_state("Something is missing or wrong above.")
            return
        self.is_calling = True
        self.answer = None
        self.result.show_text("")
        self.progress.setRange(0, 0)
        self._show_state("Waiting for the answer")
        self.cancel.setFocus()
        power, tool = self._power, self.tool.name

        async def act(bench: Workbench, tell: Callable[..., None]) -> ToolResult:
            async def progress(done: float, total: float | None, said: str) -> None:
                tell(done, total, said)

            return await bench.gateway.call(power, tool, given, progress=progress)

        self._job.run_with_progress(act, self._on_progress, self._on_called, self._on_failed)

    def give_up(self) -> None:
        """Cancel the running call."""
        if self.is_calling:
            self._job.cancel()
            self._end("The call was cancelled.")

    def _on_progress(self, done: float, total: float | None, said: str) -> None:
        if total:
            self.progress.setRange(0, _STEPS)
            self.progress.setValue(round(_STEPS * max(0.0, min(1.0, done / total))))
        self._show_state(progress_words(done, total, said))

    def _on_called(self, result: ToolResult) -> None:
        if self.tool is not None:
            self.answer = call_outcome(self.tool, result)
            self.result.show_text(self.answer.text)
            self._end(self.answer.head)
            self.called.emit()

    def _on_failed(self, sentence: str) -> None:
        self.answer = CallOutcome(shown(sentence, 1_000), True, "", sentence)
        self._end(self.answer.head)

    def _end(self, sentence: str) -> None:
        had = self.cancel.hasFocus()
        self.is_calling = False
        self._show_state(sentence)
        if had:
            self.result.setFocus()

    def _show_state(self, sentence: str) -> None:
        bad = self.answer is not None and self.answer.is_bad and not self.is_calling
        mark = "\N{WARNING SIGN} " if bad and not sentence.startswith("\N{WARNING SIGN}") else ""
        self.state.show_text(mark + sentence if sentence else "")
        self.cancel.setVisible(self.is_calling)
        self.progress.setVisible(self.is_calling)
        self.call.setEnabled(self._is_on and not self.is_calling)
        self.copy.setVisible(self.answer is not None and bool(self.answer.text))

    def _copy(self) -> None:
        if self.answer is not None:
            QGuiApplication.clipboard().setText(self.answer.whole)
            self.notified.emit("Copied the answer.", False)

    # ---- keys

    def event(self, event: QEvent) -> bool:
        # Ctrl+Enter and, during a call, Escape belong to this view before the window.
        return handle_key(event, self._action_of) or super().event(event)

    def _action_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        if event.key() in _ENTER and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return self.begin
        return self.give_up if event.key() == Qt.Key.Key_Escape and self.is_calling else None


# ---- Form of one tool: a field per argument of its schema, with its fault.


_LONGEST = 1_000_000
_AREA = 60
_ABOUT = 400


class ArgumentField(QWidget):
    """One argument: name, type, field, fault, and the server's description."""

    def __init__(self, theme: Theme, row: Argument) -> None:
        super().__init__()
        self.row = row
        name = "Arguments" if row.name == WHOLE else shown(row.name, 120)
        need = "required" if row.is_required else "optional"
        self.title, kind = WrappedLabel(name, role="title"), WrappedLabel(f"{row.word}, {need}", role="caption")
        kind.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.fault = WrappedLabel(shade="danger")
        self.fault.show_text("")
        self.about = WrappedLabel(escaped_text(row.about, _ABOUT), role="note")
        self.about.setVisible(bool(row.about.strip()))
        self.field = self._make_field(name)
        self.field.setAccessibleDescription(f"{row.word}, {need}. {escaped_text(row.about, _ABOUT)}")
        head = fill(spaced(QHBoxLayout(), theme.px(8)), (self.title, 1), (kind, 1))
        fill(spaced(QVBoxLayout(self), theme.px(3), 0, 0, 0, theme.px(8)), head, self.field, self.fault, self.about)
        if isinstance(self.field, QPlainTextEdit):
            self.field.setFixedHeight(theme.px(_AREA))

    def _make_field(self, name: str) -> QLineEdit | QPlainTextEdit | ChoiceBox:
        row, text = self.row, default_text(self.row)
        made: QLineEdit | QPlainTextEdit | ChoiceBox
        if row.kind in ("choice", "boolean"):
            made = ChoiceBox(_choices(row))
            made.show_value(text if row.default else "")
        elif row.kind == "json":
            made = QPlainTextEdit(tabChangesFocus=True, placeholderText="JSON", plainText=text)
        else:
            made = QLineEdit(maxLength=_LONGEST, text=text)
        made.setAccessibleName(name)
        return made

    @property
    def text(self) -> str:
        field = self.field
        if isinstance(field, ChoiceBox):
            return str(field.currentData() or "")
        return field.text() if isinstance(field, QLineEdit) else field.toPlainText()

    def show_fault(self, fault: str) -> None:
        """Show the fault; "" for none."""
        self.fault.show_text(fault)
        self.field.setProperty("wrong", bool(fault))


class ToolForm(Themed):
    """Fields of one tool, created in chunks of the event loop, so that no key is delayed."""

    entered = Signal()  # Enter was pressed in a single-line field

    def __init__(self, theme: Theme, rows: Sequence[Argument] | None, after: QWidget) -> None:
        super().__init__(theme)
        self.rows, self._last_stop = fields(rows), after
        self.fields: list[ArgumentField] = []
        self._enters = False
        self._chunk_timer = QTimer(self, interval=0)
        self._chunk_timer.timeout.connect(self._make_next)
        self._column = spaced(QVBoxLayout(self), theme.px(4), theme.px(16), theme.px(4), theme.px(16), theme.px(4))
        if not self.rows:
            self._column.addWidget(WrappedLabel("It takes no arguments.", role="caption"))
        self._column.addStretch(1)
        if self.rows:
            self._chunk_timer.start()

    def enter(self) -> None:
        """Focus the first field, as soon as it exists."""
        self._enters = not self.fields
        if self.fields:
            self.fields[0].field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_next(self) -> None:
        made = ArgumentField(self.theme, self.rows[len(self.fields)])
        if isinstance(made.field, QLineEdit):
            made.field.returnPressed.connect(self.entered)
        self._column.insertWidget(len(self.fields), made)
        self.fields.append(made)
        self.setTabOrder(self._last_stop, made.field)
        self._last_stop = made.field
        if len(self.fields) == len(self.rows):
            self._chunk_timer.stop()
        if self._enters:
            self.enter()

    def read(self) -> dict[str, Any] | None:
        """Return the arguments; None if one is invalid, whose field shows the fault and the focus."""
        while len(self.fields) < len(self.rows):
            self._make_next()
        found, wrong = read_form(self.rows, {field.row.name: field.text for field in self.fields})
        for field in self.fields:
            field.show_fault(wrong.get(field.row.name, ""))
        first = next((field for field in self.fields if field.row.name in wrong), None)
        if first is not None:
            first.field.setFocus()
        return None if wrong else found


def _choices(row: Argument) -> list[tuple[str, str]]:
    """Return the values as JSON text with labels; the empty choice first, if allowed."""
    values: Sequence[Any] = (True, False) if row.kind == "boolean" else row.choices
    text = {True: "Yes", False: "No"} if row.kind == "boolean" else {}
    offered = [
        (json.dumps(value, ensure_ascii=False), text.get(value) or shown(str(value), 120) or "“”") for value in values
    ]
    return offered if row.is_required and row.default else [("", "Not given"), *offered]
