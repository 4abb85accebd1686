"""Answer labelled queries on the same path as typed ones, and judge the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import confidence_steps
from app.detect.merge import merge
from app.detect.resolve import resolve
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.match import Query, Tier, compared_chance
from app.domain.scope.inspection import Detection
from app.domain.scope.resolution import WEAK, Resolution
from app.evaluation.answers import Answered, AnswerEvidence, RankedName, acceptable
from app.evaluation.candidates import Candidates
from app.evaluation.distribution import Timed
from app.evaluation.evaluation import Evaluation, judged, threshold_of
from app.ports.encoder import Vectors
from app.scoring.columns.exact import ScoredText
from app.scoring.combiners import combiner_for
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.learned.library import settings_without_case
from app.scoring.scorers import scorers_under
from app.services.engine.embedding import QueryVector
from app.services.engine.engine import Engine
from app.services.engine.example_voters import TypeDetector
from app.services.evaluation.deliveries import Deliveries, resolution_of, shared_of
from app.services.evaluation.llm_answers import NOT_ASKED, LlmAnswerSet, type_name
from app.services.evaluation.routing import COMBINATION
from app.services.evaluation.trials import NameRanking, TaughtAnswers, TrialQuery
from app.settings.model import Settings

BLOCK = 256
"""Number of queries encoded at once, between two reports of progress, about 1 to 2 s.

