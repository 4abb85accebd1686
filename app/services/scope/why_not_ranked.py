"""Explanation of a lost or an unwanted label, memory or power, and drafts of changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from app.detect.surfacing import Cut
from app.domain.case import Task
from app.domain.intent import IntentType
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match, Tier, compared_chance
from app.domain.why_not import (
    SILENT,
    AddTrigger,
    Injection,
    LostAt,
    NotScoredReason,
    RestoreItems,
    Rewrite,
    ValueChange,
    WhyNot,
)
from app.evaluation.answers import RankedName
from app.evaluation.evaluation import threshold_of
from app.scoring.arithmetic import credited_scorers
from app.scoring.columns.bm25 import is_void
from app.scoring.combiners import COMBINERS, combiner_for, is_negated
from app.scoring.index.layout import utc_now
from app.scoring.learned.library import settings_without_case
from app.scoring.text import words
from app.services.engine.learner import wants_fit
from app.services.evaluation.deliveries import resolution_of
from app.services.evaluation.evaluate import is_rejected
from app.services.evaluation.trial_snapshot import Trial, TrialSnapshot
from app.services.evaluation.trials import NameRanking, TaughtAnswers, TrialEdit, TrialQuery
from app.services.library.curate import nearest, with_trigger
from app.services.scope.why_not_question import (
    TASKS,
    Draft,
    FoundAnswer,
    ScoredCandidate,
    UnscoredItems,
    Verdict,
    WhyNotQuestion,
    candidate,
    gaps,
    labels_of,
    leads_somewhere,
    resolved_name,
    round_down,
    round_up,
    setting_text,
    settings_drafts,
    unscored_items,
    verdict,
)
from app.settings.model import PRESETS, Settings

CASCADE = {
    "exact": "thresholds.exact",
    "keyword": "thresholds.keyword",
    "fuzzy": "thresholds.fuzzy",
    "token_overlap": "thresholds.token",
}
"""Settings with the minimum score at which each scorer decides in a cascade."""

LEAST_ACTIVATION = 0.3
"""Minimum of a drafted `tiers.high`."""


LEVEL = 0.9
"""Minimum share of the best memory's chance for another of its intent to count as level."""


@dataclass(frozen=True, slots=True)
class LostAnswer:
    """A query with the expected answer and its rival: the winner, or the runner-up."""

    trial_query: TrialQuery
    task: Task
    name: str
    text: str
    verdict: Verdict
    expected: ScoredCandidate
    rival: ScoredCandidate | None
    snapshot: TrialSnapshot
    injection: Injection | None = None

    @property
    def settings(self) -> Settings:
        return self.snapshot.settings

    @property
    def is_power(self) -> bool:
        return self.task is Task.POWER

    @property
    def own(self) -> float | None:
        """Threshold of the expected label."""
        return self.trial_query.library.candidates[self.task].thresholds.get(self.name)


def drafts(lost: LostAnswer) -> list[Draft]:
    """Return every change worth trying, untried."""
    if lost.verdict.stage is None:
        return [*_teaching(lost), *(draft for pairs in _injecting(lost) for draft in _moved(lost, pairs))]
    found = [*_lines(lost), *_teaching(lost)]
    if lost.verdict.stage in (LostAt.SCORING, LostAt.AMBIGUITY, LostAt.RANKING):
        found += [*_misleading(lost), *_cascade(lost)]
    return found if _is_lowered(lost) else [*found, *combinations(lost)]  # others do not heed a refusal


# ---- thresholds


def _lines(lost: LostAnswer) -> Iterator[Draft]:
    """Draft thresholds moved just enough for the confidence to pass."""
    value, tiers, answer = min(_chances(lost)), lost.settings.tiers, lost.expected.answer
    if lost.is_power:
        line = min(tiers.high, round_down(value))
        high = {"tiers.high": line}
        high |= {key: line for key, own in (("tiers.medium", tiers.medium), ("tiers.weak", tiers.weak)) if line < own}
        if line >= min(LEAST_ACTIVATION, tiers.high):
            margin = {"tiers.ambiguity_margin": _margin(lost)}
            lines, margins = list(_moved(lost, high)), list(_moved(lost, margin))
            yield from [*lines, *margins]
            if lines and margins:
                yield from _moved(lost, {**high, **margin}, size=2)
    elif isinstance(answer, Memory) and lost.own is not None and lost.settings.label_thresholds:
        if 0.0 < value < lost.own:
            yield _label_line(lost, answer, round_down(value), "label.threshold")
            yield from settings_drafts(lost.snapshot, {"label_thresholds": "false"}, size=2, family="line")
    elif 0.0 < value < lost.settings.fallback_threshold:
        for pairs in ({}, *_injecting(lost)):
            yield from _moved(lost, {"fallback_threshold": round_down(value), **pairs})


