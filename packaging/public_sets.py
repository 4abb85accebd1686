"""Libraries for the fits of weights.py, drawn from public sets with a fixed seed, and their queries."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.domain.library import Power, Tool
from app.scoring.columns.bm25 import VOID
from app.scoring.learned.defaults import (
    FEWER_PHRASES,
    MANY_POWERS,
    described,
    few_powers,
    for_few_phrases,
    of_many,
    taught_powers,
)
from app.scoring.learned.fit import LabelledBatch, View
from app.scoring.learned.logit import ChoiceSets
from app.scoring.learned.model import Weights
from app.scoring.learned.regression import Problem, centre_of, inputs_of, letters_of_each, solve
from app.scoring.learned.taught import NONE, OutOfScopeTexts, TrainingSet
from app.scoring.text import words

PROJECT = Path(__file__).resolve().parent.parent
OURS = PROJECT / "tests" / "benchmarks" / "libraries.jsonl"

ASKED, STRANGERS = 300, 150
"""Maximum number of in-scope queries of a library, and of each kind of out-of-scope queries."""

MEMORY_SHARES = {"own": 0.92, "label": 0.03, "elsewhere": 0.05}
POWER_SHARES = {"own": 0.65, "label": 0.05, "elsewhere": 0.30}
DESCRIBED_SHARES = {"own": 0.50, "label": 0.05, "elsewhere": 0.45}
DESCRIBED_SHARES_WITH_REQUESTS = {"own": 0.50, "label": 0.05, "elsewhere": 0.25, "requests": 0.20}
EVEN_SHARES = {"own": 0.50, "label": 0.25, "elsewhere": 0.25}
"""Shares of queries: in scope, of left-out labels, of other sets, and requests for no power.

Described powers have as many out-of-scope queries as others, since much of what people type is for no power.
"""

NEAR_SHARE = 0.07
"""Share of near misses of keywords, on top of these."""

ABOUT_A_WORD = (
    "what does {} mean", "history of {}", "what does {} stand for", "I talked about {} yesterday", "who invented {}",
    "my friend hates {}", "is {} a good word for my essay", "why is everybody talking about {}", "define {}",
    "I read an article on {}", "{} is overrated", "when did {} become popular",
)  # fmt: skip
"""Sentences about a word that ask for nothing that a power named by it does."""

SERVED = {"calendar", "calendar_update", "meeting_schedule", "schedule_meeting", "weather", "reminder",
          "reminder_update", "todo_list", "todo_list_update", "pay_bill", "text", "transactions"}  # fmt: skip
"""Labels of CLINC150 that a power of the seed library may serve.

Requests of other labels are out of scope for that library.
"""

Rows = list[dict[str, Any]]
Phrase = tuple[int, str, bool, bool, bool]
"""Label number, text, is a query, is one of several paragraphs, only names a power."""

Queries = Sequence[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Library:
    """Queries of a library, and the numbers that its weights depend on."""

    name: str
    along: tuple[float, ...]
    asked: ChoiceSets
    before: Weights
    share: float = 1.0
    """Weight among the libraries."""


class Texts:
    """Vectors of texts by the shipped encoder, each computed once."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._places: dict[str, int] = {}
        self._cosine, self._learned = np.zeros((0, 384), np.float16), np.zeros((0, 384), np.float16)
        if file is not None and file.is_file():
            held = np.load(file, allow_pickle=False)
            self._cosine, self._learned = held["cosine"], held["learned"]
            self._places = {text: place for place, text in enumerate(held["texts"].tolist())}

    def need(self, texts: Sequence[str]) -> None:
        """Encode texts that are not known yet, and cache their vectors."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._places]
        if not missing:
            return
        from app.adapters.encoders.minilm import MiniLm

        cosine, learned = MiniLm.load().encode_layers(missing)
        self._places |= {text: len(self._places) + number for number, text in enumerate(missing)}
        self._cosine = np.concatenate([self._cosine, cosine.astype(np.float16)])
        self._learned = np.concatenate([self._learned, learned.astype(np.float16)])
        if self._file is not None:
            np.savez(self._file, texts=np.array(list(self._places)), cosine=self._cosine, learned=self._learned)

    def of(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the vectors for cosines, and those for the regression."""
        places = [self._places[text] for text in texts]
        return self._cosine[places].astype(np.float32), self._learned[places].astype(np.float32)


