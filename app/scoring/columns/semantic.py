"""Semantic scorer: estimates for every row, exact cosines for the best rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column_answer import ColumnAnswer, Few, Floats, Known, Places, Singles
from app.scoring.columns.growing import Growing
from app.scoring.columns.products import Estimates, exact_products
from app.scoring.text import ScoredText

Real = TypeVar("Real", np.float32, np.float64)


class SemanticColumn:
    """Products of unit vectors, at least 0; NaN where a row has no vector yet (S2.5)."""

    def __init__(self, dimension: int) -> None:
        self._vectors: Growing[np.float32] = Growing(np.float32, width=dimension)
        self._known: Growing[np.bool_] = Growing(np.bool_, fill=False)
        self._estimates = Estimates(dimension)

    def __len__(self) -> int:
        return len(self._known)

    @property
    def nbytes(self) -> int:
        return self._vectors.view.nbytes + self._known.view.nbytes + self._estimates.nbytes

    @property
    def vectors(self) -> NDArray[np.float32]:
        return self._vectors.view

    @property
    def known(self) -> NDArray[np.bool_]:
        """Mask of the rows with a vector; shape (rows,)."""
        return self._known.view

    def append(self, texts: Sequence[str]) -> None:
        self._vectors.lengthen(len(texts))
        self._known.lengthen(len(texts))
        self._estimates.lengthen(len(texts))

    def widening(self, count: int) -> Iterator[None]:
        """Reserve space for `count` more rows, in small steps."""
        yield from self._vectors.widening(count)
        yield from self._estimates.widening(count)

    def blank(self, row: int, text: str) -> None:
        self._known.view[row] = False  # the vector stays, as a search in another thread may read it

    def embed(self, rows: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Set the unit vectors of rows; shape (len(rows), dimension)."""
        where = np.asarray(rows, np.intp)
        self._vectors.put(where, vectors)
        self._known.view[where] = True
        self._estimates.put(where, vectors)

    def kept(self, rows: Places) -> dict[str, NDArray[Any]]:
        """Return the vectors of these rows and derived data by name, for a cache."""
        return {"vectors": self.vectors[rows], **self._estimates.kept(rows)}

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Adopt the data returned by `kept` for as many rows; raises KeyError if incomplete."""
        vectors, used = arrays["vectors"], len(self)
        self._estimates.take_up(arrays, used)
        self._vectors.take_up(vectors, used)
        self._known.view[:] = True

    def ask(self, query: ScoredText) -> ColumnAnswer:
        """Score a query; all absent if it has no vector."""
        if query.vector is None:
            return Known(np.full(len(self._known), np.nan))
        return _SemanticScores(self, query.vector)

    def score(self, query: ScoredText) -> Floats:
        """Compute the scores, shape (rows,)."""
        return self.ask(query).every()

    def scores(self, rows: Places, vector: Singles) -> Floats:
        found: Floats = np.clip(exact_products(self.vectors, rows, vector), 0.0, 1.0)
        found[~self.known[rows]] = np.nan
        return found

    def estimates(self, vector: Singles) -> tuple[Singles, float]:
        return self._estimates.products(vector, self.vectors)


class _SemanticScores:
    def __init__(self, column: SemanticColumn, vector: Singles) -> None:
        self._column = column
        self._vector = vector
        self._above: Singles | None = None
        self._every: Floats | None = None
        self._few = Few(lambda rows: column.scores(rows, vector))

    def above(self) -> Singles:
        if self._above is None:
            self._above = self._bound()
        return self._above

    def at(self, rows: Places) -> Floats:
        return self._few.at(rows)

    def every(self) -> Floats:
        if self._every is None:
            self._every = self._all()
        return self._every

    def _bound(self) -> Singles:
        above, slack = self._column.estimates(self._vector)
        above += np.float32(slack)
        np.maximum(above, np.float32(0.0), out=above)
        return _absent_where(above, self._column.known)

    def _all(self) -> Floats:
        column = self._column
        return _absent_where(np.clip(column.vectors @ self._vector, 0.0, 1.0).astype(np.float64), column.known)


def _absent_where(scores: NDArray[Real], known: NDArray[np.bool_]) -> NDArray[Real]:
    if not known.all():
        scores[~known] = np.nan
    return scores