def _injecting(lost: LostAnswer) -> Iterator[dict[str, float]]:
    """Yield settings of injection moved just enough for the memory, by the reason against it."""
    own, now = lost.injection, lost.settings.search_intent
    if own is None or own.cut == SILENT or (own.rank is not None and own.cut is None):
        return
    line = round_down(min(own.chance if own.rank is not None else 1.0, *_chances(lost)))
    if own.cut == Cut.COVERED:
        more = (coverage for coverage in (0.9, 0.95, 0.99, 1.0) if coverage > now.surfacing_coverage)
        yield from ({"search_intent.surfacing_coverage": coverage} for coverage in more)
    elif own.cut == Cut.BUDGET:
        yield {"search_intent.surfacing_tokens": own.tokens}
    elif own.type_confidence >= own.type_least:
        yield {"search_intent.surfacing_confidence": line}
    else:
        yield {"search_intent.certain_confidence": line}
        typed = {"search_intent.surfacing_threshold": round_down(own.type_confidence)}
        yield {**typed, "search_intent.surfacing_confidence": min(now.surfacing_confidence, line)}


def _label_line(lost: LostAnswer, answer: Memory, line: float, key: str) -> Draft:
    """Draft another threshold of the label, or one for the memory that answers."""
    carrying = [one for one in lost.trial_query.library.under(answer) if one.threshold is not None]
    after = tuple(one.with_threshold(line) for one in carrying or [answer])
    moved = (ValueChange(answer.intent or answer.name, "" if lost.own is None else f"{lost.own:g}", f"{line:g}"),)
    act, trial = Rewrite(after, "set the threshold of"), Trial(lost.settings, TrialEdit(after))
    return Draft(key if carrying else "label.give", act, trial, 1, "line", moved, after[:1])


def _margin(lost: LostAnswer) -> float:
    """Return the widest margin that makes the expected power unambiguous; 0 disables it."""
    if lost.verdict.rival_confidence is None:
        return lost.settings.tiers.ambiguity_margin
    lead = lost.verdict.confidence - lost.verdict.rival_confidence
    margin = round_down(max(0.0, lead))
    if margin >= lead:
        margin = max(0.0, margin - 0.01)
    return min(lost.settings.tiers.ambiguity_margin, margin)


def _moved(lost: LostAnswer, lines: dict[str, float], size: int = 1) -> Iterator[Draft]:
    pairs = {key: setting_text(line) for key, line in lines.items()}
    return settings_drafts(lost.snapshot, pairs, size=size + len(pairs) - 1, family="line")


def _cascade(lost: LostAnswer) -> Iterator[Draft]:
    """Draft thresholds of a cascade moved so that another scorer decides first."""
    if combiner_for(lost.settings, power=lost.is_power).name != "cascade":
        return
    for scorer, key in CASCADE.items():
        own = lost.expected.scores.get(scorer)
        others = None if lost.rival is None else lost.rival.scores.get(scorer)
        lines = [round_down(own)] if own else []
        lines += [round_down(others) + 0.01] if others is not None and others < 0.99 else []
        for line in lines:
            yield from settings_drafts(lost.snapshot, {key: f"{line:.2f}"}, size=1, family="cascade")


# ---- triggers


def _teaching(lost: LostAnswer) -> Iterator[Draft]:
    """Draft the query as a trigger of the expected answer, or of each level memory of an intent."""
    if _is_lowered(lost):
        return  # "don't run the workflow" does not ask for the workflow
    text = lost.text
    for answer in _nearest(lost) if lost.task is Task.INTENT else [lost.expected.answer]:
        if text not in answer.triggers:
            trial = Trial(lost.settings, TrialEdit((with_trigger(answer, text),)))
            yield Draft("trigger.add", AddTrigger(answer, text), trial, 2, about=(answer,), text=text)


