"""Intents of a library: counts, figures of their cases, renaming and merging."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import KnownError
from app.domain.filters import MemoryFilter
from app.domain.intent import TYPE_NAMES
from app.domain.journal import Edit, Item, Written
from app.domain.library import Memory, StoredIntents
from app.evaluation.answers import Answered, labelled, passes
from app.evaluation.curves import LabelScore, label_scores
from app.evaluation.evaluation import Evaluation, threshold_of
from app.ports.store import Library
from app.services.core import Core, Progress
from app.services.engine.typing_priority import without_gc
from app.services.library.journal import WINDOW, Journal

AnswerCases = Callable[[Sequence[Case], Task, Progress | None], Awaitable[Evaluation]]
"""Runs cases of a task under the present settings."""

LONGEST = 200
"""Maximum length of an intent's name, in characters."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Numbers of cases between an intent and another answer.

    `lost` expect the intent and got `other`, `taken` expect `other` and got the intent. `other` is None for "no match".
    """

    other: str | None
    lost: int = 0
    taken: int = 0

    @property
    def count(self) -> int:
        return self.lost + self.taken


@dataclass(frozen=True, slots=True)
class IntentFigures:
    """An intent in an evaluation: score, most frequent confusions, and delivered cases."""

    score: LabelScore
    confusions: tuple[Confusion, ...] = ()
    delivered: int = 0

    @property
    def rival(self) -> Confusion | None:
        """Most frequent confusion with another intent; None if there is none."""
        return next((one for one in self.confusions if one.other is not None), None)


@dataclass(frozen=True, slots=True)
class IntentEvaluation:
    """An evaluation of the cases of intents: figures by label, and the number of delivered cases.

    `cases_state` is that of StoredIntents when the cases were read.
    """

    figures: Mapping[str, IntentFigures] = field(default_factory=dict)
    cases: int = 0
    right: int = 0
    cases_state: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class RenamedIntent:
    """A renamed or merged intent: the step, and the numbers of changed memories and cases."""

    written: Written
    memories: int
    cases: int


class Intents:
    """`workbench.intents`. All methods run on the core's asyncio thread and raise StoreError."""

    def __init__(self, core: Core, journal: Journal, answer: AnswerCases) -> None:
        self._core = core
        self._journal = journal
        self._answer = answer

    async def stored(self) -> StoredIntents:
        """Return the intents with their counts."""
        least = threshold_of(Task.INTENT, self._core.settings)
        return await self._core.in_store(lambda library: library.intents(least))

    async def evaluated(self, progress: Progress | None = None) -> IntentEvaluation:
        """Run the cases of intents under the present settings; errors as of `evaluations`."""

        def read(library: Library) -> tuple[list[Case], tuple[int, int]]:
            return library.cases(Task.INTENT), library.intents(1.0).cases_state

        cases, state = await self._core.in_store(read)
        if not cases:
            return IntentEvaluation(cases_state=state)
        answers = (await self._answer(cases, Task.INTENT, progress)).answered
        figures = await asyncio.to_thread(figures_of, answers)
        return IntentEvaluation(figures, len(answers), sum(map(passes, answers)), state)

    async def answered(self, tasks: Sequence[Task]) -> list[Answered]:
        """Return the answers to all cases of these tasks under the present settings.

        Errors as of `evaluations`.
        """
        answers: list[Answered] = []
        for task in tasks:
            cases = await self._core.in_store(lambda library: library.cases(task))  # noqa: B023 - awaited at once
            answers += (await self._answer(cases, task, None)).answered if cases else ()
        return answers

    async def rename(self, label: str, new: str, *, source: str = WINDOW) -> RenamedIntent | None:
        """Rename an intent in its memories and cases as one step; an existing name merges the two.

        None without a change. Raises KnownError for an invalid name, StaleError if another program changed an item
        meanwhile.
        """
        new = checked_label(new)

        def read(library: Library) -> tuple[list[Memory], list[Case], bool]:
            memories = library.memories_by_key(library.find_memories(MemoryFilter(label=label)))
            is_there = bool(library.find_memories(MemoryFilter(label=new)))
            named = [case for case in library.cases(Task.INTENT) if label in (*case.expected, *case.unwanted)]
            return [dated.item for dated in memories], named, is_there

        if new == label:
            return None
        memories, cases, is_merged = await self._core.in_store(read)
        items: list[Item] = [replace(memory, intent=new) for memory in memories]
        items += [renamed_case(case, label, new) for case in cases]
        verb, into = ("merged", "into") if is_merged else ("renamed", "to")
        edit = Edit(verb, f"the intent “{label}” {into} “{new}”", source)
        with without_gc(len(items)):
            written = await self._journal.do(edit, items) if items else None
        return None if written is None else RenamedIntent(written, len(memories), len(cases))


def checked_label(name: str) -> str:
    """Return the name stripped; raises KnownError if it is invalid for an intent."""
    name = name.strip()
    if not name:
        raise KnownError("An intent needs a name.")
    if len(name) > LONGEST:
        raise KnownError(f"The name of an intent has at most {LONGEST:,} characters.")
    if name.lower() in TYPE_NAMES:
        raise KnownError(f"“{name}” is one of the six types. Choose another name.")
    if name in NO_MATCH_WORDS:
        raise KnownError(f"“{name}” means in a case that nothing should match. Choose another name.")
    return name


def renamed_case(case: Case, label: str, new: str) -> Case:
    """Return the case with a renamed label, without duplicates; expected ones are not unwanted."""
    expected = tuple(dict.fromkeys(new if name == label else name for name in case.expected))
    unwanted = dict.fromkeys(new if name == label else name for name in case.unwanted)
    return replace(case, expected=expected, unwanted=tuple(name for name in unwanted if name not in expected))


def figures_of(answers: Sequence[Answered]) -> dict[str, IntentFigures]:
    """Return the figures of every label that a case expects or got."""
    pairs = Counter((one.expected_name, one.predicted) for one in labelled(answers) if not one.is_right)
    delivered = Counter(one.expected_name for one in labelled(answers) if passes(one))
    lost: dict[str | None, Counter[str | None]] = {}
    taken: dict[str | None, Counter[str | None]] = {}
    for (expected, given), count in pairs.items():
        lost.setdefault(expected, Counter())[given] += count
        taken.setdefault(given, Counter())[expected] += count

    def confusions(label: str) -> tuple[Confusion, ...]:
        gone, come = lost.get(label, Counter()), taken.get(label, Counter())
        found = [Confusion(other, gone[other], come[other]) for other in {*gone, *come}]
        return tuple(sorted(found, key=lambda one: (-one.count, one.other is None, one.other or "")))

    return {
        score.label: IntentFigures(score, confusions(score.label), delivered[score.label])
        for score in label_scores(answers)
        if score.label is not None
    }
