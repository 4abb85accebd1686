"""What a fit is made of: taught phrases with their vectors and labels, labelled cases, and texts of elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Places = NDArray[np.intp]
Marks = NDArray[np.bool_]

NONE = -1
"""The label of a case that nothing taught is right for."""


LEAST_PHRASES = 2.0
"""With fewer phrases a label in the mean there is no telling how well they tell labels apart."""


class FitCancelledError(Exception):
    """The caller's `cancelled` said so; nothing was changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """Taught phrases: `vectors` of shape (phrases, dimension), float32, of length 1, for the regression; `owners`
    (phrases,), the number in `labels` of each; `texts`, for BM25; `meanings`, the vectors that cosines are taken
    of, where they are others: shape (phrases, any); and which of them are `asked` in the way of queries, where some
    are names and descriptions: shape (phrases,)."""

    labels: tuple[Hashable, ...]
    owners: Places
    texts: Sequence[str]
    vectors: Singles
    meanings: Singles | None = None
    asked: Marks | None = None

    def __post_init__(self) -> None:
        if not len(self.owners) == len(self.texts) == len(self.vectors):
            raise ValueError("each phrase has a label, a text and a vector")

    @property
    def examples(self) -> float:
        """How many phrases in the way of queries a label has in the mean."""
        return (len(self.owners) if self.asked is None else int(self.asked.sum())) / len(self.labels)

    @property
    def is_described(self) -> bool:
        """Whether it is names and descriptions more than phrases in the way of queries: of these too few to ask for."""
        return self.asked is not None and self.examples < LEAST_PHRASES

    @property
    def cosines_of(self) -> Singles:
        return self.vectors if self.meanings is None else self.meanings


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Labelled queries: as `Taught`, with NONE in `owners` where nothing taught is right."""

    owners: Places
    texts: Sequence[str]
    vectors: Singles
    meanings: Singles | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Questions of elsewhere that ship with the program: `texts` and their `vectors`, with `meanings` where others are
    used for cosines."""

    texts: Sequence[str]
    vectors: Singles
    meanings: Singles | None = None

    @property
    def cosines_of(self) -> Singles:
        return self.vectors if self.meanings is None else self.meanings
