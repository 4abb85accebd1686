"""Positions of live slots and rows, in growing arrays, exported as a frozen Layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Power
from app.scoring.columns.centroids import units
from app.scoring.columns.column_answer import Floats, Places, Singles
from app.scoring.columns.growing import Growing
from app.scoring.columns.products import exact_products
from app.scoring.columns.semantic import SemanticColumn

Real = TypeVar("Real", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class Layout:
    """Live slots in ascending order with their rows.

    `order` lists the rows, `starts` the position of each slot's first. `powers` are the live powers in slot order;
    `memory_places` and `power_places` are the positions of each kind.
    """

    slots: NDArray[np.intp]
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    groups: NDArray[np.intp]
    is_power: NDArray[np.bool_]
    powers: tuple[Power, ...] = ()
    responses: NDArray[np.int64] | None = None
    """Digest of each live slot's response, 0 for none; None if responses do not matter."""
    power_places: Places = field(init=False)
    memory_places: Places = field(init=False)
    is_grouped: bool = field(init=False)
    """True if some memories share a label."""
    contested: NDArray[np.bool_] | None = field(init=False)
    """True for slots with a memory of a label with several responses; None if no label has."""
    has_keywords: bool = field(init=False)
    """True if a power declares keywords."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "power_places", np.flatnonzero(self.is_power))
        object.__setattr__(self, "memory_places", np.flatnonzero(~self.is_power))
        sizes = np.bincount(self.groups[self.memory_places])
        object.__setattr__(self, "is_grouped", bool(sizes.max(initial=0) > 1))
        object.__setattr__(self, "contested", self._contested() if self.is_grouped else None)
        object.__setattr__(self, "has_keywords", any(power.keywords for power in self.powers))

    def _contested(self) -> NDArray[np.bool_] | None:
        if self.responses is None:
            return None
        own = self.memory_places[self.responses[self.memory_places] != 0]
        groups, responses = self.groups[own], self.responses[own]
        first = np.zeros(int(self.groups.max(initial=0)) + 1, np.int64)
        first[groups] = responses
        several = np.zeros(len(first), np.bool_)
        several[groups[first[groups] != responses]] = True
        found: NDArray[np.bool_] = several[self.groups] & ~self.is_power
        return found if found.any() else None

    def best(self, column: NDArray[Real]) -> NDArray[Real]:
        """Return the best row of each live slot; NaN only where all are. Read-only."""
        if len(self.slots) == 0:
            return column[:0]
        if len(self.order) == len(self.starts):
            rows = self.order
            return column[: len(rows)] if rows[-1] == len(rows) - 1 else column[rows]
        if self.order[-1] != len(self.order) - 1:
            column = column[self.order]
        best: NDArray[Real] = np.fmax.reduceat(column[: len(self.order)], self.starts)
        return best

    def rows(self, places: Places) -> tuple[Places, Places]:
        """Return the concatenated rows of these live slots, and where each slot's begin."""
        if len(self.order) == len(self.starts):
            return self.order[places], np.arange(len(places))
        starts = self.starts[places]
        after = np.minimum(places + 1, len(self.starts) - 1)
        sizes = np.where(places == after, len(self.order), self.starts[after]) - starts
        firsts = np.cumsum(sizes) - sizes
        return self.order[np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())], firsts


class OwnMeans:
    """Unit vectors of the mean of each live slot's vectors, computed when first asked for."""

    def __init__(self, layout: Layout, column: SemanticColumn) -> None:
        self._layout, self._column = layout, column
        self._means: Growing[np.float32] = Growing(np.float32, width=column.vectors.shape[1])
        self._mean = np.full(len(layout.slots), -1, np.intp)

    def scores(self, places: Places, vector: Singles) -> Floats:
        """Score these live slots by their means; 0 without vectors."""
        missing = places[self._mean[places] < 0]
        if len(missing):
            rows, firsts = self._layout.rows(missing)
            known = self._column.known[rows]
            sums = np.add.reduceat(np.where(known[:, None], self._column.vectors[rows], np.float32(0.0)), firsts)
            first = self._means.lengthen(len(missing))
            self._mean[missing] = np.arange(first, first + len(missing))
            self._means.put(self._mean[missing], units(sums))
        found: Floats = np.clip(exact_products(self._means.view, self._mean[places], vector), 0.0, 1.0)
        return found


