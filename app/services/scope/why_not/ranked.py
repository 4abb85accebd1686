"""Explanation of an expected label, memory or power, and drafts of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from app.domain.case import Case, Task
from app.domain.intent import IntentType, Rule
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match, compared_chance
from app.domain.scope.why_not import (
    AddTrigger,
    Expectation,
    LostAt,
    NotScoredReason,
    NotScoredStanding,
    RankedStanding,
    RestoreItems,
    Rewrite,
    Unknown,
    ValueChange,
    WhyNot,
)
from app.evaluation.evaluation import threshold_of
from app.scoring.columns.bm25 import is_void
from app.scoring.combiners import COMBINERS, combiner_for, is_negated
from app.scoring.contributions import credited_scorers
from app.scoring.text import words
from app.services.evaluation.learner import wants_fit
from app.services.evaluation.trial_snapshot import TrialSnapshot
from app.services.evaluation.trials import TaughtAnswers, TrialEdit, TrialQuery
from app.services.library.catalogue import nearest
from app.services.scope.why_not.question import (
    TASKS,
    Candidate,
    Draft,
    FoundAnswer,
    SettingsUnder,
    Trial,
    UnscoredItems,
    Verdict,
    WhyNotQuestion,
    candidate,
    gaps,
    labels_of,
    leads_somewhere,
    never_wins,
    resolved_name,
    round_down,
    settings_draft,
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


@dataclass(frozen=True, slots=True)
class LostAnswer:
    """A query with the expected answer and its rival: the winner, or the runner-up."""

    trial_query: TrialQuery
    task: Task
    name: str
    text: str
    verdict: Verdict
    expected: Candidate
    rival: Candidate | None
    settings: Settings
    under: SettingsUnder

    @property
    def is_power(self) -> bool:
        return self.task is Task.POWER

    @property
    def own(self) -> float | None:
        """Threshold of the expected label."""
        return self.trial_query.library.candidates[self.task].thresholds.get(self.name)

    @property
    def rival_name(self) -> str:
        if self.rival is None or self.verdict.rival is None:
            return ""
        return self.trial_query.library.candidates[self.task].names[self.verdict.rival]


def drafts(lost: LostAnswer) -> list[Draft]:
    """Return every change worth trying, untried."""
    found = [*_lines(lost), *_teaching(lost)]
    if lost.verdict.stage in (LostAt.SCORING, LostAt.AMBIGUITY, LostAt.RANKING):
        found += [*_misleading(lost), *_cascade(lost)]
    return [*found, *combinations(lost)]


def _setting(lost: LostAnswer, size: int, family: str = "", **pairs: str) -> Draft | None:
    named = {key.replace("__", "."): value for key, value in pairs.items()}
    return settings_draft(lost.under, lost.settings, named, size=size, family=family)


# ---- thresholds


def _lines(lost: LostAnswer) -> Iterator[Draft]:
    """Draft thresholds moved just enough for the confidence to pass."""
    value, tiers = _compared(lost), lost.settings.tiers
    if lost.is_power:
        line = min(tiers.high, round_down(value))
        high = {"tiers.high": line}
        high |= {key: line for key, own in (("tiers.medium", tiers.medium), ("tiers.weak", tiers.weak)) if line < own}
        if line > 0.0:
            margin = {"tiers.ambiguity_margin": _margin(lost)}
            lines, margins = list(_moved(lost, high)), list(_moved(lost, margin))
            yield from [*lines, *margins]
            if lines and margins:
                yield from _moved(lost, {**high, **margin}, size=2)
    elif lost.own is not None and lost.settings.label_thresholds:
        if 0.0 < value < lost.own:
            yield from _own_line(lost, value, lost.own)
    elif 0.0 < value < lost.settings.fallback_threshold:
        yield from _moved(lost, {"fallback_threshold": round_down(value)})


def _own_line(lost: LostAnswer, value: float, own: float) -> Iterator[Draft]:
    """Draft the label's threshold lowered to the confidence, and label thresholds disabled."""
    memories = lost.trial_query.library.under(lost.expected.answer)
    after = tuple(one.with_threshold(round_down(value)) for one in memories if one.threshold is not None)
    moved = (ValueChange(lost.name, f"{own:g}", f"{round_down(value):g}"),)
    trial = Trial(lost.settings, TrialEdit(after))
    yield Draft("label.threshold", Rewrite(after), trial, 1, "line", moved, about=after[:1])
    draft = settings_draft(lost.under, lost.settings, {"label_thresholds": "false"}, size=2, family="line")
    if draft is not None:
        yield draft


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
    pairs = {key: f"{line:.2f}" for key, line in lines.items()}
    draft = settings_draft(lost.under, lost.settings, pairs, size=size + len(pairs) - 1, family="line")
    if draft is not None:
        yield draft


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
            draft = _setting(lost, 1, "cascade", **{key: f"{line:.2f}"})
            if draft is not None:
                yield draft


