"""How a server ends: by a signal, once and in order; a second signal ends it at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def told_to_stop() -> Iterator[asyncio.Event]:
    """An event that SIGINT and SIGTERM set; on threads other than the main one nobody sets it."""
    stop = asyncio.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def heard(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(stop.set)

    try:
        for number in SIGNALS:
            signal.signal(number, heard)
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
