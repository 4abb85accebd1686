"""LLM as the last stage of routing: budgets of time and money, cancellable, counted (S6.5)."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from app.detect.prompts import RequestResult
from app.detect.route import LlmResult
from app.domain.llm import LlmAnswer, LlmOutcome, Option
from app.domain.route import CircuitName, CircuitState
from app.ports.llm import LlmChooser, LlmError
from app.services.engine.llm_requests import Stopwatch, lacking, result_in_time
from app.settings.model import Settings

LAST, LEAST = 20, 5
"""Window of the failure share: number of last answers, and the minimum of answers."""

REST_SECONDS = 30.0
"""Time that an open circuit blocks requests, in seconds."""


class Circuit:
    """Circuit breaker: blocks requests to a failing LLM, then lets one through to probe it.

    `wall_seconds` gives seconds since 1970, by a clock that may be set.
    """

    def __init__(self, wall_seconds: Callable[[], float]) -> None:
        self._wall_seconds = wall_seconds
        self._name = CircuitName.CLOSED
        self._opened_at = 0.0
        self._last: deque[bool] = deque(maxlen=LAST)
        self._is_trying = False

    @property
    def state(self) -> CircuitState:
        """State, with a sentence unless the circuit is closed."""
        if self._name is CircuitName.CLOSED:
            return CircuitState()
        if self._name is CircuitName.HALF_OPEN:
            return CircuitState(self._name, "The LLM failed too often; one question is let through to try it again.")
        failures = (
            f"{sum(self._last)} of its last {len(self._last)} answers failed" if self._last else "it failed again"
        )
        return CircuitState(self._name, f"The LLM is left alone for {REST_SECONDS:.0f} s: {failures}.")

    def lets_through(self) -> bool:
        """Check if a request may be sent: closed, or half open without another probe."""
        if self._name is CircuitName.OPEN:
            # A clock that was set back would keep the circuit open, so a future moment counts as past.
            if 0.0 <= self._wall_seconds() - self._opened_at < REST_SECONDS:
                return False
            self._name, self._is_trying = CircuitName.HALF_OPEN, False
        if self._name is CircuitName.HALF_OPEN:
            if self._is_trying:
                return False
            self._is_trying = True
        return True

    def note(self, *, failed: bool | None, error_rate: float) -> None:
        """Record the end of a request; `error_rate` is the share of failures that opens the circuit.

        Closed: the share is checked. Half open: the one answer decides. Open: late results are ignored. None, an
        abandoned request, only allows another probe.
        """
        self._is_trying = False
        if failed is None or self._name is CircuitName.OPEN:
            return
        if self._name is CircuitName.HALF_OPEN:
            self._last.clear()
            opens = failed
        else:
            self._last.append(failed)
            opens = failed and len(self._last) >= LEAST and sum(self._last) >= error_rate * len(self._last)
        self._name = CircuitName.OPEN if opens else CircuitName.CLOSED
        if opens:
            self._opened_at = self._wall_seconds()


OFF = "Asking the LLM for routes is switched off (route.use_llm)."
NOT_WHILE_TYPING = "The LLM is not asked for routes while you type (route.llm_while_typing)."
OTHER_ROUTES = (
    "The LLM knows the five routes only, and your examples name others. With llm.choose_routes it chooses among yours."
)
TRYING = "The LLM failed too often and is being tried by another question."

HEALTHY = frozenset({LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE})
NO_FAULT = frozenset({LlmOutcome.SUPERSEDED, LlmOutcome.COLD})
"""Outcomes that say nothing about the server's health."""


def month_start(seconds: float) -> float:
    """Return the start of the month of this moment, UTC, in seconds since 1970."""
    now = datetime.fromtimestamp(seconds, UTC)
    return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0).timestamp()


