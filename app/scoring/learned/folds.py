"""Questions that a library answers about itself: phrases left out, labels left out, and texts of elsewhere left out.

A view is fitted without some phrases, some whole labels and some background. A phrase that was left out asks for its
own label; a phrase whose label was left out, and a background text, ask for none of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from app.scoring.learned.taught import Background, Marks, Places, Taught, plain

PHRASES, STRANGE_LABELS, BACKGROUND = 0.92, 0.03, 0.05
"""How much each kind of question counts: taught phrases, phrases whose label is not taught, texts of elsewhere."""

FOLDS = 5
"""One of so many phrases of each label, and of background texts, is left out of a view; of labels one of twice as many:
those that are left must be as easily confused as all."""

MOST_ASKED = 2_000
"""So many phrases are left out of a view at most, and so many background texts."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Places of phrases: `kept`, `asked` (left out, with their label kept) and `strange` (left out with their label);
    and of background texts: `others_kept` and `others_asked`."""

    kept: Places
    asked: Places
    strange: Places
    others_kept: Places
    others_asked: Places


def fold(taught: Taught, background: Background, number: int) -> Fold:
    """The fold of this number, below FOLDS. It hangs on texts and labels alone, not on their order."""
    digests = _digests([plain(text) for text in taught.texts])
    labels = _ranks(_digests([repr(label) for label in taught.labels]), np.zeros(len(taught.labels), np.intp))
    is_strange = (labels % (2 * FOLDS) == number)[taught.owners]
    if is_strange.all():
        is_strange[:] = False
    ranks = _ranks(digests, taught.owners)
    is_query = np.ones(len(ranks), np.bool_) if taught.asked is None else taught.asked
    sizes = np.zeros(len(taught.labels), np.intp)
    np.maximum.at(sizes, taught.owners, ranks + 1)
    is_asked = (ranks % FOLDS == number) & (sizes[taught.owners] > 1) & ~is_strange & is_query
    is_asked = _thinned(is_asked, digests)
    others = _ranks(_digests(background.texts), np.zeros(len(background.texts), np.intp)) % FOLDS == number
    return Fold(
        np.flatnonzero(~is_asked & ~is_strange),
        np.flatnonzero(is_asked),
        np.flatnonzero(_thinned(is_strange & is_query, digests)),
        np.flatnonzero(~others),
        np.flatnonzero(others),
    )


def _digests(texts: Sequence[str]) -> NDArray[np.uint64]:
    return np.array(
        [int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for text in texts],
        np.uint64,
    )


def _ranks(digests: NDArray[np.uint64], owners: Places) -> Places:
    """The rank of each digest among those of its owner; what is there twice has one rank, so that no text is asked for
    while its twin is kept."""
    order = np.lexsort((digests, owners))
    own, digest = owners[order], digests[order]
    is_first = np.append(True, own[1:] != own[:-1])[: len(own)]
    numbers = np.cumsum(np.append(True, digest[1:] != digest[:-1])[: len(own)] | is_first)
    starts = numbers[is_first]
    ranks = np.empty(len(owners), np.intp)
    ranks[order] = numbers - starts[np.cumsum(is_first) - 1]
    return ranks


def _thinned(marks: Marks, digests: NDArray[np.uint64]) -> Marks:
    """At most MOST_ASKED of the marks, those of the smallest digests."""
    places = np.flatnonzero(marks)
    if len(places) <= MOST_ASKED:
        return marks
    kept = np.zeros_like(marks)
    kept[places[np.argsort(digests[places], kind="stable")[:MOST_ASKED]]] = True
    return kept
