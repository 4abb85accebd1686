"""Labelled cases under today's settings and under others: encoded once, scored once, judged under each (S7.5)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from app.domain.case import Case, Task
from app.domain.query import Query
from app.evaluation.answers import Answered
from app.evaluation.candidates import Candidates
from app.evaluation.comparison import Comparison, compared, slim
from app.evaluation.evaluation import Evaluation, judged
from app.evaluation.sweep import Sweep, SweepRow, numeric
from app.ports import KnownError, Line, Problem
from app.scoring.answers import key_of
from app.scoring.combiners import combiner_for
from app.services.calm import making_many
from app.services.evaluate import TypeAnswers, ranked_answer
from app.services.routing_evaluation import COMBINATION, decision_on, route_answer, untaught_router, without_llm
from app.services.routing_stages import Router
from app.services.transfer import Sieve
from app.services.why_not.ground import Desk, Ground, VectorShelf
from app.services.why_not.trials import Asked, Edit, Overlay, Standing
from app.services.why_not.trials import Library as Taught
from app.settings import Settings, SettingsError, value_of

BLOCK = 32
"""The vectors of so many cases are made together."""

LONGEST_SECONDS = 0.008
"""So long answers are worked out before a waiting keystroke gets its turn."""

MOST_VALUES = 200
"""More values of one setting than these are not tried at once."""

MOST_ANSWERS = 4_000_000
"""So many answers a sweep keeps at most, cases times values: about a gigabyte."""

ENCODER = "encoder."
"""The settings that change every vector begin so."""

Progress = Callable[[int, int], None]
"""Told how many cases are answered, of how many."""

ReadFile = Callable[..., tuple[str, Iterable[Line[Any] | Problem]]]
"""As `Outside.read_file`."""

Keep = Callable[[Answered], Answered]
"""What is kept of an answer until all are there."""


def whole(answered: Answered) -> Answered:
    """All of it."""
    return answered


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings, and what would be scored otherwise under them: `min_score` lets memories in and leaves them out."""

    settings: Settings
    edit: Edit | None = None