def _nearest(lost: LostAnswer) -> Sequence[Answer]:
    """Return the best valid memory of the expected intent, and the second if both are level."""
    library, now, ranking = lost.trial_query.library, utc_now(), lost.trial_query.ranking(Task.MEMORY, lost.settings)
    chances = dict(zip(ranking.names, ranking.values.tolist(), strict=True))
    valid = [one for one in library.under(lost.expected.answer) if library.index.lapses.of(one, now) is None]
    best = sorted(valid, key=lambda one: chances.get(one.name, 0.0), reverse=True)[:2]
    level = [one for one in best if chances.get(one.name, 0.0) >= LEVEL * chances.get(best[0].name, 0.0)]
    return level or [lost.expected.answer]


def _misleading(lost: LostAnswer) -> Iterator[Draft]:
    """Draft removing the rival's winning trigger, or moving it to the expected answer."""
    if lost.rival is None or lost.rival.answer.key == lost.expected.answer.key:
        return
    winner, mine, text = lost.rival.answer, lost.expected.answer, misleading(lost.rival.match)
    less, more = _without(winner, text), _with(mine, winner, text)
    yield from without_trigger(lost, winner, text)
    if less is not None and more is not None:
        yield _rewriting(lost, "trigger.move", (less, more), 4, (winner, mine), text, verb="moved a trigger of")
    if not isinstance(winner, Memory) or not isinstance(mine, Memory):
        return
    if lost.task is Task.INTENT and len(winner.triggers) == 1:
        draft = _rewriting(lost, "memory.relabel", (replace(winner, intent=mine.intent),), 3, (winner,), text)
        yield replace(draft, moved=(ValueChange("label", winner.intent or "", mine.intent or ""),))


def without_trigger(lost: LostAnswer, winner: Answer, text: str) -> Iterator[Draft]:
    """Draft removing an answer's matching trigger; a memory without another one is paused."""
    less = _without(winner, text)
    if less is not None:
        yield _rewriting(lost, "trigger.remove", (less,), 3, (winner,), text)
    elif isinstance(winner, Memory) and len(winner.triggers) == 1:
        yield _rewriting(lost, "memory.pause", (replace(winner, paused=True),), 5, (winner,), text, verb="paused")


def misleading(match: Match) -> str:
    """Return the trigger or keyword that gives a match its confidence."""
    best = match.best_trigger
    return next((text for name in match.winners if (text := best.get(name))), None) or match.trigger


def _rewriting(
    lost: LostAnswer,
    key: str,
    answers: tuple[Answer, ...],
    size: int,
    about: tuple[Answer, ...],
    text: str,
    *,
    verb: str = "edited",
) -> Draft:
    return Draft(key, Rewrite(answers, verb), Trial(lost.settings, TrialEdit(answers)), size, about=about, text=text)


def _without(answer: Answer, text: str) -> Answer | None:
    """Return the answer without a trigger; None if a required text would be missing."""
    if isinstance(answer, Memory):
        left = tuple(one for one in answer.triggers if one != text)
        return replace(answer, triggers=left) if left and len(left) < len(answer.triggers) else None
    if text in answer.keywords:
        return replace(answer, keywords=tuple(one for one in answer.keywords if one != text))
    if text in answer.examples:
        return replace(answer, examples=tuple(one for one in answer.examples if one != text))
    return None


def _with(answer: Answer, giver: Answer, text: str) -> Answer | None:
    """Return the answer with a trigger of another one; None if it has that trigger."""
    if text in answer.triggers:
        return None
    if isinstance(answer, Power) and text in giver.keywords:
        return replace(answer, keywords=(*answer.keywords, text))
    return with_trigger(answer, text)


# ---- unscored answers


def enabling(answer: Answer, text: str, settings: Settings) -> list[Draft]:
    """Draft a paused answer enabled, alone and with the query as one more trigger."""
    back, about = replace(answer, paused=False), (answer,)
    edit = TrialEdit((back,))
    found = [Draft("enable", Rewrite((back,), "enabled"), Trial(settings, edit), 1, about=about, anyway=True)]
    if text not in answer.triggers:
        both = with_trigger(back, text)
        trial = Trial(settings, TrialEdit((both,)))
        found.append(Draft("enable.teach", Rewrite((both,), "enabled"), trial, 3, about=about, text=text))
    return found


