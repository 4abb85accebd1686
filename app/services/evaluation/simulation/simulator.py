"""Queries decided under today's settings and under others, by the router itself, with an LLM that is asked once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.detect.prompts import ROUTE_JSON_PREFIX, ROUTE_JSON_SCHEMA
from app.domain.case import NO_MATCH_WORDS, Case, Task
from app.domain.errors import FormatError, KnownError
from app.domain.library import Line
from app.domain.llm import ChoiceAnswer, Option, StoredLlmAnswer
from app.domain.match import Query
from app.domain.route import LoggedRoute, RouteFilter, RouteMethod
from app.domain.scope.resolution import RouteDecision
from app.evaluation.answers import Answered
from app.evaluation.comparison import Comparison, compared
from app.evaluation.evaluation import judged
from app.evaluation.routing import RoutingMetrics, is_labelled, metrics_of
from app.ports.llm import LlmConnection
from app.services.core import Core, Progress
from app.services.engine.adapters import Adapters
from app.services.engine.embedding import QueryVector
from app.services.evaluation.llm_answers import LlmAnswers, LlmAskOptions, question_digest
from app.services.evaluation.routing import Flip, flips, route_answer
from app.services.evaluation.simulation.simulated_router import SimulatedRouter, asked_key
from app.services.evaluation.trial_snapshot import TrialVectors
from app.services.routing.log import logged
from app.services.routing.routes import SWITCHED_OFF, Routing
from app.settings.model import Settings

COMBINATION = "the whole router"
LATEST = 1_000
"""So many decisions of the log are taken unless more are asked for."""

BLOCK = 64
"""So many queries are gone through between two words on how far it is."""

ROUTED = (
    "route.",
    "routes.",
    "search_intent.llm_timeout_ms",
    "search_intent.min_confidence",
    "search_intent.use_llm",
    "llm.",
)
"""Settings that a decision depends on, or how such keys begin."""

ROUTE_PROMPTS = (ROUTE_JSON_PREFIX, repr(ROUTE_JSON_SCHEMA))
"""What the question for a route says in every mode, beside the beginning that it has in common with that for a type."""

NOTHING = "No query to simulate."
NO_TEXTS = (
    "The log of decisions holds no texts, so there is nothing to simulate. It keeps them with history.privacy full."
)


@dataclass(frozen=True, slots=True)
class Change:
    """What the other configuration does otherwise: settings, whether an LLM is asked at all in both, and which share of
    its answers fails in the other; `seed` says which."""

    settings: Mapping[str, str] = field(default_factory=dict)
    asks_llm: bool = True
    fails: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """Every query decided under one configuration, in order, and what that comes to."""

    decisions: tuple[RouteDecision, ...]
    metrics: RoutingMetrics


@dataclass(frozen=True, slots=True)
class Simulation:
    """The same queries under both. `comparison` is of those that are labelled, None where none is; `asked` counts the
    questions that the LLM was really asked; `unknown` are labels that name no route of either side."""

    before: SimulatedRun
    after: SimulatedRun
    flips: tuple[Flip, ...]
    comparison: Comparison | None
    asked: int
    unknown: tuple[str, ...] = ()


class Simulator:
    """`workbench.simulator`. All methods run on the core's asyncio thread, and give way to typing.

    Nothing is stored but what the LLM says, nothing goes into the log, and no kept answer of the running router is used
    or replaced: each configuration begins with none. Cancelling the task stops it between two queries.
    """

    def __init__(self, core: Core, routing: Routing, answers: LlmAnswers, adapters: Adapters) -> None:
        self._core, self._routing, self._answers = core, routing, answers
        self._adapters = adapters
        self._vectors = TrialVectors(core)

    # ---- what is simulated

    async def read(self, path: Path) -> list[LoggedRoute]:
        """The queries that a file holds, with the routes that it expects, where it says so; KnownError."""
        cases, logs = self._adapters.read_file, self._adapters.read_log

        def work() -> list[LoggedRoute]:
            try:
                lines = list(cases(path, "cases", Task.ROUTE.value)[1])
            except FormatError:
                lines = []
            found = {line.number: line.value for line in lines if isinstance(line, Line)}
            if len(found) < len(lines) or not lines:
                # What is expected may stand in none of the lines, or in some.
                texts = [line for line in logs(path, "auto") if isinstance(line, Line)] if path.suffix != ".csv" else []
                found |= {one.number: Case(one.value, (), Task.ROUTE) for one in texts if one.number not in found}
            return [of_case(found[number]) for number in sorted(found)]

        return _some(await asyncio.to_thread(work))

    async def logged(self, most: int = LATEST) -> list[LoggedRoute]:
        """The newest decisions of the log, oldest first, with what cases say of them; KnownError where it keeps no
        texts."""
        found = await self._routing.log.decisions(RouteFilter(limit=most))
        texts = [one for one in reversed(found) if one.text.strip()]
        if found and not texts:
            raise KnownError(NO_TEXTS)
        return _some(texts)

    async def labelled(self) -> list[LoggedRoute]:
        """The library's own cases for routes; KnownError where there is none."""
        return _some([of_case(one) for one in await self._core.in_store(lambda library: library.cases(Task.ROUTE))])

    # ---- simulated

    async def run(self, queries: Sequence[LoggedRoute], change: Change, progress: Progress | None = None) -> Simulation:
        """The queries, one after the other as they came, under today's settings and under the others. A case that
        teaches has no part in its own vote. SettingsError, EncoderError; KnownError where the LLM cannot be asked."""
        for key in change.settings:
            if not key.startswith(ROUTED):
                raise KnownError(f"{key} changes no route, so there is nothing to simulate.")
        today, other = self._core.settings, self._core.settings_under(change.settings)
        if not (today.route.enabled and other.route.enabled):
            raise KnownError(SWITCHED_OFF)
        await self._routing.ready()
        vectors = await self._made(queries, (today, other), progress)
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

    async def _made(
        self, queries: Sequence[LoggedRoute], settings: Sequence[Settings], progress: Progress | None
    ) -> Mapping[str, QueryVector]:
        """Vectors of those queries whose examples are asked under either."""
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
        """What the LLM says of the queries that come so far, asked where that is not kept, and how many were asked;
        None where there is none to ask. Each query is gone through even so: times are those of a router that has seen
        its queries before, on both sides."""
        llm = settings.llm
        floor = SimulatedRouter(self._core, self._routing, self._adapters, settings, {})
        wanted: dict[str, tuple[str, tuple[Option, ...]]] = {}
        for text in dict.fromkeys(Query.of(one.text).scored for one in queries):
            trip = floor.decided(text, vectors)
            if trip.is_asking:
                wanted.setdefault(asked_key(floor.router, text, trip.among), (text, trip.among))
            await self._core.typing_priority.turn()
        if not (change.asks_llm and llm.url and llm.model):
            return None, 0
        if not wanted:
            return {}, 0

        async def question(client: LlmConnection, key: str) -> ChoiceAnswer:
            text, among = wanted[key]
            if among:
                return await client.choose(text, among)
            found = await client.route(text)
            return ChoiceAnswer(found.intent, found.confidence, found.mode, found.distribution)

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
        """Every query under each, which take turns: what else the machine does slows both alike."""
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
    """A labelled query as a decision that has not been made yet."""
    none = RouteMethod.DEGRADED
    return LoggedRoute(0.0, case.text, "simulate", "", (), 0.0, none, 0.0, "", 0.0, labels=case.expected)


