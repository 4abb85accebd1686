"""A label, a memory or a power that was expected: looked up, judged, and given changes to try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from app.domain.case import Case, Task
from app.domain.intent import IntentType, Rule
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match
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
from app.scoring.combiners import COMBINERS, combiner_for
from app.services.evaluation.ground import Ground
from app.services.evaluation.learner import wants_fit
from app.services.evaluation.trials import Library as Taught
from app.services.evaluation.trials import TrialEdit, TrialQuestion
from app.services.library.catalogue import nearest
from app.services.scope.why_not.drafts import Draft, SettingsUnder, Trial, down, settings_draft
from app.services.scope.why_not.question import (
    TASKS,
    Apart,
    FoundAnswer,
    WhyNotQuestion,
    apart,
    labels_of,
    never,
    taught_name,
)
from app.services.scope.why_not.verdict import Candidate, Verdict, candidate, gaps, leads_somewhere, verdict
from app.settings.model import PRESETS, Settings

CASCADE = {
    "exact": "thresholds.exact",
    "keyword": "thresholds.keyword",
    "fuzzy": "thresholds.fuzzy",
    "token_overlap": "thresholds.token",
}
"""The settings that say from which score on each scorer decides in a cascade."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A query with what was expected and what came instead, or comes next."""

    asked: TrialQuestion
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
        """The threshold that the label of what was expected carries."""
        return self.asked.library.candidates[self.task].thresholds.get(self.name)

    @property
    def rival_name(self) -> str:
        if self.rival is None or self.verdict.rival is None:
            return ""
        return self.asked.library.candidates[self.task].names[self.verdict.rival]


def drafts(lost: Lost) -> list[Draft]:
    """Every change that is worth trying, none of them tried yet."""
    found = [*_lines(lost), *_teaching(lost)]
    if lost.verdict.stage in (LostAt.SCORING, LostAt.AMBIGUITY, LostAt.RANKING):
        found += [*_misleading(lost), *_cascade(lost)]
    return [*found, *combinations(lost)]


def _setting(lost: Lost, size: int, family: str = "", **pairs: str) -> Draft | None:
    named = {key.replace("__", "."): value for key, value in pairs.items()}
    return settings_draft(lost.under, lost.settings, named, size=size, family=family)


# ---- thresholds


def _lines(lost: Lost) -> Iterator[Draft]:
    """The lines that the confidence misses, moved just so far."""
    value, tiers = lost.verdict.confidence, lost.settings.tiers
    if lost.is_power:
        line = min(tiers.high, down(value))
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
        yield from _moved(lost, {"fallback_threshold": down(value)})


def _own_line(lost: Lost, value: float, own: float) -> Iterator[Draft]:
    """The threshold of the label lowered to what it misses, and such thresholds left out of account."""
    memories = lost.asked.library.under(lost.expected.answer)
    after = tuple(one.with_threshold(down(value)) for one in memories if one.threshold is not None)
    moved = (ValueChange(lost.name, f"{own:g}", f"{down(value):g}"),)
    trial = Trial(lost.settings, TrialEdit(after))
    yield Draft("label.threshold", Rewrite(after), trial, 1, "line", moved, about=after[:1])
    draft = settings_draft(lost.under, lost.settings, {"label_thresholds": "false"}, size=2, family="line")
    if draft is not None:
        yield draft


def _margin(lost: Lost) -> float:
    """The widest margin that leaves the expected power alone; 0 turns it off."""
    if lost.verdict.rival_confidence is None:
        return lost.settings.tiers.ambiguity_margin
    lead = lost.verdict.confidence - lost.verdict.rival_confidence
    margin = down(max(0.0, lead))
    if margin >= lead:
        margin = max(0.0, margin - 0.01)
    return min(lost.settings.tiers.ambiguity_margin, margin)


def _moved(lost: Lost, lines: dict[str, float], size: int = 1) -> Iterator[Draft]:
    pairs = {key: f"{line:.2f}" for key, line in lines.items()}
    draft = settings_draft(lost.under, lost.settings, pairs, size=size + len(pairs) - 1, family="line")
    if draft is not None:
        yield draft


