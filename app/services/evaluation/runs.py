"""Stored evaluation runs, and comparison of today with one: changed cases and their causes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from importlib.metadata import version
from itertools import starmap

from app.domain.case import TASK_WORDS, Case, CaseOutcome, EvaluationRun, Task
from app.domain.errors import KnownError, StoreError
from app.domain.library import Memory
from app.domain.match import Tier
from app.evaluation.answers import Answered, AnswerEvidence, RankedName, passes
from app.evaluation.comparison import (
    CaseChange,
    Cause,
    CauseKind,
    ChangedCase,
    Comparison,
    Side,
    Since,
    by_answers,
    by_library,
    by_settings,
    compared,
    outcome_of,
    turn_of,
)
from app.evaluation.evaluation import Evaluation, judged, measured
from app.ports.store import Library
from app.services.core import Core, Progress
from app.services.evaluation.evaluate import evaluation_of
from app.services.evaluation.evaluations import Evaluations
from app.services.evaluation.trials import name_under
from app.services.library.curate import case_counts
from app.services.status import Status
from app.settings.model import UNASKED, Settings, bearing, changed_keys

MOST_SETTINGS = 20
"""Limit of changed settings that are tried one by one; above, only all of them together."""

LIST_ONLY = frozenset({"recall10"})
"""Metrics that need a longer ranking than a run stores."""

VERSIONS = {"encoder": CauseKind.ENCODER, "fit": CauseKind.FIT, "program": CauseKind.PROGRAM}
"""Kinds of cause by version of a run, in the order of display."""


@dataclass(frozen=True, slots=True)
class SinceRun:
    """Comparison of today with a stored run, on the cases that both have.

    `causes` are by the place of a changed case. `settings` are those that differ, each with its values then and now;
    `others` counts today's cases that the run does not have.
    """

    run: EvaluationRun
    comparison: Comparison
    causes: Mapping[int, Cause]
    settings: Mapping[str, tuple[str, str]]
    others: int


@dataclass(frozen=True, slots=True)
class SinceLast:
    """Changed deliveries of the `cases` that an evaluation shares with the run before it."""

    run: EvaluationRun
    fixed: int
    broken: int
    cases: int


@dataclass(frozen=True, slots=True)
class LatestRun:
    """Latest evaluation of the profile's cases of a task, with the state that it was made in.

    `number` counts the evaluations of this process, from 1; `key` is that of the stored run, None if it was not stored;
    `since` is None without an earlier stored run.
    """

    number: int
    key: int | None
    evaluation: Evaluation
    since: SinceLast | None
    status: Status
    settings: Settings


class Runs:
    """`workbench.runs`. All methods run on the core's asyncio thread, and give way to typing."""

    def __init__(self, core: Core, evaluations: Evaluations, wall_seconds: Callable[[], float]) -> None:
        self._core = core
        self._evaluations = evaluations
        self._wall_seconds = wall_seconds
        self._number = 0
        self.latest: dict[Task, LatestRun] = {}
        """Latest evaluation of all cases of the profile by task, from any page or command."""

    async def kept(self) -> list[EvaluationRun]:
        """Return every stored run, newest first; raises StoreError."""
        return await self._core.in_store(lambda library: library.evaluation_runs.runs())

    async def forget(self, key: int) -> None:
        """Delete one run for good; raises KnownError if it is not stored."""
        if not await self._core.in_store(lambda library: library.evaluation_runs.forget(key)):
            raise KnownError(f"No run {key} is kept.")

    async def keep(self, evaluation: Evaluation, source: str = "") -> int | None:
        """Store an evaluation under today's settings whose answers have evidence; return its number.

        None if the store fails, the evaluation is empty, or none are to be stored, in which case stored ones are
        deleted.
        """
        most = self._core.settings.history.evaluations
        if not most:
            with contextlib.suppress(StoreError):
                await self._core.in_store(lambda library: library.evaluation_runs.forget())
            return None
        if not evaluation.answered:
            return None
        run = await self._now(evaluation, source)
        outcomes = await asyncio.to_thread(lambda: [_outcome(one) for one in evaluation.answered])
        with contextlib.suppress(StoreError):  # the evaluation itself is valid
            return await self._core.in_store(lambda library: library.evaluation_runs.keep(run, outcomes, most))
        return None

    async def note(self, evaluation: Evaluation, source: str = "") -> LatestRun:
        """Store an evaluation of the present settings, and compare it with the stored run before it."""
        since = await self._since_last(evaluation, source)
        key = await self.keep(evaluation, source)
        self._number += 1
        latest = LatestRun(self._number, key, evaluation, since, self._core.status(), self._core.settings)
        if not source:
            self.latest[evaluation.task] = latest
        return latest

    async def note_cases(self, answered: Sequence[Answered]) -> list[LatestRun]:
        """Note an evaluation of each task of which these are all own cases; raises StoreError."""
        engine, by_task = self._core.engine, dict[Task, list[Answered]]()
        for one in answered:
            by_task.setdefault(one.case.task, []).append(one)
        counts = await self._core.in_store(case_counts)
        noted = []
        for task, own in by_task.items():
            if len(own) == counts[task]:
                has_vectors = engine.encoder is not None and task is not Task.TYPE
                work = partial(evaluation_of, task, own, self._core.settings, has_vectors=has_vectors)
                noted.append(await self.note(await asyncio.to_thread(work)))
        return noted

    async def _since_last(self, evaluation: Evaluation, source: str) -> SinceLast | None:
        try:
            run = next((one for one in await self.kept() if (one.task, one.source) == (evaluation.task, source)), None)
            if run is None or run.key is None:
                return None
            texts = [one.case.text for one in evaluation.answered]
            outcomes = await self._core.in_store(partial(_outcomes, key=run.key, texts=texts))
        except StoreError:  # the evaluation itself is valid
            return None
        return await asyncio.to_thread(_since, run, evaluation, {one.text: one for one in outcomes})

    async def _now(self, evaluation: Evaluation, source: str) -> EvaluationRun:
        core, status = self._core, self._core.status()
        steps = await core.in_store(lambda library: library.steps(1))
        return EvaluationRun(
            at=self._wall_seconds(),
            task=evaluation.task,
            source=source,
            cases=len(evaluation.answered),
            right=sum(map(passes, evaluation.answered)),
            combination=evaluation.combination,
            threshold=evaluation.threshold,
            metrics=evaluation.metrics,
            settings=bearing(core.settings, UNASKED),
            digests=dict(status.digests),
            versions=self._versions(),
            step=steps[0].id if steps else 0,
        )

    async def against(
        self, key: int | None, cases: Sequence[Case], task: Task, progress: Progress | None = None
    ) -> SinceRun:
        """Compare today's answers with a run, by default the newest of the task. Raises KnownError."""
        runs = [run for run in await self.kept() if key is None or run.key == key]
        run = next((run for run in runs if run.task is task), None)
        if run is None or run.key is None:
            raise KnownError(_missing(key, task, is_other=bool(runs) and key is not None))
        texts = [case.text for case in cases]
        outcomes = await self._core.in_store(partial(_outcomes, key=run.key, texts=texts))
        then = {one.text: one for one in outcomes}
        both = [case for case in cases if case.text in then]
        if not both:
            raise KnownError(f"Run {run.key} holds none of these cases.")
        today = await self._evaluations.today(both, task, progress, accounts=True)
        before = await asyncio.to_thread(self._before, run, today, then)
        pairs = zip(before.answered, today.answered, strict=True)
        if any(was.delivered is None and now.delivered is not None for was, now in pairs):  # a run of an older version
            before, today = by_answers(before), replace(by_answers(today), metrics=today.metrics)
        comparison = await asyncio.to_thread(compared, before, today)
        now = bearing(self._core.settings, UNASKED)
        settings = {key: (run.settings.get(key, ""), now.get(key, "")) for key in changed_keys(run.settings, now)}
        causes = await self._causes(run, comparison, then, settings)
        return SinceRun(run, comparison, causes, settings, len(cases) - len(both))

    def _before(self, run: EvaluationRun, today: Evaluation, then: Mapping[str, CaseOutcome]) -> Evaluation:
        answered = [_answered(one, then[one.case.text]) for one in today.answered]
        made = judged(run.task, run.combination, answered, self._core.settings)
        metrics = {name: None if name in LIST_ONLY else value for name, value in measured(answered).items()}
        bare = replace(made, threshold=run.threshold, metrics=metrics, bands={}, tiers={})
        return replace(bare, tier_quality=None, chance=None)

    # ---- causes of changed answers

    async def _causes(
        self,
        run: EvaluationRun,
        comparison: Comparison,
        then: Mapping[str, CaseOutcome],
        settings: Mapping[str, tuple[str, str]],
    ) -> dict[int, Cause]:
        turned = comparison.turned
        if not turned:
            return {}
        found = {one.place: Cause(CauseKind.UNKNOWN) for one in turned}
        if settings:
            found |= await self._by_settings(run.task, turned, settings)
        left = [one for one in turned if found[one.place].kind is CauseKind.UNKNOWN]
        if left:
            found |= await self._by_library(run, left, then)
        return found

    async def _by_settings(
        self, task: Task, turned: Sequence[ChangedCase], settings: Mapping[str, tuple[str, str]]
    ) -> dict[int, Cause]:
        """Return the causes by trying each setting as it was, and all of them."""
        single = [key for key in settings if len(settings) <= MOST_SETTINGS]
        changes = [{key: settings[key][0]} for key in single] + [{key: one for key, (one, _) in settings.items()}]
        tried = await self._evaluations.under_each([one.before.case for one in turned], task, changes)
        causes = {}
        for place, one in enumerate(turned):
            has_more = one.before.delivered is not None  # else the run stores answers alone
            under = {
                key: outcome_of(answered if has_more else replace(answered, delivered=None))
                for key, evaluation in zip([*single, ""], tried, strict=True)
                if evaluation is not None
                for answered in [evaluation.answered[place]]
            }
            causes[one.place] = by_settings(outcome_of(one.before), under, settings)
        return causes

    async def _by_library(
        self, run: EvaluationRun, turned: Sequence[ChangedCase], then: Mapping[str, CaseOutcome]
    ) -> dict[int, Cause]:
        task, since = run.task, self._since(run)
        now: list[dict[str, AnswerEvidence]] = [{} for _ in turned]
        if task not in (Task.TYPE, Task.ROUTE):
            names = [tuple(filter(None, [then[one.before.case.text].top])) for one in turned]
            now = await self._evaluations.accounts([one.before.case.text for one in turned], names, task)
        causes = {}
        for one, accounts in zip(turned, now, strict=True):
            outcome = then[one.before.case.text]
            before = Side(outcome.top, AnswerEvidence(outcome.scores, cues=outcome.cues))
            after = Side(_top(one.after), one.after.account or AnswerEvidence())
            causes[one.place] = by_library(before, after, accounts.get(outcome.top or ""), since)
        return causes

    def _since(self, run: EvaluationRun) -> Since:
        now = self._versions()
        others = [kind for what, kind in VERSIONS.items() if run.versions.get(what) != now[what]]
        if run.task in (Task.TYPE, Task.ROUTE):
            return Since((), None, others)
        answers = self._core.engine.index.answers().values()
        own = [one for one in answers if isinstance(one, Memory) is (run.task is not Task.POWER)]
        names = {name_under(one, run.task) for one in own}
        return Since({name_under(one, run.task) for one in own if one.version > run.step}, names, others)

    def _versions(self) -> dict[str, str]:
        status, settings = self._core.status(), self._core.settings
        fitted = repr((settings.calibration, settings.learned)).encode("utf-8", "surrogatepass")
        return {
            "program": version("intentscope"),
            "encoder": status.encoder if status.encoder_state == "ready" else "",
            "fit": blake2b(fitted, digest_size=8).hexdigest(),
        }


