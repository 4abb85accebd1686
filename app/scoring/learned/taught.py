"""The input of a fit: taught phrases, labelled cases and background texts, with vectors."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from app.scoring.text import without_punctuation

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.intp]
Marks = NDArray[np.bool_]

NONE = -1
"""The label of a case that nothing taught is right for."""


MOST_COMPARED = 500
"""Maximum number of phrases sampled to measure the distances within a library."""

LEAST_PHRASES = 2.0
"""Minimum mean number of phrases per label to measure how well phrases tell labels apart."""


class FitCancelledError(Exception):
    """Raised if the caller's `cancelled` returned True; nothing was changed."""


def plain(text: str) -> str:
    """Return the text without case, extra spaces and punctuation.

    Two phrases that differ only in these count as the same: a query with such a text is answered as if it were
    taught.
    """
    return without_punctuation(text) or text


def digest_of_text(text: str) -> int:
    """Return a number for a text; texts that are equal after `plain` have the same number."""
    return _digest(plain(text))


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest())


@dataclass(frozen=True, slots=True, eq=False)
class LabelNames:
    """Names of labels that read as words, for the regression.

    - `owners`: (names,), the number of the label of each name
    - `texts`: the words of the names
    - `vectors`: shape (names, dimension), as in TrainingSet
    """

    owners: Places
    texts: Sequence[str]
    vectors: Singles


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Taught phrases.

    - `labels`: the caller's group keys
    - `owners`: (phrases,), the number in `labels` of each phrase
    - `texts`: the phrases, for BM25
    - `vectors`: shape (phrases, dimension), float32, of length 1, for the regression
    - `semantic_vectors`: the vectors for cosines, where these are different: shape (phrases, any)
    - `are_queries`: (phrases,), True for phrases in the form of a query, where some are names and descriptions
    - `described`: True for paragraphs of a description with several of them
    - `names`: the names of labels, for a library with few phrases per label
    """

    labels: tuple[Hashable, ...]
    owners: Places
    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles | None = None
    are_queries: Marks | None = None
    described: Marks | None = None
    names: LabelNames | None = None

    def __post_init__(self) -> None:
        if not len(self.owners) == len(self.texts) == len(self.vectors):
            raise ValueError("each phrase has a label, a text and a vector")

    @property
    def examples(self) -> float:
        """The mean number of phrases in the form of queries per label."""
        return (len(self.owners) if self.are_queries is None else int(self.are_queries.sum())) / len(self.labels)

    @property
    def has_descriptions(self) -> bool:
        """True if some of the phrases are names and descriptions, as powers have."""
        return self.are_queries is not None and not bool(self.are_queries.all())

    @property
    def is_described(self) -> bool:
        """True if there are too few phrases in the form of queries to use them as queries in a fit."""
        return self.are_queries is not None and self.examples < LEAST_PHRASES

    @property
    def named(self) -> float:
        """The share of labels with a name."""
        return 0.0 if self.names is None else len(self.names.owners) / len(self.labels)

    @property
    def cosine_vectors(self) -> Singles:
        return self.vectors if self.semantic_vectors is None else self.semantic_vectors


@dataclass(frozen=True, slots=True, eq=False)
class LabelledQueries:
    """Labelled queries.

    The fields are as in `TrainingSet`, with NONE in `owners` where nothing taught is right. A query with several
    right labels appears once for each of them; `shares` is the weight of each appearance, 1 by default.
    """

    owners: Places
    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles | None = None
    shares: Floats | None = None

    @property
    def cosine_vectors(self) -> Singles:
        return self.vectors if self.semantic_vectors is None else self.semantic_vectors

    def told(self, labels: Sequence[Hashable]) -> int:
        """Return a number that identifies the queries and their labels, in any order."""
        rows = zip(self.texts, self.owners.tolist(), strict=True)
        return sum(_digest(f"{text}\0{labels[owner]!r}" if owner != NONE else text) for text, owner in rows) % 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Out-of-scope texts that ship with the program.

    `texts` and their `vectors`, with `semantic_vectors` where others are used for cosines.
    """

    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles | None = None

    @property
    def cosine_vectors(self) -> Singles:
        return self.vectors if self.semantic_vectors is None else self.semantic_vectors


def tightness(taught: TrainingSet) -> tuple[float, float]:
    """Return the mean cosine to the nearest other phrase of the same label, and of another.

    NaN where there is none. Where labels are close together, out-of-scope queries are close to them too.
    """
    vectors = taught.cosine_vectors
    some = np.linspace(0, len(vectors) - 1, min(len(vectors), MOST_COMPARED)).astype(np.intp)
    cosines = vectors[some] @ vectors.T
    is_own = taught.owners[some, None] == taught.owners
    others = np.where(is_own, -np.inf, cosines).max(axis=1, initial=-np.inf)
    cosines[np.arange(len(some)), some] = -np.inf
    own = np.where(is_own, cosines, -np.inf).max(axis=1, initial=-np.inf)
    return _mean_of_known(own), _mean_of_known(others)


def _mean_of_known(nearest: Singles) -> float:
    known = nearest[np.isfinite(nearest)]
    return float(known.mean()) if len(known) else float("nan")
