"""Tests that the test server behaves like Ollama, with a real model."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import ollama
import pytest

from tests.servers.fixtures import RealServer
from tests.waiting import PATIENCE

pytestmark = pytest.mark.llm

PREFIX = "Classify each query with one word.\n" + "".join(
    f"Query: {text}\nType: {label}\n"
    for text, label in (("set up a cron job", "HowTo"), ("upload stops at 99 percent", "Troubleshoot")) * 5
)
LONG = PREFIX * 5
"""Prompt that takes seconds to read."""
COUNTING = "1, 2, 3, 4, 5, 6, 7,"
"""Prompt with an endless continuation; a generated story may end after its first sentence."""
ENDLESS = {"num_predict": 1500, "temperature": 0}
FOREVER = {"keep_alive": -1}

SOON_S = 20.0
"""Maximum delay in seconds until a server on a busy machine notices a disconnected client.

Two seconds were seen.
"""


def generate(server: RealServer, prompt: str, *, num_predict: int = 1, **more: Any) -> Any:
    options = {"num_predict": num_predict, "temperature": 0}
    body = {"model": server.model, "prompt": prompt, "stream": False, "raw": True, "options": options, **FOREVER}
    status, answer = server.ask("POST", "/api/generate", {**body, **more})
    assert status == 200, answer
    return answer


def test_that_a_model_is_in_memory_only_from_its_first_use(ollama_server: RealServer) -> None:
    ollama_server.unload()
    assert ollama_server.loaded() == []
    assert generate(ollama_server, "Hello")["load_duration"] > 0
    running = ollama_server.ask("GET", "/api/ps")[1]["models"]
    assert [(one["name"], one["context_length"]) for one in running] == [(ollama_server.model, 2048)]
    assert running[0]["expires_at"] > "2300"
    assert generate(ollama_server, "Hello")["load_duration"] == 0


def test_that_another_context_length_loads_the_model_anew(ollama_server: RealServer) -> None:
    generate(ollama_server, "Hello")
    assert generate(ollama_server, "Hello", options={"num_predict": 1, "num_ctx": 512})["load_duration"] > 0


def test_that_keep_alive_0_unloads(ollama_server: RealServer) -> None:
    generate(ollama_server, "Hello", keep_alive=0)
    assert ollama_server.loaded() == []


def test_that_a_model_leaves_when_its_time_is_over(ollama_server: RealServer) -> None:
    generate(ollama_server, "Hello", keep_alive="100ms")
    end = time.monotonic() + PATIENCE
    while ollama_server.loaded():
        assert time.monotonic() < end


def test_that_one_token_comes_with_the_probabilities_of_twenty(ollama_server: RealServer) -> None:
    answer = generate(ollama_server, PREFIX, logprobs=True, top_logprobs=20)
    assert (answer["eval_count"], answer["done_reason"]) == (1, "length")
    listed = answer["logprobs"][0]["top_logprobs"]
    assert len(listed) == 20
    assert sum(math.exp(one["logprob"]) for one in listed) <= 1.0 + 1e-6


def test_that_a_prefix_seen_before_is_not_read_again(ollama_server: RealServer) -> None:
    generate(ollama_server, PREFIX)
    warm = [generate(ollama_server, f"{PREFIX}Query: number {turn}\nType:") for turn in range(3)]
    cold = [generate(ollama_server, f"Turn {turn}. {PREFIX}") for turn in range(2)]
    again = generate(ollama_server, f"{PREFIX}Query: after others\nType:")
    assert all(_read_anew(one) > 120 for one in cold)
    assert all(_read_anew(one) < 30 for one in (*warm, again))


def _read_anew(answer: dict[str, Any]) -> int:
    """Return the number of prompt tokens that were not cached."""
    return int(answer["prompt_eval_count"]) - int(answer["prompt_cached_count"])


def test_that_a_schema_is_kept_and_a_limit_cuts_it_short(ollama_server: RealServer) -> None:
    schema = {"type": "object", "properties": {"type": {"enum": ["HowTo", "General"]}}, "required": ["type"]}
    answer = generate(ollama_server, "A query: ", format=schema, num_predict=40)
    assert json.loads(answer["response"])["type"] in ("HowTo", "General")
    assert generate(ollama_server, "A query: ", format=schema, num_predict=2)["done_reason"] == "length"


def test_that_the_official_client_can_chat_line_by_line(ollama_server: RealServer) -> None:
    client = ollama.Client(host=ollama_server.url, timeout=PATIENCE)
    messages = [{"role": "user", "content": "Count to five."}]
    parts = list(client.chat(ollama_server.model, messages, stream=True, options={"num_predict": 8}))
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert "".join(part.message.content or "" for part in parts)
    assert client.show(ollama_server.model).capabilities == ["completion"]
    client.close()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("prompt", [COUNTING, LONG], ids=["while writing", "while reading"])
def test_that_a_client_that_goes_stops_the_work(ollama_server: RealServer, prompt: str) -> None:
    generate(ollama_server, "Hello")
    before = ollama_server.report(0)
    body = {"model": ollama_server.model, "prompt": prompt, "raw": True, "options": ENDLESS}
    connection = ollama_server.connect()
    connection.request("POST", "/api/generate", json.dumps(body))
    if prompt != LONG:
        connection.getresponse().readline()
    assert ollama_server.report(started=before["started"] + 1)["reached"]
    closed = time.monotonic()
    connection.close()
    after = ollama_server.report(cancelled=before["cancelled"] + 1)
    assert after["reached"]
    entry = after["requests"][-1]
    assert entry["outcome"] == "cancelled"
    assert closed - 0.01 <= entry["gone"] <= entry["stopped"] < closed + SOON_S


def test_that_a_client_that_goes_while_it_waits_costs_nothing(ollama_server: RealServer) -> None:
    generate(ollama_server, "Hello")
    before = ollama_server.report(0)
    body = {"model": ollama_server.model, "prompt": COUNTING, "raw": True, "options": ENDLESS}
    connections = [ollama_server.connect() for _ in range(3)]
    for connection in connections[:2]:
        connection.request("POST", "/api/generate", json.dumps(body))
        connection.getresponse().readline()
    connections[2].request("POST", "/api/generate", json.dumps(body))
    assert ollama_server.report(started=before["started"] + 3)["running"] == 3
    for connection in reversed(connections):
        connection.close()
    after = ollama_server.report(cancelled=before["cancelled"] + 3)
    assert after["reached"]
    assert [entry["first_piece"] > 0 for entry in after["requests"][-3:]] == [True, True, False]


def test_that_a_model_is_pulled_with_progress_used_and_deleted(ollama_server: RealServer) -> None:
    _, lines = ollama_server.ask("POST", "/api/pull", {"model": ollama_server.copy})
    done = [line["completed"] for line in lines if "completed" in line]
    assert done == sorted(done)
    assert done[-1] == lines[1]["total"]
    assert lines[-1] == {"status": "success"}
    assert generate(ollama_server, "Hello", model=ollama_server.copy, keep_alive=0)["response"]
    assert ollama_server.ask("DELETE", "/api/delete", {"model": ollama_server.copy})[0] == 200
    names = [one["name"] for one in ollama_server.ask("GET", "/api/tags")[1]["models"]]
    assert names == [ollama_server.model]


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/api/show", {"model": "nope"}, 404, "model 'nope' not found"),
        ("/api/generate", {"model": "nope", "prompt": "x"}, 404, "model 'nope' not found"),
        ("/api/generate", {"prompt": "x"}, 400, "model is required"),
        ("/api/generate", {"model": "smollm2:135m", "prompt": "x", "format": "xml"}, 400, "invalid format"),
        ("/api/generate", {"model": "smollm2:135m", "prompt": "x", "keep_alive": "soon"}, 400, "invalid duration"),
        ("/api/chat", [], 400, "cannot unmarshal"),
    ],
)
def test_that_mistakes_are_told_in_the_words_of_ollama(
    ollama_server: RealServer, path: str, body: object, status: int, words: str
) -> None:
    found, answer = ollama_server.ask("POST", path, body)
    assert found == status
    assert words in answer["error"]
