"""Benchmark of a keystroke on a generated library: time, lower limit, exactness."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Memory
from app.domain.match import EagerExplanation, Match
from app.ports.encoder import Vectors
from app.scoring import reference
from app.scoring.index.ranking import matches, rank
from app.scoring.index.scales import confidences
from app.scoring.index.scores import Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.scorers import SCORERS
from app.scoring.text import QueryVector, ScoredText
from app.settings.model import Settings

OPENINGS = (
    "how do i", "how can we", "what is", "what are", "where is", "where do you keep", "why does", "why is",
    "please", "can you", "could someone", "i want to", "i need to", "show me", "tell me about", "explain",
    "find", "list", "is there", "help me", "", "",
)  # fmt: skip
VERBS = (
    "open", "close", "move", "copy", "check", "send", "cancel", "update", "restore", "export", "import", "rename",
    "compare", "measure", "schedule", "translate", "encrypt", "compress", "deploy", "archive", "print", "merge",
    "split", "sort", "filter", "count", "repeat", "approve", "reject", "configure", "install", "remove", "repair",
    "share", "publish", "restart", "monitor", "validate", "summarise", "label",
)  # fmt: skip
DETERMINERS = ("the", "a", "my", "our", "every", "this", "that", "another", "the last", "the next", "")
ADJECTIVES = (
    "monthly", "broken", "shared", "empty", "remote", "local", "slow", "quick", "old", "new", "hidden", "public",
    "private", "temporary", "large", "small", "blue", "encrypted", "duplicate", "missing", "daily", "nightly",
    "failed", "approved", "pending", "foreign", "central", "spare", "weekly", "first", "", "", "", "",
)  # fmt: skip
NOUNS = (
    "invoice", "calendar", "database", "printer", "folder", "password", "certificate", "backup", "report", "meeting",
    "account", "card", "server", "contract", "picture", "recipe", "ticket", "parcel", "battery", "camera", "window",
    "garden", "kitchen", "engine", "bridge", "library", "museum", "station", "harbour", "airport", "hotel", "lamp",
    "keyboard", "screen", "cable", "router", "firewall", "licence", "budget", "salary", "holiday", "flight",
    "luggage", "passport", "currency", "exchange rate", "weather forecast", "playlist", "podcast", "newsletter",
    "subscription", "refund", "warranty", "address book", "phone number", "postcode", "timetable", "queue",
    "log file", "index",
)  # fmt: skip
PREPOSITIONS = ("in", "for", "from", "without", "before", "after", "with", "near", "under", "behind", "to", "on")
ENDINGS = ("", "", "", "", "?", "?", ".", " again", " today", " right now", " in Python 3.11", " (urgent)", " at 7:30")


FEWEST_WORDS, MOST_WORDS = 3, 12
CAPITALISED = 0.4


def sentence(random: Random) -> str:
    """Generate a text of 3 to 12 words."""
    while True:
        clauses = [random.choice(OPENINGS), random.choice(VERBS), _noun_phrase(random)]
        for _ in range(random.choice((0, 0, 1, 1, 2))):
            clauses += [random.choice(PREPOSITIONS), _noun_phrase(random)]
        text = " ".join(clause for clause in clauses if clause) + random.choice(ENDINGS)
        if FEWEST_WORDS <= len(text.split()) <= MOST_WORDS:
            return text.capitalize() if random.random() < CAPITALISED else text


def _noun_phrase(random: Random) -> str:
    words = (random.choice(DETERMINERS), random.choice(ADJECTIVES), random.choice(NOUNS))
    return " ".join(word for word in words if word)


def triggers(count: int, random: Random) -> list[str]:
    """Generate `count` distinct texts."""
    found: dict[str, None] = {}
    while len(found) < count:
        text = sentence(random)
        found[text if text not in found else f"{text} no. {len(found)}"] = None
    return list(found)


EDITS = ("typing", "deleting", "in the middle", "pasting")
"""Kinds of keystrokes in a session."""


def session(target: str, pasted: str, random: Random) -> Iterator[tuple[str, str]]:
    """Yield (kind of keystroke, text after it) of a typing session.

    The user types `target` with a slip, deletes characters, edits in the middle, types on, and pastes `pasted` over
    it.
    """
    typing, deleting, in_the_middle, pasting = EDITS
    for end in range(1, len(target) + 1):
        yield typing, target[:end]
    deleted = min(len(target) - 1, random.randint(3, 9))
    for end in range(len(target) - 1, len(target) - deleted - 1, -1):
        yield deleting, target[:end]
    kept = target[: len(target) - deleted]
    for inserted in ("x", "xy", "x", ""):
        middle = len(kept) // 2
        yield in_the_middle, kept[:middle] + inserted + kept[middle:]
    for end in range(len(kept) + 1, len(target) + 1):
        yield typing, target[:end]
    yield pasting, pasted
    yield typing, pasted + "?"


DIMENSION = 384
UNDER_ONE_LABEL = 20
"""Number of memories per label; each has one trigger with a random unit vector."""

TOLERANCE = 1e-6
"""Tolerance between the scores of 002 and of the engine, whose vectors are float32."""

# The CPU time of Windows has steps of 15.6 ms.
cpu = time.perf_counter if sys.platform == "win32" else time.process_time


@dataclass(frozen=True, slots=True)
class MadeLibrary:
    """Generated triggers in every timed form; row, place, slot and key - 1 are one number.

    `build_s` is the time to build the index from existing vectors, in s; `resident_mb` the growth of the process in MB,
    memories included. Freed memory may be reused, so the largest of several sizes in one run should come last.
    """

    texts: list[str]
    ordered: list[str]
    vectors: NDArray[np.float32]
    index: TriggerIndex
    build_s: float
    resident_mb: float

    @classmethod
    def of(cls, size: int, seed: int) -> MadeLibrary:
        texts = triggers(size, Random(seed))
        vectors = unit_vectors(size, np.random.default_rng(seed))
        ordered = [reference.in_token_order(text) for text in texts]
        index, held, begun = TriggerIndex(DIMENSION), _resident(), cpu()
        index.put(
            Memory((text,), intent=f"answer {row // UNDER_ONE_LABEL}", key=row + 1) for row, text in enumerate(texts)
        )
        index.embed(dict(zip(texts, vectors, strict=True)))
        took = cpu() - begun
        return cls(texts, ordered, vectors, index, took, max(0.0, _resident() - held))


def _resident() -> float:
    """Return the resident memory of the process in MB; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError):
        return 0.0
    return pages * 4096 / 1e6


