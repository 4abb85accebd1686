"""HTTP of the test server: answers at once or in lines, Ollama's errors, and cancelled work."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.servers.engine import EngineError
from tests.servers.ledger import Entry, Ledger
from tests.servers.pulling import Pullable
from tests.servers.shelf import RefusedError, Shelf
from tests.servers.watch import ClientGoneError, Watch

JSON_TYPE = "application/json; charset=utf-8"

Json = dict[str, Any]


class OllamaServer(ThreadingHTTPServer):
    """Server on loopback; port 0 takes a free one."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self, port: int, routes: Mapping[tuple[str, str], Reply], shelf: Shelf, pullable: Mapping[str, Pullable]
    ) -> None:
        self.routes, self.shelf, self.pullable, self.ledger = routes, shelf, pullable, Ledger()
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
        method = "GET" if self.command == "HEAD" else self.command
        try:
            reply = self.server.routes.get((method, urlsplit(self.path).path))
            if reply is None:
                self.send(404, b"404 page not found", "text/plain")
            else:
                reply(self, read_body(content) if method != "GET" else {})
        except (RefusedError, EngineError) as error:
            self.refuse(error.status, str(error))

    do_GET = do_HEAD = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name there)
        """Log nothing: the ledger records requests."""

    def send(self, status: int, content: bytes | Json, kind: str = JSON_TYPE) -> None:
        """Send a complete answer."""
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        self.wfile.flush()

    def send_line(self, line: Json) -> None:
        """Send one line of a streamed answer."""
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

    def work(self, task: Callable[[Watch, Entry], None]) -> None:
        """Run slow work recorded in the ledger, and stop when the client disconnects."""
        ledger = self.server.ledger
        entry = ledger.begin(urlsplit(self.path).path)
        outcome = "failed"
        with Watch(self.connection) as watch:
            try:
                task(watch, entry)
                outcome = "finished"
            except (ClientGoneError, ConnectionError):
                outcome, self.close_connection = "cancelled", True
                entry.gone = watch.gone_at or time.monotonic()
                entry.stopped = entry.stopped or time.monotonic()
            finally:
                ledger.end(entry, outcome)


def read_body(content: bytes) -> Json:
    """Parse the request's JSON object."""
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