def _unknown(queries: Sequence[LoggedRoute], *sides: Settings) -> tuple[str, ...]:
    """Labels that name no route of any side, such as one that is misspelt: nothing can be right by them."""
    labels = dict.fromkeys(label for one in queries for label in one.labels if label not in NO_MATCH_WORDS)
    routes = [settings.all_routes for settings in sides]
    return tuple(label for label in labels if all(each.find(each.named(label)) is None for each in routes))


def _some(queries: Sequence[LoggedRoute]) -> list[LoggedRoute]:
    """Those that ask something; what has no time came one a second. KnownError where there is none."""
    some = [one for one in queries if not Query.of(one.text).is_empty]
    if not some:
        raise KnownError(NOTHING)
    return [one if one.at else replace(one, at=float(place)) for place, one in enumerate(some, 1)]


def _comparison(
    queries: Sequence[LoggedRoute], settings: Settings, before: SimulatedRun, after: SimulatedRun
) -> Comparison | None:
    """What the labelled ones come to under both, as of any cases."""

    def answered(run: SimulatedRun) -> list[Answered]:
        return [
            route_answer(Case(one.text, one.labels, Task.ROUTE), decision)
            for one, decision in zip(queries, run.decisions, strict=True)
            if is_labelled(one)
        ]

    one, other = (judged(Task.ROUTE, COMBINATION, answered(run), settings) for run in (before, after))
    return compared(one, other) if one.answered else None
