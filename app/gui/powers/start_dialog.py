"""Starting and stopping powers from anywhere, with the approval dialog."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QShowEvent, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.display.powers.running import ApprovalPrompt, approval_prompt, is_on
from app.domain.journal import ItemKind
from app.domain.language import plural
from app.domain.library import Power
from app.domain.running import shown
from app.gui.bridge.jobs import Job, power_watch
from app.gui.kit.controls import button, text_box
from app.gui.kit.dialogs import ModalDialog
from app.gui.kit.layouts import chain_focus, fill, spaced
from app.gui.kit.pane_parts import WrappedLabel, section
from app.gui.kit.theme import Theme, styled

if TYPE_CHECKING:
    from app.domain.running import Activation
    from app.gui.kit.page import Shell
    from app.services.workbench import Workbench


_LINE, _LINES, _SIGNS_A_LINE = 19, 9, 66
_FRAME = 36
"""Estimated height of the desktop's window frame, in pixels."""


class StartDialog(ModalDialog):
    """Approval dialog. Cancel has the focus, so that neither Enter nor Esc starts anything."""

    def __init__(self, theme: Theme, confirmation: ApprovalPrompt, parent: QWidget) -> None:
        super().__init__(theme, confirmation.title, 560, parent)
        self.confirmation = confirmation
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.question = WrappedLabel(confirmation.question, role="lead")
        self.text = self._field("What is approved", confirmation.said)
        self.before = self._field("What was approved before", confirmation.before)
        self.variables = self._field("The variables that it gets", confirmation.variables, at_words=True)
        self.warning = WrappedLabel(confirmation.warning, role="title", shade="warning")
        holds = "Approval covers exactly this; any change asks again."
        self.origin = WrappedLabel(f"{confirmation.origin}\n{holds}", role="caption")
        self.verb = button(confirmation.verb, primary=True, press=self.accept)
        self.cancel = button("Cancel", press=self.reject, default=True)
        self._arrange()
        chain_focus(self.cancel, self.verb, self.text, self.before, self.variables)
        self.cancel.setFocus()

    def _arrange(self) -> None:
        px = self.theme.px
        foot = fill(spaced(QHBoxLayout(), px(8)), 1, self.cancel, self.verb)
        column = spaced(QVBoxLayout(self), px(8), px(20), px(20), px(20), px(16))
        fill(column, WrappedLabel(self.confirmation.title, role="heading"), self.question)
        self.warning.setVisible(bool(self.confirmation.warning))
        fill(column, self.warning, self.text)
        self._add_part(column, "Approved before", self.before)
        self._add_part(column, "The variables that it gets; their values stay hidden", self.variables)
        column.addWidget(self.origin)
        column.addSpacing(px(8))
        column.addLayout(foot)

    def _add_part(self, column: QVBoxLayout, title: str, field: QPlainTextEdit) -> None:
        """Add a field with its title, unless it is empty."""
        if field.toPlainText():
            column.addSpacing(self.theme.px(4))
            fill(column, section(title), field)
        else:
            field.setParent(self)
            field.setVisible(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        room = self.screen().availableSize().height() - self.theme.px(_FRAME)
        for field in (self.before, self.variables, self.text):  # these scroll; the buttons must be visible
            over = self.heightForWidth(self.width()) - room
            if over > 0 and not field.isHidden():
                field.setFixedHeight(max(self.theme.px(_LINE) + self.theme.px(14), field.height() - over))
        self.setFixedHeight(self.heightForWidth(self.width()))  # wrapped texts need more space before they have a width

    def _field(self, name: str, text: str, *, at_words: bool = False) -> QPlainTextEdit:
        field = styled(text_box(name, read_only=True), role="mono")
        option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        wrap = QTextOption.WrapMode
        option.setWrapMode(wrap.WrapAtWordBoundaryOrAnywhere if at_words else wrap.WrapAnywhere)
        field.document().setDefaultTextOption(option)
        field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        field.setFont(self.theme.font(12, mono=True))
        field.setPlainText(text)
        lines = sum(1 + len(line) // _SIGNS_A_LINE for line in text.split("\n"))
        field.setFixedHeight(self.theme.px(_LINE) * min(_LINES, max(2, lines)) + self.theme.px(14))
        return field


async def _question(bench: Workbench, power: Power, text: str, *, only_approves: bool = False) -> ApprovalPrompt:
    past = await bench.journal.history(ItemKind.POWER, power.key) if power.key is not None else []
    values = await bench.gateway.values_from(power)
    is_again = await bench.gateway.needs_new_approval(power.name)
    return approval_prompt(power, text, past, values, only_approves=only_approves, is_again=is_again)


# ---- Starting and stopping the selected power from anywhere: approval, then the message.


SERVER = "server"
"""Name of the place with servers on a page with powers."""


class PowerStarter(QObject):
    """Starts powers for one window. One dialog at a time; only approved powers start without it."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell.window())
        self._shell = shell
        self.watch = power_watch(shell.worker)
        self._job = Job(shell.worker, self, self._refuse)
        self.dialog: StartDialog | None = None

    # ---- target

    @property
    def target(self) -> Power | None:
        """Power selected on the open page."""
        return self._shell.page.selected_power()

    def _refusal_of(self, refusal: Callable[[Power], str]) -> str:
        power = self.target
        if power is None:
            return "Select a power first, on the powers page or among the matches."
        return "Give the power a name first." if power.key is None and not power.name.strip() else refusal(power)

    def start_refusal(self) -> str:
        """Return why nothing can be started; "" if something can."""
        return self._refusal_of(
            lambda power: f"“{shown(power.name, 80)}” runs already." if is_on(self.watch.runs.get(power.name)) else ""
        )

    def stop_refusal(self) -> str:
        """Return why nothing can be stopped; "" if something can."""
        return self._refusal_of(
            lambda power: "" if is_on(self.watch.runs.get(power.name)) else f"“{shown(power.name, 80)}” does not run."
        )

    def approve_refusal(self) -> str:
        """Return why nothing can be approved; "" if something can."""
        nothing = "It has neither a command nor an address, so there is nothing to approve."
        return self._refusal_of(lambda power: "" if power.transport.command or power.transport.url else nothing)

    def all_refusal(self) -> str:
        """Return why there is nothing to stop at all; "" if there is."""
        return "" if self.watch.count else "No power runs."

    # ---- user actions

    def start(self) -> None:
        """Start the selected power, with its edits stored."""
        page = self._shell.page

        def start(power: Power) -> None:
            page.go_to(SERVER)
            self._start(power.name)

        page.with_power(start)

    def approve(self) -> None:
        """Open the approval of the selected power, without starting it."""
        self._shell.page.with_power(lambda power: self._approve(power.name))

    def stop(self) -> None:
        power = self.target
        if power is not None:
            name = power.name
            self._job.do(lambda bench: bench.gateway.deactivate(name), lambda _: self._on_stopped(1))

    def stop_all(self) -> None:
        count = self.watch.count
        self._job.do(lambda bench: bench.gateway.stop_all(), lambda _: self._on_stopped(count))

    # ---- approval

    def _ask(self, confirmation: ApprovalPrompt) -> None:
        if self.dialog is not None:
            return  # one dialog at a time
        dialog = self.dialog = StartDialog(self._shell.theme, confirmation, self._shell.window())
        dialog.accepted.connect(lambda: self._on_yes(confirmation))
        dialog.finished.connect(self._on_closed)
        dialog.open()

    def _on_yes(self, confirmation: ApprovalPrompt) -> None:
        act = self._approve if confirmation.only_approves else self._start
        act(confirmation.power, confirmation.text)

    def _on_closed(self, _: int) -> None:
        self.dialog = None

    # ---- engine

    def _start(self, name: str, approved: str = "") -> None:
        """Start a power; with `approved` the user has just approved this text."""

        async def act(bench: Workbench) -> Activation | ApprovalPrompt:
            if approved:
                await bench.gateway.approve(name, approved)
            came = await bench.gateway.activate(name)
            return await _question(bench, came.power, came.needs_approval) if came.needs_approval else came

        def tell(came: Activation | ApprovalPrompt) -> None:
            if isinstance(came, ApprovalPrompt):
                self._ask(came)
            elif came.started:
                title = f"“{shown(name, 80)}”"
                self._shell.notify(
                    f"Approved and started {title}." if approved else f"{title} runs.", undo=bool(approved)
                )
            else:
                self._refuse(came.reason or "")

        self._job.do(act, tell)

    def _approve(self, name: str, approved: str = "") -> None:
        """Request a power's approval, or store the approval of this text; nothing is started."""

        async def act(bench: Workbench) -> ApprovalPrompt | None:
            if approved:
                await bench.gateway.approve(name, approved)
                return None
            text = await bench.gateway.approval_text(name)
            power = next(power for power in await bench.catalogue.powers() if power.name == name)
            return await _question(bench, power, text, only_approves=True)

        def tell(came: ApprovalPrompt | None) -> None:
            if came is None:
                self._shell.notify(f"Approved “{shown(name, 80)}”.", undo=True)
            else:
                self._ask(came)

        self._job.do(act, tell)

    def _refuse(self, sentence: str) -> None:
        self._shell.notify(shown(sentence, 400), bad=True)

    def _on_stopped(self, count: int) -> None:
        self._shell.notify(plural(count, "Stopped {n} power.", "Stopped {n} powers."))
