"""The doorway to pybreaker: a circuit that opens on the share of failures and is tried again after a while (S6.5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from pybreaker import CircuitBreaker, CircuitBreakerError, CircuitMemoryStorage

from app.domain.route import CircuitName, CircuitState

LAST, LEAST = 20, 5
"""The share of failures is that of the last answers, from so many on."""

REST_SECONDS = 30.0
"""How long nothing is asked once the circuit is open."""

NEVER_BY_COUNT = 1_000_000
"""pybreaker opens on failures in a row; here their share decides."""


class _FailedError(Exception):
    """Tells the breaker of a failure."""


def _now() -> datetime:
    return datetime.now(UTC)


class BreakerCircuit:
    """A Circuit for one outside, in this process alone."""

    def __init__(self, now: Callable[[], datetime] = _now) -> None:
        self._now = now
        self._storage = CircuitMemoryStorage("closed")
        self._breaker = CircuitBreaker(
            fail_max=NEVER_BY_COUNT, state_storage=self._storage, throw_new_error_on_trip=False
        )
        self._last: deque[bool] = deque(maxlen=LAST)
        self._is_trying = False

    @property
    def state(self) -> CircuitState:
        """The state, and a sentence where it is not closed."""
        name = CircuitName(self._breaker.current_state.replace("-", "_"))
        if name is CircuitName.CLOSED:
            return CircuitState()
        if name is CircuitName.HALF_OPEN:
            return CircuitState(name, "The LLM failed too often; one question is let through to try it again.")
        told = f"{sum(self._last)} of its last {len(self._last)} answers failed" if self._last else "it failed again"
        return CircuitState(name, f"The LLM is left alone for {REST_SECONDS:.0f} s: {told}.")

    def lets_through(self, error_rate: float) -> bool:
        """Closed, or open for long enough to let one question try; not while that one is under way."""
        if self._breaker.current_state == "open":
            opened = self._storage.opened_at
            rested = opened is None or not timedelta() <= self._now() - opened < timedelta(seconds=REST_SECONDS)
            if not rested:
                return False
            # A clock that was set back would keep it open for long, so a moment in the future counts as past.
            self._breaker.half_open()
            self._is_trying = False
        if self._breaker.current_state == "half-open":
            if self._is_trying:
                return False
            self._is_trying = True
        return True

    def note(self, *, failed: bool | None, error_rate: float) -> None:
        """Closed, the share of failures is looked at; half open, one answer decides; open, what comes late does not.

        None leaves all as it is, but that half open another question may try.
        """
        trying = self._breaker.current_state == "half-open"
        self._is_trying = False
        if failed is None or self._breaker.current_state == "open":
            return
        if trying:
            self._last.clear()
        else:
            self._last.append(failed)
        with suppress(_FailedError, CircuitBreakerError):
            self._breaker.call(_fail if failed else _succeed)
        if not trying and len(self._last) >= LEAST and sum(self._last) >= error_rate * len(self._last) and failed:
            self._breaker.open()
        if self._breaker.current_state == "open":
            self._storage.opened_at = self._now()


def _fail() -> None:
    raise _FailedError


def _succeed() -> None: ...
