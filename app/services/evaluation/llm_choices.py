"""The LLM's choice among the engine's best answers, judged on labelled queries (S7.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.detect import choice as choosing
from app.detect.merge import MERGERS
from app.detect.prompts import CHOICE_QUESTION, choice_classes, one_token_prompt
from app.detect.resolve import resolve
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.inspection import WEAK, BestScores, Inspection
from app.domain.llm import LlmAnswer, LlmChoice, LlmOutcome, Option, StoredLlmAnswer
from app.domain.match import Match, Query, Tier
from app.evaluation.answers import LISTED, Answered, RankedName, acceptable
from app.evaluation.evaluation import Evaluation, judged, limits_of
from app.evaluation.llm import ENGINE, LLM, LlmEvaluation
from app.ports.llm import LlmConnection
from app.scoring.combiners import combiner_for
from app.services.core import Core, Progress
from app.services.engine.typing_priority import chunks
from app.services.evaluation.deliveries import bare_match, shared_of
from app.services.evaluation.evaluate import is_rejected
from app.services.evaluation.llm_answers import OFF, LlmAnswers, LlmAnswerSet, LlmAskOptions, beside, question_digest
from app.settings.model import Settings

CHOSEN: Mapping[Task, str] = {Task.INTENT: choosing.LABEL, Task.POWER: choosing.POWER}
"""Kind of answer that the LLM chooses among, by task."""

RANKED = 50
"""Number of answers of a kind that are ranked; the first of them are offered."""

AT_ONCE = 64
"""Number of cases whose vectors are made in one batch."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """Case with the engine's answers, and those that the LLM is offered."""

    case: Case
    text: str
    matches: tuple[Match, ...]
    options: tuple[Option, ...]
    best_scores: BestScores | None = None

    @property
    def prompt(self) -> str:
        """Prompt, which is also the key of the answer; "" if there is no choice."""
        return one_token_prompt(self.text, choice_classes(self.options)) if len(self.options) > 1 else ""


