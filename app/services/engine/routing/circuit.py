"""Circuit breaker of the LLM: opens on the share of failures, probes after a pause (S6.5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from app.domain.route import CircuitName, CircuitState

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
        return CircuitState(
            self._name,
            f"The LLM is left alone for {REST_SECONDS:.0f} s: {failures}.",
        )

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
