"""Read the training texts of the encoder, drop those of evaluation sets, and draw batches."""

from __future__ import annotations

import gzip
import json
import random
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OWN = Path(__file__).parent / "own.jsonl"
"""Own libraries of powers and memories, one a line."""

TEXT_FILES = (".jsonl", ".jsonl.gz", ".txt", ".txt.gz")
FEWEST_TEXTS = 4
"""Minimum number of requests of a label."""
MOST_TEXTS, MOST_TEXTS_OF = 80, {"snips": 150, "star": 120, "thing": 40}
"""Maximum number of requests of a label, by default and by set."""
REQUEST_SHARES = {"nlupp-hotels": 1.5, "snips": 0.5, "botfw": 4, "thing": 4, "hass": 1.5, "star": 1.5, "rasa": 1}
PAIR_SHARES = {"own": 0.3, "tldr": 4, "seal-multi": 2, "seal": 1.5, "bfcl": 2.5, "stabletb": 1.5, "registry": 2}
PAIR_SHARES |= {"toolalpaca": 0.5, "hass": 0.5}
"""Weights of the sets in the draw of a batch; 1 for other sets."""
REQUESTS, PAIRS = 64, 36
"""Batch sizes of requests and of pairs."""
MIXED, FEWEST_LABELS = 0.3, 20
"""Share of request batches over all sets; minimum number of labels of a batch from one set."""
WITH_NEGATIVE = 0.7
TWO_REQUESTS = 0.2
"""Share of the powers of own libraries that are drawn with two requests, without a description."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A request, its description, and other descriptions that were offered with it."""

    request: str
    description: str
    power: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """Own library: texts that say what each item is for, requests for each, and requests for none of them.

    The first are the description of a power, with and without its name, or the triggers of a memory.
    """

    of_powers: bool
    items: list[tuple[list[str], list[str]]]
    unserved: list[str]


