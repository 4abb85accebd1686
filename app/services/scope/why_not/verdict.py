"""Verdict on a ranked answer: the stage that loses it, and its gaps to the winner by scorer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.domain.case import Task
from app.domain.library import Answer
from app.domain.match import Breakdown, Match, Tier
from app.domain.scope.resolution import MULTIPLE, WEAK
from app.domain.scope.why_not import LostAt, ScorerGap
from app.evaluation.evaluation import threshold_of
from app.scoring.combiners import COMBINERS
from app.scoring.index.best import Ranking
from app.scoring.index.ranking import matches, tier_of
from app.scoring.index.scales import confidences, scale_for
from app.scoring.scorers import SCORERS
from app.services.evaluation.trials import NameRanking, TrialQuery
from app.settings.model import Settings

Whole = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result for an expected name: the stage that loses it (None: it wins), and its rival.

    Confidences are in [0, 1], ranks start at 1; the rival is the winner or the runner-up.
    """

    stage: LostAt | None
    place: int
    rival: int | None
    confidence: float
    rival_confidence: float | None
    rank: int | None


def verdict(ranking: NameRanking, place: int, task: Task, settings: Settings) -> Verdict:
    """Return the verdict on the name at a place under these settings."""
    order = ranking.best(WEAK)
    value = float(ranking.values[place])
    rank = ranking.rank(place)
    others = [other for other in order if other != place]
    rival = others[0] if others else None
    rival_value = None if rival is None else float(ranking.values[rival])
    own = ranking.thresholds.get(ranking.names[place])
    stage = _stage(value, rank, rival_value, task, settings, own)
    return Verdict(stage, place, rival, value, rival_value, rank)


def _stage(
    value: float, rank: int | None, rival: float | None, task: Task, settings: Settings, own: float | None
) -> LostAt | None:
    is_power = task is Task.POWER
    if rank != 1 and rival is not None:
        return _behind(value, rank, rival, task, settings)
    line = settings.tiers.high if is_power else threshold_of(task, settings, own)
    if rank is None or value < line:
        return LostAt.THRESHOLD
    margin = settings.tiers.ambiguity_margin
    if is_power and rival is not None and margin > 0 and value - rival <= margin:
        return LostAt.AMBIGUITY
    return None


def _behind(value: float, rank: int | None, first: float, task: Task, settings: Settings) -> LostAt:
    """Return why a name is behind the first: its score, or on a tie the order or the list size."""
    is_power = task is Task.POWER
    near = settings.tiers.ambiguity_margin if is_power else 0.0
    is_named = tier_of(first, settings) in (Tier.ACTIVATED, Tier.MULTIPLE_MATCHES) if is_power else True
    if rank is None or first - value > near or not is_named:
        return LostAt.SCORING
    return LostAt.AMBIGUITY if rank <= (MULTIPLE if is_power else settings.matches) else LostAt.RANKING


def leads_somewhere(trial_query: TrialQuery, place: int, task: Task, settings: Settings) -> Whole:
    """Return the combinations and single scorers that would rank the name at a place first."""
    power = task is Task.POWER
    found = []
    for name in COMBINERS:
        chosen = {"combination": name, "use_hybrid_retrieval": True, "power_combination": "same"}
        values = trial_query.ranking(task, settings.model_copy(update=chosen)).values
        others = np.delete(values, place)
        if values[place] > others.max(initial=0.0) and (power or name != "keyword"):
            found.append(name)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Candidate:
    """The answer that gives a name its score, its match, and the scores of the name."""

    answer: Answer
    match: Match
    scores: Breakdown


def candidate(trial_query: TrialQuery, place: int, task: Task, settings: Settings) -> Candidate:
    """Return the best answer under the name at a place, scored exactly at any rank."""
    library, scores = trial_query.library, trial_query.scores(settings)
    candidates = library.candidates[task]
    end = candidates.starts[place + 1] if place + 1 < len(candidates.starts) else len(candidates.places)
    places = candidates.places[candidates.starts[place] : end]
    values = confidences(scores, settings)[places]
    best = int(places[int(np.argmax(values))])
    answer = library.index.candidate(int(scores.layout.slots[best])).answer
    nothing = np.zeros(0, np.intp)
    own = np.array([best], np.intp)
    is_power = task is Task.POWER
    scales = {is_power: scale_for(scores, settings, power=is_power)}
    ranking = Ranking(nothing if is_power else own, own if is_power else nothing, {best: float(values.max())}, scales)
    (match,) = matches(library.index, scores, ranking, settings)
    if not candidates.as_one:
        return Candidate(answer, match, match.scores)
    joined = {name: _largest(column[places]) for name, column in scores.by_slot.items()}
    return Candidate(answer, match, {name: joined.get(name) for name in SCORERS})


def _largest(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float | None:
    found = float(np.fmax.reduce(values))
    return None if np.isnan(found) else found


def gaps(expected: Breakdown | None, winner: Breakdown | None) -> tuple[ScorerGap, ...]:
    """Return the scores of both sides, for every scorer present on one side."""
    rows = (
        ScorerGap(name, None if expected is None else expected.get(name), None if winner is None else winner.get(name))
        for name in SCORERS
    )
    return tuple(gap for gap in rows if gap.expected is not None or gap.winner is not None)