def _cascade(lost: Lost) -> Iterator[Draft]:
    """In a cascade: the first scorer that decides is another where a threshold is moved."""
    if combiner_for(lost.settings, power=lost.is_power).name != "cascade":
        return
    for scorer, key in CASCADE.items():
        own = lost.expected.scores.get(scorer)
        others = None if lost.rival is None else lost.rival.scores.get(scorer)
        lines = [down(own)] if own else []
        lines += [down(others) + 0.01] if others is not None and others < 0.99 else []
        for line in lines:
            draft = _setting(lost, 1, "cascade", **{key: f"{line:.2f}"})
            if draft is not None:
                yield draft


# ---- teaching


def _teaching(lost: Lost) -> Iterator[Draft]:
    """The query as one more trigger of what was expected."""
    answer, text = lost.expected.answer, lost.text
    if text in answer.triggers:
        return
    edit = TrialEdit((with_trigger(answer, text),))
    yield Draft("trigger.add", AddTrigger(answer, text), Trial(lost.settings, edit), 2, about=(answer,), text=text)


def with_trigger(answer: Answer, text: str) -> Answer:
    """The answer with one trigger more, of a power one example."""
    if isinstance(answer, Power):
        return replace(answer, examples=(*answer.examples, text))
    return replace(answer, triggers=(*answer.triggers, text))


def _misleading(lost: Lost) -> Iterator[Draft]:
    """The trigger by which another comes first, taken from it or moved to what was expected."""
    if lost.rival is None or lost.rival.answer.key == lost.expected.answer.key:
        return
    theirs, mine = lost.rival.answer, lost.expected.answer
    text = misleading(lost.rival.match)
    less, more = _without(theirs, text), _with(mine, theirs, text)
    yield from taken_away(lost, theirs, text)
    if less is not None and more is not None:
        yield _rewriting(lost, "trigger.move", (less, more), 4, (theirs, mine), text, verb="moved a trigger of")
    if lost.task is not Task.INTENT or not isinstance(theirs, Memory) or not isinstance(mine, Memory):
        return
    if len(theirs.triggers) == 1:
        draft = _rewriting(lost, "memory.relabel", (replace(theirs, intent=mine.intent),), 3, (theirs,), text)
        yield replace(draft, moved=(ValueChange("label", theirs.intent or "", mine.intent or ""),))


def taken_away(lost: Lost, theirs: Answer, text: str) -> Iterator[Draft]:
    """The trigger by which an answer comes taken from it; where a memory has no other, it is paused."""
    less = _without(theirs, text)
    if less is not None:
        yield _rewriting(lost, "trigger.remove", (less,), 3, (theirs,), text)
    elif isinstance(theirs, Memory) and len(theirs.triggers) == 1:
        yield _rewriting(lost, "memory.pause", (replace(theirs, paused=True),), 5, (theirs,), text, verb="paused")


def misleading(match: Match) -> str:
    """The trigger, or keyword, to which a match owes its confidence."""
    best = match.best_trigger
    return next((text for name in match.winners if (text := best.get(name))), None) or match.trigger