# ---- triggers


def _teaching(lost: LostAnswer) -> Iterator[Draft]:
    """Draft the query as one more trigger of the expected answer."""
    answer, text = lost.expected.answer, lost.text
    if text in answer.triggers or _is_lowered(lost):
        return  # "don't run the workflow" does not ask for the workflow
    edit = TrialEdit((with_trigger(answer, text),))
    yield Draft("trigger.add", AddTrigger(answer, text), Trial(lost.settings, edit), 2, about=(answer,), text=text)


def with_trigger(answer: Answer, text: str) -> Answer:
    """Return the answer with one more trigger; a power gets one more example."""
    if isinstance(answer, Power):
        return replace(answer, examples=(*answer.examples, text))
    return replace(answer, triggers=(*answer.triggers, text))


def _misleading(lost: LostAnswer) -> Iterator[Draft]:
    """Draft removing the rival's winning trigger, or moving it to the expected answer."""
    if lost.rival is None or lost.rival.answer.key == lost.expected.answer.key:
        return
    winner_candidate, expected_candidate = lost.rival.answer, lost.expected.answer
    text = misleading(lost.rival.match)
    less, more = _without(winner_candidate, text), _with(expected_candidate, winner_candidate, text)
    yield from without_trigger(lost, winner_candidate, text)
    if less is not None and more is not None:
        yield _rewriting(
            lost,
            "trigger.move",
            (less, more),
            4,
            (winner_candidate, expected_candidate),
            text,
            verb="moved a trigger of",
        )
    if (
        lost.task is not Task.INTENT
        or not isinstance(winner_candidate, Memory)
        or not isinstance(expected_candidate, Memory)
    ):
        return
    if len(winner_candidate.triggers) == 1:
        draft = _rewriting(
            lost,
            "memory.relabel",
            (replace(winner_candidate, intent=expected_candidate.intent),),
            3,
            (winner_candidate,),
            text,
        )
        yield replace(
            draft, moved=(ValueChange("label", winner_candidate.intent or "", expected_candidate.intent or ""),)
        )


def without_trigger(lost: LostAnswer, winner_candidate: Answer, text: str) -> Iterator[Draft]:
    """Draft removing an answer's matching trigger; a memory without another one is paused."""
    less = _without(winner_candidate, text)
    if less is not None:
        yield _rewriting(lost, "trigger.remove", (less,), 3, (winner_candidate,), text)
    elif isinstance(winner_candidate, Memory) and len(winner_candidate.triggers) == 1:
        yield _rewriting(
            lost, "memory.pause", (replace(winner_candidate, paused=True),), 5, (winner_candidate,), text, verb="paused"
        )


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
    back = replace(answer, paused=False)
    edit = TrialEdit((back,))
    about = (answer,)
    found = [Draft("enable", Rewrite((back,), "enabled"), Trial(settings, edit), 1, about=about, anyway=True)]
    if text not in answer.triggers:
        both = with_trigger(back, text)
        trial = Trial(settings, TrialEdit((both,)))
        found.append(Draft("enable.teach", Rewrite((both,), "enabled"), trial, 3, about=about, text=text))
    return found


def letting_in(memory: Memory, others: tuple[Memory, ...], settings: Settings, under: SettingsUnder) -> list[Draft]:
    """Draft `min_score` lowered to the memory's success score; `others` are let in as well."""
    pairs = {"min_score": f"{round_down(memory.success):.2f}"}
    draft = settings_draft(under, settings, pairs, size=2, anyway=True)
    if draft is None:
        return []
    come = {one.key: one for one in (*others, memory) if one.success >= draft.trial.settings.min_score}
    return [replace(draft, trial=replace(draft.trial, edit=TrialEdit(tuple(come.values()))))]


# ---- combinations


def combinations(lost: LostAnswer) -> Iterator[Draft]:
    """Draft other combinations and presets, except those that would need a fit first."""
    is_fitted = wants_fit(lost.settings)
    yield from (draft for draft in _combined_otherwise(lost) if is_fitted or not wants_fit(draft.trial.settings))


def _combined_otherwise(lost: LostAnswer) -> Iterator[Draft]:
    for name, row in COMBINERS.items():
        if (name == "keyword" and not lost.is_power) or name == combiner_for(lost.settings, power=lost.is_power).name:
            continue
        key = "power_combination" if lost.is_power else "combination"
        pairs = {key: name}
        if not lost.settings.use_hybrid_retrieval:
            pairs["use_hybrid_retrieval"] = "true"
        size = 6 if row.title.endswith(" alone") else 5
        draft = settings_draft(lost.under, lost.settings, pairs, size=size, point=(key, name), family=key)
        if draft is not None:
            yield draft
    yield from (draft for draft in (_named(lost), *(_preset(lost, preset) for preset in PRESETS)) if draft)