def letting_in(memory: Memory, others: Iterable[Memory], snapshot: TrialSnapshot) -> list[Draft]:
    """Draft `min_score` lowered to the memory's success score; `others` are let in as well."""
    pairs = {"min_score": f"{round_down(memory.success):.2f}"}
    drafts = []
    for draft in settings_drafts(snapshot, pairs, size=2, anyway=True):
        come = {one.key: one for one in (*others, memory) if one.success >= draft.trial.settings.min_score}
        drafts.append(replace(draft, trial=replace(draft.trial, edit=TrialEdit(tuple(come.values())))))
    return drafts


# ---- combinations


def combinations(lost: LostAnswer) -> Iterator[Draft]:
    """Draft other combinations and presets, except those that would need a fit first."""
    is_fitted = wants_fit(lost.settings)
    yield from (draft for draft in _combined_otherwise(lost) if is_fitted or not wants_fit(draft.trial.settings))


def _combined_otherwise(lost: LostAnswer) -> Iterator[Draft]:
    key = "power_combination" if lost.is_power else "combination"
    hybrid = {} if lost.settings.use_hybrid_retrieval else {"use_hybrid_retrieval": "true"}
    for name, row in COMBINERS.items():
        if (name != "keyword" or lost.is_power) and name != combiner_for(lost.settings, power=lost.is_power).name:
            size = 6 if row.title.endswith(" alone") else 5
            yield from settings_drafts(lost.snapshot, {key: name, **hybrid}, size=size, point=(key, name), family=key)
    if lost.is_power:
        yield from settings_drafts(lost.snapshot, {"name_counts": str(not lost.settings.name_counts).lower()}, size=4)
    for preset in PRESETS:
        yield from settings_drafts(lost.snapshot, {"preset": preset}, size=7, point=("preset", preset))


# ---- Explanation of an expected label, memory or power


async def explain_ranked(question: WhyNotQuestion) -> FoundAnswer:
    """Explain the loss and draft changes; raises StoreError, EncoderError, ChangedMeanwhileError."""
    snapshot, text, task = question.snapshot, question.text, TASKS[question.expected.kind]
    snapshot.tasks.add(task)
    name = resolved_name(snapshot.taught, question.expected.name, task)
    if name is None:
        return await _not_scored(question, task)
    trial_query, settings = await snapshot.trial_query(text), snapshot.settings
    place = snapshot.taught.candidates[task].numbers[name]
    judged = verdict(trial_query.ranking(task, settings), place, task, settings)
    if judged.stage is LostAt.SCORING and leads_somewhere(trial_query, place, task, settings):
        judged = replace(judged, stage=LostAt.COMBINATION)
    expected = candidate(trial_query, place, task, settings)
    rival = None if judged.rival is None else candidate(trial_query, judged.rival, task, settings)
    lost = LostAnswer(
        trial_query, task, name, text.strip(), judged, expected, rival, snapshot, question.injection(name)
    )
    how, compared = combiner_for(settings, power=lost.is_power).name, _chances(lost)[0]
    answer = WhyNot(
        text,
        question.expected,
        task,
        judged.stage,
        name,
        winner_name=None if judged.rival is None else trial_query.library.candidates[task].names[judged.rival],
        gaps=gaps(expected.scores, rival.scores if rival else {}),
        expected_confidence=judged.confidence,
        winner_confidence=judged.rival_confidence,
        expected_rank=judged.rank,
        threshold=settings.tiers.high if lost.is_power else threshold_of(task, settings, lost.own),
        is_own_threshold=lost.own is not None and settings.label_thresholds,
        margin=settings.tiers.ambiguity_margin,
        listed=settings.matches,
        ahead=_decisive_scorers(lost),
        through="" if rival is None else misleading(rival.match),
        combination=how if judged.stage is LostAt.COMBINATION else "",
        is_negated=_is_lowered(lost),
        label_chance=None if compared == judged.confidence else compared,
    )
    return FoundAnswer(answer, drafts(lost), partial(_wins, snapshot, trial_query, task, name))