class SettingsTrials:
    """`workbench.settings_trials`. All methods run on the desk's asyncio thread, and give way to typing.

    Nothing is stored, taught, started or sent to an LLM. Cancelling the task stops it between two cases. They raise
    StoreError, EncoderError; SettingsError if a setting is refused; ChangedMeanwhileError (a KnownError) if the library
    or the settings change on the way; KnownError for what cannot be tried. Routes are answered without what is taught
    unless `taught`.
    """

    def __init__(self, desk: Desk, read_file: ReadFile) -> None:
        self._desk = desk
        self._read_file = read_file
        self._shelf = VectorShelf(desk)
        self._taught: Taught | None = None

    async def read(self, path: Path, task: Task) -> tuple[list[Case], int]:
        """The cases that a file holds, for a task unless they name their own, and how many of its lines are none;
        KnownError where it cannot be read or holds none."""

        def work() -> tuple[list[Case], int]:
            _, lines = self._read_file(path, "cases", task.value)
            sieve = Sieve(lines, give_way=self._desk.calm.give_way)
            return [case for case in sieve if case.task is task], len(sieve.problems)

        cases, lost = await asyncio.to_thread(work)
        if not cases:
            raise KnownError(f"{path.name} holds no case of this task that can be evaluated.")
        return cases, lost

    async def today(
        self, cases: Sequence[Case], task: Task, tell: Progress | None = None, *, taught: bool = True
    ) -> Evaluation:
        """The cases under the settings in force."""
        (found,) = await self._evaluated(cases, task, [{}], tell, taught=taught)
        return found

    async def compare(
        self,
        cases: Sequence[Case],
        task: Task,
        changes: Mapping[str, str],
        tell: Progress | None = None,
        *,
        taught: bool = True,
    ) -> Comparison:
        """The cases under the settings in force and under these."""
        before, after = await self._evaluated(cases, task, [{}, changes], tell, taught=taught)
        return await asyncio.to_thread(compared, before, after)

    async def sweep(
        self,
        cases: Sequence[Case],
        task: Task,
        key: str,
        values: Sequence[str],
        tell: Progress | None = None,
        *,
        taught: bool = True,
    ) -> Sweep:
        """The cases under each of these values of one setting, against the settings in force. Numbers that the other
        settings do not go with are left out; SettingsError if none is left, and for other values."""
        if len(values) > MOST_VALUES:
            raise KnownError(f"At most {MOST_VALUES} values are tried at once, not {len(values):,}.")
        if len(values) * len(cases) > MOST_ANSWERS:
            most = max(1, MOST_ANSWERS // len(cases))
            raise KnownError(
                f"{len(cases):,} cases can be answered under {most:,} values at once. Try fewer of either."
            )
        refused = self._refused(key, values)
        values = [value for value in values if value not in refused]
        trials = [{}, *({key: value} for value in values)]
        today, *others = await self._evaluated(cases, task, trials, tell, taught=taught, keep=slim)
        now = value_of(self._desk.settings, key)
        same = [value_of(self._under({key: value}), key) == now for value in values]

        def told() -> Sweep:
            rows = zip(values, others, same, strict=True)
            tried = tuple(SweepRow(value, compared(today, one), is_) for value, one, is_ in rows)
            return Sweep(key, today, tried, refused)

        return await asyncio.to_thread(told)

    def _refused(self, key: str, values: Sequence[str]) -> tuple[str, ...]:
        """The numbers that cannot be set beside the other settings."""
        refused: list[str] = []
        for value in values:
            try:
                self._under({key: value})
            except SettingsError:
                refused.append(value)
                if len(refused) == len(values) or numeric([value]) is None:
                    raise
        return tuple(refused)

    def _under(self, changes: Mapping[str, str]) -> Settings:
        settings = self._desk.settings
        if not changes:
            return settings
        return self._desk.settings_under(changes).calibrated_by(settings.calibration)

    async def _evaluated(
        self,
        cases: Sequence[Case],
        task: Task,
        changes: Sequence[Mapping[str, str]],
        tell: Progress | None,
        *,
        taught: bool,
        keep: Keep = whole,
    ) -> list[Evaluation]:
        """One evaluation for each of the changes, of what is kept of each answer."""
        for key in (key for change in changes for key in change if key.startswith(ENCODER)):
            raise KnownError(f"{key} changes every vector. Set it, and evaluate before and after.")
        engine = self._desk.engine
        if self._taught is None or self._taught.layout is not engine.index.layout():
            self._taught = Taught(engine.index)
        ground = Ground(self._desk, self._shelf, self._taught, self._desk.settings, {}, {task})
        trials = [await self._trial(ground, self._under(change), task) for change in changes]
        router = self._desk.routing.router
        if task is Task.ROUTE and not taught:
            router = await untaught_router(self._desk, self._desk.routing)
        answers = _Answers(ground, task, trials, router)
        done = await _answered(ground, cases, answers, tell, keep)
        has_vectors = engine.encoder is not None and task is not Task.TYPE
        return await asyncio.to_thread(_judged, task, trials, done, has_vectors)

    async def _trial(self, ground: Ground, settings: Settings, task: Task) -> Trial:
        """The settings with what they let in or leave out laid over what is taught."""
        now, then = ground.settings.min_score, settings.min_score
        if now == then or task not in (Task.INTENT, Task.MEMORY):
            return Trial(settings)
        stored = await self._desk.in_store(lambda library: library.memories())
        between = [one for one in stored if not one.paused and min(now, then) <= one.success < max(now, then)]
        edit = Edit(gone=tuple(map(key_of, between))) if then > now else Edit(tuple(between))
        if between:
            await ground.prepare(edit)
        return Trial(settings, edit)


@dataclass
class _Answers:
    """Answers one case under every trial; what several trials have in common is worked out once."""

    ground: Ground
    task: Task
    trials: Sequence[Trial]
    router: Router
    _names: dict[int, Candidates] = field(default_factory=dict)

    def to(self, case: Case, asked: Asked) -> Iterator[Answered]:
        """One answer for each trial."""
        if self.task is Task.TYPE:
            return self._types(case)
        if self.task is Task.ROUTE:
            return (self._route(case, asked, trial.settings) for trial in self.trials)
        return (self._ranked(case, asked, trial) for trial in self.trials)

    def _types(self, case: Case) -> Iterator[Answered]:
        known: dict[str, Answered] = {}
        for trial in self.trials:
            key = f"{trial.settings.search_intent} {trial.settings.fallback_threshold}"
            if key not in known:
                (known[key],) = TypeAnswers(self.ground.desk.engine.rules, trial.settings).to([case])
            yield known[key]

    def _route(self, case: Case, asked: Asked, settings: Settings) -> Answered:
        vector = asked.query.vector if settings.route.examples else None
        engine = self.ground.desk.engine
        decision = decision_on(asked.query.text, vector, self.router, engine, without_llm(settings))
        return route_answer(case, decision)

    def _ranked(self, case: Case, asked: Asked, trial: Trial) -> Answered:
        task, overlay = self.task, self.ground.overlay(trial.edit, self.task)
        standing = asked.standing(task, trial.settings, overlay)
        candidates = asked.library.candidates[task]
        if overlay is not None:
            candidates = self._candidates(overlay, standing)
        return ranked_answer(case, candidates, standing.values, task, trial.settings)

    def _candidates(self, overlay: Overlay, standing: Standing) -> Candidates:
        """Names after an edit, which are the same for every case."""
        if id(overlay) not in self._names:
            self._names[id(overlay)] = _named(standing.names)
        return self._names[id(overlay)]


def _named(names: Sequence[str]) -> Candidates:
    """Names with confidences of their own, which nothing is asked for again."""
    none = np.zeros(0, np.intp)
    numbers = {name: place for place, name in enumerate(names)}
    return Candidates(tuple(names), numbers, none, none, as_one=False)


async def _answered(
    ground: Ground, cases: Sequence[Case], answers: _Answers, tell: Progress | None, keep: Keep
) -> list[list[Answered]]:
    """For each trial what is kept of the answers to all cases."""
    done: list[list[Answered]] = [[] for _ in answers.trials]
    every, until = iter(cases), time.monotonic() + LONGEST_SECONDS
    while block := list(islice(every, BLOCK)):
        texts = [Query.of(case.text).scored for case in block]
        vectors = {} if answers.task is Task.TYPE else await ground.shelf.of(texts)
        for case, text in zip(block, texts, strict=True):
            ground.check()
            first = kept = None
            for own, answered in zip(done, answers.to(case, ground.ask(text, vectors)), strict=True):
                if first is None:
                    first, kept = answered, keep(answered)
                own.append(kept if kept is not None and answered == first else keep(answered))
                if own is done[-1] or time.monotonic() >= until:
                    await ground.desk.calm.turn()
                    ground.check()
                    until = time.monotonic() + LONGEST_SECONDS
            if tell is not None:
                tell(len(done[0]), len(cases))
    return done


def _judged(
    task: Task, trials: Sequence[Trial], done: Sequence[Sequence[Answered]], has_vectors: bool
) -> list[Evaluation]:
    found = []
    with making_many(sum(map(len, done))):
        for trial, answered in zip(trials, done, strict=True):
            evaluation = judged(task, _combination(task, trial.settings), answered, trial.settings)
            # Without vectors no scale tells anything (S2.10).
            found.append(evaluation if has_vectors else replace(evaluation, chance=None))
    return found


def _combination(task: Task, settings: Settings) -> str:
    if task is Task.ROUTE:
        return COMBINATION
    if task is Task.TYPE:
        return settings.search_intent.selection
    return combiner_for(settings, power=task is Task.POWER).name
