"""Tune the upper layers with torch, and write 8-bit weights with onnx."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from texts import Draws
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import AutoModel

KEPT_LAYERS = 3
"""Number of lower layers that are not trained, as the embeddings."""
MOST_TOKENS, TOGETHER = 40, 32
WARMTH = 0.05
WARM_UP, LEAST_RATE, DECAY, LONGEST_STEP = 0.06, 0.02, 0.01, 1.0
FAR = -1e9

State = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Run:
    """Training run: steps of the planned ones, learning rate, and weights of its kinds of batches."""

    name: str
    steps: int
    planned: int
    rate: float
    requests: float = 1.0
    pairs: float = 1.0
    cosines: float = 0.0
    libraries: float = 0.0


@dataclass(frozen=True, slots=True)
class Teacher:
    """Texts with unit vectors of a larger encoder."""

    texts: list[str]
    vectors: np.ndarray


class Encoder:
    """Encoder in a folder: normalised means of the last layer."""

    def __init__(self, folder: Path, layers: State | None = None) -> None:
        self.model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        self.model.requires_grad_(requires_grad=False)
        if layers is not None:
            self.model.load_state_dict({name: torch.tensor(value) for name, value in layers.items()}, strict=False)
        self._tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokens.no_padding()
        self._tokens.enable_truncation(MOST_TOKENS)

    def __call__(self, texts: list[str]) -> torch.Tensor:
        """Encode texts in groups of similar length; shape (texts, dimension)."""
        unique = list(dict.fromkeys(texts))
        numbers = [found.ids for found in self._tokens.encode_batch(unique)]
        order = sorted(range(len(unique)), key=lambda place: len(numbers[place]))
        groups = np.array_split(np.array(order), max(1, len(order) // TOGETHER))
        vectors = torch.cat([self._group([numbers[place] for place in group]) for group in groups])
        place_of = {unique[place]: row for row, place in enumerate(order)}
        return vectors[[place_of[text] for text in texts]]

    def _group(self, numbers: list[list[int]]) -> torch.Tensor:
        rows = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in numbers], batch_first=True)
        lengths = torch.tensor([len(row) for row in numbers])
        used = (torch.arange(rows.shape[1])[None] < lengths[:, None]).long()
        hidden = self.model(input_ids=rows, attention_mask=used).last_hidden_state
        weight = used[..., None].float()
        return functional.normalize((hidden * weight).sum(1) / weight.sum(1), dim=1)

    def layers(self) -> State:
        """Return a copy of the tuned weights."""
        names = tuple(f"encoder.layer.{place}." for place in range(KEPT_LAYERS, len(self.model.encoder.layer)))
        return {name: value.numpy().copy() for name, value in self.model.state_dict().items() if name.startswith(names)}


def taught(encoder: Encoder, texts: list[str]) -> Teacher:
    """Encode texts with an encoder."""
    with torch.inference_mode():
        return Teacher(texts, encoder(texts).numpy())


def requests_loss(encoder: Encoder, draws: Draws) -> torch.Tensor:
    """Return the supervised contrastive loss of a batch of requests."""
    texts, labels = draws.requests()
    vectors, label = encoder(texts), torch.tensor(labels)
    itself = torch.eye(len(texts), dtype=torch.bool)
    scores = (vectors @ vectors.T / WARMTH).masked_fill(itself, FAR)
    same = (label[:, None] == label[None]) & ~itself
    chances = scores - scores.logsumexp(1, keepdim=True)
    return -((chances * same).sum(1) / same.sum(1).clamp(min=1)).mean()


def pairs_loss(encoder: Encoder, draws: Draws) -> torch.Tensor:
    """Return the InfoNCE loss of a batch of pairs, in both directions."""
    pairs, wrong = draws.pairs()
    count, requests = len(pairs), [pair.request for pair in pairs]
    vectors = encoder([*requests, *(pair.description for pair in pairs), *wrong])
    scores = vectors[:count] @ vectors[count:].T / WARMTH
    twice = [[row != column and a == b for column, b in enumerate(requests)] for row, a in enumerate(requests)]
    scores[:, :count] = scores[:, :count].masked_fill(torch.tensor(twice), FAR)
    right = torch.arange(count)
    backwards = functional.cross_entropy(scores[:, :count].T, right)
    return 0.6 * functional.cross_entropy(scores, right) + 0.4 * backwards


def libraries_loss(encoder: Encoder, draws: Draws) -> torch.Tensor:
    """Return the InfoNCE loss both ways of whole libraries; unserved requests are wrong for all."""
    first, second, unserved = draws.libraries()
    vectors, count = encoder([*first, *second, *unserved]), len(first)
    scores, right = vectors[count:] @ vectors[:count].T / WARMTH, torch.arange(count)
    backwards = functional.cross_entropy(scores.T, right)
    return 0.6 * functional.cross_entropy(scores[:count], right) + 0.4 * backwards


def cosines_loss(encoder: Encoder, draws: Draws, teacher: Teacher) -> torch.Tensor:
    """Return the difference to the teacher's cosines on neighbouring and random texts."""
    everything = range(len(teacher.texts))
    near = [np.argsort(-(teacher.vectors @ teacher.vectors[at]))[:10] for at in draws.chance.choices(everything, k=6)]
    drawn = sorted({*np.concatenate(near).tolist(), *draws.chance.choices(everything, k=64)})
    drawn = draws.chance.sample(drawn, min(64, len(drawn)))
    vectors, target = encoder([teacher.texts[at] for at in drawn]), torch.from_numpy(teacher.vectors[drawn])
    ours, theirs = vectors @ vectors.T, target @ target.T
    itself = torch.eye(len(drawn), dtype=torch.bool)
    chances = (theirs / WARMTH).masked_fill(itself, FAR).softmax(1)
    guesses = (ours / WARMTH).masked_fill(itself, FAR).log_softmax(1)
    apart = ((theirs - ours) ** 2).masked_fill(itself, 0).mean()
    return -(chances * guesses).masked_fill(itself, 0).sum(1).mean() + 10 * apart


