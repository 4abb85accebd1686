"""How long does a keystroke take, how far is that from a plain loop and from the least possible, and is it exact?"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Memory
from app.domain.match import Match
from app.evaluation import synthetic
from app.ports import Vectors
from app.scoring import reference
from app.scoring.columns import ScoredText
from app.scoring.index import Scores, TriggerIndex
from app.scoring.ranking import confidences, matches, rank
from app.settings import Settings

T = TypeVar("T")

DIMENSION = 384
UNDER_ONE_LABEL = 20
"""The made-up library: memories of one trigger each, so many under one label, with random unit vectors."""

COMBINATION = "balanced"
COMBINATIONS = (COMBINATION, "max", "weighted_average", "cascade")
LISTED = 10

SESSIONS = 3
MANY = 100_000
MOST_KEYSTROKES, MOST_KEYSTROKES_OF_MANY = 240, 60
"""From MANY triggers on, fewer keystrokes are timed, and the plain loop runs over a sample and is scaled."""

LOOPED_KEYSTROKES, LOOPED_ROWS = 5, 10_000
CHECKED_KEYSTROKES, CHECKED_ROWS = 2, 100_000
ENCODED_KEYSTROKES = 20

TOLERANCE = 1e-6
"""002's scores and ours, which are float32 where they are products of vectors, agree to this."""

_wall = time.perf_counter
# Windows counts CPU time in steps of 15.6 ms.
_cpu = time.perf_counter if sys.platform == "win32" else time.process_time

CLOCK = (
    "Wall time; embedding the query is not in it."
    if sys.platform == "win32"
    else "CPU time of the process over all its threads; wall_* is wall time. Embedding the query is in neither."
)


