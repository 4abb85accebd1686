"""Prediction of what a query delivers, from the rankings that a case is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from app.detect.merge import merge
from app.detect.surfacing import Limits, cut_of, is_silent, most_surfaced
from app.domain.case import Delivered, Task
from app.domain.intent import SearchIntent
from app.domain.library import Answer, Memory
from app.domain.match import Tier
from app.evaluation.candidates import Candidates, candidates_of
from app.scoring.columns.exact import Floats
from app.scoring.index.lapses import utc_now
from app.scoring.index.ranking import best
from app.scoring.index.trigger_index import Scores, TriggerIndex
from app.services.engine.embedding import QueryVector
from app.services.engine.example_voters import TypeDetector
from app.services.evaluation.llm_answers import NOT_ASKED
from app.services.evaluation.resolutions import resolution_of
from app.services.evaluation.trials import NameRanking
from app.settings.model import Settings

TASKS = (Task.MEMORY, Task.POWER)
"""Tasks whose rankings decide what would be injected and activated."""


@dataclass
class Deliveries:
    """Computes what a query would deliver, without an LLM and a context's token budget.

    Valid until the index changes.
    """

    index: TriggerIndex
    detector: TypeDetector
    _memories: Mapping[str, Memory] = field(default_factory=dict)
    _candidates: tuple[Candidates, ...] = ()

    def of_scores(self, text: str, vectors: QueryVector | None, scores: Scores, settings: Settings) -> Delivered:
        """Return the memories to inject, best first, and the power to activate."""
        if not self._candidates:
            self._candidates = tuple(candidates_of(self.index, task) for task in TASKS)
        memories, powers = (
            NameRanking(one.names, one.confidences(scores, settings), thresholds=one.thresholds)
            for one in self._candidates
        )
        return self.of_rankings(text, vectors, memories, powers, settings)

    def of_rankings(
        self,
        text: str,
        vectors: QueryVector | None,
        memories: NameRanking,
        powers: NameRanking,
        settings: Settings,
        come: Sequence[Answer] = (),
    ) -> Delivered:
        """Return the same from rankings; `come` are answers that an edit adds or changes."""
        wanted = settings.search_intent
        floor = self.detector.detect(text, vectors, wanted, left_out=True).floor if wanted.enabled else None
        intent = merge(floor, NOT_ASKED.ceiling(text, wanted), wanted).intent
        edited = {one.name: one for one in come if isinstance(one, Memory)}
        found, can_inject = self._injected(memories, settings, intent, edited)
        return Delivered(found, _activated(powers, settings, has_vector=vectors is not None), can_inject)

    def _injected(
        self, memories: NameRanking, settings: Settings, intent: SearchIntent | None, edited: Mapping[str, Memory]
    ) -> tuple[tuple[tuple[str, str], ...], bool]:
        """Return names and labels of what is injected, and whether the best memory has a response."""
        limits = Limits.of(settings)
        row = limits.row(intent)
        values = memories.values
        found: list[tuple[str, str]] = []
        can_inject = False
        lapses, now = self.index.lapses, utc_now()
        ranked = (
            (place, edited.get(name) or self._known.get(name))
            for place in best(values, most_surfaced(row) + lapses.most).tolist()
            if (name := memories.names[place])
        )
        holding = ((place, one) for place, one in ranked if one is None or lapses.of(one, now) is None)
        for rank, (place, memory) in enumerate(islice(holding, most_surfaced(row))):
            name = memories.names[place]
            if memory is None or values[place] <= 0.0:
                continue
            speaks = not is_silent(memory)
            can_inject = speaks if rank == 0 else can_inject
            own = memories.thresholds.get(name, 0.0) if settings.label_thresholds else 0.0
            if speaks and cut_of(float(values[place]), own, rank + 1, row, limits) is None:
                found.append((name, memory.intent or name))
        return tuple(found), can_inject

    @property
    def _known(self) -> Mapping[str, Memory]:
        """Memories of the index by name; of several with one name, one that has a response."""
        if not self._memories:
            every = [one for one in self.index.answers().values() if isinstance(one, Memory)]
            self._memories = {one.name: one for one in sorted(every, key=lambda one: not is_silent(one))}
        return self._memories


def _activated(powers: NameRanking, settings: Settings, *, has_vector: bool) -> str:
    """Return the name of the power that would be activated; "" for none."""
    values: Floats = powers.values
    if not len(values) or not np.any(values > 0.0):
        return ""
    # Scores only decide between the tiers below activation.
    found = resolution_of(powers.names, values, settings, has_vector=has_vector, best_scores=None)
    return found.matches[0].power.name if found.status is Tier.ACTIVATED and found.matches else ""
