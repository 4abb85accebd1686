"""Trials: rankings under other settings or after an edit, without changing either."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from app.domain.case import Task
from app.domain.inspection import BestScores
from app.domain.library import Answer, Memory
from app.evaluation.answers import Candidates, candidates_of
from app.scoring.columns.column import Floats, Lazily
from app.scoring.combiners import combiner_for
from app.scoring.index.layout import AnswerKey, group_of, key_of, utc_now
from app.scoring.index.scales import as_chances, best_of_groups, combined, preferences_of, scale_for, within_for
from app.scoring.index.scores import Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.shares import LEAST_LABEL, Shares, divided
from app.scoring.text import ScoredText
from app.settings.model import Settings

RANKED = (Task.INTENT, Task.MEMORY, Task.POWER)
"""Tasks whose answers the index ranks."""


@dataclass(frozen=True, slots=True)
class TrialEdit:
    """Edit to try: answers to store and to remove; paused ones are removed, too."""

    stored: tuple[Answer, ...] = ()
    removed: tuple[AnswerKey, ...] = ()

    @property
    def scored(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.stored if not answer.paused)

    @property
    def keys(self) -> frozenset[AnswerKey]:
        """Keys of all answers that the edit affects."""
        return frozenset((*(key_of(answer) for answer in self.stored), *self.removed))


@dataclass(frozen=True, slots=True)
class NameRanking:
    """One confidence in [0, 1] per name; ties keep their order, those in `last` come last."""

    names: Sequence[str]
    values: Floats
    last: frozenset[int] = frozenset()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Thresholds of the names that have one."""
    best_scores: BestScores | None = None
    """Best scores of the powers, if their confidences are shares."""
    label_chances: Mapping[str, float] = field(default_factory=dict)
    """Chances of labels, by the names of memories that compete with others of their label."""
    has_vector: bool = False
    """True if the query has a vector: without one no confidence is a share."""

    def shortened(self, most: int) -> NameRanking:
        """Return the best names only, in order: enough for an answer, a tier and shares."""
        places = self.best(most)
        names = tuple(self.names[place] for place in places)
        own = {name: self.thresholds[name] for name in names if name in self.thresholds}
        labels = {name: self.label_chances[name] for name in names if name in self.label_chances}
        values = self.values[places]
        return replace(self, names=names, values=values, last=frozenset(), thresholds=own, label_chances=labels)

    @property
    def top(self) -> int | None:
        """Place of the best name; None if nothing scores above 0."""
        order = self.best(1)
        return order[0] if order else None

    def best(self, count: int) -> list[int]:
        """Return the places of the best names that score above 0, best first."""
        if not len(self.values):
            return []
        count = min(count, len(self.values))
        least = -np.partition(-self.values, count - 1)[count - 1]
        places = np.flatnonzero((self.values >= least) & (self.values > 0.0)).tolist()
        return sorted(places, key=self._order)[:count]

    def rank(self, place: int) -> int | None:
        """Return the rank from 1; None for a score of 0."""
        value = self.values[place]
        if value <= 0.0:
            return None
        level = np.flatnonzero(self.values == value).tolist()
        before = sum(self._order(other) < self._order(place) for other in level)
        return 1 + int(np.count_nonzero(self.values > value)) + before

    def _order(self, place: int) -> tuple[float, bool, int]:
        return -float(self.values[place]), place in self.last, place