@dataclass(slots=True)
class Prepared:
    """Training data, and the number of texts of each file that evaluation sets contain."""

    requests: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    pairs: dict[str, list[Pair]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    libraries: list[Library] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def counts(self) -> dict[str, object]:
        """Return the counts for the report: labels and requests, pairs, other texts, dropped texts."""
        return {
            "requests": {name: [len(of), sum(map(len, of.values()))] for name, of in self.requests.items()},
            "pairs": {name: len(of) for name, of in self.pairs.items()},
            "others": len(self.others),
            "libraries": [len(self.libraries), sum(len(one.items) for one in self.libraries)],
            "dropped": dict(self.dropped),
        }


def normalised(text: str) -> str:
    """Return the letters and digits of a text, case-folded, with one space between words."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(sign if sign.isalnum() else " " for sign in folded).split())


def lines(file: Path) -> list[str]:
    """Return the lines of a text file that are not blank; unpack a .gz file."""
    content = file.read_bytes()
    told = (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8")
    return [line for line in told.split("\n") if line.strip()]


def strings_of(value: object) -> Iterator[str]:
    """Yield all strings of a record, also in nested lists and records."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings_of(part)


def measured(paths: Iterable[Path]) -> set[str]:
    """Return the normalised texts of evaluation sets, which are files or folders."""
    found: set[str] = set()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [file for file in files if file.name.endswith(TEXT_FILES)]
        if not files:
            raise SystemExit(
                f"{path} has no {', '.join(TEXT_FILES)} file. Give a folder or a file with evaluation texts."
            )
        for file in files:
            plain = ".txt" in file.suffixes
            for line in lines(file):
                found.update(map(normalised, [line] if plain else strings_of(json.loads(line))))
    return found - {""}


def read(folder: Path, forbidden: set[str], seed: int) -> Prepared:
    """Read intents, pairs and other texts of a folder, without forbidden ones, shuffled by the seed."""
    chance, found = random.Random(seed), Prepared()

    def allowed(name: str, *texts: str) -> bool:
        kept = not any(normalised(text) in forbidden for text in texts)
        found.dropped[name] += not kept
        return kept

    requests: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in map(json.loads, lines(file_of(folder, "intents.jsonl"))):
        if allowed("intents", row["text"]):
            requests[row["set"]][row["label"]].append(row["text"])
    for name, labels in requests.items():
        for texts in labels.values():
            chance.shuffle(texts)
        most = MOST_TEXTS_OF.get(name, MOST_TEXTS)
        found.requests[name] = {label: of[:most] for label, of in labels.items() if len(of) >= FEWEST_TEXTS}
    for row in map(json.loads, lines(file_of(folder, "pairs.jsonl"))):
        if allowed("pairs", row["q"], row["d"]):
            others = tuple(text for text in row.get("neg", ()) if allowed("negatives", text))
            found.pairs.setdefault(row["set"], []).append(Pair(row["q"], row["d"], row["did"], others))
    for pairs in found.pairs.values():
        chance.shuffle(pairs)
    found.others = [text for text in lines(file_of(folder, "texts.txt")) if allowed("texts", text)]
    found.libraries = [library(json.loads(line), allowed) for line in lines(OWN)]
    return found


def library(row: dict[str, Any], allowed: Callable[[str, str], bool]) -> Library:
    """Make a library from a line of OWN, without forbidden texts."""

    def kept(texts: list[str]) -> list[str]:
        return [text for text in texts if allowed("own", text)]

    of_powers = row["kind"] == "powers"
    items = [(kept(item["texts"]), kept(item["requests"]), item["name"]) for item in row["items"]]
    named = [([*told, f"{name}: {told[0]}"] if of_powers else told, asked) for told, asked, name in items if told]
    return Library(of_powers, [item for item in named if len(item[1]) > 1], kept(row["unserved"]))


def file_of(folder: Path, name: str) -> Path:
    """Return the path of a file of the prepared data, plain or in .gz."""
    for file in (folder / name, folder / f"{name}.gz"):
        if file.is_file():
            return file
    raise SystemExit(f"{folder} has no {name} and no {name}.gz. Give the folder with the prepared training data.")


class Draws:
    """Batches of a run, drawn with its seed."""

    def __init__(self, prepared: Prepared, seed: str) -> None:
        self.chance = random.Random(seed)
        self._requests = {name: labels for name, labels in prepared.requests.items() if labels}
        self._pairs = prepared.pairs
        self._next: Counter[str] = Counter()
        self._libraries, self._left = prepared.libraries, list[Library]()

    def requests(self) -> tuple[list[str], list[int]]:
        """Draw two or three requests of each of up to 32 labels; return texts and label numbers."""
        name = self._set(REQUEST_SHARES, self._requests)
        labels = list(self._requests[name].values())
        if self.chance.random() < MIXED or len(labels) < FEWEST_LABELS:
            labels = [texts for of in self._requests.values() for texts in of.values()]
        labels = self.chance.sample(labels, min(len(labels), REQUESTS // 2))
        each = min(3, max(2, REQUESTS // len(labels)))
        drawn = [(text, place) for place, of in enumerate(labels) for text in self.chance.sample(of, each)]
        return [text for text, _ in drawn], [place for _, place in drawn]

    def pairs(self) -> tuple[list[Pair], list[str]]:
        """Draw pairs of different powers of one set, and descriptions that match none of them."""
        name = self._set(PAIR_SHARES, self._pairs)
        of, batch = self._pairs[name], dict[str, Pair]()
        for _ in range(10 * PAIRS):
            pair = of[self._next[name] % len(of)]
            self._next[name] += 1
            batch.setdefault(pair.power, pair)
            if len(batch) == PAIRS:
                break
        drawn = list(batch.values())
        right = {pair.description for pair in drawn}
        offered = [pair for pair in drawn if pair.others and self.chance.random() < WITH_NEGATIVE]
        wrong = [self.chance.choice(pair.others) for pair in offered[: PAIRS // 2]]
        return drawn, [text for text in wrong if text not in right]

    def libraries(self) -> tuple[list[str], list[str], list[str]]:
        """Draw whole libraries; return two texts of each item, in two lists, and requests for none of them.

        The second text is a request; so is the first of some powers, and either may be a trigger of a memory.
        """
        first, second, unserved = list[str](), list[str](), list[str]()
        while len(first) < PAIRS:
            if not self._left:
                self._left = self.chance.sample(self._libraries, len(self._libraries))
            drawn = self._left.pop()
            for told, asked in drawn.items:
                if not drawn.of_powers or self.chance.random() < TWO_REQUESTS:
                    one, other = self.chance.sample(asked if drawn.of_powers else [*told, *asked], 2)
                else:
                    one, other = self.chance.choice(told), self.chance.choice(asked)
                first.append(one)
                second.append(other)
            unserved += drawn.unserved
        return first, second, unserved

    def _set(self, shares: dict[str, float], sets: Iterable[str]) -> str:
        names = list(sets)
        return self.chance.choices(names, [shares.get(name, 1) for name in names])[0]
