"""The time, as far as the program needs it."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Time that only moves forward, in milliseconds."""

    def now_ms(self) -> float: ...