class TaughtAnswers:
    """Lookup tables over the answers of an index; valid until the index changes."""

    def __init__(self, index: TriggerIndex) -> None:
        self.index = index
        self.layout = index.layout()
        self.answers = index.answers()
        self.candidates: Mapping[str, Candidates] = Lazily(RANKED, lambda task: candidates_of(index, Task(task)))
        self._keys: dict[Task, dict[object, list[AnswerKey]]] = {}

    def affected_by(self, edit: TrialEdit, task: Task) -> dict[AnswerKey, Answer]:
        """Return every answer of the task, after the edit, whose confidence the edit may change."""
        changed = edit.keys
        if task is Task.POWER:  # the more powers declare a keyword, the less it counts
            after = {key: one for key, one in self.answers.items() if key not in changed}
            after |= {key_of(one): one for one in edit.scored}
            return {key: one for key, one in after.items() if _ranks(one, task)}
        before = [self.answers[key] for key in changed if key in self.answers]
        waiting = [word for one in (*before, *edit.scored) if _ranks(one, task) for word in _words(one, task)]
        found, seen = {key_of(one): one for one in edit.scored}, set[object]()
        while waiting:
            word = waiting.pop()
            if word in seen:
                continue
            seen.add(word)
            for key in self._by_word(task).get(word, ()):
                if key not in changed and key not in found:
                    found[key] = self.answers[key]
                    waiting += _words(self.answers[key], task)
        return {key: one for key, one in found.items() if _ranks(one, task)}

    def names(self, edit: TrialEdit, task: Task) -> set[str]:
        """Return the names of the task that lose an answer or part of it by the edit."""
        before = (self.answers[key] for key in edit.keys if key in self.answers)
        return {name_under(one, task) for one in before if _ranks(one, task)}

    def under(self, answer: Answer) -> list[Memory]:
        """Return the memories with the same label; one without a label stands alone."""
        group = group_of(answer)
        return [one for one in self.answers.values() if isinstance(one, Memory) and group_of(one) == group]

    def count_after(self, edit: TrialEdit, task: Task) -> int:
        """Count distinct answers after the edit: labels, otherwise groups with one centroid."""
        changed = edit.keys
        left = [one for key, one in self.answers.items() if key not in changed]
        kept = [one for one in (*left, *edit.scored) if _ranks(one, task)]
        return len({name_under(one, task) if task is Task.INTENT else group_of(one) for one in kept})

    def _by_word(self, task: Task) -> dict[object, list[AnswerKey]]:
        if task not in self._keys:
            found = self._keys.setdefault(task, {})
            for key, answer in self.answers.items():
                if _ranks(answer, task):
                    for word in _words(answer, task):
                        found.setdefault(word, []).append(key)
        return self._keys[task]


def _ranks(answer: Answer, task: Task) -> bool:
    return isinstance(answer, Memory) != (task is Task.POWER)


def _words(answer: Answer, task: Task) -> tuple[object, object]:
    """Return the keys that link answers: a shared name, and a shared centroid."""
    return ("name", name_under(answer, task)), ("group", group_of(answer))


def name_under(answer: Answer, task: Task) -> str:
    if task is Task.INTENT and isinstance(answer, Memory):
        return answer.intent or answer.name
    return answer.name


