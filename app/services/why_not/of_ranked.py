"""A label, a memory or a power that was expected: looked up, judged, and given changes to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from app.domain.case import Case, Task
from app.domain.intent import IntentType, Rule
from app.domain.library import Answer, Memory
from app.domain.why_not import Aside, AsideStanding, Expectation, LostAt, PutBack, RankedStanding, Unknown, WhyNot
from app.scoring.combiners import combiner_for
from app.services.why_not.asking import Asking, Found, never
from app.services.why_not.drafts import Draft, Trial
from app.services.why_not.ground import Ground
from app.services.why_not.names import TASKS, Apart, apart, labels_of, nearest, taught_name
from app.services.why_not.ranked import Lost, drafts, enabling, letting_in, misleading
from app.services.why_not.trials import Asked, Edit
from app.services.why_not.trials import Library as Taught
from app.services.why_not.verdict import candidate, gaps, leads_somewhere, verdict


@dataclass(frozen=True, slots=True)
class OfRanked:
    """A query of which a label, a memory or a power was expected."""

    asking: Asking

    @property
    def ground(self) -> Ground:
        return self.asking.ground

    @property
    def text(self) -> str:
        return self.asking.text

    @property
    def expected(self) -> Expectation:
        return self.asking.expected

    async def found(self) -> Found:
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
        return Found(answer, drafts(lost) if judged.stage else (), partial(self._wins, asked, task, name))

    def _wins(self, asked: Asked, task: Task, name: str, draft: Draft) -> bool:
        """Whether the name comes first under a draft; of two that are level after an edit, neither is sure to."""
        overlay = self.ground.overlay(draft.trial.edit, task)
        standing = asked.standing(task, draft.trial.settings, overlay)
        if name not in standing.names:
            return False
        judged = verdict(standing, standing.names.index(name), task, draft.trial.settings)
        is_level = overlay is not None and judged.confidence == judged.rival_confidence
        return judged.stage is None and not is_level

    async def _not_scored(self, task: Task) -> Found:
        """What is not in the index: set aside, in the bin, or never taught."""
        ground, name = self.ground, self.expected.name
        least = ground.settings.min_score
        away: Apart = await ground.desk.in_store(lambda library: apart(library, least))
        asked = await ground.asked(self.text)
        paused, binned = away.of(name, task), away.in_bin(name, task)
        if not paused and not binned:
            return Found(self._not_taught(task, asked), (), never)
        if paused:
            answer, found, why = paused[0], self._enabling(away, paused[0]), _why_apart(paused[0])
        else:
            item = binned[0].item
            assert not isinstance(item, Case | Rule), "only answers are sought"
            edit = Edit((replace(item, paused=False),))
            act = PutBack((binned[0].key,))
            found = [Draft("bin.put_back", act, Trial(ground.settings, edit), 1, about=(item,), anyway=True)]
            answer, why = item, Aside.BINNED
        said = await self._beside(asked, answer, found, task, why)
        named = self._name_of(answer, task)
        return Found(said, found, partial(self._wins, asked, task, named))

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

    async def _beside(self, asked: Asked, answer: Answer, found: Sequence[Draft], task: Task, why: Aside) -> WhyNot:
        """What is set aside as it would stand if it were not, beside what is answered without it."""
        settings, name = self.ground.settings, self._name_of(answer, task)
        top = asked.standing(task, settings).top
        theirs = None if top is None else candidate(asked, top, task, settings)
        mine, place = None, None
        if found and found[0].trial.edit is not None:
            await self.ground.prepare(found[0].trial.edit)
            overlay = self.ground.overlay(found[0].trial.edit, task)
            assert overlay is not None, "it was just laid out"
            own = Asked(Taught(overlay.index), asked.query)
            mine = candidate(own, overlay.candidates.numbers[name], task, settings)
            laid = asked.standing(task, settings, overlay)
            place = laid.rank(laid.names.index(name))
        success = answer.success if isinstance(answer, Memory) else None
        would = mine.match.confidence if mine else None
        return self.asking.said(
            LostAt.SET_ASIDE,
            AsideStanding(name, why, success, settings.min_score, place, would),
            winner_name=None if top is None else asked.library.candidates[task].names[top],
            gaps=gaps(mine.scores if mine else None, theirs.scores if theirs else None),
            expected_confidence=mine.match.confidence if mine else None,
            winner_confidence=theirs.match.confidence if theirs else None,
        )

    def _not_taught(self, task: Task, asked: Asked) -> WhyNot:
        taught, name = self.ground.taught, self.expected.name
        names = sorted(labels_of(taught)) if task is Task.INTENT else taught.candidates[task].names
        if task is Task.INTENT:
            names = [*names, *(type_.value for type_ in IntentType)]
        top = asked.standing(task, self.ground.settings).top
        winner = None if top is None else taught.candidates[task].names[top]
        return self.asking.said(LostAt.NOT_TAUGHT, Unknown(), winner_name=winner, nearest=nearest(name, names))


def _why_apart(answer: Answer) -> Aside:
    return Aside.OFF if answer.paused or not isinstance(answer, Memory) else Aside.UNSUCCESSFUL


def standing(lost: Lost) -> RankedStanding:
    """What was in the way of a name that is ranked."""
    tiers, is_power = lost.settings.tiers, lost.is_power
    line = tiers.high if is_power else lost.settings.fallback_threshold
    how = combiner_for(lost.settings, power=is_power).name if lost.verdict.stage is LostAt.COMBINATION else ""
    ahead, through = _deciding(lost)
    return RankedStanding(lost.name, is_power, line, tiers.ambiguity_margin, lost.settings.matches, ahead, through, how)


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
