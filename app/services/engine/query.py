"""Run of one query through the engine: the lexical answer first, then each better answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import aclosing, contextmanager
from dataclasses import replace
from itertools import islice
from textwrap import shorten
from typing import Any

from app.detect import choice as choosing
from app.detect.merge import Ceiling, by_merger, merge
from app.detect.resolve import resolve, with_tiers
from app.detect.surfacing import texts_to_count
from app.domain.errors import EncoderError, StoreError
from app.domain.inspection import (
    CHOICE_STAGES,
    KEYWORD_STAGE,
    LEARNED_STAGE,
    LLM_STAGE,
    PAINT_STAGE,
    REFUSED,
    REFUSED_OTHERS,
    ROUTE_LLM_STAGE,
    SEARCH_STAGE,
    Decision,
    Detection,
    Inspection,
    Phase,
    ServerSearch,
    Stage,
    Trace,
)
from app.domain.library import Kind
from app.domain.llm import LlmChoice, LlmOutcome, LlmReport
from app.domain.match import Match, Query
from app.scoring.combiners import chosen_for, combiner_for, shown_scorers
from app.scoring.index.ranking import Ranking, matches, rank
from app.scoring.scorers import SCORERS
from app.scoring.text import QueryVector, ScoredText
from app.services.engine.embedding import QueryVectors
from app.services.engine.engine import Engine, WorkingSet, listed, log_breakdowns, may_log_breakdowns, unlisted
from app.services.engine.llm_requests import LlmRequests, choose, half_set
from app.services.engine.metrics import EngineMetrics
from app.services.engine.route_stages import RouteRun
from app.services.engine.type_voter import LEARNING
from app.settings.model import Settings

RESOLVED = 5
"""Minimum number of ranked powers, since a weak resolution names five."""

BELOW = 10
"""Number of unlisted matches to include when a query runs to completion."""

MOST_NEGATED = 3
"""Maximum number of negated triggers in the notes."""

MOST_SHOWN = 120
"""Maximum number of characters of a corrected query or of a sentence in the notes."""

MOST_LAPSED = 100
"""Additional ranked memories, so that lapsed ones take no place from valid ones."""

ROUTE_WAIT_SECONDS = 0.03
"""Longest wait in seconds for the query's vector before a route is decided by rules alone."""

AGAIN = frozenset({"semantic", "combine", "resolve", "route", LEARNED_STAGE})
"""Stages that are repeated for each answer."""

ENCODER_LOADING = "The encoder is loading; the best lexical score decides for now."

ENCODER_PENDING = "The query's vector is being made; the best lexical score decides until then."

SEARCH_PENDING, LLM_PENDING = "The server is being searched.", "The LLM has not answered yet."
"""Reasons why a decision may still change by itself."""

ENCODER_CHANGED = "The encoder was changed while the query was answered; the best lexical score decides."