class Overlay:
    """Part of an index that an edit changes, scored after it and merged with the rest."""

    def __init__(
        self, library: TaughtAnswers, edit: TrialEdit, task: Task, vectors: Mapping[str, NDArray[np.float32]]
    ) -> None:
        base = library.candidates[task]
        affected_by = library.affected_by(edit, task)
        self.index = TriggerIndex(library.index.semantic.vectors.shape[1])
        self.index.put(affected_by.values())
        self.index.embed({text: vectors[text] for text in self.index.unembedded() if text in vectors})
        before = library.index.bm25
        removed = [library.answers[key] for key in edit.keys if key in library.answers]
        self._words = before.among(before.frequencies.edited(_triggers(edit.scored), _triggers(removed)))
        self.index.score_as_part_of(library.index, self._words.frequencies)
        self._has_vectors = bool(vectors)
        self.candidates = candidates_of(self.index, task)
        added = [name for name in self.candidates.names if name not in base.numbers]
        numbers = {**base.numbers, **{name: len(base.names) + n for n, name in enumerate(added)}}
        self.names: Sequence[str] = (*base.names, *added)
        self._added = len(added)
        self._places = np.array([numbers[name] for name in self.candidates.names], np.intp)
        emptied = library.names(edit, task) - set(self.candidates.names)
        here, places = affected_by.keys() | edit.keys, base.places.tolist()
        stays = [key_of(library.index.candidate(int(library.layout.slots[one])).answer) not in here for one in places]
        self._rest = base.places[np.array(stays, np.bool_)]
        self._emptied = np.array([base.numbers[name] for name in emptied], np.intp)
        self.last = frozenset(numbers[name_under(one, task)] for one in edit.scored if _ranks(one, task))
        self.thresholds = {name: own for name, own in base.thresholds.items() if name not in self.candidates.numbers}
        self.thresholds |= self.candidates.thresholds
        none = np.zeros(0, np.intp)
        self.named = Candidates((*self.names,), numbers, none, none, as_one=False, thresholds=self.thresholds)
        """All names after the edit; their confidences come from a ranking."""
        self._about = library, edit, task
        self._answers: int | None = None
        self._competing = self._rivals(numbers) if task is Task.MEMORY else ()

    def among(self, settings: Settings) -> Settings:
        """Return the settings with the calibration for the number of answers after the edit.

        A calibrated confidence depends on that number, so part and rest need that of the whole.
        """
        library, edit, task = self._about
        scale = settings.calibration
        is_calibrated = combiner_for(settings, power=task is Task.POWER).is_calibrated
        if not is_calibrated or not (scale.memories.crowd or scale.powers.crowd):
            return settings
        if self._answers is None:
            self._answers = library.count_after(edit, task)
        own = scale.memories.among(self._answers), scale.powers.among(self._answers)
        return settings.with_calibration(replace(scale, memories=own[0], powers=own[1]))

    def read(self, query: TrialQuery) -> TrialQuery:
        """Return a query as it is read after the edit: another sentence may then be nearest to a trigger."""
        own, index = query.query, query.library.index
        then = own if own.vectors is None else self.index.read(own.text, own.vectors, index, self._about[1].keys)
        return query if then.sentence == own.sentence else TrialQuery(query.library, then)

    def ranking(self, base: Floats, query: ScoredText, settings: Settings) -> NameRanking:
        """Return the ranking after the edit: `base` with the changed part's confidences."""
        own = self.candidates.confidences(self._scores(query, settings), settings)
        has_vector = query.vector is not None
        return NameRanking(self.names, self._overlaid(base, own), self.last, self.thresholds, has_vector=has_vector)

    def ranking_by_shares(self, before: Scores, query: ScoredText, settings: Settings) -> NameRanking:
        """Return the ranking after the edit if confidences are shares: all are combined again."""
        library, _, task = self._about
        words = before.layout.best(self._words.score(query))
        by_slot = Lazily(tuple(before.by_slot), lambda name: words if name == "bm25" else before.by_slot[name])
        after = replace(before, by_slot=by_slot, quick=None)
        own = self._scores(query, settings)
        base = library.candidates[task].combined(after, settings)
        values = self._overlaid(base, self.candidates.combined(own, settings))
        best = self._best(after, own, settings)
        scale = scale_for(after, settings, power=task is Task.POWER, best=best)
        best_scores = own.best_of_powers if task is Task.POWER else None
        values, labels = as_chances(scale, values), dict[str, float]()
        if isinstance(scale, Shares) and self._competing:
            both = (library.candidates[task].best(preferences_of(after)), self.candidates.best(preferences_of(own)))
            self._divide(values, self._overlaid(*both), labels)
        return NameRanking(self.names, values, self.last, self.thresholds, best_scores, labels, has_vector=True)

    def _divide(self, values: Floats, preferences: Floats, labels: dict[str, float]) -> None:
        """Divide the likely labels among their memories, in place; note the chances of these labels."""
        for rivals in self._competing:
            chances = {number: float(values[number]) for number in rivals if values[number] > 0.0}
            if not any(rivals[number] for number in chances) or max(chances.values()) < LEAST_LABEL:
                continue
            own = {number: float(preferences[number]) for number in chances}
            if any(map(math.isnan, own.values())):
                continue
            labels |= dict.fromkeys((self.names[number] for number in chances), max(chances.values()))
            for number, chance in divided(chances, own, rivals).items():
                values[number] = chance

    def _rivals(self, numbers: Mapping[str, int]) -> tuple[Mapping[int, str], ...]:
        """Return memories' responses ("": not injected), by label of several, after the edit."""
        library, edit, _ = self._about
        lapses, now = library.index.lapses, utc_now()
        rest = (one for key, one in library.answers.items() if key not in edit.keys)
        by_label: dict[str, dict[int, Memory]] = {}
        for one in (*rest, *edit.scored):
            if isinstance(one, Memory) and one.answer_label is not None and one.name in numbers:
                by_label.setdefault(one.answer_label, {})[numbers[one.name]] = one
        several = (
            found for found in by_label.values() if len({one.response.strip() for one in found.values()} - {""}) > 1
        )
        return tuple(
            {number: "" if lapses.of(one, now) else one.response.strip() for number, one in found.items()}
            for found in several
        )

    def _overlaid(self, base: Floats, own: Floats) -> Floats:
        values = np.concatenate((base, np.zeros(self._added)))
        values[self._emptied] = 0.0
        values[self._places] = own
        return values

    def _scores(self, query: ScoredText, settings: Settings) -> Scores:
        scored = query if self._has_vectors else ScoredText(query.text)
        return self.index.score(scored, name_counts=settings.name_counts)

    def _best(self, after: Scores, own: Scores, settings: Settings) -> Floats:
        """Return the best values of the groups; the edited part splits no group."""
        rest = best_of_groups(after.layout.groups[self._rest], combined(after, settings)[self._rest])
        return np.sort(np.concatenate((rest, best_of_groups(own.layout.groups, combined(own, settings)))))[::-1]