def _rewriting(
    lost: Lost,
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
    """The answer without a trigger; None where it would be left without any, or a power without what it is."""
    if isinstance(answer, Memory):
        left = tuple(one for one in answer.triggers if one != text)
        return replace(answer, triggers=left) if left and len(left) < len(answer.triggers) else None
    if text in answer.keywords:
        return replace(answer, keywords=tuple(one for one in answer.keywords if one != text))
    if text in answer.examples:
        return replace(answer, examples=tuple(one for one in answer.examples if one != text))
    return None


def _with(answer: Answer, giver: Answer, text: str) -> Answer | None:
    """The answer with the trigger that another gives away; None where it has it."""
    if text in answer.triggers:
        return None
    if isinstance(answer, Power) and text in giver.keywords:
        return replace(answer, keywords=(*answer.keywords, text))
    return with_trigger(answer, text)


# ---- what is set aside


def enabling(answer: Answer, text: str, settings: Settings) -> list[Draft]:
    """A paused answer enabled, alone and with the query as one more trigger."""
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
    """`min_score` lowered to the memory's success score; `others` are those that it would let in as well."""
    pairs = {"min_score": f"{down(memory.success):.2f}"}
    draft = settings_draft(under, settings, pairs, size=2, anyway=True)
    if draft is None:
        return []
    come = {one.key: one for one in (*others, memory) if one.success >= draft.trial.settings.min_score}
    return [replace(draft, trial=replace(draft.trial, edit=TrialEdit(tuple(come.values()))))]


# ---- combinations


def combinations(lost: Lost) -> Iterator[Draft]:
    """Other combinations, and the other set of defaults; but none that would have to be fitted before it is known what
    it says."""
    is_fitted = wants_fit(lost.settings)
    yield from (draft for draft in _combined_otherwise(lost) if is_fitted or not wants_fit(draft.trial.settings))


def _combined_otherwise(lost: Lost) -> Iterator[Draft]:
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


def _named(lost: Lost) -> Draft | None:
    counts = "false" if lost.settings.name_counts else "true"
    return _setting(lost, 4, name_counts=counts) if lost.is_power else None


def _preset(lost: Lost, name: str) -> Draft | None:
    return settings_draft(lost.under, lost.settings, {"preset": name}, size=7, point=("preset", name))


# --------------------------------------------------------------------------------------------------------------------
# A label, a memory or a power that was expected: looked up, judged, and given changes to try


@dataclass(frozen=True, slots=True)
class OfRanked:
    """A query of which a label, a memory or a power was expected."""

    asking: WhyNotQuestion

    @property
    def ground(self) -> Ground:
        return self.asking.ground

    @property
    def text(self) -> str:
        return self.asking.text

    @property
    def expected(self) -> Expectation:
        return self.asking.expected

    async def found(self) -> FoundAnswer:
        """Where it was lost, and what may be tried; StoreError, EncoderError, ChangedMeanwhileError."""
        task = TASKS[self.expected.kind]
        self.ground.tasks.add(task)
        name = taught_name(self.ground.taught, self.expected.name, task)
        if name is None:
            return await self._not_scored(task)
        ground, settings = self.ground, self.ground.settings
        asked = await ground.asked(self.text)
        place = ground.taught.candidates[task].numbers[name]
        judged = verdict(asked.standing(task, settings), place, task, settings)
        if judged.stage is LostAt.SCORING and leads_somewhere(asked, place, task, settings):
            judged = replace(judged, stage=LostAt.COMBINATION)
        mine = candidate(asked, place, task, settings)
        theirs = None if judged.rival is None else candidate(asked, judged.rival, task, settings)
        under = ground.under
        lost = Lost(asked, task, name, self.text.strip(), judged, mine, theirs, settings, under)
        answer = self.asking.said(
            judged.stage,
            standing(lost),
            winner_name=lost.rival_name or None,
            gaps=gaps(mine.scores, theirs.scores if theirs else None),
            expected_confidence=judged.confidence,
            winner_confidence=judged.rival_confidence,
            expected_rank=judged.rank,
        )
        return FoundAnswer(answer, drafts(lost) if judged.stage else (), partial(self._wins, asked, task, name))

    def _wins(self, asked: TrialQuestion, task: Task, name: str, draft: Draft) -> bool:
        """Whether the name comes first under a draft; of two that are level after an edit, neither is sure to."""
        overlay = self.ground.overlay(draft.trial.edit, task)
        standing = asked.standing(task, draft.trial.settings, overlay)
        if name not in standing.names:
            return False
        judged = verdict(standing, standing.names.index(name), task, draft.trial.settings)
        is_level = overlay is not None and judged.confidence == judged.rival_confidence
        return judged.stage is None and not is_level

    async def _not_scored(self, task: Task) -> FoundAnswer:
        """What is not in the index: set aside, in the bin, or never taught."""
        ground, name = self.ground, self.expected.name
        least = ground.settings.min_score
        away: Apart = await ground.core.in_store(lambda library: apart(library, least))
        asked = await ground.asked(self.text)
        paused, binned = away.of(name, task), away.in_bin(name, task)
        if not paused and not binned:
            return FoundAnswer(self._not_taught(task, asked), (), never)
        if paused:
            answer, found, why = paused[0], self._enabling(away, paused[0]), _why_apart(paused[0])
        else:
            item = binned[0].item
            assert not isinstance(item, Case | Rule), "only answers are sought"
            edit = TrialEdit((replace(item, paused=False),))
            act = RestoreItems((binned[0].key,))
            found = [Draft("bin.put_back", act, Trial(ground.settings, edit), 1, about=(item,), anyway=True)]
            answer, why = item, NotScoredReason.BINNED
        said = await self._beside(asked, answer, found, task, why)
        named = self._name_of(answer, task)
        return FoundAnswer(said, found, partial(self._wins, asked, task, named))

    def _enabling(self, away: Apart, answer: Answer) -> list[Draft]:
        settings, under = self.ground.settings, self.ground.under
        if answer.paused or not isinstance(answer, Memory):
            return enabling(answer, self.text.strip(), settings)
        others = tuple(one for one in away.answers if isinstance(one, Memory) and not one.paused)
        return letting_in(answer, others, settings, under)

    def _name_of(self, answer: Answer, task: Task) -> str:
        if task is Task.INTENT and isinstance(answer, Memory):
            return answer.intent or answer.name
        return answer.name

    async def _beside(
        self, asked: TrialQuestion, answer: Answer, found: Sequence[Draft], task: Task, why: NotScoredReason
    ) -> WhyNot:
        """What is set aside as it would stand if it were not, beside what is answered without it."""
        settings, name = self.ground.settings, self._name_of(answer, task)
        top = asked.standing(task, settings).top
        theirs = None if top is None else candidate(asked, top, task, settings)
        mine, place = None, None
        if found and found[0].trial.edit is not None:
            await self.ground.prepare(found[0].trial.edit)
            overlay = self.ground.overlay(found[0].trial.edit, task)
            assert overlay is not None, "it was just laid out"
            own = TrialQuestion(Taught(overlay.index), asked.query)
            mine = candidate(own, overlay.candidates.numbers[name], task, settings)
            laid = asked.standing(task, settings, overlay)
            place = laid.rank(laid.names.index(name))
        success = answer.success if isinstance(answer, Memory) else None
        would = mine.match.confidence if mine else None
        return self.asking.said(
            LostAt.SET_ASIDE,
            NotScoredStanding(name, why, success, settings.min_score, place, would),
            winner_name=None if top is None else asked.library.candidates[task].names[top],
            gaps=gaps(mine.scores if mine else None, theirs.scores if theirs else None),
            expected_confidence=mine.match.confidence if mine else None,
            winner_confidence=theirs.match.confidence if theirs else None,
        )

    def _not_taught(self, task: Task, asked: TrialQuestion) -> WhyNot:
        taught, name = self.ground.taught, self.expected.name
        names = sorted(labels_of(taught)) if task is Task.INTENT else taught.candidates[task].names
        if task is Task.INTENT:
            names = [*names, *(type_.value for type_ in IntentType)]
        top = asked.standing(task, self.ground.settings).top
        winner = None if top is None else taught.candidates[task].names[top]
        return self.asking.said(LostAt.NOT_TAUGHT, Unknown(), winner_name=winner, nearest=nearest(name, names))


def _why_apart(answer: Answer) -> NotScoredReason:
    return NotScoredReason.OFF if answer.paused or not isinstance(answer, Memory) else NotScoredReason.UNSUCCESSFUL


def standing(lost: Lost) -> RankedStanding:
    """What was in the way of a name that is ranked."""
    tiers, is_power = lost.settings.tiers, lost.is_power
    line = tiers.high if is_power else threshold_of(lost.task, lost.settings, lost.own)
    how = combiner_for(lost.settings, power=is_power).name if lost.verdict.stage is LostAt.COMBINATION else ""
    ahead, through = _deciding(lost)
    is_own = lost.own is not None and lost.settings.label_thresholds
    listed = lost.settings.matches
    return RankedStanding(lost.name, is_power, line, tiers.ambiguity_margin, listed, ahead, through, how, is_own)


def _deciding(lost: Lost) -> tuple[tuple[tuple[str, float], ...], str]:
    """The scorers that put the winner ahead, with their lead, and the trigger that it has to thank."""
    if lost.rival is None:
        return (), ""
    ahead = (
        (name, (theirs or 0.0) - (lost.expected.scores.get(name) or 0.0))
        for name in lost.rival.match.winners
        if (theirs := lost.rival.scores.get(name)) is not None
    )
    return tuple((name, by) for name, by in ahead if by > 0), misleading(lost.rival.match)
