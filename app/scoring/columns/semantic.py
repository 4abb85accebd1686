"""Semantic scorer: estimates for every row, exact cosines for the best; products of vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column import ColumnAnswer, Few, Floats, Growing, Known, Places, Singles
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

    def adopt(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Adopt the data returned by `kept` for as many rows; raises KeyError if incomplete."""
        vectors, used = arrays["vectors"], len(self)
        self._estimates.adopt(arrays, used)
        self._vectors.adopt(vectors, used)
        self._known.view[:] = True

    def ask(self, query: ScoredText) -> ColumnAnswer:
        """Score a query; all absent if it has no vector."""
        if query.vector is None:
            return Known(np.full(len(self._known), np.nan))
        return _SemanticScores(self, query.vector)

    def nearest(self, vectors: NDArray[np.float32], without: Sequence[int] = ()) -> Singles:
        """Return the highest score of each vector, apart from rows `without`; shape (len(vectors),)."""
        products = vectors @ self.vectors.T
        products[:, ~self.known] = products[:, [*without]] = 0.0
        found: Singles = products.max(1, initial=0.0)
        return found

    def score(self, query: ScoredText) -> Floats:
        """Compute the scores, shape (rows,)."""
        return self.ask(query).every

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
        self.at = Few(lambda rows: column.scores(rows, vector)).at

    @cached_property
    def above(self) -> Singles:
        above, slack = self._column.estimates(self._vector)
        above += np.float32(slack)
        np.maximum(above, np.float32(0.0), out=above)
        return _absent_where(above, self._column.known)

    @cached_property
    def every(self) -> Floats:
        column = self._column
        return _absent_where(np.clip(column.vectors @ self._vector, 0.0, 1.0).astype(np.float64), column.known)


def _absent_where(scores: NDArray[Real], known: NDArray[np.bool_]) -> NDArray[Real]:
    if not known.all():
        scores[~known] = np.nan
    return scores


# ---- Products of many vectors with one: estimates with error bounds, and exact values.
#
# The only user of numkong. A float32 product of 100,000 vectors of 384 takes 10 ms, the time to read them. With
# numkong each vector has an int8 copy, whose product with the int8 query takes 2 ms and is off by at most `slack`.
# Without numkong the float32 product is the estimate. `exact_products` computes exact values of few rows, so that
# both ways give the same results.


CODES = 127
"""Largest int8 code of a component."""

_ROUNDING = 1e-6
"""Rounding error of float32, relative to the lengths of both vectors."""

_AT_ONCE = 1_024


def int8_products() -> Callable[..., Any] | None:
    """Return the function for all products of two int8 matrices' rows; None without the wheel."""
    try:
        from numkong import cdist
    except ImportError:
        return None
    return cdist


class Estimates:
    """Int8 copies of vectors, shape (rows, dimension), with the step of each row's codes."""

    def __init__(self, dimension: int) -> None:
        self._codes: Growing[np.int8] = Growing(np.int8, width=dimension)
        self._steps: Growing[np.float32] = Growing(np.float32)
        self._longest = 0.0
        self._worst = 0.0
        self._product = int8_products()

    @property
    def nbytes(self) -> int:
        return self._codes.view.nbytes + self._steps.view.nbytes

    def lengthen(self, count: int) -> None:
        if self._product is not None:
            self._codes.lengthen(count)
            self._steps.lengthen(count)

    def widening(self, count: int) -> Iterator[None]:
        """Reserve space for `count` more rows, in small steps."""
        if self._product is not None:
            yield from self._codes.widening(count)

    def put(self, rows: NDArray[np.intp], vectors: Singles) -> None:
        for start in range(0, len(rows), _AT_ONCE):
            where, part = rows[start : start + _AT_ONCE], vectors[start : start + _AT_ONCE]
            self._longest = max(self._longest, float(np.linalg.norm(part, axis=1).max()))
            if self._product is not None:
                largest = np.abs(part).max(axis=1, initial=0.0)
                steps = np.where(largest > 0, largest / np.float32(CODES), np.float32(1.0)).astype(np.float32)
                codes = np.rint(part / steps[:, None]).astype(np.int8)
                self._codes.put(where, codes)
                self._steps.view[where] = steps
                errors = np.linalg.norm(part - codes * steps[:, None], axis=1)
                self._worst = max(self._worst, float(errors.max()))

    def kept(self, rows: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        """Return the data of these rows by name, for a cache."""
        bounds = {"bounds": np.array([self._longest, self._worst])}
        if self._product is None:
            return bounds
        return bounds | {"codes": self._codes.view[rows], "steps": self._steps.view[rows]}

    def adopt(self, arrays: Mapping[str, NDArray[Any]], used: int) -> None:
        """Adopt the data returned by `kept` for equally numbered rows.

        Raises KeyError if incomplete.
        """
        codes, steps = (None, None) if self._product is None else (arrays["codes"], arrays["steps"])
        self._longest, self._worst = (float(bound) for bound in arrays["bounds"][:2])
        if codes is not None and steps is not None:
            self._codes.adopt(codes, used)
            self._steps.adopt(steps, used)

    def products(self, vector: Singles, vectors: Singles) -> tuple[Singles, float]:
        """Estimate the products of all stored `vectors` with one, and return the maximum error."""
        length = _length(vector)
        if self._product is None or not len(vectors):
            return vectors @ vector, length * self._longest * _ROUNDING * len(vector) ** 0.5
        step = float(max(vector.max(), -vector.min())) / CODES or 1.0
        codes = np.rint(vector * np.float32(1.0 / step)).astype(np.int8)
        found = self._product(codes[None, :], self._codes.view, metric="inner", out_dtype="float32")
        products: Singles = np.asarray(found).reshape(-1)
        products *= self._steps.view
        products *= np.float32(step)
        error = _length(vector - codes * np.float32(step))
        slack = error * (self._longest + self._worst) + length * self._worst
        return products, slack + length * self._longest * _ROUNDING * len(vector) ** 0.5


def _length(vector: Singles) -> float:
    return math.sqrt(float(vector @ vector))


def exact_products(vectors: Singles, rows: NDArray[np.intp], vector: Singles) -> NDArray[np.float64]:
    """Compute the products of these rows, rounded to float32 once.

    The result does not depend on the row's place.
    """
    wide = vector.astype(np.float64)
    parts = [
        vectors[rows[start : start + _AT_ONCE]].astype(np.float64) @ wide for start in range(0, len(rows), _AT_ONCE)
    ]
    return np.concatenate([*parts, np.zeros(0)]).astype(np.float32).astype(np.float64)
