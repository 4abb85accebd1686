"""Thread boundary: the engine runs on an asyncio thread, results arrive as queued signals."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Qt, Signal

from app.domain.errors import KnownError, StaleError
from app.domain.inspection import Inspection, Phase
from app.domain.journal import Redone, Step, Undone
from app.domain.library import Answer, Memory

if TYPE_CHECKING:
    import asyncio

    from app.services.status import Status
    from app.services.workbench import Workbench

Operation = Callable[["Workbench"], Awaitable[Any]]
"""Coroutine function that runs on the engine's thread."""

OnResult = Callable[[Any], object]
OnRefused = Callable[[str], object]
"""Called on the engine's thread with the result, or with an error sentence for the user."""

OnConflict = Callable[[StaleError], object]
"""Called on the engine's thread with an optimistic-lock conflict."""

PAINT_SECONDS = 0.016
"""Longest pause of the engine after the first answer, in seconds, while the window paints.

Working during the painting would slow both down.
"""

JOIN_SECONDS = 15.0
"""Longest wait for the engine at closing, in seconds; it may still be importing."""


def ignore(_: object) -> None:
    """Ignore a result."""


class AnswerLike(Protocol):
    """Protocol of memories and powers, for signals: Qt needs one class instead of a union."""

    @property
    def name(self) -> str: ...


