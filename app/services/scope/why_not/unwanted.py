"""Why-not for a query that should get no answer: its answer, and changes that reject it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from app.domain.case import Task
from app.domain.library import Memory
from app.domain.match import Tier
from app.domain.scope.why_not import LostAt, Rewrite, ValueChange, WhyNot
from app.evaluation.answers import RankedName
from app.evaluation.evaluation import threshold_of
from app.services.evaluation.deliveries import resolution_of
from app.services.evaluation.evaluate import is_rejected
from app.services.evaluation.trials import NameRanking, TrialEdit, TrialQuery
from app.services.scope.why_not.question import (
    TASKS,
    Draft,
    FoundAnswer,
    Trial,
    WhyNotQuestion,
    candidate,
    gaps,
    round_up,
    settings_drafts,
    verdict,
)
from app.services.scope.why_not.ranked import LostAnswer, combinations, misleading, without_trigger
from app.settings.model import Settings


def is_answered(ranking: NameRanking, task: Task, settings: Settings) -> bool:
    """Check if the best of a ranking counts as an answer, as in an evaluation (S8.5)."""
    if task is Task.POWER:
        return resolution_of(ranking, settings).status is not Tier.NOT_FOUND
    top = ranking.top
    best = () if top is None else (RankedName(ranking.names[top], float(ranking.values[top])),)
    return not is_rejected(best, ranking.thresholds, task, settings, ranking.label_chances)


async def of_nothing(question: WhyNotQuestion) -> FoundAnswer:
    """Explain the unwanted answer; raises StoreError, EncoderError, ChangedMeanwhileError."""
    snapshot, task = question.snapshot, TASKS[question.expected.kind]
    snapshot.tasks.add(task)
    trial_query, settings = await snapshot.trial_query(question.text), snapshot.settings
    ranking = trial_query.ranking(task, settings)
    top = ranking.top
    if top is None:
        return FoundAnswer(WhyNot(question.text, question.expected, task, None))
    came = candidate(trial_query, top, task, settings)
    judged, name = verdict(ranking, top, task, settings), ranking.names[top]
    lost = LostAnswer(trial_query, task, name, question.text.strip(), judged, came, came, snapshot)
    is_lost = is_answered(ranking, task, settings)
    own = lost.own if settings.label_thresholds else None
    answer = WhyNot(
        question.text,
        question.expected,
        task,
        LostAt.UNWANTED if is_lost else None,
        winner_name=name,
        gaps=gaps({}, came.scores),
        winner_confidence=judged.confidence,
        threshold=threshold_of(task, settings, own),
        is_own_threshold=own is not None,
        through=misleading(came.match),
    )

    def keeps_out(trial_query: TrialQuery, draft: Draft) -> bool:
        overlay = snapshot.overlay(draft.trial.edit, task)
        return not is_answered(trial_query.ranking(task, draft.trial.settings, overlay), task, draft.trial.settings)

    least = max(judged.confidence, _related(ranking, settings) if lost.is_power else 0.0)
    return FoundAnswer(answer, list(_drafts(lost, least)) if is_lost else (), partial(keeps_out, trial_query))


def _related(ranking: NameRanking, settings: Settings) -> float:
    """Return the chance that any power is related, which decides weak matches; 0 if not used."""
    tiers = settings.tiers.model_copy(update={"high": 1.0})
    under = settings.model_copy(update={"tiers": tiers})
    chances = resolution_of(ranking, under).chances
    return 0.0 if chances is None else chances.related


def _drafts(lost: LostAnswer, value: float) -> Iterator[Draft]:
    """Draft thresholds above the answer's value, its trigger removed, and other combinations."""
    line = round_up(value) if round_up(value) > value else round(round_up(value) + 0.01, 2)
    if line <= 1.0:
        yield from _raised(lost, line)
    yield from without_trigger(lost, lost.expected.answer, misleading(lost.expected.match))
    yield from combinations(lost)


def _raised(lost: LostAnswer, line: float) -> Iterator[Draft]:
    tiers, answer = lost.settings.tiers, lost.expected.answer
    if lost.is_power:
        named = (("weak", tiers.weak), ("medium", tiers.medium), ("high", tiers.high))
        pairs = {f"tiers.{name}": f"{line:.2f}" for name, own in named if own < line}
    else:
        pairs = {"fallback_threshold": f"{line:.2f}"}
        if isinstance(answer, Memory) and lost.settings.label_thresholds:
            yield _own_line(lost, answer, line)
    yield from settings_drafts(lost.snapshot, pairs, size=1 + len(pairs), family="line")


def _own_line(lost: LostAnswer, answer: Memory, line: float) -> Draft:
    """Raise the threshold of the label, or set one on the memory that answers."""
    carrying = [one for one in lost.trial_query.library.under(answer) if one.threshold is not None]
    after = tuple(one.with_threshold(line) for one in carrying or [answer])
    key = "label.raise" if carrying else "label.give"
    moved = (ValueChange(lost.name, "" if lost.own is None else f"{lost.own:g}", f"{line:g}"),)
    trial = Trial(lost.settings, TrialEdit(after))
    return Draft(key, Rewrite(after), trial, 1, "line", moved, about=after[:1])
