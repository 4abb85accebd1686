"""What starting and stopping powers sends the engine for; every answer comes back by a queued signal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.display.powers.running import StartAsked, start_asked
from app.domain.journal import ThingKind
from app.gui.worker import Worker

if TYPE_CHECKING:
    from app.domain.library import Power
    from app.domain.running import Activation
    from app.services.workbench import Workbench


class StartErrands(QObject):
    """Every method returns at once."""

    asked = Signal(object)  # StartAsked: a person has to say yes first
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
            powers = await bench.in_store(lambda library: library.powers())
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