def _wins(snapshot: TrialSnapshot, trial_query: TrialQuery, task: Task, name: str, draft: Draft) -> bool:
    """Check if the name comes first under a draft; a tie after an edit does not count."""
    overlay = snapshot.overlay(draft.trial.edit, task)
    ranking = trial_query.ranking(task, draft.trial.settings, overlay)
    if name not in ranking.names:
        return False
    judged = verdict(ranking, ranking.names.index(name), task, draft.trial.settings)
    return judged.stage is None and (overlay is None or judged.confidence != judged.rival_confidence)


async def _not_scored(question: WhyNotQuestion, task: Task) -> FoundAnswer:
    """Explain a name that is not in the index: unscored, in the bin, or unknown."""
    snapshot, settings, sought = question.snapshot, question.snapshot.settings, question.expected.name
    unscored = await snapshot.core.in_store(lambda library: unscored_items(library, settings.min_score))
    trial_query = await snapshot.trial_query(question.text)
    top = trial_query.ranking(task, settings).top
    names: Sequence[str] = snapshot.taught.candidates[task].names
    winner_name = None if top is None else names[top]
    left_out = _left_out(question, unscored, task)
    if left_out is None:
        lost = WhyNot(question.text, question.expected, task, LostAt.NOT_TAUGHT, winner_name=winner_name)
        if task is Task.INTENT:
            names = [*sorted(labels_of(snapshot.taught)), *(type_.value for type_ in IntentType)]
        return FoundAnswer(replace(lost, nearest=nearest(sought, names)))
    answer, why, drafts = left_out
    name = answer.intent or answer.name if task is Task.INTENT and isinstance(answer, Memory) else answer.name
    winner = None if top is None else candidate(trial_query, top, task, settings)
    own, rank = await _if_scored(snapshot, trial_query, drafts[0].trial.edit if drafts else None, task, name)
    explained = WhyNot(
        question.text,
        question.expected,
        task,
        LostAt.SET_ASIDE,
        name,
        winner_name=winner_name,
        gaps=gaps(own.scores if own else {}, winner.scores if winner else {}),
        expected_confidence=own.match.confidence if own else None,
        winner_confidence=winner.match.confidence if winner else None,
        threshold=settings.min_score,
        not_scored=why,
        success=answer.success if isinstance(answer, Memory) else None,
        rank_if_scored=rank,
    )
    return FoundAnswer(explained, drafts, partial(_wins, snapshot, trial_query, task, name))


def _left_out(
    question: WhyNotQuestion, unscored: UnscoredItems, task: Task
) -> tuple[Memory | Power, NotScoredReason, Sequence[Draft]] | None:
    """Return an answer outside the index by name, why, and changes that let it in, or None."""
    snapshot, settings, sought = question.snapshot, question.snapshot.settings, question.expected.name
    if paused := unscored.of(sought, task):
        answer = paused[0]
        if answer.paused or isinstance(answer, Power):
            return answer, NotScoredReason.OFF, enabling(answer, question.text.strip(), settings)
        others = (one for one in unscored.answers if isinstance(one, Memory) and not one.paused)
        return answer, NotScoredReason.UNSUCCESSFUL, letting_in(answer, others, snapshot)
    if deleted := unscored.deleted(sought, task):
        key, answer = deleted[0]
        trial = Trial(settings, TrialEdit((replace(answer, paused=False),)))
        draft = Draft("bin.put_back", RestoreItems((key,)), trial, 1, about=(answer,), anyway=True)
        return answer, NotScoredReason.BINNED, [draft]
    return None


async def _if_scored(
    snapshot: TrialSnapshot, trial_query: TrialQuery, edit: TrialEdit | None, task: Task, name: str
) -> tuple[ScoredCandidate | None, int | None]:
    """Return the candidate and its rank if an edit let it into the index; None without an edit."""
    if edit is None:
        return None, None
    await snapshot.prepare(edit)
    overlay = snapshot.overlay(edit, task)
    assert overlay is not None, "it was just laid out"
    alone = TrialQuery(TaughtAnswers(overlay.index), trial_query.query)
    ranking = trial_query.ranking(task, snapshot.settings, overlay)
    own = candidate(alone, overlay.candidates.numbers[name], task, snapshot.settings)
    return own, ranking.rank(ranking.names.index(name))


