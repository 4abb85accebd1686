"""A circuit breaker before the LLM: it opens on the share of failures and is tried again after a while (S6.5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from app.domain.route import CircuitName, CircuitState

LAST, LEAST = 20, 5
"""The share of failures is that of the last answers, from so many on."""

REST_SECONDS = 30.0
"""How long nothing is asked once the circuit is open."""


class Circuit:
    """Circuit breaker: keeps a failing LLM from being asked again and again, then lets one question through to try.

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
        """The state, and a sentence where it is not closed."""
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
        """Whether the LLM may be asked now: closed, or half open and no other question is trying."""
        if self._name is CircuitName.OPEN:
            # A clock that was set back would keep it open for long, so a moment in the future counts as past.
            if 0.0 <= self._wall_seconds() - self._opened_at < REST_SECONDS:
                return False
            self._name, self._is_trying = CircuitName.HALF_OPEN, False
        if self._name is CircuitName.HALF_OPEN:
            if self._is_trying:
                return False
            self._is_trying = True
        return True

    def note(self, *, failed: bool | None, error_rate: float) -> None:
        """Take in how a question that was let through ended; `error_rate` is the share of failures that opens.

        Closed, the share is looked at; half open, one answer decides; open, what comes late does not. None, which says
        that nobody waited for the answer, leaves all as it is, but that half open another question may try.
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
