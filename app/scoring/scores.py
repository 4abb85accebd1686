"""What one query scored: bounds over all candidates, and exact scores of those that are looked at.

`by_row` and `by_slot` hold every score and are worked out when they are first looked at; ranking does not look. It
goes by `quick`: `above` bounds every live slot's scores, and `at` scores a few slots exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.scoring.asked import Asked, Floats, Lazily, Once, Places, Singles
from app.scoring.groups import KeywordHit
from app.scoring.layout import Layout
from app.scoring.text import ScoredText


@dataclass(frozen=True, slots=True)
class Closely:
    """Exact scores of a few slots: `by_slot` (slots,), and `by_row` over `rows`, each slot's from its first on."""

    rows: Places
    firsts: Places
    by_row: Mapping[str, Floats]
    by_slot: Mapping[str, Floats]


class Quick:
    """The bounds of one query's scores, and the way to the exact ones."""

    def __init__(
        self, layout: Layout, by_row: Mapping[str, Asked], by_group: Mapping[str, Asked], keyword: Floats
    ) -> None:
        self._layout = layout
        self._by_row = by_row
        self._by_group = by_group
        self._keyword = keyword
        makers = {name: Once(partial(_best_above, layout, asked)) for name, asked in by_row.items()}
        makers |= {name: Once(partial(_of_groups, layout, asked)) for name, asked in by_group.items()}
        makers["keyword"] = Once(lambda: keyword.astype(np.float32))
        self.above: Mapping[str, Singles] = Lazily(makers)
        """For each scorer at least its score of each live slot, SLACK apart; not to be written to."""

    def with_meaning(self, semantic: Asked, centroid: Asked) -> Quick:
        """The same with two scorers more; what was worked out for the others stays."""
        more = Quick(self._layout, {**self._by_row, "semantic": semantic}, {"centroid": centroid}, self._keyword)
        assert isinstance(self.above, Lazily)
        assert isinstance(more.above, Lazily)
        more.above = Lazily({**more.above.makers, **self.above.makers})
        return more

    def nearly(self, places: Places) -> Mapping[str, Singles]:
        """Bounds of these slots' scores that are loose for no scorer: the exact fuzzy scores in the place of theirs."""
        makers = {name: Once(partial(_some, self.above, name, places)) for name in self.above}
        makers["fuzzy"] = Once(lambda: self.at(places).by_slot["fuzzy"].astype(np.float32))
        return Lazily(makers)

    def at(self, places: Places) -> Closely:
        """The exact scores of the live slots at these places."""
        rows, firsts = self._layout.rows(places)
        by_row = Lazily({name: Once(partial(asked.at, rows)) for name, asked in self._by_row.items()})
        by_slot = {name: Once(partial(_best_of, by_row, name, firsts)) for name in by_row}
        groups = self._layout.groups[places]
        by_slot |= {name: Once(partial(asked.at, groups)) for name, asked in self._by_group.items()}
        by_slot["keyword"] = Once(lambda: self._keyword[places])
        return Closely(rows, firsts, by_row, Lazily(by_slot))

    def every(self) -> tuple[Mapping[str, Floats], Mapping[str, Floats]]:
        """All scores by row and by slot, each column made when it is first looked at."""
        by_row = Lazily({name: Once(asked.every) for name, asked in self._by_row.items()})
        by_slot = {name: Once(partial(_best_every, self._layout, asked)) for name, asked in self._by_row.items()}
        by_slot |= {name: Once(partial(_every_group, self._layout, asked)) for name, asked in self._by_group.items()}
        by_slot["keyword"] = Once(lambda: self._keyword)
        return by_row, Lazily(by_slot)


def _some(columns: Mapping[str, Singles], name: str, places: Places) -> Singles:
    return columns[name][places]


def _best_above(layout: Layout, asked: Asked) -> Singles:
    return layout.best(asked.above())


def _of_groups(layout: Layout, asked: Asked) -> Singles:
    return asked.above()[layout.groups]


def _best_every(layout: Layout, asked: Asked) -> Floats:
    return layout.best(asked.every())


def _every_group(layout: Layout, asked: Asked) -> Floats:
    return asked.every()[layout.groups]


def _best_of(by_row: Mapping[str, Floats], name: str, firsts: Places) -> Floats:
    column = by_row[name]
    if len(column) == len(firsts):
        return column
    best: Floats = np.fmax.reduceat(column, firsts)
    return best


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
