"""Common code of data stores: full-text terms, bounded listings, messages; and the event loop."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import inf
from threading import Thread
from time import monotonic, perf_counter
from typing import Any, NoReturn, TypeVar
from weakref import WeakSet

from app.adapters.bounded_http import LONGER, Bound
from app.detect.store_query import utc
from app.domain.datastore import Document, StoreMapping
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.running import shown
from app.logs import without_sent
from app.ports.encoder import Vectors
from app.settings.refusals import without_passwords

Place = TypeVar("Place")

UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, struct.error)
"""Exceptions raised for invalid answers, beside a client's own and ValueError."""

PAGE = 5_000
"""Number of documents per page."""

MOST_HELD = 100_000_000
"""Maximum number of characters of a store's listing: some 800,000 documents."""

LONGEST_SAID = 300
"""Maximum number of characters shown of a server's error message."""

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
MAX_SEARCH_WORDS = 64
"""Maximum number of distinct words in a full-text query."""


def search_words(text: str) -> tuple[str, ...]:
    """Return the distinct lower-case words of a text, without punctuation."""
    return tuple(dict.fromkeys(found.group().lower() for found in _WORD.finditer(text)))[:MAX_SEARCH_WORDS]


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which no store accepts."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "replace").decode("utf-8")


def gathered(page: Callable[[Place | None], tuple[Mapping[str, str], Place | None]]) -> dict[str, str]:
    """Collect all pages of a listing; `page` returns one and the next position, None at the end.

    Raises DataStoreError if it is larger than a store can be.
    """
    found: dict[str, str] = {}
    at, size = None, 0
    while True:
        some, at = page(at)
        size += sum(len(key) + len(value) for key, value in some.items())
        if size > MOST_HELD:
            raise DataStoreError(f"The store tells of more than {MOST_HELD:,} characters: the rest was not read.")
        found |= some
        if at is None:
            return found


INVALID = "The store's answer is not what such a server sends."
NO_VECTOR = "Without an encoder nothing can be found by meaning."
NOT_FILLED = "The server holds nothing of this library yet: fill it first."
CLOSED = "The store has been closed."


def elapsed_ms(begun: float, seconds: float) -> float:
    """Return the time since `begun` in ms; raises DataStoreError if it is beyond these seconds."""
    ms = (perf_counter() - begun) * 1000.0
    if ms > seconds * 1000.0:
        raise DataStoreError(timed_out(seconds))
    return ms


def too_long(most: int, who: str = "The store") -> str:
    """Return the sentence for a store whose answer was too long."""
    return f"{who} was left: {LONGER.format(most=most)}."


def timed_out(seconds: float, who: str = "The store") -> str:
    """Return the sentence for a store that did not answer in time."""
    return f"{who} did not answer within {seconds:g} s."


def wrong_length(held: int, length: int) -> str:
    """Return the sentence for vectors of another length, from another encoder."""
    return f"The store holds vectors of {held} numbers, these have {length}: fill it again."


def unreachable(error: str) -> str:
    """Return the sentence for a server that does not answer."""
    return f"The server cannot be reached: {error}"


def refused(error: str) -> str:
    """Return the sentence for a server that answers with an error."""
    return f"The server refused: {error}"


def first_line(error: object) -> str:
    """Return the first line of an error's message, without resolved addresses and secrets."""
    line = next(iter(str(error).strip().splitlines()), type(error).__name__)
    line = re.sub(r"\S+://\S+", lambda address: without_passwords(address[0]), line)
    return shown(without_sent(re.sub(r" \(resolved to .*\):?$", "", line)), LONGEST_SAID)


MAX_VALUES = 1_000
"""Maximum number of known values of a field."""

MAX_NAMED = 20
"""Maximum number of names in a sentence."""


class ReadOnlyStore:
    """Base class of a MappedStore without own documents, which refuses writes."""

    mapping: StoreMapping

    def setup(self) -> str:
        self._refuse()

    def prepare(self) -> None:
        self._refuse()

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        self._refuse()

    def drop(self, ids: Sequence[str]) -> None:
        self._refuse()

    def stored_states(self) -> Mapping[str, str]:
        return {}

    def _refuse(self) -> NoReturn:
        message = (
            f"“{self.mapping.source}” is only read, nothing is written there. Empty the mapping "
            "in the settings to fill a place of its own on this server."
        )
        raise DataStoreError(message)

    def check(self, columns: Mapping[str, str], sources: Iterable[str]) -> None:
        """Raise DataStoreError for missing mapped names; `sources` are suggested instead."""
        source = self.mapping.source
        if not columns:
            others = ", ".join(list(sources)[:MAX_NAMED]) or "nothing that can be read"
            raise DataStoreError(f"The server has no “{source}”; it has {others}.")
        if lacking := [name for name in self.mapping.columns if name not in columns]:
            message = (
                f"“{source}” has no “{lacking[0]}”: it has {', '.join(list(columns)[:MAX_NAMED])}. Correct the mapping."
            )
            raise DataStoreError(message)


def wrong_encoder(column: str, held: int, length: int) -> str:
    """Return the sentence for vectors of another encoder."""
    return (
        f"The vectors in “{column}” have {held} numbers, those of this encoder {length}: "
        "choose the encoder that made them (encoder.name), or leave them out of the mapping."
    )


def time_of(value: object) -> str:
    """Convert a server's time to the documents' format; "" if invalid."""
    with suppress(ValueError):
        return utc(str(value or ""))
    return ""


# ---- Event loop of a data store: every call is limited in time and received bytes.


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
