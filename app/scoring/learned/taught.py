"""The input of a fit: taught phrases, labelled cases and background texts, with vectors."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column import Floats, Places, Singles
from app.scoring.text import without_punctuation

Marks = NDArray[np.bool_]

NONE = -1
"""The label of a case that nothing taught is right for."""

MOST_COMPARED = 500
"""Maximum number of phrases sampled to measure the distances within a library."""

LEAST_PHRASES = 2.0
"""Minimum mean number of phrases per label to use them as queries in a fit."""

LEAST_TEXTS = 1.5
"""Minimum mean number of phrases, names and sentences per label of memories for a fit."""


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
class LabelTexts:
    """Texts about labels, for the regression: names that read as words, and sentences of responses.

    - `owners`: (texts,), the number of the label of each text
    - `texts`: the texts
    - `vectors`: shape (texts, dimension), as in TrainingSet
    - `names`: the number of names among the texts
    """

    owners: Places
    texts: Sequence[str]
    vectors: Singles
    names: int


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
    - `naming`: True for names and keywords of powers
    - `about`: names of labels and sentences of responses, for a library with few phrases per label
    """

    labels: tuple[Hashable, ...]
    owners: Places
    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles | None = None
    are_queries: Marks | None = None
    described: Marks | None = None
    naming: Marks | None = None
    about: LabelTexts | None = None

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
        return 0.0 if self.about is None else self.about.names / len(self.labels)

    @property
    def cosine_vectors(self) -> Singles:
        return self.vectors if self.semantic_vectors is None else self.semantic_vectors

    def telling(self, rows: Places) -> Places:
        """Return those of the rows that say what their label does.

        These are all but names and keywords, which are among them only where their label has nothing else.
        """
        if self.naming is None:
            return rows
        owners, tells = self.owners[rows], ~self.naming[rows]
        has_others = np.bincount(owners[tells], minlength=len(self.labels)) > 0
        return rows[tells | ~has_others[owners]]


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

    def digest(self, labels: Sequence[Hashable]) -> int:
        """Return a number that identifies the queries and their labels, in any order."""
        rows = zip(self.texts, self.owners.tolist(), strict=True)
        return sum(_digest(f"{text}\0{labels[owner]!r}" if owner != NONE else text) for text, owner in rows) % 2**53


@dataclass(frozen=True, slots=True, eq=False)
class OutOfScopeTexts:
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


# ---- Cross-validation folds of a library: phrases, labels and background texts left out.
#
# A view is fitted without some phrases, some complete labels and some background texts. A left-out phrase is a query
# for its own label. A phrase whose label was left out, and a background text, are queries for *none of these*.


PHRASES, OUT_OF_SCOPE_LABELS, BACKGROUND = 0.92, 0.03, 0.05
"""Weights of taught phrases, of phrases of labels not taught, and of background texts."""

FOLDS = 5
"""Number of folds.

A view leaves out one in FOLDS of the phrases of each label and of the background texts, but only one in 2 * FOLDS
of the labels: the remaining labels must be as easy to confuse as all of them.
"""

MAX_HELD_OUT = 2_000
"""Maximum number of phrases left out of a view; also of phrases whose label is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Row numbers of phrases and of background texts.

    Phrases are in `kept`, in `held_out` (their label is kept) or in `out_of_scope` (left out with their label).
    Background texts are in `background_kept` or `background_held_out`.
    """

    kept: Places
    held_out: Places
    out_of_scope: Places
    background_kept: Places
    background_held_out: Places


def fold(taught: TrainingSet, background: OutOfScopeTexts, number: int) -> Fold:
    """Return the fold with this number, below FOLDS.

    It depends on the texts and labels only, not on their order.
    """
    digests = _digests([plain(text) for text in taught.texts])
    labels = _ranks(_digests([repr(label) for label in taught.labels]), np.zeros(len(taught.labels), np.intp))
    is_out_of_scope = (labels % (2 * FOLDS) == number)[taught.owners]
    if is_out_of_scope.all():
        is_out_of_scope[:] = False
    ranks = _ranks(digests, taught.owners)
    is_query = np.ones(len(ranks), np.bool_) if taught.are_queries is None else taught.are_queries
    sizes = np.zeros(len(taught.labels), np.intp)
    np.maximum.at(sizes, taught.owners, ranks + 1)
    is_held_out = (ranks % FOLDS == number) & (sizes[taught.owners] > 1) & ~is_out_of_scope & is_query
    is_held_out = _limited(is_held_out, digests)
    others = _ranks(_digests(background.texts), np.zeros(len(background.texts), np.intp)) % FOLDS == number
    return Fold(
        np.flatnonzero(~is_held_out & ~is_out_of_scope),
        np.flatnonzero(is_held_out),
        np.flatnonzero(_limited(is_out_of_scope & is_query, digests)),
        np.flatnonzero(~others),
        np.flatnonzero(others),
    )


def _digests(texts: Sequence[str]) -> NDArray[np.uint64]:
    return np.array(
        [int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for text in texts],
        np.uint64,
    )


def _ranks(digests: NDArray[np.uint64], owners: Places) -> Places:
    """Return the rank of each digest among those of its owner.

    Duplicates have the same rank, so that no text is left out while its duplicate is kept.
    """
    order = np.lexsort((digests, owners))
    own, digest = owners[order], digests[order]
    is_first = np.append(True, own[1:] != own[:-1])[: len(own)]
    numbers = np.cumsum(np.append(True, digest[1:] != digest[:-1])[: len(own)] | is_first)
    starts = numbers[is_first]
    ranks = np.empty(len(owners), np.intp)
    ranks[order] = numbers - starts[np.cumsum(is_first) - 1]
    return ranks


def _limited(marks: Marks, digests: NDArray[np.uint64]) -> Marks:
    """Return at most MAX_HELD_OUT of the marks, those of the smallest digests."""
    places = np.flatnonzero(marks)
    if len(places) <= MAX_HELD_OUT:
        return marks
    kept = np.zeros_like(marks)
    kept[places[np.argsort(digests[places], kind="stable")[:MAX_HELD_OUT]]] = True
    return kept
