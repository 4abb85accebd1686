"""Scores of one query: bounds over all candidates, exact scores of the best.

`by_row` and `by_slot` hold every score, computed on first access; ranking uses `quick` instead, whose `above`
bounds every live slot's scores, and whose `at` scores a few slots exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from app.domain.fits import Logit
from app.domain.inspection import BestScores
from app.scoring.columns.column import ColumnAnswer, Floats, Lazily, Places, Singles
from app.scoring.columns.exact import KeywordHit, keyword_score
from app.scoring.columns.regression import SHARE, Reading, RegressionScores
from app.scoring.index.layout import Lapsed, Layout, OwnMeans
from app.scoring.shares import Shares, Within
from app.scoring.text import ScoredText

Leaders = dict[tuple[str, bool, bool, bool], Places]
"""Best positions of the previous query, by (combination, powers, with meaning, by label)."""

LEAST_POWERS = 5
"""Minimum number of powers for the second best to be informative."""

LOOKED_AT = 16
"""Number of powers, by highest bounds, scored exactly to find the two best."""

KEYWORD = "keyword"
"""Scorer with scores by slot, found by look-up."""


class Timed:
    """Timer that adds the time of a block to a scorer, in ms; about twenty per key press."""

    __slots__ = ("_begun", "_name", "_spent")

    def __init__(self, spent: dict[str, float], name: str) -> None:
        self._spent, self._name = spent, name

    def __enter__(self) -> None:
        self._begun = perf_counter()

    def __exit__(self, *_: object) -> None:
        self._spent[self._name] = self._spent.get(self._name, 0.0) + (perf_counter() - self._begun) * 1000.0


@dataclass(frozen=True, slots=True)
class Parts:
    """Answers of the columns by row or group, of the keywords by live slot, and the layout."""

    layout: Layout
    by_row: Mapping[str, ColumnAnswer]
    by_group: Mapping[str, ColumnAnswer]
    keyword: ColumnAnswer
    spent: dict[str, float] = field(default_factory=dict)
    """Milliseconds spent by each scorer so far; scores are computed on access."""

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.by_row, *self.by_group, KEYWORD)

    @property
    def telling(self) -> tuple[str, ...]:
        """Scorers that may differ between live slots: KEYWORD only if there are powers."""
        return self.names if len(self.layout.power_places) else self.names[:-1]

    def above(self, name: str) -> Singles:
        """Return a bound on each live slot's score."""
        if name == SHARE:
            asked = self.by_group["regression"]
            assert isinstance(asked, RegressionScores), "the column of a regression answers by that name"
            with Timed(self.spent, "regression"):
                return asked.shares_above()[self.layout.groups]
        with Timed(self.spent, name):
            if name == KEYWORD:
                return self.keyword.above
            if name in self.by_group:
                return self.by_group[name].above[self.layout.groups]
            return self.layout.best(self.by_row[name].above)

    def every(self, name: str) -> Floats:
        """Return each live slot's score."""
        with Timed(self.spent, name):
            if name == KEYWORD:
                return self.keyword.every
            if name in self.by_group:
                return self.by_group[name].every[self.layout.groups]
            return self.layout.best(self.by_row[name].every)

    def every_row(self, name: str) -> Floats:
        with Timed(self.spent, name):
            return self.by_row[name].every

    def at(self, name: str, rows: Places) -> Floats:
        with Timed(self.spent, name):
            return self.by_row[name].at(rows)


# Lazy values hold Parts, not their owner: a reference cycle would keep each key press's arrays until garbage
# collection.


class Closely:
    """Exact scores of the live slots at `places`: `by_slot` (slots,), and `by_row` over `rows`."""

    def __init__(self, parts: Parts, places: Places, by_row: Mapping[str, Floats] | None = None) -> None:
        self.places = places
        self.rows, self.firsts = rows, firsts = parts.layout.rows(places)
        self.by_row = lazy = Lazily(parts.by_row, lambda name: parts.at(name, rows), by_row)
        self.by_slot = Lazily(parts.telling, lambda name: _of_slots(parts, places, lazy, firsts, name))
        self._parts = parts

    def only(self, chosen: NDArray[np.bool_]) -> Closely:
        """Return the scores of some of the slots, including computed ones."""
        rows = chosen
        if len(self.rows) > len(chosen):
            rows = np.repeat(chosen, np.diff(self.firsts, append=len(self.rows)))
        made = {name: column[rows] for name, column in self.by_row.made.items()}
        return Closely(self._parts, self.places[chosen], made)


def _of_slots(parts: Parts, places: Places, by_row: Mapping[str, Floats], firsts: Places, name: str) -> Floats:
    if name == KEYWORD:
        return parts.keyword.at(places)
    if name in parts.by_group:
        return parts.by_group[name].at(parts.layout.groups[places])
    column = by_row[name]
    if len(column) == len(firsts):
        return column
    best: Floats = np.fmax.reduceat(column, firsts)
    return best


