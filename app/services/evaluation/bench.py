"""Benchmark of a keystroke on a generated library: time, lower limit, exactness."""

from __future__ import annotations

import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Memory
from app.domain.match import EagerExplanation, Match
from app.evaluation import synthetic
from app.ports.encoder import Vectors
from app.scoring import reference
from app.scoring.columns.exact import ScoredText
from app.scoring.index.ranking import confidences, matches, rank
from app.scoring.index.trigger_index import Scores, TriggerIndex
from app.scoring.scorers import SCORERS
from app.settings.model import Settings

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
        texts = synthetic.triggers(size, Random(seed))
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
        "machine": _machine(),
        "seed": seed,
        "clock": CLOCK,
        "keystroke": KEYSTROKE,
        "combination": COMBINATION,
        "sizes": {str(size): _measured(MadeLibrary.of(size, seed), seed, embed) for size in wanted},
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
            "edits": {edit: self._of(edit) for edit in synthetic.EDITS if edit in self.edits},
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
        typed += synthetic.session(random.choice(texts), random.choice(texts), random)
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
    clocks.account.of(partial(_accounts, answered[1]))
    return answered


def _accounts(found: Sequence[Match]) -> list[EagerExplanation]:
    """Return the full explanation of the best match, if there is one."""
    return [EagerExplanation(one.steps, one.best_trigger, one.triggers, one.keywords) for one in found[:1]]


def _live(index: TriggerIndex, text: str, vector: NDArray[np.float32], settings: Settings) -> None:
    """Run one keystroke as the window does: the floor, then the answer with the vector."""
    scores = index.score(ScoredText(text))
    _best_matches(index, scores, settings)
    _best_matches(index, index.with_meaning(scores, vector), settings)


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


# ---- Plot of `bench`: time per keystroke and memory over triggers, both logarithmic.


WIDTH, HEIGHT = 960, 420
LEFT, TOP, PANE_WIDTH, PANE_HEIGHT, BETWEEN = 70, 60, 370, 280, 90

COLOURS = ("#2a78d6", "#c2571a", "#2e8b57", "#8a4fbe")
"""Colours of the combinations in order, with a contrast to white of at least 3."""

INK, FAINT, GRID = "#1f2430", "#5b6270", "#dfe3ea"


@dataclass(frozen=True, slots=True)
class Line:
    """Named line through (triggers, value) points."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    dashed: bool = False


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """Fit k of value = c * size ** k by least squares of logs; None for fewer than two sizes."""
    if len({size for size, _ in points}) < 2:
        return None
    sizes, values = np.log([size for size, _ in points]), np.log([value for _, value in points])
    return float(np.polyfit(sizes, values, 1)[0])


def lines_of(found: Mapping[str, Any]) -> tuple[list[Line], list[Line]]:
    """Return the lines of ms per keystroke (dashed: lower limit) and of memory in MB."""
    sizes: Mapping[str, Any] = found["sizes"]
    names = list(next(iter(sizes.values()))["combinations"])
    times = [
        Line(name, _points(sizes, lambda row, name=name: row["combinations"][name]["p50_ms"]), colour)
        for name, colour in zip(names, COLOURS, strict=False)
    ]
    limit = Line("cdist + product", _points(sizes, lambda row: row["limit_ms"]), FAINT, dashed=True)
    arrays = Line("arrays of the index", _points(sizes, lambda row: row["memory"]), COLOURS[0])
    whole = Line("with the answers", _points(sizes, lambda row: row["resident"]), COLOURS[1])
    # Without figures of the system, or if freed memory was reused, there is nothing to draw.
    return [*times, limit], [line for line in (arrays, whole) if all(value > 0 for _, value in line.points)]


def _points(sizes: Mapping[str, Any], value: Any) -> list[tuple[float, float]]:
    return [(float(size), float(value(row))) for size, row in sizes.items()]


def svg(found: Mapping[str, Any]) -> str:
    times, memory = lines_of(found)
    machine = found["machine"]
    system = str(machine["platform"]).split("-")[0]
    about = f"{system}, {machine['cpus']} CPUs, Python {machine['python']}, seed {found['seed']}; medians, one thread"
    return picture({"ms per keystroke": times, "MB in memory": memory}, about)


def picture(panes: Mapping[str, Sequence[Line]], about: str) -> str:
    """Return two panes side by side by their titles, both axes logarithmic, with a caption."""
    (one, left), (other, right) = panes.items()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_pane(LEFT, one, left),
        *_pane(LEFT + PANE_WIDTH + BETWEEN, other, right),
        _text(LEFT, HEIGHT - 12, about, size=11, colour=FAINT),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _pane(left: float, title: str, lines: Sequence[Line]) -> list[str]:
    points = [point for line in lines for point in line.points]
    across, up = _span([size for size, _ in points]), _span([value for _, value in points])

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x = (math.log10(point[0]) - across[0]) / (across[1] - across[0])
        y = (math.log10(point[1]) - up[0]) / (up[1] - up[0])
        return left + x * PANE_WIDTH, TOP + (1 - y) * PANE_HEIGHT

    parts = [_text(left, TOP - 34, title, size=15, weight="bold")]
    for power in range(across[0], across[1] + 1):
        x, _ = at((10.0**power, 10.0 ** up[0]))
        parts.append(_stroke((x, TOP), (x, TOP + PANE_HEIGHT)))
        parts.append(_text(x, TOP + PANE_HEIGHT + 18, f"{10**power:,}", anchor="middle", colour=FAINT))
    for power in range(up[0], up[1] + 1):
        _, y = at((10.0 ** across[0], 10.0**power))
        parts.append(_stroke((left, y), (left + PANE_WIDTH, y)))
        parts.append(_text(left - 8, y + 4, f"{10.0**power:g}", anchor="end", colour=FAINT))
    parts.append(_text(left + PANE_WIDTH, TOP + PANE_HEIGHT + 36, "triggers", anchor="end", colour=FAINT))
    for place, line in enumerate(lines):
        parts += _drawn(line, [at(point) for point in line.points], left + 14, TOP + 18 + 18 * place)
    return parts


def _drawn(line: Line, places: Sequence[tuple[float, float]], x: float, y: float) -> list[str]:
    dash = ' stroke-dasharray="6 4"' if line.dashed else ""
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
    grown = exponent(line.points)
    said = line.name if grown is None else f"{line.name}: n^{grown:.2f}"
    return [
        f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="2"{dash}/>',
        *(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{line.colour}"/>' for px, py in places),
        f'<line x1="{x}" y1="{y - 4}" x2="{x + 22}" y2="{y - 4}" stroke="{line.colour}" stroke-width="2"{dash}/>',
        _text(x + 28, y, said),
    ]


def _span(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten around these values, at least one apart."""
    least, most = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return least, max(most, least + 1)


def _stroke(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{GRID}"/>'


def _text(
    x: float, y: float, said: str, *, size: int = 12, anchor: str = "start", colour: str = INK, weight: str = "normal"
) -> str:
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(said)}</text>'
