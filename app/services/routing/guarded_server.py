"""Server called on a separate thread, with a time-out and a circuit breaker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

from app.domain.errors import DataStoreError, DataStoreGoneError

SERVER_SECONDS = 30.0
"""Time-out of calls that prepare a server or read its content, in seconds."""

FAILURES, REST_SECONDS = 3, 30.0
"""Consecutive failures that open the circuit, and seconds until a probe."""


class Closes(Protocol):
    """Something that can be closed."""

    def close(self) -> None: ...


Server = TypeVar("Server", bound=Closes)
Result = TypeVar("Result")


class OwnThread(Executor):
    """Executor with one daemon thread, which does not delay the exit, even if it hangs."""

    def __init__(self, name: str) -> None:
        self._works: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._is_shut = False
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        if self._is_shut:
            raise RuntimeError("the thread has been shut down")
        future: Future[Result] = Future()

        def work() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(fn(*args, **kwargs))
                except BaseException as error:  # noqa: BLE001  told to whoever waits
                    future.set_exception(error)

        self._works.put(work)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._is_shut = True
        self._works.put(None)
        if wait:
            self._thread.join()

    def _run(self) -> None:
        while (work := self._works.get()) is not None:
            work()
            del work  # releases its references before the next one arrives


class GuardedServer(Generic[Server]):
    """Circuit breaker around a server that is created and called on one separate thread.

    A slow import or a waiting keyring blocks nothing else.
    """

    def __init__(
        self, name: str, address: str, make: Callable[[], Server | None], wall_seconds: Callable[[], float]
    ) -> None:
        self.name, self.address, self._make = name, address, make
        self._server: Server | None = None
        self.thread = OwnThread(f"store {name}")
        self._wall_seconds = wall_seconds
        self._failed, self._since = 0, 0.0

    @property
    def is_made(self) -> bool:
        """True if the client is created: its library may take seconds to load."""
        return self._server is not None

    async def opened(self) -> Server:
        """Return the client itself, for callers on its thread; raises DataStoreError."""
        return await self.call(lambda server: server, SERVER_SECONDS)

    async def call(self, act: Callable[[Server], Result], seconds: float | None) -> Result:
        """Call the server on its thread; raises DataStoreError."""
        if self._failed >= FAILURES and 0.0 <= self._wall_seconds() - self._since < REST_SECONDS:
            raise DataStoreGoneError(
                f"It failed {self._failed} times in a row, and is left alone for {REST_SECONDS:.0f} s."
            )  # fmt: skip
        calling = asyncio.get_running_loop().run_in_executor(self.thread, lambda: act(self._made()))
        try:
            done = await asyncio.wait_for(calling, seconds)
        except DataStoreGoneError:
            self._note_failure()
            raise
        except TimeoutError:
            self._note_failure()
            raise DataStoreGoneError(f"The store did not answer within {seconds or 0.0:g} s.") from None
        self._failed = 0
        return done

    def _made(self) -> Server:
        if self._server is None:
            self._server = self._make()
        if self._server is None:
            raise DataStoreError(f"No store “{self.name}” is connected.")
        return self._server

    def _note_failure(self) -> None:
        self._failed, self._since = self._failed + 1, self._wall_seconds()

    def close(self) -> Future[None]:
        """Close the server after its current call, which the future waits for."""
        closing = self.thread.submit(self._let_go)
        self.thread.shutdown(wait=False)
        return closing

    def _let_go(self) -> None:
        if self._server is not None:
            self._server.close()
