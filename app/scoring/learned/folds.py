"""Cross-validation folds of a library: phrases, labels and background texts left out.

A view is fitted without some phrases, some complete labels and some background texts. A left-out phrase is a query
for its own label. A phrase whose label was left out, and a background text, are queries for *none of these*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from app.scoring.learned.taught import Background, Marks, Places, TrainingSet, plain

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


def fold(taught: TrainingSet, background: Background, number: int) -> Fold:
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
