"""What a fit is made of: taught phrases with their vectors and labels, labelled cases, and texts of elsewhere."""

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
"""Of more phrases than this so many tell how near those of a library lie to each other."""

LEAST_PHRASES = 2.0
"""With fewer phrases a label in the mean there is no telling how well they tell labels apart."""


class FitCancelledError(Exception):
    """The caller's `cancelled` said so; nothing was changed."""


def plain(text: str) -> str:
    """What two phrases have in common that are one but for case, space and punctuation: a query in the words of the one
    is answered as if it were taught."""
    return without_punctuation(text) or text


def digest_of_text(text: str) -> int:
    """A number for a text, and for all that are one with it."""
    return _digest(plain(text))


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest())


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Taught phrases: `vectors` of shape (phrases, dimension), float32, of length 1, for the regression; `owners`
    (phrases,), the number in `labels` of each; `texts`, for BM25; `semantic_vectors`, the vectors that cosines are
    taken of, where they are others: shape (phrases, any); and which of them `are_queries` in form, where some are names
    and descriptions: shape (phrases,). `described` tells which are paragraphs of a description of several."""

    labels: tuple[Hashable, ...]
    owners: Places
    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles | None = None
    are_queries: Marks | None = None
    described: Marks | None = None

    def __post_init__(self) -> None:
        if not len(self.owners) == len(self.texts) == len(self.vectors):
            raise ValueError("each phrase has a label, a text and a vector")

    @property
    def examples(self) -> float:
        """How many phrases in the way of queries a label has in the mean."""
        return (len(self.owners) if self.are_queries is None else int(self.are_queries.sum())) / len(self.labels)

    @property
    def has_descriptions(self) -> bool:
        """Whether some of it are names and descriptions, as powers have."""
        return self.are_queries is not None and not bool(self.are_queries.all())

    @property
    def is_described(self) -> bool:
        """Whether it is names and descriptions more than phrases in the way of queries: of these too few to ask for."""
        return self.are_queries is not None and self.examples < LEAST_PHRASES

    @property
    def cosine_vectors(self) -> Singles:
        return self.vectors if self.semantic_vectors is None else self.semantic_vectors


@dataclass(frozen=True, slots=True, eq=False)
class LabelledQueries:
    """Labelled queries: as `TrainingSet`, with NONE in `owners` where nothing taught is right. One for which several
    labels are right is there once for each, `shares` telling how much of one it counts each time; 1 where that is not
    told."""

    owners: Places
    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles | None = None
    shares: Floats | None = None

    @property
    def cosine_vectors(self) -> Singles:
        return self.vectors if self.semantic_vectors is None else self.semantic_vectors

    def told(self, labels: Sequence[Hashable]) -> int:
        """A number for all that they tell, whatever their order."""
        rows = zip(self.texts, self.owners.tolist(), strict=True)
        return sum(_digest(f"{text}\0{labels[owner]!r}" if owner != NONE else text) for text, owner in rows) % 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Out-of-scope texts that ship with the program: `texts` and their `vectors`, with `semantic_vectors` where others
    are used for cosines."""

    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles | None = None

    @property
    def cosine_vectors(self) -> Singles:
        return self.vectors if self.semantic_vectors is None else self.semantic_vectors


def tightness(taught: TrainingSet) -> tuple[float, float]:
    """How near phrases lie in the mean to the nearest other of their label, and to the nearest of another: cosines; of
    what there is none of, NaN. Where labels lie close, a stranger's question lies close to them too."""
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
