"""One loaded model: a llama-server process of llama.cpp, reached through a socket file."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers.watch import Watch

START_S = 60.0
STOP_S = 5.0
POLL_S = 0.005
SAME_NAMES = (
    "temperature top_k top_p min_p typical_p stop seed repeat_penalty repeat_last_n presence_penalty frequency_penalty"
).split()
SAMPLING = {"num_predict": "n_predict", "num_keep": "n_keep", **{name: name for name in SAME_NAMES}}
"""Parameters of llama-server by Ollama's options.

Options of loading (num_ctx) are read by other code, all others are ignored.
"""


class EngineError(Exception):
    def __init__(self, message: str, status: int = 500) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Job:
    """Generation request: prompt, options, JSON schema, number of log-probabilities (0: none)."""

    prompt: str
    options: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    top: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Some generated text, with the log-probabilities of its tokens if requested."""

    text: str
    logprobs: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class End:
    """End of a generation: `stop` or `length`, and Ollama's counts and nanoseconds."""

    done_reason: str
    counts: dict[str, int]


class LocalConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(str(self._path))


class Engine:
    """Running llama-server with at most `slots` jobs; more wait here, in no particular order."""

    def __init__(self, binary: Path, model: Path, num_ctx: int, slots: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="engine-")
        self._socket = Path(self._folder.name) / "engine.sock"
        self._gate = threading.Semaphore(slots)
        self._seeds = itertools.count(1)
        command = [str(binary), "--model", str(model), "--host", str(self._socket), *settings(num_ctx, slots)]
        environment = {**os.environ, "LD_LIBRARY_PATH": str(binary.parent)}
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=environment)
        try:
            self._wait_until_ready()
        except EngineError:
            self.close()
            raise

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._folder.cleanup()

    def render(self, text: str) -> str:
        """Format a message with the model's own template."""
        prompt = self._ask("POST", "/apply-template", {"messages": [{"role": "user", "content": text}]})["prompt"]
        return str(prompt)

    def run(self, job: Job, watch: Watch) -> Generator[Piece | End, None, None]:
        """Generate; raises ClientGoneError if the client disconnects, once the engine has stopped."""
        while not self._gate.acquire(timeout=POLL_S):
            watch.check()
        seed = int(job.options.get("seed") or next(self._seeds))
        connection = LocalConnection(self._socket)
        complete = False
        try:
            connection.connect()
            upstream = connection.sock
            watch.when_gone(lambda: _hang_up(upstream))
            for part in self._generate(connection, job, seed):
                complete = isinstance(part, End)
                yield part
        except EngineError:
            watch.check()
            raise
        except (OSError, http.client.HTTPException) as error:
            watch.check()
            raise EngineError(f"llama runner: {error!r}") from error
        finally:
            watch.when_gone(None)
            connection.close()
            if not complete:
                self._wait_until_stopped(seed)
            self._gate.release()

    def _generate(self, connection: LocalConnection, job: Job, seed: int) -> Generator[Piece | End, None, None]:
        body = {SAMPLING[name]: value for name, value in job.options.items() if name in SAMPLING and value is not None}
        # Progress is requested because llama-server notices a closed connection when it writes.
        body |= {"prompt": job.prompt, "stream": True, "cache_prompt": True, "return_progress": True, "seed": seed}
        if job.schema is not None:
            body["json_schema"] = job.schema
        if job.top:
            body["n_probs"] = job.top
        connection.request("POST", "/completion", json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != http.HTTPStatus.OK:
            raise EngineError(_message(response.read()), response.status)
        for line in response:
            if line.startswith((b"error: ", b'data: {"error"')):
                raise EngineError(_message(line.partition(b": ")[2]))
            if not line.startswith(b"data: "):
                continue
            part = json.loads(line[6:])
            logprobs = [_logprob(one) for one in part.get("completion_probabilities") or ()]
            if part.get("content") or logprobs:
                yield Piece(part.get("content", ""), logprobs)
            if part.get("stop"):
                yield _end(part)
                return
        raise EngineError("llama runner: the answer broke off")

    def _wait_until_stopped(self, seed: int) -> None:
        """Wait until the job of this seed has stopped.

        Seeds identify jobs: the list of slots has no other mark of ours.
        """
        with contextlib.suppress(EngineError, OSError, http.client.HTTPException):
            while any(slot["is_processing"] and slot["params"]["seed"] == seed for slot in self._ask("GET", "/slots")):
                time.sleep(POLL_S)

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + START_S
        while self.process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError, EngineError, http.client.HTTPException):
                self._ask("GET", "/health")
                return
            time.sleep(POLL_S)
        raise EngineError(f"llama runner process has terminated: exit status {self.process.poll()}")

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        connection = LocalConnection(self._socket)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json"})
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        if response.status != http.HTTPStatus.OK:
            raise EngineError(_message(content), response.status)
        return json.loads(content)


def settings(num_ctx: int, slots: int) -> list[str]:
    """Return the options of llama-server: CPU only, no web page, no network, low load.

    On a busy machine several threads wait for each other at every layer: two took forty times as long as one.
    """
    values = {
        "--ctx-size": num_ctx * slots, "--parallel": slots, "--threads": 1,
        "--device": "none", "--gpu-layers": 0, "--poll": 0, "--batch-size": 64, "--cache-ram": 256, "--fit": "off",
    }  # fmt: skip
    return [*(str(word) for pair in values.items() for word in pair), "--jinja", "--no-ui", "--offline", "--slots"]


def _hang_up(upstream: socket.socket) -> None:
    with contextlib.suppress(OSError):
        upstream.shutdown(socket.SHUT_RDWR)


def _message(content: bytes) -> str:
    try:
        said = json.loads(content)
    except ValueError:
        return content.decode(errors="replace")
    error = said.get("error", said) if isinstance(said, dict) else said
    return str(error.get("message", error) if isinstance(error, dict) else error)


def _logprob(one: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("token", "logprob", "bytes")
    return {key: one.get(key) for key in keys} | {
        "top_logprobs": [{key: other.get(key) for key in keys} for other in one.get("top_logprobs", ())]
    }


def _end(part: Mapping[str, Any]) -> End:
    times = part.get("timings", {})
    counts = {
        "prompt_eval_count": times.get("prompt_n", 0) + times.get("cache_n", 0),
        "prompt_eval_duration": round(times.get("prompt_ms", 0) * 1e6),
        "eval_count": times.get("predicted_n", 0),
        "eval_duration": round(times.get("predicted_ms", 0) * 1e6),
    }
    return End("length" if part.get("stop_type") == "limit" else "stop", counts)
