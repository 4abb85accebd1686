"""Fit what divides a label among its memories, and measure what coverage injects.

    python packaging/coverage.py DATA [--queries 600] [--fit]

DATA holds clinc150, banking77, metatool and question_type (resources/datasets/README.md names their sources). Intents
are drawn with a fixed seed; two thirds of the labels are made of three related intents each, so that the right memory
of a label is known. --fit prints WITHIN_WEIGHTS, fitted on libraries whose memories have different numbers of phrases,
and for each set the share of queries whose right memory is first in its label, and the loss, with weights fitted on the
others; it takes scipy. Without it, a library is asked the set's own queries: half of them on the topic, a quarter near
it (intents that were not drawn) and a quarter far from it. For each rule it prints the share of on-topic queries whose
right memory is injected, the memories per on-topic query, and the shares of near and far queries that inject any.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.adapters.encoders.minilm import MiniLm
from app.adapters.store.library import SqlLibrary
from app.bootstrap import make_workbench
from app.detect.surfacing import Limits, most_surfaced
from app.domain.library import Memory
from app.scoring.columns.column import Floats
from app.scoring.index.scales import within_features
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.shares import WITHIN_WEIGHTS
from app.scoring.text import ScoredText
from app.settings.model import Choices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.domain.inspection import Inspection
    from app.settings.model import Settings

SETS = ("clinc150", "banking77")
LABELS, RELATED, PHRASES = 25, 3, (3, 6, 12)
"""Labels of a library, intents of most of them, and phrases of each intent, by library."""

SAMPLED = 12
"""Number of phrases whose mean stands for an intent."""

FITTED = (*SETS, "metatool")
"""Sets that weights are fitted on.

MetaTool has queries only: a third of them are asked, the others serve as phrases.
"""

MIXED = (1, 1, 2, 3, 5, 8, 12)
"""Numbers of phrases of a memory in a fit, each as likely."""

DRAWS = 12
"""Libraries of each set in a fit."""

MEANING_ALONE = 18.0
"""Best weight of the semantic score without the others, to compare with."""

RIDGE = 1e-5
"""Pull of each weight of a fit to 0, relative to the mean loss."""

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
    """Query with the right memory, "near" or "far" for none, and the memories that each rule injects."""

    right: str
    injected: dict[str, tuple[str, ...]]


def rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def phrases_of(data: Path, name: str) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Return the phrases of each intent, and the queries with their intents."""
    own: dict[str, list[str]] = {}
    if name == "metatool":
        single = [
            (row["text"], row["tools"][0]) for row in rows(data / name / "queries.jsonl") if row["kind"] == "single"
        ]
        asked = single[::3]
        taught = [pair for place, pair in enumerate(single) if place % 3]
    else:
        asked = [(row["text"], row["intent"]) for row in rows(data / name / "queries.jsonl")]
        taught = [(row["text"], row["intent"]) for row in rows(data / name / "patterns.jsonl")]
    for text, intent in taught:
        own.setdefault(intent, []).append(text)
    return {intent: texts for intent, texts in own.items() if len(texts) >= SAMPLED}, asked


class Vectors:
    """Vectors of texts, each computed once."""

    def __init__(self) -> None:
        self._known: dict[str, NDArray[np.float32]] = {}

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            made = MiniLm.load().encode_layers(missing)[0].astype(np.float32)
            self._known |= zip(missing, made, strict=True)
        return np.array([self._known[text] for text in texts])


def related(own: dict[str, list[str]], dice: Random, vectors: Vectors) -> list[list[str]]:
    """Draw labels, each with its intents; the related ones are nearest by the means of some phrases."""
    names = sorted(own)
    means = np.array([vectors.of(own[name][:SAMPLED]).mean(axis=0) for name in names])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    left, found = dice.sample(range(len(names)), len(names)), list[list[str]]()
    while left and len(found) < LABELS:
        first = left.pop()
        others = sorted(left, key=lambda one: -float(means[first] @ means[one]))[: RELATED - 1]
        others = others if len(found) % 3 != 2 else []
        left = [one for one in left if one not in others]
        found.append([names[one] for one in (first, *others)])
    return found


def taught_library(own: dict[str, list[str]], phrases: Sequence[int], dice: Random, vectors: Vectors) -> list[Memory]:
    """Draw a library whose memories have one of these numbers of phrases."""
    return [
        Memory(tuple(dice.sample(own[intent], dice.choice(phrases))), f"About {intent}.", f"label {number}", id=intent)
        for number, intents in enumerate(related(own, dice, vectors))
        for intent in intents
    ]


