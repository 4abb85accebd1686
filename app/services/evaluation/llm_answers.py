"""LLM answers to labelled queries: stored ones, others requested and stored (S7.5)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from app.detect.merge import MERGERS, Ceiling, two_policies
from app.detect.prompts import ONE_TOKEN_PREFIX, TYPES, request_result
from app.domain.case import Case, Task
from app.domain.errors import KnownError, StoreError
from app.domain.intent import intent_type
from app.domain.llm import LlmAnswer, LlmOutcome, StoredLlmAnswer
from app.evaluation.answers import Answered, RankedName, acceptable
from app.evaluation.comparison import compared
from app.evaluation.evaluation import Evaluation, judged, limits_of
from app.evaluation.llm import LEARNED, LLM, LlmEvaluation, repeats, times, within
from app.ports.llm import LlmConnection
from app.ports.store import Library
from app.services.core import Core, Progress
from app.settings.model import Settings
from app.settings.sections import LlmSettings, SearchIntentSettings

MOST_STORED = 200_000
"""Limit of stored answers of all models and prompts, about 60 MB."""

STORED_AT_ONCE = 16
"""Batch size of storing, so that a cancelled run resumes there."""

CASE_SECONDS = 10.0
"""Default budget of one case in s."""

STORED_OUTCOMES = frozenset({LlmOutcome.ANSWERED, LlmOutcome.UNREADABLE, LlmOutcome.TIMED_OUT})
"""Reproducible outcomes; others say nothing about the question and are requested again."""

STORE_FAULT = "LLM answers"

OFF = "The LLM is switched off (search_intent.use_llm), so there is nothing of it to evaluate."
NOT_SET_UP = "No LLM is set up, so none can be asked. Set its address and its model."


@dataclass(frozen=True, slots=True)
class LlmAskOptions:
    """Options of LLM requests: `seconds` per case, and `runs` of each.

    `ask` requests answers that are not stored, `ask_again` all of them.
    """

    seconds: float = CASE_SECONDS
    runs: int = 1
    ask: bool = True
    ask_again: bool = False


@dataclass(frozen=True, slots=True)
class LlmAnswerSet:
    """LLM answers by text, one per run; `asked` of them are new, the others were stored."""

    model: str
    answers: Mapping[str, tuple[StoredLlmAnswer, ...]]
    asked: int = 0

    def ceiling(self, text: str, settings: SearchIntentSettings) -> Ceiling:
        """Return the ceiling of a text within the budget of these settings (S4.6)."""
        runs = self.answers.get(text, ())
        if not runs or not settings.use_llm:
            return Ceiling(LlmOutcome.OFF)
        if runs[0].ms > settings.llm_timeout_ms:
            return Ceiling(LlmOutcome.TIMED_OUT)
        return Ceiling(runs[0].outcome, runs[0].answer)


NOT_ASKED = LlmAnswerSet("", {})
"""Answers under settings that switch the LLM off."""

AskLlm = Callable[[Settings, Sequence[str]], Awaitable[LlmAnswerSet]]
"""Gets LLM answers to texts under settings; raises KnownError if no LLM can be asked."""


PendingAnswer = Coroutine[Any, Any, LlmAnswer]

Question = Callable[[LlmConnection, str], PendingAnswer]
"""Sends one text to a client; raises LlmError."""


def question_digest(settings: LlmSettings, *of: str) -> str:
    """Return the cache key of a question without its text.

    It is a digest of model, mode, context length, prompts and `of`, which names questions other than that for a type.
    """
    asked = (ONE_TOKEN_PREFIX, TYPES.json_prefix, TYPES.schema, TYPES.decision)
    options = (settings.model, settings.mode, settings.context_length)
    return sha256(repr((asked, options, *of)).encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class LlmAnswers:
    """`workbench.llm_answers`. All methods run on the core's asyncio thread.

    It uses its own connection, one case at a time, and typing goes first. Cancelling the task aborts the request; the
    answers so far are stored.
    """

    core: Core
    make: Callable[[LlmSettings], LlmConnection]
    wall_seconds: Callable[[], float]

    def asker(self, options: LlmAskOptions, progress: Progress | None = None) -> AskLlm:
        """Return an AskLlm that asks each question once; `progress` counts the requests."""
        known: dict[str, LlmAnswerSet] = {}

        async def ask_llm(settings: Settings, texts: Sequence[str]) -> LlmAnswerSet:
            if not settings.search_intent.use_llm or not settings.search_intent.enabled:
                return NOT_ASKED
            key = question_digest(settings.llm)
            if key not in known:
                known[key] = await self.answers(
                    settings.llm, key, texts, lambda client, text: client.classify(text), options, progress
                )
            return known[key]

        return ask_llm

    async def answers(
        self,
        llm: LlmSettings,
        key: str,
        texts: Iterable[str],
        question: Question,
        options: LlmAskOptions,
        progress: Progress | None = None,
        *,
        for_routes: bool = False,
    ) -> LlmAnswerSet:
        """Return the answers to these texts, for a question with the digest `key`.

        Raises KnownError if the LLM cannot be asked, or if nothing is stored and it may not be asked. `for_routes`
        warms its route prompt first.
        """
        if not llm.model or (options.ask and not llm.url):
            raise KnownError(NOT_SET_UP)
        texts = list(dict.fromkeys(texts))
        stored = (
            []
            if options.ask_again
            else await self.core.in_store(lambda library: library.llm_answers.answers(key, texts))
        )
        # One that timed out under a smaller budget does not count.
        late, ms = LlmOutcome.TIMED_OUT, options.seconds * 1000.0
        found = {(one.text, one.run): one for one in stored if one.outcome is not late or one.ms >= ms}
        missing = [(text, run) for run in range(options.runs) for text in texts if (text, run) not in found]
        if missing and options.ask:
            async with self._ready(llm, for_routes=for_routes) as client:
                said = await self._ask_each(client, key, missing, question, options, progress)
            found |= {(one.text, one.run): one for one in said}
        elif len(missing) == len(texts) * options.runs:
            raise KnownError(f"No answer of {llm.model} to these cases is kept. Ask it once, without --no-llm.")
        of = {text: tuple(found[text, run] for run in range(options.runs) if (text, run) in found) for text in texts}
        return LlmAnswerSet(llm.model, of, len(missing) if options.ask else 0)

    async def _ask_each(
        self,
        client: LlmConnection,
        key: str,
        missing: Sequence[tuple[str, int]],
        question: Question,
        options: LlmAskOptions,
        progress: Progress | None,
    ) -> list[StoredLlmAnswer]:
        """Request the missing answers one by one, and store them in batches."""
        said: list[StoredLlmAnswer] = []
        stored = 0
        try:
            for place, (text, run) in enumerate(missing):
                if progress is not None:
                    progress(place, len(missing))
                await self.core.typing_priority.turn()
                said.append(await self._ask(question(client, text), text, run, options.seconds))
                if len(said) - stored >= STORED_AT_ONCE:
                    await self._store(key, said[stored:])
                    stored = len(said)
        finally:
            await asyncio.shield(self._store(key, said[stored:]))
        if progress is not None:
            progress(len(missing), len(missing))
        return said

    @asynccontextmanager
    async def _ready(self, llm: LlmSettings, *, for_routes: bool) -> AsyncGenerator[LlmConnection, None]:
        """Yield a warm client; raises KnownError with the reason if there is none."""
        client = self.make(llm)
        try:
            state = await client.warm()
            if not state.is_ready:
                raise KnownError(f"The LLM cannot be asked. {state.sentence}")
            if for_routes:
                await client.warm_routes()
            yield client
        finally:
            await client.close()

    async def _ask(self, asked: PendingAnswer, text: str, run: int, seconds: float) -> StoredLlmAnswer:
        now_ms = self.core.engine.now_ms
        begun = now_ms()
        task = asyncio.create_task(asked)
        try:
            await asyncio.wait({task}, timeout=seconds)
            ms = now_ms() - begun
            if not task.done():
                return StoredLlmAnswer(text, run, LlmOutcome.TIMED_OUT, max(ms, seconds * 1000.0), self.wall_seconds())
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        found = request_result(task)
        if found.outcome in (LlmOutcome.UNREACHABLE, LlmOutcome.MODEL_MISSING):
            raise KnownError(f"The LLM cannot be asked any more. {found.sentence}")
        said = found.answer
        if said is None:
            return StoredLlmAnswer(text, run, found.outcome, ms, self.wall_seconds())
        return StoredLlmAnswer(
            text,
            run,
            LlmOutcome.ANSWERED,
            ms,
            self.wall_seconds(),
            said.name,
            said.confidence,
            said.mode,
            said.distribution,
        )

    async def _store(self, key: str, answers: Sequence[StoredLlmAnswer]) -> None:
        """Store the answers if possible: an evaluation does not fail because nothing can be written."""

        lasting = [one for one in answers if one.outcome in STORED_OUTCOMES]

        def keep(library: Library) -> None:
            library.llm_answers.keep(key, lasting, MOST_STORED)

        if not lasting:
            return
        try:
            await self.core.in_store(keep)
        except StoreError as error:
            self.core.note_fault(STORE_FAULT, str(error))
        else:
            self.core.note_fault(STORE_FAULT, None)


# ---- Evaluation of the LLM, alone and beside other methods.


def llm_evaluation(
    cases: Sequence[Case],
    texts: Sequence[str],
    answer_set: LlmAnswerSet,
    settings: Settings,
    columns: Mapping[str, Evaluation],
) -> LlmEvaluation:
    """Evaluate types by all methods; `columns` lack only the LLM's own."""
    alone = [_judged(case, answer_set.answers.get(text, ()), settings) for case, text in zip(cases, texts, strict=True)]
    own = judged(Task.TYPE, answer_set.model, alone, settings)
    before = {name: columns[name] for name in columns if name not in MERGERS}
    every = {**before, LLM: own, **{name: columns[name] for name in MERGERS}}
    runs_by_text = {text: answer_set.answers.get(text, ()) for text in texts}
    return beside(runs_by_text, answer_set, settings, every, LEARNED)