def rows(file: Path) -> Rows:
    """Read the records of a file of JSON Lines."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def half(text: str) -> int:
    """Return 0 for a text of the training half, 1 for one of the test half, by its digest."""
    return hashlib.sha256(text.casefold().encode()).digest()[0] % 2


# ---- Libraries and their queries


def batch(texts: Texts, owners: Sequence[int], asked: Sequence[str]) -> LabelledBatch:
    """Make the batch of queries that a view reads."""
    cosine, learned = texts.of(asked)
    return LabelledBatch(np.array(owners, np.intp), list(asked), learned, cosine, letters_of_each(asked))


def view_of(texts: Texts, taught: TrainingSet, background: OutOfScopeTexts) -> View:
    """Make the view of a library with a regression on all of it."""
    centre = centre_of(taught.vectors, background.vectors)
    rows = taught.telling(np.arange(len(taught.owners)))
    vectors = np.concatenate([taught.vectors[rows], background.vectors])
    letters = np.concatenate([letters_of_each(taught.texts)[rows], letters_of_each(background.texts)])
    count = len(taught.labels)
    classes = np.concatenate([taught.owners[rows], np.full(len(background.texts), count, np.intp)])
    inputs = inputs_of(vectors, letters, centre)
    found = solve(Problem(inputs, classes, np.ones(len(classes), np.float32), count + 1))
    return View(taught, np.arange(len(taught.owners)), found, centre, lambda: None)


def taught_set(texts: Texts, labels: Sequence[str], phrases: Sequence[Phrase], are_powers: bool) -> TrainingSet:
    """Make a training set from rows."""
    owners = np.array([owner for owner, *_ in phrases], np.intp)
    own = [text for _, text, *_ in phrases]
    cosine, learned = texts.of(own)
    queries = np.array([is_query for *_, is_query, _, _ in phrases]) if are_powers else None
    paragraphs = np.array([several for *_, several, _ in phrases]) if are_powers else None
    naming = np.array([names for *_, names in phrases]) if are_powers else None
    return TrainingSet(tuple(labels), owners, own, learned, cosine, queries, paragraphs, naming)


def questions(
    view: View, own: LabelledBatch, strangers: dict[str, LabelledBatch], shares: dict[str, float], usual: Weights
) -> ChoiceSets:
    """Join all queries of a library, each kind with its share of the total weight 1."""
    parts = [view.questions(own, usual, lambda: None).scaled_to(shares["own"])]
    for kind, asked in strangers.items():
        if len(asked.owners):
            parts.append(view.questions(asked, usual, lambda: None).scaled_to(shares[kind]))
    return ChoiceSets.joined(parts)


def power_phrases(power: Power, number: int, examples: Sequence[str] = ()) -> list[Phrase]:
    """Return the triggers of a power as rows of a training set."""
    several = set(power.paragraphs) if len(power.paragraphs) > 1 else set()
    found = [(number, text, text in power.examples, text in several, text in power.naming) for text in power.triggers]
    return found + [(number, text, True, False, False) for text in examples if text not in power.triggers]


class Sets:
    """Training parts of the public sets, and the seed library.

    Of MetaTool and the servers these are the queries of one half, 0 or 1.
    """

    def __init__(self, data: Path, texts: Texts, training: int = 0) -> None:
        self.texts = texts
        clinc = rows(data / "clinc150" / "patterns.jsonl")
        validation = [row for row in rows(data / "clinc150" / "validation.jsonl") if row["intent"] != "oos"]
        bank = rows(data / "banking77" / "patterns.jsonl")
        tools = [row for row in rows(data / "metatool" / "queries.jsonl") if half(row["text"]) == training]
        single = [row | {"intent": row["tools"][0]} for row in tools if row["kind"] == "single"]
        self.phrases = {
            "clinc150": grouped([*clinc, *validation]),
            "banking77": grouped(bank),
            "metatool": grouped(single),
        }
        self.requests = requests_for_none(clinc)
        self.tool_strangers = [row["text"] for row in tools if row["kind"] == "none"]
        self.tool_queries = [(row["text"], tuple(row["tools"])) for row in tools if row["kind"] == "single"]
        self.elsewhere = questions_of_elsewhere(data)
        self.tools = {row["name"]: metatool_power(row) for row in rows(data / "metatool" / "powers.jsonl")}
        self.plain_tools = {name: Power(name, power.paragraphs[0]) for name, power in self.tools.items()}
        self.servers = [server_power(row) for row in rows(data / "mcp_powers" / "powers.jsonl")]
        self.seed = [seed_power(row) for row in rows(PROJECT / "resources" / "seed" / "powers.jsonl")]
        tuning = rows(PROJECT / "resources" / "datasets" / "tiers-tune.jsonl")
        self.seed_queries = [(row["text"], tuple(row["expected"])) for row in tuning if len(row["expected"]) < 2]
        ours = [row for row in rows(OURS) if row["kind"] == "powers"][training::2]
        self.ours = [([Power(one["name"], *one["texts"]) for one in row["items"]], own_queries(row)) for row in ours]
        asked = [row for row in rows(data / "mcp_powers" / "queries.jsonl") if half(row["text"]) == training]
        self.server_queries = [(row["text"], tuple(row["acceptable"])) for row in asked]
        lines = (PROJECT / "resources" / "datasets" / "background.txt").read_text("utf-8").splitlines()
        own = [text for groups in self.phrases.values() for group in groups.values() for text in group]
        powers = [*self.tools.values(), *self.plain_tools.values(), *self.servers, *self.seed]
        powers += [power for powers_of, _ in self.ours for power in powers_of]
        own += [text for power in powers for text in power.triggers]
        own += [text for text, _ in (*self.seed_queries, *self.server_queries)]
        own += [text for _, queries in self.ours for text, _ in queries]
        texts.need([*own, *lines, *self.elsewhere, *self.tool_strangers, *(text for text, _ in self.tool_queries)])
        cosine, learned = texts.of(lines)
        self.background = OutOfScopeTexts(lines, learned, cosine)

    def without_background(self, kept: Any) -> OutOfScopeTexts:
        """Return some rows of the background."""
        held = self.background
        own = [held.texts[place] for place in kept.tolist()]
        return OutOfScopeTexts(own, held.vectors[kept], held.cosine_vectors[kept])


def requests_for_none(clinc: Rows) -> list[str]:
    """Return the requests that no power of the seed library serves, in the order of their digests."""
    requests = [row["text"] for row in clinc if row["intent"] not in SERVED and row["rank"] < 4]
    return sorted(requests, key=lambda text: hashlib.sha256(text.encode()).digest())


def questions_of_elsewhere(data: Path) -> list[str]:
    return [row["text"] for row in rows(data / "question_type" / "nfcats.jsonl")]


def grouped(found: Rows) -> dict[str, list[str]]:
    """Group texts by intent, without repetitions."""
    groups: dict[str, dict[str, None]] = {}
    for row in found:
        groups.setdefault(row["intent"], {})[row["text"]] = None
    return {intent: list(own) for intent, own in groups.items()}


def own_queries(row: dict[str, Any]) -> Queries:
    """Return the queries of one of our libraries, each with the powers that serve it, () for none."""
    served = [(text, (item["name"],)) for item in row["items"] for text in item["requests"]]
    return [*served, *((text, ()) for text in row["unserved"])]


def metatool_power(row: dict[str, Any]) -> Power:
    return Power(row["name"], "\n\n".join(filter(None, [row["description"], row.get("long_description")])))


def server_power(row: dict[str, Any]) -> Power:
    tools = tuple(Tool(tool["name"], tool["description"]) for tool in row["tools"])
    return Power(row["name"], row["description"], tools=tools)


def seed_power(row: dict[str, Any]) -> Power:
    tools = tuple(Tool(tool["name"], tool.get("description", "")) for tool in row.get("tools", []))
    examples = tuple(row.get("examples", []))
    return Power(row["name"], row["description"], tuple(row.get("keywords", [])), tools=tools, examples=examples)


def drawn_phrases(
    sets: Sets, chance: np.random.Generator, name: str, count: int, labels: int
) -> tuple[TrainingSet, LabelledBatch, dict[str, LabelledBatch]] | None:
    """Draw a library with `count` phrases per label, and its queries; None if the set has too few labels."""
    groups = sets.phrases[name]
    usable = [label for label, own in groups.items() if len(own) >= count + 2]
    if len(usable) < labels:
        return None
    drawn = chance.permutation(usable)
    chosen, others = drawn[:labels].tolist(), drawn[labels:].tolist()
    phrases, asked = [], []
    for number, label in enumerate(chosen):
        own = chance.permutation(groups[label]).tolist()
        phrases += [(number, text, True, False, False) for text in own[:count]]
        asked += [(number, text) for text in own[count:]]
    asked = [asked[place] for place in chance.permutation(len(asked))[:ASKED]]
    foreign = chance.permutation([text for label in others for text in groups[label]])[:STRANGERS].tolist()
    elsewhere = chance.choice(sets.elsewhere, STRANGERS, replace=False).tolist()
    own_batch = batch(sets.texts, [owner for owner, _ in asked], [text for _, text in asked])
    return taught_set(sets.texts, chosen, phrases, are_powers=False), own_batch, strangers_of(sets, foreign, elsewhere)


def strangers_of(sets: Sets, foreign: Sequence[str], elsewhere: Sequence[str]) -> dict[str, LabelledBatch]:
    """Return the out-of-scope queries by kind."""
    kinds = {"label": foreign, "elsewhere": elsewhere}
    return {kind: batch(sets.texts, [NONE] * len(texts), texts) for kind, texts in kinds.items()}


def memories(sets: Sets, chance: np.random.Generator) -> list[Library]:
    """Draw libraries of 3 to 150 labels with 1 to 80 phrases each."""
    found = []
    for name, wide in (("clinc150", 150), ("banking77", 77), ("metatool", 150)):
        for count, labels in [(1, wide), (1, 20), (2, wide), (2, 40), (3, 8), (5, wide), (5, 30), (5, 10), (10, wide),
                              (10, 20), (20, 60), (20, 10), (20, 4), (40, 40), (40, 8), (80, 25), (80, 5)]:  # fmt: skip
            drawn = drawn_phrases(sets, chance, name, count, labels)
            if drawn is None:
                continue
            phrases, own, strangers = drawn
            usual = of_many(count)
            held = questions(view_of(sets.texts, phrases, sets.background), own, strangers, MEMORY_SHARES, usual)
            found.append(Library(f"{name} {count} x {labels}", (1.0, math.log(count)), held, usual))
    return found


def plain_memories(sets: Sets, chance: np.random.Generator, usual: Weights) -> list[Library]:
    """Draw libraries of 5 to 110 labels with 1 to 5 phrases each, without a regression."""
    drawn = [
        (name, drawn_phrases(sets, chance, name, count, labels))
        for name, wide in (("clinc150", 110), ("banking77", 60), ("metatool", 110))
        for labels in (5, 10, 20, 40, wide)
        for count in (1, 2, 3, 5)
    ]
    return [plain_library(name, *one, usual) for name, one in drawn if one is not None]


def plain_powers(sets: Sets, chance: np.random.Generator, usual: Weights) -> list[Library]:
    """Draw libraries of 5 to 150 powers of MetaTool, and the 70 servers; the rest is as in plain_memories."""
    libraries = [
        ("metatool", drawn(chance, powers, size), sets.tool_queries)
        for powers in (list(sets.plain_tools.values()), list(sets.tools.values()))
        for size in (5, 10, 20, 40, 80, 150)
    ]
    found = []
    for source, chosen, queries in (*libraries, ("servers", sets.servers, sets.server_queries)):
        places = {power.name: number for number, power in enumerate(chosen)}
        phrases = [row for power in chosen for row in power_phrases(power, places[power.name])]
        known = [(places[name], text) for text, names in queries for name in names[:1] if name in places]
        known = [known[place] for place in chance.permutation(len(known))[:ASKED].tolist()]
        unknown = [text for text, names in sets.tool_queries if not places.keys() & set(names)]
        foreign = [] if source == "servers" else chance.permutation(unknown)[:STRANGERS].tolist()
        elsewhere = [
            *sets.tool_strangers[:STRANGERS],
            *chance.choice(sets.elsewhere, STRANGERS, replace=False).tolist(),
        ]
        own = batch(sets.texts, [owner for owner, _ in known], [text for _, text in known])
        taught = taught_set(sets.texts, list(places), phrases, are_powers=True)
        found.append(plain_library(source, taught, own, strangers_of(sets, foreign, elsewhere), usual))
    return found


def plain_library(
    name: str, taught: TrainingSet, own: LabelledBatch, strangers: dict[str, LabelledBatch], usual: Weights
) -> Library:
    view = View(taught, np.arange(len(taught.owners)), None, taught.vectors[0], lambda: None)
    return Library(name, (float(len(taught.labels)),), questions(view, own, strangers, EVEN_SHARES, usual), usual)


def taught(sets: Sets, chance: np.random.Generator) -> list[Library]:
    """Draw libraries of 12 to 150 powers of MetaTool, described, with 1 to 16 examples each."""
    found = []
    groups = sets.phrases["metatool"]
    for count in (2, 4, 8, 16):
        for labels in (12, 40, 150):
            for powers in (sets.tools, sets.plain_tools):
                usable = [label for label in groups if label in powers and len(groups[label]) >= min(count, 6) + 2]
                drawn = chance.permutation(usable)
                chosen, others = drawn[:labels].tolist(), drawn[labels:].tolist()
                phrases, asked = [], []
                for number, label in enumerate(chosen):
                    own = chance.permutation(groups[label]).tolist()
                    kept = min(count, len(own) - 2)
                    phrases += power_phrases(powers[label], number, own[:kept])
                    asked += [(number, text) for text in own[kept:]]
                asked = [asked[place] for place in chance.permutation(len(asked))[:ASKED]]
                taught_powers_set = taught_set(sets.texts, chosen, phrases, are_powers=True)
                foreign = [text for label in others for text in groups[label]]
                foreign = chance.permutation(foreign)[:STRANGERS].tolist() if foreign else []
                elsewhere = [*sets.tool_strangers, *chance.choice(sets.elsewhere, STRANGERS, replace=False).tolist()]
                usual = taught_powers(taught_powers_set.examples, len(chosen))
                view = view_of(sets.texts, taught_powers_set, sets.background)
                own_batch = batch(sets.texts, [owner for owner, _ in asked], [text for _, text in asked])
                held = questions(view, own_batch, strangers_of(sets, foreign, elsewhere), POWER_SHARES, usual)
                along = (1.0, math.log(min(max(taught_powers_set.examples, 1.0), 20.0)), math.log(max(len(chosen), 10)))
                found.append(Library(f"powers {count} x {labels}", along, held, usual))
    return found


def described_libraries(sets: Sets, chance: np.random.Generator, *, paragraphs: bool) -> list[Library]:
    """Draw libraries of 25 to 199 powers of MetaTool without examples, with 0, 1 and 3 keywords each.

    Without paragraphs, the seed library and 70 servers with their tools are added; they have the weight of all of
    MetaTool and half of it.
    """
    powers = list((sets.tools if paragraphs else sets.plain_tools).values())
    found = [
        described_library(
            sets,
            chance,
            f"described {size}, {keywords} keywords",
            with_keywords(drawn(chance, powers, size), sets.tool_queries[::2], keywords),
            sets.tool_queries[1::2],
        )
        for size in (25, 25, 50, 50, 100, len(powers))
        for keywords in (0, 1, 3)
    ]
    if paragraphs:
        return found
    seed = described_library(sets, chance, "seed", sets.seed, sets.seed_queries)
    servers = described_library(sets, chance, "servers", sets.servers, sets.server_queries)
    return [*found, replace(seed, share=len(found)), replace(servers, share=len(found) / 2)]


def with_keywords(powers: Sequence[Power], queries: Queries, count: int) -> list[Power]:
    """Give each power keywords: words of its description and queries that are rare in those of others."""
    own = [Counter[str]() for _ in powers]
    for power, found in zip(powers, own, strict=True):
        texts = [text for text, names in queries if power.name in names]
        for text in (*texts, power.description, power.description):
            found.update({word for word in words(text) if len(word) > 2 and word.isalpha()} - VOID)
    spread = Counter(word for found in own for word in found)
    return [
        replace(power, keywords=tuple(sorted(found, key=lambda word: (-found[word] / spread[word], word))[:count]))
        for power, found in zip(powers, own, strict=True)
    ]


def near_misses(sets: Sets, chance: np.random.Generator, powers: Sequence[Power]) -> list[str]:
    """Return texts with a keyword that are for no power: sentences about it, and other questions."""
    keywords = {keyword for power in powers for keyword in power.keywords}
    about = [frame.format(keyword) for keyword in sorted(keywords) for frame in chance.choice(ABOUT_A_WORD, 2)]
    return about + [text for text in sets.elsewhere if keywords & set(words(text))]


def few_libraries(sets: Sets, chance: np.random.Generator) -> dict[str, list[Library]]:
    """Draw libraries of 6 to 18 powers without examples, by source.

    `along` has few_powers, `before` the weights of many powers.
    """
    sources: dict[str, tuple[Sequence[Power], Queries]] = {
        "tools": (list(sets.plain_tools.values()), sets.tool_queries),
        "tools, paragraphs": (list(sets.tools.values()), sets.tool_queries),
        "servers": (sets.servers, sets.server_queries),
    }
    found: dict[str, list[Library]] = {source: [] for source in sources}
    for source, (powers, queries) in sources.items():
        for size in (6, 8, 12, 18) * 4:
            chosen = drawn(chance, powers, size)
            library = described_library(sets, chance, f"{size}", chosen, queries, EVEN_SHARES)
            found[source].append(replace(library, along=(few_powers(size),), before=of_many_powers(library, chosen)))
    found["ours"] = [our_library(sets, chance, powers, queries) for powers, queries in sets.ours]
    return {source: [one for one in own if has_served(one.asked)] for source, own in found.items()}


def has_served(asked: ChoiceSets) -> bool:
    """Return whether any power serves any of the queries."""
    return bool((asked.right < asked.candidates.shape[1]).any())


def our_library(sets: Sets, chance: np.random.Generator, powers: Sequence[Power], queries: Queries) -> Library:
    library = described_library(sets, chance, "ours", powers, queries, EVEN_SHARES)
    return replace(library, along=(few_powers(len(powers)),), before=of_many_powers(library, powers))


def of_many_powers(library: Library, powers: Sequence[Power], fewer: float = FEWER_PHRASES) -> Weights:
    """Return the weights of many powers that have as few phrases as these."""
    many = described(int(MANY_POWERS), has_paragraphs=any(len(one.paragraphs) > 1 for one in powers))
    return for_few_phrases(many, len(powers), sum(len(power_phrases(one, 0)) for one in powers) / len(powers), fewer)


def drawn(chance: np.random.Generator, powers: Sequence[Power], count: int) -> list[Power]:
    return [powers[place] for place in chance.permutation(len(powers))[:count].tolist()]


def nearest(sets: Sets, text: str, powers: Sequence[Power], names: Sequence[str]) -> str:
    """Return which of these powers has the trigger nearest to a text; it stands for several right ones."""
    (vector,), _ = sets.texts.of([text])
    own = {
        power.name: float((sets.texts.of(power.triggers)[0] @ vector).max()) for power in powers if power.name in names
    }
    return max(own, key=own.__getitem__)


def described_library(
    sets: Sets,
    chance: np.random.Generator,
    name: str,
    powers: Sequence[Power],
    queries: Queries,
    shares: dict[str, float] | None = None,
    parts: Callable[[str], list[str]] = lambda text: [text],
) -> Library:
    """Make a library of described powers, and its queries.

    A fifth of the background is left out of the regression and serves as out-of-scope queries, and so do the queries
    that none of the powers serves. Each query is asked as its `parts`.
    """
    places = {power.name: number for number, power in enumerate(powers)}
    phrases = [row for power in powers for row in power_phrases(power, places[power.name])]
    sets.texts.need([text for _, text, *_ in phrases])
    known = [
        (text, places[nearest(sets, text, powers, names)]) for text, names in queries if places.keys() & set(names)
    ]
    known = [known[place] for place in chance.permutation(len(known))[:ASKED].tolist()]
    unknown = [text for text, names in queries if not places.keys() & set(names)]
    foreign = [unknown[place] for place in chance.permutation(len(unknown))[:STRANGERS].tolist()]
    held_out = np.zeros(len(sets.background.texts), np.bool_)
    held_out[chance.permutation(len(held_out))[: len(held_out) // 5]] = True
    rest = sets.without_background(np.flatnonzero(~held_out))
    lines = [sets.background.texts[place] for place in np.flatnonzero(held_out).tolist()]
    elsewhere = [*lines, *chance.choice(sets.elsewhere, STRANGERS, replace=False).tolist()]
    requests = sets.requests[: 2 * STRANGERS] if name == "seed" else []
    known = [(part, place) for text, place in known for part in parts(text)]
    foreign, elsewhere, requests = (
        [part for text in own for part in parts(text)] for own in (foreign, elsewhere, requests)
    )
    near = near_misses(sets, chance, powers)
    sets.texts.need([*(text for text, _ in known), *foreign, *elsewhere, *requests, *near])
    taught = taught_set(sets.texts, list(places), phrases, are_powers=True)
    usual = described(
        len(powers),
        len(phrases) / len(powers),
        has_paragraphs=taught.described is not None and bool(taught.described.any()),
    )
    strangers = strangers_of(sets, foreign, elsewhere)
    strangers["requests"] = batch(sets.texts, [NONE] * len(requests), requests)
    strangers["near"] = batch(sets.texts, [NONE] * len(near), near)
    shares = (shares or (DESCRIBED_SHARES_WITH_REQUESTS if requests else DESCRIBED_SHARES)) | {"near": NEAR_SHARE}
    asked = batch(sets.texts, [owner for _, owner in known], [text for text, _ in known])
    held = questions(view_of(sets.texts, taught, rest), asked, strangers, shares, usual)
    return Library(name, (1.0,), held, usual)
