"""Reference implementations for the benchmark: 002's formulas in a loop, and a lower limit.

No code is shared with columns or combiners: one text, one trigger, one candidate at a time, so that the benchmark
can check the fast path's results as well as its speed.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import __version__ as rapidfuzz_version
from rapidfuzz import fuzz, process

RAPIDFUZZ_VERSION: str = rapidfuzz_version

Vector = NDArray[np.float32]


class _Punctuation(dict[int, int | None]):
    """Translation table that drops ASCII punctuation and category P (S2.1), filled on use."""

    def __missing__(self, code: int) -> int | None:
        is_dropped = chr(code) in string.punctuation or unicodedata.category(chr(code)).startswith("P")
        self[code] = None if is_dropped else code
        return self[code]


_PUNCTUATION = _Punctuation()


def _normalised(text: str) -> str:
    return " ".join(text.translate(_PUNCTUATION).split()).lower()


def exact(query: str, trigger: str) -> float:
    """Exact score (S2.2)."""
    if query == trigger:
        return 1.0
    if query.lower() == trigger.lower():
        return 0.98
    return 0.95 if _normalised(query) == _normalised(trigger) else 0.0


def fuzzy(query: str, trigger: str) -> float:
    """Fuzzy score (S2.3)."""
    return fuzz.token_sort_ratio(query.lower(), trigger.lower()) / 100.0


def token_overlap(query: str, trigger: str) -> float:
    """Token overlap score (S2.4)."""
    asked, held = set(query.lower().split()), set(trigger.lower().split())
    if not asked or not held:
        return 0.0
    shared = asked & held
    jaccard, coverage = len(shared) / len(asked | held), len(shared) / len(asked)
    return 0.4 * jaccard + 0.6 * coverage


def semantic(query: Vector, trigger: Vector) -> float:
    """Semantic score (S2.5) of vectors of any length, shape (dimension,) each."""
    lengths = float(np.linalg.norm(query)) * float(np.linalg.norm(trigger))
    return max(0.0, float(np.dot(query, trigger)) / lengths) if lengths > 0 else 0.0


def scores(query: str, vector: Vector, trigger: str, trigger_vector: Vector) -> dict[str, float]:
    """Compute 002's four scores of one trigger."""
    return {
        "exact": exact(query, trigger),
        "fuzzy": fuzzy(query, trigger),
        "token_overlap": token_overlap(query, trigger),
        "semantic": semantic(vector, trigger_vector),
    }


def maximum(found: Mapping[str, float]) -> float:
    """Combine the scores by 002's `max`."""
    return max(found.values())


def balanced(found: Mapping[str, float], centroid: float) -> float:
    """Combine the scores of a memory by the default of S2.10."""
    return max(found["exact"], (found["semantic"] + centroid) / 2)


def loop(query: str, vector: Vector, triggers: Sequence[str], vectors: Sequence[Vector]) -> list[dict[str, float]]:
    """Run 002's plain loop over every trigger, including `max`, with given embeddings."""
    found: list[dict[str, float]] = []
    for trigger, trigger_vector in zip(triggers, vectors, strict=True):
        own = scores(query, vector, trigger, trigger_vector)
        own["max"] = maximum(own)
        found.append(own)
    return found


def in_token_order(text: str) -> str:
    """Return the sorted tokens that `token_sort_ratio` compares; for `limit`."""
    return " ".join(sorted(text.lower().split()))


def limit(query: str, vector: Vector, ordered: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Run the minimum work of a key press: one `cdist` of `ratio` and one float32 product.

    `ordered` are pre-sorted texts, `vectors` has shape (rows, dimension).
    """
    process.cdist([in_token_order(query)], ordered, scorer=fuzz.ratio)
    vectors @ vector
