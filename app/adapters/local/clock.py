"""The machine's own clock."""

from __future__ import annotations

import time


class SystemClock:
    """Time since an arbitrary start, in ms; it never goes back."""

    def now_ms(self) -> float:
        return time.perf_counter() * 1000.0
