"""Odd MCP servers over HTTP, on loopback, whose answers are functions of the message."""

import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

Message = dict[str, Any]
JSON, EVENTS = "application/json", "text/event-stream"


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b""
    kind: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def result_of(message: Message) -> Message:
    """Return the result of an ordinary server with one tool."""
    results: dict[str, Message] = {
        "initialize": {
            "protocolVersion": message.get("params", {}).get("protocolVersion", ""),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "heard"}]},
    }
    return results.get(message["method"], {})


def ordinary(message: Message, **headers: str) -> Reply:
    """Return the answer of an ordinary server: JSON to a request, nothing to a notification."""
    if "id" not in message:
        return Reply(202)
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result_of(message)}
    return Reply(body=json.dumps(answer).encode(), headers={name.replace("_", "-"): v for name, v in headers.items()})


Script = Callable[[Message, HTTPMessage], Reply]


class Scripted(ThreadingHTTPServer):
    """Server that answers POST by a script.

    GET is rejected, or for the older transport an event stream.
    """

    daemon_threads = True

    def __init__(self, script: Script, *, is_old: bool = False) -> None:
        self.script, self.is_old = script, is_old
        self.is_gone = False
        """True to close connections without an answer."""
        self.heard: list[Message] = []
        self.events: queue.Queue[bytes | None] = queue.Queue()
        super().__init__(("127.0.0.1", 0), Talking)

    def url(self, path: str = "/mcp") -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def methods(self) -> list[str]:
        return [message["method"] for message in self.heard]


class Talking(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_POST(self) -> None:
        if self.server.is_gone:
            self.close_connection = True
            return
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.is_old and self.path == "/sse":
            self.say(Reply(405))
            return
        self.server.heard.append(message)
        self.say(self.server.script(message, cast("HTTPMessage", self.headers)))

    def do_GET(self) -> None:
        if not self.server.is_old:
            self.say(Reply(405))
            return
        self.send_response(200)
        self.send_header("Content-Type", EVENTS)
        self.end_headers()
        self.wfile.write(b"event: endpoint\ndata: /messages?session=1\n\n")
        while (event := self.server.events.get()) is not None:
            self.wfile.write(event)
        self.close_connection = True

    def do_DELETE(self) -> None:
        self.say(Reply(200))

    def say(self, reply: Reply) -> None:
        self.send_response(reply.status)
        if reply.body:
            self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


@contextmanager
def scripted(script: Script, *, is_old: bool = False) -> Iterator[Scripted]:
    """Run a server with this script in this block."""
    server = Scripted(script, is_old=is_old)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.events.put(None)
        server.shutdown()
        thread.join()
        server.server_close()
