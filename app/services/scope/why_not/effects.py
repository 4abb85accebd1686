"""What changes would do to every stored case, worked out without making any (S7.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.domain.case import Case, Task
from app.domain.match import Query
from app.domain.route import route_label
from app.domain.why_not import MOST_NAMED, Effect
from app.evaluation.answers import Answered, RankedName, acceptable
from app.evaluation.evaluation import threshold_of
from app.scoring.combiners import combiner_for
from app.services.core import Progress
from app.services.engine.embedding import QueryVector
from app.services.evaluation.evaluate import evaluate
from app.services.evaluation.ground import Ground
from app.services.evaluation.routing import without_llm
from app.services.evaluation.trials import RANKED, TrialQuestion
from app.services.scope.why_not.drafts import Trial
from app.services.scope.why_not.routes import decided
from app.settings.model import Settings

BLOCK = 16
"""The vectors of so many cases are made together."""


@dataclass
class _Tally:
    """What one trial did so far."""

    fixed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def note(self, case: Case, *, before: bool, after: bool) -> None:
        if before != after:
            (self.fixed if after else self.broken).append(case.text)

    def effect(self, total: int) -> Effect:
        fixed, broken = self.fixed, self.broken
        return Effect(len(fixed), len(broken), tuple(fixed[:MOST_NAMED]), tuple(broken[:MOST_NAMED]), total)


async def effects(ground: Ground, trials: Sequence[Trial], tell: Progress | None = None) -> list[Effect]:
    """What each trial does to all cases; EncoderError, ChangedMeanwhileError. It can be cancelled between two cases."""
    touched = [tasks_touched(trial, ground) for trial in trials]
    total = sum(map(len, ground.cases.values()))
    wanted = {task: len(ground.cases[task]) for task in Task if any(task in tasks for tasks in touched)}
    tallies = [_Tally() for _ in trials]
    done, of = 0, sum(wanted.values())
    for task in wanted:
        chosen = [(trial, tally) for trial, tally, tasks in zip(trials, tallies, touched, strict=True) if task in tasks]
        for start in range(0, len(ground.cases[task]), BLOCK):
            block = ground.cases[task][start : start + BLOCK]
            texts = [Query.of(case.text).scored for case in block]
            vectors = await ground.trial_vectors.of_queries(texts)
            for case in block:
                ground.check()
                scored = Query.of(case.text).scored
                right = _Judge(ground, case, ground.ask(scored, vectors)).right
                before = right(Trial(ground.settings))
                for trial, tally in chosen:
                    tally.note(case, before=before, after=right(trial))
                done += 1
                if tell is not None:
                    tell(done, of)
                await ground.core.typing_priority.turn()
    return [tally.effect(total) for tally in tallies]


def tasks_touched(trial: Trial, ground: Ground) -> frozenset[Task]:
    """The tasks whose cases may come out otherwise."""
    now, then = ground.settings, trial.settings
    found = {task for task in RANKED if _ranking(now, task) != _ranking(then, task)}
    found |= {task for task in RANKED if ground.overlay(trial.edit, task) is not None}
    if (now.search_intent, now.fallback_threshold) != (then.search_intent, then.fallback_threshold):
        found.add(Task.TYPE)
    if now.route != then.route or trial.router is not None:
        found.add(Task.ROUTE)
    if trial.rules is not None:
        found |= _of_rules(ground.core.engine.rules.of_routes != trial.rules.of_routes)
    return frozenset(found)


def _of_rules(is_route: bool) -> set[Task]:
    return {Task.ROUTE} if is_route else {Task.TYPE}


def _ranking(settings: Settings, task: Task) -> tuple[object, ...]:
    """What the answers of a task depend on."""
    how = combiner_for(settings, power=task is Task.POWER).name
    common = (settings.weights, settings.thresholds, settings.calibration, settings.learned, how)
    if task is Task.POWER:
        return (*common, settings.tiers, settings.name_counts)
    return (*common, settings.fallback_threshold)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Says whether a case comes out right under a trial, as an evaluation would (S8.5)."""

    ground: Ground
    case: Case
    asked: TrialQuestion

    def right(self, trial: Trial) -> bool:
        if self.case.task is Task.TYPE:
            return self._type(trial)
        return self._route(trial) if self.case.task is Task.ROUTE else self._ranked(trial)

    def _ranked(self, trial: Trial) -> bool:
        task = self.case.task
        standing = self.asked.standing(task, trial.settings, self.ground.overlay(trial.edit, task))
        top = standing.top
        best = () if top is None else (RankedName(standing.names[top], float(standing.values[top])),)
        rejected = (best[0].confidence if best else 0.0) < threshold_of(task, trial.settings)
        return Answered(self.case, acceptable(self.case.expected), best, None, rejected).is_right

    def _type(self, trial: Trial) -> bool:
        engine = self.ground.core.engine
        detector = replace(engine.detector, rules=trial.rules or engine.rules)
        both = QueryVector.of(self.asked.query)
        embed = None if both is None else lambda texts: (both.scored[None, :], both.learned[None, :])
        judged = evaluate(engine.index, trial.settings, [self.case], Task.TYPE, embed=embed, detector=detector)
        return judged.answered[0].is_right

    def _route(self, trial: Trial) -> bool:
        engine, router = self.ground.core.engine, trial.router or self.ground.routing.router
        rules, settings = trial.rules or engine.rules, without_llm(trial.settings)
        decision = decided(router, self.asked.query, rules, engine.encoder, settings, left_out=True)
        best = (RankedName(decision.intent, decision.confidence),)
        return Answered(self.case, _routes(self.case.expected), best, None, rejected=False).is_right


def _routes(expected: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(route_label(name) for name in acceptable(expected)))