def unit_vectors(count: int, random: np.random.Generator) -> NDArray[np.float32]:
    vectors = random.standard_normal((count, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def is_best(scores: Scores, found: Sequence[Match], settings: Settings, listed: int) -> bool:
    """Check that the matches are the best of all candidates, each scored in full."""
    every = confidences(scores, settings)
    leaders = [(match.answer.key or 0) - 1 for match in found]
    ranked = np.sort(every)[::-1][: len(leaders)]
    return (
        len(leaders) == min(listed, len(every))
        and np.allclose(every[leaders], ranked, rtol=0.0, atol=TOLERANCE)
        and np.allclose([match.confidence for match in found], ranked, rtol=0.0, atol=TOLERANCE)
    )


def is_exact(library: MadeLibrary, scores: Scores, found: Sequence[Match], rows: Sequence[int]) -> bool:
    """Check that the scores of these rows and of the best matches equal the plain loop's."""
    text, vector = scores.query.text, scores.query.vector
    assert vector is not None
    leaders = [(match.answer.key or 0) - 1 for match in found]
    checked = sorted({*rows, *leaders})
    plain = reference.loop(
        text, vector, [library.texts[row] for row in checked], [library.vectors[row] for row in checked]
    )
    centroids = _plain_centroids(library, vector, checked)
    expected = {name: np.array([found[name] for found in plain]) for name in plain[0]}
    expected["centroid"] = np.array(centroids)
    expected["balanced"] = np.array([reference.balanced(*pair) for pair in zip(plain, centroids, strict=True)])
    ours = dict(scores.by_slot) | {
        name: confidences(scores, Settings(combination=name)) for name in ("max", "balanced")
    }
    for name, values in expected.items():
        if not np.allclose(ours[name][checked], values, rtol=0.0, atol=TOLERANCE):
            return False
    places = [checked.index(row) for row in leaders]
    return all(
        np.allclose([match.scores[name] or 0.0 for match in found], expected[name][places], rtol=0.0, atol=TOLERANCE)
        for name in SCORERS
        if name in expected
    )


def _plain_centroids(library: MadeLibrary, vector: NDArray[np.float32], rows: Sequence[int]) -> list[float]:
    """Return S2.6 for each of these rows, by the mean of its label's vectors."""
    known: dict[int, float] = {}
    for label in {row // UNDER_ONE_LABEL for row in rows}:
        members = library.vectors[label * UNDER_ONE_LABEL : (label + 1) * UNDER_ONE_LABEL]
        known[label] = reference.semantic(vector, members.mean(axis=0))
    return [known[row // UNDER_ONE_LABEL] for row in rows]


T = TypeVar("T")

COMBINATION = "balanced"
COMBINATIONS = (COMBINATION, "max", "weighted_average", "cascade")
LISTED = 10

KEYSTROKE = (
    "All scores of the text typed and the best matches with all that a list shows of each: answer, confidence, lead, "
    "band, the score of every scorer, the winners, the trigger. live_*: the same twice, as the window does it while "
    "the vector is being made: the best by the lexical scores first, then with the meaning. account_*: the arithmetic, "
    "triggers and keywords of one match, worked out for the one that somebody selects and in no keystroke."
)

MANY = 100_000
SESSIONS, SESSIONS_OF_MANY = 3, 2
"""Number of typed sessions; fewer from `MANY` triggers on, with a sampled plain loop."""

LOOPED_KEYSTROKES, LOOPED_ROWS = 5, 10_000
CHECKED_KEYSTROKES, CHECKED_ROWS = 2, 100_000
ENCODED_KEYSTROKES = 20

_wall = time.perf_counter

CLOCK = (
    "Wall time; embedding the query is not in it."
    if sys.platform == "win32"
    else "CPU time of the process over all its threads; wall_* is wall time. Embedding the query is in neither."
)


@dataclass(frozen=True, slots=True)
class Times:
    """Durations of one kind of work in ms, in order, on both clocks."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def of(self, work: Callable[[], T]) -> T:
        began, wall = cpu(), _wall()
        result = work()
        self.cpu.append((cpu() - began) * 1000.0)
        self.wall.append((_wall() - wall) * 1000.0)
        return result


def bench(
    sizes: Iterable[int], seed: int = 0, *, embed: Callable[[Sequence[str]], Vectors] | None = None
) -> dict[str, Any]:
    """Time keystrokes over generated libraries of these sizes; as S8.7, with more fields.

    The engine, the plain loop and the limit are timed in turn on the same keystrokes, in this process; figures are
    medians. A keystroke includes everything that the rows of the list show. The explanation of the selected match is
    computed on demand and timed separately (`account_p50_ms`). Nothing of the profile is read or started (S5.5). With
    `embed`, encoding a query is timed as well. Raises ValueError for a size below 1.
    """
    wanted = list(sizes)
    if any(size < 1 for size in wanted):
        raise ValueError("A bench needs sizes of at least 1 trigger.")
    return {
        "machine": {
            "platform": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "rapidfuzz": reference.RAPIDFUZZ_VERSION,
            "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS"),
        },
        "seed": seed,
        "clock": CLOCK,
        "keystroke": KEYSTROKE,
        "combination": COMBINATION,
        "sizes": {str(size): _measured(MadeLibrary.of(size, seed), seed, embed) for size in wanted},
    }


@dataclass(slots=True)
class _Clocks:
    """Times of the sessions typed under one combination.

    `whole` are answers with vectors, `live` ones with the floor first, `account` explanations of the best match;
    `looped` are the keystrokes on which the plain loop was timed.
    """

    whole: Times = field(default_factory=Times)
    live: Times = field(default_factory=Times)
    account: Times = field(default_factory=Times)
    limit: Times = field(default_factory=Times)
    loop: Times = field(default_factory=Times)
    looped: list[int] = field(default_factory=list)
    edits: list[str] = field(default_factory=list)
    is_exact: bool = True

    def row(self, scale: float) -> dict[str, Any]:
        """Return the figures; the full plain loop takes `scale` times the timed one."""
        limit, loop = float(np.median(self.limit.cpu)), float(np.median(self.loop.cpu)) * scale
        return {
            "exact": self.is_exact,
            "vs_loop": loop / float(np.median([self.whole.cpu[place] for place in self.looped])),
            "vs_limit": float(np.median(self.whole.cpu)) / limit,
            "p50_ms": float(np.percentile(self.whole.cpu, 50)),
            "p95_ms": float(np.percentile(self.whole.cpu, 95)),
            "live_p50_ms": float(np.percentile(self.live.cpu, 50)),
            "live_p95_ms": float(np.percentile(self.live.cpu, 95)),
            "account_p50_ms": float(np.median(self.account.cpu)),
            "wall_p50_ms": float(np.percentile(self.whole.wall, 50)),
            "wall_p95_ms": float(np.percentile(self.whole.wall, 95)),
            "loop_ms": loop,
            "limit_ms": limit,
            "edits": {edit: self._of(edit) for edit in EDITS if edit in self.edits},
        }

    def _of(self, edit: str) -> dict[str, float]:
        own = [took for took, done in zip(self.whole.cpu[-len(self.edits) :], self.edits, strict=True) if done == edit]
        return {"p50_ms": float(np.percentile(own, 50)), "p95_ms": float(np.percentile(own, 95))}


def _measured(library: MadeLibrary, seed: int, embed: Callable[[Sequence[str]], Vectors] | None) -> dict[str, Any]:
    size = len(library.texts)
    edits, texts = _keystrokes(library.texts, Random(seed + 1))
    vectors = unit_vectors(len(texts), np.random.default_rng(seed + 1))
    looped = sorted(Random(seed + 2).sample(range(size), min(size, size if size < MANY else LOOPED_ROWS)))
    checked = sorted(Random(seed + 3).sample(range(size), min(size, CHECKED_ROWS)))
    _once(library, texts[0], vectors[0], _settings(COMBINATION), _Clocks())
    rows = {
        name: _typed(library, texts, vectors, _settings(name), looped, checked, edits).row(size / len(looped))
        for name in COMBINATIONS
    }
    return {
        **rows[COMBINATION],
        "exact": all(row["exact"] for row in rows.values()),
        "rows_checked": len(checked),
        "keystrokes_checked": min(len(texts), CHECKED_KEYSTROKES),
        "keystrokes": len(texts),
        "encode_p50_ms": _encoding(texts, embed),
        "memory": library.index.nbytes / 1e6,
        "resident": library.resident_mb,
        "build_s": library.build_s,
        "combinations": rows,
    }


def _keystrokes(texts: Sequence[str], random: Random) -> tuple[list[str], list[str]]:
    """Return each key's effect, and the text after it."""
    typed: list[tuple[str, str]] = []
    for _ in range(SESSIONS if len(texts) < MANY else SESSIONS_OF_MANY):
        typed += session(random.choice(texts), random.choice(texts), random)
    return [edit for edit, _ in typed], [text for _, text in typed]


def _spread(count: int, most: int) -> list[int]:
    """Return at most `most` places, evenly spread and including the last."""
    return sorted({count - 1 - (place * count) // most for place in range(min(most, count))})


def _typed(
    library: MadeLibrary,
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    settings: Settings,
    looped: Sequence[int],
    checked: Sequence[int],
    edits: Sequence[str],
) -> _Clocks:
    """Type all texts; run the plain loop over `looped` rows and compare it on `checked` ones."""
    clocks = _Clocks(looped=_spread(len(texts), LOOPED_KEYSTROKES), edits=list(edits))
    compared = _spread(len(texts), CHECKED_KEYSTROKES)
    some_texts = [library.texts[row] for row in looped]
    some_vectors = [library.vectors[row] for row in looped]
    for place, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        scores, found = _once(library, text, vector, settings, clocks)
        if place in clocks.looped:
            clocks.loop.of(partial(reference.loop, text, vector, some_texts, some_vectors))
        if place in compared:
            clocks.is_exact &= is_best(scores, found, settings, LISTED)
            if settings.combination == COMBINATION:
                clocks.is_exact &= is_exact(library, scores, found, checked)
    for text, vector in zip(texts, vectors, strict=True):
        clocks.live.of(partial(_live, library.index, text, vector, settings))
    return clocks


def _once(
    library: MadeLibrary, text: str, vector: NDArray[np.float32], settings: Settings, clocks: _Clocks
) -> tuple[Scores, tuple[Match, ...]]:
    """Run one keystroke by the engine, and the lower limit of its work."""
    index = library.index

    def whole() -> tuple[Scores, tuple[Match, ...]]:
        scores = index.score(ScoredText(text, vector))
        return scores, _best_matches(index, scores, settings)

    answered = clocks.whole.of(whole)
    clocks.limit.of(partial(reference.limit, text, vector, library.ordered, library.vectors))
    best = answered[1][:1]
    clocks.account.of(lambda: [EagerExplanation(m.steps, m.best_trigger, m.triggers, m.keywords) for m in best])
    return answered


def _live(index: TriggerIndex, text: str, vector: NDArray[np.float32], settings: Settings) -> None:
    """Run one keystroke as the window does: the floor, then the answer with the vector."""
    scores = index.score(ScoredText(text))
    _best_matches(index, scores, settings)
    _best_matches(index, index.with_meaning(scores, QueryVector(vector, vector)), settings)


def _best_matches(index: TriggerIndex, scores: Scores, settings: Settings) -> tuple[Match, ...]:
    return matches(index, scores, rank(scores, settings, LISTED), settings)


def _settings(combination: str) -> Settings:
    return Settings.model_validate({"combination": combination})


def _encoding(texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors] | None) -> float | None:
    """Return the median time to encode one query in ms; None without an encoder."""
    if embed is None:
        return None
    times = Times()
    for place in _spread(len(texts), ENCODED_KEYSTROKES):
        times.of(partial(embed, [texts[place]]))
    return float(np.median(times.cpu))


def report(found: Mapping[str, Any]) -> str:
    """Format the document of `bench` as a table for people."""
    machine = found["machine"]
    about = f"{machine['platform']}, {machine['cpus']} CPUs, Python {machine['python']}, numpy {machine['numpy']}"
    heads = f"{'triggers':>10}  {'combination':<16}  {'p50 ms':>8}  {'p95 ms':>8}  {'vs loop':>8}  {'vs limit':>8}"
    lines = [f"{about}, rapidfuzz {machine['rapidfuzz']}. {found['clock']}", "", heads + "  exact"]
    for size, row in found["sizes"].items():
        for name, figures in row["combinations"].items():
            exact = f"{'yes' if figures['exact'] else 'NO'} ({row['rows_checked']:,} rows)"
            lines.append(
                f"{int(size):>10,}  {name:<16}  {figures['p50_ms']:>8.2f}  {figures['p95_ms']:>8.2f}  "
                f"{figures['vs_loop']:>8.1f}  {figures['vs_limit']:>8.2f}  {exact}"
            )
            by_edit = ", ".join(
                f"{edit} {took['p50_ms']:.2f} (p95 {took['p95_ms']:.2f})" for edit, took in figures["edits"].items()
            )
            lines.append(f"{'':>12}{by_edit}")
        encoding = "" if row["encode_p50_ms"] is None else f"; encoding a query {row['encode_p50_ms']:.1f} ms"
        lines.append(
            f"{'':>10}  {row['memory']:.0f} MB of arrays, {row['resident']:.0f} MB with the answers, "
            f"built in {row['build_s']:.1f} s; the account of one match {row['account_p50_ms']:.3f} ms{encoding}"
        )
    return "\n".join(lines) + "\n"