class RouteLlm:
    """Asks the current client for routes. `spent` is the month's cost; `outcomes` has counts."""

    def __init__(
        self, client: Callable[[], LlmChooser | None], now_ms: Callable[[], float], wall_seconds: Callable[[], float]
    ) -> None:
        self._client = client
        self._circuit = Circuit(wall_seconds)
        self._now_ms = now_ms
        self._wall_seconds = wall_seconds
        self._running: list[asyncio.Task[LlmAnswer]] = []
        self.warmed: object = None
        self.outcomes: Counter[str] = Counter()
        self._spent = 0.0
        self._month = month_start(wall_seconds())

    # ---- costs

    @property
    def spent(self) -> float:
        """Dollars spent since the first of the month."""
        if (month := month_start(self._wall_seconds())) != self._month:
            self._month, self._spent = month, 0.0
        return self._spent

    @property
    def month(self) -> float:
        return self._month

    def set_spent(self, spent: float) -> None:
        """Set the costs of this month from the log."""
        self._spent = spent

    def circuit(self, settings: Settings) -> CircuitState:
        """Return the state of the circuit, which an exhausted monthly budget opens, too."""
        budget, cost = settings.route.monthly_budget, settings.route.cost_per_query
        if cost > 0.0 and self.spent + cost > budget:
            sentence = f"The month’s budget of ${budget:,.2f} is used up (${self.spent:,.4f} spent)."
            return CircuitState(CircuitName.OPEN, sentence)
        return self._circuit.state

    # ---- requests

    def is_set_up(self, settings: Settings) -> bool:
        """Check if an LLM is set up and enabled for routes."""
        return settings.route.use_llm and settings.search_intent.use_llm and self._client() is not None

    def hindrance(self, settings: Settings, *, typing: bool, is_foreign: bool) -> str:
        """Return why the LLM is not asked now, in a sentence; "" if it can be."""
        if not settings.route.use_llm:
            return OFF
        client = self._client()
        if client is None or not settings.search_intent.use_llm:
            return lacking(settings.llm)
        if is_foreign:
            return OTHER_ROUTES
        if typing and not settings.route.llm_while_typing:
            return NOT_WHILE_TYPING
        if not client.state.is_ready:
            return client.state.sentence or "The LLM is not ready."
        budget = self.circuit(settings)
        if budget.name is CircuitName.OPEN and budget != self._circuit.state:
            return budget.sentence
        return ""

    async def ask(
        self, query: str, settings: Settings, pause_ms: float = 0.0, among: Sequence[Option] = ()
    ) -> LlmResult:
        """Ask the LLM within `llm_timeout_ms` from dispatch, after a typing pause; no LlmError.

        With at least two options `among` it chooses one of them, otherwise one of the five routes. Cancelling the task
        cancels the request on the wire.
        """
        await asyncio.sleep(pause_ms / 1000.0)
        client = self._client()
        if client is None:
            return LlmResult(LlmOutcome.OFF, sentence=lacking(settings.llm))
        if not self._circuit.lets_through():
            return LlmResult(LlmOutcome.OFF, sentence=self._circuit.state.sentence or TRYING)
        failed: bool | None = None
        try:
            await self._make_room(settings.search_intent.llm_max_in_flight)
            heard = await self._ask(client, query, settings, among)
            failed = None if heard.outcome in NO_FAULT else heard.outcome not in HEALTHY
        finally:
            # Every request that was let through must report back, or the circuit would never probe again.
            self._circuit.note(failed=failed, error_rate=settings.route.error_rate)
        return heard

    async def _ask(self, client: LlmChooser, query: str, settings: Settings, among: Sequence[Option]) -> LlmResult:
        cost = settings.route.cost_per_query
        self._spent = self.spent + cost
        task = asyncio.create_task(client.choose(query, among) if len(among) > 1 else client.route(query))
        stopwatch = Stopwatch(task, self._now_ms)
        self._running.append(task)
        found = RequestResult(LlmOutcome.SUPERSEDED)
        try:
            await asyncio.wait({task}, timeout=settings.search_intent.llm_timeout_ms / 1000.0)
            found = result_in_time(task, settings, stopwatch.ms)
        finally:
            self._running.remove(task)
            task.cancel()
            self.outcomes[found.outcome.value] += 1
            await asyncio.gather(task, return_exceptions=True)
        return LlmResult(found.outcome, found.answer, found.sentence, stopwatch.ms, cost)

    async def warm(self, settings: Settings) -> None:
        """Warm up each client once, so that its first request is fast; a failure shows in that one."""
        client = self._client()
        if client is None or client is self.warmed or not settings.route.use_llm:
            return
        self.warmed = client
        try:
            await client.warm_routes()
        except LlmError:
            self.warmed = None

    async def _make_room(self, most: int) -> None:
        """Cancel the oldest requests until one more may run."""
        while len(self._running) >= most:
            oldest = self._running[0]
            oldest.cancel()
            await asyncio.gather(oldest, return_exceptions=True)
            await asyncio.sleep(0)  # the cancelled request removes it from the list