def _named(lost: LostAnswer) -> Draft | None:
    counts = "false" if lost.settings.name_counts else "true"
    return _setting(lost, 4, name_counts=counts) if lost.is_power else None


def _preset(lost: LostAnswer, name: str) -> Draft | None:
    return settings_draft(lost.under, lost.settings, {"preset": name}, size=7, point=("preset", name))


# ---- Explanation of an expected label, memory or power


@dataclass(frozen=True, slots=True)
class RankedExplainer:
    """Explains a query with an expected label, memory or power."""

    question: WhyNotQuestion

    @property
    def snapshot(self) -> TrialSnapshot:
        return self.question.snapshot

    @property
    def text(self) -> str:
        return self.question.text

    @property
    def expected(self) -> Expectation:
        return self.question.expected

    async def explain(self) -> FoundAnswer:
        """Explain the loss and draft changes.

        Raises StoreError, EncoderError, ChangedMeanwhileError.
        """
        task = TASKS[self.expected.kind]
        self.snapshot.tasks.add(task)
        name = resolved_name(self.snapshot.taught, self.expected.name, task)
        if name is None:
            return await self._not_scored(task)
        snapshot, settings = self.snapshot, self.snapshot.settings
        trial_query = await snapshot.trial_query(self.text)
        place = snapshot.taught.candidates[task].numbers[name]
        judged = verdict(trial_query.ranking(task, settings), place, task, settings)
        if judged.stage is LostAt.SCORING and leads_somewhere(trial_query, place, task, settings):
            judged = replace(judged, stage=LostAt.COMBINATION)
        expected_candidate = candidate(trial_query, place, task, settings)
        winner_candidate = None if judged.rival is None else candidate(trial_query, judged.rival, task, settings)
        under = snapshot.under
        lost = LostAnswer(
            trial_query, task, name, self.text.strip(), judged, expected_candidate, winner_candidate, settings, under
        )
        answer = self.question.why_not(
            judged.stage,
            standing(lost),
            winner_name=lost.rival_name or None,
            gaps=gaps(expected_candidate.scores, winner_candidate.scores if winner_candidate else None),
            expected_confidence=judged.confidence,
            winner_confidence=judged.rival_confidence,
            expected_rank=judged.rank,
        )
        return FoundAnswer(answer, drafts(lost) if judged.stage else (), partial(self._wins, trial_query, task, name))

    def _wins(self, trial_query: TrialQuery, task: Task, name: str, draft: Draft) -> bool:
        """Check if the name comes first under a draft; a tie after an edit does not count."""
        overlay = self.snapshot.overlay(draft.trial.edit, task)
        ranking = trial_query.ranking(task, draft.trial.settings, overlay)
        if name not in ranking.names:
            return False
        judged = verdict(ranking, ranking.names.index(name), task, draft.trial.settings)
        is_level = overlay is not None and judged.confidence == judged.rival_confidence
        return judged.stage is None and not is_level

    async def _not_scored(self, task: Task) -> FoundAnswer:
        """Explain a name that is not in the index: unscored, in the bin, or unknown."""
        snapshot, name = self.snapshot, self.expected.name
        least = snapshot.settings.min_score
        unscored: UnscoredItems = await snapshot.core.in_store(lambda library: unscored_items(library, least))
        trial_query = await snapshot.trial_query(self.text)
        paused, binned = unscored.of(name, task), unscored.deleted(name, task)
        if not paused and not binned:
            return FoundAnswer(self._not_taught(task, trial_query), (), never_wins)
        if paused:
            answer, found, why = paused[0], self._enabling(unscored, paused[0]), _unscored_reason(paused[0])
        else:
            item = binned[0].item
            assert not isinstance(item, Case | Rule), "only answers are sought"
            edit = TrialEdit((replace(item, paused=False),))
            act = RestoreItems((binned[0].key,))
            found = [Draft("bin.put_back", act, Trial(snapshot.settings, edit), 1, about=(item,), anyway=True)]
            answer, why = item, NotScoredReason.BINNED
        why_not = await self._compare_unscored(trial_query, answer, found, task, why)
        named = self._name_of(answer, task)
        return FoundAnswer(why_not, found, partial(self._wins, trial_query, task, named))

    def _enabling(self, unscored: UnscoredItems, answer: Answer) -> list[Draft]:
        settings, under = self.snapshot.settings, self.snapshot.under
        if answer.paused or not isinstance(answer, Memory):
            return enabling(answer, self.text.strip(), settings)
        others = tuple(one for one in unscored.answers if isinstance(one, Memory) and not one.paused)
        return letting_in(answer, others, settings, under)

    def _name_of(self, answer: Answer, task: Task) -> str:
        if task is Task.INTENT and isinstance(answer, Memory):
            return answer.intent or answer.name
        return answer.name

    async def _compare_unscored(
        self, trial_query: TrialQuery, answer: Answer, found: Sequence[Draft], task: Task, why: NotScoredReason
    ) -> WhyNot:
        """Compare an unscored answer, as if it were scored, with the present winner."""
        settings, name = self.snapshot.settings, self._name_of(answer, task)
        top = trial_query.ranking(task, settings).top
        winner_candidate = None if top is None else candidate(trial_query, top, task, settings)
        expected_candidate, place = None, None
        if found and found[0].trial.edit is not None:
            await self.snapshot.prepare(found[0].trial.edit)
            overlay = self.snapshot.overlay(found[0].trial.edit, task)
            assert overlay is not None, "it was just laid out"
            own = TrialQuery(TaughtAnswers(overlay.index), trial_query.query)
            expected_candidate = candidate(own, overlay.candidates.numbers[name], task, settings)
            unscored_ranking = trial_query.ranking(task, settings, overlay)
            place = unscored_ranking.rank(unscored_ranking.names.index(name))
        success = answer.success if isinstance(answer, Memory) else None
        would = expected_candidate.match.confidence if expected_candidate else None
        return self.question.why_not(
            LostAt.SET_ASIDE,
            NotScoredStanding(name, why, success, settings.min_score, place, would),
            winner_name=None if top is None else trial_query.library.candidates[task].names[top],
            gaps=gaps(
                expected_candidate.scores if expected_candidate else None,
                winner_candidate.scores if winner_candidate else None,
            ),
            expected_confidence=expected_candidate.match.confidence if expected_candidate else None,
            winner_confidence=winner_candidate.match.confidence if winner_candidate else None,
        )

    def _not_taught(self, task: Task, trial_query: TrialQuery) -> WhyNot:
        taught, name = self.snapshot.taught, self.expected.name
        names = sorted(labels_of(taught)) if task is Task.INTENT else taught.candidates[task].names
        if task is Task.INTENT:
            names = [*names, *(type_.value for type_ in IntentType)]
        top = trial_query.ranking(task, self.snapshot.settings).top
        winner = None if top is None else taught.candidates[task].names[top]
        return self.question.why_not(LostAt.NOT_TAUGHT, Unknown(), winner_name=winner, nearest=nearest(name, names))