class Stages:
    """Timed stages of one query, in ms since its start."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._start = now_ms()
        self.done: list[Stage] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begun = self._now_ms()
        yield
        self.add(name, begun)

    def add(self, name: str, begun: float, outcome: str = "ok") -> None:
        self.done.append(Stage(name, self._now_ms() - begun, outcome, begun - self._start))


class QueryRun:
    """One query in progress: what is known so far, and the resulting inspections."""

    def __init__(self, engine: Engine, query: Query, pause_ms: float, *, typing: bool, route: bool = True) -> None:
        self.engine = engine
        self.query = query
        self.settings = engine.settings
        self._typing = typing
        self.encoder = engine.encoder
        self.stages = Stages(engine.now_ms)
        self.vectors: QueryVector | None = None
        self.has_external_changes = False
        self._absent = engine.encoder_fault or (ENCODER_PENDING if engine.encoder else ENCODER_LOADING)
        self._report = engine.llm.first_report(self.settings, pause_ms)
        self._in_time = Ceiling(self._report.outcome)
        self._ranked: tuple[Match, ...] | None = None
        self._plain: tuple[Match, ...] = ()
        """Matches before the LLM chooses among them."""
        self._ranking: Ranking | None = None
        self._below: tuple[Match, ...] = ()
        self._embedding: asyncio.Future[QueryVector] | None = None
        self._embedding_begun = 0.0
        self._route_run: RouteRun | None = None
        self._routed_with: tuple[bool, str] | None = None
        outcome, sentence = self._report.outcome, self._report.sentence
        self._choices = {of: LlmChoice(of, (), outcome, sentence) for of in choosing.wanted(self.settings)}
        """Options and outcome of each LLM choice."""
        self._searched = None if engine.candidates is None else ServerSearch(is_coming=True)
        self._type_done = asyncio.Event()
        """Set once the LLM has answered on the type, or will not in time."""
        if route and engine.routes is not None and self.settings.route.enabled and not query.is_empty:
            self._route_run = RouteRun(engine.routes, query.scored, self.settings, pause_ms, typing=typing)

    # ---- stages

    def detect(self) -> None:
        policy = self.settings.search_intent.selection
        with self.stages.stage(KEYWORD_STAGE):
            if self.settings.search_intent.enabled:
                self.detection = self.engine.rules.detect(self.query.scored, policy)
            else:
                self.detection = Detection(None, policy, enabled=False)

    def _add_example_vote(self) -> None:
        """Merge the vote of the type examples, once it is known if there is a vector."""
        wanted = self.settings.search_intent
        if self._is_vector_coming or not (wanted.enabled and wanted.learned):
            return
        encoder = self.encoder if self.encoder is self.engine.encoder else None
        with self.stages.stage(LEARNED_STAGE):
            found = self.engine.types.with_learned_type(
                self.detection, self.query.scored, self.vectors, encoder, wanted, absent=self.engine.why_no_vote
            )
        self.detection = found

    def score_lexically(self) -> None:
        with self.stages.stage("lexical"):
            text = ScoredText(self.query.scored)
            self.scores = self.engine.index.score(text, name_counts=self.settings.name_counts)

    def begin_embedding(self, encode: Callable[[], Executor]) -> None:
        """Start embedding on the encoder's thread, unless the vector is known or in progress.

        Without an encoder nothing happens.
        """
        engine = self.engine
        if engine.encoder is None or self.vectors is not None or self._embedding is not None:
            return
        self._embedding_begun = engine.now_ms()
        loop = asyncio.get_running_loop()
        text = engine.corrected(self.query.scored)
        made = loop.run_in_executor(encode(), engine.vectors.encode, engine.encoder, text)
        # Retrieve the exception, so that a superseded query logs no warning.
        made.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._embedding = made

    def start_pending(self) -> list[asyncio.Task[None]]:
        """Start the tasks that may improve the answer, except the requests to the LLM."""
        vector = [] if self._embedding is None else [asyncio.create_task(self.end_embedding(self._embedding))]
        asked = self.route_without(vector), self.ask_after_type(vector)
        searched = [] if self.engine.candidates is None else [self.search_servers(self.engine.candidates, vector)]
        return [*vector, *(asyncio.create_task(one) for one in (*asked, *searched))]

    def cancel(self) -> None:
        if self._embedding is not None:
            self._embedding.cancel()

    async def end_embedding(self, embedding: asyncio.Future[QueryVector]) -> None:
        """Store the vector, or why there is none."""
        try:
            self.vectors = await embedding
            self._ranked = None
            self.stages.add("embed query", self._embedding_begun)
        except EncoderError as error:
            self._absent = str(error)
            self.stages.add("embed query", self._embedding_begun, "failed")
            self._take_route()
        self.has_external_changes = True

    async def search_servers(self, candidates: WorkingSet, embedding: Sequence[asyncio.Task[Any]]) -> None:
        """Load the server's candidates once the query's vector is known or has failed."""
        if embedding:
            await asyncio.wait(embedding)
        begun, is_ours = self.engine.now_ms(), self.encoder is self.engine.encoder
        text, both = self.query.scored, self.vectors if is_ours else None
        vector = None if both is None else self.engine.index.read(text, both).vector
        try:
            self._searched = await candidates.find(text, vector, self.settings.team.candidates)
            self.stages.add(SEARCH_STAGE, begun)
        except StoreError as error:
            self._searched = ServerSearch(fault=str(error))
            self.stages.add(SEARCH_STAGE, begun, "failed")
        self._ranked = None
        self.has_external_changes = True

    async def route_without(self, embedding: Sequence[asyncio.Task[Any]]) -> None:
        """Decide the route without the vector if that takes too long."""
        if embedding and (await asyncio.wait(embedding, timeout=ROUTE_WAIT_SECONDS))[1]:
            self._take_route()
            self.has_external_changes = True

    async def ask_after_type(self, embedding: Sequence[asyncio.Task[Any]]) -> None:
        """Send the LLM requests one by one, after the vector and the type.

        A server with one slot would queue them anyway, and the type is awaited.
        """
        if embedding:
            await asyncio.wait(embedding)
        asked = [of for of, choice in self._choices.items() if choice.outcome is LlmOutcome.ASKING]
        for of in asked:
            await self._type_done.wait()
            await self._ask_to_choose(of)
        await self._ask_for_route()

    async def _ask_to_choose(self, of: str) -> None:
        """Ask the LLM to choose among the best answers; the later stages use its choice."""
        engine, settings = self.engine, self.settings
        ranked = self._ranked if self._ranked is not None else self._rank()
        offered = choosing.options(ranked, of, settings.llm.choose_most)
        begun = engine.now_ms()
        choice = await choose(engine.llm, self.query.scored, of, offered, settings)
        if choice.ms is not None:
            self.stages.add(CHOICE_STAGES[of], begun, choice.outcome.value)
        self._choices[of] = choice
        if self._ranked is not None:
            # The stages have already run: the choice changes their outcome, not their times.
            self._ranked = self._with_choices(self._plain)
            self._resolve(self._ranked)
        self.has_external_changes = True

    async def _ask_for_route(self) -> None:
        """Ask the LLM for the route, if nothing else decides it."""
        run = self._route_run
        if run is None:
            return
        self._take_route()
        if not run.is_asking:
            return
        if await run.look_up():
            self._take_route()
            self.has_external_changes = True
            return
        is_type_asked = self._report.outcome is LlmOutcome.ASKING
        await self._type_done.wait()
        begun = self.engine.now_ms()
        outcome = await run.ask(has_paused=is_type_asked)
        self.stages.add(ROUTE_LLM_STAGE, begun, outcome)
        self._take_route()
        self.has_external_changes = True

    def _take_route(self) -> None:
        """Decide the route with what is known now."""
        run, known = self._route_run, (self.vectors is not None, self._absent)
        if run is None or (known == self._routed_with and not run.is_asking):
            return
        self._routed_with = known
        self.stages.done = [stage for stage in self.stages.done if stage.name != "route"]
        with self.stages.stage("route"):
            encoder = self.encoder if self.encoder is self.engine.encoder else None
            absent = "" if self._is_vector_coming else self.engine.why_no_vote
            run.decide(self.engine.rules, self.vectors, encoder, is_coming=self._is_vector_coming, absent=absent)

    @property
    def _is_vector_coming(self) -> bool:
        return self.vectors is None and self._absent == ENCODER_PENDING

    def record_llm_report(self, task: asyncio.Task[LlmReport | None]) -> bool:
        """Record a report of the requests to the LLM; return True if more may follow."""
        report = task.result()
        if report is None or report.outcome is not LlmOutcome.ASKING:
            self._type_done.set()
        if report is None:
            return False
        self.has_external_changes = self.has_external_changes or report != self._report
        self._report = report
        if report.outcome is not LlmOutcome.LATE:
            self._in_time = Ceiling(report.outcome, report.answer)
        return True

    # ---- results

    def empty_inspection(self) -> Inspection:
        return Inspection(
            self.query,
            Phase.FLOOR,
            self.detection,
            None,
            (),
            None,
            Trace(tuple(self.stages.done)),
            counts=self._counts(),
            notes=self.query.notes,
        )

    def inspection(self) -> Inspection:
        """Make the inspection of everything known so far."""
        settings = self.settings
        if self._ranked is None:
            self._ranked = self._rank()
        ranked = self._ranked
        self.has_external_changes = False
        policies = by_merger(self.detection.floor, self._in_time, settings.search_intent)
        merged = policies[settings.search_intent.merge]
        absent, report = "" if self.vectors is not None else self._absent, self._report
        llm = () if report.ms is None else (Stage(LLM_STAGE, report.ms, report.outcome.value, report.pause_ms),)
        return Inspection(
            query=self.query,
            phase=self._phase(),
            detection=self.detection,
            intent=merged.intent,
            matches=with_tiers(listed(ranked, settings), self._resolution),
            resolution=self._resolution,
            route=None if self._route_run is None or self._routed_with is None else self._route_run.decision,
            trace=Trace(
                (*self.stages.done, *llm),
                self.detection.hits,
                (*self.detection.floor_steps, *merged.steps),
                self._final_report(),
                tuple(self._choices.values()),
                self._spent(),
            ),
            absent={name: absent for name in self._shown() if SCORERS[name].needs_encoder and absent},
            counts=self._counts(),
            combination={kind.value: combiner_for(settings, power=kind is Kind.POWER).name for kind in Kind},
            notes=(*self.query.notes, *self._reading(), *self._negations(), *half_set(settings)),
            by_merger=policies,
            below=with_tiers(self._below, self._resolution),
            searched=self._searched,
            provisional=self._provisional(),
        )

    async def counted(self) -> Inspection:
        """Make the inspection, with the tokens that decide what is injected: display only reads them."""
        found = self.inspection()
        if texts := texts_to_count(found, self.settings):
            counts = await asyncio.to_thread(self.engine.count_tokens, texts)
            found = replace(found, tokens=dict(zip(texts, counts, strict=True)))
        return found

    def _reading(self) -> tuple[str, ...]:
        """Return a sentence if the vector is that of one sentence, or of another text than the query."""
        corrected = "" if self.vectors is None else self.engine.corrected(self.query.scored)
        if corrected and (sentence := self.scores.query.sentence):
            return (f"The meaning is that of the sentence “{shorten(sentence, MOST_SHOWN, placeholder='…')}”.",)
        if corrected in ("", self.query.scored):
            return ()
        shown = shorten(corrected, MOST_SHOWN, placeholder="…")
        return (f"The meaning is that of “{shown}”, without slips and courtesies.",)

    def _negations(self) -> tuple[str, ...]:
        """Return a sentence for each trigger lowered because the query negates it, for the first MOST_NEGATED.

        Before them one if powers are lowered, with or without such a trigger.
        """
        index, settings = self.engine.index, self.settings
        lowered = {power for power in (False, True) if combiner_for(settings, power=power).lowers_negated}
        if self.vectors is None or not lowered:
            return ()
        found = [(text, is_power) for text, is_power in index.negated(self.query.scored) if is_power in lowered]
        negated = {text.casefold().rstrip(".!?"): text for text, _ in reversed(found)}
        notes = [
            f"The query negates the trigger “{text}”." for text in islice(reversed(negated.values()), MOST_NEGATED)
        ]
        refuses = True in lowered and index.refuses_powers(self.query.scored)
        return tuple([REFUSED_OTHERS if self._resolution.matches else REFUSED, *notes] if refuses else notes)

    def _provisional(self) -> Mapping[Decision, str]:
        """Return why decisions may still change by themselves, by decision."""
        found: dict[Decision, str] = {}
        has_vector = self.vectors is not None
        if not has_vector and self._absent in (ENCODER_PENDING, ENCODER_LOADING):
            found = dict.fromkeys((Decision.MEMORY, Decision.POWER), self._absent)
        elif self._searched is not None and self._searched.is_coming:
            found[Decision.MEMORY] = SEARCH_PENDING
        elif has_vector and (awaited := self.engine.awaited_fit()):
            kinds = ((Decision.MEMORY, False), (Decision.POWER, True))
            found = {of: awaited for of, power in kinds if chosen_for(self.settings, power=power).is_shared}
        for of, choice in self._choices.items():
            if choice.outcome is LlmOutcome.ASKING:
                found.setdefault(Decision.MEMORY if of == choosing.LABEL else Decision.POWER, LLM_PENDING)
        if self._report.outcome is LlmOutcome.ASKING:
            found[Decision.TYPE] = LLM_PENDING
        elif self.settings.search_intent.learned and (self._is_vector_coming or self._are_types_coming):
            found[Decision.TYPE] = ENCODER_PENDING if self._is_vector_coming else LEARNING
        route = None if self._route_run is None else self._route_run.decision
        if route is not None and not route.is_final:
            found[Decision.ROUTE] = ENCODER_PENDING if self._is_vector_coming else LLM_PENDING
        return found

    @property
    def _are_types_coming(self) -> bool:
        """True while the type examples are still being learned and will vote later."""
        types = self.engine.types
        return self.vectors is not None and types.model is None and types.missing == LEARNING

    def _spent(self) -> Mapping[str, float]:
        quick = self.scores.quick
        return {} if quick is None else {name: quick.parts.spent[name] for name in SCORERS if name in quick.parts.spent}

    def _shown(self) -> dict[str, None]:
        """Return the scorers shown for either kind."""
        both = [shown_scorers(self.settings, power=kind is Kind.POWER) for kind in Kind]
        return dict.fromkeys(name for names in both for name in names)

    def _rank(self) -> tuple[Match, ...]:
        """Rank and resolve; repeated stages replace their earlier records."""
        index, settings = self.engine.index, self.settings
        self.stages.done = [stage for stage in self.stages.done if stage.name not in AGAIN]
        if self.vectors is not None and self.encoder is not self.engine.encoder:
            # Vectors of two encoders are never compared (S2.15); the change makes the query run again.
            self.vectors, self._absent = None, ENCODER_CHANGED
        if self.scores.layout is not index.layout():
            # Triggers were added or found while the query was encoded.
            self.scores = index.score(self.scores.query, name_counts=settings.name_counts)
        if self.vectors is not None:
            with self.stages.stage("semantic"):
                self.scores = index.with_meaning(self.scores, self.vectors)
        self._add_example_vote()
        with self.stages.stage("combine"):
            by_label = settings.group_matches == "label"
            lapsed = min(index.lapses.most, MOST_LAPSED)
            ranking = rank(self.scores, settings, max(settings.matches, RESOLVED) + lapsed, by_label=by_label)
            ranked = matches(index, self.scores, ranking, settings)
            if not self._typing:
                further = rank(self.scores, settings, settings.matches + BELOW + lapsed, by_label=by_label)
                self._below = unlisted(matches(index, self.scores, further, settings), settings)
        self._plain, self._ranking = ranked, ranking
        ranked = self._with_choices(ranked)
        with self.stages.stage("resolve"):
            self._resolve(ranked)
        if not (self._typing and self._is_vector_coming):
            self._take_route()
        if may_log_breakdowns(settings) and not self._is_vector_coming:
            log_breakdowns(ranked)
        return ranked

    def _resolve(self, ranked: tuple[Match, ...]) -> None:
        powers = self.engine.index.layout().powers
        resolvable = choosing.none_surer(ranked, choosing.POWER) if self._choices else ranked
        ranking = self._ranking
        assert ranking is not None, "what is resolved was ranked"
        shared, best_scores = ranking.any_power, ranking.best_scores
        self._resolution = resolve(
            self.query.text, resolvable, powers, self.settings, shared=shared, best_scores=best_scores
        )

    def _with_choices(self, ranked: tuple[Match, ...]) -> tuple[Match, ...]:
        """Apply the LLM's choices to the matches."""
        for of, choice in self._choices.items():
            self._choices[of] = choosing.merged(choice, ranked, self.settings.search_intent)
            ranked = choosing.with_choice(ranked, self._choices[of], self.settings)
        return ranked

    def _final_report(self) -> LlmReport:
        """Return the report; a late one with the confidence it would have given."""
        report = self._report
        if report.outcome is not LlmOutcome.LATE or report.answer is None:
            return report
        in_time = Ceiling(LlmOutcome.ANSWERED, report.answer)
        would_be = merge(self.detection.floor, in_time, self.settings.search_intent).intent
        return replace(report, would_be=would_be.confidence if would_be else 0.0)

    def _phase(self) -> Phase:
        if self._report.outcome is LlmOutcome.LATE:
            return Phase.LATE
        if self._report.ms is not None:
            return Phase.MERGED
        return Phase.FLOOR if self.vectors is None else Phase.EMBEDDED

    def _counts(self) -> Mapping[str, int]:
        index = self.engine.index
        powers = int(index.layout().is_power.sum())
        return {Kind.MEMORY.value: index.candidates - powers, Kind.POWER.value: powers, "trigger": len(index)}


