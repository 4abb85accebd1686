"""Event loop of a data store: every call is limited in time and received bytes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from math import inf
from threading import Thread
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakSet

from app.adapters.datastores.client import CLOSED, INVALID, UNREADABLE, timed_out, too_long
from app.adapters.local.bounded_http import Bound
from app.domain.errors import DataStoreError, DataStoreGoneError

Result = TypeVar("Result")

LONGEST_ANSWER = 16_000_000
"""Default maximum number of bytes that a call may receive."""

PIECE = 8_192
"""Number of bytes read at once: clients read all available data before a call can be ended."""

GRACE_SECONDS = 5.0
"""Maximum time for a client to end a call whose connections were aborted."""


class BoundedLoop(asyncio.SelectorEventLoop):
    """Event loop that counts received bytes and reports an excess.

    It makes all connections of a client. Names are looked up on daemon threads.
    """

    def __init__(self) -> None:
        super().__init__()
        self._left = 0
        self._ended: asyncio.Future[None] | None = None
        self._open: WeakSet[asyncio.WriteTransport] = WeakSet()

    def allow(self, most: int) -> asyncio.Future[None]:
        """Allow this many bytes; the returned future completes when more arrive."""
        self._left, self._ended = most, self.create_future()
        return self._ended

    def count(self, size: int) -> None:
        """Count received bytes."""
        self._left -= size
        if self._left < 0 and self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def abort(self) -> None:
        for each in tuple(self._open):
            each.abort()

    async def create_connection(self, protocol_factory: Callable[[], Any], *args: Any, **how: Any) -> Any:
        return self._noted(await super().create_connection(self._counted(protocol_factory), *args, **how))

    async def create_unix_connection(self, protocol_factory: Callable[[], Any], *args: Any, **how: Any) -> Any:
        return self._noted(await super().create_unix_connection(self._counted(protocol_factory), *args, **how))

    def _counted(self, protocol_factory: Callable[[], Any]) -> Callable[[], CountedProtocol]:
        return lambda: CountedProtocol(protocol_factory(), self.count)

    def _noted(self, made: tuple[Any, Any]) -> tuple[Any, Any]:
        transport, protocol = made
        self._open.add(transport)
        return transport, protocol.inner

    async def getaddrinfo(self, *args: Any, **how: Any) -> Any:
        found: asyncio.Future[Any] = self.create_future()

        def tell(result: Any, error: OSError | UnicodeError | None) -> None:
            if not found.done():
                found.set_result(result) if error is None else found.set_exception(error)

        def look_up() -> None:
            result, refused = None, None
            try:
                result = socket.getaddrinfo(*args, **how)
            except (OSError, UnicodeError) as error:
                refused = error
            if not self.is_closed():
                self.call_soon_threadsafe(tell, result, refused)

        Thread(target=look_up, name="store address", daemon=True).start()
        return await found


class CountedProtocol(asyncio.Protocol):
    """Proxy of a protocol that counts received bytes."""

    def __init__(self, inner: Any, count: Callable[[int], None]) -> None:
        self.inner, self._count = inner, count

    def data_received(self, data: bytes) -> None:
        self._count(len(data))
        self.inner.data_received(data)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        with suppress(AttributeError):  # if the transport has no such limit, as with TLS, calls may end slightly later
            transport.max_size = PIECE  # type: ignore[attr-defined]
        self.inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.inner.connection_lost(exc)

    def eof_received(self) -> bool | None:
        kept_open: bool | None = self.inner.eof_received()
        return kept_open

    def pause_writing(self) -> None:
        self.inner.pause_writing()

    def resume_writing(self) -> None:
        self.inner.resume_writing()


class DeadlineLoop:
    """Runs asynchronous clients on a store's thread, each call with a limit.

    Beyond it connections are aborted: a blocking client would hold the thread while the server hangs.
    """

    def __init__(self, most: int = LONGEST_ANSWER) -> None:
        self._runner, self._most = asyncio.Runner(loop_factory=BoundedLoop), most
        self._is_closed = False
        self._seconds, self._until = inf, inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit all calls in this block together, and convert unreadable answers to DataStoreError."""
        outer = self._seconds, self._until
        if (until := monotonic() + seconds) < self._until:
            self._seconds, self._until = seconds, until
        try:
            yield
        except UNREADABLE as error:
            raise DataStoreError(INVALID) from error
        finally:
            self._seconds, self._until = outer

    def run(self, work: Coroutine[Any, Any, Result], seconds: float) -> Result:
        """Run the coroutine; raises DataStoreGoneError if it takes too long or receives too much."""
        if self._is_closed:
            work.close()
            raise DataStoreError(CLOSED)
        left = max(0.0, min(seconds, self._until - monotonic()))
        return self._runner.run(_within(work, Bound(self._most, left), min(seconds, self._seconds)))

    def close(self) -> None:
        self._is_closed = True
        self._runner.close()


async def _within(work: Coroutine[Any, Any, Result], bound: Bound, of: float) -> Result:
    """Await the work within a limit; `of` is the time of the whole block, for the message."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, BoundedLoop), "the runner makes no other"
    is_full, task = loop.allow(bound.most), asyncio.ensure_future(work)
    waited: set[asyncio.Future[Any]] = {task, is_full}
    try:
        await asyncio.wait(waited, timeout=bound.seconds, return_when=asyncio.FIRST_COMPLETED)
        if task.done() and not is_full.done():
            return task.result()
    finally:
        if not task.done() or is_full.done():
            task.cancel()  # first, so that clients do not retry as if the server had gone
            loop.abort()
            await asyncio.wait({task}, timeout=GRACE_SECONDS)
            if task.done() and not task.cancelled():
                task.exception()  # errors from aborted connections are expected
    if is_full.done():
        raise DataStoreGoneError(too_long(bound.most))
    raise DataStoreGoneError(timed_out(of))