@dataclass(frozen=True, slots=True)
class LlmChoices:
    """`workbench.llm_choices`: runs on the core's asyncio thread and gives way to typing."""

    core: Core
    answers: LlmAnswers

    async def judged(
        self, cases: Sequence[Case], task: Task, options: LlmAskOptions, progress: Progress | None = None
    ) -> LlmEvaluation:
        """Evaluate the cases by the engine, by the LLM's choice, and merged by each policy.

        This works even if the settings do not let the LLM choose. Raises KnownError if the LLM is off or cannot be
        asked; StoreError, EncoderError.
        """
        settings = self.core.settings
        if not settings.search_intent.use_llm:
            raise KnownError(OFF)
        offers = await self._offers(cases, task, settings)
        by_prompt = {offer.prompt: offer for offer in offers if offer.prompt}
        if not by_prompt:
            raise KnownError("Nothing of these cases has two answers to choose from.")

        async def question(client: LlmConnection, prompt: str) -> LlmAnswer:
            return await client.choose(by_prompt[prompt].text, by_prompt[prompt].options)

        key = question_digest(settings.llm, CHOICE_QUESTION)
        answer_set = await self.answers.answers(settings.llm, key, by_prompt, question, options, progress)
        return self._evaluation(offers, task, answer_set, settings)

    async def _offers(self, cases: Sequence[Case], task: Task, settings: Settings) -> list[_Offer]:
        under = self.core.settings_under({"matches": str(RANKED), "group_matches": "memory"})
        found: list[_Offer] = []
        for some in chunks(cases, AT_ONCE):
            await self.core.prefetch([case.text for case in some])
            for case in some:
                await self.core.typing_priority.turn()
                inspection: Inspection = await self.core.settle_under(case.text, under)
                options = choosing.options(inspection.matches, CHOSEN[task], settings.llm.choose_most)
                scores = None if inspection.resolution is None else inspection.resolution.best_scores
                found.append(_Offer(case, Query.of(case.text).scored, inspection.matches, options, scores))
        return found

    def _evaluation(
        self, offers: Sequence[_Offer], task: Task, answer_set: LlmAnswerSet, settings: Settings
    ) -> LlmEvaluation:
        def evaluated(rankings: Iterable[Sequence[RankedName]]) -> Evaluation:
            pairs = zip(offers, rankings, strict=True)
            answered = [self._answered(offer, ranked, task, settings) for offer, ranked in pairs]
            return judged(task, combiner_for(settings, power=task is Task.POWER).name, answered, settings)

        first = {offer.prompt: answer_set.answers.get(offer.prompt, ()) for offer in offers}
        columns = {
            ENGINE: evaluated(_own(offer, task) for offer in offers),
            LLM: evaluated(_llm_ranking(first[offer.prompt]) for offer in offers),
        }
        for policy in MERGERS:
            own = settings.search_intent.model_copy(update={"merge": policy})
            under = settings.model_copy(update={"search_intent": own})
            columns[policy] = evaluated(_merged(offer, task, first[offer.prompt], under) for offer in offers)
        runs_by_text = {offer.text: first[offer.prompt] for offer in offers if offer.prompt}
        return beside(runs_by_text, answer_set, settings, columns, ENGINE)

    def _answered(self, offer: _Offer, ranked: Sequence[RankedName], task: Task, settings: Settings) -> Answered:
        case, right = offer.case, acceptable(offer.case.expected)
        rank = next((place for place, one in enumerate(ranked, 1) if one.name in right), None)
        shown = tuple(ranked[:LISTED])
        if task is not Task.POWER:
            own = {choosing.name_of(one): one.threshold for one in offer.matches if one.threshold is not None}
            rejected, limits = is_rejected(shown, own, task, settings), limits_of(task, settings)
            return Answered(case, right, shown, rank, rejected, limits=limits)
        values = np.array([one.confidence for one in ranked], np.float64)
        shared = shared_of(values, task, settings, has_vector=self.core.engine.encoder is not None)
        bare = [bare_match(one.name, one.confidence) for one in ranked[:WEAK]]
        found = resolve("", bare, (), settings, shared=shared, best_scores=offer.best_scores)
        is_lost, limits = found.status is Tier.NOT_FOUND, limits_of(task, settings)
        return Answered(
            case, right, shown, rank, is_lost, found.status, len(found.matches), shared=shared, limits=limits
        )


def _own(offer: _Offer, task: Task) -> list[RankedName]:
    """Return distinct answers of the engine, best first."""
    kind = choosing.KINDS[CHOSEN[task]]
    ranked: dict[str, float] = {}
    for match in offer.matches:
        if match.kind is kind and match.confidence > 0.0:
            ranked.setdefault(choosing.name_of(match), match.confidence)
    return [RankedName(name, confidence) for name, confidence in ranked.items()]


def _llm_ranking(runs: Sequence[StoredLlmAnswer]) -> list[RankedName]:
    """Return the LLM's answer whatever its duration, ranked by its distribution if any."""
    said = runs[0].answer if runs else None
    shares = {} if said is None else {said.name: said.confidence, **(said.distribution or {})}
    return [RankedName(name, min(1.0, share)) for name, share in sorted(shares.items(), key=lambda one: -one[1])]


def _merged(offer: _Offer, task: Task, runs: Sequence[StoredLlmAnswer], settings: Settings) -> list[RankedName]:
    """Return the merged ranking: the LLM's choice first, if in time; none after it is higher."""
    own, said = _own(offer, task), runs[0] if runs else None
    if said is None or said.ms > settings.search_intent.llm_timeout_ms:
        return own
    names = tuple(option.name for option in offer.options)
    choice = LlmChoice(CHOSEN[task], names, LlmOutcome.ANSWERED, answer=said.answer)
    found = choosing.merged(choice, offer.matches, settings.search_intent)
    if said.answer is None or found.name != said.answer.name or not found.steps:
        return own
    rest = [RankedName(one.name, min(one.confidence, found.confidence)) for one in own if one.name != found.name]
    return [RankedName(found.name, found.confidence), *rest]
