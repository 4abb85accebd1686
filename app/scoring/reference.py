"""The yardsticks that the engine is measured by: 002's formulas in a plain loop, and the least work that could do.

Nothing here shares code with the columns or the combiners: one text, one trigger, one candidate at a time, as the
document has it, so that the bench can tell whether the fast path is exact as well as how much faster it is.
"""

from __future__ import annotations

import string
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import __version__ as rapidfuzz_version
from rapidfuzz import fuzz, process

RAPIDFUZZ_VERSION: str = rapidfuzz_version

Vector = NDArray[np.float32]


@cache
def _punctuation() -> dict[int, None]:
    """A table for `str.translate` that drops ASCII punctuation and Unicode category P (S2.1)."""
    every = map(chr, range(sys.maxunicode + 1))
    return {ord(c): None for c in every if c in string.punctuation or unicodedata.category(c).startswith("P")}


def _normalised(text: str) -> str:
    return " ".join(text.translate(_punctuation()).split()).lower()


def exact(query: str, trigger: str) -> float:
    """S2.2."""
    if query == trigger:
        return 1.0
    if query.lower() == trigger.lower():
        return 0.98
    return 0.95 if _normalised(query) == _normalised(trigger) else 0.0


def fuzzy(query: str, trigger: str) -> float:
    """S2.3."""
    return fuzz.token_sort_ratio(query.lower(), trigger.lower()) / 100.0


def token_overlap(query: str, trigger: str) -> float:
    """S2.4."""
    asked, held = set(query.lower().split()), set(trigger.lower().split())
    if not asked or not held:
        return 0.0
    shared = asked & held
    jaccard, coverage = len(shared) / len(asked | held), len(shared) / len(asked)
    return 0.4 * jaccard + 0.6 * coverage


def semantic(query: Vector, trigger: Vector) -> float:
    """S2.5; vectors of any length, shape (dimension,) each."""
    lengths = float(np.linalg.norm(query)) * float(np.linalg.norm(trigger))
    return max(0.0, float(np.dot(query, trigger)) / lengths) if lengths > 0 else 0.0


def scores(query: str, vector: Vector, trigger: str, trigger_vector: Vector) -> dict[str, float]:
    """002's four scores of one trigger."""
    return {
        "exact": exact(query, trigger),
        "fuzzy": fuzzy(query, trigger),
        "token_overlap": token_overlap(query, trigger),
        "semantic": semantic(vector, trigger_vector),
    }


def maximum(found: Mapping[str, float]) -> float:
    """002's `max`."""
    return max(found.values())


def balanced(found: Mapping[str, float], centroid: float) -> float:
    """The default of S2.10, for a memory."""
    return max(found["exact"], (found["semantic"] + centroid) / 2)


def loop(query: str, vector: Vector, triggers: Sequence[str], vectors: Sequence[Vector]) -> list[dict[str, float]]:
    """002's plain loop over every trigger, its final `max` included, with the embeddings decoded beforehand."""
    found: list[dict[str, float]] = []
    for trigger, trigger_vector in zip(triggers, vectors, strict=True):
        own = scores(query, vector, trigger, trigger_vector)
        own["max"] = maximum(own)
        found.append(own)
    return found


def in_token_order(text: str) -> str:
    """What `token_sort_ratio` compares after sorting; made once per trigger for `limit`."""
    return " ".join(sorted(text.lower().split()))


def limit(query: str, vector: Vector, ordered: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """The least that a keystroke costs here: one `cdist` of `ratio` over pre-sorted texts, one float32 product of
    `vectors`, shape (rows, dimension), with the query's vector."""
    process.cdist([in_token_order(query)], ordered, scorer=fuzz.ratio)
    vectors @ vector
