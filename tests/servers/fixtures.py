"""Fixture `ollama_server`: a real model behind Ollama's protocol, for tests marked `llm`."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from tests.servers.real_model import MODEL, PULLABLE
from tests.waiting import PATIENCE

PROJECT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class RealServer:
    """Address of the server and its two models; `copy` must be pulled first."""

    url: str
    model: str = MODEL
    copy: str = PULLABLE

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            content = response.read().decode()
        finally:
            connection.close()
        return response.status, json.loads(content) if content.startswith(("{", "[")) else content

    def unload(self) -> None:
        self.ask("POST", "/api/generate", {"model": self.model, "keep_alive": 0})

    def report(self, seconds: float = PATIENCE, **counts: int) -> dict[str, Any]:
        """Return the counts of requests once these are reached, or after these seconds.

        Counts are started, finished, failed, cancelled, ended and running; `reached` is False after a time-out.
        """
        found: dict[str, Any] = self.ask("GET", f"/test/requests?{urlencode({**counts, 'seconds': seconds})}")[1]
        return found


@pytest.fixture(scope="session")
def ollama_server() -> Iterator[RealServer]:
    """Run a server during all tests.

    It is shared: a test that needs an unloaded model unloads it first.
    """
    command = [sys.executable, "-m", "tests.servers.real_model", "--until-stdin-ends"]
    with subprocess.Popen(
        command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        greeting = process.stdout.readline()
        if not greeting.startswith("Listening on "):
            pytest.fail(f"The test model did not start. {process.stderr.read()}", pytrace=False)
        yield RealServer(greeting.split()[-1])
        process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