# ---- The run of one query: the lexical answer first, then each better answer


async def inspect(
    engine: Engine,
    text: str,
    *,
    encode: Callable[[], Executor],
    pause_ms: float = 0.0,
    typing: bool = False,
    route: bool = True,
) -> AsyncGenerator[Inspection, None]:
    """Yield the lexical answer, then a better one after each result of encoder or LLM.

    The LLM is asked after a typing pause of `pause_ms`, on the type before the route; while `typing`, on the route only
    if the settings allow it. Without `route` no route is decided.

    `encode` returns the executor of the current encoder, which may be replaced between two answers. The settings are
    read once, at the start; if the encoder fails, the lexical answer remains and says so.
    """
    run = QueryRun(engine, Query.of(text), pause_ms, typing=typing, route=route)
    run.detect()
    if run.query.is_empty:
        yield run.empty_inspection()
        return
    if engine.encoder is not None:
        run.vectors = engine.vectors.both(run.query.scored)
    if not typing:
        # While typing, the lexical answer comes first; otherwise embedding runs beside scoring.
        run.begin_embedding(encode)
    reports = engine.llm.reports(run.query.scored, run.settings, pause_ms)
    waiting: dict[asyncio.Task[Any], Callable[[asyncio.Task[Any]], bool]] = {}
    try:
        run.score_lexically()
        floor, shown = await run.counted(), engine.now_ms()
        yield floor
        if typing:
            run.stages.add(PAINT_STAGE, shown)
        run.begin_embedding(encode)
        waiting |= dict.fromkeys(run.start_pending(), lambda task: False)
        waiting[asyncio.create_task(_next(reports))] = run.record_llm_report
        while waiting:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if waiting.pop(task)(task):
                    waiting[asyncio.create_task(_next(reports))] = run.record_llm_report
            if run.has_external_changes:
                yield await run.counted()
    finally:
        run.cancel()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await reports.aclose()


