"""Fit how sharply meaning divides a label among its memories, and measure what coverage injects.

    python packaging/coverage.py DATA [--queries 600]

DATA holds clinc150, banking77 and question_type (resources/datasets/README.md names their sources). Intents are drawn
with a fixed seed; two thirds of the labels are made of three related intents each, so that the right memory of a label
is known. A library is asked the set's own queries: half of them on the topic, a quarter near it (intents that were not
drawn) and a quarter far from it. It prints the loss of the right memory within its label by SHARPNESS, which is fitted
on one set and judged on the other, and for each rule the share of on-topic queries whose right memory is injected, the
memories per on-topic query, and the shares of near and far queries that inject any.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from app.adapters.encoders.minilm import MiniLm
from app.adapters.store.library import SqlLibrary
from app.bootstrap import make_workbench
from app.detect.surfacing import Limits, most_surfaced
from app.domain.library import Memory
from app.settings.model import Choices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.scope.inspection import Inspection
    from app.settings.model import Settings

SETS = ("clinc150", "banking77")
LABELS, RELATED, PHRASES = 25, 3, (3, 6, 12)
"""Labels of a library, intents of most of them, and phrases of each intent, by library."""

SAMPLED = 12
"""Number of phrases whose mean stands for an intent."""

STEPS = np.arange(8.0, 31.0, 1.0)

UNDIVIDED = "undivided"
"""Rule without labels divided: each memory whose own share reaches the minimum confidence."""

RULES: dict[str, dict[str, str]] = {
    "divided, no coverage": {"search_intent.surfacing_coverage": "0"},
    "coverage 0.5": {"search_intent.surfacing_coverage": "0.5"},
    "coverage 0.75": {"search_intent.surfacing_coverage": "0.75"},
    "coverage 0.9": {"search_intent.surfacing_coverage": "0.9"},
}


@dataclass(frozen=True)
class Asked:
    """Query with the right memory, "near" or "far" for none, the semantic scores within its label, right first, and the
    memories that each rule injects."""

    right: str
    within: tuple[float, ...]
    injected: dict[str, tuple[str, ...]]


def rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def related(own: dict[str, list[str]], dice: Random) -> list[list[str]]:
    """Draw labels, each with its intents; the related ones are nearest by the means of some phrases."""
    names = sorted(own)
    texts = [own[name][:SAMPLED] for name in names]
    encoder = MiniLm.load()
    means = np.array([encoder.encode_layers(some)[0].astype(np.float32).mean(axis=0) for some in texts])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    left, found = dice.sample(range(len(names)), len(names)), list[list[str]]()
    while left and len(found) < LABELS:
        first = left.pop()
        others = sorted(left, key=lambda one: -float(means[first] @ means[one]))[: RELATED - 1]
        others = others if len(found) % 3 != 2 else []
        left = [one for one in left if one not in others]
        found.append([names[one] for one in (first, *others)])
    return found


def drawn(data: Path, name: str, phrases: int, queries: int, seed: int) -> tuple[list[Memory], list[tuple[str, str]]]:
    """Return a library, and its queries with what is right."""
    dice, own = Random(seed), dict[str, list[str]]()
    for row in rows(data / name / "patterns.jsonl"):
        own.setdefault(row["intent"], []).append(row["text"])
    memories = [
        Memory(tuple(dice.sample(own[intent], phrases)), f"About {intent}.", f"label {number}", id=intent)
        for number, intents in enumerate(related(own, dice))
        for intent in intents
    ]
    taught = {memory.id for memory in memories}
    asked = [(row["text"], row["intent"]) for row in rows(data / name / "queries.jsonl")]
    on = [pair for pair in asked if pair[1] in taught]
    near = [(text, "near") for text, intent in asked if intent not in taught]
    far = [(row["text"], "far") for row in rows(data / "question_type" / "nfcats.jsonl")]
    kinds = (on, queries // 2), (near, queries // 4), (far, queries // 4)
    return memories, [pair for kind, count in kinds for pair in dice.sample(kind, min(count, len(kind)))]


async def answered(memories: Sequence[Memory], queries: Sequence[tuple[str, str]]) -> list[Asked]:
    with TemporaryDirectory() as folder:
        library = SqlLibrary.open(Path(folder))
        library.add_memories(list(memories))
        library.close()
        workbench = make_workbench(Choices(Path(folder), pairs=(f"matches={len(memories)}",)))
        await workbench.open(watch=False)
        await workbench.ready()
        await workbench.examples_trained()
        found = []
        for text, right in queries:
            inspection = await workbench.settle(text)
            brought = {UNDIVIDED: undivided(inspection, workbench.settings)}
            for rule, under in RULES.items():
                surfaced = await workbench.surface(inspection, under)
                brought[rule] = tuple(entry.memory.name for entry in surfaced.inside)
            found.append(Asked(right, within_label(inspection, right), brought))
        await workbench.close()
        return found


def undivided(inspection: Inspection, settings: Settings) -> tuple[str, ...]:
    """Return the memories that are injected where the label is not divided among them."""
    limits = Limits.of(settings)
    row = limits.row(inspection.intent)
    shares = []
    for one in inspection.memories:
        steps = {step.name: step.result for step in one.steps}
        shares.append((math.exp(steps["evidence"] - steps["all"]) if one.confidence else 0.0, one.answer.name))
    ranked = sorted(shares, reverse=True)[: most_surfaced(row)]
    return tuple(name for share, name in ranked if share >= limits.least(row))


def within_label(inspection: Inspection, right: str) -> tuple[float, ...]:
    """Return the semantic scores of the right memory, then of its rivals."""
    own = {one.answer.name: one for one in inspection.memories}
    if right not in own:
        return ()
    label = own[right].answer.answer_label
    rivals = [one for one in inspection.memories if one.answer.answer_label == label and one is not own[right]]
    return tuple(one.scores["semantic"] or 0.0 for one in (own[right], *rivals))


def loss(asked: Sequence[Asked], sharpness: float) -> float:
    """Return the mean loss of the right memory within its label."""
    found = [np.array(one.within) * sharpness for one in asked if len(one.within) > 1]
    return float(np.mean([np.logaddexp.reduce(one) - one[0] for one in found]))


def table(asked: Sequence[Asked]) -> None:
    """Print what each rule injects."""
    on = [one for one in asked if one.right not in ("near", "far")]
    for rule in (UNDIVIDED, *RULES):
        recall = np.mean([one.right in one.injected[rule] for one in on])
        count = np.mean([len(one.injected[rule]) for one in on])
        near, far = (
            np.mean([bool(one.injected[rule]) for one in asked if one.right == kind]) for kind in ("near", "far")
        )
        print(f"  {rule:20} recall {recall:.3f}, {count:.2f} memories; near {near:.3f}, far {far:.3f}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("data", type=Path)
    asked.add_argument("--queries", type=int, default=600)
    options = asked.parse_args()
    every: dict[str, list[Asked]] = {name: [] for name in SETS}
    for name in SETS:
        for seed, phrases in enumerate(PHRASES, 1):
            memories, queries = drawn(options.data, name, phrases, options.queries, seed)
            found = asyncio.run(answered(memories, queries))
            print(f"{name}, {len(memories)} memories of {phrases} phrases, {len(queries)} queries", flush=True)
            table(found)
            every[name] += found
    for name, other in (SETS, SETS[::-1]):
        best = min(STEPS, key=lambda step: loss(every[other], step))
        print(f"{name}: sharpness {best:.0f} fitted on {other}, loss {loss(every[name], best):.3f}")
    whole = [one for found in every.values() for one in found]
    best = min(STEPS, key=lambda step: loss(whole, step))
    print(f"sharpness {best:.0f} on both, loss {loss(whole, best):.3f}")


if __name__ == "__main__":
    main()