def beside(
    runs_by_text: Mapping[str, Sequence[StoredLlmAnswer]],
    answer_set: LlmAnswerSet,
    settings: Settings,
    columns: Mapping[str, Evaluation],
    without: str,
) -> LlmEvaluation:
    """Compare all methods (`without`: that without the LLM) over the LLM's runs by query."""
    first = [runs[0] for runs in runs_by_text.values() if runs]
    one, other = two_policies(settings.search_intent.merge)
    budget = float(settings.search_intent.llm_timeout_ms)
    return LlmEvaluation(
        model=answer_set.model,
        mode=next((answer.mode for answer in first if answer.mode), ""),
        budget_ms=budget,
        columns=columns,
        adds=compared(columns[without], columns[settings.search_intent.merge]),
        flips=compared(columns[one], columns[other]),
        policies=(one, other),
        times_ms=times(first),
        within=within(first, budget),
        outcomes=dict(Counter(answer.outcome.value for answer in first).most_common()),
        asked=answer_set.asked,
        silent=sum(not runs for runs in runs_by_text.values()),
        repeats=repeats([[replace(run, text=text) for run in runs] for text, runs in runs_by_text.items()]),
    )


def _judged(case: Case, runs: Sequence[StoredLlmAnswer], settings: Settings) -> Answered:
    """Return the LLM's answer regardless of the budget, ranked by its distribution if any."""
    said = runs[0].answer if runs else None
    shares = {} if said is None else {said.type.value: said.confidence, **(said.distribution or {})}
    return ranked_types(case, dict(sorted(shares.items(), key=lambda one: -one[1])), settings)


def ranked_types(case: Case, shares: Mapping[str, float], settings: Settings) -> Answered:
    """Return the answer to a case from the types' shares, best first."""
    ranked = tuple(RankedName(name, min(1.0, share)) for name, share in shares.items())
    right = tuple(dict.fromkeys(str(intent_type(name) or name) for name in acceptable(case.expected)))
    rank = next((place for place, one in enumerate(ranked, 1) if one.name in right), None)
    top = ranked[0].confidence if ranked else 0.0
    limits = limits_of(Task.TYPE, settings)
    return Answered(case, right, ranked, rank, rejected=top < limits[0], limits=limits)
