"""Wait for a condition, however busy the machine is."""

import asyncio
import time
from collections.abc import Callable

PATIENCE = 120.0
"""Maximum wait in seconds."""


async def until(holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait until this holds, checked every millisecond; fails after `seconds`."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.001)


def wait_for(holds: Callable[[], bool]) -> None:
    """Wait until this holds outside of a coroutine."""
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.005)
