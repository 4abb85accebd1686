"""Asking every memory's own triggers, on a thread of its own, and what falls out of that, as findings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.health import Concerned, Figures, Gravity, HealthFinding, Sign
from app.domain.library import Answer, Memory
from app.scoring.columns.column_answer import Places, Singles
from app.scoring.combiners import Combiner, combiner_for
from app.scoring.index.best import group_of
from app.scoring.library.own_triggers import NOBODY, MeaningSearch, SameWords, own_worth
from app.settings.model import Settings

AT_ONCE = 500
"""So many memories are gone through in one step."""

BY_MEANS = frozenset({"balanced", "calibrated"})
"""Combinations that go by the mean of meaning and centroid."""

NOT_BY_WORDS = frozenset({"centroid", "keyword"})
"""Scorers that alone do not give a trigger's own words 1."""

SAME_SHARE, MEANING_SHARE = 0.1, 0.85


@dataclass(frozen=True, slots=True)
class Arrays:
    """What is read of an index: the vectors of all rows, shape (rows, dimension), and which rows have theirs."""

    vectors: Singles
    known: NDArray[np.bool_]


class MemoryCheck:
    """The steps of one look at all memories in force, in the order in which equal ones are told."""

    def __init__(self, taught: Sequence[tuple[Answer, range]], arrays: Arrays, settings: Settings) -> None:
        self._taught, self._arrays, self._settings = taught, arrays, settings
        self._combiner: Combiner = combiner_for(settings, power=False)
        self._memories: list[Memory] = []
        self._starts: list[int] = []
        self.texts: list[str] = []
        self.findings: list[HealthFinding] = []
        self.answers = 0
        self.by_meaning = 0

    def steps(self) -> Iterator[float]:
        """Do the work; how much of it is done, 0 to 1."""
        yield from self._gather()
        if not self.texts:
            return
        same = SameWords(self.texts, self._owners, self._rows, self._groups, self._arrays.vectors)
        if self._combiner.name not in NOT_BY_WORDS:
            for done in same.steps(self._combiner, self._settings):
                yield SAME_SHARE * done
            yield from self._tell_taken(same.taken_by)
        if self._combiner.name in BY_MEANS and (self._rows != NOBODY).any():
            of_row = np.full(len(self._arrays.known), NOBODY, np.intp)
            has = self._rows != NOBODY
            of_row[self._rows[has]] = self._groups[has]
            search = MeaningSearch(self._arrays.vectors, of_row)
            for done in search.steps():
                yield SAME_SHARE + MEANING_SHARE * done
            self.by_meaning = int(has.sum())
            yield from self._tell_meaning(search)
        self._tell_below()
        self._tell_thin()
        yield 1.0

    # ---- what is taught

    def _gather(self) -> Iterator[float]:
        names: dict[Hashable, int] = {}
        owners: list[int] = []
        rows: list[int] = []
        groups: list[int] = []
        for place, (answer, own) in enumerate(self._taught):
            if isinstance(answer, Memory):
                count = len(own)
                owners += [len(self._memories)] * count
                groups += [names.setdefault(group_of(answer), len(names))] * count
                rows += own
                self._starts.append(len(self.texts))
                self.texts += answer.triggers
                self._memories.append(answer)
            if place % AT_ONCE == 0:
                yield 0.0
        self.answers = len(names)
        self._owners, self._groups = np.array(owners, np.intp), np.array(groups, np.intp)
        every = np.array(rows, np.intp)
        self._rows: Places = np.where(self._arrays.known[every], every, NOBODY) if rows else every

    def _triggers(self, place: int) -> range:
        """The places of one memory's triggers."""
        end = self._starts[place + 1] if place + 1 < len(self._starts) else len(self.texts)
        return range(self._starts[place], end)

    def _answer(self, trigger: int) -> str:
        memory = self._memories[int(self._owners[trigger])]
        return memory.answer_label or memory.name

    # ---- what comes of it

    def _tell_taken(self, taken_by: Places) -> Iterator[float]:
        """Memories that another comes before for each of their triggers: of another answer, or of their own."""
        elsewhere: list[Concerned] = []
        same: list[Concerned] = []
        every = np.logical_and.reduceat(taken_by != NOBODY, self._starts)
        for count, place in enumerate(np.flatnonzero(every).tolist()):
            own = self._triggers(place)
            lost = [one for one in own if self._groups[taken_by[one]] != self._groups[one]]
            worst = lost[0] if lost else own[0]
            by = int(taken_by[worst])
            rival = self._answer(by) if lost else self._memories[int(self._owners[by])].name
            (elsewhere if lost else same).append(self._concerned(place, worst, rival, 0.0))
            if count % AT_ONCE == 0:
                yield SAME_SHARE
        if elsewhere:
            self.findings.append(HealthFinding(Sign.TRIGGER_TAKEN, {}, elsewhere))
        if same:
            self.findings.append(HealthFinding(Sign.MEMORY_HIDDEN, {}, same))

    def _tell_meaning(self, search: MeaningSearch) -> Iterator[float]:
        """Memories each of whose triggers is nearer to another answer by meaning; the furthest first."""
        trigger_at = np.full(len(self._arrays.known), NOBODY, np.intp)
        has = np.flatnonzero(self._rows != NOBODY)
        trigger_at[self._rows[has]] = has
        nearer = np.full(len(self.texts), NOBODY, np.intp)
        nearer[has] = search.nearer[self._rows[has]]
        ahead = np.zeros(len(self.texts))
        ahead[has] = (search.other - search.own)[self._rows[has]]
        every = np.logical_and.reduceat(nearer != NOBODY, self._starts)
        found = []
        for count, place in enumerate(np.flatnonzero(every).tolist()):
            worst = max(self._triggers(place), key=lambda one: ahead[one])
            rival = self._answer(int(trigger_at[nearer[worst]]))
            found.append(self._concerned(place, worst, rival, float(ahead[worst])))
            if count % AT_ONCE == 0:
                yield 1.0
        found.sort(key=lambda one: -(one.value or 0.0))
        if found:
            self.findings.append(HealthFinding(Sign.MEANING_ELSEWHERE, {"asked": len(has)}, found))

    def _tell_below(self) -> None:
        """Memories that stay below the fallback threshold even for their own words."""
        has = np.logical_or.reduceat(self._rows != NOBODY, self._starts)
        worth = own_worth(self._combiner, self._settings)
        least = self._settings.fallback_threshold
        of_memory = np.where(has, worth[0], worth[1])
        below = np.flatnonzero(of_memory < least).tolist()
        found = [self._concerned(place, self._starts[place], "", float(of_memory[place])) for place in below]
        if found:
            figures: Figures = {"threshold": least, "combination": self._combiner.name}
            self.findings.append(HealthFinding(Sign.MEMORY_BELOW, figures, found))

    def _tell_thin(self) -> None:
        """Labels of one trigger alone, where others have several."""
        sizes = np.bincount(self._groups)
        thin = [
            Concerned(label, self.texts[start], "", 1.0, "label", self._memories[place].key)
            for place, start in enumerate(self._starts)
            if sizes[self._groups[start]] == 1 and (label := self._memories[place].answer_label) is not None
        ]
        if thin and (sizes > 1).any():
            self.findings.append(HealthFinding(Sign.LABEL_THIN, {"labels": len(sizes)}, thin))

    def _concerned(self, place: int, trigger: int, rival: str, value: float) -> Concerned:
        memory = self._memories[place]
        return Concerned(memory.answer_label or memory.name, self.texts[trigger], rival, value, "memory", memory.key)


def missing_vectors(
    taught: Sequence[tuple[Answer, range]], known: NDArray[np.bool_], put_off: int
) -> list[HealthFinding]:
    """Triggers in force without a vector, while an encoder answers; those that a person put off are no fault."""
    found = [
        Concerned(answer.name, text, "", None, answer.kind.value, answer.key)
        for answer, rows in taught
        for text, row in zip(answer.triggers or (answer.name,), rows, strict=True)
        if not known[row]
    ]
    gravity = Gravity.NOTE if put_off else None
    return [HealthFinding(Sign.VECTOR_MISSING, {"put_off": put_off}, found, gravity)] if found else []
