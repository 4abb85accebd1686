"""Scripted Ollama server with faults on demand, for chaos tests.

    with FaultServer() as server:
        server.behave("slow", ms=300)     # one of behaviours.BEHAVIOURS, or "refused"
        ...                               # ask server.url
        assert server.wait_until(lambda: server.open_connections == 0)

Faults affect requests to the model; those about the server (version, show, ps, ...) are answered correctly, unless
`everywhere=True`. `server.script` has the correct answers, and may be replaced at any time.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from tests.servers.behaviours import BEHAVIOURS, Behaviour, Talk, ok
from tests.servers.script import Json, Script
from tests.waiting import PATIENCE

WORK = frozenset({"/api/generate", "/v1/systemone", "/api/embed"})
REFUSED = "refused"


@dataclass(slots=True)
class Asked:
    method: str
    path: str
    body: Json = field(repr=False)


class FaultServer:
    """Server on its own thread, on loopback; attributes may be read and set from any thread."""

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or Script()
        self.requests: list[Asked] = []
        self.port = 0
        self._behaviour: Behaviour = ok
        self._how: dict[str, Any] = {}
        self._everywhere = False
        self._changed = threading.Condition()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def open_connections(self) -> int:
        return len(self._writers)

    def behave(self, name: str, *, everywhere: bool = False, **how: Any) -> None:
        """Answer in this way from now on; `how` are numbers named in the behaviour's docstring."""
        if name == REFUSED:
            self.stop()
            return
        self._behaviour, self._how, self._everywhere = BEHAVIOURS[name], how, everywhere
        if self._server is None:
            self.start()

    def start(self) -> None:
        self._run(self._listen())

    def stop(self) -> None:
        self._run(self._close())

    def restart(self) -> None:
        self.stop()
        self.start()

    def wait_until(self, condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        """Wait for a condition on requests or connections; False if it was not met."""
        with self._changed:
            return self._changed.wait_for(condition, seconds)

    def _run(self, task: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(task, self._loop).result(PATIENCE)

    async def _listen(self) -> None:
        def protocol() -> asyncio.StreamReaderProtocol:
            return asyncio.StreamReaderProtocol(Reader(), self._converse)

        self._server = await self._loop.create_server(protocol, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is None:
            return
        self._server.close()
        await asyncio.sleep(0.01)  # accepted connections get their writers, else nobody closes their sockets
        for writer in list(self._writers):
            writer.transport.abort()
        ended = (task for task in asyncio.all_tasks() if task is not asyncio.current_task())
        for task in list(ended):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await asyncio.sleep(0.01)  # closed transports close their sockets
        self._server = None

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        with self._changed:
            yield
            self._changed.notify_all()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with self._telling():
            self._writers.add(writer)
        try:
            while not writer.is_closing() and (asked := await read_request(reader)):
                with self._telling():
                    self.requests.append(asked)
                if not await self._is_answered(asked, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            with self._telling():
                self._writers.discard(writer)

    async def _is_answered(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; False if its client disconnected."""
        assert isinstance(reader, Reader)
        struck = self._everywhere or asked.path in WORK
        script = replace(self.script, decides=True) if self._behaviour is BEHAVIOURS["decision"] else self.script
        talk = Talk(asked.method, asked.path, asked.body, script, writer, self._how)
        answer = asyncio.ensure_future(self._behaviour(talk) if struck else ok(talk))
        gone = asyncio.ensure_future(reader.ended.wait())
        try:
            await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                return False
            await answer
        except ConnectionError:
            return False
        finally:
            for task in (answer, gone):
                task.cancel()
            await asyncio.gather(answer, gone, return_exceptions=True)
        return True


class Reader(asyncio.StreamReader):
    """Stream reader that notices a disconnected client, even while nothing is read."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.ended.set()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self.ended.set()


async def read_request(reader: asyncio.StreamReader) -> Asked | None:
    """Read the next request of a connection; None at its end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    content = await reader.readexactly(int(fields.get("content-length", "0")))
    body = json.loads(content) if content else {}
    return Asked(method, path.partition("?")[0], body if isinstance(body, dict) else {})
