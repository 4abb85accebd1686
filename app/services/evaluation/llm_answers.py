"""What the LLM says of labelled queries: kept answers first, the others asked one by one and kept (S7.5)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from app.detect import prompts
from app.detect.merge import MERGERS, Ceiling
from app.detect.prompts import request_result
from app.domain.case import Case, Task
from app.domain.errors import KnownError, StoreError
from app.domain.intent import intent_type
from app.domain.language import say
from app.domain.llm import ChoiceAnswer, LlmAnswer, LlmOutcome, StoredLlmAnswer
from app.evaluation.answers import Answered, RankedName, acceptable
from app.evaluation.comparison import compared
from app.evaluation.evaluation import Evaluation, judged, threshold_of
from app.evaluation.llm import LEARNED, LLM, LlmEvaluation, repeats, times, within
from app.ports.llm import LlmConnection
from app.ports.store import Library
from app.services.core import Core, Progress
from app.settings.model import Settings
from app.settings.sections import LlmSettings, SearchIntentSettings

MOST_KEPT = 200_000
"""So many answers are kept, of all models and prompts: some 60 MB."""

STORED_AT_ONCE = 16
"""After so many answers they are stored, so that what was stopped goes on where it was."""

CASE_SECONDS = 10.0
"""How long one case is waited for unless another budget is named."""

LASTING = frozenset({LlmOutcome.ANSWERED, LlmOutcome.UNREADABLE, LlmOutcome.TIMED_OUT})
"""What would come out again; other outcomes say nothing of the question and are asked for anew."""

NOT_KEPT = "LLM answers"

OFF = say("The LLM is switched off (search_intent.use_llm), so there is nothing of it to evaluate.")
NOT_SET_UP = say("No LLM is set up (llm.url, llm.model), so none can be asked.")


@dataclass(frozen=True, slots=True)
class Asking:
    """How the LLM is asked: `seconds` each case may take, `runs` of each, `ask` for what is not kept, and `anew` also
    for what is."""

    seconds: float = CASE_SECONDS
    runs: int = 1
    ask: bool = True
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What the LLM said of texts, each run of it in order; `asked` of these answers are new, the others were kept."""

    model: str
    answers: Mapping[str, tuple[StoredLlmAnswer, ...]]
    asked: int = 0

    def ceiling(self, text: str, settings: SearchIntentSettings) -> Ceiling:
        """What it would have brought to the merge within the budget that these settings give it (S4.6)."""
        runs = self.answers.get(text, ())
        if not runs or not settings.use_llm:
            return Ceiling(LlmOutcome.OFF)
        if runs[0].ms > settings.llm_timeout_ms:
            return Ceiling(LlmOutcome.TIMED_OUT)
        return Ceiling(runs[0].outcome, runs[0].answer)


NOT_ASKED = Heard("", {})
"""Under settings that do not let the LLM speak."""

Hear = Callable[[Settings, Sequence[str]], Awaitable[Heard]]
"""What the LLM says of texts under settings; KnownError where it cannot be asked."""


Said = Coroutine[Any, Any, LlmAnswer | ChoiceAnswer]

Question = Callable[[LlmConnection, str], Said]
"""Asks a client about one text; raises LlmError."""


async def _type_of(client: LlmConnection, text: str) -> LlmAnswer | ChoiceAnswer:
    return await client.classify(text)