class Worker(QObject):
    """Runs the engine on one thread. Methods return at once; results are signals in the window.

    Each `ask` increments the generation: answers of older ones are dropped, their tasks cancelled. If answers arrive
    faster than the window takes them, only the newest is delivered.
    """

    opened = Signal()
    changed = Signal(object, object, Mapping)  # Status, Settings, origins by dotted key
    inspected = Signal(int, Inspection)  # generation, the answer so far
    settled = Signal(int)  # generation: the last answer was emitted
    taught = Signal(Memory)
    trigger_added = Signal(AnswerLike, str)  # answer with the new trigger, the trigger
    marked = Signal(AnswerLike, AnswerLike, bool)  # before and after, True if marked right
    undone = Signal(Undone)  # None if there was nothing to undo
    undo_questioned = Signal(Step)  # undone only after confirmation
    redone = Signal(Redone)  # None if there was nothing to redo
    seeded = Signal(int)
    chosen = Signal(str)  # key of a setting that was set or removed
    failed = Signal(str, str)  # attempted action, sentence for the user
    choice_refused = Signal(str, str)  # key of a setting, sentence for the user
    crashed = Signal(Exception)  # exception of a bug
    _arrived = Signal()

    def __init__(self, make_workbench: Callable[[], Workbench], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._make_workbench = make_workbench
        self._workbench: Workbench | None = None
        self._is_open = False
        self._open_error = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="intentscope-engine", daemon=True)
        self._lock = threading.Lock()
        self._latest: tuple[int, Inspection] | None = None
        self.answer: Inspection | None = None
        """Last emitted answer, for listeners that connect later; None without a query."""
        self._generation = 0
        self._pending: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._pending_query: tuple[int, str] | None = None
        self._closed = False
        self._opened_at = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
        self._paint_future: asyncio.Future[None] | None = None
        self._arrived.connect(self._take_latest, Qt.ConnectionType.QueuedConnection)

    # ---- called by the window

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread, which makes and opens the workbench."""
        if not self._closed and self._loop is None:
            import asyncio  # after the first paint

            self._loop = asyncio.new_event_loop()
            self._thread.start()

    def ask(self, text: str) -> int:
        """Inspect a text instead of the present one; return its generation."""
        self._generation += 1
        if self._workbench is not None:
            # At once: the engine's thread may be waiting for work that should yield.
            self._workbench.typing_priority.note_key()
        if self._loop is None:
            self._pending_query = (self._generation, text)
        self.call(self._begin, self._generation, text)
        return self._generation

    def drop(self) -> None:
        """Cancel the query; no further answer to it is emitted."""
        self._generation += 1
        self.answer = None
        if self._loop is None:
            self._pending_query = None
        self.call(self._drop)

    def painted(self) -> None:
        """Note that the window has painted the last answer, so that the engine continues."""
        if self._paint_future is not None and self._latest is None:
            self.call(self._resume)

    def teach(self, memory: Memory) -> None:
        self.do(lambda bench: bench.curator.teach(memory), self.taught.emit, self._refuse("teach"))

    def add_trigger(self, answer: Answer, text: str) -> None:
        self.do(
            lambda bench: bench.curator.add_trigger(answer, text),
            lambda changed: self.trigger_added.emit(changed, text),
            self._refuse("add trigger"),
        )

    def mark(self, answer: Answer, query: str, *, fits: bool) -> None:
        async def act(bench: Workbench) -> tuple[Answer, Answer]:
            return bench.curator.current(answer), await bench.curator.mark(answer, query, fits=fits)

        self.do(act, lambda states: self.marked.emit(*states, fits), self._refuse("mark"))

    def undo(self, step: int | None = None, no_undo_reason: str = "") -> None:
        """Undo a step or the last one, after a question where needed; with a reason only a step of settings."""
        act = partial(self.undo_last, no_undo_reason)
        self.do(act if step is None else lambda bench: bench.curator.undo(step), self.tell_undone, self._refuse("undo"))

    async def undo_last(self, no_undo_reason: str, bench: Workbench) -> Step | Undone | None:
        """Undo the last step; return it instead where a confirmation is needed (engine's thread)."""
        last = await (bench.journal.last_of_settings() if no_undo_reason else bench.journal.last())
        if last is None and no_undo_reason:
            raise KnownError(no_undo_reason)
        if last is not None and last.asks_first(self._opened_at, f"{datetime.now(UTC):%Y-%m-%d}"):
            return last
        if last is not None and no_undo_reason:
            return await bench.curator.undo(last.id)  # this step, even if another is added while it waits
        return await bench.curator.undo()

    def tell_undone(self, found: Step | Undone | None) -> None:
        """Emit `undo_questioned` for a step that needs a confirmation, else `undone`."""
        (self.undo_questioned if isinstance(found, Step) else self.undone).emit(found)

    def redo(self, no_undo_reason: str = "") -> None:
        """Redo the last undone step; with a reason only a step of settings."""

        async def act(bench: Workbench) -> Redone | None:
            if no_undo_reason and not await bench.journal.redoes_settings():
                raise KnownError(no_undo_reason)
            return await bench.curator.redo()

        self.do(act, self.redone.emit, self._refuse("redo"))

    def note_acted(self) -> None:
        """Record the query on screen at once, since the user acts on it."""

        async def act(bench: Workbench) -> None:
            bench.history.recorder.keep_settled()

        self.do(act, ignore, ignore)

    def choose(self, key: str, value: str | None) -> None:
        """Set a setting of this profile (None: reset). New settings arrive with `changed`."""
        self.do(
            lambda bench: bench.choose(key, value),
            lambda _: self.chosen.emit(key),
            lambda sentence: self.choice_refused.emit(key, sentence),
        )

    def retry(self, part: str) -> None:
        """Retry a failed part, "store" or "encoder"; the result shows in the status."""
        self.do(lambda bench: bench.retry(part), ignore, ignore)

    def add_seed_library(self) -> None:
        self.do(lambda bench: bench.add_seed_library(), self.seeded.emit, self._refuse("seed"))

    def do(self, act: Operation, tell: OnResult, refuse: OnRefused, on_conflict: OnConflict | None = None) -> None:
        """Run an operation; `tell` gets its result and `refuse` an error, on the engine's thread.

        `on_conflict` is called instead for an edit of an outdated version.
        """
        self.call(self._schedule, act, tell, refuse, on_conflict)

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function on the engine's thread, if it runs."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def close(self) -> None:
        """Cancel, close the workbench, stop the loop and wait for the thread."""
        if self._closed:
            return
        self._closed = True
        self._generation += 1
        if self._loop is not None:
            self.call(self._loop.stop)
            self._thread.join(JOIN_SECONDS)

    # ---- on the window's thread

    def _take_latest(self) -> None:
        with self._lock:
            latest, self._latest = self._latest, None
        if latest is not None and latest[0] == self._generation and not self._closed:
            self.answer = latest[1]
            self.inspected.emit(*latest)

    def _refuse(self, verb: str) -> OnRefused:
        return lambda sentence: self.failed.emit(verb, sentence)

    # ---- on the engine's thread

    def _run(self) -> None:
        import asyncio

        loop = self._loop
        assert loop is not None
        asyncio.set_event_loop(loop)
        loop.set_exception_handler(self._on_loop_bug)
        opening = loop.create_task(self._attempt(None, lambda _: self.opened.emit(), self._refuse("open")))
        loop.run_forever()
        opening.cancel()
        loop.run_until_complete(self._shutdown())
        loop.close()

    def _on_loop_bug(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report an exception of an unawaited task as a bug."""
        error = context.get("exception")
        if isinstance(error, Exception):
            self.crashed.emit(error)
        else:
            loop.default_exception_handler(context)

    def _schedule(self, act: Operation, tell: OnResult, refuse: OnRefused, on_conflict: OnConflict | None) -> None:
        assert self._loop is not None, "this runs on it"
        task = self._loop.create_task(self._attempt(act, tell, refuse, on_conflict))
        self._tasks.add(task)  # the loop only has a weak reference
        task.add_done_callback(self._tasks.discard)

    async def _attempt(
        self, act: Operation | None, tell: OnResult, refuse: OnRefused, on_conflict: OnConflict | None = None
    ) -> None:
        from app.settings.model import SettingsError

        try:
            result: object = None
            if act is None:
                await self._open()
            elif self._workbench is None or not (self._is_open or self._workbench.status().is_open):
                # Pages call as soon as the status says that the library is open, before all is loaded.
                refuse(self._open_error or "The library is still opening. Try again in a moment.")
                return
            else:
                result = await act(self._workbench)
        except (KnownError, SettingsError) as error:
            if on_conflict is not None and isinstance(error, StaleError):
                on_conflict(error)
            else:
                self._refused(act, str(error), refuse)
        except Exception as error:  # noqa: BLE001 - the worker's one broad except: a bug goes to the excepthook
            self.crashed.emit(error)
            if act is None:
                sentence = "The library could not be opened because of a mistake in this program."
                self._refused(act, sentence, refuse)
        else:
            tell(result)

    def _refused(self, act: Operation | None, sentence: str, refuse: OnRefused) -> None:
        if act is None:
            self._open_error = sentence  # refuses every later operation
        refuse(sentence)

    async def _open(self) -> None:
        # Assigned before it is open, so that closing meanwhile closes it, too.
        bench = self._workbench = self._make_workbench()
        bench.status_changed.subscribe(self._publish_change)
        await bench.open()
        self._is_open = True
        self._publish_change(bench.status())
        if self._pending_query is not None:
            generation, text = self._pending_query
            self._pending_query = None
            self._begin(generation, text)

    def _publish_change(self, status: Status) -> None:
        bench = self._workbench
        if bench is not None and self._is_open and not self._closed:
            self.changed.emit(status, bench.settings, bench.origins)

    def _cancel(self) -> None:
        self._pending_query = None
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None

    def _drop(self) -> None:
        self._cancel()
        if self._workbench is not None:
            self._workbench.note_cleared()

    def _begin(self, generation: int, text: str) -> None:
        self._cancel()
        if generation != self._generation:
            return
        if self._workbench is None or not self._is_open:
            self._pending_query = (generation, text)
            return
        assert self._loop is not None, "this runs on it"
        inspect = self._workbench.inspect
        self._pending = self._loop.create_task(
            self._attempt(lambda _: self._stream(generation, inspect(text)), lambda _: None, self._refuse("inspect"))
        )

    async def _stream(self, generation: int, stream: AsyncGenerator[Inspection, None]) -> None:
        async with contextlib.aclosing(stream) as answers:
            async for inspection in answers:
                if generation != self._generation:
                    return
                self._deliver(generation, inspection)
                if inspection.phase is Phase.FLOOR:
                    await self._wait_for_paint()
        self.settled.emit(generation)

    async def _wait_for_paint(self) -> None:
        """Wait until the window has painted, at most PAINT_SECONDS."""
        assert self._loop is not None, "this runs on it"
        self._paint_future = self._loop.create_future()
        timer = self._loop.call_later(PAINT_SECONDS, self._resume)
        try:
            await self._paint_future
        finally:
            timer.cancel()
            self._paint_future = None

    def _resume(self) -> None:
        if self._paint_future is not None and not self._paint_future.done():
            self._paint_future.set_result(None)

    def _deliver(self, generation: int, inspection: Inspection) -> None:
        with self._lock:
            tell = self._latest is None
            self._latest = (generation, inspection)
        if tell:
            self._arrived.emit()

    async def _shutdown(self) -> None:
        import asyncio

        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._workbench is not None:
            await self._workbench.close()
