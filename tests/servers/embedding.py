"""Scripted server with Ollama's embedding endpoint, and real vectors of the shipped encoder."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from app.ports.encoder import Vectors
from tests.qdrant_server import served

Encode = Callable[[Sequence[str]], Vectors]

MODEL = "all-minilm:latest"


@dataclass
class EmbeddingServer:
    """Server with one model: its `digest` and `size`, vectors by `encode`, optional `fault`."""

    encode: Encode
    url: str = ""
    digest: str = "1b226e2802dbb772b5fc32a58f103ca1804ef7501331012de126ab22f67475ef"
    size: int = 45_960_996
    fault: tuple[int, object] | None = None
    silent: threading.Event = field(default_factory=threading.Event)
    """While set, nothing is answered; `let_go` ends that."""
    let_go: threading.Event = field(default_factory=threading.Event)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, method: str, path: tuple[str, ...], body: Any, _headers: Mapping[str, str]) -> tuple[int, Any]:
        if method == "GET":
            assert path == ("api", "tags")
            listed = {"name": MODEL, "model": MODEL, "digest": self.digest, "size": self.size}
            about = {"modified_at": "2026-11-01T10:00:00Z", "details": {"family": "bert"}}
            return 200, {"models": [{**listed, **about}]}
        assert path == ("api", "embed")
        self.asked.append(body)
        if self.silent.is_set():
            self.let_go.wait(30.0)
        vectors = self.encode(body["input"]).tolist()
        said = {"model": body["model"], "embeddings": vectors, "total_duration": 1, "prompt_eval_count": 8}
        return self.fault or (200, said)


@contextmanager
def serving(encode: Encode) -> Iterator[EmbeddingServer]:
    server = EmbeddingServer(encode)
    with served(server.answer) as server.url:
        try:
            yield server
        finally:
            server.let_go.set()