def drawn(data: Path, name: str, phrases: int, queries: int, seed: int) -> tuple[list[Memory], list[tuple[str, str]]]:
    """Return a library, and its queries with what is right."""
    dice, (own, asked) = Random(seed), phrases_of(data, name)
    memories = taught_library(own, (phrases,), dice, Vectors())
    taught = {memory.id for memory in memories}
    on = [pair for pair in asked if pair[1] in taught]
    near = [(text, "near") for text, intent in asked if intent not in taught]
    far = [(row["text"], "far") for row in rows(data / "question_type" / "nfcats.jsonl")]
    kinds = (on, queries // 2), (near, queries // 4), (far, queries // 4)
    return memories, [pair for kind, count in kinds for pair in dice.sample(kind, min(count, len(kind)))]


async def answered(memories: Sequence[Memory], queries: Sequence[tuple[str, str]]) -> list[Asked]:
    with TemporaryDirectory() as folder:
        library = SqlLibrary.open(Path(folder))
        library.add("memories", list(memories))
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
            found.append(Asked(right, brought))
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


# ---- the fit


def tells(data: Path, name: str, vectors: Vectors) -> Floats:
    """Return the features of the memories of the right label, shape (queries, memories, 3).

    The right memory is first; absent ones are NaN.
    """
    own, asked = phrases_of(data, name)
    found = list[Floats]()
    for seed in range(DRAWS):
        memories = taught_library(own, MIXED, Random(seed), vectors)
        index = TriggerIndex(vectors.of(memories[0].triggers).shape[1])
        index.put(replace(memory, key=key) for key, memory in enumerate(memories, 1))
        texts = index.unembedded()
        index.embed(dict(zip(texts, vectors.of(texts), strict=True)))
        layout = index.layout()
        places = {memory.id: place for place, memory in enumerate(memories)}
        some = [(text, places[right]) for text, right in asked if right in places]
        for (text, place), vector in zip(some, vectors.of([text for text, _ in some]), strict=True):
            rivals = np.flatnonzero(layout.groups == layout.groups[place])
            if len(rivals) > 1:
                first = np.concatenate(([place], rivals[rivals != place]))
                found.append(within_features(index.score(ScoredText(text, vector)), first))
    every = np.full((len(found), max(map(len, found)), len(WITHIN_WEIGHTS)), np.nan)
    for row, one in enumerate(found):
        every[row, : len(one)] = one
    return every


def preferences(found: Floats, weights: Floats) -> Floats:
    """Return the log-odds of each memory; -inf of absent ones."""
    values: Floats = np.nan_to_num(found) @ weights
    return np.where(np.isnan(found[:, :, 0]), -np.inf, values)


def loss(found: Floats, weights: Floats) -> float:
    """Return the mean loss of the right memory within its label."""
    values = preferences(found, weights)
    return float(np.mean(np.logaddexp.reduce(values, axis=1) - values[:, 0]))


def fitted(sets: Sequence[Floats]) -> Floats:
    """Return the weights of least mean loss, each set counting the same."""
    from scipy.optimize import minimize

    def value(weights: Floats) -> float:
        return float(np.mean([loss(found, weights) for found in sets])) + RIDGE * float(weights @ weights)

    best: Floats = minimize(value, np.array(list(WITHIN_WEIGHTS.values()))).x
    return best


def fit(data: Path) -> None:
    """Print weights, and how they fare on each set where they were fitted on the others."""
    vectors = Vectors()
    every = {name: tells(data, name, vectors) for name in FITTED}
    meaning = np.array([MEANING_ALONE, 0.0, 0.0])
    for name, found in every.items():
        others = fitted([other for key, other in every.items() if key != name])
        for what, weights in (("meaning alone", meaning), ("fitted on the others", others)):
            values = preferences(found, weights)
            first = np.mean(values[:, 0] >= values[:, 1:].max(axis=1))
            print(f"{name}, {len(found)} queries, {what}: first {first:.3f}, loss {loss(found, weights):.3f}")
    print(dict(zip(WITHIN_WEIGHTS, fitted(list(every.values())).round(2).tolist(), strict=True)))


# ---- what is injected


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
    asked.add_argument("--fit", action="store_true", help="fit the weights within a label")
    options = asked.parse_args()
    if options.fit:
        return fit(options.data)
    for name in SETS:
        for seed, phrases in enumerate(PHRASES, 1):
            memories, queries = drawn(options.data, name, phrases, options.queries, seed)
            found = asyncio.run(answered(memories, queries))
            print(f"{name}, {len(memories)} memories of {phrases} phrases, {len(queries)} queries", flush=True)
            table(found)
    return None


if __name__ == "__main__":
    main()