class Quick:
    """Bounds of one query's scores, and access to the exact ones.

    `leaders` are the positions to score first, updated by the ranking.
    """

    def __init__(self, parts: Parts, leaders: Leaders, above: Mapping[str, Singles] | None = None) -> None:
        self.parts = parts
        self.leaders = leaders
        self.shares: dict[tuple[bool, Logit], Shares] = {}
        """Shares of the candidates, computed once per kind and weights."""
        self.labels: dict[Logit, tuple[Places, Floats]] = {}
        """Best memories of the labels in the sum, with combined values, computed once per weights."""
        self.within: dict[Logit, Within | None] = {}
        """Division of labels among their memories, computed once per weights."""
        self.bounds: dict[tuple[str, bool], tuple[object, Singles]] = {}
        """Bounds on confidences by (combination, powers), with their settings."""
        self.known: dict[tuple[str, bool], tuple[object, list[tuple[Places, Floats]]]] = {}
        """Exact confidences so far, by the same keys: positions and values."""
        shares = (SHARE,) if "regression" in parts.by_group else ()
        self.above = Lazily((*parts.telling, *shares), parts.above, above)
        """Bounds on each scorer's scores by live slot, up to SLACK; read-only.

        `keyword` is missing without powers; SHARE is from the regression.
        """

    def with_meaning(self, semantic: ColumnAnswer, by_group: Mapping[str, ColumnAnswer]) -> Quick:
        """Add the scorers that need a vector; computed values of the others are kept."""
        own = self.parts
        parts = Parts(own.layout, {**own.by_row, "semantic": semantic}, by_group, own.keyword, own.spent)
        return Quick(parts, self.leaders, self.above.made)

    def nearly(self, closely: Closely) -> Mapping[str, Singles]:
        """Return tight bounds of these slots' scores: exact fuzzy scores replace their bounds."""
        above, places, exact = self.above, closely.places, closely.by_slot

        def bound(name: str) -> Singles:
            return exact[name].astype(np.float32) if name == "fuzzy" else above[name][places]

        return Lazily(tuple(above), bound)

    def at(self, places: Places) -> Closely:
        """Return the exact scores of the live slots at these positions."""
        return Closely(self.parts, places)

    def every(self) -> tuple[Mapping[str, Floats], Mapping[str, Floats]]:
        """Return all scores by row and by slot, each column computed on first access."""
        return Lazily(self.parts.by_row, self.parts.every_row), Lazily(self.parts.names, self.parts.every)


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one query per scorer: `by_row` (rows,) and `by_slot` (live slots,).

    Scorers that could not run are missing. `hits` are the matched keywords by slot. Valid until the index changes.
    """

    query: ScoredText
    layout: Layout
    by_row: Mapping[str, Floats]
    by_slot: Mapping[str, Floats]
    hits: Mapping[int, Sequence[KeywordHit]]
    quick: Quick | None = None
    """Bounds and exact scores; None for scores that are not of the index itself."""
    readings: Mapping[bool, Reading] = field(default_factory=dict)
    """Readings of the regressions, by whether they are for powers."""
    lapsed: Lapsed | None = None
    """Memories that are not valid now; None if all are valid."""
    means: OwnMeans | None = None
    """Means of the vectors of each live slot; None without a vector of the query."""

    @property
    def apart(self) -> Places:
        """Places of memories that take no share from others, as their label has no valid memory."""
        return np.zeros(0, np.intp) if self.lapsed is None else self.lapsed.apart

    @property
    def contested(self) -> NDArray[np.bool_] | None:
        """True for slots of labels that are divided: with several responses, or some memories not valid."""
        if self.lapsed is None:
            return self.layout.contested
        groups, slots, contested = self.layout.groups, self.lapsed.slots, self.layout.contested
        mixed = np.isin(groups, np.intersect1d(groups[slots], groups[~slots]))
        return mixed if contested is None else mixed | contested

    @property
    def best_of_powers(self) -> BestScores | None:
        """Best scores of powers; None without a vector or keywords, and for few powers."""
        layout, quick = self.layout, self.quick
        is_told = layout.has_keywords and len(layout.power_places) >= LEAST_POWERS
        if quick is None or not is_told or "semantic" not in quick.above:
            return None
        keyword = max((keyword_score(hits) for hits in self.hits.values() if hits), default=0.0)
        bounds, powers = quick.above["semantic"][layout.power_places], layout.power_places
        if len(powers) > LOOKED_AT:
            powers = powers[np.argpartition(-bounds, LOOKED_AT)[:LOOKED_AT]]
        cosines = np.sort(np.nan_to_num(quick.at(powers).by_slot["semantic"]))[::-1].tolist()
        return BestScores(keyword, cosines[0], cosines[1])
