"""Scripted server with Ollama's embedding endpoint, and real vectors of the shipped encoder."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from app.ports.encoder import Vectors

Encode = Callable[[Sequence[str]], Vectors]

MODEL = "all-minilm:latest"


class EmbeddingServer(ThreadingHTTPServer):
    """Server with one model: its `digest` and `size`, vectors by `encode`, optional `fault`."""

    daemon_threads = True

    def __init__(self, encode: Encode) -> None:
        self.encode = encode
        self.digest, self.size = "1b226e2802dbb772b5fc32a58f103ca1804ef7501331012de126ab22f67475ef", 45_960_996
        self.fault: tuple[int, object] | None = None
        self.silent = threading.Event()
        """While set, nothing is answered; `let_go` ends that."""
        self.let_go = threading.Event()
        self.asked: list[dict[str, Any]] = []
        super().__init__(("127.0.0.1", 0), _Answers)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: EmbeddingServer

    def do_GET(self) -> None:
        assert self.path == "/api/tags"
        listed = {"name": MODEL, "model": MODEL, "digest": self.server.digest, "size": self.server.size}
        self.send(200, {"models": [{**listed, "modified_at": "2026-11-01T10:00:00Z", "details": {"family": "bert"}}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/api/embed"
        self.server.asked.append(body)
        if self.server.silent.is_set():
            self.server.let_go.wait(30.0)
        if self.server.fault is not None:
            self.send(*self.server.fault)
            return
        vectors = self.server.encode(body["input"]).tolist()
        self.send(200, {"model": body["model"], "embeddings": vectors, "total_duration": 1, "prompt_eval_count": 8})

    def send(self, status: int, answer: object) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name there)
        """Log nothing."""


@contextmanager
def serving(encode: Encode) -> Iterator[EmbeddingServer]:
    """Run a server on a free port in this block."""
    with EmbeddingServer(encode) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.let_go.set()
            server.shutdown()
            thread.join()
