"""What one query scored: bounds over all candidates, and exact scores of those that are looked at.

`by_row` and `by_slot` hold every score and are worked out when they are first looked at; ranking does not look. It
goes by `quick`: `above` bounds every live slot's scores, and `at` scores a few slots exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from app.domain.scope.logit import Logit
from app.domain.scope.resolution import BestScores
from app.scoring.columns.column_answer import ColumnAnswer, Floats, Lazily, Places, Singles
from app.scoring.columns.keywords import KeywordHit, keyword_score
from app.scoring.columns.regression import SHARE, AskedRegression, Reading
from app.scoring.index.layout import Layout
from app.scoring.shares import Shares
from app.scoring.text import ScoredText

Leaders = dict[tuple[str, bool, bool, bool], Places]
"""The places that ranked best for the query before, by combination, whether of powers, whether with
meaning, and whether by label."""

LEAST_POWERS = 5
"""Among fewer powers the second best says nothing of the best."""

LOOKED_AT = 16
"""Of so many powers, those with the highest bounds, the semantic scores are worked out to find the two best."""

KEYWORD = "keyword"
"""The scorer whose scores are known by slot: they are of the answer as a whole, and found by look-up."""


class Timed:
    """Counts what is done within as a scorer's, in milliseconds. A class, as every key times some twenty pieces."""

    __slots__ = ("_begun", "_name", "_spent")

    def __init__(self, spent: dict[str, float], name: str) -> None:
        self._spent, self._name = spent, name

    def __enter__(self) -> None:
        self._begun = perf_counter()

    def __exit__(self, *_: object) -> None:
        self._spent[self._name] = self._spent.get(self._name, 0.0) + (perf_counter() - self._begun) * 1000.0


@dataclass(frozen=True, slots=True)
class Parts:
    """What the columns made of one query by row or by group, what the keywords made of it by live slot, and how rows
    and groups lie under the live slots."""

    layout: Layout
    by_row: Mapping[str, ColumnAnswer]
    by_group: Mapping[str, ColumnAnswer]
    keyword: ColumnAnswer
    spent: dict[str, float] = field(default_factory=dict)
    """So many milliseconds each scorer has taken so far: scores are worked out as they are looked at."""

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.by_row, *self.by_group, KEYWORD)

    @property
    def telling(self) -> tuple[str, ...]:
        """Those that may tell one live slot from another: all but KEYWORD where there is no power."""
        return self.names if len(self.layout.power_places) else self.names[:-1]

    def above(self, name: str) -> Singles:
        """A bound on each live slot's score."""
        if name == SHARE:
            return self._shares_above()
        with Timed(self.spent, name):
            if name == KEYWORD:
                return self.keyword.above()
            if name in self.by_group:
                return self.by_group[name].above()[self.layout.groups]
            return self.layout.best(self.by_row[name].above())

    def _shares_above(self) -> Singles:
        """A bound on what the regression says of each live slot, as a share of the most that it can say."""
        asked = self.by_group["regression"]
        assert isinstance(asked, AskedRegression), "the column of a regression answers by that name"
        with Timed(self.spent, "regression"):
            return asked.shares_above()[self.layout.groups]

    def every(self, name: str) -> Floats:
        """Each live slot's score."""
        with Timed(self.spent, name):
            if name == KEYWORD:
                return self.keyword.every()
            if name in self.by_group:
                return self.by_group[name].every()[self.layout.groups]
            return self.layout.best(self.by_row[name].every())

    def every_row(self, name: str) -> Floats:
        with Timed(self.spent, name):
            return self.by_row[name].every()

    def at(self, name: str, rows: Places) -> Floats:
        """The exact scores of these rows."""
        with Timed(self.spent, name):
            return self.by_row[name].at(rows)


# What is lazy below holds Parts and never the object that it belongs to: a cycle would keep every keystroke's arrays
# until the garbage collector comes by.


class Closely:
    """Exact scores of the live slots at `places`: `by_slot` (slots,), and `by_row` over `rows`, each slot's from its
    first on."""

    def __init__(self, parts: Parts, places: Places, by_row: Mapping[str, Floats] | None = None) -> None:
        self.places = places
        self.rows, self.firsts = rows, firsts = parts.layout.rows(places)
        self.by_row = lazy = Lazily(parts.by_row, lambda name: parts.at(name, rows), by_row)
        self.by_slot = Lazily(parts.telling, lambda name: _of_slots(parts, places, lazy, firsts, name))
        self._parts = parts

    def only(self, chosen: NDArray[np.bool_]) -> Closely:
        """The scores of those slots alone; what was worked out stays."""
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
    """The bounds of one query's scores, and the way to the exact ones.

    `leaders` tell where to look first; whoever ranks keeps them.
    """

    def __init__(self, parts: Parts, leaders: Leaders, above: Mapping[str, Singles] | None = None) -> None:
        self.parts = parts
        self.leaders = leaders
        self.shares: dict[tuple[bool, Logit], Shares] = {}
        """What the candidates share their chances with, worked out once for each kind and its weights."""
        self.bounds: dict[tuple[str, bool], tuple[object, Singles]] = {}
        """A bound on each live slot's confidence by combination and whether of powers, with the settings they are by.
        """
        self.known: dict[tuple[str, bool], tuple[object, list[tuple[Places, Floats]]]] = {}
        """What was scored exactly so far, as `bounds` is kept: places and confidences."""
        shares = (SHARE,) if "regression" in parts.by_group else ()
        self.above = Lazily((*parts.telling, *shares), parts.above, above)
        """For each scorer at least its score of each live slot, SLACK apart; not to be written to. `keyword`, of
        powers alone, is missing where there are none; SHARE is of the regression."""

    def with_meaning(self, semantic: ColumnAnswer, by_group: Mapping[str, ColumnAnswer]) -> Quick:
        """The scores with those of the scorers that need a vector; what was worked out for the others stays."""
        own = self.parts
        parts = Parts(own.layout, {**own.by_row, "semantic": semantic}, by_group, own.keyword, own.spent)
        return Quick(parts, self.leaders, self.above.made)

    def nearly(self, closely: Closely) -> Mapping[str, Singles]:
        """Bounds of these slots' scores that are loose for no scorer: the exact fuzzy scores in the place of theirs."""
        above, places, exact = self.above, closely.places, closely.by_slot

        def bound(name: str) -> Singles:
            return exact[name].astype(np.float32) if name == "fuzzy" else above[name][places]

        return Lazily(tuple(above), bound)

    def at(self, places: Places) -> Closely:
        """The exact scores of the live slots at these places."""
        return Closely(self.parts, places)

    def every(self) -> tuple[Mapping[str, Floats], Mapping[str, Floats]]:
        """All scores by row and by slot, each column made when it is first looked at."""
        return Lazily(self.parts.by_row, self.parts.every_row), Lazily(self.parts.names, self.parts.every)


@dataclass(frozen=True, slots=True)
class Scores:
    """What one query scored: `by_row` (rows,) and `by_slot` (live slots,) per scorer; a scorer that could not run is
    missing from both. `hits` are the matched keywords by slot. Valid until the index changes."""

    query: ScoredText
    layout: Layout
    by_row: Mapping[str, Floats]
    by_slot: Mapping[str, Floats]
    hits: Mapping[int, Sequence[KeywordHit]]
    quick: Quick | None = None
    """None where the scores are not of the index itself."""
    readings: Mapping[bool, Reading] = field(default_factory=dict)
    """What regressions made of the query, by whether they are for powers."""

    @property
    def best_of_powers(self) -> BestScores | None:
        """What the best powers score; None without a vector, where no power declares keywords, and among few powers."""
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
