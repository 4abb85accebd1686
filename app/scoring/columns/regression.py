"""Regression scorer: probability of each label, given the query's vector and words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.domain.fits import FLOOR
from app.domain.library import Kind
from app.scoring.columns.bm25 import is_void
from app.scoring.columns.column import Floats, Growing, Places, Singles

Real = TypeVar("Real", np.float32, np.float64)

SHARE = "regression as share"
"""Name of the column with `as_share` of each candidate's probability bound."""

LEAST = math.exp(FLOOR)

UNLIKELY = 0.0001
"""Probability of a group whose phrase the query negates.

Also the maximum for a query of one function word.
"""


def as_share(chances: NDArray[Real]) -> NDArray[Real]:
    """Map log-probabilities to [0, 1]: LEAST to 0, certainty to 1, and absent to 0."""
    share = np.fmax(chances, chances.dtype.type(LEAST))
    np.log(share, out=share)
    share /= -FLOOR
    share += 1.0
    return share


class Reading(Protocol):
    """Result of a regression for one query: log-probabilities and two out-of-scope measures."""

    @property
    def log_probabilities(self) -> Floats: ...

    @property
    def energy(self) -> float: ...

    @property
    def background(self) -> float: ...


class Regression(Protocol):
    """Fitted regression: its group names in output order, and its reading of a query.

    A query is a unit vector and the words of its text.
    """

    @property
    def labels(self) -> Sequence[Hashable]: ...

    def read(self, vector: Singles, words: Sequence[str], /) -> Reading: ...


class RegressionColumn:
    """Probability of each group, from the regression of its kind.

    A group added after the fit has the probability of the best other group, so that other scorers decide until the
    next fit. A group with exactly the query's words has 1; one whose phrase the query negates has UNLIKELY.
    `regressions` are by whether they are for powers.
    """

    def __init__(self, regressions: Mapping[bool, Regression]) -> None:
        self._regressions = {power: one for power, one in regressions.items() if len(one.labels)}
        self._output: Growing[np.intp] = Growing(np.intp)
        self._outputs: dict[Hashable, int] = {}
        self._best: dict[bool, int] = {}
        place = 0
        for power, one in self._regressions.items():
            self._outputs |= {label: number for number, label in enumerate(one.labels, place)}
            place += len(one.labels)
            self._best[power] = place
            place += 1

    @property
    def kinds(self) -> frozenset[bool]:
        """Kinds with a regression: powers (True), memories (False), or both."""
        return frozenset(self._regressions)

    def follow(self, names: Iterable[Hashable]) -> None:
        """Add new groups, in the order of their numbers."""
        kinds = ((name, isinstance(name, tuple) and name[0] is Kind.POWER) for name in names)
        # a kind without a regression has none for its groups
        found = [self._outputs.get(name, self._best.get(is_power, -1)) for name, is_power in kinds]
        if found:
            self._output.extend(np.array(found, np.intp))

    def __len__(self) -> int:
        """Return the number of added groups."""
        return len(self._output)

    def ask(
        self,
        vector: Singles,
        words: Sequence[str],
        same: Iterable[int] = (),
        opposed: Iterable[int] = (),
        apart: frozenset[Hashable] = frozenset(),
    ) -> RegressionScores:
        """Score a query's vector and words.

        Groups `same` have exactly these words, `opposed` ask for what the query negates. Labels `apart` are no answers,
        so that the others share the probability.
        """
        parts: list[Floats] = []
        readings: dict[bool, Reading] = {}
        for power, one in self._regressions.items():
            reading = readings[power] = one.read(vector, words)
            logs = reading.log_probabilities
            best = logs.max(keepdims=True)
            others = logs[[label not in apart for label in one.labels]] if apart else logs
            if 0 < len(others) < len(logs):
                whole = np.logaddexp.reduce(others)
                logs, best = np.minimum(logs - whole, 0.0), others.max(keepdims=True) - whole
            parts += [logs, best]
        chances = np.concatenate((*(np.exp(part) for part in parts), [UNLIKELY, 1.0, np.nan]))
        if is_void(words):
            chances[:-3] = np.minimum(chances[:-3], UNLIKELY)
        output = self._output.view
        fitted = [group for group in same if output[group] >= 0]
        for groups, place in ((list(opposed), len(chances) - 3), (fitted, len(chances) - 2)):
            if groups:
                output = output.copy()
                output[groups] = place
        return RegressionScores(chances, output, readings)


@dataclass(frozen=True, slots=True)
class RegressionScores:
    """Probabilities, and the output of each group; `readings` by whether they are for powers."""

    chances: Floats
    output: Places
    readings: Mapping[bool, Reading]

    @property
    def above(self) -> Singles:
        return self.chances.astype(np.float32)[self.output]

    def shares_above(self) -> Singles:
        """Return the bounds as shares; there are fewer labels than candidates to take logarithms of."""
        return as_share(self.chances.astype(np.float32))[self.output]

    @property
    def every(self) -> Floats:
        return self.chances[self.output]

    def at(self, rows: Places) -> Floats:
        return self.chances[self.output[rows]]


def unlikely_groups(count: int, groups: Sequence[int]) -> RegressionScores:
    """Return UNLIKELY for these groups, and nothing for the others, where there is no regression."""
    output = np.ones(count, np.intp)
    output[list(groups)] = 0
    return RegressionScores(np.array([UNLIKELY, np.nan]), output, {})


def is_unlikely(chances: NDArray[Real]) -> NDArray[np.bool_]:
    """Return which probabilities are UNLIKELY, up to rounding."""
    found: NDArray[np.bool_] = np.abs(chances - chances.dtype.type(UNLIKELY)) < 1e-9
    return found
