"""Server called on a thread with time-out and circuit breaker, and the shared cache (S6.1, S6.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from math import isfinite
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

from app.detect.route import CacheResult
from app.domain.datastore import SHARED_CACHE, secret_of
from app.domain.errors import DataStoreError, DataStoreGoneError, StoreError
from app.domain.route import CachedRoute, CacheLookup
from app.ports.store import SharedAnswerCache
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.engine.route_stages import AHEAD_SECONDS, Router

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
    """Circuit breaker around a server that is created and called on one separate thread."""

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
        calling = asyncio.get_running_loop().run_in_executor(self.thread, lambda: act(self._server_or_new()))
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

    def _server_or_new(self) -> Server:
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


READY_SECONDS = 5.0
"""Time-out of connecting at the start."""


class SharedCache:
    """Cache-aside, within `route.redis_ms`; on a miss or failure the local table decides.

    An answer that only the local table has is shared when it is looked up. All methods run on the asyncio thread.
    """

    def __init__(self, core: Core, adapters: Adapters, router: Router) -> None:
        self._core, self._router = core, router
        self._make, self._secrets = adapters.shared_answers, adapters.secrets
        self._wall_seconds = adapters.wall_seconds
        self._held: GuardedServer[SharedAnswerCache] | None = None
        self._reaching: asyncio.Task[None] | None = None

    def _server(self) -> GuardedServer[SharedAnswerCache] | None:
        settings = self._core.settings.route
        if self._held is not None and self._held.address != settings.redis:
            self.release()
        if self._held is None and settings.redis and settings.cache_hours:

            def opened() -> SharedAnswerCache:
                return self._make(settings, self._secrets.get(secret_of(SHARED_CACHE)))

            self._held = GuardedServer(SHARED_CACHE, settings.redis, opened, self._wall_seconds)
            self._reaching = self._core.in_background(self._reach(self._held))
        return self._held

    async def state(self) -> tuple[str, int, int, str]:
        """Return server name, number of answers under this program's key, 0, and any fault."""
        if (server := self._server()) is None:
            return "", 0, 0, ""
        try:
            digest = self._router.digest
            return SHARED_CACHE, await server.call(lambda cache: cache.count(digest), SERVER_SECONDS), 0, ""
        except (DataStoreError, StoreError) as error:
            return SHARED_CACHE, 0, 0, str(error)

    def begin(self) -> None:
        """Connect to the configured server in the background, which takes longer than a query may."""
        self._server()

    async def ready(self) -> None:
        """Wait until the server is connected or the connection failed."""
        self._server()
        if self._reaching is not None:
            await asyncio.wait({self._reaching})

    async def _reach(self, server: GuardedServer[SharedAnswerCache]) -> None:
        try:
            await server.call(lambda cache: cache.ping(), READY_SECONDS)
        except (DataStoreError, StoreError):
            return  # the next query and its state report whether it is reachable

    async def shared_answer(self, text: str, here: CacheResult) -> CacheResult:
        """Return the shared answer to a query, otherwise the local one.

        Nothing is looked up if texts may not be stored: the server's owner could guess a query from its digest.
        """
        key, server = self._router.key_of(text), self._server()
        if server is None or not key or not here.looks or not self._may_share:
            return here
        begun = self._router.now_ms()
        found, look = None, CacheLookup.REDIS_MISS
        digest = self._router.digest
        try:
            if self._reaching is not None and not self._reaching.done():
                raise DataStoreError("It is being reached.")
            found = await server.call(lambda cache: cache.get(digest, key), self._seconds)
        except (DataStoreError, StoreError):
            look = CacheLookup.REDIS_GONE
        ms = self._router.now_ms() - begun + here.ms
        age = 0.0 if found is None else self._wall_seconds() - found.at
        if found is not None and (refused := self._note_failure(found)):
            here, found = replace(here, refused=refused), None
        if found is not None and -AHEAD_SECONDS <= age < self._core.settings.route.cache_hours * 3600.0:
            self._router.kept[key] = found
            return CacheResult(found.answer, max(0.0, age), ms=ms, looks=(CacheLookup.REDIS_HIT,))
        if look is CacheLookup.REDIS_MISS and here.answer is not None:
            self.keep(self._router.kept[key])
        return replace(here, ms=ms, looks=(look, *here.looks))

    def _note_failure(self, found: CachedRoute) -> str:
        """Return why another program's answer is refused; "" if it is valid."""
        answer = found.answer
        if not self._router.knows(answer.name, self._core.settings):
            return f"Redis holds an answer for a route that is none here: {answer.name[:80]}."
        shares = () if answer.distribution is None else answer.distribution.values()
        if not all(0.0 <= share <= 1.0 for share in (*shares, answer.confidence)) or not isfinite(found.at):
            return "Redis holds an answer with numbers that are none."
        return ""

    @property
    def _may_share(self) -> bool:
        return self._core.settings.history.privacy == "full"

    def keep(self, answer: CachedRoute) -> None:
        """Share an answer if texts may be stored. Returns at once."""
        if self._may_share and (server := self._server()) is not None:
            self._core.in_background(self._keep(server, answer))

    async def _keep(self, server: GuardedServer[SharedAnswerCache], answer: CachedRoute) -> None:
        seconds = self._core.settings.route.cache_hours * 3600.0 - (self._wall_seconds() - answer.at)
        try:
            await server.call(lambda cache: cache.put(answer, seconds), self._seconds)
        except (DataStoreError, StoreError):
            return  # it is in the local cache

    async def clear(self, texts: Sequence[str] | None = None) -> None:
        """Delete the shared answers under this program's key, or of these queries under any key.

        Raises DataStoreError, StoreError.
        """
        if (server := self._server()) is not None and texts != []:
            digest = self._router.digest
            await server.call(lambda cache: cache.forget(digest, texts), SERVER_SECONDS)

    @property
    def _seconds(self) -> float:
        return self._core.settings.route.redis_ms / 1000.0

    def release(self) -> None:
        """Disconnect; the next query connects again."""
        if self._held is not None:
            self._held.close()
            self._held = None
