"""002's four scoring functions and three combinations, copied literally (S2.1).

The document's methods are functions here, and its `self.fuzz` is rapidfuzz's. Two things differ: `PUNCTUATION` adds
Unicode category P to `string.punctuation`, as S2.1 requires, and `weighted` has no default argument.
"""

import string
import unicodedata
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

PUNCTUATION = string.punctuation + "".join(
    c for c in map(chr, range(128, 0x20000)) if unicodedata.category(c).startswith("P")
)

_TRANSLATOR = str.maketrans("", "", PUNCTUATION)


def exact(query: str, trigger: str) -> float:
    # Perfect exact match
    if query == trigger:
        return 1.0

    # Case-insensitive match
    if query.lower() == trigger.lower():
        return 0.98

    # Normalized match (remove punctuation, extra spaces)
    query_norm = " ".join(query.translate(_TRANSLATOR).split()).lower()
    trigger_norm = " ".join(trigger.translate(_TRANSLATOR).split()).lower()

    if query_norm == trigger_norm:
        return 0.95

    return 0.0


def token_overlap(query: str, trigger: str) -> float:
    query_tokens = set(query.lower().split())
    trigger_tokens = set(trigger.lower().split())

    if not query_tokens or not trigger_tokens:
        return 0.0

    intersection = query_tokens & trigger_tokens
    union = query_tokens | trigger_tokens

    jaccard = len(intersection) / len(union)

    # Also compute coverage (what % of query tokens appear in trigger)
    coverage = len(intersection) / len(query_tokens)

    # Return weighted average favoring coverage
    return 0.4 * jaccard + 0.6 * coverage


def fuzzy(query: str, trigger: str) -> float:
    # Use token sort ratio for word order independence
    ratio = fuzz.token_sort_ratio(query.lower(), trigger.lower())
    return ratio / 100.0


def semantic(query_embedding: NDArray[np.float64], pattern_embedding: NDArray[np.float64]) -> float:
    score = 0.0
    # Compute cosine similarity
    dot_product = np.dot(query_embedding, pattern_embedding)
    norm_query = np.linalg.norm(query_embedding)
    norm_pattern = np.linalg.norm(pattern_embedding)

    if norm_query > 0 and norm_pattern > 0:
        score = float(dot_product / (norm_query * norm_pattern))
        score = max(0.0, score)  # Clamp to [0,1]
    return score


def maximum(scores: Mapping[str, float]) -> float:
    return max(scores.values())


def weighted(scores: Mapping[str, float]) -> float:
    weights = {"exact": 0.4, "fuzzy": 0.3, "token_overlap": 0.2, "semantic": 0.1}
    return sum(scores[key] * weights.get(key, 0.0) for key in scores)


def cascade(scores: Mapping[str, float]) -> float:
    # Exact match: If high, use immediately
    if scores["exact"] >= 0.95:
        return scores["exact"]

    # Fuzzy match: If good, use it
    if scores["fuzzy"] >= 0.75:
        return scores["fuzzy"]

    # Token overlap: If decent, use it
    if scores["token_overlap"] >= 0.70:
        return scores["token_overlap"]

    # Semantic: Last resort
    return scores["semantic"]
