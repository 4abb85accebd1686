"""Prediction of what a query delivers, from the rankings that a case is judged by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from app.detect.merge import merge
from app.detect.resolve import resolve
from app.detect.surfacing import Limits, decided, is_silent, most_surfaced, namespace_weight, weigh
from app.domain.case import Delivered, Task
from app.domain.inspection import WEAK, Resolution, estimated_tokens
from app.domain.intent import SearchIntent
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match, Tier
from app.domain.running import activation_blocker
from app.scoring.columns.column import Floats
from app.scoring.combiners import are_shares, combiner_for
from app.scoring.index.layout import utc_now
from app.scoring.index.ranking import best
from app.scoring.shares import SHARED
from app.scoring.text import ScoredText
from app.services.engine.type_voter import TypeDetector
from app.services.evaluation.llm_answers import NOT_ASKED
from app.services.evaluation.trials import NameRanking, TaughtAnswers, TrialQuery
from app.settings.model import Settings


def shared_of(values: Floats, task: Task, settings: Settings, *, has_vector: bool) -> float | None:
    """Return the probability that any answer is right; None if confidences are no shares."""
    if task is Task.MEMORY or not are_shares(settings, power=task is Task.POWER, has_vector=has_vector):
        return None
    return min(1.0, float(np.sort(values)[-SHARED:].sum()))


def resolution_of(powers: NameRanking, settings: Settings) -> Resolution:
    """Return the resolution of a ranking of powers (S5.1, S5.3)."""
    values = powers.values
    found = [bare_match(powers.names[place], float(values[place])) for place in best(values, WEAK)]
    shared = shared_of(values, Task.POWER, settings, has_vector=powers.has_vector)
    return resolve("", found, (), settings, shared=shared, best_scores=powers.best_scores)


def bare_match(name: str, confidence: float) -> Match:
    """Make a minimal match: enough for a resolution's status and its number of powers."""
    return Match(Power(name), confidence, {}, (), name)


TASKS = (Task.MEMORY, Task.POWER)
"""Tasks whose rankings decide what would be injected and activated."""


@dataclass
class Deliveries:
    """Computes deliveries without LLM; valid until the index changes."""

    taught: TaughtAnswers
    detector: TypeDetector
    count_tokens: Callable[[Sequence[str]], list[int]] = estimated_tokens
    """Counts the tokens of texts as injection does."""

    def of_query(self, query: TrialQuery, settings: Settings) -> Delivered:
        """Return the memories to inject, best first, and the power to start."""
        memories, powers = (query.ranking(task, settings) for task in TASKS)
        return self.of_rankings(query.query, memories, powers, settings)

    def of_rankings(
        self,
        query: ScoredText,
        memories: NameRanking,
        powers: NameRanking,
        settings: Settings,
        come: Sequence[Answer] = (),
    ) -> Delivered:
        """Return the same from rankings; `come` are answers that an edit adds or changes."""
        text, wanted, vectors = query.text, settings.search_intent, query.whole
        floor = self.detector.detect(text, vectors, wanted, left_out=True).floor if wanted.enabled else None
        intent = merge(floor, NOT_ASKED.ceiling(text, wanted), wanted).intent
        edited = {one.name: one for one in come if isinstance(one, Memory)}
        found, can_inject = self._injected(memories, settings, intent, edited)
        has_type = Limits.of(settings).row(intent) is not None
        needs = wanted.surfacing_confidence if has_type else wanted.certain_confidence
        delivered = Delivered(found, can_inject=can_inject, needs=needs, has_type=has_type)
        tried = {one.name: one for one in come if isinstance(one, Power)}
        return self._with_power(delivered, powers, settings, tried)

    def _with_power(
        self, delivered: Delivered, powers: NameRanking, settings: Settings, edited: Mapping[str, Power]
    ) -> Delivered:
        """Add the best power that is found, and whether it would start."""
        if not np.any(powers.values > 0.0):
            return delivered
        found = resolution_of(powers, settings)
        name = found.matches[0].power.name if found.matches else ""
        power = edited.get(name) or self._powers.get(name)
        is_sure = found.status is Tier.ACTIVATED
        blocker = activation_blocker(power) if is_sure and power is not None else None
        return replace(delivered, power=name if is_sure and blocker is None else "", found_power=name, blocker=blocker)

    def _injected(
        self, memories: NameRanking, settings: Settings, intent: SearchIntent | None, edited: Mapping[str, Memory]
    ) -> tuple[tuple[tuple[str, str], ...], bool]:
        """Return names and labels of what is injected, and whether the best memory has a response."""
        limits, weight = Limits.of(settings), namespace_weight(settings, intent)
        row, values, now, lapses = limits.row(intent), memories.values, utc_now(), self.taught.index.lapses
        is_shared = memories.has_vector and combiner_for(settings, power=False).is_shared
        held: list[tuple[str, Memory, float]] = []
        for place in best(values, max(most_surfaced(row), SHARED) + lapses.most).tolist():
            name = memories.names[place]
            memory = edited.get(name) or self._memories.get(name)
            if values[place] > 0.0 and memory is not None and lapses.of(memory, now) is None:
                held.append((name, memory, float(values[place])))
        names = {id(memory): name for name, memory, _ in held}
        speaking = [(memory, chance) for _, memory, chance in held if not is_silent(memory)]
        own, weighed = memories.thresholds if settings.label_thresholds else {}, []
        for one in weigh(speaking, weight, settings.search_intent.surfacing_success):
            name = names[id(one.memory)]
            label_chance = memories.label_chances.get(name, one.confidence) if is_shared else None
            if one.product > 0.0:
                weighed.append(replace(one, threshold=own.get(name, 0.0), label_chance=label_chance))
        found = [one.memory for one, cut in decided(weighed, intent, limits, self.count_tokens) if cut is None]
        named = tuple((names[id(one)], one.intent or names[id(one)]) for one in found)
        return named, bool(held) and not is_silent(held[0][1])

    @cached_property
    def _powers(self) -> Mapping[str, Power]:
        """Powers of the index by name; of several with one name, one that can start."""
        every = [one for one in self.taught.answers.values() if isinstance(one, Power)]
        return {one.name: one for one in sorted(every, key=lambda one: activation_blocker(one) is None)}

    @cached_property
    def _memories(self) -> Mapping[str, Memory]:
        """Memories of the index by name; of several with one name, one that has a response."""
        every = [one for one in self.taught.answers.values() if isinstance(one, Memory)]
        return {one.name: one for one in sorted(every, key=lambda one: not is_silent(one))}