Larger blocks have more queries of equal length, so the encoder pads less: 256 take 10 to 25 % less per query than 64;
larger ones gain little.
"""

Embed = Callable[[Sequence[str]], tuple[Vectors, Vectors]]
"""Texts to unit vectors of shape (len(texts), dimension), for comparison and the learner."""


class EvaluationStoppedError(KnownError):
    """An evaluation was cancelled before its last case."""


def evaluate(
    index: TriggerIndex,
    settings: Settings,
    cases: Sequence[Case],
    task: Task,
    *,
    embed: Embed | None,
    detector: TypeDetector,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    deliveries: Deliveries | None = None,
    accounts: bool = False,
) -> Evaluation:
    """Answer every case and judge the answers, without storing (S5.5, S7.5, S8.5, S8.7).

    Without `embed` the semantic scorers are absent. `progress` receives the cases done and in total, at the start and
    after each block; `cancelled` is called between blocks; `deliveries` are those of the index, if already made; with
    `accounts` each answer has its evidence. May block for long. Raises EvaluationStoppedError if cancelled,
    EncoderError if the encoder fails, KnownError for routes, which `evaluate_routes` evaluates.
    """
    if task is Task.ROUTE:
        raise KnownError("Routes are evaluated by the router, not by the index of memories and powers.")
    answer: TypeAnswers | _Ranked = TypeAnswers(detector, settings, embed)
    if task is not Task.TYPE:
        deliveries = deliveries or Deliveries(TaughtAnswers(index), detector)
        answer = _Ranked(deliveries, settings, task, embed, accounts)
    done: list[Answered] = []
    for block in _blocks(cases):
        if progress is not None:
            progress(len(done), len(cases))
        if cancelled is not None and cancelled():
            raise EvaluationStoppedError(f"The evaluation was stopped after {len(done):,} of {len(cases):,} cases.")
        done += answer.to(block)
    if progress is not None:
        progress(len(done), len(cases))
    return evaluation_of(task, done, settings, has_vectors=embed is not None)


def evaluation_of(task: Task, answered: Sequence[Answered], settings: Settings, *, has_vectors: bool) -> Evaluation:
    """Judge the answers to cases of a task under these settings."""
    evaluation = judged(task, combination_of(task, settings), answered, settings)
    # Without vectors no scale is valid (S2.10).
    return evaluation if has_vectors else replace(evaluation, chance=None)


def combination_of(task: Task, settings: Settings) -> str:
    """Return the name of what decides the task: a combiner, for types the selection policy."""
    if task is Task.ROUTE:
        return COMBINATION
    return (
        settings.search_intent.selection if task is Task.TYPE else combiner_for(settings, power=task is Task.POWER).name
    )


def _blocks(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    for start in range(0, len(cases), BLOCK):
        yield cases[start : start + BLOCK]


@dataclass(frozen=True, slots=True)
class TypeAnswers:
    """Task `type` under these settings, training cases left out; LLM only from `answer_set`."""

    detector: TypeDetector
    settings: Settings
    embed: Embed | None
    answer_set: LlmAnswerSet = NOT_ASKED

    def to(self, cases: Sequence[Case]) -> Iterator[Answered]:
        texts = [Query.of(case.text).scored for case in cases]
        wanted = self.settings.search_intent
        both = self.embed(texts) if self.embed is not None and wanted.enabled and wanted.learned else ()
        for place, case in enumerate(cases):
            right = tuple(dict.fromkeys(type_name(name) for name in acceptable(case.expected)))
            vectors = QueryVector(*(made[place] for made in both)) if both else None
            ranked, cues = self._ranked(texts[place], vectors)
            rank = next((place for place, type_ in enumerate(ranked, 1) if type_.name in right), None)
            top = ranked[0].confidence if ranked else 0.0
            rejected = top < threshold_of(Task.TYPE, self.settings)
            yield Answered(case, right, ranked, rank, rejected, account=AnswerEvidence(cues=cues))

    def _ranked(self, text: str, vectors: QueryVector | None) -> tuple[tuple[RankedName, ...], tuple[str, ...]]:
        """Return the types, winner first, confidences descending, and ids of rules that fired."""
        wanted = self.settings.search_intent
        detection = self.detector.detect(text, vectors, wanted, left_out=True)
        intent = merge(detection.floor, self.answer_set.ceiling(text, wanted), wanted).intent
        cues = tuple(dict.fromkeys(hit.rule.id for hit in detection.hits if not hit.held_back))
        if intent is None:
            return (), cues
        ranked = {intent.type.value: intent.confidence}
        for name, own in _others(text, detection):
            ranked.setdefault(name, min(own, *ranked.values()))
        return tuple(RankedName(name, confidence) for name, confidence in ranked.items()), cues


def _others(text: str, detection: Detection) -> Iterator[tuple[str, float]]:
    """Return the types in order, each with its share of the examples' vote, or of the cues."""
    vote = None if detection.learned is None else detection.learned.vote
    if vote is not None:
        yield from vote.shares
    for evidence in detection.ranking:
        yield evidence.type.value, confidence_steps(text, evidence.hits)[-1].result


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Tasks `intent`, `memory`, `power`: the index scores, the combination ranks candidates."""

    deliveries: Deliveries
    settings: Settings
    task: Task
    embed: Embed | None
    accounts: bool

    def to(self, cases: Sequence[Case]) -> Iterator[Answered]:
        texts = [Query.of(case.text).scored for case in cases]
        both = () if self.embed is None else self.embed(texts)
        for place, (case, text) in enumerate(zip(cases, texts, strict=True)):
            query = TrialQuery(self.deliveries.taught, ScoredText(text, *(made[place] for made in both)))
            yield self._answered(case, query)

    def _answered(self, case: Case, query: TrialQuery) -> Answered:
        settings, candidates = settings_without_case(self.settings, case.text), query.library.candidates[self.task]
        found = ranked_answer(case, query.ranking(self.task, settings), candidates, self.task, settings)
        found = replace(found, delivered=self.deliveries.of_query(query, settings))
        return with_account(found, query, self.task, settings) if self.accounts else found


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
        begun = engine.clock.now_ms()
        resolution = _resolve_one(engine, Query.of(text))
        yield TimedResolution(resolution, engine.clock.now_ms() - begun)


def _resolve_one(engine: Engine, query: Query) -> Resolution:
    settings, index = engine.settings, engine.index
    made = () if engine.encoder is None else engine.encode([query.scored])
    scores = index.score(ScoredText(query.scored, *(own[0] for own in made)), name_counts=settings.name_counts)
    ranking = rank(scores, settings, WEAK)
    found = matches(index, scores, ranking, settings)
    powers, shared, best_scores = index.layout().powers, ranking.any_power, ranking.best_scores
    return resolve(query.text, found, powers, settings, shared=shared, best_scores=best_scores)


def spread(texts: Sequence[str], count: int = TIMED) -> list[str]:
    """Return at most `count` of the texts, evenly spread."""
    if len(texts) <= count:
        return list(texts)
    return [texts[place * len(texts) // count] for place in range(count)]
