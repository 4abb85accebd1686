"""Simulation of queries under today's and other settings, with each LLM question asked once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.detect.prompts import ROUTES, choice_classes, one_token_prompt
from app.detect.route import CacheResult, LlmResult
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import FormatError, KnownError
from app.domain.inspection import RouteDecision
from app.domain.library import Line
from app.domain.llm import LlmAnswer, LlmOutcome, Option, StoredLlmAnswer
from app.domain.match import Query
from app.domain.route import LoggedRoute, RouteFilter, RouteMethod
from app.evaluation.answers import Answered
from app.evaluation.comparison import Comparison, compared
from app.evaluation.evaluation import judged
from app.evaluation.routing import RoutingMetrics, metrics_of
from app.ports.llm import LlmConnection, LlmError, LlmState
from app.scoring.text import QueryVector
from app.services.core import Core, Progress
from app.services.engine.adapters import Adapters
from app.services.engine.route_llm import RouteLlm
from app.services.engine.route_stages import RouteCore, Router, RouteRun
from app.services.engine.type_voter import NO_ENCODER
from app.services.evaluation.evaluate import Flip, flips, route_answer
from app.services.evaluation.llm_answers import LlmAnswers, LlmAskOptions, question_digest
from app.services.evaluation.trial_snapshot import TrialVectors
from app.services.routing.log import logged
from app.services.routing.routes import SWITCHED_OFF, Routing
from app.settings.model import Settings


class RecordedError(LlmError):
    """Recorded failure of an LLM request, or a simulated one."""

    def __init__(self, outcome: LlmOutcome) -> None:
        super().__init__(f"The LLM gave no answer: {outcome.value.replace('_', ' ')}.")
        self.outcome = outcome


class SimulatedClock:
    """Clock that can be put forward, so that recorded waits are not repeated."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self.ahead_ms = 0.0

    def __call__(self) -> float:
        return self._now_ms() + self.ahead_ms


