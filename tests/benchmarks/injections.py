"""Value of injected tokens. Run: `python -m tests.benchmarks.injections --data FOLDER`.

A library of some labels of a labelled set (`patterns.jsonl`) is taught, and the set's own queries (`queries.jsonl`) are
asked: half of the labels that are taught, half of others and of none. Under each rule it prints, of the queries on the
topic, how many bring a memory of their label, of all memories brought how many are of it, and of the queries off the
topic how many bring any: those of the set's other labels, which are near it, and those of another set, which are not.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from app.adapters.store.library import SqlLibrary
from app.bootstrap import make_workbench
from app.domain.library import Memory
from app.settings.model import Choices

RULES: Mapping[str, tuple[float, float]] = {
    "the type's threshold alone": (0.0, 0.0),
    "and a confidence of 0.5": (0.5, 0.0),
    "0.5, or certain from 0.8": (0.5, 0.8),
    "0.75, or certain from 0.75": (0.75, 0.75),
    "0.75, or certain from 0.8": (0.75, 0.8),
    "0.75, or certain from 0.85": (0.75, 0.85),
    "0.95, or certain from 0.95": (0.95, 0.95),
}
"""Minimum confidence of a memory with a certain type, and without one.

0 means no minimum; for the second, that no confidence suffices.
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """Query and the label whose memories help with it; "" without any in the library."""

    text: str
    label: str
    is_far: bool = False


def rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def judged(
    folder: Path, far: Path, labels: int, phrases: int, queries: int, seed: int
) -> tuple[list[Memory], list[Asked]]:
    """Make a library of this many labels, and queries on, near and far from its topic.

    Each third of the queries is of one kind.
    """
    dice = Random(seed)
    taught, asked = rows(folder / "patterns.jsonl"), rows(folder / "queries.jsonl")
    every = sorted({row["intent"] for row in taught})
    chosen = set(dice.sample(every, labels))
    memories = []
    for label in sorted(chosen):
        own = [row["text"] for row in taught if row["intent"] == label]
        memories.append(Memory(tuple(dice.sample(own, min(phrases, len(own)))), f"About {label}.", label, id=label))
    on = [Asked(row["text"], row["intent"]) for row in asked if row["intent"] in chosen]
    near = [Asked(row["text"], "") for row in asked if row["intent"] not in chosen]
    strange = [Asked(row["text"], "", is_far=True) for row in rows(far)]
    some = [dice.sample(kind, min(queries // 3, len(kind))) for kind in (on, near, strange)]
    return memories, [one for kind in some for one in kind]


async def measure(memories: Sequence[Memory], asked: Sequence[Asked]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = SqlLibrary.open(Path(folder))
        library.add("memories", list(memories))
        library.close()
        workbench = make_workbench(Choices(Path(folder)))
        await workbench.open(watch=False)
        await workbench.ready()
        await workbench.examples_trained()
        brought: dict[str, list[list[str]]] = {rule: [] for rule in RULES}
        for one in asked:
            inspection = await workbench.settle(one.text)
            for rule, (least, certain) in RULES.items():
                under = {"search_intent.surfacing_confidence": str(least)}
                under["search_intent.certain_confidence"] = str(certain)
                surfaced = await workbench.surface(inspection, under)
                brought[rule].append([entry.memory.id or "" for entry in surfaced.inside])
        await workbench.close()
    print(f"{'rule':32}{'recall':>8}{'precision':>11}{'near':>7}{'far':>7}{'memories':>10}")
    for rule, found in brought.items():
        pairs = list(zip(asked, found, strict=True))
        on = [one.label in ids for one, ids in pairs if one.label]
        near, far = ([bool(ids) for one, ids in pairs if not one.label and one.is_far is far] for far in (False, True))
        every = sum(map(len, found))
        shares = f"{share(on):8.1%}{sum(on) / max(1, every):11.1%}{share(near):7.1%}{share(far):7.1%}"
        print(f"{rule:32}{shares}{every:10,}")


def share(of: Sequence[bool]) -> float:
    return sum(of) / max(1, len(of))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="a labelled set")
    asked.add_argument("--far", type=Path, required=True, metavar="FILE", help="queries of another set")
    for name, usual in (("labels", 30), ("phrases", 20), ("queries", 900), ("seed", 1)):
        asked.add_argument(f"--{name}", type=int, default=usual)
    options = asked.parse_args()
    memories, queries = judged(
        options.data, options.far, options.labels, options.phrases, options.queries, options.seed
    )
    asyncio.run(measure(memories, queries))


if __name__ == "__main__":
    main()