class Slots:
    """First row, number of rows, group and liveness of each slot; slot of each row."""

    def __init__(self) -> None:
        self._live: Growing[np.bool_] = Growing(np.bool_, fill=True)
        self._first: Growing[np.intp] = Growing(np.intp)
        self._size: Growing[np.intp] = Growing(np.intp)
        self._group: Growing[np.intp] = Growing(np.intp)
        self._response: Growing[np.int64] = Growing(np.int64)
        self._owner: Growing[np.int32] = Growing(np.int32)
        self._live_rows: Growing[np.bool_] = Growing(np.bool_, fill=True)
        self._powers: dict[int, Power] = {}

    @property
    def nbytes(self) -> int:
        kept = (self._live, self._first, self._size, self._group, self._response, self._owner, self._live_rows)
        return sum(array.view.nbytes for array in kept)

    @property
    def live_rows(self) -> NDArray[np.bool_]:
        return self._live_rows.view

    def append(
        self, sizes: Sequence[int], groups: Sequence[int], powers: dict[int, Power], responses: Sequence[int]
    ) -> None:
        """Add slots with these numbers of rows; `powers` are the powers among them, by slot.

        `responses` are digests of the slots' responses, 0 for none.
        """
        counts = np.array(sizes, np.intp)
        slot, row = len(self._live), len(self._owner)
        self._live.lengthen(len(counts))
        self._first.extend(row + np.cumsum(counts) - counts)
        self._size.extend(counts)
        self._group.extend(np.array(groups, np.intp))
        self._response.extend(np.array(responses, np.int64))
        self._owner.extend(np.repeat(np.arange(slot, slot + len(counts), dtype=np.int32), counts))
        self._live_rows.lengthen(int(counts.sum()))
        self._powers |= powers

    def blank(self, slot: int) -> None:
        first = self._first.view[slot]
        self._live.view[slot] = False
        self._live_rows.view[first : first + self._size.view[slot]] = False
        self._powers.pop(slot, None)

    def restate(self, slot: int, power: Power) -> None:
        self._powers[slot] = power

    def restate_response(self, slot: int, response: int) -> bool:
        """Replace the digest of the response at this slot; return whether it changed."""
        changed = bool(self._response.view[slot] != response)
        self._response.view[slot] = response
        return changed

    def of(self, rows: Sequence[int]) -> list[int]:
        found: list[int] = self._owner.view[list(rows)].tolist()
        return found

    def groups_of(self, rows: Sequence[int]) -> list[int]:
        found: list[int] = np.unique(self._group.view[self._owner.view[list(rows)]]).tolist()
        return found

    def group_of_each(self, rows: Places) -> Places:
        """Return the group of each of these rows; shape (len(rows),)."""
        return self._group.view[self._owner.view[rows]]

    def rows_beside(self, row: int) -> list[int]:
        """Return the live rows of this row's group, with it."""
        rows = np.flatnonzero(self.live_rows)
        found: list[int] = rows[self.group_of_each(rows) == self.group_of_each(np.array(row))].tolist()
        return found

    def layout(self) -> Layout:
        slots = np.flatnonzero(self._live.view)
        firsts, sizes = self._first.view[slots], self._size.view[slots]
        starts = np.cumsum(sizes) - sizes
        is_power = np.zeros(len(self._live), np.bool_)
        is_power[list(self._powers)] = True
        return Layout(
            slots=slots,
            order=np.repeat(firsts - starts, sizes) + np.arange(sizes.sum()),
            starts=starts,
            groups=self._group.view[slots],
            is_power=is_power[slots],
            powers=tuple(self._powers.values()),
            responses=self._response.view[slots],
        )
