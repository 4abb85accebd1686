"""Script of a correct Ollama server's answers: the type and probability for each query."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

LABELS = ("HowTo", "Troubleshoot", "Location", "Explanation", "Comparison", "General")
TOKENS = (" How", " Trouble", " Location", " Expl", " Compar", " General")
"""First tokens of each label, as a tokenizer might split them."""
NOISE = ((" The", -9.0), ("\n", -9.5), (" the", -10.0))
"""Tokens that are no label, as in every real list of likely tokens."""
OLD_VERSION, DECIDING_VERSION = "0.33.0", "0.35.0"
CREATED = "2026-01-01T00:00:00Z"
DIGEST = "a" * 64


@dataclass(frozen=True, slots=True)
class Choice:
    """One scripted answer: a label, its probability, topics and a reason.

    The other labels share the rest.
    """

    label: str = "Troubleshoot"
    probability: float = 0.91
    topics: tuple[str, ...] = ("build", "failure")
    reasoning: str = "Something does not work."

    def probabilities(self) -> dict[str, float]:
        """Return the probabilities of the six labels, with sum 1."""
        rest = (1.0 - self.probability) / (len(LABELS) - 1)
        return {label: self.probability if label == self.label else rest for label in LABELS}


FLAT = Choice("General", 1 / len(LABELS), (), "There is nothing to go by.")
"""Answer to the empty query, so that subtracting the prior changes nothing."""


@dataclass(frozen=True, slots=True)
class Script:
    """The server's single model, with answers to certain queries, and `otherwise` to others."""

    model: str = "scripted:1b"
    queries: Mapping[str, Choice] = field(default_factory=dict)
    otherwise: Choice = field(default_factory=Choice)
    decides: bool = False
    """True if server and model can answer typed questions (POST /v1/systemone)."""

    def choice(self, prompt: str) -> Choice:
        """Return the answer to the last text in double quotes, or to the prompt without quotes."""
        quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', prompt)
        query = json.loads(f'"{quoted[-1]}"', strict=False) if quoted else prompt
        return self.queries.get(query, self.otherwise) if query else FLAT

    def generated(self, body: Json) -> Json:
        """Return the answer to /api/generate: JSON for a format, else one token."""
        prompt = str(body.get("prompt") or "")
        choice = self.choice(prompt)
        if not prompt:
            text, reason = "", "load"
        elif body.get("format"):
            said = {"type": choice.label, "confidence": round(choice.probability * 100)}
            text = json.dumps({**said, "topics": list(choice.topics), "reasoning": choice.reasoning})
            reason = "stop"
        else:
            text, reason = TOKENS[LABELS.index(choice.label)], "length"
        answer = self.wrapped(text) | {"done": True, "done_reason": reason}
        if prompt and body.get("logprobs"):
            answer["logprobs"] = [listed(choice, body.get("top_logprobs") or 0)]
        return answer

    def pulled(self, body: Json) -> list[Json]:
        """Return the lines of the answer to /api/pull; only one model exists."""
        if body.get("model") != self.model:
            return [{"status": "pulling manifest"}, {"error": "pull model manifest: file does not exist"}]
        layer = {"status": f"pulling {DIGEST[:12]}", "digest": f"sha256:{DIGEST}", "total": 1_000_000}
        layers = [{**layer, "completed": done} for done in (250_000, 500_000, 1_000_000)]
        return [{"status": "pulling manifest"}, layer, *layers, {"status": "success"}]

    def wrapped(self, text: object) -> Json:
        return {"model": self.model, "created_at": CREATED, "response": text}

    def decided(self, body: Json) -> Json:
        """Return the answer to /v1/systemone: a probability for each choice of each question."""
        choice = self.choice(str(body.get("state")))
        answers = {}
        for name, question in body["questions"].items():
            known = choice.probabilities()
            weights = {option: known.get(option, 0.0) or 1e-6 for option in question["criteria"]}
            shares = {option: weight / sum(weights.values()) for option, weight in weights.items()}
            best = max(shares, key=lambda option: shares[option])
            answers[name] = {"type": "choice", "choice": best, "probabilities": shares, "confidence": shares[best]}
        return {"model": self.model, "answers": answers, "usage": {"input_tokens": 40, "output_tokens": 0}}

    def about(self, method: str, path: str, body: Json) -> tuple[int, Json | bytes]:
        """Return status and answer to requests about the server and its models."""
        if body.get("model", self.model) != self.model:
            return 404, {"error": f"model '{body['model']}' not found"}
        card = {"name": self.model, "model": self.model, "size": 1_000_000, "digest": DIGEST, "details": {}}
        running = {**card, "expires_at": "2318-01-01T00:00:00Z", "size_vram": 0, "context_length": 2048}
        answers: Mapping[tuple[str, str], Json | bytes] = {
            ("GET", "/api/version"): {"version": DECIDING_VERSION if self.decides else OLD_VERSION},
            ("GET", "/api/tags"): {"models": [{**card, "modified_at": CREATED}]},
            ("GET", "/api/ps"): {"models": [running]},
            ("POST", "/api/show"): {
                "details": {},
                "model_info": {},
                "capabilities": ["completion", "decision"] if self.decides else ["completion"],
            },
        }
        answer = answers.get((method, path))
        return (404, b"404 page not found") if answer is None else (200, answer)


def listed(choice: Choice, top: int) -> Json:
    """Return the log-probabilities of one token in the API's form."""
    shares = choice.probabilities()
    scores = [(token, math.log(shares[label])) for token, label in zip(TOKENS, LABELS, strict=True)]
    ordered = sorted([*scores, *NOISE], key=lambda pair: -pair[1])
    tokens = [{"token": token, "logprob": score, "bytes": list(token.encode())} for token, score in ordered]
    return {**tokens[0], "top_logprobs": tokens[:top]}