async def _next(reports: AsyncIterator[LlmReport]) -> LlmReport | None:
    return await anext(reports, None)


# ---- Queries as typed, to completion, or under other settings, each measured once


class QueryRunner:
    """Runs queries on one engine; they are encoded on the executor that `encode` returns."""

    def __init__(self, engine: Engine, encode: Callable[[], Executor], metrics: EngineMetrics) -> None:
        self._engine = engine
        self._encode = encode
        self._metrics = metrics

    async def inspect(self, text: str, *, typing: bool, route: bool = True) -> AsyncGenerator[Inspection, None]:
        """Yield the lexical answer, then better ones; closing the iterator cancels pending work.

        While `typing` the LLM is asked after the pause of the settings. Without `route` no route is decided.
        """
        pause_ms = float(self._engine.settings.search_intent.debounce_ms) if typing else 0.0
        async with aclosing(
            inspect(self._engine, text, encode=self._encode, pause_ms=pause_ms, typing=typing, route=route)
        ) as answers:
            last: Inspection | None = None
            noted = False
            async for inspection in answers:
                yield inspection
                if inspection.phase is Phase.MERGED and not noted:
                    noted = True
                    self._metrics.note(inspection)
                last = inspection
            if last is not None and not noted:
                self._metrics.note(last)

    async def settle(self, text: str, *, late: bool, route: bool = True) -> Inspection:
        """Return the best answer in time, with its route; `late` also waits for late LLM answers."""
        last: Inspection | None = None
        async with aclosing(self.inspect(text, typing=False, route=route)) as answers:
            async for last in answers:
                is_whole = self._engine.encoder is None or not last.absent
                is_routed = last.route is None or last.route.is_final
                is_heard = last.phase is Phase.MERGED and not last.is_choosing
                is_found = last.searched is None or not last.searched.is_coming
                if is_heard and not late and is_whole and is_routed and is_found:
                    break
        assert last is not None, "an inspection yields at least once"
        return last

    async def settle_as(self, text: str, settings: Settings, vectors: QueryVectors | None = None) -> Inspection:
        """Return the final answer under other settings, without an LLM.

        `vectors` is a separate cache for many queries, so that they do not evict the typed ones.
        """
        llm = LlmRequests(None, self._engine.now_ms, EngineMetrics())
        routes = None if self._engine.routes is None else replace(self._engine.routes, route_llm=None)
        vectors = vectors or self._engine.vectors
        other = replace(self._engine, settings=settings, llm=llm, vectors=vectors, routes=routes)
        async with aclosing(inspect(other, text, encode=self._encode)) as answers:
            return [inspection async for inspection in answers][-1]