def question_digest(settings: LlmSettings, *of: str) -> str:
    """What an answer depends on beside the text, in one word: model, way of asking, options and prompts; `of` tells
    other questions apart from that for a type."""
    asked = (prompts.ONE_TOKEN_PREFIX, prompts.JSON_PREFIX, prompts.JSON_SCHEMA, prompts.DECISION_INSTRUCTIONS)
    how = (settings.model, settings.mode, settings.context_length)
    return sha256(repr((asked, how, *of)).encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class LlmAnswers:
    """`workbench.llm_answers`. All methods run on the core's asyncio thread.

    A connection of its own is asked, one case after the other, which typing goes before. Cancelling the task ends the
    request on the wire; what was said until then is kept.
    """

    core: Core
    make: Callable[[LlmSettings], LlmConnection]
    wall_seconds: Callable[[], float]

    def hear(self, how: Asking, tell: Progress | None = None) -> Hear:
        """Asks for one evaluation, each question once; `tell` hears of the cases asked."""
        known: dict[str, Heard] = {}

        async def hear(settings: Settings, texts: Sequence[str]) -> Heard:
            if not settings.search_intent.use_llm or not settings.search_intent.enabled:
                return NOT_ASKED
            key = question_digest(settings.llm)
            if key not in known:
                known[key] = await self.answers(settings.llm, key, texts, _type_of, how, tell)
            return known[key]

        return hear

    async def answers(
        self,
        llm: LlmSettings,
        key: str,
        texts: Iterable[str],
        question: Question,
        how: Asking,
        tell: Progress | None = None,
        *,
        for_routes: bool = False,
    ) -> Heard:
        """What the LLM says of these texts to a question whose digest is `key`; KnownError where it cannot be asked, or
        was not and may not be. `for_routes`: it is made ready for that question first."""
        if not llm.model or (how.ask and not llm.url):
            raise KnownError(NOT_SET_UP)
        texts = list(dict.fromkeys(texts))
        kept = [] if how.anew else await self.core.in_store(lambda library: library.llm_answers.answers(key, texts))
        found = {(one.text, one.run): one for one in kept if _counts(one, how)}
        missing = [(text, run) for run in range(how.runs) for text in texts if (text, run) not in found]
        if missing and how.ask:
            async with self._ready(llm, for_routes=for_routes) as client:
                said = await self._asked(client, key, missing, question, how, tell)
            found |= {(one.text, one.run): one for one in said}
        elif len(missing) == len(texts) * how.runs:
            raise KnownError(
                say("No answer of {model} to these cases is kept. Ask it once, without --no-llm.", model=llm.model)
            )
        of = {text: tuple(found[text, run] for run in range(how.runs) if (text, run) in found) for text in texts}
        return Heard(llm.model, of, len(missing) if how.ask else 0)

    async def _asked(
        self,
        client: LlmConnection,
        key: str,
        missing: Sequence[tuple[str, int]],
        question: Question,
        how: Asking,
        tell: Progress | None,
    ) -> list[StoredLlmAnswer]:
        """What it says now, stored as it comes."""
        said: list[StoredLlmAnswer] = []
        stored = 0
        try:
            for place, (text, run) in enumerate(missing):
                if tell is not None:
                    tell(place, len(missing))
                await self.core.typing_priority.turn()
                said.append(await self._ask(question(client, text), text, run, how.seconds))
                if len(said) - stored >= STORED_AT_ONCE:
                    await self._keep(key, said[stored:])
                    stored = len(said)
        finally:
            await asyncio.shield(self._keep(key, said[stored:]))
        if tell is not None:
            tell(len(missing), len(missing))
        return said

    @asynccontextmanager
    async def _ready(self, llm: LlmSettings, *, for_routes: bool) -> AsyncGenerator[LlmConnection, None]:
        """A client that can be asked; KnownError with what keeps it from that."""
        client = self.make(llm)
        try:
            state = await client.warm()
            if not state.is_ready:
                raise KnownError(say("The LLM cannot be asked. {sentence}", sentence=state.sentence))
            if for_routes:
                await client.warm_routes()
            yield client
        finally:
            await client.close()

    async def _ask(self, asked: Said, text: str, run: int, seconds: float) -> StoredLlmAnswer:
        clock = self.core.engine.clock
        begun = clock.now_ms()
        task = asyncio.create_task(asked)
        try:
            await asyncio.wait({task}, timeout=seconds)
            ms = clock.now_ms() - begun
            if not task.done():
                return StoredLlmAnswer(text, run, LlmOutcome.TIMED_OUT, max(ms, seconds * 1000.0), self.wall_seconds())
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        found = request_result(task)
        if found.outcome in (LlmOutcome.UNREACHABLE, LlmOutcome.MODEL_MISSING):
            raise KnownError(say("The LLM cannot be asked any more. {sentence}", sentence=found.sentence))
        said = found.answer
        if said is None:
            return StoredLlmAnswer(text, run, found.outcome, ms, self.wall_seconds())
        return StoredLlmAnswer(
            text,
            run,
            LlmOutcome.ANSWERED,
            ms,
            self.wall_seconds(),
            said.type.value if isinstance(said, LlmAnswer) else said.name,
            said.confidence,
            said.mode,
            said.distribution,
        )

    async def _keep(self, key: str, answers: Sequence[StoredLlmAnswer]) -> None:
        """Keep them, if that can be: an evaluation does not fail because nothing can be written."""

        lasting = [one for one in answers if one.outcome in LASTING]

        def keep(library: Library) -> None:
            library.llm_answers.keep(key, lasting, MOST_KEPT)

        if not lasting:
            return
        try:
            await self.core.in_store(keep)
        except StoreError as error:
            self.core.note_fault(NOT_KEPT, str(error))
        else:
            self.core.note_fault(NOT_KEPT, None)


def _counts(kept: StoredLlmAnswer, how: Asking) -> bool:
    """Whether a kept answer is one to the question; one that was given up sooner than now is none."""
    return kept.outcome is not LlmOutcome.TIMED_OUT or kept.ms >= how.seconds * 1000.0


# ---- The answers judged: the LLM alone, beside what else the same cases come to.


def llm_evaluation(
    cases: Sequence[Case], texts: Sequence[str], heard: Heard, settings: Settings, columns: Mapping[str, Evaluation]
) -> LlmEvaluation:
    """All columns of types side by side; `texts` are those of the cases, `columns` the others than the LLM's own."""
    alone = [_alone(case, heard.answers.get(text, ()), settings) for case, text in zip(cases, texts, strict=True)]
    own = judged(Task.TYPE, heard.model, alone, settings)
    before = {name: columns[name] for name in columns if name not in MERGERS}
    every = {**before, LLM: own, **{name: columns[name] for name in MERGERS}}
    told = {text: heard.answers.get(text, ()) for text in texts}
    return beside(told, heard, settings, every, LEARNED)


def beside(
    told: Mapping[str, Sequence[StoredLlmAnswer]],
    heard: Heard,
    settings: Settings,
    columns: Mapping[str, Evaluation],
    without: str,
) -> LlmEvaluation:
    """Every way of answering side by side; `told` are the runs by the query that was asked about, and `without` names
    the column that the LLM has no part in."""
    first = [runs[0] for runs in told.values() if runs]
    one, other = MERGERS
    budget = float(settings.search_intent.llm_timeout_ms)
    return LlmEvaluation(
        model=heard.model,
        mode=next((answer.mode for answer in first if answer.mode), ""),
        budget_ms=budget,
        columns=columns,
        adds=compared(columns[without], columns[settings.search_intent.merge]),
        flips=compared(columns[one], columns[other]),
        policies=(one, other),
        times_ms=times(first),
        within=within(first, budget),
        outcomes=dict(Counter(answer.outcome.value for answer in first).most_common()),
        asked=heard.asked,
        silent=sum(not runs for runs in told.values()),
        repeats=repeats([[replace(run, text=text) for run in runs] for text, runs in told.items()]),
    )


def _alone(case: Case, runs: Sequence[StoredLlmAnswer], settings: Settings) -> Answered:
    """What the LLM says of a case whatever its budget, ranked by its distribution where it gave one."""
    said = runs[0].answer if runs else None
    shares = {} if said is None else {said.type.value: said.confidence, **(said.distribution or {})}
    ranked = tuple(RankedName(name, min(1.0, share)) for name, share in sorted(shares.items(), key=lambda one: -one[1]))
    right = tuple(dict.fromkeys(type_name(name) for name in acceptable(case.expected)))
    rank = next((place for place, one in enumerate(ranked, 1) if one.name in right), None)
    top = ranked[0].confidence if ranked else 0.0
    return Answered(case, right, ranked, rank, rejected=top < threshold_of(Task.TYPE, settings))


def type_name(label: str) -> str:
    """A label such as HowTo in the words of the six types; any other word as it is."""
    type_ = intent_type(label)
    return label if type_ is None else type_.value
