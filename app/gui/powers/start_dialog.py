"""The question before a power is started for the first time: the exact command line or address, and a way out."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QShowEvent, QTextOption
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.display.powers.running import StartAsked, start_asked
from app.domain.journal import ThingKind
from app.gui.bridge.engine_thread import Worker
from app.gui.kit.controls import button
from app.gui.kit.pane_parts import Said, section
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

if TYPE_CHECKING:
    from app.domain.library import Power
    from app.domain.running import Activation
    from app.services.workbench import Workbench


_LINE, _LINES, _SIGNS_A_LINE = 19, 9, 66
_FRAME = 36
"""So much a desktop puts around a window."""


class StartDialog(QDialog):
    """Cancel has the focus, so that neither Enter nor Esc starts anything; Enter on the verb itself does."""

    def __init__(self, theme: Theme, asked: StartAsked, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self.asked = theme, asked
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(asked.title)
        self.setModal(True)
        self.setFixedWidth(theme.px(560))
        self.question = Said(asked.question, role="lead")
        self.text = self._field(self.tr("What a yes is for"), asked.text)
        self.before = self._field(self.tr("What was approved before"), asked.before)
        self.variables = self._field(self.tr("The variables that it gets"), asked.variables, at_words=True)
        self.warning = Said(asked.warning, role="title", shade="warning")
        holds = self.tr("The yes holds for exactly this; any change asks again.")
        self.origin = Said(f"{asked.origin}\n{holds}", role="caption")
        self.verb = button(asked.verb, primary=True, press=self.accept)
        self.cancel = button(self.tr("Cancel"), press=self.reject)
        self.cancel.setDefault(True)
        self._arrange()
        for first, second in pairwise((self.cancel, self.verb, self.text, self.before, self.variables)):
            self.setTabOrder(first, second)
        self.cancel.setFocus()

    def _arrange(self) -> None:
        px = self.theme.px
        foot = QHBoxLayout()
        foot.setSpacing(px(8))
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.verb)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(20), px(20), px(20), px(16))
        column.setSpacing(px(8))
        column.addWidget(Said(self.asked.title, role="heading"))
        column.addWidget(self.question)
        self.warning.setVisible(bool(self.asked.warning))
        column.addWidget(self.warning)
        column.addWidget(self.text)
        self._add_part(column, self.tr("Approved before"), self.before)
        self._add_part(column, self.tr("The variables that it gets; their values stay hidden"), self.variables)
        column.addWidget(self.origin)
        column.addSpacing(px(8))
        column.addLayout(foot)

    def _add_part(self, column: QVBoxLayout, title: str, field: QPlainTextEdit) -> None:
        """A field under a title of its own, if there is anything in it."""
        if field.toPlainText():
            column.addSpacing(self.theme.px(4))
            column.addWidget(section(title))
            column.addWidget(field)
        else:
            field.setParent(self)
            field.setVisible(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        room = self.screen().availableSize().height() - self.theme.px(_FRAME)
        for field in (self.before, self.variables, self.text):  # they scroll; the buttons must be seen
            over = self.heightForWidth(self.width()) - room
            if over > 0 and not field.isHidden():
                field.setFixedHeight(max(self.theme.px(_LINE) + self.theme.px(14), field.height() - over))
        self.setFixedHeight(self.heightForWidth(self.width()))  # wrapped texts ask for more before they have a width

    def _field(self, name: str, text: str, *, at_words: bool = False) -> QPlainTextEdit:
        field = QPlainTextEdit()
        field.setReadOnly(True)
        field.setTabChangesFocus(True)
        field.setAccessibleName(name)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        wrap = QTextOption.WrapMode
        option.setWrapMode(wrap.WrapAtWordBoundaryOrAnywhere if at_words else wrap.WrapAnywhere)
        field.document().setDefaultTextOption(option)
        field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        field.setFont(self.theme.font(12, mono=True))
        styled(field, role="mono")
        field.setPlainText(text)
        lines = sum(1 + len(line) // _SIGNS_A_LINE for line in text.split("\n"))
        field.setFixedHeight(self.theme.px(_LINE) * min(_LINES, max(2, lines)) + self.theme.px(14))
        return field


# --------------------------------------------------------------------------------------------------------------------
# What starting and stopping powers sends the engine for; every answer comes back by a queued signal


class StartJobs(QObject):
    """Every method returns at once."""

    asked = Signal(StartAsked)  # a person has to say yes first
    started = Signal(str, bool)  # the name of what runs by now; if a person just said yes to it
    approved = Signal(str)
    refused = Signal(str, str)  # name, a sentence: why nothing runs
    stopped = Signal(int)  # how many were told to stop

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker

    def start(self, name: str, yes_to: str = "") -> None:
        """Start a power; with `yes_to` a person has just said yes to this text."""

        async def act(bench: Workbench) -> Activation | StartAsked:
            if yes_to:
                await bench.gateway.approve(name, yes_to)
            came = await bench.gateway.activate(name)
            return await _question(bench, came.power, came.needs_approval) if came.needs_approval else came

        def tell(came: Activation | StartAsked) -> None:
            if isinstance(came, StartAsked):
                self.asked.emit(came)
                return
            if came.started:
                self.started.emit(name, bool(yes_to))
            else:
                self.refused.emit(name, came.reason or "")

        self._worker.do(act, tell, lambda sentence: self.refused.emit(name, sentence))

    def approve(self, name: str, yes_to: str = "") -> None:
        """Have a person say yes to a power, or keep that it was said to this text; nothing is started."""

        async def act(bench: Workbench) -> StartAsked | None:
            if yes_to:
                await bench.gateway.approve(name, yes_to)
                return None
            text = await bench.gateway.approval_text(name)
            powers = await bench.catalogue.powers()
            power = next(power for power in powers if power.name == name)
            return await _question(bench, power, text, only_approves=True)

        def tell(came: StartAsked | None) -> None:
            if came is None:
                self.approved.emit(name)
            else:
                self.asked.emit(came)

        self._worker.do(act, tell, lambda sentence: self.refused.emit(name, sentence))

    def stop(self, name: str) -> None:
        """Stop one."""

        async def act(bench: Workbench) -> int:
            await bench.gateway.deactivate(name)
            return 1

        self._worker.do(act, self.stopped.emit, lambda sentence: self.refused.emit(name, sentence))

    def stop_all(self, count: int) -> None:
        """Stop every one that runs; `count` is how many that are, for the message."""

        async def act(bench: Workbench) -> int:
            await bench.gateway.stop_all()
            return count

        self._worker.do(act, self.stopped.emit, lambda sentence: self.refused.emit("", sentence))


async def _question(bench: Workbench, power: Power, text: str, *, only_approves: bool = False) -> StartAsked:
    past = await bench.journal.history(ThingKind.POWER, power.key) if power.key is not None else []
    values = await bench.gateway.values_from(power)
    is_again = await bench.gateway.asks_again(power.name)
    return start_asked(power, text, past, values, only_approves=only_approves, is_again=is_again)
