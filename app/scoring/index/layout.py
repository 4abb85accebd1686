"""State of an index by answer: live slots and rows as a frozen Layout, thresholds, validity."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import Lapse, LapseKind, has_begun, own_lapse
from app.scoring.columns.centroids import units
from app.scoring.columns.column import Floats, Growing, Places, Singles
from app.scoring.columns.semantic import SemanticColumn, exact_products

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
        object.__setattr__(self, "is_grouped", bool(np.bincount(self.groups[self.memory_places]).max(initial=0) > 1))
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


@dataclass(frozen=True, slots=True)
class Lapsed:
    """Memories that are not valid now.

    `slots` is True for each live slot of one, `apart` are the ascending places of those whose label has no valid
    memory, and `labels` the groups of these: they take no share from other answers.
    """

    slots: NDArray[np.bool_]
    apart: Places
    labels: frozenset[Hashable]


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
        before, self._response.view[slot] = int(self._response.view[slot]), response
        return before != response

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


# ---- Keys of answers, and equality of their scores.


AnswerKey = tuple[Kind, int]
"""Key of an answer in the index: its kind and store key."""


def key_of(answer: Answer) -> AnswerKey:
    """Return the key; raises ValueError for an answer that is not stored."""
    if answer.key is None:
        raise ValueError(f"“{answer.name}” has no key yet")
    return answer.kind, answer.key


def group_of(answer: Answer) -> Hashable:
    """Return the group with a common centroid: the label, or the single answer's key."""
    label = answer.answer_label
    return key_of(answer) if label is None else label


def are_scored_equally(present: Answer, other: Answer) -> bool:
    """Return whether two versions of an answer have the same triggers, group and keywords.

    False if the new one is paused.
    """
    if other.paused or present.triggers != other.triggers or group_of(present) != group_of(other):
        return False
    return present.kind is Kind.MEMORY or (present.name, present.keywords) == (other.name, other.keywords)


# ---- Thresholds of labels, updated incrementally.


class LabelThresholds:
    """Thresholds of memories by label, or by memory without one; the largest is the label's."""

    def __init__(self) -> None:
        self._named: dict[Hashable, dict[AnswerKey, float]] = {}

    @property
    def is_empty(self) -> bool:
        """True if no label has a threshold."""
        return not self._named

    def of(self, answer: Answer) -> float | None:
        """Return the threshold of the answer's label; None without one."""
        named = self._named.get(group_of(answer)) if self._named else None
        return max(named.values()) if named else None

    def put(self, answer: Answer) -> None:
        if isinstance(answer, Memory) and answer.tags and (own := answer.threshold) is not None:
            self._named.setdefault(group_of(answer), {})[key_of(answer)] = own

    def remove(self, answer: Answer) -> None:
        """Remove an added answer."""
        named = self._named.get(group_of(answer)) if self._named else None
        if named is not None and named.pop(key_of(answer), None) is not None and not named:
            del self._named[group_of(answer)]

    def restate(self, before: Answer, after: Answer) -> bool:
        """Replace an answer by another version; return whether a threshold changed."""
        if not isinstance(before, Memory) or not isinstance(after, Memory) or before.tags == after.tags:
            return False
        self.remove(before)
        self.put(after)
        return before.threshold != after.threshold


# ---- Memories that are not valid, updated incrementally.


MOMENT = "%Y-%m-%d %H:%M:%S"
"""Time format of the store, in UTC; the texts sort by time."""


def utc_now() -> str:
    """Return the present time in the store's format."""
    return datetime.now(UTC).strftime(MOMENT)


class Lapses:
    """Memories with a validity period, or that replace others, and their validity at a time."""

    def __init__(self) -> None:
        self.most = 0
        """Upper bound on the number of invalid answers."""
        self._limited: dict[AnswerKey, Memory] = {}
        self._replacing: dict[str, list[Memory]] | None = {}
        """Replacing memories, by the id of the replaced one; None until they are asked for after a change."""

    def next_change(self, now: str) -> str:
        """Return the first start or end of a period after `now`; "~", after every time, without one."""
        moments = (moment for one in self._limited.values() for moment in (one.valid_from, one.valid_to))
        return min((moment for moment in moments if moment > now), default="~")

    def of(self, answer: Answer, now: str) -> Lapse | None:
        """Return why the answer is not valid now; None if valid, or a power."""
        if not self._limited or not isinstance(answer, Memory):
            return None
        if self._replacing is None:
            self._replacing = {}
            for one in self._limited.values():
                for replaced in one.replaces:
                    self._replacing.setdefault(replaced, []).append(one)
        own = own_lapse(answer, now)
        if own is None or own.kind is LapseKind.NOT_YET:
            for by in self._replacing.get(answer.name, ()):
                # Mutual replacements do not count.
                if by.key != answer.key and has_begun(by, now) and by.name not in answer.replaces:
                    return Lapse(LapseKind.REPLACED, by.name)
        return own

    def put(self, answer: Answer) -> bool:
        """Add an answer, or replace its earlier version; return whether either limits what is valid."""
        was_limited = self.remove(answer)
        if isinstance(answer, Memory) and (answer.valid_to or answer.valid_from or answer.replaces):
            self._limited[key_of(answer)], self._replacing = answer, None
            self.most += 1 + len(answer.replaces)
            return True
        return was_limited

    def remove(self, answer: Answer) -> bool:
        """Remove an answer; return whether it limited what is valid."""
        if (before := self._limited.pop(key_of(answer), None)) is not None:
            self.most, self._replacing = self.most - 1 - len(before.replaces), None
        return before is not None
