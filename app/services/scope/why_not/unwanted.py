"""A query that nothing should answer: what is answered all the same, and what would keep it out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from app.domain.case import Task
from app.domain.library import Memory
from app.domain.match import Tier
from app.domain.scope.why_not import LostAt, Rewrite, Unwanted, ValueChange
from app.evaluation.answers import RankedName
from app.evaluation.evaluation import threshold_of
from app.services.evaluation.evaluate import is_rejected, resolution_of
from app.services.evaluation.trials import Standing, TrialEdit, TrialQuestion
from app.services.scope.why_not.drafts import Draft, Trial, settings_draft, up
from app.services.scope.why_not.question import TASKS, FoundAnswer, WhyNotQuestion, never
from app.services.scope.why_not.ranked import Lost, combinations, misleading, taken_away
from app.services.scope.why_not.verdict import candidate, gaps, verdict
from app.settings.model import Settings


def is_answered(standing: Standing, task: Task, settings: Settings, *, has_vector: bool) -> bool:
    """Whether the best of a standing is an answer, as an evaluation would judge it (S8.5)."""
    if task is Task.POWER:
        found = resolution_of(standing.names, standing.values, settings, has_vector=has_vector)
        return found.status is not Tier.NOT_FOUND
    top = standing.top
    best = () if top is None else (RankedName(standing.names[top], float(standing.values[top])),)
    return not is_rejected(best, standing.thresholds, task, settings)


async def of_nothing(asking: WhyNotQuestion) -> FoundAnswer:
    """What answers a query that nothing should, and what may be tried; StoreError, EncoderError,
    ChangedMeanwhileError."""
    ground, task = asking.ground, TASKS[asking.expected.kind]
    ground.tasks.add(task)
    asked, settings = await ground.asked(asking.text), ground.settings
    standing = asked.standing(task, settings)
    top, has_vector = standing.top, asked.query.vector is not None
    if top is None:
        return FoundAnswer(asking.said(None, Unwanted("", is_power=task is Task.POWER)), (), never)
    came = candidate(asked, top, task, settings)
    judged = verdict(standing, top, task, settings)
    lost = Lost(asked, task, standing.names[top], asking.text.strip(), judged, came, came, settings, ground.under)
    is_lost = is_answered(standing, task, settings, has_vector=has_vector)
    answer = asking.said(
        LostAt.UNWANTED if is_lost else None,
        _unwanted(lost),
        winner_name=lost.name,
        gaps=gaps(None, came.scores),
        winner_confidence=judged.confidence,
    )

    def keeps_out(asked: TrialQuestion, draft: Draft) -> bool:
        overlay = ground.overlay(draft.trial.edit, task)
        after = asked.standing(task, draft.trial.settings, overlay)
        return not is_answered(after, task, draft.trial.settings, has_vector=has_vector)

    return FoundAnswer(answer, list(_drafts(lost)) if is_lost else (), partial(keeps_out, asked))


def _unwanted(lost: Lost) -> Unwanted:
    own = lost.own if lost.settings.label_thresholds else None
    line = threshold_of(lost.task, lost.settings, own)
    return Unwanted(lost.name, misleading(lost.expected.match), line, lost.is_power, own is not None)


def _drafts(lost: Lost) -> Iterator[Draft]:
    """Lines raised above what came, its trigger taken away, and other ways to combine."""
    value = lost.verdict.confidence
    line = up(value) if up(value) > value else round(up(value) + 0.01, 2)
    if line <= 1.0:
        yield from _raised(lost, line)
    yield from taken_away(lost, lost.expected.answer, misleading(lost.expected.match))
    yield from combinations(lost)


def _raised(lost: Lost, line: float) -> Iterator[Draft]:
    tiers, answer = lost.settings.tiers, lost.expected.answer
    if lost.is_power:
        named = (("weak", tiers.weak), ("medium", tiers.medium), ("high", tiers.high))
        pairs = {f"tiers.{name}": f"{line:.2f}" for name, own in named if own < line}
    else:
        pairs = {"fallback_threshold": f"{line:.2f}"}
        if isinstance(answer, Memory) and lost.settings.label_thresholds:
            yield _own_line(lost, answer, line)
    draft = settings_draft(lost.under, lost.settings, pairs, size=1 + len(pairs), family="line")
    if draft is not None:
        yield draft


def _own_line(lost: Lost, answer: Memory, line: float) -> Draft:
    """The threshold of the label raised, or given to it by the memory that came."""
    carrying = [one for one in lost.asked.library.under(answer) if one.threshold is not None]
    after = tuple(one.with_threshold(line) for one in carrying or [answer])
    key = "label.raise" if carrying else "label.give"
    moved = (ValueChange(lost.name, "" if lost.own is None else f"{lost.own:g}", f"{line:g}"),)
    trial = Trial(lost.settings, TrialEdit(after))
    return Draft(key, Rewrite(after), trial, 1, "line", moved, about=after[:1])