@dataclass(frozen=True, slots=True)
class Times:
    """Durations of one kind of work in ms, in the order they were taken, on both clocks."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def of(self, work: Callable[[], T]) -> T:
        """Do the work and note how long it took."""
        cpu, wall = _cpu(), _wall()
        result = work()
        self.cpu.append((_cpu() - cpu) * 1000.0)
        self.wall.append((_wall() - wall) * 1000.0)
        return result

    def plus(self, other: Times) -> Times:
        """Both kinds of work done one after the other."""
        pairs = ((self.cpu, other.cpu), (self.wall, other.wall))
        cpu, wall = ([a + b for a, b in zip(*pair, strict=True)] for pair in pairs)
        return Times(cpu, wall)


@dataclass(frozen=True, slots=True)
class _Library:
    """The made-up triggers in every form that is timed; row, place, slot and key - 1 are one number here."""

    texts: list[str]
    ordered: list[str]
    vectors: NDArray[np.float32]
    index: TriggerIndex

    @classmethod
    def of(cls, size: int, seed: int) -> _Library:
        texts = synthetic.triggers(size, Random(seed))
        vectors = _unit_vectors(size, np.random.default_rng(seed))
        index = TriggerIndex(DIMENSION)
        index.put(
            Memory((text,), intent=f"answer {row // UNDER_ONE_LABEL}", key=row + 1) for row, text in enumerate(texts)
        )
        index.embed(dict(zip(texts, vectors, strict=True)))
        return cls(texts, [reference.in_token_order(text) for text in texts], vectors, index)


def _unit_vectors(count: int, random: np.random.Generator) -> NDArray[np.float32]:
    vectors = random.standard_normal((count, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def bench(
    sizes: Iterable[int], seed: int = 0, *, embed: Callable[[Sequence[str]], Vectors] | None = None
) -> dict[str, Any]:
    """Time whole keystrokes over made-up libraries of these many triggers; the shape of S8.7, with more fields.

    Ours, the plain loop and the limit are timed in turn on the same keystrokes, in this process; figures are medians.
    Nothing of the profile is read or started (S5.5). With `embed`, encoding a query is timed beside. ValueError for a
    size below 1.
    """
    wanted = list(sizes)
    if any(size < 1 for size in wanted):
        raise ValueError("A bench needs sizes of at least 1 trigger.")
    return {
        "machine": _machine(),
        "seed": seed,
        "clock": CLOCK,
        "combination": COMBINATION,
        "sizes": {str(size): _measured(_Library.of(size, seed), seed, embed) for size in wanted},
    }


def _machine() -> dict[str, Any]:
    return {
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "rapidfuzz": reference.RAPIDFUZZ_VERSION,
        "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS"),
    }


@dataclass(slots=True)
class _Clocks:
    """What is timed of each keystroke."""

    score: Times = field(default_factory=Times)
    combine: Mapping[str, Times] = field(default_factory=lambda: {name: Times() for name in COMBINATIONS})
    limit: Times = field(default_factory=Times)
    loop: Times = field(default_factory=Times)
    looped: list[int] = field(default_factory=list)

    def keystrokes(self, combination: str) -> Times:
        return self.score.plus(self.combine[combination])


def _measured(library: _Library, seed: int, embed: Callable[[Sequence[str]], Vectors] | None) -> dict[str, Any]:
    size = len(library.texts)
    texts = _keystrokes(library.texts, Random(seed + 1))
    vectors = _unit_vectors(len(texts), np.random.default_rng(seed + 1))
    _once(library, texts[0], vectors[0], _Clocks())
    clocks = _timed(library, texts, vectors, Random(seed + 2))
    checked = _spread(len(texts), CHECKED_KEYSTROKES)
    rows = sorted(Random(seed + 3).sample(range(size), min(size, CHECKED_ROWS)))
    ours = clocks.keystrokes(COMBINATION)
    limit = float(np.median(clocks.limit.cpu))
    loop = float(np.median(clocks.loop.cpu)) * size / min(size, _looped_rows(size))
    return {
        "exact": all(_is_exact(library, texts[place], vectors[place], rows) for place in checked),
        "vs_loop": loop / float(np.median([ours.cpu[place] for place in clocks.looped])),
        "vs_limit": float(np.median(ours.cpu)) / limit,
        **_percentiles(ours),
        "rows_checked": len(rows),
        "keystrokes_checked": len(checked),
        "keystrokes": len(texts),
        "wall_p50_ms": float(np.percentile(ours.wall, 50)),
        "wall_p95_ms": float(np.percentile(ours.wall, 95)),
        "loop_ms": loop,
        "limit_ms": limit,
        "score_ms": float(np.median(clocks.score.cpu)),
        "encode_p50_ms": _encoding(texts, embed),
        "combinations": {name: _percentiles(clocks.keystrokes(name)) for name in COMBINATIONS},
    }


def _percentiles(times: Times) -> dict[str, float]:
    return {"p50_ms": float(np.percentile(times.cpu, 50)), "p95_ms": float(np.percentile(times.cpu, 95))}


def _keystrokes(texts: Sequence[str], random: Random) -> list[str]:
    """What a person types, evenly thinned to the number that is timed."""
    typed: list[str] = []
    for _ in range(SESSIONS):
        typed += synthetic.session(random.choice(texts), random.choice(texts), random)
    return [typed[place] for place in _spread(len(typed), _most_keystrokes(len(texts)))]


def _spread(count: int, most: int) -> list[int]:
    """At most that many places, evenly spread; the last is among them."""
    return sorted({count - 1 - (place * count) // most for place in range(min(most, count))})


def _most_keystrokes(size: int) -> int:
    return MOST_KEYSTROKES if size < MANY else MOST_KEYSTROKES_OF_MANY


def _looped_rows(size: int) -> int:
    return size if size < MANY else LOOPED_ROWS


def _timed(library: _Library, texts: Sequence[str], vectors: NDArray[np.float32], random: Random) -> _Clocks:
    clocks = _Clocks(looped=_spread(len(texts), LOOPED_KEYSTROKES))
    size = len(library.texts)
    rows = sorted(random.sample(range(size), min(size, _looped_rows(size))))
    sample_texts = [library.texts[row] for row in rows]
    sample_vectors = [library.vectors[row] for row in rows]
    for place, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        _once(library, text, vector, clocks)
        if place in clocks.looped:
            clocks.loop.of(partial(reference.loop, text, vector, sample_texts, sample_vectors))
    return clocks


def _once(library: _Library, text: str, vector: NDArray[np.float32], clocks: _Clocks) -> None:
    """One keystroke by the engine, and the least that it could cost."""
    index = library.index
    scores = clocks.score.of(lambda: index.score(ScoredText(text, vector)))
    for name, times in clocks.combine.items():
        times.of(partial(_best_matches, index, scores, _settings(name)))
    clocks.limit.of(partial(reference.limit, text, vector, library.ordered, library.vectors))


def _best_matches(index: TriggerIndex, scores: Scores, settings: Settings) -> tuple[Match, ...]:
    return matches(index, scores, rank(scores, settings, LISTED), settings)


def _settings(combination: str) -> Settings:
    return Settings.model_validate({"combination": combination})


def _is_exact(library: _Library, text: str, vector: NDArray[np.float32], rows: Sequence[int]) -> bool:
    """Whether every score, `max` and `balanced` of these rows, and the ten best, agree with the plain loop."""
    settings = _settings(COMBINATION)
    scores = library.index.score(ScoredText(text, vector))
    best = _best_matches(library.index, scores, settings)
    leaders = [(match.answer.key or 0) - 1 for match in best]
    checked = sorted({*rows, *leaders})
    plain = reference.loop(
        text, vector, [library.texts[row] for row in checked], [library.vectors[row] for row in checked]
    )
    centroids = _plain_centroids(library, vector, checked)
    expected = {name: np.array([found[name] for found in plain]) for name in plain[0]}
    expected["balanced"] = np.array([reference.balanced(*pair) for pair in zip(plain, centroids, strict=True)])
    ours = dict(scores.by_row) | {name: confidences(scores, _settings(name)) for name in ("max", "balanced")}
    for name, values in expected.items():
        if not np.allclose(ours[name][checked], values, rtol=0.0, atol=TOLERANCE):
            return False
    by_row = dict(zip(checked, expected["balanced"], strict=True))
    ranked = np.sort(expected["balanced"])[::-1][: len(leaders)]
    return np.allclose([by_row[row] for row in leaders], ranked, rtol=0.0, atol=TOLERANCE)


def _plain_centroids(library: _Library, vector: NDArray[np.float32], rows: Sequence[int]) -> list[float]:
    """S2.6 for each of these rows, by the mean of its label's vectors."""
    known: dict[int, float] = {}
    for label in {row // UNDER_ONE_LABEL for row in rows}:
        members = library.vectors[label * UNDER_ONE_LABEL : (label + 1) * UNDER_ONE_LABEL]
        known[label] = reference.semantic(vector, members.mean(axis=0))
    return [known[row // UNDER_ONE_LABEL] for row in rows]


def _encoding(texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors] | None) -> float | None:
    """The median time to encode one query in ms, None without an encoder."""
    if embed is None:
        return None
    times = Times()
    for place in _spread(len(texts), ENCODED_KEYSTROKES):
        times.of(partial(embed, [texts[place]]))
    return float(np.median(times.cpu))


def report(found: Mapping[str, Any]) -> str:
    """The document of `bench` as a table for people."""
    machine = found["machine"]
    about = f"{machine['platform']}, {machine['cpus']} CPUs, Python {machine['python']}, numpy {machine['numpy']}"
    heads = f"{'triggers':>10}  {'p50 ms':>8}  {'p95 ms':>8}  {'vs loop':>8}  {'vs limit':>8}  exact"
    lines = [f"{about}, rapidfuzz {machine['rapidfuzz']}. {found['clock']}", "", heads]
    for size, row in found["sizes"].items():
        exact = f"{'yes' if row['exact'] else 'NO'} ({row['rows_checked']:,} rows)"
        lines.append(
            f"{int(size):>10,}  {row['p50_ms']:>8.2f}  {row['p95_ms']:>8.2f}  {row['vs_loop']:>8.1f}  "
            f"{row['vs_limit']:>8.2f}  {exact}"
        )
    return "\n".join(lines) + "\n"