def _since(run: EvaluationRun, evaluation: Evaluation, then: Mapping[str, CaseOutcome]) -> SinceLast | None:
    pairs = [(_answered(one, then[one.case.text]), one) for one in evaluation.answered if one.case.text in then]
    if any(before.delivered is None and after.delivered is not None for before, after in pairs):
        pairs = [(replace(before, delivered=None), replace(after, delivered=None)) for before, after in pairs]
    turns = Counter(starmap(turn_of, pairs))
    return SinceLast(run, turns[CaseChange.FIXED], turns[CaseChange.BROKEN], len(pairs)) if pairs else None


def _missing(key: int | None, task: Task, *, is_other: bool) -> str:
    if key is None:
        return f"No evaluation of this task is kept yet: {TASK_WORDS[task]}."
    if is_other:
        return f"Run {key} is of another task: {TASK_WORDS[task]} is asked for."
    return f"No run {key} is kept."


def _outcomes(library: Library, key: int, texts: Sequence[str]) -> list[CaseOutcome]:
    return library.evaluation_runs.outcomes(key, texts)


def _top(answered: Answered) -> str | None:
    return answered.candidates[0].name if answered.candidates else None


def _outcome(answered: Answered) -> CaseOutcome:
    """Return the part of an answer that a run stores."""
    account = answered.account or AnswerEvidence()
    return CaseOutcome(
        text=answered.case.text,
        top=_top(answered),
        confidence=answered.confidence,
        rejected=answered.rejected,
        rank=answered.rank,
        shared=answered.shared,
        tier=None if answered.tier is None else answered.tier.value,
        scores=account.scores,
        cues=account.cues,
        delivered=answered.delivered,
    )


def _answered(today: Answered, then: CaseOutcome) -> Answered:
    """Return a stored answer judged by today's expectation, ranked by that of then."""
    top = () if then.top is None else (RankedName(then.top, then.confidence),)
    tier = None if then.tier is None else Tier(then.tier)
    return replace(
        today,
        candidates=top,
        rank=then.rank,
        rejected=then.rejected,
        tier=tier,
        shared=then.shared,
        account=None,
        delivered=then.delivered,
    )
