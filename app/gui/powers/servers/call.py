"""Calling one tool of a server that runs: its form, how far it is, and what came back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from app.display import words
from app.display.powers.tools import Answered, answered, arguments, progress_words
from app.domain.running import ToolResult, ToolSchema, shown
from app.gui.kit.controls import Empty, button
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.fields import PlainField
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme
from app.gui.powers.servers.form import ToolForm
from app.gui.powers.servers.jobs import ServerJobs

_STEPS, _LOW = 1_000, 60
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CallView(QWidget):
    """What is typed stays while the tool is the same; an answer that was cancelled or overtaken is dropped."""

    notified = Signal(str, bool)  # a sentence for the toast; if it is bad news

    def __init__(self, theme: Theme, jobs: ServerJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self._power = ""
        self._ticket = 0
        self._is_on = self._is_filled = False
        self.is_calling = False
        self.tool: ToolSchema | None = None
        self.answer: Answered | None = None
        self.form = ToolForm(theme, ())
        self.name = Said(role="title")
        self.call = button(
            self.tr("Call"),
            primary=True,
            tip=self.tr("Call it (Enter, or Ctrl+Enter)"),
            press=self.begin,
        )
        self.cancel = button(self.tr("Cancel"), tip=self.tr("Give the call up"), press=self.give_up)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("How far the call is"))
        self.state = Said(role="caption")
        self.result = PlainField(theme, self.tr("The answer"), self.tr("The answer stands here."))
        self.copy = button(self.tr("Copy"), tip=self.tr("Copy the whole answer"), press=self._copy)
        self.none = Empty(theme, "power", self.tr("No tool is selected"), self.tr("Pick one under Tools."))
        self._arrange()
        self._connect()
        self._show_state("")

    def _arrange(self) -> None:
        px = self.theme.px
        head, foot = QHBoxLayout(), QHBoxLayout()
        for row in (head, foot):
            row.setContentsMargins(px(16), px(4), px(12), px(4))
            row.setSpacing(px(8))
        head.addWidget(self.name, 1)
        head.addWidget(self.cancel)
        head.addWidget(self.call)
        foot.addWidget(self.state, 1)
        foot.addWidget(self.copy)
        self.area = scrolled(self.form, self.tr("Arguments"))
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setMinimumHeight(px(_LOW))
        self.area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        bottom = QVBoxLayout()
        bottom.setContentsMargins(px(16), 0, px(16), px(12))
        bottom.addWidget(self.result)
        self.whole = QWidget()
        column = QVBoxLayout(self.whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.area, 4)
        column.addWidget(self.progress)
        column.addLayout(foot)
        column.addLayout(bottom, 5)
        both = QVBoxLayout(self)
        both.setContentsMargins(0, 0, 0, 0)
        both.addWidget(self.whole, 1)
        both.addWidget(self.none, 1)
        self.whole.setVisible(False)

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self.jobs.progressed.connect(self._on_progress, queued)
        self.jobs.called.connect(self._on_called, queued)
        self.jobs.call_failed.connect(self._on_failed, queued)

    # ---- which tool

    def show_tool(self, power: str, tool: ToolSchema | None) -> None:
        """Show the form of this tool; a form that asks for the same stays as it is filled in."""
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
        """Make the form, which is not made for tools that are only looked at."""
        if self.tool is not None and not self._is_filled:
            self._is_filled = True
            self.name.say(shown(self.tool.name, 120))
            self.form = ToolForm(self.theme, arguments(self.tool.input_schema))
            self.form.entered.connect(self.begin)
            self.area.setWidget(self.form)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()

    def is_of(self, power: str) -> bool:
        """If a call of this power has been made or is under way here."""
        return power == self._power and (self.is_calling or self.answer is not None)

    def show_on(self, on: bool) -> None:
        """Say whether the server runs."""
        if on != self._is_on:
            self._is_on = on
            self._show_state(self.state.text())

    def enter(self) -> None:
        """Go to the first field."""
        self._fill()
        if self.form.rows:
            self.form.enter()
        else:
            self.call.setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- a call

    def begin(self) -> None:
        """Call the tool with what is filled in, or say what is wrong with it."""
        if self.tool is None or self.is_calling:
            return
        self._fill()
        if not self._is_on:
            self._show_state(self.tr("The server does not run: start it first (F5)."))
            return
        given = self.form.read()
        if given is None:
            self._show_state(self.tr("Something is missing or wrong above."))
            return
        self._ticket += 1
        self.is_calling = True
        self.answer = None
        self.result.show_text("")
        self.progress.setRange(0, 0)
        self._show_state(self.tr("Waiting for the answer"))
        self.cancel.setFocus()
        self.jobs.call(self._ticket, self._power, self.tool.name, given)

    def give_up(self) -> None:
        """Give up the call that is under way."""
        if self.is_calling:
            self.jobs.cancel()
            self._end(self.tr("The call was cancelled."))

    def _on_progress(self, ticket: int, done: float, total: float | None, said: str) -> None:
        if ticket != self._ticket or not self.is_calling:
            return
        if total:
            self.progress.setRange(0, _STEPS)
            self.progress.setValue(round(_STEPS * max(0.0, min(1.0, done / total))))
        self._show_state(progress_words(done, total, said))

    def _on_called(self, ticket: int, result: ToolResult) -> None:
        if ticket == self._ticket and self.is_calling and self.tool is not None:
            self.answer = answered(self.tool, result)
            self.result.show_text(self.answer.text)
            self._end(self.answer.head)

    def _on_failed(self, ticket: int, sentence: str) -> None:
        if ticket == self._ticket and self.is_calling:
            self.answer = Answered(shown(sentence, 1_000), True, "", sentence)
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
        self.state.say(mark + sentence if sentence else "")
        self.cancel.setVisible(self.is_calling)
        self.progress.setVisible(self.is_calling)
        self.call.setEnabled(self._is_on and not self.is_calling)
        self.copy.setVisible(self.answer is not None and bool(self.answer.text))

    def _copy(self) -> None:
        if self.answer is not None:
            QGuiApplication.clipboard().setText(self.answer.whole)
            self.notified.emit(words.say("Copied the answer."), False)

    # ---- keys

    def event(self, event: QEvent) -> bool:
        # Ctrl+Enter and, during a call, Escape belong to this view before the window.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_mine(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._is_mine(event):
            super().keyPressEvent(event)
        elif event.key() in _ENTER:
            self.begin()
        else:
            self.give_up()

    def _is_mine(self, event: QKeyEvent) -> bool:
        calls = event.key() in _ENTER and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        return calls or (event.key() == Qt.Key.Key_Escape and self.is_calling)