def _chances(lost: LostAnswer) -> list[float]:
    """Return the chance that is compared with thresholds: of the program, and of a case of this query."""
    ways = lost.settings, settings_without_case(lost.settings, lost.text)
    rankings = [lost.trial_query.ranking(lost.task, settings) for settings in ways]
    place, name = lost.verdict.place, lost.name
    return [compared_chance(float(one.values[place]), one.label_chances.get(name)) for one in rankings]


def _is_lowered(lost: LostAnswer) -> bool:
    """Return whether the answer has no chance as the query negates it."""
    is_lowered = combiner_for(lost.settings, power=lost.is_power).lowers_negated
    is_void_query = is_void(words(lost.text))  # makes every answer as unlikely
    return is_lowered and is_negated(lost.expected.match.scores) and not is_void_query


def _decisive_scorers(lost: LostAnswer) -> tuple[tuple[str, float], ...]:
    """Return the scorers that put the winner ahead, with their leads."""
    if lost.rival is None or lost.rival.match.confidence <= 0.0:
        return ()
    rival, own = lost.rival.match, lost.expected.match.scores
    decisive = credited_scorers(rival.account.contributions_over(own), ahead=True)
    leads = ((name, (rival.scores.get(name) or 0.0) - (own.get(name) or 0.0)) for name in decisive)
    return tuple((name, by) for name, by in leads if by > 0)


# ---- A query that should get no answer: the answer it gets, and changes that reject it.


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
        is_refused = task is Task.POWER and trial_query.library.index.refuses_powers(trial_query.query.text)
        return FoundAnswer(WhyNot(question.text, question.expected, task, None, is_negated=is_refused))
    came = candidate(trial_query, top, task, settings)
    judged, name = verdict(ranking, top, task, settings), ranking.names[top]
    lost = LostAnswer(trial_query, task, name, question.text.strip(), judged, came, came, snapshot)
    is_lost = is_answered(ranking, task, settings)
    own = lost.own if settings.label_thresholds else None
    chances, related = _chances(lost), _related(ranking, settings) if lost.is_power else 0.0
    is_by_any = related > 0.0 and judged.confidence < settings.tiers.high
    compared, line = related if is_by_any else chances[0], threshold_of(task, settings, own)
    answer = WhyNot(
        question.text,
        question.expected,
        task,
        LostAt.UNWANTED if is_lost else None,
        winner_name=name,
        winner_injection=question.injection(name),
        gaps=gaps({}, came.scores),
        winner_confidence=judged.confidence,
        threshold=line,
        is_own_threshold=own is not None,
        through=misleading(came.match),
        label_chance=compared if is_by_any or judged.confidence < line <= compared else None,
    )

    def keeps_out(draft: Draft) -> bool:
        overlay = snapshot.overlay(draft.trial.edit, task)
        return not is_answered(trial_query.ranking(task, draft.trial.settings, overlay), task, draft.trial.settings)

    return FoundAnswer(answer, list(_drafts(lost, max(*chances, related))) if is_lost else (), keeps_out)


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
    yield from (draft for draft in combinations(lost) if _others_score(lost, draft.trial.settings))


def _others_score(lost: LostAnswer, settings: Settings) -> bool:
    """Check that the answers listed beside the first one do not all score nothing under these settings."""
    before, after = (lost.trial_query.ranking(lost.task, one) for one in (lost.settings, settings))
    others = [place for place in before.best(lost.settings.matches) if place != lost.verdict.place]
    return not others or bool(after.values[others].any())


def _raised(lost: LostAnswer, line: float) -> Iterator[Draft]:
    tiers, answer = lost.settings.tiers, lost.expected.answer
    if lost.is_power:
        named = (("weak", tiers.weak), ("medium", tiers.medium), ("high", tiers.high))
        pairs = {f"tiers.{name}": f"{line:.2f}" for name, own in named if own < line}
    else:
        pairs = {"fallback_threshold": f"{line:.2f}"}
        if isinstance(answer, Memory) and lost.settings.label_thresholds:
            yield _label_line(lost, answer, line, "label.raise")
    yield from settings_drafts(lost.snapshot, pairs, size=1 + len(pairs), family="line")