def _unscored_reason(answer: Answer) -> NotScoredReason:
    return NotScoredReason.OFF if answer.paused or not isinstance(answer, Memory) else NotScoredReason.UNSUCCESSFUL


def standing(lost: LostAnswer) -> RankedStanding:
    tiers, is_power = lost.settings.tiers, lost.is_power
    line = tiers.high if is_power else threshold_of(lost.task, lost.settings, lost.own)
    how = combiner_for(lost.settings, power=is_power).name if lost.verdict.stage is LostAt.COMBINATION else ""
    ahead, through = _decisive_scorers(lost)
    is_own = lost.own is not None and lost.settings.label_thresholds
    listed = lost.settings.matches
    label_chance = None if (compared := _compared(lost)) == lost.verdict.confidence else compared
    margin, is_lowered = tiers.ambiguity_margin, _is_lowered(lost)
    return RankedStanding(
        lost.name, is_power, line, margin, listed, ahead, through, how, is_own, is_lowered, label_chance
    )


def _compared(lost: LostAnswer) -> float:
    """Return the chance of the expected answer that is compared with its threshold."""
    labels = lost.trial_query.ranking(lost.task, lost.settings).label_chances
    return compared_chance(lost.verdict.confidence, labels.get(lost.name))


def _is_lowered(lost: LostAnswer) -> bool:
    """Return whether the answer has no chance as the query negates it."""
    is_lowered = combiner_for(lost.settings, power=lost.is_power).lowers_negated
    is_void_query = is_void(words(lost.text))  # makes every answer as unlikely
    return is_lowered and is_negated(lost.expected.match.scores) and not is_void_query


def _decisive_scorers(lost: LostAnswer) -> tuple[tuple[tuple[str, float], ...], str]:
    """Return the scorers that put the winner ahead, with their leads, and its decisive trigger."""
    if lost.rival is None:
        return (), ""
    rival, own = lost.rival.match, lost.expected.match
    told = rival.account.contributions_over(own.scores) if rival.confidence > 0.0 else ()
    ahead = (
        (name, (rival.scores.get(name) or 0.0) - (own.scores.get(name) or 0.0))
        for name in credited_scorers(told, ahead=True)
    )
    return tuple((name, by) for name, by in ahead if by > 0), misleading(rival)
