"""Cases answered under several settings at once: common work is done once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from app.domain.case import Case, Task
from app.domain.match import Query
from app.evaluation.answers import Answered
from app.evaluation.evaluation import Evaluation
from app.scoring.learned.library import settings_without_case
from app.services.core import Progress
from app.services.engine.embedding import QueryVector
from app.services.engine.route_stages import Router
from app.services.engine.typing_priority import without_gc
from app.services.evaluation.evaluate import TypeAnswers, evaluation_of, ranked_answer, with_account
from app.services.evaluation.llm_answers import NOT_ASKED, LlmAnswerSet
from app.services.evaluation.routing import decision_on, route_answer, without_llm
from app.services.evaluation.trial_snapshot import TrialSnapshot
from app.services.evaluation.trials import TrialEdit, TrialQuery
from app.settings.model import Settings

BLOCK = 32
"""Number of cases whose vectors are made in one batch."""

LONGEST_SECONDS = 0.008
"""Longest time in s of answering before a waiting keystroke is served."""

Keep = Callable[[Answered], Answered]
"""Reduces an answer to the part that later steps need."""


def keep_all(answered: Answered) -> Answered:
    return answered


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings to try, memories that their `min_score` adds or removes, and LLM answers."""

    settings: Settings
    edit: TrialEdit | None = None
    answer_set: LlmAnswerSet = NOT_ASKED


@dataclass
class Answers:
    """Answers one case under every trial; common work is done once."""

    snapshot: TrialSnapshot
    task: Task
    trials: Sequence[Trial]
    router: Router
    accounts: bool = False
    """True if answers include their evidence."""

    def to(self, case: Case, trial_query: TrialQuery) -> Iterator[Answered]:
        if self.task is Task.TYPE:
            return self._types(case, trial_query)
        if self.task is Task.ROUTE:
            return (self._route(case, trial_query, trial.settings) for trial in self.trials)
        return (self._ranked(case, trial_query, trial) for trial in self.trials)

    def _types(self, case: Case, trial_query: TrialQuery) -> Iterator[Answered]:
        both, detector = QueryVector.of(trial_query.query), self.snapshot.core.engine.detector
        embed = None if both is None else lambda texts: (both.scored[None, :], both.learned[None, :])
        known: dict[str, Answered] = {}
        for trial in self.trials:
            key = f"{trial.settings.search_intent} {trial.settings.fallback_threshold} {id(trial.answer_set)}"
            if key not in known:
                (known[key],) = TypeAnswers(detector, trial.settings, embed, trial.answer_set).to([case])
            yield known[key]

    def _route(self, case: Case, trial_query: TrialQuery, settings: Settings) -> Answered:
        vectors = QueryVector.of(trial_query.query) if settings.route.examples else None
        engine = self.snapshot.core.engine
        decision = decision_on(trial_query.query.text, vectors, self.router, engine, without_llm(settings))
        return route_answer(case, decision)

    def _ranked(self, case: Case, trial_query: TrialQuery, trial: Trial) -> Answered:
        task, overlay = self.task, self.snapshot.overlay(trial.edit, self.task)
        settings = settings_without_case(trial.settings, case.text)
        ranking = trial_query.ranking(task, settings, overlay)
        candidates = trial_query.library.candidates[task] if overlay is None else overlay.named
        found = ranked_answer(case, ranking, candidates, task, settings)
        found = replace(found, delivered=self.snapshot.delivered(trial_query, settings, trial.edit))
        return found if not self.accounts or overlay is not None else with_account(found, trial_query, task, settings)


async def answered_under(
    snapshot: TrialSnapshot, cases: Sequence[Case], answers: Answers, progress: Progress | None, keep: Keep
) -> list[list[Answered]]:
    """Return for each trial the reduced answers to all cases."""
    done: list[list[Answered]] = [[] for _ in answers.trials]
    every, until = iter(cases), time.monotonic() + LONGEST_SECONDS
    while block := list(islice(every, BLOCK)):
        texts = [Query.of(case.text).scored for case in block]
        vectors = await snapshot.trial_vectors.of_queries(texts)
        for case, text in zip(block, texts, strict=True):
            snapshot.check()
            first = kept = None
            for own, answered in zip(done, answers.to(case, snapshot.ask(text, vectors)), strict=True):
                if first is None:
                    first, kept = answered, keep(answered)
                own.append(kept if kept is not None and answered == first else keep(answered))
                if own is done[-1] or time.monotonic() >= until:
                    await snapshot.core.typing_priority.turn()
                    snapshot.check()
                    until = time.monotonic() + LONGEST_SECONDS
            if progress is not None:
                progress(len(done[0]), len(cases))
    return done


def judged_under(
    task: Task, trials: Sequence[Trial], done: Sequence[Sequence[Answered]], has_vectors: bool
) -> list[Evaluation]:
    with without_gc(sum(map(len, done))):
        pairs = zip(trials, done, strict=True)
        return [evaluation_of(task, own, trial.settings, has_vectors=has_vectors) for trial, own in pairs]
