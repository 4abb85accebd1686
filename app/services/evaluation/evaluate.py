"""Answer labelled queries under one or more settings, on the path of typed ones (S7.5)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import confidence_steps
from app.detect.merge import merge
from app.detect.resolve import resolve
from app.domain.case import Case, Task
from app.domain.inspection import WEAK, Detection, Resolution, RouteDecision
from app.domain.match import Query, Tier, compared_chance
from app.domain.route import RouteStage, StepOutcome, is_fallback, route_label
from app.evaluation.answers import LISTED, Answered, AnswerEvidence, Candidates, RankedName, acceptable
from app.evaluation.distribution import Timed
from app.evaluation.evaluation import Evaluation, judged, limits_of, threshold_of
from app.evaluation.routing import RoutingMetrics, metrics_of
from app.scoring.combiners import combiner_for
from app.scoring.index.ranking import matches, rank
from app.scoring.learned.library import settings_without_case
from app.scoring.scorers import scorers_under
from app.scoring.text import QueryVector, ScoredText
from app.services.core import Core, Progress
from app.services.engine.engine import Engine
from app.services.engine.route_stages import NOTHING_ASKED, Router
from app.services.engine.type_voter import TypeDetector
from app.services.engine.typing_priority import chunks
from app.services.evaluation.deliveries import resolution_of, shared_of
from app.services.evaluation.llm_answers import NOT_ASKED, LlmAnswerSet, ranked_types
from app.services.evaluation.trial_snapshot import Trial, TrialSnapshot
from app.services.evaluation.trials import NameRanking, TrialQuery
from app.services.routing.log import logged
from app.services.routing.routes import Routing
from app.settings.model import Settings

COMBINATION = "rules + examples"


@dataclass(frozen=True, slots=True)
class Flip:
    """Case with another decision under other settings; None: it has no label."""

    case: Case
    before: RouteDecision
    after: RouteDecision
    was_right: bool | None
    is_right: bool | None


def decisions_of(evaluation: Evaluation) -> list[RouteDecision]:
    """Return the decisions on the cases of an evaluation of routes."""
    return [one.decision for one in evaluation.answered if one.decision is not None]


def route_metrics(evaluation: Evaluation) -> RoutingMetrics:
    """Compute the metrics of an evaluation of routes, as those of a log."""
    log = []
    for case, made in ((one.case, one.decision) for one in evaluation.answered if one.decision is not None):
        labels = case.expected or (() if case.unwanted else ("none",))
        log.append(replace(logged(case.text, made, "evaluate", 0.0), labels=labels))
    return metrics_of(log)


def abstained(evaluation: Evaluation) -> list[RouteDecision]:
    """Return the decisions with unsure examples, which decide only if nothing else does."""
    unsure = RouteStage.EXAMPLES, StepOutcome.UNSURE
    every = decisions_of(evaluation)
    return [made for made in every if any((step.stage, step.outcome) == unsure for step in made.steps)]


def without_llm(settings: Settings) -> Settings:
    """Return the settings with the LLM of routing switched off."""
    return settings.model_copy(update={"route": settings.route.model_copy(update={"use_llm": False})})


def flips(cases: Iterable[Case], before: Sequence[RouteDecision], after: Sequence[RouteDecision]) -> list[Flip]:
    """Return the cases whose intent or method differs in the second decisions."""
    return [
        Flip(case, one, other, *(route_answer(case, made).is_right if case.expected else None for made in (one, other)))
        for case, one, other in zip(cases, before, after, strict=True)
        if (one.intent, one.method) != (other.intent, other.method)
    ]


async def untaught_router(bench: Core, routing: Routing) -> Router:
    """Return a router that is trained on shipped examples only."""
    router = Router(routing.router.now_ms, routing.router.wall_seconds)
    examples = routing.route_examples((), set(), [one for one in routing.trainer.shipped() if one.is_shipped])
    encoder = bench.engine.encoder
    both = await bench.encoded_both([example.text for example in examples])
    if both is not None and encoder is not None:
        router.model = await routing.trainer.fit(examples, *both, encoder)
        router.encoder = encoder
    return router


def decision_on(
    text: str, vectors: QueryVector | None, router: Router, engine: Engine, settings: Settings
) -> RouteDecision:
    """Route a query, which is left out of its own vote; without `vectors` no examples take part."""
    if not text.strip():
        return NOTHING_ASKED
    evidence = router.floor(text, engine.rules, settings)
    evidence = router.with_vote(evidence, text, vectors, engine.encoder, settings, left_out=True)
    return router.decision(evidence, settings)


def route_answer(case: Case, decision: RouteDecision) -> Answered:
    right = tuple(dict.fromkeys(route_label(name) for name in acceptable(case.expected)))
    ranked = [RankedName(decision.intent, decision.confidence)]
    for label, share in decision.shares:
        if label != decision.intent:
            ranked.append(RankedName(label, min(max(0.0, share), 1.0, ranked[-1].confidence)))
    rank = next((place for place, one in enumerate(ranked, 1) if one.name in right), None)
    is_none = not right and is_fallback(decision.method, decision.confidence)
    evidence, listed = AnswerEvidence(cues=(decision.method,)), () if is_none else tuple(ranked[:LISTED])
    return Answered(case, right, listed, rank, rejected=False, account=evidence, decision=decision)


BLOCK = 32
"""Number of cases whose vectors are made in one batch."""

LONGEST_SECONDS = 0.008
"""Longest time in s of answering before a waiting keystroke is served."""

Keep = Callable[[Answered], Answered]
"""Reduces an answer to the part that later steps need."""


def keep_all(answered: Answered) -> Answered:
    return answered


@dataclass
class CaseAnswerer:
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
        query, detector = trial_query.query, self.snapshot.core.engine.detector
        known: dict[str, Answered] = {}
        for trial in self.trials:
            key = f"{trial.settings.search_intent} {trial.settings.fallback_threshold} {id(trial.answer_set)}"
            if key not in known:
                known[key] = type_answer(case, query, detector, trial.settings, trial.answer_set)
            yield known[key]

    def _route(self, case: Case, trial_query: TrialQuery, settings: Settings) -> Answered:
        vectors = trial_query.query.whole if settings.route.examples else None
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


async def answer_all(
    snapshot: TrialSnapshot, cases: Sequence[Case], answers: CaseAnswerer, progress: Progress | None, keep: Keep
) -> list[list[Answered]]:
    """Return for each trial the reduced answers to all cases."""
    done: list[list[Answered]] = [[] for _ in answers.trials]
    until = time.monotonic() + LONGEST_SECONDS
    for block in chunks(cases, BLOCK):
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


def evaluation_of(task: Task, answered: Sequence[Answered], settings: Settings, *, has_vectors: bool) -> Evaluation:
    """Judge the answers to cases of a task under these settings."""
    evaluation = judged(task, combination_of(task, settings), answered, settings)
    # Without vectors no scale is valid (S2.10).
    return evaluation if has_vectors else replace(evaluation, chance=None)


def combination_of(task: Task, settings: Settings) -> str:
    """Return the name of what decides the task: a combiner, for types the selection policy."""
    if task is Task.ROUTE:
        return COMBINATION
    selection = settings.search_intent.selection
    return selection if task is Task.TYPE else combiner_for(settings, power=task is Task.POWER).name


def type_answer(
    case: Case, query: ScoredText, detector: TypeDetector, settings: Settings, answer_set: LlmAnswerSet = NOT_ASKED
) -> Answered:
    """Return the types by confidence, as detected without the training cases."""
    text, wanted = query.text, settings.search_intent
    vectors = query.whole if wanted.enabled and wanted.learned else None
    detection = detector.detect(text, vectors, wanted, left_out=True)
    intent = merge(detection.floor, answer_set.ceiling(text, wanted), wanted).intent
    chances = {} if intent is None else {intent.type.value: intent.confidence}
    for name, own in () if intent is None else _others(text, detection):
        chances.setdefault(name, min(own, *chances.values()))
    cues = tuple(dict.fromkeys(hit.rule.id for hit in detection.hits if not hit.held_back))
    return replace(ranked_types(case, chances, settings), account=AnswerEvidence(cues=cues))


def _others(text: str, detection: Detection) -> Iterator[tuple[str, float]]:
    """Return the types in order, each with its share of the examples' vote, or of the cues."""
    vote = None if detection.learned is None else detection.learned.vote
    if vote is not None:
        yield from vote.shares
    for evidence in detection.ranking:
        yield evidence.type.value, confidence_steps(text, evidence.hits)[-1].result


