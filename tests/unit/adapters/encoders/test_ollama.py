"""Tests of the Ollama encoder's messages for invalid answers of servers."""

from __future__ import annotations

import os
from contextlib import closing
from typing import Any

import pytest

from app.adapters.encoders.ollama import EmbeddingServer
from app.domain.errors import EncoderError
from tests.qdrant_server import served


def deep() -> bytes:
    return b"[" * 400_000


def refusal(status: int, answer: Any, end: str = "") -> str:
    with served(lambda *_: (status, answer)) as url, closing(EmbeddingServer(f"{url}{end}", "tiny")) as server:
        with pytest.raises(EncoderError) as refused:
            server.embed(["text"])
        return str(refused.value).replace(url, "URL")


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (401, {"error": "unauthorized"}, "The server wants a key (401): put it into the variable OLLAMA_API_KEY."),
        (403, "forbidden", "The server wants a key (403): put it into the variable OLLAMA_API_KEY."),
        (200, {"error": "CUDA error."}, "The server at URL answered: CUDA error."),
        (500, ["no", "object"], 'The server at URL answered 500: ["no", "object"].'),
        (500, {"error": {"message": "no model"}}, "The server at URL answered 500: no model."),
        (500, {"error": "no  room"}, "The server at URL answered 500: no room."),
        (500, {"error": "too long: my TEXT"}, "The server at URL answered 500: too long: my (hidden)."),
    ],
)
def test_that_a_refusal_is_told_in_the_servers_words(status: int, answer: Any, said: str) -> None:
    assert "OLLAMA_API_KEY" not in os.environ
    assert refusal(status, answer) == said


def test_that_a_deep_refusal_is_no_crash() -> None:
    assert refusal(500, deep()).startswith("The server at URL answered 500: [[")


@pytest.mark.parametrize("end", ["/v1", "/v1/embeddings", "/api/embed/"])
def test_that_the_end_of_another_clients_address_is_taken_off(end: str) -> None:
    asked: list[tuple[str, ...]] = []

    def answer(_method: str, path: tuple[str, ...], *_: Any) -> tuple[int, Any]:
        asked.append(path)
        return 200, {"embeddings": [[3.0, 4.0]]}

    with served(answer) as url, closing(EmbeddingServer(f"{url}{end}", "tiny")) as server:
        assert server.embed(["text"]).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    assert asked == [("api", "embed")]


def test_that_deep_json_is_told_as_no_answer_of_ollama() -> None:
    assert "is not what an Ollama server sends" in refusal(200, deep())
