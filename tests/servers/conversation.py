"""HTTP of the test server: answers at once or in lines, Ollama's errors, and cancelled work."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.servers.engine import EngineError
from tests.servers.pulling import Pullable
from tests.servers.shelf import RefusedError, Shelf
from tests.servers.watch import ClientGoneError, Watch

JSON_TYPE = "application/json; charset=utf-8"

Json = dict[str, Any]


class Counts:
    """Counts of long requests by outcome; `ended` is the sum of three, `running` the rest. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._counts = {"started": 0, "finished": 0, "failed": 0, "cancelled": 0}

    def note(self, name: str) -> None:
        with self._changed:
            self._counts[name] += 1
            self._changed.notify_all()

    def report(self) -> dict[str, int]:
        with self._changed:
            return self._sums()

    def wait_for(self, name: str, count: int, seconds: float) -> bool:
        """Wait until a count is reached; False after this time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._sums()[name] >= count, seconds)

    def _sums(self) -> dict[str, int]:
        ended = self._counts["finished"] + self._counts["failed"] + self._counts["cancelled"]
        return {**self._counts, "ended": ended, "running": self._counts["started"] - ended}


class OllamaServer(ThreadingHTTPServer):
    """Server on loopback; port 0 takes a free one."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self, port: int, routes: Mapping[tuple[str, str], Reply], shelf: Shelf, pullable: Mapping[str, Pullable]
    ) -> None:
        self.routes, self.shelf, self.pullable, self.counts = routes, shelf, pullable, Counts()
        super().__init__(("127.0.0.1", port), Conversation)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Conversation(BaseHTTPRequestHandler):
    """One connection, and the requests on it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: OllamaServer
    streaming = False

    def answer(self) -> None:
        """Find the responsible function, and convert errors to Ollama's form."""
        self.streaming = False
        size = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(size)  # always, or the next request on this connection would begin in the middle
        try:
            reply = self.server.routes.get((self.command, urlsplit(self.path).path))
            if reply is None:
                self.send(404, b"404 page not found", "text/plain")
            else:
                reply(self, read_body(content) if self.command != "GET" else {})
        except (RefusedError, EngineError) as error:
            self.refuse(error.status, str(error))

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name there)
        """Log nothing."""

    def send(self, status: int, content: bytes | Json, kind: str = JSON_TYPE) -> None:
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def send_line(self, line: Json) -> None:
        if not self.streaming:
            self.streaming = True
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
        content = json.dumps(line).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def finish_lines(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def refuse(self, status: int, message: str) -> None:
        """Send an error; after streamed lines it is one more line."""
        if self.streaming:
            self.send_line({"error": message})
            self.finish_lines()
        else:
            self.send(status, {"error": message})

    def work(self, task: Callable[[Watch], None]) -> None:
        """Run slow work that is counted, and stop when the client disconnects."""
        self.server.counts.note("started")
        outcome = "failed"
        with Watch(self.connection) as watch:
            try:
                task(watch)
                outcome = "finished"
            except (ClientGoneError, ConnectionError):
                outcome, self.close_connection = "cancelled", True
            finally:
                self.server.counts.note(outcome)


def read_body(content: bytes) -> Json:
    if not content:
        raise RefusedError(400, "missing request body")
    try:
        body = json.loads(content)
    except ValueError as error:
        raise RefusedError(400, str(error)) from error
    if not isinstance(body, dict):
        raise RefusedError(400, "json: cannot unmarshal the request body into an object")
    return body


Reply = Callable[[Conversation, Json], None]