def with_account(answered: Answered, query: TrialQuery, task: Task, settings: Settings) -> Answered:
    """Return the answer with the evidence for its best candidate."""
    if not answered.candidates:
        return answered
    scorers = scorers_under(combination_of(task, settings))
    candidates, scores = query.library.candidates[task], query.scores(settings)
    account = candidates.account(query.library.index, scores, answered.candidates[0].name, scorers)
    return replace(answered, account=account)


def ranked_answer(case: Case, ranking: NameRanking, candidates: Candidates, task: Task, settings: Settings) -> Answered:
    """Return the answer to a case from the ranking of the candidates' names."""
    right, values = acceptable(case.expected), ranking.values
    ranked = candidates.ranked(values)
    own = ranking.thresholds.get(ranked[0].name) if ranked else None
    resolution = resolution_of(ranking, settings) if task is Task.POWER else None
    return Answered(
        case=case,
        acceptable=right,
        candidates=ranked,
        rank=candidates.rank(right, values),
        rejected=is_rejected(ranked, ranking.thresholds, task, settings, ranking.label_chances)
        if resolution is None
        else resolution.status is Tier.NOT_FOUND,
        tier=None if resolution is None else resolution.status,
        offered=0 if resolution is None else len(resolution.matches),
        shared=shared_of(values, task, settings, has_vector=ranking.has_vector),
        limits=limits_of(task, settings, own),
    )