def ranking_settings(settings: Settings) -> tuple[object, ...]:
    """Return the settings that confidences depend on, as a cache key."""
    chosen = (settings.combination, settings.power_combination, settings.use_hybrid_retrieval)
    common = (settings.weights, settings.thresholds, settings.name_counts, settings.calibration, settings.learned)
    return *chosen, *common


@dataclass
class TrialQuery:
    """Query of a trial: scored once, ranked under any number of settings and edits."""

    library: TaughtAnswers
    query: ScoredText
    _scores: dict[bool, Scores] = field(default_factory=dict)
    _values: dict[object, Floats] = field(default_factory=dict)

    def scores(self, settings: Settings) -> Scores:
        counts = settings.name_counts
        if counts not in self._scores:
            self._scores[counts] = self.library.index.score(self.query, name_counts=counts)
        return self._scores[counts]

    def ranking(self, task: Task, settings: Settings, overlay: Overlay | None = None) -> NameRanking:
        """Return the ranking of the task's names under these settings and the overlay's edit."""
        if overlay is not None and (then := overlay.read(self)) is not self:
            return then.ranking(task, settings, overlay)
        candidates = self.library.candidates[task]
        settings = settings if overlay is None else overlay.among(settings)
        known = (task, *ranking_settings(settings))
        scores = self.scores(settings)
        is_shared = combiner_for(settings, power=task is Task.POWER).is_shared and "semantic" in scores.by_slot
        if overlay is not None and is_shared:
            return overlay.ranking_by_shares(scores, self.query, settings)
        if known not in self._values:
            self._values[known] = candidates.confidences(scores, settings)
        values = self._values[known]
        if overlay is not None:
            return overlay.ranking(values, self.query, settings)
        best_scores = scores.best_of_powers if task is Task.POWER and is_shared else None
        labels = label_chances(self.library.index, scores, settings) if task is Task.MEMORY else {}
        return NameRanking(
            candidates.names,
            values,
            thresholds=candidates.thresholds,
            best_scores=best_scores,
            label_chances=labels,
            has_vector=self.query.vector is not None,
        )


def label_chances(index: TriggerIndex, scores: Scores, settings: Settings) -> Mapping[str, float]:
    """Return labels' chances by the names of memories that compete within their label."""
    within = within_for(scores, settings, scale_for(scores, settings, power=False))
    if within is None:
        return {}
    slots = scores.layout.slots[within.places].tolist()
    groups = scores.layout.groups[within.places].tolist()
    known = {group: one.chance for group, one in within.by_group.items()}
    pairs = zip((index.candidate(slot).answer.name for slot in slots), groups, strict=True)
    return {name: known[group] for name, group in pairs if group in known}


def _triggers(answers: Iterable[Answer]) -> list[str]:
    return [text for answer in answers for text in answer.triggers or (answer.name,)]


def texts_of(answers: Iterable[Answer]) -> list[str]:
    return list(dict.fromkeys(_triggers(answers)))
