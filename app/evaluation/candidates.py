"""Names ranked by a task, and their confidences from the index's scores (S1.3, S2.8)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.domain.case import Task
from app.domain.library import Memory, Power
from app.evaluation.answers import LISTED, AnswerEvidence, RankedName
from app.scoring.columns.column import Lazily
from app.scoring.columns.exact import Floats
from app.scoring.index.ranking import best
from app.scoring.index.scales import as_chances, combined, confidences, scale_for
from app.scoring.index.trigger_index import Layout, Scores, TriggerIndex
from app.scoring.shares import Shares
from app.settings.model import Settings

NEAREST = ("semantic", "token_overlap", "fuzzy", "exact")
"""Scorers that determine the nearest trigger: the first available one."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Distinct names ranked by a task, in storage order.

    `numbers` maps a name to its position. The live slots at `places` are sorted by name; those of the n-th name
    start at `starts[n]`. Each slot is combined by itself, and a name takes the best confidence of its slots. With
    `as_one`, the slots of one name are one answer: its chance if confidences are shares, otherwise the combination of
    each scorer's best over all its triggers.
    """

    names: tuple[str, ...]
    numbers: Mapping[str, int]
    places: NDArray[np.intp]
    starts: NDArray[np.intp]
    as_one: bool
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Own thresholds of names that have one."""

    def confidences(self, scores: Scores, settings: Settings) -> Floats:
        """Compute one confidence in [0, 1] per name; shape (names,)."""
        if not self.names:
            return np.zeros(0)
        if not self.as_one:
            return self.best(confidences(scores, settings))
        scale = scale_for(scores, settings, power=False)
        if isinstance(scale, Shares):
            return as_chances(scale, self.combined(scores, settings))
        return confidences(self._joined(scores), settings)

    def combined(self, scores: Scores, settings: Settings) -> Floats:
        """Compute the ranking value of each name where confidences are shares; shape (names,)."""
        return self.best(combined(scores, settings))

    def best(self, values: Floats) -> Floats:
        """Return the best of the live slots' values per name; shape (names,)."""
        found: Floats = np.fmax.reduceat(values[self.places], self.starts) if self.names else np.zeros(0)
        return found

    def ranked(self, values: Floats) -> tuple[RankedName, ...]:
        """Return the LISTED best names by confidences, shape (names,), without those of score 0.

        Ties are in the order of the names.
        """
        places = best(values, LISTED)
        return tuple(RankedName(self.names[place], float(values[place])) for place in places if values[place] > 0.0)

    def account(self, index: TriggerIndex, scores: Scores, name: str, scorers: Sequence[str]) -> AnswerEvidence:
        """Return the scores and nearest trigger of one name; empty for an unknown name."""
        place = self.numbers.get(name)
        if place is None:
            return AnswerEvidence()
        end = int(self.starts[place + 1]) if place + 1 < len(self.starts) else len(self.places)
        own = self.places[int(self.starts[place]) : end]
        values = {one: float(np.fmax.reduce(scores.by_slot[one][own])) for one in scorers if one in scores.by_slot}
        known = {one: value for one, value in values.items() if not math.isnan(value)}
        rows = [row for slot in scores.layout.slots[own] for row in index.candidate(int(slot)).rows]
        telling = next((one for one in NEAREST if one in scores.by_row), None)
        if telling is None or not rows:
            return AnswerEvidence(known)
        nearest = rows[int(np.argmax(np.nan_to_num(scores.by_row[telling][rows])))]
        return AnswerEvidence(known, index.text(nearest))

    def rank(self, right: Sequence[str], values: Floats) -> int | None:
        """Return the rank, from 1, of the first right name among scores above 0; None without one."""
        numbers = [self.numbers[name] for name in right if name in self.numbers]
        numbers = [number for number in numbers if values[number] > 0.0]
        if not numbers:
            return None
        first = max(numbers, key=lambda number: (values[number], -number))
        level = np.count_nonzero(values[:first] == values[first])
        return 1 + int(np.count_nonzero(values > values[first])) + int(level)

    def _joined(self, scores: Scores) -> Scores:
        """Reduce the scores to one slot per name."""
        layout = Layout(
            slots=np.arange(len(self.names)),
            order=self.places,
            starts=self.starts,
            groups=np.arange(len(self.names)),
            is_power=scores.layout.is_power[self.places[self.starts]],
        )
        by_slot = Lazily(tuple(scores.by_slot), lambda name: self.best(scores.by_slot[name]))
        return Scores(scores.query, layout, scores.by_row, by_slot, {}, readings=scores.readings)


def candidates_of(index: TriggerIndex, task: Task) -> Candidates:
    """Return the candidates of a task: labels, single memories, or powers.

    For labels, a memory without one has its own name.
    """
    numbers: dict[str, int] = {}
    owners: list[int] = []
    places: list[int] = []
    thresholds: dict[str, float] = {}
    for place, slot in enumerate(index.layout().slots):
        answer = index.candidate(int(slot)).answer
        name = _name(answer, task)
        if name is not None:
            if (own := index.thresholds.of(answer)) is not None:
                thresholds[name] = max(own, thresholds.get(name, 0.0))
            owners.append(numbers.setdefault(name, len(numbers)))
            places.append(place)
    order = np.argsort(np.array(owners, np.intp), kind="stable")
    starts = np.searchsorted(np.array(owners, np.intp)[order], np.arange(len(numbers)))
    places_by_name = np.array(places, np.intp)[order]
    return Candidates(tuple(numbers), numbers, places_by_name, starts, task is Task.INTENT, thresholds)


def _name(answer: Memory | Power, task: Task) -> str | None:
    if isinstance(answer, Power):
        return answer.name if task is Task.POWER else None
    if task is Task.POWER:
        return None
    return (answer.intent or answer.name) if task is Task.INTENT else answer.name