def is_rejected(
    ranked: Sequence[RankedName],
    thresholds: Mapping[str, float],
    task: Task,
    settings: Settings,
    label_chances: Mapping[str, float] = {},
) -> bool:
    """Check if the best of a ranking is rejected (S8.5); `thresholds` are those of names.

    `label_chances` are those of memories that compete with others of their label, which are compared instead.
    """
    if not ranked:
        return threshold_of(task, settings) > 0.0
    name = ranked[0].name
    chance = compared_chance(ranked[0].confidence, label_chances.get(name))
    return chance < threshold_of(task, settings, thresholds.get(name))


# ---- Queries resolved and timed one by one, as typed ones; nothing is started, taught or logged.


TIMED = 200
"""Number of queries that are timed by default."""


@dataclass(frozen=True, slots=True)
class TimedResolution:
    """Resolution with its duration in ms, including the query's encoding."""

    resolution: Resolution
    ms: float

    @property
    def timed(self) -> Timed:
        return self.resolution.status, self.ms


def resolve_each(engine: Engine, texts: Sequence[str]) -> Iterator[TimedResolution]:
    """Resolve texts independently (S5.1 to S5.3, S5.5), in a few ms each; raises EncoderError."""
    for text in texts:
        begun = engine.now_ms()
        query = Query.of(text)
        settings, index = engine.settings, engine.index
        scores = index.score(engine.query(query.scored), name_counts=settings.name_counts)
        ranking = rank(scores, settings, WEAK)
        found = matches(index, scores, ranking, settings)
        powers, shared, best_scores = index.layout().powers, ranking.any_power, ranking.best_scores
        resolution = resolve(query.text, found, powers, settings, shared=shared, best_scores=best_scores)
        yield TimedResolution(resolution, engine.now_ms() - begun)


def spread(texts: Sequence[str], count: int = TIMED) -> list[str]:
    """Return at most `count` of the texts, evenly spread."""
    if len(texts) <= count:
        return list(texts)
    return [texts[place * len(texts) // count] for place in range(count)]
