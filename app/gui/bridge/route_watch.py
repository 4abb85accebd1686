"""Hears from the engine when routing changes: something was learned, noted or cleared, or the circuit moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.bridge.engine_thread import Worker

if TYPE_CHECKING:
    from app.services.routing.routes import RoutingState
    from app.services.workbench import Workbench


class RouteWatch(QObject):
    """`changed` comes after every change, and once when it is first asked."""

    changed = Signal(object)  # RoutingState
    _heard = Signal(object)

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self.state: RoutingState | None = None
        """What was told last; None before the library is open."""
        self._heard.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def begin(self) -> None:
        """Ask how routing stands, and listen from now on."""

        async def follow(bench: Workbench) -> RoutingState:
            routing = bench.routing
            routing.on_change = lambda: self._heard.emit(routing.state())
            return routing.state()

        self._worker.do(follow, self._heard.emit, lambda _: None)

    def _take(self, state: RoutingState) -> None:
        self.state = state
        self.changed.emit(state)
