"""Tests of the scripted server: every behaviour matches its name, and counts are correct."""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import socket
import time
from collections.abc import Iterator
from typing import Any

import ollama
import pytest

from tests.servers.behaviours import BEHAVIOURS, HUGE, ORDERS
from tests.servers.faults import REFUSED, FaultServer
from tests.servers.script import LABELS, Choice, Script
from tests.waiting import PATIENCE

QUESTION = {
    "model": "scripted:1b",
    "prompt": 'Query: "the build fails"\nType:',
    "stream": False,
    "logprobs": True,
    "top_logprobs": 20,
    "options": {"num_predict": 1, "temperature": 0},
}
GENERATE = "/api/generate"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server
        assert server.wait_until(lambda: not server.open_connections), "A connection was left open."


def ask(server: FaultServer, path: str = GENERATE, body: object = QUESTION, *, timeout: float = 5) -> tuple[int, bytes]:
    """Return status and content of one answer; no body means GET."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    try:
        connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def asked(server: FaultServer, path: str = GENERATE, body: object = QUESTION) -> Any:
    return json.loads(ask(server, path, body)[1])


def test_that_ok_answers_one_token_with_the_probabilities_of_six_labels(server: FaultServer) -> None:
    answer = asked(server)
    assert (answer["response"], answer["done_reason"]) == (" Trouble", "length")
    listed = answer["logprobs"][0]["top_logprobs"]
    assert math.exp(listed[0]["logprob"]) == pytest.approx(0.91)
    assert len(listed) > len(LABELS)
    for label in LABELS:
        assert sum(label.startswith(one["token"].strip() or "-") for one in listed) == 1


def test_that_ok_answers_json_where_a_format_is_asked_for(server: FaultServer) -> None:
    text = asked(server, body={**QUESTION, "format": "json"})["response"]
    assert json.loads(text)["type"] == "Troubleshoot"
    assert json.loads(text)["confidence"] == 91


def test_that_answers_follow_the_script_of_each_query(server: FaultServer) -> None:
    server.script = Script(queries={'say "hi"': Choice("HowTo", 0.7)})
    scripted = asked(server, body={**QUESTION, "prompt": 'Example: "x"\nQuery: "say \\"hi\\""\nType:'})
    assert scripted["response"] == " How"
    nothing = asked(server, body={**QUESTION, "prompt": 'Query: ""\nType:'})
    flat = {round(one["logprob"], 6) for one in nothing["logprobs"][0]["top_logprobs"][: len(LABELS)]}
    assert len(flat) == 1


def test_that_the_official_client_understands_what_is_right(server: FaultServer) -> None:
    client = ollama.Client(host=server.url, timeout=PATIENCE)
    assert [found.model for found in client.list().models] == ["scripted:1b"]
    assert client.show("scripted:1b").capabilities == ["completion"]
    assert [part.done for part in client.generate("scripted:1b", "x", stream=True)] == [False, True]
    assert [part.status for part in client.pull("scripted:1b", stream=True)][-1] == "success"
    with pytest.raises(ollama.ResponseError, match="not found"):
        client.generate("other:1b", "x")
    client.close()  # type: ignore[no-untyped-call]


def test_that_a_deciding_server_says_so_and_answers_typed_questions(server: FaultServer) -> None:
    question = {"type": "choice", "instructions": "What?", "criteria": {"HowTo": "steps", "Troubleshoot": "errors"}}
    client = ollama.Client(host=server.url, timeout=PATIENCE)
    with pytest.raises(ollama.ResponseError) as caught:
        client.systemone("scripted:1b", "it fails", {"intent": question})
    assert caught.value.status_code == 404
    server.behave("decision", everywhere=True)
    assert asked(server, "/api/version", None)["version"] == "0.35.0"
    assert client.show("scripted:1b").capabilities == ["completion", "decision"]
    answer = client.systemone("scripted:1b", "it fails", {"intent": question}).answers["intent"]
    assert isinstance(answer, ollama.SystemOneChoiceAnswer)
    assert answer.choice == "Troubleshoot"
    assert sum(answer.probabilities.values()) == pytest.approx(1.0)
    client.close()  # type: ignore[no-untyped-call]


def test_that_the_list_of_loaded_models_follows_the_requests(server: FaultServer) -> None:
    server.loaded = False
    assert asked(server, "/api/ps", None)["models"] == []
    asked(server)
    assert [one["context_length"] for one in asked(server, "/api/ps", None)["models"]] == [2048]
    asked(server, body={"model": "scripted:1b", "keep_alive": 0})
    assert asked(server, "/api/ps", None)["models"] == []


def test_that_refused_refuses_until_another_behaviour_is_asked_for(server: FaultServer) -> None:
    port = server.port
    server.behave(REFUSED)
    with pytest.raises(ConnectionRefusedError):
        ask(server)
    server.behave("ok")
    assert (server.port, ask(server)[0]) == (port, 200)


def test_that_a_restart_breaks_connections_and_keeps_the_port(server: FaultServer) -> None:
    port = server.port
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        assert server.wait_until(lambda: server.open_connections == 1)
        server.restart()
        assert client.recv(1) == b""
    assert (server.port, ask(server)[0]) == (port, 200)


def test_that_silent_never_answers_and_notices_that_the_client_goes(server: FaultServer) -> None:
    server.behave("silent")
    with pytest.raises(TimeoutError):
        ask(server, timeout=0.1)
    assert server.wait_until(lambda: server.outcomes() == ["cancelled"])


def test_that_slow_answers_right_but_late(server: FaultServer) -> None:
    server.behave("slow", ms=120)
    begun = time.monotonic()
    assert asked(server)["response"] == " Trouble"
    assert time.monotonic() - begun >= 0.12


def test_that_trickle_sends_byte_after_byte(server: FaultServer) -> None:
    server.behave("trickle", seconds=0.005)
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client:
        client.sendall(b"POST /api/generate HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        parts = [client.recv(1000) for _ in range(12)]
    assert b"".join(parts).startswith(b"HTTP/1.1 200")
    assert time.monotonic() - begun >= 0.04


@pytest.mark.parametrize(
    ("name", "error"), [("break_off", http.client.IncompleteRead), ("reset", ConnectionResetError)]
)
def test_that_an_answer_may_break(server: FaultServer, name: str, error: type[Exception]) -> None:
    server.behave(name)
    with pytest.raises(error):
        ask(server)


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("model_missing", 404, "model 'scripted:1b' not found"),
        ("error_500", 500, "llama runner process"),
        ("busy", 503, "server busy"),
    ],
)
def test_that_errors_are_in_the_words_of_ollama(server: FaultServer, name: str, status: int, words: str) -> None:
    server.behave(name)
    found, content = ask(server)
    assert found == status
    assert words in json.loads(content)["error"]


@pytest.mark.parametrize("name", ["html", "truncated"])
def test_that_a_good_status_may_come_with_what_is_no_json(server: FaultServer, name: str) -> None:
    server.behave(name)
    status, content = ask(server)
    assert status == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(content)


def test_that_huge_is_a_right_answer_of_50_mb(server: FaultServer) -> None:
    server.behave("huge")
    assert len(asked(server)["response"]) == HUGE == 50_000_000


def test_that_wrong_schema_is_json_without_an_answer(server: FaultServer) -> None:
    server.behave("wrong_schema")
    assert not {"response", "message", "done"} & set(asked(server))


def test_that_number_has_a_number_for_text(server: FaultServer) -> None:
    server.behave("number")
    assert asked(server)["response"] == 7
    assert asked(server, "/api/chat", {**QUESTION, "messages": []})["message"]["content"] == 7


def test_that_orders_are_wherever_an_answer_has_text(server: FaultServer) -> None:
    server.behave("orders")
    answer = asked(server)
    assert answer["response"] == answer["logprobs"][0]["top_logprobs"][0]["token"] == ORDERS
    assert json.loads(asked(server, body={**QUESTION, "format": "json"})["response"])["reasoning"] == ORDERS


def test_that_faults_spare_questions_about_the_server_unless_told_otherwise(server: FaultServer) -> None:
    server.behave("error_500")
    assert ask(server, "/api/version", None)[0] == 200
    server.behave("error_500", everywhere=True)
    assert ask(server, "/api/version", None)[0] == 500


def test_that_requests_and_connections_are_counted(server: FaultServer) -> None:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)) as connection:
        for _ in range(200):
            connection.request("POST", GENERATE, json.dumps(QUESTION))
            connection.getresponse().read()
        assert server.wait_until(lambda: server.outcomes() == ["answered"] * 200)
        assert (server.connections, server.open_connections) == (1, 1)
    assert server.requests[0].body == QUESTION


@pytest.mark.parametrize("name", sorted(set(BEHAVIOURS) - {"ok", "decision"}))
def test_that_a_server_is_well_again_after_any_behaviour(server: FaultServer, name: str) -> None:
    server.behave(name)
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client:
        client.sendall(b"POST /api/generate HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        assert server.wait_until(lambda: len(server.requests) == 1)
    server.behave("ok")
    assert ask(server)[0] == 200
