"""Generated library of the benchmark, and comparison of the engine with the plain loop."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Memory
from app.domain.match import Match
from app.evaluation import synthetic
from app.scoring import reference
from app.scoring.index.ranking import confidences
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