class RecordedLlm:
    """LlmChooser that replays recorded answers; a simulated failure takes the whole budget."""

    def __init__(
        self,
        said: Mapping[str, StoredLlmAnswer],
        key_of: Callable[[str], str],
        clock: SimulatedClock,
        budget_ms: float,
        fails: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.state = LlmState(LlmOutcome.ANSWERED)
        self._said, self._key_of, self._clock = said, key_of, clock
        self._budget_ms, self._fails = budget_ms, fails
        self._chance = random.Random(seed)

    async def route(self, query: str) -> LlmAnswer:
        return self._again(self._key_of(query))

    async def choose(self, query: str, options: Sequence[Option]) -> LlmAnswer:
        return self._again(choice_key(query, options))

    def _again(self, key: str) -> LlmAnswer:
        """Put the clock forward, return the recorded answer.

        Raises RecordedError if none is in time.
        """
        fails, kept = self._chance.random() < self._fails, self._said.get(key)
        ms = self._budget_ms if fails or kept is None else kept.ms
        self._clock.ahead_ms += min(ms, self._budget_ms)
        if fails or ms > self._budget_ms:
            raise RecordedError(LlmOutcome.TIMED_OUT)
        if kept is None or kept.outcome is not LlmOutcome.ANSWERED:
            raise RecordedError(LlmOutcome.FAILED if kept is None else kept.outcome)
        return LlmAnswer(kept.name, kept.confidence, kept.mode, distribution=kept.distribution)

    async def warm_routes(self) -> None:
        """Do nothing: recorded answers need no warming."""


def choice_key(query: str, options: Sequence[Option]) -> str:
    """Return the key of a choice among these options: its prompt."""
    return one_token_prompt(query, choice_classes(options))


class SimulatedRouter:
    """The real router, with circuit and budget, over recorded answers; no LLM without `said`."""

    def __init__(
        self,
        core: Core,
        routing: Routing,
        adapters: Adapters,
        settings: Settings,
        said: Mapping[str, StoredLlmAnswer] | None,
        fails: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._engine, self._settings = core.engine, settings
        self._now = 0.0
        clock = SimulatedClock(adapters.now_ms)
        self.router = router = copy(routing.router)
        router.now_ms, router.wall_seconds, router.kept = clock, lambda: self._now, {}
        budget = float(settings.search_intent.llm_timeout_ms)
        llm = None if said is None else RecordedLlm(said, self._key_of, clock, budget, fails, seed)
        route_llm = RouteLlm(lambda: llm, clock, lambda: self._now)
        self._core = RouteCore(router, route_llm, self._record_answer, _not_elsewhere)

    def _key_of(self, text: str, among: Sequence[Option] = ()) -> str:
        return llm_answer_key(self.router, text, among)

    def _record_answer(self, text: str, heard: LlmResult, decision: RouteDecision) -> None:
        if decision.method == RouteMethod.LLM_FALLBACK:
            self.router.keep(text, heard)

    def decided(self, text: str, vectors: Mapping[str, QueryVector]) -> RouteRun:
        """Return the run of a query as far as it goes without the LLM."""
        run = RouteRun(self._core, text, self._settings, 0.0, typing=False, left_out=True)
        self._decide(run, text, vectors)
        return run

    async def decide(self, text: str, at: float, vectors: Mapping[str, QueryVector]) -> RouteDecision:
        """Return the decision on a query at this time, in s since 1970."""
        self._now = at
        run = self.decided(text, vectors)
        if run.is_asking:
            await run.ask(has_paused=True)
            self._decide(run, text, vectors)
        return run.decision

    def _decide(self, run: RouteRun, text: str, vectors: Mapping[str, QueryVector]) -> None:
        engine = self._engine
        run.decide(engine.rules, vectors.get(text), engine.encoder, is_coming=False, absent=NO_ENCODER)


def llm_answer_key(router: Router, text: str, among: Sequence[Option]) -> str:
    """Return the key of an LLM answer: the normalised query, or the prompt of a choice."""
    return choice_key(text, among) if among else router.key_of(text) or text


async def _not_elsewhere(text: str, looked: CacheResult) -> CacheResult:
    """Look up nothing: other programs' answers take no part."""
    return looked


COMBINATION = "the whole router"
LATEST = 1_000
"""Default number of logged decisions."""

BLOCK = 64
"""Number of queries between two reports of progress."""

ROUTED = (
    "route.",
    "routes.",
    "search_intent.llm_timeout_ms",
    "search_intent.min_confidence",
    "search_intent.use_llm",
    "llm.",
)
"""Keys, or their prefixes, that a decision depends on."""

ROUTE_PROMPTS = (ROUTES.json_prefix, repr(ROUTES.schema))
"""Prompt parts of the question for a route that differ from that for a type."""

NOTHING = "No query to simulate."
NO_TEXTS = (
    "The log of decisions holds no texts, so there is nothing to simulate. It keeps them with history.privacy full."
)


@dataclass(frozen=True, slots=True)
class Change:
    """Changed configuration: settings, use of an LLM on both sides, and simulated failures.

    `fails` is the share in [0, 1] of failing LLM answers on the changed side, `seed` selects them.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    asks_llm: bool = True
    fails: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """Every query decided under one configuration, in order, and the metrics."""

    decisions: tuple[RouteDecision, ...]
    metrics: RoutingMetrics


@dataclass(frozen=True, slots=True)
class Simulation:
    """The same queries under both configurations.

    `comparison` covers labelled queries, None without any; `asked` counts real LLM requests; `unknown` are labels that
    name no route of either side.
    """

    before: SimulatedRun
    after: SimulatedRun
    flips: tuple[Flip, ...]
    comparison: Comparison | None
    asked: int
    unknown: tuple[str, ...] = ()


class Simulator:
    """`workbench.simulator`. All methods run on the asyncio thread and give way to typing.

    Only LLM answers are stored, nothing is logged, and the running router's cache is neither used nor replaced: each
    configuration starts with an empty one. Cancelling the task stops it between two queries.
    """

    def __init__(self, core: Core, routing: Routing, answers: LlmAnswers, adapters: Adapters) -> None:
        self._core, self._routing, self._answers = core, routing, answers
        self._adapters = adapters
        self._vectors = TrialVectors(core)

    # ---- queries

    async def read(self, path: Path) -> list[LoggedRoute]:
        """Read a file's queries, with expected routes if it has them; raises KnownError."""
        cases, logs = self._adapters.read_file, self._adapters.read_log

        def work() -> list[LoggedRoute]:
            try:
                lines = list(cases(path, "cases", Task.ROUTE.value)[1])
            except FormatError:
                lines = []
            found = {line.number: line.value for line in lines if isinstance(line, Line)}
            if len(found) < len(lines) or not lines:
                # Expected routes may be missing in some or all lines.
                texts = [line for line in logs(path, "auto") if isinstance(line, Line)] if path.suffix != ".csv" else []
                found |= {one.number: Case(one.value, (), Task.ROUTE) for one in texts if one.number not in found}
            return [of_case(found[number]) for number in sorted(found)]

        return _some(await asyncio.to_thread(work))

    async def logged(self, most: int = LATEST) -> list[LoggedRoute]:
        """Return the newest logged decisions, oldest first, with labels.

        Raises KnownError if the log has no texts.
        """
        found = await self._routing.log.decisions(RouteFilter(limit=most))
        texts = [one for one in reversed(found) if one.text.strip()]
        if found and not texts:
            raise KnownError(NO_TEXTS)
        return _some(texts)

    async def labelled(self) -> list[LoggedRoute]:
        """Return the library's cases for routes; raises KnownError if there are none."""
        return _some([of_case(one) for one in await self._core.in_store(lambda library: library.cases(Task.ROUTE))])

    # ---- simulation

    async def run(self, queries: Sequence[LoggedRoute], change: Change, progress: Progress | None = None) -> Simulation:
        """Decide the queries in order under today's and under the changed settings.

        A training case is left out of its own vote. Raises SettingsError, EncoderError; KnownError if the LLM cannot be
        asked.
        """
        for key in change.settings:
            if not key.startswith(ROUTED):
                raise KnownError(f"{key} changes no route, so there is nothing to simulate.")
        today, other = self._core.settings, self._core.settings_under(change.settings)
        if not (today.route.enabled and other.route.enabled):
            raise KnownError(SWITCHED_OFF)
        await self._routing.ready()
        vectors = await self._query_vectors(queries, (today, other), progress)
        asked, routers = 0, []
        for settings, fails in ((today, 0.0), (other, change.fails)):
            said, new = await self._said(queries, vectors, settings, change, progress)
            asked += new
            routers.append(
                SimulatedRouter(self._core, self._routing, self._adapters, settings, said, fails, change.seed)
            )
        before, after = await self._decided(queries, vectors, routers, progress)
        turned = flips([Case(one.text, one.labels, Task.ROUTE) for one in queries], before.decisions, after.decisions)
        comparison = _comparison(queries, today, before, after)
        return Simulation(before, after, tuple(turned), comparison, asked, _unknown(queries, today, other))

    async def _query_vectors(
        self, queries: Sequence[LoggedRoute], settings: Sequence[Settings], progress: Progress | None
    ) -> Mapping[str, QueryVector]:
        """Return the vectors of those queries that need examples under either configuration."""
        router, rules = self._routing.router, self._core.engine.rules
        made: dict[str, QueryVector] = {}
        for start in range(0, len(queries), BLOCK):
            if progress is not None:
                progress(start, len(queries))
            texts = dict.fromkeys(Query.of(one.text).scored for one in queries[start : start + BLOCK])
            made |= await self._vectors.of_queries(
                text
                for text in texts
                if any(router.wants_vote(router.floor(text, rules, under), under) for under in settings)
            )
            await self._core.typing_priority.turn()
        return made

    async def _said(
        self,
        queries: Sequence[LoggedRoute],
        vectors: Mapping[str, QueryVector],
        settings: Settings,
        change: Change,
        progress: Progress | None,
    ) -> tuple[Mapping[str, StoredLlmAnswer] | None, int]:
        """Return the LLM's answers to the queries that reach it, and the number of new ones.

        None instead of answers without an LLM. Every query is routed here first: the times of both sides are those of a
        router that has seen its queries before.
        """
        llm = settings.llm
        floor = SimulatedRouter(self._core, self._routing, self._adapters, settings, {})
        wanted: dict[str, tuple[str, tuple[Option, ...]]] = {}
        for text in dict.fromkeys(Query.of(one.text).scored for one in queries):
            run = floor.decided(text, vectors)
            if run.is_asking:
                wanted.setdefault(llm_answer_key(floor.router, text, run.llm_options), (text, run.llm_options))
            await self._core.typing_priority.turn()
        if not (change.asks_llm and llm.url and llm.model):
            return None, 0
        if not wanted:
            return {}, 0

        async def question(client: LlmConnection, key: str) -> LlmAnswer:
            text, among = wanted[key]
            if among:
                return await client.choose(text, among)
            return await client.route(text)

        digest = question_digest(llm, Task.ROUTE.value, *ROUTE_PROMPTS)
        heard = await self._answers.answers(llm, digest, wanted, question, LlmAskOptions(), progress, for_routes=True)
        return {key: runs[0] for key, runs in heard.answers.items() if runs}, heard.asked

    async def _decided(
        self,
        queries: Sequence[LoggedRoute],
        vectors: Mapping[str, QueryVector],
        routers: Sequence[SimulatedRouter],
        progress: Progress | None,
    ) -> list[SimulatedRun]:
        """Decide every query under each router in turns, so that other load slows all alike."""
        decisions: list[list[RouteDecision]] = [[] for _ in routers]
        for place, one in enumerate(queries):
            if progress is not None and place % BLOCK == 0:
                progress(place, len(queries))
            text, turns = Query.of(one.text).scored, range(len(routers))
            for way in turns if place % 2 else reversed(turns):
                decisions[way].append(await routers[way].decide(text, one.at, vectors))
            await self._core.typing_priority.turn()
        if progress is not None:
            progress(len(queries), len(queries))

        def run_of(made: Sequence[RouteDecision]) -> SimulatedRun:
            log = (
                replace(logged(one.text, decision, one.source, one.at), labels=one.labels)
                for one, decision in zip(queries, made, strict=True)
            )
            return SimulatedRun(tuple(made), metrics_of(list(log)))

        return [await asyncio.to_thread(run_of, made) for made in decisions]


def of_case(case: Case) -> LoggedRoute:
    """Return a labelled query as a decision that has not been made yet."""
    none = RouteMethod.DEGRADED
    return LoggedRoute(0.0, case.text, "simulate", "", (), 0.0, none, 0.0, "", 0.0, labels=case.expected)


def _unknown(queries: Sequence[LoggedRoute], *sides: Settings) -> tuple[str, ...]:
    """Return labels that name no route of any side: no answer can be right."""
    labels = dict.fromkeys(label for one in queries for label in one.labels if label not in NO_MATCH_WORDS)
    routes = [settings.all_routes for settings in sides]
    return tuple(label for label in labels if all(each.find(each.named(label)) is None for each in routes))


def _some(queries: Sequence[LoggedRoute]) -> list[LoggedRoute]:
    """Return the non-empty queries, 1 s apart if without time; raises KnownError for none."""
    some = [one for one in queries if not Query.of(one.text).is_empty]
    if not some:
        raise KnownError(NOTHING)
    return [one if one.at else replace(one, at=float(place)) for place, one in enumerate(some, 1)]


def _comparison(
    queries: Sequence[LoggedRoute], settings: Settings, before: SimulatedRun, after: SimulatedRun
) -> Comparison | None:
    """Compare the labelled queries under both, as other cases."""

    def answered(run: SimulatedRun) -> list[Answered]:
        return [
            route_answer(Case(one.text, one.labels, Task.ROUTE), decision)
            for one, decision in zip(queries, run.decisions, strict=True)
            if one.labels
        ]

    one, other = (judged(Task.ROUTE, COMBINATION, answered(run), settings) for run in (before, after))
    return compared(one, other) if one.answered else None
