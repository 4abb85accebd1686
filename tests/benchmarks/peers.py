"""Time per keystroke beside other tools. Run: `python -m tests.benchmarks.peers --sizes N,N`.

Each row says which scores it computes: a peer that computes one of six does less work, and the ratio says only how
long a person would wait for it. semantic-router is asked with the vectors that all others get, so no encoder runs
anywhere; where it is not installed its row says so.
"""

import argparse
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

# One thread each, as in the program; this must be set before numpy is imported.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

# ruff: noqa: E402
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from app.scoring import reference
from app.scoring.index.ranking import matches, rank
from app.scoring.text import ScoredText
from app.services.evaluation import bench
from app.services.evaluation.bench import UNDER_ONE_LABEL, MadeLibrary, cpu, unit_vectors
from app.settings.model import Settings

LISTED = 10
KEYSTROKES = 24
LOOPED_ROWS = 10_000
"""Maximum number of rows for the plain loop.

Its time is scaled, as the work per row is equal.
"""

Vector = NDArray[np.float32]
Ask = Callable[[str, Vector], object]


@dataclass(frozen=True, slots=True)
class Peer:
    """Competitor: what it computes per trigger, and how.

    `scale` applies if it is run on a part of the library. `ask` is None if it cannot run, and `computes` says why.
    """

    name: str
    computes: str
    ask: Ask | None
    scale: float = 1.0


def peers(library: MadeLibrary) -> Iterator[Peer]:
    """Yield our combinations first, to which the others are compared."""
    for combination in ("balanced", "max", "weighted_average", "cascade"):
        yield Peer(
            f"ours, {combination}",
            "all scores, exactly; 10 best explained",
            _ours(library, Settings.model_validate({"combination": combination})),
        )
    yield _plain_loop(library)
    yield Peer(
        "limit",
        "fuzzy (sorted beforehand) and semantic; no ranking",
        lambda text, vector: reference.limit(text, vector, library.ordered, library.vectors),
    )
    yield Peer("rapidfuzz.process.extract", "fuzzy", _extract(library))
    yield Peer("SQLite FTS5", "BM25 of tokens, the last as a prefix", _fts5(library))
    yield _semantic_router(library)


def _ours(library: MadeLibrary, settings: Settings) -> Ask:
    def ask(text: str, vector: Vector) -> object:
        scores = library.index.score(ScoredText(text, vector))
        return matches(library.index, scores, rank(scores, settings, LISTED), settings)

    return ask


def _plain_loop(library: MadeLibrary) -> Peer:
    texts, vectors = library.texts[:LOOPED_ROWS], list(library.vectors[:LOOPED_ROWS])
    computes = "exact, fuzzy, token, semantic, max; no ranking"
    scale = len(library.texts) / len(texts)
    return Peer("plain loop", computes, lambda text, vector: reference.loop(text, vector, texts, vectors), scale)


def _extract(library: MadeLibrary) -> Ask:
    lowered = [text.lower() for text in library.texts]
    return lambda text, vector: process.extract(text.lower(), lowered, scorer=fuzz.token_sort_ratio, limit=LISTED)


def _fts5(library: MadeLibrary) -> Ask:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE held USING fts5(text)")
    database.executemany("INSERT INTO held (text) VALUES (?)", ((text,) for text in library.texts))

    def ask(text: str, vector: Vector) -> object:
        quoted = ['"' + word.replace('"', '""') + '"' for word in text.lower().split()]
        asked = " OR ".join([*quoted[:-1], quoted[-1] + "*"])
        found = database.execute("SELECT rowid FROM held WHERE held MATCH ? ORDER BY rank LIMIT ?", (asked, LISTED))
        return found.fetchall()

    return ask


def _semantic_router(library: MadeLibrary) -> Peer:
    try:
        from semantic_router import IndexedRouter, Route
        from semantic_router.encoders import DenseEncoder
    except ImportError as error:
        return Peer("semantic-router", f"not run: {error} (pip install semantic-router==1.1.1)", None)
    known = dict(zip(library.texts, library.vectors, strict=True))

    class Given(DenseEncoder):  # type: ignore[misc]
        name: str = "given"

        def __call__(self, docs: list[str]) -> list[list[float]]:
            return [known[doc].tolist() for doc in docs]

    routes = [
        Route(name=f"answer {first // UNDER_ONE_LABEL}", utterances=library.texts[first : first + UNDER_ONE_LABEL])
        for first in range(0, len(library.texts), UNDER_ONE_LABEL)
    ]
    router = IndexedRouter(encoder=Given(), routes=routes)

    def ask(text: str, vector: Vector) -> object:
        known[text] = vector
        return router(text, limit=LISTED)

    return Peer("semantic-router", "semantic, mean by route of the nearest", ask)


def measured(size: int, seed: int = 0) -> list[tuple[Peer, float | None]]:
    """Measure each peer's median CPU time in ms; None if it cannot run.

    The peers alternate on each key press.
    """
    library = MadeLibrary.of(size, seed)
    random = Random(seed + 1)
    typed = [text for _, text in bench.session(random.choice(library.texts), random.choice(library.texts), random)]
    texts = [text for text in typed[:: max(1, len(typed) // KEYSTROKES)] if text.split()]
    vectors = unit_vectors(len(texts), np.random.default_rng(seed + 1))
    contestants = list(peers(library))
    times: list[list[float]] = [[] for _ in contestants]
    for text, vector in zip(texts, vectors, strict=True):
        for peer, own in zip(contestants, times, strict=True):
            if peer.ask is not None:
                begun = cpu()
                peer.ask(text, vector)
                own.append((cpu() - begun) * 1000.0 * peer.scale)
    return [(peer, float(np.median(own)) if own else None) for peer, own in zip(contestants, times, strict=True)]


def table(size: int, found: Sequence[tuple[Peer, float | None]]) -> str:
    ours = found[0][1] or 1.0
    lines = [f"{size:,} triggers", f"{'':<26}  {'ms':>9}  {'to ours':>8}  computes"]
    for peer, took in found:
        figures = f"{'-':>9}  {'-':>8}" if took is None else f"{took:>9.2f}  {took / ours:>8.2f}"
        lines.append(f"{peer.name:<26}  {figures}  {peer.computes}")
    return "\n".join(lines)


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers", description=__doc__)
    asked.add_argument("--sizes", default="10000,100000", metavar="N,N")
    for size in map(int, asked.parse_args().sizes.split(",")):
        print(table(size, measured(size)), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