def tune(run: Run, encoder: Encoder, draws: Draws, teacher: Teacher | None) -> dict[str, object]:
    """Tune the encoder's upper layers in place; return losses and times."""
    torch.manual_seed(draws.chance.randrange(2**31))
    upper = encoder.model.encoder.layer[KEPT_LAYERS:]
    upper.requires_grad_(requires_grad=True)
    weights = list(upper.parameters())
    flat, deep = [w for w in weights if w.dim() == 1], [w for w in weights if w.dim() > 1]
    groups = [{"params": deep, "weight_decay": DECAY}, {"params": flat, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=run.rate)
    shares = {"requests": run.requests, "pairs": run.pairs, "cosines": run.cosines if teacher else 0.0}
    shares["libraries"] = run.libraries
    losses: dict[str, list[float]] = defaultdict(list)
    began, worked = time.monotonic(), time.process_time()
    for step in range(1, run.steps + 1):
        kind = draws.chance.choices(list(shares), list(shares.values()))[0]
        if kind == "requests":
            loss = requests_loss(encoder, draws)
        elif kind == "libraries":
            loss = libraries_loss(encoder, draws)
        elif kind == "pairs" or teacher is None:
            loss = pairs_loss(encoder, draws)
        else:
            loss = cosines_loss(encoder, draws, teacher)
        losses[kind].append(float(loss.detach()))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, LONGEST_STEP)
        for group in optimizer.param_groups:
            group["lr"] = run.rate * pace(step / run.planned)
        optimizer.step()
        if step % 25 == 0 or step == run.steps:
            means = {name: round(float(np.mean(of[-20:])), 3) for name, of in losses.items()}
            print(f"{run.name} {step}/{run.steps} {means} {time.process_time() - worked:.0f} CPU seconds", flush=True)
    return {
        "steps": run.steps,
        "processor_seconds": round(time.process_time() - worked),
        "seconds": round(time.monotonic() - began),
        "losses": {name: [round(value, 4) for value in of] for name, of in losses.items()},
    }


def pace(done: float) -> float:
    """Return the share of the learning rate: linear warm-up, then linear decay."""
    return min(1.0, done / WARM_UP) * max(LEAST_RATE, 1 - max(0.0, done - WARM_UP) / (1 - WARM_UP))


def averaged(states: list[tuple[float, State]]) -> State:
    """Return the weighted mean of tuned layers."""
    return {name: sum(np.float32(share) * state[name] for share, state in states) for name in states[0][1]}


def export(layers: State, template: Path, target: Path) -> None:
    """Write the template with these layers.

    Matrices become 8-bit with one scale per output; the rest of the graph is unchanged.
    """
    model = onnx.load(template)
    stored = {tensor.name: tensor for tensor in model.graph.initializer}

    def put(name: str, value: np.ndarray) -> None:
        stored[name].CopyFrom(numpy_helper.from_array(value, name))

    matrices = {node.name: node.input[1] for node in model.graph.node if node.op_type == "MatMul"}
    for name, value in layers.items():
        plain = value.astype(np.float32)
        if plain.ndim == 1:
            put(f"m.{name}", plain)
        else:
            held = matrices[
                "/m/" + name.removesuffix(".weight").replace(".", "/").replace("layer/", "layer.") + "/MatMul"
            ]
            scale = np.maximum(np.abs(plain.T).max(0, keepdims=True), 1e-9) / 127
            put(f"{held}_q", np.clip(np.round(plain.T / scale), -127, 127).astype(np.int8))
            put(f"{held}_s", scale.astype(np.float32))
    onnx.save(model, target)
