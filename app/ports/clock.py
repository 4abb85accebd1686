"""Clock of the program."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Monotonic clock in milliseconds."""

    def now_ms(self) -> float: ...
