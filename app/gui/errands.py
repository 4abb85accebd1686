"""What the pages send the engine for: settings, checks, downloads, measures; each tells its steps and its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

if TYPE_CHECKING:
    from app.services.workbench import Workbench

Act = Callable[["Workbench"], Awaitable[Any]]
"""What is done on the engine's thread."""

Tell = Callable[[Any], object]
Refuse = Callable[[str], object]
"""What is called there with the result, or with a sentence for the user."""

CHECK, PULL = "check", "pull"


class Errands(QObject):
    """Every method returns at once. A long errand replaces an earlier one of its kind, and can be cancelled.

    What a long errand still says after it was cancelled or replaced is dropped here, on the window's thread.
    """

    chosen = Signal(str)  # key
    refused = Signal(str, str)  # key, a sentence for the user
    models_listed = Signal(object, str)  # list[str], a sentence if they could not be had
    links_tried = Signal(object)  # tuple[Link, ...]
    check_ended = Signal(str)  # a sentence if it broke off
    pull_moved = Signal(object)  # status, bytes done, bytes in all
    pull_ended = Signal(str, str)  # model, a sentence if it failed
    measured = Signal(object)  # Measured
    _step = Signal(str, int, object)
    _end = Signal(str, int, str)

    def __init__(
        self,
        do: Callable[[Act, Tell, Refuse], None],
        call: Callable[..., None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._do, self._call = do, call
        self._tickets = {CHECK: 0, PULL: 0}
        self._under_way: dict[str, asyncio.Task[Any]] = {}
        self._model = ""
        self._step.connect(self._on_step, Qt.ConnectionType.QueuedConnection)
        self._end.connect(self._on_end, Qt.ConnectionType.QueuedConnection)

    # ---- short errands

    def choose(self, key: str, value: str | None) -> None:
        """Set a setting for this profile; None forgets what was set here."""
        self._do(
            lambda bench: bench.choose(key, value),
            lambda _: self.chosen.emit(key),
            lambda sentence: self.refused.emit(key, sentence),
        )

    def list_models(self) -> None:
        """Ask the server which models it has."""
        self._do(
            lambda bench: bench.llm_models(),
            lambda found: self.models_listed.emit(found, ""),
            lambda sentence: self.models_listed.emit([], sentence),
        )

    def measure(self) -> None:
        """Copy the session's measures, on the thread that writes them."""
        from app.display.measures import measured

        async def look(bench: Workbench) -> object:
            return measured(bench.measures)

        self._do(look, self.measured.emit, lambda _: None)

    # ---- long errands

    def check(self) -> None:
        """Try every link to the LLM."""
        self._go(CHECK, lambda bench: bench.check_llm())

    def pull(self, model: str) -> None:
        """Have the server fetch a model."""
        self._model = model
        self._go(PULL, lambda bench: bench.pull_llm(model))

    def cancel(self, errand: str) -> None:
        """Break off a check or a pull; nothing more is told of it."""
        self._tickets[errand] += 1
        self._call(self._cancel, errand)

    def _go(self, errand: str, stream: Callable[[Workbench], AsyncGenerator[Any, None]]) -> None:
        self.cancel(errand)
        ticket = self._tickets[errand]

        async def follow(bench: Workbench) -> None:
            if ticket != self._tickets[errand]:
                return  # cancelled before it began
            task = asyncio.current_task()
            assert task is not None, "an errand runs as a task"
            self._under_way[errand] = task
            try:
                async with contextlib.aclosing(stream(bench)) as steps:
                    async for step in steps:
                        self._step.emit(errand, ticket, step)
            finally:
                if self._under_way.get(errand) is task:
                    del self._under_way[errand]

        self._do(
            follow,
            lambda _: self._end.emit(errand, ticket, ""),
            lambda sentence: self._end.emit(errand, ticket, sentence),
        )

    def _cancel(self, errand: str) -> None:
        task = self._under_way.pop(errand, None)
        if task is not None:
            task.cancel()

    # ---- on the window's thread

    def _on_step(self, errand: str, ticket: int, step: object) -> None:
        if ticket == self._tickets[errand]:
            (self.links_tried if errand == CHECK else self.pull_moved).emit(step)

    def _on_end(self, errand: str, ticket: int, sentence: str) -> None:
        if ticket != self._tickets[errand]:
            return
        if errand == CHECK:
            self.check_ended.emit(sentence)
        else:
            self.pull_ended.emit(self._model, sentence)
