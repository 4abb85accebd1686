"""Evaluation of cases under current and other settings: encoded and scored once (S7.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from app.detect.merge import MERGERS
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.library import Line, Problem
from app.domain.match import Query
from app.evaluation.answers import Answered, AnswerEvidence
from app.evaluation.comparison import Comparison, Sweep, SweepRow, compared, numeric, slim
from app.evaluation.evaluation import Evaluation
from app.evaluation.llm import KEYWORD, LEARNED, LlmEvaluation
from app.scoring.combiners import combiner_for, only_reader
from app.scoring.index.layout import key_of
from app.scoring.scorers import scorers_under
from app.services.core import Core, Progress
from app.services.engine.calibrator import Calibrator
from app.services.engine.learner import Learner
from app.services.engine.typing_priority import without_gc
from app.services.evaluation.evaluate import (
    CaseAnswerer,
    Keep,
    answer_all,
    combination_of,
    evaluation_of,
    keep_all,
    untaught_router,
)
from app.services.evaluation.llm_answers import NOT_ASKED, OFF, AskLlm, llm_evaluation
from app.services.evaluation.trial_snapshot import ChangedMeanwhileError, Trial, TrialSnapshot, TrialVectors
from app.services.evaluation.trials import RANKED, TaughtAnswers, TrialEdit
from app.services.library.import_export import ImportValidator
from app.services.routing.routes import Routing
from app.settings.model import Settings, SettingsError, value_of

MOST_VALUES = 200
"""Limit of values of one setting that are tried at once."""

MOST_ANSWERS = 4_000_000
"""Limit of answers that a sweep keeps, cases times values: about 1 GB."""

ENCODER = "encoder."
"""Prefix of the settings that change every vector."""


EvaluateUnder = Callable[[Mapping[str, str], Sequence[Case], Task, Progress | None, bool], Awaitable[Evaluation]]
"""Answers cases as a workbench opened under these settings; raises KnownError."""

ReadFile = Callable[..., tuple[str, Iterable[Line[Any] | Problem]]]
"""File reader with the signature of `Adapters.read_file`."""


class Evaluations:
    """`workbench.evaluations`: `run` evaluates cases under settings; the other methods read its results.

    All methods run on the asyncio thread and give way to typing. Nothing is stored, trained or started, and no LLM is
    used except by `ask_llm`, for the types of search intent. Cancelling the task stops it between two cases. They raise
    StoreError, EncoderError; SettingsError if a setting is refused; ChangedMeanwhileError (a KnownError) if the library
    or the settings change meanwhile; KnownError for what cannot be tried. Routes are answered without the library's
    examples unless `taught`.
    """

    def __init__(
        self,
        core: Core,
        routing: Routing,
        calibrating: Calibrator,
        learning: Learner,
        read_file: ReadFile,
        evaluate_under: EvaluateUnder,
    ) -> None:
        self._core = core
        self._routing = routing
        self._calibrating = calibrating
        self._learning = learning
        self._read_file = read_file
        self._evaluate_under = evaluate_under
        self._trial_vectors = TrialVectors(core)
        self._taught: TaughtAnswers | None = None

    async def read(self, path: Path, task: Task) -> tuple[list[Case], int]:
        """Read a file's cases of a task; return them and the number of unreadable lines.

        Cases without their own task have this one. Raises KnownError if the file is unreadable or has no case.
        """

        def work() -> tuple[list[Case], int]:
            _, lines = self._read_file(path, "cases", task.value)
            sieve = ImportValidator(lines, yield_to_typing=self._core.typing_priority.yield_to_typing)
            return [case for case in sieve if case.task is task], len(sieve.problems)

        cases, lost = await asyncio.to_thread(work)
        if not cases:
            raise KnownError(f"{path.name} holds no case of this task that can be evaluated.")
        return cases, lost

    async def today(
        self,
        cases: Sequence[Case],
        task: Task,
        progress: Progress | None = None,
        *,
        taught: bool = True,
        accounts: bool = False,
    ) -> Evaluation:
        """Evaluate the cases under the settings in force; `accounts` adds each answer's evidence."""
        (found,) = await self.run(cases, task, [{}], progress, taught=taught, accounts=accounts)
        return found

    async def answer(self, cases: Sequence[Case], task: Task, *, accounts: bool = False) -> list[Answered]:
        """Answer a few cases together as typed queries, and again if the library changes meanwhile."""
        if task is not Task.ROUTE:
            await self._core.gather(_texts(cases))
        while True:
            snapshot = self._snapshot(task)
            answers = CaseAnswerer(snapshot, task, [Trial(snapshot.settings)], self._routing.router, accounts)
            with suppress(ChangedMeanwhileError):
                (found,) = await answer_all(snapshot, cases, answers, None, keep_all)
                return found

    async def under_each(
        self, cases: Sequence[Case], task: Task, changes: Sequence[Mapping[str, str]]
    ) -> list[Evaluation | None]:
        """Evaluate the cases under each of these changes; None for a refused one."""
        goes = [not any(key.startswith(ENCODER) for key in change) and self._is_accepted(change) for change in changes]
        tried = [change for change, is_possible in zip(changes, goes, strict=True) if is_possible]
        found = iter(await self.run(cases, task, tried, None, taught=True, keep=slim) if tried else ())
        return [next(found) if is_possible else None for is_possible in goes]

    def _is_accepted(self, change: Mapping[str, str]) -> bool:
        try:
            self._under(change)
        except SettingsError:
            return False
        return True

    async def accounts(
        self, texts: Sequence[str], names: Sequence[tuple[str, ...]], task: Task
    ) -> list[dict[str, AnswerEvidence]]:
        snapshot = self._snapshot(task)
        taught, settings = snapshot.taught, snapshot.settings
        scorers = scorers_under(combination_of(task, settings))
        scored = [Query.of(text).scored for text in texts]
        vectors = await self._trial_vectors.of_queries(scored)
        found: list[dict[str, AnswerEvidence]] = []
        for text, wanted in zip(scored, names, strict=True):
            snapshot.check()
            scores = snapshot.ask(text, vectors).scores(settings)
            candidates = taught.candidates[task]
            found.append({name: candidates.account(taught.index, scores, name, scorers) for name in wanted})
            await self._core.typing_priority.turn()
        return found

    async def compare(
        self,
        cases: Sequence[Case],
        task: Task,
        changes: Mapping[str, str],
        progress: Progress | None = None,
        *,
        taught: bool = True,
        ask_llm: AskLlm | None = None,
    ) -> Comparison:
        """Compare the cases under the settings in force and under these changes.

        Another encoder is loaded beside the current one and makes all vectors, which takes as long as changing to it.
        """
        if any(key.startswith(ENCODER) for key in changes):
            if ask_llm is not None:
                raise KnownError("Another encoder is compared without the LLM.")
            before = await self.today(cases, task, taught=taught)
            after = await self._evaluate_under(changes, cases, task, progress, taught)
        else:
            self._check_read(changes, task)
            before, after = await self.run(cases, task, [{}, changes], progress, taught=taught, ask_llm=ask_llm)
        return await asyncio.to_thread(compared, before, after)

    async def between(
        self, cases: Sequence[Case], task: Task, one: Mapping[str, str], other: Mapping[str, str]
    ) -> Comparison:
        """Compare the cases under two changes of the settings."""
        before, after = await self.run(cases, task, [one, other], None, taught=True, keep=slim)
        return await asyncio.to_thread(compared, before, after)

    async def with_llm(self, cases: Sequence[Case], ask_llm: AskLlm, progress: Progress | None = None) -> LlmEvaluation:
        """Evaluate types by keywords, examples, LLM, and merge policies; raises KnownError if off."""
        settings = self._core.settings
        if not settings.search_intent.use_llm:
            raise KnownError(OFF)
        texts = _texts(cases)
        answer_set = await ask_llm(settings, texts)
        found = await self.run(cases, Task.TYPE, [*_COLUMNS.values()], progress, taught=True, ask_llm=ask_llm)
        columns = dict(zip(_COLUMNS, found, strict=True))
        return await asyncio.to_thread(llm_evaluation, cases, texts, answer_set, settings, columns)

    async def sweep(
        self,
        cases: Sequence[Case],
        task: Task,
        key: str,
        values: Sequence[str],
        progress: Progress | None = None,
        *,
        taught: bool = True,
        ask_llm: AskLlm | None = None,
    ) -> Sweep:
        """Sweep one setting: the cases under each of these values, against the settings in force.

        Numbers that are refused beside the other settings are left out; raises SettingsError if none is left, and for
        other values.
        """
        if len(values) > MOST_VALUES:
            raise KnownError(f"At most {MOST_VALUES} values are tried at once, not {len(values):,}.")
        if len(values) * len(cases) > MOST_ANSWERS:
            most = max(1, MOST_ANSWERS // len(cases))
            raise KnownError(
                f"{len(cases):,} cases can be answered under {most:,} values at once. Try fewer of either."
            )
        refused = self._refused(key, values)
        values = [value for value in values if value not in refused]
        self._check_read({key: values[0]}, task)
        trials = [{}, *({key: value} for value in values)]
        today, *others = await self.run(cases, task, trials, progress, taught=taught, ask_llm=ask_llm, keep=slim)
        now = value_of(self._core.settings, key)
        same = [value_of(self._under({key: value}), key) == now for value in values]

        def made() -> Sweep:
            rows = zip(values, others, same, strict=True)
            tried = tuple(SweepRow(value, compared(today, one), is_) for value, one, is_ in rows)
            return Sweep(key, today, tried, refused)

        return await asyncio.to_thread(made)

    def _snapshot(self, task: Task) -> TrialSnapshot:
        """Return a snapshot of the present library and settings, without cases."""
        core, index = self._core, self._core.engine.index
        if self._taught is None or self._taught.layout is not index.layout():
            self._taught = TaughtAnswers(index)
        return TrialSnapshot(core, self._routing, self._trial_vectors, self._taught, core.settings, {}, {task})

    def _check_read(self, changes: Mapping[str, str], task: Task) -> None:
        """Raise KnownError if the combination in force reads none of these settings."""
        under, power = self._under(changes), task is Task.POWER
        readers = [only_reader(key, under, power=power) for key in changes]
        if task in RANKED and readers and (reader := readers[0]) and all(readers):
            raise KnownError(
                f"{next(iter(changes))} does not count here: {combiner_for(under, power=power).name} "
                f"decides, and only {reader.name} reads it. Choose that first."
            )

    def _refused(self, key: str, values: Sequence[str]) -> tuple[str, ...]:
        """Return the numbers that are refused beside the other settings."""
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
        settings = self._core.settings
        if not changes:
            return settings
        return self._core.settings_under(changes).with_fits_of(settings)

    async def run(
        self,
        cases: Sequence[Case],
        task: Task,
        changes: Sequence[Mapping[str, str]],
        progress: Progress | None,
        *,
        taught: bool,
        ask_llm: AskLlm | None = None,
        keep: Keep = keep_all,
        accounts: bool = False,
        is_again: bool = False,
    ) -> list[Evaluation]:
        """Return one evaluation per change, with the LLM asked first, as it takes longest.

        If scales or weights were refitted meanwhile, everything is evaluated again, once.
        """
        answer_set = [
            NOT_ASKED if ask_llm is None else await ask_llm(self._under(change), _texts(cases)) for change in changes
        ]
        for key in (key for change in changes for key in change if key.startswith(ENCODER)):
            raise KnownError(f"{key} changes every vector, so its values are tried one at a time, not swept.")
        for change in changes:
            under = self._under(change)  # as they would be once this is set
            await self._calibrating.settle(under)
            await self._learning.settle(under)
        snapshot = self._snapshot(task)
        trials = [await self._trial(snapshot, self._under(change), task) for change in changes]
        trials = [replace(trial, answer_set=own) for trial, own in zip(trials, answer_set, strict=True)]
        router = self._routing.router
        if task is Task.ROUTE and not taught:
            router = await untaught_router(self._core, self._routing)
        answers = CaseAnswerer(snapshot, task, trials, router, accounts)
        try:
            done = await answer_all(snapshot, cases, answers, progress, keep)
        except ChangedMeanwhileError:
            if not snapshot.is_only_refitted or is_again:
                raise
            again = partial(self.run, cases, task, changes, progress, taught=taught, ask_llm=ask_llm)
            return await again(keep=keep, accounts=accounts, is_again=True)
        has_vectors = self._core.engine.encoder is not None and task is not Task.TYPE

        def judged() -> list[Evaluation]:
            with without_gc(sum(map(len, done))):
                pairs = zip(trials, done, strict=True)
                return [evaluation_of(task, own, trial.settings, has_vectors=has_vectors) for trial, own in pairs]

        return await asyncio.to_thread(judged)

    async def _trial(self, snapshot: TrialSnapshot, settings: Settings, task: Task) -> Trial:
        """Return the trial of these settings, with memories that `min_score` adds or removes."""
        now, then = snapshot.settings.min_score, settings.min_score
        if now == then or task not in (Task.INTENT, Task.MEMORY):
            return Trial(settings)
        stored = await self._core.in_store(lambda library: library.memories())
        between = [one for one in stored if not one.paused and min(now, then) <= one.success < max(now, then)]
        edit = TrialEdit(removed=tuple(map(key_of, between))) if then > now else TrialEdit(tuple(between))
        if between:
            await snapshot.prepare(edit)
        return Trial(settings, edit)


_COLUMNS: Mapping[str, Mapping[str, str]] = {
    KEYWORD: {"search_intent.use_llm": "false", "search_intent.learned": "false"},
    LEARNED: {"search_intent.use_llm": "false"},
    **{name: {"search_intent.merge": name} for name in MERGERS},
}
"""Settings under which each method is evaluated."""


def _texts(cases: Sequence[Case]) -> list[str]:
    return [Query.of(case.text).scored for case in cases]
