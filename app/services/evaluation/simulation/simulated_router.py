"""Router on a simulated clock; its LLM replays recorded answers or fails at a given rate."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from app.detect import prompts
from app.detect.route import CacheResult, LlmResult
from app.domain.llm import ChoiceAnswer, LlmAnswer, LlmOutcome, Option, StoredLlmAnswer
from app.domain.route import RouteAnswer, RouteMethod
from app.domain.scope.resolution import RouteDecision
from app.ports.clock import Clock
from app.ports.llm import LlmError, LlmState
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.engine.embedding import QueryVector
from app.services.engine.example_voters import NO_ENCODER
from app.services.engine.routing.query_route import RouteCore, RouteTrip
from app.services.engine.routing.route_llm import RouteLlmLane
from app.services.engine.routing.route_stages import Router
from app.services.routing.routes import Routing
from app.settings.model import Settings


class RecordedError(LlmError):
    """Recorded failure of an LLM request, or a simulated one."""

    def __init__(self, outcome: LlmOutcome) -> None:
        super().__init__(f"The LLM gave no answer: {outcome.value.replace('_', ' ')}.")
        self.outcome = outcome


class SimulatedClock:
    """Clock that can be put forward, so that recorded waits are not repeated."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.ahead_ms = 0.0

    def now_ms(self) -> float:
        return self._clock.now_ms() + self.ahead_ms


class RecordedLlm:
    """LlmClient that replays recorded answers by question.

    A simulated failure takes the whole budget, as a hanging server does.
    """

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

    async def route(self, query: str) -> RouteAnswer:
        kept = self._again(self._key_of(query))
        return RouteAnswer(kept.name, kept.confidence, kept.mode, "", kept.distribution)

    async def choose(self, query: str, options: Sequence[Option]) -> ChoiceAnswer:
        kept = self._again(choice_key(query, options))
        return ChoiceAnswer(kept.name, kept.confidence, kept.mode, kept.distribution)

    def _again(self, key: str) -> StoredLlmAnswer:
        """Return the recorded answer and put the clock forward.

        Raises RecordedError if none came in time.
        """
        fails, kept = self._chance.random() < self._fails, self._said.get(key)
        ms = self._budget_ms if fails or kept is None else kept.ms
        self._clock.ahead_ms += min(ms, self._budget_ms)
        if fails or ms > self._budget_ms:
            raise RecordedError(LlmOutcome.TIMED_OUT)
        if kept is None or kept.outcome is not LlmOutcome.ANSWERED:
            raise RecordedError(LlmOutcome.FAILED if kept is None else kept.outcome)
        return kept

    # ---- parts of the port that a simulation does not use

    async def warm(self) -> LlmState:
        return self.state

    async def is_loaded(self) -> bool:
        return True

    async def classify(self, query: str) -> LlmAnswer:
        raise RecordedError(LlmOutcome.FAILED)

    async def describe(self, query: str) -> LlmAnswer:
        raise RecordedError(LlmOutcome.FAILED)

    async def warm_routes(self) -> None:
        """Do nothing: recorded answers need no warming."""

    async def close(self) -> None:
        """Do nothing: there is no connection."""


def choice_key(query: str, options: Sequence[Option]) -> str:
    """Return the key of a choice among these options: its prompt."""
    return prompts.choice_prompt(query, prompts.choice_classes(options))


class SimulatedRouter:
    """The real router, with circuit and budget, over recorded answers and the queries' times.

    Without `said` there is no LLM.
    """

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
        clock = SimulatedClock(adapters.clock)
        live = routing.router
        self.router = router = Router(clock, lambda: self._now)
        router.model, router.encoder, router.missing, router.labels = (
            live.model,
            live.encoder,
            live.missing,
            live.labels,
        )
        budget = float(settings.search_intent.llm_timeout_ms)
        llm = None if said is None else RecordedLlm(said, self._key_of, clock, budget, fails, seed)
        asker = RouteLlmLane(lambda: llm, clock, lambda: self._now)
        self._core = RouteCore(router, asker, self._heard, _not_elsewhere)

    def _key_of(self, text: str, among: Sequence[Option] = ()) -> str:
        return asked_key(self.router, text, among)

    def _heard(self, text: str, heard: LlmResult, decision: RouteDecision) -> None:
        if decision.method == RouteMethod.LLM_FALLBACK:
            self.router.keep(text, heard)

    def decided(self, text: str, vectors: Mapping[str, QueryVector]) -> RouteTrip:
        """Return the trip of a query as far as it goes without the LLM."""
        trip = RouteTrip(self._core, text, self._settings, 0.0, typing=False, left_out=True)
        self._decide(trip, text, vectors)
        return trip

    async def decide(self, text: str, at: float, vectors: Mapping[str, QueryVector]) -> RouteDecision:
        """Return the decision on a query at this time, in s since 1970."""
        self._now = at
        trip = self.decided(text, vectors)
        if trip.is_asking:
            await trip.ask(has_paused=True)
            self._decide(trip, text, vectors)
        return trip.decision

    def _decide(self, trip: RouteTrip, text: str, vectors: Mapping[str, QueryVector]) -> None:
        engine = self._engine
        trip.decide(engine.rules, vectors.get(text), engine.encoder, is_coming=False, absent=NO_ENCODER)


def asked_key(router: Router, text: str, among: Sequence[Option]) -> str:
    """Return the key of an LLM answer: the normalised query, or the prompt of a choice."""
    return choice_key(text, among) if among else router.key_of(text) or text


async def _not_elsewhere(text: str, looked: CacheResult) -> CacheResult:
    """Look up nothing: other programs' answers take no part."""
    return looked
